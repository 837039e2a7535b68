"""Calibrate a model that JAX exported: load it, differentiate it, fit it.

    python examples/calibrate.py --out out/calibrate

`data/epidemic.jaxexport` is a model of an epidemic that was written in JAX and saved by
`jax.export` (`data/epidemic_jax.py` made it; JAX itself is not needed).  Its solver has a
`while_loop`, through which JAX has no reverse mode; here it has one.  The data are the boys in bed
with influenza on 14 days of 1978 in a boarding school with 763 (British Medical Journal, 4 March
1978).  Levenberg's and Marquardt's method fits the two rates and the boys who were ill at first.
Printed are the parameters with their errors, which are to be what SciPy's solver and
`least_squares` find (infection 1.788, recovery 0.456, a basic reproduction number of 3.92) within
a tenth of the errors; and R2, at least 0.97.  The folder gets `calibrate.png`, and the model in
anvl's ops, `model.mlir`.
"""

import argparse
from pathlib import Path

import numpy
from matplotlib.figure import Figure

import anvl
import anvl.numpy as np

BOYS = 763.0
DAYS = numpy.arange(14.0)
IN_BED = numpy.array([3.0, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4])
SCIPY = {"infection": 1.788, "recovery": 0.456}

model = anvl.load(Path(__file__).parent / "data" / "epidemic.jaxexport")


def predicted(logs):
    """Boys in bed on each day; the logarithms are fitted, so that all stay positive."""
    infection, recovery, first = np.exp(logs)
    rates = {"infection": infection, "recovery": recovery}
    return model(rates, first, DAYS, BOYS)


@anvl.jit
def linearized(logs):
    """Residuals and their Jacobian, a row for each day, in reverse mode."""
    return predicted(logs) - IN_BED, anvl.jacrev(predicted)(logs)


def fitted(logs):
    """The parameters of least squares, and their covariance."""
    damping, (residual, jacobian) = 1e-2, map(numpy.asarray, linearized(logs))
    for step in range(50):
        normal, slope = jacobian.T @ jacobian, jacobian.T @ residual
        move = -numpy.linalg.solve(normal + damping * numpy.diag(numpy.diag(normal)), slope)
        if abs(move).max() < 1e-6:
            break
        new_residual, new_jacobian = map(numpy.asarray, linearized(logs + move))
        if new_residual @ new_residual < residual @ residual:
            logs, residual, jacobian, damping = logs + move, new_residual, new_jacobian, damping / 5
            print(f"step {step}: squared residuals {residual @ residual:.2f}")
        else:
            damping *= 5
    variance = residual @ residual / (len(residual) - len(logs))
    return logs, variance * numpy.linalg.inv(normal)


def draw(path, logs):
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(DAYS, IN_BED, "o", label="boys in bed")
    axes.plot(DAYS, predicted(logs), label="model")
    axes.set(xlabel="day", ylabel="boys", title="Influenza in a boarding school, 1978")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=80)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=Path("out/calibrate"), help="folder to write to"
    )
    parser.add_argument("--quick", action="store_true", help="the same: it takes seconds")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    logs, covariance = fitted(numpy.log([1.2, 0.3, 3.0]))
    values = numpy.exp(logs)
    errors = values * numpy.sqrt(numpy.diag(covariance))
    for name, value, error in zip((*SCIPY, "first"), values, errors, strict=True):
        print(f"  {name:9} {value:.4f} ± {error:.4f}")
    residual = numpy.asarray(predicted(logs)) - IN_BED
    explained = 1 - numpy.mean(residual**2) / IN_BED.var()
    print(f"basic reproduction number {values[0] / values[1]:.2f}, R2 {explained:.4f}")
    (out / "model.mlir").write_text(anvl.trace(predicted, logs).mlir())
    draw(out / "calibrate.png", logs)
    for wanted, value, error in zip(SCIPY.values(), values, errors, strict=False):
        assert abs(value - wanted) < error / 10, f"{value}, but SciPy finds {wanted}"
    assert explained > 0.97, f"R2 {explained}"


if __name__ == "__main__":
    main()
