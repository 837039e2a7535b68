"""Elementwise steps: the functions of `anvl.numpy`, by kinds of operands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from anvl.testing.random_programs.draw_programs.pool import Pool

__all__ = ["POINTWISE"]

# Kinds of operands by NumPy's letters; integers and bools become floats in most.
_UNARY = {
    "biufc": (
        "sin cos tan exp log sqrt tanh sinh cosh absolute abs square sign negative positive "
        "reciprocal conj conjugate real imag expm1 log1p log2 log10 arcsin arccos arctan arcsinh "
        "arccosh arctanh asin acos atan asinh acosh atanh isfinite isnan isinf logical_not exp2 "
        "angle copy zeros_like ones_like sigmoid rsqrt empty_like"
    ),
    "biuf": (
        "floor ceil trunc rint fix round around cbrt fabs degrees radians deg2rad rad2deg sinc "
        "signbit erf erfc erfinv gammaln digamma i0 i0e i1 i1e nan_to_num"
    ),
    "biu": "invert bitwise_not bitwise_invert bitwise_count",
}
_BINARY = {
    "biufc": "add subtract multiply divide true_divide equal not_equal power pow float_power "
             "logical_and logical_or logical_xor isclose",
    "biuf": (
        "maximum minimum less less_equal greater greater_equal arctan2 atan2 hypot logaddexp "
        "fmax fmin floor_divide mod remainder fmod divmod copysign heaviside nextafter"
    ),
    "biu": "bitwise_and bitwise_or bitwise_xor",
    "iu": "left_shift right_shift bitwise_left_shift bitwise_right_shift",
    "f": "gammainc gammaincc zeta",
}  # fmt: skip
_NO_BOOLS = {"subtract", "negative", "positive", "sign"}  # NumPy has no answer


def _unary(name: str, kinds: str, pool: Pool) -> str:
    kinds = kinds.replace("b", "") if name in _NO_BOOLS else kinds
    return f"np.{name}({pool.value(kinds)})"


def _binary(name: str, kinds: str, pool: Pool) -> str:
    kinds = kinds.replace("b", "") if name in _NO_BOOLS else kinds
    x = pool.value(kinds)
    y = pool.broadcastable(x, kinds)
    pair = (x, y) if pool.draw.random() < 0.7 else (y, x)
    return f"np.{name}({pair[0]}, {pair[1]})"


def _where(pool: Pool) -> str:
    x = pool.value()
    chosen = pool.value("b", fits=lambda v: pool.broadcasts_with(v, x))
    return f"np.where({chosen}, {x}, {pool.broadcastable(x, 'biufc')})"


def _clip(pool: Pool) -> str:
    x = pool.value("iuf")
    low, high = (pool.choice((None, pool.broadcastable(x, x.kind))) for _ in range(2))
    return f"np.clip({x}, {low}, {high})"


def _astype(pool: Pool) -> str:
    x = pool.value()
    return f'np.astype({x}, "{pool.dtype("biuffc")}")'


def _rounded(pool: Pool) -> str:
    return f"np.round({pool.value('f')}, decimals={pool.choice((-1, 1, 2, 3))})"


def _full_like(pool: Pool) -> str:
    x = pool.value()
    return f"np.full_like({x}, {pool.number(x.kind)})"


def _betainc(pool: Pool) -> str:
    a = pool.value("f")
    b, x = pool.broadcastable(a, "f"), pool.broadcastable(a, "f")
    return f"np.betainc(np.abs({a}), np.abs({b}), {x})"


def _polygamma(pool: Pool) -> str:
    return f"np.polygamma({pool.choice((0, 1, 2, 3))}, {pool.value('f')})"


def _ldexp(pool: Pool) -> str:
    x = pool.value("f")
    if pool.flag():
        return f"np.ldexp({x}, {pool.choice((-3, 0, 2, 40))})"
    return f"np.ldexp({x}, {pool.value('i', fits=lambda v: pool.broadcasts_with(v, x))})"


def _polyval(pool: Pool) -> str:
    p = pool.value("ifc", 1, 1)
    return f"np.polyval({p}, {pool.value(p.kind)})"


def _allclose(name: str, pool: Pool) -> str:
    x = pool.value("iufc")
    return f"np.{name}({x}, {pool.broadcastable(x, 'iufc')}, equal_nan={pool.flag()})"


def _operator(symbol: str, kinds: str, pool: Pool) -> str:
    x = pool.value(kinds)
    return f"{x} {symbol} {pool.broadcastable(x, kinds)}"


POINTWISE: dict[str, Callable[[Pool], str]] = {
    **{f"np.{n}": partial(_unary, n, k) for k, names in _UNARY.items() for n in names.split()},
    **{f"np.{n}": partial(_binary, n, k) for k, names in _BINARY.items() for n in names.split()},
    **{
        f"x {s} y": partial(_operator, s, k)
        for k, symbols in {"iufc": "+ - * / **", "iuf": "// % < >=", "biu": "& | ^"}.items()
        for s in symbols.split()
    },
    "np.where": _where,
    "np.clip": _clip,
    "np.astype": _astype,
    "np.round decimals": _rounded,
    "np.full_like": _full_like,
    "np.betainc": _betainc,
    "np.polygamma": _polygamma,
    "np.polyval": _polyval,
    "np.frexp": partial(_unary, "frexp", "f"),
    "np.ldexp": _ldexp,
    "np.allclose": partial(_allclose, "allclose"),
    "np.array_equal": partial(_allclose, "array_equal"),
}
