"""What ops that order, transform and draw compute, in NumPy."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

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


SORTING: dict[str, Callable[..., Any]] = {
    "sort": _sort,
    "top_k": _top_k,
    "fft": _fft,
}
