"""`tag`: name an intermediate value of a function, for `wrt`."""

from __future__ import annotations

from typing import Any

from anvl import tree
from anvl.core.promote import as_tracer
from anvl.core.tracer import Tracer
from anvl.core.tracing import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dispatch.eager import public

__all__ = ["tag"]

_TAG = OPS["anvl.tag"]


@public("name")
def tag(x: Any, name: str) -> Any:
    """Return x unchanged, under a name that `wrt` accepts.

    Only uses of the result of `tag` count.  A name may be on one value of a function: if a function
    that tags is called twice, derive the name from an argument.  Under `vmap` one name is on the
    whole batch.

    Parameters
    ----------
    x : array or pytree of arrays
        In a pytree each array is named by its path: in `{"a": ...}` tagged "h" it is "h['a']".
    name : str

    Returns
    -------
    The same pytree.

    Raises
    ------
    TypeError
        A leaf is not an array, or the name is empty or not a string.

    Examples
    --------
    >>> import anvl
    >>> def f(x):
    ...     square = anvl.tag(x * x, "square")
    ...     return square * square
    >>> print(anvl.grad(f, wrt=("x", "square"))(3.0))
    (Array(108., dtype=float32, weak_type=True), Array(18., dtype=float32))
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"tag: name is {name!r}; it must be a string, and not empty")
    leaves, treedef = tree.flatten(x)
    paths = tree.leaf_paths(treedef, name)
    return tree.unflatten(treedef, [_tagged(*pair) for pair in zip(leaves, paths, strict=True)])


def _tagged(leaf: Any, label: str) -> Tracer:
    x = as_tracer(leaf, "tag")
    y = emit(_TAG, (x,), {"label": label})
    return Tracer(y.value, x.aval, y.owner, y.location)
