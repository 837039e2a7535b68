"""Programs whose loops XLA:CPU runs best as one kernel each."""

import itertools
from collections.abc import Iterator
from math import prod

from anvl.dialect.core.mlir import ir, stablehlo
from anvl.passes.framework.walk import find_by_name

__all__ = ["BYTES_OF_A_STEP", "loops_fit_one_kernel"]

# Note [Loops of one kernel]
#
# XLA:CPU calls a kernel for each fusion, and for each op that it fuses with no other: 50 to 100 ns
# beside what it computes, 1 to 2 us where it calls a library for a product of 4 x 4 numbers.  A
# loop of short steps spends most of its time on these calls.  But a loop whose step reads and
# writes less than 1 kB becomes one function of LLVM, with all that is in it (XLA's pass
# `small-while-loop-hoisting`).  That limit is an option, and 1 kB is little: at 128 kB nearly all
# loops over a few hundred numbers are one kernel.
#
# Measured (jaxlib 0.10.2, two cores of an Intel Xeon, 50 steps of eleven kinds over 8 to 16,384
# numbers, with and without a gradient): most such loops run in 0.75 to 0.95 of the time, those with
# products of 4 x 4 to 6 x 6 numbers in 0.1 to 0.6, and compile in 0.45 to 0.8, since LLVM gets one
# module in place of a dozen.  Loops of more numbers gain less; the gradient of a convolution of 4
# channels of 8 x 8 lost 11 %, all others less than 9 %.
# jaxlib 0.12.0.1 gains as much, but takes no products into such a kernel.
#
# XLA keeps out what needs its runtime: scatters, sorts, custom calls, and the sums and products
# that a library computes.  Single ops of all else give the same bits (over 800 programs of one op,
# 20 types), and 420 random loops the same results but for their last digits, where LLVM joins a
# product and a sum of two former kernels, and one that branches by the sign of a sum that is 0.
# Excepted are subnormal numbers and
#
# * `tan`, `cbrt` and functions of f16, which are computed less exactly (1.7 units in the last
#   place in place of 0.7),
# * products of complex numbers or integers, for which no library is called: they become three
#   loops as written, 1.4 times as long for 16 x 16 complex numbers, 2.4 times for 32 x 32.
#
# So programs with these in a loop keep XLA's limit.  So do those of which a step is worth a second
# core, as one kernel runs on one: XLA divides a fusion from 20 kB and many functions on, or from
# 256 kB.  Ten steps of a sine and a cosine on 1,000 numbers in one fusion took 0.6 of the time.

#: What a step of such a loop reads and writes at most.
BYTES_OF_A_STEP = 1 << 17

_WHILE, _PRODUCT = "stablehlo.while", "stablehlo.dot_general"
_UPDATE = "stablehlo.dynamic_update_slice"
_INEXACT = ("stablehlo.tan", "stablehlo.cbrt")
_FUNCTIONS = frozenset(
    f"stablehlo.{name}"
    for name in "atan2 cosine exponential exponential_minus_one log log_plus_one logistic power "
    "sine tanh".split()
)
_MOST_PRODUCTS = 1_024  # of two numbers, in one op
_MOST_ELEMENTS = 2_048  # that an op computes
_MOST_FUNCTIONS = 8_192  # of one number, in a step


def loops_fit_one_kernel(module: ir.Operation) -> bool:
    """Whether a StableHLO module has loops, none of which loses by being one kernel of XLA:CPU."""
    found = find_by_name(module, (_WHILE, _PRODUCT, *_INEXACT))
    if not found[_WHILE] or any(found[name] for name in _INEXACT):
        return False
    if any(_is_written_out(op) and _is_in_loop(op) for op in found[_PRODUCT]):
        return False
    return all(_is_short(op) for op in found[_WHILE])


def _is_in_loop(op: ir.Operation) -> bool:
    while op.parent is not None:
        op = op.parent
        if op.name == _WHILE:
            return True
    return False


def _is_written_out(product: ir.Operation) -> bool:
    """Whether a product is long, and of a type for which XLA calls no library."""
    of = product.operands[0].type
    if isinstance(of.element_type, ir.FloatType):
        return False
    axes = stablehlo.DotDimensionNumbers(product.attributes["dot_dimension_numbers"])
    contracted = prod(of.shape[axis] for axis in axes.lhs_contracting_dimensions)
    return prod(product.results[0].type.shape) * contracted > _MOST_PRODUCTS


def _is_short(loop: ir.Operation) -> bool:
    """Whether a step of a loop is worth no second core, and makes no numbers of f16."""
    functions = 0
    for op in itertools.chain.from_iterable(map(_ops_inside, loop.regions)):
        if op.name in (_WHILE, _UPDATE):  # arrays of which a step reads and writes parts
            continue
        types = [x.type for x in op.results if isinstance(x.type, ir.RankedTensorType)]
        if any(isinstance(of.element_type, ir.F16Type) for of in types):
            return False
        most = max([prod(of.shape) for of in types], default=0)
        functions += most * (op.name in _FUNCTIONS)
        if most > _MOST_ELEMENTS or functions > _MOST_FUNCTIONS:
            return False
    return True


def _ops_inside(region: ir.Region) -> Iterator[ir.Operation]:
    for block in region.blocks:
        for op in block.operations:
            yield op.operation
            for inner in op.regions:
                yield from _ops_inside(inner)
