"""Products and eigenvalues with all parameters that NumPy and JAX give them.

They serve calls that have the rare parameters: see `anvl.numpy.analysis.numpy_long_forms`.
Source: JAX's reference, `jax.numpy.matmul` and `jax.numpy.linalg.eigh`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl.core.config import as_dtype
from anvl.numpy.arrays.creation import asarray
from anvl.numpy.arrays.diagonals import tril, triu
from anvl.numpy.arrays.shaping import matrix_transpose
from anvl.numpy.functions import convolving, einstein, products
from anvl.numpy.functions.contraction_options import precision_name, with_precision
from anvl.numpy.functions.elementwise import add, astype, conj
from anvl.numpy.linear import matrix_functions, tensor_equations

__all__ = ["MATRIX_FORMS", "PRODUCT_FORMS", "matmul", "widened"]


def widened(operands: tuple[Any, ...], dtype: Any) -> tuple[Any, ...]:
    """Operands in the dtype of the sums, where that is wider than theirs."""
    if dtype is None:
        return operands
    wanted = as_dtype(dtype)
    arrays = [asarray(x) for x in operands]
    if wanted.itemsize <= max(x.dtype.itemsize for x in arrays):
        return tuple(arrays)
    return tuple(astype(x, wanted) for x in arrays)


def _product(f: Callable[..., Any], a: Any, b: Any, more: Any, precision: Any, dtype: Any) -> Any:
    """A product with a precision, and sums and a result of a dtype."""
    with with_precision(f.__name__, precision):
        found = f(*widened((a, b), dtype), *more)
    return found if dtype is None else astype(found, dtype)


def _of_two(f: Callable[..., Any]) -> Callable[..., Any]:
    def function(
        a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None
    ) -> Any:
        return _product(f, a, b, (), precision, preferred_element_type)

    return function


def _along_axis(f: Callable[..., Any]) -> Callable[..., Any]:
    def function(
        x1: Any, x2: Any, /, *, axis: int = -1, precision: Any = None,
        preferred_element_type: Any = None,
    ) -> Any:  # fmt: skip
        return _product(f, x1, x2, (axis,), precision, preferred_element_type)

    return function


def _over_axes(f: Callable[..., Any]) -> Callable[..., Any]:
    def function(
        a: Any, b: Any, axes: Any = 2, *, precision: Any = None, preferred_element_type: Any = None
    ) -> Any:
        return _product(f, a, b, (axes,), precision, preferred_element_type)

    return function


def _in_mode(f: Callable[..., Any], default: str) -> Callable[..., Any]:
    def function(
        a: Any, v: Any, mode: str = default, *, precision: Any = None,
        preferred_element_type: Any = None,
    ) -> Any:  # fmt: skip
        return _product(f, a, v, (mode,), precision, preferred_element_type)

    return function


def matmul(a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None) -> Any:
    found = products.matmul(
        *widened((a, b), preferred_element_type), precision=precision_name("matmul", precision)
    )
    return found if preferred_element_type is None else astype(found, preferred_element_type)


def einsum(
    subscripts: Any, /, *operands: Any, out: None = None, optimize: Any = "greedy",
    precision: Any = None, preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    if out is not None:
        raise TypeError("einsum: arrays are immutable, so results are new arrays, not out=")
    arrays = widened(operands, preferred_element_type) if isinstance(subscripts, str) else operands
    found = einstein.einsum(
        subscripts, *arrays, precision=precision_name("einsum", precision), optimize=optimize
    )
    return found if preferred_element_type is None else astype(found, preferred_element_type)


def multi_dot(arrays: Any, *, precision: Any = None) -> Any:
    with with_precision("multi_dot", precision):
        return tensor_equations.multi_dot(arrays)


def cholesky(a: Any, *, upper: bool = False, symmetrize_input: bool = True) -> Any:
    x = _from_triangle(a, "U" if upper else "L", True) if not symmetrize_input else a
    return matrix_functions.cholesky(x, upper=upper)


def _from_triangle(a: Any, UPLO: str | None, symmetrize: bool) -> Any:
    """A Hermitian matrix from one triangle of a; a itself where it is to be symmetrised."""
    x = asarray(a)
    if UPLO not in (None, "L", "U"):
        raise ValueError(f"eigh: UPLO is {UPLO!r}; it must be 'L' or 'U'")
    if symmetrize and UPLO is None:
        return x
    one, rest = (triu(x), triu(x, 1)) if UPLO == "U" else (tril(x), tril(x, -1))
    return add(one, conj(matrix_transpose(rest)))


def eigh(a: Any, UPLO: str | None = None, symmetrize_input: bool = True) -> Any:
    return matrix_functions.eigh(_from_triangle(a, UPLO, symmetrize_input))


def eigvalsh(a: Any, UPLO: str | None = None, *, symmetrize_input: bool = True) -> Any:
    return matrix_functions.eigvalsh(_from_triangle(a, UPLO, symmetrize_input))


#: The functions for calls that those of `anvl.numpy` of these names do not take.
PRODUCT_FORMS: dict[str, Callable[..., Any]] = {
    **{name: _of_two(getattr(products, name)) for name in ("dot", "inner", "vdot")},
    "convolve": _in_mode(convolving.convolve, "full"),
    "correlate": _in_mode(convolving.correlate, "valid"),
    "einsum": einsum, "matmul": matmul, "tensordot": _over_axes(products.tensordot),
    "vecdot": _along_axis(products.vecdot),
}  # fmt: skip

#: The same for `anvl.numpy.linalg`.
MATRIX_FORMS: dict[str, Callable[..., Any]] = {
    "cholesky": cholesky, "eigh": eigh, "eigvalsh": eigvalsh, "multi_dot": multi_dot,
}  # fmt: skip
