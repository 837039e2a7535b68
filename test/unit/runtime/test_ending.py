"""The end of a process, and a fork of it, while other threads trace, compile and run."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.sweep(keep=0)  # each starts processes

ENDS = """
import threading, time
import anvl, anvl.numpy as np

run = anvl.jit(lambda x: np.sum(np.sin(x) @ np.cos(x)))
x = np.ones((64, 64))
run(x)
n = iter(range(10**9))

def compiling():
    k = next(n)
    anvl.jit(anvl.grad(lambda y: np.sum(np.sin(y * k) @ np.cos(y))))(x)

def lowering():
    anvl.jit(lambda y: np.sum(np.sin(y) @ np.cos(y))).lower(anvl.aval("f32", (4, 4))).mlir()

def forever(work):
    while True:
        work()

for work in (compiling, lowering, lambda: run(x), lambda: np.sin(x) + 1, lambda: run(x).item()):
    threading.Thread(target=forever, args=(work,), daemon=True).start()
time.sleep(0.5)
print("end", flush=True)
"""

# Nothing has run yet when the process ends: a thread traces, and is called by MLIR's code.
EARLY = """
import threading, time
import anvl
from anvl.dialect.core.mlir import ir

began = threading.Event()

def walked(op):
    began.set()
    time.sleep(0.3)
    return ir.WalkResult.INTERRUPT

def f(x):
    with ir.Context(), ir.Location.unknown():
        ir.Module.create().operation.walk(walked)
    return x

threading.Thread(target=anvl.trace, args=(f, anvl.aval("f32")), daemon=True).start()
began.wait()
print("end", flush=True)
"""

FORKS = """
import os, threading, time
import anvl, anvl.numpy as np

X = anvl.aval("f32", (3,))

def lowered():
    return anvl.jit(anvl.grad(lambda y: np.sum(np.sin(y)))).lower(X).mlir()

def forever(work):
    while True:
        work()

for work in (lowered, lambda: anvl.trace(np.cos, X)):
    threading.Thread(target=forever, args=(work,), daemon=True).start()
for _ in range(8):
    time.sleep(0.002)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if "cosine" in lowered() else 1)
    for _ in range(2000):  # 20 seconds
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            break
        time.sleep(0.01)
    else:
        os.kill(pid, 9)
        os._exit(2)
    if status:
        os._exit(3)
os._exit(0)
"""


def _run(script):
    return subprocess.run(
        # From 3.12 on Python warns of every fork where there are threads; we say it ourselves.
        [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", script],
        capture_output=True, timeout=120, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("script", [ENDS, EARLY], ids=["running", "before the first run"])
def test_daemon_threads_end_with_the_process(script):
    done = _run(script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_while_others_trace_and_lower_leaves_a_child_that_can():
    done = _run(FORKS)
    assert (done.returncode, done.stderr) == (0, "")
