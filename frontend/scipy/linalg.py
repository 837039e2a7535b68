"""`anvl.scipy.linalg`: triangular and Cholesky solves, with the names and arguments of SciPy.

All functions take stacks, as in `anvl.numpy.linalg`, of which `det`, `expm`, `inv` and `pinv` are
here, too.  Matrices that cannot be factorized give NaN; nothing is raised, and `check_finite` and
the `overwrite` arguments change nothing.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> factor = linalg.cho_factor(np.asarray([[4.0, 2.0], [2.0, 5.0]]), lower=True)
    >>> print(linalg.cho_solve(factor, np.asarray([8.0, 12.0])))
    [1. 2.]
"""

from __future__ import annotations

from typing import Any

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_linalg import SCIPY_LINALG as _ENTRIES
from anvl.numpy.functions.emitting import prim
from anvl.numpy.linalg import det as det
from anvl.numpy.linalg import expm as expm
from anvl.numpy.linalg import inv as inv
from anvl.numpy.linalg import pinv as pinv
from anvl.runtime import hiding_frames

__all__ = [
    "cho_factor", "cho_solve", "cholesky", "det", "expm", "inv", "pinv", "solve_triangular",
]  # fmt: skip


@hiding_frames
def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Cholesky factor of positive definite matrices: upper by default, as in SciPy.

    Parameters
    ----------
    a : array of shape (..., n, n)
        Symmetric or Hermitian; it is symmetrised first.
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
    numpy.linalg.LinAlgError
        a is not a stack of square matrices.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.cholesky(np.asarray([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 1.]
     [0. 2.]]
    """
    return anp.linalg.cholesky(a, upper=not lower)


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
    ValueError
        Shapes that do not fit.
    """
    c, lower = c_and_lower
    half = solve_triangular(c, b, trans=2 * (not lower), lower=lower)
    return solve_triangular(c, half, trans=2 * bool(lower), lower=lower)


@hiding_frames
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
    ValueError
        Shapes that do not fit, or another `trans`.

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
    x = anp.broadcast_to(x, (*stack, *x.shape[-2:]))
    columns = anp.broadcast_to(columns, (*stack, *columns.shape[-2:]))
    found = prim(
        "triangular_solve", x, columns, left_side=True, lower=lower, unit_diagonal=unit,
        transpose_a=transpose_a,
    )  # fmt: skip
    return anp.squeeze(found, -1) if y.ndim == 1 else found


def _check(a: Tracer, b: Tracer) -> None:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"solve_triangular: a is {a.aval}, not a stack of square matrices")
    if b.ndim == 0 or b.shape[-1 if b.ndim == 1 else -2] != a.shape[-1]:
        raise ValueError(
            f"solve_triangular: b is {b.aval}, which does not fit a, {a.aval}; give "
            f"({a.shape[-1]},) or (..., {a.shape[-1]}, k)"
        )


_complete(__all__, globals(), _ENTRIES)


def __dir__() -> list[str]:
    return sorted(__all__)
