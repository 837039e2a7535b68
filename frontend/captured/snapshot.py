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
from typing import Any

import numpy as np

from anvl.captured.code_reads import DYNAMIC, WRITING_METHODS, CodeReads, Use, reads_of
from anvl.captured.object_reads import (
    FUNCTIONS,
    MISSING,
    WRAPPERS,
    Space,
    cell_content,
    is_plain,
    is_registered,
    may_be_filled,
    names_read_by,
    own_attributes,
    slot_value,
)
from anvl.captured.ownership import Ownership, home_of
from anvl.captured.record import Check, Snapshot
from anvl.captured.storage import (
    CONTAINERS,
    container_of,
    elements_of,
    is_flat,
    is_plain_key,
    key_value,
    keys_of,
    path_of,
    reads_storage,
)
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

__all__ = ["snapshot"]

_MOST_VALUES = 1000  # beyond these, values are not found
_LONGEST = 1000  # elements of a container; a longer one is compared by identity and length
_UNROLLED = 16  # elements of a container that are checked one by one
_DEEPEST = 20

# Containers of Python whose elements are in an attribute; by id, as asking abstract classes for
# subclasses takes long.
_USER = (collections.UserDict, collections.UserList, collections.UserString)
_WRAPPING = frozenset(map(id, (collections.ChainMap, *_USER)))
_UNUSED_METHODS = frozenset(
    (
        "__class_getitem__", "__del__", "__getstate__", "__init_subclass__", "__reduce__",
        "__reduce_ex__", "__repr__", "__setstate__", "__str__", "__subclasshook__",
    )
)  # fmt: skip
_NUMBERS = (bool, int, float, complex)  # classes that name a dtype, as NumPy's do
_MAKERS = frozenset(("__init__", "__new__", "__post_init__"))
_NOWHERE = Use("", 0, only_written=False)


def snapshot(f: Callable[..., Any], given: Sequence[tuple[str, Any]] = ()) -> Snapshot:
    """The values that f reads; `given`: static arguments by name, classes of others without one."""
    search = _Search(f)
    for name, x in given:
        search.add_argument(x, name)
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
        self._paths: dict[int, str] = {}  # where containers and instances were met first
        self._slots: set[tuple[int, Any]] = set()
        self._instances: dict[int, Any] = {}
        self._arguments: dict[int, Any] = {}
        self._class_spaces: dict[int, type] = {}
        self._reads_any_attribute = self._reads_classes = False
        self._reach(f)

    def finish(self) -> Snapshot:
        """Visit attributes until neither names nor objects are new."""
        grows = True
        while grows:
            grows = False
            for space in self._spaces:  # grows in the loop
                if self._reads_any_attribute:
                    self._add_names(space)
                if self._reads_classes:
                    self._add_classes(space)
                while space.seen < len(self._order):
                    name = self._order[space.seen]
                    space.seen, grows = space.seen + 1, True
                    self._attribute(space, name, self._names[name])
        for space in self._spaces:
            if self._reads_any_attribute or space.runs_code():
                self._names_of(space)
        return self.found

    def _names_of(self, space: Space) -> None:
        """Add which attributes an object of the person's has."""
        path, own, of = f"{space.path}.__dict__", space.own, type(space.x)
        if not (space.may_gain and (self._owner.of_class(of) or of is types.SimpleNamespace)):
            return
        self.found.values[path] = Elements(dict, space.own_names())
        self.found.checks.append(Check(path, "length", own, None, len(own)))

    def _add_names(self, space: Space) -> None:
        self._add_attributes(name for name in [*space.own, *space.of_class] if type(name) is str)

    def _add_classes(self, space: Space) -> None:
        """Add the classes of an object: it may hide attributes of theirs."""
        of = space.x if issubclass(type(space.x), type) else type(space.x)
        for base in of.__mro__:
            if self._owner.of_class(base) and id(base) not in self._class_spaces:
                self._class_spaces[id(base)] = base
                of_class = self._owner.attributes_of(base)
                self._spaces.append(Space(base, base.__name__, space.depth, of_class))

    # -- values ----------------------------------------------------------------------------------

    def _slot(
        self, check: Check, use: Use | None, depth: int = 0, origin: str | None = None
    ) -> None:
        """Add a variable: a global, a cell or an attribute, and its value.

        `origin` tells variables of one name apart.
        """
        of = type(check.value)
        if use is not None and use.only_written and self._is_only_written(of):
            return
        key = id(check.holder), check.key
        if key in self._slots:
            return
        self._slots.add(key)
        path = self._unique(check.path, origin)
        if self._value(check.value, path, use, depth):
            self.found.checks.append(check._replace(path=path))

    def _is_only_written(self, of: type) -> bool:
        """Whether the methods that write to an object are a container's, which read nothing."""
        is_container = issubclass(of, CONTAINERS)
        return is_container and WRITING_METHODS.isdisjoint(self._owner.attributes_of(of))

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
            self._atom(x, path, of, depth)
        elif issubclass(of, np.ndarray | Array):
            self._array(x, path, depth)
        elif (base := container_of(of)) is not None:
            self._container(x, base, path, use, depth)
        elif of is Tracer:
            self.found.values[path] = Identity(x)
        else:
            self._instance(x, path, depth)
        return True

    def _is_function(self, x: Any, of: type) -> bool:
        """Whether x is a function, also one that is made by a library, as by `functools.cache`."""
        if issubclass(of, FUNCTIONS):
            return True
        return callable(x) and "__wrapped__" in own_attributes(x) and not self._owner.of_class(of)

    def _atom(self, x: Any, path: str, of: type, depth: int) -> None:
        self.found.values[path] = atom(x)
        if issubclass(of, enum.Enum):  # it may have methods, and attributes
            self._reach(of)
            if self._owner.of_class(of) and self._is_new(x):
                self._add_space(x, path, depth, of)
                if not is_atom(type(x._value_)):
                    self._add_attributes(("_value_",))

    def _array(self, x: Any, path: str, depth: int) -> None:
        value, of = array_value(x), type(x)
        self.found.values[path] = value
        if not issubclass(of, np.ndarray):
            return
        if not isinstance(value, Identity):
            content = np.ndarray.tobytes(x)
            self.found.checks.append(Check(path, "array", x, None, content))
        if of is not np.ndarray and self._is_new(x):
            self._add_space(x, path, depth, of)
            if "_mask" in own_attributes(x):  # of a masked array
                self._add_attributes(("_mask",))

    def _is_new(self, x: Any) -> bool:
        """Whether an object is met for the first time."""
        if id(x) in self._instances:
            return False
        self._instances[id(x)] = x
        return True

    def _container(self, x: Any, base: Any, path: str, use: Use | None, depth: int) -> None:
        of = type(x)
        if id(x) in self._paths:
            self.found.values[path] = Elements(of, f"the elements of {self._paths[id(x)]}")
            return
        self._visited[id(x)], self._paths[id(x)] = x, path
        if self._owner.of_class(of) or not reads_storage(of, base):
            self._add_space(x, path, depth, of)
        n, is_mutable = base.__len__(x), base not in (tuple, frozenset)
        if is_mutable:
            self.found.checks.append(Check(path, "length", x, None, n))
        if n > _LONGEST:
            value = n, Identity(x) if is_mutable else Opaque(x)
            self.found.values[path] = Elements(of, value)
        elif is_flat(x, base):
            self._flat(x, base, path, is_mutable)
            self._objects(keys_of(x, base), path, use, depth)
        else:
            self._elements(x, base, path, use, depth)

    def _flat(self, x: Any, base: Any, path: str, is_mutable: bool) -> None:
        """Add a set, or a list or tuple of atoms, as one value."""
        elements, is_set = tuple(keys_of(x, base)), base in (set, frozenset)
        values = frozenset(map(key_value, elements)) if is_set else tuple(map(atom, elements))
        self.found.values[path] = Elements(type(x), values)
        if not is_mutable:
            return
        if is_set or len(elements) > _UNROLLED or not reads_storage(type(x), base):
            self.found.checks.append(Check(path, "elements", x, None, elements))
        else:
            self.found.checks += [Check(path, "item", x, i, e) for i, e in enumerate(elements)]

    def _objects(self, keys: Sequence[Any], path: str, use: Use | None, depth: int) -> None:
        """Add the objects in a set, or those that are keys of a dict: they may change."""
        for i, key in enumerate(keys):
            if not is_atom(type(key)):
                self._value(key, f"{path}[<{i}>]", use, depth + 1)

    def _elements(self, x: Any, base: Any, path: str, use: Use | None, depth: int) -> None:
        """Add a container element by element."""
        keys: Sequence[Any]
        elements = elements_of(x, base)
        if issubclass(base, dict):
            keys = keys_of(x, base)
            self.found.values[path] = Elements(type(x), tuple(map(key_value, keys)))
            self._objects(keys, path, use, depth)
        else:
            keys = range(len(elements))
            self.found.values[path] = Elements(type(x), len(elements))
        one_by_one = len(keys) <= _UNROLLED and not hasattr(type(x), "__missing__")
        one_by_one &= reads_storage(type(x), base) and all(map(is_plain_key, keys))
        if base is not tuple and not one_by_one:
            self.found.checks.append(Check(path, "elements", x, tuple(keys), tuple(elements)))
        for i, (key, element) in enumerate(zip(keys, elements, strict=True)):
            below = path_of(path, key, i)
            if self._value(element, below, use, depth + 1) and base is not tuple and one_by_one:
                self.found.checks.append(Check(below, "item", x, key, element))

    def _instance(self, x: Any, path: str, depth: int) -> None:
        of = type(x)
        is_persons = self._owner.of_class(of) or of is types.SimpleNamespace
        # What a library keeps in its objects is not known, but for their identity.
        hidden = content_of(x) if is_persons and self._owner.is_derived(of) else None
        first = self._paths.setdefault(id(x), path)
        self.found.values[path] = Instance(of, hidden, first) if is_persons else Opaque(x)
        if self._is_new(x):
            if callable(x) and not is_persons:  # such as numpy.vectorize
                self._reach_all(own_attributes(x).values())
                self._add_attributes(names_read_by(x))
            self._add_space(x, path, depth, of)
            if dataclasses.is_dataclass(of):
                self._add_attributes([f.name for f in dataclasses.fields(of)])

    def _add_space(self, x: Any, path: str, depth: int, of: type) -> None:
        of_class = self._owner.attributes_of(of)
        self._spaces.append(space := Space(x, path, depth, of_class))
        if x is not of and self._owner.of_class(of):
            self.found.checks.append(Check(path, "class", x, None, of))
            if space.runs_code() and space.may_gain:
                self.found.checks.append(Check(path, "own", x, None, space.own))
        unused = _UNUSED_METHODS if x is of else _UNUSED_METHODS | _MAKERS
        for name, versions in of_class.items():
            if name.startswith("__") and name not in unused:
                self._reach_all(raw for raw in versions if callable(raw))
        if not _WRAPPING.isdisjoint(map(id, of.__mro__)):
            self._add_attributes(("data", "maps"))
        elif is_registered(of):  # its children are read by functions that are registered
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
        is_item = space.has_item(name)
        value = self._attribute_value(space, name) if is_item or is_plain(name) else MISSING
        if value is MISSING:
            return
        kind, holder = ("item", space.own) if is_item else ("attribute", space.x)
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
            if space.may_gain and name not in space.own and may_be_filled(raw):
                self._unfilled(Check(f"{space.path}.{name}", "absent", space.own, name, raw))
            raw = MISSING
        return space.own.get(name, raw)

    def _unfilled(self, check: Check) -> None:
        """Add an attribute that its descriptor gives, and that may be set."""
        self.found.unfilled.append(check)
        if type(check.value) is not functools.cached_property:  # that sets it when it is read
            self.found.checks.append(check)

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
        elif issubclass(of, functools.partial | functools.partialmethod):
            self._partial(f)
        elif of in (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType):
            self._method(f)
        elif id(of) in WRAPPERS:
            self._reach_all((getattr(f, WRAPPERS[id(of)]),))
        elif self._owner.of_class(of):  # a callable, or a descriptor
            self._value(f, self._unique("self"), None, 0)
        else:
            self._reach_all(own_attributes(f).values())

    def _method(self, f: Any) -> None:
        """Reach a method of an object; a function of C, such as `len`, is one of a module."""
        if type(f) is types.MethodType:
            self._reach(f.__func__)
        elif type(f.__self__) in (types.ModuleType, types.NoneType):
            self._reads_any_attribute |= f.__name__ in DYNAMIC  # an alias of getattr
            return
        elif f.__name__ in WRITING_METHODS:
            return
        self._value(f.__self__, self._unique("self"), None, 0)

    def _partial(self, f: Any) -> None:
        self._reach(f.func)
        for i, x in enumerate(f.args):
            self._value(x, self._unique(f"args[{i}]"), None, 0)
        for name, x in f.keywords.items():
            self._slot(Check(name, "item", f.keywords, name, x), None)

    def _reach_all(self, candidates: Iterable[Any]) -> None:
        """Reach functions, and those in containers, as in the table of a singledispatch."""
        for x in candidates:
            if callable(x):
                self._reach(x)
            elif (base := container_of(type(x))) is not None and base.__len__(x) <= _LONGEST:
                if id(x) not in self._visited:
                    self._visited[id(x)] = x
                    self._reach_all(elements_of(x, base))

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
        self._reads_classes |= reads.reads_classes
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

    def add_argument(self, x: Any, name: str = "", depth: int = 0) -> None:
        """Reach the methods of an argument; of a static one, add what may change in place."""
        of = type(x)
        if name and (issubclass(of, enum.Enum) or not is_atom(of)):
            self._value(x, self._unique(name), None, 0)
        if is_atom(of) or issubclass(of, np.ndarray | Array | Tracer) or depth > _DEEPEST:
            return
        if (base := container_of(of)) is not None:
            for element in elements_of(x, base):
                self.add_argument(element, depth=depth + 1)
        elif self._is_function(x, of):
            self._reach(x)
        elif self._owner.of_class(of) and id(x) not in self._arguments:
            self._arguments[id(x)] = x
            self._reach(of)
            for element in list(own_attributes(x).values()):
                self.add_argument(element, depth=depth + 1)
