"""Equations between tensors, conditions and chains of products: names of `numpy.linalg`.

Source: NumPy's manual, "Linear algebra".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from numpy.linalg import LinAlgError as LinAlgError

from anvl.core.promote import promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import each_axis, int_of
from anvl.numpy.arrays.choice import isnan, logical_and, logical_not, where
from anvl.numpy.arrays.shaping import moveaxis, reshape
from anvl.numpy.functions.elementwise import divide, multiply
from anvl.numpy.functions.norms import norm
from anvl.numpy.functions.products import matmul
from anvl.numpy.functions.reductions import any
from anvl.numpy.linear.matrix_functions import inv, solve, svdvals

__all__ = ["LinAlgError", "cond", "multi_dot", "tensorinv", "tensorsolve"]


@public("p")
def cond(x: Any, p: Any = None) -> Any:
    """Condition number of matrices: the norm of x times that of its inverse.

    Parameters
    ----------
    x : array
        Matrices, square unless p is None, 2 or -2.
    p : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"}, optional
        The norm, as of `norm`; None and 2 are the ratio of the largest singular value to the
        smallest, -2 its inverse.

    Returns
    -------
    An array of floats, infinite for singular matrices.

    Raises
    ------
    ValueError
        Another norm.
    numpy.linalg.LinAlgError
        x is no matrix, not square, or has no elements.

    Notes
    -----
    Where the selected singular values are not single, derivatives are those of a corner.
    Source: `numpy.linalg.cond`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.linalg.cond(np.asarray([[4.0, 0.0], [0.0, 2.0]])))
    2.0
    """
    (a,), _ = promoted("cond", (array_like(x, "cond"),), "float")
    if a.ndim < 2:
        raise LinAlgError(f"cond: takes matrices, got {a.aval}")
    if not a.size:
        raise LinAlgError(f"cond: {a.aval} has no elements")
    if p is None or p in (2, -2):
        s = svdvals(a)
        ends = (s[..., -1], s[..., 0]) if p == -2 else (s[..., 0], s[..., -1])
        found = divide(*ends)
    else:
        if a.shape[-1] != a.shape[-2]:
            raise LinAlgError(f"cond: p={p!r} takes square matrices, got {a.aval}")
        found = multiply(norm(a, ord=p, axis=(-2, -1)), norm(inv(a), ord=p, axis=(-2, -1)))
    # 0 / 0, and the inverse of a singular matrix: infinite, unless x itself has a NaN.
    is_lost = logical_and(isnan(found), logical_not(any(isnan(a), axis=(-2, -1))))
    return where(is_lost, math.inf, found)


@public()
def multi_dot(arrays: Sequence[Any]) -> Any:
    """Product of several matrices, in the order that takes the fewest multiplications.

    The first and the last may be vectors, a row and a column.  Raises `ValueError` for fewer than
    two arrays, others that are no matrices, and sizes that do not fit.
    Source: `numpy.linalg.multi_dot`; T. Cormen et al., Introduction to Algorithms, section 15.2.

    >>> import anvl.numpy as np
    >>> np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 4)), np.ones(4)])
    Array([12., 12.], dtype=float32)
    """
    given = [array_like(a, "multi_dot") for a in arrays]
    if len(given) < 2:
        raise ValueError(f"multi_dot: takes at least two arrays, got {len(given)}")
    operands, _ = promoted("multi_dot", given, broadcast=False)
    first, last = operands[0].ndim == 1, operands[-1].ndim == 1
    if first:
        operands[0] = reshape(operands[0], (1, operands[0].size))
    if last:
        operands[-1] = reshape(operands[-1], (operands[-1].size, 1))
    for x in operands:
        if x.ndim != 2:
            raise ValueError(f"multi_dot: takes matrices, got {x.aval}")
    found = _product(operands, _cuts([x.shape[0] for x in operands] + [operands[-1].shape[1]]))
    kept = found.shape[first : 2 - last]
    return reshape(found, kept)


def _cuts(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to divide each part of a chain of matrices, by dynamic programming."""
    n = len(sizes) - 1
    costs = {(i, i): 0 for i in range(n)}
    cuts: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            options = {
                k: costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            }
            cuts[i, j] = min(options, key=options.__getitem__)
            costs[i, j] = options[cuts[i, j]]
    return cuts


def _product(xs: Sequence[Tracer], cuts: dict[tuple[int, int], int]) -> Any:
    def part(i: int, j: int) -> Any:
        if i == j:
            return xs[i]
        return matmul(part(i, cuts[i, j]), part(cuts[i, j] + 1, j))

    return part(0, len(xs) - 1)


@public("axes")
def tensorsolve(a: Any, b: Any, axes: Sequence[int] | None = None) -> Any:
    """Solve tensordot(a, x, x.ndim) = b.

    Parameters
    ----------
    a : array
        Its first axes are those of b, its last ones those of x; as many elements in both.
    b : array
    axes : sequence of int, optional
        Axes of a to move to the end first.

    Returns
    -------
    x, an array.

    Raises
    ------
    ValueError
        The sizes do not fit.

    Notes
    -----
    Infinite or NaN where a is singular.  Source: `numpy.linalg.tensorsolve`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> a = np.eye(4).reshape(2, 2, 2, 2)
    >>> print(np.linalg.tensorsolve(a, np.asarray([[1.0, 2.0], [3.0, 4.0]])))
    [[1. 2.]
     [3. 4.]]
    """
    left, right = array_like(a, "tensorsolve"), array_like(b, "tensorsolve")
    if axes is not None:
        moved = each_axis(tuple(axes), left.ndim, "tensorsolve")
        left = moveaxis(left, moved, tuple(range(left.ndim - len(moved), left.ndim)))
    shape = left.shape[right.ndim :]
    if left.shape[: right.ndim] != right.shape or math.prod(shape) != right.size:
        raise ValueError(
            f"tensorsolve: {left.aval} must begin with the axes of {right.aval}, and have as many "
            "elements in the others"
        )
    matrix = reshape(left, (right.size, right.size))
    return reshape(solve(matrix, reshape(right, (right.size,))), shape)


@public("ind")
def tensorinv(a: Any, ind: int = 2) -> Any:
    """Inverse of a for tensordot over `ind` axes.

    The first `ind` axes of a have as many elements as the others, which come first in the result.
    Raises `ValueError` if not, or for an `ind` below 1.  Source: `numpy.linalg.tensorinv`.

    >>> import anvl.numpy as np
    >>> np.linalg.tensorinv(np.eye(6).reshape(2, 3, 6)).shape
    (6, 2, 3)
    """
    operand, count = array_like(a, "tensorinv"), int_of(ind, "ind", "tensorinv", least=1)
    rows, columns = operand.shape[:count], operand.shape[count:]
    size = math.prod(rows)
    if size != math.prod(columns):
        raise ValueError(
            f"tensorinv: the first {count} axes of {operand.aval} have {size} elements, the others "
            f"{math.prod(columns)}; both must be as many"
        )
    return reshape(inv(reshape(operand, (size, size))), (*columns, *rows))
