"""`anvl.tree` by the names of JAX's `jax.tree_util`.

    >>> from anvl.tree_util import keystr, tree_map, tree_map_with_path
    >>> tree_map(lambda x: x + 1, {"w": [1, 2]})
    {'w': [2, 3]}
    >>> tree_map_with_path(lambda path, x: keystr(path), {"w": [1, 2]})
    {'w': ["['w'][0]", "['w'][1]"]}

Paths are tuples of keys, as in JAX; those of `anvl.tree`, which describes the functions, are text.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from anvl.runtime import hide_frames_of as _hide_frames_of
from anvl.tree import all as tree_all
from anvl.tree import all_leaves as all_leaves
from anvl.tree import broadcast as tree_broadcast
from anvl.tree import flatten as tree_flatten
from anvl.tree import leaves as tree_leaves
from anvl.tree import map as tree_map
from anvl.tree import reduce as tree_reduce
from anvl.tree import reduce_associative as tree_reduce_associative
from anvl.tree import register_dataclass as _register_dataclass
from anvl.tree import register_node as register_pytree_node
from anvl.tree import structure as tree_structure
from anvl.tree import transpose as tree_transpose
from anvl.tree import unflatten as tree_unflatten
from anvl.tree.keyed_paths import keystr as keystr
from anvl.tree.keyed_paths import tree_flatten_with_path as tree_flatten_with_path
from anvl.tree.keyed_paths import tree_leaves_with_path as tree_leaves_with_path
from anvl.tree.keyed_paths import tree_map_with_path as tree_map_with_path
from anvl.tree.keyed_paths import treedef_children as treedef_children
from anvl.tree.keyed_paths import treedef_is_leaf as treedef_is_leaf
from anvl.tree.keyed_paths import treedef_tuple as treedef_tuple
from anvl.tree.path_keys import DictKey as DictKey
from anvl.tree.path_keys import FlattenedIndexKey as FlattenedIndexKey
from anvl.tree.path_keys import GetAttrKey as GetAttrKey
from anvl.tree.path_keys import SequenceKey as SequenceKey
from anvl.tree.registration import register_node_with_keys as _register_with_keys

__all__ = [
    "DictKey", "FlattenedIndexKey", "GetAttrKey", "KeyEntry", "KeyPath", "Partial", "PyTreeDef",
    "SequenceKey", "all_leaves", "keystr", "register_dataclass", "register_pytree_node",
    "register_pytree_node_class", "register_pytree_with_keys", "register_pytree_with_keys_class",
    "register_static", "tree_all", "tree_broadcast", "tree_flatten", "tree_flatten_with_path",
    "tree_leaves", "tree_leaves_with_path", "tree_map", "tree_map_with_path", "tree_reduce",
    "tree_reduce_associative", "tree_structure", "tree_transpose", "tree_unflatten",
    "treedef_children", "treedef_is_leaf", "treedef_tuple",
]  # fmt: skip

_T = TypeVar("_T")

#: One step of a path, such as `DictKey("w")`; and a path.
KeyEntry: TypeAlias = Any
KeyPath: TypeAlias = tuple[Any, ...]
if TYPE_CHECKING:
    #: The class of structures, which the registry has; see `__getattr__`.
    PyTreeDef: TypeAlias = Any

#: What names of JAX's module that are absent here stand for.
_ELSEWHERE = {
    "build_tree": "use tree_unflatten",
    "default_registry": "anvl has a registry of its own; use register_pytree_node",
    "flatten_one_level": "use anvl.tree.flatten with is_leaf=lambda x: x is not tree",
    "is_tree_node": "use all_leaves([x]), which is False for a container",
}


# -- classes ---------------------------------------------------------------------------------------


def register_pytree_with_keys(
    nodetype: type[_T],
    flatten_with_keys: Callable[[_T], tuple[Iterable[tuple[Any, Any]], Any]],
    unflatten_func: Callable[[Any, Sequence[Any]], _T],
    flatten_func: Callable[[_T], tuple[Iterable[Any], Any]] | None = None,
) -> None:
    """Make a class a container that names its children in paths.

    Parameters
    ----------
    nodetype : type
        The class itself; classes derived from it stay leaves.
    flatten_with_keys : callable
        From an object to pairs of a key and a child, and the rest, which must be hashable and
        comparable.  Keys are `GetAttrKey("w")` and its like, or others that are hashable.
    unflatten_func : callable
        From that rest and as many children to an object.
    flatten_func : callable, optional
        Without effect: `flatten_with_keys` says all.

    Raises
    ------
    TypeError
        It is not a class, or one of the functions cannot be called.
    ValueError
        It is registered, or always a container.

    Examples
    --------
    >>> from anvl.tree_util import GetAttrKey, register_pytree_with_keys, tree_leaves_with_path
    >>> class Line:
    ...     def __init__(self, w): self.w = w
    >>> register_pytree_with_keys(
    ...     Line, lambda x: ([(GetAttrKey("w"), x.w)], None), lambda _, children: Line(*children)
    ... )
    >>> tree_leaves_with_path(Line(3))
    [((GetAttrKey(name='w'),), 3)]
    """
    _register_with_keys(nodetype, flatten_with_keys, unflatten_func)


def register_pytree_with_keys_class(cls: type[_T]) -> type[_T]:
    """Make a class with `tree_flatten_with_keys` and `tree_unflatten` a container.

    Parameters
    ----------
    cls
        `tree_flatten_with_keys(self)` returns pairs of a key and a child, and the rest, which is
        hashable; the class method `tree_unflatten(rest, children)` makes an object of these.

    Returns
    -------
    type
        `cls`, for use as a decorator.

    Raises
    ------
    TypeError
        It is no class, or has no such methods.
    ValueError
        It is registered already.

    Examples
    --------
    >>> from anvl.tree_util import GetAttrKey, keystr, register_pytree_with_keys_class
    >>> from anvl.tree_util import tree_leaves_with_path
    >>> @register_pytree_with_keys_class
    ... class Line:
    ...     def __init__(self, w): self.w = w
    ...     def tree_flatten_with_keys(self): return [(GetAttrKey("w"), self.w)], None
    ...     @classmethod
    ...     def tree_unflatten(cls, rest, children): return cls(*children)
    >>> [(keystr(path), x) for path, x in tree_leaves_with_path([Line(3)])]
    [('[0].w', 3)]
    """
    missing = [n for n in ("tree_flatten_with_keys", "tree_unflatten") if not hasattr(cls, n)]
    if missing:
        raise TypeError(
            f"register_pytree_with_keys_class: {getattr(cls, '__name__', cls)} has no method "
            f"{' and no '.join(missing)}; write tree_flatten_with_keys(self), which returns "
            "(pairs of a key and a child, rest), and the class method "
            "tree_unflatten(cls, rest, children)"
        )
    made: Any = cls
    register_pytree_with_keys(made, lambda x: x.tree_flatten_with_keys(), made.tree_unflatten)
    return cls


def register_pytree_node_class(cls: type[_T]) -> type[_T]:
    """Make a class with the methods `tree_flatten` and `tree_unflatten` a container.

    Parameters
    ----------
    cls
        `tree_flatten(self)` returns its children and the rest, which is hashable; the class method
        `tree_unflatten(rest, children)` makes an object of these.

    Returns
    -------
    type
        `cls`, for use as a decorator.

    Raises
    ------
    TypeError
        It is no class, or has no such methods.
    ValueError
        It is registered already.

    Examples
    --------
    >>> from anvl.tree_util import register_pytree_node_class, tree_leaves
    >>> @register_pytree_node_class
    ... class Pair:
    ...     def __init__(self, a, b): self.a, self.b = a, b
    ...     def tree_flatten(self): return (self.a, self.b), None
    ...     @classmethod
    ...     def tree_unflatten(cls, rest, children): return cls(*children)
    >>> tree_leaves(Pair(1, [2]))
    [1, 2]
    """
    missing = [n for n in ("tree_flatten", "tree_unflatten") if not hasattr(cls, n)]
    if missing:
        raise TypeError(
            f"register_pytree_node_class: {getattr(cls, '__name__', cls)} has no method "
            f"{' and no '.join(missing)}; write tree_flatten(self), which returns (children, "
            "rest), and the class method tree_unflatten(cls, rest, children)"
        )
    made: Any = cls
    register_pytree_node(made, lambda x: x.tree_flatten(), made.tree_unflatten)
    return cls


def register_dataclass(
    nodetype: type[_T],
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
) -> type[_T]:
    """Make a dataclass a container; as `anvl.tree.register_dataclass`.

    Without `data_fields` and `meta_fields`, fields with `metadata={"static": True}` belong to the
    structure, and all others are children.

    Parameters
    ----------
    nodetype
        The dataclass.
    data_fields, meta_fields : sequence of str, optional
        The names of its children, and of what belongs to the structure: both, or neither.

    Returns
    -------
    type
        `nodetype`, for use as a decorator.

    Raises
    ------
    TypeError
        It is not a dataclass; only one of the two is given.
    ValueError
        As of `anvl.tree.register_dataclass`.

    Examples
    --------
    >>> import dataclasses
    >>> from anvl.tree_util import register_dataclass, tree_leaves
    >>> @register_dataclass
    ... @dataclasses.dataclass
    ... class Layer:
    ...     w: object
    ...     name: str = dataclasses.field(default="", metadata={"static": True})
    >>> tree_leaves(Layer(1.0, "first"))
    [1.0]
    """
    if not dataclasses.is_dataclass(nodetype):
        return _register_dataclass(nodetype, data_fields or (), meta_fields or ())
    if (data_fields is None) != (meta_fields is None):
        raise TypeError(
            f"register_dataclass: {nodetype.__name__}: give both data_fields and meta_fields, or "
            "neither; then the metadata of the fields decides"
        )
    fields = [f for f in dataclasses.fields(nodetype) if f.init]
    if data_fields is None or meta_fields is None:
        data_fields = [f.name for f in fields if not f.metadata.get("static", False)]
        meta_fields = [f.name for f in fields if f.metadata.get("static", False)]
    return _register_dataclass(nodetype, data_fields, meta_fields)


def register_static(cls: type[_T]) -> type[_T]:
    """Make objects of a class a part of the structure: they are hashed and compared, not traced.

    Raises `TypeError` and `ValueError` as `anvl.tree.register_node`.

    Parameters
    ----------
    cls : type

    Returns
    -------
    The class.

    Examples
    --------
    >>> from anvl.tree_util import register_static, tree_leaves
    >>> @register_static
    ... class Mode(str): pass
    >>> tree_leaves([Mode("fast"), 1])
    [1]
    """
    register_pytree_node(cls, lambda x: ((), x), lambda rest, _: rest)
    return cls


class Partial(functools.partial[Any]):
    """`functools.partial` as a container: its arguments are children, its function the structure.

    So a function with arrays bound to it can be an argument of a jitted function.

    Examples
    --------
    >>> import anvl
    >>> from anvl.tree_util import Partial
    >>> apply = anvl.jit(lambda f, x: f(x))
    >>> print(apply(Partial(lambda a, x: a * x, 3.0), 2.0))
    6.0
    """


def _parts(partial: Partial) -> tuple[Iterable[Any], Any]:
    return (partial.args, partial.keywords), partial.func


def _partial(function: Callable[..., Any], parts: Sequence[Any]) -> Partial:
    args, keywords = parts
    return Partial(function, *args, **keywords)


register_pytree_node(Partial, _parts, _partial)

_hide_frames_of(__all__, globals())


def __getattr__(name: str) -> Any:
    if name != "PyTreeDef":
        advice = f"; {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")
    found = type(tree_structure(0))  # of the registry, which is made at its first use
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
