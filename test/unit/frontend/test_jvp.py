"""`jvp`: numbers, structure, nesting, errors."""

import re

import numpy as np
import pytest
from tolerances import ITERATION, rounding

import anvl
import anvl.numpy as anp

X = np.linspace(-1.0, 1.0, 6).reshape(2, 3)
T = np.cos(np.arange(6.0)).reshape(2, 3)


def close(found, expected, rtol=rounding(ITERATION)):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=rounding(ITERATION))


def network(params, x):
    hidden = anp.tanh(x @ params["w"] + params["b"])
    return {"out": anp.sum(hidden**2, axis=1), "norms": (anp.sqrt(anp.sum(hidden**2) + 1.0),)}


PARAMS = {"w": np.arange(6.0).reshape(3, 2) / 6, "b": np.asarray([0.1, -0.2])}
DIRECTION = {"w": np.ones((3, 2)), "b": np.asarray([0.5, -1.0])}


def differences(f, primals, tangents, eps=1e-6):
    """(f(x + e t) - f(x - e t)) / 2e, leaf by leaf."""

    def at(e):
        moved = anvl.tree.map(lambda x, t: x + e * t, primals, tangents)
        return f(*moved)

    return anvl.tree.map(
        lambda a, b: (np.asarray(a) - np.asarray(b)) / (2 * eps), at(eps), at(-eps)
    )


@pytest.mark.parametrize("wrap", [lambda f: f, anvl.jit])
def test_tangents_are_differences_of_values(wrap):
    def f(primals, tangents):
        return anvl.jvp(network, primals, tangents)

    value, tangent = wrap(f)((PARAMS, X), (DIRECTION, T))
    expected = differences(network, (PARAMS, X), (DIRECTION, T))
    assert anvl.tree.structure(tangent) == anvl.tree.structure(value)
    close(value["out"], network(PARAMS, X)["out"])
    close(tangent["out"], expected["out"], rtol=1e-6)
    close(tangent["norms"][0], expected["norms"][0], rtol=1e-6)


def test_what_does_not_move_is_none_and_costs_no_op():
    zeros = {"w": np.zeros((3, 2)), "b": DIRECTION["b"]}
    _, expected = anvl.jvp(network, (PARAMS, X), (zeros, np.zeros_like(X)))
    _, found = anvl.jvp(network, (PARAMS, X), ({"w": None, "b": DIRECTION["b"]}, None))
    close(found["out"], expected["out"])

    def products(tangents):
        text = anvl.jit(lambda p, x: anvl.jvp(network, (p, x), tangents)).lower(PARAMS, X).mlir()
        return text.count("stablehlo.dot_general")

    assert products(({"w": None, "b": DIRECTION["b"]}, None)) == 1
    assert products((DIRECTION, None)) == 2


def test_a_whole_argument_may_stay_where_it_is():
    _, tangent = anvl.jvp(network, (PARAMS, X), (None, T))
    close(tangent["out"], anvl.jvp(network, (PARAMS, X), (ZEROS, T))[1]["out"])


ZEROS = {"w": np.zeros((3, 2)), "b": np.zeros(2)}


def test_integers_and_plain_values_have_no_tangent():
    def f(x, n, mode):
        assert mode == "double" or mode is None
        return x * 2 * n, n + 1, x > 0

    (y, m, sign), (ty, tm, ts) = anvl.jvp(f, (3.0, np.int32(2), "double"), (1.0, None, None))
    assert (y.item(), m.item(), sign.item()) == (12.0, 3, True)
    assert ty.item() == 4.0
    assert tm is None
    assert ts is None


def test_numbers_as_tangents_take_the_dtype_of_what_moves():
    _, tangent = anvl.jvp(lambda x: x * 3.0, (np.float64(1.0),), (0.1,))
    assert tangent.dtype == np.float64
    assert tangent.item() == 0.1 * 3.0
    _, tangent = anvl.jvp(lambda x: x * 3.0, (np.float32(1.0),), (1,))
    assert tangent.dtype == np.float32
    inside = anvl.jit(lambda x, t: anvl.jvp(lambda x: x * 3, (x,), (t,))[1])
    assert inside(np.float64(2.0), 0.5).item() == 1.5
    assert inside(np.float64(2.0), 0.5).dtype == np.float64


def test_a_result_that_does_not_depend_has_a_tangent_of_zeros():
    _, (first, second) = anvl.jvp(lambda x, y: (y, 3.0 * np.ones(2)), (X, X[0]), (T, None))
    close(first, np.zeros(3))
    close(second, np.zeros(2))


def test_complex_numbers():
    z, t = np.complex128(1 + 2j), np.complex128(0.5 - 1j)
    _, tangent = anvl.jvp(lambda z: z**2, (z,), (t,))
    close(tangent, 2 * z * t)
    _, tangent = anvl.jvp(lambda z: anp.real(z * anp.conj(z)), (z,), (t,))
    close(tangent, 2 * (z * np.conj(t)).real)


def test_tangents_of_closed_over_values_are_those_of_the_outer_function():
    def outer(x):
        return anvl.jvp(lambda y: x * y * y, (3.0,), (1.0,))[1]  # 6 x

    assert outer(np.float64(2.0)).item() == 12.0
    close(anvl.jit(outer)(np.float64(2.0)), 12.0)
    close(anvl.jvp(outer, (np.float64(2.0),), (1.0,))[1], 6.0)
    close(anvl.grad(outer)(np.float64(2.0)), 6.0)


def test_the_example_of_the_relax_document():
    def f(x):
        lv1 = x
        lv2 = lv1 + x
        lv3 = lv2 + lv1
        return anp.sum(lv3)

    assert anvl.jvp(f, (X,), (np.ones_like(X),))[1].item() == 18.0
    close(anvl.grad(f)(X), np.full_like(X, 3.0))


def test_orders_of_forward_mode_nest():
    f = anp.sin
    for k, expected in enumerate([np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x)]):
        close(f(np.float64(0.7)), expected(0.7))
        close(anvl.jit(f)(np.float64(0.7)), expected(0.7))
        f = (lambda inner: lambda x: anvl.jvp(inner, (x,), (1.0,))[1])(f)
        assert k < 4


def test_tangent_ops_have_the_line_of_their_op_and_its_name():
    def f(x):
        doubled = anp.sin(x)
        return doubled

    lowered = anvl.jit(lambda x: anvl.jvp(f, (x,), (x,))[1]).lower(np.float64(1.0))
    assert "anvl.jvp = {" in lowered.mlir("anvl")
    assert "anvl.jvp" not in lowered.mlir("forward")
    assert "%doubled_tangent = " in lowered.mlir("forward")
    assert "test_jvp.py" in lowered.mlir("forward", debug_info=True)


def test_the_graph_says_what_is_asked_for():
    graph = str(anvl.trace(lambda x: anvl.jvp(anp.sin, (x,), (x,)), anvl.aval("f32")))
    assert "jvp [callee = @sin, wrt = 0] (%x1, %x1)" in graph


# Errors


def f(x, y):
    return anp.sum(x) * y


@pytest.mark.parametrize(
    ("primals", "tangents", "kind", "message"),
    [
        (X, T, TypeError, "jvp: primals are array"),
        ((X, 1.0), X, TypeError, "jvp: tangents are array"),
        ((X, 1.0), (T,), ValueError, "at tangents: tuple of 1 for tuple of 2; give one for each"),
        ((X, 1.0), ({"a": T}, 1.0), ValueError, "at tangents[0]: dict with keys ['a'] for a leaf"),
        (({"a": X}, 1.0), (T, 1.0), ValueError, "at tangents[0]: an array for {'a': "),
        ((X, 1.0), (T[0], 1.0), TypeError, "the tangent of x of f is f64[3], but x is f64[2,3]"),
        ((X, 1.0), (T.astype("f4"), None), TypeError, "is f32[2,3], but x is f64[2,3]; give"),
        ((X, 3), (T, 1.0), TypeError, "y of f is i32?[]; only floats have a derivative: give None"),
        ((X, 1.0), (T, "up"), TypeError, "the tangent of y: takes arrays and numbers, got 'up'"),
        ((X, 1.0), (T, 1j), TypeError, "the tangent of y of f is c64?[], but y is f32?[]"),
        ((X, "s"), (T, 1.0), ValueError, "at tangents[1]: an array for 's'"),
    ],
)  # fmt: skip
def test_wrong_tangents_are_refused(primals, tangents, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        anvl.jvp(f, primals, tangents)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="jvp: takes a function, got 3 of type int"):
        anvl.jvp(3, (X,), (T,))


def test_a_missing_rule_is_named_with_its_line():
    def order(x):
        return anp.sum(anvl.prim.polygamma(x, x))

    with pytest.raises(anvl.MissingRule, match=r"anvl-forward: @order: 1 of the ops .*(\n.*)*wrt"):
        anvl.jvp(order, (np.ones(2),), (np.ones(2),))
