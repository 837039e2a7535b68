"""The gamma distribution, and those made of it; public in `anvl.random`.

Note [Derivatives of gamma samples]

A sample z of shape a is the inverse at a uniform number of the distribution function P(a, z), so
dz/da = -(dP/da) / (dP/dz): the derivative of the sample of which its expectation is that of the
expectation.  Both parts are derivatives of `gammainc`.  Below a = 1 a sample is one of a + 1 times
u^(1/a), whose derivative follows from the formula.
Sources: G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables, ACM Trans.
Math. Softw. 26 (2000), for the samples; M. Figurnov, S. Mohamed and A. Mnih, Implicit
reparameterization gradients, NeurIPS 2018, for the derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.promote import broadcast_to, convert, promoted
from anvl.core.tracer import Tracer
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.functions.emitting import prim
from anvl.random.distributions import normal_at, normals, waiting_times
from anvl.random.fractions import odd_fraction, unit_fraction
from anvl.random.parameters import distribution, drawn_shape, operands
from anvl.random.prng import Source
from anvl.random.rejection import accepted
from anvl.transforms.custom_rules import custom_jvp
from anvl.transforms.jvp import jvp

__all__ = [
    "ball", "beta", "chisquare", "dirichlet", "f", "gamma", "generalized_normal", "loggamma", "t",
]  # fmt: skip

# Streams of a key: the factor of samples below 1, proposals, and what distributions add to them.
_BOOST, _PROPOSALS, _BESIDE, _REST = 1, 2, 3, 4


@distribution()
def gamma(key: Any, a: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Gamma samples of shape parameter a and scale 1: an array of `shape`, or that of a.

    Its density is x^(a - 1) e^-x / Gamma(a).  a broadcasts to `shape`; the dtype is that of a by
    default.  Below the smallest number of the dtype samples are 0: small a need `loggamma`.
    NaN where a is not positive; 0 where it is 0.  Differentiable in a: see Note [Derivatives of
    gamma samples] in `anvl.random.gamma_family`.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for a shape that a does
    not broadcast to.

    >>> import anvl
    >>> anvl.random.gamma(anvl.random.key(0), 2.0, (3,)).shape
    (3,)
    """
    (alpha,), _sizes, wanted = operands("gamma", (a,), shape, dtype)
    return convert(anp.exp(_log_gamma("gamma", key, alpha)), wanted)


@distribution()
def loggamma(key: Any, a: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Logarithms of `gamma` samples, which do not underflow for small a.

    Parameters, derivatives and errors are those of `gamma`.

    >>> import anvl, anvl.numpy as np
    >>> bool(np.isfinite(anvl.random.loggamma(anvl.random.key(0), 0.001)))
    True
    """
    (alpha,), _, wanted = operands("loggamma", (a,), shape, dtype)
    return convert(_log_gamma("loggamma", key, alpha), wanted)


def _log_gamma(name: str, key: Any, a: Tracer) -> Tracer:
    """Logarithms of gamma samples, of the shape and dtype of a."""
    is_small = anp.less(a, 1)
    core = _log_gamma_from_1(key, anp.where(is_small, anp.add(a, 1), a))
    unit = unit_fraction(Source(key, name, _BOOST), a.shape, a.dtype)
    divisor = anp.where(is_small, a, 1)
    boost = anp.divide(anp.log1p(anp.negative(unit)), divisor)
    found = anp.where(is_small, anp.add(core, boost), core)
    found = anp.where(anp.equal(a, 0), -np.inf, found)
    return anp.where(anp.logical_and(anp.greater_equal(a, 0), anp.less(a, np.inf)), found, np.nan)


@custom_jvp
def _log_gamma_from_1(key: Any, a: Any) -> Any:
    """Logarithms of gamma samples, for a of at least 1: Marsaglia and Tsang's method."""
    is_valid = anp.logical_and(anp.greater_equal(a, 1), anp.isfinite(a))
    d = anp.subtract(anp.where(is_valid, a, 1), 1 / 3)
    c = anp.divide(1 / 3, anp.sqrt(d))

    def propose(source: Source) -> tuple[Tracer, Any]:
        first, second = anp.unstack(odd_fraction(source, (2, *a.shape), a.dtype))
        x, log_u = normal_at(first), anp.log(anp.multiply(second, 0.5))
        root = anp.add(1, anp.multiply(c, x))
        is_inside = anp.greater(root, 0)
        log_v = anp.multiply(3, anp.log(anp.where(is_inside, root, 1)))
        rest = anp.subtract(1, anp.exp(log_v))
        limit = anp.add(anp.multiply(0.5, anp.square(x)), anp.multiply(d, anp.add(rest, log_v)))
        is_accepted = anp.logical_and(is_inside, anp.greater(limit, log_u))
        return log_v, is_accepted

    return anp.add(anp.log(d), accepted(Source(key, "gamma", _PROPOSALS), a, propose))


@_log_gamma_from_1.defjvp
def _of_log_gamma(primals: Any, tangents: Any) -> Any:
    """-(dP/da) / (z dP/dz), times the tangent of a."""
    (key, a), (_, t) = primals, tangents
    log_z = _log_gamma_from_1(key, a)
    z, one = anp.exp(log_z), anp.ones_like(a)
    by_a = jvp(lambda a: prim("igamma", a, z), (a,), (one,))[1]
    by_z = jvp(lambda z: prim("igamma", a, z), (z,), (one,))[1]
    slope = anp.divide(anp.negative(by_a), anp.multiply(z, by_z))
    return log_z, anp.multiply(slope, t)


@distribution()
def beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Beta samples: an array of `shape`, or of the shape that a and b broadcast to.

    Their density is proportional to x^(a - 1) (1 - x)^(b - 1).  The dtype is that of a and b by
    default.  NaN where one is not positive.  Differentiable in a and b, as `gamma`.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for shapes that do not
    broadcast.

    >>> import anvl
    >>> anvl.random.beta(anvl.random.key(0), 2.0, 3.0, (3,)).shape
    (3,)
    """
    both, _, wanted = operands("beta", (a, b), shape, dtype)
    first, second = anp.unstack(_log_gamma("beta", key, anp.stack(both)))
    return convert(anp.sigmoid(anp.subtract(first, second)), wanted)


@distribution()
def dirichlet(key: Any, alpha: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Dirichlet samples, vectors of positive numbers of sum 1 along the last axis.

    `alpha`, of shape [..., n], are the concentrations.  `shape`, to which alpha's without the last
    axis broadcasts, is that of the result without its last axis; alpha's by default, as is the
    dtype.  NaN where a concentration is not positive.  Differentiable in alpha, as `gamma`.
    Raises `TypeError` for an invalid key, an alpha without axes or a non-float dtype, `ValueError`
    for shapes that do not broadcast.

    >>> import anvl, anvl.numpy as np
    >>> x = anvl.random.dirichlet(anvl.random.key(0), np.asarray([1.0, 2.0, 3.0]), (4,))
    >>> x.shape, bool(np.allclose(np.sum(x, axis=-1), 1.0))
    ((4, 3), True)
    """
    (each,), _, wanted = operands("dirichlet", (alpha,), None, dtype)
    if not each.ndim:
        raise TypeError(f"dirichlet: alpha is {each.aval}; it must have an axis of concentrations")
    sizes = drawn_shape("dirichlet", shape, each.shape[:-1])
    each = broadcast_to(each, (*sizes, each.shape[-1]))
    return convert(anp.softmax(_log_gamma("dirichlet", key, each), axis=-1), wanted)


@distribution()
def chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Chi-squared samples of df degrees of freedom: an array of `shape`, or that of df.

    Twice a `gamma` sample of df / 2, whose dtype, derivatives and errors it has.

    >>> import anvl
    >>> anvl.random.chisquare(anvl.random.key(0), 4.0, (3,)).shape
    (3,)
    """
    (degrees,), _, wanted = operands("chisquare", (df,), shape, dtype)
    half = _log_gamma("chisquare", key, anp.multiply(degrees, 0.5))
    return convert(anp.multiply(2, anp.exp(half)), wanted)


@distribution()
def f(key: Any, dfnum: Any, dfden: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Samples of the F distribution: an array of `shape`, or that the parameters broadcast to.

    Quotients of two `chisquare` samples of dfnum and dfden degrees of freedom, each divided by
    them.  Dtype, derivatives and errors are those of `beta`.

    >>> import anvl
    >>> anvl.random.f(anvl.random.key(0), 4.0, 5.0, (3,)).shape
    (3,)
    """
    degrees, _, wanted = operands("f", (dfnum, dfden), shape, dtype)
    half = anp.multiply(anp.stack(degrees), 0.5)
    first, second = anp.unstack(anp.subtract(_log_gamma("f", key, half), anp.log(half)))
    return convert(anp.exp(anp.subtract(first, second)), wanted)


@distribution()
def t(key: Any, df: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Samples of Student's t distribution of df degrees of freedom: of `shape`, or that of df.

    A normal sample over the root of a `chisquare` sample divided by df.  Dtype, derivatives and
    errors are those of `gamma`.

    >>> import anvl
    >>> anvl.random.t(anvl.random.key(0), 4.0, (3,)).shape
    (3,)
    """
    (degrees,), sizes, wanted = operands("t", (df,), shape, dtype)
    half = anp.multiply(degrees, 0.5)
    log_mean = anp.subtract(_log_gamma("t", key, half), anp.log(half))
    x = normals(Source(key, "t", _BESIDE), sizes, half.dtype)
    return convert(anp.multiply(x, anp.exp(anp.multiply(log_mean, -0.5))), wanted)


@distribution()
def generalized_normal(key: Any, p: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Samples of density proportional to e^-|x|^p: an array of `shape`.

    p broadcasts to `shape`, and gives the dtype by default.  Differentiable in p, as `gamma`.
    NaN where p is not positive.  Raises `TypeError` for an invalid key or a non-float dtype,
    `ValueError` for a shape that does not fit.

    >>> import anvl
    >>> anvl.random.generalized_normal(anvl.random.key(0), 1.5, (3,)).shape
    (3,)
    """
    (power,), _, wanted = operands("generalized_normal", (p,), shape, dtype)
    return convert(_generalized_normal("generalized_normal", key, power), wanted)


def _generalized_normal(name: str, key: Any, p: Tracer) -> Tracer:
    inverse = anp.divide(1, p)
    log_size = anp.multiply(_log_gamma(name, key, inverse), inverse)
    unit = unit_fraction(Source(key, name, _BESIDE), p.shape, p.dtype)
    size = anp.exp(log_size)
    return anp.where(anp.less(unit, 0.5), anp.negative(size), size)


@distribution("d")
def ball(key: Any, d: int, p: Any = 2, shape: Any = (), dtype: Any = None) -> Any:
    """Uniform samples of the unit ball of d dimensions in the norm p: [*shape, d].

    p is a positive number, and may be traced; the dtype is the default of floats.  Raises
    `TypeError` for an invalid key or a non-float dtype, `ValueError` for a negative d.
    Source: F. Barthe et al., A probabilistic approach to the geometry of the l_p^n ball, Ann.
    Probab. 33 (2005).

    >>> import anvl
    >>> anvl.random.ball(anvl.random.key(0), 2, shape=(5,)).shape
    (5, 2)
    """
    count = int_of(d, "d", "ball", least=0)
    (power,), _ = promoted("ball", (p,), "float")
    (power,), sizes, wanted = operands("ball", (power,), shape, dtype)
    each = broadcast_to(anp.expand_dims(power, -1), (*sizes, count))
    x = _generalized_normal("ball", key, each)
    rest = waiting_times(Source(key, "ball", _REST), sizes, power.dtype)
    total = anp.add(anp.sum(anp.power(anp.abs(x), each), axis=-1), rest)
    length = anp.power(total, anp.divide(1, power))
    return convert(anp.divide(x, anp.expand_dims(length, -1)), wanted)
