"""Run the tests of the repository and count them.

    python tools/dev/run_tests.py                 everything
    python tools/dev/run_tests.py check lit       only these stages
    python tools/dev/run_tests.py --full examples the examples in full, not their short form
    python tools/dev/run_tests.py unit --only test/unit/runtime      only these tests in Python

Each command is printed before it runs.  Every stage runs, also after one has failed; the last line
reads `<n> passed, <n> failed` and the exit status is 1 if anything failed.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
OUT = Path("out")
REPORTS = OUT / "reports"
# A longer step hangs: an idle machine takes 700 s for the longest.
STEP_SECONDS = int(os.environ.get("ANVL_STEP_SECONDS", "1800"))


@dataclass
class Step:
    """A command; a report gives the number of its tests, without one it is one test.

    A quiet one prints only where it fails.
    """

    name: str
    command: list[str]
    report: Path | None = None
    is_quiet: bool = False


@dataclass
class Result:
    """Result of a step."""

    name: str
    passed: int
    failed: int
    skipped: int
    seconds: float

    def __str__(self) -> str:
        counts = f"{self.passed:>8}{self.failed:>8}{self.skipped:>9}"
        return f"{self.name:32}{counts}{self.seconds:>8.1f} s"


def check_steps() -> list[Step]:
    """They take one core each, and mypy as long as all others, so it begins first.

    The tests are collected so that their modules are compiled once, beside mypy: each process of
    the next stage would compile all of them.
    """
    return [
        Step("types", ["mypy"]),
        Step("tests can be collected", ["pytest", "--collect-only", "-qq"], is_quiet=True),
        Step("format", ["ruff", "format", "--check", "."]),
        Step("lint", ["ruff", "check", "."]),
        Step("sizes", ["python", "tools/dev/check_sizes.py"]),
        Step("lit directives", ["anvl-lint-checks"]),
        Step("generated files", ["python", "-m", "anvl.tools.dev.generate", "--check"]),
    ]


def unit_steps(only: Sequence[str] = ()) -> list[Step]:
    report = REPORTS / "unit.xml"
    # A process a core: XLA compiles on all of them, but much of a test is Python.
    several = ["-n", "auto", "--maxprocesses=4", "--dist=worksteal"]
    return [Step("test/unit", ["pytest", "-q", *several, f"--junitxml={report}", *only], report)]


def lit_steps() -> list[Step]:
    report = REPORTS / "lit.xml"
    command = ["lit", "-sv", "--timeout=120", f"--xunit-xml-output={report}", "test/lit"]
    return [Step("test/lit", command, report)]


def example_steps(form: Sequence[str] = ("--quick", "--short")) -> list[Step]:
    """Examples, as `form` says: in their short form, those that take few seconds so."""
    command = ["python", "tools/dev/run_examples.py", str(OUT), *form]
    return [Step("examples", command, REPORTS / "examples.xml")]


#: Stages of long steps, one after the other; they use all cores themselves.
STAGES: dict[str, Callable[[], list[Step]]] = {
    "unit": unit_steps,
    "lit": lit_steps,
    "examples": example_steps,
    "long-examples": lambda: example_steps(("--quick", "--long")),
}
NAMES = ("check", "unit", "lit", "examples")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="run_tests", description="run the tests and count them")
    parser.add_argument("stages", nargs="*", help=f"{', '.join(NAMES)}, if none is named")
    parser.add_argument("--full", action="store_true", help="the examples in full")
    parser.add_argument("--only", nargs="+", default=[], help="tests of the stage unit")
    given = parser.parse_args(argv)
    _choose(parser, given)
    (ROOT / REPORTS).mkdir(parents=True, exist_ok=True)
    results = [result for stage in given.stages or NAMES for result in _run_stage(stage)]
    print(f"\n{'':32}{'passed':>8}{'failed':>8}{'skipped':>9}")
    print("\n".join(map(str, results)))
    failed = sum(result.failed for result in results)
    total = f"{sum(result.passed for result in results)} passed, {failed} failed"
    (ROOT / REPORTS / "total").write_text(f"{total}\n")
    print(f"\n{total}")
    return 1 if failed else 0


def _choose(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Refuse names of no stage, and change the stages as the options say."""
    known = ("check", *STAGES)
    if unknown := set(given.stages) - set(known):
        parser.error(f"no such stage: {', '.join(unknown)}; there are {', '.join(known)}")
    if given.only and given.stages != ["unit"]:
        parser.error("--only names tests of the stage unit: unit --only test/unit/runtime")
    if given.only:
        STAGES["unit"] = lambda: unit_steps(given.only)
    if given.full:
        STAGES["examples"] = lambda: example_steps(())


def _run_stage(stage: str) -> list[Result]:
    """Run the steps of a stage; those of `check` two at a time, which print when they end."""
    if stage in STAGES:
        return [_run(step) for step in STAGES[stage]()]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(_run_quietly, check_steps()))


def _run(step: Step) -> Result:
    print(f"\n$ {shlex.join(step.command)}", flush=True)
    if step.report:
        (ROOT / step.report).unlink(missing_ok=True)
    start = time.monotonic()
    status, _ = _status(step.command)
    counts = _counts(ROOT / step.report if step.report else None, status)
    return Result(step.name, *counts, time.monotonic() - start)


def _run_quietly(step: Step) -> Result:
    """Run a step, whose output is printed when it ends."""
    start = time.monotonic()
    status, output = _status(step.command, captures=True)
    shown = "" if step.is_quiet and status == 0 else output
    print(f"\n$ {shlex.join(step.command)}\n{shown}", end="", flush=True)
    return Result(step.name, *_counts(None, status), time.monotonic() - start)


def _status(command: list[str], *, captures: bool = False) -> tuple[int, str]:
    """Exit status of a command, and its output if it is captured."""
    environment = os.environ | {
        "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}",
        "MPLBACKEND": "Agg",
        "ANVL_CACHE": "0",  # programs are compiled, and nothing is written to the home directory
    }
    # Windows looks for a command where this process would, not where its environment says.
    program = shutil.which(command[0], path=environment["PATH"]) or command[0]
    try:
        done = subprocess.run(
            [program, *command[1:]],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=STEP_SECONDS,
            text=True,
            stdout=subprocess.PIPE if captures else None,
            stderr=subprocess.STDOUT if captures else None,
        )
        return done.returncode, done.stdout or ""
    except subprocess.TimeoutExpired:
        print(f"{command[0]}: still running after {STEP_SECONDS} s, stopped")
        return 1, ""


def _counts(report: Path | None, status: int) -> tuple[int, int, int]:
    """Passed, failed and skipped tests; a failing status is a failure even without one in the
    report."""
    tests, failed, skipped = (1, status != 0, 0) if report is None else _reported(report)
    return tests - failed - skipped, max(int(failed), int(status != 0)), skipped


def _reported(report: Path) -> tuple[int, int, int]:
    """Tests, failures and skips in the JUnit report of pytest or lit."""
    if not report.exists():
        return 0, 0, 0
    suites = list(ElementTree.parse(report).iter("testsuite"))

    def total(*names: str) -> int:
        return sum(int(suite.get(name, 0)) for suite in suites for name in names)

    return total("tests"), total("failures", "errors"), total("skipped")


if __name__ == "__main__":
    sys.exit(main())
