"""Functions of two floats, scaled against overflow: hypot, logaddexp, atan2.

The values of hypot and logaddexp are composed of `abs` and `maximum`, which have kinks where these
functions have none; so their derivatives are stated in terms of the result, and hold to every
order. The derivatives of `atan2` divide by the length, not by its square, and so cover the whole
range of a dtype.
Source: NIST Digital Library of Mathematical Functions, section 4 (elementary functions).
"""

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.emission.smooth_powers import power_of_square
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import dtype_name, kind
from anvl.dialect.ops.elementwise.elementary import (
    add,
    and_,
    div,
    exp,
    log1p,
    logistic,
    maximum,
    minimum,
    mul,
    neg,
    or_,
    plus,
    sqrt,
    square,
    sub,
    where_zero,
)
from anvl.dialect.ops.elementwise.table import FC, F, binary
from anvl.dialect.ops.elementwise.upcast import in_wide
from anvl.dialect.ops.reduction.norm import nonzero_length

__all__ = ["atan2", "hypot", "logaddexp"]


def _length(x: Value, y: Value) -> Value:
    """Euclidean length without overflow: max sqrt(1 + (min / max)^2)."""
    x, y = emit.abs(x), emit.abs(y)
    large, small = maximum(x, y), minimum(x, y)
    ratio = div(small, where_zero(large, full_like(large, 1), large))
    length = mul(large, sqrt(plus(square(ratio), 1)))
    is_infinite = or_(emit.is_inf(x), emit.is_inf(y))  # inf / inf is not 1
    return emit.select(is_infinite, full_like(x, float("inf")), length)


def _cosine(x: Value, y: Value, z: Value, which: int) -> Value:
    """Partial derivative of hypot in operand `which`: x / z or y / z; 0 at the origin.

    It is the limit where one operand is infinite, and exact where only the length z overflows.
    """
    if dtype_name(x.type.element_type) not in ("f32", "f64"):
        return in_wide(lambda x, y: _cosine(x, y, hypot(x, y), which), x, y)
    small = emit.select(emit.is_inf(z), full_like(z, 0.25), full_like(z, 1))
    one, other = (x, y) if which == 0 else (y, x)
    # See Note [Lengths of zero].
    length = nonzero_length(hypot(mul(x, small), mul(y, small)))
    has_limit = and_(emit.is_inf(one), emit.is_finite(other))
    return emit.select(has_limit, emit.sign(one), div(mul(one, small), length))


def _turn(x: Value, y: Value, which: int) -> Value:
    """Partial derivative of atan2 up to sign: x or y over x^2 + y^2."""
    one = (x, y)[which]
    if kind(x.type.element_type) != F:
        return div(one, add(mul(x, x), mul(y, y)))
    if dtype_name(x.type.element_type) not in ("f32", "f64"):
        return in_wide(lambda x, y: _turn(x, y, which), x, y)
    z = hypot(x, y)
    return div(_cosine(x, y, z, which), z)


def _log_of_sum(x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y)) = max + log(1 + exp(-|x - y|))."""
    gap = sub(x, y)
    result = add(maximum(x, y), log1p(exp(neg(emit.abs(gap)))))
    # A NaN gap: an operand is NaN, or both are the same infinity, which is then the result.
    no_gap = emit.compare(gap, gap, comparison_direction="NE")
    return emit.select(no_gap, add(x, y), result)


def _weight(x: Value, y: Value) -> Value:
    """Partial derivative of logaddexp in x: exp(x) / (exp(x) + exp(y)); 1/2 at equal infinities."""
    is_same = emit.compare(x, y, comparison_direction="EQ")
    alike = and_(is_same, emit.is_inf(x))  # finite ties keep the gap, whose slope is needed
    return logistic(emit.select(alike, zeros_like(x), sub(x, y)))


def _power_of_length(x: Value, y: Value, exponent: int) -> Value | None:
    if exponent % 2 == 0:
        return power_of_square(add(mul(x, x), mul(y, y)), exponent)
    if dtype_name(x.type.element_type) not in ("f32", "f64"):
        return None  # no complex dtype has such parts
    return emit.norm(emit.complex(x, y), axes=(), order=2.0, power=exponent)


# fmt: off
#            name         composed as   takes  g times dz/dx, g times dz/dy
hypot     = binary("hypot",     _length,     F,  lambda g, x, y, z: mul(g, _cosine(x, y, z, 0)), lambda g, x, y, z: mul(g, _cosine(x, y, z, 1)))
atan2     = binary("atan2",     "atan2",     FC, lambda g, x, y, z: mul(g, _turn(x, y, 1)), lambda g, x, y, z: neg(mul(g, _turn(x, y, 0))), (0.3, 2.0), (0.3, 2.0))
logaddexp = binary("logaddexp", _log_of_sum, F, lambda g, x, y, z: mul(g, _weight(x, y)), lambda g, x, y, z: mul(g, _weight(y, x)))
# fmt: on

OPS["anvl.hypot"].powered = classmethod(  # type: ignore[assignment]
    lambda cls, xs, exponent: _power_of_length(xs[0], xs[1], exponent)
)
OPS["anvl.hypot"].singularity_convention = "0 at x = y = 0, and NaN in the second derivative"
OPS["anvl.atan2"].singularity_convention = "NaN at x = y = 0"
OPS[
    "anvl.logaddexp"
].singularity_convention = "1/2 in each operand where both are the same infinity"
for _name in ("hypot", "logaddexp"):
    OPS[f"anvl.{_name}"].commutative = True
