"""Functions of the leaves of trees."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from anvl.tree.flattening import flatten, leaves, no_structure, structure, unflatten
from anvl.tree.paths import flatten_with_path, prefix_parts, structure_difference
from anvl.tree.treedefs import described

__all__ = [
    "all", "broadcast", "map", "map_with_path", "reduce", "reduce_associative", "transpose",
]  # fmt: skip

_MARK = object()
_NO_INITIALIZER: Any = object()


def map(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Apply `f` to the leaves of one or several trees of the same structure.

    Parameters
    ----------
    f : callable
        Takes a leaf of each tree.
    tree, *rest
        Trees of one structure.
    is_leaf : callable, optional
        As of `flatten`, for `tree`; f gets what stands in the place of its leaves in `rest`.

    Raises
    ------
    ValueError
        A tree of `rest` differs in structure from `tree`; the message says where.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.map(lambda x, y: x + y, {"a": 1}, {"a": 10})
    {'a': 11}
    >>> tree.map(lambda x, y: (x, y), [1, None], [2, 3], is_leaf=lambda x: x is None)
    [(1, 2), (None, 3)]
    """
    first, treedef = flatten(tree, is_leaf)
    columns = [first]
    for position, other in enumerate(rest, start=2):
        if is_leaf is None:
            values, found = flatten(other)
            difference = None if found == treedef else structure_difference(treedef, found)
        else:
            values, difference = _up_to(treedef, other)
        if difference is not None:
            raise ValueError(f"map: tree {position} differs from tree 1 in structure: {difference}")
        columns.append(values)
    return treedef.unflatten([f(*row) for row in zip(*columns, strict=True)])


def map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: Callable[[Any], bool] | None = None,
    root: str = "",
) -> Any:
    """As `map`, with the path of each leaf (see `leaf_paths`) as the first argument of f.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.map_with_path(lambda path, x: f"{path}: {x}", {"w": [1]})
    {'w': ["['w'][0]: 1"]}
    """
    pairs, treedef = flatten_with_path(tree, is_leaf, root=root)
    paths = unflatten(treedef, [path for path, _ in pairs])
    return map(f, paths, tree, *rest, is_leaf=is_leaf)


def reduce(
    function: Callable[[Any, Any], Any],
    tree: Any,
    initializer: Any = _NO_INITIALIZER,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Combine the leaves of a tree in their order: `f(f(f(initializer, a), b), c)`.

    Raises
    ------
    TypeError
        The tree has no leaves, and there is no initializer.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.reduce(lambda a, b: a + b, {"a": 1, "b": [2, 3]})
    6
    """
    values = leaves(tree, is_leaf)
    if initializer is not _NO_INITIALIZER:
        return functools.reduce(function, values, initializer)
    if not values:
        raise TypeError("reduce: the tree has no leaves; give an initializer, which is the result")
    return functools.reduce(function, values)


def reduce_associative(
    operation: Callable[[Any, Any], Any],
    tree: Any,
    *,
    identity: Any = _NO_INITIALIZER,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Combine the leaves of a tree by pairs, in log2(n) rounds: `f(f(a, b), f(c, d))`.

    Raises
    ------
    TypeError
        The tree has no leaves, and there is no identity.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.reduce_associative(lambda a, b: f"({a} {b})", ["a", "b", "c", "d", "e"])
    '((a b) (c (d e)))'
    """
    values = leaves(tree, is_leaf)
    if not values and identity is _NO_INITIALIZER:
        raise TypeError(
            "reduce_associative: the tree has no leaves; give an identity, which is the result"
        )
    if not values:
        return identity
    return _by_halves(operation, values)


def _by_halves(operation: Callable[[Any, Any], Any], values: list[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    first, second = values[:middle], values[middle:]
    return operation(_by_halves(operation, first), _by_halves(operation, second))


def broadcast(
    prefix_tree: Any, full_tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """A tree of the structure of `full_tree`, with each leaf of a prefix of it repeated.

    Parameters
    ----------
    prefix_tree
        A pytree prefix of `full_tree`: a leaf stands for all that is below it there.
    full_tree
        Only its structure matters.
    is_leaf : callable, optional
        As of `flatten`, for `prefix_tree`.

    Raises
    ------
    ValueError
        It is no prefix; the message says where.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.broadcast({"a": 1, "b": 2}, {"a": [5, 6], "b": (7, {"c": 8})})
    {'a': [1, 1], 'b': (2, {'c': 2})}
    """
    values, treedef = flatten(prefix_tree, is_leaf)
    parts, difference = _up_to(treedef, full_tree)
    if difference is not None:
        raise ValueError(f"broadcast: the first tree is no prefix of the second: {difference}")
    pairs = zip(values, parts, strict=True)
    repeated = [x for x, part in pairs for _ in range(structure(part).num_leaves)]
    return unflatten(structure(full_tree), repeated)


def all(tree: Any, *, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether all leaves of a tree are true.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.all({"a": True, "b": [1, 0]})
    False
    """
    return builtins.all(leaves(tree, is_leaf))


def transpose(outer_treedef: Any, inner_treedef: Any | None, pytree_to_transpose: Any) -> Any:
    """A tree of the outer structure, of trees of the inner one, turned inside out.

    Parameters
    ----------
    outer_treedef : PyTreeDef
    inner_treedef : PyTreeDef or None
        None: that of the first tree within.
    pytree_to_transpose
        The outer structure, with a tree of the inner one in the place of each leaf.

    Raises
    ------
    ValueError
        `pytree_to_transpose` has another structure; the message says where.

    Examples
    --------
    >>> from anvl import tree
    >>> outer, inner = tree.structure([0, 0]), tree.structure({"a": 0})
    >>> tree.transpose(outer, inner, [{"a": 1}, {"a": 2}])
    {'a': [1, 2]}
    """
    parts, difference = _up_to(outer_treedef, pytree_to_transpose)
    if difference is not None:
        raise ValueError(f"transpose: the tree differs from the outer structure: {difference}")
    if inner_treedef is None:
        inner_treedef = structure(parts[0]) if parts else structure(None)
    rows = [leaves(part) for part in parts]
    for part in parts:
        difference = structure_difference(inner_treedef, part)
        if difference is not None:
            raise ValueError(f"transpose: a tree within differs from the inner one: {difference}")
    columns = [
        unflatten(outer_treedef, [row[i] for row in rows]) for i in range(inner_treedef.num_leaves)
    ]
    return unflatten(inner_treedef, columns)


def _up_to(treedef: Any, tree: Any) -> tuple[list[Any], str | None]:
    """The parts of `tree` in the places of the leaves of a treedef, or how it differs above."""
    try:
        marked = treedef.unflatten([_MARK] * treedef.num_leaves)
    except AttributeError:
        raise no_structure("transpose", treedef) from None
    try:
        parts = prefix_parts(marked, tree)
    except ValueError as error:
        return [], str(error)
    for mark, path, part in parts:
        if mark is None and part is not None:
            return [], f"at {path or 'the root'}: None against {described(structure(part))}"
    return [part for mark, _, part in parts if mark is _MARK], None
