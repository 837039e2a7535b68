"""Computation in wider dtypes: f32 for narrow floats, and wide results of narrow products.

A product of narrow numbers may have a wider dtype, in which it is accumulated; so its tangents and
cotangents are of that dtype, and each cotangent is converted back to the dtype of its operand.
"""

from collections.abc import Callable
from typing import Any

from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import DTYPES, dtype_name, element_type

__all__ = ["in_dtype_of", "in_wide", "wider_element"]


def in_wide(f: Callable[..., Value], *xs: Value) -> Value:
    """Apply f, in f32 if the operands are narrower."""
    dtype = dtype_name(xs[0].type.element_type)
    if dtype in ("f32", "f64"):
        return f(*xs)
    return emit.convert(f(*[emit.convert(x, dtype="f32") for x in xs]), dtype=dtype)


def in_dtype_of(like: Value, x: Value) -> Value:
    """Convert x to the dtype of `like`."""
    if x.type.element_type == like.type.element_type:
        return x
    return emit.convert(x, dtype=dtype_name(like.type.element_type))


def wider_element(name: str, x: Any, dtype: str | None) -> Any:
    """Element type of a product of operands like x: theirs, or `dtype` if wider and of their kind.

    Raises `TypeError`, in the name of the op, for any other dtype.
    """
    own = dtype_name(x.element_type)
    if dtype is None or dtype == own:
        return x.element_type
    wanted, given = DTYPES[dtype], DTYPES[own]
    if wanted.kind != given.kind or wanted.bits <= given.bits:
        raise TypeError(f"{name}: a result of {dtype} from {x}; it is {own}, or wider of its kind")
    return element_type(dtype)
