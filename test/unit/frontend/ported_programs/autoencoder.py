"""A variational autoencoder: draws by reparameterisation, many steps by one scan."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax, nn, random

init = nn.initializers.glorot_normal()


def init_params(key, sizes, latent):
    k1, k2, k3, k4 = random.split(key, 4)
    dense = lambda k, m, n: (init(k, (m, n), jnp.float32), jnp.zeros(n))
    return {
        "encoder": [dense(k1, *sizes), dense(k2, sizes[1], 2 * latent)],
        "decoder": [dense(k3, latent, sizes[1]), dense(k4, sizes[1], sizes[0])],
    }


def mlp(layers, x):
    for w, b in layers[:-1]:
        x = jnp.tanh(jnp.dot(x, w) + b)
    w, b = layers[-1]
    return jnp.dot(x, w) + b


def elbo(params, key, x, beta=1.0):
    mean, log_var = jnp.split(mlp(params["encoder"], x), 2, axis=-1)
    z = mean + jnp.exp(0.5 * log_var) * random.normal(key, mean.shape, dtype=mean.dtype)
    recon = -optax.sigmoid_binary_cross_entropy(mlp(params["decoder"], z), x).sum(-1)
    kl = 0.5 * jnp.sum(jnp.square(mean) + jnp.exp(log_var) - 1.0 - log_var, axis=-1)
    return recon - beta * kl, {"kl": kl, "z": lax.stop_gradient(z)}


def batch_loss(params, key, xs):
    values, aux = jax.vmap(elbo, in_axes=(None, 0, 0))(params, random.split(key, len(xs)), xs)
    return -values.mean(), jax.tree.map(functools.partial(jnp.mean, axis=0), aux)


optimizer = optax.adamw(optax.cosine_decay_schedule(3e-2, decay_steps=100), weight_decay=1e-4)


@functools.partial(jax.jit, static_argnums=3, donate_argnums=0)
def train(state, key, xs, steps):
    def step(state, key):
        params, opt_state = state
        (loss, aux), grads = jax.value_and_grad(batch_loss, has_aux=True)(params, key, xs)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return (optax.apply_updates(params, updates), opt_state), (loss, aux["kl"])

    return lax.scan(step, state, random.split(key, steps))


prototypes = np.random.default_rng(3).integers(0, 2, size=(4, 12))
xs = jnp.asarray(np.tile(prototypes, (8, 1)), dtype=jnp.float32)
params = init_params(random.PRNGKey(0), (12, 16), latent=2)
zeros = jax.tree_util.tree_map(jnp.zeros_like, params)
(start, aux), grads = jax.value_and_grad(batch_loss, has_aux=True)(zeros, random.PRNGKey(5), xs)
print(f"of zeros {start:.5f} kl {aux['kl']:.1f} slope {jnp.sum(grads['decoder'][-1][1]):.5f}")
(params, _), (losses, kls) = train((params, optimizer.init(params)), random.PRNGKey(1), xs, 100)
print("falls below a half", bool(losses[-10:].mean() < 0.5 * losses[0]), losses.shape)
codes = jax.vmap(lambda x: mlp(params["encoder"], x)[:2])(xs[:4])
decoded = nn.sigmoid(mlp(params["decoder"], codes)) > 0.5
print(
    "decoded",
    jnp.sum(decoded == prototypes).item(),
    "of",
    decoded.size,
    "kl > 0.5",
    (kls[-1] > 0.5).item(),
)
