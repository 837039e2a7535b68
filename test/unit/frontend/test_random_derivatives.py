"""Derivatives and batches of random programs, in every order: differences, loops, each other.

`make sweep` draws many more.
"""

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from profiles import redrawn
from random_programs import N, arguments, programs
from sweep import SWEEP
from tolerances import ITERATION, rounding

import anvl
import anvl.numpy as anp
from anvl import tree
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline
from anvl.testing import check_grads
from anvl.tools.opt.verify_gradient import VerifyGradient

SEEDS = st.integers(0, 99)


def drawn(few):
    return settings(redrawn, max_examples=60 if SWEEP else few)


def close(found, expected, rtol=1e-8, atol=rounding(ITERATION)):
    for x, y in zip(tree.leaves(found), tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=rtol, atol=atol)


@pytest.mark.sweep(keep=0, part=0)
@drawn(3)
@given(programs(), SEEDS)
def test_both_modes_of_both_orders_agree_with_differences(program, seed):
    try:
        check_grads(program, arguments(seed), order=2)
    except AssertionError as error:
        if SWEEP and "differences cannot tell" in str(error):
            reject()
        raise


@pytest.mark.sweep(keep=0, part=0)
@drawn(2)
@given(programs(), SEEDS)
def test_batches_and_derivatives_agree_in_every_order(program, seed):
    params, xs, i = arguments(seed, N)
    ts = np.cos(xs * 5)
    row = tree.map(lambda a: a[0], params), i[0]

    def loss(x):
        return program(row[0], x, row[1])[0]

    def forward_over_reverse(x, t):
        return anvl.jvp(anvl.grad(loss), (x,), (t,))[1]

    def reverse_over_forward(x, t):
        return anvl.grad(lambda x: anvl.jvp(loss, (x,), (t,))[1])(x)

    gradient, matrix = anvl.jit(anvl.grad(loss)), anvl.jit(anvl.hessian(loss))
    slopes = np.stack([np.asarray(gradient(x)) for x in xs])
    matrices = np.stack([np.asarray(matrix(x)) for x in xs])

    def total(xs):
        return anp.sum(anvl.vmap(loss)(xs))

    close(anvl.jit(anvl.vmap(anvl.grad(loss)))(xs), slopes)
    close(anvl.jit(anvl.grad(total))(xs), slopes)
    close(anvl.jit(anvl.vmap(anvl.hessian(loss)))(xs), matrices)
    blocks = np.zeros((N, N, N, N))
    for k in range(N):
        blocks[k, :, k] = matrices[k]
    close(anvl.jit(anvl.hessian(total))(xs), blocks)
    directional = np.einsum("nij,nj->ni", matrices, ts)
    close(anvl.jit(anvl.vmap(forward_over_reverse))(xs, ts), directional)
    close(anvl.jit(anvl.vmap(reverse_over_forward))(xs, ts), directional)


@drawn(3)
@given(programs(), SEEDS)
def test_a_batch_of_all_arguments_is_the_loop_also_nested(program, seed):
    args = arguments(seed, 2, N)
    slope = anvl.grad(lambda *args: program(*args)[0])

    def both(*args):
        return program(*args), slope(*args)

    one, nested = anvl.jit(both), anvl.jit(anvl.vmap(anvl.vmap(both)))(*args)
    for j, k in np.ndindex(2, N):
        expected = one(*tree.map(lambda a, at=(j, k): a[at], args))
        close(tree.map(lambda y, at=(j, k): np.asarray(y)[at], nested), expected)
    turned = anvl.jit(anvl.vmap(anvl.vmap(both), in_axes=1, out_axes=1))
    found = turned(*tree.map(lambda a: np.swapaxes(a, 0, 1), args))
    close(tree.map(lambda y: np.swapaxes(np.asarray(y), 0, 1), found), nested)


@pytest.mark.sweep(keep=0, part=0)
@drawn(4)
@given(programs(12), SEEDS)
def test_the_passes_on_text_agree_with_differences(program, seed):
    text = anvl.trace(lambda *args: program(*args)[0], *arguments(seed)).mlir()
    module = ir.Module.parse(text, context())
    Pipeline([VerifyGradient(seed=seed)]).run(module)
