"""The disk cache with programs: what is loaded, what is not kept, and what goes wrong."""

import os
import subprocess
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import anvl.runtime as rt
from anvl.runtime import CacheWarning, disk_cache
from anvl.runtime.disk_cache import folder as folders
from anvl.runtime.disk_cache import keys, programs
from anvl.runtime.lazy import compat
from anvl.runtime.settings import runtime_settings

pytestmark = pytest.mark.skipif(not disk_cache.is_supported(), reason="files have no owners here")

SQUARE = """
func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {
  %y = stablehlo.multiply %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}"""
X = np.array([1, 2, 3], np.float32)


@pytest.fixture
def folder(tmp_path) -> Iterator[disk_cache.Folder]:
    """A cache of the test's own, of which nothing is known yet."""
    known = (programs._unusable, programs._unwritable, programs._warned, programs._sizes)
    with runtime_settings(cache=True, cache_dir=tmp_path / "cache"):
        yield disk_cache.Folder(tmp_path / "cache")
    disk_cache.flush()
    for each in known:
        each.clear()


@pytest.fixture
def compiled(monkeypatch) -> list[object]:
    """The programs that XLA compiles, each of which took long enough to be kept."""
    done: list[object] = []
    really = compat.compile_and_load

    def compile_and_load(client, program, *rest):
        done.append(program)
        return really(client, program, *rest)

    monkeypatch.setattr(compat, "compile_and_load", compile_and_load)
    monkeypatch.setattr(programs, "_WORTH_SECONDS", 0.0)
    return done


def square(program=SQUARE, **options):
    made = rt.compile_lowered(program, **options)
    disk_cache.flush()
    return made


def check_square(executable):
    (y,) = executable.execute([rt.put(X, executable.placement)])
    np.testing.assert_array_equal(y, X * X)


def test_a_program_is_compiled_once(folder, compiled):
    first, second = square(), square()
    assert len(compiled) == len(folder.kept()) == 1
    check_square(first)
    check_square(second)
    (entry,) = folder.kept()
    assert entry.header["types"] == "(f32[3])->f32[3]"
    assert entry.header["jaxlib"] == compat.JAXLIB_VERSION
    assert folder.path.stat().st_mode & 0o077 == 0


def test_a_loaded_program_tells_of_itself_as_a_compiled_one(folder, compiled):
    first, second = square(), square()
    assert (first.arg_types, first.out_types) == (second.arg_types, second.out_types)
    assert first.hlo_text() == second.hlo_text()
    assert first.cost_analysis() == second.cost_analysis()
    of_first, of_second = first.memory_stats(), second.memory_stats()
    assert of_second["alias_size_in_bytes"] == 12
    assert {k: v for k, v in of_first.items() if k not in _OF_CODE} == {
        k: v for k, v in of_second.items() if k not in _OF_CODE
    }


_OF_CODE = {"generated_code_size_in_bytes"}


def test_a_loaded_program_takes_over_what_is_donated(folder, compiled):
    square()
    (x,) = [rt.put(X)]
    (y,) = square().execute([x])
    np.testing.assert_array_equal(y, X * X)
    assert x.buffer.is_deleted()


def test_another_program_another_option_another_device_is_another_entry(folder, compiled):
    square()
    square(SQUARE.replace("multiply", "add"))
    square(options={"xla_cpu_enable_fast_math": True})
    client = rt.cpu_client(2)
    for device in client.devices * 2:
        check_square(square(placement=device.placement))
    assert len(compiled) == 5
    assert len(folder.kept()) == 5


def test_a_program_of_two_devices(folder, compiled):
    client = rt.cpu_client(2)
    place = rt.sharded_placement(client.devices, (2,))
    program = """
    module attributes {mhlo.num_partitions = 2 : i32} {
      sdy.mesh @m = <["i"=2]>
      func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"i"}]>})
          -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"i"}]>}) {
        %y = stablehlo.multiply %x, %x : tensor<4xf32>
        return %y : tensor<4xf32>
      }
    }"""
    of = rt.array_type((4,), np.dtype("float32"), place)
    x = rt.put(np.arange(4, dtype=np.float32), place)
    for _ in range(2):
        made = square(program, placement=place, arg_types=[of], out_types=[of])
        made.execute([x])[0].block_until_ready()
    assert len(compiled) == 1


def test_the_key_has_all_that_the_result_depends_on(monkeypatch, tmp_path):
    place, options = rt.default_placement(), compat.CompileOptions()
    library = tmp_path / "plugin.so"
    library.write_bytes(b"1")

    def key(program=b"program"):
        keys._machine.cache_clear()
        return keys.program_key(program, options, place)

    def later_library():
        library.write_bytes(b"22")
        monkeypatch.setattr(place.client, "library", library)

    changes = (
        lambda: monkeypatch.setattr(compat, "JAXLIB_VERSION", "0.0.1"),
        lambda: monkeypatch.setattr(place.client, "name", "xla-cpu-pjrt"),
        lambda: monkeypatch.setattr(place.client, "attributes", {"xla_version": 2}),
        lambda: monkeypatch.setattr(place.client, "library", library),
        later_library,
        lambda: monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_max_isa=AVX2"),
        lambda: monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(77), raising=False),
        lambda: monkeypatch.setattr(keys, "_cpu_features", lambda: "flags: fpu"),
        lambda: monkeypatch.setattr(compat, "topology_fingerprint", lambda devices: "1"),
    )
    found = [key(), key("program"), key(b"another")]
    for change in changes:
        change()
        found.append(key())
        monkeypatch.undo()
        assert key() == found[0]
    keys._machine.cache_clear()
    assert len(set(found)) == len(found) == 12


def test_a_program_that_calls_a_handler_of_this_process_is_not_kept(folder, compiled, monkeypatch):
    class Handle:  # as XLA gives it for such a program
        def get_hlo_text(self):
            return (
                f'HloModule m\n  custom-call(), custom_call_target="{target.removeprefix(own)}{end}'
            )

    monkeypatch.setattr(compat, "compile_and_load", lambda *_: Handle())
    monkeypatch.setattr(compat, "serialize", lambda *_: b"program")
    place = rt.default_placement()
    kept, own = {}, "XLA's "
    handlers = ("mine", "TopK", "xla_ffi_python_cpu_callback", "lapack_spotrf_ffi", "__topk")
    for target in (*handlers, "a fold", "XLA's TopK"):
        end = '", called_computations={%f}' if target not in handlers else '", api_version=4'
        before = len(folder.kept()) if folder.path.exists() else 0
        disk_cache.compile_or_load(f"// {target}", place, compat.CompileOptions())
        disk_cache.flush()
        kept[target] = len(folder.kept()) > before
    assert [name for name, was_kept in kept.items() if was_kept] == [*handlers[3:], "XLA's TopK"]


@pytest.mark.parametrize("op", ["send", "recv", "infeed", "outfeed"])
def test_a_program_that_talks_to_this_process_is_not_kept(folder, compiled, monkeypatch, op):
    class Handle:
        def get_hlo_text(self):
            return f"HloModule m\n  %x = (f32[], token[]) {op}(%token), channel_id=1"

    monkeypatch.setattr(compat, "compile_and_load", lambda *_: Handle())
    monkeypatch.setattr(compat, "serialize", lambda *_: b"program")
    disk_cache.compile_or_load(SQUARE, rt.default_placement(), compat.CompileOptions())
    disk_cache.flush()
    assert not folder.kept()


def test_a_damaged_entry_is_written_again_with_one_warning(folder, compiled):
    square()
    (path,) = folder.path.glob("*.program")
    good = path.read_bytes()
    for bad in (good[:-3], b"", good[:200]):
        path.write_bytes(bad)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            check_square(square())
        assert len(said) == (1 if bad == good[:-3] else 0)
        if said:
            assert said[0].category is CacheWarning
            assert "is damaged, its seal does not fit its content; it is wr" in str(said[0].message)
            assert said[0].filename == __file__
        assert folder.verify(path.stem) is None
    assert len(compiled) == 4


def test_an_entry_that_xla_cannot_read_is_written_again(folder, compiled, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(compat, "serialize", lambda *_: b"no program")
        square()
    with pytest.warns(CacheWarning, match="is damaged, .*; this program is compiled"):
        check_square(square())
    check_square(square())
    assert len(compiled) == 2


def test_an_unsafe_folder_turns_the_cache_off_with_one_warning(folder, compiled):
    folder.path.mkdir()
    folder.path.chmod(0o777)
    with pytest.warns(CacheWarning, match="mode 777, so that others may write to it; .*chmod") as w:
        check_square(square())
    assert len(w) == 1
    folder.path.chmod(0o700)  # too late for this process
    check_square(square())
    assert len(compiled) == 2
    assert not list(folder.path.iterdir())


@pytest.mark.parametrize("number", [28, 30, 13], ids=["full", "read-only", "forbidden"])
def test_what_cannot_be_written_is_one_warning(folder, compiled, monkeypatch, number):
    attempts = []

    def fails(fd, data):
        attempts.append(fd)
        raise OSError(number, os.strerror(number))

    square()
    monkeypatch.setattr(folders, "_temporary", fails)
    other = SQUARE.replace("multiply", "add")
    with pytest.warns(CacheWarning, match=f"cannot be written: {os.strerror(number)}") as said:
        square(other)
        square(other)
    assert [w.filename for w in said] == [__file__]  # not the thread that writes
    assert len(attempts) == 1
    check_square(square())  # what is there is still loaded
    assert len(compiled) == 3


def test_a_folder_that_cannot_be_made(folder, compiled, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with runtime_settings(cache_dir=tmp_path / "file" / "cache"):
        with pytest.warns(CacheWarning, match="cannot be made: Not a directory"):
            square()
        square()
    with runtime_settings(cache_dir=tmp_path / "file"):
        with pytest.warns(CacheWarning, match="cannot be read: Not a directory"):
            square()
        square()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with runtime_settings(cache_dir=None):  # by default it is on where it can be
        square()
    assert len(compiled) == 5


def test_the_folder_stays_below_its_size(folder, compiled):
    square()
    (size,) = [entry.size for entry in folder.kept()]
    with runtime_settings(cache_max_bytes=2 * size):
        for i in range(5):
            square(SQUARE.replace("multiply", "add") + "\n" * i)
            assert sum(entry.size for entry in folder.kept()) <= 2 * size
    with runtime_settings(cache_max_bytes=100):
        square(SQUARE + "//")
    assert len(folder.kept()) == 2


def test_programs_that_compile_at_once_are_not_kept(folder, compiled, monkeypatch):
    monkeypatch.setattr(programs, "_WORTH_SECONDS", 1e9)
    square()
    assert not folder.kept()


def test_the_cache_may_be_off(folder, compiled):
    with runtime_settings(cache=False):
        square()
        square()
    assert len(compiled) == 2
    assert not folder.path.exists()


def test_without_owners_of_files_there_is_no_cache(folder, compiled, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    square()
    square()
    assert len(compiled) == 2
    assert not folder.path.exists()


def test_threads_share_the_cache(folder, compiled):
    wrong = []

    def work(i):
        try:
            for j in range(3):
                with runtime_settings(cache=True, cache_dir=folder.path):
                    check_square(rt.compile_lowered(SQUARE + "\n" * ((i + j) % 3)))
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    disk_cache.flush()
    assert not wrong
    assert len(folder.kept()) == 3
    assert all(folder.verify(entry.key) is None for entry in folder.kept())


COUNTING = """
from anvl.runtime.lazy import compat
compiled = []
really = compat.compile_and_load
compat.compile_and_load = lambda *given: (compiled.append(1), really(*given))[1]
"""
# A training step, its update, random numbers, LAPACK.
MODEL = """
import numpy
import anvl
import anvl.numpy as np

def loss(w, x):
    return np.mean(np.logsumexp(np.maximum(x @ w[0], 0) @ w[1], axis=1))

step = anvl.jit(anvl.value_and_grad(loss))
update = anvl.jit(lambda w, g: anvl.tree.map(lambda w, g: w - 0.1 * g, w, g))
w = (numpy.ones((4, 5), "f"), numpy.ones((5, 3), "f"))
value, gradient = step(w, numpy.ones((2, 4), "f"))
w = update(w, gradient)
noise = anvl.random.normal(anvl.random.key(1), (4,))
factor = np.linalg.cholesky(w[0].T @ w[0] + 5 * np.eye(5))
print(float(value), float(noise[0]), float(factor[1, 1]), len(compiled))
"""


def started(code, **environment):
    """What a fresh process prints, whose cache is on."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("ANVL_CACHE", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.sweep(keep=0)
def test_a_second_process_compiles_nothing(tmp_path):
    """In the default folder, and whatever the order of sets and dictionaries."""
    *numbers, count = started(COUNTING + MODEL, HOME=str(tmp_path), PYTHONHASHSEED="1")
    assert int(count) >= 5
    folder = disk_cache.Folder(tmp_path / ".cache" / "anvl")
    assert len(folder.kept()) == int(count)  # also the last, though the process ended at once
    assert not list(folder.path.glob(".writing-*"))
    assert started(COUNTING + MODEL, HOME=str(tmp_path), PYTHONHASHSEED="2") == [*numbers, "0"]


def test_a_process_that_ends_waits_for_what_it_writes(tmp_path):
    code = f"""
import os, time
import anvl.runtime as rt
os.fsync = lambda fd: time.sleep(0.2)
rt.compile_lowered('''{SQUARE}''')
"""
    started(code, ANVL_CACHE_DIR=str(tmp_path))
    assert len(disk_cache.Folder(tmp_path).kept()) == 1


def test_forked_children_share_the_cache_with_their_parent(tmp_path):
    code = f"""
import os, sys
import numpy as np
import anvl.runtime as rt
{COUNTING}
children = []
for _ in range(2):
    child = os.fork()
    if child == 0:
        rt.compile_lowered('''{SQUARE}''').execute([rt.put(np.ones(3, "f"))])
        sys.exit(0)
    children.append(child)
codes = [os.waitpid(child, 0)[1] for child in children]
rt.compile_lowered('''{SQUARE}''').execute([rt.put(np.ones(3, "f"))])
print(codes, len(compiled))
"""
    out = started(code, ANVL_CACHE_DIR=str(tmp_path / "c"))
    assert out == ["[0,", "0]", "0"]


@pytest.mark.sweep(keep=0)
def test_tests_write_nothing_to_the_home_directory(tmp_path):
    code = "import anvl.numpy as np; np.zeros(2) + 1"
    subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"HOME": str(tmp_path)}, check=True
    )
    assert not list(tmp_path.iterdir())
