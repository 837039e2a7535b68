"""Search of a function's code and of the objects that it reaches for the values that it reads.

Note [Which values a function reads]

Following each access would cost more than the trace itself, so they are found before it: names of
globals, closures and imports in the bytecode of the function and of the person's functions that it
reaches, and every attribute of the objects so found whose name that code mentions.  So aliases,
arguments of helpers and `self` need no analysis.  A value that is found but not read, such as one
in a branch that is not taken, costs a trace when it changes, never a wrong number.  The names grow
while functions are found, so objects are visited until neither grows.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.captured.code_reads import WRITING_METHODS, CodeReads, Use, reads_of
from anvl.captured.object_reads import (
    CONTAINERS,
    MISSING,
    Space,
    cell_content,
    container_of,
    is_flat,
    key_value,
    own_attributes,
    shown_key,
    slot_value,
)
from anvl.captured.ownership import Ownership, home_of
from anvl.captured.values import (
    Elements,
    Identity,
    Instance,
    Opaque,
    array_value,
    atom,
    content_of,
    is_atom,
)
from anvl.core.tracer import Tracer
from anvl.runtime import Array

__all__ = ["Check", "Snapshot", "snapshot"]

_MOST_VALUES = 1000  # beyond these, values are not found
_LONGEST = 1000  # elements of a container; a longer one is compared by identity and length
_UNROLLED = 16  # elements of a container that are checked one by one
_DEEPEST = 20

_FUNCTIONS = (
    types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
    functools.partial, classmethod, staticmethod, property, np.ufunc, type,
)  # fmt: skip
# Containers of Python whose elements are in an attribute; by id, as asking abstract classes for
# subclasses takes long.
_WRAPPING = frozenset(map(id, (collections.ChainMap, collections.UserDict, collections.UserList)))
# By class, by its id as some have no hash: the attribute with the function of a wrapper of one.
_WRAPPERS = {
    id(property): "fget", id(functools.cached_property): "func", id(classmethod): "__func__",
    id(staticmethod): "__func__",
}  # fmt: skip
_UNUSED_METHODS = frozenset(
    (
        "__class_getitem__", "__del__", "__getstate__", "__init_subclass__", "__reduce__",
        "__reduce_ex__", "__repr__", "__setstate__", "__str__", "__subclasshook__",
    )
)  # fmt: skip
_NUMBERS = (bool, int, float, complex)  # classes that name a dtype, as NumPy's do
_MAKERS = frozenset(("__init__", "__new__", "__post_init__"))
# Bases whose objects have only attributes of the person's, and the modules of others like them.
_PLAIN = (object, types.SimpleNamespace)
_STATELESS = frozenset(("abc", "collections.abc", "contextlib", "typing", "typing_extensions"))
_NOWHERE = Use("", 0, only_written=False)


class Check(NamedTuple):
    """One comparison of the check on a hit.

    `kind` is "item" (`holder[key] is value`), "attribute", "cell", "length" (`len(holder) ==
    value`), "elements" (those of `value`, by identity), or "array" (dtype, shape and, as bytes,
    content).
    """

    path: str
    kind: str
    holder: Any
    key: Any
    value: Any


class Snapshot:
    """The values that a function reads, as they are now.

    `values` compares them, by path (`model.scale`, `params['w']`); `checks` finds quickly that all
    are the same objects; `uses` tells where they are read.
    """

    def __init__(self, values: dict[str, Any] | None = None) -> None:
        self.values: dict[str, Any] = {} if values is None else values
        self.checks: list[Check] = []
        self.uses: dict[str, Use | None] = {}

    def differences(self, now: Snapshot) -> list[str]:
        """Paths whose values differ from those of `now`, without those below another one."""
        found = [p for p, x in self.values.items() if now.values.get(p, MISSING) != x]
        found += [p for p in now.values if p not in self.values]
        return [p for p in found if not is_below(p, [q for q in found if q != p])]


def is_below(path: str, others: Iterable[str]) -> bool:
    """Whether a path is one of these, or a part of one."""
    return any(path.startswith(o) and path[len(o) : len(o) + 1] in ("", ".", "[") for o in others)


def snapshot(f: Callable[..., Any], given: Sequence[Any] = ()) -> Snapshot:
    """The values that f reads; `given` are arguments, whose methods count as functions of f."""
    search = _Search(f)
    for x in given:
        search.add_argument(x)
    return search.finish()


class _Search:
    """A search in progress."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.found = Snapshot()
        self._owner = Ownership(home_of(getattr(f, "__module__", None)))
        self._names: dict[str, Use] = {}  # attributes that are read
        self._order: list[str] = []
        self._spaces: list[Space] = []
        self._visited: dict[int, Any] = {}  # objects by id, kept alive so that ids stay unique
        self._slots: set[tuple[int, Any]] = set()
        self._of_classes: dict[int, dict[str, list[Any]]] = {}
        self._instances: dict[int, Any] = {}
        self._arguments: dict[int, Any] = {}
        self._reads_any_attribute = False
        self._reach(f)

    def finish(self) -> Snapshot:
        """Visit attributes until neither names nor objects are new."""
        grows = True
        while grows:
            grows = False
            for space in self._spaces:  # grows in the loop
                if self._reads_any_attribute:
                    self._add_names(space)
                while space.seen < len(self._order):
                    name = self._order[space.seen]
                    space.seen, grows = space.seen + 1, True
                    self._attribute(space, name, self._names[name])
        return self.found

    def _add_names(self, space: Space) -> None:
        self._add_attributes(name for name in [*space.own, *space.of_class] if type(name) is str)

    # -- values ----------------------------------------------------------------------------------

    def _slot(
        self, check: Check, use: Use | None, depth: int = 0, origin: str | None = None
    ) -> None:
        """Add a variable: a global, a cell or an attribute, and its value.

        `origin` tells variables of one name apart.
        """
        of = type(check.value)
        if use is not None and use.only_written and issubclass(of, CONTAINERS):
            return
        key = id(check.holder), check.key
        if key in self._slots:
            return
        self._slots.add(key)
        path = self._unique(check.path, origin)
        if self._value(check.value, path, use, depth):
            self.found.checks.append(check._replace(path=path))

    def _unique(self, path: str, origin: str | None = None) -> str:
        """A path that no other variable has, such as one of the same name in another module."""
        found, n = path, 1
        while found in self.found.values:
            found = f"{path} of {origin}" if n == 1 and origin else f"{path}#{n}"
            n += 1
        return found

    def _value(self, x: Any, path: str, use: Use | None, depth: int) -> bool:
        """Add a value; false for functions and modules, which do not count, but what they read."""
        of = type(x)
        if len(self.found.values) >= _MOST_VALUES or depth > _DEEPEST:
            return False
        is_dtype = of is type and (x in _NUMBERS or issubclass(x, np.generic))
        if not is_dtype and self._is_function(x, of):
            self._reach(x)
            return False
        if issubclass(of, types.ModuleType):
            self._module(x, path)
            return False
        self.found.uses[path] = use
        if is_dtype or is_atom(of):
            self._atom(x, path, of)
        elif issubclass(of, np.ndarray | Array):
            self._array(x, path)
        elif (base := container_of(of)) is not None:
            self._container(x, base, path, use, depth)
        elif of is Tracer:
            self.found.values[path] = Identity(x)
        else:
            self._instance(x, path, depth)
        return True

    def _is_function(self, x: Any, of: type) -> bool:
        """Whether x is a function, also one that is made by a library, as by `functools.cache`."""
        if issubclass(of, _FUNCTIONS):
            return True
        return callable(x) and "__wrapped__" in own_attributes(x) and not self._owner.of_class(of)

    def _atom(self, x: Any, path: str, of: type) -> None:
        self.found.values[path] = atom(x)
        if issubclass(of, enum.Enum):  # it may have methods
            self._reach(of)

    def _array(self, x: Any, path: str) -> None:
        value = self.found.values[path] = array_value(x)
        if issubclass(type(x), np.ndarray) and not isinstance(value, Identity):
            content = np.ndarray.tobytes(x)
            self.found.checks.append(Check(path, "array", x, None, content))

    def _container(self, x: Any, base: type, path: str, use: Use | None, depth: int) -> None:
        if id(x) in self._visited:
            self.found.values[path] = Elements(type(x), None)
            return
        self._visited[id(x)] = x
        if self._owner.of_class(type(x)):
            self._add_space(x, path, depth, type(x))
        n, is_mutable = len(x), base not in (tuple, frozenset)
        if is_mutable:
            self.found.checks.append(Check(path, "length", x, None, n))
        if n > _LONGEST:
            value = n, Identity(x) if is_mutable else Opaque(x)
            self.found.values[path] = Elements(type(x), value)
        elif is_flat(x, base):
            self._flat(x, base, path, is_mutable)
        else:
            self._elements(x, base, path, use, depth)

    def _flat(self, x: Any, base: type, path: str, is_mutable: bool) -> None:
        """Add a set, or a list or tuple of atoms, as one value."""
        elements, is_set = tuple(x), base in (set, frozenset)
        values = frozenset(map(key_value, elements)) if is_set else tuple(map(atom, elements))
        self.found.values[path] = Elements(type(x), values)
        if is_mutable and (is_set or len(elements) > _UNROLLED):
            self.found.checks.append(Check(path, "elements", x, None, elements))
        elif is_mutable:
            self.found.checks += [Check(path, "item", x, i, e) for i, e in enumerate(elements)]

    def _elements(self, x: Any, base: type, path: str, use: Use | None, depth: int) -> None:
        """Add a container element by element."""
        keys: Sequence[Any]
        if issubclass(base, dict):
            keys, elements = list(x), list(x.values())
            self.found.values[path] = Elements(type(x), tuple(map(key_value, keys)))
        else:
            keys, elements = range(len(x)), list(x)
            self.found.values[path] = Elements(type(x), len(x))
        one_by_one = len(keys) <= _UNROLLED and not hasattr(type(x), "__missing__")
        if base is not tuple and not one_by_one:
            self.found.checks.append(Check(path, "elements", x, tuple(keys), tuple(elements)))
        for key, element in zip(keys, elements, strict=True):
            below = f"{path}[{shown_key(key)}]"
            if self._value(element, below, use, depth + 1) and base is not tuple and one_by_one:
                self.found.checks.append(Check(below, "item", x, key, element))

    def _instance(self, x: Any, path: str, depth: int) -> None:
        of = type(x)
        is_persons = self._owner.of_class(of) or of is types.SimpleNamespace
        # What a library keeps in its objects is not known, but for their identity.
        hidden = content_of(x) if is_persons and self._is_derived(of) else None
        self.found.values[path] = Instance(of, hidden) if is_persons else Opaque(x)
        if id(x) not in self._instances:
            self._instances[id(x)] = x
            if callable(x) and not is_persons:  # such as numpy.vectorize
                self._reach_all(own_attributes(x).values())
            self._add_space(x, path, depth, of)
            if dataclasses.is_dataclass(of):
                self._add_attributes([f.name for f in dataclasses.fields(of)])

    def _is_derived(self, of: type) -> bool:
        """Whether a class of the person's has a base of a library that may keep something."""
        bases = [base for base in of.__mro__ if not self._owner.of_class(base)]
        return any(b.__module__ not in _STATELESS and b not in _PLAIN for b in bases)

    def _add_space(self, x: Any, path: str, depth: int, of: type) -> None:
        of_class = self._class_attributes(of)
        self._spaces.append(Space(x, path, depth, of_class))
        unused = _UNUSED_METHODS if x is of else _UNUSED_METHODS | _MAKERS
        for name, versions in of_class.items():
            if name.startswith("__") and name not in unused:
                self._reach_all(raw for raw in versions if callable(raw))
        if not _WRAPPING.isdisjoint(map(id, of.__mro__)):
            self._add_attributes(("data", "maps"))
        elif _is_registered(of):  # its children are read by functions that are registered
            self._add_attributes(own_attributes(x))

    def _add_attributes(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._names:
                self._names[name] = _NOWHERE
                self._order.append(name)

    def _module(self, module: types.ModuleType, path: str) -> None:
        if id(module) not in self._visited and self._owner.of_module(module):
            self._visited[id(module)] = module
            self._spaces.append(Space(module, path, 0, {}))

    def _attribute(self, space: Space, name: str, use: Use) -> None:
        """Visit an attribute of an object, without running code."""
        if name.startswith("__") or not name.isidentifier():
            return
        value, x = self._attribute_value(space, name), space.x
        if value is MISSING:
            return
        is_item = name in space.own and (space.runs_code() or type(x) is types.ModuleType)
        kind, holder = ("item", space.own) if is_item else ("attribute", x)
        check = Check(f"{space.path}.{name}", kind, holder, name, value)
        self._slot(check, use, space.depth + 1)

    def _attribute_value(self, space: Space, name: str) -> Any:
        """The value of an attribute, as Python would find it, or `MISSING`.

        The code behind a property or another descriptor is searched in its place.
        """
        versions = space.of_class.get(name)
        if versions is None:
            return space.own.get(name, MISSING)
        for other in versions[1:]:  # which super() may call
            if self._is_function(other, type(other)):
                self._reach(other)
        raw = versions[0]
        of = type(raw)
        if of is types.MemberDescriptorType:
            return slot_value(raw, space.x)
        if self._is_function(raw, of) or hasattr(of, "__get__"):
            self._reach(raw)
            if hasattr(of, "__set__"):
                return MISSING
            raw = MISSING
        return space.own.get(name, raw)

    # -- functions -------------------------------------------------------------------------------

    def _reach(self, f: Any) -> None:
        """Add what a function reads, or a method, a class, or what a library made of one."""
        if id(f) in self._visited:
            return
        self._visited[id(f)] = f
        of = type(f)
        if of is types.FunctionType:
            self._function(f)
        elif issubclass(of, type):
            self._class(f)
        elif issubclass(of, functools.partial):
            self._partial(f)
        elif of is types.MethodType or of is types.BuiltinMethodType:
            self._method(f)
        elif id(of) in _WRAPPERS:
            self._reach_all((getattr(f, _WRAPPERS[id(of)]),))
        elif self._owner.of_class(of):  # a callable, or a descriptor
            self._value(f, self._unique("self"), None, 0)
        else:
            self._reach_all(own_attributes(f).values())

    def _method(self, f: Any) -> None:
        """Reach a method of an object; a function of C, such as `len`, is one of a module."""
        if type(f) is types.MethodType:
            self._reach(f.__func__)
        elif f.__name__ in WRITING_METHODS or type(f.__self__) in (
            types.ModuleType,
            types.NoneType,
        ):
            return
        self._value(f.__self__, self._unique("self"), None, 0)

    def _partial(self, f: Any) -> None:
        self._reach(f.func)
        for key, x in [*enumerate(f.args), *f.keywords.items()]:
            self._value(x, self._unique(f"args[{key}]" if type(key) is int else key), None, 0)

    def _reach_all(self, candidates: Iterable[Any]) -> None:
        """Reach functions, and those in containers, as in the table of a singledispatch."""
        for x in candidates:
            if callable(x):
                self._reach(x)
            elif (base := container_of(type(x))) is not None and len(x) <= _LONGEST:
                elements = list(x.values() if issubclass(base, dict) else x)
                for element in elements:
                    if callable(element):
                        self._reach(element)

    def _function(self, f: types.FunctionType) -> None:
        if not self._owner.of_function(f):
            self._reach_all((f.__dict__.get("__wrapped__"),))
            self._reach_all(map(cell_content, f.__closure__ or ()))
            return
        reads, variables = reads_of(f.__code__), f.__globals__
        self._add_read_names(reads)
        for name, use in reads.globals.items():
            if name in variables:
                check = Check(name, "item", variables, name, variables[name])
                self._slot(check, use, origin=f.__module__)
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            content = cell_content(cell)
            if name in reads.cells and content is not MISSING:
                check = Check(name, "cell", cell, None, content)
                self._slot(check, reads.cells[name], origin=f.__qualname__)
        for name in reads.imports:
            self._import(name, variables.get("__package__"))
        self._defaults(f)

    def _add_read_names(self, reads: CodeReads) -> None:
        self._reads_any_attribute |= reads.reads_any_attribute
        for name, use in reads.attributes.items():
            known = self._names.get(name)
            if known is None or (known.only_written and not use.only_written):
                self._names[name] = use
                self._order.append(name)  # again where it was only written to until now

    def _import(self, name: str, package: Any) -> None:
        tops = (name, name.partition(".")[0], f"{package}.{name}")
        for module in filter(None, map(sys.modules.get, tops)):
            self._module(module, module.__name__)

    def _defaults(self, f: types.FunctionType) -> None:
        """Mutable default values: others cannot change."""
        code, values = f.__code__, f.__defaults__ or ()
        last = code.co_argcount
        pairs = [*zip(code.co_varnames[last - len(values) : last], values, strict=True)]
        for name, x in [*pairs, *(f.__kwdefaults__ or {}).items()]:
            if not is_atom(type(x)):
                self._value(x, self._unique(name), None, 0)

    def _class(self, cls: type) -> None:
        if self._owner.of_class(cls):
            self._add_space(cls, cls.__name__, 0, cls)

    def _class_attributes(self, cls: type) -> dict[str, list[Any]]:
        """Attributes of the person's classes among the bases: all of a name, in Python's order."""
        known = self._of_classes.get(id(cls))
        if known is None:
            known = self._of_classes[id(cls)] = {}
            for base in cls.__mro__:
                if self._owner.of_class(base):
                    for name, raw in vars(base).items():
                        known.setdefault(name, []).append(raw)
        return known

    def add_argument(self, x: Any, depth: int = 0) -> None:
        """Reach the methods of an argument: its values are no captured ones."""
        of = type(x)
        if is_atom(of) or issubclass(of, np.ndarray | Array | Tracer) or depth > _DEEPEST:
            return
        base = container_of(of)
        if base is not None:
            for element in x.values() if issubclass(base, dict) else x:
                self.add_argument(element, depth + 1)
        elif self._is_function(x, of):
            self._reach(x)
        elif self._owner.of_class(of) and id(x) not in self._arguments:
            self._arguments[id(x)] = x
            self._reach(of)
            for element in list(own_attributes(x).values()):
                self.add_argument(element, depth + 1)


def _is_registered(cls: type) -> bool:
    """Whether a class is a container of pytrees; one without a hash cannot be."""
    try:
        return tree.is_container(cls)
    except Exception:
        return False
