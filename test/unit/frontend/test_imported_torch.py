"""`from_stablehlo`: what torch-mlir writes from PyTorch's modules, word for word, in
`torch_programs`; numbers are those of torch 2.14.1.  `make foreign-torch` has 50 more."""

from pathlib import Path

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl

PROGRAMS = Path(__file__).parent / "torch_programs"
ELIDED = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
OTHER = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = math.absf %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


@pytest.mark.parametrize("name", ["convolutions", "transformer", "lstm"])
def test_values_and_gradients_are_those_of_torch(name):
    with np.load(PROGRAMS / "numbers.npz") as file:
        x, y, dx = (file[f"{name}.{key}"] for key in ("x", "y", "dx"))
    f = anvl.load(PROGRAMS / f"{name}.mlir")

    def first(x):
        found = f(x)
        return found[0] if isinstance(found, tuple) else found

    g = np.cos(np.arange(y.size, dtype="float32")).reshape(y.shape)
    value, pullback = anvl.vjp(first, x)
    limit = rounding(PROGRAM, np.float32)
    np.testing.assert_allclose(value, y, limit, limit * np.abs(y).max())
    np.testing.assert_allclose(pullback(g)[0], dx, limit, limit * np.abs(dx).max())


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (ELIDED, "dense_resource<__elided__> has no data: the program was printed without them"),
        (OTHER, "math.absf is left, which is not StableHLO"),
    ],
)
def test_what_no_artifact_holds_is_named(program, said, capfd):
    """MLIR says only that it failed to serialize the module."""
    f = anvl.from_stablehlo(program)
    with pytest.raises(anvl.PassError, match=said):
        f(np.ones(2, "float32"))
    assert capfd.readouterr().err == ""
