"""Loops and branches with odd arguments, and with other transformations inside and around them."""

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

X = np.linspace(0.1, 0.5, 4)
TWO = np.float64(2)


def same(found, expected, rtol=rounding(ITERATION)):
    assert anvl.tree.structure(found) == anvl.tree.structure(expected)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=rounding(PROGRAM))


# -- what is carried -------------------------------------------------------------------------------


def as_while(body, init, n):
    return anvl.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, body(c[1])), (0, init))[1]


def bounded(body, init, n):
    step = lambda c: (c[0] + 1, body(c[1]))  # noqa: E731
    return anvl.while_loop(lambda c: c[0] < n, step, (0, init), max_iterations=n + 2)[1]


LOOPS = {
    "while": as_while,
    "bounded": bounded,
    "traced bounds": lambda body, init, n: anvl.fori_loop(
        0, anp.asarray(n), lambda i, c: body(c), init
    ),
    "known bounds": lambda body, init, n: anvl.fori_loop(0, n, lambda i, c: body(c), init),
    "checkpoint": lambda body, init, n: anvl.fori_loop(
        0, n, lambda i, c: body(c), init, checkpoint=2
    ),
    "scan": lambda body, init, n: anvl.scan(lambda c, _: (body(c), c), init, length=n)[0],
}


def unrolled(body, init, n):
    for _ in range(n):
        init = body(init)
    return init


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", [*LOOPS, "jit of while"])
def test_carries_of_numbers_bools_and_nothing(name):
    around = (lambda f: anvl.jit(f)()) if "jit" in name else (lambda f: f())
    loop = LOOPS[name.removeprefix("jit of ")]

    def run(body, init, n=3):
        found = around(lambda: loop(body, init, n))
        return anvl.tree.map(lambda x: (np.asarray(x).dtype.name, np.asarray(x).tolist()), found)

    # Python's numbers and bools become what a step makes of them.
    assert run(lambda c: ~c, True) == ("bool", False)
    assert run(lambda c: c + 1, True) == ("int32", 4)
    assert run(lambda c: c + 0.5, 0) == ("float32", 1.5)
    assert run(lambda c: c + np.float64(0.5), 0) == ("float64", 1.5)
    assert run(lambda c: c + 1j, 0.5) == ("complex64", 0.5 + 3j)
    assert run(lambda c: c * 0.5, np.float16(2)) == ("float16", 0.25)
    assert run(lambda c: 0, np.float32(1)) == ("float32", 0.0)
    assert run(lambda c: (c[1], c[0]), (True, np.bool(False))) == (("bool", False), ("bool", True))
    assert run(lambda c: (c[1], c[0]), (1.0, TWO)) == (("float64", 2.0), ("float64", 1.0))
    # Dicts have no order; numpy's arrays are constants; empty trees and arrays are carried too.
    turned = lambda c: {"b": c["b"] + 1, "a": ~c["a"]}  # noqa: E731
    assert run(turned, {"a": True, "b": 1}) == {"a": ("bool", False), "b": ("int32", 4)}
    assert run(lambda c: np.arange(3), np.zeros(3, "i8")) == ("int64", [0, 1, 2])
    assert run(lambda c: c, ()) == ()
    assert run(lambda c: c, None) is None
    assert run(lambda c: c * 2, np.zeros((2, 0))) == ("float64", [[], []])
    assert run(lambda c: c + 1, np.uint8(255)) == ("uint8", 2)


def test_a_dict_that_a_step_changes_is_its_own():
    def step(c, x):
        c["a"] = c["a"] + x
        return c, None

    init = {"a": 0.0}
    assert float(anvl.scan(step, init, np.ones(3))[0]["a"]) == 3
    assert init == {"a": 0.0}


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", LOOPS)
def test_gradients_of_odd_carries(name):
    def f(loop, z, e):
        def body(c):
            flag, i, w, empty, swapped, other = c
            w = anp.where(flag, w * z, w + z) + i
            return anp.logical_not(flag), i + np.int8(1), w, empty * 2, other, swapped * anp.abs(w)

        first = (True, np.int8(0), z, e, anp.abs(z), 2.0 * anp.abs(z))
        _, _, w, empty, swapped, other = loop(body, first, 3)
        return anp.abs(w) + anp.sum(empty) + swapped - anp.sin(other)

    z, e = np.complex128(0.4 + 0.7j), np.zeros((0, 3))
    asked = lambda loop: anvl.jit(anvl.value_and_grad(f, wrt=(1, 2)), static=0)(loop, z, e)  # noqa: E731
    same(asked(LOOPS[name]), asked(unrolled))


# -- what is inside and around ---------------------------------------------------------------------


@anvl.custom_vjp
def steep(x):
    return anp.sin(x)


steep.defvjp(lambda x: (anp.sin(x), x), lambda x, g: (3 * g * anp.cos(x),))


@anvl.custom_jvp
def steeper(x):
    return anp.sin(x)


steeper.defjvp(lambda xs, ts: (anp.sin(xs[0]), 5 * ts[0] * anp.cos(xs[0])))

BODIES = {
    "jit": lambda a: lambda c: anvl.jit(lambda z: anp.sin(z) * a)(c),
    "vmap": lambda a: lambda c: anvl.vmap(lambda z: anp.sin(z) * a[0] + c[1])(c),
    "grad": lambda a: lambda c: anvl.grad(lambda z: anp.sum(anp.sin(z * a) * c))(c),
    "jvp": lambda a: lambda c: anvl.jvp(lambda z: anp.sin(z * a), (c,), (a,))[1],
    "checkpoint": lambda a: lambda c: anvl.checkpoint(lambda z: anp.tanh(anp.sin(z) * a))(c),
    "custom_jvp": lambda a: lambda c: steeper(c) * a,
    "stop_gradient": lambda a: lambda c: c * anvl.stop_gradient(anp.sin(a)) + a,
    "a cond": lambda a: lambda c: anvl.cond(c[0] > 0.1, lambda: c * a, lambda: anp.sin(c) + a),
    "an index": lambda a: lambda c: c.at[1].set(c[2] * a[1])[::-1],
}
ASKED = {
    "grad": lambda f: anvl.value_and_grad(f)(X),
    "vmap of grad": lambda f: anvl.vmap(anvl.grad(f))(np.stack([X, 2 * X])),
    "jvp": lambda f: anvl.jvp(f, (X,), (X[::-1].copy(),)),
    "forward over reverse": lambda f: anvl.jvp(anvl.grad(f), (X,), (X,)),
}


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("inside", BODIES)
@pytest.mark.parametrize("name", ["traced bounds", "known bounds"])
def test_transformations_inside_of_a_loop(name, inside):
    def asked(loop):
        f = lambda a: anp.sum(loop(BODIES[inside](a), a, 3))  # noqa: E731
        return anvl.jit(lambda: {key: ask(f) for key, ask in ASKED.items()})()

    same(asked(LOOPS[name]), asked(unrolled))


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", ["while", "scan", "checkpoint"])
def test_a_custom_rule_in_a_loop_and_a_loop_in_a_custom_rule(name):
    def asked(loop):
        @anvl.custom_vjp
        def ruled(x):
            return loop(anp.sin, x, 2)

        forward = lambda x: (loop(anp.sin, x, 2), x)  # noqa: E731
        ruled.defvjp(forward, lambda x, g: (loop(lambda c: c * x, g, 3),))
        f = lambda a: anp.sum(loop(lambda c: steep(c) * ruled(a), a, 2))  # noqa: E731
        return anvl.value_and_grad(f)(X), anvl.vmap(anvl.grad(f))(np.stack([X, 2 * X]))

    same(asked(LOOPS[name]), asked(unrolled))


@pytest.mark.parametrize("name", ["traced bounds", "known bounds"])
def test_closures_over_values_of_every_trace_around(name):
    def asked(loop):
        def f(a, xs):
            def of_each(x):
                body = lambda b: lambda c: anp.sin(c) * a + b * x  # noqa: E731
                return anvl.grad(lambda b: loop(body(b), b, 3))(x * a)

            return anp.sum(anvl.vmap(of_each)(xs))

        return anvl.jit(anvl.grad(f, wrt=(0, 1)))(np.float64(0.7), X)

    same(asked(LOOPS[name]), asked(unrolled))


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("name", ["traced bounds", "bounded", "scan", "checkpoint"])
def test_what_vjp_and_linearize_return_is_called_again(name):
    def asked(loop):
        f = lambda a: loop(lambda c: anp.sin(c) * a, a, 3)  # noqa: E731
        y, pull = anvl.vjp(f, X)
        z, push = anvl.linearize(f, X)
        _, pull_slope = anvl.vjp(anvl.grad(lambda a: anp.sum(f(a))), X)
        return y, z, pull(X), pull(2 * X), push(X), push(2 * X), pull_slope(X), pull_slope(-X)

    same(asked(LOOPS[name]), asked(unrolled))


@pytest.mark.sweep(keep=0, part=0)
def test_a_bounded_loop_in_forward_mode_and_twice():
    f = lambda x, m: anvl.while_loop(  # noqa: E731
        lambda c: c < 100.0, lambda c: c * c + x, x, max_iterations=m
    )

    def by_hand(x, m):
        c = x
        for _ in range(m):
            c = anp.where(c < 100.0, c * c + x, c)
        return c

    for m in (0, 1, 2, 6):
        for ask in (
            lambda f, m: anvl.jvp(lambda x: f(x, m), (np.float64(1.5),), (TWO,)),
            lambda f, m: anvl.grad(anvl.grad(lambda x: f(x, m)))(np.float64(1.5)),
            lambda f, m: anvl.vmap(anvl.grad(lambda x: f(x, m)))(np.asarray([1.5, 20.0, 200.0])),
        ):
            same(ask(f, m), ask(by_hand, m))


def test_batches_along_other_axes_and_of_no_steps():
    f = lambda c, x: anvl.scan(lambda c, x: (c * x + 1, c), c, x)  # noqa: E731
    a = np.arange(12.0).reshape(4, 3)
    c = np.arange(3.0)
    last, rows = anvl.vmap(f, in_axes=(0, 1), out_axes=(0, 1))(c, a)
    one_by_one = [f(c[i], a[:, i]) for i in range(3)]
    same(last, np.stack([y for y, _ in one_by_one]))
    same(rows, np.stack([y for _, y in one_by_one], 1))
    last, rows = anvl.vmap(f, in_axes=(None, 1), out_axes=-1)(2.0, a)
    one_by_one = [f(2.0, a[:, i]) for i in range(3)]
    same(rows, np.stack([y for _, y in one_by_one], -1), rtol=1e-6)
    none = np.ones((3, 0))
    total = lambda xs: anp.sum(anvl.vmap(lambda x: f(TWO, x)[0])(xs))  # noqa: E731
    same(anvl.value_and_grad(total)(none), (np.float64(6), none))


def test_a_batch_of_batches_with_numbers_of_steps_of_their_own():
    f = lambda x, y: anvl.while_loop(lambda c: c < x, lambda c: c * 1.5 + y, y)  # noqa: E731

    def by_hand(x, y):
        c, slope = y, 1.0
        while c < x:
            c, slope = c * 1.5 + y, slope * 1.5 + 1
        return c, slope

    xs, ys = np.asarray([0.1, 5.0, 20.0]), np.asarray([0.5, 1.5])
    both = anvl.vmap(anvl.vmap(anvl.value_and_grad(f, wrt=1), (0, None)), (None, 0))
    expected = np.asarray([[by_hand(x, y) for x in xs] for y in ys])
    same(both(xs, ys), (expected[..., 0], expected[..., 1]))


def test_the_side_or_the_member_that_would_not_end_does_not_run():
    """Of what is not taken: a loop that has no end for it."""
    f = lambda x: anvl.cond(  # noqa: E731
        x > 0, lambda: anvl.while_loop(lambda c: c < 100, lambda c: c * (1 + x), x), lambda: x
    )
    assert float(f(np.float64(-1))) == -1
    assert float(anvl.grad(f)(np.float64(-1))) == 1
    np.testing.assert_allclose(anvl.vmap(f)(np.asarray([1.0, 2.0, 3.0])), [128, 162, 192])


def test_a_mistake_in_a_body_leaves_nothing_behind():
    class Mine(Exception):
        pass

    def wrong(c, x):
        raise Mine

    for transform in (lambda f: f, anvl.jit, anvl.grad):
        with pytest.raises(Mine):
            transform(lambda x: anvl.scan(wrong, x, X)[0])(TWO)
    assert float(anvl.grad(lambda x: anvl.fori_loop(0, 3, lambda i, c: c * x, 1.0))(TWO)) == 12


def test_one_body_in_two_loops_is_traced_for_each():
    body = lambda c, x: (c * x, c)  # noqa: E731
    f = anvl.jit(lambda x: (anvl.scan(body, np.float32(1), x), anvl.scan(body, 1.0, x[:2])))
    (a, ys), (b, zs) = f(np.ones(3, "f4"))
    assert (ys.shape, zs.shape, float(a), float(b)) == ((3,), (2,), 1, 1)
