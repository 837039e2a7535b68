"""Tuples and other trees through every transformation: the cases of Relax's document (TVM, 2023).

Trees as parameters and results; used in part, under another name, returned twice or unchanged,
not used at all.
"""

from typing import NamedTuple

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import tree
from anvl.testing import check_grads

X, Y, Z = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([[5.0, 6.0], [7.0, 8.0]])


def same(found, expected):
    """The same tree with the same numbers."""
    assert tree.structure(found) == tree.structure(expected)
    for x, y in zip(tree.leaves(found), tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=rounding(PROGRAM))


class Pair(NamedTuple):
    first: object
    second: object


def last_example(x):
    lv1 = x
    lv2 = anp.add(lv1, x)
    lv3 = anp.add(lv2, lv1)
    return anp.sum(lv3)


def test_the_last_example_gives_3_everywhere():
    three = np.full((3, 3), 3.0)
    x = np.arange(9.0).reshape(3, 3)
    same(anvl.grad(last_example)(x), three)
    same(anvl.jit(anvl.grad(anvl.jit(last_example)))(x), three)
    same(anvl.jacfwd(last_example)(x), three)
    same(anvl.jacrev(last_example)(x), three)
    same(anvl.vjp(last_example, x)[1](1.0), (three,))
    assert anvl.jvp(last_example, (x,), (np.ones((3, 3)),))[1].item() == 27
    same(anvl.vmap(anvl.grad(last_example))(np.stack([x, -x])), np.stack([three, three]))
    same(anvl.hessian(last_example)(x), np.zeros((3, 3, 3, 3)))


def swapped(a):
    """A tuple of a tuple: its parts in other places, one of them twice, one not at all."""
    (x, y), rest = a
    b = (y, (x, rest[0]))
    c = b
    return anp.sum(c[0] * c[1][0]) + anp.sum(c[1][0] * x)


@pytest.mark.parametrize("box", [tuple, list, lambda parts: Pair(*parts)])
def test_a_tree_of_parameters_has_a_derivative_of_its_structure(box):
    params = box([box([X, Y]), {0: Z}])
    expected = box([box([Y + 2 * X, X]), {0: np.zeros((2, 2))}])
    same(anvl.grad(swapped)(params), expected)
    same(anvl.jit(anvl.grad(swapped))(params), expected)
    value, slope = anvl.jvp(swapped, (params,), (tree.map(np.ones_like, params),))
    assert (value.item(), slope.item()) == (11 + 5, 7 + 6 + 3)
    check_grads(swapped, (params,))


def returned(x, rest, unused):
    """A tree of results: an argument as it is, a value twice, one that does not depend on x."""
    y = anp.sin(x)
    return {"same": rest, "twice": (y, [y]), "apart": rest["z"] * 2.0, "n": 3}


def test_cotangents_of_what_is_returned_twice_or_unchanged_add_up():
    rest = {"z": Z, "n": np.int32(4)}
    result, pullback = anvl.vjp(returned, X, rest, Y)
    same(result, {"same": rest, "twice": (np.sin(X), [np.sin(X)]), "apart": 2 * Z, "n": 3})
    g = {
        "same": {"z": 10 * Z, "n": None},
        "twice": (X, [Y]),
        "apart": Z,
        "n": None,
    }
    same(
        pullback(g),
        ((X + Y) * np.cos(X), {"z": 12 * Z, "n": None}, np.zeros(2)),
    )
    none = {"same": {"z": None, "n": None}, "twice": (X, [None]), "apart": None, "n": None}
    same(pullback(none), (X * np.cos(X), {"z": 0 * Z, "n": None}, np.zeros(2)))


def test_tangents_of_what_is_returned_twice_or_unchanged():
    rest, moves = {"z": Z, "n": np.int32(4)}, {"z": Z, "n": None}
    _, tangent = anvl.jvp(returned, (X, rest, Y), (Y, moves, None))
    t = Y * np.cos(X)
    expected = {"same": moves, "twice": (t, [t]), "apart": 2 * Z, "n": None}
    same(tangent, expected)


def test_batches_of_trees_with_parts_that_are_the_same_for_all():
    rest = {"z": Z, "n": np.int32(4)}
    found = anvl.vmap(returned, in_axes=(0, None, None))(Z, rest, Y)
    assert np.asarray(found["n"]).tolist() == [3, 3]
    same(found["twice"], (np.sin(Z), [np.sin(Z)]))
    same(found["same"]["z"], np.stack([Z, Z]))
    axes = {"z": 0, "n": None}
    turned = anvl.vmap(returned, in_axes=(None, axes, None))(X, {"z": Z, "n": rest["n"]}, Y)
    same(turned["apart"], 2 * Z)


def test_every_order_of_transformations_over_trees():
    def loss(params, x):
        (w, b), scale = params["layer"], params["scale"]
        return anp.sum(anp.tanh(x * w + b)) * scale[0], (scale, x)

    params = {"layer": (X, Y / 7), "scale": [0.5], "unused": Z}
    first = lambda *args: loss(*args)[0]  # noqa: E731
    one = tree.map(np.asarray, anvl.grad(first)(params, X / 3))
    assert tree.structure(one) == tree.structure(params)
    same(one["unused"], 0 * Z)
    many = anvl.vmap(anvl.grad(first), in_axes=(None, 0))(params, Z / 9)
    whole = anvl.grad(lambda p: anp.sum(anvl.vmap(first, in_axes=(None, 0))(p, Z / 9)))(params)
    same(tree.map(lambda g: np.asarray(g).sum(0), many), whole)
    check_grads(loss, (params, X / 3))
