"""Parameters of distributions: their shapes, dtypes, and what stands for an invalid sample."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import broadcast_shapes, broadcast_to, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import sizes_of
from anvl.random.key_reuse import draws
from anvl.runtime import explain_error

__all__ = [
    "distribution", "drawn_shape", "float_dtype", "integer_dtype", "is_high", "no_number",
    "operands",
]  # fmt: skip

_F = TypeVar("_F", bound=Callable[..., Any])


def distribution(*static: str) -> Callable[[_F], _F]:
    """Decorate a function that draws: `public`, with Python numbers in the dtype of the samples.

    As arguments of a program, numbers would be rounded to f32 beside a `dtype` of f64.
    """

    def decorate(f: _F) -> _F:
        drawn = public(*static, "shape", "dtype")(f)
        names = list(inspect.signature(f).parameters)
        at, numeric = names.index("dtype"), {*names} - {*static, "key", "shape", "dtype"}

        @draws
        @functools.wraps(f)
        def draw(*args: Any, **kwargs: Any) -> Any:
            try:
                dtype = args[at] if len(args) > at else kwargs.get("dtype")
                if dtype is not None and numeric:
                    wanted = _of_parameters(dtype)
                    args = (
                        tuple(
                            _number(x, wanted) if name in numeric else x
                            for name, x in zip(names, args, strict=False)
                        )
                        + args[len(names) :]
                    )
                    kwargs = {
                        name: _number(x, wanted) if name in numeric else x
                        for name, x in kwargs.items()
                    }
                return drawn(*args, **kwargs)
            except Exception as error:
                explain_error(error, f)
                raise

        return draw  # type: ignore[return-value]

    return decorate


def _of_parameters(dtype: Any) -> np.dtype[Any]:
    """The dtype of parameters of samples of a dtype: integers have float parameters."""
    found = as_dtype(dtype)
    is_float = kind(element_type(found)) == "float" and found.itemsize >= 2
    return found if is_float else default_dtype(float)


def _number(x: Any, dtype: np.dtype[Any]) -> Any:
    is_number = isinstance(x, int | float) and not isinstance(x, bool | np.generic)
    return np.asarray(x, dtype) if is_number else x


def operands(
    name: str, parameters: tuple[Any, ...], shape: Any, dtype: Any
) -> tuple[list[Tracer], tuple[int, ...], np.dtype[Any]]:
    """Parameters of one dtype, broadcast to the shape of the samples; that shape; their dtype.

    Computed in f32 at least; the dtype is that of the parameters unless one is given.
    """
    found, _ = promoted(name, parameters, "float", broadcast=False)
    given = found[0].dtype
    wanted = float_dtype(name, given if dtype is None else dtype)
    wide = np.dtype(np.float32) if wanted.itemsize < 4 else wanted
    sizes = drawn_shape(name, shape, broadcast_shapes(*(x.shape for x in found), function=name))
    return [broadcast_to(convert(x, wide), sizes) for x in found], sizes, wanted


def float_dtype(name: str, dtype: Any) -> np.dtype[Any]:
    """Resolve the dtype of float samples, the default of floats for None."""
    wanted = default_dtype(float) if dtype is None else as_dtype(dtype)
    if kind(element_type(wanted)) != "float" or wanted.itemsize < 2:
        raise TypeError(
            f"{name}: the dtype is {dtype_name(wanted)}; draw one of f16, bf16, f32, f64"
        )
    return wanted


def integer_dtype(name: str, dtype: Any) -> np.dtype[Any]:
    """Resolve the dtype of integer samples, the default of integers for None."""
    wanted = default_dtype(int) if dtype is None else as_dtype(dtype)
    if kind(element_type(wanted)) not in ("int", "uint"):
        raise TypeError(f"{name}: the dtype is {dtype_name(wanted)}; it must be an integer")
    return wanted


def drawn_shape(name: str, shape: Any, least: tuple[int, ...]) -> tuple[int, ...]:
    """The requested shape, to which the operands must broadcast."""
    if shape is None:
        return least
    sizes = sizes_of(shape, name)
    if broadcast_shapes(sizes, least, function=name) != sizes:
        raise ValueError(f"{name}: shape {list(least)} does not broadcast to {list(sizes)}")
    return sizes


def is_high(name: str, mode: str | None) -> bool:
    """Whether 64 bits are drawn for each sample: mode "high", not "low" or None."""
    if mode not in (None, "low", "high"):
        raise ValueError(f"{name}: mode is {mode!r}; it must be 'low' or 'high'")
    return mode == "high"


def no_number(dtype: np.dtype[Any]) -> Any:
    """Fill value of a dtype for an invalid sample, as JAX fills out-of-range elements."""
    of = kind(element_type(dtype))
    if of in ("int", "uint"):
        limits = np.iinfo(dtype)
        return int(limits.min if of == "int" else limits.max)
    return True if of == "bool" else np.nan
