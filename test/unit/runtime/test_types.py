"""`ArrayType`: one object for each type, and how it is written."""

import copy
import pickle  # noqa: TID251
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import anvl.runtime as rt


def test_equal_types_are_one_object():
    kind = rt.array_type((3, 2), "float32")
    assert kind is rt.array_type([np.int64(3), 2], np.float32, rt.default_placement())
    assert kind is rt.array_type((3, 2), ">f4")
    assert kind is rt.put(np.zeros((3, 2), "f4")).aval
    assert kind is copy.deepcopy(kind) and kind is pickle.loads(pickle.dumps(kind))


def test_types_that_differ_are_two_objects():
    kinds = {
        rt.array_type((3, 2), "float32"),
        rt.array_type((2, 3), "float32"),
        rt.array_type((3, 2), "int32"),
        rt.array_type((3, 2), "float32", weak_type=True),
        rt.array_type((3, 2), "float32", rt.cpu_client(1).devices[0].placement),
    }
    assert len(kinds) == 5


def test_threads_get_the_same_object():
    with ThreadPoolExecutor(8) as pool:
        kinds = set(pool.map(lambda _: rt.array_type((12345,), "int8"), range(100)))
    assert len(kinds) == 1


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (((), "bool"), "bool[]"),
        (((3, 2), "bfloat16"), "bf16[3,2]"),
        (((1,), "uint8"), "ui8[1]"),
        (((1,), "complex64"), "complex64[1]"),
        (((1,), "float8_e4m3fn"), "f8E4M3FN[1]"),
        (((), "float32", None, True), "f32?[]"),
    ],
)
def test_the_text_of_a_type(kind, text):
    assert repr(rt.array_type(*kind)) == text


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (((2,), "float128"), TypeError, "no device can hold dtype float128"),
        (((2,), "M8[s]"), TypeError, r"datetime64\[s\]; convert with"),
        (((2,), "nonsense"), TypeError, "'nonsense' is not a dtype"),
        (((2,), None), TypeError, "dtype is missing, got None"),
        (((-1,), "int8"), ValueError, r"an axis is negative, shape \(-1,\)"),
        (((2**62, 4), "int8"), ValueError, r"2\*\*63 bytes or more"),
    ],
)
def test_what_cannot_be_a_type_is_refused(arguments, error, message):
    with pytest.raises(error, match=f"array_type: .*{message}"):
        rt.array_type(*arguments)


def test_types_are_not_made_directly():
    with pytest.raises(TypeError, match="use array_type"):
        rt.ArrayType()
