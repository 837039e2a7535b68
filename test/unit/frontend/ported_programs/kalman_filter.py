"""A Kalman filter and smoother of a noisy orbit; its parameters by gradients of the likelihood."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.stats import multivariate_normal


@jax.tree_util.register_pytree_node_class
class Gaussian:
    def __init__(self, mean, cov):
        self.mean, self.cov = mean, cov

    def tree_flatten(self):
        return (self.mean, self.cov), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


class Model(NamedTuple):
    angle: jax.Array
    log_q: jax.Array
    log_r: jax.Array


H = jnp.array([[1.0, 0.0]])


def transition(model):
    c, s = jnp.cos(model.angle), jnp.sin(model.angle)
    return jnp.array([[c, -s], [s, c]])


def update(model, prior, y):
    S = H @ prior.cov @ H.T + jnp.exp(model.log_r) * jnp.eye(1)
    gain = jnp.linalg.solve(S, H @ prior.cov).T
    log_lik = multivariate_normal.logpdf(y, H @ prior.mean, S)
    return Gaussian(
        prior.mean + gain @ (y - H @ prior.mean), prior.cov - gain @ S @ gain.T
    ), log_lik


def kalman_filter(model, ys):
    F, Q = transition(model), jnp.exp(model.log_q) * jnp.eye(2)

    def step(belief, y):
        prior = Gaussian(F @ belief.mean, F @ belief.cov @ F.T + Q)
        seen, log_lik = lax.cond(
            jnp.isnan(y[0]), lambda: (prior, 0.0), lambda: update(model, prior, y)
        )
        return seen, (prior, seen, log_lik)

    _, (priors, beliefs, log_liks) = lax.scan(step, Gaussian(jnp.zeros(2), jnp.eye(2)), ys)
    return priors, beliefs, log_liks.sum()


def smooth(model, ys):
    priors, beliefs, _ = kalman_filter(model, ys)

    def step(after, now):
        prior, belief = now
        G = belief.cov @ transition(model).T @ jnp.linalg.inv(prior.cov)
        mean = belief.mean + G @ (after.mean - prior.mean)
        out = Gaussian(mean, belief.cov + G @ (after.cov - prior.cov) @ G.T)
        return out, mean

    last = jax.tree.map(lambda x: x[-1], beliefs)
    earlier = jax.tree.map(lambda x: x[:-1], beliefs)
    _, means = lax.scan(step, last, (jax.tree.map(lambda x: x[1:], priors), earlier), reverse=True)
    return jnp.vstack([means, last.mean])


@partial(jax.jit, static_argnums=2)
def fit(model, ys, steps, rate=2e-3):
    slope = jax.grad(lambda m: -kalman_filter(m, ys)[2])
    body = lambda i, m: jax.tree.map(lambda p, g: p - rate * jnp.clip(g, -10, 10), m, slope(m))
    return lax.fori_loop(0, steps, body, model)


rng = np.random.default_rng(5)
orbit = np.cos(0.3 * np.arange(50) + 0.5)
ys = (
    jnp.asarray(orbit + 0.2 * rng.standard_normal(50), dtype=jnp.float32)[:, None]
    .at[20:25]
    .set(jnp.nan)
)
model = Model(*map(jnp.float32, (0.27, -4.0, -2.0)))
before = kalman_filter(model, ys)[2]
model = fit(model, ys, 40)
print(f"log likelihood {before:.3f} -> {kalman_filter(model, ys)[2]:.3f}")
print("fitted", *(round(float(p), 4) for p in model))
smoothed = jax.jit(smooth)(model, ys)
print("smoothed", smoothed[20:25, 0], "error", jnp.sqrt(jnp.mean((smoothed[:, 0] - orbit) ** 2)))
