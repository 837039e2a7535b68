"""Calls of `anvl.scipy` and `anvl.numpy.fft` at edges, beside SciPy and NumPy.

Empty arrays, one element, NaN and infinities, integers, bools, complex and half precision, negative
strides, ranks up to 4, odd and even lengths, axes from the end and out of range, modes of edges.

A row of a table `calls_*.py` has a function and its arguments, one call after the other:

    dct: x | m, axis=0

Where the reference has a result, so has anvl: of the same shape and kind, and equal.  Where the
reference refuses a call, so does anvl, with a message that begins with the name of the function.
`OTHERWISE` has the calls that differ, by how (`number`: the reference refuses; `refused`: anvl
does; `result`: they differ) and why.  With `make sweep` each call is made in `jit`, and in `vmap`
over two examples along other axes than the first; and its gradient is compared with differences.
"""

import functools
import re
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import calls_images
import calls_matrices
import calls_signals
import calls_transforms
import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.signal
from given import EXAMPLES, SMOOTH
from sweep import SWEEP
from tolerances import FORMULA, PROGRAM, rounding

import anvl
import anvl.numpy as anp
import anvl.scipy.fft
import anvl.scipy.linalg
import anvl.scipy.ndimage
import anvl.scipy.signal


def _places(input: Any, coordinates: Any, order: int = 3, mode: str = "constant",
            cval: float = 0.0, prefilter: bool = True) -> Any:  # fmt: skip
    """SciPy's `map_coordinates` with the parameters of JAX, and so of anvl."""
    return scipy.ndimage.map_coordinates(input, coordinates, None, order, mode, cval, prefilter)


def _first(module: Any, name: str) -> Any:
    """A module whose function gives the first of its results, where the others differ."""
    f = getattr(module, name)
    first = functools.wraps(f)(lambda *args, **kwargs: f(*args, **kwargs)[0])
    return SimpleNamespace(**{**vars(module), name: first})


MODULES = {
    "fft": (anp.fft, np.fft),
    "scipy.fft": (anvl.scipy.fft, scipy.fft),
    "scipy.linalg": (_first(anvl.scipy.linalg, "lstsq"), _first(scipy.linalg, "lstsq")),
    "signal": (anvl.scipy.signal, scipy.signal),
    "ndimage": (
        anvl.scipy.ndimage,
        SimpleNamespace(**{**vars(scipy.ndimage), "map_coordinates": _places}),
    ),
}
TABLES = (calls_transforms, calls_matrices, calls_signals, calls_images)
NAMES = {"np": np, "nan": np.nan, "inf": np.inf}
_NARROW = {"i8": "i4", "u8": "u4", "f8": "f4", "c16": "c8"}


def _calls(table: str) -> dict[str, list[str]]:
    """The calls of each function of a table."""
    found = {}
    for row in re.sub(r"\|\n\s+", "| ", table).strip().splitlines():
        name, _, arguments = row.partition(": ")
        found[name] = [part if part != "-" else "" for part in arguments.split(" | ")]
    return found


CALLS = {
    f"{module}.{name}": (module, name, calls)
    for table in TABLES
    for module, rows in table.CALLS.items()
    for name, calls in _calls(rows).items()
}
DIFFERING = {
    f"{how}-{module}.{name}": (how.partition(":")[0], module, name, calls)
    for table in TABLES
    for module, reasons in table.OTHERWISE.items()
    for how, rows in reasons.items()
    for name, calls in _calls(rows).items()
}


def _flattened(result: Any) -> list[Any]:
    if isinstance(result, list | tuple):
        return [x for part in result for x in _flattened(part)]
    return [] if result is None else [result]


def _of(module: Any, name: str, call: str, given: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(_flattened(eval(f"M_.{name}({call})", {**NAMES, **given, "M_": module})))


def _attempt(f: Callable[[], Any]) -> tuple[Any, Exception | None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [np.asarray(x) for x in f()], None
        except Exception as error:
            return None, error


def _difference(found: list[np.ndarray], wanted: list[np.ndarray], length: float = PROGRAM) -> str:
    """How results differ; empty if they do not."""
    if len(found) != len(wanted):
        return f"{len(found)} results, not {len(wanted)}"
    for one, other in zip(found, wanted, strict=True):
        kinds = {other.dtype, np.dtype(_NARROW.get(other.dtype.str[1:], other.dtype))}
        if one.shape != other.shape or one.dtype not in kinds:
            return f"{one.dtype}{one.shape}, not {other.dtype}{other.shape}"
        if one.dtype.kind in "biu":
            same = one == other
        else:
            with np.errstate(all="ignore"):
                parts = [_parts(x.astype(one.dtype)) for x in (one, other)]
            size = float(np.abs(parts[1][np.isfinite(parts[1])]).max(initial=0))
            limit = rounding(FORMULA if one.dtype.itemsize == 2 else length, one.dtype)
            same = np.isclose(*parts, 0, limit * size, equal_nan=True)
        if not np.all(same):
            return f"{one.tolist()}, not {other.tolist()}"
    return ""


def _parts(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    return np.stack([wide.real, wide.imag])


def _is_named(f: Any, name: str, error: Exception) -> bool:
    """Whether a message begins with a name of the function that was called."""
    return re.match(rf"({name}|{f.__name__})\b", str(error)) is not None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sweep(keep=16, part=12)
@pytest.mark.parametrize("case", CALLS)
def test_calls_at_edges_are_those_of_the_reference(case: str) -> None:
    module, name, calls = CALLS[case]
    ours, theirs = MODULES[module]
    for call in calls:
        shown = f"{case}({call})"
        wanted, refused = _attempt(lambda call=call: _of(theirs, name, call, EXAMPLES[0]))
        found, error = _attempt(lambda call=call: _of(ours, name, call, EXAMPLES[0]))
        assert (error is None) == (refused is None), f"{shown}: {error!r}, but SciPy {refused!r}"
        if error is not None:
            assert _is_named(getattr(ours, name), name, error), f"{shown}: {error}"
            continue
        assert not (difference := _difference(found, wanted)), f"{shown}: {difference}"
        used = re.findall(r"(?<![\w.'\"])[a-z]\w*(?![\w'\"(]|\s*=)", call)
        if SWEEP and (names := [key for key in dict.fromkeys(used) if key in EXAMPLES[0]]):
            _in_modes(shown, lambda given, call=call: _of(ours, name, call, given), names, found)


def _in_modes(shown: str, of: Callable[[Any], Any], names: list[str], first: Any) -> None:
    """Compare a call in `jit` and `vmap`, unless NumPy is called in it, and its gradient."""
    one, two = ({key: given[key] for key in names} for given in EXAMPLES)
    # Along the second axis and the last one, where there are any.
    axes = {key: min(1, x.ndim) if i % 2 == 0 else x.ndim for i, (key, x) in enumerate(one.items())}
    stacks = {key: np.stack([one[key], two[key]], axis) for key, axis in axes.items()}
    try:
        jitted, mapped = anvl.jit(
            lambda one, stacks: (of(one), anvl.vmap(of, in_axes=(axes,))(stacks))
        )(one, stacks)
    except anvl.TraceError:
        return
    second, _ = _attempt(lambda: of(two))
    at = [[np.asarray(x)[i] for x in mapped] for i in (0, 1)]
    for how, found, wanted in (
        ("jit", [np.asarray(x) for x in jitted], first),
        ("vmap", at[0], first),
        ("vmap, second example", at[1], second),
    ):
        if wanted is not None:
            difference = _difference(found, wanted)
            assert not difference, f"{shown} in {how}: {difference}"
    if set(names) <= SMOOTH and all(np.isfinite(x).all() for x in first):
        _differentiate(shown, of, one, first)


def _differentiate(shown: str, of: Callable[[Any], Any], given: Any, first: Any) -> None:
    """Compare the gradient of a random projection of a result with differences of four points."""
    rng = np.random.default_rng(5)
    places = [i for i, x in enumerate(first) if x.dtype.kind in "fc" and x.size]
    if not places:
        return
    weights = {i: _drawn(rng, first[i]) for i in places}
    ways = {key: _drawn(rng, x) for key, x in given.items()}

    def projection(given: Any) -> Any:
        results = of(given)
        return sum(anp.sum(anp.real(results[i] * weights[i])) for i in places)

    def along(step: float) -> float:
        return compiled({key: x + step * ways[key] for key, x in given.items()}).item()

    compiled, h = anvl.jit(projection), 1e-4
    wanted = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h)
    gradient = anvl.jit(anvl.grad(projection))(given)
    terms = [np.real(np.asarray(gradient[key]) * way) for key, way in ways.items()]
    size = max(1.0, abs(wanted), sum(np.abs(x).sum() for x in terms))
    found = sum(x.sum() for x in terms)
    assert abs(found - wanted) <= 1e10 * rounding(1) * size, f"{shown}: {found}, not {wanted}"


def _drawn(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    made = rng.normal(size=x.shape)
    return made + 1j * rng.normal(size=x.shape) if x.dtype.kind == "c" else made


@pytest.mark.sweep(keep=8, part=6)
@pytest.mark.parametrize("case", DIFFERING)
def test_what_differs_from_the_reference_does_so_for_a_reason(case: str) -> None:
    how, module, name, calls = DIFFERING[case]
    ours, theirs = MODULES[module]
    for call in calls:
        wanted, refused = _attempt(lambda call=call: _of(theirs, name, call, EXAMPLES[0]))
        found, error = _attempt(lambda call=call: _of(ours, name, call, EXAMPLES[0]))
        if how == "number":
            assert error is None, f"{name}({call}): {error!r}"
            assert refused is not None, f"{name}({call})"
        elif how == "refused":
            assert refused is None, f"{name}({call}): {refused!r}"
            assert isinstance(error, TypeError | ValueError), f"{name}({call}): {error!r}"
            assert _is_named(getattr(ours, name), name, error), f"{name}({call}): {error}"
        else:
            assert error is refused is None, f"{name}({call})"
            assert _difference(found, wanted, FORMULA), f"{name}({call})"
