"""Least-recently-used order of the programs of a function, for eviction beyond a limit.

Note [What a use costs]

A call of generated code does not report which program it ran.  Recording that takes 0.1 us, 3 %
of a call, so it is done only where eviction is near: for a function that has at least half as
many programs as it may have.  Until then only calls outside of the generated code count as uses.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

__all__ = ["Recency"]


class Recency:
    """Keys of programs, least recently used first; at most `limit` of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._order: OrderedDict[int, Any] = OrderedDict()
        self._numbers = itertools.count()

    @property
    def is_watched(self) -> bool:
        """Whether calls report which program they run."""
        return 2 * len(self._order) >= self._limit

    def add(self, place: Any) -> int:
        """Add a program, used just now; returns its number."""
        number = next(self._numbers)
        self._order[number] = place
        return number

    def use(self, number: int) -> None:
        """Mark a program as used."""
        try:
            self._order.move_to_end(number)
        except KeyError:  # another thread has dropped it meanwhile
            pass

    def remove(self, number: int) -> None:
        """Remove a program that is dropped or replaced otherwise."""
        self._order.pop(number, None)

    def watched(self, number: int, run: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Wrap `run` to mark the program as used."""

        def run_and_note(buffers: Any) -> Any:
            self.use(number)
            return run(buffers)

        return run_and_note

    def dropped(self) -> list[Any]:
        """Remove and return the keys of programs beyond the limit."""
        count = len(self._order) - self._limit
        return [self._order.popitem(last=False)[1] for _ in range(count)]

    def clear(self) -> None:
        """Forget all."""
        self._order.clear()
