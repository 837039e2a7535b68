"""Train one network to read digits in f32, bf16 and f16, and compare what they reach.

    python examples/mixed_precision.py --out out/mixed_precision

The loss is written once.  `anvl.mixed_precision` multiplies in bf16 or f16 and keeps everything
else in f32; f16 needs a loss scale, which `anvl.optim` has.  The folder then holds the losses
(`losses.npz`), the report of what was cast (`report.txt`) and `mixed_precision.png`.
"""

import argparse
import sys
from pathlib import Path

import numpy
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import anvl
import anvl.numpy as np
from anvl import optim

PIXELS, HIDDEN, CLASSES = 64, 256, 10
EPOCHS, BATCH, RATE = 20, 32, 3e-3
GOAL = 0.97  # of the held-out digits, in each precision
APART = 0.01  # may be lost of them by 16 bits


# The model, without a word about precision.


def scores(params, x):
    hidden = np.maximum(x @ params["w1"] + params["b1"], 0)
    return hidden @ params["w2"] + params["b2"]


def loss(params, x, labels):
    """The mean cross-entropy."""
    s = scores(params, x)
    return np.mean(optim.losses.softmax_cross_entropy_with_integer_labels(s, labels))


#: The same in each precision, with a scale for the loss.  Without need of one it is 1.
WAYS = {
    "f32": (loss, optim.static_loss_scale(1.0)),
    "bf16": (anvl.mixed_precision(loss), optim.static_loss_scale(1.0)),
    "f16": (anvl.mixed_precision(loss, dtype="f16"), optim.dynamic_loss_scale(2.0**20, period=100)),
}


def trained(way, x, labels, epochs):
    """The parameters, the loss of each step, and the scale at the end."""
    of_way, scale = WAYS[way]
    optimizer = optim.apply_if_finite(optim.adam(RATE), 100)  # steps that overflow are left out

    @anvl.jit
    def step(params, state, scale, x, labels):
        scaled = lambda p: scale.scale(of_way(p, x, labels))  # noqa: E731
        value, gradient = anvl.value_and_grad(scaled)(params)
        gradient = scale.unscale(gradient)
        updates, state = optimizer.update(gradient, state, params)
        next_scale = scale.adjust(optim.all_finite(gradient))
        return optim.apply_updates(params, updates), state, next_scale, scale.unscale(value)

    rng = numpy.random.default_rng(0)  # the same start and the same batches in each precision
    params = initial(rng)
    state, losses = optimizer.init(params), []
    for _ in range(epochs):
        for rows in rng.permutation(len(x))[: len(x) // BATCH * BATCH].reshape(-1, BATCH):
            params, state, scale, value = step(params, state, scale, x[rows], labels[rows])
            losses.append(value)
    return params, numpy.array(losses), float(scale.loss_scale)


def initial(rng):
    def weights(n, m):
        return rng.normal(scale=(2 / n) ** 0.5, size=(n, m)).astype(numpy.float32)

    return {
        "w1": weights(PIXELS, HIDDEN), "b1": numpy.zeros(HIDDEN, numpy.float32),
        "w2": weights(HIDDEN, CLASSES), "b2": numpy.zeros(CLASSES, numpy.float32),
    }  # fmt: skip


def images_and_labels():
    images, labels = load_digits(return_X_y=True)
    images, labels = (images / 16).astype(numpy.float32), labels.astype(numpy.int32)
    return train_test_split(images, labels, test_size=0.2, stratify=labels, random_state=0)


def draw(path, losses):
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for way, values in losses.items():
        smooth = numpy.convolve(values, numpy.ones(20) / 20, "valid")
        axes.semilogy(smooth, label=way, lw=1)
    axes.set(title="Loss in three precisions", xlabel="step", ylabel="cross-entropy")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=100)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/mixed_precision"), help="a folder")
    parser.add_argument("--quick", action="store_true", help="a quarter of the epochs")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    epochs, goal = (EPOCHS // 4, 0.93) if given.quick else (EPOCHS, GOAL)

    x, x_held_out, labels, labels_held_out = images_and_labels()
    reached, losses = {}, {}
    for way in WAYS:
        params, losses[way], scale = trained(way, x, labels, epochs)
        guesses = numpy.argmax(numpy.asarray(scores(params, x_held_out)), axis=1)
        reached[way] = numpy.mean(guesses == labels_held_out)
        print(f"{way}: reads {reached[way]:.1%} of {len(guesses)} digits, loss scale {scale:g}")
    mixed, _ = WAYS["bf16"]
    error = mixed.error(params, x[:BATCH], labels[:BATCH])
    print(f"bf16 is {error.relative:.1e} from f32, on one batch")
    report = anvl.jit(anvl.grad(mixed)).lower(params, x[:BATCH], labels[:BATCH]).report()
    (given.out / "report.txt").write_text(report + "\n")
    numpy.savez(given.out / "losses.npz", **losses)
    draw(given.out / "mixed_precision.png", losses)
    accuracy = min(reached.values())
    if accuracy < goal or reached["f32"] - accuracy > APART:
        listed = ", ".join(f"{way} {part:.1%}" for way, part in reached.items())
        sys.exit(
            f"mixed_precision: {listed}; the goal is {goal:.0%}, and at most {APART:.0%} apart"
        )


if __name__ == "__main__":
    main()
