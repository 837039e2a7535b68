"""Symbolic values of weak numbers that a program computes from its arguments.

An `Expression` lets the host compute such a number again, exactly, at each call; see
Note [Ranges of weak arguments] in `frontend/core/ranges.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from anvl.dialect.control_flow.case import ChoiceOp
from anvl.dialect.core.attributes import LINEAR_TRANSPOSE
from anvl.dialect.core.create import CapturedOp, number_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Int, Symbol
from anvl.dialect.core.types import kind, numpy_of
from anvl.dialect.interpreters.constant_folding import maker_of

if TYPE_CHECKING:
    from anvl.core.tracing import Program, Trace

__all__ = [
    "Argument", "Expression", "Taker", "expression_of", "leaves", "substituted", "takers",
    "values_of",
]  # fmt: skip


class Argument(NamedTuple):
    """An argument of a function of the program."""

    function: str
    place: int


class Known(NamedTuple):
    """Numbers known at trace time: a literal, an array, or both bools."""

    numbers: tuple[Any, ...]
    dtype: Any


class Folded(NamedTuple):
    """The result of an op, by its rule `fold`."""

    op: type[AnvlOp]
    params: tuple[tuple[str, Any], ...]
    operands: tuple[Expression, ...]
    dtype: Any


class Either(NamedTuple):
    """The result of one of several branches."""

    branches: tuple[Expression, ...]


Expression: TypeAlias = Argument | Known | Folded | Either

#: Maps an argument of the current function to its expression; None if unknown.
_Meaning: TypeAlias = Callable[[ir.Value], Expression | None]

_BOOLS = Known((False, True), np.dtype(bool))
_MOST_OPS = 200
_MOST_VALUES = 1 << 16


# -- from a program --------------------------------------------------------------------------------


def expression_of(value: ir.Value, trace: Trace) -> Expression | None:
    """Expression of a value of a trace; None if the host cannot compute it."""
    return _Reader(trace.program).read(value, lambda x: _argument_of(x, trace))


def _argument_of(value: ir.Value, trace: Trace) -> Expression | None:
    """Expression of an argument: itself if it is weak, or the captured value."""
    place = value.arg_number
    if place < trace.n_inputs:  # the host does not read the arrays of each call
        return Argument(trace.name, place) if place in trace.weak_inputs else None
    for outer, inner in trace.closed_over.values():
        if inner.value == value:
            return expression_of(outer.value, outer.owner)
    return None


class _Reader:
    """Build the expression of a value from the ops that it depends on, each read once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.read_so_far = 0
        # Each call of a function has operands of its own.
        self.known: dict[tuple[ir.Value, _Meaning], Expression | None] = {}

    def read(self, value: ir.Value, meaning: _Meaning) -> Expression | None:
        if (value, meaning) not in self.known:
            self.known[value, meaning] = self._read(value, meaning)
        return self.known[value, meaning]

    def _read(self, value: ir.Value, meaning: _Meaning) -> Expression | None:
        maker = maker_of(value)
        if maker is None:
            return meaning(value)
        self.read_so_far += 1
        if self.read_so_far > _MOST_OPS:
            return None
        number, dtype = number_of(maker), numpy_of(value.type.element_type)
        if number is not None:
            return Known((number,), dtype)
        op = maker.operation
        if op.name == CapturedOp.OPERATION_NAME:
            array = np.asarray(self.program.captured[CapturedOp.read(op)["index"]])
            return Known(tuple(np.unique(array).tolist()), dtype)
        if op.name == "func.call":
            return self._result_of(op, ir.OpResult(value).result_number, meaning)
        if isinstance(op.opview, ChoiceOp):
            return self._chosen(op, ir.OpResult(value).result_number, meaning)
        if op.name == _BROADCAST.OPERATION_NAME:
            return self.read(op.operands[0], meaning)
        return self._folded(op, dtype, meaning)

    def _folded(self, op: ir.Operation, dtype: Any, meaning: _Meaning) -> Expression | None:
        rules = OPS.get(op.name)
        if rules is None or not rules.has_rule("fold") or len(op.results) != 1:
            return None
        operands = []
        for x in op.operands:
            of = self.read(x, meaning)
            if of is None and kind(x.type.element_type) == "bool":
                of = _BOOLS
            if of is None:
                return None
            operands.append(of)
        return Folded(rules, tuple(rules.read(op).items()), tuple(operands), dtype)

    def _chosen(self, op: ir.Operation, at: int, meaning: _Meaning) -> Expression | None:
        """A result of a choice: the result of one of its branches."""
        from anvl.passes.functions.symbol_utils import terminator_of  # not before a trace

        given = [terminator_of(region.blocks[0]).operands[at] for region in op.regions]
        return _union([self.read(y, meaning) for y in given])

    def _result_of(self, call: ir.Operation, at: int, meaning: _Meaning) -> Expression | None:
        """A result of a call: the result of the function, or of each of its branches."""
        from anvl.passes.functions.symbol_utils import terminator_of

        found = []
        for taker in takers(self.program, Symbol.decode(call.attributes["callee"])):
            block = _function(self.program, taker.function).regions[0].blocks[0]
            returned = list(terminator_of(block).operands)
            if taker.n_changing or at >= len(returned):
                return None
            found.append(self.read(returned[at], _in_terms_of_operands(call, meaning, self)))
        return _union(found)


def _union(found: Sequence[Expression | None]) -> Expression | None:
    """One of these; None if one of them is unknown."""
    known = tuple(x for x in found if x is not None)
    if not known or len(known) < len(found):
        return None
    return known[0] if len(known) == 1 else Either(known)


def _in_terms_of_operands(call: ir.Operation, meaning: _Meaning, reader: _Reader) -> _Meaning:
    """The arguments of a function in terms of the operands of a call."""
    operands = list(call.operands)
    return lambda x: reader.read(operands[x.arg_number], meaning)


_BROADCAST = OPS["anvl.broadcast_in_dim"]


def _function(program: Program, name: str) -> ir.Operation:
    return ir.SymbolTable(program.module.operation)[name].operation


class Taker(NamedTuple):
    """A function with a body that receives the operands of a call.

    The first `n_changing` have other values in later steps of a loop; the next `n_members` are
    arrays of which each step takes one element.
    """

    function: str
    n_changing: int = 0
    n_members: int = 0


def takers(program: Program, name: str) -> list[Taker]:
    """Functions that receive the operands of a call: the callee, or those that its declaration
    names."""
    function = _function(program, name)
    if function.regions[0].blocks:
        return [Taker(name)]
    for attribute in function.attributes:
        request = function.attributes[attribute]
        if not attribute.startswith("anvl.") or not isinstance(request, ir.DictAttr):
            continue
        if "callee" in request and attribute != LINEAR_TRANSPOSE:
            return [Taker(Symbol.decode(request["callee"]))]
        n_changing = Int.decode(request["carry"]) if "carry" in request else 0
        n_members = Int.decode(request["xs"]) if "xs" in request else 0
        roles = [role for role in ("cond", "body") if role in request]
        return [Taker(Symbol.decode(request[role]), n_changing, n_members) for role in roles]
    return []


# -- of other expressions --------------------------------------------------------------------------


def _parts(x: Folded | Either) -> tuple[Expression, ...]:
    return x.operands if isinstance(x, Folded) else x.branches


def leaves(x: Expression) -> set[Argument]:
    """Arguments that an expression depends on."""
    found: set[Argument] = set()
    seen: set[int] = set()
    pending = [x]
    while pending:
        part = pending.pop()
        if isinstance(part, Argument):
            found.add(part)
        elif not isinstance(part, Known) and id(part) not in seen:
            seen.add(id(part))
            pending += _parts(part)
    return found


def substituted(x: Expression, given: Callable[[Argument], Expression | None]) -> Expression | None:
    """Substitute expressions for arguments; None if one of them is unknown."""
    known: dict[int, Expression | None] = {}

    def replaced(x: Expression) -> Expression | None:
        if id(x) not in known:
            known[id(x)] = replacement(x)
        return known[id(x)]

    def replacement(x: Expression) -> Expression | None:
        if isinstance(x, Known):
            return x
        if isinstance(x, Argument):
            return given(x)
        parts = [part for part in map(replaced, _parts(x)) if part is not None]
        if len(parts) < len(_parts(x)):
            return None
        return x._replace(operands=tuple(parts)) if isinstance(x, Folded) else Either(tuple(parts))

    return replaced(x)


# -- at a call -------------------------------------------------------------------------------------


def values_of(
    x: Expression, given: Mapping[Argument, np.ndarray[Any, Any]]
) -> np.ndarray[Any, Any] | None:
    """Every number that an expression may have for these arguments; None if too many.

    Raises `OverflowError` if an intermediate integer is too large for the program.
    """
    if type(x) is Argument:
        return given[x].reshape(-1)
    with np.errstate(all="ignore"):  # integers wrap around, as they do in the program
        return _Evaluation(given).values(x)


class _Evaluation:
    """Evaluation of expressions for given arguments, each computed once."""

    def __init__(self, given: Mapping[Argument, np.ndarray[Any, Any]]) -> None:
        self.given = given
        self.known: dict[int, np.ndarray[Any, Any] | None] = {}

    def values(self, x: Expression) -> np.ndarray[Any, Any] | None:
        if isinstance(x, Argument):
            return self.given[x].reshape(-1)
        if isinstance(x, Known):
            return np.asarray(x.numbers, x.dtype)
        if id(x) not in self.known:
            self.known[id(x)] = self._computed(x)
        return self.known[id(x)]

    def _computed(self, x: Folded | Either) -> np.ndarray[Any, Any] | None:
        parts = [part for part in map(self.values, _parts(x)) if part is not None]
        if len(parts) < len(_parts(x)):
            return None
        if isinstance(x, Either):
            return np.concatenate(parts)
        combined = _combined(parts)
        if combined is None:
            return None
        found = np.asarray(x.op.fold(*combined, **dict(x.params)), x.dtype).reshape(-1)
        if x.dtype == np.int32:
            _check_exact(x, combined, found)
        return found


def _check_exact(
    x: Folded, operands: Sequence[np.ndarray[Any, Any]], found: np.ndarray[Any, Any]
) -> None:
    """Refuse intermediate integers beyond i32: Python's do not wrap, and may fit later."""
    if any(part.dtype.kind == "f" for part in operands):
        return
    wide = [part.astype(np.int64) if part.dtype == np.int32 else part for part in operands]
    exact = np.asarray(x.op.fold(*wide, **dict(x.params))).reshape(-1)
    wrapped = exact != found
    if wrapped.any():
        raise OverflowError(
            f"{exact[wrapped][0]} does not fit i32, in which it is computed; give the arguments as "
            "arrays of a wider dtype"
        )


def _combined(
    parts: Sequence[np.ndarray[Any, Any]],
) -> Sequence[np.ndarray[Any, Any]] | None:
    """Cartesian product of operand values; None if it is too large."""
    if all(part.size == 1 for part in parts):
        return parts
    distinct = [np.unique(part) for part in parts]
    if np.prod([part.size for part in distinct], dtype=float) > _MOST_VALUES:
        return None
    return [grid.reshape(-1) for grid in np.meshgrid(*distinct, indexing="ij")]
