"""Taking trees apart into leaves and structure, and putting them together."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterable
from typing import Any

from anvl.runtime.lazy import Lazy, compat
from anvl.tree.containers import SPARE, Stops, ending, flatten_error, kept_failure, reserving
from anvl.tree.registry import registry as _registry

__all__ = ["all_leaves", "as_structure", "flatten", "leaves", "structure", "unflatten"]

_reserving: Any = Lazy(lambda: types.SimpleNamespace(flatten=reserving(_registry.flatten)))


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Any]:
    """The leaves of `tree` and its structure.

    Parameters
    ----------
    tree
        Any value.
    is_leaf : callable, optional
        Called with each container, from the outermost; where it returns true, that is a leaf.

    Raises
    ------
    ValueError
        A dict has keys that cannot be sorted, or the tree is nested too deeply (or contains
        itself).

    Examples
    --------
    >>> from anvl import tree
    >>> tree.flatten([1, (2, None)])
    ([1, 2], PyTreeDef([*, (*, None)]))
    >>> tree.flatten([1, (2, 3)], is_leaf=lambda x: isinstance(x, tuple))[0]
    [1, (2, 3)]
    """
    ending(tree)
    stops = None if is_leaf is None else Stops(is_leaf)
    try:
        found = _reserving.flatten(tree, stops)
    except (ValueError, SystemError, RecursionError, AttributeError) as error:
        for give_one_back in SPARE:  # before anything else: there may be no level left
            give_one_back()
        raise flatten_error(tree, error, _registry.flatten_one_level) from error
    if stops is not None and stops.failure is not None:
        raise stops.failure
    failure = kept_failure()
    if failure is not None:
        one_level = _registry.flatten_one_level
        raise flatten_error(tree, failure, one_level, in_registry=False)
    return found


def unflatten(treedef: Any, leaves: Iterable[Any]) -> Any:
    """The tree with this structure and these leaves.

    Raises
    ------
    TypeError
        `treedef` is no structure.
    ValueError
        The number of leaves is wrong.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.unflatten(tree.structure((0, {"a": 0})), [1, 2])
    (1, {'a': 2})
    """
    values = leaves if type(leaves) is list else list(leaves)
    try:
        count = treedef.num_leaves
    except AttributeError:
        raise no_structure("unflatten", treedef) from None
    if len(values) != count:
        raise ValueError(f"unflatten: structure has {count} leaves, got {len(values)}, {treedef}")
    return treedef.unflatten(values)


def no_structure(function: str, treedef: Any) -> TypeError:
    """The error of a function that got something else where a structure belongs."""
    return TypeError(
        f"{function}: {treedef!r} of type {type(treedef).__name__} is no structure; "
        "anvl.tree.structure(tree) gives that of a tree"
    )


def leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves of `tree`; parameters and errors as of `flatten`.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.leaves({"b": 1, "a": [2, 3]})
    [2, 3, 1]
    """
    return flatten(tree, is_leaf)[0]


def structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The structure of `tree`; parameters and errors as of `flatten`.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.structure([1, 2]) == tree.structure([3, 4])
    True
    """
    return flatten(tree, is_leaf)[1]


def as_structure(tree: Any) -> Any:
    """`tree` itself if it is a treedef, else its structure.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.as_structure(tree.structure([1]))
    PyTreeDef([*])
    """
    return tree if isinstance(tree, compat.PyTreeDef) else structure(tree)


def all_leaves(iterable: Iterable[Any], is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether none of some values is a container.

    Parameters
    ----------
    iterable : iterable of values
    is_leaf : callable, optional
        Of a value: whether it is a leaf, though it is a container.

    Returns
    -------
    bool

    Examples
    --------
    >>> from anvl import tree
    >>> tree.all_leaves([1, "a"]), tree.all_leaves([1, (2,)]), tree.all_leaves([None])
    (True, False, False)
    """
    return builtins.all(structure(x, is_leaf).node_data() is None for x in iterable)
