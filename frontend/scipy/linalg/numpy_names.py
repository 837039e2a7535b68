"""Functions that NumPy has under the same names, with the parameters and results of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.call_spellings.translation import spelled
from anvl.dispatch.eager import public
from anvl.numpy.standard.matrices import stack_of_matrices
from anvl.runtime import hiding_frames
from anvl.scipy.linalg.hermitian_eigenvalues import eigh
from anvl.scipy.linalg.stacks import ct
from anvl.transforms.stop_gradient import stop_gradient

__all__ = ["eig", "eigvals", "eigvalsh", "lstsq", "norm", "pinv", "svdvals"]


@hiding_frames
def eig(
    a: Any,
    b: None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    """Eigenvalues of square matrices, in no order, and eigenvectors; all complex.

    Parameters
    ----------
    a : array of shape (..., n, n)
    b : None
        There are no eigenvalues of pairs.
    left, right : bool
        Whether to give left and right eigenvectors.
    overwrite_a, overwrite_b, check_finite : bool
        Without effect.
    homogeneous_eigvals : bool
        False.

    Returns
    -------
    w, or a tuple of it with vl and vr, those that are wanted: of shapes (..., n) and (..., n, n),
    with vl^H a = w vl^H and a vr = vr w, and columns of length 1.

    Raises
    ------
    LinAlgError
        a is not a stack of square matrices.
    NotImplementedError
        A pair, or homogeneous eigenvalues.

    Notes
    -----
    Left eigenvectors are from the inverse of the right ones: NaN where these are dependent.  At
    equal eigenvalues derivatives of functions of both are NaN.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> w, v = linalg.eig(np.asarray([[0.0, 1.0], [-1.0, 0.0]]))
    >>> print(w)
    [0.+1.j 0.-1.j]
    """
    _check_alone("eig", b, homogeneous_eigvals)
    if not left:
        return anp.linalg.eig(a) if right else anp.linalg.eigvals(a)
    w, vl, vr = _eig(a)
    return (w, vl, vr) if right else (w, vl)


def _check_alone(name: str, b: Any, homogeneous: bool) -> None:
    if b is not None:
        raise NotImplementedError(
            f"{name}: b is given; a general pair is not supported: give solve(b, a), or use eigh "
            "for a Hermitian a and a positive definite b"
        )
    if homogeneous:
        raise NotImplementedError(f"{name}: homogeneous_eigvals is {homogeneous!r}; leave it out")


@public()
def _eig(a: Any) -> Any:
    w, vr = anp.linalg.eig(a)
    vl = ct(anp.linalg.inv(vr))
    return w, anp.divide(vl, anp.linalg.norm(vl, axis=-2, keepdims=True)), vr


@hiding_frames
def eigvals(
    a: Any,
    b: None = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    """Eigenvalues of square matrices, in no order, as of `eig`.

    Parameters
    ----------
    a : array of shape (..., n, n)
    b, homogeneous_eigvals
        As of `eig`.
    overwrite_a, check_finite : bool
        Without effect.

    Returns
    -------
    Complex array of shape (..., n).

    Raises
    ------
    LinAlgError, NotImplementedError
        As of `eig`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.eigvals(np.asarray([[2.0, 1.0], [0.0, 3.0]])))
    [2.+0.j 3.+0.j]
    """
    _check_alone("eigvals", b, homogeneous_eigvals)
    return anp.linalg.eigvals(a)


@hiding_frames
def eigvalsh(
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Any = None,
    driver: str | None = None,
) -> Any:
    """Ascending eigenvalues of Hermitian matrices, or of pairs of them: those of `eigh`.

    Parameters
    ----------
    a, b, lower, overwrite_a, overwrite_b, type, check_finite, subset_by_index, driver
        As of `eigh`, with its errors: one triangle is read, by default the lower one.

    Returns
    -------
    Real array of shape (..., n).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.eigvalsh(np.asarray([[2.0, 9.0], [1.0, 2.0]], "float64")))
    [1. 3.]
    """
    options = {"lower": lower, "type": type, "subset_by_index": subset_by_index}
    return eigh(a, b, eigvals_only=True, **options)


@spelled("a b rcond:cond")
def lstsq(
    a: Any,
    b: Any,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: str | None = None,
) -> Any:
    """Least-squares solution x, which minimizes |a x - b|, as `anvl.numpy.linalg.lstsq`.

    Parameters
    ----------
    a : array of shape (m, n)
    b : array of shape (m,) or (m, k)
    cond : float, optional
        Singular values of at most `cond` times the largest are taken as 0.
    overwrite_a, overwrite_b, check_finite, lapack_driver : no effect

    Returns
    -------
    A tuple (x, residuals, rank, singular values).

    Raises
    ------
    LinAlgError
        Shapes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(np.round(linalg.lstsq(np.asarray([[3.0], [4.0]]), np.asarray([3.0, 4.0]))[0], 5))
    [1.]
    """
    return anp.linalg.lstsq(a, b, cond)


@spelled("x ord axis keepdims")
def norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True
) -> Any:
    """Norm of vectors or matrices, as `anvl.numpy.linalg.norm`; `check_finite` has no effect.

    Parameters
    ----------
    a : array
    ord, axis, keepdims
        As of `anvl.numpy.linalg.norm`.
    check_finite : bool
        Ignored: NaN gives NaN.

    Returns
    -------
    Real array.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.norm(np.asarray([3.0, 4.0])))
    5.0
    """
    return anp.linalg.norm(a, ord, axis, keepdims)


@spelled("a rcond:rtol")
def pinv(
    a: Any,
    *,
    atol: Any = None,
    rtol: Any = None,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    """Pseudoinverse: pinv(a) @ b is the shortest x that minimizes |a x - b|.

    Parameters
    ----------
    a : array of shape (..., m, n)
    atol, rtol : float, optional
        Singular values of at most `atol + rtol * largest` are taken as 0; by default `atol` is 0,
        and `rtol` the epsilon of the dtype times the longer side of a.
    return_rank : bool
        Whether to give the number of the other singular values, too.
    check_finite : bool
        Without effect.

    Returns
    -------
    Array of shape (..., n, m); with `return_rank` a tuple of it and integers of shape (...).

    Raises
    ------
    LinAlgError
        a is not a stack of matrices.
    ValueError
        atol or rtol is negative.

    Notes
    -----
    Derivatives are those of `anvl.numpy.linalg.pinv`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.pinv(np.asarray([[2.0, 0.0], [0.0, 0.1]]), atol=1.0))
    [[0.5 0. ]
     [0.  0. ]]
    """
    for name, bound in (("atol", atol), ("rtol", rtol)):
        if isinstance(bound, int | float) and not bound >= 0:
            raise ValueError(f"pinv: {name} is {bound}; it must be at least 0")
    if atol is None and not return_rank:
        return anp.linalg.pinv(a, rtol=rtol)
    made, rank = _pinv(a, 0.0 if atol is None else atol, rtol)
    return (made, rank) if return_rank else made


@public()
def _pinv(a: Any, atol: Any, rtol: Any) -> Any:
    x = stack_of_matrices("pinv", a)
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(x.dtype).eps)
    values = stop_gradient(anp.linalg.svdvals(x))
    largest = anp.max(values, axis=-1, initial=0)
    least = anp.add(atol, anp.multiply(rtol, largest))
    rank = anp.sum(anp.greater(values, anp.expand_dims(least, -1)), axis=-1)
    bounds = anp.where(anp.equal(largest, 0), 1, anp.divide(least, largest))
    return anp.linalg.pinv(x, rtol=anp.astype(bounds, values.dtype)), rank


@hiding_frames
def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Descending singular values, as `anvl.numpy.linalg.svdvals`; the flags have no effect.

    Parameters
    ----------
    a : array of shape (..., m, n)
    overwrite_a, check_finite : bool
        Ignored, as arrays are immutable, and NaN gives NaN.

    Returns
    -------
    Real array of shape (..., min(m, n)).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.svdvals(np.asarray([[0.0, 2.0], [3.0, 0.0]])))
    [3. 2.]
    """
    return anp.linalg.svdvals(a)
