"""`anvl.scipy.cluster.vq`: the nearest of some vectors.

>>> import anvl.numpy as np
>>> from anvl.scipy.cluster.vq import vq
>>> code, distance = vq(np.asarray([[1.0, 0.0]]), np.asarray([[0.0, 0.0], [1.0, 1.0]]))
>>> print(code, distance)
[0] [1.]
"""

from __future__ import annotations

from typing import Any

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.scipy.list_arguments import take_lists as _take_lists

__all__ = ["vq"]


@public("check_finite")
def vq(obs: Any, code_book: Any, check_finite: bool = True) -> Any:
    """Index of the code that is nearest to each observation, and the distance from it.

    Parameters
    ----------
    obs : array of shape (m, n), or (m,) for numbers
    code_book : array of shape (k, n), or (k,)
    check_finite : bool
        Ignored.

    Returns
    -------
    (code, dist): arrays of shape (m,), of i32 and of floats.  Of codes that are equally near the
    first is taken.

    Raises
    ------
    ValueError
        Shapes that do not fit, an empty code_book.

    Notes
    -----
    The derivative of a distance is 0 where it is 0.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy.cluster.vq import vq
    >>> print(vq(np.asarray([0.2, 0.9]), np.asarray([0.0, 1.0]))[0])
    [0 1]
    """
    (x, codes), _ = promoted("vq", (obs, code_book), "float", broadcast=False)
    fits = x.ndim == codes.ndim and x.ndim in (1, 2) and x.shape[1:] == codes.shape[1:]
    if not fits or codes.shape[0] == 0:
        raise ValueError(
            f"vq: obs is {x.aval} and code_book {codes.aval}; give (m, n) and (k, n), with codes"
        )
    if x.ndim == 1:
        x, codes = anp.expand_dims(x, 1), anp.expand_dims(codes, 1)
    off = anp.subtract(anp.expand_dims(x, 1), codes)
    distances = anp.linalg.norm(off, axis=-1)
    code = anp.argmin(distances, axis=1)
    nearest = anp.take_along_axis(distances, anp.expand_dims(code, 1), axis=1)
    return anp.astype(code, "int32"), nearest[:, 0]


def __dir__() -> list[str]:
    return list(__all__)


_take_lists(__all__, globals())
