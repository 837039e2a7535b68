"""Paths as tuples of keys, and parts of structures, as `jax.tree_util` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from anvl.tree.flattening import flatten, no_structure, structure
from anvl.tree.mapping import map
from anvl.tree.path_keys import plain_name
from anvl.tree.treedefs import key_paths

__all__ = [
    "keystr", "tree_flatten_with_path", "tree_leaves_with_path", "tree_map_with_path",
    "treedef_children", "treedef_is_leaf", "treedef_tuple",
]  # fmt: skip


# -- paths -----------------------------------------------------------------------------------------


def keystr(keys: tuple[Any, ...] | str, *, simple: bool = False, separator: str = "") -> str:
    """Write a path as text.

    Parameters
    ----------
    keys : tuple of keys
        As of `tree_flatten_with_path`; a text of `anvl.tree.flatten_with_path` is returned as it
        is.
    simple : bool
        Leave out brackets, quotes and dots.
    separator : str
        What to write between keys.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        A path that is text, with `simple` or a separator, or no path.

    Examples
    --------
    >>> from anvl.tree_util import DictKey, SequenceKey, keystr
    >>> keystr((DictKey("w"), SequenceKey(0)))
    "['w'][0]"
    >>> keystr((DictKey("w"), SequenceKey(0)), simple=True, separator="/")
    'w/0'
    """
    if isinstance(keys, str):
        if simple or separator:
            raise TypeError(
                f"keystr: the path {keys!r} is text, which has no keys; take it from a function of "
                "anvl.tree_util, such as tree_flatten_with_path"
            )
        return keys
    if not isinstance(keys, tuple | list):
        raise TypeError(
            f"keystr: the path is {keys!r} of type {type(keys).__name__}; give a tuple of keys, as "
            "tree_flatten_with_path does"
        )
    return separator.join(plain_name(key) if simple else str(key) for key in keys)


def tree_flatten_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[tuple[Any, ...], Any]], Any]:
    """Flatten a tree, with the path of each leaf, a tuple of keys, before it.

    Parameters
    ----------
    tree : pytree
    is_leaf : callable, optional
        As of `anvl.tree.flatten`.

    Returns
    -------
    A list of pairs of a path and a leaf, and the structure.

    Examples
    --------
    >>> from anvl.tree_util import tree_flatten_with_path
    >>> tree_flatten_with_path({"w": [1]})[0]
    [((DictKey(key='w'), SequenceKey(idx=0)), 1)]
    """
    values, treedef = flatten(tree, is_leaf)
    return list(zip(key_paths(treedef), values, strict=True)), treedef


def tree_leaves_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> list[tuple[tuple[Any, ...], Any]]:
    """List the leaves of a tree, each with its path, a tuple of keys, before it.

    Parameters
    ----------
    tree : pytree
    is_leaf : callable, optional
        As of `anvl.tree.flatten`.

    Returns
    -------
    A list of pairs of a path and a leaf.

    Examples
    --------
    >>> from anvl.tree_util import tree_leaves_with_path
    >>> [path[-1].idx for path, leaf in tree_leaves_with_path({"w": [7, 8]})]
    [0, 1]
    """
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Apply f to the path, a tuple of keys, and the leaves of one or several trees.

    Parameters
    ----------
    f : callable
        Takes a path, and a leaf of each tree.
    tree, *rest : pytree
        Trees of one structure.
    is_leaf : callable, optional
        As of `anvl.tree.map`.

    Returns
    -------
    A tree of the structure of `tree`.

    Raises
    ------
    ValueError
        A tree of `rest` differs in structure from `tree`.

    Examples
    --------
    >>> from anvl.tree_util import tree_map_with_path
    >>> tree_map_with_path(lambda path, x: (path[0].key, x), {"w": 1, "b": 2})
    {'b': ('b', 2), 'w': ('w', 1)}
    """
    paths = iter(key_paths(structure(tree, is_leaf)))
    return map(lambda *leaves: f(next(paths), *leaves), tree, *rest, is_leaf=is_leaf)


# -- structures ------------------------------------------------------------------------------------


def treedef_is_leaf(treedef: Any) -> bool:
    """Whether a structure is that of a leaf.

    Parameters
    ----------
    treedef : PyTreeDef

    Returns
    -------
    bool

    Examples
    --------
    >>> from anvl.tree_util import tree_structure, treedef_is_leaf
    >>> treedef_is_leaf(tree_structure(1)), treedef_is_leaf(tree_structure([]))
    (True, False)
    """
    try:
        return treedef.node_data() is None
    except AttributeError:
        raise no_structure("treedef_is_leaf", treedef) from None


def treedef_children(treedef: Any) -> list[Any]:
    """List the structures of the children of a structure.

    Parameters
    ----------
    treedef : PyTreeDef

    Returns
    -------
    list of PyTreeDef

    Examples
    --------
    >>> from anvl.tree_util import tree_structure, treedef_children
    >>> treedef_children(tree_structure([1, (2, 3)]))[1] == tree_structure((0, 0))
    True
    """
    try:
        return list(treedef.children())
    except AttributeError:
        raise no_structure("treedef_children", treedef) from None


def treedef_tuple(treedefs: Iterable[Any]) -> Any:
    """Make the structure of a tuple of trees from their structures.

    Parameters
    ----------
    treedefs : iterable of PyTreeDef

    Returns
    -------
    PyTreeDef

    Examples
    --------
    >>> from anvl.tree_util import tree_structure, treedef_tuple
    >>> treedef_tuple([tree_structure([1]), tree_structure(2)]) == tree_structure(([1], 2))
    True
    """
    leaf = object()
    given = [*treedefs]
    try:
        return structure(tuple(t.unflatten([leaf] * t.num_leaves) for t in given))
    except AttributeError:
        raise no_structure("treedef_tuple", given) from None
