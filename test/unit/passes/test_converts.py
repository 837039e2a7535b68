"""Complex numbers and bools become others as StableHLO's specification says, constants too."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo


@pytest.mark.parametrize("start", [2j, -1.5 + 2j, 0j])
def test_constants_and_arguments_are_converted_alike(start):
    dtypes = ["f64", "f32", "i32", "bool"]
    text = f"""func.func @main(%x: tensor<complex<f64>>) -> (
        tensor<f64>, tensor<f32>, tensor<i32>, tensor<i1>,
        tensor<f64>, tensor<f32>, tensor<i32>, tensor<i1>) {{
      %c = stablehlo.constant dense<({start.real:e}, {start.imag:e})> : tensor<complex<f64>>
      %0 = stablehlo.convert %c : (tensor<complex<f64>>) -> tensor<f64>
      %1 = stablehlo.convert %c : (tensor<complex<f64>>) -> tensor<f32>
      %2 = stablehlo.convert %c : (tensor<complex<f64>>) -> tensor<i32>
      %3 = stablehlo.convert %c : (tensor<complex<f64>>) -> tensor<i1>
      %4 = stablehlo.convert %x : (tensor<complex<f64>>) -> tensor<f64>
      %5 = stablehlo.convert %x : (tensor<complex<f64>>) -> tensor<f32>
      %6 = stablehlo.convert %x : (tensor<complex<f64>>) -> tensor<i32>
      %7 = stablehlo.convert %x : (tensor<complex<f64>>) -> tensor<i1>
      return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<f64>, tensor<f32>, tensor<i32>, tensor<i1>,
        tensor<f64>, tensor<f32>, tensor<i32>, tensor<i1>
    }}"""
    found = anvl.from_stablehlo(text)(np.asarray(start))
    wanted = [start.real, start.real, int(start.real), start != 0]
    assert [y.item() for y in found] == wanted * 2
    assert [str(y.aval).partition("[")[0] for y in found] == dtypes * 2


def test_a_sum_of_no_complex_elements_is_a_constant_to_xla():
    empty, y = np.zeros((0, 4), complex), np.asarray(-0.15)
    assert anvl.jit(lambda x: anp.sum(x).astype("float64"))(empty).item() == 0
    slope = anvl.jit(lambda x, y: anvl.vjp(lambda y: anp.power(x, y), y)[1](x)[0])
    assert slope(empty, y).item() == 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_mask_keeps_what_is_not_finite(dtype):
    """XLA makes a choice of a product with a converted bool, where 0 * inf would be 0."""
    mask = np.array([False, True, False, True])
    y = np.asarray(anp.astype(np.array([np.inf, np.inf, np.nan, 2.0]), dtype))

    def masked(m, y):
        m = anp.astype(m, dtype)
        return m * y, m * np.inf, m / 0.0, anp.sqrt(y) * m, m * np.nan

    found = [np.asarray(y).astype(complex) for y in anvl.jit(masked)(mask, y)]
    wanted = ([True, False, True, False], [True, False, True, False], [True, False] * 2,
              [True, False, True, False], [True] * 4)  # fmt: skip
    assert [list(np.isnan(y)) for y in found] == list(wanted)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
def test_a_mask_of_repeated_numbers_keeps_their_signs_and_what_is_not_finite(dtype):
    """Note [Products with bools]: the zeros are products, too."""
    mask = np.array([[True, False, True], [False, True, False]] * 3)
    rows = np.array([-1.5, 0.0, -np.inf, np.nan, np.inf, -0.0])

    def masked(m, rows, scalar):
        m = anp.astype(m, dtype)
        rows, scalar = anp.astype(rows, dtype), anp.astype(scalar, dtype)
        return m * rows[:, None], (m * scalar) * -2.0, m * -1.5, anp.transpose(m) * rows

    with np.errstate(invalid="ignore"):
        m = mask.astype("f8")
        wanted = m * rows[:, None], m * -3.0 * -2.0, m * -1.5, m.T * rows
    found = anvl.jit(masked)(mask, rows, np.asarray(-3.0))
    for y, expected in zip(found, wanted, strict=True):
        y = np.asarray(y).astype("f8")
        np.testing.assert_array_equal(y, expected)
        is_number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(y)[is_number], np.signbit(expected)[is_number])


def test_a_mask_of_unknown_shape_is_converted_by_way_of_integers():
    """XLA leaves that alone too (the same with a shape is run)."""
    text = """func.func @main(%p: tensor<?xi1>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.convert %p : (tensor<?xi1>) -> tensor<?xf32>
      %1 = stablehlo.multiply %0, %y : tensor<?xf32>
      return %1 : tensor<?xf32>
    }"""
    module = ir.Module.parse(text, context())
    Pipeline([LowerToStablehlo("cpu")]).run(module, verify_each=True)
    once = module.operation.get_asm()
    assert "(tensor<?xi1>) -> tensor<?xui8>" in once and "(tensor<?xui8>) -> tensor<?xf32>" in once
    program = rt.compile(once.replace("?", "3"))
    inputs = np.array([True, False, False]), np.array([np.inf, np.inf, np.nan], "float32")
    (found,) = program.execute([rt.put(x) for x in inputs])
    np.testing.assert_array_equal(np.asarray(found), [np.inf, np.nan, np.nan])
