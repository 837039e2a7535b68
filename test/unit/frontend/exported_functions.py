"""Functions to export, each with arguments; and the files that versions of anvl wrote of some.

    cd test/unit/frontend; python -c 'import exported_functions; exported_functions.main()'

adds the files of this version; none is replaced.
"""

import collections
import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import anvl
import anvl.numpy as anp

SAVED = Path(__file__).parent / "saved_exports"
TABLE = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
SCALE = anp.asarray(2.5, "f32")

Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class Layer:
    """A registered class, with a static part."""

    w: Any
    b: Any
    activation: str = "tanh"


anvl.tree.register_dataclass(Layer, ["w", "b"], ["activation"])


class Program(NamedTuple):
    """A function with arguments; `wrt` are those to differentiate, `batched` those to batch."""

    f: Any
    args: tuple[Any, ...]
    wrt: tuple[int, ...] = (0,)
    batched: tuple[int, ...] = (0,)


def mlp(params, x):
    hidden = anp.tanh(x @ params["w1"] + params["b1"])
    return anp.sum(hidden @ params["w2"])


def layers(net, x):
    for layer in net:
        x = getattr(anp, layer.activation)(x @ layer.w + layer.b)
    return anp.sum(x)


def scanned(xs, start):
    return anvl.scan(lambda c, x: (anp.sin(c) * x, c), start, xs)[0]


def looped(x):
    return anvl.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * anp.cos(s[1])), (0, x))[
        1
    ]


def chosen(x):
    return anvl.cond(anp.sum(x) > 0, lambda x: anp.sum(x**3), lambda x: -anp.sum(x), x)


def factored(x):
    return anp.sum(anp.linalg.cholesky(x @ x.T + 4 * anp.eye(3)))


@anvl.custom_vjp
def clipped(x):
    return anp.sum(x**2)


@clipped.defvjp
def _(primals, result, cotangent):
    return (cotangent * 3 * primals[0] ** 2,)  # not the derivative of the function


@anvl.custom_jvp
def halved(x):
    return anp.exp(x)


@halved.defjvp
def _(primals, result, tangents):
    return 0.5 * halved(primals[0]) * tangents[0]


def with_rules(x):
    return clipped(anp.sin(x)) + anp.sum(halved(x))


@anvl.checkpoint
def kept_little(x):
    return anp.sum(anp.sin(anp.sin(x * TABLE)) * SCALE)


def random(key, x):
    return anp.sum(anvl.random.normal(key, (3,)) * x)


def complex_(z):
    return anp.abs(anp.sum(anp.exp(1j * z) * (1 + 2j)))


def narrow(x):
    return anp.sum(anp.asarray(np.arange(3), "bf16") * x)


def closed_over(x):
    return anp.sum(TABLE @ x) + anp.sum(TABLE.copy() @ (x * x)) * SCALE


def inner_gradient(x):
    return anp.sum(anvl.grad(lambda x: anp.sum(anp.sin(x) ** 2))(x) * x)


def containers(pair, *rest, by):
    return {"sum": anp.sum(pair.left * pair.right) * by, "rest": rest}["sum"]


def weak(x, by):
    return anp.sum(x * by)


def _normal(*shape, dtype="f4"):
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


X = _normal(4)
PARAMS = {"w1": _normal(3, 5), "b1": _normal(5), "w2": _normal(5, 2)}
NET = [Layer(_normal(3, 3), _normal(3)), Layer(_normal(3, 1), _normal(1), "sin")]
PROGRAMS = {
    "mlp": Program(mlp, (PARAMS, _normal(2, 3)), (0, 1), (1,)),
    "layers": Program(layers, (NET, _normal(2, 3)), (0,), (1,)),
    "scanned": Program(scanned, (_normal(6), np.float32(0.5)), (0, 1), (0,)),
    "looped": Program(looped, (np.float32(0.7),)),
    "chosen": Program(chosen, (X,)),
    "factored": Program(factored, (_normal(3, 3, dtype="f8"),)),
    "with_rules": Program(with_rules, (X,)),
    "kept_little": Program(kept_little, (_normal(4, dtype="f8"),)),
    "random": Program(random, (anvl.random.key(3), _normal(3)), (1,), (0, 1)),
    "complex_": Program(complex_, (_normal(3) + 1j * X[:3],)),
    "narrow": Program(narrow, (_normal(3).astype(ml_dtypes.bfloat16),)),
    "closed_over": Program(closed_over, (_normal(4, dtype="f8"),)),
    "inner_gradient": Program(inner_gradient, (X,)),
    "weak": Program(weak, (X, 2.0), (0, 1), (0,)),
}


def exported(name: str) -> Any:
    """The program of this name, exported."""
    program = PROGRAMS[name]
    return anvl.export(program.f, *program.args)


def main() -> None:
    for name in PROGRAMS:
        path = SAVED / f"{name}-{anvl.__version__}.anvl"
        if not path.exists():
            exported(name).save(path)
            print(path)
