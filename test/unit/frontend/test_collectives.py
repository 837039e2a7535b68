"""Collectives over the members of a batch: values, derivatives, batches around and within."""

import numpy as np
import pytest
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as anp
from anvl import ShardingError, lax

N = 3
X = np.random.default_rng(0).normal(size=(N, N, 2))
W = np.random.default_rng(1).normal(size=(N, N, 2))


def gathered(x, axis):
    """What each member gets of all, along an axis of one."""
    return np.stack([np.concatenate(list(x), axis)] * N)


def exchanged(x, split, concat):
    parts = [np.split(member, N, split) for member in x]
    return np.stack([np.concatenate([of[k] for of in parts], concat) for k in range(N)])


# f of one member, and the same of all in NumPy.
CASES = {
    "psum": (lambda x: lax.psum(x, "i"), lambda x: np.stack([x.sum(0)] * N)),
    "pmean": (lambda x: lax.pmean(x, "i"), lambda x: np.stack([x.mean(0)] * N)),
    "pmax": (lambda x: lax.pmax(x, "i"), lambda x: np.stack([x.max(0)] * N)),
    "pmin": (lambda x: lax.pmin(x, "i"), lambda x: np.stack([x.min(0)] * N)),
    "all_gather": (lambda x: lax.all_gather(x, "i"), lambda x: np.stack([x] * N)),
    "all_gather along 1": (
        lambda x: lax.all_gather(x, "i", axis=1), lambda x: np.stack([x.transpose(1, 0, 2)] * N),
    ),
    "all_gather tiled": (
        lambda x: lax.all_gather(x, "i", axis=-1, tiled=True), lambda x: gathered(x, 1)
    ),
    "psum_scatter": (lambda x: lax.psum_scatter(x, "i"), lambda x: x.sum(0)),
    "psum_scatter tiled": (
        lambda x: lax.psum_scatter(x, "i", scatter_dimension=0, tiled=True),
        lambda x: x.sum(0).reshape(N, 1, 2),
    ),
    "all_to_all": (
        lambda x: lax.all_to_all(x, "i", 0, 1), lambda x: x.transpose(1, 2, 0)
    ),
    "all_to_all tiled": (
        lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True), lambda x: exchanged(x, 0, 1)
    ),
    "all_to_all in place": (
        lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), lambda x: exchanged(x, 0, 0)
    ),
    "ppermute": (
        lambda x: lax.ppermute(x, "i", [(0, 1), (1, 2)]),
        lambda x: np.concatenate([0 * x[:1], x[:2]]),
    ),
    "ppermute in a ring": (
        lambda x: lax.ppermute(x, "i", [(1, 0), (2, 1), (0, 2)]), lambda x: np.roll(x, -1, 0)
    ),
    "pshuffle": (lambda x: lax.pshuffle(x, "i", [2, 1, 0]), lambda x: x[::-1]),
    "axis_index": (
        lambda x: x * lax.axis_index("i"), lambda x: x * np.arange(N).reshape(N, 1, 1)
    ),
}  # fmt: skip
LIMIT = rounding(FORMULA)


@pytest.mark.parametrize("case", CASES)
def test_values_and_derivatives(case):
    f, of_all = CASES[case]
    batch = anvl.vmap(f, axis_name="i")
    wanted = of_all(X)
    np.testing.assert_allclose(batch(X), wanted, rtol=LIMIT)
    g = np.random.default_rng(2).normal(size=wanted.shape)

    def member(x, w, g):  # by the adjoint and the tangent of the collective itself
        _, pull = anvl.vjp(f, x)
        return pull(g)[0], anvl.jvp(f, (x,), (w,))[1]

    back, forth = anvl.vmap(member, axis_name="i")(X, W, g)
    np.testing.assert_allclose(forth, anvl.jvp(batch, (X,), (W,))[1], rtol=LIMIT, atol=LIMIT)
    np.testing.assert_allclose(np.sum(g * forth), np.sum(back * W), rtol=rounding(FORMULA * 10))
    np.testing.assert_allclose(back, anvl.vjp(batch, X)[1](g)[0], rtol=LIMIT, atol=LIMIT)


@pytest.mark.parametrize("case", CASES)
def test_other_batches_around_it_and_within_it(case):
    f, of_all = CASES[case]
    many = np.stack([X, X + 1, 2 * X], axis=1)  # the named axis is the first
    wanted = np.stack([of_all(many[:, k]) for k in range(3)], axis=1)
    within = anvl.vmap(anvl.vmap(f), axis_name="i")(many)
    np.testing.assert_allclose(within, wanted, rtol=LIMIT)
    around = anvl.vmap(anvl.vmap(f, axis_name="i"), in_axes=1, out_axes=1)(many)
    np.testing.assert_allclose(around, wanted, rtol=LIMIT)


GROUPS = [[0, 3], [2, 1]]
IN_GROUPS = {  # the same for the values of a group, along the first axis
    "psum": (lambda x, of: lax.psum(x, "i", **of), lambda x: x.sum(0, keepdims=True) + 0 * x),
    "psum of a number": (lambda x, of: x * lax.psum(1, "i", **of), lambda x: 2 * x),
    "pmean": (lambda x, of: lax.pmean(x, "i", **of), lambda x: x.mean(0, keepdims=True) + 0 * x),
    "pmax": (lambda x, of: lax.pmax(x, "i", **of), lambda x: x.max(0, keepdims=True) + 0 * x),
    "all_gather": (
        lambda x, of: lax.all_gather(x, "i", axis=1, **of),
        lambda x: np.stack([x.swapaxes(0, 1)] * 2),
    ),
    "all_gather tiled": (
        lambda x, of: lax.all_gather(x, "i", axis=1, tiled=True, **of),
        lambda x: np.stack([np.concatenate([*x], axis=1)] * 2),
    ),
    "psum_scatter": (lambda x, of: lax.psum_scatter(x, "i", **of), lambda x: x.sum(0)),
    "psum_scatter tiled": (
        lambda x, of: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True, **of),
        lambda x: np.stack(np.split(x.sum(0), 2, axis=1)),
    ),
    "all_to_all": (lambda x, of: lax.all_to_all(x, "i", 0, 0, **of), lambda x: x.swapaxes(0, 1)),
    "all_to_all tiled": (
        lambda x, of: lax.all_to_all(x, "i", 1, 0, tiled=True, **of),
        lambda x: np.stack([np.concatenate(each) for each in np.split(x, 2, axis=2)]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IN_GROUPS)
def test_groups_of_members(case):
    f, of_group = IN_GROUPS[case]
    x, w = np.random.default_rng(3).normal(size=(2, 4, 2, 4))
    batch = anvl.vmap(lambda x: f(x, {"axis_index_groups": GROUPS}), axis_name="i")
    found = np.asarray(batch(x))
    for group in GROUPS:
        np.testing.assert_allclose(found[group], of_group(x[group]), rtol=LIMIT)
    g = np.random.default_rng(4).normal(size=found.shape)
    back, forth = anvl.vjp(batch, x)[1](g)[0], anvl.jvp(batch, (x,), (w,))[1]
    np.testing.assert_allclose(np.sum(g * forth), np.sum(back * w), rtol=rounding(FORMULA * 10))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (
            [[0, 1], [2, 2]],
            r"psum: axis_index_groups \[\[0, 1\], \[2, 2\]\] must have each of 0 to 3",
        ),
        ([[0, 1, 2], [3]], "has groups of several sizes; make them of one, or give the groups an"),
        (3, "axis_index_groups is 3; give lists of the numbers of members, such as"),
    ],
)
def test_wrong_groups_are_refused(groups, message):
    with pytest.raises(ShardingError, match=message):
        anvl.vmap(lambda x: lax.psum(x, "i", axis_index_groups=groups), axis_name="i")(np.ones(4))


def test_two_names():
    f = lambda x: (  # noqa: E731
        lax.psum(x, ("i", "j")), lax.axis_index(("i", "j")), lax.all_gather(x, ("i", "j")),
        lax.psum(1, "j"), lax.axis_size(("i", "j")),
        lax.psum_scatter(anp.arange(12.0) * x, ("i", "j")),
    )  # fmt: skip
    x = np.arange(12.0).reshape(3, 4)
    total, place, all_, size, count, part = anvl.vmap(anvl.vmap(f, axis_name="j"), axis_name="i")(x)
    np.testing.assert_array_equal(total, np.full((3, 4), 66))
    np.testing.assert_array_equal(place, x)
    np.testing.assert_array_equal(all_, np.broadcast_to(x.reshape(-1), (3, 4, 12)))
    np.testing.assert_array_equal(part, x * 66)
    assert (np.unique(size), np.unique(count)) == (4, 12)


def test_an_inner_name_hides_an_outer_one():
    x = np.arange(6.0).reshape(3, 2)
    inner = anvl.vmap(lambda x: lax.psum(x, "i"), axis_name="i")
    outer = anvl.vmap(lambda x: inner(x) + lax.psum(x, "i"), axis_name="i")
    np.testing.assert_array_equal(outer(x), x.sum(1, keepdims=True) + x.sum(0))


def test_within_loops_branches_checkpoints_and_jit():
    def f(x):
        step = anvl.jit(lambda y: y + lax.pmean(y, "i"))
        y = anvl.fori_loop(0, 2, lambda _, y: step(y), x)
        y = anvl.while_loop(lambda y: lax.pmax(y, "i") < 100, step, y)
        y = anvl.cond(lax.pmax(x, "i") > 1, lambda y: lax.psum(y, "i") * x, lambda y: y, y)
        return anvl.checkpoint(lambda y: lax.psum(y * y, "i"))(y)

    def of_all(x):
        y = x
        for _ in range(2):
            y = y + y.mean()
        while y.max() < 100:
            y = y + y.mean()
        y = y.sum() * x
        return np.full(3, np.sum(y * y))

    x = np.asarray([1.0, 2.0, 4.0])
    np.testing.assert_allclose(anvl.vmap(f, axis_name="i")(x), of_all(x), rtol=rounding(FORMULA))
    slope = anvl.vmap(anvl.grad(f), axis_name="i")(x)
    numeric = [(of_all(x + h).sum() - of_all(x - h).sum()) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(slope, numeric, rtol=1e-6)


def test_ties_share_the_slope_of_a_maximum():
    g = anvl.vmap(anvl.grad(lambda x: lax.pmax(x, "i")), axis_name="i")
    np.testing.assert_array_equal(g(np.asarray([1.0, 3.0, 3.0])), [0, 1.5, 1.5])


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: lax.psum(x, "k"), "psum: no axis is named 'k' here, there are: 'i'; call it in"),
        (lambda x: lax.psum(x, ()), r"psum: axis_name is \(\); name different axes"),
        (lambda x: lax.psum(x, ("i", "i")), "name different axes"),
        (lambda x: lax.psum_scatter(x, "i"), r"psum_scatter: axis 0 of f64\[2\] has size 2, and "
         "there are 3 members; it must be 3, or tiled"),
        (lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), "it must be a multiple of 3"),
        (lambda x: lax.all_gather(x, "i", axis=2, tiled=True), "axis 2 is not an axis of"),
        (lambda x: lax.ppermute(x, "i", [(0, 3)]), r"ppermute: \(0, 3\) names member 3, of 0 to 2"),
        (lambda x: lax.ppermute(x, "i", [(0, 1), (2, 1)]), "names a source or a target twice"),
        (lambda x: lax.pshuffle(x, "i", [0, 0, 1]), "must be a permutation of 0 to 2"),
        (
            lambda x: anvl.vmap(lambda y: lax.ppermute(y, ("i", "j"), []), axis_name="j")(x),
            "axes of different batches or meshes; call it for one after the other",
        ),
    ],
)  # fmt: skip
def test_wrong_names_sizes_and_members_are_refused(f, message):
    with pytest.raises(ShardingError, match=message):
        anvl.vmap(f, axis_name="i")(np.ones((3, 2)))


def test_names_end_with_the_function():
    with pytest.raises(ShardingError, match="no axis is named 'i' here, there are: none"):
        anvl.jit(lambda x: lax.psum(x, "i"))(1.0)
    with pytest.raises(ShardingError, match="psum: no axis is named 'i' here, there are: none"):
        lax.psum(np.ones(3), "i")  # outside of any trace
    with pytest.raises(TypeError, match="vmap: axis_name is 3; give a name such as 'i'"):
        anvl.vmap(lambda x: x, axis_name=3)
