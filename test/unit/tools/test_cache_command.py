"""`anvl cache`: what it lists, finds damaged and removes, and what it refuses."""

import os
import time

import pytest

from anvl.runtime.disk_cache import ALIAS, Folder, is_supported
from anvl.runtime.disk_cache.entries import sealed
from anvl.runtime.settings import runtime_settings
from anvl.tools.new.anvl_command import main

pytestmark = pytest.mark.skipif(not is_supported(), reason="files have no owners here")

DAY = 86400


@pytest.fixture
def folder(tmp_path):
    with runtime_settings(cache_dir=tmp_path / "c"):
        made = Folder(tmp_path / "c")
        made.create()
        for i, key in enumerate("abc"):
            facts = {"types": f"(f32[{i}])->f32[]", "jaxlib": "0.10.2", "compile_ms": 40 + i}
            data = sealed(key * 64, facts, bytes(10000), made.secret())
            made.write(key * 64, data)
            used = time.time() - i * 3 * DAY - 60
            os.utime(made.path / f"{key * 64}.program", (used, used))
        yield made


def told(capsys, *argv, code=0):
    assert main(["cache", *argv]) == code
    out, err = capsys.readouterr()
    if code == 0:
        assert err == ""
    return out.splitlines() or err


def test_list_has_the_last_used_first(folder, capsys):
    assert told(capsys, "list") == [
        "aaaaaaaaaaaa     12 KiB    1m      40 ms  jaxlib 0.10.2  (f32[0])->f32[]",
        "bbbbbbbbbbbb     12 KiB    3d      41 ms  jaxlib 0.10.2  (f32[1])->f32[]",
        "cccccccccccc     12 KiB    6d      42 ms  jaxlib 0.10.2  (f32[2])->f32[]",
        f"3 programs, 36 KiB in {folder.path}",
    ]


def test_list_shows_what_it_cannot_read(folder, capsys):
    path = folder.path / f"{'a' * 64}.program"
    path.write_bytes(b"\x1b[31m" * 100)
    (folder.path / f"{'b' * 64}.program").write_bytes(
        sealed("b" * 64, {"types": "\x1b[2J()"}, b"", bytes(32))
    )
    lines = told(capsys, "list")
    assert len(lines) == 4 and "\x1b" not in "".join(lines)
    assert "? ms  jaxlib ?" in "".join(lines)


def test_verify_names_the_damaged_and_exits_with_1(folder, capsys):
    assert told(capsys, "verify") == [f"3 programs in {folder.path}, 0 damaged"]
    path = folder.path / f"{'b' * 64}.program"
    path.write_bytes(path.read_bytes()[:-1])
    path.with_stem("c" * 64).write_bytes(b"")
    assert told(capsys, "verify", code=1) == [
        "cccccccccccc: it is empty",
        "bbbbbbbbbbbb: its seal does not fit its content",
        f"3 programs in {folder.path}, 2 damaged",
    ]


def test_aliases_are_verified_and_counted_in_the_size(folder, capsys):
    data = sealed("d" * 64, {"program": "a" * 64}, b"", folder.secret())
    folder.write("d" * 64, data, ALIAS)
    assert told(capsys, "list")[-1] == f"3 programs, 40 KiB in {folder.path}"
    assert told(capsys, "verify") == [f"3 programs in {folder.path}, 0 damaged"]
    (folder.path / f"{'d' * 64}.alias").write_bytes(data[:-1])
    assert told(capsys, "verify", code=1) == [
        "dddddddddddd: its seal does not fit its content",
        f"3 programs in {folder.path}, 1 damaged",
    ]
    assert told(capsys, "clear") == [f"removed 4 files from {folder.path}"]


def test_prune_by_size_and_by_age(folder, capsys):
    assert told(capsys, "prune") == [f"removed 0 files, left 36 KiB in {folder.path}"]
    assert told(capsys, "prune", "--max-bytes=25KB") == [
        f"removed 1 file, left 24 KiB in {folder.path}"
    ]
    assert told(capsys, "prune", "--older-than=2d") == [
        f"removed 1 file, left 12 KiB in {folder.path}"
    ]
    assert [entry.key[0] for entry in folder.kept()] == ["a"]


def test_clear_and_path(folder, capsys):
    assert told(capsys, "path") == [str(folder.path)]
    assert told(capsys, "clear") == [f"removed 3 files from {folder.path}"]
    assert told(capsys, "list") == [f"0 programs, 0 KiB in {folder.path}"]


def test_a_folder_that_does_not_exist_is_an_empty_one(tmp_path, capsys):
    with runtime_settings(cache_dir=tmp_path / "none"):
        assert told(capsys, "list") == [f"0 programs, 0 KiB in {tmp_path / 'none'}"]
        assert told(capsys, "verify") == [f"0 programs in {tmp_path / 'none'}, 0 damaged"]
        assert told(capsys, "prune")[0].startswith("removed 0 files")
        assert told(capsys, "clear")[0].startswith("removed 0 files")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "cache: no command; the commands are list, verify, prune, clear, path"),
        (["lsit"], "cache: no command 'lsit', did you mean 'list'?"),
        (["list", "x"], "cache list: takes no more words, got 'x'"),
        (["list", "--max-bytes=3"], "cache list: --max-bytes is for prune"),
        (["prune", "--max-bytes=many"], "--max-bytes takes a number of bytes, such as"),
        (["prune", "--older-than=2"], "--older-than takes a time such as 12h, 30d or 8w, got '2'"),
        (["prune", "--older"], "unknown flag --older, did you mean '--older-than'?"),
    ],
)
def test_a_wrong_command_line_is_an_error(folder, capsys, argv, message):
    assert told(capsys, *argv, code=1).startswith(f"anvl: error: {message}")
    assert len(folder.kept()) == 3


def test_an_unsafe_folder_is_an_error(folder, capsys):
    folder.path.chmod(0o777)
    for command in ("list", "verify", "prune", "clear"):
        assert "has mode 777, so that others may write to it" in told(capsys, command, code=1)


def test_a_system_without_owners_of_files_has_no_cache(folder, capsys, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    assert told(capsys, "list", code=1) == (
        "anvl: error: cache: there is none on this system, whose files have no owners\n"
    )


def test_help_is_that_of_the_command(capsys):
    lines = told(capsys, "--help")
    assert lines[0] == "usage: anvl cache list|verify|prune|clear|path"
    assert any("--older-than=T" in line for line in lines)
    assert main(["--cache"]) == 1
