"""Parameters and results of the functions of `anvl.numpy.linalg` and `anvl.scipy.linalg`."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name
from anvl.docstrings.of_numpy import NUMPY

__all__ = ["LINALG", "SCIPY_LINALG"]

_PARAMETERS = {
    **NUMPY.parameters,
    "a": "array: Of shape (..., n, n): square matrices.",
    "b": "array: Of shape (n,) or (..., n, k).",
    "check_finite": "bool: Ignored: NaN gives NaN.",
    "lower": "bool: Whether the factor is the lower triangle.",
    "overwrite_a": "bool: Ignored, as arrays are immutable.",
    "upper": "bool: Whether the factor is the upper triangle.",
    "x": "array: Of shape (..., m, n): matrices.",
}
_ANY = "array: Of shape (..., m, n): matrices."
_OWN = {
    "cross": {"x": "array: Of size 3 along the axis.", "y": "array: Of size 3 along the axis."},
    "expm": {"max_squarings": "int: The largest number of squarings."},
    "matmul": NUMPY.own["matmul"],
    "matrix_power": {"n": "int: The power."},
    "multi_dot": {"arrays": "sequence of matrices: The first and the last may be vectors."},
    "outer": {"x1": "vector", "x2": "vector"},
    "pinv": {
        "a": _ANY,
        "rcond": "float: Relative to the largest singular value.",
        "rtol": "float or array: The standard's name of `rcond`.",
    },
    "qr": {"a": _ANY, "mode": '{"reduced", "complete", "r"}'},
    "svd": {
        "a": _ANY,
        "full_matrices": "bool: Whether u and vh are square.",
        "compute_uv": "bool: Whether u and vh are returned, too.",
    },
    "svdvals": {"a": _ANY},
    "tensordot": {"x": "array", "y": "array", "axes": "int or pair of sequences of int"},
    "tensorinv": {
        "a": "array: Of as many elements in the first `ind` axes as in the others.",
        "ind": "int: The number of the first axes.",
    },
    "vecdot": {"x": "array"},
}

_RESULTS = {
    "Array of shape (..., n, n), of floats or complex numbers.": "cholesky expm inv",
    "Array of shape (..., n, n), in the dtype of a; floats for a negative n.": "matrix_power",
    "Array of shape (...), of floats or complex numbers.": "det",
    "Named tuple (sign, logabsdet) of arrays of shape (...).": "slogdet",
    "Array whose last axis is the diagonal, in the dtype of x.": "diagonal",
    "Array of shape (...); dtypes as of `sum`.": "trace",
    "Named tuple (eigenvalues, eigenvectors) of arrays (..., n) and, in columns, (..., n, n).": "eig eigh",
    "Array of shape (..., n), complex.": "eigvals",
    "Array of shape (..., n), real.": "eigvalsh",
    "Array of shape (..., n, m), of floats or complex numbers.": "pinv",
    'Named tuple (Q, R) of arrays; R alone in the mode "r".': "qr",
    "Array of the shape of b.": "solve",
    "Named tuple (U, S, Vh) of arrays; S alone without `compute_uv`.": "svd",
    "Array of shape (..., min(m, n)), real.": "svdvals",
    "Array of the broadcast leading axes, and the rows of x and columns of y.": "matmul",
    "Array of the dtype of x, its last two axes exchanged.": "matrix_transpose",
    "Matrix of the sizes of x1 and x2.": "outer",
    "Array of the leading axes of x and the last ones of y.": "tensordot",
    "Array of the broadcast shape without the axis.": "vecdot",
    "Array of the shape of x and y, broadcast.": "cross",
    "Matrix; a vector or a number where the ends are vectors.": "multi_dot",
    "Array: the last axes of a come first.": "tensorinv",
}

_STANDARD = frozenset(
    "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank "
    "matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot "
    "vector_norm".split()
)
_NUMPY = frozenset("cond eig eigvals lstsq multi_dot norm tensorinv tensorsolve".split())


def _link(name: str) -> str | None:
    if name in _STANDARD:
        pages = "https://data-apis.org/array-api/2025.12/extensions/generated/array_api.linalg."
        return f"{pages}{name}.html"
    if name in _NUMPY:
        return f"https://numpy.org/doc/stable/reference/generated/numpy.linalg.{name}.html"
    return _scipy_link(name) if name == "expm" else None


def _scipy_link(name: str) -> str:
    return f"https://docs.scipy.org/doc/scipy/reference/generated/scipy.linalg.{name}.html"


_EXAMPLES = {
    "cho_factor": (
        ">>> import anvl.numpy as np\n>>> from anvl.scipy import linalg\n"
        ">>> linalg.cho_factor(np.asarray([[4.0, 2.0], [2.0, 2.0]]), lower=True)\n"
        "(Array([[2., 0.],\n       [1., 1.]], dtype=float32), True)"
    ),
    "cho_solve": (
        ">>> import anvl.numpy as np\n>>> from anvl.scipy import linalg\n"
        ">>> factor = linalg.cho_factor(np.asarray([[4.0, 2.0], [2.0, 2.0]]))\n"
        ">>> print(linalg.cho_solve(factor, np.asarray([8.0, 6.0])))\n[1. 2.]"
    ),
}

_SCIPY_PARAMETERS = {
    "A": "array: Of shape (..., n, n): square matrices.",
    "dtype": "dtype",
    "exact": "bool: Whether to give integers.",
    "lapack_driver": "str: Ignored.",
    "max_squarings": "int: The largest number of squarings.",
    "n": "int: The number of rows.",
    "q": "array: Of shape (..., n, n).",
    "upper_triangular": "bool: Ignored.",
}
_SCIPY_RESULTS = {
    "Array of the shape of A, of floats or complex numbers.": "cosm sinm tanm coshm sinhm tanhm",
    "Array of the shape of q.": "solve_continuous_lyapunov",
    "Array of shape (..., n - 1, n - 1), of floats or complex numbers.": "fiedler_companion",
    "Array of shape (n, n).": "hadamard hilbert invpascal",
}

LINALG = Entries(_PARAMETERS, _OWN, by_name(_RESULTS), _link)
SCIPY_LINALG = Entries(
    {**_PARAMETERS, **_SCIPY_PARAMETERS},
    {**_OWN, "invpascal": {"kind": '{"symmetric", "lower", "upper"}'}},
    by_name({**_RESULTS, **_SCIPY_RESULTS}),
    _scipy_link,
    _EXAMPLES,
)
