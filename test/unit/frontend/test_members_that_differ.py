"""Collectives where members of a batch, or devices, differ: masks, choices, loops and results."""

import numpy as np
import pytest
from eight_devices import MESH

import anvl
import anvl.numpy as anp
from anvl import ShardingError, lax
from anvl.sharding import P

X = np.arange(4, dtype="f4")


def chosen(x):
    return anvl.cond(x > 1.5, lambda x: lax.psum(x * x, "i"), lambda x: x, x)


def masked(x):
    return anp.where(x > 1.5, lax.psum(x * x, "i"), x)


def masked_before(x):
    return lax.psum(anp.where(x > 1.5, x * x, 0) * x, "i")


def switched(x):
    branches = [anp.sin, lambda x: lax.pmax(x * x, "i"), lambda x: lax.psum(anp.sin(x), "i")]
    return anvl.switch(anp.asarray(x, "int32"), branches, x)


def behind_a_loop(x):
    end, _ = anvl.scan(lambda c, _: (c + lax.psum(c * x, "i"), None), x, None, length=2)
    return anp.where(x > 1.5, end, x)


def in_a_checkpoint(x):
    return anvl.cond(x > 1.5, anvl.checkpoint(lambda x: lax.psum(x * x, "i")), lambda x: x, x)


def in_place(x):
    """Only the last member returns the sum, as the last stage of a pipeline does."""
    return anp.where(lax.axis_index("i") == 3, lax.psum(x * x, "i"), 0) + x


FUNCTIONS = [
    chosen, masked, masked_before, switched, behind_a_loop, in_a_checkpoint, in_place,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS)
def test_the_batch_of_a_gradient_is_the_gradient_of_the_sum_of_the_batch(f):
    def many(g):
        return anvl.vmap(g, axis_name="i")

    def orders(x):
        slope = anvl.grad(f)
        whole = many(f)
        return (
            many(slope)(x), many(anvl.grad(slope))(x),
            many(lambda x: anvl.jvp(f, (x,), (x + 1,))[1])(x),
        ), (
            anvl.grad(lambda x: anp.sum(whole(x)))(x),
            anvl.grad(lambda x: anp.sum(many(slope)(x)))(x),
            anvl.jvp(whole, (x,), (x + 1,))[1],
        )  # fmt: skip

    for found, wanted in zip(*anvl.jit(orders)(X), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_by_hand():
    # Members 2 and 3 return 14 = 0 + 1 + 4 + 9, the others themselves.
    np.testing.assert_array_equal(anvl.vmap(chosen, axis_name="i")(X), [0, 1, 14, 14])
    np.testing.assert_array_equal(anvl.vmap(anvl.grad(chosen), axis_name="i")(X), [1, 5, 8, 12])


def test_masks_of_devices_are_their_own():
    def last(x):
        return anp.where(lax.axis_index("x") == 3, lax.psum(anp.sum(x * x), "x"), 0) + x

    x = np.arange(8, dtype="f4")
    of_parts = anvl.shard_map(last, MESH, P("x"), P("x"))
    slope, tangent = anvl.jit(
        lambda x: (anvl.grad(lambda x: anp.sum(of_parts(x)))(x), anvl.jvp(of_parts, (x,), (x,))[1])
    )(x)
    np.testing.assert_array_equal(slope, 1 + 4 * x)
    np.testing.assert_array_equal(tangent, x + 2 * np.sum(x * x) * (x > 5))


def test_results_that_members_share_need_no_axis():
    def f(x):
        total = lax.psum(x**2, "i")
        rows, _ = anvl.scan(lambda c, _: (c + total, None), 0 * total, None, length=3)
        return total, lax.all_gather(x, "i"), rows, x

    axes = (None, None, None, 0)
    found = anvl.vmap(f, axis_name="i", out_axes=axes)(X)
    for y, z in zip(found, (14, X, 42, X), strict=True):
        np.testing.assert_array_equal(y, z)
    slope = anvl.grad(lambda x: anvl.vmap(f, axis_name="i", out_axes=axes)(x)[0])
    np.testing.assert_array_equal(slope(X), 2 * X)

    def step(w, x):
        value, slope = anvl.value_and_grad(lambda w: lax.pmean((w * x) ** 2, "i"))(w)
        return value, lax.pmean(slope, "i")

    many = anvl.vmap(step, in_axes=(None, 0), out_axes=None, axis_name="i")
    np.testing.assert_array_equal(many(2.0, X), (14, 14))
    for wrong in (lambda x: lax.ppermute(x, "i", [(0, 1)]), lambda x: lax.psum(x, "i") + x):
        with pytest.raises(ValueError, match=r"out_axes is None for result .* by lax\.psum"):
            anvl.vmap(wrong, axis_name="i", out_axes=None)(X)


def test_members_stop_a_loop_with_a_collective_together():
    def until(condition):
        def grow(c):
            return (c[0] * 2, lax.psum(c[0], "i"))

        def f(x):
            return anvl.while_loop(condition, grow, (x, 0 * x))

        return anvl.vmap(f, axis_name="i")

    np.testing.assert_array_equal(until(lambda c: lax.pmax(c[1], "i") < 100)(X)[0], 64 * X)
    with pytest.raises(
        ShardingError, match=r"members along i may stop at different steps in stablehlo\.while at"
    ):
        until(lambda c: c[0] < 100)(X + 1)


def ring(x):
    """A sum by permutations, which no rule knows to be equal on all devices."""
    pairs = [(i, (i + 1) % 4) for i in range(4)]
    total = x
    for _ in range(3):
        x = lax.ppermute(x, "x", pairs)
        total = total + x
    return total


# Functions of parts, their out_specs, and what is said of them.
CLAIMS = {
    "a part": (lambda x: x, P(), "result 0 of lambda may differ between devices along x, and is"),
    "a place": (lambda x: x * 0 + lax.axis_index("y"), P("x"), "differ between devices along y"),
    "a sum over another axis": (lambda x: lax.psum(x, "y"), P(), "along x"),
    "one of two": (lambda x: (lax.psum(x, "x"), x), (P(), P()), "result 1"),
    "scattered": (lambda x: lax.psum_scatter(x, "x", tiled=True), P(), "along x"),
    "a ring": (ring, P(), "say check_vma=False"),
    "chosen by a part": (
        lambda x: anvl.cond(x[0] > 0, lambda: 1.0, lambda: 2.0), P(), "along x",
    ),
    "doubled in steps that a part counts": (
        lambda x: anvl.while_loop(
            lambda c: c[0] < 9, lambda c: (c[0] + 1, c[1] * 2), (x[0], 1.0)
        )[1], P(), "along x",
    ),
    "a sum in a branch": (
        lambda x: anvl.cond(x[0] > 1, lambda x: lax.psum(x, "x"), lambda x: x, x), P("x"),
        r"what stablehlo\.if at .*test_members_that_differ\.py.:\d+.* a collective along x, which",
    ),
    "a sum in a loop": (
        lambda x: anvl.while_loop(lambda c: c[0] < 9, lambda c: c + lax.pmax(c, "x"), x), P("x"),
        r"what stablehlo\.while at .* decides, and it has a collective along x",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CLAIMS)
def test_values_that_must_be_equal_on_devices_and_may_differ_are_refused(case):
    f, out, said = CLAIMS[case]
    with pytest.raises(ShardingError, match=said):
        anvl.shard_map(f, MESH, P("x"), out)(np.arange(16, dtype="f4"))


def test_check_vma_takes_the_word_of_the_caller():
    x = np.arange(8, dtype="f4")
    f = anvl.shard_map(ring, MESH, P("x"), P(), check_vma=False)
    value, slope = anvl.jit(anvl.value_and_grad(lambda x: anp.sum(f(x) ** 2)))(x)
    assert value == 12**2 + 16**2
    np.testing.assert_array_equal(slope, np.tile([24, 32], 4))


def test_equal_values_are_found_in_loops_choices_and_derivatives():
    def f(w, x):
        def step(w, _):
            value, slope = anvl.value_and_grad(lambda w: lax.pmean(anp.sum((w * x) ** 2), "x"))(w)
            return w - 0.1 * lax.pmean(slope, "x"), value

        w, values = anvl.scan(step, w, None, length=2)
        w = anvl.cond(anp.max(values) > 1, lambda w: lax.pmean(w, "x"), lambda w: w + 1, w)
        return anvl.while_loop(lambda w: w > 10, lambda w: lax.psum(w, "x") / 8, w), values

    w, values = anvl.shard_map(f, MESH, (P(), P("x")), P())(1.0, np.ones(8))
    np.testing.assert_allclose(np.asarray(w), 0.36, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(values), [2, 0.72], rtol=1e-5)


def test_what_is_counted_and_what_is_no_permutation():
    count = anvl.vmap(lambda x: (lax.psum(x > 1, "i"), x * lax.psum(True, "i")), axis_name="i")
    np.testing.assert_array_equal(count(X)[0], [2, 2, 2, 2])
    np.testing.assert_array_equal(count(X)[1], 4 * X)
    for perm, said in (([(0, 1.5)], "two integers"), ([0, 1], "has 0; give pairs")):
        with pytest.raises(ShardingError, match=said):
            anvl.vmap(lambda x, p=perm: lax.ppermute(x, "i", p), axis_name="i", in_axes=(0,))(X)
    with pytest.raises(ShardingError, match=r"axis 0\.0 is not an axis"):
        anvl.vmap(lambda x: lax.all_to_all(x, "i", 0.0, 0), axis_name="i")(np.ones((4, 4)))
