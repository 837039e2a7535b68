"""`anvl-lsp` as a command, and the children that read texts for it."""

import json
import os
import signal
import subprocess
import sys

import pytest

from anvl import runtime
from anvl.tools.lsp import analysis
from anvl.tools.lsp.child import Child
from anvl.tools.lsp.lsp_tool import main
from anvl.tools.run.worker import ChildEnded

# Children


def _sleep_or_answer(question):
    if question == "sleep":
        import time

        time.sleep(1000)
    return os.getpid()


@pytest.mark.sweep(keep=0)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the questions are not of a module")
def test_a_child_that_takes_too_long_is_replaced(monkeypatch):
    monkeypatch.setattr(runtime, "has_client", lambda: False)  # an earlier test may have made one
    child = Child(_sleep_or_answer, 2.0)
    with pytest.raises(ChildEnded, match=r"took longer than 2 s"):
        child.ask("sleep")
    assert child.ask("") != os.getpid()
    child.close()


def test_where_nothing_is_forked_a_process_is_started(monkeypatch):
    monkeypatch.setattr("anvl.tools.lsp.child.forked", lambda serve: None)
    child = Child(analysis.answer, 60, analysis.__name__)
    found = child.ask({"do": "check", "name": "f", "text": "%"})["diagnostics"]
    assert [x["message"] for x in found] == ["invalid SSA name"]
    child.close()


# The command line


def test_without_pygls_it_says_what_to_install(monkeypatch, capsys):
    for name in ("anvl.tools.lsp.server", "pygls.lsp.server"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert main([]) == 1
    assert capsys.readouterr() == (
        "", "anvl-lsp: error: pygls is not installed; run: pip install 'anvl-mlir[lsp]'\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--laod=x"], "anvl-lsp: error: unknown flag --laod, did you mean '--load'?"),
        (["f.mlir"], "anvl-lsp: error: an editor gives it the text, not the command line: f.mlir"),
        (["--seconds=x"], "anvl-lsp: error: --seconds takes a whole number, 0 or more, got 'x'"),
        (["--seconds=0"], "anvl-lsp: error: --seconds takes a number from 1 on, got 0"),
        (["--load=no.py"], "no.py:1:1: error: --load: there is no such file"),
    ],
)
def test_errors_of_the_command_line(arguments, error, capsys):
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(error)


def test_questions(capsys):
    assert main(["--help"]) == main(["--version"]) == 0
    out = capsys.readouterr().out
    assert "--allow-unregistered-dialect" in out and "StableHLO" in out


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
def test_a_server_that_is_told_to_end_leaves_no_files(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-m", "anvl.tools.lsp.lsp_tool"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    params = {"capabilities": {}, "processId": None, "rootUri": None}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    text = json.dumps(asked)
    child.stdin.write(f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
    child.stdin.flush()
    assert child.stdout.readline().startswith(b"Content-")  # it serves
    assert list(tmp_path.iterdir()) != []
    child.send_signal(signal.SIGTERM)
    assert child.wait(20) == -signal.SIGTERM
    child.stdin.close()
    child.stdout.close()
    assert list(tmp_path.iterdir()) == []
