"""A function beside its reference: eager, in `jit`, in `vmap`; dtypes, shapes and values."""

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from drawing import BF16, Call, Draw
from tolerances import FORMULA

import anvl

__all__ = ["Line", "agree", "flattened", "quiet", "reference_results"]

_REFUSED = (ValueError, TypeError, IndexError, OverflowError, NotImplementedError)


@dataclass(frozen=True)
class Line:
    """A function, its reference, and how its calls are drawn.

    `length` is that of `tolerances.rounding`; errors are relative to each number if `each`, or to
    the largest of the result and the operands.  `wide`: the reference computes in 64 bits.
    `traced`: the function works in `jit`.  `dtypes`: whether those of results are NumPy's.
    `indices`: whole results are indices or counts, of the default dtype.  `seen`: what is compared.
    """

    name: str
    f: Callable[..., Any]
    reference: Callable[..., Any]
    draw: Callable[[Draw], Call]
    flavours: str = "ptzn"
    length: float = FORMULA
    each: bool = False
    wide: bool = True
    traced: bool = True
    dtypes: bool = True
    smooth: bool = True
    indices: bool = False
    refusals: bool = True
    seen: Callable[[Any], Any] = lambda result: result


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def flattened(result: Any) -> list[Any]:
    """The arrays of a result, in their order."""
    if isinstance(result, list | tuple):
        return [x for part in result for x in flattened(part)]
    return [result]


def reference_results(line: Line, call: Call, xs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Results of the reference for these arrays, in 64 bits if the line says so."""
    given = [_widened(x) if line.wide else x for x in xs]
    found = _computed(line, call, given)
    if line.wide and any(x.dtype.kind == "f" and x.dtype.itemsize < 8 for x in found):
        # One bool makes the result of others: those beside numbers, or behind it, may be masks.
        first = int(all(x.dtype.kind == "b" for x in given))
        long = [_long(x) if i < first or x.dtype.kind != "b" else x for i, x in enumerate(given)]
        found = _computed(line, call, [_widened(x) for x in long])
    return found


def _computed(line: Line, call: Call, xs: Sequence[np.ndarray]) -> list[np.ndarray]:
    with quiet():
        found = line.seen(call.of(line.reference, [x.copy() for x in xs]))
    return [np.asarray(x) for x in flattened(found)]


def _long(x: np.ndarray) -> np.ndarray:
    """Integers in 64 bits, of which NumPy makes f64, and not f16."""
    return x.astype(np.int64) if x.dtype.kind in "biu" and x.dtype.itemsize < 8 else x


def _widened(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind in "fV":
        return x.astype(np.float64)
    return x.astype(np.complex128) if x.dtype.kind == "c" else x


def _own_dtypes(line: Line, call: Call, xs: Sequence[np.ndarray]) -> list[np.dtype[Any]]:
    """The dtypes of the reference's results of the arrays as they are (f16 for bf16)."""
    given = [x.astype(np.float16) if x.dtype == BF16 else x for x in xs]
    try:
        with quiet():
            found = line.seen(call.of(line.reference, given))
            return [np.asarray(x).dtype for x in flattened(found)]
    except TypeError as error:
        if "float16" not in str(error):  # SciPy's and LAPACK's functions lack it
            raise
        given = [x.astype(np.float32) if x.dtype == np.float16 else x for x in given]
        with quiet():
            found = line.seen(call.of(line.reference, given))
            return [np.asarray(x).dtype for x in flattened(found)]


def wanted_dtypes(
    line: Line, own: np.dtype[Any], call: Call, xs: Sequence[np.ndarray]
) -> set[np.dtype[Any]]:
    """The dtypes that a result may have where NumPy's has `own`: numbers without a dtype, and
    what is made of integers, have 32 bits here."""
    if own.kind in "biu":
        kept = own in {x.dtype for x in xs} and not line.indices
        return {own} if kept else {own, _NARROW.get(own, own)}
    if "dtype" in call.kwargs and call.kwargs["dtype"] is not None:
        return {np.dtype(call.kwargs["dtype"])}
    reals = {_REAL.get(x.dtype, x.dtype) for x in xs if x.dtype.kind in "fcV"}
    real = max(reals, key=lambda d: d.itemsize) if reals else np.dtype(np.float32)
    if BF16 in reals and np.dtype(np.float16) in reals and real.itemsize == 2:
        real = np.dtype(np.float32)
    if own in reals:
        return {own}
    if own.kind == "c":
        real = np.dtype(np.complex128 if real.itemsize == 8 else np.complex64)
    return {real}


_NARROW = {
    np.dtype(np.int64): np.dtype(np.int32),
    np.dtype(np.uint64): np.dtype(np.uint32),
}
_REAL = {np.dtype(np.complex128): np.dtype(np.float64), np.dtype(np.complex64): np.dtype("f4")}


def agree(line: Line, call: Call, batched: Sequence[bool]) -> None:
    """Compare the function with its reference for numbers of each flavour, then `jit` and `vmap`
    (over the operands that are `batched`) with the function."""
    samples = [call.values(flavour, k) for k, flavour in enumerate(line.flavours)]
    try:
        wanted = [reference_results(line, call, xs) for xs in samples]
        own = _own_dtypes(line, call, samples[0])
    except _REFUSED as error:
        _refused(line, call, samples[0], error)
        return
    except (np.linalg.LinAlgError, AssertionError):
        return
    results = []
    for flavour, xs, right in zip(line.flavours, samples, wanted, strict=True):
        found = [np.asarray(x) for x in flattened(line.seen(call.of(line.f, xs)))]
        results.append(found)
        where = f"{line.name}({call}), flavour {flavour}"
        assert len(found) == len(right), f"{where}: {len(found)} results, not {len(right)}"
        for one, other, dtype in zip(found, right, own, strict=False):
            assert one.shape == other.shape, f"{where}: shape {one.shape}, not {other.shape}"
            if line.dtypes:
                may = wanted_dtypes(line, dtype, call, xs)
                assert one.dtype in may, f"{where}: dtype {one.dtype}, not {may}"
        _compare_values(line, call, xs, found, right, where)
    if line.traced and call.operands:
        _modes(line, call, samples, results, batched)


def _refused(line: Line, call: Call, xs: Sequence[np.ndarray], error: Exception) -> None:
    """The reference refuses the call, and so does the function."""
    if not line.refusals:
        return
    try:
        found = call.of(line.f, xs)
    except (*_REFUSED, np.linalg.LinAlgError):
        return
    raise AssertionError(
        f"{line.name}({call}) is {found!r}, but the reference says {type(error).__name__}: {error}"
    )


def _compare_values(
    line: Line, call: Call, xs: Sequence[np.ndarray], found: Any, right: Any, where: str
) -> None:
    try:
        for one, other in zip(found, right, strict=True):
            _same(line, xs, one, other, where)
    except AssertionError:
        flushed = [_flushed(x) for x in xs]
        if all(np.array_equal(x, y, equal_nan=True) for x, y in zip(xs, flushed, strict=True)):
            raise
        other = reference_results(line, call, flushed)  # processors may take subnormals for 0
        for one, wanted in zip(found, other, strict=True):
            _same(line, xs, one, wanted, where)


def _flushed(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind not in "fV":
        return x
    tiny = float(ml_dtypes.finfo(x.dtype).tiny)
    return np.where(np.abs(x.astype(np.float64)) < tiny, np.copysign(0, x), x).astype(x.dtype)


def _same(line: Line, xs: Sequence[Any], found: Any, wanted: Any, where: str) -> None:
    if found.dtype.kind in "biu" and wanted.dtype.kind in "biu":
        same = found == wanted.astype(found.dtype)
        assert np.all(same), f"{where}: {_off(xs, found, wanted, ~same)}"
        return
    with quiet():
        right = wanted.astype(found.dtype)  # with the infinities of its dtype
        eps, tiny = _limits(line, found.dtype, xs)
        one, other = _widened(found), _widened(right)
        size = np.abs(other) if line.each else _size(other, xs)
        close = np.abs(one - other) <= eps * size + tiny
        same = (one == other) | (np.isnan(one) & np.isnan(other)) | close
        same &= np.isnan(one) == np.isnan(other)
        same &= (np.isinf(one) == np.isinf(other)) | (found.dtype.itemsize == 2)
        if line.each and found.dtype.kind == "f":
            same &= (other != 0) | (one != 0) | (np.signbit(one) == np.signbit(other))
    assert np.all(same), f"{where}: {_off(xs, found, wanted, ~same)}"


def _limits(line: Line, dtype: Any, xs: Sequence[Any]) -> tuple[float, float]:
    """The relative error, and the smallest normal number."""
    narrow = [x.dtype for x in xs if x.dtype.kind in "fcV"] + [dtype]
    eps = max(float(ml_dtypes.finfo(d).eps) for d in narrow if d.kind in "fcV")
    tiny = max(float(ml_dtypes.finfo(d).tiny) for d in narrow if d.kind in "fcV")
    return min(line.length * eps, 0.05 if eps > 1e-4 else max(1e-6, 50 * eps)), tiny


def _size(right: np.ndarray, xs: Sequence[Any]) -> float:
    of = [1.0, *(_largest(x) for x in (right, *xs))]
    return max(of)


def _largest(x: Any) -> float:
    x = np.abs(np.asarray(x).astype(np.complex128 if np.asarray(x).dtype.kind == "c" else float))
    x = x[np.isfinite(x) & (x < 1e10)]
    return float(x.max(initial=0.0))


def _off(xs: Sequence[Any], found: Any, wanted: Any, wrong: np.ndarray) -> str:
    at = tuple(np.argwhere(wrong)[0]) if wrong.ndim else ()
    same = [x[at] if x.shape == found.shape else x for x in xs]
    shown = ", ".join(repr(x.tolist()) if x.size < 30 else "..." for x in same)
    return f"{found[at]!r}, not {wanted[at]!r}, at {at} of {int(wrong.sum())}, of ({shown})"


def _modes(line: Line, call: Call, samples: Any, results: Any, batched: Sequence[bool]) -> None:
    """The function in `jit` and `vmap`, in one program, beside its results one by one."""
    count = len(call.operands)
    over = [bool(batched[i % len(batched)]) for i in range(count)]
    if not any(over):
        over[0] = True
    stacks = [np.stack([xs[i] for xs in samples]) for i in range(count)]
    axes = tuple(0 if b else None for b in over)

    def one(*xs: Any) -> Any:
        return tuple(flattened(line.seen(call.of(line.f, xs))))

    def both(xs: Any, stacks: Any) -> Any:
        taken = [s if b else x for x, s, b in zip(xs, stacks, over, strict=True)]
        return one(*xs), anvl.vmap(one, in_axes=axes)(*taken)

    jitted, mapped = anvl.jit(both)(samples[0], stacks)
    where = f"{line.name}({call})"
    for found, right in zip(jitted, results[0], strict=True):
        _like(line, samples[0], np.asarray(found), right, f"{where} in jit")
    for k, xs in enumerate(samples):
        mixed = [x if b else first for x, first, b in zip(xs, samples[0], over, strict=True)]
        right = results[k] if all(over) else flattened(line.seen(call.of(line.f, mixed)))
        for found, wanted in zip(mapped, right, strict=True):
            place = f"{where} in vmap over {axes}, flavour {line.flavours[k]}"
            _like(line, mixed, np.asarray(found)[k], np.asarray(wanted), place)


def _like(line: Line, xs: Sequence[Any], found: Any, right: Any, where: str) -> None:
    same = (found.dtype, found.shape) == (right.dtype, right.shape)
    assert same, f"{where}: {found.dtype}{found.shape}, not {right.dtype}{right.shape}"
    _same(line, xs, found, right, where)
