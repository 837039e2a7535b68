"""How far results may be from each other: by their dtype, and by the length of the computation.

Processors, and versions of XLA, round in other places: a program may differ from another by some
units in the last place for each step from its arguments to its result, but not by more.  Exact
equality is for what moves data, for integers, and for a program held against itself.
"""

from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["FORMULA", "ITERATION", "PROGRAM", "assert_close", "rounding"]

#: Lengths: how many units in the last place a result may be off.
FORMULA = 50  # some functions, one after the other
PROGRAM = 5_000  # sums and products of arrays, derivatives, short loops
ITERATION = 5_000_000  # what a condition multiplies: solutions, long loops, derivatives of these

_LEAST = 0.1  # an error that is allowed says nothing from here on


def rounding(length: float, *of: Any) -> float:
    """The relative error that a computation of this length may have, in the narrowest dtype of
    some arrays and dtypes; in 64 bits without any."""
    largest = max((_eps(x) for x in of), default=float(np.finfo(np.float64).eps))
    if length * largest > _LEAST:
        raise ValueError(
            f"a relative error of {length * largest:.3g} says nothing: give a length below "
            f"{_LEAST / largest:.0f} for this dtype"
        )
    return length * largest


def _eps(of: Any) -> float:
    dtype = of if isinstance(of, np.dtype | type | str) else np.asarray(of).dtype
    try:
        return float(ml_dtypes.finfo(dtype).eps)
    except (TypeError, ValueError):
        return 0.0 if np.dtype(dtype).kind in "biu" else float(np.finfo(dtype).eps)


def assert_close(found: Any, wanted: Any, length: float, message: str = "") -> None:
    """Each element to rounding, relative to it, or to one of 1 in the array."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    limit = rounding(length, found, wanted)
    np.testing.assert_allclose(
        _widened(found), _widened(wanted), rtol=limit, atol=limit, err_msg=message
    )


def _widened(x: np.ndarray) -> np.ndarray:
    """x in 64 bits: of what ml_dtypes adds, NumPy cannot compare all."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
