"""`anvl.scipy.linalg`: factorizations, equations and functions of matrices, as in SciPy.

All functions take stacks: the last two axes are those of the matrices, leading axes are kept.
Matrices that cannot be factorized or solved give NaN or infinities; nothing is raised for values,
and `check_finite` and the `overwrite` arguments change nothing.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> factor = linalg.cho_factor(np.asarray([[4.0, 2.0], [2.0, 5.0]]), lower=True)
    >>> print(linalg.cho_solve(factor, np.asarray([8.0, 12.0])))
    [1. 2.]
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_linalg import SCIPY_LINALG as _ENTRIES
from anvl.numpy.linalg import LinAlgError as LinAlgError
from anvl.scipy.linalg.banded_systems import solve_banded as solve_banded
from anvl.scipy.linalg.banded_systems import solveh_banded as solveh_banded
from anvl.scipy.linalg.factorizations import hessenberg as hessenberg
from anvl.scipy.linalg.factorizations import lu as lu
from anvl.scipy.linalg.factorizations import polar as polar
from anvl.scipy.linalg.factorizations import qr as qr
from anvl.scipy.linalg.factorizations import qr_multiply as qr_multiply
from anvl.scipy.linalg.factorizations import svd as svd
from anvl.scipy.linalg.functions_of_matrices import coshm as coshm
from anvl.scipy.linalg.functions_of_matrices import cosm as cosm
from anvl.scipy.linalg.functions_of_matrices import expm as expm
from anvl.scipy.linalg.functions_of_matrices import expm_frechet as expm_frechet
from anvl.scipy.linalg.functions_of_matrices import funm as funm
from anvl.scipy.linalg.functions_of_matrices import logm as logm
from anvl.scipy.linalg.functions_of_matrices import sinhm as sinhm
from anvl.scipy.linalg.functions_of_matrices import sinm as sinm
from anvl.scipy.linalg.functions_of_matrices import sqrtm as sqrtm
from anvl.scipy.linalg.functions_of_matrices import tanhm as tanhm
from anvl.scipy.linalg.functions_of_matrices import tanm as tanm
from anvl.scipy.linalg.hermitian_eigenvalues import eigh as eigh
from anvl.scipy.linalg.hermitian_eigenvalues import eigh_tridiagonal as eigh_tridiagonal
from anvl.scipy.linalg.linear_systems import cho_factor as cho_factor
from anvl.scipy.linalg.linear_systems import cho_solve as cho_solve
from anvl.scipy.linalg.linear_systems import cholesky as cholesky
from anvl.scipy.linalg.linear_systems import det as det
from anvl.scipy.linalg.linear_systems import inv as inv
from anvl.scipy.linalg.linear_systems import lu_factor as lu_factor
from anvl.scipy.linalg.linear_systems import lu_solve as lu_solve
from anvl.scipy.linalg.linear_systems import solve as solve
from anvl.scipy.linalg.linear_systems import solve_triangular as solve_triangular
from anvl.scipy.linalg.matrices_of_a_size import dft as dft
from anvl.scipy.linalg.matrices_of_a_size import hadamard as hadamard
from anvl.scipy.linalg.matrices_of_a_size import helmert as helmert
from anvl.scipy.linalg.matrices_of_a_size import hilbert as hilbert
from anvl.scipy.linalg.matrices_of_a_size import invhilbert as invhilbert
from anvl.scipy.linalg.matrices_of_a_size import invpascal as invpascal
from anvl.scipy.linalg.matrices_of_a_size import pascal as pascal
from anvl.scipy.linalg.matrix_equations import rsf2csf as rsf2csf
from anvl.scipy.linalg.matrix_equations import schur as schur
from anvl.scipy.linalg.matrix_equations import (
    solve_continuous_lyapunov as solve_continuous_lyapunov,
)
from anvl.scipy.linalg.matrix_equations import solve_sylvester as solve_sylvester
from anvl.scipy.linalg.numpy_names import eig as eig
from anvl.scipy.linalg.numpy_names import eigvals as eigvals
from anvl.scipy.linalg.numpy_names import eigvalsh as eigvalsh
from anvl.scipy.linalg.numpy_names import lstsq as lstsq
from anvl.scipy.linalg.numpy_names import norm as norm
from anvl.scipy.linalg.numpy_names import pinv as pinv
from anvl.scipy.linalg.numpy_names import svdvals as svdvals
from anvl.scipy.linalg.special_matrices import block_diag as block_diag
from anvl.scipy.linalg.special_matrices import circulant as circulant
from anvl.scipy.linalg.special_matrices import companion as companion
from anvl.scipy.linalg.special_matrices import convolution_matrix as convolution_matrix
from anvl.scipy.linalg.special_matrices import fiedler as fiedler
from anvl.scipy.linalg.special_matrices import fiedler_companion as fiedler_companion
from anvl.scipy.linalg.special_matrices import hankel as hankel
from anvl.scipy.linalg.special_matrices import leslie as leslie
from anvl.scipy.linalg.special_matrices import solve_circulant as solve_circulant
from anvl.scipy.linalg.special_matrices import toeplitz as toeplitz
from anvl.scipy.list_arguments import take_lists as _take_lists

__all__ = [
    "LinAlgError",
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "companion",
    "convolution_matrix",
    "coshm",
    "cosm",
    "det",
    "dft",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "expm",
    "expm_frechet",
    "fiedler",
    "fiedler_companion",
    "funm",
    "hadamard",
    "hankel",
    "helmert",
    "hessenberg",
    "hilbert",
    "inv",
    "invhilbert",
    "invpascal",
    "leslie",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "norm",
    "pascal",
    "pinv",
    "polar",
    "qr",
    "qr_multiply",
    "rsf2csf",
    "schur",
    "sinhm",
    "sinm",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_lyapunov",
    "solve_sylvester",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "svd",
    "svdvals",
    "tanhm",
    "tanm",
    "toeplitz",
]

_complete(__all__, globals(), _ENTRIES)

_take_lists(__all__, globals())

_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
