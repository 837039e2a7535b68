"""Arrays in another cut, by a program: what `device_put` does where parts are elsewhere."""

import numpy as np
import pytest
from eight_devices import DEVICES, over

from anvl.runtime import array_type, put
from anvl.runtime.sharding.resharding import can_reshard, resharded


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


def test_other_devices_are_left_to_the_host():
    there, here = (array_type((8,), "float32", place.placement) for place in (over(), DEVICES[0]))
    assert not can_reshard(there, here)
