"""A block of a decoder: causal attention, a mixture by a gate, rotary positions, generation."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

D, HEADS, VOCAB = 16, 4, 11


def layer_norm(x, gain, eps=1e-6):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    var = jnp.mean(lax.square(x - mean), axis=-1, keepdims=True)
    return gain * (x - mean) * lax.rsqrt(var + eps)


def rotary(x):
    t, d = x.shape[-3], x.shape[-1]
    angle = jnp.outer(jnp.arange(t), 1.0 / 10000 ** (jnp.arange(0, d, 2) / d))[:, None, :]
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate(
        [a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1
    )


def attention(p, x):
    q, k, v = (jnp.einsum("td,dhk->thk", x, p[name]) for name in ("q", "k", "v"))
    scores = jnp.einsum("qhd,khd->hqk", rotary(q), rotary(k)) / jnp.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones(scores.shape[-2:], dtype=bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, jnp.finfo(scores.dtype).min), axis=-1)
    return jnp.einsum("hqk,khd,hde->qe", weights, v, p["o"])


@partial(jax.checkpoint, static_argnums=(3,))
def block(p, x, key, rate):
    x = x + attention(p, layer_norm(x, p["g1"]))
    h = jax.nn.silu(layer_norm(x, p["g2"]) @ p["up"])
    keep = random.bernoulli(key, 1.0 - rate, h.shape)
    return x + jnp.where(keep, h / (1.0 - rate), 0) @ p["down"]


def logits(p, tokens, key, rate=0.0):
    return block(p, p["embed"][tokens], key, rate) @ p["embed"].T


@jax.jit
def loss(p, batch, keys):
    out = jax.vmap(logits, in_axes=(None, 0, 0))(p, batch[:, :-1], keys)
    log_probs = jax.nn.log_softmax(out.astype(jnp.float32))
    return -jnp.mean(jnp.sum(log_probs * jax.nn.one_hot(batch[:, 1:], VOCAB), axis=-1))


@partial(jax.jit, static_argnames="steps")
def generate(p, prompt, steps):
    def body(i, tokens):
        last = lax.dynamic_slice_in_dim(logits(p, tokens, random.key(0)), i - 1, 1)
        return lax.dynamic_update_slice(
            tokens, jnp.argmax(last, axis=-1).astype(tokens.dtype), (i,)
        )

    tokens = jnp.pad(prompt, (0, steps))
    return lax.fori_loop(prompt.shape[0], tokens.shape[0], body, tokens)


rng = np.random.default_rng(2)
normal = lambda *s: jnp.asarray(rng.normal(scale=s[0] ** -0.5, size=s), dtype=jnp.float32)
qkv = {name: normal(D, HEADS, D // HEADS) for name in "qkv"}
params = dict(qkv, o=normal(HEADS, D // HEADS, D), up=normal(D, 2 * D), down=normal(2 * D, D))
params |= dict(embed=normal(VOCAB, D), g1=jnp.ones(D), g2=jnp.ones((D,)))
batch = jnp.asarray(rng.integers(VOCAB, size=(3, 8)), dtype=jnp.int32)
keys = random.split(random.key(1), batch.shape[0])
value, grads = jax.value_and_grad(loss)(params, batch, keys)
print(f"loss {value:.5f}")
for path, leaf in jax.tree_util.tree_leaves_with_path(grads):
    print(leaf.shape, f"{jnp.abs(leaf).sum():.3f}")
params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
print(f"then {loss(params, batch, keys):.5f}", generate(params, batch[0, :3], steps=5).tolist())
