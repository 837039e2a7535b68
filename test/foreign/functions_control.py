"""Loops, choices, transformations of JAX's own, and what it writes beside the mathematics."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from case import draws as d
from case import table
from jax import lax
from jax.experimental.xla_metadata import set_xla_metadata
from jax.sharding import AxisType, NamedSharding, PartitionSpec

__all__ = ["CASES"]

W, XS, V = 0.4 * d.normal(3, 3), d.normal(5, 3), d.normal(4)
MESH = jax.make_mesh((1,), ("data",), axis_types=(AxisType.Auto,))
SHARDED = NamedSharding(MESH, PartitionSpec("data"))


def cell(w, c, x):
    c = jnp.tanh(w @ c) + x
    return c, jnp.sum(c**2)


def recurrent(w, xs, **kw):
    c, ys = lax.scan(functools.partial(cell, w), jnp.zeros(3), xs, **kw)
    return jnp.sum(c) + jnp.sum(ys)


def lstm(wx, wh, xs):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ wx + h @ wh, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros(3), jnp.zeros(3)), xs)[1]


def gru(wx, wh, xs):
    def step(h, x):
        z, r = jnp.split(jax.nn.sigmoid(x @ wx[:, :6] + h @ wh[:, :6]), 2)
        return z * h + (1 - z) * jnp.tanh(x @ wx[:, 6:] + (r * h) @ wh[:, 6:]), None

    return lax.scan(step, jnp.zeros(3), xs)[0]


def halved(x):
    return lax.while_loop(lambda x: jnp.sum(x**2) > 0.5, lambda x: x * 0.7, x)


def newton(a):
    def step(c):
        x, _ = c
        new = 0.5 * (x + a / x)
        return new, jnp.abs(new - x)

    return lax.while_loop(lambda c: c[1] > 1e-6, step, (a, jnp.float32(1.0)))[0]


@jax.custom_vjp
def clipped(x):
    return x * x


clipped.defvjp(lambda x: (x * x, x), lambda x, g: (jnp.clip(2 * x * g, -1, 1),))


@jax.custom_jvp
def logish(x):
    return jnp.log1p(jnp.exp(x))


logish.defjvp(lambda p, t: (logish(*p), jax.nn.sigmoid(p[0]) * t[0]))

RULE = "a rule of jax's own is in no program"

LOOPS = table([
    ("scan", recurrent, (W, XS)),
    ("scan in reverse", lambda w, xs: recurrent(w, xs, reverse=True), (W, XS)),
    ("scan unrolled", lambda w, xs: recurrent(w, xs, unroll=2), (W, XS)),
    ("scan of no steps", recurrent, (W, XS[:0])),
    ("gradient of a scan", jax.grad(recurrent), (W, XS)),
    ("lstm", lstm, (d.normal(2, 12), d.normal(3, 12), d.normal(4, 2))),
    ("gru", gru, (d.normal(2, 9), d.normal(3, 9), d.normal(4, 2))),
    ("scan of scans", lambda w, xs: lax.scan(
        lambda c, _: (c + recurrent(w, xs * c), c), jnp.float32(0.1), None, length=3)[0], (W, XS)),
    ("while loop", halved, (3 * V,)),
    ("newton's method", newton, (np.float32(3.0),)),
    ("fori loop", lambda x: lax.fori_loop(0, 4, lambda i, x: x * jnp.sin(x) + i, x), (V,)),
    ("fori loop of unknown length", lambda n, x: lax.fori_loop(
        0, n, lambda i, x: jnp.sin(x) + i, x), (np.int32(3), V)),
    ("map", lambda xs: lax.map(lambda x: jnp.outer(x, x), xs), (XS,)),
    ("cond", lambda p, x: lax.cond(p > 0, jnp.sin, lambda x: x**2, x), (np.float32(1.0), V)),
    ("switch", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda x: x * 2], x),
     (np.int32(2), V)),
    ("cond in a scan", lambda xs: lax.scan(
        lambda c, x: (lax.cond(x[0] > 0, lambda c: c * 2, jnp.sin, c) + x, c), jnp.ones(3), xs),
     (XS,)),
    ("vmap of a while loop", jax.vmap(halved), (d.normal(3, 4),)),
    ("vmap of a cond", jax.vmap(lambda p, x: lax.cond(p > 0, jnp.sin, jnp.cos, x)),
     (d.normal(3), d.normal(3, 2))),
])  # fmt: skip

TRANSFORMED = table([
    ("gradient of a gradient", jax.grad(lambda x: jnp.sum(jax.grad(
        lambda x: jnp.sum(jnp.sin(x) ** 3))(x) ** 2)), (V,)),
    ("hessian", jax.hessian(lambda x: jnp.sum(jnp.exp(x) * x[::-1])), (V,)),
    ("jacobians", lambda x: (jax.jacfwd(jnp.sort)(x), jax.jacrev(jnp.cumprod)(x)), (V,)),
    ("tangent", lambda x, t: jax.jvp(lambda x: jnp.tanh(x) * x, (x,), (t,)), (V, d.normal(4))),
    ("vmap of a gradient", jax.vmap(jax.grad(lambda x: jnp.sum(jnp.sin(x)) ** 2)),
     (d.normal(3, 2),)),
    ("checkpoint", jax.grad(lambda w, x: jnp.sum(jax.checkpoint(
        lambda w, x: jnp.tanh(jnp.tanh(x @ w) @ w))(w, x))), (W, XS)),
    ("checkpoint, not differentiated", lambda w, x: jax.checkpoint(
        lambda w, x: jnp.tanh(x @ w))(w, x), (W, XS)),
    ("custom vjp", clipped, (V,), {"without": dict.fromkeys(("grad", "jvp"), RULE)}),
    ("gradient of a custom vjp", jax.grad(lambda x: jnp.sum(clipped(x))), (V,)),
    ("custom jvp", logish, (V,)),
    ("stop gradient", lambda x: jnp.sum(x * lax.stop_gradient(x)), (V,),
     {"without": dict.fromkeys(("grad", "jvp"), RULE)}),
    ("jit in jit", lambda x: jax.jit(jnp.sin)(jax.jit(lambda x: x * 2)(x)) + jax.jit(jnp.sin)(x),
     (V,)),
    ("linear solve by conjugate gradients",
     lambda a, b: jax.scipy.sparse.linalg.cg(lambda x: a @ x, b, maxiter=5)[0],
     (d.definite(3), d.normal(3)), {"without": dict.fromkeys(("grad", "jvp"), RULE)}),
    ("ode", lambda x: lax.fori_loop(0, 10, lambda i, x: x + 0.1 * jnp.cos(x), x), (V,)),
    ("adam step", lambda p, g, m, v: (p - 0.1 * (0.9 * m + 0.1 * g) / (
        jnp.sqrt(0.999 * v + 0.001 * g * g) + 1e-8), 0.9 * m + 0.1 * g),
     (V, d.normal(4), d.normal(4), d.positive(4))),
])  # fmt: skip

WRITTEN = table([
    ("donated argument", lambda x, y: (x + y, y * 2), (V, d.normal(4)),
     {"jit": {"donate_argnums": (0,)}}),
    ("unused argument", lambda x, y: x * 2, (V, d.normal(4))),
    ("same result twice", lambda x: (x * 2, x * 2, x), (V,)),
    ("closed-over array", lambda x: x @ np.arange(12, dtype="float32").reshape(4, 3), (V,)),
    ("sharded argument", lambda x: jnp.sin(x) * 2, (V,),
     {"jit": {"in_shardings": SHARDED, "out_shardings": SHARDED}}),
    ("sharding constraint", lambda x: jnp.sin(
        lax.with_sharding_constraint(x * 2, SHARDED)) * 3, (V,)),
    ("shard map", jax.shard_map(lambda x: lax.psum(jnp.sum(x), "data"), mesh=MESH,
                                in_specs=PartitionSpec("data"), out_specs=PartitionSpec()), (V,)),
    ("named scopes", lambda x: jax.named_scope("outer")(jax.named_scope("in/ner")(jnp.sin))(x),
     (V,)),
    ("optimization barrier", lambda x: lax.optimization_barrier(jnp.sin(x)) * 2, (V,)),
    ("metadata", lambda x: set_xla_metadata(jnp.sin(x), note="1") * 2, (V,)),
    ("callback", lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((4,), "float32"), x),
     (V,), {"refused": dict.fromkeys(("value", "forms", "grad", "jvp", "vmap"), "callback")}),
    ("scalars alone", lambda x: x * 2 + 1, (np.float32(3.0),)),
    ("no arguments", lambda: jnp.arange(5) * 2, ()),
])  # fmt: skip

CASES = [*LOOPS, *TRANSFORMED, *WRITTEN]
