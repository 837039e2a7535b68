"""`SparseMatrix`: a sparse Jacobian or Hessian, with its pattern and the number of directions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree

__all__ = ["Layout", "SparseMatrix"]


class Layout:
    """All of a sparse matrix but its values: what a program needs to know of it.

    `rows` and `columns` are positions in the flat result and the flat argument, in the order of the
    rows; `shape` are the shapes of both.
    """

    def __init__(
        self, rows: Any, columns: Any, shape: tuple[Any, Any], colors: int, mode: str
    ) -> None:
        self.rows, self.columns = rows, columns
        self.of_result, self.of_argument = map(tuple, shape)
        self.colors, self.mode = colors, mode
        self._key = (
            self.of_result, self.of_argument, colors, mode, rows.tobytes(), columns.tobytes(),
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Elements of the result, elements of the argument."""
        sizes = (np.prod(of, dtype=np.int64) for of in (self.of_result, self.of_argument))
        m, n = map(int, sizes)
        return m, n


class SparseMatrix:
    """A sparse Jacobian or Hessian of one result with respect to one argument.

    A pytree of one leaf, `data`; so it passes through `jit`, `vmap` and `grad`.  Rows are elements
    of the flat result, columns elements of the flat argument.  An element that is not in the
    pattern is 0 for all values of the arguments.

    Attributes
    ----------
    data : Array, shape (nnz,)
        The elements in the pattern, row by row.
    rows, columns : numpy.ndarray of int, shape (nnz,)
        Where these are.
    shape : tuple of int
        The numbers of rows and columns.
    nnz : int
        The number of elements in the pattern.
    colors : int
        In how many directions the matrix was computed: those of the whole call, which has one for
        all of its matrices.
    mode : str
        `"forward"`, `"reverse"`, or for a Hessian `"star"` where its symmetry was used, else
        `"forward"`.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> found = anvl.jacobian(np.diff, sparsity="auto")(np.asarray([1.0, 4.0, 9.0]))
    >>> print(found.data, found.rows, found.columns, found.colors)
    [-1.  1. -1.  1.] [0 0 1 1] [0 1 1 2] 2
    >>> print(found.todense())
    [[-1.  1.  0.]
     [ 0. -1.  1.]]
    """

    def __init__(self, data: Any, layout: Layout) -> None:
        self.data, self._layout = data, layout

    @property
    def rows(self) -> np.ndarray:
        return self._layout.rows

    @property
    def columns(self) -> np.ndarray:
        return self._layout.columns

    @property
    def shape(self) -> tuple[int, int]:
        return self._layout.shape

    @property
    def nnz(self) -> int:
        return len(self._layout.rows)

    @property
    def colors(self) -> int:
        return self._layout.colors

    @property
    def mode(self) -> str:
        return self._layout.mode

    def coo(self) -> tuple[Any, tuple[np.ndarray, np.ndarray]]:
        """`(data, (rows, columns))`, as `scipy.sparse.coo_array` takes it, with `shape`."""
        return self.data, (self.rows, self.columns)

    def csr(self) -> tuple[Any, np.ndarray, np.ndarray]:
        """`(data, indices, indptr)`, as `scipy.sparse.csr_array` takes it, with `shape`."""
        counts = np.bincount(self.rows, minlength=self.shape[0])
        return self.data, self.columns, np.concatenate([[0], np.cumsum(counts)])

    def todense(self) -> Any:
        """The whole array: of the shape of the result and then that of the argument."""
        zeros = anp.zeros(self.shape, dtype=self.data.dtype)
        whole = zeros.at[self.rows, self.columns].set(self.data) if self.nnz else zeros
        return whole.reshape((*self._layout.of_result, *self._layout.of_argument))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The whole array, for functions of NumPy, which took it for one object."""
        return np.asarray(self.todense(), dtype)

    def __matmul__(self, vector: Any) -> Any:
        """The product with a vector of the flat argument, or with a matrix of such columns."""
        vector = anp.asarray(vector)
        if vector.ndim not in (1, 2) or vector.shape[0] != self.shape[1]:
            raise ValueError(
                f"SparseMatrix: the other operand of @ has shape {tuple(vector.shape)}; it must "
                f"have {self.shape[1]} rows, one for each column of {self.shape}"
            )
        data = self.data if vector.ndim == 1 else self.data[:, None]
        products = data * vector[self.columns]
        zeros = anp.zeros((self.shape[0], *vector.shape[1:]), dtype=products.dtype)
        return zeros.at[self.rows].add(products) if self.nnz else zeros

    def __repr__(self) -> str:
        m, n = self.shape
        return (
            f"SparseMatrix({m}x{n}, {self.nnz} elements in {self.colors} colors by {self.mode}, "
            f"{self.data!r})"
        )


tree.register_node(
    SparseMatrix,
    lambda x: ((x.data,), x._layout),
    lambda layout, data: SparseMatrix(data[0], layout),
)
