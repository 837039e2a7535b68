"""`has_aux`: functions that return a pair, of which only the first part is differentiated."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from anvl import tree
from anvl.core.arguments import name_of, wrap_non_arrays
from anvl.core.promote import abstract
from anvl.core.tracer import Tracer
from anvl.runtime import Array
from anvl.transforms.declare import has_derivative
from anvl.transforms.stop_gradient import stop_gradient

__all__ = ["check_has_aux", "with_aux", "with_constant_aux"]


def check_has_aux(transform: str, has_aux: Any) -> None:
    """Refuse a `has_aux` that is no bool."""
    if not isinstance(has_aux, bool):
        raise TypeError(f"{transform}: has_aux is {has_aux!r}; it must be True or False")


def with_aux(f: Callable[..., Any], transform: str) -> Callable[..., Any]:
    """f, which returns a pair, with the non-array leaves of aux made part of its structure."""

    @functools.wraps(f)
    def pair(*args: Any, **kwargs: Any) -> Any:
        found = f(*args, **kwargs)
        if not isinstance(found, list | tuple) or len(found) != 2:
            what = f"a {type(found).__name__}"
            if isinstance(found, list | tuple):
                what += f" of {len(found)}"
            elif isinstance(found, Array | Tracer):
                what = f"{found.aval}"
            raise TypeError(
                f"{transform}: {name_of(f)} returns {what}, but with has_aux it must return a "
                "pair, (value, aux)"
            )
        return found[0], wrap_non_arrays(found[1])

    return pair


def with_constant_aux(f: Callable[..., Any], transform: str) -> Callable[..., Any]:
    """f, which returns a pair, with an aux that has no derivative."""
    pair = with_aux(f, transform)

    @functools.wraps(f)
    def constant_aux(*args: Any, **kwargs: Any) -> Any:
        value, aux = pair(*args, **kwargs)
        return value, wrap_non_arrays(tree.map(_constant, aux))  # mapping unwraps the others

    return constant_aux


def _constant(x: Any) -> Any:
    return stop_gradient(x) if has_derivative(abstract(x)) else x
