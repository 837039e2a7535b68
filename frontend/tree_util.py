"""`anvl.tree` by the names of JAX's `jax.tree_util`.

    >>> from anvl.tree_util import tree_map
    >>> tree_map(lambda x: x + 1, {"w": [1, 2]})
    {'w': [2, 3]}

Paths are text here (`"['w'][0]"`), where JAX has tuples of keys; `anvl.tree` describes the
functions.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from anvl.tree import all as tree_all
from anvl.tree import all_leaves as all_leaves
from anvl.tree import flatten as tree_flatten
from anvl.tree import flatten_with_path as tree_flatten_with_path
from anvl.tree import leaves as tree_leaves
from anvl.tree import leaves_with_path as tree_leaves_with_path
from anvl.tree import map as tree_map
from anvl.tree import map_with_path as tree_map_with_path
from anvl.tree import reduce as tree_reduce
from anvl.tree import register_dataclass as _register_dataclass
from anvl.tree import register_node as register_pytree_node
from anvl.tree import structure as tree_structure
from anvl.tree import transpose as tree_transpose
from anvl.tree import unflatten as tree_unflatten

__all__ = [
    "Partial", "all_leaves", "register_dataclass", "register_pytree_node",
    "register_pytree_node_class", "register_static", "tree_all", "tree_flatten",
    "tree_flatten_with_path", "tree_leaves", "tree_leaves_with_path", "tree_map",
    "tree_map_with_path", "tree_reduce", "tree_structure", "tree_transpose", "tree_unflatten",
]  # fmt: skip

_T = TypeVar("_T")


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


def __dir__() -> list[str]:
    return __all__
