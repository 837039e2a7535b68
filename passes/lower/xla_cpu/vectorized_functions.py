"""Functions of floats written as ops that LLVM vectorizes in any loop."""

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import maker
from anvl.passes.lower.library_calls.handed_over import HANDED_OVER, NAMES, is_large
from anvl.passes.lower.xla_cpu import function_forms, library_functions
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
# `log`, `exponential` (of f32) and arithmetic have neither limit.  So where nothing else reads the
# result, functions are written as Note [Forms of functions] says, and those that have no vectors
# at all, of arrays of any shape, as Note [Functions of the C library] does.
#
# Largest errors, in units in the last place, of XLA's function and of the form:
#
#                       f32             f64
#     exp(x)                            1.63 -> 1.02
#     exp(x) - 1        5.59 -> 1.45    4.20 -> 2.01
#     log(1 + x)        2.4  -> 1.7     128  -> 1.4 (XLA's loses digits near -0.414)
#     tanh(x)           4.12 -> 2.35    6.70 -> 2.44
#     1 / sqrt(x)       1.64 -> 0.85    1.18 -> 0.85
#
# Results that are subnormal are 0, as all that are computed on XLA:CPU.
#
# Times of 100,001 numbers, of 10,000 rows of 10, and of 100,000 numbers, in us, before and after
# (jaxlib 0.10.2, two cores of an AMD EPYC):
#
#                       f32                                         f64
#     softplus          1,850 -> 217                                2,627 -> 1,015  2,759 -> 1,101
#     elu               935 -> 92    942 -> 110     129 -> 71       801 -> 238      1,088 -> 224
#     mish              1,851 -> 401 3,214 -> 542   377 -> 367      2,047 -> 1,157  2,493 -> 1,352
#     i0                1,707 -> 199 1,907 -> 311   261 -> 223      2,336 -> 693    2,806 -> 772
#     erf                                                           1,037 -> 451    1,837 -> 538
#
# tanh, and the square root of a divisor, for which XLA writes `rsqrt`, are as fast or slower in ops
# where the parts are equal: only where they are not, and in short rows, are they written.  XLA's
# `rsqrt` has no vectors: as a kernel alone it takes twice to five times as long in any shape.
# Others of f64 that are kernels alone stay, as do the exponentials of small arrays, and those of
# rows of at most 5, which LLVM unrolls: they are as fast.  An odd number of elements stands for
# unequal parts, which they are on any even number of cores.
#
# What a large reduction reads stays as well: XLA's library computes it in the same call, in half
# the time that an array before it takes.  And so does what two loops may read: XLA would compute
# the choice in each of them, and make arrays of its operands.  Where ops that read it have one
# result, as e + e / (e + 1) for e = exp(x) - 1, they are one loop.  So does an op on short rows of
# f32 that is a kernel alone: XLA writes it in vectors itself, and 4,285 rows of 7 took 4 times as
# long.

_FEWEST_IN_ROW = 16  # elements that LLVM vectorizes in an inner loop
_MOST_IN_STEPS = 5  # elements of a row that LLVM unrolls
_MOST_BITS = 8 << 18  # of an array that one core computes
_MOST_OPS = 16  # that are looked at, between a function and what reads it

_DIVIDE, _SQRT = "stablehlo.divide", "stablehlo.sqrt"
_REMAINDER = "stablehlo.remainder"
_Form = Callable[..., ir.Value]


def _named(**forms: _Form) -> dict[str, _Form]:
    return {f"stablehlo.{name}": form for name, form in forms.items()}


_ALWAYS = _named(log_plus_one=function_forms.log_plus_one)
_MINUS_ONE = _named(exponential_minus_one=function_forms.exponential_minus_one)
_LOGISTIC = _named(logistic=function_forms.logistic)
_RSQRT = _named(rsqrt=function_forms.rsqrt)
_EXPONENTIAL = _named(exponential=function_forms.exponential)
_UNEVEN = _named(tanh=function_forms.tanh, sqrt=function_forms.divisor) | _RSQRT

#: By dtype, the functions that are faster in ops as kernels alone, and beside others.  The last are
#: of arrays, or parts, that are long and have no rows which LLVM unrolls.
_ALONE = {"f32": _ALWAYS | _MINUS_ONE | _RSQRT, "f64": _ALWAYS | _RSQRT}
_BESIDE = {"f32": _ALWAYS | _MINUS_ONE, "f64": _ALWAYS}
_LONG = {"f32": {}, "f64": _MINUS_ONE | _LOGISTIC | _EXPONENTIAL}
_OF_LIBRARY = {
    "f32": _named(
        atan2=library_functions.atan2,
        cbrt=library_functions.cbrt,
        remainder=library_functions.remainder,
    ),
    "f64": _named(cbrt=library_functions.cbrt),
}
_NAMES = tuple(_OF_LIBRARY["f32"] | _ALWAYS | _MINUS_ONE | _LOGISTIC | _EXPONENTIAL | _UNEVEN)


def write_vectorized_functions(module: ir.Operation) -> None:
    """Write the functions of floats that XLA:CPU would call, where only one op reads the result."""
    for op in find(module, *_NAMES):
        form = _form(op.name, op.results[0].type, _is_kernel(op))
        if form is not None and _is_alone(op) and (op.name != _SQRT or _is_divisor(op)):
            with op.context, op.location, ir.InsertionPoint(op):
                op.results[0].replace_all_uses_with(form(*op.operands))
            op.erase()


@lru_cache(1024)
def _form(name: str, type_: Any, is_kernel: bool) -> _Form | None:
    """The form of a function of a type, if it is faster."""
    element = str(type_.element_type)
    if element not in _BESIDE or not type_.has_static_shape:
        return None
    rows = _rows(type_.shape)
    if name in _OF_LIBRARY["f32"]:
        is_many = prod(rows) >= library_functions.FEWEST
        is_faster = is_many and not (name == _REMAINDER and _is_unrolled(rows))
        return _OF_LIBRARY[element].get(name) if is_faster else None
    is_long = prod(rows) * type_.element_type.width > _MOST_BITS
    forms = _forms_alone(element, rows, is_long) if is_kernel else _BESIDE[element]
    if not is_kernel and _is_uneven(rows, is_long):
        forms = forms | _LONG[element] | _UNEVEN
    elif not is_kernel and is_long and not _is_unrolled(rows):
        forms = forms | _LONG[element]
    return forms.get(name)


def _forms_alone(element: str, rows: list[int], is_long: bool) -> dict[str, _Form]:
    """Forms of functions that are a kernel each."""
    if element == "f64":
        # XLA writes a logistic function as an exponential and a division.
        has_division = is_long and not _is_unrolled(rows)
        return _ALONE[element] | (_LOGISTIC if has_division else {})
    return _RSQRT if len(rows) > 1 and rows[-1] < _FEWEST_IN_ROW else _ALONE[element]


def _rows(shape: list[int]) -> list[int]:
    return [n for n in shape if n != 1]


def _is_unrolled(rows: list[int]) -> bool:
    return len(rows) > 1 and rows[-1] <= _MOST_IN_STEPS


def _is_uneven(rows: list[int], is_long: bool) -> bool:
    """Whether LLVM computes calls of functions one by one."""
    if len(rows) > 1:
        return not _is_unrolled(rows) and rows[-1] < _FEWEST_IN_ROW
    return is_long and prod(rows) % 2 == 1


def _is_divisor(op: ir.Operation) -> bool:
    """Whether XLA would multiply by the reciprocal of a root, in place of a division."""
    uses = [*op.results[0].uses]
    is_one = len(uses) == 1 and uses[0].owner.operation.name == _DIVIDE
    return is_one and uses[0].operand_number == 1


def _is_kernel(op: ir.Operation) -> bool:
    """Whether XLA makes a kernel of an op alone."""
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
        found = [user for users in seen.values() for user in users if _is_beside(user, op)]
        more = {user.results[0]: user for user in found}
        if more.keys() <= ops.keys():
            return None
        ops |= more
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
