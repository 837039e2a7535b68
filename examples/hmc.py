"""Hamiltonian Monte Carlo, as one program: `scan` over the draws, `vmap` over the chains.

    python examples/hmc.py --out out/hmc

The data are the eight schools of Rubin (1981): the effects of coaching on the results of a test,
each with its standard error.  The model has a mean effect mu and a deviation tau between the
schools (Gelman et al., Bayesian Data Analysis, section 5.5); the effects are written as mu + tau
z, and tau as an exponential, so that the density is smooth.  A warm-up adapts the step size by
dual averaging.  Printed are mean, deviation, effective sample size (ESS, at least 400) and R-hat
(below 1.02) of each parameter; the means of mu and tau are to be those of the reference posterior,
4.4 and 3.6, within five times their errors.  The folder gets `hmc.png` and `draws.npz`.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from matplotlib.figure import Figure

import anvl
import anvl.numpy as np
from anvl import random
from anvl.scipy import stats

EFFECT = numpy.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERROR = numpy.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
CHAINS, LEAPFROG_STEPS, ACCEPTANCE = 4, 12, 0.85
REFERENCE = {"mu": 4.4, "tau": 3.6}  # posterior means, from posteriordb


class State(NamedTuple):
    """A chain: position, and the numbers that adapt the size of its steps."""

    q: Any
    log_step: Any
    average: Any  # of log_step over the warm-up
    error: Any  # of the acceptance rate, summed
    count: Any


def log_density(q):
    """Of mu, log tau and the standardized effects z."""
    mu, log_tau, z = q[0], q[1], q[2:]
    prior = stats.norm.logpdf(mu, 0.0, 5.0) + np.sum(stats.norm.logpdf(z))
    prior += stats.cauchy.logpdf(np.exp(log_tau), 0.0, 5.0) + log_tau  # d tau = tau d log tau
    return prior + np.sum(stats.norm.logpdf(EFFECT, mu + np.exp(log_tau) * z, ERROR))


def leapfrog(q, p, step):
    """A path of the Hamiltonian -log_density(q) + p.p / 2."""
    slope = anvl.grad(log_density)

    def move(path, _):
        q, p = path
        q = q + step * p
        return (q, p + step * slope(q)), None

    (q, p), _ = anvl.scan(move, (q, p + 0.5 * step * slope(q)), None, length=LEAPFROG_STEPS)
    return q, p - 0.5 * step * slope(q)


def transition(state, key, step):
    """The next position, and the probability with which the path was accepted."""
    for_momentum, for_length, for_choice = random.split(key, 3)
    p = random.normal(for_momentum, state.q.shape, dtype="f64")
    step = step * random.uniform(for_length, (), minval=0.6, maxval=1.4, dtype="f64")
    q, p_end = leapfrog(state.q, p, step)
    change = log_density(q) - log_density(state.q) + 0.5 * (np.sum(p**2) - np.sum(p_end**2))
    chance = np.exp(np.minimum(np.nan_to_num(change, nan=-np.inf), 0.0))
    return np.where(random.uniform(for_choice, dtype="f64") < chance, q, state.q), chance


def warm_up(state, key):
    """A transition, and dual averaging (Hoffman and Gelman 2014, section 3.2)."""
    q, chance = transition(state, key, np.exp(state.log_step))
    count = state.count + 1.0
    error = state.error + (ACCEPTANCE - chance)
    log_step = np.log(0.5) - error * np.sqrt(count) / (0.05 * (count + 10.0))
    average = state.average + count**-0.75 * (log_step - state.average)
    return State(q, log_step, average, error, count), None


def sample(state, key):
    q, chance = transition(state, key, np.exp(state.average))
    return state._replace(q=q), (q, chance)


def chain(key, warm, draws):
    """One chain: its draws, and how often paths were accepted."""
    for_start, for_warm, for_draws = random.split(key, 3)
    zero = np.zeros((), "f64")
    start = random.normal(for_start, (2 + len(EFFECT),), dtype="f64")
    state = State(start, np.log(0.1) + zero, zero, zero, zero)
    state, _ = anvl.scan(warm_up, state, random.split(for_warm, warm))
    _, (q, chance) = anvl.scan(sample, state, random.split(for_draws, draws))
    return q, np.mean(chance)


def rhat(x):
    """Split R-hat of draws of shape (chains, draws): 1 where all halves agree."""
    halves = x.reshape(2 * len(x), -1)
    n = halves.shape[1]
    within, between = halves.var(axis=1, ddof=1).mean(), halves.mean(axis=1).var(ddof=1)
    return numpy.sqrt((n - 1) / n + between / within)


def effective_sample_size(x):
    """The number of independent draws that say as much about the mean (Geyer 1992)."""
    chains, n = x.shape
    centered = x - x.mean(axis=1, keepdims=True)
    spectrum = abs(numpy.fft.rfft(centered, 2 * n)) ** 2
    covariance = numpy.fft.irfft(spectrum)[:, :n].mean(axis=0) / n
    total = covariance[0] + x.mean(axis=1).var(ddof=1)
    correlation = 1 - (covariance[0] - covariance) / total
    pairs = correlation[0 : n // 2 * 2 : 2] + correlation[1 : n // 2 * 2 : 2]
    last = int(numpy.argmax(pairs < 0)) or len(pairs)
    return chains * n / (2 * pairs[:last].sum() - 1)


def draw(path, tau, effects):
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.scatter(effects[..., 0].ravel()[::4], tau.ravel()[::4], s=3, alpha=0.4)
    left.set(yscale="log", xlabel="effect in school A", ylabel="tau", title="Draws")
    low, middle, high = numpy.quantile(effects.reshape(-1, 8), [0.05, 0.5, 0.95], axis=0)
    schools = numpy.arange(8)
    right.errorbar(schools - 0.1, EFFECT, ERROR, fmt="o", color="gray", label="measured, ± error")
    right.errorbar(schools + 0.1, middle, (middle - low, high - middle), fmt="o", label="90 %")
    right.set_xticks(schools, "ABCDEFGH")
    right.set(xlabel="school", ylabel="effect", title="Effects of coaching")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=80)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/hmc"), help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="half of the draws")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)

    warm, draws = (500, 1000) if given.quick else (1000, 2000)
    run = anvl.jit(anvl.vmap(lambda key: chain(key, warm, draws)))
    q, chance = map(numpy.asarray, run(random.split(random.key(0), CHAINS)))
    mu, tau = q[..., 0], numpy.exp(q[..., 1])
    effects = mu[..., None] + tau[..., None] * q[..., 2:]
    print(f"{CHAINS} chains of {draws} draws; {chance.mean():.0%} of the paths were accepted")

    named = {"mu": mu, "tau": tau}
    named |= {f"school {letter}": effects[..., i] for i, letter in enumerate("ABCDEFGH")}
    for name, x in named.items():
        ess, r = effective_sample_size(x), rhat(x)
        print(f"{name:9} {x.mean():6.2f} ± {x.std():5.2f}   ESS {ess:6.0f}   R-hat {r:.4f}")
        error = x.std() / numpy.sqrt(ess)
        assert ess > 400 and r < 1.02, f"{name}: ESS {ess:.0f}, R-hat {r:.4f}"
        if name in REFERENCE:
            assert abs(x.mean() - REFERENCE[name]) < 5 * error, f"{name}: far from the reference"
    numpy.savez(given.out / "draws.npz", mu=mu, tau=tau, effects=effects)
    draw(given.out / "hmc.png", tau, effects)


if __name__ == "__main__":
    main()
