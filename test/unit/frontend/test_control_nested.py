"""Control flow in control flow, in every mode, against Python's own: by name, and at random."""

import numpy as np
import pytest
from control_programs import N, gradient, programs, slope, traced, value
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import ITERATION, rounding

import anvl
import anvl.numpy as anp

SINE, TANH, MUL, TURN, SUM = (("op", which) for which in (0, 1, 2, 3, 4))
INNER_WHILE, INNER_UNTIL = ("while", 3, 2, [SINE]), ("until", 4, 1.5, [MUL, TANH])
INNER_SCAN, INNER_COND = ("scan", 2, True, None, [TANH]), ("cond", 0.2, [SINE], [TURN, MUL])
NESTED = {
    "while in scan": [("scan", 3, False, None, [INNER_WHILE, TURN])],
    "until in scan": [("scan", 3, True, None, [INNER_UNTIL])],
    "scan in while": [("while", 3, 4, [INNER_SCAN, MUL])],
    "while in while": [("while", 3, 2, [SUM, INNER_WHILE])],
    "until in while": [("while", 2, 32, [TURN, INNER_UNTIL])],
    "scan in cond": [("cond", 0.0, [INNER_SCAN], [INNER_WHILE, TANH])],
    "until in cond": [("cond", 0.0, [INNER_UNTIL], [TURN])],
    "cond in scan": [("scan", 3, False, 2, [INNER_COND])],
    "cond in while": [("while", 3, 2, [INNER_COND])],
    "cond in while in scan": [("scan", 2, False, None, [("while", 2, 2, [INNER_COND])])],
    "cond in scan in until": [("until", 3, 2.5, [("scan", 2, True, None, [INNER_COND])])],
    "no steps in no steps": [
        ("while", 0, 2, [INNER_SCAN]),
        ("scan", 0, False, None, [INNER_WHILE]),
    ],
}


def close(found, expected, rtol=rounding(ITERATION), atol=rounding(ITERATION)):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rtol, atol=atol)


def numbers(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, (*shape, N))


def check_first(steps, seed):
    f = traced(steps)
    x, p, tx, tp = numbers(seed, 4)

    def asked(x, p, tx, tp):
        return anvl.value_and_grad(f, wrt=(0, 1))(x, p), anvl.jvp(f, (x, p), (tx, tp))[1]

    (y, gradients), along = anvl.jit(asked)(x, p, tx, tp)
    expected, _ = value(steps, x, p)
    close(y, expected)
    for found, by_hand in zip(gradients, gradient(steps, x, p), strict=True):
        close(found, by_hand)
    close(along, slope(steps, (x, p), (tx, tp)))


def check_batch(steps, seed):
    """Members take their own sides and numbers of steps."""
    f = traced(steps)
    many, p = numbers(seed, 4), numbers(seed + 1)
    found = anvl.jit(anvl.vmap(anvl.value_and_grad(f, wrt=(0, 1)), in_axes=(0, None)))(many, p)
    close(found[0], [value(steps, x, p)[0] for x in many])
    rows = [gradient(steps, x, p) for x in many]
    for i in range(2):
        close(found[1][i], [row[i] for row in rows])
    whole = anvl.jit(anvl.grad(lambda p: anp.sum(anvl.vmap(f, in_axes=(0, None))(many, p))))(p)
    close(whole, sum(row[1] for row in rows))


def check_second(steps, seed, order):
    """Along a direction: forward over reverse, reverse over reverse, or reverse over forward."""
    f = traced(steps)
    x, p, tx, tp = numbers(seed, 4)

    def total(x, p):
        gx, gp = anvl.grad(f, wrt=(0, 1))(x, p)
        return anp.sum(gx * tx) + anp.sum(gp * tp)

    asked = [
        lambda x, p: anvl.jvp(anvl.grad(f, wrt=(0, 1)), (x, p), (tx, tp))[1],
        anvl.grad(total, wrt=(0, 1)),
        anvl.grad(lambda x, p: anvl.jvp(f, (x, p), (tx, tp))[1], wrt=(0, 1)),
    ]
    _, decisions = value(steps, x, p)
    e = 1e-5
    sides = [gradient(steps, x + s * e * tx, p + s * e * tp, decisions) for s in (1, -1)]
    expected = [(a - b) / (2 * e) for a, b in zip(*sides, strict=True)]
    for one, by_hand in zip(anvl.jit(asked[order])(x, p), expected, strict=True):
        close(one, by_hand, rtol=1e-6, atol=1e-7)


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", NESTED)
def test_first_derivatives(name):
    check_first(NESTED[name], 3)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize(
    "name", ["until in scan", "until in while", "until in cond", "cond in scan", "cond in while"]
)
def test_batches(name):
    check_batch(NESTED[name], 3)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    ("name", "order"), [("while in scan", 0), ("scan in while", 1), ("while in while", 2)]
)
def test_second_derivatives(name, order):
    check_second(NESTED[name], 3, order)


@pytest.mark.sweep(keep=0, part=0)
@settings(max_examples=3, deadline=None)
@given(programs(depth=3), st.integers(0, 2**32 - 1))
def test_first_derivatives_of_random_programs(steps, seed):
    check_first(steps, seed)


@pytest.mark.sweep(keep=0, part=0)
@settings(max_examples=2, deadline=None)
@given(programs(), st.integers(0, 2**32 - 1))
def test_batches_of_random_programs(steps, seed):
    check_batch(steps, seed)


@pytest.mark.sweep(keep=0)
@settings(max_examples=2, deadline=None)
@given(programs(), st.integers(0, 2**32 - 1), st.integers(0, 2))
def test_second_derivatives_of_random_programs(steps, seed, order):
    check_second(steps, seed, order)
