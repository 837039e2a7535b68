"""Boxes: where the parts of an array lie in it, as text and as slices."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

__all__ = ["Box", "common", "entry_of", "read_entry", "size_of", "within"]

#: For each dimension where it begins and ends.
Box = tuple[tuple[int, int], ...]

_TEXT = re.compile(r"(?:\d+:\d+(?:,\d+:\d+)*)?")


def entry_of(leaf: str, box: Box) -> str:
    """The name of a part in a file, such as `layers.0.w@0:4,8:16`."""
    return f"{leaf}@{','.join(f'{begin}:{end}' for begin, end in box)}"


def read_entry(entry: str) -> tuple[str, Box]:
    """The leaf and the box of such a name.  Raises `ValueError`."""
    leaf, sign, text = entry.rpartition("@")
    if not sign or not _TEXT.fullmatch(text):
        raise ValueError(f"{entry!r} names no part of an array")
    pairs = [part.split(":") for part in text.split(",")] if text else []
    return leaf, tuple((int(begin), int(end)) for begin, end in pairs)


def size_of(box: Box) -> int:
    """The number of elements."""
    return math.prod(max(end - begin, 0) for begin, end in box)


def common(one: Box, other: Box) -> Box | None:
    """The intersection of two boxes; None if it is empty."""
    found = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))
    return found if all(begin < end for begin, end in found) else None


def within(box: Box, outer: Box) -> tuple[slice, ...]:
    """The slices of a box in an array that is another box."""
    starts: Sequence[int] = [begin for begin, _ in outer]
    return tuple(
        slice(begin - start, end - start) for (begin, end), start in zip(box, starts, strict=True)
    )
