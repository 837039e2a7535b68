"""Arrays over a mesh that are given twice, deleted in part, or share memory: XLA would crash."""

import numpy as np
import pytest
from eight_devices import FLAT, over

import anvl
from anvl.sharding import Mesh, P, Sharding

X = np.arange(32.0).reshape(8, 4)
HALVES = Mesh({"a": 4, "b": 2}, devices=FLAT.devices)


def lying():
    return anvl.device_put(X, over("x"))


double = anvl.jit(lambda w: w * 2)
spent = anvl.jit(lambda w: w * 2, donate="w")


def test_an_array_is_donated_and_given_once_more():
    product = anvl.jit(lambda w, v: w * v, donate="w")
    w = lying()
    for _ in range(2):  # compiled, and by generated code
        with pytest.raises(anvl.RuntimeFailure, match="arguments w and v are the same array"):
            product(w, w)
        v = lying()
        np.testing.assert_array_equal(product(lying(), v), X * X)
        assert not v.is_deleted()
    scaled = anvl.jit(lambda v: v * w, donate="v")
    scaled(lying())
    message = "argument v is the array w, which the function closes over, and the call donates it"
    with pytest.raises(anvl.RuntimeFailure, match=message):
        scaled(w)
    plus = anvl.jit(lambda w, v, u: w + v + u, donate="w")
    np.testing.assert_array_equal(plus(lying(), w, w), 3 * X)  # not the donated one


@pytest.mark.parametrize("lose", [lambda part: part.delete(), spent])
def test_a_shard_that_is_lost_takes_the_array_with_it(lose):
    double(lying())
    moved, waited = lambda w: anvl.device_put(w, over("y")), anvl.block_until_ready
    for work in (double, anvl.device_get, moved, abs, waited, lambda w: waited([lying(), w])):
        w = lying()
        lose(w.addressable_shards[3].data)
        with pytest.raises(anvl.RuntimeFailure, match="deleted"):
            work(w)
        assert w.is_deleted() and repr(w).startswith("Array(deleted")


def test_an_array_with_other_names_has_memory_of_its_own():
    w = lying()
    other = anvl.device_put(w, Sharding(HALVES, P("a")))
    spent(w)
    np.testing.assert_array_equal(other, X)
    moved = anvl.jit(lambda w: w * 2, donate="w", in_shardings=over("x"))
    for _ in range(2):  # only the copy is given away
        np.testing.assert_array_equal(moved(other), 2 * X)
