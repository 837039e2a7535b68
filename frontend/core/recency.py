"""Which programs of a function were used last: beyond a limit, the longest unused goes.

Note [What a use costs]
A call of generated code does not say which program it ran.  To write it down takes 0.1 us, 3 % of a
call, so it is done only where it will matter soon: for a function that has half as many programs as
it may have, or more.  Until then the order is that of the calls that the generated code has not
made.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

__all__ = ["Recency"]


class Recency:
    """The places of programs, the longest unused first; at most `limit` of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._order: OrderedDict[int, Any] = OrderedDict()
        self._numbers = itertools.count()

    @property
    def is_watched(self) -> bool:
        """Whether calls are to say which program they run."""
        return 2 * len(self._order) >= self._limit

    def add(self, place: Any) -> int:
        """Add a program, used just now; its number."""
        number = next(self._numbers)
        self._order[number] = place
        return number

    def use(self, number: int) -> None:
        """Note that a program was used."""
        try:
            self._order.move_to_end(number)
        except KeyError:  # another thread has dropped it meanwhile
            pass

    def watched(self, number: int, run: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """What runs a program, and notes that it was used."""

        def run_and_note(buffers: Any) -> Any:
            self.use(number)
            return run(buffers)

        return run_and_note

    def dropped(self) -> list[Any]:
        """The places of programs beyond the limit, which are no longer known here."""
        count = len(self._order) - self._limit
        return [self._order.popitem(last=False)[1] for _ in range(count)]

    def clear(self) -> None:
        """Forget all."""
        self._order.clear()
