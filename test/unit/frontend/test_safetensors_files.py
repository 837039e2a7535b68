"""`anvl.safetensors`: pytrees in files that other libraries read, and what is refused."""

import collections
import os
import stat

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import safetensors

Point = collections.namedtuple("Point", "x y")
TREE = {
    "layers": [{"w": np.ones((2, 3), "f4"), "b": anp.zeros(3, "bf16")}, (np.arange(2), None)],
    "at": Point(1.5, np.complex128(1 - 2j)),
    3: True,
}


def same(one, other):
    assert anvl.tree.structure(one) == anvl.tree.structure(other)
    for x, y in zip(anvl.tree.leaves(one), anvl.tree.leaves(other), strict=True):
        x, y = anp.asarray(x), anp.asarray(y)
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        assert x.numpy().tobytes() == y.numpy().tobytes()


def test_a_tree_comes_back_by_names_or_in_its_structure(tmp_path):
    path = tmp_path / "model.safetensors"
    tree = {str(key): value for key, value in TREE.items()}
    safetensors.save_file(tree, path)
    found = safetensors.load_file(path)
    assert [*found] == ["3", "at.x", "at.y", "layers.0.b", "layers.0.w", "layers.1.0"]
    assert found["layers.0.b"].dtype == anp.bfloat16 and found["at.x"].dtype == np.float32
    assert all(isinstance(x, anvl.Array) and not x.weak_type for x in found.values())
    same(safetensors.load_file(path, like=tree), tree)
    types = anvl.eval_shape(lambda: anvl.tree.map(anp.asarray, tree))
    same(safetensors.load(path.read_bytes(), like=types), tree)


def test_the_bytes_are_the_same_for_the_same_arrays():
    tree = {"b": np.ones(2), "a": np.zeros(1, "i4")}
    again = {"a": np.zeros(1, "i4"), "b": np.ones(2)}
    assert safetensors.save(tree, {"k": "v"}) == safetensors.save(again, {"k": "v"})


def test_text_beside_the_arrays(tmp_path):
    path = tmp_path / "x"
    safetensors.save_file({"z": np.ones(1, "c16")}, path, {"step": "3", "format": "np"})
    assert safetensors.metadata(path) == {"format": "np", "step": "3"}
    assert safetensors.load_file(path)["z"].dtype == np.complex128
    safetensors.save_file({"z": 1.0}, path)
    assert safetensors.metadata(path) == {}


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "x"
    safetensors.save_file({"x": 1.0}, path)
    before = path.read_bytes()
    mode = stat.S_IMODE(os.stat(path).st_mode)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="save_file: No space left on device"):
        safetensors.save_file({"x": 2.0}, path)
    monkeypatch.undo()
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["x"]
    safetensors.save_file({"x": 2.0}, path)
    assert safetensors.load_file(path)["x"] == 2.0 and stat.S_IMODE(os.stat(path).st_mode) == mode


def test_the_library_reads_our_files_and_we_its(tmp_path):
    library = pytest.importorskip("safetensors.numpy")
    arrays = {"w": np.arange(6.0).reshape(2, 3), "n": np.asarray([True, False]), "s": np.int8(3)}
    found = library.load(safetensors.save(arrays))
    assert {k: (v.dtype, v.tolist()) for k, v in found.items()} == {
        k: (v.dtype, v.tolist()) for k, v in arrays.items()
    }
    library.save_file({"w": arrays["w"]}, tmp_path / "x", {"of": "them"})
    same(safetensors.load_file(tmp_path / "x"), {"w": arrays["w"]})
    assert safetensors.metadata(tmp_path / "x") == {"of": "them"}


def test_arrays_are_put_where_device_says():
    data = safetensors.save({"x": 1.0})
    devices = anvl.devices()
    assert safetensors.load(data, device=devices[-1])["x"].device is devices[-1]
    with pytest.raises(ValueError, match="load: there is no device 'cpu:99'"):
        safetensors.load(data, device="cpu:99")


WIDE = safetensors.save({"a": np.ones(2, "f4")})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: safetensors.save(np.ones(2)),
            ValueError,
            "save: an array alone has no name; give",
        ),
        (
            lambda: safetensors.save({"a": {"b": 1}, "a.b": 2}),
            ValueError,
            "leaves are called 'a.b'",
        ),
        (
            lambda: safetensors.save({"a": ["x"]}),
            TypeError,
            "save: a.0 is 'x' of type str, which is",
        ),
        (lambda: safetensors.save({"a": 1}, {"step": 3}), TypeError, "metadata maps .* 'step': 3"),
        (
            lambda: safetensors.save({"a": anvl.runtime.put(np.ones(2, "float8_e4m3b11fnuz"))}),
            TypeError,
            "save: a is of float8_e4m3b11fnuz, which no safetensors file can hold",
        ),
        (
            lambda: anvl.jit(lambda x: safetensors.save({"x": x}))(1.0),
            anvl.TraceError,
            r"save: x is traced, f32\?\[\], and has no values to store; return it",
        ),
        (
            lambda: safetensors.load(b"abc"),
            ValueError,
            "the bytes are no safetensors file: its head",
        ),
        (
            lambda: safetensors.load("model"),
            TypeError,
            "takes bytes, got str; load_file takes a path",
        ),
        (lambda: safetensors.load(WIDE[:-1]), ValueError, "no safetensors file"),
        (
            lambda: safetensors.load(WIDE, like={"b": 1.0}),
            ValueError,
            r"missing \['b'\], not wanted",
        ),
        (
            lambda: safetensors.load(WIDE, like={"a": 1.0}),
            ValueError,
            r"a is float32\[2\] in .*, and",
        ),
        (
            lambda: safetensors.load(WIDE, like={"a": anvl.aval("bf16", (2,))}),
            ValueError,
            r"a is float32\[2\] in the file, and bfloat16\[2\] in like",
        ),
        (lambda: safetensors.load_file(""), ValueError, "load_file: the path is empty"),
        (lambda: safetensors.load_file("/none/x"), FileNotFoundError, "load_file: .*/none/x"),
        (lambda: safetensors.metadata("/none/x"), FileNotFoundError, "metadata: .*/none/x"),
        (lambda: safetensors.save_file({}, None), TypeError, "save_file: the path must be text"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_file_of_another_kind_is_named(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(b"PK\3\4" + bytes(40))
    for read in (safetensors.load_file, safetensors.metadata):
        with pytest.raises(ValueError, match=r"x.npz' is no safetensors file: "):
            read(path)
