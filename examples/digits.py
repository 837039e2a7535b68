"""Train a network to read handwritten digits, and keep its program at every stage.

    python examples/digits.py --out out/digits

The data are the 1,797 scanned digits that come with scikit-learn, images of 8 x 8 pixels.  The
folder then holds the loss function as MLIR: as it was traced (`loss.anvl.mlir`), with its gradient
(`loss.gradient.mlir`), and what was compiled (`loss.stablehlo.mlir`); one batch with its loss and
gradient (`batch.npz`); and `digits.png`.  `digits.sh` makes these stages again, from the shell.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import anvl
import anvl.numpy as np

PIXELS, HIDDEN, CLASSES = 64, 256, 10
EPOCHS, BATCH, RATE, MOMENTUM = 40, 32, 0.1, 0.9
NOISE = 0.2  # added to the pixels, so that the images are not learnt by heart
GOAL = 0.97  # of the held-out digits are to be read rightly


# The model: functions of arrays.


class Network(NamedTuple):
    w1: Any
    b1: Any
    w2: Any
    b2: Any


def scores(params, x):
    """For each image, how much it looks like a 0, a 1, ... a 9."""
    hidden = np.maximum(x @ params.w1 + params.b1, 0)
    return hidden @ params.w2 + params.b2


def loss(params, x, y):
    """The mean cross-entropy; each row of y has a one at the label of an image, and zeros."""
    s = scores(params, x)
    return np.mean(np.logsumexp(s, axis=1) - np.sum(y * s, axis=1))


# What anvl makes of them; each is compiled when it is first called.

loss_and_gradient = anvl.jit(anvl.value_and_grad(loss))


@anvl.jit
def updated(params, velocity, gradient, rate):
    """One step of gradient descent with momentum."""
    velocity = anvl.tree.map(lambda v, g: MOMENTUM * v - rate * g, velocity, gradient)
    return anvl.tree.map(lambda p, v: p + v, params, velocity), velocity


@anvl.jit
def read(params, x):
    return np.argmax(scores(params, x), axis=1)


# Training.


def images_and_labels():
    """Those to train on, then a fifth that is held out, with as many of each digit."""
    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype(numpy.float32)
    return train_test_split(images, labels, test_size=0.2, stratify=labels, random_state=0)


def initial(rng):
    def weights(n, m):
        return rng.normal(scale=(2 / n) ** 0.5, size=(n, m)).astype(numpy.float32)

    def zeros(n):
        return numpy.zeros(n, numpy.float32)

    return Network(weights(PIXELS, HIDDEN), zeros(HIDDEN), weights(HIDDEN, CLASSES), zeros(CLASSES))


def batches(rng, x, y):
    """All images in a new order, with new noise; a last batch that is too small is left out."""
    order = rng.permutation(len(x))[: len(x) // BATCH * BATCH]
    for rows in order.reshape(-1, BATCH):
        noise = NOISE * rng.standard_normal((BATCH, PIXELS), numpy.float32)
        yield x[rows] + noise, y[rows]


def trained(rng, x, y, epochs):
    """The network, and the loss of each batch of each epoch."""
    params = initial(rng)
    velocity = anvl.tree.map(numpy.zeros_like, params)
    losses = []
    bar = tqdm(range(epochs), "training", unit=" epochs", disable=None)  # None: on terminals only
    for epoch in bar:
        rate = RATE * (1 - epoch / epochs)
        losses.append([])
        for batch in batches(rng, x, y):
            value, gradient = loss_and_gradient(params, *batch)
            params, velocity = updated(params, velocity, gradient, rate)
            losses[-1].append(value)
        mean = numpy.mean(losses[-1])
        bar.set_postfix(loss=f"{mean:.3f}")
        if bar.disable and epoch % 10 == 9:
            print(f"epoch {epoch + 1} of {epochs}: loss {mean:.3f}")
    return params, numpy.array(losses)


# What is kept.


def write_stages(out, *args):
    """The loss at every stage, and numbers to compare with."""
    program = loss_and_gradient.lower(*args)
    write(out / "loss.anvl.mlir", anvl.trace(loss, *args).mlir())
    write(out / "loss.gradient.mlir", program.mlir("gradient"))
    write(out / "loss.stablehlo.mlir", program.mlir("stablehlo"))
    arrays = {f"argument{i}": x for i, x in enumerate(anvl.tree.leaves(args))}
    results = anvl.tree.leaves(loss_and_gradient(*args))
    numpy.savez(out / "batch.npz", **arrays, **{f"result{i}": y for i, y in enumerate(results)})


def write(path, text):
    path.write_text(text)
    print(f"wrote {path}")


def draw(path, losses, x, labels, guesses):
    """The loss curve, and the digits that were read wrongly."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subfigures(1, 2, wspace=0.08)
    draw_curve(left.subplots(), losses)
    wrong = numpy.flatnonzero(guesses != labels)
    right.suptitle(f"{len(wrong)} of {len(labels)} held-out digits are read wrongly")
    cells = right.subplots(2, max(3, -(-len(wrong) // 2))).flatten()
    for cell in cells:
        cell.set_axis_off()
    for cell, i in zip(cells, wrong, strict=False):
        cell.imshow(x[i].reshape(8, 8), cmap="gray_r")
        cell.set_title(f"a {labels[i]}, read as {guesses[i]}", fontsize=9)
    figure.savefig(path, dpi=150)
    print(f"wrote {path}")


def draw_curve(axes, losses):
    epochs = 1 + numpy.arange(losses.size) / losses.shape[1]
    axes.semilogy(epochs, losses.ravel(), color="tab:blue", alpha=0.25, lw=0.8, label="each batch")
    axes.semilogy(epochs[:: losses.shape[1]] + 0.5, losses.mean(axis=1), label="mean of each epoch")
    axes.set(title="Loss while training", xlabel="epoch", ylabel="cross-entropy")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/digits"), help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="a quarter of the epochs")
    given = parser.parse_args()
    out = given.out
    epochs, goal = (EPOCHS // 4, 0.95) if given.quick else (EPOCHS, GOAL)
    out.mkdir(parents=True, exist_ok=True)

    x, x_held_out, labels, labels_held_out = images_and_labels()
    y = numpy.eye(CLASSES, dtype=numpy.float32)[labels]
    params, losses = trained(numpy.random.default_rng(0), x, y, epochs)

    guesses = numpy.asarray(read(params, x_held_out))
    accuracy = numpy.mean(guesses == labels_held_out)
    print(f"reads {accuracy:.1%} of {len(guesses)} held-out digits rightly")
    write_stages(out, params, x[:BATCH], y[:BATCH])
    draw(out / "digits.png", losses, x_held_out, labels_held_out, guesses)
    if accuracy < goal:
        sys.exit(f"digits: {accuracy:.1%} is below the goal of {goal:.0%}")


if __name__ == "__main__":
    main()
