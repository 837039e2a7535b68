"""Give mutated texts, bytecode and artifacts to the tools; keep what ends one, shrunk to few lines.

    make fuzz-text SECONDS=300
    python -m anvl.tools.dev.fuzz_text --texts=5000 --bytecodes=500 --seed=7

The corpus is the lit tests and the blocks of the documentation, and what they lower to.  Each input
runs in a child forked from this process, which has imported all and has full caches (40 ms of a
processor an input, where it was 140), with a limit of time, by one of the commands of
`fuzz_commands.py`: half of them are `anvl-opt` with the pipelines of the documentation.  These
fail: a signal, a traceback or an "internal error", no diagnostic of an error, no end, and an output
that does not read back.  The same seed gives the same inputs.
"""

import argparse
import contextlib
import faulthandler
import gc
import importlib
import io
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from anvl.tools.dev.fuzz_commands import TOOLS, Command, drawn_command, malformed
from anvl.tools.dev.mutations import Mutator, mutated_bytes

__all__ = ["Failure", "Report", "corpus_of", "fuzz", "main"]

_ROOT = Path(__file__).resolve().parents[2]
_WAITING_SECONDS = (
    120  # for a child that computes nothing; a limit of a processor's time comes first
)
_SHRINKING_RUNS = 150
_INTERVAL = 0.002
_TEXTS_EACH = 8  # one in this many inputs is bytecode
_MANY = 10**9
_SHOWN_EVERY = 500
_DIAGNOSTIC = re.compile(r"(?m)^(?:anvl-\w+|[^\n]*?:\d+:\d+): error: \S")
_SPLIT = "// -----"
#: What the tools import late, which each child would import again.
_IMPORTED = ("anvl.runtime", "anvl.dialect.text.value_names", "anvl.tools.diff.diff_driver",
             "anvl.tools.opt.driver.processing", "anvl.tools.opt.verify_gradient",
             "anvl.tools.reduce.reduce_driver", "anvl.tools.run.driver",
             "anvl.tools.viz.viz_driver")  # fmt: skip
_SAMPLE = """func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
"""
#: Runs in the parent, none of which executes: the caches that they fill save a child 40 ms.
_SAMPLE_RUNS = (
    Command("anvl-opt", ("--cse", "--anvl-gradient=function=f", "--anvl-lower-to-stablehlo")),
    Command("anvl-opt", ("--anvl-forward=function=f", "--anvl-vectorize=function=f size=2")),
    Command("anvl-opt", ("--anvl-lower-to-stablehlo", "--anvl-lift", "--verify-roundtrip")),
    Command("anvl-opt", ("--anvl-control-flow", "--canonicalize", "--split-input-file")),
    Command("anvl-diff", ("--cse", "--json")),
    Command("anvl-viz", ("--cse",)),
)


@dataclass
class Failure:
    """A failing input, shrunk, and its failure."""

    cause: str
    content: bytes
    command: Command


@dataclass
class Report:
    """Statistics of a run."""

    texts: int = 0
    bytecodes: int = 0
    accepted: int = 0
    seconds: float = 0.0
    tools: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{self.texts} texts and {self.bytecodes} bytecodes in {self.seconds:.0f} s; "
            f"{self.accepted} accepted, {sum(self.causes.values())} failed",
            "by " + ", ".join(f"{name} {count}" for name, count in sorted(self.tools.items())),
        ]
        lines += [f"{count:6} {cause}" for cause, count in self.causes.most_common()]
        return "\n".join(lines)


def corpus_of(folders: Sequence[Path]) -> list[str]:
    """Chunks of the tests, and blocks of MLIR in documents."""
    texts: list[str] = []
    for folder in folders:
        for path in sorted(folder.rglob("*.mlir")):
            texts += path.read_text().split(_SPLIT)
        for path in sorted(folder.rglob("*.md")):
            texts += re.findall(r"```mlir[^\n]*\n(.*?)```", path.read_text(), re.DOTALL)
    # Comments say how a test is run, and are no part of a program.
    return [re.sub(r"(?m)^[ \t]*//[^\n]*\n", "", text) for text in texts if text.strip()]


def fuzz(
    corpus: Sequence[str],
    *,
    seed: int,
    texts: int = 0,
    bytecodes: int = 0,
    until: float = float("inf"),
    shrinking: bool = True,
) -> Report:
    """Run `texts` mutated texts, and `bytecodes` mutated bytecodes among them, until a time."""
    begun, report = time.monotonic(), Report()
    with (
        contextlib.suppress(KeyboardInterrupt),
        tempfile.TemporaryDirectory(prefix="anvl-fuzz-") as name,
    ):
        runner = _Runner(Path(name))
        mutator = Mutator(corpus, random.Random(seed))
        of_bytes = random.Random(seed)
        sound = _bytecodes(runner, corpus, of_bytes, min(bytecodes, 80))
        bytecodes = bytecodes if sound else 0
        while time.monotonic() < until:
            is_turn = (report.texts + report.bytecodes) % _TEXTS_EACH == 0
            if report.bytecodes < bytecodes and (is_turn or report.texts >= texts):
                content = mutated_bytes(of_bytes.choice(sound), of_bytes)
                report.bytecodes += 1
                _judge(report, runner, content, drawn_command(of_bytes, content), shrinking=False)
            elif report.texts < texts:
                draw = random.Random(f"{seed} {report.texts}")
                content = mutator.text().encode(errors="replace")
                report.texts += 1
                _judge(report, runner, content, drawn_command(draw, content), shrinking)
            else:
                break
    report.seconds = time.monotonic() - begun
    return report


def _judge(
    report: Report, runner: "_Runner", content: bytes, command: Command, shrinking: bool
) -> None:
    done = report.texts + report.bytecodes
    if done % _SHOWN_EVERY == 0:
        print(f"{done} inputs, {sum(report.causes.values())} failed", flush=True)
    cause = runner.run(content, command)
    report.tools[command.tool] += 1
    if cause == _ACCEPTED:
        report.accepted += 1
    elif cause:
        report.causes[cause] += 1
        if report.causes[cause] == 1:
            print(f"input {done}: {cause}\n  {command}", flush=True)
            if shrinking:
                content = _shrunk(content, lambda data: runner.run(data, command) == cause)
            report.failures.append(Failure(cause, content, command))


def _bytecodes(
    runner: "_Runner", corpus: Sequence[str], draw: random.Random, most: int
) -> list[bytes]:
    """Some texts of the corpus as bytecode, and those that are StableHLO as artifacts too."""
    found = []
    for text in draw.sample(list(corpus), min(len(corpus), most)):
        for write in (_as_bytecode, _as_artifact, _as_oldest_artifact):
            runner.write(text, write)
            data = runner.output.read_bytes()
            if data.startswith(b"ML\xefR"):
                found.append(data)
    return found


def _as_bytecode(module: Any) -> bytes:
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return written.getvalue()


def _as_artifact(module: Any) -> bytes:
    from anvl.dialect.core.mlir import stablehlo

    return stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())


def _as_oldest_artifact(module: Any) -> bytes:
    from anvl.dialect.core.mlir import stablehlo

    return stablehlo.serialize_portable_artifact(module, stablehlo.get_minimum_version())


# One input, in a child

_ACCEPTED = "accepted"


class _Runner:
    """Run tools in forked children: an import takes six times as long as a fork."""

    def __init__(self, folder: Path) -> None:
        self.input, self.output, self.errors = (
            folder / name for name in ("input.mlir", "output.mlir", "errors")
        )
        _warm_up()

    def write(self, text: str, form: Callable[[Any], bytes]) -> None:
        """Write a text in another form to `output`; nothing where it cannot be."""

        def work() -> int:
            from anvl.dialect.core.context import context
            from anvl.dialect.text.parsing import parsed

            self.output.write_bytes(form(parsed(text, "input", context())))
            return 0

        self._forked(work, 10)

    def run(self, content: bytes, command: Command) -> str:
        """The failure of an input; `_ACCEPTED` without one, `""` if it was refused with a
        diagnostic."""
        self.input.write_bytes(content)
        tool = TOOLS[command.tool]
        call = [str(self.input), *command.arguments]
        status = self._forked(lambda: _call(command.tool, call), tool.seconds)
        errors = self.errors.read_text(errors="replace")
        failed = _cause(command.tool, status, errors)
        if failed or status == tool.of_error:
            return failed
        if command.tool != "anvl-opt":
            return malformed(command, self.output.read_bytes()) or _ACCEPTED
        split = ["--split-input-file"] if "--split-input-file" in command.arguments else []
        copy = self.input.with_name("again.mlir")
        copy.write_bytes(self.output.read_bytes())
        status = self._forked(lambda: _call(command.tool, [str(copy), *split]), tool.seconds)
        again = self.errors.read_text(errors="replace")
        return _ACCEPTED if status == 0 else f"output does not read back: {_first(again)}"

    def _forked(self, work: Callable[[], int], seconds: int) -> int | None:
        """Exit status, negative for a signal; None after this time of a processor."""
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            faulthandler.disable()  # of a test runner
            gc.freeze()  # a collection would copy the pages of all that was imported
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            for path, descriptor in ((self.output, 1), (self.errors, 2)):
                os.dup2(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), descriptor)
            sys.stdout, sys.stderr = open(1, "w"), open(2, "w")
            code = 2
            try:
                code = work()
            except BaseException as error:
                print(f"Traceback: {type(error).__name__}: {error}", file=sys.stderr)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        return _waited(pid)


@cache
def _warm_up() -> None:
    """Do what children do, up to what a fork cannot take along: XLA, and other processes."""
    for name in (*_IMPORTED, *(tool.module for tool in TOOLS.values())):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="anvl-fuzz-") as name:
        sample, output = Path(name) / "sample.mlir", Path(name) / "output"
        sample.write_text(_SAMPLE)
        for tool, arguments in _SAMPLE_RUNS:
            main = importlib.import_module(TOOLS[tool].module).main
            if main([str(sample), *arguments, "-o", str(output)]) >= TOOLS[tool].of_error:
                raise RuntimeError(f"fuzz_text: {tool} {' '.join(arguments)} fails on a sample")


def _call(tool: str, arguments: Sequence[str]) -> int:
    main: Callable[[Sequence[str]], int] = importlib.import_module(TOOLS[tool].module).main
    return main(arguments)


def _waited(pid: int) -> int | None:
    until = time.monotonic() + _WAITING_SECONDS
    while time.monotonic() < until:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            code = os.waitstatus_to_exitcode(status)
            return None if code == -signal.SIGXCPU else code
        time.sleep(_INTERVAL)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _cause(tool: str, status: int | None, errors: str) -> str:
    """The failure of a run; `""` without one."""
    if status is None:
        return f"{tool}: no end within {TOOLS[tool].seconds} seconds"
    if status < 0:
        return f"{tool}: signal {signal.Signals(-status).name}: {_general(errors)}"
    if "Traceback" in errors or "internal error" in errors:
        at = errors.find("internal error") if "internal error" in errors else errors.find("Trace")
        return f"{tool}: traceback: {_general(errors[at:])}"
    if status > TOOLS[tool].of_error:
        return f"{tool}: exit code {status}"
    if status == TOOLS[tool].of_error and _DIAGNOSTIC.search(errors) is None:
        return f"{tool}: no diagnostic: {_general(errors)}"
    return ""


def _first(errors: str) -> str:
    found = re.search(r"error: ([^\n]*)", errors)
    return _general(found[1] if found else errors)


def _general(text: str) -> str:
    """The first line, without parts that differ between inputs."""
    line = text.strip().partition("\n")[0]
    return re.sub(r"0x[0-9a-f]+|\d+|'[^']*'|\"[^\"]*\"", "#", line)[:160]


def _shrunk(content: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """A shorter text that fails in the same way: without halves, then single lines, then tokens."""
    runs = _SHRINKING_RUNS
    for separator in (b"\n", b" "):
        parts, size = content.split(separator), len(content.split(separator)) // 2
        while size and runs:
            at, changed = 0, False
            while at < len(parts) and runs:
                runs -= 1
                fewer = parts[:at] + parts[at + size :]
                if fails(separator.join(fewer)):
                    parts, changed = fewer, True
                else:
                    at += size
            size = size if changed and size == 1 else size // 2
        content = separator.join(parts)
    return content


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; its exit code is 1 if an input failed."""
    parser = argparse.ArgumentParser(prog="anvl.tools.dev.fuzz_text", allow_abbrev=False)
    parser.add_argument("--seed", type=int, default=0, help="0 draws one")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--texts", type=int, help="how many; without either, both until the end")
    parser.add_argument("--bytecodes", type=int, help="how many, among the texts")
    parser.add_argument("--out", type=Path, default=_ROOT / "out" / "fuzz-text")
    options = parser.parse_args(argv)
    seed = options.seed or random.randrange(1, 10**6)
    print(f"seed {seed}", flush=True)
    corpus = corpus_of([_ROOT / "test" / "lit", _ROOT / "docs"])
    until = time.monotonic() + options.seconds
    numbers = [options.texts, options.bytecodes]
    texts, bytecodes = [_MANY] * 2 if numbers == [None, None] else [n or 0 for n in numbers]
    report = fuzz(corpus, seed=seed, texts=texts, bytecodes=bytecodes, until=until)
    print(report)
    options.out.mkdir(parents=True, exist_ok=True)
    for i, failure in enumerate(report.failures):
        path = options.out / f"{seed}-{i}.mlir"
        path.write_bytes(failure.content)
        print(f"{failure.cause}\n  {str(failure.command).replace('FILE', str(path), 1)}")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
