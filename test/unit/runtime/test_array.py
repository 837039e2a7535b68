"""`Array`: what it looks like from Python and from numpy, and when it is gone."""

import copy
import pickle  # noqa: TID251  (people pickle arrays; anvl itself does not)
import weakref

import numpy as np
import pytest

import anvl.runtime as rt
from anvl.runtime.types import DTYPE_NAMES


@pytest.fixture
def x():
    return rt.put(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_an_array_tells_its_type(x):
    assert (x.shape, x.dtype, x.ndim, x.size) == ((2, 3), np.float32, 2, 6)
    assert (x.itemsize, x.nbytes, x.weak_type) == (4, 24, False)
    assert repr(x.device) == "<CpuDevice(id=0)>"


def test_arrays_are_not_made_directly():
    with pytest.raises(TypeError, match=r"Array: cannot be made directly; use anvl.numpy.asarray"):
        rt.Array([1, 2])


# numpy


def test_numpy_gets_a_view_that_cannot_be_written(x):
    assert not x.numpy().flags.writeable
    assert np.shares_memory(np.asarray(x), x.numpy())


def test_numpy_gets_a_copy_where_it_asks_for_one(x):
    value = np.array(x)
    value[:] = 0
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_another_dtype_is_a_copy(x):
    assert np.asarray(x, dtype="int64").dtype == np.int64
    with pytest.raises(ValueError, match="float32 to int64 needs a copy, copy=False given"):
        np.array(x, dtype="int64", copy=False)


def test_copy_false_is_refused_where_there_must_be_one():
    with pytest.raises(ValueError, match=r"i4\[2\] cannot be read without a copy"):
        rt.put(np.ones(2, "int4")).__array__(copy=False)


def test_a_view_outlives_the_array(x):
    view = x.numpy()
    x.delete()
    assert view[1, 2] == 5


def test_numpy_leaves_its_operators_to_us(x):
    assert not hasattr(type(x), "__array_ufunc__")  # NumPy converts, and defers by priority
    assert type(np.sin(x)) is np.ndarray
    y = np.zeros(x.shape, x.dtype)
    y += x
    np.testing.assert_array_equal(y, x.numpy())


@pytest.mark.parametrize("dtype", ["float32", "bool", "int64", "complex64", "uint8"])
def test_dlpack_shares_the_memory(dtype):
    array = rt.put(np.array([1, 0, 1], dtype))
    shared = np.from_dlpack(array)
    assert shared.dtype == dtype
    assert np.shares_memory(shared, array.numpy())


def test_dlpack_copies_where_asked():
    array = rt.put(np.ones(3))
    assert not np.shares_memory(np.from_dlpack(array, copy=True), array.numpy())


def test_dlpack_refuses_what_it_cannot_name():
    with pytest.raises(BufferError, match=r"__dlpack__: i4\[2\]"):
        np.from_dlpack(rt.put(np.ones(2, "int4")))
    with pytest.raises(BufferError, match="dl_device"):
        rt.put(np.ones(2)).__dlpack__(dl_device=(2, 0))


# Python


@pytest.mark.parametrize("dtype", DTYPE_NAMES, ids=DTYPE_NAMES.values())
def test_items_are_python_numbers(dtype):
    item = rt.put(np.ones((1, 1), dtype)).item()
    assert item == 1
    assert type(item) in (bool, int, float, complex)
    assert rt.put(np.ones(2, dtype)).tolist() == [1, 1]


def test_arrays_of_one_element_are_numbers():
    assert (int(rt.put(np.ones((1, 1)))), float(rt.put(2)), complex(rt.put(1))) == (1, 2.0, 1)
    assert bool(rt.put([0.5])) and not bool(rt.put(np.zeros((), "bfloat16")))
    assert "abc"[rt.put(np.uint8(2))] == "c"
    assert f"{rt.put(1.25):.1f}" == "1.2"


@pytest.mark.parametrize(
    ("use", "value", "error", "message"),
    [
        (bool, [1, 2], ValueError, r"bool: truth value of i64\[2\] is ambiguous; use x.all\(\)"),
        (bool, [], ValueError, r"ambiguous"),
        (int, [1, 2], TypeError, r"int: array must have one element, got i64\[2\]"),
        (float, 1j, TypeError, r"float: array is complex, complex128\[\]; use .real"),
        (len, 1, TypeError, r"len: array has no axes, i64\[\]; use x.size"),
        (rt.Array.item, [1, 2], ValueError, r"item: array must have one element, got i64\[2\]"),
        (range, 1.0, TypeError, r"index: only an integer array without axes .* f64\[\]"),
        (range, [1], TypeError, r"index: only an integer array without axes .* i64\[1\]"),
        (range, True, TypeError, r"index: .* bool\[\]"),
        (lambda x: f"{x:.2f}", [1.0], TypeError, r"format: '.2f' needs .* got f64\[1\]"),
        (hash, 1, TypeError, r"hash: .* cannot be hashed; use id\(x\)"),
    ],
)
def test_what_an_array_cannot_be_is_said(use, value, error, message):
    with pytest.raises(error, match=message):
        use(rt.put(np.asarray(value)))


# text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array([1, 2], "float32"), "Array([1., 2.], dtype=float32)"),
        (np.array([[1], [2]]), "Array([[1],\n       [2]], dtype=int64)"),
        (np.float32(1), "Array(1., dtype=float32)"),
        (np.array([1, 2], "bfloat16"), "Array([1, 2], dtype=bfloat16)"),
        (np.zeros((0, 3)), "Array([], shape=(0, 3), dtype=float64)"),
        (True, "Array(True, dtype=bool)"),
    ],
)
def test_the_text_of_an_array(value, text):
    assert repr(rt.put(value)) == text


def test_the_text_of_weak_and_deleted_arrays():
    assert repr(rt.put(2, weak_type=True)) == "Array(2, dtype=int64, weak_type=True)"
    gone = rt.put(np.ones(2))
    gone.delete()
    assert repr(gone) == str(gone) == "Array(deleted, shape=(2,), dtype=float64)"


def test_str_is_that_of_numpy(x):
    assert str(x) == f"{x}" == "[[0. 1. 2.]\n [3. 4. 5.]]"


# life


def test_block_until_ready_returns_the_array(x):
    assert x.block_until_ready() is x


@pytest.mark.parametrize("duplicate", [rt.Array.copy, copy.copy, copy.deepcopy])
def test_a_copy_outlives_the_original(x, duplicate):
    other = duplicate(x)
    x.delete()
    assert x.is_deleted() and not other.is_deleted()
    assert other.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    "use",
    [
        rt.Array.numpy,
        rt.Array.copy,
        rt.Array.tolist,
        rt.Array.block_until_ready,
        rt.put,
        np.asarray,
        np.from_dlpack,
        copy.copy,
    ],
)
def test_a_deleted_array_is_refused_everywhere(x, use):
    x.delete()
    x.delete()  # once more does no harm
    with pytest.raises(rt.RuntimeFailure, match=r"array f32\[2,3\] was deleted or donated"):
        use(x)


def test_delete_gives_the_memory_back_at_once(x):
    buffer = weakref.ref(x.buffer)
    x.delete()
    assert buffer() is None


@pytest.mark.parametrize("dtype", DTYPE_NAMES, ids=DTYPE_NAMES.values())
def test_pickling_keeps_values_dtype_and_weakness(dtype):
    array = rt.put(np.arange(6).reshape(2, 3).astype(dtype).T, weak_type=True)
    again = pickle.loads(pickle.dumps(array))
    assert again.aval is array.aval
    assert again.numpy().tobytes() == array.numpy().tobytes()
