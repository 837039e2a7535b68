"""Programs that XLA:CPU compiles sooner where kernels of one op are not wrapped as fusions."""

from collections import Counter
from itertools import starmap
from math import prod

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import find_by_name
from anvl.passes.lower.hlo_builder import maker

__all__ = ["compiles_sooner_unwrapped"]

# Note [Kernels of one op]
#
# XLA:CPU writes the loops of a fusion in MLIR, at 30 to 40 ms of a processor for each kernel.  An
# op that is fused with no other becomes a fusion of its own by the pass `fusion-wrapper`.  Where
# that pass is left out, jaxlib 0.10.2 writes such an op in LLVM right away: a sine of 32 x 32
# takes 20 ms to compile in place of 38, an inverse with its gradient 0.56 of the time, a rotary
# embedding 0.72, the step of a Kalman filter 0.8.  30 ops of three sizes ran as long as wrapped
# ones.
#
# But equal fusions are compiled once, and ops that are not wrapped are compiled each: twelve
# sines of one type take 150 ms in place of 65, a perceptron with two equal layers of `tanh` 1.5
# times as long.  Functions that are written out as polynomials take longest; LLVM unrolls loops
# over logarithms of 100 to 300 numbers whole, 25 ms longer than wrapped.  Scatters are refused,
# also those that XLA makes of others.  `tan`, `cbrt` and functions of f16 are computed less
# exactly (1.7 units in the last place in place of 0.7; all else that is finite and not subnormal
# was equal to the bit).  An array inside of the function of a reduction ends the process.
#
# So the ops that XLA is likely to leave alone are counted by type: those for which no op that is
# fused makes an operand, and whose result one reads that is not: a function returns it, a product
# or a loop takes it.  A function is not fused with several readers, or one that repeats it, as it
# would be computed for each.  Of 79 programs with such ops the guess takes 60, which compile in
# 0.79 of the time (0.46 to 1.04); the others would take 1.2 times as long.
#
# A program with an op that XLA refuses as it is, such as a `clamp` of bools, is compiled once more,
# with all ops wrapped (`executables.py`).
#
# From jaxlib 0.12 on all ops are wrapped later, whatever is asked for.


def _named(names: str) -> frozenset[str]:
    return frozenset(f"stablehlo.{name}" for name in names.split())


_LOGARITHMS = _named("log log_plus_one")
_POLYNOMIALS = _LOGARITHMS | _named("exponential exponential_minus_one logistic tanh")

#: Ops that XLA does not compute anew for each of several readers.
_COSTLY = _POLYNOMIALS | _named("atan2 cosine divide power remainder rsqrt sine sqrt")
_FUSED = _COSTLY | _named(
    "abs add and bitcast_convert broadcast_in_dim ceil clamp compare complex concatenate convert "
    "dynamic_slice dynamic_update_slice floor gather imag iota is_finite maximum minimum multiply "
    "negate not or pad real reduce_precision reverse round_nearest_afz round_nearest_even select "
    "shift_left shift_right_arithmetic shift_right_logical sign slice subtract transpose xor"
)
_RESHAPE, _BROADCAST = "stablehlo.reshape", "stablehlo.broadcast_in_dim"
_TAKES_MAKERS = _FUSED | {"stablehlo.reduce"}  # reads what is computed in its own loop
_WRAPPED = _named("cbrt scatter select_and_scatter tan")  # never left alone
_BLOCKS = _named("while case if") | {"func.func"}
_OF_ELEMENTS = _named("map reduce reduce_window sort")  # have functions, too
_FOUND = (*_WRAPPED, *_OF_ELEMENTS, *_FUSED)

# Milliseconds of a processor, on two cores of an Intel Xeon.
_SAVED = 15  # by the first op of a type
_SCALARS, _OTHERS, _POLYNOMIAL, _LOGARITHM = 5, 10, 30, 45  # for each further one
_UNROLLED = 25  # for the first logarithm of so many numbers, and of so many in a row at most
_FEWEST, _LONGEST_ROW = 100, 320
_FEW = 4  # elements
_NEVER = 1_000_000


def compiles_sooner_unwrapped(module: ir.Operation) -> bool:
    """Whether XLA need not wrap the ops of a StableHLO module that it fuses with no others."""
    found = find_by_name(module, _FOUND)
    if any(found[name] for name in _WRAPPED):
        return False
    if not all(_is_of_scalars(op) for name in _OF_ELEMENTS for op in found[name]):
        return False
    fused = (op for name in _FUSED for op in found[name])
    alone = Counter((op.name, op.results[0].type) for op in fused if _is_alone(op))
    return sum(starmap(_cost, ((*key, n) for key, n in alone.items()))) <= 0


def _is_of_scalars(op: ir.Operation) -> bool:
    """Whether the function of an op computes scalars alone, without an op that has functions."""
    inner = [x for region in op.regions for block in region.blocks for x in block.operations]
    return all(not x.regions and all(y.type.rank == 0 for y in x.results) for x in inner)


def _is_alone(op: ir.Operation) -> bool:
    """Whether XLA is likely to fuse an op with no other."""
    if any(made_by in _FUSED for made_by in map(_made_by, op.operands)):
        return False
    readers = _readers(op.results[0])
    is_joined = _TAKES_MAKERS.issuperset(readers)
    if op.name in _COSTLY:
        is_joined &= len(readers) == 1 and readers[0] != _BROADCAST
    return not is_joined and op.parent.name in _BLOCKS


def _made_by(x: ir.Value) -> str | None:
    op = maker(x)
    while op is not None and op.name == _RESHAPE:
        op = maker(op.operands[0])
    return None if op is None else op.name


def _readers(x: ir.Value) -> list[str]:
    """The names of the ops that read a value, in whatever shape."""
    found = []
    for use in x.uses:
        op = use.owner.operation
        found += _readers(op.results[0]) if op.name == _RESHAPE else [op.name]
    return found


def _cost(name: str, of: ir.RankedTensorType, count: int) -> int:
    """Milliseconds that ops of one type take longer to compile alone than as one fusion."""
    if isinstance(of.element_type, ir.F16Type):
        return _NEVER
    size = prod(of.shape)
    if name in _LOGARITHMS:
        is_unrolled = size >= _FEWEST and of.shape[-1] < _LONGEST_ROW
        return _UNROLLED * is_unrolled + _LOGARITHM * (count - 1)
    if name in _POLYNOMIALS:
        return _POLYNOMIAL * (count - 1)
    return (_SCALARS if size <= _FEW else _OTHERS) * (count - 1) - _SAVED
