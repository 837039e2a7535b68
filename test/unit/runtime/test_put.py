"""Values of the host to a device: what is kept, what is copied, what is refused."""

import numpy as np
import pytest

import anvl.runtime as rt
from anvl.runtime.types import DTYPE_NAMES
from anvl.sharding import Mesh, Sharding


@pytest.mark.parametrize("dtype", DTYPE_NAMES, ids=DTYPE_NAMES.values())
def test_values_of_every_dtype_come_back_bit_for_bit(dtype):
    value = np.arange(7).astype(dtype)
    array = rt.put(value)
    assert array.dtype == dtype
    assert array.numpy().dtype == dtype
    assert array.numpy().tobytes() == value.tobytes()


@pytest.mark.parametrize(
    "value",
    [
        np.arange(24.0).reshape(2, 3, 4).T,
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.arange(20)[::-3],
        np.arange(20).reshape(4, 5)[1:3, ::2],
        np.broadcast_to(np.float32(2), (3, 2)),
        np.zeros((0, 3), np.float32),
        np.zeros((2, 0, 2**40)),
        np.array(5),
        np.arange(4, dtype=">i4"),
        np.arange(4, dtype=">f8").reshape(2, 2).T,
    ],
    ids=[
        "reversed",
        "fortran",
        "negative",
        "slice",
        "broadcast",
        "empty",
        "empty3",
        "0d",
        ">i4",
        ">f8",
    ],
)
def test_every_memory_layout_and_byte_order_keeps_its_values(value):
    array = rt.put(value)
    assert array.shape == value.shape
    assert array.dtype == value.dtype.newbyteorder("=")
    np.testing.assert_array_equal(array.numpy(), value)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, "bool"),
        (3, "int64"),
        (2.5, "float64"),
        (1j, "complex128"),
        (np.float16(3), "float16"),
        (np.uint8(200), "uint8"),
        ([1.0, 2.0], "float64"),
    ],
)
def test_numbers_and_lists_keep_the_dtype_that_numpy_gives_them(value, dtype):
    array = rt.put(value)
    assert array.dtype == dtype
    np.testing.assert_array_equal(array.numpy(), value)


def aligned(n: int) -> np.ndarray:
    """`n` zeros at an address where the runtime could borrow the memory of numpy."""
    raw = np.zeros(n * 8 + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + n * 8].view(np.float64)


@pytest.mark.parametrize("n", [1, 1000, 100_000])
def test_writing_to_the_numpy_array_later_does_not_change_ours(n):
    value = aligned(n)
    array = rt.put(value)
    value[:] = 7
    np.testing.assert_array_equal(array.numpy(), np.zeros(n))


def test_without_copying_the_values_are_the_same():
    value = aligned(1000)
    np.testing.assert_array_equal(rt.put(value, copy=False).numpy(), value)


class WithArray:
    def __array__(self, dtype=None, copy=None):
        return np.arange(3, dtype=np.float32)


class WithDlpack:
    def __init__(self, value):
        self.value = value

    def __dlpack__(self, **options):
        return self.value.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.value.__dlpack_device__()


def test_objects_of_other_libraries_are_read():
    np.testing.assert_array_equal(rt.put(WithArray()).numpy(), [0, 1, 2])
    transposed = np.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(rt.put(WithDlpack(transposed)).numpy(), transposed)


def test_an_unreadable_dlpack_object_is_refused():
    with pytest.raises(TypeError, match="put: cannot read a WithDlpack through dlpack"):
        rt.put(WithDlpack(rt.put(np.ones(2, "bfloat16"))))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array(["a"]), "put: x must be an array of numbers, got dtype <U1"),
        (np.array([None]), "got dtype object"),
        (None, "got dtype object"),
        (2**70, "got dtype object"),
        (np.datetime64("2020-01-01"), r"datetime64\[D\]; convert with .astype\('int64'\)"),
        (np.zeros(2, [("a", "f4")]), "no device can hold dtype"),
        (np.longdouble(1), "no device can hold dtype"),
        (np.ma.array([1, 2], mask=[0, 1]), r"its mask would be lost; use x.filled"),
    ],
    ids=["text", "object", "none", "large int", "date", "record", "longdouble", "masked"],
)
def test_what_is_not_an_array_of_numbers_is_refused(value, message):
    with pytest.raises(TypeError, match=message):
        rt.put(value)


def test_what_does_not_fit_into_memory_is_refused():
    with pytest.raises(MemoryError, match=r"put: f32\[1099511627776\] needs 4096.0 GiB"):
        rt.put(np.broadcast_to(np.float32(0), (2**40,)))


def test_an_array_where_it_should_be_is_itself():
    array = rt.put(np.ones(3))
    assert rt.put(array) is array
    assert rt.put(array, rt.default_placement()) is array


def test_only_the_weakness_of_an_array_can_be_changed():
    array = rt.put(np.ones(3))
    weak = rt.put(array, weak_type=True)
    assert (array.weak_type, weak.weak_type) == (False, True)
    np.testing.assert_array_equal(weak.numpy(), array.numpy())


def test_arrays_move_between_devices_and_clients():
    first, second = rt.cpu_client(2).devices
    array = rt.put(np.arange(3), first.placement)
    there = rt.put(array, second.placement)
    elsewhere = rt.put(there, rt.default_placement())
    assert [x.device for x in (array, there, elsewhere)] == [first, second, rt.devices()[0]]
    np.testing.assert_array_equal(elsewhere.numpy(), [0, 1, 2])


PLACES = {
    "Device": lambda: rt.devices()[0],
    "tuple": rt.devices,
    "str": lambda: "cpu",
    "Sharding": lambda: Sharding(Mesh({"a": 2}, devices=rt.cpu_client(2).devices), ("a",)),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_is_no_placement_is_refused(name):
    place = PLACES[name]()
    remedy = "its attribute" if name in ("Device", "Sharding") else "a device's, as devices"
    for call in (
        lambda: rt.put(np.ones(2), place),
        lambda: rt.put(rt.put(np.ones(2)), place),
        lambda: rt.array_type((2,), "float32", place),
        lambda: rt.compile("", place),
    ):
        with pytest.raises(TypeError, match=rf"\w+: placement is .* of type {name}; give {remedy}"):
            call()


@pytest.mark.parametrize("shape", [(), (1,), (6,), (2, 3), (0,)])
def test_bools_of_other_bytes_are_true_as_in_numpy(shape):
    """A mask of 0 and 255 that was viewed as bools: XLA would compute with the bytes."""
    mask = np.resize(np.array([255, 0, 2, 1, 0, 128], np.uint8), shape).reshape(shape)
    for bools in (mask.view(bool), mask.view(bool).T):
        assert rt.put(bools).numpy().view(np.uint8).tolist() == (bools.view(np.uint8) > 0).tolist()
    strided = np.repeat(mask[..., None], 2, -1).view(bool)[..., 0]
    found = rt.put(strided, copy=False).numpy().view(np.uint8)
    assert found.tolist() == (mask > 0).tolist()
