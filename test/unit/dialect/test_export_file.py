"""The file of `anvl.export`: every damage is an error that names it, and nothing else."""

import copy
import io
import json
import random
import zipfile
from pathlib import Path

import pytest

import anvl
from anvl.dialect.text import export_file
from anvl.dialect.text.export_file import ExportError, packed, read_export, write_atomically

DATA = (
    Path(__file__).parents[1] / "frontend" / "saved_exports" / "kept_little-0.1.0.anvl"
).read_bytes()


def parts(data=DATA):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(members.pop("manifest.json")), members


def with_manifest(change):
    """The file with a changed manifest, whose sizes and hashes are right."""
    manifest, members = parts()
    change(manifest)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in {"manifest.json": json.dumps(manifest).encode(), **members}.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def with_member(name, content):
    """The file with another member, whose size and hash are right."""
    manifest, members = parts()
    return packed({k: v for k, v in manifest.items() if k != "members"}, {**members, name: content})


def refused(data, tmp_path, says=""):
    path = tmp_path / "f.anvl"
    path.write_bytes(data)
    with pytest.raises(anvl.ExportError, match=says) as found:
        anvl.load(path)
    assert str(found.value).startswith(f"load: {path}")


def test_the_members_and_their_hashes():
    with read_export("f", DATA) as file:
        assert file.member("program.mlir").startswith(b"#loc") and len(file.captured()) == 2
        assert file.manifest["format"] == 1 and file.manifest["dialect"] == "0.1"
        assert {*file.manifest["members"]} == {
            "program.mlir", "program.stablehlo", "constants.safetensors"
        }  # fmt: skip


def test_a_cut_file(tmp_path):
    for size in (4, 30, 200, len(DATA) // 2, len(DATA) - 30, len(DATA) - 1):
        refused(DATA[:size], tmp_path, "no file of anvl.export, or cut off")


def test_damaged_bytes_are_noticed(tmp_path):
    chosen = random.Random(0)
    path = tmp_path / "f.anvl"
    n_refused = 0
    for _ in range(300):
        data = bytearray(DATA)
        at = chosen.randrange(4, len(data))
        data[at] ^= 1 << chosen.randrange(8)
        path.write_bytes(data)
        try:
            anvl.load(path)
        except anvl.ExportError:
            n_refused += 1
        else:  # in a field of the archive that nothing reads, such as a date
            assert parts(path.read_bytes()) == parts()
    assert n_refused > 200


def test_every_field_of_the_manifest_is_checked(tmp_path):
    manifest, _ = parts()
    path = tmp_path / "f.anvl"
    n_accepted = 0
    for place in places(manifest):
        for value in (None, -1, "x", [], {}, [[]], {"a": 1}, 2**70, "*", "delete"):

            def change(manifest, place=place, value=value):
                *outer, last = place
                of = manifest
                for key in outer:
                    of = of[key]
                if value == "delete":
                    del of[last]
                else:
                    of[last] = copy.deepcopy(value)

            path.write_bytes(with_manifest(change))
            try:
                anvl.load(path)
                n_accepted += 1
            except anvl.ExportError as error:
                assert str(path) in str(error)
    assert n_accepted < 70  # names, and what other readers need


def places(of, path=()):
    """Paths of all values in JSON."""
    for key, value in of.items() if isinstance(of, dict) else enumerate(of):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda m: m.update(format=2), "by a newer anvl .*, in format 2 .*: install a newer anvl"),
        (lambda m: m.update(dialect="9.1"), "with dialect 9.1; this one reads up to format 1"),
        (lambda m: m.update(dialect="nine"), "'nine' is no version of the dialect"),
        # A dialect that no test defines: what one defines stays for the tests after it.
        (lambda m: m["dialects"].append("nobodys"), "the dialect 'nobodys', which is not defined"),
        (lambda m: m["captured"].pop("0"), r"captures 0: tensor<3x4xf64>, .* has nothing"),
        (lambda m: m["captured"].update({"0": "w"}), "lacks the array 'w'"),
        (lambda m: m["function"]["inputs"][0].update(dtype="f32"), "has @main: .*, but its manif"),
        (lambda m: m["members"].pop("program.mlir"), "manifest.json describes another program.ml"),
        (lambda m: m["members"]["program.mlir"].update(sha256="0"), "program.mlir is damaged, its"),
    ],
)  # fmt: skip
def test_what_the_manifest_says_is_held_against_the_file(change, says, tmp_path):
    refused(with_manifest(change), tmp_path, says)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("program.mlir", b"func.func @main() { return }", r"has @main: \(\) -> \(\), but its man"),
        ("program.mlir", b"module {}", "has no @main"),
        ("program.mlir", b"\xff", "program.mlir is not UTF-8"),
        ("program.mlir", b"(" * 100_000, "nests deeper than 200 levels"),
        (
            "program.mlir",
            b'"nobodys.op"() : () -> ()',
            "its program cannot be read, program.mlir:1:13: .*unregistered dialect",
        ),
        ("program.mlir", b'module attributes {anvl.version = "9.9"} {}', "by a newer anvl"),
        ("constants.safetensors", b"", "constants.safetensors is malformed, its header would"),
    ],
)
def test_members_that_are_no_program_or_no_arrays(name, content, says, tmp_path):
    refused(with_member(name, content), tmp_path, says)


def archive(*entries, compression=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as made:
        for name, content in entries:
            made.writestr(name, content)
    return buffer.getvalue()


def test_archives_of_others(tmp_path):
    refused(archive(("../../x", b"")), tmp_path, r"has the member '\.\./\.\./x', which no file")
    refused(archive(("manifest.json", b"{}")), tmp_path, "has no program.mlir")
    bomb = archive(("manifest.json", b"0" * 10_000_000), compression=zipfile.ZIP_DEFLATED)
    refused(bomb, tmp_path, "manifest.json is compressed")
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = archive(("manifest.json", b"{}"), ("manifest.json", b"{}"))
    refused(twice, tmp_path, "has the member 'manifest.json' twice")


def test_a_manifest_that_is_no_object(tmp_path):
    _, members = parts()
    for text, says in (
        (b"[]", "is no JSON object"), (b"{", "is not JSON"), (b"[" * 100_000, "is not JSON"),
        (b"{}", "has no version"),
    ):  # fmt: skip
        refused(archive(("manifest.json", text), *members.items()), tmp_path, says)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "f.anvl"
    path.write_bytes(b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_file.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, DATA)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_the_error_is_of_both_trees():
    assert issubclass(ExportError, anvl.AnvlError) and issubclass(ExportError, ValueError)
