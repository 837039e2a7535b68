"""Arrays in another cut, by a program: what `device_put` does where parts are elsewhere."""

import numpy as np
import pytest
from eight_devices import DEVICES, over

from anvl.runtime import array_type, put
from anvl.runtime.sharding.resharding import can_reshard, resharded
from anvl.sharding import Mesh, P, Sharding


@pytest.mark.parametrize("dtype", ["float32", "bool", "complex64", "uint8"])
@pytest.mark.parametrize("spec", [(), ("y", None), (None, ("x", "y"))])
def test_values_stay_and_lie_elsewhere(dtype, spec):
    values = np.arange(64).reshape(8, 8).astype(dtype)
    x = put(values, over("x", "y").placement)
    target = array_type(x.shape, x.dtype, over(*spec).placement)
    assert can_reshard(x.aval, target)
    found = resharded(x, target)
    assert found.aval is target
    np.testing.assert_array_equal(found, values)


def test_devices_in_another_order():
    values = np.arange(64, dtype="float32").reshape(8, 8)
    x = put(values, over("x", "y").placement)
    turned = Mesh({"a": 2, "b": 4}, devices=DEVICES[::-1])
    place = Sharding(turned, P("b")).placement
    found = resharded(x, array_type(x.shape, x.dtype, place))
    assert found.aval.placement is place
    np.testing.assert_array_equal(found, values)
    for shard in found.addressable_shards:
        np.testing.assert_array_equal(shard.data, values[shard.index])
        assert shard.data.device is shard.device


def test_other_devices_are_left_to_the_host():
    there, here = (array_type((8,), "float32", place.placement) for place in (over(), DEVICES[0]))
    assert not can_reshard(there, here)
