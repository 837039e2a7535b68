"""`vmap`: equal to the loop, for axes of all kinds; structure, nesting, errors."""

import re

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

X = np.sin(np.arange(24.0)).reshape(2, 3, 4)
Y = np.cos(np.arange(12.0)).reshape(3, 4)


def close(found, expected, rtol=rounding(ITERATION)):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=rounding(PROGRAM))


def f(x, y):
    return anp.tanh(x) * anp.sum(y, axis=0) + y


def loop(f, arrays, in_axes, out_axis):
    """What vmap is: f of each member, stacked."""
    size = next(a.shape[i] for a, i in zip(arrays, in_axes, strict=True) if i is not None)
    members = [
        f(*[a if i is None else np.take(a, k, i) for a, i in zip(arrays, in_axes, strict=True)])
        for k in range(size)
    ]
    return np.stack(list(map(np.asarray, members)), out_axis)


@pytest.mark.sweep(keep=14)
@pytest.mark.parametrize("out_axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize(
    "in_axes", [(0, None), (None, 0), (1, 1), (1, -2), (-1, 0), (0, 2), (-3, -1)]
)
def test_every_pair_of_axes_is_the_loop(in_axes, out_axis):
    def member(i, shape):
        rest = list(shape)
        if i is not None:
            rest.insert(i if i >= 0 else len(shape) + 1 + i, 5)
        return np.sin(np.arange(float(np.prod(rest)))).reshape(rest)

    x, y = member(in_axes[0], (3, 4)), member(in_axes[1], (3, 4))
    expected = loop(f, (x, y), in_axes, out_axis)
    batched = anvl.vmap(f, in_axes=in_axes, out_axes=out_axis)
    close(batched(x, y), expected)
    close(anvl.jit(batched)(x, y), expected)


def test_one_axis_for_all_and_lists_for_tuples():
    close(anvl.vmap(f, 1)(X, X), loop(f, (X, X), (1, 1), 0))
    close(anvl.vmap(f, [0, None])(X, Y), loop(f, (X, Y), (0, None), 0))


def test_axes_follow_the_structure_of_arguments_and_results():
    def g(params, x, scale=1.0):
        return {"y": x @ params["w"] * scale, "parts": (params["b"], x)}

    params = {"w": np.ones((4, 2)), "b": np.arange(6.0).reshape(2, 3)}
    batched = anvl.vmap(
        g, in_axes=({"w": None, "b": 1}, 0), out_axes={"y": 1, "parts": (0, None)}, axis_size=3
    )
    with pytest.raises(ValueError, match=re.escape("out_axes is None for result['parts'][1] of g")):
        batched(params, Y)
    batched = anvl.vmap(g, in_axes=({"w": None, "b": 1}, 0), out_axes={"y": 1, "parts": 0})
    found = batched(params, Y)
    close(found["y"], (Y @ params["w"]).T)
    close(found["parts"][0], params["b"].T)
    close(found["parts"][1], Y)
    # Keyword arguments are taken along axis 0.
    found = batched(params, Y, scale=np.asarray([1.0, 2.0, 3.0]))
    close(found["y"], (Y @ params["w"]).T * [1.0, 2.0, 3.0])


def test_a_cut_off_entry_holds_for_all_below():
    batched = anvl.vmap(lambda p, x: p["a"] * p["b"][0] + x, in_axes=(0, None))
    a, b = np.arange(3.0), np.arange(3.0) + 1
    close(batched({"a": a, "b": (b,)}, 2.0), a * b + 2.0)


def test_results_that_do_not_depend_are_repeated_or_shared():
    def g(x, y):
        return x + 1, y * 2

    first, second = anvl.vmap(g, in_axes=(0, None))(np.arange(2.0), Y)
    close(second, np.stack([Y * 2, Y * 2]))
    first, second = anvl.vmap(g, in_axes=(0, None), out_axes=(0, None))(np.arange(2.0), Y)
    close(first, [1.0, 2.0])
    close(second, Y * 2)
    text = anvl.jit(anvl.vmap(g, in_axes=(0, None), out_axes=(0, None))).lower(np.ones(2), Y).mlir()
    assert "2x3x4" not in text


def test_values_of_one_type_that_all_members_share_are_told_apart():
    def f(x, a, b, c):
        values, places = anvl.lax.top_k(x * a + b, 2)
        return values, places, (x - b) * c / a + c

    a, b, c = np.random.default_rng(3).uniform(1, 2, (3, 4))
    xs = np.random.default_rng(4).normal(size=(3, 4))
    found = anvl.vmap(f, (0, None, None, None))(xs, a, b, c)
    for i, x in enumerate(xs):
        y = x * a + b
        places = np.argsort(-y)[:2]
        wanted = y[places], places, (x - b) * c / a + c
        for one, other in zip(found, wanted, strict=True):
            close(one[i], other)


def test_the_size_where_no_argument_says_it():
    close(anvl.vmap(lambda: anp.arange(3.0), axis_size=2)(), np.stack([np.arange(3.0)] * 2))
    close(anvl.vmap(lambda x: x, in_axes=None, axis_size=2)(Y), np.stack([Y, Y]))


def test_batches_of_none_and_of_one():
    assert anvl.vmap(f)(np.zeros((0, 3, 4)), np.zeros((0, 3, 4))).shape == (0, 3, 4)
    close(anvl.vmap(f, (0, None))(X[:1], Y), np.asarray(f(X[0], Y))[None])


def test_plain_values_reach_the_function_and_integers_are_batched():
    def g(x, i, mode):
        assert mode == "row"
        return x[i]

    found = anvl.vmap(g, in_axes=(None, 0, None))(Y, np.asarray([2, 0]), "row")
    close(found, Y[[2, 0]])


def test_weak_numbers_stay_weak():
    found = anvl.vmap(lambda x, s: x * s, in_axes=(0, None))(np.ones(2, "f4"), 0.5)
    assert found.dtype == np.float32


def test_it_is_a_decorator():
    @anvl.vmap
    def doubled(x):
        """Twice."""
        return x * 2

    close(doubled(np.arange(3.0)), [0.0, 2.0, 4.0])
    assert doubled.__name__ == "doubled"

    @anvl.vmap(in_axes=1)
    def first(x):
        return x[0]

    close(first(Y), Y[0])


# Nesting


def test_batches_of_batches():
    outer = anvl.vmap(anvl.vmap(lambda a, b: a * b, (None, 0)), (0, None))
    a, b = np.arange(3.0), np.arange(4.0)
    close(outer(a, b), np.outer(a, b))
    close(anvl.jit(outer)(a, b), np.outer(a, b))


def test_closed_over_values_of_any_level():
    def rows(x):
        return anvl.vmap(lambda row: anvl.vmap(lambda entry: entry * anp.sum(row) + x[0, 0])(row))(
            x
        )

    close(anvl.jit(rows)(Y), Y * Y.sum(axis=1, keepdims=True) + Y[0, 0])
    close(rows(Y), Y * Y.sum(axis=1, keepdims=True) + Y[0, 0])


def test_a_batch_closes_over_a_batch():
    table = np.arange(3.0)
    found = anvl.vmap(lambda i: anvl.vmap(lambda j: i * j + table[0])(table))(table)
    close(found, np.outer(table, table))


def test_batches_of_jitted_functions_and_jitted_batches():
    inner = anvl.jit(f)
    expected = loop(f, (X, Y), (0, None), 0)
    close(anvl.vmap(inner, (0, None))(X, Y), expected)
    close(anvl.jit(anvl.vmap(inner, (0, None)))(X, Y), expected)


def test_a_shared_result_behind_a_call_is_shared():
    inner = anvl.jit(lambda x, y: (x * 1.0, y * 2))
    first, second = anvl.vmap(inner, (0, None), (0, None))(np.arange(2.0), Y)
    close(first, [0.0, 1.0])
    close(second, Y * 2)
    with pytest.raises(ValueError, match=r"out_axes is None for result\[1\] of <lambda>"):
        anvl.vmap(lambda x: inner(x, x), out_axes=(0, None))(np.arange(2.0))
    with pytest.raises(anvl.PassError, match=r"anvl-vectorize: @.*_vmap: result 0 depends on a"):
        anvl.vmap(anvl.grad(lambda x: x * x), out_axes=None)(np.arange(2.0))


def test_bodies_may_ask_for_batches():
    def both(a, b):
        return a + anvl.jvp(lambda x: x * b, (a,), (1.0,))[1]

    found = anvl.windows.reduce_window(np.asarray([1.0, 2.0, 4.0]), both, 0.0, 2)
    close(found, [3.0, 6.0])


def test_each_stage_has_its_name_and_lines():
    lowered = anvl.jit(anvl.vmap(f, (0, None))).lower(X, Y)
    assert "anvl.vmap = {" in lowered.mlir("forward")
    assert "anvl.vmap" not in lowered.mlir("vectorize")
    assert "test_vmap.py" in lowered.mlir("vectorize", debug_info=True)
    graph = str(anvl.trace(anvl.vmap(f, (0, None)), X, Y))
    assert "vmap [callee = @f, batched = 0, size = 2] (%x1, %x2)" in graph


# Errors


@pytest.mark.parametrize(
    ("options", "args", "kind", "message"),
    [
        ({}, (X, Y), ValueError, "x f64[2,3,4] has 2 along axis 0, y f64[3,4] has 3"),
        ({"axis_size": 4}, (Y, Y), ValueError, "y f64[3,4] has 3 along axis 0, axis_size is 4"),
        ({"in_axes": (0, 3)}, (Y, Y), ValueError, "is f64[3,4], which has axes -2 to 1, but"),
        ({"in_axes": (-3, 0)}, (Y, Y), ValueError, "but in_axes says -3"),
        ({}, (Y, 1.0), ValueError, "y of f is f32?[], which has no axes"),
        ({"in_axes": (0,)}, (Y, Y), ValueError, "(0,) has 1 entries, but f was called with 2"),
        ({"in_axes": (0, {"a": 0})}, (Y, Y), ValueError, "at in_axes[1]: dict with keys ['a'] for"),
        ({"in_axes": (0, "a")}, (Y, Y), TypeError, "vmap: in_axes[1] is 'a'; an axis is an"),
        ({"in_axes": (0, True)}, (Y, Y), TypeError, "vmap: in_axes[1] is True"),
        ({"in_axes": None}, (Y, Y), ValueError, "no argument of f has an axis for the members"),
        ({"out_axes": 3}, (Y, Y), ValueError, "has axes -2 to 1, but out_axes says 3"),
        ({"out_axes": (0, 0)}, (Y, Y), ValueError, "at out_axes: tuple of 2 for a leaf"),
        ({"out_axes": None}, (Y, Y), ValueError, "out_axes is None for result of f, which differs"),
        ({"out_axes": "x"}, (Y, Y), TypeError, "vmap: out_axes is 'x'"),
    ],
)  # fmt: skip
def test_wrong_axes_are_refused(options, args, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        anvl.vmap(f, **options)(*args)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: anvl.vmap(3), "vmap: takes a function, got 3 of type int"),
        (lambda: anvl.vmap(f, "x"), "vmap: in_axes is 'x'; give an integer, None, or a tuple"),
        (lambda: anvl.vmap(f, axis_size=-1), "vmap: axis_size is -1; it must be an integer of at"),
        (lambda: anvl.vmap(f, axis_size=True), "vmap: axis_size is True"),
    ],
)
def test_what_cannot_be_a_batch_is_refused_at_once(make, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        make()


def test_batches_of_no_members() -> None:
    """No rule is asked: those that divide by the size would end in Python's words."""
    normed = anvl.vmap(
        lambda x, s: anvl.prim.batch_norm_training(x, s, s, epsilon=1e-3, feature_index=2)
    )(np.zeros((0, 2, 5, 2), "f4"), np.zeros((0, 2), "f4"))
    assert [y.shape for y in normed] == [(0, 2, 5, 2), (0, 2), (0, 2)]
    x, w = np.zeros((0, 2, 3, 8)), np.zeros((0, 4, 3, 2))
    for in_axes in ((0, 0), (0, None), (None, 0)):
        xs = [v if a == 0 else np.zeros(v.shape[1:]) for v, a in zip((x, w), in_axes, strict=True)]
        y = anvl.vmap(anp.convolve, in_axes=in_axes)(xs[0][..., 0, 0, :], xs[1][..., 0, 0, :])
        assert y.shape == (0, 9)


def test_a_list_of_numbers_is_a_tree_and_no_array():
    says = r"y\[0\] of add is f32\?\[\], .*; of a list of numbers anvl.numpy.asarray makes"
    with pytest.raises(ValueError, match=says):
        anvl.vmap(add)(np.ones(2), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"or None for an unbatched argument$"):
        anvl.vmap(add)(np.ones(2), 1.0)


def add(x, y):
    return x + y
