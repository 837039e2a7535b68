"""Arrays in the safetensors format: all dtypes, files of others, and files that are broken."""

import json

import numpy as np
import pytest

from anvl.dialect.core.types import DTYPES
from anvl.dialect.text.safetensors import InvalidArrays, decoded, encoded

# Written by `safetensors.numpy.save` of safetensors 0.8.0.
OF_LIBRARY = (
    b'\x00\x01\x00\x00\x00\x00\x00\x00{"__metadata__":{"format":"np"},'
    b'"n":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},'
    b'"z":{"dtype":"C64","shape":[],"data_offsets":[16,24]},'
    b'"w":{"dtype":"F32","shape":[2,3],"data_offsets":[24,48]},'
    b'"b":{"dtype":"BOOL","shape":[2],"data_offsets":[48,50]}}   '
    b"\x01\x00\x00\x00\x00\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff\x00\x00\x80?\x00\x00\x00@"
    b"\x00\x00\x00\x00\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x00\x00\xa0@\x01\x00"
)


def bits(x):
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8).tolist()


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_and_shape_comes_back_to_the_bit(name):
    of = DTYPES[name]
    x = np.random.default_rng(0).integers(0, 7, (2, 3)) - (3 if of.kind in "float int" else 0)
    x = (x * (1 - 2j) if of.kind == "complex" else x).astype(of.numpy)
    arrays = {"matrix": x, "one": x[0, 1], "none": x[:0], "turned": x.T, "scalar": x[1, :1]}
    found = decoded(encoded(arrays))
    assert found.keys() == arrays.keys()
    for key, array in arrays.items():
        assert (found[key].dtype, found[key].shape) == (of.numpy, np.shape(array))
        assert bits(found[key]) == bits(array) and not found[key].flags.writeable


def test_nan_and_negative_zero_keep_their_bits():
    x = np.array([-0.0, np.nan, -np.inf])
    x.view(np.uint64)[1] |= 5
    assert bits(decoded(encoded({"x": x}))["x"]) == bits(x)
    swapped = x.astype(x.dtype.newbyteorder())
    assert bits(decoded(encoded({"x": swapped[::-1]}))["x"]) == bits(x[::-1])


def test_each_array_is_aligned_to_its_dtype():
    data = encoded({"a": np.ones(3, "i1"), "b": np.ones(1, "c16"), "c": np.ones(5, "f4")})
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__")
    assert size % 8 == 0 and [*header] == ["b", "c", "a"]


def test_a_file_of_the_library_is_read():
    found = decoded(OF_LIBRARY)
    assert found["n"].tolist() == [1, -2] and found["z"] == 1 + 2j
    assert found["w"].dtype == np.float32 and found["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["b"].tolist() == [True, False]


def file(header, data=b"", size=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if size is None else size).to_bytes(8, "little") + text + data


def entry(dtype="U8", shape=(2,), offsets=(0, 2)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "its header would end at byte 8 of 0"),
        (file({}, size=9), "its header would end at byte 17 of 10"),
        (file({}, size=2**63), "its header would end at"),
        (file(b"{"), "its header is not JSON"),
        (file(b"[" * 100_000), "its header is not JSON"),
        (file(b"[]"), "its header is no JSON object"),
        (file(b'{"a":1,"a":2}'), "^its header names an array twice"),
        (file({"x": 1}), "'x' has the data_offsets None"),
        (file({"x": entry(offsets=(0, 1, 2))}), r"'x' has the data_offsets \[0, 1, 2\]"),
        (file({"x": entry(offsets=(2, 0))}, b"12"), r"'x' has the data_offsets \[2, 0\]"),
        (file({"x": entry(offsets=(0, True))}, b"1"), r"'x' has the data_offsets"),
        (file({"x": entry()}, b"1"), "'x' is at bytes 0 to 2, expected from 0 on"),
        (file({"x": entry(offsets=(1, 3))}, b"123"), "'x' is at bytes 1 to 3, expected from 0"),
        (file({"x": entry(), "y": entry()}, b"12"), "'y' is at bytes 0 to 2, expected from 2"),
        (file({"x": entry()}, b"123"), "1 bytes belong to no array"),
        (file({"x": entry("F4")}, b"12"), "'x' has the dtype 'F4', which anvl has no arrays of"),
        (file({"x": entry(shape=(-2, -1))}, b"12"), r"'x' has the shape \[-2, -1\]"),
        (file({"x": entry(shape=(3,))}, b"12"), r"'x' is ui8\[3\], but has 2 bytes"),
        (file({"x": entry(shape=(1,) * 99, offsets=(0, 1))}, b"1"), r"'x' has the shape \[1, 1,"),
        (file({"x": entry(shape=(0, 2**70), offsets=(0, 0))}), "'x' has the shape"),
        (file({"x": entry("BOOL")}, b"\1\2"), "'x' has a bool that is neither 0 nor 1"),
        (file({"__metadata__": 3}), "its __metadata__ is malformed"),
        (file({"__metadata__": {"anvl.dtypes": "[]"}}), "its __metadata__ is malformed"),
        (file({"__metadata__": {"anvl.dtypes": '{"x":"c128"}'}, "x": entry()}, b"12"),
         r"'x' is ui8\[2\], which is no c128"),
        (file({"__metadata__": {"anvl.dtypes": '{"x":"ui4"}'}, "x": entry()}, b"\3\20"),
         "'x' has numbers that ui4 does not hold"),
    ],
)  # fmt: skip
def test_broken_files_are_refused(data, says):
    with pytest.raises(InvalidArrays, match=says):
        decoded(data)
