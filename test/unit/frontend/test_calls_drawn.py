"""Drawn calls of one function: its results are the plain function's, and it has a program a key."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anvl
import anvl.numpy as anp

ARRAYS = (
    np.float32(2), np.float64(3), np.int32(4), np.ones(2, np.float32), np.arange(3, dtype=np.int32),
)  # fmt: skip
LEAVES = st.sampled_from((1, 2, 1.5, 2.5, *ARRAYS))
TREES = st.sampled_from(("leaf", "list", "dict", "nested", "none")).flatmap(
    lambda kind: st.tuples(st.just(kind), LEAVES, LEAVES)
)
STATIC = {"k": (1, 2, 1.0, True), "mode": ("sum", "twice", ("sum",))}
FIELDS = {
    "params": TREES,
    "x": LEAVES,
    "y": st.sampled_from((2.0, 3.0, 2, np.float32(2))),
    "k": st.sampled_from(STATIC["k"]),
    "mode": st.sampled_from(STATIC["mode"]),
    "scale": st.sampled_from((None, 2.0, np.float32(0.5))),
}
BASES = st.fixed_dictionaries({"params": TREES, "x": LEAVES})
CHANGES = st.sampled_from(tuple(FIELDS)).flatmap(
    lambda name: st.fixed_dictionaries({name: FIELDS[name]})
)
DEFAULTS = {"y": 2.0, "k": 1, "mode": "sum", "scale": None}


def f(params, x, y=2.0, k=1, *, mode="sum", scale=None):
    leaves = anvl.tree.leaves(params)
    total = sum(leaf.sum() if getattr(leaf, "shape", ()) else leaf for leaf in leaves)
    whole = (x + total * (2 if mode == "twice" else 1)) * y * k
    return {"whole": whole if scale is None else whole * scale, "leaves": leaves}


def tree_of(drawn):
    kind, a, b = drawn
    trees = {"leaf": a, "list": [a, b], "dict": {"w": a, "b": b}, "nested": ({"w": [a]}, b)}
    return trees.get(kind, [a, None])


def kind_of(value):
    """The type of an argument as part of a key: Python numbers have weak types."""
    if isinstance(value, int | float):
        return type(value)
    return value.dtype, value.shape


def key_of(call):
    """The key of a call, by the rules of the documentation."""
    given = {**DEFAULTS, **call}
    leaves, structure = anvl.tree.flatten(tree_of(given["params"]))
    key = [str(structure), tuple(map(kind_of, leaves)), kind_of(given["x"])]
    for name in ("y", "scale"):  # a default that is a number is a part of the function
        value, default = given[name], DEFAULTS[name]
        is_default = type(value) is type(default) and value == default
        key.append("default" if is_default else kind_of(value))
    return (*key, *((type(given[name]), given[name]) for name in STATIC))


def called(function, call, positional, wrap=lambda x: x):
    """Call with the first of the arguments by position."""
    given = dict(call, params=tree_of(call["params"]), x=wrap(call["x"]))
    args = []
    for name in ("params", "x", "y", "k")[:positional]:
        if name not in given:
            break
        args.append(given.pop(name))
    return function(*args, **given)


def assert_same(found, expected):
    for y, value in zip(map(np.asarray, found), map(np.asarray, expected), strict=True):
        np.testing.assert_allclose(y, value, rtol=1e-5)


@pytest.mark.filterwarnings("ignore::anvl.DonationWarning")
@pytest.mark.parametrize("donated", [False, True])
@settings(max_examples=12, deadline=None)
@given(
    base=BASES, spellings=st.lists(st.tuples(CHANGES, st.booleans(), st.integers(0, 4)), max_size=8)
)
def test_any_mix_of_arguments(donated, base, spellings):
    """Calls that differ from one in an argument, with defaults spelled out or left out."""
    jitted = anvl.jit(f, static=("k", "mode"), donate="x" if donated else None)
    calls = [({**(DEFAULTS if spelled else {}), **base, **change}, positional)
             for change, spelled, positional in spellings]  # fmt: skip
    keys, taken = set(), []

    def wrapped(x):
        taken.append(anp.asarray(x).copy() if donated else x)
        return taken[-1]

    for call, positional in calls:
        if donated:  # numbers become arrays, whose types are not weak
            call["x"] = np.asarray(anp.asarray(call["x"]))
        found = called(jitted, call, positional, wrapped)
        expected = called(f, call, positional)
        keys.add(key_of(call))
        assert_same(*map(anvl.tree.leaves, (found, expected)))
        assert anvl.tree.structure(found) == anvl.tree.structure(expected)
        assert not donated or taken[-1].is_deleted()
        assert jitted.cache_info().compiled == jitted.cache_size() == len(keys)
    with anvl.expect_compiles(0):
        for _ in range(3):  # by their structures, then by code that is generated for these
            for call, positional in calls:
                found, expected = called(jitted, call, 4 - positional, wrapped), called(f, call, 0)
                assert_same(*map(anvl.tree.leaves, (found, expected)))
                assert not donated or taken[-1].is_deleted()


def test_records_of_threads_are_all_kept():
    jitted = anvl.jit(lambda x: x + 1)

    def work(n):
        for i in range(2):
            jitted(np.ones(2 * n + i + 1))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    info = jitted.cache_info()
    assert info.compiled == len(info.misses) == jitted.cache_size() == 16
    shapes = {miss.differences[0].now for miss in info.misses if miss.differences}
    assert len(shapes) >= 16 - 8  # up to eight calls may be the first
