"""Meshes and specs: their text, the tiles and groups that they stand for, and what is refused."""

import itertools

import numpy as np
import pytest

from anvl import ShardingError
from anvl.dialect.core.shardings import (
    MeshShape,
    Spec,
    check_sharding,
    joined,
    mesh_from_sdy,
    sharding_from_sdy,
    split_sharding,
)

MESH = MeshShape.parse("x=4,y=2")


@pytest.mark.parametrize("text", ["x=4,y=2", "x=1", "data=512,a_b=2,z3=7"])
def test_a_mesh_is_printed_as_it_is_read(text):
    mesh = MeshShape.parse(text)
    assert str(mesh) == text
    assert MeshShape.parse(text.replace("=", ":")) == mesh


@pytest.mark.parametrize("text", ["x,-", "", "-", "x*y,-", "?,x*?", "-,-,-"])
def test_a_spec_is_printed_as_it_is_read(text):
    spec = Spec.parse(text)
    assert str(spec) == text
    assert split_sharding(joined(MESH, spec)) == (MESH, spec)


def test_both_are_written_as_shardy_does():
    assert MESH.to_sdy() == '#sdy.mesh<["x"=4, "y"=2]>'
    assert Spec.parse("x*y,-,?,z*?").to_sdy() == '[{"x", "y"}, {}, {?}, {"z", ?}]'


@pytest.mark.parametrize("axes", [["x"], ["y"], ["x", "y"], ["y", "x"], ["z", "x"], []])
def test_groups_are_the_devices_that_differ_along_these_axes(axes):
    mesh = MeshShape.parse("x=2,y=3,z=2")
    devices = np.arange(12).reshape(2, 3, 2)
    others = [name for name in mesh.names if name not in axes]
    order = [mesh.names.index(name) for name in [*others, *axes]]
    assert mesh.groups(axes) == devices.transpose(order).reshape(-1, mesh.along(axes)).tolist()


@pytest.mark.parametrize("text", ["x,-", "-,y", "y,x", "x*y,-", "-,y*x", "-,-", "?,x"])
def test_tiles_put_each_part_on_the_devices_of_its_coordinates(text):
    spec = Spec.parse(text)
    parts, devices, copies = spec.tiles(MESH)
    held = np.reshape(devices, (*parts, copies))
    for place in itertools.product(*map(range, parts)):
        for device in held[place]:
            at = dict(zip(MESH.names, np.unravel_index(device, MESH.sizes), strict=True))
            for index, entry in zip(place, spec.entries, strict=True):
                axes = [axis for axis in entry if axis != "?"]
                of_entry = [at[axis] for axis in axes], [MESH.along([axis]) for axis in axes]
                assert index == (np.ravel_multi_index(*of_entry) if axes else 0)
    assert sorted(devices) == list(range(8))


def test_shapes_of_parts():
    spec = Spec.parse("x*y,-,y")
    assert spec.local_shape(MESH, (16, 3, 5)) == (2, 3, 3)
    assert spec.global_shape(MESH, (2, 3, 3)) == (16, 3, 6)
    assert str(spec.with_axis(1)) == "x*y,?,-,y"
    assert (Spec.whole(2), Spec.open(1)) == (Spec.parse("-,-"), Spec.parse("?"))
    assert (spec.axes, spec.is_open, Spec.parse("x,?").is_open) == (("x", "y", "y"), False, True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MeshShape.parse("x=4,y"), "'y' in 'x=4,y' is not an axis with its size; write"),
        (lambda: MeshShape.parse("x=0"), "'x=0' in 'x=0' is not an axis with its size"),
        (lambda: MeshShape.parse(""), "'' in '' is not an axis with its size"),
        (lambda: MeshShape.parse("x=2,x=2"), "axis x is named twice, in 'x=2,x=2'"),
        (lambda: MeshShape((), ()), "0 axes and 0 sizes; give one size for each axis"),
        (lambda: MeshShape(("a-b",), (2,)), "'a-b' is not the name of an axis; use letters"),
        (lambda: MeshShape(("x",), (0,)), "axis x has size 0; it must be at least 1"),
        (lambda: Spec.parse("x,,y"), "'' in 'x,,y' is no entry; write an axis for each dimension"),
        (lambda: Spec.parse("?*x"), r"'\?\*x' in '\?\*x' is no entry"),
        (lambda: Spec((("?", "x"),)), r"\('\?', 'x'\) is no entry; write a tuple of names"),
        (lambda: split_sharding("x=2"), "'x=2' has no ; between mesh and spec"),
    ],
)
def test_malformed_text_is_refused(make, message):
    with pytest.raises(ShardingError, match=message):
        make()


@pytest.mark.parametrize(
    ("spec", "shape", "message"),
    [
        ("x", (8, 8), "f: spec 'x' has 1 entries, the array has 2 dimensions; give one entry"),
        ("z,-", (8, 8), "f: axis z of spec 'z,-' is not in mesh 'x=4,y=2'; its axes are x, y"),
        ("x,x", (8, 8), "f: axis x is used twice in spec 'x,x'"),
        ("x*x,-", (8, 8), r"f: axis x is used twice in spec 'x\*x,-'"),
        ("y*x,-", (12, 8), "f: dimension 0 of size 12 does not divide into 8 parts, .* to 16"),
    ],
)
def test_a_spec_that_does_not_fit_is_refused_with_a_picture(spec, shape, message):
    with pytest.raises(ShardingError, match=message) as caught:
        check_sharding("f", MESH, Spec.parse(spec), shape, even=True)
    assert "\n    mesh  x=4  y=2  (8 devices)\n    dim 0  " in str(caught.value)


def test_what_fits_passes_uneven_cuts_only_where_they_may_be():
    check_sharding("f", MESH, Spec.parse("?,x*?,?"), (3, 8, 5), even=True)
    check_sharding("f", MESH, Spec.parse("x"), (3,), even=False)
    check_sharding("f", MESH, Spec.parse("x"), (0,), even=True)
    with pytest.raises(ShardingError, match="size 3 does not divide into 4 parts"):
        check_sharding("f", MESH, Spec.parse("x"), (3,), even=True)


@pytest.mark.parametrize("spec", ["x,-", "", "x*y,?,-", "x*?"])
@pytest.mark.parametrize("form", ["#sdy.sharding<{}, {}>", "#sdy.sharding_per_value<[<{}, {}>]>"])
def test_text_of_shardy_is_read_as_it_is_written(spec, form):
    wanted = Spec.parse(spec)
    inline = MESH.to_sdy().removeprefix("#sdy.")
    assert sharding_from_sdy(form.format(inline, wanted.to_sdy()), {}) == (MESH, wanted)
    assert sharding_from_sdy(form.format("@m", wanted.to_sdy()), {"m": MESH}) == (MESH, wanted)
    assert mesh_from_sdy(MESH.to_sdy()) == MESH


def test_priorities_and_copies_change_no_place():
    text = '#sdy.sharding<@m, [{"x"}p1, {}], replicated={"y"}>'
    assert sharding_from_sdy(text, {"m": MESH}) == (MESH, Spec.parse("x,-"))


@pytest.mark.parametrize(
    "text",
    [
        '#sdy.sharding<@other, [{"x"}]>', '#sdy.sharding<@m, [{"x":(1)2}]>', "#sdy.sharding<@m>",
        '#sdy.sharding<@m, [{"x"}], unreduced={"y"}>',
        '#sdy.sharding_per_value<[<@m, [{"x"}]>, <@m, [{"x"}]>]>',
    ],
)  # fmt: skip
def test_what_a_spec_cannot_say_is_refused(text):
    with pytest.raises(ShardingError, match=r"is not the text of one sharding|names a mesh that"):
        sharding_from_sdy(text, {"m": MESH})
