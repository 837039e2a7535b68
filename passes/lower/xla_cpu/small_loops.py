"""Programs whose loops XLA:CPU runs best as one kernel each."""

from math import prod

from anvl.dialect.core.mlir import ir, stablehlo
from anvl.passes.framework.walk import find_by_name

__all__ = ["BYTES_OF_A_STEP", "loops_fit_one_kernel"]

# Note [Loops of one kernel]
#
# XLA:CPU calls a kernel for each fusion, and for each op that it fuses with no other: 50 to 100 ns
# beside what it computes, 1 us where it calls a library for a product of 4 x 4 numbers.  A loop of
# short steps spends most of its time on these calls.  But a loop whose step reads and writes less
# than 1 kB becomes one function of LLVM, with all that is in it (XLA's pass
# `small-while-loop-hoisting`).  That limit is an option, and 1 kB is little: at 128 kB nearly all
# loops over a few hundred numbers are one kernel.
#
# Measured (jaxlib 0.10.2, two cores of an Intel Xeon, 50 steps of ten kinds over 8 to 16,384
# numbers, with and without a gradient): such loops run in 0.75 to 0.95 of the time, those with
# products of 4 x 4 to 6 x 6 numbers in 0.1 to 0.4, and compile in 0.45 to 0.8, since LLVM gets one
# module in place of a dozen.  Loops of more numbers gain less, none lost more than 6 %.
# jaxlib 0.12.0.1 gains as much, but takes no products into such a kernel.
#
# XLA keeps out what needs its runtime: scatters, sorts, custom calls, and the sums and products
# that a library computes.  All else gives the same bits, but for subnormal numbers and
#
# * `tan`, `cbrt` and functions of f16, which are computed less exactly (1.7 units in the last
#   place in place of 0.7),
# * products of complex numbers or integers, for which no library is called: they become three
#   loops as written, 1.4 times as long for 16 x 16 complex numbers, 2.4 times for 32 x 32.
#
# So programs with these in a loop keep XLA's limit.  128 kB because no op of such a step is worth a
# second core: XLA divides what reads and writes 256 kB.

#: What a step of such a loop reads and writes at most.
BYTES_OF_A_STEP = 1 << 17

_WHILE, _PRODUCT = "stablehlo.while", "stablehlo.dot_general"
_INEXACT = ("stablehlo.tan", "stablehlo.cbrt")
_MOST_PRODUCTS = 1024  # of two numbers, in one op


def loops_fit_one_kernel(module: ir.Operation) -> bool:
    """Whether a StableHLO module has loops, none of which loses by being one kernel of XLA:CPU."""
    found = find_by_name(module, (_WHILE, _PRODUCT, *_INEXACT))
    if not found[_WHILE] or any(found[name] for name in _INEXACT):
        return False
    if any(_is_written_out(op) and _is_in_loop(op) for op in found[_PRODUCT]):
        return False
    return not any(_has_f16(block) for op in found[_WHILE] for block in op.regions[1].blocks)


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


def _has_f16(block: ir.Block) -> bool:
    """Whether an op of a block, or of a region of these, makes numbers of f16."""
    for op in block.operations:
        if any(isinstance(getattr(x.type, "element_type", None), ir.F16Type) for x in op.results):
            return True
        if any(_has_f16(inner) for region in op.regions for inner in region.blocks):
            return True
    return False
