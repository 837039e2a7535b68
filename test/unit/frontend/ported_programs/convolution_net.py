"""A convolution net with a residual block, batch statistics and pooling; one epoch by momentum."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


class Params(NamedTuple):
    stem: jax.Array
    block: jax.Array
    scale: jax.Array
    head: jax.Array


def conv(x, kernel, stride=1):
    dn = lax.conv_dimension_numbers(x.shape, kernel.shape, ("NHWC", "HWIO", "NHWC"))
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=dn)


def max_pool(x, size=2):
    window = (1, size, size, 1)
    return lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID")


def normalize(x, scale, eps=1e-5):
    mean = x.mean(axis=(0, 1, 2), keepdims=True)
    var = jnp.var(x, axis=(0, 1, 2), keepdims=True)
    return scale * (x - mean) * lax.rsqrt(var + eps)


def apply(params, images):
    x = jax.nn.relu(conv(images, params.stem, stride=2))
    x = x + jax.nn.gelu(normalize(conv(x, params.block), params.scale))
    x = max_pool(x)
    x = x.reshape(x.shape[0], -1)
    return jax.nn.log_softmax(lax.dot(x, params.head))


def loss(params, images, labels):
    log_probs = apply(params, images)
    nll = -jnp.take_along_axis(log_probs, labels[:, None], axis=-1).mean()
    return nll + 1e-3 * sum(jnp.vdot(p, p) for p in jax.tree.leaves(params))


@jax.jit
def epoch(params, images, labels):
    def step(carry, batch):
        params, velocity = carry
        value, grads = jax.value_and_grad(loss)(params, *batch)
        velocity = jax.tree.map(lambda v, g: 0.9 * v - 0.05 * g, velocity, grads)
        return (jax.tree.map(jnp.add, params, velocity), velocity), value

    (params, _), losses = lax.scan(
        step, (params, jax.tree.map(jnp.zeros_like, params)), (images, labels)
    )
    return params, losses


rng = np.random.default_rng(1)
labels = rng.integers(0, 3, size=(6, 8)).astype(np.int32)
images = rng.normal(size=(6, 8, 8, 8, 1)).astype(np.float32) + labels[..., None, None, None].astype(
    np.float32
)
he = lambda *shape: jnp.array(rng.normal(size=shape) / np.sqrt(np.prod(shape[:-1])), jnp.float32)
params = Params(he(3, 3, 1, 4), he(3, 3, 4, 4), jnp.ones(4), he(16, 3))
params, losses = epoch(params, images, labels)
print("losses", np.round(np.asarray(losses), 4))
print("stem", jnp.linalg.norm(params.stem).item(), "shape", apply(params, images[0]).shape)
