"""A registry whose values are loaded when they are first asked for."""

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Any, TypeVar

__all__ = ["KINDS", "Registry"]

T = TypeVar("T")


class Registry(MutableMapping[str, T]):
    """Values by name.  A module adds its values as it is imported, at the first use of a name that
    was announced for it: so neither the values nor their order depend on what is imported."""

    def __init__(self) -> None:
        self._modules: dict[str, str] = {}
        self._values: dict[str, T] = {}

    def later(self, name: str, module: str) -> None:
        """Announce a name that `module` adds."""
        self._modules[name] = module

    def __setitem__(self, name: str, value: T) -> None:
        self._values[name] = value

    def __getitem__(self, name: str) -> T:
        if name not in self._values and name in self._modules:
            importlib.import_module(self._modules[name])
        return self._values[name]

    def __delitem__(self, name: str) -> None:
        self._modules.pop(name, None)
        self._values.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(list(dict.fromkeys((*self._modules, *self._values))))

    def __len__(self) -> int:
        return len(self._modules.keys() | self._values.keys())


#: Kinds of declarations, by attribute: `anvl.passes.expand.declarations` says what they are.
KINDS: Registry[Any] = Registry()
