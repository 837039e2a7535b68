"""All of anvl in one sitting: trace, differentiate, hoist, lower, run.  Read this first."""

import numpy
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as np

W = numpy.asarray([[1.0, 2.0], [3.0, 4.0]])


def loss(x):
    return np.sum(np.sin(W @ x))


def test_the_whole_way():
    # Python becomes ops of the anvl dialect; the array that `loss` closes over stays outside.
    graph = anvl.trace(loss, anvl.aval("f64", (2,)))
    assert [call.primitive for call in graph.calls] == ["dot_general", "sin", "sum"]
    assert graph.constants == [("%c1", anvl.aval("f64", (2, 2)))]

    # `grad` asks for a derivative; the passes write it, hoist the array and lower to StableHLO.
    lowered = anvl.jit(anvl.grad(loss)).lower(anvl.aval("f64", (2,)))
    assert "anvl.vjp = {callee = @loss" in lowered.mlir("anvl")
    assert "%sin_adjoint = " in lowered.mlir("gradient")
    assert "%c1: tensor<2x2xf64> {anvl.captured = 0" in lowered.mlir("constants")
    assert "stablehlo.cosine" in lowered.mlir("stablehlo")

    # It runs, and computes what mathematics says: the transpose of W times cos(W x).
    x = numpy.asarray([0.5, -0.25])
    slope = lowered.compile()(x)
    numpy.testing.assert_allclose(slope, W.T @ numpy.cos(W @ x), rtol=rounding(FORMULA))

    # The short form of all that.
    numpy.testing.assert_array_equal(anvl.jit(anvl.grad(loss))(x), slope)
    numpy.testing.assert_allclose(
        anvl.grad(lambda x: anvl.grad(np.sin)(x))(0.3), -numpy.sin(0.3), 1e-6
    )
