"""Elementwise functions of `anvl.numpy` and `anvl.nn`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sp
from comparing import Line
from drawing import Call, Draw, call

import anvl.nn as nn
import anvl.numpy as anp

__all__ = ["ELEMENTWISE"]


def unary(kinds: str, low: float = -3.0, high: float = 3.0) -> Callable[[Draw], Call]:
    def draw(d: Draw) -> Call:
        return call(d.array(d.dtype(kinds), d.shape(), low, high))

    return draw


def binary(kinds: str, low: float = -3.0, high: float = 3.0) -> Callable[[Draw], Call]:
    """Two operands that broadcast, of any two dtypes, or a number written in Python."""

    def draw(d: Draw) -> Call:
        shape = d.shape()
        x = d.array(first := d.dtype(kinds), shape, low, high)
        way = d.of("same", "other", "number")
        if way == "number":
            whole = first.kind in "iub"
            number = d.of(1, 2, 3) if whole else d.of(1.5, 2, 0.25)
            if first.kind == "b":
                number = True
            return call(x, number) if d.flag() else call(number, x)
        kind = d.dtype(kinds) if way == "other" else first
        if {"uint64"} & {first.name, kind.name} and "i" in first.kind + kind.kind:
            kind = first  # they have no common dtype here: docs/promotion.md
        y = d.array(kind, d.broadcastable(shape), low, high)
        return call(x, y) if d.flag() else call(y, x)

    return draw


def _line(name: str, draw: Any, reference: Any = None, f: Any = None, **more: Any) -> Line:
    given = {"flavours": "ptznx", "each": True} | more
    return Line(
        f"numpy.{name}", f or getattr(anp, name), reference or getattr(np, name), draw, **given
    )


REAL, ALL, ANY = "fiub", "fiubc", "ffiubc"
_UNARY = {
    "fiu": "abs absolute",
    "fc": "acos arccos acosh arccosh asin arcsin asinh arcsinh atan arctan atanh arctanh cos cosh "
    "exp sin sinh sqrt tan tanh log",
    "fib": "cbrt deg2rad degrees rad2deg radians exp2 expm1 log1p fabs",
    "fi": "log2 log10",
    "fiu  ": "conj conjugate",
    "fiub ": "isfinite isinf isnan isneginf isposinf logical_not isreal iscomplex real imag "
    "nan_to_num",
    "fiu ": "ceil floor trunc fix positive square sign",
    "fi ": "negative",
    "f ": "signbit rint reciprocal",
    "c ": "isreal iscomplex real imag conj conjugate logical_not isfinite isinf isnan square "
    "negative abs sign positive angle",
    "iub ": "invert bitwise_not bitwise_invert",
    "iu ": "bitwise_count",
}  # fmt: skip
_BINARY = {
    "fiubc": "add multiply equal not_equal logical_and logical_or logical_xor",
    "fiuc": "subtract divide true_divide",
    "fiub": "less less_equal greater greater_equal copysign",
    "fi": "hypot arctan2 atan2 heaviside logaddexp logaddexp2",
    "iu": "gcd",
    "iub": "bitwise_and bitwise_or bitwise_xor",
}
#: Where NumPy has another name, or a formula of two.
_ELSEWHERE: dict[str, tuple[Any, Any]] = {
    "bitwise_left_shift": (np.left_shift, None),
    "bitwise_right_shift": (np.right_shift, None),
    "left_shift": (np.left_shift, None),
    "right_shift": (np.right_shift, None),
}


def _shift(d: Draw) -> Call:
    x = d.array(kind := d.dtype("iu"), shape := d.shape())
    return call(x, d.array(kind, d.broadcastable(shape), 0, 6, special=False))


def _power(d: Draw) -> Call:
    shape = d.shape()
    if d.flag():
        x = d.array(kind := d.dtype("f"), shape, 0.1, 3)
        return call(x, d.array(kind, d.broadcastable(shape), -2, 2))
    x = d.array(d.dtype("fiu"), shape, -3, 3)
    return call(x, d.of(0, 1, 2, 3))


def _divisible(d: Draw) -> Call:
    """No integer is divided by 0, where processors differ, and no number by an infinity, where the
    standard differs from NumPy."""
    if d.flag():
        x = d.array(kind := d.dtype("f"), shape := d.shape())
        return call(x, d.array(kind, d.broadcastable(shape), 0.3, 3, special=False))
    x = d.array(kind := d.dtype("iu"), shape := d.shape(), -20, 20)
    return call(x, d.array(kind, d.broadcastable(shape), 1, 5, special=False))


def _clip(d: Draw) -> Call:
    x = d.array(kind := d.dtype("fi"), shape := d.shape())
    low = d.of(None, -1, d.array(kind, d.broadcastable(shape), -3, 0, special=False))
    high = d.of(1, d.array(kind, d.broadcastable(shape), 0, 3, special=False))
    return call(x, low, high)


def _round(d: Draw) -> Call:
    return call(d.array(d.dtype("si"), d.shape(), -200, 200, special=False), d.of(0, 1, 2, -1, -2))


def _where(d: Draw) -> Call:
    shape = d.shape()
    x, y = (d.array(d.dtype("fib"), d.broadcastable(shape)) for _ in range(2))
    if {"uint64"} & {x.dtype.name, y.dtype.name}:
        y = x
    return call(d.array("bool", d.broadcastable(shape)), x, y)


def _isclose(d: Draw) -> Call:
    x = d.array(kind := d.dtype("si"), shape := d.shape())
    y = d.array(kind, d.broadcastable(shape))
    return call(x, y, rtol=d.of(1e-5, 0.5), atol=d.of(1e-8, 1.0), equal_nan=d.flag())


def _ldexp(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(), special=False)
    return call(x, d.array("int32", d.broadcastable(shape), -5, 5, special=False))


def _angle(d: Draw) -> Call:
    return call(d.array(d.dtype("sc"), d.shape()))


def _nan_to_num(d: Draw) -> Call:
    x = d.array(d.dtype("sic"), d.shape())
    return call(x, nan=d.of(0.0, 7.0), posinf=d.of(None, 5.0), neginf=d.of(None, -2.0))


ELEMENTWISE = [
    *(_line(n, unary(kinds.strip())) for kinds, names in _UNARY.items() for n in names.split()),
    *(_line(n, binary(kinds)) for kinds, names in _BINARY.items() for n in names.split()),
    *(_line(n, _shift, reference) for n, (reference, _) in _ELSEWHERE.items()),
    _line("lcm", binary("iu"), flavours="ptz"), _line("power", _power), _line("pow", _power), _line("float_power", _power, dtypes=False),
    _line("clip", _clip, each=False), _line("round", _round), _line("around", _round),
    _line("where", _where), _line("isclose", _isclose, wide=False, flavours="ptzn"),
    _line("nextafter", binary("s"), wide=False), _line("ldexp", _ldexp), _line("sinc", unary("f"), flavours="ptzn", each=False),
    _line("spacing", unary("s"), wide=False, dtypes=False), _line("modf", unary("s")),
    _line("frexp", unary("s"), wide=False), 
    *(_line(n, _divisible, flavours="ptz") for n in "floor_divide mod remainder fmod divmod".split()),
    *(_line(n, binary("fiub"), each=False) for n in "maximum minimum fmax fmin".split()),
    _line("i0", unary("s", -20, 20), sp.i0, flavours="ptz"),
    _line("nan_to_num", _nan_to_num, wide=False),
    _line("rsqrt", unary("f"), lambda x: 1 / np.sqrt(x)),
    _line("sigmoid", unary("s", -20, 20), sp.expit),
]  # fmt: skip
_SPECIAL = {
    "erf": sp.erf, "erfc": sp.erfc, "erfinv": sp.erfinv, "digamma": sp.digamma,
    "gammaln": sp.gammaln, "i0e": sp.i0e, "i1": sp.i1, "i1e": sp.i1e,
}  # fmt: skip


def _nn(name: str, reference: Any, kinds: str = "fi", **more: Any) -> Line:
    given = {"flavours": "ptzn", "length": 500.0, "dtypes": False} | more
    return Line(f"nn.{name}", getattr(nn, name), reference, unary(kinds, -6, 6), **given)


def _erf_gelu(x: Any) -> Any:
    return x * sp.ndtr(x)


def _tanh_gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def _elu(alpha: float, by: float = 1.0) -> Any:
    return lambda x: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / by))


ELEMENTWISE += [
    *(_line(n, unary("s", -4, 4), ref, flavours="ptz", length=1000, each=False)
      for n, ref in _SPECIAL.items()),
    _nn("relu", lambda x: np.maximum(x, 0)), _nn("relu6", lambda x: np.clip(x, 0, 6)),
    _nn("sigmoid", sp.expit), _nn("tanh", np.tanh), _nn("softplus", lambda x: np.logaddexp(x, 0)),
    _nn("silu", lambda x: x * sp.expit(x), flavours="ptz"),
    _nn("swish", lambda x: x * sp.expit(x), flavours="ptz"),
    _nn("log_sigmoid", lambda x: -np.logaddexp(-x, 0)),
    _nn("mish", lambda x: x * np.tanh(np.logaddexp(x, 0)), flavours="ptz"),
    _nn("gelu", _tanh_gelu, "f", flavours="ptz"),
    _nn("elu", _elu(1.0)), _nn("celu", _elu(1.0)),
    _nn("selu", lambda x: 1.0507009873554804934193349852946 * _elu(1.6732632423543772848170429916717)(x)),
    _nn("leaky_relu", lambda x: np.where(x >= 0, x, 0.01 * x)),
    _nn("hard_tanh", lambda x: np.clip(x, -1, 1)),
    _nn("hard_sigmoid", lambda x: np.clip(x + 3, 0, 6) / 6),
    _nn("hard_silu", lambda x: x * np.clip(x + 3, 0, 6) / 6, flavours="ptz"),
    _nn("hard_swish", lambda x: x * np.clip(x + 3, 0, 6) / 6, flavours="ptz"),
    _nn("identity", lambda x: x), _nn("soft_sign", lambda x: x / (1 + np.abs(x)), flavours="ptz"),
    _nn("squareplus", lambda x: (x + np.sqrt(x * x + 4)) / 2, flavours="ptz"),
    _nn("sparse_plus", lambda x: np.where(x <= -1, 0, np.where(x >= 1, x, (x + 1) ** 2 / 4))),
    _nn("sparse_sigmoid", lambda x: np.clip((x + 1) / 2, 0, 1)),
    Line("nn.gelu", lambda x: nn.gelu(x, approximate=False), _erf_gelu, unary("f", -6, 6), "ptz"),
    Line("nn.log1mexp", nn.log1mexp, lambda x: np.log(-np.expm1(-x)), unary("f", 0.1, 6), "pt"),
]  # fmt: skip
