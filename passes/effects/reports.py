"""Reports of a program's state after a run: the check that failed, the values of its message."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.errors import CheckError, place_in
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Int, Ints, Text, Texts
from anvl.dialect.core.types import numpy_dtype
from anvl.dialect.ops.calls.check import WORD_BYTES, CheckState, stored_as
from anvl.passes.effects.states import MEMBERS, STATE

__all__ = ["Check", "Report", "report_of", "state_positions"]


class Check(NamedTuple):
    """A check of a program, as its entry describes it; `place` is MLIR's text of its location."""

    message: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    shape: tuple[int, ...]
    place: str

    def failure(self, words: np.ndarray, members: Sequence[int]) -> CheckError:
        """The error for a check that failed; its own words are the last of these."""
        parts = [_Stored.of(type_) for type_ in self.types]
        at = len(words) - sum(part.n_words for part in parts)
        index: tuple[int, ...] = ()
        if self.shape:
            index = tuple(int(i) for i in np.unravel_index(int(words[at - 1]), self.shape))
        values = {}
        for name, part in zip(self.names, parts, strict=True):
            values[name] = part.value(words[at : at + part.n_words])
            at += part.n_words
        return CheckError(
            self.message.format(**values), place=place_in(self.place), values=values, index=index,
            members=tuple(members), location=f"loc({self.place})",
        )  # fmt: skip


class Report(NamedTuple):
    """Describes the state that an entry returns: see `Layout`."""

    #: Positions of the state among the results.
    positions: Sequence[int]
    #: Positions of the state of checks, a number and words, among the results; none without it.
    of_checks: Sequence[int]
    checks: Sequence[Check]
    n_members: int

    @property
    def place(self) -> slice:
        """Where the state stands among the results."""
        first = self.positions[0]
        return slice(first, first + len(self.positions))

    def without_state(self, results: Sequence[Any]) -> tuple[Any, ...]:
        """The other results, of all."""
        at = self.place
        return (*results[: at.start], *results[at.stop :])

    def settled(self, results: Sequence[Any], read: Callable[[Any], np.ndarray]) -> list[Any]:
        """The other results; raises the error of the first check that failed.

        `read` gives the values of a result, which it waits for.
        """
        if self.of_checks:
            code, words = [results[i] for i in self.of_checks]
            number = int(read(code))
            if number:
                raise self.error(number, read(words))
        return list(self.without_state(results))

    def error(self, code: int, words: np.ndarray) -> CheckError:
        """The error for the state of checks that a program returned, of which one failed."""
        members = [int(i) - 1 for i in words[: self.n_members] if i]
        return self.checks[code - 1].failure(words, members)


def state_positions(function: ir.Operation) -> list[int]:
    """The positions of the state among the results of an entry."""
    if "res_attrs" not in function.attributes:
        return []
    found = enumerate(function.attributes["res_attrs"])
    return [i for i, attributes in found if STATE in attributes]


def report_of(function: ir.Operation) -> Report | None:
    """The layout of the state that an entry returns; None if it has no effects."""
    positions = state_positions(function)
    if not positions or MEMBERS not in function.attributes:
        return None
    name = CheckState.described_as
    checks = [
        Check(
            Text.decode(entry["message"]),
            Texts.decode(entry["names"]),
            Texts.decode(entry["types"]),
            Ints.decode(entry["shape"]),
            Text.decode(entry["place"]),
        )
        for entry in (function.attributes[name] if name in function.attributes else ())
    ]
    marks = function.attributes["res_attrs"]
    of_checks = [i for i in positions if marks[i][STATE].value == CheckState.name]
    n_members = Int.decode(function.attributes[MEMBERS])
    return Report(positions, of_checks, checks, n_members)


class _Stored(NamedTuple):
    """A value of a message, as it is kept in words."""

    dtype: np.dtype
    shape: tuple[int, ...]
    stored: np.dtype

    @classmethod
    def of(cls, type_: str) -> "_Stored":
        """Read a type such as `f32[3]`."""
        name, _, axes = type_.rstrip("]").partition("[")
        shape = tuple(int(n) for n in axes.split(",") if n)
        return cls(numpy_dtype(name), shape, numpy_dtype(stored_as(name)))

    @property
    def n_words(self) -> int:
        return math.prod(self.shape) * (self.stored.itemsize // WORD_BYTES)

    def value(self, words: np.ndarray) -> Any:
        raw = np.ascontiguousarray(words).view(self.stored)
        return raw.astype(self.dtype).reshape(self.shape)[()]
