"""The code blocks of the documentation run, block after block, file by file.

What each kind of block means is written in CONTRIBUTING.md, "Code in the documentation".
"""

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tool_server import tools_folder

BIN = Path(sys.executable).parent
ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass
class Block:
    """A fenced block: the first word after the fence, the words behind it, and where it stands."""

    language: str
    words: list[str]
    text: str
    line: int


def blocks(document: str) -> list[Block]:
    found = []
    for fence in FENCE.finditer(document):
        language, *words = fence[1].split() or [""]
        found.append(Block(language, words, fence[2], document.count("\n", 0, fence.start()) + 2))
    return found


class Session:
    """Runs the blocks of one document: one namespace, one folder, the output of the last block."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.namespace: dict[str, object] = {"__name__": "__main__"}
        self.output = ""

    def run(self, block: Block) -> None:
        if "skip" in block.words:
            return
        for word in block.words:
            self.prepare(block, *word.partition("=")[::2])
        match block.language, block.words:
            case "python", _:
                self.run_python(block)
            case "sh", ["run", *_]:
                self.run_command(block, ["bash", "-e", "-c", block.text])
            case "mlir", _:
                self.run_command(block, ["anvl-opt", "-"])
            case "text", ["output", *_]:
                self.compare(block)

    def prepare(self, block: Block, word: str, value: str) -> None:
        if word == "file":
            (self.folder / value).write_text(block.text)
        elif word == "needs" and shutil.which(value) is None:
            pytest.skip(f"{self.name}:{block.line}: no {value} here")

    def run_python(self, block: Block) -> None:
        # The empty lines make tracebacks point into the document.
        code = compile("\n" * (block.line - 1) + block.text, self.name, "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.chdir(self.folder):
            exec(code, self.namespace)
        self.output = printed.getvalue()

    def run_command(self, block: Block, command: list[str]) -> None:
        path = os.pathsep.join(map(str, [tools_folder(), BIN, os.environ["PATH"]]))
        done = subprocess.run(
            command,
            cwd=self.folder,
            input=block.text if block.language == "mlir" else "",
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{self.name}:{block.line}: {done.stderr}"
        self.output = done.stdout

    def compare(self, block: Block) -> None:
        same = doctest.OutputChecker().check_output(block.text, self.output, LOOSE)
        assert same, f"{self.name}:{block.line}: the block above printed\n{self.output}"


#: Documents that take seconds: they are left to `make sweep-part`, or to whoever names the test.
LONG = {
    f"docs/{name}.md"
    for name in """add-a-pass anvl-lsp anvl-opt anvl-reduce array-api captured-state
    check-gradients coming-from-numpy coming-from-pytorch control-flow custom-rules debugging
    devices distributed effects ffi fuzzing hundred-lines looking-at-programs nn optim profiling
    random recompilation scaling scipy sharding transformations your-own-op""".split()
}  # fmt: skip


def _cases() -> Iterator[Any]:
    for path in DOCUMENTS:
        name = path.relative_to(ROOT).as_posix()
        marks = [pytest.mark.sweep(keep=0, part=200)] if name in LONG else []
        yield pytest.param(path, id=name, marks=marks)


@pytest.mark.parametrize("path", list(_cases()))
def test_the_code_of_a_document_runs(path, tmp_path, own_ops):
    session = Session(path.relative_to(ROOT).as_posix(), tmp_path)
    for block in blocks(path.read_text()):
        session.run(block)


def test_a_dialect_a_pass_and_a_lowering_have_a_hundred_lines():
    page = (ROOT / "docs" / "hundred-lines.md").read_text()
    (own,) = [block for block in blocks(page) if "file=fuse_ops.py" in block.words]
    assert own.text.count("\n") <= 100
    assert all(word in own.text for word in ("(AnvlOp", "(Pass", "def lower("))


def run(document: str, tmp_path: Path) -> Session:
    session = Session("doc.md", tmp_path)
    for block in blocks(document):
        session.run(block)
    return session


def test_python_blocks_share_a_namespace_and_their_output_is_compared(tmp_path):
    run("```python\nx = 2\n```\n```python\nprint(x)\n```\n```text output\n2\n```\n", tmp_path)


def test_a_wrong_output_is_noticed(tmp_path):
    with pytest.raises(AssertionError, match=r"doc\.md:5: the block above printed\s+2"):
        run("```python\nprint(2)\n```\n```text output\n3\n```\n", tmp_path)


def test_a_failing_block_names_its_line_in_the_document(tmp_path):
    with pytest.raises(ZeroDivisionError) as raised:
        run("text\n\n```python\n1 / 0\n```\n", tmp_path)
    last = raised.traceback[-1]
    assert (last.path, last.lineno + 1) == ("doc.md", 4)


def test_a_saved_block_is_there_for_the_shell(tmp_path):
    session = run("```text file=a.txt\nhello\n```\n```sh run\ncat a.txt\n```\n", tmp_path)
    assert session.output == "hello\n"


def test_a_failing_shell_block_is_noticed(tmp_path):
    with pytest.raises(AssertionError, match=r"doc\.md:2"):
        run("```sh run\nfalse\ntrue\n```\n", tmp_path)


def test_what_a_machine_lacks_skips_the_rest_of_a_document(tmp_path):
    with pytest.raises(pytest.skip.Exception, match=r"doc\.md:2: no no-such-tool here"):
        run("```sh run needs=no-such-tool\nfalse\n```\n", tmp_path)
    with pytest.raises(AssertionError):
        run("```sh run needs=sh\nfalse\n```\n", tmp_path)


def test_what_only_shows_does_not_run(tmp_path):
    document = (
        "```sh\nexit 1\n```\n```python skip\n1 / 0\n```\n```text\nx\n```\n```mlir skip\n?\n```\n"
    )
    assert run(document, tmp_path).output == ""
