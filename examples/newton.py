"""Logistic regression by Newton's method: gradient and Hessian from `grad` and `hessian`.

    python examples/newton.py --out out/newton

The data are the 569 tumours of the breast cancer set that comes with scikit-learn, each with 30
measurements of cell nuclei; a fifth is held out.  Newton's steps converge to the rounding of f64;
the Hessian at the minimum also gives the standard error of each weight (Laplace's approximation).
Printed are the loss and the largest element of the gradient at each step, the accuracy on the
held-out tumours (at least 95 %), and the distance to the weights that scikit-learn finds (below
1e-6).  The folder gets `newton.png`, the loss as MLIR and numbers to compare with; `newton.sh`
makes its gradient again, from the shell.
"""

import argparse
from pathlib import Path

import numpy
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import anvl
import anvl.numpy as np
from anvl import nn

PENALTY = 1.0  # half of it times the squared weights is added to the loss
GOAL = 0.95


def loss(params, x, is_benign):
    """The negative log-likelihood with a penalty on the weights, but not on the intercept."""
    weights, intercept = params[:-1], params[-1]
    score = x @ weights + intercept
    return np.sum(nn.softplus(score) - is_benign * score) + PENALTY / 2 * np.sum(weights**2)


@anvl.jit
def derivatives(params, x, is_benign):
    """The loss, its gradient and its Hessian."""
    value, gradient = anvl.value_and_grad(loss)(params, x, is_benign)
    return value, gradient, anvl.hessian(loss)(params, x, is_benign)


def minimum(x, is_benign):
    """The parameters at the minimum, the Hessian there, and the gradient's size at each step."""
    params, sizes = numpy.zeros(x.shape[1] + 1), []
    for step in range(20):
        value, gradient, hessian = derivatives(params, x, is_benign)
        sizes.append(float(np.max(np.abs(gradient))))
        print(f"step {step}: loss {value:.6f}, |gradient| {sizes[-1]:.1e}")
        if sizes[-1] < 1e-10:
            return params, hessian, sizes
        params = params - np.linalg.solve(hessian, gradient)
    raise SystemExit("newton: no convergence in 20 steps")


def standardized_data():
    """Measurements to train on and held out, with mean 0 and variance 1; and the labels."""
    data = load_breast_cancer()
    x, x_test, y, y_test = train_test_split(
        data.data, data.target.astype(float), test_size=0.2, stratify=data.target, random_state=0
    )
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    return (x - mean) / deviation, (x_test - mean) / deviation, y, y_test, data.feature_names


def write_program(out, params, x, is_benign):
    """The loss as MLIR, arguments for it, and what its value and gradient are there."""
    (out / "loss.mlir").write_text(anvl.trace(loss, params, x, is_benign).mlir())
    numpy.savez(out / "arguments.npz", params=params, x=x, is_benign=is_benign)
    value, gradient, _ = derivatives(params, x, is_benign)
    numpy.savez(out / "expected.npz", result0=value, result1=gradient)


def draw(path, names, weights, errors, sizes):
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(2, 3))
    left.semilogy(sizes, "o-")
    left.set(title="Newton's method", xlabel="step", ylabel="largest element of the gradient")
    largest = numpy.argsort(-abs(weights))[:12][::-1]
    right.errorbar(weights[largest], range(12), xerr=errors[largest], fmt="o", capsize=3)
    right.set_yticks(range(12), names[largest])
    right.axvline(0, color="gray", lw=0.8)
    right.set(title="Largest weights, with standard errors", xlabel="weight for benign")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=80)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/newton"), help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="the same: it takes a second")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    x, x_test, y, y_test, names = standardized_data()
    params, hessian, sizes = minimum(x, y)
    weights = numpy.asarray(params[:-1])
    errors = numpy.sqrt(numpy.diag(np.linalg.inv(hessian)))[:-1]
    accuracy = numpy.mean((x_test @ weights + float(params[-1]) > 0) == y_test)
    print(f"{accuracy:.1%} of {len(y_test)} held-out tumours are classified correctly")

    peer = LogisticRegression(C=1 / PENALTY, solver="newton-cholesky", tol=1e-10).fit(x, y)
    distance = abs(peer.coef_[0] - weights).max()
    print(f"largest distance to scikit-learn's weights: {distance:.1e}")
    write_program(out, numpy.zeros_like(params), x, y)
    draw(out / "newton.png", names, weights, errors, sizes)
    assert accuracy >= GOAL, f"accuracy {accuracy:.1%}"
    assert distance < 1e-6, f"far from scikit-learn's weights: {distance}"


if __name__ == "__main__":
    main()
