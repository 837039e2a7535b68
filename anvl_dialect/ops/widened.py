"""Computing in f32 what narrower floats have too few digits for."""

from collections.abc import Callable

from anvl.dialect.op import Value, emit
from anvl.dialect.types import dtype_name

__all__ = ["in_wide"]


def in_wide(f: Callable[..., Value], *xs: Value) -> Value:
    """f(*xs), in f32 where the operands are narrower."""
    dtype = dtype_name(xs[0].type.element_type)
    if dtype in ("f32", "f64"):
        return f(*xs)
    return emit.convert(f(*[emit.convert(x, dtype="f32") for x in xs]), dtype=dtype)
