"""Meshes, shardings, arrays that are put there, and pictures of them."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
from eight_devices import DEVICES, FLAT, MESH, over

import anvl
import anvl.numpy as anp
from anvl.dialect.core.shardings import MeshShape
from anvl.sharding import Mesh, P, Sharding, meshes, show

X = np.arange(128, dtype=np.float32).reshape(8, 16)
SPECS = [P(), P("x"), P("y", "x"), P(None, "y"), P(("y", "x")), P(None, ("x", "y"))]


@pytest.mark.parametrize(
    "mesh",
    [
        Mesh((4, 2), ("x", "y"), devices=DEVICES),
        Mesh({"x": 4, "y": -1}, devices=list(DEVICES)),
        Mesh(np.array(DEVICES).reshape(4, 2), ("x", "y")),
        Mesh(np.array(DEVICES, object).reshape(4, 2), ["x", "y"]),
    ],
    ids=repr,
)
def test_a_mesh_is_made_in_several_ways(mesh):
    assert mesh == MESH and hash(mesh) == hash(MESH) and mesh != FLAT
    assert (mesh.shape, mesh.size, mesh.devices) == ({"x": 4, "y": 2}, 8, DEVICES)
    assert mesh.axis_names == mesh.names == ("x", "y") and mesh.sizes == (4, 2)
    assert Mesh({"x": 4, "y": 2}, devices=DEVICES[::-1]) != MESH


def test_a_mesh_is_of_the_default_devices_and_shows_others():
    assert repr(Mesh({"x": 1})) == "Mesh(x=1)"
    text = "Mesh(x=2; <CpuDevice(id=3)>, <CpuDevice(id=1)>)"
    assert repr(Mesh({"x": 2}, devices=(DEVICES[3], DEVICES[1]))) == text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mesh({"x": 3}), r"mesh: 'x=3' takes 3 devices, there are 1; ANVL_NUM_CPU_DEVICES"),
        (lambda: Mesh({"x": 3}, devices=DEVICES), "'x=3' takes 3 devices, 8 are given"),
        (lambda: Mesh({"x": -1, "y": 3}, devices=DEVICES), "8 devices do not divide into sizes"),
        (lambda: Mesh({"x": -1, "y": -1}), r"sizes \(-1, -1\) have -1 twice"),
        (lambda: Mesh({"x": 0}), "axis x has size 0"),
        (lambda: Mesh({"2": 1}), "'2' is not the name of an axis"),
        (lambda: Mesh((1, 1), ("x", "x")), "axis x is named twice"),
        (lambda: Mesh({"x": 2}, devices=DEVICES[:1] * 2), "a device is named twice"),
        (lambda: over("z"), r"axis z of spec 'z' is not in mesh 'x=4,y=2'; its axes are x, y"),
        (
            lambda: over("x", "x"),
            r"axis x is used twice(.|\n)*mesh  x=4  y=2(.|\n)*dim 1 .*<- here",
        ),
        (lambda: over("x", ("y", "x")), "axis x is used twice"),
        (lambda: over("x", "?").placement, "leaves a dimension to the partitioner"),
        (
            lambda: anvl.device_put(X[:3], over("x")),
            r"device_put: dimension 0 of size 3 does not divide into 4 parts, spec 'x,-' on mesh "
            r"'x=4,y=2'; pad it to 4(.|\n)*dim 0 +3  x  <- here",
        ),
        (lambda: Mesh("x"), "'x' in 'x' is not an axis with its size"),
        (lambda: Mesh({3: 2}), "3 is not the name of an axis"),
        (lambda: Mesh({"x": 4}, devices=DEVICES[:2]), "takes 4 devices, 2 are given; give as many"),
        (lambda: anvl.device_put(X[0], over("x", "y")), "has 2 entries, the array has 1"),
        (
            lambda: anvl.device_put(X[0], over("x", None)),
            r"device_put: spec 'x,-' has 2 entries, the array has 1(.|\n)*dim 1 +none  -",
        ),
        (lambda: anp.ones((), device=over(None)), "ones: spec '-' has 1 entries, the array has 0"),
        (lambda: anvl.jit(abs, in_shardings=over("x", None))(X[0]), "abs: argument .*has 2 entr"),
        (lambda: copy.copy(over("x", None)).shard_shape((8,)), "shard_shape: .* has 2 entries"),
        (lambda: anp.zeros((3, 2), device=over("x")), "zeros: dimension 0 of size 3"),
        (lambda: over("x").shard_shape((6,)), "shard_shape: dimension 0 of size 6"),
    ],
)
def test_impossible_meshes_and_shardings_are_drawn(make, message):
    with pytest.raises(anvl.ShardingError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mesh((4, 2)), r"names must be a sequence of names of the axes \(4, 2\), got None"),
        (lambda: Mesh({"x": 1}, ("x",)), "have names already"),
        (lambda: Mesh(1, "x"), r"axes must be like \{'x': 4, 'y': 2\}"),
        (lambda: Mesh({"x": 1.0}), "the size of an axis must be an integer, got 1.0"),
        (lambda: Mesh({"x": 1}, devices="cpu"), "devices must be a sequence"),
        (lambda: Mesh(np.array(DEVICES[:1]), ("x",), devices=DEVICES), "given twice"),
        (lambda: Sharding("x=4", P()), "mesh must be a Mesh, got 'x=4'"),
        (lambda: over(3), r"3 in \(3,\) is no entry of a spec"),
        (lambda: Sharding(MESH, 3), r"spec must be like P\('x', None\), got 3"),
        (
            lambda: anvl.device_put(X, P("x")),
            r"P\('x'\) .* has no mesh; give Sharding\(mesh, P\('x'\)\)",
        ),
        (
            lambda: anvl.device_put([X], [3]),
            r"device\[0\] must be a device, its name, a Sharding or a PartitionSpec, got 3",
        ),
        (lambda: anp.zeros(3, device=P("x")), "has no mesh"),
        (lambda: show(over("x")), "show: takes an array, with the shape of an array"),
        (lambda: show(3), "show: takes an array, or a Sharding, got 3"),
    ],
)
def test_arguments_of_another_type_are_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_an_array_lies_as_its_sharding_says(spec):
    sharding = Sharding(MESH, spec)
    x = anvl.device_put(X, sharding)
    assert x.sharding == sharding and anvl.device_put(x, Sharding(MESH, spec)) is x
    np.testing.assert_array_equal(x, X)
    for shard in x.addressable_shards:
        assert shard.index == sharding.indices(X.shape)[shard.device]
        assert shard.data.shape == sharding.shard_shape(X.shape)
    assert sharding.is_fully_replicated == (spec == P())
    np.testing.assert_array_equal(anvl.device_put(x, over("y")), X)
    assert anvl.device_put(x, DEVICES[3]).sharding is DEVICES[3]


def test_specs_have_one_form():
    assert over("x", None, None) == over("x") == Sharding(MESH, "x,-") == Sharding(MESH, ["x"])
    assert over("x").placement is over(("x",), ()).placement
    assert over(("x", "y")) != over(("y", "x")) and over("x") != Sharding(FLAT, P("data"))
    assert repr(over("x", ("x", "y")[1:])) == f"Sharding({MESH!r}, P('x', 'y'))"
    assert over("x").text(2) == "x=4,y=2;x,-"


def test_a_tree_takes_a_prefix_of_shardings():
    tree = {"a": X, "b": [X[0], 2.0]}
    made = anvl.device_put(tree, {"a": over("x", "y"), "b": over()})
    assert made["a"].sharding == over("x", "y")
    assert made["b"][0].sharding == made["b"][1].sharding == over() and made["b"][1].weak_type
    made = anvl.device_put(tree, {"a": over("x"), "b": None})
    assert made["b"][0].sharding == anvl.devices()[0]
    with pytest.raises(ValueError, match=r"device is no prefix .* keys \['a'\] for .*\['a', 'b'\]"):
        anvl.device_put(tree, {"a": None})


def test_functions_that_make_arrays_take_a_sharding():
    assert anp.zeros((4, 2), device=over("x")).sharding == over("x")
    assert anp.asarray(X, device=over("y")).sharding == over("y")
    assert anp.asarray(X).to_device(over("y")).sharding == over("y")


def test_a_picture_has_a_cell_for_each_part(capsys):
    show(anvl.device_put(X, over("x", "y")))
    show(over(None, "y"), (2, 4))
    show(anp.ones(2, "f4"))
    assert capsys.readouterr().out.replace(f"{MESH!r}", "MESH") == (
        "f32[8,16] over MESH, P('x', 'y')\n"
        "+-------+-------+\n| cpu:0 | cpu:1 |\n+-------+-------+\n| cpu:2 | cpu:3 |\n"
        "+-------+-------+\n| cpu:4 | cpu:5 |\n+-------+-------+\n| cpu:6 | cpu:7 |\n"
        "+-------+-------+\neach part [2,8]\n"
        "[2,4] over MESH, P(None, 'y')\n"
        "+-------------+\n| cpu:0,2,4,6 |\n+-------------+\n| cpu:1,3,5,7 |\n+-------------+\n"
        "each part [2,2]\n"
        "f32[2] over <CpuDevice(id=0)>\n+-------+\n| cpu:0 |\n+-------+\nthe whole [2]\n"
    )
    show(over("x", None, "y"), (4, 1, 2))
    assert "| cpu:2 | cpu:3 |" in capsys.readouterr().out
    three = Mesh((2, 2, 2), ("a", "b", "c"), devices=DEVICES)
    show(Sharding(three, P("a", "b", "c")), (2, 2, 2))
    assert "| (0, 1, 0) cpu:2 | (0, 1, 1) cpu:3 |" in capsys.readouterr().out


def test_a_notebook_shows_where_an_array_lies():
    page = anvl.device_put(X, over("x", "y"))._repr_html_()
    assert page.count("<td style='border") == 8 and "P(&#x27;x&#x27;, &#x27;y&#x27;)" in page
    assert "hsl(" not in anp.ones(2)._repr_html_()


def test_a_traced_value_has_no_sharding():
    def f(x):
        assert not hasattr(x, "sharding")
        return x

    anvl.jit(f)(1.0)
    with pytest.raises(anvl.TraceError, match=r"the array is traced .* anvl.with_sharding"):
        anvl.jit(lambda x: anvl.device_put(x, over("x")))(X)


def test_meshes_and_shardings_are_copied_and_pickled(monkeypatch):
    turned = Mesh({"x": 4, "y": 2}, devices=DEVICES[::-1])
    client = DEVICES[0].client
    found = meshes.as_device  # the tests' client is not that of the process
    monkeypatch.setattr(
        meshes, "as_device", lambda x, of: DEVICES[0] if isinstance(x, str) else found(x, of)
    )
    for one in (turned, Sharding(turned, P(("x", "y"))), over("y", None)):
        again = copy.deepcopy(one)  # by `__reduce__`, as pickling
        assert again == one and hash(again) == hash(one)
    monkeypatch.setattr(client, "all_devices", DEVICES[:4])
    with pytest.raises(
        anvl.ShardingError, match="pickled with the device cpu:7, and there are 4 d"
    ):
        meshes._restored({"x": 8}, "cpu", tuple(range(8)))


def test_a_block_has_a_mesh_for_specs_alone():
    half = Mesh({"x": 2, "y": 1}, devices=DEVICES[:2])
    doubled = anvl.jit(lambda x: anvl.with_sharding(x * 2, P("x")))
    with MESH:
        assert anvl.config.default_mesh is MESH
        assert anvl.device_put({"a": X}, P("y"))["a"].sharding == over("y")
        assert anvl.device_put([X, X], [P("y"), None])[0].sharding == over("y")
        assert anp.zeros((8, 4), device=P(None, "y")).sharding == over(None, "y")
        assert anvl.with_sharding(X, P("y")).sharding == over("y")
        tripled = anvl.jit(lambda x: x * 3, in_shardings=P("x"), out_shardings=P("y"))
        assert doubled(X).sharding == over("x")
        with half:  # another program, and the first one again
            assert doubled(X).sharding == Sharding(half, P("x"))
            # the mesh of the arguments goes first
            assert doubled(anvl.device_put(X, over("y"))).sharding == over("x")
        assert doubled(X).sharding == over("x") and doubled.cache_size() == 3
    assert tripled(X).sharding == over("y") and anvl.config.default_mesh is None
    with pytest.raises(anvl.ShardingError, match=r"or call it in a block of `with mesh:`"):
        doubled(X)
    assert Mesh("x=4,y=2", devices=DEVICES) == MESH


def test_the_first_devices_leave_no_process_without_any() -> None:
    known = [SimpleNamespace(handle=SimpleNamespace(process_index=i // 4)) for i in range(12)]
    check = meshes._check_processes
    for shape in ("x=12", "x=9", "x=3,y=3"):
        check(MeshShape.parse(shape), known)
    with pytest.raises(anvl.ShardingError, match=r"'x=4' takes the first 4 of the 12 devices of 3"):
        check(MeshShape.parse("x=4"), known)
    with pytest.raises(anvl.ShardingError, match=r"and none of process 2; anvl\.device_count\(\) "):
        check(MeshShape.parse("x=8"), known)
    check(MeshShape.parse("x=2"), known[:4])  # one process alone
