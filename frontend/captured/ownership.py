"""Whose code it is: the person's, or a library's, which is not searched for values.

Libraries are anvl, the standard library and installed packages, except for the package that the
jitted function itself belongs to.
"""

from __future__ import annotations

import functools
import os
import sys
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from anvl.core.locations import is_internal

__all__ = ["Ownership", "home_of"]

_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
# Bases whose objects have only attributes of the person's, and the modules of others like them.
_PLAIN = (object, SimpleNamespace)
_STATELESS = frozenset(("abc", "collections.abc", "contextlib", "typing", "typing_extensions"))
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


def home_of(module: str | None) -> str:
    """The top-level package of a module."""
    return (module or "").partition(".")[0]


class Ownership:
    """Tells the person's code from that of libraries, for a function of the package `home`."""

    def __init__(self, home: str) -> None:
        self._of_classes: dict[int, dict[str, list[Any]]] = {}
        self._home = home if home not in ("", "anvl", *sys.stdlib_module_names) else ""

    def of_function(self, f: FunctionType) -> bool:
        """Whether a function is the person's."""
        if self._is_home(f.__globals__.get("__name__")):
            return not is_internal(f.__code__.co_filename)
        return not _is_library(f.__code__.co_filename)

    def of_class(self, cls: type) -> bool:
        """Whether a class is the person's."""
        return self._of_module(cls.__module__)

    def is_derived(self, cls: type) -> bool:
        """Whether a class of the person's has a base of a library that may keep something."""
        bases = [base for base in cls.__mro__ if not self.of_class(base)]
        return any(b.__module__ not in _STATELESS and b not in _PLAIN for b in bases)

    def attributes_of(self, cls: type) -> dict[str, list[Any]]:
        """Attributes of the person's classes among the bases: all of a name, in Python's order."""
        known = self._of_classes.get(id(cls))
        if known is None:
            known = self._of_classes[id(cls)] = {}
            for base in cls.__mro__:
                if self.of_class(base):
                    for name, raw in vars(base).items():
                        known.setdefault(name, []).append(raw)
        return known

    def of_module(self, module: ModuleType) -> bool:
        """Whether a module is the person's."""
        return self._of_module(module.__name__)

    def _of_module(self, name: Any) -> bool:
        if not isinstance(name, str):
            return False
        top = home_of(name)
        if top == "__main__" or self._is_home(name):
            return True
        if top in sys.stdlib_module_names:
            return False
        file = getattr(sys.modules.get(name), "__file__", None)
        return not (isinstance(file, str) and _is_library(file)) and top != "anvl"

    def _is_home(self, name: Any) -> bool:
        return bool(self._home) and isinstance(name, str) and home_of(name) == self._home


@functools.lru_cache(4096)
def _is_library(file: str) -> bool:
    if is_internal(file) or file.startswith("<frozen "):
        return True
    full = os.path.abspath(file)
    return full.startswith(_STANDARD) or any(part in full for part in _INSTALLED)
