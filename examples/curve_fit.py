"""Fit a decay to measurements with Newton's method: first and second derivatives by `grad`.

    python examples/curve_fit.py --out out/curve_fit

The measurements are closed over, not passed: they become constants of the program, which
`anvl-hoist-constants` turns into arguments.  They are float64, and so is everything computed from
them.  `--out` gets the program of the second derivative as MLIR.
"""

import argparse
from pathlib import Path

import numpy

import anvl
import anvl.numpy as np

TRUE = numpy.array([3.0, 0.7])  # height and rate of the decay that is measured
NOISE = 0.02

rng = numpy.random.default_rng(0)
time = numpy.linspace(0, 5, 200)
measured = TRUE[0] * numpy.exp(-TRUE[1] * time) + NOISE * rng.normal(size=time.size)


def loss(p):
    """Half the mean squared distance of the curve from what was measured."""
    height, rate = p
    return np.mean(np.square(height * np.exp(-rate * time) - measured)) / 2


def slope_along(p, direction):
    return np.sum(anvl.grad(loss)(p) * direction)


@anvl.jit
def derivatives(p):
    """The gradient and the matrix of second derivatives: each row is a gradient of a slope."""
    rows = [anvl.grad(slope_along)(p, unit) for unit in numpy.eye(2)]
    return anvl.grad(loss)(p), np.stack(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/curve_fit"), help="a folder")
    parser.add_argument("--quick", action="store_true", help="the same: it takes a second")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    p = numpy.array([2.0, 0.5])
    for step in range(10):
        gradient, second = map(numpy.asarray, derivatives(p))
        size = abs(gradient).max()
        print(f"step {step}: height {p[0]:.6f}, rate {p[1]:.6f}, |gradient| {size:.1e}")
        if size < 1e-12:
            break
        p = p - numpy.linalg.solve(second, gradient)

    # At the minimum, the second derivatives say how well the measurements determine each parameter.
    errors = NOISE * numpy.sqrt(numpy.diag(numpy.linalg.inv(second)) / time.size)
    print("fitted:", ", ".join(f"{x:.4f} ± {e:.4f}" for x, e in zip(p, errors, strict=True)))
    (out / "second.stablehlo.mlir").write_text(derivatives.lower(p).mlir("stablehlo"))
    assert size < 1e-12, "Newton's method did not converge"
    assert (abs(p - TRUE) < 4 * errors).all(), f"far from the truth, {TRUE}"


if __name__ == "__main__":
    main()
