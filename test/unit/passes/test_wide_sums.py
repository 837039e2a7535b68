"""Sums over leading axes whose results are large, as products with ones."""

import numpy as np
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as anp

CASES = [((7, 20_000), 0), ((2, 6, 17_000), 1), ((3, 2, 9_000, 2), (0, 1)), ((5, 17_000), 0)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_wide_sums_are_products(shape, axes, dtype):
    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    total = anvl.jit(lambda x: anp.sum(x, axis=axes))
    assert "stablehlo.dot_general" in total.lower(x).mlir()
    assert_close(total(x), np.sum(x.astype(np.float64), axis=axes).astype(dtype), PROGRAM)


def test_a_sum_over_axes_that_are_apart_stays():
    x = np.random.default_rng(0).normal(size=(3, 2, 4, 17_000))
    total = anvl.jit(lambda x: anp.sum(x, axis=(0, 2)))
    assert "stablehlo.dot_general" not in total.lower(x).mlir()
    assert_close(total(x), np.sum(x, axis=(0, 2)), PROGRAM)


def test_what_is_not_finite_stays_in_its_column():
    x = np.ones((6, 20_000), np.float32)
    x[2, 5], x[4, 6], x[3, 7], x[0, 8], x[1, 8] = np.nan, np.inf, -np.inf, np.inf, -np.inf
    x[:, 9] = np.finfo(np.float32).max
    x[:, 10] = -0.0
    with np.errstate(all="ignore"):
        wanted = np.sum(x, axis=0)
    np.testing.assert_array_equal(np.asarray(anvl.jit(lambda x: anp.sum(x, axis=0))(x)), wanted)


def test_means_variances_and_derivatives():
    x = np.random.default_rng(0).normal(size=(8, 20_000))
    assert_close(anvl.jit(lambda x: anp.mean(x, axis=0))(x), x.mean(0), PROGRAM)
    assert_close(anvl.jit(lambda x: anp.var(x, axis=0))(x), x.var(0), PROGRAM)
    slope = anvl.jit(anvl.grad(lambda w, x: anp.sum((x * w) ** 2)))
    assert_close(slope(x[0], x), 2 * x[0] * np.sum(x * x, axis=0), PROGRAM)


def test_a_sum_from_minus_zero_on_stays():
    """Of zeros with that sign it is one, where a product with ones is 0."""
    text = """func.func @main(%x: tensor<6x20000xf32>) -> tensor<20000xf32> {
      %s = stablehlo.constant dense<-0.0> : tensor<f32>
      %y = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0]
          : (tensor<6x20000xf32>, tensor<f32>) -> tensor<20000xf32>
      return %y : tensor<20000xf32>
    }"""
    total = anvl.jit(anvl.from_stablehlo(text))
    assert "stablehlo.dot_general" not in total.lower(np.ones((6, 20_000), np.float32)).mlir()


def test_a_sum_that_starts_elsewhere_stays():
    text = """func.func @main(%x: tensor<6x20000xf32>, %s: tensor<f32>) -> tensor<20000xf32> {
      %y = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0]
          : (tensor<6x20000xf32>, tensor<f32>) -> tensor<20000xf32>
      return %y : tensor<20000xf32>
    }"""
    x = np.random.default_rng(0).normal(size=(6, 20_000)).astype(np.float32)
    found = anvl.jit(anvl.from_stablehlo(text))(x, np.float32(3))
    assert_close(found, np.sum(x, axis=0) + 3, PROGRAM)


@pytest.mark.parametrize(("added", "factor"), [("%b, %b", 2), ("%a, %a", 0)])
def test_a_reduction_that_adds_one_element_twice_is_no_sum(added, factor):
    """The order is the implementation's; XLA's is that of the elements, of any size."""
    text = """func.func @main(%x: tensor<6x20000xf32>) -> tensor<20000xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %y = stablehlo.reduce(%x init: %zero) across dimensions = [0]
          : (tensor<6x20000xf32>, tensor<f32>) -> tensor<20000xf32>
        reducer(%a: tensor<f32>, %b: tensor<f32>) {
          %s = stablehlo.add ADDED : tensor<f32>
          stablehlo.return %s : tensor<f32>
        }
      return %y : tensor<20000xf32>
    }"""
    x = np.random.default_rng(0).normal(size=(6, 20_000)).astype(np.float32)
    found = np.asarray(anvl.jit(anvl.from_stablehlo(text.replace("ADDED", added)))(x))
    np.testing.assert_array_equal(found, factor * x[-1])
