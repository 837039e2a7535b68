"""`stop_gradient`: a value that derivatives take for a constant."""

from __future__ import annotations

from typing import Any

from anvl import tree
from anvl.core.promote import as_tracer
from anvl.core.tracing import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dispatch.eager import public

__all__ = ["stop_gradient"]


@public()
def stop_gradient(x: Any) -> Any:
    """Return x unchanged, with a zero derivative in every mode and of every order.

    Parameters
    ----------
    x : array or pytree of arrays

    Returns
    -------
    The same pytree.

    Raises
    ------
    TypeError
        A leaf is not an array.

    Examples
    --------
    >>> import anvl
    >>> print(anvl.grad(lambda x: x * anvl.stop_gradient(x))(3.0))
    3.0
    """
    return tree.map(lambda leaf: emit(_STOP, (as_tracer(leaf, "stop_gradient"),), {}), x)


_STOP = OPS["anvl.stop_gradient"]
