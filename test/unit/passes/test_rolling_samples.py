"""Samples of what repeats: long programs that stay are not read as a whole."""

import pytest

import anvl
import anvl.numpy as np
from anvl.passes.rolling import items

N = 4


@pytest.fixture
def read(monkeypatch):
    """How many ops the passes read, to link what repeats."""
    counts = []
    init = items.Block.__init__

    def counting(self, ops, is_movable):
        counts.append(len(ops))
        init(self, ops, is_movable)

    monkeypatch.setattr(items.Block, "__init__", counting)
    return counts


def _layers(count, weight):
    def layers(x, *weights):
        for i in range(count):
            x = np.tanh(x @ weights[weight(i)])
        return np.sum(x)

    return layers


def _lower(f, n_weights):
    w = anvl.aval("f32", (N, N))
    return anvl.jit(f).lower(w, *[w] * n_weights)


@pytest.mark.parametrize(("count", "most"), [(200, 80), (160, 80)])
def test_of_layers_with_a_weight_each_a_few_are_read(read, count, most):
    _lower(_layers(count, lambda i: i), count)
    assert 0 < sum(read) <= most, read


@pytest.mark.parametrize("turn", [1, 2, 3, 7, 16])
def test_layers_that_become_a_loop_are_read_as_a_whole(read, turn):
    lowered = _lower(_layers(256, lambda i: i % turn), turn)
    assert max(read) > 400 and "while" in lowered.mlir(), read


def test_values_that_are_read_later_count(read):
    """A leaf of a tree is a row of a batch: nothing in a sample reads it, so others do."""

    def tree(x):
        level = [np.sin(x * 0.1 * i) for i in range(300)]
        while len(level) > 1:
            level = [a + b for a, b in zip(level[::2], level[1::2], strict=False)]
        return level[0]

    anvl.jit(tree).lower(anvl.aval("f32", (N,)))
    assert 0 < sum(read) < 200, read


def test_windows_of_one_array_are_no_parts(read):
    """A slice is made outside of a sample; a loop reads the array as it is."""

    def steps(x, y):
        for window in [y[i : i + N] for i in range(200)]:
            x = np.sin(x * window)
        return np.sum(x)

    lowered = anvl.jit(steps).lower(anvl.aval("f32", (N,)), anvl.aval("f32", (200 + N,)))
    assert "while" in lowered.mlir()


def test_a_repetition_that_stands_beside_one_that_stays_is_found():
    def f(x, *weights):
        for w in weights:
            x = np.tanh(w @ x) + 1
        for _ in range(60):
            x = np.sin(x) * np.exp(-x)
        return np.sum(x)

    assert "while" in _lower(f, 40).mlir()


def test_a_short_program_is_read_at_once(read):
    _lower(_layers(40, lambda i: i), 40)
    assert read == [82], read


def test_what_is_not_known_from_a_sample_is_read():
    """The first third has another type in each step."""

    def f(x):
        for i in range(45):
            y = np.exp(np.sin(x[: max(60 - i, 45)]))
            x = np.cos(np.sin(y) * np.tanh(y))
        return np.sum(x)

    assert "while" in anvl.jit(f).lower(anvl.aval("f32", (60,))).mlir()
