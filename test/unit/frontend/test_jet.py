"""Taylor mode against nested derivatives, its cost, its errors, and planted faults."""

import re

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import OPS

LIMIT = 200 * rounding(PROGRAM, np.float64)
ORDER = 5
SERIES = [np.float64(s) for s in (0.7, -0.4, 0.3, 0.9, -0.2)]
X = np.float64(0.6)


def curve(t):
    """X and the derivatives in SERIES, as a polynomial."""
    terms, factor = X, 1.0
    for k, s in enumerate(SERIES):
        factor = factor / (k + 1)
        terms = terms + s * factor * t ** (k + 1)
    return terms


def nested(f, order=ORDER):
    """f along the curve and its derivatives, by nested forward mode in one program."""

    def next_of(g):
        def with_next(t):
            found, slopes = anvl.jvp(g, (t,), (1.0,))
            return [*found, slopes[-1]]

        return with_next

    g = lambda t: [f(curve(t))]  # noqa: E731
    for _ in range(order):
        g = next_of(g)
    return anvl.jit(g)(np.float64(0))


@anvl.custom_jvp
def exponential(x):
    return anp.exp(x)


exponential.defjvp(lambda primals, ts: (exponential(*primals), ts[0] * exponential(*primals)))


def looped(x):
    step = lambda c: (c[0] + 1, anp.sin(c[1]) * c[1])  # noqa: E731
    return anvl.while_loop(lambda c: c[0] < 3, step, (0, x))[1]


def scanned(x):
    c, ys = anvl.scan(lambda c, a: (c * anp.sin(c + a), c * a), x, anp.arange(1.0, 4.0) * x)
    return c + anp.sum(ys**2)


def branched(x):
    return anvl.cond(x > 0, lambda y: anp.exp(y) * x, lambda y: y, x)


def matrices(x):
    a = anp.stack([anp.stack([3 + x, x**2]), anp.stack([anp.sin(x), 2 + x])])
    return anp.sum(anp.linalg.solve(a, anp.stack([x, 1.0 + x])) * (a @ anp.stack([x, x])))


FUNCTIONS = {
    "polynomial": lambda x: x**3 - 2 * x,
    "product": lambda x: anp.sin(x) * anp.exp(x) * x,
    "quotient": lambda x: anp.cos(x) / (1 + x * x) + 1 / x,
    "logarithm": lambda x: anp.log(1 + x * x) - anp.log1p(x),
    "roots": lambda x: anp.sqrt(x + 2) + 1 / anp.sqrt(x) + anp.cbrt(x),
    "powers": lambda x: (x + 2) ** x + x**-2,
    "tanh": lambda x: anp.tanh(x) + anvl.nn.sigmoid(x),
    "inverses": lambda x: anp.arctan(x) + anp.arcsin(x / 2),
    "error function": anvl.scipy.special.erf,
    "new ops each time": lambda x: anvl.scipy.special.gammaln(x + 1),
    "choices": lambda x: anp.where(x > 0, anp.exp(x), x) + anp.maximum(x, x * x) + abs(x) * x,
    "softmax": lambda x: anvl.nn.softmax(anp.stack([x, x * x, anp.sin(x)]))[1],
    "reductions": lambda x: (
        anp.cumprod(anp.stack([x, x + 1, x * x]))[-1]
        + anp.sort(anp.stack([x * x, x]))[0] * anp.prod(anp.stack([x, x]))
    ),
    "matrices": matrices,
    "while": looped,
    "scan": scanned,
    "branches": branched,
    "checkpoint": anvl.checkpoint(lambda x: anp.sin(x) * x),
    "custom rule": lambda x: exponential(x) * x,
    "inner gradient": anvl.grad(lambda x: anp.sin(x) * x**2),
    "constant": lambda x: 0 * x + 2.0,
}
LONG = {"new ops each time", "powers"}
#: Nested derivatives of a higher order take seconds.
NESTED = {"matrices", "scan"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.sweep(keep=0)] if n in LONG else []) for n in FUNCTIONS],
)
def test_derivatives_along_a_curve_are_those_of_nested_forward_mode(name):
    f = FUNCTIONS[name]
    order = 3 if name in LONG | NESTED else ORDER
    value, series = anvl.jet(f, (X,), (SERIES[:order],))
    wanted = nested(f, order)
    np.testing.assert_allclose([value, *series], np.asarray(wanted[: order + 1]), LIMIT, LIMIT)


def count(f, order):
    text = anvl.jit(lambda x: anvl.jet(f, (x,), ([1.0, *[0.0] * (order - 1)],))[1][-1]).lower(X)
    return len(re.findall(r"= \"?stablehlo\.", text.mlir()))


@pytest.mark.parametrize("name", ["product", "tanh", "while"])
def test_the_cost_grows_by_the_square_of_the_order(name):
    counts = {n: count(FUNCTIONS[name], n) for n in (2, 4, 8)}
    # Each doubling of n costs four times as much at most, and not the square.
    assert counts[4] < 4 * counts[2] and counts[8] < 4 * counts[4]


def test_the_fifth_derivative_has_at_most_100_ops():
    assert count(FUNCTIONS["product"], 5) <= 75


def test_several_arguments_trees_and_integers():
    def f(p, n, y):
        return {"a": p["u"] * y**n, "b": anp.floor(p["u"]).astype("int32"), "c": y}

    primals = ({"u": np.array([0.5, 2.0])}, 3, 1.5)
    value, series = anvl.jet(f, primals, ([{"u": np.ones(2)}, None], None, [2.0, 0.5]))
    u, y = primals[0]["u"], 1.5
    np.testing.assert_allclose(value["a"], u * y**3)
    np.testing.assert_allclose(series[0]["a"], y**3 + u * 3 * y**2 * 2, LIMIT)
    second = 2 * 3 * y**2 * 2 + u * (6 * y * 4 + 3 * y**2 * 0.5)
    np.testing.assert_allclose(series[1]["a"], second, LIMIT)
    assert [s["b"] for s in series] == [None, None]
    assert [float(s["c"]) for s in series] == [2.0, 0.5]


def test_it_is_transformed_and_transforms():
    f = FUNCTIONS["product"]
    third = lambda x: anvl.jet(f, (x,), ([1.0, 0.0, 0.0],))[1][2]  # noqa: E731
    g = f
    for _ in range(3):
        g = anvl.grad(g)
    np.testing.assert_allclose(third(X), g(X), LIMIT)
    xs = np.array([0.2, 0.6, 1.1])
    np.testing.assert_allclose(anvl.jit(anvl.vmap(third))(xs), anvl.vmap(g)(xs), LIMIT)
    np.testing.assert_allclose(anvl.grad(third)(X), anvl.grad(g)(X), LIMIT)
    np.testing.assert_allclose(anvl.jvp(third, (X,), (2.0,))[1], 2 * anvl.grad(g)(X), LIMIT)
    inner = lambda x: anvl.jet(anvl.vmap(f), (x,), ([np.ones(3), None],))[1][1]  # noqa: E731
    np.testing.assert_allclose(inner(xs), anvl.vmap(anvl.grad(anvl.grad(f)))(xs), LIMIT)
    scaled = anvl.jit(lambda s: anvl.jet(lambda x: s * x**2, (s,), ([1.0, 0.0],))[1][1])
    np.testing.assert_allclose(scaled(3.0), 6.0)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: anvl.jet(3, (1.0,), ([1.0],)), TypeError, "jet: takes a function, got 3"),
        (lambda: anvl.jet(anp.sin, 1.0, ([1.0],)), TypeError, "jet: primals are 1.0 of type float"),
        (lambda: anvl.jet(anp.sin, (1.0,), 1.0), TypeError, "jet: series are 1.0 of type float"),
        (
            lambda: anvl.jet(anp.sin, (1.0,), (1.0,)),
            TypeError,
            "series has 1.0 of type float for an",
        ),
        (lambda: anvl.jet(anp.sin, (1.0,), ()), ValueError, "series has 0 entries for 1 arguments"),
        (lambda: anvl.jet(anp.sin, (1.0,), ([],)), ValueError, "series of sin have 0 derivatives"),
        (lambda: anvl.jet(anp.sin, (1.0,), (None,)), ValueError, "have no derivatives; give"),
        (
            lambda: anvl.jet(anp.add, (1.0, 2.0), ([1.0], [1.0, 2.0])),
            ValueError,
            "have 1, 2 derivatives; give equally many",
        ),
        (
            lambda: anvl.jet(anp.sin, (np.ones(2),), ([np.ones(3)],)),
            TypeError,
            r"jet: the derivative of x of sin is f64\[3\]",
        ),
        (
            lambda: anvl.jet(lambda n: n * 2, (np.arange(2),), ([np.ones(2)],)),
            TypeError,
            "only floats have a derivative",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_an_op_without_a_tangent_is_named(monkeypatch):
    monkeypatch.setattr(OPS["anvl.cumprod"], "tangent", classmethod(AnvlOp.tangent.__func__))
    with pytest.raises(anvl.MissingRule, match=r"anvl.cumprod at .* has no Taylor series: it"):
        anvl.jet(anp.cumprod, (np.ones(2),), ([np.ones(2)],))


def test_a_planted_fault_is_found(monkeypatch):
    rules = OPS["anvl.div"]

    def wrong(cls, k, xs, z):
        return rules.build(xs[0][k], xs[1][0]) if xs[0][k] is not None else None

    monkeypatch.setattr(rules, "taylor", classmethod(wrong))
    with pytest.raises(AssertionError):
        test_derivatives_along_a_curve_are_those_of_nested_forward_mode("quotient")
