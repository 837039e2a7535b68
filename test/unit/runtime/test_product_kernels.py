"""Kernels of products, which a thread has written while the first program is traced."""

import os
import subprocess
import sys
import threading

import pytest

import anvl.runtime as rt
from anvl.runtime.execution import product_kernels
from anvl.runtime.lazy import compat


@pytest.fixture
def threads(monkeypatch):
    """The threads that are started: they do not run."""
    rt.embedded_client()  # which starts one itself
    started = []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: started.append(thread))
    return started


@pytest.fixture
def idle(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (1.9, 5.0, 5.0), raising=False)


@pytest.fixture
def running(tmp_path, monkeypatch):
    """Write what the system says of running threads."""
    monkeypatch.setattr(product_kernels, "_LOAD", tmp_path / "loadavg")
    return lambda text: (tmp_path / "loadavg").write_text(text)


def test_a_thread_runs_a_product_with_a_transposed_operand(threads, idle, monkeypatch):
    product_kernels.write_product_kernels(rt.embedded_client())
    (work,) = threads
    assert work.daemon
    compiled, compile_and_load = [], compat.compile_and_load

    def compiling(*args):
        compiled.append(compile_and_load(*args))
        return compiled[-1]

    monkeypatch.setattr(compat, "compile_and_load", compiling)
    work.run()
    (text,) = [module.to_string() for module in compiled[0].hlo_modules()]
    (product,) = [line for line in text.splitlines() if " dot(" in line]
    assert "lhs_contracting_dims={0}" in product  # what XLA gives to Eigen


@pytest.mark.parametrize(("cores", "load"), [({0}, 0.0), ({3}, 0.5), ({0, 1}, 2.0), ({0, 1}, 9.0)])
@pytest.mark.parametrize("now", [None, "", "5.0 1.0 1.0 2/80 7", "5.0 1.0 1.0 many 7"])
def test_no_thread_without_an_idle_core(cores, load, now, threads, running, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores, raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    if now is not None:
        running(now)
    product_kernels.write_product_kernels(rt.embedded_client())
    assert not threads


@pytest.mark.parametrize(("cores", "n_started"), [({0, 1}, 1), ({1}, 0)])
def test_what_ran_a_minute_ago_does_not_count(cores, n_started, threads, running, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores, raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (9.0, 9.0, 9.0), raising=False)
    running("9.00 9.00 9.00 1/80 11206\n")
    product_kernels.write_product_kernels(rt.embedded_client())
    assert len(threads) == n_started


def test_systems_without_these_numbers_count_cores(threads, monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    product_kernels.write_product_kernels(rt.embedded_client())
    assert not threads
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    product_kernels.write_product_kernels(rt.embedded_client())
    assert len(threads) == 1


def test_what_xla_refuses_is_left_to_the_program(threads, idle, monkeypatch, capsys):
    product_kernels.write_product_kernels(rt.embedded_client())

    def refused(*_):
        raise compat.Failure("out of memory")

    monkeypatch.setattr(compat, "compile_and_load", refused)
    threads[0].run()
    assert capsys.readouterr() == ("", "")


SCRIPT = """
import os, sys
os.sched_getaffinity, os.getloadavg = lambda _: {0, 1}, lambda: (0.0, 0.0, 0.0)
import threading, numpy, anvl
started, start = [], threading.Thread.start
def starting(thread):
    started.append(thread.name)
    start(thread)
threading.Thread.start = starting
lowered = anvl.jit(lambda x: x + 1).lower(numpy.ones(3)).mlir()
print(started.count("anvl products"))
for _ in range(2):
    anvl.jit(lambda x: x + 1)(numpy.ones(3))
print(started.count("anvl products"))
"""


def test_the_first_program_that_runs_starts_it_and_the_end_does_not_wait():
    for _ in range(3):
        environment = os.environ | {"ANVL_CACHE": "0"}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.split() == ["0", "1"]
