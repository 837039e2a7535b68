"""Constant folding of scalar programs, for integers and bools."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import number_of
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.types import kind, numpy_of
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["Number", "folded", "known_number", "maker_of"]

#: A scalar with the dtype of its value; None if unknown.
Number = Any


def maker_of(x: Value) -> Any:
    """Defining op of a value; None for a block argument."""
    owner = x.owner
    return owner if hasattr(owner, "operands") else None


def known_number(x: Value, depth: int = 8) -> Number:
    """Return the number that a value is known to be, by folding its defining ops.

    Follows at most `depth` ops back.
    """
    if x.type.rank or kind(x.type.element_type) not in ("int", "uint", "bool"):
        return None
    maker = maker_of(x)
    n = number_of(maker)
    if n is not None:
        return np.array(n, numpy_of(x.type.element_type))
    if maker is None or not depth or len(maker.results) != 1 or not len(maker.operands):
        return None
    return _folded_op(maker, [known_number(y, depth - 1) for y in maker.operands])[0]


def folded(program: Program, known: Sequence[Number]) -> list[Number]:
    """Results of a program, as far as they follow from the known arguments."""
    values = dict(zip(program.arguments, known, strict=True))
    for op in program.slice(whole_ops=True).ops:
        if op.operands:
            found = _folded_op(op, [values.get(x) for x in op.operands])
        else:
            found = [known_number(y) for y in op.results]
        values.update(zip(op.results, found, strict=True))
    return [values.get(y) for y in program.results]


def _folded_op(op: Any, xs: Sequence[Number]) -> list[Number]:
    rules = type(op)
    unknown = [None] * len(op.results)
    if not issubclass(rules, AnvlOp) or not rules.has_rule("fold") or any(x is None for x in xs):
        return unknown
    of = op.results[0].type
    if kind(of.element_type) not in ("int", "uint", "bool"):
        return unknown
    with np.errstate(all="ignore"):  # integers wrap around, as in the program
        return [np.array(rules.fold(*xs, **rules.read(op.operation)), numpy_of(of.element_type))]
