"""Options of functions of `jax.lax` as enumerations: precision, rounding, kinds of transforms."""

from __future__ import annotations

import enum
from typing import Any, TypeAlias

from anvl.core.config import precision_of

__all__ = [
    "FftType", "GatherScatterMode", "Precision", "PrecisionLike", "RandomAlgorithm",
    "RoundingMethod",
]  # fmt: skip


class Precision(enum.StrEnum):
    """Precision of products and convolutions, for every parameter `precision`.

    Members are the texts that anvl takes; `Precision("bfloat16")`, `Precision("float32")` and the
    other names of JAX give members, too.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> lax.Precision("float32") is lax.Precision.HIGHEST
    True
    >>> print(np.matmul(np.ones((1, 2)), np.ones((2, 1)), precision=lax.Precision.HIGHEST))
    [[2.]]
    """

    DEFAULT = "DEFAULT"
    HIGH = "HIGH"
    HIGHEST = "HIGHEST"

    @classmethod
    def _missing_(cls, value: object) -> Precision | None:
        name = "DEFAULT" if value is None or value == "default" else precision_of(value)
        return cls.__members__.get(name) if isinstance(name, str) else None


#: What parameters `precision` take: None, a member or a name, or a pair of equal ones.
PrecisionLike: TypeAlias = "Precision | str | tuple[Any, Any] | None"


class RoundingMethod(enum.IntEnum):
    """How `lax.round` rounds halves: away from zero, or to the even neighbour.

    >>> from anvl import lax
    >>> print(lax.round(2.5), lax.round(2.5, lax.RoundingMethod.TO_NEAREST_EVEN))
    3.0 2.0
    """

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


class FftType(enum.IntEnum):
    """Kind of transform of `lax.fft`: forward, inverse, forward of reals, inverse to reals.

    >>> from anvl import lax
    >>> lax.FftType.RFFT.name
    'RFFT'
    """

    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


class GatherScatterMode(enum.Enum):
    """Ways of `lax.gather` and `lax.scatter` to treat windows that are not within the array.

    FILL_OR_DROP: a gather fills them, and a scatter skips them.  CLIP moves them inside.
    PROMISE_IN_BOUNDS says that there are none.  `from_any` gives a member from its name, `"fill"`,
    `"drop"`, `"clip"` or `"promise_in_bounds"`; None is FILL_OR_DROP.

    >>> from anvl import lax
    >>> lax.GatherScatterMode.from_any("clip").name
    'CLIP'
    """

    CLIP = 0
    FILL_OR_DROP = 1
    PROMISE_IN_BOUNDS = 2

    @staticmethod
    def from_any(s: Any) -> GatherScatterMode:
        """The member for a member, its name or None.  Raises `ValueError`."""
        if isinstance(s, GatherScatterMode):
            return s
        found = _MODES.get(s) if s is None or isinstance(s, str) else None
        if found is None:
            known = ", ".join(repr(name) for name in _MODES if name)
            raise ValueError(f"GatherScatterMode: mode is {s!r}; it must be {known}, or None")
        return found


_MODES = {
    None: GatherScatterMode.FILL_OR_DROP, "fill": GatherScatterMode.FILL_OR_DROP,
    "drop": GatherScatterMode.FILL_OR_DROP, "clip": GatherScatterMode.CLIP,
    "promise_in_bounds": GatherScatterMode.PROMISE_IN_BOUNDS,
}  # fmt: skip


class RandomAlgorithm(enum.IntEnum):
    """Algorithm of `lax.rng_bit_generator`; the default is the platform's.

    >>> from anvl import lax
    >>> lax.RandomAlgorithm.RNG_THREE_FRY.value
    1
    """

    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2
