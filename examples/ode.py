"""Fit a differential equation to data, through a solver with an adaptive step.

    python examples/ode.py --out out/ode

The data are the pelts of hares and lynxes that the Hudson's Bay Company bought from 1900 to 1920
(`data/pelts.csv`, in thousands).  The model is that of Lotka and Volterra:

    hares' = hares (a - b lynxes)        lynxes' = lynxes (d hares - c)

It is solved by Bogacki and Shampine's pair of orders 3 and 2 in a `while_loop`, whose number of
steps depends on the parameters; reverse mode goes through it for L-BFGS, and forward mode for the
errors.  Printed are the parameters, which are to agree with those of Stan's case study (Carpenter
2018: a 0.55, b 0.028, c 0.80, d 0.024) within twice their errors, and the part of the variance of
the logarithms that is explained (at least 85 %).  The folder gets `ode.png`, and the solver as
MLIR, of which `ode.sh` makes the tangent, from the shell.
"""

import argparse
from pathlib import Path

import numpy
from matplotlib.figure import Figure

import anvl
import anvl.numpy as np
from anvl.scipy import optimize

DATA = Path(__file__).parent / "data" / "pelts.csv"
YEARS, *PELTS = numpy.loadtxt(DATA, delimiter=",", skiprows=3, unpack=True)
PELTS = numpy.stack(PELTS)  # hares, lynxes
STAN = {"a": 0.55, "b": 0.028, "c": 0.80, "d": 0.024}
MEANS, WIDTHS = numpy.array([1.0, 0.05, 1.0, 0.05]), numpy.array([0.5, 0.05, 0.5, 0.05])
NAMES = (*STAN, "hares", "lynxes")  # the last two in 1900
TOLERANCE = 1e-6


def slope(y, params):
    hares, lynxes = y
    a, b, c, d = params[:4]
    return np.stack([hares * (a - b * lynxes), lynxes * (d * hares - c)])


def step(y, k1, h, params):
    """A step of length h by Bogacki and Shampine (1989), its last slope, and its error."""
    k2 = slope(y + h * 0.5 * k1, params)
    k3 = slope(y + h * 0.75 * k2, params)
    new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
    k4 = slope(new, params)
    error = h * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * k4) / 72
    scale = TOLERANCE * (1 + np.maximum(np.abs(y), np.abs(new)))
    return new, k4, np.sqrt(np.mean((error / scale) ** 2))


def advance(y, params, t, end, h):
    """The solution at `end`: as many steps as it takes."""

    def unfinished(state):
        return state[0] < end

    def attempt(state):
        t, y, k1, h = state
        length = np.minimum(h, end - t)
        new, k4, error = step(y, k1, length, params)
        is_accepted = error <= 1
        factor = 0.9 * np.maximum(error, 1e-6) ** (-1 / 3)
        h = length * np.clip(anvl.stop_gradient(factor), 0.2, 5.0)
        t = np.where(is_accepted, t + length, t)
        return t, np.where(is_accepted, new, y), np.where(is_accepted, k4, k1), h

    _, y, _, h = anvl.while_loop(unfinished, attempt, (t, y, slope(y, params), h))
    return y, h


def trajectory(params, years=YEARS):
    """Hares and lynxes in some years; the last two parameters are those in the first."""

    def year(state, span):
        y, h = advance(state[0], params, span[0], span[1], state[1])
        return (y, h), y

    start = params[4:6]
    spans = np.stack([years[:-1], years[1:]], axis=1)
    _, later = anvl.scan(year, (start, 0.1), spans)
    return np.concatenate([start[None], later]).T


def residuals(logs):
    """Misfits of data and priors, each divided by its deviation."""
    params, sigma = np.exp(logs[:6]), np.exp(logs[6:8])
    misfit = (np.log(trajectory(params)) - np.log(PELTS)) / sigma[:, None]
    prior = [(params[:4] - MEANS) / WIDTHS, logs[4:6] - numpy.log(10), logs[6:8] + 1]
    return np.concatenate([misfit.ravel(), *prior])


def negative_log_posterior(logs):
    """Of the logarithms of the parameters, of the first year and of the noise; Stan's priors."""
    return 0.5 * np.sum(residuals(logs) ** 2) + len(YEARS) * np.sum(logs[6:8])


@anvl.jit
def fit(logs):
    """The most probable parameters by L-BFGS, in reverse mode."""
    return optimize.minimize(negative_log_posterior, logs, method="L-BFGS")


@anvl.jit
def errors_and_curves(logs):
    """The errors by Laplace and Gauss-Newton, in forward mode; and the solution."""
    jacobian = anvl.jacfwd(residuals)(logs)[:, :6]
    covariance = np.linalg.inv(jacobian.T @ jacobian)
    return np.exp(logs[:6]) * np.sqrt(np.diag(covariance)), trajectory(np.exp(logs[:6]))


def write_program(out, params):
    """The solver as MLIR, arguments for its tangent, and the results that `ode.sh` compares."""
    (out / "solver.mlir").write_text(anvl.trace(trajectory, params, YEARS).mlir())
    along = numpy.eye(6)[0]  # the first parameter
    numpy.savez(out / "arguments.npz", params=params, params_tangent=along, years=YEARS)
    solution, tangent = anvl.jvp(trajectory, (params,), (along,))
    numpy.savez(out / "expected.npz", result0=solution, result1=tangent)


def draw(path, curves):
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for name, data, curve, color in zip(
        ("hares", "lynxes"), PELTS, curves, ("tab:blue", "tab:orange"), strict=True
    ):
        axes.plot(YEARS, data, "o", color=color, label=f"{name}: pelts")
        axes.plot(YEARS, curve, color=color, label=f"{name}: model")
    axes.set(xlabel="year", ylabel="pelts, in thousands", title="Hares and lynxes")
    axes.set_xticks(YEARS[::4])
    axes.set_ylim(0, 95)  # above the first peak there is room for the legend
    axes.legend(frameon=False, ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=80)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/ode"), help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="the same: it takes seconds")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    found = fit(numpy.log([0.6, 0.03, 0.7, 0.02, 30.0, 5.0, 0.4, 0.4]))
    values = numpy.exp(found.x)
    errors, curves = map(numpy.asarray, errors_and_curves(found.x))
    print(f"{int(found.nit)} steps: {found.message()}")
    for name, value, error in zip(NAMES, values, errors, strict=False):
        print(f"  {name:7} {value:8.4f} ± {error:.4f}")
    residual, spread = numpy.log(curves / PELTS), numpy.log(PELTS)
    explained = 1 - residual.var() / spread.var()
    print(f"{explained:.0%} of the variance of the logarithms is explained")

    write_program(out, values[:6])
    draw(out / "ode.png", curves)
    for name, value, error in zip(STAN, values, errors, strict=False):
        assert abs(value - STAN[name]) < 2 * error, f"{name}: {value}, but Stan finds {STAN[name]}"
    assert explained > 0.85, f"{explained:.0%} explained"


if __name__ == "__main__":
    main()
