"""Operators and methods shared by arrays and tracers: `x + y`, `x.sum()`, `x[1:]`.

Attached here because the classes lie below the functions: `Array` belongs to the runtime.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.array_html import array_html
from anvl.core.promote import abstract
from anvl.core.tracer import Tracer
from anvl.dispatch.array_methods import binary_method, reflected_method
from anvl.dispatch.jit import Jit
from anvl.numpy.analysis.layouts import view
from anvl.numpy.arrays.assignment import getitem, set_item
from anvl.numpy.arrays.at import At
from anvl.numpy.standard.exchange import to_device
from anvl.runtime import Array, explain_error, hide_frames
from anvl.sharding.specs import sharding_of

__all__ = ["attach"]

# fmt: off
_BINARY: dict[str, Any] = {
    "add": anp.add, "sub": anp.subtract, "mul": anp.multiply, "truediv": anp.divide,
    "floordiv": anp.floor_divide, "mod": anp.remainder, "pow": anp.power, "matmul": anp.matmul,
    "and": anp.bitwise_and, "or": anp.bitwise_or, "xor": anp.bitwise_xor,
    "lshift": anp.bitwise_left_shift, "rshift": anp.bitwise_right_shift,
}
_COMPARE: dict[str, Any] = {
    "eq": anp.equal, "ne": anp.not_equal, "lt": anp.less, "le": anp.less_equal,
    "gt": anp.greater, "ge": anp.greater_equal,
}
_UNARY: dict[str, Any] = {
    "neg": anp.negative, "pos": anp.positive, "abs": anp.abs, "invert": anp.bitwise_invert,
}
_METHODS: dict[str, Any] = {
    "sum": anp.sum, "prod": anp.prod, "mean": anp.mean, "max": anp.max, "min": anp.min,
    "all": anp.all, "any": anp.any, "argmax": anp.argmax, "argmin": anp.argmin, "var": anp.var,
    "std": anp.std, "astype": anp.astype, "ravel": anp.ravel, "flatten": anp.ravel,
    "squeeze": anp.squeeze, "swapaxes": anp.swapaxes, "clip": anp.clip, "conj": anp.conj,
    "conjugate": anp.conj, "diagonal": anp.diagonal, "dot": anp.dot, "ptp": anp.ptp,
    "repeat": anp.repeat, "take": anp.take, "cumsum": anp.cumsum, "cumprod": anp.cumprod,
    "round": anp.round, "__round__": anp.round,
    "__divmod__": anp.divmod, "sort": anp.sort, "argsort": anp.argsort,
    "argpartition": anp.argpartition, "searchsorted": anp.searchsorted, "nonzero": anp.nonzero,
    "choose": anp.choose, "trace": anp.trace,
}
# fmt: on
_OPERANDS = (Array, Tracer, np.ndarray, np.generic, bool, int, float, complex)


@functools.cache
def attach() -> None:
    """Attach operators and methods to `Array` and `Tracer`, once."""
    for cls in (Array, Tracer):
        for name, f in {**_BINARY, **_COMPARE}.items():
            setattr(cls, f"__{name}__", _operator(cls, f))
        for name, f in _BINARY.items():
            setattr(cls, f"__r{name}__", _reflected_operator(cls, f))
        for name, f in _UNARY.items():
            setattr(cls, f"__{name}__", f)
        for name, f in _METHODS.items():
            setattr(cls, name, _method(f))
        for name, f in _MEMBERS.items():
            setattr(cls, name, f)


def _method(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function as a method; NumPy's own functions call it with `out=None`."""

    @functools.wraps(f)
    def method(self: Any, *args: Any, out: None = None, **kwargs: Any) -> Any:
        try:
            if out is not None:
                raise TypeError(f"{f.__name__}: arrays are immutable, so out= is not supported")
            return f(self, *args, **kwargs)
        except Exception as error:
            explain_error(error, f)
            raise

    return method


def _operator(cls: type, f: Any) -> Callable[[Any, Any], Any]:
    """The operator x <op> y; for two arrays the generated code of the compiled function itself."""
    if cls is Tracer:
        return _checked(f.traced)
    eager: Jit = f.eager
    fast = binary_method(eager, _checked(f))
    return _power(fast) if f is anp.power else fast


def _power(fast: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """x ** n: each Python int n is another program, as powers are multiplied out."""

    def power(x: Any, y: Any) -> Any:
        try:
            return anp.power(x, y) if type(y) is int else fast(x, y)
        except Exception as error:
            hide_frames(error)
            raise

    return power


def _checked(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operate(x: Any, y: Any) -> Any:
        if isinstance(y, list | tuple):
            return f(x, anp.asarray(y))
        return f(x, y) if isinstance(y, _OPERANDS) else _declined(f, y)

    return operate


def _declined(f: Any, y: Any) -> Any:
    """NotImplemented, so that the other operand may answer; raise for JAX arrays, which cannot."""
    if type(y).__module__.partition(".")[0] in ("jax", "jaxlib"):
        abstract(y, getattr(f, "__name__", ""))
    return NotImplemented


def _reflected(f: Any) -> Callable[[Any, Any], Any]:
    def operate(x: Any, y: Any) -> Any:
        if isinstance(y, list | tuple):
            return f(anp.asarray(y), x)
        return f(y, x) if isinstance(y, _OPERANDS) else _declined(f, y)

    return operate


def _reflected_operator(cls: type, f: Any) -> Callable[[Any, Any], Any]:
    if cls is Tracer:
        return _reflected(f.traced)
    eager: Jit = f.eager
    return reflected_method(eager, _reflected(f))


def _iterate(x: Any) -> Any:
    if not x.shape:
        raise TypeError(
            f"iteration over an array without axes, {x.aval}; use its value, x, float(x) or "
            "x.item(), or give it an axis, anvl.numpy.ravel(x)"
        )
    return iter(anp.unstack(x))


def _contains(x: Any, y: Any) -> bool:
    """`y in x`: whether an element is equal to y, as in NumPy."""
    return bool(anp.any(anp.equal(x, y)))


def _sizes(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """Accept reshape(2, 3) as well as reshape((2, 3))."""
    if len(sizes) == 1 and not isinstance(sizes[0], int | np.integer):
        return tuple(map(operator.index, sizes[0]))
    return tuple(map(operator.index, sizes))


def _reshape(x: Any, *shape: Any, **options: Any) -> Any:
    """The array in another shape, `x.reshape(2, 3)` or `x.reshape((2, 3), order="F")`."""
    return anp.reshape(x, _sizes(shape), **options)


def _transpose(x: Any, *axes: Any) -> Any:
    """The array with its axes in this order, reversed by default: `x.transpose(1, 0)`."""
    return anp.transpose(x, _sizes(axes) if axes and axes[0] is not None else None)


def _compress(x: Any, condition: Any, axis: int | None = None, **options: Any) -> Any:
    """The slices where a vector of conditions holds: `compress(condition, x, axis)`."""
    return anp.compress(condition, x, axis, **options)


def _namespace(x: Any, *, api_version: str | None = None) -> Any:
    """`anvl.numpy`, the namespace of the functions that take this array."""
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(
            f"__array_namespace__: version {api_version!r} of the Array API is not known; "
            f"anvl.numpy conforms to {anp.__array_api_version__}"
        )
    return anp


_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", anp.__array_api_version__)

_MEMBERS: dict[str, Any] = {
    "__getitem__": getitem, "__setitem__": set_item, "__iter__": _iterate,
    "__contains__": _contains,
    "__rdivmod__": _reflected(anp.divmod), "at": property(At), "reshape": _reshape,
    "sharding": property(sharding_of),
    "transpose": _transpose, "compress": _compress, "view": view,
    "T": property(anp.transpose), "mT": property(anp.matrix_transpose),
    "real": property(anp.real), "imag": property(anp.imag),
    "__array_namespace__": _namespace, "to_device": to_device, "_repr_html_": array_html,
}  # fmt: skip
