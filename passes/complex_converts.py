"""Conversions from complex numbers to others, in a form that XLA computes."""

from anvl.dialect.mlir import ir
from anvl.dialect.types import kind
from anvl.passes.find import find

__all__ = ["split_complex_converts"]

# Note [Conversions of complex numbers]
#
# XLA ends the process where it folds the conversion of a scalar complex constant to a dtype that is
# not complex, also of one that it finds to be constant, as a sum of no elements is (jaxlib 0.10.2).
# To bool it looks at the real part alone, where StableHLO's specification has a number that is not
# zero (section `convert`).

_CONVERT = "stablehlo.convert"

_create = ir.Operation.create


def split_complex_converts(module: ir.Operation) -> None:
    """Convert the real part, and compare with zero to get bools, in place of a complex number."""
    for op in find(module, _CONVERT):
        x, y = op.operands[0], op.results[0]
        if kind(x.type.element_type) == "complex" and kind(y.type.element_type) != "complex":
            with op.context, op.location, ir.InsertionPoint(op):
                y.replace_all_uses_with(_converted(x, y.type))
            op.erase()


def _converted(x: ir.Value, type_: ir.RankedTensorType) -> ir.Value:
    real = _create("stablehlo.real", None, [x], infer_type=True).result
    if kind(type_.element_type) != "bool":
        return real if real.type == type_ else _create(_CONVERT, [type_], [real]).result
    imaginary = _create("stablehlo.imag", None, [x], infer_type=True).result
    flags = [_create(_CONVERT, [type_], [part]).result for part in (real, imaginary)]
    return _create("stablehlo.or", [type_], flags).result
