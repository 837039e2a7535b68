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
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from anvl.core.containers import (
    SPARE,
    add_fields,
    ending,
    fields_of,
    flatten_error,
    guarded,
    kept_failure,
    reserving,
)
from anvl.core.tree_registry import containers as _containers
from anvl.core.tree_registry import registry as _registry
from anvl.runtime.lazy import Lazy, compat
from anvl.runtime.locks import fresh_lock

__all__ = [
    "flatten", "flatten_with_path", "leaf_paths", "leaves", "map", "register_dataclass",
    "register_node", "structure", "structure_difference", "unflatten",
]  # fmt: skip

_T = TypeVar("_T")

_reserving: Any = Lazy(lambda: types.SimpleNamespace(flatten=reserving(_registry.flatten)))
_containers_lock = fresh_lock()


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """The leaves of `tree` and its structure.

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
    """
    ending(tree)
    try:
        found = _reserving.flatten(tree)
    except (ValueError, SystemError, RecursionError, AttributeError) as error:
        for give_one_back in SPARE:  # before anything else: there may be no level left
            give_one_back()
        raise flatten_error(tree, error, _registry.flatten_one_level) from error
    failure = kept_failure()
    if failure is not None:
        one_level = _registry.flatten_one_level
        raise flatten_error(tree, failure, one_level, in_registry=False)
    return found


def unflatten(treedef: Any, leaves: Iterable[Any]) -> Any:
    """The tree with this structure and these leaves.

    Raises
    ------
    ValueError
        The number of leaves is wrong.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.unflatten(tree.structure((0, {"a": 0})), [1, 2])
    (1, {'a': 2})
    """
    values = leaves if type(leaves) is list else list(leaves)
    if len(values) != treedef.num_leaves:
        raise ValueError(
            f"unflatten: structure has {treedef.num_leaves} leaves, got {len(values)}, {treedef}"
        )
    return treedef.unflatten(values)


def leaves(tree: Any) -> list[Any]:
    """The leaves of `tree`; errors as of `flatten`.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.leaves({"b": 1, "a": [2, 3]})
    [2, 3, 1]
    """
    return flatten(tree)[0]


def structure(tree: Any) -> Any:
    """The structure of `tree`; errors as of `flatten`.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.structure([1, 2]) == tree.structure([3, 4])
    True
    """
    return flatten(tree)[1]


def map(f: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """Apply `f` to the leaves of one or several trees of the same structure.

    Raises
    ------
    ValueError
        A tree of `rest` differs in structure from `tree`; the message says where.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.map(lambda x, y: x + y, {"a": 1}, {"a": 10})
    {'a': 11}
    """
    first, treedef = flatten(tree)
    columns = [first]
    for position, other in enumerate(rest, start=2):
        values, found = flatten(other)
        if found != treedef:
            raise ValueError(
                f"map: tree {position} differs from tree 1 in structure: "
                f"{structure_difference(treedef, found)}"
            )
        columns.append(values)
    return treedef.unflatten([f(*row) for row in zip(*columns, strict=True)])


def flatten_with_path(tree: Any, root: str = "") -> tuple[list[tuple[str, Any]], Any]:
    """Flatten a tree, with the path of each leaf (see `leaf_paths`) before it.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.flatten_with_path({"w": [1]}, root="params")[0]
    [("params['w'][0]", 1)]
    """
    values, treedef = flatten(tree)
    return list(zip(leaf_paths(treedef, root), values, strict=True)), treedef


def leaf_paths(tree: Any, root: str = "params") -> list[str]:
    """Python expression for each leaf of a tree, or of a treedef, that is called `root`.

    Children of a class registered by `register_node` are written `[<flat index 0>]`.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.leaf_paths({"w": [1, 2], "b": 3})
    ["params['b']", "params['w'][0]", "params['w'][1]"]
    """
    treedef = as_structure(tree)
    try:
        return list(_known_paths(treedef, root))
    except TypeError:  # its static part is unhashable
        return _paths(treedef, root)


def _paths(treedef: Any, root: str) -> list[str]:
    paths: list[str] = []
    _collect_paths(treedef, root, paths)
    return paths


_known_paths = functools.lru_cache(maxsize=1024)(_paths)


def _collect_paths(treedef: Any, path: str, paths: list[str]) -> None:
    if treedef.node_data() is None:  # a leaf
        paths.append(path)
        return
    children = treedef.children()
    for step, child in zip(_steps(treedef, len(children)), children, strict=True):
        _collect_paths(child, path + step, paths)


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
        problems.append(f"at {root or 'the root'}: {_described(shape)} for {_described(other)}")
        return
    for step, child, below in zip(_steps(shape, len(children)), children, others, strict=True):
        _collect_parts(child, below, root + step, parts, problems)


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
    steps = _steps(structure(tree), len(held)) if held else []
    return [(root + step, child) for step, child in zip(steps, held, strict=True)]


def all_leaves(values: Iterable[Any]) -> bool:
    """Whether none of `values` is a container.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.all_leaves([1, "a"]), tree.all_leaves([1, (2,)]), tree.all_leaves([None])
    (True, False, False)
    """
    return all(structure(value).node_data() is None for value in values)


def register_node(
    cls: type[_T],
    to_iterable: Callable[[_T], tuple[Iterable[Any], Any]],
    from_iterable: Callable[[Any, Sequence[Any]], _T],
) -> None:
    """Make a class a container.

    Parameters
    ----------
    cls
        The class itself; classes derived from it stay leaves.
    to_iterable
        From an object to its children and the rest of it, which must be hashable and comparable.
    from_iterable
        From that rest and as many children to an object.  Children may be anything, also None.

    Raises
    ------
    TypeError
        `cls` is not a class, or one of the functions cannot be called.
    ValueError
        `cls` is registered, or always a container.

    Examples
    --------
    >>> from anvl import tree
    >>> class Pair:
    ...     def __init__(self, a, b): self.a, self.b = a, b
    >>> tree.register_node(Pair, lambda p: ((p.a, p.b), None), lambda rest, ab: Pair(*ab))
    >>> tree.leaves([Pair(1, 2), 3])
    [1, 2, 3]
    """
    _check_class("register_node", cls)
    for function in (to_iterable, from_iterable):
        if not callable(function):
            raise TypeError(f"register_node: expected two functions, got {function!r}")
    parts = guarded(to_iterable)
    _register("register_node", cls, lambda r: r.register_node(cls, parts, from_iterable))


def register_dataclass(
    cls: type[_T], data_fields: Sequence[str], meta_fields: Sequence[str] = ()
) -> type[_T]:
    """Make a dataclass a container.

    Parameters
    ----------
    cls
        The class, which can be made with its fields as keywords.
    data_fields
        The names of its children, in order.
    meta_fields
        The names of what belongs to the structure; their values must be hashable.

    Returns
    -------
    type
        `cls`, for use as a decorator.

    Raises
    ------
    TypeError
        `cls` is not a dataclass.
    ValueError
        It is registered, or a field made by `__init__` is missing, unknown or named twice.

    Examples
    --------
    >>> import dataclasses
    >>> from anvl import tree
    >>> @dataclasses.dataclass
    ... class Layer:
    ...     w: object
    ...     b: object
    ...     name: str = ""
    >>> _ = tree.register_dataclass(Layer, ["w", "b"], ["name"])
    >>> tree.leaf_paths(Layer(1, 2), root="layer")
    ['layer.w', 'layer.b']
    """
    _check_class("register_dataclass", cls)
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"register_dataclass: {cls.__name__} is not a dataclass; use register_node")
    given = [*data_fields, *meta_fields]
    expected = [field.name for field in dataclasses.fields(cls) if field.init]
    if sorted(given) != sorted(expected):
        raise ValueError(
            f"register_dataclass: {cls.__name__} has the fields {expected}, "
            f"data_fields and meta_fields name {given}; name each once"
        )
    data, meta = list(data_fields), list(meta_fields)
    _register("register_dataclass", cls, lambda r: r.register_dataclass_node(cls, data, meta))
    add_fields(cls, data_fields)
    return cls


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
        return [(root, _described(left), _described(right))]
    return [
        change
        for step, child, other in zip(_steps(left, len(children)), children, others, strict=True)
        for change in structure_changes(child, other, root + step)
    ]


def as_structure(tree: Any) -> Any:
    """`tree` itself if it is a treedef, else its structure.

    Examples
    --------
    >>> from anvl import tree
    >>> tree.as_structure(tree.structure([1]))
    PyTreeDef([*])
    """
    return tree if isinstance(tree, compat.PyTreeDef) else structure(tree)


def _described(treedef: Any) -> str:
    """Description of a node without its children, for messages."""
    data = treedef.node_data()
    if data is None:
        return "a leaf"
    kind, rest = data
    if kind is type(None):
        return "None"
    if hasattr(kind, "described"):  # the class stands for something else
        return str(kind.described(rest))
    if kind is collections.defaultdict:
        return f"defaultdict of {rest[0]!r} with keys {list(rest[1])}"
    if kind in (dict, collections.OrderedDict):
        return f"{kind.__name__} with keys {list(rest)}"
    text = kind.__name__
    if kind not in (list, tuple) and rest is not None and rest != ():
        text = f"{text} with {rest!r}"
    return text if _field_names(kind) is not None else f"{text} of {len(treedef.children())}"


def _steps(treedef: Any, count: int) -> list[str]:
    """Python expression for each child of a node."""
    kind, rest = cast(Any, treedef.node_data() or (None, None))
    if kind in (list, tuple):
        return [f"[{i}]" for i in range(count)]
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        keys = rest[1] if kind is collections.defaultdict else rest
        return [f"[{key!r}]" for key in keys]
    fields = _field_names(kind)
    if fields is not None:
        return [f".{name}" for name in fields]
    return [f"[<flat index {i}>]" for i in range(count)]


def _field_names(kind: Any) -> tuple[str, ...] | None:
    """Names of the children of a dataclass or a namedtuple."""
    return fields_of.get(kind) or getattr(kind, "_fields", None)


def _check_class(function: str, cls: Any) -> None:
    if not isinstance(cls, type):
        raise TypeError(f"{function}: expected a class, got {cls!r}")
    if is_container(cls):
        raise ValueError(f"{function}: {cls.__name__} is registered already; register it once")


def is_container(cls: type) -> bool:
    """Whether objects of a class are containers.

    >>> is_container(dict), is_container(str)
    (True, False)
    """
    return cls in _containers or (issubclass(cls, tuple) and hasattr(cls, "_fields"))


def _register(function: str, cls: type, register: Callable[[Any], object]) -> None:
    """Register a class as a container; deferred until the registry exists."""
    with _containers_lock:
        _check_class(function, cls)
        _containers[cls] = None
    _registry.when_created(register)


def _default_dict_children(tree: Any) -> tuple[list[Any], Any]:
    try:
        keys = sorted(tree)
    except TypeError as error:  # the error of a dict, so that both are explained alike
        raise ValueError(str(error)) from error
    return [tree[key] for key in keys], (tree.default_factory, tuple(keys))


register_node(
    collections.OrderedDict,
    lambda tree: (list(tree.values()), tuple(tree)),
    lambda keys, values: collections.OrderedDict(zip(keys, values, strict=True)),
)
register_node(
    collections.defaultdict,
    _default_dict_children,
    lambda rest, values: collections.defaultdict(rest[0], zip(rest[1], values, strict=True)),
)


def __dir__() -> list[str]:
    return __all__
