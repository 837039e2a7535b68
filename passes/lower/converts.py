"""Conversions rewritten to forms that XLA computes correctly."""

from collections.abc import Callable

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import kind
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo

__all__ = ["NAMES", "rewrite_converts"]

# Note [Conversions that XLA misreads]
#
# XLA crashes the process when it folds the conversion of a scalar complex constant to a dtype that
# is not complex, or of a value that it finds to be constant, such as an empty sum (jaxlib 0.10.2).
# For bool it reads only the real part, where StableHLO's specification tests whether the number is
# nonzero (section `convert`).
#
# A product with a bool converted to float, `convert(p) * y`, XLA rewrites to `select(p, y, 0)`, and
# a quotient by a constant is a product: 0 where `p` is false and `y` infinite or NaN, where the
# result should be NaN.  It leaves `select(p, 1, 0)` in place of the conversion alone, and, where
# the shape of 1 and 0 is not known, a conversion to integers and on to floats.

NAMES = ("stablehlo.convert",)

_hlo = Hlo("")


def rewrite_converts(found: Found) -> None:
    """Convert complex numbers by parts, and bools to floats by a select."""
    for op in found[NAMES[0]]:
        form = _form(*(kind(v.type.element_type) for v in (op.operands[0], op.results[0])))
        y = op.results[0]
        if form is not None:
            with op.context, op.location, ir.InsertionPoint(op):
                y.replace_all_uses_with(form(op.operands[0], y.type))
            op.erase()


def _form(source: str, target: str) -> Callable[[ir.Value, ir.Type], ir.Value] | None:
    """Replacement for a conversion between two kinds of elements, None if it is not needed."""
    if source == "complex" and target != "complex":
        return _is_not_zero if target == "bool" else _real_part
    if source == "bool" and target in ("float", "complex"):
        return _chosen if target == "float" else _complex
    return None


def _real_part(x: ir.Value, type_: ir.Type) -> ir.Value:
    return _converted(_hlo.part("real", x), type_)


def _converted(x: ir.Value, type_: ir.Type) -> ir.Value:
    return x if x.type == type_ else _hlo("convert", x, type=type_)


def _is_not_zero(x: ir.Value, type_: ir.Type) -> ir.Value:
    return _hlo.logic("or", *(_converted(_hlo.part(p, x), type_) for p in ("real", "imag")))


def _chosen(x: ir.Value, type_: ir.Type) -> ir.Value:
    """1 or 0."""
    if not type_.has_static_shape:
        bytes_ = ir.RankedTensorType.get(type_.shape, ir.IntegerType.get_unsigned(8))
        return _converted(_converted(x, bytes_), type_)
    one, zero = (_hlo.constant(type_, v) for v in (1.0, 0.0))
    return _hlo("select", x, one, zero, type=type_)


def _complex(x: ir.Value, type_: ir.Type) -> ir.Value:
    part = ir.ComplexType(type_.element_type).element_type
    return _converted(_chosen(x, ir.RankedTensorType.get(type_.shape, part)), type_)
