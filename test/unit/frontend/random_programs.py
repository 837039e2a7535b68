"""Random programs of up to 30 ops, over scalars, vectors, matrices and indices, for the tests.

What an op gives is of the size of what it takes, so that differences keep their digits.
"""

import numpy as np
from hypothesis import note
from hypothesis import strategies as st

import anvl
import anvl.numpy as anp

__all__ = ["N", "arguments", "programs"]

N = 3  # rows and columns


def _inner(x):
    return anp.sum(anp.sin(x) ** 2)


# What each op takes: `s`calar, `v`ector, `m`atrix, `i`ndices, or `*`, any floats.
OPS = {
    # elementwise
    "sin": ("*", anp.sin),
    "tanh": ("*", anp.tanh),
    "bell": ("*", lambda x: anp.exp(-x * x)),
    "sqrt": ("*", lambda x: anp.sqrt(x * x + 1.0)),
    "log": ("*", lambda x: anp.log(x * x + 0.5)),
    "abs": ("*", lambda x: anp.abs(x + 0.11)),
    "mul": ("**", lambda x, y: x * anp.tanh(y)),
    "mean": ("**", lambda x, y: 0.5 * (x + y)),
    "sub": ("**", lambda x, y: 0.5 * x - 0.3 * y),
    "div": ("**", lambda x, y: x / (y * y + 2.0)),
    "pow": ("**", lambda x, y: (x * x + 0.5) ** (0.3 * anp.tanh(y))),
    "arctan2": ("**", lambda x, y: anp.arctan2(x, y * y + 1.0)),
    "maximum": ("**", anp.maximum),
    "where": ("**", lambda x, y: anp.where(y > 0.07, x, 0.9 * y)),
    "clip": ("*", lambda x: anp.clip(x, -0.83, 0.91)),
    # of vectors
    "reverse": ("v", lambda x: x[::-1]),
    "cumsum": ("v", lambda x: anp.cumsum(x) / N),
    "sort": ("v", anp.sort),
    "roll": ("v", lambda x: anp.concatenate([x[1:], x[:1]])),
    "outer": ("vv", lambda x, y: x[:, None] * anp.tanh(y)[None, :]),
    "index": ("vi", lambda x, i: anp.concatenate([x[i], x[:1]])),
    "add_at": ("vi", lambda x, i: 0.5 * x.at[i].add(anp.sin(x[1:]))),
    "dot": ("vv", lambda x, y: anp.dot(x, anp.tanh(y)) / N),
    # of matrices
    "transpose": ("m", lambda a: a.T),
    "matmul": ("mm", lambda a, b: a @ anp.tanh(b) / N),
    "apply": ("mv", lambda a, x: anp.tanh(a) @ x / N),
    "softmax": ("m", lambda a: anp.exp(a - anp.logaddexp(a[:, :1], a[:, 1:2]))[:, 0] / N),
    "solve": ("mv", lambda a, x: anp.linalg.solve(anp.tanh(a) / N + 2.0 * anp.eye(N), x)),
    "rows": ("m", lambda a: anp.sum(a, axis=1) / N),
    "largest": ("m", lambda a: anp.max(a, axis=0)),
    "cummax": ("m", lambda a: anp.cummax(a, axis=0)),
    "diagonal": ("m", anp.diagonal),
    "take": ("mi", lambda a, i: a[i, i[::-1]].sum() * anp.cos(a[0])),
    "total": ("m", anp.mean),
    # transformations inside of a program
    "jit": ("v", anvl.jit(lambda x: anp.sin(x) * x[0])),
    "vmap": ("mv", lambda a, x: anvl.vmap(lambda row: anp.dot(row, anp.sin(x)) / N)(a)),
    "grad": ("v", anvl.grad(_inner)),
    "jvp": ("vv", lambda x, y: anvl.jvp(_inner, (x,), (anp.tanh(y),))[1]),
    "vmap_grad": ("m", anvl.vmap(anvl.grad(_inner))),
}

_RANK = {"s": 0, "v": 1, "m": 2}


@st.composite
def programs(draw, largest=30):
    """A function of `(params, x, i)` that returns a scalar and a pytree of what it came by."""
    step = st.tuples(st.sampled_from(sorted(OPS)), st.integers(0, 7), st.integers(0, 7))
    steps = draw(st.lists(step, min_size=largest // 3, max_size=largest))

    def program(params, x, i):
        known = [params["s"][0], params["w"], x]
        for name, *which in steps:
            takes, op = OPS[name]
            known.append(op(*map(_chosen(known, i), takes, which)))
        parts = {"last": known[-1], "same": params["w"], "twice": (known[-1], i)}
        return anp.sum(anp.sin(known[-1])) + 0.1 * anp.sum(known[len(known) // 2]), parts

    note(f"steps = {steps}")
    return program


def _chosen(known, i):
    """Which value an op takes: one of the latest that fit."""

    def choose(kind, which):
        fit = [y for y in known if kind == "*" or y.ndim == _RANK.get(kind)]
        return i if kind == "i" else fit[-1 - which % len(fit)]

    return choose


def arguments(seed, *batch):
    """Arguments of a program, with more axes in front where asked for."""
    random = np.random.default_rng(seed)
    params = {"w": random.uniform(-1, 1, (*batch, N, N)), "s": [random.uniform(-1, 1, batch)]}
    return params, random.uniform(-1, 1, (*batch, N)), random.integers(0, N, (*batch, 2))
