"""Paths of leaves, and the differences between trees in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl.tree.flattening import as_structure, flatten, structure
from anvl.tree.registry import registry as _registry
from anvl.tree.treedefs import described, paths_of_leaves, steps

__all__ = [
    "children", "flatten_with_path", "leaf_paths", "leaves_with_path", "prefix_parts",
    "structure_changes", "structure_difference",
]  # fmt: skip


def leaf_paths(tree: Any, root: str = "params") -> list[str]:
    """Python expression for each leaf of a tree, or of a treedef, that is called `root`.

    Children of a class registered by `register_node` are written `[<flat index 0>]`.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.leaf_paths({"w": [1, 2], "b": 3})
    ["params['b']", "params['w'][0]", "params['w'][1]"]
    """
    return paths_of_leaves(as_structure(tree), root)


def flatten_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None, *, root: str = ""
) -> tuple[list[tuple[str, Any]], Any]:
    """Flatten a tree, with the path of each leaf (see `leaf_paths`) before it.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.flatten_with_path({"w": [1]}, root="params")[0]
    [("params['w'][0]", 1)]
    """
    values, treedef = flatten(tree, is_leaf)
    return list(zip(leaf_paths(treedef, root), values, strict=True)), treedef


def leaves_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None, *, root: str = ""
) -> list[tuple[str, Any]]:
    """The leaves of a tree, each with its path (see `leaf_paths`) before it.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.leaves_with_path({"w": [1]})
    [("['w'][0]", 1)]
    """
    return flatten_with_path(tree, is_leaf, root=root)[0]


def children(tree: Any, root: str = "") -> list[tuple[str, Any]]:
    """Children of the outermost container of `tree`, each with its path; empty for a leaf.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.children({"w": [1], "b": 2}, root="params")
    [("params['b']", 2), ("params['w']", [1])]
    """
    found = _registry.flatten_one_level(tree)
    held = list(found[0]) if found is not None and tree is not None else []
    found_steps = steps(structure(tree), len(held)) if held else []
    return [(root + step, child) for step, child in zip(found_steps, held, strict=True)]


def prefix_parts(prefix: Any, tree: Any, root: str = "") -> list[tuple[Any, str, Any]]:
    """For each leaf of `prefix`: the leaf, its path, and the subtree of `tree` at its place.

    `prefix` is a pytree prefix of `tree`; None in it is a leaf.

    Raises
    ------
    ValueError
        `prefix` differs from `tree` above its leaves; the message lists each place.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.prefix_parts((0, {"b": None}), ([1, 2], {"b": (3, 4)}), root="axes")
    [(0, 'axes[0]', [1, 2]), (None, "axes[1]['b']", (3, 4))]
    """
    parts: list[tuple[Any, str, Any]] = []
    problems: list[str] = []
    _collect_parts(prefix, tree, root, parts, problems)
    if problems:
        raise ValueError("; ".join(problems))
    return parts


def _collect_parts(
    prefix: Any, tree: Any, root: str, parts: list[tuple[Any, str, Any]], problems: list[str]
) -> None:
    found = _registry.flatten_one_level(prefix)
    if prefix is None or found is None:
        parts.append((prefix, root, tree))
        return
    shape, other = structure(prefix), structure(tree)
    of_tree = _registry.flatten_one_level(tree)
    children, others = list(found[0]), list(of_tree[0]) if of_tree is not None else []
    if shape.node_data() != other.node_data() or len(children) != len(others):
        problems.append(f"at {root or 'the root'}: {described(shape)} for {described(other)}")
        return
    for step, child, below in zip(steps(shape, len(children)), children, others, strict=True):
        _collect_parts(child, below, root + step, parts, problems)


def structure_difference(a: Any, b: Any, root: str = "") -> str | None:
    """First differences between two trees, or treedefs, that are called `root`; None if equal.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.structure_difference({"w": [1, 2]}, {"w": [1, 2, 3]})
    "at ['w']: list of 2 against list of 3"
    >>> tree.structure_difference([1, {"a": 2}], [1, {"b": 2}])
    "at [1]: dict with keys ['a'] against dict with keys ['b']"
    >>> tree.structure_difference((1, 2), (3, 4)) is None
    True
    """
    found = structure_changes(a, b, root)
    lines = [f"at {path or 'the root'}: {left} against {right}" for path, left, right in found]
    return "; ".join(lines) or None


def structure_changes(a: Any, b: Any, root: str = "") -> list[tuple[str, str, str]]:
    """The differences of `structure_difference`: each a path, and the node of a and of b in words.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.structure_changes({"w": [1, 2]}, {"w": (1, 2)}, root="params")
    [("params['w']", 'list of 2', 'tuple of 2')]
    """
    left, right = as_structure(a), as_structure(b)
    if left == right:
        return []
    children, others = left.children(), right.children()
    if left.node_data() != right.node_data() or len(children) != len(others):
        return [(root, described(left), described(right))]
    return [
        change
        for step, child, other in zip(steps(left, len(children)), children, others, strict=True)
        for change in structure_changes(child, other, root + step)
    ]
