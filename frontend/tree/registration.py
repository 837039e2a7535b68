"""Classes of one's own as containers."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from anvl.runtime.locks import fresh_lock
from anvl.tree.containers import add_fields, guarded
from anvl.tree.path_keys import KeyedParts
from anvl.tree.registry import containers as _containers
from anvl.tree.registry import registry as _registry

__all__ = ["is_container", "register_dataclass", "register_node", "register_node_with_keys"]

_T = TypeVar("_T")

_containers_lock = fresh_lock()


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


def register_node_with_keys(
    cls: type[_T],
    to_pairs: Callable[[_T], tuple[Iterable[tuple[Any, Any]], Any]],
    from_iterable: Callable[[Any, Sequence[Any]], _T],
) -> None:
    """Make a class a container that names its children in paths.

    Parameters
    ----------
    cls
        The class itself; classes derived from it stay leaves.
    to_pairs
        From an object to pairs of a key and a child, and the rest, which must be hashable and
        comparable.  Keys are those of `anvl.tree_util`, such as `GetAttrKey("w")`, or others that
        are hashable, whose text is the step of the path.
    from_iterable
        From that rest and as many children to an object.

    Raises
    ------
    TypeError
        `cls` is not a class, or one of the functions cannot be called.
    ValueError
        `cls` is registered, or always a container.

    Examples
    --------
    >>> from anvl import tree
    >>> from anvl.tree.path_keys import GetAttrKey
    >>> from anvl.tree.registration import register_node_with_keys
    >>> class Line:
    ...     def __init__(self, w): self.w = w
    >>> register_node_with_keys(
    ...     Line, lambda x: ([(GetAttrKey("w"), x.w)], None), lambda _, w: Line(*w)
    ... )
    >>> tree.leaf_paths(Line(1), root="line")
    ['line.w']
    """
    for function in (to_pairs, from_iterable):
        if not callable(function):
            raise TypeError(f"register_node_with_keys: expected two functions, got {function!r}")

    def parts(x: _T) -> tuple[Iterable[Any], Any]:
        pairs, rest = to_pairs(x)
        found = list(pairs)
        return [child for _, child in found], KeyedParts.of(rest, (key for key, _ in found))

    register_node(cls, parts, lambda keyed, children: from_iterable(keyed.rest, children))


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
    add_fields(cls, data_fields, meta_fields)
    return cls


def is_container(cls: type) -> bool:
    """Whether objects of a class are containers.

    >>> is_container(dict), is_container(str)
    (True, False)
    """
    return cls in _containers or (issubclass(cls, tuple) and hasattr(cls, "_fields"))


def _check_class(function: str, cls: Any) -> None:
    if not isinstance(cls, type):
        raise TypeError(f"{function}: expected a class, got {cls!r}")
    if is_container(cls):
        raise ValueError(f"{function}: {cls.__name__} is registered already; register it once")


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
