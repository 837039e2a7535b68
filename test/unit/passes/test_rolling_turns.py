"""Repetitions that read a few values in turn: as many of them are a step of a loop."""

import numpy
import pytest

import anvl
import anvl.numpy as np

RANDOM = numpy.random.default_rng(1)
X = RANDOM.normal(size=4).astype("f")
W = RANDOM.normal(size=(4, 4)).astype("f")


@pytest.mark.parametrize(
    ("count", "turn", "told"),
    [
        (66, 4, "16 repetitions of 20 ops"),
        (63, 4, "stay"),  # 15 steps of a loop
        (64, 3, "21 repetitions of 15 ops"),
        (340, 17, "stay"),
    ],
)
def test_layers_whose_weights_come_in_turn_are_one_step_of_a_loop(count, turn, told):
    def layers(x, *weights):
        for i in range(count):
            x = x + 0.1 * np.tanh(weights[i % turn] @ x + 1)
        return x

    report = anvl.jit(layers).lower(X, *[W] * turn).report().splitlines()[0]
    assert told in report, report


def test_a_turn_may_have_a_value_twice():
    def layers(x, *weights):
        for i in range(64):
            x = x + 0.1 * np.tanh(weights[(0, 1, 1, 0)[i % 4]] @ x + 1)
        return x

    assert "16 repetitions of 20 ops" in anvl.jit(layers).lower(X, W, W).report()


def test_numbers_in_turn_are_rows_of_a_literal():
    """A loop of longer steps would take longer to compile."""

    def steps(x):
        for i in range(64):
            x = x + (0.1, 0.2, 0.4)[i % 3] * np.sin(x)
        return x

    assert "64 repetitions of 3 ops" in anvl.jit(steps).lower(X).report()


def test_what_puts_arrays_together_is_no_repetition():
    """With `roll=True` it became a batch of as many parts, again and again: without an end."""

    def f(v):
        a, b, c, kept, w = v, v * 2, np.sin(v), [v], [v, X, np.cos(v)]
        for i in range(12):
            for _ in range(3):
                t = np.maximum(0.1 * (i % 2), w[i % 3])
                t = t + np.cos(a) * 0.7 + np.where(w[i % 3] > c, a, b) + (t - v)
                a = w[i % 2] + X
                kept.append(t + a)
        return sum(np.sum(k * n) for n, k in enumerate(kept))

    report = anvl.jit(f, roll=True).lower(X).report()
    assert "became" in report and "not become shorter" in report, report
