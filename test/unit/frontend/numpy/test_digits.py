"""Digits of values and derivatives, over the whole range of a dtype.

In f32, f16 and bf16 each function has the digits that its argument allows, up to the second
derivative: those of the program in f64 at the same points.  An error may be some units in the last
place, and what such an error of the argument makes of the function.
"""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from smoothness import computed
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as anp

ORDERS = 3
FUNCTIONS = (
    "acosh asin asinh atan atanh cbrt cos cosh digamma erf erfc exp exp2 expm1 gammaln log log1p "
    "reciprocal rsqrt sigmoid sin sinc sinh sqrt tan tanh"
).split()


def points(dtype: Any) -> np.ndarray:
    """Numbers of every size and of either sign, more of those around 1 and up to 100."""
    limits, random = ml_dtypes.finfo(dtype), np.random.default_rng(0)
    low, high = (int(np.log2(float(x))) for x in (limits.smallest_normal, limits.max))
    powers = np.arange(low + 8, high, max(1, (high - low) // 40))
    sizes = [
        np.ldexp(random.uniform(1, 2, len(powers)), powers),
        random.uniform(0, 20, 25),
        random.uniform(20, 100, 15),
        *[1 + sign * np.ldexp(1.0, -np.arange(1, 9)) for sign in (1, -1)],
    ]
    x = np.concatenate([np.concatenate(sizes).astype(dtype), [np.dtype(dtype).type(0)]])
    return np.concatenate([x, -x])


def derivatives(name: str, x: Any) -> list[Any]:
    """The value of a function and its derivatives, one more than are looked at."""
    fs = [getattr(anp, name)]
    for _ in range(ORDERS):
        fs.append(lambda x, f=fs[-1]: anvl.jvp(f, (x,), (anp.ones_like(x),))[1])
    return [f(x) for f in fs]


def misses(found: list[Any], wanted: list[Any], x: np.ndarray, length: float) -> list[str]:
    """Where the digits are not those that there should be."""
    limits, wide = ml_dtypes.finfo(x.dtype), x.astype(np.float64)
    ends = float(limits.smallest_normal), float(limits.max)
    lines = []
    for order, y in enumerate(found[:-1]):
        y, true, slope = (np.asarray(v, np.float64) for v in (y, *wanted[order : order + 2]))
        size = np.abs(true)
        with np.errstate(all="ignore"):
            allowed = rounding(length, x.dtype) * (size + np.abs(wide * slope)) + 4 * ends[0]
            is_off = ~(np.abs(y - true) <= allowed)
        # Where the result, or what stands for its conditioning, is no number of the dtype.
        is_known = np.isfinite(true) & np.isfinite(slope) & (size < ends[1] / 4)
        lines += [
            f"derivative {order} at {x[i]}: {y[i]}, not {true[i]}"
            for i in np.flatnonzero(is_off & is_known)
        ]
    return lines


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    "dtype, length", [("float32", FORMULA), ("float16", FORMULA), ("bfloat16", 10)]
)
def test_functions_have_the_digits_of_their_dtype(dtype: str, length: float) -> None:
    x = points(dtype)

    def everything(x: Any) -> Any:
        return [derivatives(name, x) for name in FUNCTIONS]

    found, true = computed(everything, x), computed(everything, x.astype(np.float64))
    with np.errstate(all="ignore"):
        wrong = {
            name: misses(narrow, wide, x, length)
            for name, narrow, wide in zip(FUNCTIONS, found, true, strict=True)
        }
    assert {name: lines[:3] for name, lines in wrong.items() if lines} == {}


WIDE = np.array([0.3, 1.9])


@pytest.mark.parametrize(
    "f",
    [
        lambda m: m.full((2,), 1.7, "f8"),
        lambda m: m.full((), 1.7, "c16"),
        lambda m: m.full((), 1.7 - 0.1j, "c16"),
        lambda m: m.full_like(WIDE, 1.7),
        lambda m: m.full_like(WIDE + 0j, 1.7),
        lambda m: m.diff(WIDE, prepend=1.7, append=0.1),
        lambda m: m.linspace(0.1, 1.7, 3, dtype="f8"),
        lambda m: m.clip(WIDE, 0.4, 1.7),
        lambda m: m.where(WIDE > 1, WIDE, 1.7),
        lambda m: m.pad(WIDE, 1, constant_values=1.7),
        lambda m: m.nan_to_num(WIDE * np.nan, nan=1.7),
    ],
)
@pytest.mark.parametrize("run", [lambda f: f(anp), lambda f: anvl.jit(lambda: f(anp))()])
def test_a_number_has_the_digits_of_what_it_becomes(f: Any, run: Any) -> None:
    """Not those of the default dtype, which it would have on the way."""
    np.testing.assert_allclose(run(f), f(np), rounding(4))
