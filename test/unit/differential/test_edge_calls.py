"""Calls of `anvl.numpy` at edges, beside NumPy.

Empty arrays, arrays without axes, axes and indices out of range, fractions for counts, NaN and
infinities, ties, bools, and what is no number.

A row of a table `calls_*.py` has a function and its arguments, one call after the other:

    linspace: 0, 1, 0 | 0, 1, -1

Where NumPy has a result, so has anvl: of the same shape and kind, and equal.  Where NumPy refuses
a call, so does anvl, with a message that begins with the name of the function.  `OTHERWISE` has the
calls that differ, by the reason.  With `make sweep` each call is made in `jit` and in `vmap`, too.
"""

import functools
import re
import warnings
from typing import Any

import numpy as np
import pytest
from calls_arrays import ARRAYS
from calls_linear import LINEAR
from calls_numbers import NUMBERS
from calls_searching import SEARCHING
from comparing import flattened, quiet
from sweep import SWEEP
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as anp


def _numbers(*shape: int) -> np.ndarray:
    return (np.arange(np.prod(shape)) % 7 - 2.5).reshape(shape)


#: Arrays of the calls: `e` and what begins with it are empty.
GIVEN = {
    "e": np.zeros(0), "e2": np.zeros((0, 3)), "e3": np.zeros((3, 0)), "e00": np.zeros((0, 0)),
    "e203": np.zeros((2, 0, 3)), "ei": np.zeros(0, "i4"), "eb": np.zeros(0, bool),
    "ec": np.zeros(0, complex), "s": np.asarray(1.5), "si": np.asarray(3, "i4"), "o": _numbers(1),
    "oo": _numbers(1, 1), "o3": _numbers(1, 3), "x": _numbers(5), "mm": _numbers(3, 4),
    "t": _numbers(2, 3, 4), "sq": _numbers(3, 3) + 3 * np.eye(3),
    "xi": np.arange(6, dtype="i4") - 2, "mi": np.arange(12).reshape(3, 4) % 5,
    "u": np.arange(5, dtype="u1"), "b": np.asarray([True, False, True]),
    "mb": np.asarray([[True, False, True, False]] * 3), "c": _numbers(4) + 1j * _numbers(4)[::-1],
    "n": np.asarray([1.0, np.nan, -np.inf, 3, np.inf, np.nan]), "an": np.full(3, np.nan),
    "z": np.asarray([0.0, -0.0, 1.0, -0.0, 0.0]), "tie": np.asarray([3.0, 1, 3, 1, 3, 1, 2]),
}  # fmt: skip
NAMES = {"np": np, "nan": np.nan, "inf": np.inf}

#: Why a call differs: `number` was refused by NumPy, `refused` is refused here, `result` differs.
OTHERWISE = {
    "number: NaN says that there is no result, and nothing warns": (
        "percentile: x, 101 | x, -1 | x, nan\nquantile: x, 1.5\naverage: e, weights=e\n"
        "linalg.cholesky: -np.eye(2)\nlinalg.cond: np.full((2, 2), nan)\nfft.fftfreq: 4, 0\n"
    ),
    "number: bools count as integers": "sign: b\ngcd: b, b\npositive: b\npercentile: b, 50\n",
    "number: an index in an array is moved into the range": (
        "take_along_axis: mm, np.array([[0], [1], [9]]), 1\n"
    ),
    "number: the order of bins, and an algorithm that would be the same, are not looked at": (
        "digitize: x, np.array([0.0, 2, 1])\nsort: x, kind='no'\n"
    ),
    "refused: a number that the dtype cannot hold": (
        "clip: u, -1, 300 | np.array([1, 2], 'i1'), -200, 200\npad: u, 1, constant_values=300\n"
        "where: True, u, 300\nsearchsorted: u, 300\nfull: 2, 2**40\narange: 300, dtype='u1'\n"
    ),
    "refused: complex numbers have no order": "argmax: c\nclip: c, 0, 1\nhistogram: c\n",
    "refused: an array without axes has none": "cumsum: s, axis=0\nsqueeze: s, 0\nconvolve: x, s\n",
    "refused: lists are no arrays": (
        "where: [True, False], [1, 2], [3, 4]\nisin: xi, [1.5, 2]\nfull: (2, 2), [1, 2]\n"
        "linalg.solve: [[1, 2], [3, 4]], [1, 2]\nconvolve: [1], [2]\n"
    ),
    "refused: a count is an integer": (
        "split: x, 2.5\nrot90: mm, 1.5\nroll: x, 1.5\nrepeat: x, 1.5\npolyfit: x, x, 1.5\n"
        "reshape: x, (5, -2)\ntri: 2, 3, 1.0\n"
    ),
    "result: NumPy overflows, or counts an infinity": (
        "round: x, 400 | x, -400\nnanpercentile: n, [0, 50, 100]\n"
        "quantile: np.array([inf, inf]), 0.5 | np.array([-128, 127], 'i1'), 0.5\n"
        "linalg.norm: np.array([1e200, 1e200])\n"
    ),
    "result: by the standard": "divmod: n, 2\n",
    "result: bools count as integers, and stay what they are where they are rounded": (
        "power: b, b\nleft_shift: b, b\nsquare: b\nround: b\nrint: b\n"
    ),
    "result: roots are complex, and coefficients as many as can be": (
        "roots: o | [1, 2]\npolymul: [0, 1], [2]\nlinalg.eigvals: e00\n"
    ),
}  # fmt: skip


def _calls(table: str) -> dict[str, list[str]]:
    """The calls of each function of a table."""
    found = {}
    for row in re.sub(r"\|\n\s+", "| ", table).strip().splitlines():
        name, _, arguments = row.partition(": ")
        found[name] = [part.strip().removeprefix("-") if part.strip() == "-" else part.strip()
                       for part in arguments.split(" | ")]  # fmt: skip
    return found


CALLS = {
    f"{name}{suffix}": (name, calls)
    for suffix, table in (("", ARRAYS), ("'", SEARCHING), ("''", NUMBERS), ("'''", LINEAR))
    for name, calls in _calls(table).items()
}
DIFFERING = [
    (reason.partition(":")[0], name, call)
    for reason, table in OTHERWISE.items()
    for name, calls in _calls(table).items()
    for call in calls
]
_NARROW = {"i8": "i4", "u8": "u4", "f8": "f4", "c16": "c8"}


def _result(module: Any, name: str, call: str, given: dict[str, Any]) -> list[np.ndarray]:
    """The results of a call, as arrays."""
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = eval(f"m.{name}({call})", {**NAMES, **given, "m": module})
    return [np.asarray(x) for x in flattened(found)]


def _attempt(module: Any, name: str, call: str, given: Any) -> tuple[Any, Exception | None]:
    try:
        return _result(module, name, call, given), None
    except Exception as error:
        return None, error


def _difference(found: list[np.ndarray], wanted: list[np.ndarray]) -> str:
    """How results differ; empty if they do not."""
    if len(found) != len(wanted):
        return f"{len(found)} results, not {len(wanted)}"
    for one, other in zip(found, wanted, strict=True):
        kinds = {other.dtype, np.dtype(_NARROW.get(other.dtype.str[1:], other.dtype))}
        if one.shape != other.shape or one.dtype not in kinds:
            return f"{one.dtype}{one.shape}, not {other.dtype}{other.shape}"
        with quiet():
            right = other.astype(one.dtype)
        parts = np.stack([right.real, right.imag])
        size = float(np.abs(parts[np.isfinite(parts)]).max(initial=1))
        if one.dtype.kind in "biu":
            same = one == right
        else:
            same = np.isclose(one, right, 0, rounding(FORMULA, one.dtype) * size, equal_nan=True)
        if not np.all(same):
            return f"{one.tolist()}, not {other.tolist()}"
    return ""


def _is_named(name: str, error: Exception) -> bool:
    """Whether a message begins with a name of the function that was called."""
    f = functools.reduce(getattr, name.split("."), anp)
    return re.match(rf"({name.rpartition('.')[2]}|{f.__name__})\b", str(error)) is not None


@pytest.mark.sweep(keep=10, part=60)
@pytest.mark.parametrize("case", CALLS)
def test_calls_at_edges_are_those_of_numpy(case: str) -> None:
    name, calls = CALLS[case]
    for call in calls:
        wanted, refused = _attempt(np, name, call, GIVEN)
        found, error = _attempt(anp, name, call, GIVEN)
        shown = f"{name}({call})"
        assert (error is None) == (refused is None), f"{shown}: {error!r}, but NumPy {refused!r}"
        if error is not None:
            assert _is_named(name, error), f"{shown}: {error}"
        else:
            assert not (difference := _difference(found, wanted)), f"{shown}: {difference}"
            if SWEEP:
                _in_modes(shown, name, call, found)


def _in_modes(shown: str, name: str, call: str, wanted: Any) -> None:
    """Compare a call in `jit` and `vmap`, unless its shape depends on values."""
    used = {key: GIVEN[key] for key in re.findall(r"\b[a-z]\w*\b", call) if key in GIVEN}
    if not used:
        return

    def of(given: dict[str, Any]) -> Any:
        return tuple(flattened(eval(f"m.{name}({call})", {**NAMES, **given, "m": anp})))

    stacks = {key: np.stack([x, x]) for key, x in used.items()}
    try:
        jitted, mapped = anvl.jit(lambda given, stacks: (of(given), anvl.vmap(of)(stacks)))(
            used, stacks
        )
    except (anvl.TraceError, TypeError, ValueError):
        return
    for found in (jitted, [x[1] for x in mapped]):
        difference = _difference([np.asarray(x) for x in found], wanted)
        assert not difference, f"{shown} in jit or vmap: {difference}"


@pytest.mark.sweep(keep=10, part=60)
@pytest.mark.parametrize(("how", "name", "call"), DIFFERING)
def test_what_differs_from_numpy_does_so_for_a_reason(how: str, name: str, call: str) -> None:
    wanted, refused = _attempt(np, name, call, GIVEN)
    found, error = _attempt(anp, name, call, GIVEN)
    if how == "number":
        assert error is None
        assert refused is not None
    elif how == "refused":
        assert refused is None
        assert isinstance(error, TypeError | ValueError | IndexError | OverflowError)
        assert _is_named(name, error), error
    else:
        assert error is refused is None
        assert _difference(found, wanted)
