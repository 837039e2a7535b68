"""Train one transformer in five ways over eight devices: the same losses, other memory.

    python examples/sharded.py --out out/sharded
    ANVL_NUM_CPU_DEVICES=4 python -m anvl.distributed.launch -n 2 examples/sharded.py

The model is that of `transformer.py`, its blocks in one `scan`, on the same sonnets.  Each layout
says how the batch, the parameters and the state of Adam lie on a mesh; the code of the model does
not change.  XLA divides the step, and a device holds its parts only:

    data     each device has an eighth of the batch
    model    each has a part of the heads and of the inner width of each block
    both     a mesh of 4 x 2: the batch along one axis, the blocks along the other
    state    as data, and each has an eighth of Adam's state

The losses must be those of one device, within 1e-4, and the state of `state` and of `model` must
take less memory on a device.  On a cluster the launcher, or SLURM, starts a process on each
machine: docs/distributed.md.  The folder gets `sharded.png`, bytes of a device by layout.
"""

import argparse
import os
from functools import partial
from pathlib import Path

import numpy
from matplotlib.figure import Figure

import anvl
import anvl.numpy as np
from anvl import nn, optim
from anvl.sharding import Mesh, P, Sharding

WIDTH, HEADS, BLOCKS, CONTEXT, BATCH = 64, 8, 2, 32, 16
DEVICES = 8

TEXT = (Path(__file__).parent / "data" / "sonnets.txt").read_text()
LETTERS = sorted(set(TEXT))
TOKENS = numpy.array([LETTERS.index(c) for c in TEXT], "int32")

#: For each layout the mesh, whether the blocks are cut, and whether Adam's state is.
LAYOUTS = {
    "data": ({"data": 8}, False, False),
    "model": ({"data": 1, "model": 8}, True, False),
    "both": ({"data": 4, "model": 2}, True, False),
    "state": ({"data": 8}, False, True),
}


def initial():
    """The parameters: an embedding of letters, and the weights of all blocks, stacked."""
    rng = numpy.random.default_rng(0)

    def normal(*shape):
        return rng.normal(scale=0.1, size=shape).astype("float32")

    return {
        "letters": normal(len(LETTERS), WIDTH),
        "qkv": normal(BLOCKS, 3, WIDTH, WIDTH),
        "out": normal(BLOCKS, WIDTH, WIDTH),
        "up": normal(BLOCKS, WIDTH, 4 * WIDTH),
        "down": normal(BLOCKS, 4 * WIDTH, WIDTH),
    }


def cuts(blocks_are_cut):
    """How each parameter lies: of `qkv` and `up` the columns are cut, of the next ones the rows."""
    columns, rows = (P(None, "model"), P("model")) if blocks_are_cut else (P(), P())
    return {
        "letters": P(),
        "qkv": P(None, None, *columns),
        "out": P(None, *rows),
        "up": P(None, *columns),
        "down": P(None, *rows),
    }


def block(x, p):
    h = nn.standardize(x)
    q, k, v = ((h @ w).reshape(*h.shape[:-1], HEADS, -1) for w in p["qkv"])
    x = x + nn.dot_product_attention(q, k, v, is_causal=True).reshape(x.shape) @ p["out"]
    return x + nn.gelu(nn.standardize(x) @ p["up"]) @ p["down"], None


def loss(params, tokens):
    """Cross-entropy of each letter given those before it; tokens of shape (n, CONTEXT + 1)."""
    x = params["letters"][tokens[:, :-1]]
    x, _ = anvl.scan(block, x, {k: w for k, w in params.items() if k != "letters"})
    scores = x @ params["letters"].T
    return np.mean(optim.softmax_cross_entropy_with_integer_labels(scores, tokens[:, 1:]))


def batches(steps):
    rng = numpy.random.default_rng(1)
    for _ in range(steps):
        starts = rng.integers(len(TOKENS) - CONTEXT, size=BATCH)
        yield TOKENS[starts[:, None] + numpy.arange(CONTEXT + 1)]


def trained(steps, params, state, put, out_shardings=None):
    """The losses, and the bytes of parameters and state on a device."""

    @partial(anvl.jit, donate=("params", "state"), out_shardings=out_shardings)
    def step(params, state, tokens):
        value, slopes = anvl.value_and_grad(loss)(params, tokens)
        updates, state = ADAM.update(slopes, state, params)
        return optim.apply_updates(params, updates), state, value

    losses = []
    for tokens in batches(steps):
        params, state, value = step(params, state, put(tokens))
        losses.append(float(value))
    held = anvl.tree.leaves((params, state))
    return numpy.array(losses), sum(on_a_device(x) for x in held)


ADAM = optim.adam(3e-3)


def on_a_device(x):
    """Bytes of an array on one device."""
    shard = x.addressable_shards[0].data if hasattr(x, "addressable_shards") else x
    return shard.nbytes


def cut(x):
    """The spec that cuts the last axis of a matrix along `data`, if it has that many columns."""
    return P(*[None] * (x.ndim - 1), "data") if x.ndim > 1 and x.shape[-1] % DEVICES == 0 else P()


def over_a_mesh(layout, steps):
    """Train as a layout says; each process calls this, and puts what its devices have."""
    shape, blocks_are_cut, state_is_cut = LAYOUTS[layout]
    mesh = Mesh(shape)
    of_params = {k: Sharding(mesh, spec) for k, spec in cuts(blocks_are_cut).items()}
    params = anvl.device_put(initial(), of_params)
    state = ADAM.init(params)  # it lies as the parameters do; the number of steps is on one device

    def placed(x):
        moves = state_is_cut or x.ndim == 0
        return anvl.device_put(x, Sharding(mesh, cut(x))) if moves else x

    state = anvl.tree.map(placed, state)
    of_state = anvl.tree.map(lambda x: x.sharding, state)
    rows = Sharding(mesh, P("data"))
    put = partial(anvl.device_put, device=rows)
    return trained(steps, params, state, put, (of_params, of_state, None))


def draw(path, bytes_):
    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    axes.barh(list(bytes_), [n / 1e6 for n in bytes_.values()], color="C0")
    axes.set(title="Parameters and Adam's state", xlabel="MB on a device")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=80)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/sharded"), help="folder")
    parser.add_argument("--quick", action="store_true", help="a tenth of the steps, one layout")
    parser.add_argument("--layout", choices=LAYOUTS, action="append", help="again for another")
    given = parser.parse_args()
    if "ANVL_NUM_PROCESSES" in os.environ:  # the launcher has started several
        anvl.distributed.initialize()
    elif "ANVL_NUM_CPU_DEVICES" not in os.environ:
        anvl.config.num_cpu_devices = DEVICES

    steps = 5 if given.quick else 50
    params = initial()
    one = trained(steps, params, ADAM.init(params), numpy.asarray)
    print(f"one device: loss {one[0][0]:.4f} to {one[0][-1]:.4f}, {one[1] / 1e6:.2f} MB")
    bytes_ = {"one": one[1]}
    for layout in given.layout or (["both"] if given.quick else LAYOUTS):
        losses, bytes_[layout] = over_a_mesh(layout, steps)
        error = numpy.max(numpy.abs(losses / one[0] - 1))
        print(f"{layout}: loss {losses[0]:.4f} to {losses[-1]:.4f}, largest error {error:.1e}, "
              f"{bytes_[layout] / 1e6:.2f} MB a device")  # fmt: skip
        assert error < 1e-4, f"{layout}: the losses differ by {error:.1e}"
        assert layout == "data" or bytes_[layout] < 0.6 * one[1], f"{layout} saves no memory"
    if anvl.distributed.process_index() == 0:
        given.out.mkdir(parents=True, exist_ok=True)
        draw(given.out / "sharded.png", bytes_)


if __name__ == "__main__":
    main()
