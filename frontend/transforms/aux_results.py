"""Functions that return a pair: a result and what has no derivative, or what its rule computes."""

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

__all__ = [
    "check_has_aux", "check_like", "description", "pair_of", "with_aux", "with_constant_aux",
]  # fmt: skip


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


def pair_of(transform: str, f: Callable[..., Any], found: Any, what: str) -> Any:
    """Return what f returned; `TypeError` unless it is a pair."""
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise TypeError(f"{transform}: {name_of(f)} returned {description(found)}; return {what}")
    return found


def check_like(transform: str, rule: Callable[..., Any], made: Any, result: Any) -> None:
    """Refuse a rule whose result is not like that of its function, which is the one that counts."""
    difference = tree.structure_difference(tree.structure(result), tree.structure(made))
    if difference is not None:
        raise ValueError(
            f"{transform}: the result of {name_of(rule)} has another structure than that of the "
            f"function: {difference}"
        )
    paths = tree.leaf_paths(tree.structure(result), "result")
    for path, y, z in zip(paths, tree.leaves(result), tree.leaves(made), strict=True):
        if abstract(z).shape != abstract(y).shape:
            raise TypeError(
                f"{transform}: {path} of {name_of(rule)} is {abstract(z)}, but that of the "
                f"function is {abstract(y)}; return what the function returns"
            )


def description(x: Any) -> str:
    """The type of x, and its length, for messages."""
    n = f" of {len(x)} entries" if isinstance(x, tuple | list) else ""
    return f"a {type(x).__name__}{n}"
