"""Functions of a matrix made of its values and vectors, where values repeat or are 0: each
derivative is right or NaN, and NaN only where values and vectors are both used."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from tolerances import ITERATION, rounding

import anvl
import anvl.numpy as anp

RANDOM = np.random.default_rng(12)
LIMIT = 100 * rounding(ITERATION)  # of differences
WEIGHTS = RANDOM.standard_normal((4, 4))


def weighed(np: Any, y: Any) -> Any:
    return np.sum(np.real(y) * WEIGHTS[: y.shape[-2], : y.shape[-1]])


def of_eigh(np, x, f):
    w, v = np.linalg.eigh(x)
    return weighed(np, v * f(w) @ np.conj(v).T)


def of_eig(np, x, f):
    w, v = np.linalg.eig(x)
    return weighed(np, v * f(w) @ np.linalg.inv(v))


def of_svd(np, x, f, full_matrices=False):
    u, s, vt = np.linalg.svd(x, full_matrices=full_matrices)
    k = min(x.shape)
    return weighed(np, u[:, :k] * f(s) @ vt[:k])


def projector(np, v):
    return weighed(np, v @ np.conj(v).T)


class Case(NamedTuple):
    """A function of a matrix, with values at which it is smooth; at which of these its derivative
    is known, so that it must not be NaN."""

    f: Callable[[Any, Any], Any]  # of numpy or anvl.numpy, and a matrix
    points: list[list[float]]
    known: list[list[float]]


DOUBLE, TRIPLE, NONE, SINGLE = [1, 1, 4], [2, 2, 2], [0, 0, 0], [1, 2, 4]
EIGH = {
    "v e^w v": Case(lambda np, x: of_eigh(np, x, np.exp), [DOUBLE, TRIPLE, NONE, SINGLE], [SINGLE]),
    "v sin(w) v": Case(
        lambda np, x: of_eigh(np, x, np.sin), [DOUBLE, TRIPLE, NONE, SINGLE], [SINGLE]
    ),
    "values": Case(
        lambda np, x: np.sum(np.exp(np.linalg.eigh(x)[0])),
        [DOUBLE, TRIPLE, NONE, SINGLE], [DOUBLE, TRIPLE, NONE, SINGLE],
    ),
    "the plane": Case(
        lambda np, x: projector(np, np.linalg.eigh(x)[1][:, :2]), [DOUBLE, SINGLE], [DOUBLE, SINGLE]
    ),
    "the plane, chosen by its value": Case(
        lambda np, x: of_eigh(np, x, lambda w: np.where(w < 3, 1.0, 0.0)),
        [DOUBLE, SINGLE], [DOUBLE, SINGLE],
    ),
    "the largest": Case(
        lambda np, x: (lambda w, v: w[2] * projector(np, v[:, 2:]))(*np.linalg.eigh(x)),
        [DOUBLE, SINGLE], [DOUBLE, SINGLE],
    ),
}  # fmt: skip
EIG = {"v e^w / v": Case(lambda np, x: of_eig(np, x, np.exp), [DOUBLE, TRIPLE, SINGLE], [SINGLE])}
PAIR, EQUAL, ZERO, ZEROS = [2, 1], [2, 2], [1, 0], [0, 0]
SVD = {
    "u sin(s) v": Case(lambda np, x: of_svd(np, x, np.sin), [PAIR, EQUAL, ZERO, ZEROS], [PAIR]),
    "u sin(s) v, full": Case(
        lambda np, x: of_svd(np, x, np.sin, True), [PAIR, EQUAL, ZERO, ZEROS], [PAIR]
    ),
    "u v": Case(lambda np, x: of_svd(np, x, lambda s: 1.0), [PAIR, EQUAL], [PAIR, EQUAL]),
    "v s^2 v": Case(
        lambda np, x: (lambda u, s, v: weighed(np, np.conj(v).T * s**2 @ v))(
            *np.linalg.svd(x, full_matrices=False)
        ),
        [PAIR, EQUAL, ZERO, ZEROS], [PAIR],
    ),
    "values": Case(
        lambda np, x: np.sum(np.linalg.svd(x)[1] ** 2),
        [PAIR, EQUAL, ZERO, ZEROS], [PAIR, EQUAL, ZERO, ZEROS],
    ),
}  # fmt: skip


def of_values(values, shape, is_complex, is_exact):
    """A matrix with these singular values; a square one with these eigenvalues.

    Exact: a multiple of the identity is that, as `eig` sees three values if they differ by more
    than n eps.
    """
    if is_exact and len(set(values)) == 1:
        return values[0] * np.eye(len(values))
    draw = [RANDOM.standard_normal((n, n)) + is_complex * 1j * np.eye(n) for n in shape]
    u, v = (np.linalg.qr(x)[0] for x in draw)
    v = v if len(values) == 2 else u
    middle = np.zeros(shape)
    np.fill_diagonal(middle, values)
    return u @ middle @ np.conj(v).T


def orders(f):
    """The first and the second derivative along a direction, each in two modes."""

    def along(x, t):
        def forward(x):
            return anvl.jvp(f, (x,), (t,))[1]

        def reverse(x):
            return anp.sum(anp.real(anvl.grad(f)(x) * t))

        first = [forward(x), reverse(x)]
        second = [anvl.jvp(reverse, (x,), (t,))[1], anp.sum(anp.real(anvl.grad(forward)(x) * t))]
        return first, second

    return along


def differences(f, x, t):
    """The first and the second derivative along t, by central differences of order 4."""
    h = 1e-2
    far, near, at, next_, last = (f(x + k * h * t) for k in (-2, -1, 0, 1, 2))
    first = (8 * (next_ - near) - (last - far)) / (12 * h)
    return first, (16 * (near + next_) - (far + last) - 30 * at) / (12 * h * h)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    ("cases", "shape", "is_complex"),
    [
        (EIGH, (3, 3), False), (EIGH, (3, 3), True), (EIG, (3, 3), False),
        (SVD, (3, 2), False), (SVD, (2, 2), False), (SVD, (2, 3), True), (SVD, (2, 2), True),
    ],
    ids=["eigh", "complex eigh", "eig", "tall", "square", "complex wide", "complex square"],
)  # fmt: skip
def test_no_derivative_of_values_and_vectors_is_wrong(cases, shape, is_complex):
    points = [point for case in cases.values() for point in case.points]
    points = [list(p) for p in dict.fromkeys(map(tuple, points))]
    xs = np.stack([of_values(p, shape, is_complex, cases is EIG) for p in points])
    ts = RANDOM.standard_normal(xs.shape) + is_complex * 1j * RANDOM.standard_normal(xs.shape)
    if cases is EIGH:
        ts = ts + np.conj(ts).swapaxes(-1, -2)
    ts = ts / 4
    fs = [lambda x, f=case.f: f(anp, x) for case in cases.values()]
    found = anvl.jit(anvl.vmap(lambda x, t: [orders(f)(x, t) for f in fs]))(xs, ts)
    for (name, case), of_one in zip(cases.items(), found, strict=True):
        for k, (x, t) in enumerate(zip(xs, ts, strict=True)):
            if points[k] not in case.points:
                continue
            wanted = differences(lambda x, f=case.f: f(np, x), x, t)
            for order, (of_modes, value) in enumerate(zip(of_one, wanted, strict=True)):
                for mode, y in zip(["forward", "reverse"], of_modes, strict=True):
                    at = f"{name}, order {order + 1}, {mode}, {points[k]}: {y[k]} for {value}"
                    if np.isnan(y[k]):
                        assert order or points[k] not in case.known, at
                    else:
                        assert abs(y[k] - value) < LIMIT * (1 + abs(value)), at
