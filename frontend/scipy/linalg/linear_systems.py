"""Linear systems of `anvl.scipy.linalg`: general, triangular, by factors; inverse, determinant."""

from __future__ import annotations

from functools import partial
from typing import Any

import anvl.numpy as anp
from anvl.call_spellings.translation import spelled
from anvl.control_flow.loops import fori_loop
from anvl.core.promote import as_tracer, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.op import emit
from anvl.dialect.ops.linalg import matrices
from anvl.dispatch.eager import public
from anvl.numpy.functions.emitting import prim
from anvl.numpy.linear.matrix_functions import composed
from anvl.numpy.standard.matrices import square_matrices, stack_of_matrices
from anvl.runtime import hiding_frames
from anvl.scipy.linalg.stacks import hermitian, one_of

__all__ = [
    "cho_factor", "cho_solve", "cholesky", "det", "inv", "lu_factor", "lu_solve", "solve",
    "solve_triangular",
]  # fmt: skip


@hiding_frames
def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Cholesky factor of positive definite matrices: upper by default, as in SciPy.

    Parameters
    ----------
    a : array of shape (..., n, n)
        Symmetric or Hermitian; one triangle is read, the one that `lower` names.
    lower : bool
        Whether to give l with l l^H = a, not u with u^H u = a.
    overwrite_a, check_finite : bool
        Without effect.

    Returns
    -------
    An array of the shape and dtype of a, with zeros in the other triangle; NaN where a is not
    positive definite.

    Raises
    ------
    LinAlgError
        a is not a stack of square matrices.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.cholesky(np.asarray([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 1.]
     [0. 2.]]
    """
    return _cholesky(a, bool(lower))


@public("lower")
def _cholesky(a: Any, lower: bool) -> Any:
    x = hermitian(square_matrices("cholesky", a), lower)
    return anp.linalg.cholesky(x, upper=not lower)


@hiding_frames
def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, bool]:
    """Cholesky factor for `cho_solve`, and whether it is the lower one.

    Parameters, errors and NaN are those of `cholesky`.

    Returns
    -------
    The factor, with zeros in the other triangle, where SciPy leaves any numbers; and `lower`.
    """
    return cholesky(a, lower), lower


@hiding_frames
def cho_solve(
    c_and_lower: tuple[Any, bool], b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """Solve a x = b by the Cholesky factor of a.

    Parameters
    ----------
    c_and_lower : tuple
        A factor of shape (..., n, n), of which one triangle is read, and whether it is the lower
        one, as `cho_factor` gives them.
    b : array of shape (n,) or (..., n, k)
        Right-hand sides.
    overwrite_b, check_finite : bool
        Without effect.

    Returns
    -------
    An array of the shape of b.

    Raises
    ------
    LinAlgError
        Shapes that do not fit.
    """
    c, lower = c_and_lower
    half = solve_triangular(c, b, trans=2 * (not lower), lower=lower)
    return solve_triangular(c, half, trans=2 * bool(lower), lower=lower)


@spelled("a b trans lower unit_diagonal overwrite_b debug check_finite")
def solve_triangular(
    a: Any,
    b: Any,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    """Solve op(a) x = b for a triangular a, of which one triangle is read.

    Parameters
    ----------
    a : array of shape (..., n, n)
    b : array of shape (n,) or (..., n, k)
        One right-hand side, or stacks of k.
    trans : {0, "N", 1, "T", 2, "C"}
        op(a): a itself, its transpose, or its conjugate transpose.
    lower : bool
        Whether the lower triangle is read; the upper one by default.
    unit_diagonal : bool
        Whether the diagonal is taken as ones, and not read.
    overwrite_b, check_finite : bool
        Without effect.

    Returns
    -------
    An array of the shape of b; infinities and NaN for zeros on the diagonal.

    Raises
    ------
    LinAlgError
        Shapes that do not fit.
    ValueError
        Another `trans`.

    Notes
    -----
    Source: StableHLO, `triangular_solve`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.solve_triangular(np.asarray([[2.0, 1.0], [9.0, 4.0]]), np.asarray([4.0, 8.0])))
    [1. 2.]
    """
    if isinstance(trans, bool) or trans not in _TRANSPOSES:
        raise ValueError(
            f"solve_triangular: trans is {trans!r}; it must be 0, 1, 2, 'N', 'T' or 'C'"
        )
    return _solve(a, b, _TRANSPOSES[trans], bool(lower), bool(unit_diagonal))


_TRANSPOSES: dict[int | str, str] = {
    0: "NO_TRANSPOSE", 1: "TRANSPOSE", 2: "ADJOINT",
    "N": "NO_TRANSPOSE", "T": "TRANSPOSE", "C": "ADJOINT",
}  # fmt: skip


@public("transpose_a", "lower", "unit")
def _solve(a: Any, b: Any, transpose_a: str, lower: bool, unit: bool) -> Any:
    (x, y), _ = promoted("solve_triangular", (a, b), at_least="float", broadcast=False)
    _check(x, y)
    columns = anp.expand_dims(y, -1) if y.ndim == 1 else y
    stack = anp.broadcast_shapes(x.shape[:-2], columns.shape[:-2])
    columns = anp.broadcast_to(columns, (*stack, *columns.shape[-2:]))
    if columns.shape[columns.ndim - x.ndim : -2] != x.shape[:-2]:
        x = anp.broadcast_to(x, (*stack, *x.shape[-2:]))
    solve = partial(
        emit.triangular_solve, left_side=True, lower=lower, unit_diagonal=unit,
        transpose_a=transpose_a,
    )  # fmt: skip
    found = composed(lambda a, b: matrices.by_shared_matrices(solve, a, b), x, columns)
    return anp.squeeze(found, -1) if y.ndim == 1 else found


def _check(a: Tracer, b: Tracer, name: str = "solve_triangular") -> None:
    square_matrices(name, a)
    if b.ndim == 0 or b.shape[-1 if b.ndim == 1 else -2] != a.shape[-1]:
        raise anp.linalg.LinAlgError(
            f"{name}: b is {b.aval}, which does not fit a, {a.aval}; give "
            f"({a.shape[-1]},) or (..., {a.shape[-1]}, k)"
        )


@hiding_frames
def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Determinant of square matrices, as `anvl.numpy.linalg.det`; the flags have no effect.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.det(np.asarray([[1.0, 2.0], [3.0, 4.0]])))
    -2.0
    """
    return anp.linalg.det(a)


@hiding_frames
def inv(
    a: Any,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: str | None = None,
    lower: bool = False,
) -> Any:
    """Inverse of square matrices; infinite or NaN where a is singular.

    Parameters
    ----------
    a : array of shape (..., n, n)
    overwrite_a, check_finite : bool
        Without effect.
    assume_a, lower
        As of `solve`.

    Returns
    -------
    An array of the shape of a.

    Raises
    ------
    LinAlgError
        a is not a stack of square matrices.
    ValueError
        Another `assume_a`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.inv(np.asarray([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    one_of("inv", "assume_a", assume_a, _STRUCTURES)
    return _inverse(a, _STRUCTURES[assume_a], bool(lower))


@public("structure", "lower")
def _inverse(a: Any, structure: str, lower: bool) -> Any:
    x = square_matrices("inv", a)
    unit = anp.broadcast_to(anp.eye(x.shape[-1], dtype=x.dtype), x.shape)
    return _solved(x, unit, structure, lower)


#: `assume_a`, and what is read of a.
_STRUCTURES: dict[str | None, str] = {
    None: "gen", "gen": "gen", "general": "gen", "banded": "gen", "tridiagonal": "tridiagonal",
    "sym": "sym", "symmetric": "sym", "her": "her", "hermitian": "her",
    "pos": "pos", "positive definite": "pos", "diagonal": "diagonal",
    "upper triangular": "upper", "lower triangular": "lower",
}  # fmt: skip


@spelled("a b lower overwrite_a overwrite_b debug check_finite assume_a")
def solve(
    a: Any,
    b: Any,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
) -> Any:
    """Solve a x = b, or its transpose, by a factorization that suits the structure of a.

    Parameters
    ----------
    a : array of shape (..., n, n)
    b : array of shape (n,) or (..., n, k)
        One right-hand side, or stacks of k.
    lower : bool
        For symmetric and Hermitian a: whether the lower triangle is read; else the upper one.
    overwrite_a, overwrite_b, check_finite : bool
        Without effect.
    assume_a : str, optional
        "gen" (the default), "sym", "her", "pos", "diagonal", "tridiagonal", "banded",
        "upper triangular" or "lower triangular".  Elements outside of the structure are not read;
        "pos" takes a Cholesky factorization, and gives NaN where a is not positive definite.
    transposed : bool
        Solve a^T x = b.

    Returns
    -------
    An array of the shape of b; infinite or NaN where a is singular.

    Raises
    ------
    LinAlgError
        Shapes that do not fit.
    ValueError
        Another `assume_a`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.solve(np.asarray([[2.0, 1.0], [9.0, 1.0]]), np.ones(2), assume_a="sym"))
    [0. 1.]
    """
    one_of("solve", "assume_a", assume_a, _STRUCTURES)
    return _solve_general(a, b, _STRUCTURES[assume_a], bool(lower), bool(transposed))


@public("structure", "lower", "transposed")
def _solve_general(a: Any, b: Any, structure: str, lower: bool, transposed: bool) -> Any:
    (x, y), _ = promoted("solve", (a, b), at_least="float", broadcast=False)
    _check(x, y, "solve")
    if transposed:
        x = anp.matrix_transpose(x)
        lower = not lower
        structure = {"upper": "lower", "lower": "upper"}.get(structure, structure)
    return _solved(x, y, structure, lower)


def _solved(x: Any, y: Any, structure: str, lower: bool) -> Any:
    """Solution of x by what `structure` says of it."""
    if structure in ("upper", "lower"):
        return solve_triangular(x, y, lower=structure == "lower")
    if structure == "pos":
        return cho_solve((cholesky(x, lower), lower), y)
    if structure == "diagonal":
        d = anp.diagonal(x, axis1=-2, axis2=-1)
        return anp.divide(y, d if y.ndim == 1 and x.ndim == 2 else anp.expand_dims(d, -1))
    if structure == "tridiagonal":
        x = anp.triu(anp.tril(x, 1), -1)
    elif structure in ("sym", "her"):
        x = hermitian(x, lower, conjugate=structure == "her")
    return anp.linalg.solve(x, y)


@hiding_frames
def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Any, Any]:
    """LU factorization with pivots of rows, for `lu_solve`.

    Parameters
    ----------
    a : array of shape (..., m, n)
    overwrite_a, check_finite : bool
        Without effect.

    Returns
    -------
    (lu, piv): u in the upper triangle and, below it, l, whose diagonal of ones is not stored; and
    for each row the row that it was swapped with, in order, of dtype i32.

    Raises
    ------
    LinAlgError
        a is not a stack of matrices.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> lu, piv = linalg.lu_factor(np.asarray([[1.0, 2.0], [2.0, 6.0]]))
    >>> print(lu, piv)
    [[ 2.   6. ]
     [ 0.5 -1. ]] [1 1]
    """
    return _lu_factor(a)


@public()
def _lu_factor(a: Any) -> Any:
    lu, pivots, _ = prim("lu", stack_of_matrices("lu_factor", a))
    return lu, pivots


@hiding_frames
def lu_solve(
    lu_and_piv: tuple[Any, Any],
    b: Any,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    """Solve a x = b by the factors of `lu_factor(a)`.

    Parameters
    ----------
    lu_and_piv : tuple
        (lu, piv) of shapes (..., n, n) and (..., n).
    b : array of shape (n,) or (..., n, k)
    trans : {0, 1, 2}
        Solve with a, with its transpose, or with its conjugate transpose.
    overwrite_b, check_finite : bool
        Without effect.

    Returns
    -------
    An array of the shape of b.

    Raises
    ------
    LinAlgError
        Shapes that do not fit.
    ValueError
        Another `trans`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> factors = linalg.lu_factor(np.asarray([[0.0, 2.0], [4.0, 0.0]]))
    >>> print(linalg.lu_solve(factors, np.asarray([2.0, 4.0])))
    [1. 1.]
    """
    one_of("lu_solve", "trans", trans, (0, 1, 2))
    return _lu_solve(*lu_and_piv, b, int(trans))


@public("trans")
def _lu_solve(lu: Any, piv: Any, b: Any, trans: int) -> Any:
    (x, y), _ = promoted("lu_solve", (lu, b), at_least="float", broadcast=False)
    _check(x, y, "lu_solve")
    swaps = as_tracer(piv, "lu_solve")
    if swaps.shape != x.shape[:-1]:
        raise anp.linalg.LinAlgError(
            f"lu_solve: piv is {swaps.aval}, which does not fit lu, {x.aval}; give both as "
            "`lu_factor` does"
        )
    order = order_of_swaps(swaps)
    columns = anp.expand_dims(y, -1) if y.ndim == 1 else y
    stack = anp.broadcast_shapes(x.shape[:-2], columns.shape[:-2])
    columns = anp.broadcast_to(columns, (*stack, *columns.shape[-2:]))
    if trans == 0:
        columns = _rows(columns, order)
        half = solve_triangular(x, columns, lower=True, unit_diagonal=True)
        found = solve_triangular(x, half)
    else:
        half = solve_triangular(x, columns, trans=trans)
        found = solve_triangular(x, half, trans=trans, lower=True, unit_diagonal=True)
        found = _rows(found, anp.argsort(order, axis=-1))
    return anp.squeeze(found, -1) if y.ndim == 1 else found


def _rows(columns: Any, order: Any) -> Any:
    index = anp.expand_dims(order, -1)
    return anp.take_along_axis(columns, anp.broadcast_to(index, columns.shape), axis=-2)


def order_of_swaps(swaps: Any) -> Any:
    """Order of rows that swaps of each with another lead to, one after the other."""
    count = swaps.shape[-1]
    places = anp.arange(count, dtype="int32")
    start = anp.broadcast_to(places, swaps.shape)

    def swapped(i: Any, order: Any) -> Any:
        here = anp.equal(places, i)
        other = anp.sum(anp.where(here, swaps, 0), axis=-1, keepdims=True)
        there = anp.equal(places, other)
        mine = anp.sum(anp.where(here, order, 0), axis=-1, keepdims=True)
        its = anp.sum(anp.where(there, order, 0), axis=-1, keepdims=True)
        return anp.astype(anp.where(here, its, anp.where(there, mine, order)), "int32")

    return fori_loop(0, count, swapped, start)
