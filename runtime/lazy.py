"""What is made when it is first used: jaxlib above all.

To load jaxlib takes a sixth of the time of importing anvl, and a program that only traces its
arguments, or shows its help, needs nothing of it before it traces or runs something.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anvl.runtime.locks import fresh_lock

__all__ = ["Lazy", "compat"]


class Lazy:
    """Stands for an object until an attribute of it is read; then it is made, once.

    An attribute that was read is kept: reading it again costs what it does of any object.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None
        self._waiting: list[Callable[[Any], object]] = []
        # Two threads must not make two, nor forget what waits.
        self._lock = fresh_lock()

    def when_made(self, then: Callable[[Any], object]) -> None:
        """Call `then` with the object: at once if it is made, else as soon as it is."""
        with self._lock:
            if self._made is None:
                self._waiting.append(then)
            else:
                then(self._made)

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            with self._lock:
                if self._made is None:
                    made = self._make()
                    for then in self._waiting:
                        then(made)
                    self._made = made
        value = getattr(self._made, name)
        self.__dict__[name] = value
        return value


if TYPE_CHECKING:
    from anvl.runtime import jaxlib_compat as compat
else:
    compat = Lazy(lambda: importlib.import_module("anvl.runtime.jaxlib_compat"))
