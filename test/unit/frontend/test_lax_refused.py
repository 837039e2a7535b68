"""Calls of `anvl.lax` that JAX refuses, and that have no result here either; modes of segments."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import lax, ops

X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lax.slice(X, (0, 0), (4, 4)), "slice: start 0 and limit 4 of an axis of size 3"),
        (lambda: lax.slice(X, (2, 0), (1, 4)), "slice: start 2 and limit 1 of an axis of size 3"),
        (lambda: lax.slice(X, (-1, 0), (3, 4)), "slice: start -1 and limit 3 of an axis of size 3"),
        (lambda: lax.slice(X, (0,), (3,)), r"slice: takes a start, .* of f64\[3,4\], got \(0,\)"),
        (lambda: lax.slice(X, (0, 0), (3, 4), (1, 0)), "slice: stride is 0; it must be at least 1"),
        (lambda: lax.slice_in_dim(X, 0, 5, axis=1), "slice_in_dim: start 0 and limit 5 of an axis"),
        (lambda: lax.slice_in_dim(X, 2, 1), "slice_in_dim: start 2 and limit 1"),
        (lambda: lax.slice_in_dim(X, -9, 1), "slice_in_dim: start -6 and limit 1"),
        (lambda: lax.slice_in_dim(X, 0, 2, -1), "slice_in_dim: stride is -1"),
        (lambda: lax.argmax(X, 0, np.float32), "argmax: index_dtype is .*float32.*; give integers"),
        (lambda: lax.argmin(X, 0, bool), "argmin: index_dtype is .*bool.*; give integers"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_the_least_slices():
    assert lax.slice(X, (3, 1), (3, 4)).shape == (0, 3)
    assert lax.slice_in_dim(X, -2, None, 2, 1).tolist() == X[:, -2::2].tolist()
    assert lax.slice_in_dim(X, 3, 3).shape == (0, 4)


IDS = np.asarray([0, -1, 2, 7, 1], "i4")


@pytest.mark.parametrize("name", ["segment_sum", "segment_prod", "segment_max", "segment_min"])
def test_rows_of_ids_outside_count_for_the_ends(name):
    x = np.asarray([2.0, 3.0, 5.0, 7.0, 11.0])
    f = getattr(ops, name)
    found = f(x, IDS, 4, mode="clip")
    assert found.tolist() == f(x, np.clip(IDS, 0, 3), 4).tolist()
    assert f(x, IDS, 4, mode="fill").tolist() == f(x, IDS, 4).tolist()


def test_the_gradient_of_rows_of_ids_outside():
    sums = lambda x: anp.sum(ops.segment_sum(x, IDS, 4, mode="clip")[::3])  # noqa: E731
    assert anvl.grad(sums)(np.ones(5)).tolist() == [1, 1, 0, 1, 0]


def test_a_mode_of_segments_that_is_none():
    with pytest.raises(ValueError, match="segment_sum: mode is 'wrap'; it must be one of None, 'd"):
        ops.segment_sum(X, IDS[:3], 4, mode="wrap")
