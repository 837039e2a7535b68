"""`anvl.numpy.linalg`: matrix factorizations, linear systems, determinants.

All functions take stacks: the last two axes are those of the matrices, leading axes are kept.
Matrices that cannot be factorized or solved give NaN or infinities; nothing is raised.

    >>> import anvl.numpy as np
    >>> from anvl.numpy import linalg
    >>> print(linalg.solve(np.asarray([[2.0, 0.0], [0.0, 4.0]]), np.asarray([1.0, 1.0])))
    [0.5  0.25]
"""

from anvl.call_spellings.numpy_forms import LINALG as _FORMS
from anvl.call_spellings.translation import respell as _respell
from anvl.core.importing import load_module as _load_module
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_linalg import LINALG as _DOCSTRINGS
from anvl.numpy.linear.matrix_functions import *  # noqa: F403
from anvl.numpy.linear.matrix_functions import __all__ as _matrix_functions
from anvl.numpy.linear.product_forms import MATRIX_FORMS as _MATRIX_FORMS
from anvl.numpy.linear.tensor_equations import *  # noqa: F403
from anvl.numpy.linear.tensor_equations import __all__ as _tensor_equations

__all__ = [*_matrix_functions, *_tensor_equations]

#: Functions of both namespaces, which are one and the same.
_SHARED = ("cross", "matmul", "matrix_transpose", "tensordot", "vecdot")

_respell(globals(), _FORMS, _MATRIX_FORMS)
globals().update({name: getattr(_load_module("anvl.numpy"), name) for name in _SHARED})
_complete(__all__, globals(), _DOCSTRINGS)
