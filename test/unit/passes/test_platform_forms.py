"""Forms of ops for GPUs, seen on an H200 to be wrong or absent there, run by the interpreter."""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect.core.context import parse
from anvl.dialect.core.errors import PassError
from anvl.dialect.text.interpreter import interpreter
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

X = np.linspace(0.1, 1.3, 12).reshape(3, 4)[:, ::-1].copy()
ZERO = np.float64(0)


def lowered(text, platform="cuda"):
    module = parse(text)
    Pipeline([LowerToStablehlo(platform), "canonicalize", "cse"]).run(module)
    return module


def traced(f, *xs):
    return anvl.trace(f, *(anvl.aval(x.dtype, x.shape) for x in xs)).mlir()


def compositions(m, c):
    return anvl.reduce(
        lambda a, b: (b[0] * a[0], b[0] * a[1] + b[1]), (m, c), (1.0, 0.0), axis=1
    )  # fmt: skip


@pytest.mark.parametrize("size", [4, 3, 1, 0])
def test_a_body_that_does_not_commute_is_applied_in_order(size):
    m, c = X[:, :size], np.cos(X[:, :size])
    module = lowered(traced(compositions, m, c))
    assert "stablehlo.reduce" not in str(module)
    ((total, shift),) = interpreter().run(module, [[m, c]])
    wanted = np.ones(3), np.zeros(3)
    for i in range(size):
        wanted = m[:, i] * wanted[0], m[:, i] * wanted[1] + c[:, i]
    np.testing.assert_allclose([total, shift], wanted, rtol=rounding(PROGRAM))


def complex_products(a, b):
    return anvl.reduce(
        lambda x, y: (x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]),
        (a, b), (1.0, 0.0), axis=1,
    )  # fmt: skip


@pytest.mark.parametrize(
    "f",
    [
        complex_products,
        lambda x, y: anvl.reduce(anp.maximum, x, -np.inf),
        lambda x, y: anvl.reduce(lambda a, b: anp.log(anp.exp(a) + anp.exp(b)), x, -np.inf),
        lambda x, y: (anp.argmax(x), anp.sum(y), anp.max(x), anp.any(y > 0)),
    ],
)
def test_a_body_that_commutes_stays(f):
    assert str(lowered(traced(f, X, X))).count("stablehlo.reduce") in (1, 4)


def test_of_subtraction_and_of_the_latter_of_two_the_order_matters():
    for body in (lambda a, b: a - b, lambda a, b: anp.where(b > 0, b, a)):
        text = traced(
            lambda x, z, body=body: prim.reduce(x, z, body=body, dimensions=(0,)), X, ZERO
        )
        assert "stablehlo.reduce" not in str(lowered(text))
        assert "stablehlo.reduce" in str(lowered(text, "cpu"))


@pytest.mark.parametrize("dtype", ["c64", "c128"])
def test_parts_of_complex_numbers_are_convolved(dtype):
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=n) + 1j * rng.normal(size=n) for n in (60, 40))
    x, y = (anp.asarray(v, dtype=dtype) for v in (x, y))
    text = traced(anp.convolve, x, y)
    module = lowered(text)
    convolutions = [line for line in str(module).splitlines() if "stablehlo.convolution" in line]
    assert len(convolutions) == 4 and "complex" not in "".join(convolutions)
    ((found,),) = interpreter().run(module, [[np.asarray(x), np.asarray(y)]])
    tolerance = rounding(PROGRAM, np.asarray(x).dtype)
    np.testing.assert_allclose(found, np.convolve(x, y), rtol=tolerance, atol=tolerance)
    (one,) = [line for line in str(lowered(text, "cpu")).splitlines() if "convolution" in line]
    assert "complex" in one


SCATTER = """
func.func @main(%x: tensor<SIZExf64>, %at: tensor<2x1xui8>, %u: tensor<2xf64>) -> tensor<SIZExf64> {
  %y = "stablehlo.scatter"(%x, %at, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<SIZExf64>, tensor<2x1xui8>, tensor<2xf64>) -> tensor<SIZExf64>
  return %y : tensor<SIZExf64>
}
"""


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
def test_indices_that_hold_no_position_beyond_255_are_widened(platform):
    module = lowered(SCATTER.replace("SIZE", "300"), platform)
    assert "tensor<2x1xi64>, tensor<2xf64>" in str(module)
    x, at, u = np.zeros(300), np.array([[250], [3]], np.uint8), np.array([2.0, 3.0])
    ((found,),) = interpreter().run(module, [[x, at, u]])
    assert found[250] == 2 and found[3] == 3 and found.sum() == 5
    assert "i64>" not in str(lowered(SCATTER.replace("SIZE", "255"), platform))


LARGER = """
func.func @main(%x: tensor<4xf64>, %zero: tensor<f64>) -> tensor<f64> {
  %y = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %larger = "anvl.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction GT>}
      : (tensor<f64>, tensor<f64>) -> tensor<i1>
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


def test_a_choice_in_the_body_of_a_reduction_is_made_elementwise():
    module = lowered(LARGER)
    assert "stablehlo.if" not in str(module) and "stablehlo.reduce" not in str(module)
    ((found,),) = interpreter().run(module, [[np.array([3.0, 5.0, -1.0, 4.0]), ZERO]])
    assert found == 5
    unlifted = LARGER.replace('"anvl.compare"', '"stablehlo.compare"')
    with pytest.raises(PassError, match=r"reduce: its body contains stablehlo\.if"):
        lowered(unlifted)


CHOICE = """
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f64>):
    %p = stablehlo.compare GT, %a, %a : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %c = "stablehlo.if"(%p) ({
      stablehlo.return %a : tensor<f64>
    }, {
      %n = stablehlo.negate %a : tensor<f64>
      stablehlo.return %n : tensor<f64>
    }) : (tensor<i1>) -> tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
"""


def test_a_choice_in_a_body_ends_the_process_on_gpus_and_is_refused():
    lowered(CHOICE, "cpu")
    with pytest.raises(PassError, match=r"map: its computation contains stablehlo\.if"):
        lowered(CHOICE)


def test_what_has_no_other_form_is_lowered_as_on_the_cpu_and_once():
    text = traced(lambda x: anp.tanh(x) @ x.T, X)
    once = lowered(text)
    assert str(once) == str(lowered(text, "cpu")) == str(lowered(str(once)))
