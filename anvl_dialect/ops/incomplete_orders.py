"""How the incomplete gamma and beta functions change with their parameters.

These derivatives have no closed form.  Under the integral sign, with t = e^u up to log x, and with
t = 1/(1 + e^-u) up to logit x,

    dP(a, x)/da   = 1/Gamma(a)  integral of  e^(a u - e^u) (u - psi(a)) du
    dI_x(a, b)/da = 1/B(a, b)   integral of  t^a (1-t)^b (log t - psi(a) + psi(a+b)) du

The integral over all u is 0, so that from x on is the same with the other sign; the side is taken
on which the last factor keeps its sign, so nothing cancels.  It is computed by Gauss and Legendre's
rule, up to where the integrand has fallen by e^-40.  What chooses side and end is held constant:
the derivatives of the rule are then those of the integral, to every order, by the rules of the ops
that it is made of.
Against mpmath the relative error in f64 is below 1e-12 for a of gamma from 0.001 to 300 with x not
below a thousandth of a, and to 1e6 with x near a, in f32 1e-4 there; and for parameters of beta
from 0.3 to 300.  It is 1e-6 where a of gamma and x are very small, and 1e-3 for parameters of beta
of 0.05.
Sources: NIST Digital Library of Mathematical Functions, 8.2.4, 8.17.1 (the integrals), 5.4.14 and
5.12.1 (psi), 5.11.1 and 5.11.2 (Stirling's series), 3.5(v) (Gauss-Legendre); the derivatives have
been computed as series by R. J. Moore, Algorithm AS 187, J. R. Stat. Soc. C 31 (1982), and
R. J. Boik and J. F. Robison-Cox, J. Stat. Softw. 3 (1998).
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from anvl.dialect.op import Value, emit
from anvl.dialect.ops.create import full_like, literal, zeros_like
from anvl.dialect.ops.elementwise import (
    add,
    digamma,
    div,
    exp,
    expm1,
    lgamma,
    log,
    log1p,
    mul,
    neg,
    one_minus,
    plus,
    sub,
    times,
)
from anvl.dialect.types import numpy_of, tensor

__all__ = ["LARGE", "beta_slopes", "gamma_slope", "log_beta_factor", "log_factor"]

LARGE = 20.0  # from here on Stirling's series are exact to 2e-15
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680)  # NIST DLMF, 5.11.1
_OF_PSI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132)  # 5.11.2

_LEAST = 1e-20  # in place of a = 0: the slopes there differ by as little
_NODES = 80
_FALLEN = 40.0  # e^-40 is nothing
_CANDIDATES = 2.0 ** (-np.arange(48) / 2)  # for how far to integrate, of what is surely enough


def gamma_slope(a: Value, x: Value) -> Value:
    """dP(a, x)/da for a >= 0 and x >= 0, at a = 0 to the right; NaN elsewhere, and at (0, 0)."""
    is_0 = _compared(a, 0, "EQ")
    a = emit.select(_both(is_0, _compared(x, 0, "GT")), full_like(a, _LEAST), a)
    valid = _both(_compared(a, 0, "GT"), _compared(x, 0, "GE"))
    is_finite = _both(emit.is_finite(a), emit.is_finite(x))
    inside = _both(valid, _both(_compared(x, 0, "GT"), is_finite))
    valid = _both(valid, _one_of(emit.is_finite(a), emit.is_finite(x)))
    return _within(valid, inside, _gamma_inside, a, x)


def _gamma_inside(a: Value, x: Value) -> Value:
    ahead = _ahead(a, x)
    is_below = _compared(ahead, 0, "LT")
    sign = _chosen(is_below, a)
    below = plus(div(full_like(a, 60), a), 10)
    above = times(log1p(div(plus(times(a, 2), 60), x)), 1.05)

    def fallen(v: Value, a: Value, x: Value, sign: Value, *_: Value) -> Value:
        moved = mul(sign, v)
        return sub(mul(x, expm1(moved)), mul(a, moved))

    def factor(v: Value, a: Value, x: Value, sign: Value, ahead: Value) -> Value:
        return add(ahead, mul(sign, v))

    longest = emit.select(is_below, below, above)
    found = _integral(fallen, factor, longest, (a, x, sign, ahead))
    return neg(mul(mul(sign, exp(log_factor(a, x))), found))


# Note [Large parameters]
#
# For large a, x is near a wherever anything happens, and a log x, x and log Gamma(a) cancel, as do
# log x and psi(a): in f32 the slope had lost all its digits at a = 1e6.  Stirling's series, in
# m = x/a - 1, say the same without what cancels.


def log_factor(a: Value, x: Value) -> Value:
    """log(x^a e^-x / Gamma(a)).  See Note [Large parameters].

    For large a it is a (log(1+m) - m) + log(a / 2 pi) / 2 - 1/(12a) + 1/(360a^3) - ...
    """
    direct = sub(sub(mul(a, log(x)), x), lgamma(a))
    is_large, large, m, logarithm = _scaled(a, x)
    inverse = div(full_like(a, 1), large)
    half_log = times(log(times(large, 0.5 / math.pi)), 0.5)
    main = mul(large, sub(logarithm, m))
    rest = mul(inverse, _series(_STIRLING, mul(inverse, inverse)))
    return emit.select(is_large, sub(add(main, half_log), rest), direct)


def _ahead(a: Value, x: Value) -> Value:
    """log x - psi(a).  For large a it is log(1+m) + 1/(2a) + 1/(12a^2) - 1/(120a^4) + ..."""
    is_large, large, _, logarithm = _scaled(a, x)
    inverse = div(full_like(a, 1), large)
    square = mul(inverse, inverse)
    rest = add(times(inverse, 0.5), mul(square, _series(_OF_PSI, square)))
    return emit.select(is_large, add(logarithm, rest), sub(log(x), digamma(a)))


def _scaled(a: Value, x: Value) -> tuple[Value, Value, Value, Value]:
    """Whether a is large, a where it is, and m and log(1+m) for that."""
    is_large = _compared(a, LARGE, "GE")
    large = emit.select(is_large, a, full_like(a, LARGE))  # lest the side not taken divides by 0
    m = div(sub(x, large), large)
    is_far = _compared(emit.abs(m), 0.5, "GT")  # there m + 1 has few digits of x / a
    near = emit.select(is_far, zeros_like(m), m)
    return is_large, large, m, emit.select(is_far, log(div(x, large)), log1p(near))


def _series(coefficients: Sequence[float], x: Value) -> Value:
    """c[0] + c[1] x + c[2] x^2 + ..."""
    total = full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total = plus(mul(total, x), c)
    return total


def beta_slopes(a: Value, b: Value, x: Value, which: int) -> Value:
    """dI_x(a, b)/da, or with `which` 1 db, for a, b > 0 and 0 <= x <= 1; NaN elsewhere.

    0 where the other one is 0 or infinite, or this one infinite: the values do not move there.
    """
    mine, other = (a, b) if which == 0 else (b, a)
    positive = _both(_compared(mine, 0, "GT"), _compared(other, 0, "GE"))
    valid = _both(positive, _both(_compared(x, 0, "GE"), _compared(x, 1, "LE")))
    late = _one_of(_compared(b, 0, "EQ"), emit.is_inf(a))  # the value is 0 up to x = 1
    soon = _one_of(_compared(a, 0, "EQ"), emit.is_inf(b))  # 1 from x = 0 on
    valid = _both(valid, emit.compare(_both(late, soon), valid, comparison_direction="NE"))
    moves = emit.compare(_one_of(late, soon), valid, comparison_direction="NE")
    inside = _both(_both(valid, moves), _both(_compared(x, 0, "GT"), _compared(x, 1, "LT")))

    def f(a: Value, b: Value, x: Value) -> Value:
        log_x, log_rest = log(x), log1p(neg(x))
        front = exp(log_beta_factor(a, b, x))
        if which == 0:
            return _beta_inside(a, b, log_x, log_rest, front)
        return neg(_beta_inside(b, a, log_rest, log_x, front))  # I_x(a, b) = 1 - I_(1-x)(b, a)

    return _within(valid, inside, f, a, b, x)


def _beta_inside(a: Value, b: Value, log_x: Value, log_rest: Value, front: Value) -> Value:
    mean = sub(digamma(a), digamma(add(a, b)))
    is_below = emit.compare(log_x, mean, comparison_direction="LT")
    sign, start = _chosen(is_below, a), sub(log_x, log_rest)
    longest = plus(div(full_like(a, 60), emit.select(is_below, a, b)), 20)

    def fallen(
        v: Value,
        a: Value,
        b: Value,
        sign: Value,
        start: Value,
        log_x: Value,
        log_rest: Value,
        _: Value,
    ) -> Value:
        u = add(start, mul(sign, v))
        return add(
            mul(a, sub(log_x, _log_logistic(u))), mul(b, sub(log_rest, _log_logistic(neg(u))))
        )

    def factor(v: Value, a: Value, b: Value, sign: Value, start: Value, *rest: Value) -> Value:
        return sub(_log_logistic(add(start, mul(sign, v))), rest[-1])

    params = (a, b, sign, start, log_x, log_rest, mean)
    return neg(mul(mul(sign, front), _integral(fallen, factor, longest, params)))


def _log_logistic(u: Value) -> Value:
    """log(1 / (1 + e^-u)), without overflow, and smooth also where its two forms meet."""
    is_positive = _compared(u, 0, "GT")
    small = emit.select(is_positive, neg(u), u)
    return sub(emit.select(is_positive, zeros_like(u), u), log1p(exp(small)))


def log_beta_factor(a: Value, b: Value, x: Value) -> Value:
    """log(x^a (1-x)^b / B(a, b)), for a, b > 0 and 0 < x < 1.  See Note [Large parameters].

    Of large parameters, with e = b x - a (1-x), it is a log(1 + e/a) + b log(1 - e/b)
    + log(ab / (2 pi (a+b))) / 2 + D(a+b) - D(a) - D(b), where D is the rest of Stirling's series.
    """
    rest, total = one_minus(x), add(a, b)
    log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(total))
    direct = sub(add(mul(a, log(x)), mul(b, log1p(neg(x)))), log_beta)
    is_large = _compared(emit.maximum(a, b), LARGE, "GE")
    a, b = (emit.select(is_large, p, full_like(p, LARGE)) for p in (a, b))
    x, rest = (emit.select(is_large, p, full_like(p, 0.5)) for p in (x, rest))
    total = add(a, b)
    logs = [log(p) for p in (a, b, total)]
    ahead = sub(mul(b, x), mul(a, rest))
    main = add(
        mul(a, _log_ratio(div(ahead, a), x, sub(logs[0], logs[2]))),
        mul(b, _log_ratio(div(neg(ahead), b), rest, sub(logs[1], logs[2]))),
    )
    half = times(plus(sub(add(logs[0], logs[1]), logs[2]), -math.log(2 * math.pi)), 0.5)
    of_a, of_b, of_total = (
        _beyond_stirling(p, logarithm) for p, logarithm in zip((a, b, total), logs, strict=True)
    )
    large = add(add(main, half), sub(of_total, add(of_a, of_b)))
    return emit.select(is_large, large, direct)


def _log_ratio(m: Value, x: Value, logarithm: Value) -> Value:
    """log(1 + m), where 1 + m is x over what has that logarithm."""
    is_far = _compared(emit.abs(m), 0.5, "GT")
    near = log1p(emit.select(is_far, zeros_like(m), m))
    return emit.select(is_far, sub(log(x), logarithm), near)


def _beyond_stirling(z: Value, logarithm: Value) -> Value:
    """log Gamma(z) - (z - 1/2) log z + z - log(2 pi) / 2, given log z."""
    is_large = _compared(z, LARGE, "GE")
    large = emit.select(is_large, z, full_like(z, LARGE))
    inverse = div(full_like(z, 1), large)
    series = mul(inverse, _series(_STIRLING, mul(inverse, inverse)))
    power = mul(plus(z, -0.5), logarithm)
    direct = plus(add(sub(lgamma(z), power), z), -0.5 * math.log(2 * math.pi))
    return emit.select(is_large, series, direct)


# -- integrals -------------------------------------------------------------------------------------


def _integral(
    fallen: Callable[..., Value],
    factor: Callable[..., Value],
    longest: Value,
    params: Sequence[Value],
) -> Value:
    """The integral of exp(-fallen(v)) factor(v) over v from 0 to where `fallen` is 40 or more.

    `fallen` is 0 at 0 and convex, and at least 40 at `longest`.
    """
    held = [emit.stop_gradient(p) for p in params]
    end = _end(fallen, emit.stop_gradient(longest), held)
    nodes, weights = (_row(values, end) for values in _legendre())
    v = mul(_spread(end, _NODES), nodes)
    spread = [_spread(p, _NODES) for p in params]
    terms = mul(mul(exp(neg(fallen(v, *spread))), factor(v, *spread)), weights)
    return mul(end, emit.sum(terms, axes=(end.type.rank,)))


def _end(fallen: Callable[..., Value], longest: Value, params: Sequence[Value]) -> Value:
    """The smallest of the candidates at which enough has fallen."""
    count = len(_CANDIDATES)
    most = _spread(longest, count)
    v = mul(most, _row(_CANDIDATES, longest))
    depth = fallen(v, *[_spread(p, count) for p in params])
    return emit.min(
        emit.select(_compared(depth, _FALLEN, "GE"), v, most), axes=(longest.type.rank,)
    )


@cache
def _legendre() -> tuple[Any, Any]:
    """Nodes and weights between 0 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def _spread(x: Value, count: int) -> Value:
    """x with one more axis, the last, along which it repeats."""
    axes = tuple(range(x.type.rank))
    return emit.broadcast_in_dim(x, shape=(*x.type.shape, count), broadcast_dimensions=axes)


def _row(values: Any, like: Value) -> Value:
    """Numbers along one more axis, the last, repeated along those of an array."""
    element = like.type.element_type
    row = literal(np.asarray(values, numpy_of(element)), tensor((len(values),), element))
    shape = (*like.type.shape, len(values))
    return emit.broadcast_in_dim(row, shape=shape, broadcast_dimensions=(len(shape) - 1,))


# -- choices ---------------------------------------------------------------------------------------


def _within(valid: Value, inside: Value, f: Callable[..., Value], *xs: Value) -> Value:
    """f inside; 0 on the edge, and NaN where it is not valid."""
    half = [emit.select(inside, x, full_like(x, 0.5)) for x in xs]
    elsewhere = emit.select(valid, zeros_like(xs[0]), full_like(xs[0], float("nan")))
    return emit.select(inside, f(*half), elsewhere)


def _one_of(x: Value, y: Value) -> Value:
    return getattr(emit, "or")(x, y)


def _chosen(pred: Value, like: Value) -> Value:
    """-1 where `pred` is true, and 1."""
    return emit.select(pred, full_like(like, -1), full_like(like, 1))


def _compared(x: Value, number: float, direction: str) -> Value:
    return emit.compare(x, full_like(x, number), comparison_direction=direction)


def _both(x: Value, y: Value) -> Value:
    return getattr(emit, "and")(x, y)
