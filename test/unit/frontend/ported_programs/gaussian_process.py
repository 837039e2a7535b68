"""Regression by a Gaussian process: marginal likelihood by Cholesky, Newton steps, prediction."""

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax
from jax.scipy.stats import norm

jax.config.update("jax_enable_x64", True)


def rbf(log_params, x1, x2):
    amplitude, scale = jnp.exp(log_params[0]), jnp.exp(log_params[1])
    return amplitude**2 * jnp.exp(-0.5 * jnp.sum(((x1 - x2) / scale) ** 2))


def gram(kernel, xs, ys):
    return jax.vmap(lambda x: jax.vmap(lambda y: kernel(x, y))(ys))(xs)


def noisy_gram(log_params, xs):
    noise = jnp.exp(2 * log_params[2]) + 1e-8
    return gram(lambda a, b: rbf(log_params, a, b), xs, xs) + noise * jnp.eye(len(xs))


def neg_log_posterior(log_params, xs, ys):
    chol = jsp.linalg.cholesky(noisy_gram(log_params, xs), lower=True)
    alpha = jsp.linalg.cho_solve((chol, True), ys)
    log_det = 2.0 * jnp.log(jnp.diagonal(chol)).sum()
    log_likelihood = -0.5 * (ys @ alpha + log_det + ys.size * jnp.log(2 * jnp.pi))
    return -log_likelihood - norm.logpdf(log_params, loc=-1.0, scale=1.5).sum()


@jax.jit
def fit(log_params, xs, ys):
    def step(p, _):
        value, slope = jax.value_and_grad(neg_log_posterior)(p, xs, ys)
        curvature = jax.hessian(neg_log_posterior)(p, xs, ys)
        values, vectors = jnp.linalg.eigh(curvature)
        direction = vectors @ ((vectors.T @ slope) / jnp.maximum(jnp.abs(values), 1e-3))
        size = jnp.linalg.norm(direction)
        return p - lax.select(size > 0.5, 0.5 * direction / size, direction), value

    return lax.scan(step, log_params, xs=None, length=25)


@jax.jit
def predict(log_params, xs, ys, new):
    factor = jsp.linalg.cho_factor(noisy_gram(log_params, xs), lower=True)
    cross = gram(lambda a, b: rbf(log_params, a, b), xs, new)
    mean = cross.T @ jsp.linalg.cho_solve(factor, ys)
    half = jsp.linalg.solve_triangular(jnp.tril(factor[0]), cross, lower=True)
    return mean, jnp.exp(2 * log_params[0]) - jnp.sum(half**2, axis=0)


rng = np.random.default_rng(4)
xs = jnp.sort(jnp.array(rng.uniform(-3, 3, size=24)))
ys = jnp.sin(2 * xs) + 0.1 * rng.normal(size=24)
log_params, history = fit(jnp.zeros(3), xs, ys)
print("log posterior", history[0], history[-1])
print("parameters", *jnp.exp(log_params).tolist())
mean, var = predict(log_params, xs, ys, jnp.linspace(-2.0, 2.0, 5))
for m, s in zip(mean, jnp.sqrt(var)):
    print(f"{m:.6f} +- {s:.6f}, P(f > 0) = {norm.cdf(m / s):.4f}")
slope = jax.vmap(jax.grad(lambda x: predict(log_params, xs, ys, x[None])[0][0]))(
    jnp.array([0.0, 1.0])
)
print("slopes", slope, "residual", jnp.std(ys - predict(log_params, xs, ys, xs)[0]))
