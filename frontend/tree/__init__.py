"""Pytrees: nested tuples, lists, dicts and registered classes, and their leaves.

A tree is taken apart into the list of its leaves and a *treedef*, its structure, which can be
compared and hashed.  None is a tree without leaves; whatever is not a registered container is
a leaf.  Dicts are ordered by their keys.

    >>> from anvl import tree
    >>> leaves, treedef = tree.flatten({"w": [1, 2], "b": 3})
    >>> leaves
    [3, 1, 2]
    >>> tree.unflatten(treedef, [30, 10, 20])
    {'b': 30, 'w': [10, 20]}
    >>> tree.leaf_paths(treedef)
    ["params['b']", "params['w'][0]", "params['w'][1]"]

The work is done by jaxlib's C++ registry, in an instance of our own: nothing registered here
is seen by others, and the other way round.
"""

from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_tree import TREE as _ENTRIES
from anvl.runtime import hide_frames_of as _hide_frames_of
from anvl.tree.flattening import all_leaves as all_leaves
from anvl.tree.flattening import as_structure as as_structure
from anvl.tree.flattening import flatten as flatten
from anvl.tree.flattening import leaves as leaves
from anvl.tree.flattening import structure as structure
from anvl.tree.flattening import unflatten as unflatten
from anvl.tree.mapping import all as all
from anvl.tree.mapping import broadcast as broadcast
from anvl.tree.mapping import map as map
from anvl.tree.mapping import map_with_path as map_with_path
from anvl.tree.mapping import reduce as reduce
from anvl.tree.mapping import reduce_associative as reduce_associative
from anvl.tree.mapping import transpose as transpose
from anvl.tree.paths import children as children
from anvl.tree.paths import flatten_with_path as flatten_with_path
from anvl.tree.paths import leaf_paths as leaf_paths
from anvl.tree.paths import leaves_with_path as leaves_with_path
from anvl.tree.paths import prefix_parts as prefix_parts
from anvl.tree.paths import structure_changes as structure_changes
from anvl.tree.paths import structure_difference as structure_difference
from anvl.tree.registration import is_container as is_container
from anvl.tree.registration import register_dataclass as register_dataclass
from anvl.tree.registration import register_node as register_node

__all__ = [
    "all", "broadcast", "flatten", "flatten_with_path", "leaf_paths", "leaves",
    "leaves_with_path", "map", "map_with_path", "reduce", "reduce_associative",
    "register_dataclass", "register_node", "structure", "structure_difference", "transpose",
    "unflatten",
]  # fmt: skip

_hide_frames_of(__all__, globals())
_complete(__all__, globals(), _ENTRIES)


def __dir__() -> list[str]:
    return __all__
