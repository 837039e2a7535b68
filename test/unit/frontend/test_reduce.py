"""`reduce`: a person's own combiner along axes."""

from typing import NamedTuple

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

X = np.linspace(0.1, 1.2, 24).reshape(2, 3, 4)[:, ::-1]


def affine(a, b):
    """First a, then b: x -> m x + c.  It does not commute."""
    return {"m": b["m"] * a["m"], "c": b["m"] * a["c"] + b["c"]}


def affine_by_numpy(m, c):
    """The same along the last axis."""
    total, shift = np.ones(m.shape[:-1]), np.zeros(m.shape[:-1])
    for i in range(m.shape[-1]):
        total, shift = m[..., i] * total, m[..., i] * shift + c[..., i]
    return total, shift


def reduced(m, c, axis=-1):
    return anvl.reduce(affine, {"m": m, "c": c}, {"m": 1.0, "c": 0.0}, axis=axis)


def slope(f, x, step=1e-6):
    """Central differences of a function of one array."""
    found = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[at] += step
        down[at] -= step
        found[at] = (float(f(up)) - float(f(down))) / (2 * step)
    return found


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (-1, 0), [1, 2], ()])
def test_axes_are_those_of_numpy(axis):
    wanted = X.prod(axis=tuple(axis) if isinstance(axis, list) else axis)
    found = anvl.reduce(lambda a, b: a * b, X, 1, axis=axis)
    np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM))
    # What closes over an array is combined in rounds, and gives the same.
    one = anp.asarray(np.float64(1))
    found = anvl.reduce(lambda a, b: a * b * one, X, 1, axis=axis)
    np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM))


def test_elements_are_trees_in_order():
    m, c = X, np.cos(X)
    found = reduced(m, c)
    total, shift = affine_by_numpy(m, c)
    np.testing.assert_allclose(found["m"], total, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(found["c"], shift, rtol=rounding(PROGRAM))
    rows = X.transpose(1, 0, 2).reshape(3, 8), np.cos(X).transpose(1, 0, 2).reshape(3, 8)
    np.testing.assert_allclose(
        reduced(m, c, (0, 2))["c"], affine_by_numpy(*rows)[1], rtol=rounding(PROGRAM)
    )


def test_the_largest_and_where_it_is():
    class Best(NamedTuple):
        value: object
        at: object

    def better(a, b):
        wins = a.value >= b.value
        return Best(anp.where(wins, a.value, b.value), anp.where(wins, a.at, b.at))

    x = np.sin(X * 9).astype("f4")
    places = np.broadcast_to(np.arange(4, dtype="i4"), x.shape)
    found = anvl.reduce(better, Best(x, places), Best(-np.inf, np.int32(-1)), axis=2)
    assert isinstance(found, Best)
    np.testing.assert_array_equal(found.at, x.argmax(axis=2))
    np.testing.assert_array_equal(found.value, x.max(axis=2))
    assert found.value.dtype == np.float32


@pytest.mark.parametrize("dtype", ["bool", "i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_dtypes_stay(dtype):
    x = (X * 3).astype(dtype)
    f = (lambda a, b: a | b) if dtype == "bool" else (lambda a, b: a + b)
    found = anvl.reduce(f, x, False if dtype == "bool" else 0, axis=1)
    assert found.dtype == x.dtype
    wanted = x.any(axis=1) if dtype == "bool" else x.sum(axis=1, dtype=dtype)
    np.testing.assert_allclose(found, wanted, rtol=1e-2 if dtype == "f2" else 1e-6)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
@pytest.mark.parametrize("closes", [False, True])
def test_axes_of_no_elements_give_init(shape, closes):
    one = anp.asarray(np.float32(1))
    f = (lambda a, b: a * b * one) if closes else (lambda a, b: a * b)
    x = np.zeros(shape, "f4")
    np.testing.assert_array_equal(anvl.reduce(f, x, 1.0), np.float32(1))
    found = anvl.reduce(f, x, 1.0, axis=0)
    assert found.shape == shape[1:]
    np.testing.assert_array_equal(found, np.ones(shape[1:]))
    g = anvl.grad(lambda x: anp.sum(anvl.reduce(f, x, 1.0, axis=-1)))(x)
    assert g.shape == shape


def test_gradients_are_those_of_the_unrolled_program_and_of_differences():
    m, c = X[0], np.cos(X[0])

    def loss(m, c):
        found = reduced(m, c)
        return anp.sum(anp.sin(found["c"]) * found["m"])

    def unrolled(m, c):
        total, shift = m[:, 0], c[:, 0]
        for i in range(1, 4):
            total, shift = m[:, i] * total, m[:, i] * shift + c[:, i]
        return anp.sum(anp.sin(shift) * total)

    for k, transform in enumerate(
        (lambda f: anvl.grad(f, wrt=(0, 1)), lambda f: anvl.hessian(f, wrt=(0, 1)))
    ):
        found, wanted = transform(loss)(m, c), transform(unrolled)(m, c)
        for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(wanted), strict=True):
            np.testing.assert_allclose(
                a, b, rtol=rounding(ITERATION), atol=rounding(PROGRAM), err_msg=str(k)
            )
    g = anvl.jit(anvl.grad(loss))(m, c)
    np.testing.assert_allclose(g, slope(lambda m: loss(m, c), m), rtol=1e-6)
    _, t = anvl.jvp(loss, (m, c), (c, m))
    gm, gc = map(np.asarray, anvl.grad(loss, wrt=(0, 1))(m, c))
    np.testing.assert_allclose(t, np.sum(gm * c + gc * m), rtol=rounding(ITERATION))


def test_init_has_a_derivative():
    f = lambda start: anp.sum(anvl.reduce(lambda a, b: a * b, X, start, axis=2))  # noqa: E731
    np.testing.assert_allclose(
        anvl.grad(f)(np.float64(1)), X.prod(axis=2).sum(), rtol=rounding(ITERATION)
    )
    many = anvl.vmap(lambda start, x: anvl.reduce(anp.maximum, x, start))
    np.testing.assert_allclose(
        many(np.asarray([-1.0, 0.0]), X), X.max(axis=(1, 2)), rtol=rounding(PROGRAM)
    )


def test_what_f_closes_over_has_a_derivative():
    def softened(x, t):
        f = lambda a, b: anp.logaddexp(a * t, b * t) / t  # noqa: E731
        return anp.sum(anvl.reduce(f, x, -50.0, axis=-1) ** 2)

    x, t = X[0], np.float64(1.7)
    wanted = (np.log(np.exp(x * t).sum(axis=1)) / t) ** 2
    np.testing.assert_allclose(softened(x, t), wanted.sum(), rtol=rounding(ITERATION))
    for where in (softened, anvl.jit(softened)):
        g = anvl.grad(where, wrt=(0, 1))(x, t)
        np.testing.assert_allclose(g[0], slope(lambda x: softened(x, t), x), rtol=1e-6)
        np.testing.assert_allclose(g[1], slope(lambda t: softened(x, t), np.asarray(t)), rtol=1e-6)
    ts = np.asarray([0.7, 1.0, 2.5])
    found = anvl.vmap(anvl.grad(softened, wrt=1), in_axes=(None, 0))(x, ts)
    wanted = [float(anvl.grad(softened, wrt=1)(x, t)) for t in ts]
    np.testing.assert_allclose(found, wanted, rtol=rounding(ITERATION))


def test_f_may_choose_and_loop():
    def larger(a, b):
        return anvl.cond(a > b, lambda: a, lambda: b)

    def by_steps(a, b):
        return anvl.fori_loop(0, 3, lambda i, c: c + b / 3, a)

    np.testing.assert_allclose(anvl.reduce(larger, X, -1.0, axis=1), X.max(axis=1))
    np.testing.assert_allclose(
        anvl.reduce(by_steps, X, 0.0, axis=1), X.sum(axis=1), rtol=rounding(PROGRAM)
    )
    g = anvl.grad(lambda x: anvl.reduce(larger, x, -1.0))(X)
    np.testing.assert_array_equal(g, (X == X.max()).astype(float))


def test_in_loops_and_batches_of_gradients():
    def step(c, x):
        total = anvl.reduce(lambda a, b: anp.hypot(a, b), x * c, 0.0)
        return anp.sin(total), total

    def loss(x):
        return anvl.scan(step, np.float64(1), x)[0]

    np.testing.assert_allclose(anvl.grad(loss)(X[0]), slope(loss, X[0]), rtol=1e-5)
    many = anvl.vmap(anvl.grad(loss))(X)
    np.testing.assert_allclose(
        many, np.stack([anvl.grad(loss)(x) for x in X]), rtol=rounding(ITERATION)
    )


def test_a_graph_shows_the_body():
    (call,) = anvl.trace(lambda x: anvl.reduce(lambda a, b: a * b, x, 1.0, 1), X).calls
    assert (call.primitive, call.params) == ("reduce", {"dimensions": (1,)})
    assert [inner.primitive for inner in call.bodies[0].calls] == ["mul"]


def test_numbers_keep_their_digits():
    x = np.zeros(0)
    assert float(anvl.reduce(lambda a, b: a + b, x, 0.1)) == 0.1
    big = np.zeros(0, "i8")
    assert int(anvl.reduce(lambda a, b: a + b, big, 3_000_000_000)) == 3_000_000_000
    assert int(anvl.jit(lambda x: anvl.reduce(lambda a, b: a + b, x, 3 * 10**9))(big)) == 3 * 10**9


def test_f_may_call_and_differentiate():
    half = anvl.grad(lambda x: x * x)
    found = anvl.reduce(lambda a, b: anvl.jit(anp.hypot)(a, b) + 0 * half(b), X, 0.0)
    np.testing.assert_allclose(found, np.sqrt(np.sum(X**2)), rtol=rounding(PROGRAM))


def test_what_has_no_place_in_a_body_is_refused():
    middle = lambda a, b: anp.sort(anp.stack([a, b]))[0]  # noqa: E731
    with pytest.raises(anvl.PassError, match=r"reduce: its body contains .*sort, created at"):
        anvl.reduce(middle, X, np.inf)
    kept = []
    anvl.reduce(lambda a, b: (kept.append(a), a + b)[1], X, 0.0)
    with pytest.raises(anvl.TraceError):
        kept[0] + 1


ADD = lambda a, b: a + b  # noqa: E731


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: anvl.reduce(3, X, 0.0), TypeError, "reduce: takes a function, got 3 of type int"),
        (lambda: anvl.reduce(ADD, X, None), TypeError, "reduce: init and xs differ in structure"),
        (lambda: anvl.reduce(ADD, [], []), ValueError, "reduce: there are no arrays in xs"),
        (
            lambda: anvl.reduce(ADD, (X, X[0]), (0.0, 0.0)),
            ValueError,
            r"reduce: the shapes differ: xs\[0\] is f64\[2,3,4\], xs\[1\] is f64\[3,4\]; broadcast",
        ),
        (
            lambda: anvl.reduce(ADD, X, 0.0, axis=3),
            ValueError,
            "reduce: axis 3 is out of range of 3 axes",
        ),
        (
            lambda: anvl.reduce(ADD, X, 0.0, axis=(1, -2)),
            ValueError,
            "reduce: axis .* names an axis twice",
        ),
        (lambda: anvl.reduce(ADD, X, 0.0, axis=1.0), TypeError, "reduce: axis 1.0 must be an int"),
        (
            lambda: anvl.reduce(ADD, {"a": X}, {"b": 0.0}),
            TypeError,
            "reduce: init and xs differ in structure: ",
        ),
        (
            lambda: anvl.reduce(ADD, X, np.float32(0)),
            TypeError,
            r"reduce: init is f32\[\], but must be f64\[\]; cast it",
        ),
        (
            lambda: anvl.reduce(ADD, np.arange(3), 0.5),
            TypeError,
            r"reduce: init is f32\?\[\], but must be i64\[\]",
        ),
        (
            lambda: anvl.reduce(ADD, X, np.zeros(3)),
            TypeError,
            r"reduce: init is f64\[3\], but must be f64\[\]",
        ),
        (
            lambda: anvl.reduce(ADD, np.arange(3, dtype="i1"), 300),
            OverflowError,
            "300 does not fit i8",
        ),
        (lambda: anvl.reduce(ADD, "ab", 0), ValueError, "reduce: there are no arrays in xs"),
        (
            lambda: anvl.reduce(lambda a, b: (a, b), X, 0.0),
            TypeError,
            "reduce: <lambda> returns another structure than its operands: ",
        ),
        (
            lambda: anvl.reduce(lambda a, b: a > b, X, 0.0),
            TypeError,
            r"reduce: result of <lambda> is bool\[\], but its operands are f64\[\]; return",
        ),
        (
            lambda: anvl.reduce(
                lambda a, b: {"k": a["k"], "x": anp.ones(2)}, {"k": X, "x": X}, {"k": 0, "x": 0}
            ),
            TypeError,
            r"reduce: result\['x'\] of <lambda> is f32\[2\], but its operands are f64\[\]",
        ),
        (lambda: anvl.reduce(lambda a: a, X, 0.0), TypeError, "positional argument"),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
    with pytest.raises(error, match=message):
        anvl.jit(call)()
