"""Smaller shapes: one size of dimensions becomes smaller everywhere, in the text of a module."""

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Resized", "resized", "shapes"]

_TENSOR = re.compile(r"tensor<((?:\d+x)+)")
_NUMBERS = re.compile(r"(array<i64:|\[)((?:\s*-?\d+,?)+)\s*(>|\])")


class Resized(NamedTuple):
    """Dimensions of size `old` get size `new`; in attributes too, if `everywhere`."""

    old: int
    new: int
    everywhere: bool


def shapes(text: str) -> Iterator[Resized]:
    """The sizes in a text, the largest first, with smaller ones to try."""
    found = {int(n) for dims in _TENSOR.findall(text) for n in dims.split("x") if n}
    for old in sorted(found, reverse=True):
        for new in dict.fromkeys((1, 2, 3, old // 2)):
            if 0 < new < old:
                yield Resized(old, new, everywhere=True)
                yield Resized(old, new, everywhere=False)


def resized(text: str, change: Resized) -> str:
    """The text with smaller dimensions."""

    def smaller(match: re.Match[str]) -> str:
        return re.sub(rf"\b{change.old}\b", str(change.new), match[0])

    text = _TENSOR.sub(lambda m: f"tensor<{_sizes(m[1], change)}", text)
    return _NUMBERS.sub(smaller, text) if change.everywhere else text


def _sizes(dims: str, change: Resized) -> str:
    sizes = [str(change.new) if n == str(change.old) else n for n in dims.split("x")]
    return "x".join(sizes)
