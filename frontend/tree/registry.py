"""The registry of containers behind `anvl.tree`, and structures made from their parts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from anvl.runtime.lazy import Lazy, compat

__all__ = ["containers", "known_class", "name_of_class", "node", "registry"]

registry: Any = Lazy(lambda: compat.PyTreeRegistry())
#: Container types, in the order of their registration; namedtuples are containers, too.
containers: dict[type, None] = dict.fromkeys((tuple, list, dict, type(None)))


def node(data: tuple[type, Any] | None, children: Sequence[Any]) -> Any:
    """The structure whose `node_data()` and `children()` are these; None for a leaf.

    The caller has checked that they belong together: C++ takes any.
    """
    registry.flatten  # noqa: B018 - makes the registry, if this is its first use
    return compat.PyTreeDef.from_node_data_and_children(registry._object, data, list(children))


def name_of_class(of: type) -> str:
    """`my_model:Params`: a class by its module and its name there."""
    return f"{of.__module__}:{of.__qualname__}"


def known_class(name: str) -> type | None:
    """The container of this name: registered last, or a namedtuple of an imported module.

    Nothing is imported: a name that a file gives must not run code.
    """
    for of in reversed(list(containers)):
        if name_of_class(of) == name:
            return of
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    is_namedtuple = isinstance(found, type) and issubclass(found, tuple)
    return found if is_namedtuple and hasattr(found, "_fields") else None
