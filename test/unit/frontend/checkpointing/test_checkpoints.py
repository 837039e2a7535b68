"""Checkpoints: arrays over any mesh come back to the bit, and damage is refused by name."""

import itertools
import json
import shutil
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from eight_devices import DEVICES, FLAT, MESH, over

import anvl
import anvl.numpy as anp
from anvl import checkpointing
from anvl.checkpointing import saving, step_folders
from anvl.sharding import Sharding

W = np.arange(64, dtype="float32").reshape(8, 8)


def tree():
    return {
        "w": anvl.device_put(W, over("x", "y")),
        "layers": [{"b": anvl.device_put(W[0], over(("y", "x")))}, anp.arange(3)],
        "copies": anvl.device_put(W + 1, over()),
        "step": 7,
    }


def same(found, expected):
    for one, other in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        one, other = np.asarray(one), np.asarray(anp.asarray(other))
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.fixture
def folder(tmp_path):
    checkpointing.save(tmp_path / "run", 10, tree(), metadata={"data": "v1"})
    return tmp_path / "run"


def test_arrays_come_back_where_those_of_like_are(folder):
    step, found, metadata = checkpointing.restore(folder, tree())
    assert (step, metadata) == (10, {"data": "v1"})
    same(found, tree())
    assert found["w"].sharding == over("x", "y")
    assert found["layers"][1].device is anvl.devices()[0]
    assert found["step"].weak_type and found["step"].item() == 7


@pytest.mark.parametrize(
    "shardings",
    [
        {"w": over("y"), "layers": over("x"), "copies": over(None, ("x", "y")), "step": None},
        Sharding(anvl.Mesh({"a": 2, "b": 2}, devices=DEVICES[3:7])),
        DEVICES[5],
    ],
    ids=["another cut", "another mesh", "one device"],
)
def test_arrays_come_back_elsewhere(folder, shardings):
    expected = {**tree(), "layers": [{"b": W[0]}, np.arange(4)]}
    checkpointing.save(folder, 11, expected)
    like = anvl.tree.map(lambda x: anvl.aval(anp.asarray(x).dtype, np.shape(x)), expected)
    found = checkpointing.restore(folder, like, shardings=shardings).tree
    same(found, expected)
    wanted = shardings["w"] if isinstance(shardings, dict) else shardings
    assert found["w"].sharding == wanted


def test_without_like_whole_arrays_come_back_by_name(folder):
    found = checkpointing.restore(folder, step=10).tree
    assert sorted(found) == ["copies", "layers.0.b", "layers.1", "step", "w"]
    np.testing.assert_array_equal(found["w"], W)
    assert found["w"].device is anvl.devices()[0]


def test_of_copies_one_is_written(folder, tmp_path):
    (file,) = (folder / "step_0000000010").glob("*.safetensors")
    assert file.stat().st_size < 2 * W.nbytes + W[0].nbytes + 2000  # copies would be 8 times this
    entries = json.loads(file.with_suffix(".json").read_text())["parts"]
    assert sum(name.startswith("w@") for name in entries) == 8
    assert [name for name in entries if name.startswith("copies@")] == ["copies@0:8,0:8"]
    assert "step@" in entries


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "complex128", "bfloat16", "int4"])
def test_every_dtype_is_stored(tmp_path, dtype):
    kind = getattr(ml_dtypes, dtype, None) or np.dtype(dtype)
    x = np.arange(-4, 4).astype(kind)
    place = Sharding(FLAT, ("data",))
    checkpointing.save(tmp_path, 0, {"x": anvl.device_put(x, place), "none": np.zeros((0, 3))})
    found = checkpointing.restore(
        tmp_path, {"x": anvl.device_put(x, place), "none": np.ones((0, 3))}
    )
    assert found.step == 0 and found.tree["none"].shape == (0, 3)
    np.testing.assert_array_equal(np.asarray(found.tree["x"]), x)


def test_steps_are_listed_kept_and_replaced(folder):
    for step in (3, 11, 12):
        checkpointing.save(folder, step, {"w": W + step})
    assert checkpointing.steps(folder) == [3, 10, 11, 12]
    checkpointing.save(folder, 12, {"w": W}, keep=2)
    assert checkpointing.steps(folder) == [11, 12] and checkpointing.latest_step(folder) == 12
    np.testing.assert_array_equal(checkpointing.restore(folder, {"w": W}).tree["w"], W)
    assert sorted(path.name for path in folder.iterdir()) == ["step_0000000011", "step_0000000012"]


# -- what is damaged -------------------------------------------------------------------------------


def _flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


DAMAGES = {
    "a number": (
        lambda at: _flip(at / "process_0.safetensors", -1),
        "safetensors is damaged: the hash of",
    ),
    "the header": (lambda at: _flip(at / "process_0.safetensors", 40), r"safetensors is damaged: "),
    "the size": (
        lambda at: (at / "process_0.safetensors").write_bytes(b"1234"),
        r"process_0.safetensors is damaged: it has 4 bytes, and was written with \d+",
    ),
    "no file": (
        lambda at: (at / "process_0.safetensors").unlink(),
        "process_0.safetensors: No such",
    ),
    "no index": (lambda at: (at / "process_0.json").unlink(), "process_0.json: No such file"),
    "the index": (
        lambda at: _flip(at / "process_0.json", 30),
        "process_0.json is damaged: its hash",
    ),
    "the manifest": (lambda at: _flip(at / "manifest.json", 30), "manifest.json is damaged: "),
    "no JSON": (lambda at: (at / "manifest.json").write_text("[1]"), "damaged: it is no manifest"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused_and_an_older_one_is_taken(folder, damage):
    work, message = DAMAGES[damage]
    like = {**tree(), "layers": [{"b": W[0]}, anp.arange(3)]}
    checkpointing.save(folder, 9, like)
    work(folder / "step_0000000010")
    with pytest.raises(anvl.CheckpointError, match=message):
        checkpointing.restore(folder, like, step=10)
    with pytest.warns(checkpointing.CheckpointWarning, match="; an older one is tried"):
        assert checkpointing.restore(folder, like).step == 9
    shutil.rmtree(folder / "step_0000000009")
    with pytest.raises(anvl.CheckpointError, match=message):  # and there is no older one
        checkpointing.restore(folder, like)


def test_parts_that_are_missing_are_noticed(folder):
    """As of a manifest whose list lacks a process: the hash is right, the array is not whole."""
    kinds = {"w": ["f32", [8, 8]]}
    step_folders.prepare(folder, 12)
    step_folders.commit(
        folder, 12, {"format": 1, "step": 12, "leaves": kinds, "files": [], "metadata": {}}
    )
    assert not step_folders.partial_path(folder, 12).exists()
    with pytest.raises(anvl.CheckpointError, match="have 0 of the 64 elements of w at"):
        checkpointing.restore(folder, {"w": W}, step=12)


def test_a_checkpoint_of_another_format_is_refused(folder):
    step_folders.prepare(folder, 12)
    step_folders.commit(
        folder, 12, {"format": 2, "step": 12, "leaves": {}, "files": [], "metadata": {}}
    )
    with pytest.raises(anvl.CheckpointError, match="has format 2, and this version of anvl reads"):
        checkpointing.restore(folder, {})


def _failing(function, number):
    """The function, of whose calls one fails."""
    count = itertools.count()

    def maybe_failing(*args, **options):
        if next(count) == number:
            raise OSError(28, "no space")
        return function(*args, **options)

    return maybe_failing


@pytest.mark.parametrize(
    ("places", "name", "n_calls"),
    [
        ([saving, step_folders], "write_atomically", 3),
        ([step_folders.Path], "rename", 2),
        ([step_folders], "_sync", 1),
    ],
)
def test_a_save_that_is_broken_off_leaves_the_last_one(folder, monkeypatch, places, name, n_calls):
    """Each step of a save fails in turn, as if the machine went down: the last one stays."""
    checkpointing.save(folder, 11, {**tree(), "step": 8})
    for number in range(n_calls):
        with monkeypatch.context() as patch:
            failing = _failing(getattr(places[0], name), number)
            for place in places:
                patch.setattr(place, name, failing)
            with pytest.raises(OSError, match="no space"):
                checkpointing.save(folder, 11, {**tree(), "step": 8})
        found = checkpointing.restore(folder, tree())
        assert found.tree["step"].item() == found.step - 3
    checkpointing.save(folder, 12, {**tree(), "step": 9})  # what is left behind does no harm
    assert checkpointing.restore(folder, tree()).tree["step"].item() == 9


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("work", "kind", "message"),
    [
        (lambda f: checkpointing.restore(f / "no"), ValueError, "there is no checkpoint in"),
        (
            lambda f: checkpointing.restore(f, step=4), anvl.CheckpointError,
            "there is no whole checkpoint of step 4 in .* there are steps 10",
        ),
        (
            lambda f: checkpointing.restore(f, {"w": W}), anvl.CheckpointError,
            r"missing \[\], not wanted \['copies', 'layers.0.b', 'layers.1', 'step'\]",
        ),
        (
            lambda f: checkpointing.restore(f, {**tree(), "w": W.T[:4]}), anvl.CheckpointError,
            r"w is f32\[8, 8\] in the checkpoint, and f32\[4, 8\] in like",
        ),
        (
            lambda f: checkpointing.restore(f, tree(), shardings=Sharding(MESH, ("x", "y"))),
            anvl.ShardingError, "restore: ",
        ),
        (lambda f: checkpointing.restore(f, shardings="cpu"), ValueError, "restore: shardings are"),
        (lambda f: checkpointing.save(f, -1, {}), ValueError, "step must be 0 or more, got -1"),
        (lambda f: checkpointing.save(f, 1.0, {}), TypeError, "save: step must be a whole number"),
        (lambda f: checkpointing.save(f, 1, {"w": "a"}), TypeError, "save: w is 'a' of type str"),
        (lambda f: checkpointing.save(f, 1, {}, keep=0), ValueError, "save: keep must be a number"),
        (
            lambda f: checkpointing.save(f, 1, {"a.b": 1, "a": {"b": 2}}), ValueError,
            "save: several leaves are called 'a.b'",
        ),
        (lambda f: checkpointing.save(f, 1, {}, metadata={1: ""}), TypeError, "metadata maps text"),
        (
            lambda f: anvl.jit(lambda x: checkpointing.save(f, 1, {"x": x}))(1.0), anvl.TraceError,
            "save: x is traced",
        ),
        (lambda f: checkpointing.save("", 1, {}), ValueError, "save: the path is empty"),
        (
            lambda f: checkpointing.save("/dev/null/x", 1, {}), NotADirectoryError,
            "save: Not a directory; give a folder that this process may write to",
        ),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(folder, work, kind, message):
    with pytest.raises(kind, match=message):
        work(folder)
    assert checkpointing.steps(folder) == [10]


@pytest.mark.sweep(keep=0)
def test_arrays_that_are_restored_have_operators_in_a_program_without_others(tmp_path):
    program = (
        "from anvl import checkpointing\nimport sys\n"
        "checkpointing.save(sys.argv[1], 1, {'w': 2.0})\n"
        "print(checkpointing.restore(sys.argv[1]).tree['w'] * 3)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "run")]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"6.0\n"
