"""Models that JAX 0.10.2 writes, in `jax_programs`: values and gradients are JAX's (`numbers.npz`).

The functions are those of these names in `test/foreign`, where `make foreign` has 200 more.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
from anvl.tools.opt.main import main as anvl_opt

PROGRAMS = Path(__file__).parent / "jax_programs"
LIMIT = rounding(PROGRAM, np.float32)
MODELS = ["convolutions", "transformer", "gru", "gaussian_process", "autoencoder"]
LOWERED = ("--anvl-lift", "--anvl-control-flow", "--anvl-lower-to-stablehlo")


@cache
def numbers():
    with np.load(PROGRAMS / "numbers.npz") as file:
        return dict(file)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, LIMIT, LIMIT * np.abs(wanted).max())


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", MODELS)
def test_values_and_gradients_are_those_of_jax(name):
    of = {k.partition(".")[2]: v for k, v in numbers().items() if k.startswith(f"{name}.")}
    args = [of[str(i)] for i in range(sum(key.isdigit() for key in of))]
    smooth = tuple(i for i, x in enumerate(args) if x.dtype.kind == "f")
    f = anvl.load(PROGRAMS / f"{name}.mlir")
    value, pullback = anvl.vjp(lambda *xs: f(*_with(args, smooth, xs)), *(args[i] for i in smooth))
    close(value, of["value"])
    g = np.cos(np.arange(value.size, dtype="float32")).reshape(value.shape)
    for i, dx in zip(smooth, pullback(g), strict=True):
        close(dx, of[f"gradient{i}"])


def _with(args, places, xs):
    new = dict(zip(places, xs, strict=True))
    return [new.get(i, x) for i, x in enumerate(args)]


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", MODELS)
def test_lifted_and_lowered_it_computes_the_same(name, tmp_path):
    path = tmp_path / "lowered.mlir"
    assert anvl_opt([str(PROGRAMS / f"{name}.mlir"), *LOWERED, "-o", str(path)]) == 0
    assert '"anvl.' not in path.read_text()  # an attribute may be left
    args = [numbers()[f"{name}.{i}"] for i in range(9) if f"{name}.{i}" in numbers()]
    close(anvl.load(path)(*args), numbers()[f"{name}.value"])
