"""`tag`: a name for a value in the middle of a function, for `wrt`."""

from __future__ import annotations

from typing import Any

from anvl import tree
from anvl.core.promote import as_tracer
from anvl.core.tracer import Tracer
from anvl.core.tracing import emit
from anvl.dialect.core.op import OPS
from anvl.dispatch.eager import public

__all__ = ["tag"]

_TAG = OPS["anvl.tag"]


@public("name")
def tag(x: Any, name: str) -> Any:
    """x itself, under a name by which `wrt` can ask for its derivative.

    Arguments: `x` is an array, or a tuple, list, dict or registered class of arrays; each array in
    it then has the path that leads to it as its name: of `{"a": ...}` tagged "h" it is "h['a']".
    Go on with what `tag` returns: only what is done with that counts.
    Returns the same.
    Raises `TypeError` for what is no array, or a name that is no text or is empty.

    A name may be on one value of a function: where a function that tags is called twice, the
    values have to be named by an argument of it.  Under `vmap` one name is on the whole batch.

    >>> import anvl
    >>> def f(x):
    ...     square = anvl.tag(x * x, "square")
    ...     return square * square
    >>> print(anvl.grad(f, wrt=("x", "square"))(3.0))
    (Array(108., dtype=float32, weak_type=True), Array(18., dtype=float32))
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"tag: name is {name!r}; it must be a text, and not an empty one")
    leaves, treedef = tree.flatten(x)
    paths = tree.leaf_paths(treedef, name)
    return tree.unflatten(treedef, [_tagged(*pair) for pair in zip(leaves, paths, strict=True)])


def _tagged(leaf: Any, label: str) -> Tracer:
    x = as_tracer(leaf, "tag")
    y = emit(_TAG, (x,), {"label": label})
    return Tracer(y.value, x.aval, y.trace, y.location)
