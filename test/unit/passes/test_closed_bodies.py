"""Bodies keep their constants where MLIR's `cse` and other programs put them outside.

Without that these end the process: a batch of a body that reads a value of another function.
"""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp

X = np.arange(6.0).reshape(2, 3)


def larger(a, b):
    return anp.maximum(a + 2.0, b + 2.0) - 2.0


def looped(x):
    """A loop whose step has 2.0 twice: outside of the body, and before that, inside."""

    def step(carry, _):
        c, s = carry
        s = anp.sin(s) * 2.0
        y = anvl.reduce(larger, c, -np.inf, axis=0)
        return (anp.sin(c) * s + y, s), None

    return anp.sum(anvl.scan(step, (x, anp.asarray(1.0, "f64")), None, length=3)[0][0])


def slope_squared(x):
    return anp.sum(anvl.grad(looped)(x) ** 2)


@pytest.mark.parametrize(
    "f", [anvl.grad(looped), anvl.grad(slope_squared), anvl.grad(anvl.checkpoint(looped))]
)
def test_a_batch_of_derivatives_is_that_of_each(f):
    found = anvl.vmap(f)(X)
    wanted = np.stack([np.asarray(f(x)) for x in X])
    np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM))


SORT = """
func.func private @ordered(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.subtract %zero, %a : tensor<f64>
    %d = stablehlo.subtract %zero, %b : tensor<f64>
    %e = stablehlo.compare LT, %c, %d : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %e : tensor<i1>
  }) : (tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}
func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%k = %i, %y = %x) : tensor<i32>, tensor<3xf64>
  cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %z = func.call @ordered(%y) : (tensor<3xf64>) -> tensor<3xf64>
    %l = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %l, %z : tensor<i32>, tensor<3xf64>
  }
  return %r#1 : tensor<3xf64>
}
"""


def test_a_comparator_of_another_program_may_read_constants_around_it(tmp_path):
    """So does each `sort` in a program of `jax.export`."""
    path = tmp_path / "sort.mlir"
    path.write_text(SORT)
    f = anvl.load(path)
    np.testing.assert_array_equal(anvl.vmap(f)(X), X[:, ::-1])
    slopes = anvl.vmap(anvl.grad(lambda x: anp.sum(f(x) * X[0])))(X)
    np.testing.assert_array_equal(slopes, np.stack([X[0, ::-1]] * 2))
