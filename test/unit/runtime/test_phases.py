"""Phases in logs and profiles, and the line on the terminal."""

import gzip
import io
import json
import logging
import subprocess
import sys
import threading

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dispatch.executables import clear_executables
from anvl.runtime import disk_cache
from anvl.runtime.instrumentation import phases, progress
from anvl.runtime.instrumentation.trace_events import record

X = np.linspace(0.0, 1.0, 3)


def loss(x, by):
    return anp.sum(anp.sin(x)) * by


def test_what_is_traced_and_compiled_is_logged(caplog):
    def doubled(x):
        return x * 2

    with caplog.at_level(logging.INFO, logger="anvl"):
        anvl.jit(anvl.grad(loss))(X, 2.0)
        for _ in range(2):
            anvl.jit(doubled)(X)
        lines = [(r.name, r.getMessage()) for r in caplog.records]
    assert [name for name, _ in lines] == ["anvl.trace", "anvl.compile"] * 3
    assert lines[0][1].startswith("trace loss: ") and lines[1][1].startswith("compile loss: ")
    assert lines[0][1].endswith(" ms, for (x: f64[3], by: f32?[])")
    assert lines[5][1].endswith(" ms, found among the programs of this process")


def test_the_cache_on_disk_is_told(caplog, tmp_path):
    with caplog.at_level(logging.INFO, logger="anvl.compile"):
        with anvl.config(cache=True, cache_dir=tmp_path / "cache"):
            for _ in range(2):
                anvl.jit(lambda x: anp.sin(x) + anp.cos(x)).lower(X).compile()
                disk_cache.flush()
                clear_executables()
    first, second = [r.getMessage() for r in caplog.records]
    assert first.endswith("not in the cache on disk")
    assert second.endswith("loaded from the cache on disk")


def test_passes_are_logged_with_their_times(caplog):
    with caplog.at_level(logging.DEBUG, logger="anvl"):
        anvl.jit(loss).lower(X, 2.0).artifact()
    lines = [r.getMessage() for r in caplog.records]
    assert [r.name for r in caplog.records if r.levelno == logging.DEBUG][-1] == "anvl.serialize"
    assert sum(line.startswith("pass anvl-") for line in lines) > 5
    assert lines[-1].startswith("serialize the program: ") and lines[-1].endswith(" bytes")


def test_a_phase_that_fails_says_so(caplog):
    with caplog.at_level(logging.DEBUG, logger="anvl"):
        with pytest.raises(ValueError):
            anvl.jit(lambda x: anp.sum(x, axis=7))(X)
        with pytest.raises(anvl.MissingRule):
            anvl.grad(lambda n: anvl.prim.polygamma(n, np.float32(2)))(np.float32(1))
    lines = [r.getMessage() for r in caplog.records]
    assert lines[0].endswith("ms, failed: AxisError")
    assert any("pass anvl-gradient" in line and "failed: MissingRule" in line for line in lines)


def test_nothing_is_done_where_nobody_watches():
    assert phases.phase("compile", "f") is phases.phase("trace", "g")
    code = """
import sys
from anvl.runtime.instrumentation.phases import phase
sys.modules.pop("logging", None)
phase("compile", "f", 50)
assert "logging" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def events(path):
    return json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]


def test_a_profile_has_our_phases_and_those_of_xla(tmp_path):
    f = anvl.jit(lambda x: anp.cos(anp.sum(x @ x)))
    with anvl.profiler.trace(tmp_path / "new" / "folder") as path:
        f(np.eye(30)).block_until_ready()
    found = events(path)
    ours = {e["name"].partition(" ")[0] for e in found if e.get("cat") == "anvl"}
    assert ours == {"trace", "pass", "serialize", "compile", "execute"}
    assert len([e for e in found if e.get("cat") == "xla"]) > 10
    assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in found if e["ph"] == "X")
    assert {e["args"]["name"] for e in found if e["name"] == "thread_name"} >= {"python"}


def test_a_profile_is_written_also_if_the_block_raises(tmp_path):
    with pytest.raises(KeyError):
        with anvl.profiler.trace(tmp_path) as path:
            raise KeyError
    assert events(path) is not None
    with anvl.profiler.trace(tmp_path) as other:
        pass
    assert other != path and other.exists()


@pytest.mark.parametrize(
    "begin", [anvl.profiler.start_trace, lambda at: anvl.profiler.trace(at).__enter__()]
)
def test_a_folder_that_cannot_be_made_is_an_error_of_the_profile(begin, tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(NotADirectoryError, match=r"trace: this is a file; name a folder .*file'$"):
        begin(file)
    with pytest.raises(NotADirectoryError, match=r"trace: the folder cannot be made: .*below'$"):
        begin(file / "below")
    with anvl.profiler.trace(tmp_path):  # none was left running
        pass


def test_one_profile_at_a_time(tmp_path):
    with record(tmp_path / "a.gz", False):
        with pytest.raises(RuntimeError, match="a profile is being recorded already; end it first"):
            with record(tmp_path / "b.gz", False):
                pass
    assert phases.phase("compile", "f").__class__ is phases.Phase


class Terminal(io.StringIO):
    """A stream that a person sees; `written` is set by the first line."""

    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def isatty(self):
        return True

    def flush(self):
        self.written.set()


def terminal(monkeypatch):
    """A terminal as stderr; not a fixture, whose stderr pytest would replace."""
    made = Terminal()
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    monkeypatch.setattr(progress, "_EVERY", 0.01)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_a_line_says_what_takes_long_and_is_erased(monkeypatch):
    seen = terminal(monkeypatch)
    with progress.progress("XLA compiles loss"):
        assert seen.written.wait(10)
    text = seen.getvalue()
    assert text.startswith("\ranvl: XLA compiles loss, 0 s")
    assert text.endswith("\r" + " " * len("anvl: XLA compiles loss, 0 s") + "\r")


def test_no_line_where_nobody_sees_it(monkeypatch):
    seen = terminal(monkeypatch)
    for stream, setting in ((io.StringIO(), True), (seen, False), (None, True)):
        monkeypatch.setattr(sys, "stderr", stream)
        with anvl.config(progress=setting):
            before = threading.active_count()
            with progress.progress("f"):
                assert threading.active_count() == before
    assert not seen.getvalue()


def test_a_notebook_sees_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    assert progress._is_watched(io.StringIO())


def test_a_stream_that_is_closed_meanwhile(monkeypatch):
    seen = terminal(monkeypatch)
    with progress.progress("f"):
        seen.close()
