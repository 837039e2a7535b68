"""Run the examples, two at a time, in processes that begin with what they import.

    python tools/dev/run_examples.py out --quick           each example's short form, into out/NAME
    python tools/dev/run_examples.py out --quick --short   those whose short form takes few seconds
    python tools/dev/run_examples.py out --quick --long    the others
    python tools/dev/run_examples.py out                   in full

Imports are half of the time that a short form takes: each process is forked from one that has made
them, where the system can fork.  A script `examples/NAME.sh` follows its example.  The results are
written to `out/reports/examples.xml`, as JUnit.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = (
    "matplotlib.figure", "sklearn.datasets", "sklearn.linear_model", "sklearn.model_selection",
    "anvl.image", "anvl.nn", "anvl.numpy", "anvl.optim", "anvl.random", "anvl.scipy",
)  # fmt: skip

#: Those whose short form takes more than some seconds, which `make sweep-part` runs.
LONG = {"convolution", "hmc", "mixed_precision", "ode", "sharded", "transformer"}
PARTS = {"--short": False, "--long": True}  # whether those of a part are long


class Outcome(NamedTuple):
    """What running an example, or its script, gave: None where nothing went wrong."""

    name: str
    output: str
    error: str | None
    seconds: float


def main(argv: Sequence[str]) -> int:
    """Run the examples; returns 1 if one failed."""
    out, *options = argv
    form = [option for option in options if option not in PARTS]
    paths = chosen(option for option in options if option in PARTS)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads of two would wait for each other
    can_fork = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if can_fork else "spawn")
    if can_fork:
        context.set_forkserver_preload(list(IMPORTED))
    outcomes = []
    with ProcessPoolExecutor(2, context, max_tasks_per_child=1) as pool:
        for found in pool.map(partial(outcomes_of, out=out, form=form), paths):
            for outcome in found:
                print(f"\n$ {outcome.name} ({outcome.seconds:.1f} s)\n{outcome.output}", flush=True)
            outcomes += found
    _write_report(Path(out) / "reports" / "examples.xml", outcomes)
    return int(any(outcome.error is not None for outcome in outcomes))


def chosen(parts: Iterable[str] = ()) -> list[Path]:
    """The examples of a part, or all."""
    paths = [p for p in sorted((ROOT / "examples").glob("*.py")) if not p.stem.startswith("__")]
    kinds = {PARTS[part] for part in parts} or {False, True}
    return [path for path in paths if (path.stem in LONG) in kinds]


def outcomes_of(path: Path, out: str, form: Sequence[str]) -> list[Outcome]:
    """Run an example in this process, then its script, if it has one."""
    folder, script = f"{out}/{path.stem}", path.with_suffix(".sh")
    python = _recorded(f"examples/{path.name}", partial(_run, path, ["--out", folder, *form]))
    if python.error is not None or not script.exists():
        return [python]
    return [python, _recorded(f"examples/{script.name}", partial(_run_script, script, folder))]


def _run(path: Path, arguments: Sequence[str]) -> None:
    sys.argv = [str(path), *arguments]
    runpy.run_path(str(path), run_name="__main__")


def _run_script(path: Path, folder: str) -> None:
    subprocess.run(["bash", str(path), folder], check=True, stdin=subprocess.DEVNULL)


def _recorded(name: str, run: partial[None]) -> Outcome:
    """Run something whose output, also that of its processes and libraries, goes to a file."""
    start, error = time.monotonic(), None
    with tempfile.TemporaryFile("w+") as file:
        kept = [os.dup(1), os.dup(2)]
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            run()
        except SystemExit as exit:
            error = None if exit.code in (None, 0) else f"exit: {exit.code}"
        except BaseException:
            error = traceback.format_exc()
        finally:
            sys.stdout.flush()
            for to, copy in enumerate(kept, 1):
                os.dup2(copy, to)
                os.close(copy)
        file.seek(0)
        output = file.read()
    return Outcome(name, output + (error or ""), error, time.monotonic() - start)


def _write_report(path: Path, outcomes: Sequence[Outcome]) -> None:
    failed = sum(outcome.error is not None for outcome in outcomes)
    suite = ElementTree.Element("testsuite", tests=str(len(outcomes)), failures=str(failed))
    suite.extend(_cases(outcomes))
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(suite).write(path)


def _cases(outcomes: Sequence[Outcome]) -> Iterator[ElementTree.Element]:
    for outcome in outcomes:
        case = ElementTree.Element("testcase", name=outcome.name, time=f"{outcome.seconds:.1f}")
        if outcome.error is not None:
            ElementTree.SubElement(case, "failure", message=outcome.error)
        yield case


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
