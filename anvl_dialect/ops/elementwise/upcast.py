"""Computation in wider dtypes: f32 for narrow floats, and wide results of narrow products.

A product of narrow numbers may have a wider dtype, in which it is accumulated; so its tangents and
cotangents are of that dtype, and each cotangent is converted back to the dtype of its operand.
"""

from collections.abc import Callable
from typing import Any

from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import DTYPES, dtype_name, element_type
from anvl.dialect.interpreters.constant_folding import maker_of

__all__ = ["cotangent_beside", "in_dtype", "in_dtype_of", "in_wide", "wider_element"]


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


def in_dtype(x: Value, dtype: str) -> Value:
    """Convert x to a dtype; the value that x itself is converted from, where that is the same."""
    rules, maker = OPS["anvl.convert"], maker_of(x)
    found = rules.simplify([x], [maker], dtype=dtype)
    return emit.convert(x, dtype=dtype) if found is None else found


# Note [Cotangents of contractions]
#
# The cotangent of a product that accumulates in f32 is f32, and is contracted with an operand of
# fewer bits.  Of bf16 it is rounded to bf16 first, and the contraction is as fast as the one whose
# derivative it is.  That loses as much again as rounding the result to bf16 does: of normal
# numbers, 64 to 16,384 terms, the error is 0.24 % of the result, and 0.17 % with a cotangent of
# f32.  bf16 has the exponents of f32.  f16 has not: cotangents that it cannot hold would become 0
# or infinite, so there the operand becomes f32.


def cotangent_beside(g: Value, x: Value) -> tuple[Value, Value, str | None]:
    """A cotangent and an operand in one dtype, and that of their contraction if it is wider.

    See Note [Cotangents of contractions].
    """
    dtype = dtype_name(g.type.element_type)
    if dtype_name(x.type.element_type) == "bf16" and dtype == "f32":
        return in_dtype_of(x, g), x, dtype
    return g, in_dtype_of(g, x), None


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
