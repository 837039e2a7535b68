"""The comparison with NumPy that all tests of `anvl.numpy` use."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tolerances import PROGRAM, rounding

import anvl

#: Units in the last place between a function and NumPy's, which may compute in wider numbers.
LENGTHS = {"float16": 4, "bfloat16": 3, "float32": 25, "complex64": 50}
SHAPES: list[tuple[int, ...]] = [(), (2, 3), (2, 0)]


def values(dtype: Any, shape: tuple[int, ...], low: float = -3, high: float = 3) -> Any:
    """Numbers of a dtype between bounds, the same for the same question."""
    dtype, draw = np.dtype(dtype), np.random.default_rng(len(shape) + 7)
    if dtype.kind == "b":
        return np.asarray(draw.integers(0, 2, shape), bool)
    if dtype.kind in "iu":
        return np.asarray(
            draw.integers(max(low, 0) if dtype.kind == "u" else low, high, shape), dtype
        )
    numbers = draw.uniform(low, high, shape)
    if dtype.kind == "c":
        numbers = numbers + 1j * draw.uniform(low, high, shape)
    return np.asarray(numbers, dtype)


def narrowed(dtype: np.dtype[Any], arguments: Sequence[Any]) -> np.dtype[Any]:
    """The dtype of NumPy's result in anvl, where numbers without a dtype have 32 bits."""
    given = {x.dtype for x in arguments if isinstance(x, np.ndarray | np.generic)}
    wide = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
    if dtype.name not in wide or dtype in given:
        return dtype
    if dtype.name == "complex128" and np.dtype("float64") in given:
        return dtype
    if dtype.name == "float64" and np.dtype("complex128") in given:
        return dtype
    return np.dtype(wide[dtype.name])


def assert_same(result: Any, expected: Any, arguments: Sequence[Any]) -> None:
    """Dtype, shape and values are NumPy's."""
    expected = np.asarray(expected)
    wanted = narrowed(expected.dtype, arguments)
    assert (result.dtype, result.shape) == (wanted, expected.shape)
    exact = wanted.kind in "biu"
    rtol = 0 if exact else rounding(LENGTHS.get(wanted.name, PROGRAM), wanted)
    widened = expected.astype(float) if wanted.kind in "fV" else expected
    found = np.asarray(result).astype(widened.dtype)
    np.testing.assert_allclose(found, widened, rtol=rtol, atol=rtol)


def agrees(f: Callable[..., Any], reference: Callable[..., Any], calls: Sequence[Any]) -> None:
    """f of each call is what NumPy says: all compiled in one program, and the first eagerly."""
    with np.errstate(all="ignore"):
        expected = [reference(*call) for call in calls]
    found = anvl.jit(lambda calls: [f(*call) for call in calls])([*calls])
    first = f(*map(anvl.numpy.asarray, calls[0]))
    for result, wanted, call in zip(
        [first, *found], [expected[0], *expected], [calls[0], *calls], strict=True
    ):
        several = isinstance(wanted, list | tuple)
        assert isinstance(result, type(wanted)) or not several
        pairs = zip(result, wanted, strict=True) if several else [(result, wanted)]
        for one, other in pairs:
            assert_same(one, other, call)
