"""Counts and places are of a dtype that holds them all: i64 beyond what the default holds."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim

FUNCTIONS = {
    "argmax": anp.argmax,
    "argmin": anp.argmin,
    "argmax along": lambda x: anp.argmax(x[None], axis=1),
    "count_nonzero": anp.count_nonzero,
    "sum of bools": lambda x: anp.sum(x != 0),
    "cumsum of bools": lambda x: anp.cumsum(x != 0)[-1],
    "argsort": lambda x: anp.argsort(x)[-1],
    "lexsort": lambda x: anp.lexsort((x, x))[-1],
    "searchsorted": lambda x: anp.searchsorted(x, np.int64(400)),
}


def all_at_once(x):
    return {name: f(x) for name, f in FUNCTIONS.items()} | {"median": anp.median(x)}


def test_nothing_wraps_where_the_default_is_narrow():
    """As beyond 2^31 elements with i32, with 300 elements and i8."""
    x = np.arange(1, 301)
    with anvl.defaults(int="i8"):
        found = anvl.jit(all_at_once)(x)
    expected = {name: 299 for name in FUNCTIONS} | {"argmin": 0, "median": 150.5}
    expected |= dict.fromkeys(["count_nonzero", "sum of bools", "cumsum of bools"], 300)
    expected["searchsorted"] = 300
    assert {name: y.ravel().tolist()[0] for name, y in found.items()} == expected


@pytest.mark.parametrize(("size", "dtype"), [(2**31, "int32"), (2**31 + 1, "int64")])
def test_the_dtype_follows_the_length(size, dtype):
    x = anvl.aval("i8", (size,))
    for f in (anp.argmax, anp.argmin, anp.argsort, lambda x: anp.lexsort((x,))):
        assert anvl.eval_shape(f, x).dtype == dtype
    assert anvl.eval_shape(lambda x: anp.argmax(x, 1), anvl.aval("i8", (size, 2))).dtype == "int32"
    x = anvl.aval("i8", (size - 1,))
    for f in (anp.count_nonzero, lambda x: anp.sum(x > 0), lambda x: anp.searchsorted(x, 1)):
        assert anvl.eval_shape(f, x).dtype == dtype


def test_the_primitives_refuse_a_dtype_that_does_not_hold_every_place():
    with pytest.raises(
        TypeError, match=r"argmin: axis 1 .* up to 299, but the .* i8 holds at most 127; us"
    ):
        prim.argmin(np.ones((2, 300)), axis=1, dtype="i8")
    with pytest.raises(TypeError, match=r"top_k: the last axis .* positions are i32; take"):
        anvl.eval_shape(lambda x: anp.top_k(x, 2), anvl.aval("i8", (2**31 + 1,)))
