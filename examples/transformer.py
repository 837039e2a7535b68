"""Train a small transformer to write like Shakespeare, letter by letter.

    python examples/transformer.py --out out/transformer

The text is the first 77 of his sonnets (`data/sonnets.txt`, in the public domain); a tenth is held
out.  A decoder of two blocks reads 64 letters and predicts the next one at each position.  Printed
are the losses in nats per letter, on the text that it trains on and on what is held out, which is
to be at least 0.4 below what the frequencies of pairs of letters give, 2.34 (`--quick`, a
twentieth of the steps: at least 0.3 below what those of single letters give, 3.12).  Then it
writes some lines, by a `scan` that draws one letter after the other.  The folder gets
`transformer.png` and the lines, `verse.txt`.
"""

import argparse
from pathlib import Path

import numpy
from matplotlib.figure import Figure

import anvl
import anvl.numpy as np
from anvl import nn, optim, random

WIDTH, HEADS, BLOCKS, CONTEXT, BATCH = 64, 4, 2, 64, 16
RATE, DROPOUT = 3e-3, 0.1

TEXT = (Path(__file__).parent / "data" / "sonnets.txt").read_text()
LETTERS = sorted(set(TEXT))
TOKENS = numpy.array([LETTERS.index(c) for c in TEXT], "int32")


def initial(rng):
    """The parameters: embeddings of letters and positions, and those of each block."""

    def normal(*shape):
        return rng.normal(scale=0.02, size=shape).astype("float32")

    def ones(*shape):
        return numpy.ones(shape, "float32")

    def block():
        return {
            "qkv": normal(WIDTH, 3 * WIDTH),
            "out": normal(WIDTH, WIDTH),
            "up": normal(WIDTH, 4 * WIDTH),
            "down": normal(4 * WIDTH, WIDTH),
            "scales": ones(2, WIDTH),
        }

    start = {"letters": normal(len(LETTERS), WIDTH), "places": normal(CONTEXT, WIDTH)}
    return start | {"blocks": [block() for _ in range(BLOCKS)], "scale": ones(WIDTH)}


def attention(p, x):
    """Each position looks at itself and at those before it."""
    heads = (*x.shape[:-1], 3, HEADS, WIDTH // HEADS)
    q, k, v = np.moveaxis((x @ p["qkv"]).reshape(heads), -3, 0)
    return nn.dot_product_attention(q, k, v, is_causal=True).reshape(x.shape) @ p["out"]


def logits(params, tokens, key=None):
    """Scores of the next letter at each position, for tokens of shape (n, CONTEXT)."""

    def dropped(x, i):
        return x if key is None else nn.dropout(random.fold_in(key, i), x, DROPOUT)

    x = params["letters"][tokens] + params["places"]
    for i, p in enumerate(params["blocks"]):
        x = x + dropped(attention(p, nn.layer_norm(x, p["scales"][0])), 2 * i)
        hidden = nn.gelu(nn.layer_norm(x, p["scales"][1]) @ p["up"])
        x = x + dropped(hidden @ p["down"], 2 * i + 1)
    return nn.layer_norm(x, params["scale"]) @ params["letters"].T


def loss(params, tokens, key=None):
    """Cross-entropy of each letter given those before it; tokens of shape (n, CONTEXT + 1)."""
    scores = logits(params, tokens[:, :-1], key)
    return np.mean(optim.softmax_cross_entropy_with_integer_labels(scores, tokens[:, 1:]))


def windows(text, starts):
    """Of the text, CONTEXT + 1 letters from each start on."""
    return text[starts[:, None] + numpy.arange(CONTEXT + 1)]


def trained(key, text, held_out, steps):
    """The parameters, and the losses on batches and on what is held out."""
    schedule = optim.warmup_cosine_decay_schedule(0.0, RATE, min(50, steps // 4), steps)
    optimizer = optim.chain(optim.clip_by_global_norm(1.0), optim.adamw(schedule, b2=0.99))

    @anvl.jit(donate=("params", "state"))
    def step(params, state, tokens, key):
        value, grads = anvl.value_and_grad(loss)(params, tokens, key)
        updates, state = optimizer.update(grads, state, params)
        return optim.apply_updates(params, updates), state, value

    rng, losses, tests = numpy.random.default_rng(0), [], {}
    params, evaluate = initial(rng), anvl.jit(loss)
    state = anvl.jit(optimizer.init)(params)
    for i in range(steps):
        starts = rng.integers(len(text) - CONTEXT, size=BATCH)
        batch = windows(text, starts)
        params, state, value = step(params, state, batch, random.fold_in(key, i))
        losses.append(value)
        if (i + 1) % (steps // 4) == 0:
            tests[i + 1] = float(evaluate(params, held_out))
            mean = numpy.mean(losses[-steps // 4 :])
            print(f"step {i + 1} of {steps}: loss {mean:.3f}, held out {tests[i + 1]:.3f}")
    return params, numpy.array(losses), tests


@anvl.jit(static="count")
def written(params, key, start, count):
    """`count` letters that follow CONTEXT others."""

    def write(tokens, key):
        drawn = random.categorical(key, logits(params, tokens[None])[0, -1] / 0.8)
        return np.append(tokens[1:], drawn.astype("i32")), drawn

    return anvl.scan(write, start, random.split(key, count))[1]


def loss_of_counts(text, held_out):
    """Nats per letter by the frequencies of single letters, and of pairs of them."""
    pairs = numpy.ones((len(LETTERS), len(LETTERS)))
    numpy.add.at(pairs, (text[:-1], text[1:]), 1)
    singles = pairs.sum(axis=0) / pairs.sum()
    pairs = pairs / pairs.sum(axis=1, keepdims=True)
    before, after = held_out[:-1], held_out[1:]
    return -numpy.log(singles[after]).mean(), -numpy.log(pairs[before, after]).mean()


def draw(path, losses, tests, counts):
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(losses, lw=0.5, alpha=0.6, label="each batch")
    axes.plot(list(tests), list(tests.values()), "o-", label="held out")
    for value, name in zip(counts, ("frequencies of letters", "of pairs of letters"), strict=True):
        axes.axhline(value, ls="--", color="gray")
        axes.text(len(losses), value, name, ha="right", va="bottom", fontsize=9)
    axes.set(title="Shakespeare, letter by letter", xlabel="step", ylabel="nats per letter")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=80)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/transformer"), help="folder")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the steps")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)

    text, held_out = numpy.split(TOKENS, [len(TOKENS) * 9 // 10])
    counts = loss_of_counts(text, held_out)
    print(f"{len(LETTERS)} letters; held out: {counts[0]:.3f} by letters, {counts[1]:.3f} by pairs")
    test = windows(held_out, numpy.arange(0, len(held_out) - CONTEXT, CONTEXT))
    key = random.key(0)
    params, losses, tests = trained(key, text, test, 60 if given.quick else 1200)

    tokens = written(params, key, TOKENS[:CONTEXT], 20 if given.quick else 400)
    verse = "".join(LETTERS[i] for i in numpy.asarray(tokens))
    print(verse)
    (given.out / "verse.txt").write_text(verse)
    draw(given.out / "transformer.png", losses, tests, counts)
    last = list(tests.values())[-1]
    goal = counts[0] - 0.3 if given.quick else counts[1] - 0.4
    assert last < goal, f"{last:.3f} nats per letter held out, not below {goal:.3f}"


if __name__ == "__main__":
    main()
