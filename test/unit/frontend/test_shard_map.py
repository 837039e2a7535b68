"""`shard_map` on eight devices: values and derivatives are those of the program on whole arrays."""

from functools import partial

import numpy as np
import pytest
from eight_devices import DEVICES, FLAT, MESH
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import ShardingError, lax
from anvl.sharding import P

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 6)).astype("f4")
W = RNG.normal(size=(6, 4)).astype("f4")
V = RNG.normal(size=(4, 3)).astype("f4")
B = RNG.normal(size=(3,)).astype("f4")
LIMIT = {"rtol": rounding(PROGRAM / 50, "f4"), "atol": 1e-5}


def same(found, wanted):
    for y, z in zip(anvl.tree.leaves(found), anvl.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(y), np.asarray(z), **LIMIT)


def layers(x, w, v, b):
    return anp.mean((anp.tanh(x @ w) @ v + b) ** 2)


def layers_of_parts(x, w, v, b):
    """Rows of x along x; columns of w, rows of v along y; b is whole on each device."""
    y = lax.psum(anp.tanh(x @ w) @ v, "y") + b
    return lax.pmean(anp.mean(y**2), "x")


SPECS = (P("x"), P(None, "y"), P("y"), P())
LAYERS = anvl.shard_map(layers_of_parts, MESH, SPECS, P())


@pytest.mark.parametrize("mesh", [MESH, anvl.Mesh({"x": 2, "y": 2}, devices=DEVICES[:4])])
def test_values_and_gradients_by_cut_and_whole_arguments(mesh):
    by = (0, 1, 2, 3)
    wanted = anvl.value_and_grad(layers, wrt=by)(X, W, V, B)
    found = anvl.value_and_grad(anvl.shard_map(layers_of_parts, mesh, SPECS, P()), wrt=by)
    same(found(X, W, V, B), wanted)


def test_some_of_the_axes():
    """Each device along x has its rows, and the partitioner divides the columns along y."""

    def parts(x, w):
        h = anvl.with_sharding(anp.tanh(x @ w), P(None, "y")) * (1 + lax.axis_index("x"))
        shifted = lax.ppermute(h, "x", [(0, 1), (1, 2), (2, 3), (3, 0)])
        total, _ = anvl.scan(lambda c, _: (c + lax.pmean(h * c, "x"), None), h, None, length=2)
        return shifted * lax.all_gather(total, "x", tiled=True).mean(), lax.pmean(total, "x")

    def both(mesh, **options):
        f = anvl.shard_map(parts, mesh, (P("x"), P()), (P("x"), P()), **options)

        def loss(x, w):
            rows, total = f(x, w)
            return anp.mean(rows**2) + anp.mean(total**3)

        return anvl.jit(lambda x, w: (f(x, w), anvl.value_and_grad(loss, wrt=(0, 1))(x, w)))

    columns = anvl.device_put(W, anvl.sharding.Sharding(MESH, P(None, "y")))
    with MESH:
        found = both(MESH, axis_names={"x"})(X, columns)
    with anvl.Mesh({"x": 4, "y": 1}, devices=DEVICES[:4]) as mesh:
        same(found, both(mesh, axis_names=["x"])(X, W))
    assert found[0][0].sharding.spec == P("x", "y")
    with pytest.raises(
        ShardingError, match=r"has spec P\('y'\), and f runs for each device along x"
    ):
        anvl.shard_map(anp.sin, MESH, P("y"), P("x"), axis_names={"x"})(X)
    with pytest.raises(ShardingError, match="no axis is named 'y' here, there are: 'x'"):
        anvl.shard_map(lambda x: lax.psum(x, "y"), MESH, P("x"), P("x"), axis_names={"x"})(X)
    with pytest.raises(ShardingError, match="axis_names has 'z'; name axes of mesh 'x=4,y=2'"):
        anvl.shard_map(anp.sin, MESH, P("x"), P("x"), axis_names={"z"})
    with pytest.raises(TypeError, match="axis_names must be a set of names of axes, got 'x'"):
        anvl.shard_map(anp.sin, MESH, P("x"), P("x"), axis_names="x")
    with pytest.raises(ShardingError, match="cuts along x, in a function given to shard_map"):
        anvl.shard_map(lambda x: anvl.with_sharding(x, P("x")), MESH, P("x"), P("x"))(X)


def test_second_derivatives_and_tangents():
    def along(f):
        slope = anvl.grad(f, wrt=(1, 3))
        return lambda w, b: anvl.jvp(lambda w, b: slope(X, w, V, b), (w, b), (w + 1, b + 2))

    same(anvl.jit(along(LAYERS))(W, B), along(layers)(W, B))


# Functions of parts, the same of whole arrays, and the specs of the argument and of the result.
CASES = {
    "gathered": (
        lambda x: lax.all_gather(x, "x", tiled=True) @ lax.all_gather(x, "x", tiled=True).T,
        lambda x: x @ x.T, P("x"), P(),
    ),
    "scattered": (
        lambda x: lax.psum_scatter(x * x, "x", tiled=True, scatter_dimension=1),
        lambda x: sum(anp.split(x * x, 4)), P("x"), P(None, "x"),
    ),
    "transposed": (
        lambda x: anp.sin(lax.all_to_all(x, "x", 1, 0, tiled=True)),
        anp.sin, P("x"), P(None, "x"),
    ),
    "in a ring": (
        lambda x: x * lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)]),
        lambda x: x * anp.roll(x, 2, 0), P("x"), P("x"),
    ),
    "to the next": (
        lambda x: x * lax.ppermute(x, ("x", "y"), [(i, i + 1) for i in range(7)]),
        lambda x: x * anp.concatenate([0 * x[:1], x[:-1]]), P(("x", "y")), P(("x", "y")),
    ),
    "maximum": (
        lambda x: lax.pmax(anp.max(x, axis=0), ("y", "x")), lambda x: anp.max(x, axis=0),
        P(("x", "y")), P(),
    ),
    "by place": (
        lambda x: x * (1 + lax.axis_index(("y", "x"))),
        lambda x: x * np.asarray([1, 5, 2, 6, 3, 7, 4, 8], "f4")[:, None],
        P(("x", "y")), P(("x", "y")),
    ),
    "whole": (lambda x: x * x, lambda x: x * x, P(), P()),
    "a loop": (
        lambda x: anvl.scan(lambda c, r: (c + lax.psum(c * r, "x"), lax.pmean(r, "x")),
                            anp.ones(8, "f4"), x)[1] * lax.axis_size("y"),
        lambda x: 2 * sum(anp.split(x, 4)) / 4, P("x"), P(),
    ),
    "members in devices": (
        lambda x: anvl.vmap(lambda r: lax.psum(r, ("i", "x")), axis_name="i")(x),
        lambda x: anp.broadcast_to(anp.sum(x, 0), (2, 8)), P("x"), P(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_collectives_with_their_gradients(case):
    f, of_whole, spec, out = CASES[case]
    x = RNG.normal(size=(8, 8)).astype("f4")
    weights = RNG.normal(size=np.shape(of_whole(x))).astype("f4")
    parts = anvl.shard_map(f, MESH, spec, out)

    def both(f):
        return anvl.jit(anvl.value_and_grad(lambda x, w: anp.sum(f(x) * w)))(x, weights)

    same(both(parts), both(of_whole))


def test_an_array_of_nothing_is_scattered():
    parts = partial(lax.psum_scatter, axis_name="x", tiled=True)
    assert anvl.shard_map(parts, MESH, P(), P("x"))(X[:0]).shape == (0, 6)


def test_values_around_are_whole_on_each_device_and_have_gradients():
    large = RNG.normal(size=(6, 4)).astype("f4")

    def f(x, w):  # closes over the tracer w and the array `large`
        g = anvl.shard_map(lambda x: x @ (w * large), FLAT, P("data"), P("data"))
        return anp.sum(g(x) ** 2)

    wanted = anvl.grad(lambda x, w: anp.sum((x @ (w * large)) ** 2), wrt=(0, 1))(X, W)
    same(anvl.grad(f, wrt=(0, 1))(X, W), wanted)


def test_batches_around_it():
    many = np.stack([X, 2 * X, X - 1])
    found = anvl.vmap(anvl.grad(LAYERS, wrt=3), in_axes=(0, None, None, None))(many, W, V, B)
    same(found, anvl.vmap(anvl.grad(layers, wrt=3), in_axes=(0, None, None, None))(many, W, V, B))


def test_a_tree_of_arguments_and_results():
    f = anvl.shard_map(
        lambda a, n: {"sum": lax.psum(a["x"], "data"), "part": a["x"] * n}, FLAT,
        ({"x": P("data")}, P()), {"sum": P(), "part": P("data")},
    )  # fmt: skip
    found = f({"x": np.arange(8.0)}, 3.0)
    same(found, {"part": 3 * np.arange(8.0), "sum": [28.0]})
    assert found["part"].sharding.spec == P("data")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: anvl.shard_map(anp.sin, FLAT, P("data"), P("data"))(np.ones(6)), ShardingError,
         r"shard_map: .*f64\[6\]: dimension 0 of size 6 does not divide into 8 parts"),
        (lambda: anvl.shard_map(anp.sin, FLAT, P("z"), P())(np.ones(8)), ShardingError,
         "axis z of spec 'z' is not in mesh 'data=8'"),
        (lambda: anvl.shard_map(anp.sum, FLAT, P("data"), P("data"))(np.ones(8)), ShardingError,
         r"shard_map: result: P\('data'\) has 1 entries, and f64\[\] has 0 dimensions"),
        (lambda: anvl.shard_map(anp.sin, FLAT, (P(), P()), P())(np.ones(8)), ValueError,
         "shard_map: in_specs does not fit"),
        (lambda: anvl.shard_map(anp.sin, FLAT, "data", P())(np.ones(8)), TypeError,
         "shard_map: in_specs is 'data'; give a PartitionSpec, such as P()"),
        (lambda: anvl.shard_map(anp.sin, 8, P(), P()), TypeError, "mesh must be a Mesh, got 8"),
        (lambda: anvl.shard_map(anp.sin, FLAT, P("?"), P())(np.ones(8)), ShardingError,
         r"has spec P\('\?'\); '\?' has no place here"),
        *((lambda f=f: anvl.shard_map(lambda x: f(x, ("y", "x"), []), MESH, P(), P())(X),
           ShardingError, r"order of the axes of mesh 'x=4,y=2' .*; name them as \('x', 'y'\)")
          for f in (lax.ppermute, lax.pshuffle)),
        (lambda: anvl.shard_map(lambda x: x, FLAT, P(), P())(x=np.ones(8)), TypeError,
         "got x by name; pass arguments by position"),
        (lambda: anvl.shard_map(anvl.shard_map(anp.sin, FLAT, P(), P()), FLAT, P(), P())(1.0),
         ShardingError, "shard_map: it is called within another one, over 'data=8'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_arrays_elsewhere_are_refused():
    with pytest.raises(ShardingError, match=r"(?s)x f32\[8\] is on\n.*the program runs over"):
        anvl.shard_map(lambda x: x, FLAT, P("data"), P("data"))(anp.ones(8))
