"""A measured number beside its target, and the verdict on it."""

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["AtLeastAsFast", "AtMost", "NoMore", "Result", "Row", "WithinSpread"]

#: Ratios this close to 1 differ from run to run on a busy machine.
NOISE = 0.05


@dataclass(frozen=True)
class AtLeastAsFast:
    """jax takes at least `times` as long as anvl."""

    times: float

    def __str__(self) -> str:
        return f">= {self.times:g}x as fast"

    def verdict(self, row: "Row") -> str:
        if row.speedup is None:
            return "no jax"
        if row.speedup >= self.times:
            return "met"
        if self.times == 1 and row.speedup >= 1 - NOISE:
            return "met, in noise"
        return "missed"


@dataclass(frozen=True)
class WithinSpread:
    """anvl takes at most this share of jax's time, and half of the range that was measured."""

    share: float

    def __str__(self) -> str:
        return f"<= {self.share:.2f} of jax and the spread"

    def verdict(self, row: "Row") -> str:
        if row.jax is None:
            return "no jax"
        low, high = row.spread or (0.0, 0.0)
        return "met" if row.anvl / row.jax <= self.share + (high - low) / 2 else "missed"


@dataclass(frozen=True)
class NoMore:
    """anvl needs no more than jax."""

    def __str__(self) -> str:
        return "<= jax"

    def verdict(self, row: "Row") -> str:
        if row.jax is None:
            return "no jax"
        return "met" if row.anvl <= row.jax else "missed"


@dataclass(frozen=True)
class AtMost:
    """anvl's own number is at most this; with `spread`, and half of the range that was measured."""

    value: float
    unit: str
    spread: bool = False

    def __str__(self) -> str:
        return f"<= {self.value:g} {self.unit}".rstrip() + " and the spread" * self.spread

    def verdict(self, row: "Row") -> str:
        low, high = (self.spread and row.spread) or (0.0, 0.0)
        return "met" if row.anvl <= self.value + (high - low) / 2 else "missed"


@dataclass(frozen=True)
class Row:
    """One measurement: the median of anvl and, where jax does the same, of jax.

    `spread` is the least and the largest anvl / jax of groups of rounds, or of anvl itself where
    there is no jax; `floor` the time of the execution alone.
    """

    what: str
    unit: str
    anvl: float
    jax: float | None = None
    target: AtLeastAsFast | AtMost | NoMore | WithinSpread | None = None
    details: dict[str, Any] = field(default_factory=dict)
    spread: tuple[float, float] | None = None
    floor: float | None = None

    @property
    def speedup(self) -> float | None:
        """How many times as long jax takes."""
        return None if self.jax is None else self.jax / max(self.anvl, 1e-12)

    @property
    def verdict(self) -> str:
        return "" if self.target is None else self.target.verdict(self)

    def as_json(self) -> dict[str, Any]:
        target = "" if self.target is None else str(self.target)
        return asdict(self) | {
            "target": target,
            "speedup": self.speedup,
            "verdict": self.verdict,
        }


@dataclass
class Result:
    """What one benchmark found: rows, what is included in them, and what was left out.

    With `in_columns` the rows of one program, `program: measure`, stand in one line of the table.
    """

    title: str
    included: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    in_columns: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"rows": [row.as_json() for row in self.rows]}
