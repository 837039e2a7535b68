"""Derivatives of the incomplete gamma and beta functions in their parameters.

These derivatives have no closed form.  Under the integral sign, with t = e^u up to log x, and with
t = 1/(1 + e^-u) up to logit x,

  dP(a, x)/da   = 1/Gamma(a)  integral of  e^(a u - e^u) (u - psi(a)) du
  dI_x(a, b)/da = 1/B(a, b)   integral of  t^a (1-t)^b (log t - psi(a) + psi(a+b)) du

The integral over all u is 0, so the integral from x on differs only in sign; the side is chosen on
which the last factor keeps its sign, so that nothing cancels.  It is computed by Gauss-Legendre
quadrature, up to where the integrand has fallen by e^-40, for parameters of at least 1: see Note
[Small parameters].  The choice of side and end is held constant: the derivatives of the quadrature
are then those of the integral, to every order, by the rules of the ops that it consists of.
Compared with 70 digits, for parameters from 1e-8 to 1e6 and x from 1e-300 to 1 - 1e-16, the
relative error in f64 is below 1e-12, also of the second derivatives except beside their zeros; in
f32 it is below 1e-5 times 1 and the condition number in a, b or x.
Sources: NIST Digital Library of Mathematical Functions, 8.2.4, 8.17.1 (the integrals), 8.8.5,
8.17.20 and 8.17.21 (parameters that grow by 1), 5.4.14, 5.5.2, 5.11.2 and 5.12.1 (psi), 5.11.1 and
5.11.2 (Stirling's series), 3.5(v) (Gauss-Legendre); the derivatives have been computed as series by
R. J. Moore, Algorithm AS 187, J. R. Stat. Soc. C 31 (1982), and R. J. Boik and J. F. Robison-Cox,
J. Stat. Softw. 3 (1998).
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from anvl.dialect.core.create import full_like, literal, zeros_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import dtype_name, numpy_of, tensor
from anvl.dialect.ops.elementwise.elementary import (
    add,
    and_,
    digamma,
    div,
    exp,
    expm1,
    lgamma,
    log,
    log1p,
    mul,
    neg,
    not_,
    one_minus,
    or_,
    plus,
    sub,
    times,
)

__all__ = [
    "LARGE", "PARAMETERS", "beta_jumps", "beta_slopes", "gamma_slope", "log_beta_factor",
    "log_beta_factor_and_depth", "log_factor", "log_factor_and_depth",
]  # fmt: skip

PARAMETERS = {"f32": (1e-36, 1e30), "f64": (1e-305, 1e290)}  # of beta: they are clamped to this
LARGE = 20.0  # from here on Stirling's series are exact to 2e-15
_HUGE = 1e30  # for gamma: from here on 1 / sqrt(a) is below rounding
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680)  # NIST DLMF, 5.11.1
_OF_PSI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132)  # 5.11.2

_SHIFTS = 16  # from 17 on the series of psi are exact to 1e-16
# Different from the number of candidates: XLA would fuse the two, and gamma take twice the time.
_NODES_OF_GAMMA = {"f32": 32, "f64": 40}
_NODES_OF_BETA = {"f32": 64, "f64": 96}  # the longest has a bend of width 1 within 77
_FEW_NODES = 3
_FALLEN = 40.0  # e^-40 is negligible
# Integration ends, relative to a sufficient one.
_CANDIDATES = tuple(2.0 ** (-k / 2) for k in range(48))


def gamma_slope(a: Value, x: Value) -> Value:
    """dP(a, x)/da for a, x >= 0, one-sided at a = 0; NaN elsewhere, and at (0, 0)."""
    valid = and_(_compared(a, 0, "GE"), _compared(x, 0, "GE"))
    valid = and_(valid, or_(_compared(a, 0, "GT"), _compared(x, 0, "GT")))
    is_finite = and_(emit.is_finite(a), emit.is_finite(x))
    inside = and_(valid, and_(_compared(x, 0, "GT"), is_finite))
    valid = and_(valid, or_(emit.is_finite(a), emit.is_finite(x)))
    return _in_domain(valid, inside, _gamma_slope, a, x)


def _gamma_slope(a: Value, x: Value) -> Value:
    """dP(a, x)/da inside the domain; for huge a it equals minus the slope in x, to rounding."""
    is_huge = _compared(a, _HUGE, "GE")
    density = exp(sub(log_factor(a, x), log(x)))
    a, x = emit.minimum(a, full_like(a, _HUGE)), emit.minimum(x, full_like(x, 4 * _HUGE))
    return emit.select(is_huge, neg(density), _gamma_inside(a, x))


# Note [Small parameters]
#
# For small a the integrand falls by e^-a only, over a length where the bend of the other factor, at
# u = 0, falls between the nodes: at a = b = x = 0.02 the slope of beta had an error of 4e-5.  From
#
#     P(a, x)   = x^a e^-x / Gamma(a+1)      + P(a+1, x)
#     I_x(a, b) = x^a (1-x)^b / (a B(a, b))  + I_x(a+1, b)
#               = -x^a (1-x)^b / (b B(a, b)) + I_x(a, b+1)
#
# follows the slope for a < 1 from the slope for a + 1.  Up to where the factor of the integral for
# a + 1 changes sign both terms have the same sign; beyond, those for b + 1 do.  That is where the
# side changes, so that nothing cancels here either.

# Note [Held x]
#
# The derivative of a slope in x is the integrand at x.  Computed as the difference of the
# derivatives of the integral and of its prefactor, many times larger at times, it had lost half
# its digits for small parameters, and all where these overflow.  So x is held constant there, and
# an integral of length zero that ends at x is added, which has that derivative.


def _gamma_inside(a: Value, x: Value) -> Value:
    is_small, raised = _plus_1_if_small(a)
    u, x = log(x), emit.stop_gradient(x)
    ahead = _log_distance(raised, x)
    is_below = _compared(ahead, 0, "LT")
    one, sign = full_like(a, 1), _chosen(is_below, a)
    order = emit.select(is_below, raised, a)
    below = plus(div(full_like(a, 60), raised), 10)
    above = times(log1p(div(plus(times(a, 2), 60), x)), 1.05)
    distance = mul(sign, ahead)  # from the mean of the logarithm
    small = sub(sub(mul(a, log(x)), x), lgamma(raised))
    front = exp(emit.select(is_small, small, log_factor(raised, x)))  # times a, where a is small
    edge = emit.select(and_(is_small, is_below), mul(front, distance), zeros_like(a))
    # psi(a) is psi(a + 1) - 1/a; times a, which may be 0.
    scale = emit.select(is_small, emit.select(is_below, x, a), one)
    offset = mul(scale, distance)
    offset = emit.select(and_(is_small, not_(is_below)), plus(offset, 1), offset)
    longest = emit.select(is_below, below, above)
    found = _integral(_gamma_terms, longest, (order, x, sign, offset, scale), _NODES_OF_GAMMA)
    weight = emit.select(is_small, a, one)
    here = emit.select(is_small, plus(mul(a, ahead), 1), ahead)
    found = sub(found, _integral_from_here(_gamma_terms, u, (a, x, one, here, weight)))
    return neg(add(edge, mul(front, found)))


def _gamma_terms(v: Value, a: Value, x: Value, sign: Value, *line: Value) -> tuple[Value, Value]:
    moved = mul(sign, v)
    return sub(mul(x, expm1(moved)), mul(a, moved)), _line_at(line, v)


# Note [Large parameters]
#
# For large a, x is near a wherever anything happens, and a log x, x and log Gamma(a) cancel, as do
# log x and psi(a): in f32 the slope had lost all its digits at a = 1e6.  Stirling's series, in
# m = x/a - 1, express the same without cancellation.


def log_factor(a: Value, x: Value) -> Value:
    """log(x^a e^-x / Gamma(a)).  See Note [Large parameters].

    For large a it is a (log(1+m) - m) + log(a / 2 pi) / 2 - 1/(12a) + 1/(360a^3) - ...
    """
    return log_factor_and_depth(a, x)[0]


def log_factor_and_depth(a: Value, x: Value) -> tuple[Value, Value, Value]:
    """`log_factor`; for large a also m = x/a - 1, and a (log(1+m) - m)."""
    direct = sub(sub(mul(a, log(x)), x), lgamma(a))
    is_large, large, m, logarithm = _clamped_to_large(a, x)
    inverse = div(full_like(a, 1), large)
    half_log = times(log(times(large, 0.5 / math.pi)), 0.5)
    depth = mul(large, _log1p_less(m, logarithm))
    rest = mul(inverse, _series(_STIRLING, mul(inverse, inverse)))
    return emit.select(is_large, sub(add(depth, half_log), rest), direct), m, depth


def _log_distance(a: Value, x: Value) -> Value:
    """log x - psi(a); for large a log(1+m) + 1/(2a) + 1/(12a^2) - 1/(120a^4) + ..."""
    is_large, large, _, logarithm = _clamped_to_large(a, x)
    inverse = div(full_like(a, 1), large)
    square = mul(inverse, inverse)
    rest = add(times(inverse, 0.5), mul(square, _series(_OF_PSI, square)))
    return emit.select(is_large, add(logarithm, rest), sub(log(x), digamma(a)))


def _clamped_to_large(a: Value, x: Value) -> tuple[Value, Value, Value, Value]:
    """Whether a is large, a clamped to be large, and its m and log(1+m)."""
    is_large = _compared(a, LARGE, "GE")
    large = emit.select(is_large, a, full_like(a, LARGE))  # the other side must not divide by 0
    m = div(sub(x, large), large)
    is_far = _compared(emit.abs(m), 0.5, "GT")  # there m + 1 has few digits of x / a
    near = emit.select(is_far, zeros_like(m), m)
    return is_large, large, m, emit.select(is_far, log(div(x, large)), log1p(near))


def _log1p_less(m: Value, logarithm: Value) -> Value:
    """log(1+m) - m, which is about -m^2 / 2, accurate for small m, given log(1+m).

    With s = m / (2+m) it is -s m + 2 s (s^2/3 + s^4/5 + ...), by artanh's series (DLMF 4.38.5).
    """
    is_far = _compared(emit.abs(m), 0.25, "GT")
    near = emit.select(is_far, zeros_like(m), m)
    s = div(near, plus(near, 2))
    square = mul(s, s)
    n_terms = 5 if dtype_name(m.type.element_type) == "f32" else 10  # s^2 is at most 1/49
    beyond = mul(square, _series([2 / (2 * k + 3) for k in range(n_terms)], square))
    return emit.select(is_far, sub(logarithm, m), mul(s, sub(beyond, near)))


def _series(coefficients: Sequence[float], x: Value) -> Value:
    """Evaluate c[0] + c[1] x + c[2] x^2 + ..."""
    total = full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total = plus(mul(total, x), c)
    return total


def beta_jumps(a: Value, b: Value) -> tuple[Value, Value]:
    """Whether I_x(a, b) is 0 up to x = 1, and whether it is 1 from x = 0 on; NaN if both."""
    late = or_(_compared(b, 0, "EQ"), emit.is_inf(a))
    return late, or_(_compared(a, 0, "EQ"), emit.is_inf(b))


def beta_slopes(a: Value, b: Value, x: Value, which: int) -> Value:
    """dI_x(a, b)/da, or with `which` 1 db, for a, b >= 0 and 0 <= x <= 1, one-sided at 0; NaN
    elsewhere, and where both are 0 or both infinite.

    0 where the other one is 0 or infinite, or this one infinite: the values are constant there.
    """
    mine, other = (a, b) if which == 0 else (b, a)
    late, soon = beta_jumps(a, b)
    valid = and_(_compared(emit.minimum(a, b), 0, "GE"), not_(and_(late, soon)))
    valid = and_(valid, and_(_compared(x, 0, "GE"), _compared(x, 1, "LE")))
    is_still = or_(_compared(other, 0, "EQ"), or_(emit.is_inf(other), emit.is_inf(mine)))
    is_between = and_(_compared(x, 0, "GT"), _compared(x, 1, "LT"))
    inside = and_(and_(valid, not_(is_still)), is_between)

    def f(a: Value, b: Value, x: Value) -> Value:
        u, x = sub(log(x), log1p(neg(x))), emit.stop_gradient(x)
        a, b = (emit.clamp(full_like(p, least), p, full_like(p, most)) for p in (a, b))
        (a_is_small, a_raised), (b_is_small, b_raised) = _plus_1_if_small(a), _plus_1_if_small(b)
        log_x, log_rest = log(x), log1p(neg(x))
        front = log_beta_factor(a_raised, b_raised, x)
        front = emit.select(a_is_small, sub(front, log_x), front)
        front = exp(emit.select(b_is_small, sub(front, log_rest), front))
        if which == 0:
            return neg(_beta_inside(a, b, x, one_minus(x), log_x, front, u))
        # I_x(a, b) = 1 - I_(1-x)(b, a).
        return _beta_inside(b, a, one_minus(x), x, log_rest, front, neg(u))

    least, most = PARAMETERS[dtype_name(x.type.element_type)]
    return _in_domain(valid, inside, f, a, b, x)


def _beta_inside(
    a: Value, b: Value, x: Value, rest: Value, log_x: Value, front: Value, u: Value
) -> Value:
    """-dI_x(a, b)/da.  See Note [Small parameters].

    `front` is x^a (1-x)^b / B(a, b), where B is taken at the parameters with 1 added to small ones.
    """
    total, raised = add(a, b), _plus_1_if_small(a)[1]
    inverse = div(full_like(a, 1), total)
    ahead = add(log_x, _psi_difference(raised, b))
    is_below = _compared(ahead, 0, "LT")
    # psi(a+b) - psi(a) is the difference for a + 1, plus 1/a - 1/(a+b).
    more = emit.select(_compared(a, 1, "LT"), div(mul(b, inverse), a), zeros_like(a))
    distance = emit.select(is_below, neg(ahead), add(ahead, more))
    # This parameter is raised if it is small, the other one is not.
    own, other = emit.select(is_below, a, b), emit.select(is_below, b, a)
    (is_small, mine), (other_is_small, _) = _plus_1_if_small(own), _plus_1_if_small(other)
    front = emit.select(other_is_small, mul(front, div(other, add(mine, other))), front)
    farther = add(distance, inverse)
    edge = mul(mul(front, inverse), emit.select(is_below, farther, distance))
    raised_front = mul(front, emit.select(is_below, x, rest))
    offset = emit.select(and_(is_small, not_(is_below)), farther, distance)
    integral = _beta_integral(mine, other, x, rest, is_below, offset)
    raised_sum = add(edge, mul(raised_front, integral))
    found = emit.select(is_small, raised_sum, mul(front, integral))
    # The prefactor at the original parameters: times the small one, or its share of the sum.
    whole_front = emit.select(is_small, mul(front, mul(own, inverse)), front)
    here = (total, x, a, add(ahead, more))
    return sub(found, mul(whole_front, _integral_from_here(_terms_here, u, here)))


def _terms_here(v: Value, total: Value, x: Value, a: Value, ahead: Value) -> tuple[Value, Value]:
    moved = log1p(mul(x, expm1(v)))
    return sub(mul(total, moved), mul(a, v)), sub(add(ahead, v), moved)


def _beta_integral(
    mine: Value, other: Value, x: Value, rest: Value, is_below: Value, offset: Value
) -> Value:
    """Integral from x away from the mean of the logarithm.

    At distance v from logit x the logarithms have moved by L = log(1 + p (e^v - 1)), where p is 1-x
    downward and x upward, and by L - v, which is log(1 - (1-p) (1 - e^-v)): of the two, the one
    whose argument is not near 0 is computed.
    """
    one, zero = full_like(x, 1), zeros_like(x)
    p, rest_of_p = emit.select(is_below, rest, x), emit.select(is_below, x, rest)
    is_first = _compared(p, 0.5, "LT")
    part = emit.select(is_first, p, rest_of_p)
    direction = emit.select(is_first, one, neg(one))
    slope = emit.select(is_first, neg(other), mine)
    down, up = emit.select(is_first, zero, one), emit.select(is_first, one, zero)
    line = (offset, emit.select(is_below, down, up))
    sign = _chosen(is_below, x)
    total = add(mine, other)
    steepness = sub(mul(mine, p), mul(other, rest_of_p))
    longest = plus(div(full_like(x, 60), mine), 20)
    # The depth is convex, so it lies above its tangent.
    nearest = div(full_like(x, _FALLEN), steepness)
    nearest = emit.select(_compared(steepness, 0, "GT"), nearest, longest)
    longest = emit.minimum(longest, nearest)

    def terms(
        v: Value,
        total: Value,
        part: Value,
        direction: Value,
        slope: Value,
        sign: Value,
        *line: Value,
    ) -> tuple[Value, Value]:
        moved = log1p(mul(part, expm1(mul(direction, v))))
        return add(mul(total, moved), mul(slope, v)), sub(_line_at(line, v), mul(sign, moved))

    params = (total, part, direction, slope, sign, *line)
    return _integral(terms, longest, params, _NODES_OF_BETA)


def _psi_difference(a: Value, b: Value) -> Value:
    """psi(a+b) - psi(a) for a >= 1 and b > 0, accurate for small b: by recurrence to a + 16, and
    there by the differences of the terms of the asymptotic series."""
    k = _row(np.arange(_SHIFTS), a)
    lower = add(_broadcast_last(a, _SHIFTS), k)
    b_ = _broadcast_last(b, _SHIFTS)
    total = emit.sum(div(div(b_, add(lower, b_)), lower), axes=(a.type.rank,))
    low = plus(a, _SHIFTS)
    high = add(low, b)
    one = full_like(a, 1)
    of_low, of_high = div(one, low), div(one, high)
    difference = mul(mul(b, of_high), of_low)
    low_square, high_square = mul(of_low, of_low), mul(of_high, of_high)
    series, powers, power = zeros_like(a), one, one  # (l^k - h^k) / (l - h), and h^(k-1)
    for c in _OF_PSI:
        series = add(series, times(powers, c))
        power = mul(power, high_square)
        powers = add(mul(powers, low_square), power)
    rest = mul(difference, plus(mul(add(of_low, of_high), series), 0.5))
    return add(add(total, log1p(div(b, low))), rest)


def log_beta_factor(a: Value, b: Value, x: Value) -> Value:
    """log(x^a (1-x)^b / B(a, b)) for a, b > 0 and 0 < x < 1.  See Note [Large parameters].

    For large parameters, with e = b x - a (1-x), it is a log(1 + e/a) + b log(1 - e/b)
    + log(ab / (2 pi (a+b))) / 2 + D(a+b) - D(a) - D(b), with D the rest of Stirling's series.
    """
    return log_beta_factor_and_depth(a, b, x)[0]


def log_beta_factor_and_depth(a: Value, b: Value, x: Value) -> tuple[Value, Value, Value]:
    """`log_beta_factor`; for large parameters also e, and a log(1 + e/a) + b log(1 - e/b)."""
    rest, total = one_minus(x), add(a, b)
    log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(total))
    direct = sub(add(mul(a, log(x)), mul(b, log1p(neg(x)))), log_beta)
    is_large = _compared(emit.maximum(a, b), LARGE, "GE")
    a, b = (emit.select(is_large, p, full_like(p, LARGE)) for p in (a, b))
    x, rest = (emit.select(is_large, p, full_like(p, 0.5)) for p in (x, rest))
    total = add(a, b)
    logs = [log(p) for p in (a, b, total)]
    ahead = sub(mul(b, x), mul(a, rest))
    m, n = div(ahead, a), div(neg(ahead), b)
    log_m, log_n = (
        _log_ratio(m, x, sub(logs[0], logs[2])),
        _log_ratio(n, rest, sub(logs[1], logs[2])),
    )
    far = add(mul(a, log_m), mul(b, log_n))
    near = add(mul(a, _log1p_less(m, log_m)), mul(b, _log1p_less(n, log_n)))  # a m + b n is 0
    is_far = _compared(emit.maximum(emit.abs(m), emit.abs(n)), 0.25, "GT")
    main = emit.select(is_far, far, near)
    half = times(plus(sub(add(logs[0], logs[1]), logs[2]), -math.log(2 * math.pi)), 0.5)
    of_a, of_b, of_total = (
        _beyond_stirling(p, logarithm) for p, logarithm in zip((a, b, total), logs, strict=True)
    )
    large = add(add(main, half), sub(of_total, add(of_a, of_b)))
    return emit.select(is_large, large, direct), ahead, main


def _log_ratio(m: Value, x: Value, logarithm: Value) -> Value:
    """log(1 + m), where 1 + m is x over the number whose logarithm is given."""
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
    terms: Callable[..., tuple[Value, Value]],
    longest: Value,
    params: Sequence[Value],
    counts: dict[str, int],
) -> Value:
    """Integrate exp(-depth) factor over v from 0 to where the depth reaches 40, with as many nodes
    as `counts` has for the dtype.

    `terms` returns the depth and the factor.  The depth is 0 at 0, convex, and at least 40 at
    `longest`.
    """
    count = counts[dtype_name(longest.type.element_type)]
    held = [emit.stop_gradient(p) for p in params]
    end = _end(terms, emit.stop_gradient(longest), held)
    nodes, weights = (_row(values, end) for values in _legendre(count))
    v = mul(_broadcast_last(end, count), nodes)
    depth, factor = terms(v, *[_broadcast_last(p, count) for p in params])
    found = mul(mul(exp(neg(depth)), factor), weights)
    return mul(end, emit.sum(found, axes=(end.type.rank,)))


def _end(terms: Callable[..., Any], longest: Value, params: Sequence[Value]) -> Value:
    """Smallest candidate at which the integrand has fallen enough."""
    count = len(_CANDIDATES)
    most = _broadcast_last(longest, count)
    v = mul(most, _row(_CANDIDATES, longest))
    depth, _ = terms(v, *[_broadcast_last(p, count) for p in params])
    return emit.min(
        emit.select(_compared(depth, _FALLEN, "GE"), v, most), axes=(longest.type.rank,)
    )


def _integral_from_here(
    terms: Callable[..., tuple[Value, Value]], u: Value, params: Sequence[Value]
) -> Value:
    """Integrate exp(-depth) factor over v from 0 to u - stop_gradient(u): 0, with derivatives in
    u as the integral has, up to the sixth.  See Note [Held x]."""
    ahead = sub(u, emit.stop_gradient(u))
    nodes, weights = (_row(values, u) for values in _legendre(_FEW_NODES))
    v = mul(_broadcast_last(ahead, _FEW_NODES), nodes)
    depth, factor = terms(v, *[_broadcast_last(p, _FEW_NODES) for p in params])
    return mul(ahead, emit.sum(mul(mul(exp(neg(depth)), factor), weights), axes=(u.type.rank,)))


def _line_at(line: Sequence[Value], v: Value) -> Value:
    """Evaluate a line, given by offset and slope, at v."""
    offset, slope = line
    return add(offset, mul(slope, v))


@cache
def _legendre(count: int) -> tuple[Any, Any]:
    """Nodes and weights of Gauss-Legendre quadrature between 0 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


def _broadcast_last(x: Value, count: int) -> Value:
    """Broadcast x along a new last axis."""
    axes = tuple(range(x.type.rank))
    return emit.broadcast_in_dim(x, shape=(*x.type.shape, count), broadcast_dimensions=axes)


def _row(values: Any, like: Value) -> Value:
    """Broadcast numbers along a new last axis over the shape of `like`."""
    element = like.type.element_type
    row = literal(np.asarray(values, numpy_of(element)), tensor((len(values),), element))
    shape = (*like.type.shape, len(values))
    return emit.broadcast_in_dim(row, shape=shape, broadcast_dimensions=(len(shape) - 1,))


# -- selection -------------------------------------------------------------------------------------


def _in_domain(valid: Value, inside: Value, f: Callable[..., Value], *xs: Value) -> Value:
    """f inside the domain; 0 on its edge, and NaN where it is not valid."""
    half = [emit.select(inside, x, full_like(x, 0.5)) for x in xs]
    elsewhere = emit.select(valid, zeros_like(xs[0]), full_like(xs[0], float("nan")))
    return emit.select(inside, f(*half), elsewhere)


def _plus_1_if_small(p: Value) -> tuple[Value, Value]:
    """Whether p is below 1, and p with 1 added where it is."""
    is_small = _compared(p, 1, "LT")
    return is_small, emit.select(is_small, plus(p, 1), p)


def _chosen(pred: Value, like: Value) -> Value:
    """-1 where `pred` is true, else 1."""
    return emit.select(pred, full_like(like, -1), full_like(like, 1))


def _compared(x: Value, number: float, direction: str) -> Value:
    return emit.compare(x, full_like(x, number), comparison_direction=direction)
