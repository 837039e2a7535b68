"""Versions and attributes of a library by PJRT's C API, read by ctypes before jaxlib loads it.

jaxlib ends the process on a library whose API is a null pointer, and shows neither the version of a
plugin nor its attributes.

Source: `pjrt_c_api.h` of OpenXLA, whose structs only grow at their end,
https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h
"""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Api", "NotAPlugin", "attributes", "destroy_error", "extensions", "read_api"]

_FUNCTION = "GetPjrtApi"
_N_FUNCTIONS = 5  # those that are read here: the last is `PJRT_Plugin_Attributes`
# The header of a file, whose table of segments is described at its bytes 32 and 54; of a segment
# its offset and its size in the file.
_ELF_64 = b"\x7fELF\x02\x01"
_ELF = struct.Struct("<32xQ14xHH")
_SEGMENT = struct.Struct("<8xQ16xQ")
_STRING, _INT, _INTS, _FLOAT, _BOOL = range(5)


class NotAPlugin(Exception):
    """A library that is no plugin; the message says why."""


class Api(NamedTuple):
    """The API of a plugin: its version, major and minor, its library, and addresses.

    The first extension is 0 where there is none; the others are functions.
    """

    version: tuple[int, int]
    library: Any
    first_extension: int
    destroy_error: int
    attributes: int


class _Version(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    )


class _Start(ctypes.Structure):
    """The first fields of `PJRT_Api`."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("version", _Version),
        ("functions", ctypes.c_void_p * _N_FUNCTIONS),
    )


class _Value(ctypes.Union):
    _fields_ = (
        ("string", ctypes.c_void_p),
        ("int64", ctypes.c_int64),
        ("float32", ctypes.c_float),
        ("boolean", ctypes.c_bool),
    )


class _NamedValue(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("name", ctypes.c_void_p),
        ("name_size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("value", _Value),
        ("value_size", ctypes.c_size_t),
    )


class _Extension(ctypes.Structure):
    """The first fields of each extension."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("next", ctypes.c_void_p),
    )


class _Error(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
    )


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
    )


_AttributesFunction = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Attributes))


def read_api(path: Path) -> Api:
    """The API of the plugin in a library; raises `NotAPlugin`."""
    if missing := _missing_bytes(path):
        raise NotAPlugin(f"its file is cut off, {missing} bytes are missing; install it again")
    try:
        library = ctypes.CDLL(str(path.resolve()))
    except OSError as error:
        raise NotAPlugin(f"it cannot be opened: {error}") from None
    try:
        function = getattr(library, _FUNCTION)
    except AttributeError:
        raise NotAPlugin(f"it has no function {_FUNCTION}") from None
    function.restype = ctypes.c_void_p
    address = function()
    if not address:
        raise NotAPlugin(f"its {_FUNCTION} gives no API")
    start = _Start.from_address(address)
    if start.struct_size < ctypes.sizeof(_Start) or not all(start.functions):
        raise NotAPlugin(f"its {_FUNCTION} gives an API without the first of the functions")
    version = int(start.version.major), int(start.version.minor)
    return Api(
        version,
        library,
        start.extensions or 0,
        start.functions[0],
        start.functions[_N_FUNCTIONS - 1],
    )


def _missing_bytes(path: Path) -> int:
    """How much shorter an ELF file of 64 bits is than its segments; 0 for every other file.

    The loader maps segments without a look at the size, and ends the process with SIGBUS.

    Source: ELF-64 Object File Format, https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(_ELF.size)
            if len(header) < _ELF.size or not header.startswith(_ELF_64):
                return 0
            at, entry_size, count = _ELF.unpack(header)
            end = at + entry_size * count
            if end > size or entry_size < _SEGMENT.size:
                return max(end - size, 0)
            file.seek(at)
            table = file.read(entry_size * count)
    except OSError:  # which the loader describes
        return 0
    starts = range(0, len(table), entry_size)
    ends = [sum(_SEGMENT.unpack_from(table, start)) for start in starts]
    return max(max(ends, default=0) - size, 0)


def extensions(api: Api) -> dict[int, int]:
    """Addresses of the extensions of a plugin, by their numbers in the C API."""
    found: dict[int, int] = {}
    at = api.first_extension
    while at:
        extension = _Extension.from_address(at)
        found[extension.kind] = at
        at = extension.next
    return found


def destroy_error(api: Api, error: int) -> None:
    """Free an error that a function of the plugin returned."""
    given = _Error(ctypes.sizeof(_Error), None, error)
    ctypes.CFUNCTYPE(None, ctypes.POINTER(_Error))(api.destroy_error)(ctypes.byref(given))


def attributes(api: Api) -> dict[str, Any]:
    """Attributes of an initialised plugin, such as the versions of StableHLO that it takes."""
    found = _Attributes(struct_size=ctypes.sizeof(_Attributes))
    if _AttributesFunction(api.attributes)(ctypes.byref(found)) or not found.count:
        return {}
    size = _NamedValue.from_address(found.attributes).struct_size  # as the plugin lays them out
    at = [found.attributes + i * max(size, ctypes.sizeof(_NamedValue)) for i in range(found.count)]
    return dict(map(_read, map(_NamedValue.from_address, at)))


def _read(of: _NamedValue) -> tuple[str, Any]:
    name, value = _text(of.name, of.name_size), of.value
    if of.kind == _INTS:
        return name, tuple((ctypes.c_int64 * of.value_size).from_address(value.string))
    if of.kind == _STRING:
        return name, _text(value.string, of.value_size)
    return name, {_INT: value.int64, _FLOAT: value.float32, _BOOL: value.boolean}.get(of.kind)


def _text(address: int, size: int) -> str:
    return ctypes.string_at(address, size).decode(errors="replace")
