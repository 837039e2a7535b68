"""`anvl.nn.initializers`: functions `init(key, shape, dtype)` that make first values of parameters.

Names, arguments and variances are those of `jax.nn.initializers`.

    >>> import anvl
    >>> init = anvl.nn.initializers.he_normal()
    >>> init(anvl.random.key(0), (3, 4)).shape
    (3, 4)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from anvl import numpy as anp
from anvl import random
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_nn import INITIALIZERS as _ENTRIES
from anvl.numpy.arrays.axes import Axis, axes_of, axis_of, sizes_of
from anvl.random.parameters import float_dtype
from anvl.runtime import hide_frames_of as _hide_frames_of

__all__ = [
    "Initializer", "constant", "delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal",
    "he_uniform", "kaiming_normal", "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal",
    "ones", "orthogonal", "truncated_normal", "uniform", "variance_scaling", "xavier_normal",
    "xavier_uniform", "zeros",
]  # fmt: skip


class Initializer(Protocol):
    """A function of a key and a shape, and of a dtype, which is optional."""

    def __call__(self, key: Any, shape: Any, dtype: Any = None) -> Any:
        """An array of first values."""


# Standard deviation of a standard normal number between -2 and 2.
_TRUNCATED = 0.87962566103423978


def zeros(key: Any, shape: Any, dtype: Any = None) -> Any:
    """An array of zeros.

    >>> import anvl
    >>> print(anvl.nn.initializers.zeros(anvl.random.key(0), (2,)))
    [0. 0.]
    """
    return anp.zeros(sizes_of(shape, "zeros"), float if dtype is None else dtype)


def ones(key: Any, shape: Any, dtype: Any = None) -> Any:
    """An array of ones.

    >>> import anvl
    >>> print(anvl.nn.initializers.ones(anvl.random.key(0), (2,)))
    [1. 1.]
    """
    return anp.ones(sizes_of(shape, "ones"), float if dtype is None else dtype)


def _initializer(default: Any, make: Callable[[Any, tuple[int, ...], Any], Any]) -> Initializer:
    def init(key: Any, shape: Any, dtype: Any = default) -> Any:
        wanted = float_dtype("init", dtype)
        return make(key, sizes_of(shape, "init"), wanted)

    return init


def constant(value: Any, dtype: Any = None) -> Initializer:
    """Make an initializer of arrays filled with `value`, which may be an array that broadcasts.

    >>> import anvl
    >>> print(anvl.nn.initializers.constant(3.0)(anvl.random.key(0), (2,)))
    [3. 3.]
    """
    return _initializer(dtype, lambda key, shape, dtype: anp.full(shape, value, dtype))


def uniform(scale: float = 1e-2, dtype: Any = None) -> Initializer:
    """Make an initializer of uniform numbers from 0 to `scale`.

    >>> import anvl
    >>> anvl.nn.initializers.uniform(2.0)(anvl.random.key(0), (3, 2)).shape
    (3, 2)
    """
    return _initializer(dtype, lambda key, shape, dtype: random.uniform(key, shape, dtype) * scale)


def normal(stddev: float = 1e-2, dtype: Any = None) -> Initializer:
    """Make an initializer of normal numbers of mean 0 and standard deviation `stddev`.

    >>> import anvl
    >>> anvl.nn.initializers.normal(2.0)(anvl.random.key(0), (3, 2)).shape
    (3, 2)
    """
    return _initializer(dtype, lambda key, shape, dtype: random.normal(key, shape, dtype) * stddev)


def truncated_normal(
    stddev: float = 1e-2, dtype: Any = None, lower: float = -2.0, upper: float = 2.0
) -> Initializer:
    """Make an initializer of `stddev` times normal numbers between lower and upper.

    >>> import anvl
    >>> anvl.nn.initializers.truncated_normal(2.0)(anvl.random.key(0), (3, 2)).shape
    (3, 2)
    """

    def make(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        return random.truncated_normal(key, lower, upper, shape, dtype) * stddev

    return _initializer(dtype, make)


def variance_scaling(
    scale: float, mode: str, distribution: str, in_axis: int | Sequence[int] = -2,
    out_axis: int | Sequence[int] = -1, batch_axis: int | Sequence[int] = (), dtype: Any = None,
) -> Initializer:  # fmt: skip
    """Make an initializer of a variance of `scale` divided by the number of inputs or outputs.

    Parameters
    ----------
    scale : float
    mode : str
        What divides it: "fan_in", "fan_out", "fan_avg", their mean, or "fan_geo_avg", their
        geometric mean.
    distribution : str
        "truncated_normal" (between two standard deviations), "normal" or "uniform".
    in_axis, out_axis, batch_axis : int or sequence of int
        Axes of the inputs, of the outputs, and of independent parameters; all others are the
        spatial axes of a kernel, which count for both.
    dtype : dtype, optional
        The default of the initializer; the default of floats without.

    Returns
    -------
    A function of a key, a shape and a dtype.

    Raises
    ------
    ValueError
        Another mode or distribution; when it is called, a shape of fewer than two axes or without
        these axes.

    Notes
    -----
    Source: X. Glorot and Y. Bengio, Understanding the difficulty of training deep feedforward
    neural networks (2010); K. He et al., Delving deep into rectifiers (2015).

    Examples
    --------
    >>> import anvl
    >>> init = anvl.nn.initializers.variance_scaling(2.0, "fan_in", "uniform")
    >>> float(abs(init(anvl.random.key(0), (6, 4))).max()) <= 1.0
    True
    """
    if mode not in _FANS:
        raise ValueError(f"variance_scaling: mode is {mode!r}; it must be one of {_listed(_FANS)}")
    if distribution not in _DISTRIBUTIONS:
        raise ValueError(
            f"variance_scaling: distribution is {distribution!r}; it must be one of "
            f"{_listed(_DISTRIBUTIONS)}"
        )

    def make(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        fans = _fans(shape, in_axis, out_axis, batch_axis)
        deviation = math.sqrt(scale / max(_FANS[mode](*fans), 1e-30))
        return _DISTRIBUTIONS[distribution](key, shape, dtype, deviation)

    return _initializer(dtype, make)


_FANS: dict[str, Callable[[float, float], float]] = {
    "fan_in": lambda inputs, outputs: inputs,
    "fan_out": lambda inputs, outputs: outputs,
    "fan_avg": lambda inputs, outputs: (inputs + outputs) / 2,
    "fan_geo_avg": lambda inputs, outputs: math.sqrt(inputs * outputs),
}


def _truncated(key: Any, shape: tuple[int, ...], dtype: Any, deviation: float) -> Any:
    return random.truncated_normal(key, -2.0, 2.0, shape, dtype) * (deviation / _TRUNCATED)


def _normal(key: Any, shape: tuple[int, ...], dtype: Any, deviation: float) -> Any:
    return random.normal(key, shape, dtype) * deviation


def _uniform(key: Any, shape: tuple[int, ...], dtype: Any, deviation: float) -> Any:
    return random.uniform(key, shape, dtype, -1.0, 1.0) * (deviation * math.sqrt(3))


_DISTRIBUTIONS: dict[str, Callable[..., Any]] = {
    "truncated_normal": _truncated, "normal": _normal, "uniform": _uniform,
}  # fmt: skip


def _listed(names: dict[str, Any]) -> str:
    return ", ".join(names)


def _fans(
    shape: tuple[int, ...], in_axis: Axis, out_axis: Axis, batch_axis: Axis
) -> tuple[float, float]:
    """Numbers of inputs and outputs of each other."""
    if len(shape) < 2:
        raise ValueError(
            f"variance_scaling: the shape {list(shape)} must have an axis of inputs and one of "
            "outputs"
        )
    inputs, outputs, batch = (
        math.prod(shape[a] for a in axes_of(axis, len(shape), "variance_scaling"))
        for axis in (in_axis, out_axis, batch_axis)
    )
    others = math.prod(shape) / max(inputs * outputs * batch, 1)
    return inputs * others, outputs * others


class _Scaling(Protocol):
    """A function that makes an initializer, such as `he_normal`."""

    def __call__(
        self,
        in_axis: int | Sequence[int] = -2,
        out_axis: int | Sequence[int] = -1,
        batch_axis: int | Sequence[int] = (),
        dtype: Any = None,
    ) -> Initializer: ...


def _scaling(name: str, scale: float, mode: str, distribution: str) -> _Scaling:
    def make(
        in_axis: int | Sequence[int] = -2,
        out_axis: int | Sequence[int] = -1,
        batch_axis: int | Sequence[int] = (),
        dtype: Any = None,
    ) -> Initializer:
        return variance_scaling(scale, mode, distribution, in_axis, out_axis, batch_axis, dtype)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"""Make the initializer `variance_scaling({scale}, {mode!r}, {distribution!r})`.

    The other arguments and the errors are those of `variance_scaling`.

    >>> import anvl
    >>> anvl.nn.initializers.{name}()(anvl.random.key(0), (3, 2)).shape
    (3, 2)
    """
    return make


glorot_uniform: _Scaling = _scaling("glorot_uniform", 1.0, "fan_avg", "uniform")
glorot_normal: _Scaling = _scaling("glorot_normal", 1.0, "fan_avg", "truncated_normal")
lecun_uniform: _Scaling = _scaling("lecun_uniform", 1.0, "fan_in", "uniform")
lecun_normal: _Scaling = _scaling("lecun_normal", 1.0, "fan_in", "truncated_normal")
he_uniform: _Scaling = _scaling("he_uniform", 2.0, "fan_in", "uniform")
he_normal: _Scaling = _scaling("he_normal", 2.0, "fan_in", "truncated_normal")
xavier_uniform: _Scaling = glorot_uniform
xavier_normal: _Scaling = glorot_normal
kaiming_uniform: _Scaling = he_uniform
kaiming_normal: _Scaling = he_normal


def orthogonal(scale: float = 1.0, column_axis: int = -1, dtype: Any = None) -> Initializer:
    """Make an initializer of `scale` times orthogonal matrices.

    An array of more axes is a matrix whose columns are `column_axis`, and whose rows are all
    others; the shorter of rows and columns are orthonormal.  When it is called it raises
    `ValueError` for a shape of fewer than two axes.
    Source: A. Saxe, J. McClelland and S. Ganguli, Exact solutions to the nonlinear dynamics of
    learning in deep linear neural networks (2013).

    >>> import anvl, anvl.numpy as np
    >>> w = anvl.nn.initializers.orthogonal()(anvl.random.key(0), (4, 2))
    >>> bool(np.allclose(w.T @ w, np.eye(2), atol=1e-5))
    True
    """

    def make(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        if len(shape) < 2:
            raise ValueError(f"orthogonal: the shape {list(shape)} must have two axes at least")
        at = axis_of(column_axis, len(shape), "orthogonal")
        columns = shape[at]
        rest = (*shape[:at], *shape[at + 1 :])
        matrix = random.orthogonal(key, math.prod(rest), (), dtype, columns)
        return anp.moveaxis(matrix.reshape((*rest, columns)), -1, at) * scale

    return _initializer(dtype, make)


def delta_orthogonal(scale: float = 1.0, column_axis: int = -1, dtype: Any = None) -> Initializer:
    """Make an initializer of kernels that are an orthogonal matrix in the middle, and 0 elsewhere.

    Shapes are [spatial axes, inputs, outputs], of 3 to 5 axes, of no more inputs than outputs; for
    others it raises `ValueError` when it is called.
    Source: L. Xiao et al., Dynamical isometry and a mean field theory of CNNs (2018).

    >>> import anvl
    >>> print(abs(anvl.nn.initializers.delta_orthogonal()(anvl.random.key(0), (3, 1, 1)).ravel()))
    [0. 1. 0.]
    """

    def make(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        if not 3 <= len(shape) <= 5 or shape[-1] < shape[-2]:
            raise ValueError(
                f"delta_orthogonal: the shape {list(shape)} must have 3 to 5 axes, the last of "
                "which is not smaller than the one before"
            )
        middle = tuple((n - 1) // 2 for n in shape[:-2])
        matrix = orthogonal(scale, column_axis, dtype)(key, shape[-2:])
        return anp.zeros(shape, dtype).at[middle].set(matrix)

    return _initializer(dtype, make)


_hide_frames_of(__all__, globals())
_complete(__all__, globals(), _ENTRIES)


def __dir__() -> list[str]:
    return sorted(__all__)
