"""Run the tests on each supported Python that the machine has, with the newest wheels it takes.

    python tools/dev/test_matrix.py                                 `make test` on each
    python tools/dev/test_matrix.py --newest test/unit/runtime      these tests, on the newest alone
    python tools/dev/test_matrix.py --newer test/unit/runtime       if it is newer than this Python
    python tools/dev/test_matrix.py --python 3.13 --stages check lit    these stages, on this Python

On a machine that is busy with other things: `nice make test-matrix`, with
`PYTEST_XDIST_AUTO_NUM_WORKERS=1` for one process of tests, and `ANVL_STEP_SECONDS=7200` for a step
that may take two hours.

Each Python has an environment of its own, `.venv-3.12`.  One that is not here is named.  The tests
are counted in `out/reports/total`, as by `run_tests.py`.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TOTAL = ROOT / "out" / "reports" / "total"
VERSIONS = ("3.11", "3.12", "3.13")
_THIS = VERSIONS.index(".".join(map(str, sys.version_info[:2])))
_ASK = "import sys; print('.'.join(map(str, sys.version_info[:2])))"
_JAXLIB = "from importlib.metadata import version; print(version('jaxlib'))"


class Outcome(NamedTuple):
    """The tests on one Python."""

    version: str
    jaxlib: str
    is_passed: bool
    seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    options = _parser().parse_args(argv)
    found = _found()
    if options.python:
        found = {v: path for v, path in found.items() if v in options.python}
    if options.newer:
        found = {v: path for v, path in found.items() if VERSIONS.index(v) > _THIS}
        if not found:
            return _nothing_is_newer()
    if not found:
        return 1
    chosen = list(found)[-1:] if options.newest or options.newer else list(found)
    return _told([tried(v, found[v], options.paths, options.stages) for v in chosen])


def _found() -> dict[str, Path]:
    """The Pythons of the machine; those that it lacks are named."""
    found = {v: path for v in VERSIONS if (path := interpreter(v)) is not None}
    for missing in sorted(set(VERSIONS) - set(found)):
        print(f"test-matrix: no Python {missing} here")
    return found


def _told(outcomes: Sequence[Outcome]) -> int:
    """Print the outcomes; returns the exit code."""
    print("\nPython  jaxlib     tests")
    for one in outcomes:
        verdict = "passed" if one.is_passed else "FAILED"
        print(f"{one.version:6}  {one.jaxlib:9}  {verdict} in {one.seconds:.0f} s")
    return 0 if all(one.is_passed for one in outcomes) else 1


def _nothing_is_newer() -> int:
    """A machine that has one Python is no failure."""
    print(f"test-matrix: no Python newer than {VERSIONS[_THIS]} here, so no tests are run on one")
    TOTAL.parent.mkdir(parents=True, exist_ok=True)
    TOTAL.write_text("0 passed, 0 failed\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="test_matrix", description=__doc__.splitlines()[0])
    parser.add_argument("--newest", action="store_true", help="only the newest Python found")
    parser.add_argument(
        "--newer", action="store_true", help="only the newest Python found, if newer than this one"
    )
    parser.add_argument(
        "--python", nargs="+", choices=VERSIONS, default=[], help="these Pythons; all without it"
    )
    parser.add_argument(
        "--stages", nargs="+", default=[], help="stages of run_tests.py; all without it"
    )
    parser.add_argument("paths", nargs="*", help="tests to run; `make test` if there are none")
    return parser


def interpreter(version: str) -> Path | None:
    """A Python of this version: on the PATH, or of pyenv."""
    on_path = shutil.which(f"python{version}")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [*([Path(on_path)] if on_path else []), *pyenv.glob(f"{version}.*/bin/python3")]
    return next((path for path in candidates if _version_of(path) == version), None)


def _version_of(path: Path) -> str:
    """The version that an interpreter says it has; pyenv's shims of others say nothing."""
    done = subprocess.run([path, "-c", _ASK], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def tried(version: str, python: Path, paths: Sequence[str], stages: Sequence[str] = ()) -> Outcome:
    """Make the environment of a Python, and run the tests in it."""
    begun = time.monotonic()
    given = [f"PYTHON={python}", f"VENV=.venv-{version}"]
    inside = ROOT / f".venv-{version}" / "bin" / "python"
    part = ["unit", "--only", *paths] if paths else stages
    targets = ["setup", "typing"] if part else ["test"]
    done = subprocess.run(["make", "--no-print-directory", *targets, *given], cwd=ROOT)
    if part and done.returncode == 0:
        done = subprocess.run([str(inside), "tools/dev/run_tests.py", *part], cwd=ROOT)
    jaxlib = subprocess.run([inside, "-c", _JAXLIB], capture_output=True, text=True).stdout.strip()
    return Outcome(version, jaxlib, done.returncode == 0, time.monotonic() - begun)


if __name__ == "__main__":
    sys.exit(main())
