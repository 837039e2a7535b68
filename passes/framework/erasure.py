"""Erasing in passes of a person's own: an op whose results have uses is not erased, but an error.

MLIR trusts its caller: it frees the op, and whatever touches a use of it next, often the verifier
or the printer, ends the process without a word.

The checks hold for the whole process, from the first definition of a pass outside of anvl; a check
takes as long as MLIR's `erase` itself, which anvl's own passes need not pay for.
"""

from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.core.mlir import ir, rewrite
from anvl.passes.framework.verification import shown

__all__ = ["InvalidErasure", "check_erasures"]

_installed: list[bool] = []


class InvalidErasure(ValueError):
    """An op would be erased, or replaced, that is still used.

    Attributes: `location` (MLIR text of its location), `op_text` (the op).
    """

    def __init__(self, message: str, op: Any) -> None:
        self.location = str(op.location)
        self.op_text = shown(op.operation)
        super().__init__(f"{message}\nthe op is now: {self.op_text}")


def check_erasures() -> None:
    """Have each `erase` raise `InvalidErasure` where it would leave uses of a dead value."""
    if _installed:
        return
    _installed.append(True)
    op, block = ir.Operation.__mro__[1], ir.Block  # `OpView` inherits from the same
    pattern: Any = rewrite.PatternRewriter
    _replace(op, "erase", _erase)
    _replace(block, "erase_argument", _erase_argument)
    _replace(pattern, "erase_op", _erase_op)
    _replace(pattern, "replace_op", _replace_op)


def _replace(cls: Any, name: str, checked: Callable[..., Any]) -> None:
    unchecked = getattr(cls, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return checked(unchecked, self, *args, **kwargs)

    method.__doc__, method.__name__ = unchecked.__doc__, name
    setattr(cls, name, method)


def _erase(erase: Callable[..., Any], op: Any) -> None:
    _check_unused(op, op.results)
    erase(op)


def _erase_argument(erase: Callable[..., Any], block: Any, index: int) -> None:
    _check_unused(block.owner, [block.arguments[index]], f"argument {index} of ")
    erase(block, index)


def _erase_op(erase_op: Callable[..., Any], rewriter: Any, op: Any) -> None:
    # A conversion erases at its end, when it has replaced the uses as well.
    if not isinstance(rewriter, rewrite.ConversionPatternRewriter):
        _check_unused(op, op.results)
    erase_op(rewriter, op)


def _replace_op(replace_op: Callable[..., Any], rewriter: Any, op: Any, by: Any) -> None:
    """`by` is an op, or a list of values."""
    is_list = isinstance(by, Sequence)
    values = list(by if is_list else by.results)
    n_results = len(op.results)
    if len(values) != n_results:
        raise InvalidErasure(
            f"replace_op: {_name(op)} has {n_results} results, got {len(values)} values for them",
            op,
        )
    own = [i for i, value in enumerate(values) if value in list(op.results)]
    if own:
        raise InvalidErasure(
            f"replace_op: {_name(op)} would be replaced by its own result {own[0]}",
            op,
        )
    replace_op(rewriter, op, by)


def _check_unused(op: Any, values: Sequence[ir.Value], part: str = "") -> None:
    for value in values:
        for use in value.uses:
            user = _name(use.owner)
            raise InvalidErasure(
                f"erase: {part}{_name(op)} is still used, by {user}; replace its uses first",
                op,
            )


def _name(op: Any) -> str:
    return str(op.operation.name)  # the `name` of a view may be that of a symbol
