"""The folder of the disk cache: sealed entries, owners, atomic writes, removal."""

import os
import stat
import subprocess
import sys
import textwrap
import time

import pytest

from anvl.runtime.disk_cache.entries import Damaged, sealed
from anvl.runtime.disk_cache.folder import ALIAS, Folder, Refused, default_path, is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="files have no owners here")

KEY, OTHER = "a" * 64, "b" * 64
PROGRAM = bytes(range(256)) * 40

AS_ROOT = pytest.mark.skipif(
    not is_supported() or os.geteuid() != 0, reason="only root gives files away"
)


@pytest.fixture
def folder(tmp_path):
    made = Folder(tmp_path / "of" / "mine")
    made.create()
    return made


def write(folder, key=KEY, program=PROGRAM):
    folder.write(key, sealed(key, {"types": "()->f32[]"}, program, folder.secret()))
    return folder.path / f"{key}.program"


def test_an_entry_is_read_as_it_was_written(folder):
    assert folder.read(KEY) is None
    write(folder)
    entry = folder.read(KEY)
    assert entry.program == PROGRAM
    assert entry.header == {"key": KEY, "types": "()->f32[]"}
    write(folder, program=b"")
    assert folder.read(KEY).program == b""
    assert folder.read(OTHER) is None


def test_only_this_user_may_look_into_the_folder(folder):
    path = write(folder)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in [folder.path, *folder.path.iterdir()]}
    assert modes == {"mine": 0o700, "secret": 0o600, "CACHEDIR.TAG": 0o600, path.name: 0o600}
    assert len((folder.path / "secret").read_bytes()) == 32


def test_every_change_of_an_entry_is_seen(folder):
    path = write(folder, program=b"program")
    data = path.read_bytes()
    changed = [data[:n] for n in range(len(data))]
    changed += [data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :] for i in range(len(data))]
    changed += [data + b"\0", data * 2, os.urandom(len(data))]
    for text in changed:
        path.write_bytes(text)
        with pytest.raises(Damaged):
            folder.read(KEY)
        assert folder.verify(KEY)
    path.write_bytes(data)
    assert folder.read(KEY).program == b"program"
    assert folder.verify(KEY) is None


def test_no_entry_passes_for_another(folder):
    path = write(folder)
    path.rename(folder.path / f"{OTHER}.program")
    with pytest.raises(Damaged, match="it is the entry of another program"):
        folder.read(OTHER)


def test_entries_of_another_secret_are_damaged(folder):
    write(folder)
    (folder.path / "secret").unlink()
    assert folder.read(KEY) is None  # nothing can be verified
    assert len(folder.secret()) == 32
    with pytest.raises(Damaged, match="its seal does not fit its content"):
        folder.read(KEY)


@pytest.mark.parametrize("name", ["", "secret", f"{KEY}.program"])
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o620, 0o602])
def test_what_others_may_write_to_is_refused(folder, name, mode):
    write(folder)
    (folder.path / name).chmod(mode | (0o100 if name == "" else 0))
    with pytest.raises(Refused, match=r"mine.* has mode 7?\d\d\d?, so that others may"):
        folder.read(KEY)


def test_a_secret_that_others_may_read_is_refused(folder):
    write(folder)
    (folder.path / "secret").chmod(0o640)
    with pytest.raises(Refused, match="secret has mode 640, so that others may use it"):
        folder.read(KEY)


def test_a_folder_that_others_may_read_is_used(folder):
    write(folder)
    folder.path.chmod(0o755)
    assert folder.read(KEY).program == PROGRAM


@AS_ROOT
@pytest.mark.parametrize("name", ["", "secret", f"{KEY}.program"])
def test_what_another_user_owns_is_refused(folder, name):
    write(folder)
    os.chown(folder.path / name, 1234, -1)
    with pytest.raises(Refused, match="belongs to user 1234, not to 0"):
        folder.read(KEY)
    if name != f"{KEY}.program":
        with pytest.raises(Refused, match="belongs to user 1234, not to 0"):
            write(folder)


def test_links_pipes_and_folders_in_place_of_an_entry_are_refused(folder):
    path = write(folder)
    path.rename(folder.path / "moved")
    path.symlink_to(folder.path / "moved")
    with pytest.raises(Refused, match="cannot be opened"):
        folder.read(KEY)
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.raises(Refused, match="is no regular file"):
        folder.read(KEY)  # without waiting for a writer
    path.unlink()
    path.mkdir(mode=0o700)
    with pytest.raises(Refused, match="is no regular file"):
        folder.read(KEY)


def test_a_secret_that_is_cut_off_is_refused(folder):
    write(folder)
    (folder.path / "secret").write_bytes(b"short")
    with pytest.raises(Refused, match="secret has 5 bytes, not 32"):
        folder.read(KEY)


@pytest.mark.parametrize("damage", [b"short", b"", "mode", "link"])
def test_clear_removes_a_secret_that_cannot_be_used(folder, damage):
    path = write(folder)
    secret = folder.path / "secret"
    if damage == "mode":
        secret.chmod(0o644)
    elif damage == "link":
        secret.rename(folder.path / "moved")
        secret.symlink_to(folder.path / "moved")
    else:
        secret.write_bytes(damage)
    with pytest.raises(Refused):
        write(folder)
    assert folder.clear() == 2
    assert not path.exists()
    write(folder)
    assert folder.read(KEY).program == PROGRAM


def test_clear_keeps_a_secret_under_which_another_process_may_be_writing(folder):
    write(folder)
    before = folder.secret()
    assert folder.clear() == 1
    assert folder.secret() == before


def test_the_least_recently_used_are_removed_first(folder):
    keys = [f"{i:064x}" for i in range(5)]
    for i, key in enumerate(keys):
        path = write(folder, key)
        os.utime(path, (i, i))
    assert folder.read(keys[0])  # now it is the last that was used
    each = 3 * 4096  # 10,240 bytes and the header, in whole blocks
    assert folder.prune(max_bytes=3 * each) == (2, 3 * each)
    assert {e.key for e in folder.kept()} == {keys[0], keys[3], keys[4]}
    assert folder.kept()[0].key == keys[0]
    assert folder.prune(before=4) == (1, 2 * each)
    assert {e.key for e in folder.kept()} == {keys[0], keys[4]}
    assert folder.prune(max_bytes=0) == (2, 0)
    assert folder.secret()


def test_aliases_are_entries_like_programs(folder):
    path = write(folder)
    alias = sealed(OTHER, {"program": KEY}, b"", folder.secret())
    folder.write(OTHER, alias, ALIAS)
    assert folder.read(OTHER) is None  # it is no program
    assert folder.read(OTHER, ALIAS).header == {"key": OTHER, "program": KEY}
    assert [e.key for e in folder.kept()] == [KEY]
    assert [e.key for e in folder.kept(ALIAS)] == [OTHER]
    path.with_name(f"{KEY}.alias").write_bytes(path.read_bytes())  # nor does a program pass for one
    (folder.path / f"{OTHER}.program").write_bytes(alias)
    assert folder.verify(OTHER, ALIAS) is None
    os.utime(folder.path / f"{OTHER}.alias", (1, 1))
    assert folder.prune(before=2)[0] == 1
    assert not folder.kept(ALIAS)[1:]


def test_temporary_files_are_removed_once_nobody_writes_to_them(folder):
    old, new = folder.path / ".writing-1-2", folder.path / ".writing-3-4"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    assert folder.prune() == (1, 0)
    assert new.exists() and not old.exists()
    write(folder)
    assert folder.clear() == 2
    assert {p.name for p in folder.path.iterdir()} == {"secret", "CACHEDIR.TAG"}


def test_a_failed_write_leaves_nothing(folder, monkeypatch):
    folder.secret()
    before = sorted(folder.path.iterdir())

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(folder)
    assert sorted(folder.path.iterdir()) == before


def test_the_default_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/h")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert str(default_path()) == "/x/anvl"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert str(default_path()) == "/h/.cache/anvl"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert str(default_path()) == "/h/.cache/anvl"


# Children write entries in a loop, and are killed at any moment; then every entry that is there is
# read.  One process forks them all, as it has imported what they need.
_KILLING = """
import os, random, signal, sys, time
from anvl.runtime.disk_cache.entries import sealed
from anvl.runtime.disk_cache.folder import Folder

folder = Folder(sys.argv[1])
folder.create()
keys = [c * 64 for c in "abcd"]
draw = random.Random(1)
read = interrupted = 0

def write_for_ever(seed):
    content = random.Random(seed)
    while True:
        key = content.choice(keys)
        program = key[:1].encode() * content.randrange(1, 1 << 19)
        folder.write(key, sealed(key, {}, program, folder.secret()))

for kill in range(int(sys.argv[2])):
    children = []
    for i in range(2):
        child = os.fork()
        if child == 0:
            write_for_ever(2 * kill + i)
        children.append(child)
    time.sleep(draw.uniform(0.001, 0.02))
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    for key in keys:
        entry = folder.read(key)  # raises if it is damaged
        if entry is not None:
            assert set(entry.program) == {ord(key[0])}
            read += 1
    left = [n for n in os.listdir(folder.path) if n.startswith(".writing-")]
    interrupted += len(left)
    for name in left:
        os.unlink(folder.path / name)
print(read, interrupted)
"""


@pytest.mark.parametrize(
    "kills", [pytest.param(30), pytest.param(200, marks=pytest.mark.sweep(keep=0, part=0))]
)
def test_a_killed_process_leaves_no_bad_entry(tmp_path, kills):
    command = [sys.executable, "-c", textwrap.dedent(_KILLING), tmp_path / "c", str(kills)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    read, interrupted = map(int, done.stdout.split())
    assert read > kills  # there were entries to read
    assert interrupted > kills // 4  # and writes that were cut off


def test_writers_do_not_wait_for_each_other(folder):
    """Many processes that make the folder and its secret at once agree on one secret."""
    code = f"""
    import os, sys
    from anvl.runtime.disk_cache.folder import Folder
    folder = Folder({str(folder.path.parent / "new")!r})
    readers = []
    for i in range(8):
        r, w = os.pipe()
        if os.fork() == 0:
            folder.create()
            os.write(w, folder.secret())
            os._exit(0)
        readers.append(r)
    print(len({{os.read(r, 32) for r in readers}}))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "1\n", done.stderr


def test_the_time_of_use_is_now(folder):
    path = write(folder)
    os.utime(path, (5, 5))
    folder.read(KEY)
    assert abs(path.stat().st_mtime - time.time()) < 60
