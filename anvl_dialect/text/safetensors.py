"""Arrays in the safetensors format: 8 bytes with the size of a JSON header, the header, the data.

    encoded({"w": array})     the bytes of a file; `encoded_parts`: the same in parts
    decoded(data)             the arrays, read-only views of the bytes
    StoredArrays(data)        the same, each read when it is asked for: data may be a mapped file
    metadata_of(data)         the text that it has beside them

Written here because the NumPy part of the `safetensors` package (0.8.0) has neither bf16 nor floats
of 8 bits.  The format has no c128, i4 and ui4: these are stored as f64 with a last axis of 2 (real
and imaginary part), i8 and u8, and `__metadata__` has their names under `anvl.dtypes`, as JSON.
Source: https://github.com/huggingface/safetensors, "Format".
"""

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from anvl.dialect.core.types import DTYPES, dtype_name

__all__ = ["InvalidArrays", "StoredArrays", "decoded", "encoded", "encoded_parts", "metadata_of"]

_METADATA, _OURS = "__metadata__", "anvl.dtypes"
_LONGEST_HEADER = 100_000_000  # bytes, as in the Rust implementation
_ALIGNMENT = 8

#: Names in the file, of the dtypes that it has.
_NAMES = {
    "bool": "BOOL", "i8": "I8", "i16": "I16", "i32": "I32", "i64": "I64", "ui8": "U8",
    "ui16": "U16", "ui32": "U32", "ui64": "U64", "f8E4M3FN": "F8_E4M3", "f8E5M2": "F8_E5M2",
    "f16": "F16", "bf16": "BF16", "f32": "F32", "f64": "F64", "c64": "C64",
}  # fmt: skip
_DTYPES = {stored: name for name, stored in _NAMES.items()}
#: What the other dtypes are stored as.
_STORED = {"c128": "f64", "i4": "i8", "ui4": "ui8"}


class InvalidArrays(ValueError):
    """The bytes are not in the safetensors format; the message is the reason."""


def encoded(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a file with these arrays, always the same for the same arrays."""
    header, parts = encoded_parts(arrays, metadata)
    return b"".join([header, *parts.values()])


def encoded_parts(
    arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None
) -> tuple[bytes, dict[str, memoryview]]:
    """The header of a file, and the bytes of each array in their order, which are not copied."""
    header: dict[str, Any] = {}
    parts: dict[str, memoryview] = {}
    others: dict[str, str] = {}
    at = 0
    # The widest first: then each is aligned to its own size.
    for name in sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name)):
        of = dtype_name(arrays[name].dtype)
        stored = _stored(arrays[name], of)
        if of in _STORED:
            others[name] = of
        little = stored.astype(stored.dtype.newbyteorder("<"), copy=False)
        part = little.reshape(-1).view(np.uint8).data.toreadonly()
        header[name] = {
            "dtype": _NAMES[_STORED.get(of, of)],
            "shape": list(stored.shape),
            "data_offsets": [at, at + len(part)],
        }
        parts[name] = part
        at += len(part)
    texts = dict(sorted((metadata or {}).items()))
    if others:
        texts[_OURS] = json.dumps(others, sort_keys=True)
    if texts:
        header = {_METADATA: texts, **header}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    return len(text).to_bytes(8, "little") + text, parts


def _stored(array: np.ndarray, of: str) -> np.ndarray:
    """The array in a dtype of the format."""
    array = np.asarray(array, order="C")
    if of == "c128":
        return array.reshape(*array.shape, 1).view(np.float64)
    return array.astype(DTYPES[_STORED[of]].numpy) if of in _STORED else array


def decoded(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of a file, by name.  Raises `InvalidArrays`."""
    stored = StoredArrays(data)
    return {name: stored.array(name, stored.content(name)) for name in stored.names}


class StoredArrays:
    """The arrays of a file, each read when it is asked for.

    `data` is anything whose slices are bytes, such as a mapped file.  Raises `InvalidArrays`.
    """

    def __init__(self, data: Any) -> None:
        header, start = _read_header(data)
        self._data = data
        self._others = _names_of_others(header.pop(_METADATA, {}))
        self._entries: dict[str, Any] = header
        self._places: dict[str, slice] = {}
        at = start
        for name, entry in sorted(header.items(), key=lambda item: _offsets(*item)):
            begin, end = (start + offset for offset in _offsets(name, entry))
            if begin != at or end > len(data):
                first, last = begin - start, end - start
                raise InvalidArrays(
                    f"{name!r} is at bytes {first} to {last}, expected from {at - start} on"
                )
            self._places[name] = slice(begin, end)
            at = end
        if at != len(data):
            raise InvalidArrays(f"{len(data) - at} bytes belong to no array")
        #: The bytes before the arrays, which say what these are.
        self.header: bytes = data[:start]

    @property
    def names(self) -> list[str]:
        """Names of the arrays, in their order in the file."""
        return list(self._places)

    def content(self, name: str) -> bytes:
        """The bytes of an array, as stored."""
        return bytes(self._data[self._places[name]])

    def array(self, name: str, content: bytes) -> np.ndarray:
        """The array that these bytes, its `content`, are."""
        return _array(name, self._entries[name], content, self._others.get(name))


def metadata_of(data: bytes) -> dict[str, str]:
    """The texts beside the arrays of a file, without our own.  Raises `InvalidArrays`."""
    found = _read_header(data)[0].get(_METADATA, {})
    if not isinstance(found, dict) or not all(isinstance(of, str) for of in found.values()):
        raise InvalidArrays(f"its {_METADATA} is malformed")
    return {name: text for name, text in found.items() if name != _OURS}


def _read_header(data: Any) -> tuple[dict[str, Any], int]:
    """The header of a file, and where it ends."""
    start = 8 + int.from_bytes(data[:8], "little")
    if len(data) < 8 or start > min(len(data), 8 + _LONGEST_HEADER):
        raise InvalidArrays(f"its header would end at byte {start} of {len(data)}")
    return _header(data[8:start]), start


def _header(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_without_repetition)
    except InvalidArrays:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidArrays(f"its header is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidArrays("its header is no JSON object")
    return found


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidArrays("its header names an array twice")
    return found


def _names_of_others(metadata: Any) -> dict[str, str]:
    """The dtypes that the format lacks, by the names of their arrays."""
    try:
        found = json.loads(metadata.get(_OURS, "{}"))
    except (ValueError, AttributeError, TypeError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(of, str) for of in found.values()):
        raise InvalidArrays(f"its {_METADATA} is malformed")
    return found


def _offsets(name: str, entry: Any) -> tuple[int, int]:
    given: Any = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not _are_sizes(given) or len(given) != 2 or given[0] > given[1]:
        raise InvalidArrays(f"{name!r} has the data_offsets {given!r}")
    return given[0], given[1]


def _are_sizes(given: Any) -> bool:
    return isinstance(given, list) and all(type(n) is int and n >= 0 for n in given)


def _array(name: str, entry: Mapping[str, Any], data: bytes, other: str | None) -> np.ndarray:
    stored, shape = entry.get("dtype"), entry.get("shape", ())
    if stored not in _DTYPES:
        raise InvalidArrays(f"{name!r} has the dtype {stored!r}, which anvl has no arrays of")
    if not _are_sizes(shape):
        raise InvalidArrays(f"{name!r} has the shape {shape!r}")
    of = DTYPES[_DTYPES[stored]]
    if math.prod(shape) * of.numpy.itemsize != len(data):
        raise InvalidArrays(f"{name!r} is {of.name}{shape}, but has {len(data)} bytes")
    if of.name == "bool" and data.strip(b"\0\1"):
        raise InvalidArrays(f"{name!r} has a bool that is neither 0 nor 1")
    try:
        found = np.frombuffer(data, of.numpy.newbyteorder("<")).reshape(shape)
    except (ValueError, OverflowError):  # more axes than NumPy has, or larger ones
        raise InvalidArrays(f"{name!r} has the shape {shape!r}") from None
    if sys.byteorder == "big":
        found = found.astype(of.numpy)
    return found if other is None else _restored(name, found, of.name, other)


def _restored(name: str, stored: np.ndarray, of: str, other: str) -> np.ndarray:
    """The array of a dtype that the format lacks."""
    if _STORED.get(other) != of or (other == "c128" and stored.shape[-1:] != (2,)):
        raise InvalidArrays(f"{name!r} is {of}{list(stored.shape)}, which is no {other}")
    if other == "c128":
        return stored.view(np.complex128)[..., 0]
    found = stored.astype(DTYPES[other].numpy)
    if not np.array_equal(found.astype(stored.dtype), stored):
        raise InvalidArrays(f"{name!r} has numbers that {other} does not hold")
    found.flags.writeable = False
    return found
