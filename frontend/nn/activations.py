"""Activations, elementwise functions of neural networks; public in `anvl.nn`.

Note [Kinks and infinities]

At a kink the derivative is that of one side, the one that the docstring names, and the second
derivative is 0; JAX has the mean of both sides at the kinks of `relu6` and what is made of it.  At
an infinity value and derivative are their limits, where a formula such as x * sigmoid(x) would have
NaN: the formula is applied to 0 there, and its result replaced; `_times_gate` needs less.  f16 and
bf16 are computed in f32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from anvl import numpy as anp
from anvl.core.promote import as_tracer, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy import sigmoid as sigmoid
from anvl.numpy import tanh as tanh
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import is_kind, prim

__all__ = [
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh",
    "identity", "leaky_relu", "log1mexp", "log_sigmoid", "mish", "relu", "relu6", "selu", "sigmoid",
    "silu", "soft_sign", "softplus", "sparse_plus", "sparse_sigmoid", "squareplus", "swish", "tanh",
]  # fmt: skip

# The fixed point of mean 0 and variance 1: G. Klambauer et al., Self-normalizing networks (2017).
_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def _real(name: str, *xs: Any) -> tuple[list[Tracer], bool]:
    """Real operands of one dtype, and whether it is weak."""
    operands, weak = promoted(name, xs, "float")
    if is_kind(operands[0], "complex"):
        raise TypeError(f"{name}: takes real numbers, got {operands[0].aval}")
    return operands, weak


def _of_op(name: str, op: str, x: Any) -> Tracer:
    """Apply an op to a real operand."""
    (operand,), weak = _real(name, x)
    return mark_weak(prim(op, operand), weak)


def _elementwise(name: str, f: Callable[..., Tracer], *xs: Any) -> Tracer:
    """Apply a formula to real operands of one dtype, in f32 at least."""
    operands, weak = _real(name, *xs)
    dtype = operands[0].dtype
    wide = np.dtype(np.float32) if dtype.itemsize < 4 else dtype
    return mark_weak(convert(f(*(convert(x, wide) for x in operands)), dtype), weak)


def _finite(f: Callable[[Any], Any], limit: Callable[[Any], Any], x: Tracer) -> Any:
    """f(x), and the limit at infinities: see Note [Kinks and infinities]."""
    is_infinite = anp.isinf(x)
    return anp.where(is_infinite, limit(x), f(anp.where(is_infinite, 0, x)))


def _relu(x: Any) -> Any:
    return anp.where(anp.less_equal(x, 0), 0, x)


@public()
def relu(x: Any) -> Any:
    """max(x, 0), elementwise: an array of the shape and dtype of x.  NaN stays.

    The derivative at 0 is 0.  Raises `TypeError` for complex numbers.
    Source: V. Nair and G. Hinton, Rectified linear units (2010).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.relu(np.asarray([-1.0, 0.0, 2.0])))
    [0. 0. 2.]
    """
    (operand,), weak = promoted("relu", (x,), "int")
    if is_kind(operand, "complex"):
        raise TypeError(f"relu: takes real numbers, got {operand.aval}")
    return mark_weak(_relu(operand), weak)


def _relu6(x: Any) -> Any:
    return anp.where(anp.greater_equal(x, 6), 6, _relu(x))


@public()
def relu6(x: Any) -> Any:
    """min(max(x, 0), 6), elementwise: a float array of the shape of x.

    The derivative at 0 and 6 is 0.  Raises `TypeError` for complex numbers.
    Source: A. Krizhevsky, Convolutional deep belief networks on CIFAR-10 (2010).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.relu6(np.asarray([-1.0, 2.0, 9.0])))
    [0. 2. 6.]
    """
    return _elementwise("relu6", _relu6, x)


@public()
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), elementwise, without overflow: a float array of the shape of x.

    Raises `TypeError` for complex numbers.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.softplus(np.asarray([-1000.0, 0.0, 1000.0])))
    [0.000000e+00 6.931472e-01 1.000000e+03]
    """
    return _elementwise("softplus", _softplus, x)


def _softplus(x: Tracer) -> Any:
    return anp.logaddexp(x, 0)


@public()
def log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x)), elementwise, without underflow: a float array of the shape of x.

    Raises `TypeError` for complex numbers.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.log_sigmoid(np.asarray([-1000.0, 1000.0])))
    [-1000.    -0.]
    """
    return _elementwise("log_sigmoid", lambda x: anp.negative(_softplus(anp.negative(x))), x)


@public()
def soft_sign(x: Any) -> Any:
    """x / (|x| + 1), elementwise: a float array of the shape of x.

    Raises `TypeError` for complex numbers.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.soft_sign(np.asarray([-1.0, 3.0, np.inf])))
    [-0.5   0.75  1.  ]
    """
    return _elementwise("soft_sign", lambda x: _finite(_soft_sign, anp.sign, x), x)


def _soft_sign(x: Any) -> Any:
    return anp.divide(x, anp.add(anp.abs(x), 1))


@public()
def silu(x: Any) -> Any:
    """x * sigmoid(x), elementwise: a float array of the shape of x; also named `swish`.

    0 at -infinity.  Raises `TypeError` for complex numbers.
    Source: S. Elfwing, E. Uchibe and K. Doya, Sigmoid-weighted linear units (2017).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.silu(np.asarray([-np.inf, 0.0, 1.0])))
    [0.        0.        0.7310586]
    """
    return _of_op("silu", "silu", x)


def _times_gate(gate: Callable[[Any], Any]) -> Callable[[Tracer], Any]:
    """x times a gate from 0 to 1; as `relu`.

    At infinities too: there the gate is that of the largest number, and its derivative 0.
    """

    def gated(x: Tracer) -> Any:
        most = float(np.finfo(x.dtype).max)
        near = anp.clip(x, -most, most)
        return anp.multiply(anp.where(anp.less(x, -most), 0, x), gate(near))

    return gated


swish = silu


@public()
def mish(x: Any) -> Any:
    """x * tanh(softplus(x)), elementwise: a float array of the shape of x.

    0 at -infinity.  Raises `TypeError` for complex numbers.
    Source: D. Misra, Mish: a self regularized non-monotonic activation function (2019).

    >>> import anvl
    >>> print(round(anvl.nn.mish(1.0).item(), 5))
    0.8651
    """
    return _elementwise("mish", _times_gate(lambda x: anp.tanh(_softplus(x))), x)


@public("approximate")
def gelu(x: Any, approximate: bool = True) -> Any:
    """x times the normal distribution function at x, elementwise: a float array of the shape of x.

    `approximate` replaces that by (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, as JAX does by
    default; without it the error function is used.  0 at -infinity.
    Raises `TypeError` for complex numbers.
    Source: D. Hendrycks and K. Gimpel, Gaussian error linear units (2016).

    >>> import anvl
    >>> [round(anvl.nn.gelu(1.0, a).item(), 5) for a in (True, False)]
    [0.84119, 0.84134]
    """
    if approximate:
        return _of_op("gelu", "gelu_tanh", x)
    return _elementwise("gelu", _times_gate(_normal_cdf), x)


def _normal_cdf(x: Any) -> Any:
    return anp.multiply(0.5, anp.erfc(anp.multiply(x, -math.sqrt(0.5))))


def _hard_sigmoid(x: Any) -> Any:
    return anp.divide(_relu6(anp.add(x, 3)), 6)


@public()
def hard_sigmoid(x: Any) -> Any:
    """relu6(x + 3) / 6, elementwise: a float array of the shape of x.

    The derivative at -3 and 3 is 0.  Raises `TypeError` for complex numbers.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.hard_sigmoid(np.asarray([-4.0, 0.0, 4.0])))
    [0.  0.5 1. ]
    """
    return _elementwise("hard_sigmoid", _hard_sigmoid, x)


@public()
def hard_silu(x: Any) -> Any:
    """x * hard_sigmoid(x), elementwise: a float array of the shape of x; also `hard_swish`.

    0 at -infinity.  The derivative at -3 is 0, and 1 at 3, those from outside.
    Raises `TypeError` for complex numbers.
    Source: A. Howard et al., Searching for MobileNetV3 (2019).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.hard_silu(np.asarray([-4.0, 1.0, 4.0])))
    [-0.         0.6666667  4.       ]
    """
    return _elementwise("hard_silu", _times_gate(_hard_sigmoid), x)


hard_swish = hard_silu


@public()
def hard_tanh(x: Any) -> Any:
    """x between -1 and 1, and the nearer of these beyond: a float array of the shape of x.

    The derivative at -1 and 1 is 1.  Raises `TypeError` for complex numbers.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.hard_tanh(np.asarray([-4.0, 0.5, 4.0])))
    [-1.   0.5  1. ]
    """
    return _elementwise(
        "hard_tanh", lambda x: anp.where(anp.greater(x, 1), 1, anp.where(anp.less(x, -1), -1, x)), x
    )


def _elu(x: Any, alpha: Any) -> Any:
    is_above = anp.greater(x, 0)
    below = anp.where(is_above, 0, x)  # the exponential of large x would overflow
    return anp.where(is_above, x, anp.multiply(alpha, anp.expm1(below)))


@public()
def elu(x: Any, alpha: Any = 1.0) -> Any:
    """x above 0, and alpha * (exp(x) - 1) below, elementwise: a float array.

    x and alpha broadcast.  The derivative at 0 is alpha, that from below.
    Raises `TypeError` for complex numbers.
    Source: D. Clevert, T. Unterthiner and S. Hochreiter, Exponential linear units (2015).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.elu(np.asarray([-np.inf, 0.0, 2.0])))
    [-1.  0.  2.]
    """
    return _elementwise("elu", _elu, x, alpha)


@public()
def selu(x: Any) -> Any:
    """1.0507 times `elu` of alpha 1.6733, elementwise: a float array of the shape of x.

    The derivative at 0 is that from below.  Raises `TypeError` for complex numbers.
    Source: G. Klambauer et al., Self-normalizing neural networks (2017).

    >>> import anvl
    >>> print(anvl.nn.selu(1.0))
    1.050701
    """
    return _elementwise("selu", lambda x: anp.multiply(_SELU_SCALE, _elu(x, _SELU_ALPHA)), x)


@public()
def celu(x: Any, alpha: Any = 1.0) -> Any:
    """x above 0, and alpha * (exp(x / alpha) - 1) below, elementwise: a float array.

    x and alpha broadcast.  Raises `TypeError` for complex numbers.
    Source: J. Barron, Continuously differentiable exponential linear units (2017).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.celu(np.asarray([-np.inf, 0.0, 2.0]), 2.0))
    [-2.  0.  2.]
    """
    return _elementwise("celu", _celu, x, alpha)


def _celu(x: Any, alpha: Any) -> Any:
    is_above = anp.greater(x, 0)
    below = anp.where(anp.logical_or(is_above, anp.isinf(x)), 0, x)
    curve = anp.multiply(alpha, anp.expm1(anp.divide(below, alpha)))
    curve = anp.where(anp.equal(x, -np.inf), anp.negative(alpha), curve)
    return anp.where(is_above, x, curve)


@public()
def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """x from 0 on, and negative_slope * x below, elementwise: a float array.

    x and the slope broadcast.  The derivative at 0 is 1.  Raises `TypeError` for complex numbers.
    Source: A. Maas, A. Hannun and A. Ng, Rectifier nonlinearities (2013).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.leaky_relu(np.asarray([-1.0, 2.0])))
    [-0.01  2.  ]
    """

    def leaky(x: Any, slope: Any) -> Any:
        is_above = anp.greater_equal(x, 0)
        return anp.where(is_above, x, anp.multiply(slope, anp.where(is_above, 0, x)))

    return _elementwise("leaky_relu", leaky, x, negative_slope)


@public()
def squareplus(x: Any, b: Any = 4.0) -> Any:
    """(x + sqrt(x^2 + b)) / 2, elementwise: a float array of the shape that x and b broadcast to.

    Also where x^2 would overflow, and for negative x, where the sum would cancel.
    Raises `TypeError` for complex numbers.  Source: J. Barron, Squareplus (2021).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.squareplus(np.asarray([-1e30, 0.0, 1e30])))
    [0.e+00 1.e+00 1.e+30]
    """
    return _elementwise("squareplus", _squareplus, x, b)


def _squareplus(x: Tracer, b: Tracer) -> Any:
    far = math.sqrt(float(ml_dtypes.finfo(x.dtype).max)) / 2
    is_far = anp.greater(anp.abs(x), far)
    near = anp.where(is_far, 0, x)
    root = anp.sqrt(anp.add(anp.square(near), b))
    is_below = anp.less(near, 0)
    sum_ = anp.add(anp.where(is_below, anp.negative(near), near), root)
    safe = anp.where(is_below, sum_, 1)
    y = anp.where(is_below, anp.divide(anp.multiply(0.5, b), safe), anp.multiply(0.5, sum_))
    return anp.where(is_far, _relu(x), y)


@public()
def sparse_plus(x: Any) -> Any:
    """0 up to -1, x from 1 on, and (x + 1)^2 / 4 between: a float array of the shape of x.

    Raises `TypeError` for complex numbers.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.sparse_plus(np.asarray([-2.0, 0.0, 2.0])))
    [0.   0.25 2.  ]
    """

    def sparse(x: Any) -> Any:
        is_low, is_high = anp.less_equal(x, -1), anp.greater_equal(x, 1)
        inner = anp.where(anp.logical_or(is_low, is_high), 0, x)
        y = anp.multiply(0.25, anp.square(anp.add(inner, 1)))
        return anp.where(is_low, 0, anp.where(is_high, x, y))

    return _elementwise("sparse_plus", sparse, x)


@public()
def sparse_sigmoid(x: Any) -> Any:
    """0 up to -1, 1 from 1 on, and (x + 1) / 2 between: the derivative of `sparse_plus`.

    A float array of the shape of x.  The derivative at -1 and 1 is 0.
    Raises `TypeError` for complex numbers.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.sparse_sigmoid(np.asarray([-2.0, 0.0, 2.0])))
    [0.  0.5 1. ]
    """

    def sparse(x: Any) -> Any:
        inner = anp.multiply(0.5, anp.add(x, 1))
        return anp.where(anp.less_equal(x, -1), 0, anp.where(anp.greater_equal(x, 1), 1, inner))

    return _elementwise("sparse_sigmoid", sparse, x)


@public()
def log1mexp(x: Any) -> Any:
    """log(1 - exp(-x)), elementwise, accurate near 0 and for large x: a float array.

    -infinity at 0, NaN below.  Raises `TypeError` for complex numbers.
    Source: M. Machler, Accurately computing log(1 - exp(-|a|)) (2012).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.log1mexp(np.asarray([1e-10, 50.0])))
    [-2.3025850e+01 -1.9287499e-22]
    """

    def log1mexp(x: Any) -> Any:
        is_small = anp.less(x, math.log(2))
        small, large = anp.where(is_small, x, 1), anp.where(is_small, 1, x)
        near = anp.log(anp.negative(anp.expm1(anp.negative(small))))
        return anp.where(is_small, near, anp.log1p(anp.negative(anp.exp(anp.negative(large)))))

    return _elementwise("log1mexp", log1mexp, x)


@public()
def identity(x: Any) -> Any:
    """x itself, as an array.

    >>> import anvl
    >>> print(anvl.nn.identity(2.0))
    2.0
    """
    return as_tracer(x, "identity")


@public("axis")
def glu(x: Any, axis: int = -1) -> Any:
    """The first half of x along `axis` times the sigmoid of the second half.

    A float array of half the size along the axis.  Raises `TypeError` for complex numbers,
    `ValueError` for a missing axis or an odd size.
    Source: Y. Dauphin et al., Language modeling with gated convolutional networks (2016).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.glu(np.asarray([2.0, 3.0, 0.0, 0.0])))
    [1.  1.5]
    """
    (operand,), _ = promoted("glu", (x,), "float")
    at = axis_of(axis, operand.ndim, "glu")
    if operand.shape[at] % 2:
        raise ValueError(
            f"glu: axis {axis} of {operand.aval} has {operand.shape[at]} elements; it must be even"
        )
    first, second = anp.split(operand, 2, at)
    return _elementwise("glu", lambda x, gate: anp.multiply(x, anp.sigmoid(gate)), first, second)
