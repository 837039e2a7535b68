"""Arrays over several devices: put there, read back, copied, given to programs."""

import copy

import numpy as np
import pytest

import anvl.runtime as rt
from anvl.runtime.client import Client
from anvl.runtime.disk_cache.keys import program_key
from anvl.runtime.execution.compilation import compile_options
from anvl.runtime.lazy import compat

CLIENT = rt.cpu_client(4)
DEVICES = CLIENT.devices
ROWS = rt.sharded_placement(DEVICES, (2,), (0, 0, 1, 1))
COLUMNS = rt.sharded_placement(DEVICES, (1, 2), (0, 1, 0, 1))
TURNED = rt.sharded_placement(DEVICES, (2, 2), (0, 2, 1, 3))
COPIES = rt.sharded_placement(DEVICES)
PLACES = [ROWS, COLUMNS, TURNED, COPIES, rt.sharded_placement(DEVICES[:1])]
X = np.arange(24).reshape(4, 6)

# Of the rows, times the columns; the sum of all is a copy on each device.
PROGRAM = """
func.func @main(
    %x: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
    %w: tensor<16x4xf32> {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"})
    -> (tensor<8x4xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}, tensor<f32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %y, %sum : tensor<8x4xf32>, tensor<f32>
}"""


@pytest.mark.parametrize("place", PLACES, ids=repr)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int4", "bool", "complex64"])
def test_an_array_is_read_back_as_it_was_put(place, dtype):
    of = rt.array_type(X.shape, dtype, place)
    values = (X % 2).astype(of.dtype)
    x = rt.put(values, place)
    assert x.aval is of and x.shape == X.shape
    np.testing.assert_array_equal(x.numpy(), values)
    assert not x.numpy().flags.writeable
    for shard in x.addressable_shards:
        np.testing.assert_array_equal(shard.data.numpy(), values[shard.index])
        assert shard.data.device is shard.device
    other = x.copy()
    x.delete()
    np.testing.assert_array_equal(other.numpy(), values)
    with pytest.raises(rt.RuntimeFailure, match="was deleted"):
        x.addressable_shards  # noqa: B018


@pytest.mark.parametrize("shape", [(4, 0), (4, 6, 1), (4, 6, 2, 2)], ids=repr)
def test_axes_that_are_not_named_are_whole(shape):
    values = np.arange(np.prod(shape)).reshape(shape)
    for place in (ROWS, COPIES):
        np.testing.assert_array_equal(rt.put(values, place).numpy(), values)


def test_each_device_holds_its_tile():
    shards = rt.put(X, TURNED).addressable_shards
    assert [shard.device for shard in shards] == list(DEVICES)
    assert [shard.data.numpy()[0, 0] for shard in shards] == [0, 12, 3, 15]
    assert [shard.replica for shard in rt.put(X, ROWS).addressable_shards] == [0, 1, 0, 1]
    [whole] = rt.put(X).addressable_shards
    assert whole.index == (slice(0, 4), slice(0, 6)) and whole.data.shape == (4, 6)


def test_an_array_moves_between_placements():
    for source in PLACES:
        for target in (*PLACES, DEVICES[2].placement, rt.default_placement()):
            moved = rt.put(rt.put(X, source), target)
            assert moved.aval.placement is target
            np.testing.assert_array_equal(moved.numpy(), X)


def test_a_label_is_part_of_a_placement():
    named = rt.sharded_placement(DEVICES, ROWS.tiles, ROWS.held, "rows")
    assert named is not ROWS and repr(named) == "'rows'" and rt.is_same_cut(named, ROWS)
    assert named is rt.sharded_placement(list(DEVICES), [2, 1], [0, 0, 1, 1], "rows")
    x = rt.put(X, ROWS)
    y = rt.put(x, named)
    assert y.aval.placement is named
    x.delete()  # its memory is its own: a program may be given it
    np.testing.assert_array_equal(y.numpy(), X)


def test_an_array_over_devices_is_copied_and_shown():
    x = rt.put(X[:2, :2], ROWS)
    np.testing.assert_array_equal(copy.deepcopy(x).numpy(), X[:2, :2])
    restore, values = x.__reduce__()
    np.testing.assert_array_equal(restore(*values).numpy(), X[:2, :2])
    assert str(x) == "[[0 1]\n [6 7]]"
    assert repr(x).endswith("sharding=<4 devices; tiles (2,), of which they hold 0, 0, 1, 1>)")
    with pytest.raises(BufferError, match=r"array i64\[2,2\] is on 4 devices"):
        np.from_dlpack(x)


def test_a_program_from_text_runs_over_devices(capfd):
    program = rt.compile(PROGRAM, COPIES)
    x, w = (np.random.default_rng(0).random(n, dtype=np.float32) for n in ((8, 16), (16, 4)))
    assert [of.placement for of in program.arg_types] == [ROWS, COLUMNS]
    y, total = program.execute([rt.put(x, ROWS), rt.put(w, COLUMNS)])
    assert y.aval.placement is rt.sharded_placement(DEVICES, (2, 2))
    assert total.aval.placement is COPIES
    np.testing.assert_allclose(y.numpy(), x @ w, rtol=1e-5)
    np.testing.assert_allclose(total.numpy(), (x @ w).sum(), rtol=1e-5)
    assert program.memory_stats()["argument_size_in_bytes"] == x.nbytes // 2 + w.nbytes // 2
    assert program.cost_analysis()["flops"] < 2 * 8 * 16 * 4
    with pytest.raises(TypeError, match=r"argument 0: expected f32\[8,16\] on <4 devices; tiles"):
        program.execute([rt.put(x, COLUMNS), rt.put(w, COLUMNS)])
    with pytest.raises(TypeError, match=r"argument 0: .* got f32\[8,16\] on <CpuDevice"):
        program.execute([rt.put(x), rt.put(w, COLUMNS)])
    for _ in range(200):  # with as many in flight as there are, jaxlib would hang
        y, total = program.execute([rt.put(x, ROWS), rt.put(w, COLUMNS)])
    np.testing.assert_allclose(total.numpy(), (x @ w).sum(), rtol=1e-5)
    assert capfd.readouterr() == ("", "")


def test_the_key_on_disk_holds_the_devices():
    turned = rt.sharded_placement((DEVICES[1], DEVICES[0], *DEVICES[2:]))
    keys = {
        program_key(PROGRAM, compile_options(place, {}, is_open), place)
        for place in (COPIES, turned, rt.sharded_placement(DEVICES[:2]))
        for is_open in ([True], [False])
    }
    assert len(keys) == 6


def test_a_plugin_that_cannot_is_named():
    client = Client(compat.make_cpu_client(num_devices=3), "other")
    place = rt.sharded_placement(client.devices)
    with pytest.raises(rt.RuntimeFailure, match="3 devices of the plugin other, which may have no"):
        rt.compile(PROGRAM, place)  # of 4 devices
    with pytest.raises(
        rt.RuntimeFailure, match=r"should have 3 devices but has 4; a mesh .* has 4 dev"
    ):
        rt.compile(PROGRAM, rt.sharded_placement(DEVICES[:3]))


def test_types_that_are_not_the_programs_are_refused():
    x, w = rt.array_type((8, 16), "f4", COLUMNS), rt.array_type((16, 4), "f4", COLUMNS)
    out = [rt.array_type((8, 4), "f4", COPIES), rt.array_type((), "f4", COPIES)]
    with pytest.raises(ValueError, match=r"argument 0 of the program is over <4 devices; tiles"):
        rt.compile(PROGRAM, COPIES, arg_types=[x, w], out_types=out)
    with pytest.raises(ValueError, match=r"argument 0 of the program is over <4 devices; tiles"):
        rt.compile(PROGRAM, COPIES, arg_types=[x, w])
