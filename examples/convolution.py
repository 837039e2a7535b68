"""Train a convolution net on handwritten digits, with `anvl.nn` and `anvl.optim`.

    python examples/convolution.py --out out/convolution

The data are the 1,797 scanned digits of 8 x 8 pixels that come with scikit-learn; a fifth is held
out.  Two convolutions, pooling and a dense layer are trained by AdamW with dropout, and a learning
rate that rises and falls.  Printed are the mean loss of some epochs and the accuracy on the
held-out digits, at least 97 % (`--quick`, with a fifth of the epochs: 94 %).  The folder gets
`convolution.png`: the kernels, and where they respond.
"""

import argparse
from pathlib import Path

import numpy
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import anvl
import anvl.numpy as np
from anvl import nn, optim, random

BATCH, DROPOUT, RATE = 32, 0.3, 3e-3


@anvl.jit
def initial(key):
    """Kernels of shape (height, width, channels in, channels out), and a dense layer."""
    he = nn.initializers.he_normal()
    k1, k2, k3 = random.split(key, 3)
    return {
        "conv1": {"kernel": he(k1, (3, 3, 1, 16)), "bias": np.zeros(16)},
        "conv2": {"kernel": he(k2, (3, 3, 16, 32)), "bias": np.zeros(32)},
        "dense": {"kernel": he(k3, (4 * 4 * 32, 10)), "bias": np.zeros(10)},
    }


def convolved(layer, x):
    return nn.relu(nn.conv(x, layer["kernel"]) + layer["bias"])


def logits(params, x, key=None):
    """The scores of the 10 digits for images of shape (n, 8, 8, 1); dropout needs a key."""
    x = convolved(params["conv1"], x)
    x = nn.max_pool(convolved(params["conv2"], x), 2)
    x = x.reshape(x.shape[0], -1)
    if key is not None:
        x = nn.dropout(key, x, DROPOUT)
    return x @ params["dense"]["kernel"] + params["dense"]["bias"]


def loss(params, x, labels, key):
    scores = logits(params, x, key)
    return np.mean(optim.softmax_cross_entropy_with_integer_labels(scores, labels))


def trained(key, x, labels, epochs):
    """The parameters, and the loss at each step."""
    for_start, for_dropout = random.split(key)
    steps = len(x) // BATCH
    schedule = optim.warmup_cosine_decay_schedule(0.0, RATE, 2 * steps, epochs * steps)
    optimizer = optim.adamw(schedule, weight_decay=1e-3)

    @anvl.jit(donate=("params", "state"))
    def step(params, state, x, labels, key):
        value, grads = anvl.value_and_grad(loss)(params, x, labels, key)
        updates, state = optimizer.update(grads, state, params)
        return optim.apply_updates(params, updates), state, value

    params = initial(for_start)
    state, losses, rng = anvl.jit(optimizer.init)(params), [], numpy.random.default_rng(0)
    for epoch in range(epochs):
        order = rng.permutation(len(x))[: steps * BATCH].reshape(steps, BATCH)
        for rows in order:
            key = random.fold_in(for_dropout, len(losses))
            params, state, value = step(params, state, x[rows], labels[rows], key)
            losses.append(value)
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1} of {epochs}: loss {numpy.mean(losses[-steps:]):.3f}")
    return params, numpy.array(losses)


def draw(path, params, losses, image):
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subfigures(1, 2)
    axes = left.subplots()
    axes.semilogy(losses, lw=0.5)
    axes.set(title="Loss of each batch", xlabel="step", ylabel="cross-entropy")
    axes.spines[["top", "right"]].set_visible(False)
    right.suptitle("A digit, and where the 16 first kernels respond")
    responses = numpy.asarray(anvl.jit(convolved)(params["conv1"], image[None]))[0]
    pictures = [image[..., 0], *responses.transpose(2, 0, 1), numpy.zeros((8, 8))]
    tiles = numpy.array([numpy.pad(p / (p.max() or 1), 1) for p in pictures])
    mosaic = tiles.reshape(3, 6, 10, 10).swapaxes(1, 2).reshape(30, 60)
    right.subplots().imshow(mosaic, cmap="gray_r")
    right.axes[0].set_axis_off()
    figure.savefig(path, dpi=80)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/convolution"), help="folder")
    parser.add_argument("--quick", action="store_true", help="a fifth of the epochs")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)

    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype("float32").reshape(-1, 8, 8, 1)
    x, x_test, y, y_test = train_test_split(
        images, labels.astype("int32"), test_size=0.2, stratify=labels, random_state=0
    )
    epochs, goal = (6, 0.94) if given.quick else (30, 0.97)
    params, losses = trained(random.key(0), x, y, epochs)
    guesses = numpy.asarray(np.argmax(anvl.jit(logits)(params, x_test), axis=1))
    accuracy = numpy.mean(guesses == y_test)
    print(f"reads {accuracy:.1%} of {len(y_test)} held-out digits correctly")
    draw(given.out / "convolution.png", params, losses, x_test[0])
    assert accuracy >= goal, f"accuracy {accuracy:.1%}"


if __name__ == "__main__":
    main()
