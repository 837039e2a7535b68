"""Entries of the cache as bytes: sealed when written, verified before anything in them is read.

    magic (16 bytes) | seal (32) | length of the header (4, little endian) | header, JSON | program

The seal is the HMAC-SHA-256 of all that follows it, under a secret that only this user can read.
The header has the key of the entry, so that no entry passes for another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["SECRET_BYTES", "Damaged", "Entry", "header_of", "opened", "sealed"]

MAGIC = b"anvl program 1\r\n"
SECRET_BYTES = 32

_SEAL = 32
_LENGTH = 4
_START = len(MAGIC) + _SEAL
_MAX_HEADER = 1 << 16


class Damaged(Exception):
    """An entry that is not as it was written, or was written under another secret."""


class Entry(NamedTuple):
    """An entry: what describes it, and the program as the client serialized it."""

    header: dict[str, Any]
    program: bytes


def sealed(key: str, facts: Mapping[str, Any], program: bytes, secret: bytes) -> bytes:
    """The bytes of an entry; `facts` describe it."""
    import json  # as the next: not for a process that compiles nothing

    header = json.dumps({"key": key, **facts}).encode()
    content = len(header).to_bytes(_LENGTH, "little") + header + program
    return MAGIC + _seal(content, secret) + content


def opened(key: str, data: bytes, secret: bytes) -> Entry:
    """The entry in these bytes.  Raises `Damaged`."""
    if data[: len(MAGIC)] != MAGIC:
        raise Damaged("it does not begin as an entry" if data else "it is empty")
    import hmac  # with OpenSSL, 3 ms
    import json

    content = data[_START:]
    if not hmac.compare_digest(data[len(MAGIC) : _START], _seal(content, secret)):
        raise Damaged("its seal does not fit its content")
    size = int.from_bytes(content[:_LENGTH], "little")
    header = json.loads(content[_LENGTH : _LENGTH + size])
    if header["key"] != key:
        raise Damaged("it is the entry of another program")
    return Entry(header, content[_LENGTH + size :])


def header_of(start: bytes) -> dict[str, Any]:
    """The header of an entry, not verified, to show it; empty if it cannot be read.

    `start` are the first bytes of the entry.
    """
    import json

    size = int.from_bytes(start[_START : _START + _LENGTH], "little")
    try:
        header = json.loads(start[_START + _LENGTH : _START + _LENGTH + min(size, _MAX_HEADER)])
    except ValueError:
        return {}
    return header if isinstance(header, dict) else {}


def _seal(content: bytes, secret: bytes) -> bytes:
    import hmac

    return hmac.digest(secret, content, "sha256")
