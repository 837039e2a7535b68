"""A multi-layer perceptron that Adam trains to tell two spirals apart."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import random


def init_layer(rng, n_in, n_out):
    w = rng.normal(size=(n_in, n_out)) * np.sqrt(2.0 / n_in)
    return {"w": jnp.asarray(w, dtype=jnp.float32), "b": jnp.zeros((n_out,))}


def forward(params, x):
    *hidden, last = params
    for layer in hidden:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ last["w"] + last["b"]


def loss_fn(params, x, y, smoothing=0.0):
    logits = forward(params, x)
    targets = optax.smooth_labels(jax.nn.one_hot(y, logits.shape[-1]), smoothing)
    loss = optax.softmax_cross_entropy(logits, targets).mean()
    return loss, jnp.mean(jnp.argmax(logits, axis=-1) == y)


optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(learning_rate=1e-2))


@partial(jax.jit, static_argnames=("smoothing",), donate_argnums=(0, 1))
def train_step(params, opt_state, x, y, smoothing):
    (loss, accuracy), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, x, y, smoothing)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss, accuracy


rng = np.random.default_rng(0)
t = jnp.linspace(0.5, 2.0, 64)
spiral = jnp.stack([t * jnp.cos(3 * t), t * jnp.sin(3 * t)], axis=1)
x, y = jnp.concatenate([spiral, -spiral]), jnp.repeat(jnp.arange(2), 64)
params = [init_layer(rng, m, n) for m, n in [(2, 16), (16, 16), (16, 2)]]
opt_state = optimizer.init(params)
key = random.PRNGKey(0)
for step in range(60):
    key, subkey = random.split(key)
    order = random.permutation(subkey, x.shape[0])
    params, opt_state, loss, accuracy = train_step(params, opt_state, x[order], y[order], 0.1)
    if step % 20 == 0:
        print(f"step {step} loss {loss:.4f} accuracy {accuracy:.3f}")
sizes = jax.tree.map(jnp.shape, params)
count = sum(p.size for p in jax.tree_util.tree_leaves(params))
print(f"loss {float(loss):.3f} parameters {count} first {sizes[0]['w']}")
