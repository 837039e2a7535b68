"""A small language model with a mixture of experts, sharded, checkpointed and trained by hand."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.tree_util import GetAttrKey, keystr, tree_map_with_path

WIDTH, EXPERTS, VOCABULARY = 8, 3, 11


@jax.tree_util.register_pytree_with_keys_class
class Layer:
    def __init__(self, router, up, down, scale):
        self.router, self.up, self.down, self.scale = router, up, down, scale

    def tree_flatten_with_keys(self):
        names = ("router", "up", "down", "scale")
        return [(GetAttrKey(name), getattr(self, name)) for name in names], None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


def weights(rng, *shape):
    return jnp.asarray(rng.normal(size=shape) / np.sqrt(shape[-2]), jnp.float32)


def init(rng):
    layers = [
        Layer(
            weights(rng, WIDTH, EXPERTS),
            weights(rng, EXPERTS, WIDTH, 2 * WIDTH),
            weights(rng, EXPERTS, 2 * WIDTH, WIDTH),
            jnp.ones(WIDTH),
        )
        for _ in range(2)
    ]
    return {"embed": weights(rng, VOCABULARY, WIDTH), "layers": layers}


@jax.custom_gradient
def limited(x):
    """Identity, whose cotangents are cut off."""
    return x, lambda g: (lax.clamp(-0.5, g, 0.5),)


def rounded(x):
    """Rounding to bf16, through which derivatives pass."""
    return lax.reduce_precision(x, exponent_bits=8, mantissa_bits=7)


def take(table, tokens):
    dims = lax.GatherDimensionNumbers((1,), (0,), (0,))
    return lax.gather(table, tokens[:, None], dims, (1, WIDTH), mode=lax.GatherScatterMode.CLIP)


def mixture(layer, x):
    """Each token goes to one expert: sorted by it, multiplied in groups, and put back."""
    chances = jax.nn.softmax(x @ layer.router)
    gate, expert = lax.approx_max_k(chances, 1)
    order = jnp.arange(x.shape[0])
    expert, order = lax.sort_key_val(expert[:, 0], order)
    sizes = jnp.zeros(EXPERTS, jnp.int32)
    sizes = lax.scatter_add(
        sizes, expert[:, None], jnp.ones_like(expert), lax.ScatterDimensionNumbers((), (0,), (0,))
    )
    rows = x[order]
    hidden = jax.nn.gelu(lax.ragged_dot(rows, layer.up, sizes, precision=lax.Precision.HIGHEST))
    found = lax.ragged_dot(hidden, layer.down, sizes, precision=lax.Precision.HIGHEST)
    return jnp.zeros_like(found).at[order].set(found) * gate, sizes


@partial(jax.checkpoint, policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable)
def block(layer, x):
    mean_square = lax.integer_pow(x, 2).mean(-1, keepdims=True)
    normal = x * lax.rsqrt(mean_square + 1e-5) * layer.scale
    is_first = lax.broadcasted_iota(jnp.int32, x.shape, 0) == 0
    shifted = lax.select_n(is_first, jnp.roll(x, 1, 0), jnp.zeros_like(x))
    update, sizes = mixture(layer, normal + 0.5 * shifted)
    return limited(x + rounded(update)), sizes


def forward(params, tokens):
    x = take(params["embed"], tokens)
    counts = []
    for layer in params["layers"]:
        x, sizes = block(layer, lax.optimization_barrier(x))
        counts.append(sizes)
    return x @ params["embed"].T, lax.reduce_sum(jnp.stack(counts), (0,))


def loss(params, tokens):
    logits, counts = forward(params, tokens[:-1])
    chosen = lax.index_take(
        jax.nn.log_softmax(logits), (jnp.arange(len(logits)), tokens[1:]), (0, 1)
    )
    return -chosen.mean(), counts


def mean_loss(params, batch):
    found = [loss(params, tokens) for tokens in lax.unstack(batch)]
    return jax.tree.map(lambda *xs: sum(xs) / len(xs), *found)


def decay(path, weight):
    """No decay for scales: the last key of a path says what it is."""
    is_scale = isinstance(path[-1], GetAttrKey) and path[-1].name == "scale"
    return 0.0 if is_scale else 1e-3


seen = []


@jax.jit
def step(params, batch):
    batch = lax.with_sharding_constraint(batch, rows)
    (value, counts), slopes = jax.value_and_grad(mean_loss, has_aux=True)(params, batch)
    jax.debug.callback(lambda v: seen.append(round(float(v), 3)), value)
    rates = tree_map_with_path(decay, params)
    return jax.tree.map(lambda p, g, r: p - 0.3 * g - r * p, params, slopes, rates), value, counts


mesh = jax.make_mesh((1,), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, jax.P("data"))
rng = np.random.default_rng(0)
params = init(rng)
batch = jnp.asarray((rng.integers(0, 3, (2, 1)) + np.arange(13)) % VOCABULARY, jnp.int32)
batch = jax.make_array_from_callback(batch.shape, rows, lambda at: np.asarray(batch)[at])
print("devices", jax.device_count(), jax.process_index(), jax.default_backend())
print("types", jax.typeof(params["embed"]).shape, jax.typeof(batch).dtype)
with jax.default_matmul_precision("highest"):
    for i in range(12):
        with jax.profiler.StepTraceAnnotation("train", step_num=i):
            params, value, counts = step(params, batch)
        if i % 4 == 0:
            print("loss", float(value), "experts", float(counts.sum()))
    jax.effects_barrier()
print("seen", len(seen), seen[0], seen[-1])

paths = [keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(params)]
print(paths[0], paths[1], paths[4])
norms = jax.tree_util.tree_broadcast({"embed": 1, "layers": 2}, params)
print("broadcast", jax.tree.leaves(norms))

with jax.disable_jit():
    signs = jax.jit(lambda v: "down" if v < seen[0] else "up")(value)
print("the loss went", signs)
with jax.enable_x64(True):
    factor = lax.linalg.cholesky(jnp.asarray([[4.0, 2.0], [2.0, 5.0]], dtype="float64"))
    print(
        "wide",
        factor.dtype,
        lax.linalg.triangular_solve(factor, factor, left_side=True, lower=True),
    )
bits = lax.bitcast_convert_type(params["embed"][0, :2], jnp.int32)
print("bits", bits.dtype, lax.population_count(lax.bitwise_xor(bits, bits)))
windows = lax.conv_general_dilated_patches(jnp.arange(6.0).reshape(1, 1, 6), (3,), (2,), "VALID")
print("windows", windows.ravel(), lax.padtype_to_pads((6,), (3,), (2,), "SAME"))
