"""Loops of elementwise steps: their derivative is computed beside them, by one loop."""

import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp
from anvl.passes import pipeline

STEPS = 6
ROWS = np.linspace(-0.5, 0.5, STEPS * 3).reshape(STEPS, 3)
STARTS = np.asarray([0.3, -0.7, 1.1])
MANY = 512  # numbers from which on several steps are a block

#: Functions of a carry and of another array, of which steps are composed.
PARTS = (
    lambda c, k: anp.sin(c) + k,
    lambda c, k: c * k,
    lambda c, k: anp.tanh(c * 0.7),
    lambda c, k: anp.where(c > k, c, 0.5 * c),
    lambda c, k: anp.where(c > 0, anp.sqrt(anp.where(c > 0, c, 1.0)), k * c),
    lambda c, k: c / (1 + k * k),
    lambda c, k: anp.maximum(c, k) - anp.exp(-c * c),
    lambda c, k: anp.clip(c, -0.9, 0.9) + anvl.stop_gradient(c),
)


def steps_of(draw):
    """A step of three to five of the parts."""
    chosen = [PARTS[i] for i in draw.integers(len(PARTS), size=draw.integers(3, 6))]
    parts = [(part, bool(draw.integers(2))) for part in chosen]

    def step(c, row, k):
        for part, reads_row in parts:
            c = part(c, row if reads_row else k)
        return c

    return step


def both(step, reverse):
    def looped(x, k):
        return anvl.scan(lambda c, row: (step(c, row, k), None), x, ROWS, reverse=reverse)[0]

    def unrolled(x, k):
        for row in ROWS[::-1] if reverse else ROWS:
            x = step(x, row, k)
        return x

    return looped, unrolled


def text_of(f, *args):
    return anvl.jit(f).lower(*args).mlir("gradient")


@pytest.mark.parametrize("seed", range(12))
def test_a_drawn_step_has_the_derivatives_of_the_unrolled_loop(seed):
    looped, unrolled = both(steps_of(np.random.default_rng(seed)), reverse=seed % 2 == 1)
    weights, k = np.asarray([1.0, -2.0, 0.5]), np.asarray([0.4, 0.9, -0.3])
    derivatives = (
        lambda f: anvl.value_and_grad(lambda x: anp.sum(weights * f(x, k))),
        lambda f: anvl.jacrev(lambda x: f(x, k)),
        lambda f: anvl.hessian(lambda x: anp.sum(f(x, k) ** 2)),
        lambda f: anvl.jacfwd(anvl.grad(lambda x: anp.sum(f(x, k) ** 2))),
        lambda f: anvl.grad(lambda x: anp.sum(f(x, x))),  # the factor moves as well
        lambda f: lambda x: anvl.vmap(anvl.grad(lambda y: anp.sum(f(y, k))))(anp.stack([x, 2 * x])),
    )
    for derivative in derivatives:
        found = anvl.tree.leaves(anvl.jit(derivative(looped))(STARTS))
        wanted = anvl.tree.leaves(anvl.jit(derivative(unrolled), roll=False)(STARTS))
        for a, b in zip(found, wanted, strict=True):
            assert_close(a, b, PROGRAM)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [1, 2, 7, 23, 60])  # one block, blocks of one, of ten
def test_steps_in_blocks_are_the_steps(length, dtype):
    k = np.resize([0.4, 0.9, -0.3], MANY).astype(dtype)
    x = np.resize(STARTS, MANY).astype(dtype)

    def step(c):
        return anp.where(c > k, anp.sin(c) * k, anp.cos(c * k))

    def looped(x):
        return anp.sum(anvl.scan(lambda c, _: (step(c), None), x, length=length)[0] ** 2)

    def unrolled(x):
        for _ in range(length):
            x = step(x)
        return anp.sum(x**2)

    both = anvl.jit(anvl.value_and_grad(looped))
    assert ("complex" in both.lower(x).mlir("stablehlo")) == (length > 1)
    wanted = anvl.jit(anvl.value_and_grad(unrolled), roll=False)(x)
    for a, b in zip(both(x), wanted, strict=True):
        assert_close(a, b, PROGRAM)


def test_two_carries_of_a_pendulum_are_in_blocks():
    def step(c, _):
        angle, speed = c
        speed = speed - 0.1 * anp.sin(angle) - 0.01 * anp.cos(speed)
        return (angle + 0.1 * speed, speed), None

    def swung(x):
        return anvl.scan(step, (x, 0.5 * x), length=30)[0]

    starts = np.resize(STARTS, MANY)
    assert "complex" in anvl.jit(swung).lower(starts).mlir("stablehlo")
    wanted = (starts, 0.5 * starts)
    for _ in range(30):
        wanted, _ = step(wanted, None)
    for a, b in zip(anvl.jit(swung)(starts), wanted, strict=True):
        assert_close(a, b, PROGRAM)


def test_steps_on_fewer_numbers_are_blocks_of_one_or_stay():
    f = anvl.jit(anvl.grad(lambda x: anp.sum(many(x, 60))))
    for size, sines in ((63, None), (64, 1), (511, 1), (512, 10)):
        text = f.lower(np.resize(STARTS, size)).mlir("stablehlo")
        assert ("complex" in text) == (sines is not None)
        assert sines is None or text.count("stablehlo.sine") == sines


def test_other_platforms_get_steps_as_they_are():
    f = anvl.grad(lambda x: anp.sum(many(x, 60)))
    module = anvl.jit(f).trace(np.resize(STARTS, MANY)).program.module.operation
    pipeline(platform="cuda").run(module)
    assert "complex" not in str(module)


def loop(step):
    return anvl.grad(lambda x: anp.sum(anvl.scan(lambda c, _: (step(c), None), x, length=50)[0]))


def test_elementwise_steps_have_one_loop_and_others_two():
    assert "backward" not in text_of(loop(lambda c: anp.sin(c) * 0.9), STARTS)
    assert "backward" in text_of(loop(lambda c: anp.sin(c[::-1]) * c), STARTS)
    assert "backward" in text_of(loop(lambda c: anp.sin(c) * anp.sum(c)), STARTS)


def test_what_reads_each_step_has_two_loops():
    def summed(x):
        _, ys = anvl.scan(lambda c, _: (anp.sin(c), c * c), x, length=4)
        return anp.sum(ys)

    def unrolled(x):
        total = 0.0
        for _ in range(4):
            x, total = anp.sin(x), total + anp.sum(x * x)
        return total

    assert "backward" in text_of(anvl.grad(summed), STARTS)
    assert_close(anvl.grad(summed)(STARTS), anvl.grad(unrolled)(STARTS), PROGRAM)


def test_two_active_carries_have_two_loops():
    def summed(x):
        step = lambda c, _: ((c[0] + 0.1 * c[1], c[1] - 0.1 * anp.sin(c[0])), None)  # noqa: E731
        (a, b), _ = anvl.scan(step, (x, 2 * x), length=9)
        return anp.sum(a * b)

    assert "backward" in text_of(anvl.grad(summed), STARTS)
    near = (summed(STARTS + 1e-6) - summed(STARTS - 1e-6)) / 2e-6
    np.testing.assert_allclose(anp.sum(anvl.grad(summed)(STARTS)), near, rtol=1e-6)


def test_an_overflow_that_nothing_reads_is_no_nan():
    def masked(x):
        y, _ = anvl.scan(lambda c, _: (c * 1e30, None), x, length=12)
        return anp.sum(anp.where(x > 0, 0.0, y * 1e-300))

    found = np.asarray(anvl.grad(masked)(np.asarray([1.0, -1.0])))
    assert found[0] == 0
    # The product of twelve such slopes is beyond float64.
    assert np.isinf(found[1])


def test_nothing_is_saved_for_the_steps():
    x = np.ones(1_000, np.float32)
    sizes = [
        anvl.jit(anvl.grad(lambda x, n=n: anp.sum(many(x, n)))).lower(x).compile().memory_stats()
        for n in (100, 1_000)
    ]
    assert sizes[0]["temp_size_in_bytes"] == sizes[1]["temp_size_in_bytes"]


def many(x, n):
    return anvl.scan(lambda c, _: (anp.sin(c) * 1.01, None), x, length=n)[0]


def test_a_chaotic_loop_in_32_bits_is_as_near_as_the_unrolled_one():
    x = np.linspace(-1, 1, 7, dtype=np.float32)
    found = anvl.grad(lambda x: anp.sum(many(x, 60)))(x)
    wanted = anvl.grad(lambda x: anp.sum(many(x, 60)))(x.astype(np.float64))
    np.testing.assert_allclose(found, wanted, rtol=60 * rounding(FORMULA, x))


def test_rows_beside_the_gradient_have_no_tangents():
    def ends(x):
        y, rows = anvl.scan(lambda c, _: (anp.sin(c), c * c), x, length=4)
        return anp.sum(y), rows

    g = anvl.grad(ends, has_aux=True)
    assert "backward" in text_of(g, STARTS)
    assert_close(g(STARTS)[0], anvl.grad(lambda x: ends(x)[0])(STARTS), PROGRAM)
