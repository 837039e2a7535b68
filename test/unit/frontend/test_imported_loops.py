"""Loops of programs that `jax.export` of JAX 0.10.2 writes: counted ones become scans.

The texts in `jax_programs` are what it writes; the numbers are JAX's.
"""

from pathlib import Path

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp

TEXTS = Path(__file__).parent / "jax_programs"
#: By name: arguments; the value, and the gradient and the product of the Hessian with the sines of
#: the arguments, each times cosines.  100 steps of Adam, 200 of four bodies, an LSTM over 20.
PROGRAMS = {
    "adam": (
        (np.array([0.5, -1.0, 2.0, 0.1]),),
        (7.722995157623287e-06, 4.217540272088703e-05, -0.006680627689009818),
    ),
    "nbody": (
        (np.cos(np.arange(12.0)).reshape(4, 3),),
        (-2.019727502645406, -9.458923396304758, 270.0456697164185),
    ),
    "lstm": (
        (np.sin(np.arange(40.0)).reshape(5, 8), np.cos(np.arange(60.0)).reshape(20, 3)),
        (3.910544098467132, 2.013210824156657, 5.873360316401418),
    ),
}


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("name", PROGRAMS)
def test_counted_loops_are_scans(name):
    f = anvl.from_stablehlo((TEXTS / f"{name}.mlir").read_text())
    args, expected = PROGRAMS[name]
    text = anvl.trace(f, *args).mlir()
    assert "anvl.scan" in text
    assert "stablehlo.while" not in text

    def slope(*args):
        g = anvl.grad(f)(*args)
        return anp.sum(g * anp.cos(anp.arange(g.size).astype(g.dtype)).reshape(g.shape))

    @anvl.jit
    def numbers(*args):
        sines = tuple(anp.sin(x) for x in args)
        forward = anvl.jvp(slope, args, sines)[1]  # forward over reverse
        back = anvl.grad(slope, wrt=tuple(range(len(args))))(*args)  # reverse over reverse
        again = sum(anp.sum(x * y) for x, y in zip(back, sines, strict=True))
        return f(*args), slope(*args), forward, again

    compiled = numbers.lower(*args).compile()
    found = [float(x) for x in compiled(*args)]
    np.testing.assert_allclose(found, [*expected, expected[2]], rtol=1e-6)
    assert compiled.memory_stats()["temp_size_in_bytes"] < 2**22


#: A loop that reads and writes the rows of its number; of a shorter array, in the last row twice.
ROWS = """
func.func @main(%x: tensor<5x2xf64>, %c: tensor<2xf64>, %old: tensor<5x2xf64>)
    -> (tensor<2xf64>, tensor<5x2xf64>, tensor<4x2xf64>, tensor<i32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %four = stablehlo.constant dense<3.0> : tensor<4x2xf64>
  %r:4 = stablehlo.while(%i = %z, %a = %c, %ys = %old, %short = %four)
      : tensor<i32>, tensor<2xf64>, tensor<5x2xf64>, tensor<4x2xf64>
  cond {
    %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %x, %i, %z, sizes = [1, 2]
      : (tensor<5x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
    %v = stablehlo.reshape %row : (tensor<1x2xf64>) -> tensor<2xf64>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f64>
    %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %s = stablehlo.sine %a : tensor<2xf64>
    %m = stablehlo.multiply %s, %v : tensor<2xf64>
    %n = stablehlo.add %m, %g : tensor<2xf64>
    %u = stablehlo.reshape %n : (tensor<2xf64>) -> tensor<1x2xf64>
    %w = func.call @put(%ys, %u, %i)
      : (tensor<5x2xf64>, tensor<1x2xf64>, tensor<i32>) -> tensor<5x2xf64>
    %w2 = stablehlo.dynamic_update_slice %short, %u, %i, %z
      : (tensor<4x2xf64>, tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<4x2xf64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n, %w, %w2
      : tensor<i32>, tensor<2xf64>, tensor<5x2xf64>, tensor<4x2xf64>
  }
  return %r#1, %r#2, %r#3, %r#0 : tensor<2xf64>, tensor<5x2xf64>, tensor<4x2xf64>, tensor<i32>
}
func.func private @put(%y: tensor<5x2xf64>, %u: tensor<1x2xf64>, %i: tensor<i32>)
    -> tensor<5x2xf64> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %w = stablehlo.dynamic_update_slice %y, %u, %i, %z
    : (tensor<5x2xf64>, tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<5x2xf64>
  return %w : tensor<5x2xf64>
}"""


def test_rows_are_gone_through_and_stacked():
    f = anvl.from_stablehlo(ROWS)

    def unrolled(x, c, old):
        rows = []
        for i in range(5):
            c = anp.sin(c) * x[i] + i
            rows.append(c)
        return c, anp.stack(rows) + 0 * old, anp.stack([*rows[:3], rows[4]]), np.int32(5)

    args = np.cos(np.arange(10.0)).reshape(5, 2), np.array([0.3, 0.7]), np.full((5, 2), 9.0)
    assert "xs = 2 : i64" in anvl.trace(f, *args).mlir()

    def slopes(f):
        total = lambda *xs: sum(anp.sum(anp.sin(y)) for y in f(*xs)[:3])  # noqa: E731
        return anvl.grad(total, wrt=(0, 1, 2))

    @anvl.jit
    def both(*args):
        return [[*g(*args), *slopes(g)(*args)] for g in (f, unrolled)]

    for y, z in zip(*both(*args), strict=True):
        np.testing.assert_allclose(y, z, rtol=rounding(PROGRAM))
