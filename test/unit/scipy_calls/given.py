"""Arrays of the calls of `test_scipy_calls.py`, by name: two examples of each."""

from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["EXAMPLES", "SMOOTH"]


def _examples(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)

    def real(*shape: int) -> np.ndarray:
        return 1.7 * rng.normal(size=shape)

    def complex_(*shape: int) -> np.ndarray:
        return real(*shape) + 1j * real(*shape)

    def whole(shape: Any, dtype: str) -> np.ndarray:
        return rng.integers(-3, 4, shape).astype(dtype)

    def gram(a: np.ndarray) -> np.ndarray:
        return a @ a.conj().T + len(a) * np.eye(len(a))

    unit = np.eye(3)
    return {
        "e": np.zeros(0), "e2": np.zeros((0, 3)), "e3": np.zeros((3, 0)),
        "e00": np.zeros((0, 0)), "e203": np.zeros((2, 0, 3)), "ec": np.zeros(0, complex),
        "s": np.asarray(real()), "o": real(1), "oo": real(1, 1), "w2": real(2), "w": real(3),
        "w4": real(4), "x": real(5), "y": real(5), "x6": real(6), "l": real(13), "l16": real(16),
        "k23": real(2, 3), "k3": real(3, 3), "m": real(3, 4), "m2": real(3, 4), "t": real(2, 3, 4),
        "r4": real(2, 3, 2, 4), "img": real(5, 6), "img3": real(3, 4, 5),
        "f": real(5).astype("f4"), "f34": real(3, 4).astype("f4"), "h": real(5).astype("f2"),
        "hm": real(3, 4).astype("f2"), "bf": real(5).astype(ml_dtypes.bfloat16),
        "c": complex_(5), "c6": complex_(6), "cm": complex_(3, 4), "ct": complex_(2, 3, 4),
        "c8": complex_(4).astype("c8"),
        "xi": whole(6, "i4"), "xl": whole(5, "i8"), "mi": whole((3, 4), "i4"),
        "i1": whole(5, "i1"), "u": np.abs(whole(5, "i4")).astype("u1"),
        "b": rng.random(5) > 0.5, "mb": rng.random((3, 4)) > 0.5,
        "neg": real(5)[::-1], "negm": real(3, 4)[::-1, ::-1],
        "tr": real(4, 3).T, "st": real(10)[::2],
        "sq": real(3, 3) + 4 * unit, "sq1": real(1, 1) + 3, "sq4": real(4, 4) + 5 * np.eye(4),
        "bsq": real(2, 3, 3) + 4 * unit, "r4sq": real(2, 2, 3, 3) + 4 * unit,
        "fsq": (real(3, 3) + 4 * unit).astype("f4"), "hsq": (real(3, 3) + 4 * unit).astype("f2"),
        "isq": whole((3, 3), "i8") + 7 * np.eye(3, dtype="i8"), "csq": complex_(3, 3) + 5 * unit,
        "spd": gram(real(3, 3)), "spd4": gram(real(4, 4)), "cspd": gram(complex_(3, 3)),
        "herm": (lambda a: a + a.conj().T)(complex_(3, 3)),
        "tall": real(5, 3), "wide": real(3, 5), "ctall": complex_(5, 3),
        "sing": np.outer(real(3), real(3)), "rep": np.diag([2.0, 2.0, 5.0]), "z3": np.zeros((3, 3)),
        "nsq": np.where(unit > 0, np.nan, 1.0), "infsq": np.where(unit > 0, np.inf, 1.0),
        "n": np.roll([1.0, np.nan, -np.inf, 3, np.inf, np.nan], seed),
        "nan1": np.where(np.arange(5) == seed + 1, np.nan, real(5)),
        "inf1": np.where(np.arange(5) == seed + 1, np.inf, real(5)),
        "nm": np.where(np.arange(12).reshape(3, 4) == seed + 3, np.nan, real(3, 4)),
        "z": np.roll([0.0, -0.0, 1.0, -0.0, 0.0], seed),
        "tie": rng.integers(0, 3, 7).astype(float),
        "big": 1e300 * real(5), "tiny": 1e-310 * real(5),
        "coord": rng.uniform(-1, 6, (2, 7)), "coord1": rng.uniform(-1, 10, (1, 7)),
    }  # fmt: skip


EXAMPLES = _examples(0), _examples(1)

#: Arrays by which results have derivatives: f64 and complex, finite, and no values repeat.
SMOOTH = {
    name
    for name, x in EXAMPLES[0].items()
    if x.dtype in (np.float64, np.complex128) and x.size and np.isfinite(x).all()
} - {"big", "tiny", "tie", "z", "rep", "sing", "z3"}
