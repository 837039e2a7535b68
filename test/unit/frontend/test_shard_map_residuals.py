"""The adjoint of `shard_map` reads residuals: it equals the program on whole arrays under every
transformation, and computes nothing of the function again."""

import numpy as np
import pytest
from eight_devices import MESH
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import lax
from anvl.sharding import P

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 6)).astype("f4") / 2
W = RNG.normal(size=(6, 4)).astype("f4") / 2
LIMIT = rounding(PROGRAM / 50, "f4")  # 1e-5, relative to the largest element


def same(found, wanted):
    for y, z in zip(anvl.tree.leaves(found), anvl.tree.leaves(wanted), strict=True):
        y, z = np.asarray(y), np.asarray(z)
        np.testing.assert_allclose(y, z, rtol=0, atol=LIMIT * max(1, np.abs(z).max()))


def layer(x, w):
    return anp.tanh(anp.tanh(x @ w) @ w.T)


def layer_of_parts(x, w):
    """Rows of x along x, columns of w along y."""
    return anp.tanh(lax.psum(anp.tanh(x @ w) @ w.T, "y"))


LAYER = anvl.shard_map(layer_of_parts, MESH, (P("x"), P(None, "y")), P("x"))


def energy(of):
    return lambda x, w: anp.sum(anp.sin(of(of(x, w), w)))


def in_a_loop(of):
    return lambda x, w: anp.sum(anvl.scan(lambda c, _: (of(c, w), None), x, None, length=3)[0] ** 2)


def in_a_checkpoint(of):
    return energy(anvl.checkpoint(of))


def loop_inside(of):
    """The loop, and a checkpoint in it, are in the function of one device."""

    def steps(x, w):
        return anvl.scan(lambda c, _: (anvl.checkpoint(of)(c, w), anp.cos(c)), x, None, length=3)

    def parts(x, w):
        c, rows = steps(x, w)
        return c + anp.sum(rows, 0)

    if of is layer:
        return energy(parts)
    return energy(anvl.shard_map(parts, MESH, (P("x"), P(None, "y")), P("x")))


ALONG = (X + 1, W - 1)

# Functions of a scalar function of x and w, each a derivative of it.
DERIVATIVES = {
    "gradient": lambda f: anvl.value_and_grad(f, wrt=(0, 1)),
    "forward over reverse": lambda f: (
        lambda x, w: anvl.jvp(anvl.grad(f, wrt=(0, 1)), (x, w), ALONG)
    ),
    "reverse over reverse": lambda f: anvl.grad(
        lambda x, w: sum(anp.sum(g**2) for g in anvl.grad(f, wrt=(0, 1))(x, w)), wrt=(0, 1)
    ),
    "reverse over forward": lambda f: anvl.grad(
        lambda x, w: anvl.jvp(f, (x, w), ALONG)[1], wrt=(0, 1)
    ),
    "batch of gradients": lambda f: (
        lambda x, w: anvl.vmap(anvl.grad(f, wrt=(0, 1)), (0, None))(anp.stack([x, 2 * x]), w)
    ),
    "gradient of a batch": lambda f: anvl.grad(
        lambda x, w: anp.sum(anvl.vmap(f, in_axes=(None, 0))(x, anp.stack([w, w + 1]))), wrt=(0, 1)
    ),
}  # fmt: skip


KINDS = {
    "once": (energy, LAYER), "in a loop": (in_a_loop, LAYER),
    "in a checkpoint": (in_a_checkpoint, LAYER), "loop inside": (loop_inside, layer_of_parts),
}  # fmt: skip


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_are_those_of_whole_arrays(kind, derivative):
    around, of_parts = KINDS[kind]
    along = DERIVATIVES[derivative]
    same(anvl.jit(along(around(of_parts)))(X, W), anvl.jit(along(around(layer)))(X, W))


def test_the_pullback_outside_of_jit_reads_what_the_first_half_saved():
    g = RNG.normal(size=(8, 6)).astype("f4")
    found, pullback = anvl.vjp(LAYER, X, W)
    wanted, pullback_of_whole = anvl.vjp(layer, X, W)
    same(
        (found, pullback(g), pullback(2 * g)),
        (wanted, pullback_of_whole(g), pullback_of_whole(2 * g)),
    )
    same(anvl.linearize(LAYER, X, W)[1](*ALONG), anvl.linearize(layer, X, W)[1](*ALONG))
