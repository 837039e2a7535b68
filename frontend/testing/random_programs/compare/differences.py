"""Permitted differences from the reference, each with the reason; all others are findings.

A reason is a rule: a function, and a condition on the elements that differ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anvl.testing.random_programs.compare.array_values import kind_of, wide
from anvl.testing.random_programs.compare.comparison import limits
from anvl.testing.random_programs.compare.rounding import PRODUCTS
from anvl.testing.random_programs.programs import Step

__all__ = ["known_difference"]

Condition = Callable[[Step, Mapping[str, Any], Sequence[Any], Sequence[Any]], bool]


def _complex_not_finite(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    values = [*operands.values(), *found, *map(np.asarray, expected)]
    return any(
        kind_of(x.dtype) == "c" and not np.isfinite(x).all() for x in values if x.dtype != object
    )


def _calls_any_of(*functions: str) -> Condition:
    return lambda step, operands, found, expected: step.function in functions


def _where_not_finite(*functions: str) -> Condition:
    """A condition: these functions, of operands that are not all finite."""
    return lambda step, operands, found, expected: (
        step.function in functions
        and not all(np.isfinite(x.astype(complex)).all() for x in operands.values())
    )


def _where_large(*functions: str) -> Condition:
    """A condition: one of these functions, of numbers that are almost the largest."""
    return lambda step, operands, *_: (
        step.function in functions
        and any(
            np.abs(wide(x)).max(initial=0) > 0.2 * limits(x.dtype)[2]
            for x in operands.values()
            if kind_of(x.dtype) in "fc"
        )
    )


def _by_zero(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """Integer division by 0."""
    values = list(operands.values())
    divides = step.function in _DIVIDES or "//" in step.text or "%" in step.text
    is_0 = re.search(r"(//|%) (0|False)\b|, (0|False)\)", step.text) or any(
        (x == 0).any() for x in values
    )
    return divides and kind_of(found[0].dtype) in "biu" and bool(is_0)


_DIVIDES = ("np.divmod", "np.floor_divide", "np.mod", "np.remainder", "np.fmod", "v[]")


def _floors_infinity(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    divides = step.function in ("np.divmod", "np.floor_divide") or "//" in step.text
    return divides and any(np.isinf(wide(x)).any() for x in operands.values())


def _pole(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """NaN at a non-positive integer."""
    if step.function not in ("np.polygamma", "np.digamma", "np.zeta"):
        return False
    return any(((x <= 0) & (x == np.floor(x))).any() for x in operands.values())


def _parameter_below_normal(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    if step.function != "np.betainc":
        return False
    sizes = [np.abs(wide(x)) for x in operands.values()]
    return any(((x > 0) & (x < 1e-300)).any() for x in sizes)


def _rounds_to_infinity(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    if step.function not in ("np.round", "np.around"):
        return False
    return any(np.isinf(np.asarray(y, complex)).any() for y in expected)


def _matrix_not_finite(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    is_matrix = "linalg." in step.text or "own.r" in step.text
    return is_matrix and not all(np.isfinite(x.astype(complex)).all() for x in operands.values())


def _not_diagonalisable(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    if "eig" not in step.text:
        return False
    (x,) = [np.asarray(v, complex) for v in operands.values()]
    if x.ndim < 2 or not np.isfinite(x).all():
        return True
    vectors = [np.linalg.eig(y)[1] for y in (x, np.tanh(x))]
    return bool(max(np.linalg.cond(v).max(initial=1) for v in vectors) > 10)


def _slope_of_abs_at_nan(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    is_slope = step.function in ("anvl.jvp", "anvl.vjp", "anvl.grad") and "abs(" in step.text
    return is_slope and any(np.isnan(x.astype(complex)).any() for x in operands.values())


def _inverse_below_normal(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """Matrices with elements so large that LAPACK multiplies by 0 for their reciprocals."""
    floats = [x for x in operands.values() if kind_of(x.dtype) in "fc"]
    return ("linalg." in step.text or "own.r" in step.text) and any(
        np.abs(x).max(initial=0) > 0.25 / np.finfo(x.dtype).tiny for x in floats
    )


def _overflows(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """An intermediate value, or a sum, that may overflow for operands this large."""
    several = "lambda" in step.text or step.function.startswith(
        (
            "prim.batch_norm",
            "np.std",
            "np.var",
            "np.cov",
            "np.corrcoef",
            "np.polyval",
            "np.cumprod",
            "prim.cumprod",
            *PRODUCTS,
        )
    )
    given = not any(np.isinf(wide(x)).any() for x in operands.values())
    overflown = [
        y.dtype
        for y, e in zip(found, expected, strict=True)
        if not (np.isfinite(wide(y)).all() and np.isfinite(np.asarray(e, complex)).all())
    ]
    if not (several and given and overflown):
        return False
    most = min(limits(dtype)[2] for dtype in overflown)
    sizes = [np.nan_to_num(np.abs(wide(x))).max(initial=0) for x in operands.values()]
    largest = float(max(sizes, default=0.0))
    return largest > (math.log(most) if _EXPONENTIAL.search(step.text) else most ** (1 / 3))


_EXPONENTIAL = re.compile(r"exp|sinh|cosh|pow|\*\*|prod")


def _top_k_order(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """NaN, or zeros of both signs, which count as different."""
    return "top_k" in step.text and any(
        np.isnan(x.astype(complex)).any() or len(set(np.signbit(x[x == 0]))) > 1
        for x in operands.values()
        if kind_of(x.dtype) == "f"
    )


def _of_a_number(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """A function of a Python number alone, in a step of wider arrays."""
    return _NUMBER_ALONE.search(step.text) is not None and all(
        np.allclose(y.astype(complex), np.asarray(e, complex), 1e-5, 0, equal_nan=True)
        for y, e in zip(found, expected, strict=True)
    )


def _weights_cancel(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """A mean with weights of almost zero sum: the remainder is rounding."""
    if step.function != "np.average" or len(operands) < 2:
        return False
    weights, unit = wide(list(operands.values())[-1]), limits(found[0].dtype)[0]
    return any(
        bool((np.abs(weights.sum(axis)) <= 8 * unit * np.abs(weights).sum(axis)).any())
        for axis in (None, *range(weights.ndim))
    )


def _integer_to_negative(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """A power of integers, with a negative exponent."""
    if step.function not in ("np.power", "np.pow") or kind_of(found[0].dtype) not in "iu":
        return False
    return bool((list(operands.values())[-1] < 0).any())


def _almost_whole(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """Float remainders that are off by the divisor, where it divides x up to rounding."""
    if step.function not in _DIVIDES or len(operands) != 2 or kind_of(found[0].dtype) != "f":
        return False
    x, divisor = map(wide, operands.values())
    quotient, off = x / divisor, np.abs(wide(found[-1]) - expected[-1])
    unit = limits(found[0].dtype)[0]
    is_whole = np.abs(quotient - np.rint(quotient)) <= 4 * unit * np.abs(quotient)
    by_divisor = np.abs(off - np.abs(divisor)) <= 64 * unit * (np.abs(divisor) + np.abs(x))
    return bool((by_divisor & is_whole)[off > 64 * unit * np.abs(x)].all())


def _compared_in_16_bits(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """A function of several operands that compares numbers rounded to 16 bits."""
    is_short = any(kind_of(x.dtype) == "f" and x.dtype.itemsize <= 2 for x in operands.values())
    return is_short and "lambda" in step.text and re.search(r" [<>]=? ", step.text) is not None


def _vanishes_beside_infinity(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """A product of infinities and of numbers whose own product underflows."""
    if not re.search(r"multiply|prod|\*", step.text):
        return False
    for x in operands.values():
        sizes = np.abs(wide(x))
        rest = sizes[np.isfinite(sizes) & (sizes > 0)]
        is_narrow = kind_of(x.dtype) in "fc" and np.isinf(sizes).any()
        if is_narrow and np.log(np.minimum(rest, 1)).sum() < math.log(limits(x.dtype)[1]):
            return True
    return False


def _below_1e_36(
    step: Step, operands: Mapping[str, Any], found: Sequence[Any], expected: Sequence[Any]
) -> bool:
    """Results of f32 that are all right except the smallest ones."""
    return step.function == "np.erf" and all(
        bool((np.abs(y - e) <= 1e-36).all()) for y, e in zip(found, expected, strict=True)
    )


_NUMBER_ALONE = re.compile(r"np\.\w+\(-?\d[\d.e+-]*\)")


#: (reason, condition); the first that holds is counted.
RULES: list[tuple[str, Condition]] = [
    ("an integer divided by zero has no value", _by_zero),
    (
        "NumPy's reciprocal of an integer is an integer",
        _calls_any_of("np.reciprocal"),
    ),
    (
        "SciPy has NaN for Bessel functions of infinities, where they have limits",
        _where_not_finite("np.i0", "np.i1", "np.i1e"),
    ),
    (
        "NumPy interpolates between infinities, which gives NaN where one of them is meant",
        _where_not_finite(
            "np.quantile", "np.percentile", "np.median", "np.nanquantile", "np.nanpercentile"
        ),
    ),
    (
        "the largest number beside an infinity, or that stands for one, is that of the dtype",
        _where_not_finite("np.nan_to_num", "np.nextafter"),
    ),
    ("numbers below the smallest normal one count as 0", _inverse_below_normal),
    ("what overflows on the way is infinite or NaN", _overflows),
    ("the reference's top_k has another order of NaN and of -0.0", _top_k_order),
    ("a number alone is an f32, as docs/promotion.md says", _of_a_number),
    ("NumPy's rounding of large numbers overflows", _rounds_to_infinity),
    ("weights that cancel", _weights_cancel),
    ("NumPy refuses an integer to a negative power, JAX wraps it", _integer_to_negative),
    ("what is compared inside is rounded to 16 bits", _compared_in_16_bits),
    ("what vanishes on the way, times infinity", _vanishes_beside_infinity),
    ("XLA's erf of f32 below 5e-37 is 0", _below_1e_36),
    ("a remainder of almost a whole multiple jumps", _almost_whole),
    (
        "NumPy's power of 1/2 is a square root, that of -inf NaN",
        _where_not_finite("np.power", "np.pow", "np.float_power"),
    ),
    ("NumPy's sinc multiplies by pi", _where_large("np.sinc")),
    ("SciPy's zeta of NaN is infinite", _where_not_finite("np.zeta")),
    ("einsum may sum before it multiplies, and then multiply 0", _where_not_finite("np.einsum")),
    ("SciPy's betainc of parameters as small as 1e-300 is 0", _parameter_below_normal),
    ("an infinity divided is floored as the Array API standard says", _floors_infinity),
    ("a pole that has another sign on each side", _pole),
    (
        "JAX has NaN for a first argument that is infinite, where there is a limit",
        _where_not_finite("np.gammainc", "np.gammaincc"),
    ),
    ("JAX's slope of abs at NaN is -1", _slope_of_abs_at_nan),
    (
        "a convolution may multiply what pads it, 0, by infinities",
        _where_not_finite("prim.convolution", "anvl.windows.conv", "np.convolve", "np.correlate"),
    ),
    ("a matrix that is not finite has no eigenvalues", _matrix_not_finite),
    ("a matrix without a basis of eigenvectors", _not_diagonalisable),
    ("infinities and NaN in complex numbers have no one answer", _complex_not_finite),
]


def known_difference(
    step: Step,
    operands: Mapping[str, Any],
    found: Sequence[Any],
    expected: Sequence[Any],
    near: Sequence[np.ndarray],
) -> str | None:
    """The reason why these results may differ from the reference."""
    if any(x.dtype == object for x in map(np.asarray, expected)):
        return None
    for reason, condition in RULES:
        if condition(step, operands, found, expected):
            return reason
    return None
