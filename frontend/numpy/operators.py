"""Operators and methods shared by arrays and tracers: `x + y`, `x.sum()`, `x[1:]`.

Attached here because the classes lie below the functions: `Array` belongs to the runtime.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.array_html import array_html
from anvl.core.importing import load_module, one_thread
from anvl.core.promote import abstract
from anvl.core.tracer import Tracer
from anvl.dispatch.array_methods import binary_method, reflected_method
from anvl.dispatch.jit import Jit
from anvl.runtime import Array, explain_error, hide_frames
from anvl.sharding.specs import sharding_of

__all__ = ["attach"]

#: Operators and methods, with their functions in `anvl.numpy`.
# fmt: off
_BINARY: dict[str, str] = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "power", "matmul": "matmul",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}
_COMPARE: dict[str, str] = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal",
    "gt": "greater", "ge": "greater_equal",
}
_UNARY: dict[str, str] = {
    "neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert",
}
_METHODS: dict[str, str] = {
    "sum": "sum", "prod": "prod", "mean": "mean", "max": "max", "min": "min",
    "all": "all", "any": "any", "argmax": "argmax", "argmin": "argmin", "var": "var",
    "std": "std", "astype": "astype", "ravel": "ravel", "flatten": "ravel",
    "squeeze": "squeeze", "swapaxes": "swapaxes", "clip": "clip", "conj": "conj",
    "conjugate": "conj", "diagonal": "diagonal", "dot": "dot", "ptp": "ptp",
    "repeat": "repeat", "take": "take", "cumsum": "cumsum", "cumprod": "cumprod",
    "round": "round", "__round__": "round",
    "__divmod__": "divmod", "sort": "sort", "argsort": "argsort",
    "argpartition": "argpartition", "searchsorted": "searchsorted", "nonzero": "nonzero",
    "choose": "choose", "trace": "trace",
}
_PROPERTIES: dict[str, str] = {
    "T": "transpose", "mT": "matrix_transpose", "real": "real", "imag": "imag",
}
# fmt: on
#: Members whose functions are no names of `anvl.numpy`, with their modules.
_ELSEWHERE = {
    "__getitem__": ("arrays.assignment", "getitem"),
    "__setitem__": ("arrays.assignment", "set_item"),
    "view": ("analysis.layouts", "view"),
    "to_device": ("standard.exchange", "to_device"),
}
_OPERANDS = (Array, Tracer, np.ndarray, np.generic, bool, int, float, complex)


@functools.cache
def attach() -> None:
    """Attach operators and methods to `Array` and `Tracer`, once."""
    both = {**_BINARY, **_COMPARE}
    for cls in (Array, Tracer):
        makers: dict[str, Callable[[], Any]] = {
            **{f"__{op}__": partial(_operator, cls, f) for op, f in both.items()},
            **{f"__r{op}__": partial(_reflected_operator, cls, f) for op, f in _BINARY.items()},
            **{f"__{op}__": partial(getattr, anp, f) for op, f in _UNARY.items()},
            **{name: partial(_method, f) for name, f in _METHODS.items()},
            **{name: partial(_property, f) for name, f in _PROPERTIES.items()},
            **{name: partial(_function, *home) for name, home in _ELSEWHERE.items()},
            "at": _at,
        }
        for name, make in makers.items():
            setattr(cls, name, _Later(cls, name, make))
        for name, member in _MEMBERS.items():
            setattr(cls, name, member)


class _Later:
    """A method that is made when it is first read, and then takes its place in the class.

    Python looks up operators as it does methods.  Making all takes a fifth of the import of anvl:
    modules of functions, and the compiled code of each operator.
    """

    def __init__(self, cls: type, name: str, make: Callable[[], Any]) -> None:
        self._cls, self._name, self._make = cls, name, make

    def __get__(self, x: Any, cls: type | None = None) -> Any:
        with one_thread:
            if vars(self._cls)[self._name] is self:
                setattr(self._cls, self._name, self._make())
        return vars(self._cls)[self._name].__get__(x, cls)


def _function(module: str, name: str) -> Any:
    return getattr(load_module(f"anvl.numpy.{module}"), name)


def _property(name: str) -> property:
    return property(getattr(anp, name))


def _at() -> property:
    return property(_function("arrays.at", "At"))


def _method(name: str) -> Callable[..., Any]:
    """A function as a method; NumPy's own functions call it with `out=None`."""
    f: Callable[..., Any] = getattr(anp, name)

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


def _operator(cls: type, name: str) -> Callable[[Any, Any], Any]:
    """The operator x <op> y; for two arrays the generated code of the compiled function itself."""
    f: Any = getattr(anp, name)
    if cls is Tracer:
        return _checked(f.traced)
    eager: Jit = f.eager
    fast = binary_method(eager, _checked(f))
    return _power(fast) if name == "power" else fast


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


def _reflected_operator(cls: type, name: str) -> Callable[[Any, Any], Any]:
    f: Any = getattr(anp, name)
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


def _rdivmod(x: Any, y: Any) -> Any:
    return _reflected(anp.divmod)(x, y)


def _contains(x: Any, y: Any) -> bool:
    """`y in x`: whether an element is equal to y, as in NumPy."""
    return bool(anp.any(anp.equal(x, y)))


def _sizes(sizes: tuple[Any, ...]) -> Any:
    """Accept reshape(2, 3) as well as reshape((2, 3))."""
    return sizes[0] if len(sizes) == 1 else sizes


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


#: Members that are defined here, and need no module of functions before they are called.
_MEMBERS: dict[str, Any] = {
    "__iter__": _iterate, "__contains__": _contains, "__rdivmod__": _rdivmod,
    "reshape": _reshape, "transpose": _transpose, "compress": _compress,
    "sharding": property(sharding_of), "__array_namespace__": _namespace,
    "_repr_html_": array_html,
}  # fmt: skip
