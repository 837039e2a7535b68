"""The programs of a function: one for a call however it is spelled, the longest unused dropped."""

import gc
import weakref

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

X = np.ones(2)


def counted(f, **given):
    """A jitted function, and the list of what it was traced for."""
    traced = []

    def g(x, k=0):
        traced.append((x.shape, k))
        return f(x, k)

    return anvl.jit(g, cache_size=8, **given), traced


def test_one_bound_for_all_static_values_and_shapes():
    f, traced = counted(lambda x, k: x + k, static="k")
    for k in range(12):
        f(X, k)
        f(np.ones(k), 100)
    assert f.cache_size() == 8
    assert len(traced) == 24
    f(X, 11)
    assert len(traced) == 24


@pytest.mark.parametrize("static", [None, "k"])
def test_what_is_used_stays_whichever_way_it_is_called(static):
    """By generated code, by keyword, and under other defaults; what is not used goes."""
    f, traced = counted(lambda x, k: x + 1, static=static)
    kept = anp.asarray(X)
    f(kept)
    for n in range(3, 15):
        f(np.ones(n))
        if n % 2:
            f(kept)
        else:
            with anvl.defaults(int="i32"):
                f(x=kept)
    assert traced.count(((2,), 0)) == 1
    assert f.cache_size() == 8
    f(np.ones(14))
    assert traced.count(((14,), 0)) == 1
    f(np.ones(3))
    assert traced.count(((3,), 0)) == 2


def test_the_longest_unused_goes_first():
    f, traced = counted(lambda x, k: x, static="k")
    for k in range(8):
        f(X, k)
    for k in (3, 0, 1, 2, 5, 4):
        f(X, k)
    for k in range(8, 13):
        f(X, k)
    traced.clear()
    for k in (2, 5, 4, 12, 8):
        f(X, k)
    assert traced == []
    for k in (6, 7, 3, 0, 1):
        f(X, k)
    assert [k for _, k in traced] == [6, 7, 3, 0, 1]


def test_calls_that_fail_leave_nothing():
    f, _ = counted(lambda x, k: x.reshape(k), static="k")
    for k in range(3, 9):
        with pytest.raises(ValueError, match="reshape"):
            f(X, k)
    assert f.cache_size() == 0
    assert not f.clear_cache.__self__._tables


def test_a_dropped_program_is_let_go():
    f, _ = counted(lambda x, k: x + k, static="k")
    f(X, 1)
    (table,) = f.clear_cache.__self__._tables.values()
    held = weakref.ref(table)
    del table
    for k in range(2, 12):
        f(X, k)
    gc.collect()
    assert held() is None


def g(x, y=2.0, *, z=1):
    return x * y + z


def h(x, s=1.0, k=2, *, m="a"):
    return x * s * k


@pytest.mark.parametrize(
    ("f", "static", "calls", "programs"),
    [
        (h, ("k", "m"), [lambda f: f(X), lambda f: f(X, 1.0, 2), lambda f: f(x=X, m="a", k=2)], 1),
        (h, ("k", "m"), [lambda f: f(X, 1.0, 3), lambda f: f(X, k=3), lambda f: f(k=3, x=X)], 1),
        (h, ("k", "m"), [lambda f: f(X, m="b", k=3), lambda f: f(X, k=3, m="b")], 1),
        (h, ("k", "m"), [lambda f: f(X, 2.0, 3), lambda f: f(X, k=3, s=5.0)], 1),
        (h, ("k", "m"), [lambda f: f(X, k=3), lambda f: f(X, k=3.0), lambda f: f(X, k=True)], 3),
        (g, None, [lambda f: f(X), lambda f: f(X, 2.0), lambda f: f(X, y=2.0, z=1)], 1),
        (g, None, [lambda f: f(X, 3.0), lambda f: f(X, y=4.0), lambda f: f(y=5.0, x=X)], 1),
        (g, None, [lambda f: f(X, X, z=2), lambda f: f(z=3, y=X, x=X)], 1),
        (g, None, [lambda f: f(X), lambda f: f(X, 2), lambda f: f(X, True)], 3),
    ],
)
def test_a_call_is_one_program_however_it_is_spelled(f, static, calls, programs):
    jitted_ = anvl.jit(f, static=static)
    plain = [call(f) for call in calls]
    for _ in range(2):
        for call, expected in zip(calls, plain, strict=True):
            np.testing.assert_array_equal(np.asarray(call(jitted_)), expected)
    assert jitted_.cache_size() == programs


def test_our_own_functions_too():
    sum_, x = anp.sum.eager, anp.ones((2, 3))
    sum_.clear_cache()
    for call in (lambda: anp.sum(x, 0), lambda: anp.sum(x, axis=0, keepdims=False)):
        assert call().tolist() == [2.0, 2.0, 2.0]
    assert anp.sum(x=x, axis=0).tolist() == [2.0, 2.0, 2.0]
    assert sum_.cache_size() == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f(), "missing 1 required positional argument: 'x'"),
        (lambda f: f(X, 1, 2), "takes from 1 to 2 positional arguments but 3"),
        (lambda f: f(X, x=X), "multiple values for argument 'x'"),
        (lambda f: f(X, q=1), "unexpected keyword argument 'q'"),
    ],
)
def test_calls_that_python_refuses(call, message):
    with pytest.raises(TypeError, match=message):
        call(anvl.jit(g))


def test_methods_positional_only_and_variadic_functions():
    class Model:
        def __call__(self, x, n=2):
            return x * n

    f = anvl.jit(Model())
    assert [f(X, 2)[0].item(), f(X)[0].item(), f(x=X, n=2)[0].item()] == [2.0] * 3
    assert f.cache_size() == 1
    first = anvl.jit(lambda x, y=1.0, /, z=0.0: x * y + z)
    assert [first(X, 1.0, 3.0)[0].item(), first(X, z=3.0)[0].item()] == [4.0, 4.0]
    rest = anvl.jit(lambda x, *xs, k=1.0: x + sum(xs) + k)
    assert [rest(X, 1.0, 2.0)[0].item(), rest(X, 1.0, 2.0, k=1.0)[0].item()] == [5.0, 5.0]


def test_clear_caches_lets_go_of_what_structures_hold():
    """The static part of a registered class, which caches of names would keep alive."""

    class Config:
        pass

    class Box:
        def __init__(self, x, config):
            self.x, self.config = x, config

    anvl.tree.register_node(Box, lambda b: ((b.x,), b.config), lambda c, xs: Box(*xs, c))
    config = Config()
    kept = weakref.ref(config)
    f = anvl.jit(lambda b: b.x + 1)
    f(Box(np.float32(1), config))
    del f, config
    anvl.clear_caches()
    gc.collect()
    assert kept() is None
