"""(m) Functions of arrays outside of any jit: chains, indexing, einsum, random numbers, sort."""

import statistics
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

import anvl
from measure import alternations
from programs import agree
from rows import AtLeastAsFast, Result, Row
from sides import Side

ROUNDS = {"full": 15, "quick": 5, "tiny": 1}
INCLUDED = (
    "functions of arrays on the device, outside of jit, used before; calls in a row, of which the "
    "last is waited for, in five groups of rounds: the median of the groups' least times, and the "
    "range of their anvl / jax"
)
SMALL = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
STACK = np.linspace(-1, 1, 32 * 32 * 32, dtype=np.float32).reshape(32, 32, 32)
MANY = np.random.default_rng(0).permutation(10_000).astype(np.float32)
ROWS = np.array([5, 2, 2, 7], np.int32)
MASK = SMALL > 0

Function = Callable[..., Any]

#: By name: what is done with the namespace and its arrays, and these arrays.
CASES: dict[str, tuple[Function, tuple[np.ndarray, ...]]] = {
    "10 x (sin(y) * y + 1.5)": (lambda xp, y: _chain(xp, y), (SMALL,)),
    "sum(x, axis=0)": (lambda xp, x: xp.sum(x, axis=0), (SMALL,)),
    "concatenate of 4": (lambda xp, x: xp.concatenate([x, x, x, x]), (SMALL,)),
    "x[3]": (lambda xp, x: x[3], (SMALL,)),
    "x[:, 2:5]": (lambda xp, x: x[:, 2:5], (SMALL,)),
    "x[rows]": (lambda xp, x, rows: x[rows], (SMALL, ROWS)),
    "where(mask, x, 0)": (lambda xp, x, mask: xp.where(mask, x, 0), (SMALL, MASK)),
    "x @ x": (lambda xp, x: x @ x, (SMALL,)),
    'einsum("ij,jk->ik"), 8 x 8': (lambda xp, x: xp.einsum("ij,jk->ik", x, x), (SMALL,)),
    'einsum("bij,bjk->bik"), 32 x 32 x 32': (
        lambda xp, x: xp.einsum("bij,bjk->bik", x, x),
        (STACK,),
    ),
    "sort of 64": (lambda xp, x: xp.sort(x), (SMALL.ravel(),)),
    "sort of 10,000": (lambda xp, x: xp.sort(x), (MANY,)),
    "argsort of 10,000": (lambda xp, x: xp.argsort(x), (MANY,)),
}

#: Of a namespace of random functions and a key; both sides draw other numbers.
DRAWS: dict[str, Function] = {
    "split(key)": lambda random, key: random.split(key),
    "normal(key, (8, 8))": lambda random, key: random.normal(key, (8, 8)),
    "uniform(key, (100,000,))": lambda random, key: random.uniform(key, (100_000,)),
    "normal(key, (100,000,))": lambda random, key: random.normal(key, (100_000,)),
    "permutation(key, 10,000)": lambda random, key: random.permutation(key, 10_000),
}


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(m) functions of arrays", INCLUDED)
    alone = []
    for what, (f, arrays) in CASES.items():
        calls = {s.name: (partial(f, s.numpy, *map(s.array, arrays)), s.wait) for s in sides}
        agree([anvl.tree.leaves(call()) for call, _ in calls.values()])
        calls["numpy"] = partial(f, np, *arrays), lambda x: x
        result.rows.append(_row(what, calls, scale, alone))
    for what, draw in DRAWS.items():
        calls = {s.name: (partial(draw, s.random, s.random.key(0)), s.wait) for s in sides}
        if what in NUMPY_DRAWS:
            calls["numpy"] = NUMPY_DRAWS[what], lambda x: x
        result.rows.append(_row(what, calls, scale, alone))
    result.notes.append(f"NumPy, in microseconds: {', '.join(alone)}.")
    return result


_RNG = np.random.default_rng(0)
NUMPY_DRAWS: dict[str, Callable[[], Any]] = {
    "normal(key, (8, 8))": lambda: _RNG.standard_normal((8, 8), np.float32),
    "uniform(key, (100,000,))": lambda: _RNG.random(100_000, np.float32),
    "normal(key, (100,000,))": lambda: _RNG.standard_normal(100_000, np.float32),
    "permutation(key, 10,000)": lambda: _RNG.permutation(10_000),
}


def _chain(xp: SimpleNamespace, y: Any) -> Any:
    for _ in range(10):
        y = xp.sin(y) * y + 1.5
    return y


def _row(what: str, calls: dict[str, Any], scale: str, alone: list[str]) -> Row:
    times = alternations(calls, ROUNDS[scale])
    if "numpy" in times:
        alone.append(f"{what} {statistics.median(times['numpy']) * 1e6:.1f}")
    ours, jax = times["anvl"], times.get("jax")
    ratios = None if jax is None else [a / b for a, b in zip(ours, jax, strict=True)]
    return Row(
        what,
        "us",
        statistics.median(ours) * 1e6,
        None if jax is None else statistics.median(jax) * 1e6,
        AtLeastAsFast(1),
        spread=None if ratios is None else (min(ratios), max(ratios)),
    )
