"""`while_loop`, `fori_loop` and `scan`: values, every mode, nesting, what people get wrong."""

import contextlib
import functools
import re

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

W = np.asarray([0.7, 0.3])
X = np.linspace(0.1, 0.5, 5)[:, None] * np.ones((5, 2))


def same(found, expected, rtol=rounding(ITERATION)):
    assert anvl.tree.structure(found) == anvl.tree.structure(expected)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=rounding(PROGRAM))


# -- scan ------------------------------------------------------------------------------------------


def scanned(k, xs):
    def step(c, x):
        c = anp.sin(c) * k + x
        return c, c * c

    c, ys = anvl.scan(step, np.zeros(2), xs)
    return anp.sum(ys) + anp.sum(c)


def unrolled(k, xs):
    c, total = anp.zeros(2, dtype="f64"), 0.0
    for i in range(5):
        c = anp.sin(c) * k + xs[i]
        total = total + anp.sum(c * c)
    return total + anp.sum(c)


MANY_W, MANY_X = np.stack([W, W * 2, W * 3]), np.stack([X, X * 2, X * 3])
ASKED = {
    "value": lambda f: f(W, X),
    "grad": lambda f: anvl.grad(f, wrt=(0, 1))(W, X),
    "jvp": lambda f: anvl.jvp(f, (W, X), (W, X)),
    "jvp of one": lambda f: anvl.jvp(f, (W, X), (None, X)),
    "vmap of constants": lambda f: anvl.vmap(f, in_axes=(0, None))(MANY_W, X),
    "vmap of xs": lambda f: anvl.vmap(f, in_axes=(None, 0))(W, MANY_X),
    "vmap of grad": lambda f: anvl.vmap(anvl.grad(f, wrt=(0, 1)))(MANY_W, MANY_X),
    "grad of vmap": lambda f: anvl.grad(
        lambda k: anp.sum(anvl.vmap(f, in_axes=(0, None))(k, X))
    )(MANY_W),
    "hessian": lambda f: anvl.hessian(f)(W, X),
    "grad of grad": lambda f: anvl.grad(lambda k: anp.sum(anvl.grad(f)(k, X) ** 2))(W),
    "jacrev of jacfwd": lambda f: anvl.jacrev(anvl.jacfwd(f))(W, X),
    "grad of jvp": lambda f: anvl.grad(
        lambda k: anvl.jvp(lambda k: f(k, X), (k,), (W,))[1]
    )(W),
    "jit": lambda f: anvl.jit(anvl.value_and_grad(f))(W, X),
    "checkpoint": lambda f: anvl.grad(anvl.checkpoint(f))(W, X),
}  # fmt: skip


@pytest.mark.sweep(keep=5)
@pytest.mark.parametrize("name", ASKED)
def test_a_scan_is_what_it_is_unrolled(name):
    same(ASKED[name](scanned), ASKED[name](unrolled))


def test_carries_of_several_dtypes_trees_and_no_xs():
    def step(c, _):
        return {"n": c["n"] + 1, "flag": ~c["flag"], "x": c["x"] * 2}, {"n": c["n"]}

    init = {"n": np.int32(0), "flag": np.bool(True), "x": np.float32(1)}
    last, ys = anvl.scan(step, init, length=5)
    assert (int(last["n"]), bool(last["flag"]), float(last["x"])) == (5, False, 32)
    np.testing.assert_array_equal(ys["n"], np.arange(5))


def test_reverse_and_no_steps():
    sums = lambda c, x: (c + x, c)  # noqa: E731
    last, ys = anvl.scan(sums, 0.0, np.arange(3.0), reverse=True)
    assert float(last) == 3
    np.testing.assert_array_equal(ys, [3, 2, 0])
    last, ys = anvl.scan(sums, 5.0, np.zeros(0))
    assert (float(last), ys.shape) == (5, (0,))
    power = lambda x: anvl.scan(lambda c, _: (c * x, c), 1.0, length=0)[0] * x  # noqa: E731
    assert float(anvl.grad(power)(3.0)) == 1


def test_the_gradient_of_a_reversed_scan():
    f = lambda x: anvl.scan(lambda c, x: (c * x + 1, c), 2.0, x, reverse=True)[0]  # noqa: E731
    found = anvl.grad(f)(np.asarray([2.0, 3.0, 4.0]))
    # ((2 * 4 + 1) * 3 + 1) * 2 + 1
    np.testing.assert_allclose(found, [28, 18, 12])


@pytest.mark.sweep(keep=5)
@pytest.mark.parametrize("every", [1, 2, 3, 5, 7, 100, "sqrt"])
@pytest.mark.parametrize("reverse", [False, True])
def test_checkpoints_change_no_number(every, reverse):
    def f(every):
        def loss(k, xs):
            step = lambda c, x: (anp.sin(c) * k + x, c * x)  # noqa: E731
            c, ys = anvl.scan(step, np.zeros(2), xs, reverse=reverse, checkpoint=every)
            return anp.sum(ys * ys) + anp.sum(c)

        return anvl.value_and_grad(loss, wrt=(0, 1))(W, X)

    def power(every):
        step = lambda i, y, x: y * x + i  # noqa: E731
        return anvl.grad(
            lambda x: anvl.fori_loop(0, 5, lambda i, y: step(i, y, x), 1.0, checkpoint=every)
        )(np.float64(2))

    same(f(every), f(None))
    same(power(every), power(None))


def test_barriers_in_loops_are_gone_on_the_cpu():
    """XLA would end the process: of checkpoints, of `max`, and of a person's own."""
    from anvl import prim

    def f(xs):
        def step(c, x):
            c = anvl.checkpoint(lambda c: anp.sin(c * x))(c)
            c = anp.max(c * x) * prim.optimization_barrier(c)[0]
            c = anvl.cond(c[0] > 0, anvl.checkpoint(anp.tanh), anp.cos, c)
            return c, anp.max(c)

        c, ys = anvl.scan(step, np.ones(2), xs)
        return anp.sum(ys) + anp.sum(anvl.checkpoint(anp.sin)(c))

    def expected(xs):
        c, total = anp.ones(2, dtype="f64"), 0.0
        for i in range(5):
            c = anp.sin(c * xs[i])
            c = anp.max(c * xs[i]) * c
            c = anp.where(c[0] > 0, anp.tanh(c), anp.cos(c))
            total = total + anp.max(c)
        return total + anp.sum(anp.sin(c))

    same(anvl.grad(f)(X), anvl.grad(expected)(X))
    same(anvl.jacfwd(f)(X), anvl.jacfwd(expected)(X))
    same(anvl.vmap(anvl.grad(f))(MANY_X), anvl.vmap(anvl.grad(expected))(MANY_X))
    loop = lambda x, n: anvl.while_loop(  # noqa: E731
        lambda c: c[0] < n, lambda c: (c[0] + 1, anp.max(x * c[1]) * 0.1), (np.int32(0), 1.0)
    )[1]
    assert np.isfinite(np.asarray(anvl.grad(loop)(X, np.int32(3)))).all()


def test_checkpoints_keep_less():
    def f(x, **how):
        # Of elementwise steps nothing is kept.
        step = lambda c, _: (anp.sin(anp.tanh(c) * c[::-1]), None)  # noqa: E731
        return anp.sum(anvl.scan(step, x, length=400, **how)[0])

    def size(**how):
        g = anvl.grad(functools.partial(f, **how))
        return anvl.jit(g).lower(np.ones(1000)).compile().memory_stats()["temp_size_in_bytes"]

    assert size(checkpoint="sqrt") * 5 < size()


def test_only_what_the_adjoint_needs_is_kept():
    def step(c, x):
        return c + x, None  # linear: nothing

    text = anvl.jit(anvl.grad(lambda x: anvl.scan(step, 0.0, x)[0])).lower(np.zeros(7)).mlir()
    assert text.count("stablehlo.while") == 1


# -- while -----------------------------------------------------------------------------------------


def newton(a):
    """The square root, by an unknown number of steps."""
    return anvl.while_loop(lambda x: anp.abs(x * x - a) > 1e-10, lambda x: 0.5 * (x + a / x), a)


def powers(x, k, n):
    return anvl.fori_loop(0, n, lambda i, y: anp.sin(y) * k + 0.1, x)


def powers_by_hand(x, k, n):
    along_x, along_k = 1.0, 0.0
    for _ in range(n):
        slope = np.cos(x) * k
        along_x, along_k = slope * along_x, slope * along_k + np.sin(x)
        x = np.sin(x) * k + 0.1
    return x, along_x, along_k


def test_reverse_mode_through_any_number_of_steps():
    f = anvl.jit(anvl.value_and_grad(powers, wrt=(0, 1)))
    for n in (0, 1, 2, 31, 32, 33, 63, 64, 65, 1000, 1023, 1024, 1025, 10_000, 100_000):
        value, gradient = f(np.float64(0.3), np.float64(0.999), np.int32(n))
        found = [float(value), *map(float, gradient)]
        np.testing.assert_allclose(
            found, powers_by_hand(0.3, 0.999, n), rtol=rounding(ITERATION), atol=1e-300
        )


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("slots", [2, 4, 8])
def test_few_places_are_enough(slots):
    def f(x, n):
        step = lambda c: (c[0] + 1, anp.sin(c[1]) * 0.999 + 0.1)  # noqa: E731
        return anvl.while_loop(lambda c: c[0] < n, step, (np.int32(0), x), slots=slots)[1]

    g = anvl.jit(anvl.grad(f))
    for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 130, 1000):
        _, expected, _ = powers_by_hand(0.3, 0.999, n)
        np.testing.assert_allclose(
            float(g(np.float64(0.3), np.int32(n))), expected, rtol=rounding(ITERATION)
        )


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (lambda: newton(np.float64(2)), np.sqrt(2)),
        (lambda: anvl.grad(newton)(np.float64(2)), 0.5 / np.sqrt(2)),
        (lambda: anvl.jacfwd(newton)(np.float64(2)), 0.5 / np.sqrt(2)),
        (lambda: anvl.hessian(newton)(np.float64(2)), -0.25 * 2**-1.5),
        (lambda: anvl.grad(anvl.grad(newton))(np.float64(2)), -0.25 * 2**-1.5),
        (lambda: anvl.vmap(newton)(np.asarray([1.0, 4.0, 9.0])), [1, 2, 3]),
        (lambda: anvl.vmap(anvl.grad(newton))(np.asarray([1.0, 4.0, 9.0])), [1, 1 / 4, 1 / 6]),
        (
            lambda: anvl.grad(lambda v: anp.sum(anvl.vmap(newton)(v)))(np.asarray([1.0, 4.0])),
            [1, 1 / 4],  # of 1 it makes no step
        ),
    ],
)
def test_newton_in_every_mode(asked, expected):
    np.testing.assert_allclose(np.asarray(asked()), expected, rtol=1e-8)


def test_memory_does_not_grow_with_the_steps():
    """One program for any number of steps: what it takes is known when it is compiled."""
    f = anvl.jit(anvl.grad(lambda x, n: anp.sum(powers(x, 0.9, n))))
    size = f.lower(np.ones(1000), np.int32(3)).compile().memory_stats()["temp_size_in_bytes"]
    assert size < 300 * 8000


@pytest.mark.sweep(keep=0)
def test_what_the_gradient_of_a_gradient_keeps():
    """Places of loops that carry places: 8 a level of what is carried, and of one level at a time.

    By the elements of the largest array, of a carry of one element.
    """
    f = anvl.grad(lambda x, n: anp.sum(powers(x, 0.9, n)))
    f = anvl.grad(lambda x, n, f=f: anp.sum(f(x, n) ** 2))
    text = anvl.jit(f).lower(np.ones(1), np.int32(3)).mlir("stablehlo")
    sizes = re.findall(r"tensor<((?:\d+x)+)f64>", text)
    assert max(np.prod([int(n) for n in size.split("x")[:-1]]) for size in sizes) == 88 * 224
    assert "6x224x1x" in sizes  # levels that are filled again: at most 6 after each other


def test_a_bounded_loop_keeps_each_step():
    def f(x, n, most):
        step = lambda c: (c[0] + 1, c[1] * x)  # noqa: E731
        init = (np.int32(0), np.float64(1))
        return anvl.while_loop(lambda c: c[0] < n, step, init, max_iterations=most)[1]

    for n, most in ((3, 10), (10, 3), (0, 5), (5, 0), (5, 5)):
        count = min(n, most)
        g = anvl.value_and_grad(functools.partial(f, most=most))
        value, slope = g(np.float64(2), np.int32(n))
        assert float(value) == 2.0**count
        assert float(slope) == count * 2.0 ** max(0, count - 1)


def test_members_that_are_done_stay_as_they_are_and_meet_no_nan():
    def f(x):  # 1 / (3 - n) would be infinite for those that are done at n == 3
        step = lambda c: (c[0] + 1, c[1] + 1.0 / (3.0 - c[0]))  # noqa: E731
        return anvl.while_loop(lambda c: c[0] < x, step, (0.0, x * 0.0))[1]

    many = np.asarray([1.0, 2.0, 3.0])
    np.testing.assert_allclose(anvl.vmap(f)(many), [1 / 3, 1 / 3 + 1 / 2, 1 / 3 + 1 / 2 + 1])
    assert np.isfinite(np.asarray(anvl.vmap(anvl.grad(f))(many))).all()


@pytest.mark.sweep(keep=0)
def test_loops_in_loops():
    def nested(a):
        def step(s, x):
            grown = anvl.cond(s > 0.5, lambda s: s * 0.9, lambda s: s * 1.1 + x * a, s)
            return grown, None

        def body(c):
            y, i = c
            return anvl.scan(step, y, np.asarray([0.1, 0.2, 0.3]))[0], i + 1

        return anvl.while_loop(lambda c: c[1] < 4, body, (a, 0))[0]

    def flat(a):
        y = a
        for x in [0.1, 0.2, 0.3] * 4:
            y = anp.where(y > 0.5, y * 0.9, y * 1.1 + x * a)
        return y

    at = np.float64(0.3)
    for transform in (lambda f: f, anvl.grad, anvl.jacfwd, anvl.hessian):
        same(transform(nested)(at), transform(flat)(at))
    many = np.asarray([0.1, 0.3, 0.6])
    same(anvl.vmap(anvl.grad(nested))(many), anvl.vmap(anvl.grad(flat))(many))


def test_a_while_in_a_scan():
    def f(a):
        def step(c, x):
            y = anvl.while_loop(lambda y: y < x, lambda y: y * 1.5 + a, c)
            return y * 0.3, y

        c, ys = anvl.scan(step, a, np.asarray([1.0, 2.0, 3.0, 0.1]))
        return anp.sum(ys) + c

    def by_hand(a):
        c, dc, total, slope = a, 1.0, 0.0, 0.0
        for x in [1.0, 2.0, 3.0, 0.1]:
            while c < x:
                c, dc = c * 1.5 + a, dc * 1.5 + 1
            total, slope = total + c, slope + dc
            c, dc = c * 0.3, dc * 0.3
        return total + c, slope + dc

    value, slope = anvl.value_and_grad(f)(np.float64(0.3))
    np.testing.assert_allclose([float(value), float(slope)], by_hand(0.3), rtol=rounding(PROGRAM))


def test_known_bounds_make_a_scan_and_traced_ones_a_while():
    power = lambda n, x: anvl.fori_loop(0, n, lambda i, y: y * x, 1.0)  # noqa: E731
    assert float(power(3, 2.0)) == 8
    assert float(power(np.int32(3), 2.0)) == 8
    assert float(power(-3, 2.0)) == 1
    assert float(anvl.grad(lambda x: power(3, x))(2.0)) == 12
    np.testing.assert_array_equal(
        anvl.vmap(power)(np.arange(4, dtype="i4"), np.full(4, 2.0)), [1, 2, 4, 8]
    )
    total = anvl.fori_loop(2, 5, lambda i, y: y + i, 0)
    assert int(total) == 9
    assert float(anvl.fori_loop(np.int32(2), 5, lambda i, y: y + i, 0.5)) == 9.5


def test_what_is_linear_has_a_transpose():
    of = anvl.aval("f64", (3,))
    sums = lambda x: anvl.scan(lambda c, v: (c + v, c), x[0], x)[0]  # noqa: E731
    np.testing.assert_array_equal(anvl.linear_transpose(sums, of)(np.float64(1))[0], [2, 1, 1])
    powers = lambda x: anvl.fori_loop(0, 3, lambda i, c: c * 2 + x, x)  # noqa: E731
    np.testing.assert_array_equal(anvl.linear_transpose(powers, of)(np.ones(3))[0], [15, 15, 15])


def test_wide_bounds_are_counted_in_i64():
    count = anvl.jit(lambda a, b: anvl.fori_loop(a, b, lambda i, c: c + 1, 0))
    assert int(count(np.uint32(2**31 - 2), np.uint32(2**31 + 3))) == 5
    total = anvl.jit(lambda n: anvl.fori_loop(n, n + 3, lambda i, c: c + i, n * 0))
    assert int(total(np.int64(2**31 + 1))) == 3 * 2**31 + 6
    with pytest.raises(
        TypeError, match="a bound is ui64, which no index dtype holds; cast it to i64"
    ):
        count(np.uint64(0), np.uint64(3))
    with pytest.raises(ValueError, match="fori_loop: 4294967295 steps exceed the range of i32"):
        anvl.fori_loop(-(2**31), 2**31 - 1, lambda i, c: c + 1, 0)
    with pytest.raises(
        ValueError, match="scan: length is 2147483653, which exceeds the range of i32"
    ):
        anvl.scan(lambda c, _: (c + 1, None), 0, None, length=2**31 + 5)


def test_a_scan_in_a_scan_is_gone_through_once_each_way():
    def f(xs):
        inner = lambda c, x: (anp.sin(c) * x, None)  # noqa: E731
        outer = lambda c, _: (anvl.scan(inner, c, xs)[0], None)  # noqa: E731
        return anvl.scan(outer, 1.0, length=3)[0]

    for transformed in (anvl.grad(f), lambda x: anvl.jvp(f, (x,), (x,))):
        text = anvl.jit(transformed).lower(np.ones(4)).mlir()
        assert text.count("stablehlo.while") == (4 if transformed.__name__ == "f" else 2)


@pytest.mark.sweep(keep=0)
def test_an_lstm_over_a_hundred_steps():
    rng = np.random.default_rng(0)
    size = 4
    params = {
        "w": rng.normal(size=(size, 4 * size)) / 2,
        "u": rng.normal(size=(size, 4 * size)) / 2,
        "b": np.zeros(4 * size),
    }
    xs = rng.normal(size=(100, size))

    def cell(params, state, x):  # NumPy's functions of NumPy's arrays, and ours of tracers
        h, c = state
        anp = np if isinstance(h, np.ndarray) else anvl.numpy
        z = x @ params["w"] + h @ params["u"] + params["b"]
        i, f, o, g = (z[k * size : (k + 1) * size] for k in range(4))
        sigmoid = lambda v: 1 / (1 + anp.exp(-v))  # noqa: E731
        c = sigmoid(f) * c + sigmoid(i) * anp.tanh(g)
        h = sigmoid(o) * anp.tanh(c)
        return h, c

    def by_scan(params):
        def step(state, x):
            state = cell(params, state, x)
            return state, state[0]

        _, hs = anvl.scan(step, (np.zeros(size), np.zeros(size)), xs)
        return anp.sum(hs**2)

    def by_hand(params):
        state, total = (np.zeros(size), np.zeros(size)), 0.0
        for x in xs:
            state = cell(params, state, x)
            total += np.sum(state[0] ** 2)
        return total

    value, gradient = anvl.value_and_grad(by_scan)(params)
    np.testing.assert_allclose(float(value), by_hand(params), rtol=rounding(PROGRAM))
    direction = anvl.tree.map(lambda x: rng.normal(size=x.shape), params)
    at = lambda e: by_hand(anvl.tree.map(lambda x, t: x + e * t, params, direction))  # noqa: E731
    slope = (at(1e-6) - at(-1e-6)) / 2e-6
    parts = anvl.tree.map(lambda g, t: np.sum(np.asarray(g) * t), gradient, direction)
    np.testing.assert_allclose(sum(anvl.tree.leaves(parts)), slope, rtol=1e-6)
    _, tangent = anvl.jvp(by_scan, (params,), (direction,))
    np.testing.assert_allclose(float(tangent), slope, rtol=1e-6)


def test_a_trace_that_is_discarded_leaves_no_function():
    """A carry that takes another dtype, or is narrowed, is traced again."""

    def grown(x):
        return anvl.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, 1))[1]

    def narrowed(x):
        step = lambda i: i + anp.asarray([1], "ui8")[0]  # noqa: E731
        return anvl.while_loop(lambda i: step(i) < 5, lambda i: i + 1, 0) + x

    def scanned(x):
        return anvl.scan(lambda c, _: (c * x, None), 1, None, length=3)[0]

    def nested(x):
        slope = anvl.grad(lambda y: anp.sin(y))
        return anvl.scan(lambda c, _: (slope(c * x), None), 1, None, length=3)[0]

    def given_up(x):
        with contextlib.suppress(ZeroDivisionError):
            anvl.grad(lambda y: anvl.grad(lambda z: anp.sin(z))(y) + 1 // 0)(x)
        return x

    cases = ((grown, 1), (narrowed, 1), (scanned, 3), (nested, 5), (given_up, 1))
    for f, functions in cases:
        text = anvl.trace(f, anvl.aval("f64")).mlir()
        assert text.count("func.func") == functions, text
    assert float(anvl.jit(grown)(np.float64(2))) == float(anvl.jit(scanned)(np.float64(2))) == 8.0
