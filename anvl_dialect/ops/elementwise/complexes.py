"""Ops on complex numbers and moduli: abs, sign, conj, real, imag, complex.

A cotangent pairs with a tangent as Re(sum(g * t)), without conjugation: so a complex-differentiable
op has the adjoint g * f'(x), and the gradient of a real function of a complex variable is the
conjugate of the direction of steepest ascent (JAX's convention).
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.emission.smooth_powers import power_of_square
from anvl.dialect.core.families import Elementwise, check_kind
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Operand, Result, Value, emit
from anvl.dialect.core.types import element_type, kind, tensor
from anvl.dialect.ops.elementwise.elementary import div, mul, neg, sub, where_zero
from anvl.dialect.ops.elementwise.table import ANY, Unary

__all__ = ["AbsOp", "ComplexOp", "ConjOp", "ImagOp", "RealOp", "SignOp"]

_PARTS = {"complex<f32>": "f32", "complex<f64>": "f64"}
_PAIRS = {"f32": "c64", "f64": "c128"}


def _is_complex(x: Value) -> bool:
    return kind(x.type.element_type) == "complex"


def _real_of(name: str, x: Any) -> Any:
    """Type of the real or imaginary part of a complex array type."""
    check_kind(name, x, "complex")
    return tensor(x.shape, element_type(_PARTS[str(x.element_type)]))


class RealLinear(Unary):
    """Base of real-linear ops: the tangent is the op itself.  Subclasses define `adjoint`."""

    preserves_zeros = True

    domains = (ANY,)
    kinds = "complex"

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        return None if ts[0] is None else cls.build(ts[0])


class RealOp(RealLinear, name="real"):
    """Take the real part.  StableHLO `real`."""

    hlo = "real"

    @classmethod
    def result_type(cls, x: Any) -> Any:
        return _real_of("real", x)

    @classmethod
    def lift_rest(cls, op: ir.Operation) -> Sequence[Value] | None:
        """Lift StableHLO's `real` of a real operand, which is the operand itself."""
        return None if len(op.attributes) else list(op.operands)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [complex_(g, zeros_like(g))]

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any]) -> Any:
        return makers[0].operands[0] if type(makers[0]) is ComplexOp else None


class ImagOp(RealLinear, name="imag"):
    """Take the imaginary part.  StableHLO `imag`."""

    hlo = "imag"

    @classmethod
    def result_type(cls, x: Any) -> Any:
        return _real_of("imag", x)

    @classmethod
    def lift_rest(cls, op: ir.Operation) -> Sequence[Value] | None:
        """Lift StableHLO's `imag` of a real operand, which is zero."""
        return None if len(op.attributes) else [zeros_like(*op.operands)]

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [complex_(zeros_like(g), neg(g))]

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any]) -> Any:
        return makers[0].operands[1] if type(makers[0]) is ComplexOp else None


class ConjOp(RealLinear, name="conj"):
    """Take the complex conjugate.  CHLO `conj`."""

    hlo = "chlo.conj"

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [conj(g)]

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any]) -> Any:
        return makers[0].operands[0] if type(makers[0]) is cls else None


class ComplexOp(Elementwise, name="complex"):
    """Combine two real arrays into `x + i y`.  StableHLO `complex`."""

    x: Operand
    y: Operand
    z: Result
    hlo = "complex"
    kinds = "float"
    preserves_zeros = True
    domains = (ANY, ANY)

    @classmethod
    def result_type(cls, x: Any, y: Any) -> Any:
        super().result_type(x, y)
        if str(x.element_type) not in _PAIRS:
            raise TypeError(f"complex: parts are {x}; they must be f32 or f64, convert them first")
        return tensor(x.shape, element_type(_PAIRS[str(x.element_type)]))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [lambda: real(g), lambda: neg(imag(g))]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        if ts[0] is None and ts[1] is None:
            return None
        return complex_(*[zeros_like(x) if t is None else t for t, x in zip(ts, xs, strict=True)])

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.elementwise("float", cls.domains, dtypes=("f32", "f64"))


class AbsOp(Unary, name="abs"):
    """Absolute value; for complex numbers the modulus, a real.  StableHLO `abs`.

    The derivative of |x| at 0 is taken to be 0.
    """

    hlo = "abs"
    singularity_convention = "0 at 0; of complex numbers, NaN in the second derivative"
    kinds = "int float complex"
    domains = (ANY,)

    @classmethod
    def fold(cls, x: Any) -> Any:
        return np.abs(x)

    @classmethod
    def result_type(cls, x: Any) -> Any:
        super().result_type(x)
        return _real_of("abs", x) if kind(x.element_type) == "complex" else x

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        (x,) = xs
        if not _is_complex(x):
            return [mul(g, sign(x))]
        return [mul(complex_(g, zeros_like(g)), conj(_emitted_direction(x)))]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        (t,), (x,) = ts, xs
        if t is None:
            return None
        return real(mul(conj(_emitted_direction(x)), t)) if _is_complex(x) else mul(t, sign(x))

    @classmethod
    def powered(cls, xs: Sequence[Value], exponent: int) -> Value | None:
        (x,) = xs
        if _is_complex(x):
            return emit.norm(x, axes=(), order=2.0, power=exponent)
        return None if exponent % 2 else power_of_square(mul(x, x), exponent)


class SignOp(Unary, name="sign"):
    """Sign: -1, 0 or 1; for complex numbers x / |x|, and 0 at 0.  StableHLO `sign`."""

    hlo = "sign"
    singularity_convention = "0 of real numbers; of complex ones, NaN at 0"
    kinds = "int float complex"
    domains = (ANY,)

    @classmethod
    def fold(cls, x: Any) -> Any:
        return np.sign(x)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [conj(_direction_tangent(conj(g), xs[0], y))] if _is_complex(xs[0]) else [None]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        return (
            None if ts[0] is None or not _is_complex(xs[0]) else _direction_tangent(ts[0], xs[0], y)
        )


def direction(x: Any, dtype: str, by: Callable[..., Any]) -> Any:
    """Compute x / |x| of complex numbers, also where exactly one part is infinite.

    `dtype` is the dtype of the parts; `by(op, *xs)` emits the op named `op`.
    """
    parts = [by(part, x) for part in ("real", "imag")]
    infinite = [by("is_inf", part) for part in parts]
    ends = [
        by("mul", by("sign", part), by("convert", is_inf, dtype=dtype))
        for part, is_inf in zip(parts, infinite, strict=True)
    ]
    return by("select", by("xor", *infinite), by("complex", *ends), by("sign", x))


def _emitted_direction(x: Value) -> Value:
    part = _PARTS[str(x.type.element_type)]
    made: Value = direction(x, part, lambda op, *xs, **params: getattr(emit, op)(*xs, **params))
    return made


def _direction_tangent(t: Value, x: Value, y: Value) -> Value:
    """Tangent of x / |x|: the component of t orthogonal to y = x / |x|, over |x|; NaN at 0."""
    along = real(mul(conj(y), t))
    across = sub(t, mul(y, complex_(along, zeros_like(along))))
    size = abs_(x)
    size = where_zero(size, full_like(size, math.nan), size)  # see Note [Lengths of zero]
    return div(across, complex_(size, zeros_like(size)))


real, imag, conj, complex_ = RealOp.build, ImagOp.build, ConjOp.build, ComplexOp.build
abs_, sign = AbsOp.build, SignOp.build
