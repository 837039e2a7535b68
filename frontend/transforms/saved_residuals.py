"""`print_saved_values`: list the residuals that reverse mode keeps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TextIO

from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.avals import Aval, aval_of_type
from anvl.core.locations import describe
from anvl.core.promote import abstract
from anvl.core.trace_state import passes_lock
from anvl.core.traced import Traced, trace_call
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.residual_selection import byte_size
from anvl.dialect.interpreters.slices import forward_slice, live_in
from anvl.dispatch.lowering import transformations
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import functions_of
from anvl.passes.inline import Inline
from anvl.runtime import hiding_frames
from anvl.transforms.declare import check_callable, has_derivative
from anvl.transforms.vjp import Reverse

__all__ = ["SavedValue", "print_saved_values", "saved_values"]


class SavedValue(NamedTuple):
    """A residual: its aval, its bytes, and its origin."""

    aval: Aval
    nbytes: int
    source: str

    def __str__(self) -> str:
        return f"{self.nbytes:>12,} bytes  {self.aval!r}  {self.source}"


@hiding_frames
def print_saved_values(
    f: Callable[..., Any], *args: Any, file: TextIO | None = None, **kwargs: Any
) -> None:
    """Print the residuals that reverse mode keeps between the forward and the backward part of f.

    Prints one line per value, the largest first: bytes, dtype and shape, the argument or op that it
    stems from, and the Python line; then the sum.  Constants are not listed.

    Parameters
    ----------
    f : callable
    *args, **kwargs
        Arguments of f, arrays or abstract values.
    file : file object, optional
        Standard output by default.

    Raises
    ------
    TypeError
        f is not a function, or returns no floats.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.print_saved_values(lambda x: np.sin(np.exp(x)), anvl.aval("f32", (1000,)))
           4,000 bytes  f32[1000]  cos, ...
           4,000 bytes  f32[1000]  exp, ...
           8,000 bytes in all
    """
    found = saved_values(f, *args, **kwargs)
    lines = [*map(str, found), f"{sum(v.nbytes for v in found):>12,} bytes in all"]
    print("\n".join(lines), file=sys.stdout if file is None else file)


@hiding_frames
def saved_values(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[SavedValue]:
    """The residuals that `print_saved_values` prints, as a list."""
    check_callable("print_saved_values", f)
    arguments = StaticArguments(f, None).split(*wrap_plain_leaves((args, kwargs)))
    paths = input_names(f, arguments)
    leaves = [
        x if isinstance(x, Aval) else abstract(x, path)
        for x, path in zip(arguments.leaves, paths, strict=True)
    ]
    traced, n_late = _traced(f, arguments._replace(leaves=leaves), paths)
    with passes_lock:
        Pipeline([*transformations(), Inline(), "cse", "trivial-dce"]).run(traced.program.module)
    main = functions_of(traced.program.module.operation)["main"]
    return _residuals(main.regions[0].blocks[0], n_late)


def _traced(f: Callable[..., Any], arguments: Arguments, paths: list[str]) -> tuple[Traced, int]:
    """Forward and backward part of f in one program, and the number of its trailing cotangents."""
    n = len(arguments.leaves)
    out = _outputs(f, arguments, paths)
    avals, out_tree = out.out_avals, out.out_tree
    floats = [i for i, of in enumerate(avals) if has_derivative(of)]
    if not floats:
        raise TypeError(
            f"print_saved_values: {name_of(f)} returns {', '.join(map(repr, avals)) or 'nothing'}; "
            "only floats have a derivative"
        )

    def both(*leaves: Any) -> Any:
        reverse = Reverse("print_saved_values", f, arguments._replace(leaves=list(leaves[:n])))
        result = reverse.result
        given = dict(zip(floats, leaves[n:], strict=True))
        cotangent = tree.unflatten(out_tree, [given.get(i) for i in range(len(avals))])
        return result, reverse.pull_back(cotangent)

    every = [*arguments.leaves, *(avals[i] for i in floats)]
    flat = Arguments(every, tree.structure((tuple(0 for _ in every), {})), ())
    names = [*paths, *(f"cotangent{i}" for i in floats)]
    return trace_call(both, StaticArguments(both, None), flat, names=names), len(floats)


def _outputs(f: Callable[..., Any], arguments: Arguments, paths: list[str]) -> Traced:
    return trace_call(f, StaticArguments(f, None), arguments, names=paths)


def _residuals(block: ir.Block, n_late: int) -> list[SavedValue]:
    """Values that the ops depending on the last `n_late` arguments use of the others."""
    arguments, ops = list(block.arguments), list(block.operations)[:-1]
    late = forward_slice(ops, arguments[len(arguments) - n_late :], whole_ops=True)
    kept = [x for x in live_in(late.ops) if x not in late.values and not _is_constant(x)]
    found = [SavedValue(aval_of_type(x.type), byte_size(x.type), _source(x)) for x in kept]
    return sorted(found, key=lambda v: -v.nbytes)


def _is_constant(x: ir.Value) -> bool:
    return isinstance(x.owner, ir.Operation | ir.OpView) and not x.owner.operands


def _source(x: ir.Value) -> str:
    location = describe(x.location)
    if isinstance(x.owner, ir.Block):
        name = getattr(x.location, "name_str", "")
        return f"the argument {name}, {location}"
    return f"{x.owner.name.rpartition('.')[2]}, {location}"
