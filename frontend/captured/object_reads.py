"""Objects of Python, read without running code of theirs: attributes, cells."""

from __future__ import annotations

import functools
import keyword
import operator
import types
from types import CellType, ModuleType
from typing import Any

import numpy as np

from anvl import tree

__all__ = [
    "FUNCTIONS", "MISSING", "WRAPPERS", "Space", "cell_content", "is_plain", "is_registered",
    "may_be_filled", "names_read_by", "own_attributes", "slot_value",
]  # fmt: skip

#: Stands for a variable that is not set.
MISSING: Any = object()
#: Functions, and classes of Python and NumPy whose objects stand for some.
FUNCTIONS = (
    types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
    functools.partial, classmethod, staticmethod, property, np.ufunc, type,
)  # fmt: skip
#: By class, by its id as some have no hash: the attribute with the function of a wrapper of one.
WRAPPERS = {
    id(property): "fget", id(functools.cached_property): "func", id(classmethod): "__func__",
    id(staticmethod): "__func__",
}  # fmt: skip
# The attributes of an object that cannot have any of its own.
_NONE: dict[str, Any] = {}


class Space:
    """An object with attributes of which some are read: an instance, a class or a module."""

    def __init__(self, x: Any, path: str, depth: int, of_class: dict[str, list[Any]]) -> None:
        self.x, self.path, self.depth, self.of_class = x, path, depth, of_class
        self.own = own_attributes(x)
        self.seen = 0  # of the attribute names
        is_instance = not issubclass(type(x), type | ModuleType)
        self.may_gain = is_instance and self.own is not _NONE  # attributes of its own

    def runs_code(self) -> bool:
        """Whether reading an attribute may run the person's code."""
        of: Any = type(self.x)
        plain = (object.__getattribute__, type.__getattribute__)
        return of.__getattribute__ not in plain or hasattr(of, "__getattr__")

    def has_item(self, name: str) -> bool:
        """Whether an attribute is to be read from the dict of the object."""
        if name not in self.own or (name.startswith("__") and not self.may_gain):
            return False
        # Without its value, a descriptor of the class would run.
        may_run = name in self.of_class and hasattr(type(self.of_class[name][0]), "__get__")
        return may_run or type(self.x) is ModuleType or not is_plain(name) or self.runs_code()

    def own_names(self) -> frozenset[str]:
        """Names of the attributes of the object, but for those that reading others may set."""
        lazy = [name for name, (raw, *_) in self.of_class.items() if may_be_filled(raw)]
        return frozenset(self.own).difference(lazy)


def is_plain(name: str) -> bool:
    """Whether `x.name` in the source of a function reads an attribute of that name."""
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")


def may_be_filled(raw: Any) -> bool:
    """Whether an attribute of a class is a descriptor that the object's own value hides.

    So does `functools.cached_property`; methods are no values.
    """
    of = type(raw)
    if not hasattr(of, "__get__") or hasattr(of, "__set__") or callable(raw):
        return False
    return not issubclass(of, functools.partialmethod | functools.singledispatchmethod)


def names_read_by(x: Any) -> tuple[str, ...]:
    """Names of the attributes that an `attrgetter` or `methodcaller` reads."""
    if type(x) not in (operator.attrgetter, operator.methodcaller):
        return ()
    names: Any = x.__reduce__()[1]
    read = names if type(x) is operator.attrgetter else names[:1]
    return tuple(name for dotted in read for name in dotted.split("."))


def own_attributes(x: Any) -> dict[str, Any]:
    """The attributes of an object itself; those of a class are found with its bases."""
    try:
        own = object.__getattribute__(x, "__dict__")
    except Exception:  # it has none, or a property of that name
        return _NONE
    return own if type(own) is dict else _NONE


def slot_value(raw: Any, x: Any) -> Any:
    try:
        return raw.__get__(x)
    except (AttributeError, TypeError):  # not set, or a slot of a class itself
        return MISSING


def cell_content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable is deleted, or not yet set
        return MISSING


def is_registered(cls: type) -> bool:
    """Whether a class is a container of pytrees; one without a hash cannot be."""
    try:
        return tree.is_container(cls)
    except Exception:
        return False
