"""log(1 + x) and exp(x) - 1 of ops that LLVM vectorizes in any loop."""

from collections.abc import Callable
from functools import lru_cache
from math import factorial
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import Hlo, hide, maker
from anvl.passes.lower.library_calls.handed_over import HANDED_OVER, NAMES, is_large
from anvl.passes.lower.xla_cpu.elementwise_kernels import ELEMENTWISE

__all__ = ["write_vectorized_functions"]

# Note [Functions that LLVM vectorizes]
#
# XLA:CPU calls functions of its own for `log_plus_one` and `exponential_minus_one`.  LLVM has
# vectors of these where a loop runs through all of an array, but computes one element at a time
#
#   * where the array is divided among the cores in parts that are not equal, as of an odd number of
#     elements: then each iteration asks whether it is inside, and a call cannot be masked;
#   * in rows of 6 to 15 elements, if a step has many ops (the inner loop is too short to be
#     vectorized, and too long to be unrolled).
#
# `log`, `exponential` and arithmetic have neither limit.  So where nothing else reads the result,
#
#     log(1 + x)     is     log(u) + (x - (u - 1)) / u,  where u is 1 + x, rounded, and x if u is 1
#     exp(x) - 1     is     x (1 + x / 2! + ... + x^8 / 9!) if |x| < 1/2, else exp(x) - 1
#
# The first corrects the logarithm for the rounding of u (as W. Kahan's in the HP-15C Advanced
# Functions Handbook, 1982); the second is Taylor's series.  The largest errors fall from 2.4 to 1.7
# units in the last place and from 5.2 to 1.8 (f32); of log(1 + x) in f64, where XLA's loses digits
# near -0.414, from 128 to 1.4.  exp(x) - 1 of subnormal x is 0, as all products of these on XLA:CPU
# are.  In f64 it stays: its exponential is a call, too.
#
# Times (jaxlib 0.10.2, two cores of an AMD EPYC, f32): softplus of 100,001 numbers 1,850 us ->
# 217, elu 935 -> 92, of 100,000 253 -> 185 and 129 -> 71; asinh of 10,000 rows of 10 1,360 -> 205,
# elu 942 -> 110.  They compile in 4 ms more.
#
# What a large reduction reads stays as well: XLA's library computes it in the same call, in half
# the time that an array before it takes.  And so does what two loops may read: XLA would compute
# the choice in each of them, and make arrays of its operands.  Where ops that read it have one
# result, as in a hyperbolic sine, they are one loop.  So does an op on short rows of f32 that is a
# kernel alone: XLA writes it in vectors itself, and 4,285 rows of 7 took 4 times as long.

_LOGARITHM, _EXPONENTIAL = "stablehlo.log_plus_one", "stablehlo.exponential_minus_one"
_TERMS = 9
_FEWEST_IN_ROW = 16  # elements that LLVM vectorizes in an inner loop
_MOST_OPS = 16  # that are looked at, between a function and what reads it

_hlo = Hlo("")


def write_vectorized_functions(module: ir.Operation) -> None:
    """Write the functions of floats that XLA:CPU would call, where only one op reads the result."""
    for op in find(module, _LOGARITHM, _EXPONENTIAL):
        form = _form(op.name, op.results[0].type)
        if form is not None and _is_alone(op) and not _is_short_kernel(op):
            with op.context, op.location, ir.InsertionPoint(op):
                op.results[0].replace_all_uses_with(form(op.operands[0]))
            op.erase()


@lru_cache(256)
def _form(name: str, type_: Any) -> Callable[[ir.Value], ir.Value] | None:
    element = str(type_.element_type)
    if not type_.has_static_shape:
        return None
    if name == _LOGARITHM:
        return _log_plus_one if element in ("f32", "f64") else None
    return _exponential_minus_one if element == "f32" else None


def _is_short_kernel(op: ir.Operation) -> bool:
    """Whether XLA makes a kernel of an op on short rows of f32 alone."""
    type_ = op.results[0].type
    rows = [n for n in type_.shape if n != 1]
    if str(type_.element_type) != "f32" or len(rows) < 2 or rows[-1] >= _FEWEST_IN_ROW:
        return False
    made, users = maker(op.operands[0]), [use.owner.operation for use in op.results[0].uses]
    return not any(near is not None and near.name in ELEMENTWISE for near in (made, *users))


def _is_alone(op: ir.Operation) -> bool:
    """Whether XLA computes an op in one loop, and not for its library."""
    last = _joined(op)
    for _ in range(_MOST_OPS):
        users = [] if last is None else [use.owner.operation for use in last.results[0].uses]
        if any(user.name in NAMES and is_large(user) for user in users):
            return False
        if len(users) != 1 or users[0].name not in HANDED_OVER:
            break
        (last,) = users
    return last is not None


def _joined(op: ir.Operation) -> ir.Operation | None:
    """The op whose result is all that others see of an op and of its readers up to there."""
    ops = {op.results[0]: op}
    while len(ops) <= _MOST_OPS:
        seen = _seen_by_others(ops)
        if len(seen) <= 1 and all(len(users) == 1 for users in seen.values()):
            return next((ops[y] for y in seen), None)
        found = [user for users in seen.values() for user in users]
        if not all(_is_beside(user, op) for user in found):
            return None
        ops |= {user.results[0]: user for user in found}
    return None


def _seen_by_others(ops: dict[ir.Value, ir.Operation]) -> dict[ir.Value, list[ir.Operation]]:
    """The results of ops that others read, each with all that read it."""
    inside = list(ops.values())
    users = {y: [use.owner.operation for use in y.uses] for y in ops}
    return {y: of for y, of in users.items() if not all(user in inside for user in of)}


def _is_beside(user: ir.Operation, op: ir.Operation) -> bool:
    """Whether XLA computes an op in a loop over the same elements as another."""
    if user.name not in ELEMENTWISE or user.block != op.block:
        return False
    return bool(user.results[0].type.shape == op.results[0].type.shape)


def _log_plus_one(x: ir.Value) -> ir.Value:
    type_ = x.type
    one, zero = (_hlo.constant(type_, n) for n in (1.0, 0.0))
    u = hide(_hlo("add", x, one, type=type_))
    rest = _hlo("subtract", x, _hlo("subtract", u, one, type=type_), type=type_)
    # NaN where u is infinite, and 0 / 0 where it is 0: the logarithm is right by itself.
    is_rest = _hlo.compare(_hlo("abs", rest, type=type_), zero, "GT")
    more = _hlo("select", is_rest, _hlo("divide", rest, u, type=type_), zero, type=type_)
    found = _hlo("add", _hlo("log", u, type=type_), more, type=type_)
    return _hlo("select", _hlo.compare(u, one, "EQ"), x, found, type=type_)


def _exponential_minus_one(x: ir.Value) -> ir.Value:
    type_ = x.type
    one = _hlo.constant(type_, 1.0)
    series = _hlo.constant(type_, 1 / factorial(_TERMS))
    for k in range(_TERMS - 1, 0, -1):
        term = _hlo.constant(type_, 1 / factorial(k))
        series = _hlo("add", _hlo("multiply", series, x, type=type_), term, type=type_)
    near = _hlo("multiply", x, series, type=type_)
    far = _hlo("subtract", _hlo("exponential", x, type=type_), one, type=type_)
    half = _hlo.constant(type_, 0.5)
    is_near = _hlo.compare(_hlo("abs", x, type=type_), half, "LT")
    return _hlo("select", is_near, near, far, type=type_)
