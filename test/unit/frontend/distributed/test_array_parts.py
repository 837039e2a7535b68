"""Arrays from the parts of devices, under the names of JAX, in one process of eight devices."""

import numpy as np
import pytest
from eight_devices import DEVICES, over

import anvl

X = np.arange(32.0).reshape(8, 4)
SPECS = [(), ("x",), (("y", "x"), None), ("x", "y"), (None, "y")]


@pytest.mark.parametrize("spec", SPECS)
def test_a_function_gives_the_part_of_each_device_once(spec):
    places = []

    def part(index):
        places.append(tuple((s.start, s.stop) for s in index))
        return X[index]

    found = anvl.make_array_from_callback((8, 4), over(*spec), part)
    assert found.sharding == over(*spec) and found.dtype == X.dtype
    np.testing.assert_array_equal(found, X)
    held = {tuple((s.start, s.stop) for s in x.index) for x in found.addressable_shards}
    assert len(places) == len(held) and set(places) == held


@pytest.mark.parametrize("spec", SPECS)
def test_arrays_of_single_devices_are_joined_in_any_order(spec):
    parts = [s.data for s in anvl.device_put(X, over(*spec)).addressable_shards]
    found = anvl.make_array_from_single_device_arrays((8, 4), over(*spec), parts[::-1])
    assert found.sharding == over(*spec)
    np.testing.assert_array_equal(found, X)


def test_a_device_takes_the_whole():
    found = anvl.make_array_from_callback((2,), DEVICES[3], lambda at: np.ones(2)[at], "f64")
    assert found.device == DEVICES[3]
    again = anvl.make_array_from_single_device_arrays((2,), DEVICES[3], [found])
    assert again.device == DEVICES[3] and again.tolist() == [1.0, 1.0]


def test_the_data_of_a_process_is_its_part_or_the_whole():
    make = anvl.make_array_from_process_local_data
    for shape in (None, (8, 4)):
        np.testing.assert_array_equal(make(over("x"), X, shape), X)
    with pytest.raises(ValueError, match=r"shape \[8, 4\] makes an array of .* is \[16, 4\]"):
        make(over("x"), X, (16, 4))


@pytest.mark.parametrize(
    ("work", "kind", "message"),
    [
        (lambda: anvl.make_array_from_callback((8, 4), "x", None), TypeError, "a Sharding or a De"),
        (
            lambda: anvl.make_array_from_callback((8, 4), over("x"), lambda at: X), ValueError,
            r"gave an array of shape \[8, 4\] for the place \[0:2, 0:4\], which has shape \[2, 4\]",
        ),
        (
            lambda: anvl.make_array_from_callback((8, 4), over("x"), lambda at: X[at], "f32"),
            TypeError, r"gave float64 for the place \[0:2, 0:4\], and the array is of float32",
        ),
        (
            lambda: anvl.make_array_from_callback((6,), over("x"), lambda at: X[at]),
            anvl.ShardingError, "make_array_from_callback",
        ),
        (
            lambda: anvl.make_array_from_single_device_arrays((8, 4), over("x"), [X]),
            TypeError, "takes arrays on devices",
        ),
        (
            lambda: anvl.make_array_from_single_device_arrays(
                (8, 4), over("x"), [anvl.device_put(X, DEVICES[0])] * 2),
            ValueError, "two arrays are on",
        ),
        (
            lambda: anvl.make_array_from_single_device_arrays(
                (8, 4), over("x"), [anvl.device_put(X, DEVICES[0])]),
            ValueError, "give one for each device",
        ),
        (
            lambda: anvl.make_array_from_single_device_arrays((8, 4), over("x"), []),
            ValueError, "the sharding is over",
        ),
        (
            lambda: anvl.make_array_from_single_device_arrays(
                (8,), DEVICES[0], [anvl.device_put(X, DEVICES[0])]),
            ValueError, r"an array gave an array of shape \[8, 4\]",
        ),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_are_refused(work, kind, message):
    with pytest.raises(kind, match=message):
        work()
