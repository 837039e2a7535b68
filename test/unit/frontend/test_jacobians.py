"""`vjp`, `jacfwd`, `jacrev`, `hessian`, `stop_gradient`: numbers, structure, errors."""

import re

import numpy as np
import pytest
from tolerances import FORMULA, ITERATION, rounding

import anvl
import anvl.numpy as anp

X = np.linspace(0.2, 1.4, 3)
Y = np.asarray([[1.0, -2.0], [0.5, 3.0]])


def close(found, expected, rtol=rounding(ITERATION)):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=rounding(ITERATION))


def f(x, y):
    return {"grid": anp.sin(x)[:, None] * y[0], "sum": anp.sum(x) ** 2 * anp.sum(y)}


def blocks(x, y):
    """The Jacobian of f, written out: [result][argument]."""
    grid_x = np.einsum("i,j,ik->ijk", np.cos(x), y[0], np.eye(3))
    grid_y = np.zeros((3, 2, 2, 2))
    grid_y[:, :, 0, :] = np.einsum("i,jk->ijk", np.sin(x), np.eye(2))
    sum_x = np.full(3, 2 * x.sum() * y.sum())
    sum_y = np.full((2, 2), x.sum() ** 2)
    return {"grid": (grid_x, grid_y), "sum": (sum_x, sum_y)}


# vjp


@pytest.mark.parametrize("wrap", [lambda f: f, anvl.jit])
def test_pullbacks_scale_the_rows_of_the_jacobian(wrap):
    def pulled(x, y, g):
        value, pullback = anvl.vjp(f, x, y)
        return value, pullback(g)

    g = {"grid": np.cos(np.arange(6.0)).reshape(3, 2), "sum": np.float64(0.3)}
    value, (gx, gy) = wrap(pulled)(X, Y, g)
    close(value["grid"], np.sin(X)[:, None] * Y[0])
    expected = blocks(X, Y)
    close(gx, np.einsum("ij,ijk->k", g["grid"], expected["grid"][0]) + 0.3 * expected["sum"][0])
    close(gy, np.einsum("ij,ijkl->kl", g["grid"], expected["grid"][1]) + 0.3 * expected["sum"][1])


def test_a_pullback_may_be_called_again_and_of_parts():
    _, pullback = anvl.vjp(f, X, Y)
    close(pullback({"grid": None, "sum": 1.0})[0], blocks(X, Y)["sum"][0])
    close(
        pullback({"grid": None, "sum": 0.1})[0],
        0.1 * blocks(X, Y)["sum"][0],
        rtol=rounding(FORMULA),
    )
    zeros = pullback(None)
    close(zeros[0], np.zeros(3))
    close(anvl.jit(lambda x: anvl.vjp(f, x, Y)[1](None)[1])(X), np.zeros((2, 2)))


def test_what_has_no_derivative_has_no_cotangent():
    value, pullback = anvl.vjp(lambda x, n, mode: (x * n, n), 2.0, 3, "mode")
    assert (value[0].item(), value[1].item()) == (6.0, 3)
    gx, gn, gmode = pullback((1.0, None))
    assert gx.item() == 3.0
    assert gn is None
    assert gmode is None


def test_a_batch_of_pullbacks_of_one_call():
    def rows(x):
        _, pullback = anvl.vjp(lambda x: anp.sin(x) * x[0], x)
        return anvl.vmap(pullback)(np.eye(3))[0]

    expected = np.diag(np.cos(X) * X[0])
    expected[:, 0] += np.sin(X)
    close(rows(X), expected)
    close(anvl.jit(rows)(X), expected)


@pytest.mark.parametrize(
    ("cotangent", "kind", "message"),
    [
        (1.0, ValueError, "the cotangents of f differ in structure from the values: at cotangents"),
        ({"grid": None}, ValueError, "dict with keys ['grid'] for dict with keys ['grid', 'sum']"),
        (
            {"grid": X, "sum": None},
            TypeError,
            "the cotangent of result['grid'] of f is f64[3], but",
        ),
    ],
)
def test_wrong_cotangents_are_refused(cotangent, kind, message):
    for wrap in (lambda f: f, anvl.jit):
        with pytest.raises(kind, match=re.escape(message)):
            wrap(lambda x: anvl.vjp(f, x, Y)[1](cotangent))(X)


# Jacobians


@pytest.mark.parametrize("jacobian", [anvl.jacfwd, anvl.jacrev])
@pytest.mark.parametrize("wrap", [lambda f: f, anvl.jit])
def test_jacobians_have_the_structure_of_results_and_in_it_of_arguments(jacobian, wrap):
    expected = blocks(X, Y)
    found = wrap(jacobian(f, wrt=("y", 0)))(X, Y)
    for name in ("grid", "sum"):
        close(found[name][1], expected[name][0])
        close(found[name][0], expected[name][1])
    close(wrap(jacobian(f))(X, y=Y)["grid"], expected["grid"][0])


@pytest.mark.parametrize("jacobian", [anvl.jacfwd, anvl.jacrev])
def test_jacobians_of_trees_plain_values_and_nothing(jacobian):
    def g(params, mode):
        assert mode == "m"
        return params["a"] * params["b"]

    found = jacobian(g)({"a": X, "b": np.float64(2.0)}, "m")
    close(found["a"], 2 * np.eye(3))
    close(found["b"], X)
    assert jacobian(lambda x: {"a": x["b"], "c": ()})({"b": np.zeros(0)})["a"]["b"].shape == (0, 0)
    assert jacobian(lambda x, y: [y, y])({}, 1.0) == [{}, {}]


@pytest.mark.parametrize("jacobian", [anvl.jacfwd, anvl.jacrev])
def test_jacobians_close_over_traced_values(jacobian):
    found = anvl.jit(lambda s: jacobian(lambda x: x * s)(s))(X)
    close(found, np.diag(X))


@pytest.mark.sweep(keep=2, part=1)
@pytest.mark.parametrize("outer", [anvl.jacfwd, anvl.jacrev])
@pytest.mark.parametrize("inner", [anvl.jacfwd, anvl.jacrev])
def test_second_derivatives_agree_in_all_four_orders(outer, inner):
    def g(x):
        return anp.sum(anp.exp(x[0] * x) * anp.sin(x[1]))

    expected = anvl.hessian(g)(X)
    close(expected, np.asarray(expected).T)
    close(outer(inner(g))(X), expected)
    close(anvl.jit(outer(inner(g)))(X), expected)
    eps = 1e-6
    differences = [
        (np.asarray(anvl.grad(g)(X + eps * e)) - np.asarray(anvl.grad(g)(X - eps * e))) / (2 * eps)
        for e in np.eye(3)
    ]
    close(expected, differences, rtol=1e-6)


def test_the_hessian_of_a_tree_has_blocks():
    def g(p):
        return anp.sum(p["a"] ** 2 * p["b"])

    found = anvl.hessian(g)({"a": X, "b": np.float64(2.0)})
    close(found["a"]["a"], 4 * np.eye(3))
    close(found["a"]["b"], 2 * X)
    close(found["b"]["a"], 2 * X)
    close(found["b"]["b"], 0.0)


@pytest.mark.parametrize("jacobian", [anvl.jacfwd, anvl.jacrev, anvl.hessian])
@pytest.mark.parametrize(
    ("g", "options", "args", "kind", "message"),
    [
        (f, {}, (np.arange(3), Y), TypeError, "x of f is i64[3]; only real floats have a Jacobian"),
        (
            f,
            {"wrt": "z"},
            (X, Y),
            ValueError,
            "wrt 'z' names nothing of f; there are the arguments",
        ),
        (f, {"wrt": ()}, (X, Y), ValueError, "wrt names no argument of f"),
        (f, {"wrt": (1, "y")}, (X, Y), ValueError, "wrt (1, 'y') names an argument of f twice"),
        (f, {"wrt": 1}, (X, "s"), TypeError, "y of f is 's'; only real floats have a Jacobian"),
        (f, {}, (1j, Y), TypeError, "x of f is c64?[]; only real floats have a Jacobian"),
        (lambda x: x > 0, {}, (X,), TypeError, "is bool[3]; only real floats have a Jacobian"),
    ],
)
def test_what_has_no_jacobian_is_refused(jacobian, g, options, args, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        jacobian(g, **options)(*args)


def test_what_is_no_function_is_refused():
    for transform in (anvl.vjp, anvl.jacfwd, anvl.jacrev, anvl.hessian):
        with pytest.raises(TypeError, match=r": takes a function, got 3 of type int"):
            transform(3)


# stop_gradient


def test_a_stopped_gradient_is_zero_in_every_mode():
    def g(x):
        return x * anvl.stop_gradient(x)

    x = np.float64(3.0)
    close(anvl.grad(g)(x), 3.0)
    close(anvl.jvp(g, (x,), (1.0,))[1], 3.0)
    close(anvl.hessian(g)(x), 0.0)
    close(anvl.vmap(anvl.grad(g))(X), X)


def test_gradients_of_trees_are_stopped():
    found = anvl.stop_gradient({"a": (X, 1), "b": None})
    close(found["a"][0], X)
    assert found["b"] is None
    close(anvl.grad(lambda p: anp.sum(anvl.stop_gradient(p)["a"]))({"a": X})["a"], np.zeros(3))
    with pytest.raises(TypeError, match="takes arrays and numbers, got 'x' of type str"):
        anvl.stop_gradient("x")
