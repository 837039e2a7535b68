"""Conversions rewritten to forms that XLA computes correctly."""

from collections.abc import Callable
from math import prod

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import kind
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo, hide, maker
from anvl.passes.lower.library_calls.handed_over import splat

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

# Note [Products with bools]
#
# Where the other factor repeats fewer numbers, as the cotangent of a mean does, the product is a
# choice between these and their products with 0, which are made before they are repeated:
#
#     convert(p) * broadcast(y)      becomes      select(p, broadcast(y), broadcast(y * 0))
#
# the same to the bit.  XLA computes it in the loops that read it, where a product is handed over to
# its library (Note [Readers of a sum]) and the choice between 1 and 0 an array before it.

NAMES = ("stablehlo.convert",)
_BROADCAST, _CONSTANT = "stablehlo.broadcast_in_dim", "stablehlo.constant"
_MULTIPLY = "stablehlo.multiply"

_hlo = Hlo("")


def rewrite_converts(found: Found) -> None:
    """Convert complex numbers by parts, and bools to floats by a select."""
    for op in found[NAMES[0]]:
        form = _form(*(kind(v.type.element_type) for v in (op.operands[0], op.results[0])))
        y = op.results[0]
        if form is not None:
            if form is _chosen:
                _choose_products(op)
            if any(True for _ in y.uses):
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


def _choose_products(op: ir.Operation) -> None:
    """Write products of a converted bool with repeated numbers as choices."""
    (flag,), (converted,) = op.operands, op.results
    for user in [use.owner.operation for use in converted.uses]:
        if user.name == _MULTIPLY:
            with user.context, user.location, ir.InsertionPoint(user):
                (y,) = [x for x in user.operands if x != converted] or [converted]
                zeros = _zeros_of(y)
                if zeros is None:
                    continue
                chosen = _hlo("select", flag, y, zeros, type=y.type)
            user.results[0].replace_all_uses_with(chosen)
            user.erase()


def _zeros_of(x: ir.Value) -> ir.Value | None:
    """Products with 0, of fewer numbers than there are in x, which repeats them."""
    made = maker(x)
    if made is None or not x.type.has_static_shape:
        return None
    if made.name == _CONSTANT:
        n = splat(x)
        return None if n is None else _hlo.constant(x.type, 0.0 * n.value)
    if made.name != _BROADCAST:
        return None
    (y,) = made.operands
    if prod(y.type.shape) < prod(x.type.shape):
        zero = _hlo.constant(y.type, 0.0)
        zeros: ir.Value | None = hide(_hlo("multiply", y, zero, type=y.type))
    else:
        zeros = _zeros_of(y)
    if zeros is None:
        return None
    copy = made.clone()
    copy.operands[0] = zeros
    return copy.results[0]


def _complex(x: ir.Value, type_: ir.Type) -> ir.Value:
    part = ir.ComplexType(type_.element_type).element_type
    return _converted(_chosen(x, ir.RankedTensorType.get(type_.shape, part)), type_)
