"""Check derivatives: the modes against each other and against differences of values.

Differences are taken in f64 along one direction, with two steps.  If the two agree they are
trusted; if the one-sided slopes differ there is a kink, and the derivative must lie between
them; if the difference grows as the step shrinks there is a jump, and the check is skipped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anvl.testing.random_programs.compare.array_values import kind_of, wide
from anvl.testing.random_programs.compare.comparison import limits
from anvl.testing.random_programs.programs import Program, Step

__all__ = ["STEP", "disagreement", "keeps_rank", "mode_error", "wrong_slope"]

STEP = 2.0**-20

#: Steps whose derivative differs from the slope of their values, by design.
BY_DESIGN = (
    "prim.stop_gradient", "prim.bitcast_convert", "prim.reduce_precision", "prim.share_ties",
)  # fmt: skip

#: Functions that order elements: where three tie, the slope is not linear.
_ORDERS = (
    "np.sort", "np.top_k", "np.median", "np.quantile", "np.percentile", "prim.sort", "prim.top_k",
    "prim.order_statistics",
)  # fmt: skip

#: Functions whose values are slopes.
_SLOPES = ("anvl.grad", "anvl.jvp", "anvl.vjp")

_ROUNDINGS = ("np.around", "np.round", "np.rint", "np.fix", "np.trunc", "np.floor", "np.ceil")

#: Functions of a truncated quotient; the differences jump where it is large.
_REMAINDERS = ("np.fmod", "np.mod", "np.remainder", "np.divmod")

#: Functions with an infinite slope somewhere: times a tangent of 0 it is NaN.
STEEP = {
    f"np.{name}"
    for name in (
        "acos acosh arccos arccosh arcsin arctanh asin atanh cbrt erfinv float_power log log10 "
        "angle arctan2 atan2 log1p log2 pow power reciprocal rsqrt sqrt std"
    ).split()
}

_LOOSE = {8: 1e-6, 4: 2e-3, 2: 0.1, 1: 0.5}  # by the bytes of a float


def _units(dtypes: Sequence[np.dtype]) -> float:
    """Tolerance relative to the largest number, where these dtypes meet."""
    sizes = [d.itemsize // (2 if kind_of(d) == "c" else 1) for d in dtypes if kind_of(d) in "fc"]
    return _LOOSE[min(sizes, default=8)]


def _least(dtypes: Sequence[np.dtype], usual: float) -> float:
    """The least size that errors are relative to: in 16 bits that of terms that may cancel."""
    return 1.0 if _units(dtypes) >= _LOOSE[2] else usual


def disagreement(
    found: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    dtypes: Sequence[np.dtype],
    around: Sequence[Sequence[np.ndarray]] = (),
) -> str | None:
    """Description of how two lists of arrays differ by more than rounding; None if they do not.

    `around` are the expected arrays at inputs perturbed by a unit of rounding; where they spread,
    or are not finite, the comparison is skipped.
    """
    loose = _units(dtypes)
    least = _least(dtypes, usual=1e-3)
    for i, (y, e) in enumerate(zip(found, expected, strict=True)):
        if y.shape != e.shape or y.dtype != e.dtype:
            return f"array {i}: {y.dtype}{list(y.shape)} for {e.dtype}{list(e.shape)}"
        a, b = wide(y), wide(e)
        with np.errstate(all="ignore"):
            finite = np.abs(b)[np.isfinite(b)]
            size = (finite.max() if finite.size else 0.0) + least
            allowed = loose * size + _tiny(y.dtype)
            spread = sum((np.abs(wide(x[i]) - b) for x in around), np.zeros(b.shape))
            wrong = ~((np.abs(a - b) <= allowed + 10 * spread) | (a == b))
            wrong &= ~(~np.isfinite(a) & ~np.isfinite(b))
            wrong &= np.isfinite(spread)
        if wrong.any():
            at = tuple(int(k) for k in np.argwhere(wrong)[0])
            return f"array {i} at {at}: {y[at]!r} for {e[at]!r}"
    return None


def _tiny(dtype: np.dtype) -> float:
    return limits(dtype)[1] if kind_of(dtype) in "fc" else 0.0


def _pair(ones: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> tuple[float, float]:
    """The sum of products, its real part, and the sum of their sizes."""
    with np.errstate(all="ignore"):
        parts = [np.real(wide(a) * wide(b)) for a, b in zip(ones, others, strict=True)]
        return sum(p.sum() for p in parts), sum(np.abs(p).sum() for p in parts)


def mode_error(
    tangents: Sequence[np.ndarray], weights: Sequence[np.ndarray],
    cotangents: Sequence[np.ndarray], directions: Sequence[np.ndarray],
    dtypes: Sequence[np.dtype],
) -> float | None:  # fmt: skip
    """<g, J t> - <J^T g, t> relative to the sizes of its terms, in units of the tolerance.

    None if a value is not finite.
    """
    forward, size = _pair(weights, tangents)
    reverse, other = _pair(cotangents, directions)
    if not np.isfinite([forward, reverse, size, other]).all():
        return None
    return abs(forward - reverse) / (_units(dtypes) * (size + other + _least(dtypes, usual=1e-4)))


def wrong_slope(
    program: Program, at: Mapping[int, Sequence[np.ndarray]], tangents: Mapping[str, np.ndarray],
    counts: Counter[str],
) -> tuple[int, str] | None:  # fmt: skip
    """The first step whose tangents differ from the differences of its values, and how.

    `at` has the results at the inputs moved by -2, -1, 0, 1, 2 half steps.
    """
    unsaid = {x for x, value in program.inputs.items() if _is_narrow(value.dtype)}
    names = program.names
    for i, step in enumerate(program.steps):
        given = [at[0][names.index(x)] if x in names else program.inputs[x] for x in step.operands]
        if unsaid & set(step.operands) or step.function in BY_DESIGN or _lacks_slope(step, given):
            unsaid |= set(step.results)
            continue
        for y in step.results:
            values = {k: results[names.index(y)] for k, results in at.items()}
            message, can_be_used = _judged_result(values, tangents.get(y), counts, step)
            if message:
                return i, f"{step.function}: {message}"
            if not can_be_used:
                unsaid.add(y)
    return None


def _judged_result(
    values: Mapping[int, np.ndarray], t: np.ndarray | None, counts: Counter[str], step: Step
) -> tuple[str | None, bool]:
    """The error of a tangent, if any; and whether steps that use the result can be judged."""
    if _is_narrow(values[0].dtype):
        return None, False
    return (None, True) if t is None else _judged(values, t, counts, step)


def _lacks_slope(step: Step, operands: Sequence[np.ndarray]) -> bool:
    """Whether a step has no slope at its operands that differences could show."""
    return any(
        any(condition(step, x) for x in operands[:count])
        for is_of, count, condition in _WITHOUT_SLOPES
        if is_of(step)
    )


def _calls_any_of(*functions: str) -> Callable[[Step], bool]:
    return lambda step: step.function in functions


def _has_zero(_: Step, x: np.ndarray) -> bool:
    return bool((x == 0).any())


#: By step: how many of their operands (None: all), and the points.
_WITHOUT_SLOPES: list[
    tuple[Callable[[Step], bool], int | None, Callable[[Step, np.ndarray], Any]]
] = [
    (
        lambda step: step.function in _ORDERS or "sort(" in step.text,
        None,
        lambda _, x: (np.unique(x, return_counts=True)[1] > 2).any(),
    ),
    # A slope that jumps where it is 0.
    (lambda step: step.function in _SLOPES and "abs(" in step.text, None, _has_zero),
    # Differences step over the discontinuity.
    (_calls_any_of(*STEEP), None, lambda _, x: ((x != 0) & (np.abs(wide(x)) < STEP)).any()),
    # Poles, at a distance below that of the differences.
    (
        _calls_any_of("np.gammaln", "np.digamma", "prim.lgamma", "prim.digamma"),
        None,
        lambda _, x: ((x != 0) & (np.abs(wide(x)) < STEP)).any(),
    ),
    # Infinities and NaN in complex numbers have no unique result.
    (lambda _: True, None, lambda _, x: kind_of(x.dtype) == "c" and not np.isfinite(x).all()),
    # The direction of a complex 0; numbers so large that a step moves them by integers.
    (
        _calls_any_of("np.sign", "prim.sign"),
        None,
        lambda _, x: kind_of(x.dtype) == "c" and (x == 0).any(),
    ),
    (_calls_any_of(*_ROUNDINGS), None, lambda _, x: (np.abs(wide(x)) > 1 / STEP).any()),
    (_calls_any_of("np.copysign", "prim.copysign"), None, _has_zero),
    # The value jumps where a parameter is 0.
    (_calls_any_of("np.betainc"), 2, _has_zero),
    # NaN beside the infinities of a singular matrix.
    (
        _calls_any_of("prim.triangular_solve"),
        1,
        lambda _, x: x.ndim > 1 and (np.diagonal(x, axis1=-2, axis2=-1) == 0).any(),
    ),
    # A NaN in a matrix spreads to all results.
    (
        lambda step: "linalg." in step.text,
        None,
        lambda step, x: not np.isfinite(wide(x)).all() or _is_singular(step, x),
    ),
    # Products of elements and weights.
    (_calls_any_of("np.average"), None, lambda _, x: (np.abs(wide(x)) < 1e-150).any()),
    (
        _calls_any_of(*_REMAINDERS),
        None,
        lambda _, x: ((np.abs(wide(x)) < STEP) | (np.abs(wide(x)) > 1 / STEP)).any(),
    ),
]


def keeps_rank(program: Program, values: Mapping[str, np.ndarray]) -> bool:
    """Whether the derivative of a step is along directions that keep the rank of a matrix.

    Second derivatives then depend on their order: docs/conventions.md.
    """
    steps = [step for step in program.steps if re.search(r"\b(pinv|lstsq)\(", step.text)]
    return any(_lacks_rank(values[x]) for step in steps for x in step.operands)


def _is_singular(step: Step, x: np.ndarray) -> bool:
    """Whether a step factorizes a rank-deficient matrix, whose factors have no derivative."""
    return re.search(r"linalg\.(qr|lu)\(", step.text) is not None and _lacks_rank(x)


def _lacks_rank(x: np.ndarray) -> bool:
    if x.ndim < 2 or not x.size or not np.isfinite(wide(x)).all():
        return False
    return bool((np.linalg.matrix_rank(wide(x)) < min(x.shape[-2:])).any())


def _is_narrow(dtype: np.dtype) -> bool:
    return kind_of(dtype) in "fc" and str(dtype) not in ("float64", "complex128")


def _judged(
    values: Mapping[int, np.ndarray], t: np.ndarray, counts: Counter[str], step: Step
) -> tuple[str | None, bool]:
    """The error of a tangent, if any; and whether all is finite, so that later steps can be judged.

    Composite steps are skipped at a kink: means of means need not lie between.
    """
    many = "lambda" in step.text
    v = {k: wide(x) for k, x in values.items()}
    t = wide(t)
    with np.errstate(all="ignore"):
        long, short = (v[2] - v[-2]) / (2 * STEP), (v[1] - v[-1]) / STEP
        right, left = (v[1] - v[0]) / (STEP / 2), (v[0] - v[-1]) / (STEP / 2)
        finite = np.isfinite(long) & np.isfinite(short) & np.isfinite(right) & np.isfinite(left)
        size = np.abs(short) + np.abs(t)
        sizes = np.abs(v[0])
        noise = 1e-13 * sizes[np.isfinite(sizes)].max(initial=0) / STEP
        allowed = 1e-5 * size + 10 * np.abs(long - short) + noise + 1e-9
        near = np.abs(t - short) <= allowed
        is_kink = np.abs(right - left) > 1e-3 * (np.abs(right) + np.abs(left)) + 10 * noise
        between = _between(t, right, left, allowed) | many
        pole = np.abs(v[0]) > 100 * (np.abs(v[1]) + np.abs(v[-1]))
        rests = np.all([x == v[0] for x in v.values()], axis=0) & (step.function in STEEP)
    known = finite & np.isfinite(t) & ~pole
    wrong = known & ~near & ~(is_kink & between)
    lost = (
        finite
        & ~np.isfinite(t)
        & ~is_kink
        & ~rests
        & ~pole
        & ~np.bool_("own.r" in step.text and _values_repeat(v[0]))
        & (np.abs(long - short) <= 1e-4 * np.abs(short) + noise)
    )
    counts["slopes: equal to differences"] += int((known & near).sum())
    counts["slopes: between those of two sides"] += int((known & ~near & is_kink & between).sum())
    counts["slopes: not finite"] += int((~known & ~lost).sum())
    bad = wrong | lost
    if bad.any():
        k = tuple(int(j) for j in np.argwhere(bad)[0])
        return f"slope at {k} is {t[k]!r}, differences {left[k]!r}, {right[k]!r}", False
    # Nothing is known of sums of functions with different kinks: means of these need not lie
    # between.
    return None, bool((known & (near | ~is_kink)).all())


def _values_repeat(x: np.ndarray) -> bool:
    """Whether singular values or eigenvalues of x repeat or vanish.

    There is no slope where these and their vectors are both used (docs/linear-algebra.md).
    """
    if x.ndim < 2 or not x.size or not np.isfinite(x).all():
        return True
    values = [np.linalg.svd(x, compute_uv=False)]
    values += [np.linalg.eigvals(x)] if x.shape[-1] == x.shape[-2] else []
    least = 1e-6 * values[0].max()
    for w in values:
        n = w.shape[-1]
        gaps = np.abs(w[..., :, None] - w[..., None, :])[..., ~np.eye(n, dtype=bool)]
        if (gaps <= least).any() or (np.abs(w) <= least).any():
            return True
    return False


def _between(t: np.ndarray, a: np.ndarray, b: np.ndarray, margin: np.ndarray) -> np.ndarray:
    """Whether t lies between a and b, part by part."""
    parts = [(f(t), f(a), f(b)) for f in (np.real, np.imag)]
    return np.logical_and.reduce([
        (np.minimum(x, y) - margin <= z) & (z <= np.maximum(x, y) + margin) for z, x, y in parts
    ])  # fmt: skip
