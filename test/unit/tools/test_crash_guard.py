"""Running a tool in a child process: how it ends, and what its parent says of it."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from anvl.tools.io.command_line import UsageError
from anvl.tools.opt import native_printing

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


def start(code: str) -> subprocess.Popen[str]:
    prelude = "import os, signal, sys, time\nfrom anvl.tools.io.crash_guard import *\n"
    return subprocess.Popen(
        [sys.executable, "-c", prelude + textwrap.dedent(code)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def output_of(code: str) -> tuple[int, str]:
    process = start(code)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out


@pytest.mark.parametrize("code", [0, 1, 130])
def test_the_exit_code_is_that_of_the_child(code):
    assert output_of(f"print('once')\nsys.exit(guarded(lambda: {code}))") == (code, "once\n")


def test_a_crash_has_the_signal_and_the_last_note():
    done = output_of(
        """
        def run():
            note("first", "a")
            note("é: the pass", 'loc("a":1:2)')
            note_op("where", "the op" * 20_000)
            os.kill(os.getpid(), signal.SIGSEGV)
        end = guarded(run)
        print(end.name, end.step, end.location, end.is_fault, end.op_location, end.op[:6])
        print(end.how)
        """
    )
    said = 'SIGSEGV é: the pass loc("a":1:2) True where the op\ncrashed, SIGSEGV\n'
    assert done == (0, said)


@pytest.mark.parametrize("code", [0, 3])
def test_a_process_that_a_pass_ends_has_crashed(code):
    done = output_of(f"end = guarded(lambda: os._exit({code}))\nprint(end.how, end.is_fault)")
    assert done == (0, f"ended the process, exit code {code} True\n")


@pytest.mark.parametrize("end", ["leave(7)", "sys.exit(7)"])
def test_a_tool_that_leaves_has_not_crashed(end):
    assert output_of(f"guarded(lambda: {end})") == (7, "")


def test_a_note_without_a_parent_is_nowhere():
    assert output_of("note('nothing')") == (0, "")


def test_a_crash_before_any_note():
    crash = "lambda: os.kill(os.getpid(), signal.SIGKILL)"
    code = f"end = guarded({crash})\nprint(repr(end.step), end.how, end.is_fault)"
    assert output_of(code) == (0, "'' crashed, SIGKILL False\n")


@pytest.mark.parametrize("seconds", [0, 0.5], ids=["soon", "late"])
def test_a_signal_to_the_parent_ends_the_child(seconds):
    """Also one that comes before the parent, which is slow after its fork, waits."""
    process = start(
        f"""
        fork = os.fork
        def slow():
            child = fork()
            time.sleep({seconds} if child else 0)
            return child
        os.fork = slow
        def run():
            print(os.getpid(), flush=True)
            time.sleep(600)
            return 0
        ended = guarded(run)
        sys.exit(ended if isinstance(ended, int) else ended.name)
        """
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 1
    assert process.stdout.read() == ""  # the child, which holds it too, has ended
    process.stdout.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is Linux that tells the child")
def test_the_child_ends_when_its_parent_is_killed():
    process = start("guarded(lambda: print('here', flush=True) or time.sleep(600) or 0)")
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    assert process.stdout.read() == ""  # not before the child has ended
    process.wait(60)
    process.stdout.close()


def test_a_build_of_mlir_with_other_flags_is_refused(monkeypatch):
    monkeypatch.setattr(native_printing, "_bit_of", len)
    native_printing._hidden_bits.cache_clear()
    with pytest.raises(UsageError, match="this build of MLIR keeps these flags elsewhere"):
        native_printing._hidden_bits()
    native_printing._hidden_bits.cache_clear()
