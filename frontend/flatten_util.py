"""`anvl.flatten_util`: pytrees of arrays as one vector, named as in `jax.flatten_util`.

>>> from anvl import flatten_util
>>> flat, unravel = flatten_util.ravel_pytree({"w": 1.0, "b": 2.0})
>>> print(flat, unravel(flat)["w"])
[2. 1.] 1.0
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import anvl.numpy as anp
from anvl import tree
from anvl.core.config import default_dtype
from anvl.core.promote import abstract, common_dtype
from anvl.runtime import hiding_frames

__all__ = ["ravel_pytree"]


@hiding_frames
def ravel_pytree(pytree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Put the elements of all leaves into one vector.

    Parameters
    ----------
    pytree : pytree of arrays and numbers

    Returns
    -------
    flat : array of shape (n,)
        In the dtype that all leaves are promoted to; the default float for a tree without leaves.
    unravel : callable
        From a vector of that length to a tree of the structure, shapes and dtypes of `pytree`.
        Raises `ValueError` for another shape.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import flatten_util
    >>> flat, unravel = flatten_util.ravel_pytree([np.ones((2, 2)), np.zeros(1)])
    >>> print(flat)
    [1. 1. 1. 1. 0.]
    >>> print(unravel(2 * flat)[1])
    [0.]
    """
    leaves, treedef = tree.flatten(pytree)
    if not leaves:
        return anp.zeros((0,), default_dtype(float)), lambda flat: _empty(flat, treedef)
    avals = [abstract(x, "ravel_pytree") for x in leaves]
    dtype, _ = common_dtype(*avals)
    flat = anp.concatenate([anp.reshape(anp.astype(x, dtype), (-1,)) for x in leaves])
    sizes = [math.prod(of.shape) for of in avals]

    def unravel(vector: Any) -> Any:
        vector = _checked(vector, sum(sizes))
        parts, start = [], 0
        for of, size in zip(avals, sizes, strict=True):
            part = anp.reshape(vector[start : start + size], of.shape)
            parts.append(anp.astype(part, of.dtype))
            start += size
        return tree.unflatten(treedef, parts)

    return flat, unravel


def _checked(vector: Any, size: int) -> Any:
    vector = anp.asarray(vector)
    if vector.shape != (size,):
        raise ValueError(
            f"ravel_pytree: unravel got shape {list(vector.shape)}; the tree has {size} elements"
        )
    return vector


def _empty(flat: Any, treedef: Any) -> Any:
    _checked(flat, 0)
    return tree.unflatten(treedef, [])


def __dir__() -> list[str]:
    return list(__all__)
