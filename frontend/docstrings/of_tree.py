"""Parameters and results of the functions of `anvl.tree`."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name

__all__ = ["TREE"]

_PARAMETERS = {
    "*rest": "pytrees: Of the structure of the first.",
    "a": "pytree or treedef",
    "b": "pytree or treedef",
    "f": "callable",
    "function": "callable",
    "initializer": "any value: What the first call gets; by default the first leaf.",
    "identity": "any value: The result for a tree without leaves.",
    "is_leaf": "callable: Takes a container; those for which it is true are leaves.",
    "leaves": "iterable: As many as the structure has.",
    "operation": "callable: An associative function of two leaves.",
    "root": "str: What the tree is called in paths.",
    "tree": "pytree",
    "treedef": "treedef: Of `structure` or `flatten`.",
}
_RESULTS = {
    "bool": "all",
    "Pair: the list of leaves, and the treedef.": "flatten",
    "Pair: the list of pairs (path, leaf), and the treedef.": "flatten_with_path",
    "List of str": "leaf_paths",
    "List of leaves": "leaves",
    "List of pairs (path, leaf)": "leaves_with_path",
    "Pytree of the structure of the first.": "map map_with_path",
    "The last result of f, or the initializer.": "reduce",
    "The last result of the operation, or the identity.": "reduce_associative",
    "treedef": "structure",
    "str, or None if they are equal": "structure_difference",
    "Pytree": "broadcast transpose unflatten",
}
_OF_JAX = frozenset(
    "all broadcast flatten flatten_with_path leaves leaves_with_path map map_with_path reduce "
    "reduce_associative structure transpose unflatten".split()
)


def _link(name: str) -> str | None:
    pages = "https://docs.jax.dev/en/latest/_autosummary/jax.tree."
    return f"{pages}{name}.html" if name in _OF_JAX else None


TREE = Entries(
    _PARAMETERS,
    {"leaf_paths": {"tree": "pytree or treedef"}},
    by_name(_RESULTS),
    _link,
)
