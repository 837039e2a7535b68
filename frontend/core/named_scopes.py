"""`named_scope`: a name for the ops that are traced in a block, for profiles and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from anvl.core.trace_state import current
from anvl.runtime import hiding_frames

__all__ = ["named_call", "named_scope"]


@hiding_frames
@contextmanager
def named_scope(name: str) -> Iterator[None]:
    """Name the ops that are traced in a block, for profiles, HLO and texts of the program.

    Scopes nest: their names are joined by dots, before the name of the variable that an op is
    assigned to.  Nothing else depends on them.

    Parameters
    ----------
    name : str

    Returns
    -------
    A context manager, which is a decorator of functions, too.

    Raises
    ------
    TypeError
        The name is no text, or empty.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> @anvl.named_scope("attention")
    ... def weights(x):
    ...     scores = x * x
    ...     return scores + 1
    >>> text = anvl.jit(weights).lower(anvl.aval("f32")).mlir("anvl", debug_info=True)
    >>> '"attention.scores"' in text
    True
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"named_scope: the name is {name!r}; give a text, such as 'attention'")
    outer = current.scope
    current.scope = f"{outer}{name}."
    try:
        yield
    finally:
        current.scope = outer


@hiding_frames
def named_call(fun: Callable[..., Any], *, name: str | None = None) -> Callable[..., Any]:
    """Name the ops of a function, as `named_scope` does for a block.

    Parameters
    ----------
    fun : callable
    name : str, optional
        That of the function, by default.

    Returns
    -------
    A function of the same arguments.

    Raises
    ------
    TypeError
        The name is no text, or empty.

    Examples
    --------
    >>> import anvl
    >>> double = anvl.named_call(lambda x: x + x, name="double")
    >>> print(double(2.0))
    4.0
    """
    scope = named_scope(getattr(fun, "__name__", "call") if name is None else name)
    return scope(fun)
