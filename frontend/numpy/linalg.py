"""`anvl.numpy.linalg`: matrix factorizations, linear systems, determinants.

All functions take stacks: the last two axes are those of the matrices, leading axes are kept.
Matrices that cannot be factorized or solved give NaN or infinities; nothing is raised.

    >>> import anvl.numpy as np
    >>> from anvl.numpy import linalg
    >>> print(linalg.solve(np.asarray([[2.0, 0.0], [0.0, 4.0]]), np.asarray([1.0, 1.0])))
    [0.5  0.25]
"""

from anvl.numpy.linear.matrix_functions import *  # noqa: F403
from anvl.numpy.linear.matrix_functions import __all__ as _matrix_functions
from anvl.numpy.linear.tensor_equations import *  # noqa: F403
from anvl.numpy.linear.tensor_equations import __all__ as _tensor_equations

__all__ = [*_matrix_functions, *_tensor_equations]
