"""Values by which a function's captured state is compared: equal where a trace would be equal.

A value that is kept stands for an object as it was: numbers with their types, small arrays with
their contents, large ones by identity.
"""

from __future__ import annotations

import enum
import weakref
from collections.abc import Callable
from types import EllipsisType, NoneType, NotImplementedType
from typing import Any, NamedTuple

import numpy as np

from anvl.core.arguments import StaticValue
from anvl.runtime import Array, RuntimeFailure

__all__ = [
    "LARGEST_COMPARED",
    "ArrayValue",
    "Elements",
    "Identity",
    "Instance",
    "Opaque",
    "array_value",
    "atom",
    "content_of",
    "is_atom",
    "shown",
]

#: Bytes of an array up to which its content is compared.
LARGEST_COMPARED = 4096

# By identity: a metaclass may make classes that have no hash.
_ATOMS = frozenset(
    map(
        id,
        (
            bool, int, float, complex, str, bytes, range, slice, NoneType, EllipsisType,
            NotImplementedType,
        ),
    )
)  # fmt: skip
_MOST_SHOWN = 8  # elements of an array in a message
_LONGEST = 60  # characters of a value in a message


def is_atom(of: type) -> bool:
    """Whether objects of a class are immutable, and hold nothing else."""
    return id(of) in _ATOMS or issubclass(of, np.generic | np.dtype | enum.Enum)


def atom(x: Any) -> Any:
    """The value of an atom: equal only to a value of its type."""
    if isinstance(x, np.generic):
        return ArrayValue(x)
    return StaticValue(x)


class Identity:
    """An object that is compared by identity, and is not kept alive where that is possible."""

    __slots__ = ("_ref", "_text")

    def __init__(self, x: Any) -> None:
        try:
            self._ref: Any = weakref.ref(x)
        except TypeError:
            self._ref = lambda: x
        self._text = _described(x)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self._ref() is other._ref() is not None

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return self._text


class ArrayValue:
    """The content of a small array, or a NumPy scalar: dtype, shape and bytes; and its device."""

    __slots__ = ("_key",)

    def __init__(self, x: Any) -> None:
        values = np.asarray(x)
        weak = getattr(x, "weak_type", False)
        where = x.aval.placement if isinstance(x, Array) else None  # where the program runs
        self._key = values.dtype, values.shape, values.tobytes(), type(x), weak, where

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayValue) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        dtype, shape, content, *_ = self._key
        if dtype.hasobject or len(content) > _MOST_SHOWN * dtype.itemsize:
            return f"an array {dtype}{list(shape)}"
        return str(np.frombuffer(content, dtype).reshape(shape).tolist())


class Instance:
    """An object of the person's: its class; its attributes are values of their own.

    `hidden` is what a base of a library keeps in it, as a subclass of `float` its number; `path`
    is where the object was met first, which tells objects of one class apart.
    """

    __slots__ = ("_hidden", "_of", "_path")

    def __init__(self, of: type, hidden: Any = None, path: str = "") -> None:
        self._of, self._hidden, self._path = of, hidden, path

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance) or self._of is not other._of:
            return False
        return self._path == other._path and bool(self._hidden == other._hidden)

    def __hash__(self) -> int:
        return id(self._of)

    def __repr__(self) -> str:
        return f"a {self._of.__name__}" if self._hidden is None else repr(self._hidden)


# By class: the function that reads the value of an object of a subclass, and runs no other code.
_CONTENTS: dict[type, Callable[[Any], Any]] = {
    int: int.__int__, float: float.__float__, complex: complex.__complex__, str: str.__str__,
    bytes: bytes.__bytes__,
}  # fmt: skip


def content_of(x: Any) -> Any:
    """Read the number or text that an object of a class derived from a library's stands for.

    Others are equal if they are the same, or if they say so.
    """
    for base, read in _CONTENTS.items():
        if issubclass(type(x), base):
            return StaticValue(read(x))
    return Opaque(x)


class Opaque:
    """An object of a library: equal if it is the same, or says so."""

    __slots__ = ("_x",)

    def __init__(self, x: Any) -> None:
        self._x = x

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Opaque) or type(self._x) is not type(other._x):
            return False
        if self._x is other._x:
            return True
        try:
            return bool(self._x == other._x)
        except Exception:  # the person's `__eq__`, or arrays
            return False

    def __hash__(self) -> int:
        return hash(type(self._x))

    def __repr__(self) -> str:
        return _described(self._x)


class Elements(NamedTuple):
    """A container: its class, and its elements, keys or length."""

    of: type
    known: Any

    def __repr__(self) -> str:
        if not isinstance(self.known, tuple | frozenset):
            return f"a {self.of.__name__} of {self.known}"
        brackets = "[]" if self.of is list else "()" if self.of is tuple else "{}"
        return brackets[0] + ", ".join(map(repr, self.known)) + brackets[1]


def array_value(x: Any) -> Any:
    """The value of an array: its content if it is small, else its identity."""
    if x.nbytes > LARGEST_COMPARED:
        return Identity(x)
    try:
        return ArrayValue(x)
    except RuntimeFailure:  # deleted or donated
        return Identity(x)


def shown(value: Any) -> str:
    """A value in a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _described(x: Any) -> str:
    if isinstance(x, np.ndarray | Array):
        return f"an array {x.dtype}{list(x.shape)}"
    return f"a {type(x).__name__}"
