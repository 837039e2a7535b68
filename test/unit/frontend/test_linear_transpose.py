"""`linear_transpose`, `closure_convert`, `hvp`: numbers, every order of transformations, errors."""

import re

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

A = np.cos(np.arange(6.0)).reshape(2, 3)
X = np.linspace(0.2, 1.4, 3)
G = np.asarray([1.0, -2.0])
WRAPS = [lambda f: f, anvl.jit]


def close(found, expected, rtol=rounding(ITERATION)):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=rounding(PROGRAM))


# linear_transpose


def product(x):
    return A @ x


@pytest.mark.parametrize("example", [X, anvl.aval("f64", (3,))])
@pytest.mark.parametrize("wrap", WRAPS)
def test_the_transpose_of_a_matrix_product(wrap, example):
    (found,) = wrap(anvl.linear_transpose(product, example))(G)
    close(found, A.T @ G)
    (found,) = wrap(lambda g: anvl.linear_transpose(product, example)(g))(G)
    close(found, A.T @ G)


LINEAR = {
    "indexing": lambda x: x[np.asarray([2, 0])],
    "masks": lambda x: anp.where(np.asarray([True, False, True]), 2 * x, 0),
    "scans": anp.cumsum,
    "fft": lambda x: anp.fft.ifft(anp.fft.fft(x) * np.asarray([1.0, 2j, 0])).real,
    "solve": lambda x: anp.linalg.solve(A.T @ A + np.eye(3), x),
    "jit": lambda x: anvl.jit(lambda y: 2 * y)(x),
    "jvp": lambda x: anvl.jvp(anp.sin, (X,), (x,))[1],
    "vjp": lambda x: anvl.vjp(anp.sin, X)[1](x)[0],
    "vmap": lambda x: anvl.vmap(lambda y: 2 * y)(x),
    "transpose": lambda x: anvl.linear_transpose(product, X)(x[:2])[0],
    "checkpoint": lambda x: anvl.checkpoint(lambda y: product(2 * y))(x),
    "an added constant": lambda x: 2 * x + 1,
    "a constant": lambda x: X,
    "dead ends": lambda x: 2 * x + 0 * anvl.stop_gradient(X) + [anp.sin(x), 0][1],
}


@pytest.mark.parametrize("name", LINEAR)
def test_the_transpose_pairs_as_the_function_does(name):
    f = LINEAR[name]
    f0 = np.asarray(f(np.zeros(3)))
    g = np.sin(np.arange(f0.size) + 1.0)
    (back,) = anvl.linear_transpose(f, X)(g)
    close(np.dot(back, X), np.dot(g, np.asarray(f(X)) - f0))


def test_transposes_of_complex_functions_do_not_conjugate():
    matrix = A + 1j * A[::-1]
    (back,) = anvl.linear_transpose(lambda x: matrix @ x, anvl.aval("c128", (3,)))(G + 2j)
    close(back, matrix.T @ (G + 2j))


def test_structures_plain_values_and_what_has_no_cotangent():
    def f(p, mode, y):
        assert mode == "m"
        return {"sum": 2 * p["a"] + y, "pair": (p["b"][0], y)}

    back = anvl.linear_transpose(f, {"a": 1.0, "b": [X]}, "m", 0.0)
    p, mode, y = back({"sum": 3.0, "pair": (X, None)})
    assert (p["a"].item(), mode, y.item()) == (6.0, None, 3.0)
    close(p["b"][0], X)
    close(anvl.jit(lambda: back({"sum": None, "pair": None}))()[0]["b"][0], np.zeros(3))


@pytest.mark.parametrize("wrap", WRAPS)
def test_transposes_under_every_transformation(wrap):
    back = anvl.linear_transpose(product, X)
    close(wrap(anvl.vmap(back))(np.eye(2))[0], A)
    slope = anvl.grad(lambda g: anp.sum(back(g)[0] ** 2))
    close(wrap(slope)(G), 2 * A @ A.T @ G)
    value, moved = wrap(lambda g: anvl.jvp(back, (g,), (2 * g,)))(G)
    close(moved[0], 2 * value[0])
    close(wrap(lambda x: anvl.linear_transpose(back, G)((x,))[0])(X), A @ X)
    close(wrap(anvl.jacrev(back))(G)[0], A.T)


@pytest.mark.parametrize("wrap", WRAPS)
def test_what_it_closes_over_may_be_differentiated_and_batched(wrap):
    def f(a, g):
        return anp.sum(anvl.linear_transpose(lambda x: a @ x, X)(g)[0] ** 2)

    expected = 2 * np.outer(G, A.T @ G)
    close(wrap(anvl.grad(f))(A, G), expected)
    close(wrap(anvl.vmap(anvl.grad(f), in_axes=(0, None)))(np.stack([A, A]), G), [expected] * 2)

    def once_and_again(a):
        back = anvl.linear_transpose(lambda x: a @ x, X)
        return back(G)[0] + anvl.vmap(lambda g: back(g)[0])(np.stack([G, G]))[1]

    close(wrap(once_and_again)(A), 2 * A.T @ G)


NOT_LINEAR = {
    "stablehlo.sort": anp.sort,
    "anvl.mul": lambda x: x * anp.sum(x),
    "anvl.div": lambda x: x / anp.sum(x),
    "anvl.sin": anp.sin,
    "anvl.max": lambda x: x - anp.max(x),
    "anvl.abs": anp.abs,
    "anvl.exp": lambda x: anp.exp(anp.log(x)),
    "anvl.floor": anp.floor,
    "anvl.compare": lambda x: anp.where(x > 0, x, 2 * x),
    "anvl.stop_gradient": anvl.stop_gradient,
    "anvl.convert": lambda x: x.astype("i32").astype("f64"),
}


@pytest.mark.parametrize("name", NOT_LINEAR)
@pytest.mark.parametrize("wrap", WRAPS)
def test_what_is_not_linear_is_refused_with_the_op_and_its_line(name, wrap):
    def f(x):
        return NOT_LINEAR[name](x)

    pattern = rf"@f is not linear in x: (the derivative of )?{re.escape(name)} at .*py.?:\d+:\d+ "
    with pytest.raises(anvl.PassError, match=pattern):
        wrap(anvl.linear_transpose(f, X))(X)


@anvl.custom_vjp
def double(x):
    return 2 * x


@anvl.custom_vjp
def wrong(x):
    return 2 * x


@double.defvjp
def _(primals, result, cotangent):
    return (2 * cotangent,)


@wrong.defvjp
def _(primals, result, cotangent):
    return (primals[0] * cotangent,)


def test_functions_with_rules_are_transposed_by_their_rules():
    both = anvl.linear_transpose(lambda x: anvl.vmap(double)(anvl.checkpoint(double)(x)), X)
    close(both(X)[0], 4 * X)
    with pytest.raises(
        anvl.PassError, match=r"@wrong is not linear in x: the derivative of \S+mul"
    ):
        anvl.linear_transpose(wrong, X)(X)
    with pytest.raises(anvl.PassError, match=r"is not linear in x: the derivative of anvl\.sin at"):
        anvl.linear_transpose(anvl.checkpoint(anp.sin), X)(X)


def test_functions_of_nothing_and_to_nothing():
    assert anvl.linear_transpose(lambda: 1.0)(1.0) == ()
    assert anvl.linear_transpose(lambda x: None, 1.0)(None)[0].item() == 0.0
    assert anvl.linear_transpose(lambda x: x, {})({}) == ({},)


def test_only_the_arguments_in_which_it_is_not_linear_are_named():
    with pytest.raises(anvl.PassError, match=r"is not linear in x, y: the derivative of anvl\.mul"):
        anvl.linear_transpose(lambda x, y, z: x * y + z, X, X, X)(X)
    with pytest.raises(anvl.PassError, match=r"is not linear in y: the derivative of anvl\.sin"):
        anvl.linear_transpose(lambda x, y: x + anp.sin(y), X, X)(X)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: anvl.linear_transpose(3), TypeError, "linear_transpose: takes a function, got 3"),
        (
            lambda: anvl.linear_transpose(product, np.arange(3)),
            TypeError,
            "linear_transpose: x of product is i64[3]; only floats have a transpose",
        ),
        (
            lambda: anvl.linear_transpose(lambda x: (x, x > 0), X),
            TypeError,
            "result[1] of <lambda> is bool[3]; only floats have a transpose",
        ),
        (
            lambda: anvl.linear_transpose(product, X)(X),
            TypeError,
            "the cotangent of result of product is f64[3], but result is f64[2]",
        ),
        (
            lambda: anvl.linear_transpose(product, X)((G,)),
            ValueError,
            "linear_transpose: the cotangents of product differ in structure from the values: at "
            "cotangents: tuple of 1 for a leaf",
        ),
    ],
)
def test_wrong_transposes_are_refused(call, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        call()


# closure_convert


def test_traced_values_become_arguments():
    @anvl.jit
    def g(a, x):
        f, consts = anvl.closure_convert(lambda p: anp.sum(a * p["u"]) * x, {"u": X})
        assert len(consts) == 2
        slopes = anvl.grad(lambda *c: f({"u": X}, *c), wrt=(0, 1))(*consts)
        return slopes, anvl.vmap(lambda u: f({"u": u}, *consts))(np.eye(3)), f({"u": X}, a, 1.0)

    (by_a, by_x), rows, value = g(A[0], 2.0)
    close(by_a, 2 * X), close(by_x, A[0] @ X, 1e-6), close(rows, 2 * A[0]), close(value, A[0] @ X)


def test_closures_of_derivatives_and_of_outer_traces():
    def outer(a):
        def inner(b):
            f, consts = anvl.closure_convert(lambda x: a * b * x, 1.0)
            return f(2.0, *consts) + anvl.grad(f)(2.0, *consts)

        return anvl.grad(inner)(a)

    assert anvl.grad(outer)(3.0).item() == 3.0
    close(anvl.vmap(anvl.grad(outer))(X), np.full(3, 3.0))


def test_outside_of_a_trace_there_is_nothing_to_convert():
    f, consts = anvl.closure_convert(product, X)
    assert consts == []
    close(f(X), A @ X), close(anvl.jit(f)(2 * X), 2 * A @ X)


def kept():
    """What was converted in a trace that has ended."""
    found = []

    def leak(a):
        found.append(anvl.closure_convert(lambda x: a * x, 1.0))
        return a

    anvl.jit(leak)(2.0)
    return found[0]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda f: f(), TypeError, "product takes 1 arguments, of which 0 are captured values"),
        (lambda f: f(G), TypeError, "x of product is f64[2], but was f64[3] when it was converted"),
        (lambda f: f((X,)), ValueError, "from those of the example: at x: tuple of 1 against a le"),
        (lambda f: f("x"), ValueError, "structure from those of the example: at x: 'x' against a"),
        (lambda f: anvl.closure_convert(3), TypeError, "closure_convert: takes a function, got 3"),
        (lambda f: kept()[0](1.0, 2.0), anvl.TraceError, "is called in another program than it"),
        (
            lambda f: anvl.jit(kept()[0])(1.0, 2.0),
            anvl.TraceError,
            "call closure_convert where the result is used",
        ),
    ],
)
def test_wrong_conversions_are_refused(call, kind, message):
    f, _ = anvl.closure_convert(product, X)
    with pytest.raises(kind, match=re.escape(message)):
        call(f)


# hvp


def quartic(p, n):
    return anp.sum(p["a"] ** 4) * p["b"] * n


@pytest.mark.parametrize("wrap", WRAPS)
def test_hessian_products_have_the_structure_of_the_arguments(wrap):
    p, t = {"a": X, "b": np.float64(2.0)}, {"a": G[0] * X, "b": np.float64(0.5)}
    found, n = wrap(lambda p, t: anvl.hvp(quartic, (p, 3), (t, None)))(p, t)
    assert n is None
    close(found["a"], 3 * (12 * X**2 * 2 * t["a"] + 4 * X**3 * 0.5))
    close(found["b"], 3 * np.sum(4 * X**3 * t["a"]))
    moved, _ = wrap(lambda p: anvl.hvp(quartic, (p, 3), ({"a": None, "b": 1.0}, None)))(p)
    close(moved["a"], 3 * 4 * X**3)


def test_hessian_products_are_products_with_the_hessian_in_every_order():
    def f(x):
        return anp.sum(anp.exp(x[0] * x) * anp.sin(x[1]))

    matrix = np.asarray(anvl.hessian(f)(X))
    columns = anvl.vmap(lambda t: anvl.hvp(f, (X,), (t,))[0])(np.eye(3))
    close(columns, matrix)
    third = anvl.grad(lambda x: anp.sum(anvl.hvp(f, (x,), (np.ones(3),))[0]))(X)
    close(third, anvl.grad(lambda x: anp.sum(anvl.hessian(f)(x)))(X))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: anvl.hvp(3, (), ()), TypeError, "hvp: takes a function, got 3"),
        (
            lambda: anvl.hvp(anp.sin, (X,), (X,)),
            TypeError,
            "hvp: sin returns f64[3], not one float scalar; reduce it",
        ),
        (
            lambda: anvl.hvp(anp.sum, (X,), (G,)),
            TypeError,
            "hvp: the tangent of x of sum is f64[2]",
        ),
        (
            lambda: anvl.hvp(lambda p: p["a"] * p["b"], ({"a": 1.0, "b": 2.0},), ({"a": 1.0},)),
            ValueError,
            "hvp: the tangents of <lambda> differ in structure from the values: at tangents[0]: "
            "dict with keys ['a'] for dict with keys ['a', 'b']",
        ),
        (lambda: anvl.hvp(anp.sum, X, X), TypeError, "hvp: primals are array("),
    ],
)
def test_wrong_products_are_refused(call, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        call()


# Structures that differ


def test_every_place_where_structures_differ_is_named():
    value = {"a": (1.0, 1.0), "b": {"c": 1.0}, "d": 1.0}
    given = {"a": (1.0,), "b": {"x": 1.0}, "d": 1.0}
    message = (
        "at {0}['a']: tuple of 1 for tuple of 2; at {0}['b']: dict with keys ['x'] for dict with "
        "keys ['c']; give one for each array"
    )
    for wrap in WRAPS:
        with pytest.raises(ValueError, match=re.escape(message.format("cotangents"))):
            wrap(lambda v: anvl.vjp(lambda v: v, v)[1](given))(value)
        with pytest.raises(ValueError, match=re.escape(message.format("tangents[0]"))):
            wrap(lambda v: anvl.jvp(lambda v: v, (v,), (given,)))(value)
