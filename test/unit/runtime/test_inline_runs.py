"""Programs whose results are read at once run in the thread that calls them."""

import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.runtime import disk_cache
from anvl.runtime.execution import inline_runs
from anvl.runtime.execution.inline_runs import Watched, wait
from anvl.runtime.lazy import compat


class Clock:
    """Time that stands still but for what a test says."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, microseconds: float) -> None:
        self.now += microseconds * 1e-6


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(inline_runs, "perf_counter", made)
    monkeypatch.setattr(inline_runs, "last", None)
    return made


class Program:
    """A program that takes a time; in the caller's thread it is done when a call returns."""

    def __init__(self, clock: Clock, microseconds: float = 50, inline: float | None = 10) -> None:
        self.clock, self.microseconds, self.inline = clock, microseconds, inline
        self.n_loaded, self.end = 0, 0.0
        self.watched = Watched(self.execute, self.load)
        self.cache = {"types": (self.watched.run, "handlers")}
        self.watched.installed(self.cache, "types")

    def execute(self, buffers):
        self.end = self.clock.now + self.microseconds * 1e-6
        return "results"

    def load(self):
        self.n_loaded += 1

        def run(buffers):
            self.clock.pass_by(self.inline)
            self.end = self.clock.now
            return "results"

        return None if self.inline is None else run

    def block_until_ready(self):
        self.clock.now = max(self.clock.now, self.end)

    def call(self, times=1, gap: float | None = 2) -> None:
        """Call it, and wait for each result after so many us; for none, if that is None."""
        for _ in range(times):
            run, _ = self.cache["types"]
            assert run([]) == "results"
            if gap is not None:
                self.clock.pass_by(gap)
                wait(self)

    @property
    def is_inline(self) -> bool:
        run, handlers = self.cache["types"]
        assert (run, handlers) == (self.watched.run, "handlers")
        return run == self.watched._run_inline


def test_after_calls_that_wait_at_once_a_program_runs_in_the_callers_thread(clock):
    program = Program(clock)
    program.call(31)
    assert not program.is_inline and not program.n_loaded
    program.call()
    assert program.is_inline
    program.call(1_000)
    assert program.is_inline and program.n_loaded == 1


def test_a_third_of_calls_that_have_to_wait_is_enough(clock):
    program = Program(clock)
    for _ in range(31):
        program.call(1)
        program.microseconds = 1
        program.call(2)
        program.microseconds = 50
    assert not program.n_loaded
    program.call()
    assert program.is_inline
    program.call(100)  # 10 us are less than 50 and twice 3
    assert program.is_inline


@pytest.mark.parametrize(
    ("facts", "gap"),
    [
        ({}, None),  # no result is read
        ({}, 30),  # Python works for a while
        ({"microseconds": 1}, 2),  # the result is there already
        ({"microseconds": 2_000}, 2),  # waking a thread is little of it
    ],
)
def test_other_programs_are_watched_for_a_while_and_stay_as_they_are(clock, facts, gap):
    program = Program(clock, **facts)
    program.call(128, gap)
    assert not program.watched.is_settled
    program.call(1, gap)
    assert program.watched.is_settled and not program.n_loaded
    assert program.cache["types"] == (program.watched._execute, "handlers")
    assert not program.watched._places  # the dispatcher may be dropped


def test_a_program_that_cannot_be_loaded_stays_as_it_is(clock):
    program = Program(clock, inline=None)
    program.call(200)
    assert program.watched.is_settled and program.n_loaded == 1


def test_a_program_that_takes_longer_in_the_callers_thread_goes_back(clock):
    program = Program(clock, inline=60)
    program.call(32 + 31)
    assert program.is_inline
    program.call()
    assert program.watched.is_settled


@pytest.mark.parametrize("gap", [None, 30])
def test_a_program_whose_results_are_not_read_at_once_any_more_goes_back(clock, gap):
    program = Program(clock)
    program.call(100)
    for _ in range(50):  # now and then it does not count
        program.call(1, gap)
        program.call(2)
    assert program.is_inline
    program.call(18, gap)
    assert program.watched.is_settled


class Buffer:
    def __init__(self, deleted: bool) -> None:
        self.is_deleted = lambda: deleted


def failing(clock):
    """A program that runs in the caller's thread, and its run, which fails from now on."""
    program = Program(clock)
    program.call(32)
    assert program.is_inline

    def fail(buffers):
        raise compat.Failure("NOT_FOUND: Function tanh.1_kernel not found")

    program.watched._inline = fail
    return program, program.cache["types"][0]


def test_a_run_that_fails_in_the_callers_thread_is_run_as_before(clock):
    program, run = failing(clock)
    assert run([Buffer(False)]) == "results"
    assert program.watched.is_settled


def test_a_run_that_fails_with_its_arguments_donated_fails(clock):
    program, run = failing(clock)
    with pytest.raises(compat.Failure, match="not found"):
        run([Buffer(False), Buffer(True)])
    assert program.watched.is_settled


def test_waits_of_another_thread_do_not_count(clock):
    program = Program(clock)
    for _ in range(128):
        program.call(1, gap=None)
        thread = threading.Thread(target=wait, args=(program,))
        thread.start()
        thread.join()
    assert not program.is_inline and not program.n_loaded


def test_an_entry_of_another_program_stays(clock):
    program = Program(clock)
    entries = {"types": ("another", "handlers")}
    program.watched.installed(entries, "types")
    program.watched.installed(entries, "dropped")
    program.call(32)
    assert program.is_inline and entries == {"types": ("another", "handlers")}


# -- programs of XLA -------------------------------------------------------------------------------


@pytest.fixture
def readily(monkeypatch):
    """Every wait for what is not done yet counts, on a machine that is busy as well."""
    monkeypatch.setattr(inline_runs, "_AT_ONCE", 10.0)
    monkeypatch.setattr(inline_runs, "_LONGEST", 10.0)
    monkeypatch.setattr(inline_runs, "_STALLS", 4)
    monkeypatch.setattr(inline_runs, "_WATCHED", 10_000)
    monkeypatch.setattr(Watched, "_compare", lambda *_: None)


X = np.random.default_rng(0).normal(size=(300, 300)).astype("f")


def called(f, argument):
    """Call f after calls that waited: its result, and whether it was done when f returned."""
    for _ in range(200):
        f(argument()).block_until_ready()
    result = f(argument())
    is_done = result.buffer.is_ready()
    return np.asarray(result), is_done


@pytest.mark.parametrize(
    ("number", "options"), [(2, {}), (3, {"donate": "x"}), (4, {"cache_size": 1})]
)
def test_a_program_gives_the_same_in_the_callers_thread(readily, number, options):
    f = anvl.jit(lambda x: x @ X @ x * number, **options)  # each a program of its own
    wanted = np.asarray(f(anp.array(X)))
    found, is_done = called(f, lambda: anp.array(X))
    assert is_done
    np.testing.assert_array_equal(found, wanted)


def test_calls_return_where_an_argument_is_still_computed(readily):
    f = anvl.jit(lambda x: x @ X)
    assert called(f, lambda: anp.asarray(X))[1]
    steps = anvl.jit(lambda x, n: anvl.fori_loop(0, n, lambda _, y: x @ y / 400, x))
    steps(X, 1).block_until_ready()
    last = steps(X, 500)  # half a second
    result = f(last)
    assert not last.buffer.is_ready() and not result.buffer.is_ready()
    np.testing.assert_array_equal(result, f(np.asarray(last)))


def test_reading_in_any_way_is_waiting(readily):
    f = anvl.jit(lambda x: anp.sum(x @ X))
    g = anvl.jit(lambda x: {"a": x @ X, "b": x + 1})
    h = anvl.jit(lambda x: (x @ X)[0])
    for _ in range(200):
        float(f(X))
        anvl.block_until_ready(g(X))
        np.asarray(h(X))
    assert f(X).buffer.is_ready() and g(X)["a"].buffer.is_ready() and h(X).buffer.is_ready()


def test_a_compiled_stage_is_watched_too(readily):
    compiled = anvl.jit(lambda x: x @ X).lower(X).compile()
    assert called(compiled, lambda: anp.asarray(X))[1]
    by_name = anvl.jit(lambda x: x @ X.T).lower(x=X).compile()
    assert called(lambda x: by_name(x=x), lambda: anp.asarray(X))[1]


SCRIPT = """
import numpy, anvl
from anvl.runtime.execution import inline_runs
inline_runs._STALLS, inline_runs._AT_ONCE, inline_runs._LONGEST = 4, 10.0, 10.0
inline_runs.Watched._compare = lambda *_: None
f = anvl.jit(lambda x: anvl.numpy.tanh(x @ x) @ x)
x = anvl.numpy.asarray(numpy.eye(400, dtype="f"))
wanted = numpy.asarray(f(x))
for _ in range(100):
    result = f(x)
    is_done = result.buffer.is_ready()
    assert (numpy.asarray(result) == wanted).all()
print(is_done)
"""


def test_so_do_programs_that_were_kept_on_disk(tmp_path):
    """jaxlib writes a program that it has read without its kernels: the file is read again."""
    environment = {**os.environ, "ANVL_CACHE": "1", "ANVL_CACHE_DIR": str(tmp_path / "kept")}
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True,
            timeout=120,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert len(list((tmp_path / "kept").glob("*.program"))) == 1


def test_a_program_whose_file_is_gone_stays_as_it_is(readily, tmp_path):
    with anvl.config(cache=True, cache_dir=str(tmp_path / "kept")):
        f = anvl.jit(lambda x: x @ X @ X)
        f(X)
        disk_cache.flush()
        anvl.clear_caches()
        g = anvl.jit(lambda x: x @ X @ X)  # loaded
        wanted = np.asarray(g(X))
        disk_cache.flush()
        for kept in (tmp_path / "kept").iterdir():
            kept.unlink()
        found, _ = called(g, lambda: anp.asarray(X))
    np.testing.assert_array_equal(found, wanted)


def test_waiting_for_a_deleted_array_says_so(readily):
    """As jaxlib ends the process where a deleted buffer is asked whether it is ready."""
    f = anvl.jit(lambda x: x @ X * 5)
    x = f(X)
    x.delete()
    for read in (x.block_until_ready, x.numpy, lambda: anvl.block_until_ready([x, x])):
        f(X)
        with pytest.raises(anvl.RuntimeFailure, match="was deleted"):
            read()


def test_programs_of_plugins_are_not_watched():
    def place(name):
        return SimpleNamespace(client=SimpleNamespace(name=name))

    class Handle:
        def execute_sharded(self, buffers): ...

    handle = Handle()
    run = handle.execute_sharded

    def known(of, name):
        return inline_runs.watched(of, run, bytes, place(name), None)

    assert isinstance(known(handle, "cpu"), Watched)
    assert known(handle, "cuda") is None
    assert known(Handle(), "cpu") is None


def test_programs_over_several_devices_and_with_callbacks_are_not_watched():
    calls = []
    f = anvl.jit(lambda x: anvl.pure_callback(lambda a: calls.append(1) or a, x, x) + 1)
    f(X)
    assert inline_runs.last is None
    devices = anvl.runtime.cpu_client(2).devices
    mesh = anvl.sharding.Mesh({"x": 2}, devices=devices)
    cut = anvl.device_put(X, anvl.sharding.Sharding(mesh, anvl.sharding.P("x")))
    anvl.jit(lambda x: x * 2)(cut)
    assert inline_runs.last is None
