"""Comparison of results, with tolerances that follow from the dtype.

for each in compared(found, wanted):
    if not each.is_close: print(each)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from anvl.tools.run.inputs import described

__all__ = ["Comparison", "Worst", "compared", "compared_arrays", "tolerance"]

_ROUNDINGS = 5_000  # units in the last place: sums and products of arrays, derivatives, short loops
_CANCELLED = 20  # of them, where nothing tells the size of what cancels


@dataclass(frozen=True)
class Worst:
    """The element of the largest error, relative to what is allowed.

    `ulps` is the number of floats between both values, or None if one is NaN.
    """

    index: tuple[int, ...]
    found: Any
    wanted: Any
    absolute: float
    relative: float
    ulps: int | None

    def __str__(self) -> str:
        ulps = "" if self.ulps is None else f", {self.ulps} ulps"
        return (
            f"at {list(self.index)} {self.found!s} and {self.wanted!s}, absolute error "
            f"{self.absolute:.3g}, relative error {self.relative:.3g}{ulps}"
        )


@dataclass(frozen=True)
class Comparison:
    """What two arrays have in common; `problem` says why they cannot be compared.

    `worst` is None where all elements are the same.
    """

    type: str
    size: int
    differing: int
    rtol: float
    atol: float
    worst: Worst | None
    problem: str = ""

    @property
    def is_close(self) -> bool:
        """Whether all elements are within the tolerances."""
        return not self.problem and self.differing == 0

    def __str__(self) -> str:
        if self.problem:
            return self.problem
        if self.worst is None:
            return f"{self.type}: equal"
        count = f"{self.differing} of {self.size} elements differ" if self.differing else "close"
        allowed = f"allowed {self.atol:.3g} + {self.rtol:.3g} * |second|"
        return f"{self.type}: {count}; the worst {self.worst}; {allowed}"


def tolerance(*dtypes: np.dtype) -> float:
    """The error that results of the narrowest of some dtypes may have, relative and absolute.

    5,000 units in the last place, and at most half of the digits: 1e-12 for f64, 3e-4 for f32,
    0.03 for f16, 0.09 for bf16.  Integers and bools must be equal.
    """
    return max((_rounding(dtype) for dtype in dtypes), default=0.0)


def _rounding(dtype: np.dtype) -> float:
    try:
        eps = float(ml_dtypes.finfo(dtype).eps)
    except (TypeError, ValueError):
        return 0.0
    return min(_ROUNDINGS * eps, eps**0.5)


def compared(
    found: Sequence[np.ndarray], wanted: Sequence[np.ndarray], rtol: float | None = None,
    atol: float | None = None,
) -> list[Comparison]:  # fmt: skip
    """`compared_arrays` for each result; the lists must have the same length."""
    return [compared_arrays(x, y, rtol=rtol, atol=atol) for x, y in zip(found, wanted, strict=True)]


def compared_arrays(
    found: np.ndarray,
    wanted: np.ndarray,
    rtol: float | None = None,
    atol: float | None = None,
) -> Comparison:
    """Compare two arrays, element by element.

    An element is close if `|found - wanted| <= atol + rtol * |wanted|`, in a complex number each
    part; by default `atol` is `rtol` of the largest element, if that is below 1, and a few
    roundings of 1 at least.  NaN and infinities are close to themselves alone.  Zeros of both
    signs are equal unless `rtol` and `atol` are 0.  Floats may have different dtypes: the narrower
    sets the tolerance.
    """
    types = described(found), described(wanted)
    if found.shape != wanted.shape or (found.dtype != wanted.dtype and not _floats(found, wanted)):
        problem = f"types differ: {types[0]} and {types[1]}"
        return Comparison(types[0], found.size, found.size, 0.0, 0.0, None, problem)
    default = tolerance(found.dtype, wanted.dtype)
    rtol = rtol if rtol is not None and default else default
    atol = atol if atol is not None and default else _absolute(default, wanted)
    kind = np.complex128 if found.dtype.kind == "c" else np.float64
    if not default:
        errors = _integer_errors(found, wanted)
        allowed = np.zeros(found.shape)
    else:
        x, y = _parts(found.astype(kind)), _parts(wanted.astype(kind))
        errors, allowed = _float_errors(x, y, rtol, atol)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(errors > 0, errors / allowed, 0.0)
    excess = np.where(np.isnan(excess), np.inf, excess)
    differing = int(np.count_nonzero(excess > 1))
    worst = _worst(found, wanted, errors, excess) if np.any(errors > 0) else None
    return Comparison(types[0], found.size, differing, rtol, atol, worst)


def _absolute(rtol: float, wanted: np.ndarray) -> float:
    """What a sum may lose that cancels, as far as the size of the others tells."""
    if not rtol:
        return 0.0
    kind = np.complex128 if wanted.dtype.kind == "c" else np.float64
    sizes = np.abs(_parts(wanted.astype(kind)))
    largest = float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))
    return max(rtol * min(largest, 1.0), rtol * _CANCELLED / _ROUNDINGS)


def _floats(*arrays: np.ndarray) -> bool:
    kinds = {x.dtype.kind == "c" for x in arrays}
    return len(kinds) == 1 and all(_rounding(x.dtype) > 0 for x in arrays)


def _integer_errors(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Differences, rounded to 64 bits, but never 0 for different numbers."""
    errors = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
    return np.where(found == wanted, 0.0, np.maximum(errors, 1.0))


def _parts(x: np.ndarray) -> np.ndarray:
    """Real and imaginary parts, in a new last axis."""
    if x.dtype.kind != "c":
        return x[..., None]
    return np.stack([x.real, x.imag], -1)


def _float_errors(
    x: np.ndarray, y: np.ndarray, rtol: float, atol: float
) -> tuple[np.ndarray, np.ndarray]:
    """Error of each element, and how large it may be; of a complex number, of the worse part."""
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if rtol == atol == 0:
        same &= (np.signbit(x) == np.signbit(y)) | np.isnan(x)
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.abs(x - y)
        allowed = atol + rtol * np.abs(y)
    finite = np.isfinite(x) & np.isfinite(y)
    errors = np.where(same, 0.0, np.where(finite, errors, np.inf))
    errors = np.where(~same & (errors == 0), np.finfo(np.float64).tiny, errors)  # zeros' signs
    allowed = np.where(np.isfinite(allowed), allowed, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(errors > 0, errors / allowed, 0.0)
    at = np.expand_dims(np.argmax(excess, -1), -1)
    errors, allowed = (np.take_along_axis(a, at, -1)[..., 0] for a in (errors, allowed))
    return errors, allowed


def _worst(found: np.ndarray, wanted: np.ndarray, errors: np.ndarray, excess: np.ndarray) -> Worst:
    limited = np.where(excess == np.inf, errors, -1.0) if np.any(excess == np.inf) else excess
    index = np.unravel_index(int(np.argmax(limited)), found.shape)
    x, y = found[index], wanted[index]
    size = abs(complex(y)) if y.dtype.kind == "c" else abs(float(y))
    absolute = float(errors[index])
    relative = absolute / size if size else float("inf")
    at = tuple(int(i) for i in index)
    return Worst(at, x, y, absolute, relative, _ulps(found[index], wanted[index]))


def _ulps(x: Any, y: Any) -> int | None:
    """The number of floats from one to the other, of a complex number in the worse part."""
    if x.dtype != y.dtype or not _rounding(x.dtype):
        return None
    if x.dtype.kind == "c":
        parts = [_ulps(x.real, y.real), _ulps(x.imag, y.imag)]
        return None if None in parts else max(n for n in parts if n is not None)
    if np.isnan(float(x)) or np.isnan(float(y)):
        return None
    return abs(_position(x) - _position(y))


def _position(x: Any) -> int:
    """The position of a float among all floats of its dtype; 0 for both zeros."""
    bits = 8 * x.dtype.itemsize
    pattern = int(np.asarray(x).view(f"u{x.dtype.itemsize}"))
    sign = 1 << (bits - 1)
    return sign - pattern if pattern & sign else pattern
