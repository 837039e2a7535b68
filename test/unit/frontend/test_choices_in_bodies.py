"""Choices in the bodies of ops: reductions, windows, maps, comparators."""

import numpy as np
import pytest
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as anp
from anvl import prim

X = np.array([3.0, 5.0, -1.0, 4.0])
ZERO = np.float64(0)


def chosen(a, b):
    return anvl.cond(a > b, lambda a, b: a * 1.5, lambda a, b: anp.sin(b) + a, a, b)


def selected(a, b):
    return anp.where(a > b, a * 1.5, anp.sin(b) + a)


def switched(a, b):
    first, second = (lambda a, b: anp.sin(b) + a), (lambda a, b: a * 1.5)
    return anvl.switch(anp.asarray(a > b).astype("i32"), [first, second], a, b)


def nested(a, b):
    def larger():
        return anvl.cond(a > 4.0, lambda: a * 1.5, lambda: a * 1.5)

    return anvl.cond(a > b, larger, lambda: anp.sin(b) + a)


def reduced(body):
    return lambda x: prim.reduce(x, ZERO, body=body, dimensions=(0,))[0]


def windows(body):
    return lambda x: prim.reduce_window(x, ZERO, body=body, window_dimensions=(2,))[0]


def mapped(body):
    return lambda x: prim.map(x, x[::-1], computation=body, dimensions=(0,), dtype="f64")


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("host", [reduced, windows, mapped])
@pytest.mark.parametrize("body", [chosen, switched, nested])
def test_a_choice_is_what_where_is(host, body):
    f, wanted = host(body), host(selected)
    np.testing.assert_array_equal(f(X), wanted(X))
    np.testing.assert_array_equal(anvl.jit(f)(X), wanted(X))
    slope = anvl.grad(lambda x: anp.sum(f(x)))
    wanted_slope = anvl.grad(lambda x: anp.sum(wanted(x)))
    np.testing.assert_allclose(slope(X), wanted_slope(X), rtol=rounding(FORMULA))
    np.testing.assert_allclose(
        anvl.grad(lambda x: anp.sum(slope(x) ** 2))(X),
        anvl.grad(lambda x: anp.sum(wanted_slope(x) ** 2))(X),
        rtol=rounding(FORMULA),
    )
    moved = anvl.jvp(f, (X,), (X,))[1]
    np.testing.assert_allclose(moved, anvl.jvp(wanted, (X,), (X,))[1], rtol=rounding(FORMULA))
    both = np.stack([X, -X])
    np.testing.assert_allclose(
        anvl.vmap(slope)(both), anvl.vmap(wanted_slope)(both), rtol=rounding(FORMULA)
    )


def test_the_side_that_is_not_taken_has_no_derivative():
    def body(a, b):
        return anvl.cond(b > 0.0, lambda: a + anp.sqrt(anp.abs(b)), lambda: a)

    x = np.array([4.0, 0.0])
    np.testing.assert_allclose(anvl.grad(reduced(body))(x), [0.25, 0.0])


def test_a_comparator():
    def smaller(a, b):
        return anvl.cond(anp.abs(a) == anp.abs(b), lambda: a < b, lambda: anp.abs(a) < anp.abs(b))

    (found,) = prim.sort(X, comparator=smaller, dimension=0)
    np.testing.assert_array_equal(found, [-1, 3, 4, 5])


def test_a_graph_shows_it():
    text = str(anvl.trace(reduced(chosen), X))
    assert "select(" in text
    assert " if(" not in text


TEXT = """
func.func @main(%x: tensor<4xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %y = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %larger = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %c = "stablehlo.if"(%larger) ({
      stablehlo.return %a : tensor<f64>
    }, {
      stablehlo.return %b : tensor<f64>
    }) : (tensor<i1>) -> tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) {dimensions = array<i64: 0>} : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
"""


def test_a_choice_of_stablehlo_in_a_body_is_one_too():
    f = anvl.from_stablehlo(TEXT)
    assert float(f(X)) == 5.0
    np.testing.assert_array_equal(anvl.vmap(f)(np.stack([X, -X])), [5, 1])
    np.testing.assert_array_equal(anvl.grad(f)(X), [0, 1, 0, 0])
