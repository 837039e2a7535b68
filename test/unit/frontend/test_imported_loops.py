"""Loops of programs that `jax.export` of JAX 0.10.2 writes: counted ones become scans.

The texts in `jax_programs` are what it writes; the numbers are JAX's.
"""

from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.parametrize("name", PROGRAMS)
def test_counted_loops_are_scans(name):
    f = anvl.from_stablehlo((TEXTS / f"{name}.mlir").read_text())
    args, expected = PROGRAMS[name]
    text = anvl.trace(f, *args).mlir()
    assert "anvl.scan" in text
    assert "anvl.while" not in text

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
