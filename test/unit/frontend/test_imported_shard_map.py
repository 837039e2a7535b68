"""Programs with manual computations, in Shardy's text and in the form of artifacts: they run over
devices, and have derivatives and batches, as those of the function on whole arrays."""

import io
from pathlib import Path

import numpy as np
import pytest
from eight_devices import FLAT, MESH, over
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import ShardingError, lax
from anvl.sharding import P

# As `jax.jit(jax.shard_map(..)).lower(..).as_text()`, by hand.
TEXT = (Path(__file__).parent / "jax_programs/manual_computation.mlir").read_text()
RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 6)).astype("f4")
W = RNG.normal(size=(6, 4)).astype("f4")
LIMIT = rounding(PROGRAM / 50, "f4")


def whole(x, w):
    y = anp.tanh(x) @ w @ w.T
    return y, anp.sum(y)


def same(found, wanted):
    for y, z in zip(anvl.tree.leaves(found), anvl.tree.leaves(wanted), strict=True):
        y, z = np.asarray(y), np.asarray(z)
        np.testing.assert_allclose(y, z, rtol=0, atol=LIMIT * max(1, np.abs(z).max()))


def with_slopes(f):
    def loss(x, w):
        y, total = f(x, w)
        return anp.sum(y**2) + total

    return anvl.jit(lambda x, w: (f(x, w), anvl.grad(loss, wrt=(0, 1))(x, w)))


def test_text_of_shardy():
    f = anvl.from_stablehlo(TEXT, mesh=MESH)
    same(with_slopes(f)(X, W), with_slopes(whole)(X, W))


# As JAX writes `jax.shard_map(.., axis_names={"x"})`, by hand.
PARTLY = """
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%x: tensor<8x6xf32>) -> tensor<2x6xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"x"} (%a: tensor<2x6xf32>) {
    %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%b: tensor<f32>, %c: tensor<f32>):
      %3 = stablehlo.add %b, %c : tensor<f32>
      %4 = sdy.sharding_constraint %3 <@mesh, []> : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %2 = stablehlo.tanh %1 : tensor<2x6xf32>
    sdy.return %2 : tensor<2x6xf32>
  } : (tensor<8x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
"""  # noqa: E501


# What JAX writes there for `axis_index("x")`; another one, beside it, may have the same names.
PLACE = """
    %RESULT = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"y"} () {
      %c_0 = stablehlo.constant dense<2> : tensor<ui32>
      %c_1 = stablehlo.constant dense<4> : tensor<ui32>
      %10 = stablehlo.partition_id : tensor<ui32>
      %11 = stablehlo.divide %10, %c_0 : tensor<ui32>
      %12 = stablehlo.remainder %11, %c_1 : tensor<ui32>
      %13 = stablehlo.convert %12 : (tensor<ui32>) -> tensor<i32>
      sdy.return %13 : tensor<i32>
    } : () -> tensor<i32>
"""  # noqa: E501
PLACES = f"""{PLACE.replace("RESULT", "5")}{PLACE.replace("RESULT", "6")}
    %7 = stablehlo.add %5, %6 : tensor<i32>
    %8 = stablehlo.convert %7 : (tensor<i32>) -> tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %10 = stablehlo.multiply %a, %9 : tensor<2x6xf32>
    %1 = "stablehlo.all_reduce"(%10)"""


def bytecode(text):
    """The bytecode of a module with ops of Shardy, which has an encoding of its own."""
    from jaxlib.mlir import ir  # noqa: TID251
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext  # noqa: TID251
    from jaxlib.mlir.dialects import sdy, stablehlo  # noqa: TID251

    written, registry = io.BytesIO(), ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    with ir.Context() as context:
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        stablehlo.register_dialect(context)
        sdy.register_dialect(context)
        ir.Module.parse(text).operation.write_bytecode(written)
    return written.getvalue()


def test_bytecode():
    given = RNG.normal(size=(8, 6)).astype("f4")
    found, wanted = (anvl.from_stablehlo(of, mesh=MESH)(given) for of in (bytecode(PARTLY), PARTLY))
    same(found, wanted)
    with pytest.raises(ValueError, match=r"give the program as text"):  # it calls functions
        anvl.from_stablehlo(bytecode(TEXT))
    two = """
    sdy.mesh @mesh = <["x"=4, "y"=2]>
    func.func public @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%a: tensor<2xf32>) {
        sdy.return %a : tensor<2xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      %1 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x", "y"} (%a: tensor<2xf32>) {
        sdy.return %a : tensor<2xf32>
      } : (tensor<8xf32>) -> tensor<2xf32>
      return %0, %1 : tensor<8xf32>, tensor<2xf32>
    }"""  # noqa: E501
    with pytest.raises(ValueError, match=r"give the program as text, as str\(module\) has it"):
        anvl.from_stablehlo(bytecode(two))


def test_the_form_of_artifacts():
    def parts(x, w):
        y = lax.psum(anp.tanh(x) @ w @ w.T, "y")
        shifted = lax.ppermute(y, "x", [(i, (i + 1) % 4) for i in range(4)])
        rows = lax.all_to_all(shifted, "y", 1, 0, tiled=True)
        cut = lax.psum_scatter(rows * (1 + lax.axis_index(("y", "x"))), "x", tiled=True)
        order = lax.all_gather(anp.sum(y) * (1 + lax.axis_index("y")), ("y", "x"))
        return lax.all_gather(cut, "y", tiled=True), lax.pmax(anp.max(y), "x") + order @ anp.arange(
            8, dtype="float32"
        )

    f = anvl.shard_map(parts, MESH, (P("x"), P(None, "y")), (P("x"), P()))
    text = anvl.jit(f, in_shardings=over()).lower(X, W).mlir("stablehlo")
    g = anvl.from_stablehlo(text)
    arrays = [anvl.device_put(x, over()) for x in (X, W)]
    same(with_slopes(g)(*arrays), with_slopes(f)(X, W))
    many = anvl.vmap(g, in_axes=(None, 0), out_axes=0)
    same(many(arrays[0], np.stack([W, 2 * W]))[1][1], f(X, 2 * W)[1])


def test_the_mesh_must_fit():
    with pytest.raises(ShardingError, match="is written for mesh 'x=4,y=2', and mesh is Mesh"):
        anvl.from_stablehlo(TEXT, mesh=FLAT)
    with pytest.raises(TypeError, match="from_stablehlo: mesh must be a Mesh, got 8"):
        anvl.from_stablehlo(TEXT, mesh=8)
    f = anvl.from_stablehlo(TEXT)
    if len(anvl.devices()) < 8:
        with pytest.raises(ShardingError, match="8 devices"):
            f(X, W)
    small = over("x", mesh=anvl.Mesh({"x": 2}, devices=MESH.devices[:2]))
    with pytest.raises(ShardingError, match="and its arguments are over Mesh"):
        f(anvl.device_put(X, small), W)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('manual_axes={"x", "y"}', 'manual_axes={"x"}', "along x of mesh 'x=4,y=2', and its body"),
        ('{"y"}], rep', '{?}], rep', "no form as a shard_map"),
        ("sdy.manual_computation(%arg0, %arg1)", "sdy.manual_computation(%arg0, %arg1", "line 4: "),
    ],
)  # fmt: skip
def test_what_has_no_form_is_refused(old, new, said):
    with pytest.raises(ValueError, match=said):
        anvl.from_stablehlo(TEXT.replace(old, new), mesh=MESH)


def test_some_of_the_axes_are_manual():
    f = anvl.from_stablehlo(PARTLY, mesh=MESH)

    def whole(x):
        return anp.tanh(x.reshape(4, 2, 6).sum(0))

    found, wanted = (
        anvl.jit(lambda x, f=f: (f(x), anvl.grad(lambda x: anp.sum(f(x) ** 2))(x)))(X)
        for f in (f, whole)
    )
    same(found, wanted)


def test_the_position_along_some_of_the_axes():
    text = PARTLY.replace('    %1 = "stablehlo.all_reduce"(%a)', PLACES)
    f = anvl.from_stablehlo(text, mesh=MESH)

    def weighted(x):
        return (x.reshape(4, 2, 6) * np.arange(0.0, 8, 2, "f4")[:, None, None]).sum(0)

    found, wanted = (
        anvl.jit(lambda x, f=f: (f(x), anvl.grad(lambda x: anp.sum(f(x) ** 2))(x)))(X)
        for f in (f, lambda x: anp.tanh(weighted(x)))
    )
    same(found, wanted)
    for wrong in (
        text.replace("sdy.return %13 : tensor<i32>\n    } : () -> tensor<i32>",
                     "sdy.return %13 : tensor<1xi32>\n    } : () -> tensor<1xi32>"),
        text.replace("manual_computation() in", "manual_computation(%a) in"),
        text.replace("partition_id", "partition_id {channel_handle}"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"line \d+: sdy.manual_computation divides"):
            anvl.from_stablehlo(wrong, mesh=MESH)


def test_an_exported_shard_map(tmp_path):
    f = anvl.shard_map(
        lambda x, w: lax.psum(anp.tanh(x) @ w @ w.T, "y"), MESH, (P("x"), P(None, "y")), P("x")
    )
    path = tmp_path / "parts.anvl"
    anvl.export(f, X, W).save(path)
    same(anvl.load(path, mesh=MESH)(X, W), whole(X, W)[0])


def test_an_export_keeps_the_shardings(tmp_path):
    def step(params, x, *, scale):
        return {"w": params["w"] - scale * (x.T @ x @ params["w"])}, anp.sum(x @ params["w"])

    columns, rows = over(None, "y"), over("x")
    jitted = anvl.jit(
        step, in_shardings={"params": columns, "x": rows}, out_shardings=({"w": columns}, None)
    )
    params = {"w": W}
    exported = anvl.export(jitted, params, X, scale=0.5)
    of = exported.manifest["function"]
    texts = [each.get("sharding") for each in (*of["inputs"], *of["outputs"])]
    assert texts == ["x=4,y=2;-,y", "x=4,y=2;x,-", "x=4,y=2;", "x=4,y=2;-,y", None]
    assert b"xla.sdy.sharding" in exported.artifact
    path = tmp_path / "step.anvl"
    exported.save(path)
    loaded = anvl.load(path, mesh=MESH)
    new, total = loaded(params, X, scale=0.5)
    assert new["w"].sharding == columns
    same((new, total), step(params, X, scale=0.5))
    slope = anvl.grad(lambda p: loaded(p, X, scale=0.5)[1])(params)
    same(slope, anvl.grad(lambda p: step(p, X, scale=0.5)[1])(params))
    with MESH:
        found = anvl.load(path)(params, X, scale=0.5)
    assert found[0]["w"].sharding == columns
    few = len(anvl.devices()) < 8  # then it runs where its arguments are
    found = anvl.load(path)(params, X, scale=0.5)
    assert isinstance(found[0]["w"].sharding, anvl.Device) is few
    same(found, step(params, X, scale=0.5))
    with pytest.raises(ShardingError, match="is written for mesh 'x=4,y=2', and mesh is Mesh"):
        anvl.load(path, mesh=FLAT)
