"""Products, `any` and `all` over a long axis before others, in two reductions."""

import numpy as np
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.passes.lower.reductions.tall_reductions import write_tall_reductions

TEXT = """func.func @main(%x: tensor<{shape}x{e}>) -> tensor<{result}x{e}> {{
  %s = stablehlo.constant dense<{start}> : tensor<{e}>
  %y = stablehlo.reduce(%x init: %s) applies stablehlo.{body} across dimensions = [{axes}]
      : (tensor<{shape}x{e}>, tensor<{e}>) -> tensor<{result}x{e}>
  return %y : tensor<{result}x{e}>
}}"""


def written(shape, result, e="f32", start="1.0", body="multiply", axes="0"):
    """The number of reductions afterwards, and whether anything changed; also of a second time."""
    names = {"shape": shape, "result": result, "e": e, "start": start, "body": body, "axes": axes}
    module = parse(TEXT.format(**names))
    before = str(module)
    write_tall_reductions(module.operation)
    assert module.operation.verify()
    after = str(module)
    write_tall_reductions(module.operation)
    assert str(module) == after
    n_reductions = after.count("stablehlo.reduce(")
    assert after.count("stablehlo.optimization_barrier") == n_reductions - 1
    return n_reductions, before != after


@pytest.mark.parametrize(
    "case",
    [
        {"shape": "64x1024", "result": "1024"},
        {"shape": "4096x16", "result": "16", "e": "f64"},
        {"shape": "2000x100", "result": "100", "e": "i1", "start": "false", "body": "or"},
        {"shape": "2000x100", "result": "100", "e": "i1", "start": "true", "body": "and"},
        {"shape": "3x400x10x10", "result": "3x10x10", "axes": "1"},
        {"shape": "20000x200", "result": "200"},  # whose groups are many, too
    ],
)
def test_tall_reductions_are_two(case):
    assert written(**case) == (2, True)


@pytest.mark.parametrize(
    "case",
    [
        {"shape": "56x2048", "result": "2048"},  # few rows
        {"shape": "64x1023", "result": "1023"},  # few numbers
        {"shape": "8192x15", "result": "15"},  # few columns
        {"shape": "4099x100", "result": "100"},  # a prime number of rows
        {"shape": "2000x100", "result": "2000", "axes": "1"},
        {"shape": "200x10x100", "result": "100", "axes": "0, 1"},
        {"shape": "2000x100", "result": "100", "start": "2.0"},
        {"shape": "2000x100", "result": "100", "start": "0.0", "body": "add"},
        {"shape": "2000x100", "result": "100", "e": "bf16"},
        {"shape": "?x100", "result": "100"},
    ],
)
def test_other_reductions_stay(case):
    assert written(**case) == (1, False)


@pytest.mark.parametrize("shape", [(64, 1024), (300, 3, 90), (3, 250, 100), (2048, 40)])
def test_results_are_those_of_numpy(shape):
    axis = int(shape[0] == 3)
    draw = np.random.default_rng(0)
    x = draw.uniform(0.9, 1.1, shape)
    assert_close(anvl.jit(lambda x: anp.prod(x, axis=axis))(x), np.prod(x, axis=axis), PROGRAM)
    for share in (0.001, 0.01, 0.5):
        b = draw.random(shape) < share
        for of, wanted in ((anp.any, np.any), (anp.all, np.all)):
            for flags in (b, ~b):
                found = np.asarray(anvl.jit(lambda b, of=of: of(b, axis=axis))(flags))
                np.testing.assert_array_equal(found, wanted(flags, axis=axis))


def test_special_numbers_of_products_stay_in_their_columns():
    x = np.ones((128, 600))
    x[2, 5], x[4, 6], x[100, 7], x[0, 8], x[1, 8] = np.nan, np.inf, -np.inf, np.inf, 0.0
    x[:, 9], x[127, 10], x[:, 11] = -1.0, -0.0, 1e9
    with np.errstate(all="ignore"):
        wanted = np.prod(x, axis=0)
    found = np.asarray(anvl.jit(lambda x: anp.prod(x, axis=0))(x))
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found[9:11]), np.signbit(wanted[9:11]))


def test_the_gradient_of_a_product():
    x = np.random.default_rng(0).uniform(0.9, 1.1, (64, 1024))
    slope = anvl.jit(anvl.grad(lambda x: anp.sum(anp.prod(x, axis=0))))(x)
    assert_close(slope, np.prod(x, axis=0) / x, PROGRAM)
