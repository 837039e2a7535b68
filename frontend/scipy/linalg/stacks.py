"""Stacks of matrices and LAPACK's routines, for the functions of `anvl.scipy.linalg`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import prim
from anvl.core.avals import aval
from anvl.core.tracer import Tracer
from anvl.dialect.ops.calls.ffi_call import foreign_params

__all__ = ["complex_of", "ct", "eye_like", "finite", "hermitian", "lapack", "one_of", "unit_column"]


def ct(x: Any) -> Any:
    """Conjugate transpose."""
    return anp.conj(anp.matrix_transpose(x))


def complex_of(x: Any) -> Any:
    """x in the complex dtype of its precision."""
    if x.dtype.kind == "c":
        return x
    return anp.astype(x, "complex128" if x.dtype.itemsize == 8 else "complex64")


def eye_like(x: Any) -> Any:
    """Identity of the size and dtype of matrices."""
    return anp.eye(x.shape[-1], dtype=x.dtype)


def unit_column(n: int, j: Any, like: Any) -> Any:
    """Column j of the identity of size n, for a j that may be traced."""
    return anp.astype(anp.equal(anp.arange(n, dtype="int32"), j), like.dtype)


def hermitian(x: Any, lower: bool, conjugate: bool = True) -> Any:
    """Hermitian, or symmetric, matrices of which one triangle is read."""
    half = anp.tril(x, -1) if lower else anp.triu(x, 1)
    other = ct(half) if conjugate else anp.matrix_transpose(half)
    diagonal = anp.diagonal(x, axis1=-2, axis2=-1)
    if conjugate and x.dtype.kind == "c":
        diagonal = anp.astype(anp.real(diagonal), x.dtype)
    middle = anp.multiply(anp.expand_dims(diagonal, -1), eye_like(x))
    return anp.add(anp.add(half, other), middle)


def one_of(name: str, parameter: str, value: Any, allowed: Collection[Any]) -> None:
    """Raise `ValueError` unless the value of a parameter is one of those allowed."""
    if isinstance(value, bool) or value not in allowed:
        raise ValueError(
            f"{name}: {parameter} is {value!r}; it must be one of {', '.join(map(repr, allowed))}"
        )


def finite(x: Any) -> tuple[Any, Any]:
    """Matrices with zeros in place of those that are not finite, and which those are.

    LAPACK's iterations need not end for infinities and NaN.
    """
    good = anp.all(anp.isfinite(x), axis=(-2, -1), keepdims=True)
    return anp.where(good, x, 0), good


_LETTERS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}


def lapack(
    routine: str, operands: list[Tracer], shapes: list[tuple[Any, tuple[int, ...]]], **options: str
) -> tuple[Any, ...]:
    """Call LAPACK's routine on stacks of matrices, which are given and returned transposed.

    It reads columns where arrays hold rows.  `shapes` are dtypes and shapes of the results, after
    those of the stack, which all operands have; options are LAPACK's letters.
    """
    stack = operands[0].shape[:-2]
    types = [aval(dtype, (*stack, *shape)).type for dtype, shape in shapes]
    target = f"lapack_{_LETTERS[operands[0].dtype.name]}{routine}_ffi"
    letters = {name: np.uint8(ord(letter)) for name, letter in options.items()}
    params = foreign_params(target, types, "broadcast", False, letters)
    return tuple(prim.custom_call(*operands, **params))
