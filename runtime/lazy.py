"""Lazy initialization, above all of jaxlib.

Loading jaxlib takes a sixth of the time of importing anvl, and a program that only traces its
arguments, or shows its help, does not need it before it traces or runs something.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anvl.runtime.locks import fresh_lock

__all__ = ["Lazy", "compat"]


class Lazy:
    """A proxy that creates its object when an attribute is first read.

    Attributes are cached: reading one again costs as much as for any object.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._object: Any = None
        self._waiting: list[Callable[[Any], object]] = []
        # Two threads must neither create two objects nor lose a callback.
        self._lock = fresh_lock()

    def when_created(self, then: Callable[[Any], object]) -> None:
        """Call `then` with the object: now if it exists, else when it is created."""
        with self._lock:
            if self._object is None:
                self._waiting.append(then)
            else:
                then(self._object)

    def __getattr__(self, name: str) -> Any:
        if self._object is None:
            with self._lock:
                if self._object is None:
                    made = self._make()
                    for then in self._waiting:
                        then(made)
                    self._object = made
        value = getattr(self._object, name)
        self.__dict__[name] = value
        return value


if TYPE_CHECKING:
    from anvl.runtime import jaxlib_compat as compat
else:
    compat = Lazy(lambda: importlib.import_module("anvl.runtime.jaxlib_compat"))
