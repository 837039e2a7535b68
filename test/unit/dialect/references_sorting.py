"""What ops that order, transform and draw compute, in NumPy."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anvl.dialect.core.types import numpy_dtype

__all__ = ["SORTING"]


def _sort(
    *xs: np.ndarray, comparator: Callable[..., Any], dimension: int = -1, is_stable: bool = False
) -> list[np.ndarray]:
    moved = [np.moveaxis(x, dimension, -1) for x in xs]
    found = [np.empty_like(x) for x in moved]
    for at in np.ndindex(*moved[0].shape[:-1]):
        rows = [x[at] for x in moved]

        def before(i: int, j: int, rows: Any = rows) -> int:
            def ask(i: int, j: int) -> bool:
                return bool(comparator(*(v for row in rows for v in (row[i], row[j])))[0])

            return -1 if ask(i, j) else int(ask(j, i))

        order = sorted(range(len(rows[0])), key=functools.cmp_to_key(before))
        for y, row in zip(found, rows, strict=True):
            y[at] = row[order]
    return [np.moveaxis(y, -1, dimension) for y in found]


def _top_k(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    flipped = np.flip(x, -1)
    order = x.shape[-1] - 1 - np.flip(np.argsort(flipped, -1, kind="stable"), -1)[..., :k]
    return np.take_along_axis(x, order, -1), order.astype(np.int32)


def _fft(x: np.ndarray, fft_type: str, fft_length: Any) -> np.ndarray:
    transform = getattr(np.fft, f"{fft_type.lower()}n")
    axes = tuple(range(-len(fft_length), 0))
    y: np.ndarray = transform(x, s=fft_length, axes=axes)
    return y


def _rng_bit_generator(
    initial_state: np.ndarray, rng_algorithm: str, shape: Any, dtype: str
) -> tuple[np.ndarray, np.ndarray]:
    """The words of one block after another; of a narrow dtype, the low bits of a word each."""
    count, wanted = int(np.prod(shape)), numpy_dtype(dtype)
    numbers = [int(v) for v in initial_state]
    words = count * max(wanted.itemsize // 4, 1)
    if rng_algorithm == "THREE_FRY":
        steps = -(-words // 2)
        blocks = [threefry(numbers[0], (numbers[1] + i) % 2**64) for i in range(steps)]
        state = [numbers[0], (numbers[1] + steps) % 2**64]
    else:
        steps = -(-words // 4)
        counter = numbers[1] + 2**64 * numbers[2]
        blocks = [philox(numbers[0], counter + i) for i in range(steps)]
        state = [numbers[0], (counter + steps) % 2**64, (counter + steps) >> 64]
    bits = np.array(blocks, np.uint32).reshape(-1)[:words]
    bits = bits.view(wanted) if wanted.itemsize >= 4 else bits.astype(wanted)
    return np.array(state, np.uint64), bits.reshape(shape)


def _words(value: int, count: int) -> list[int]:
    return [(value >> (32 * i)) % 2**32 for i in range(count)]


def threefry(key: int, counter: int) -> list[int]:
    """Threefry-2x32 of 20 rounds (Salmon et al. 2011, section 3.3)."""
    keys = _words(key, 2)
    keys.append(keys[0] ^ keys[1] ^ 0x1BD11BDA)
    x, y = _words(counter, 2)
    x, y = (x + keys[0]) % 2**32, (y + keys[1]) % 2**32
    for i in range(5):
        for r in ((13, 15, 26, 6), (17, 29, 16, 24))[i % 2]:
            x = (x + y) % 2**32
            y = (y << r | y >> (32 - r)) % 2**32 ^ x
        x = (x + keys[(i + 1) % 3]) % 2**32
        y = (y + keys[(i + 2) % 3] + i + 1) % 2**32
    return [x, y]


def philox(key: int, counter: int) -> list[int]:
    """Philox-4x32 of 10 rounds (Salmon et al. 2011, section 3.2)."""
    keys, x = _words(key, 2), _words(counter, 4)
    for _ in range(10):
        low = [x[0] * 0xD2511F53, x[2] * 0xCD9E8D57]
        (a, b), (c, d) = _words(low[0], 2), _words(low[1], 2)
        x = [d ^ x[1] ^ keys[0], c, b ^ x[3] ^ keys[1], a]
        keys = [(keys[0] + 0x9E3779B9) % 2**32, (keys[1] + 0xBB67AE85) % 2**32]
    return x


def _map(*xs: np.ndarray, dimensions: Any, computation: Any, dtype: str) -> np.ndarray:
    y = np.empty(xs[0].shape, numpy_dtype(dtype))
    for at in np.ndindex(*xs[0].shape):
        y[at] = computation(*(x[at] for x in xs))[0]
    return y


SORTING: dict[str, Callable[..., Any]] = {
    "sort": _sort,
    "top_k": _top_k,
    "fft": _fft,
    "rng_bit_generator": _rng_bit_generator,
    "optimization_barrier": lambda *xs: xs,
    "map": _map,
    "check": lambda *_, **__: (),  # it has no result
    "custom_call": lambda *xs, **_: xs,  # sampled with an identity
}
