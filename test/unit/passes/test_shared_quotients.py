"""Quotients by a broadcast: one for both shares of a derivative."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.passes.lower.xla_cpu.shared_quotients import share_quotients

X = np.linspace(-2, 3, 12, dtype=np.float32).reshape(3, 4)


def shares(divisor, reads="%q"):
    return parse(f"""
      func.func @main(%g: tensor<3x4xf32>, %z: tensor<3x4xf32>, %r: tensor<3x1xf32>)
          -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {{
        %y = {divisor}
        %d = stablehlo.divide %g, %y : tensor<3x4xf32>
        %n = stablehlo.negate %g : tensor<3x4xf32>
        %q = stablehlo.divide %n, %y : tensor<3x4xf32>
        %p = stablehlo.multiply %q, %z : tensor<3x4xf32>
        return %d, %p, {reads} : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
      }}""")


BROADCAST = "stablehlo.broadcast_in_dim %r, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>"
COMPUTED = "stablehlo.exponential %z : tensor<3x4xf32>"


def test_one_quotient_by_a_broadcast_is_left():
    module = shares(BROADCAST, "%d")
    share_quotients(module.operation)
    assert module.operation.verify()
    text = str(module)
    assert text.count("divide") == 1
    assert text.index("multiply") < text.index("negate")  # of the product
    share_quotients(module.operation)
    assert str(module) == text


@pytest.mark.parametrize("divisor, reads", [(BROADCAST, "%q"), (COMPUTED, "%d")])
def test_other_quotients_stay(divisor, reads):
    module = shares(divisor, reads)
    text = str(module)
    share_quotients(module.operation)
    assert str(module) == text


def test_quotients_of_quotients_and_double_signs():
    module = parse("""
      func.func @main(%g: tensor<4xf32>, %r: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
        %y = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %a = stablehlo.divide %g, %y : tensor<4xf32>
        %n = stablehlo.negate %g : tensor<4xf32>
        %b = stablehlo.divide %n, %y : tensor<4xf32>
        %m = stablehlo.negate %n : tensor<4xf32>
        %c = stablehlo.divide %m, %y : tensor<4xf32>
        %p = stablehlo.multiply %b, %a : tensor<4xf32>
        %q = stablehlo.multiply %c, %p : tensor<4xf32>
        return %p, %q : tensor<4xf32>, tensor<4xf32>
      }""")
    share_quotients(module.operation)
    assert module.operation.verify()
    assert str(module).count("divide") == 2


def test_a_derivative_divides_by_a_broadcast_once():
    def f(x):
        return anp.sum(anp.sin(x / (1 + anp.sum(x * x, axis=1, keepdims=True))))

    text = anvl.jit(anvl.grad(f)).lower(X).mlir()
    assert text.count("stablehlo.divide") == 2
    np.testing.assert_array_equal(anvl.jit(anvl.grad(f))(X), anvl.grad(f)(X))
    flat = anvl.jit(anvl.grad(lambda x: anp.sum(anp.sin(x / (1 + x * x))))).lower(X).mlir()
    assert flat.count("stablehlo.divide") == 3
