"""Measures anvl against jax, prints tables and writes JSON: `make bench`.

    benchmarks/run.py                       everything, about ten minutes
    benchmarks/run.py --only b,c --quick    some of it, fewer sizes and rounds
    benchmarks/run.py --write-docs          everything, and the tables of docs/performance.md
    benchmarks/run.py --only n,o --write-docs    the suite, and its tables there

What the numbers mean: docs/performance.md.
"""

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path

import array_functions
import captured_memory
import compile_and_run
import eager
import gradient_to_stablehlo
import import_time
import loops
import lowering_per_op
import machine
import memory
import read_call
import report
import rolled
import second_start
import sharded_call
import transforms
import warm_call
from rows import Result
from sides import Side, sides
from suite.measured import run_functions, run_steps

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs" / "performance.md"
HISTORY = ROOT / "out" / "benchmarks"

BENCHMARKS: dict[str, Callable[[list[Side], str], Result]] = {
    "a": gradient_to_stablehlo.run,
    "b": warm_call.run,
    "c": eager.run,
    "d": import_time.run,
    "e": compile_and_run.run,
    "f": captured_memory.run,
    "g": lowering_per_op.run,
    "h": transforms.run,
    "i": memory.run,
    "j": loops.run,
    "k": second_start.run,
    "l": rolled.run,
    "m": array_functions.run,
    "p": sharded_call.run,
    "q": read_call.run,
}

#: Which programs of these are measured can be chosen.
SUITE: dict[str, Callable[[list[Side], str, str], Result]] = {"n": run_functions, "o": run_steps}

ALL = [*BENCHMARKS, *SUITE]


def main(argv: list[str] | None = None) -> int:
    os.environ["ANVL_CACHE"] = "0"  # compiling is measured, and nothing is written to the home
    parser = _parser()
    options = parser.parse_args(argv)
    chosen = options.only.split(",") if options.only else list(ALL)
    if unknown := set(chosen) - set(ALL):
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(ALL)}")
    part = options.programs or options.scale != "full" or options.no_jax
    if options.write_docs and (part or set(chosen) not in (set(ALL), set(SUITE), set(BENCHMARKS))):
        parser.error(
            "--write-docs: the document shows a full run; leave the other options out, or choose "
            f"{','.join(BENCHMARKS)} or {','.join(SUITE)}"
        )
    about = machine.description()
    print(report.machine_text(about), flush=True)
    both = sides(_with_jax(options.no_jax))
    results = _run(chosen, options.scale, both, options.programs)
    if options.scale != "tiny":  # where fixed costs are all there is
        print(f"\n{report.summary(results)}")
    path = options.json or HISTORY / f"{about['date'].replace(' ', '-').replace(':', '')}.json"
    report.write_json(path, about, options.scale, results)
    if options.write_docs:
        report.write_docs(DOCS, about, results)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="run.py", description="measure anvl against jax")
    parser.add_argument("--only", metavar="a,b,...", help=f"of {', '.join(ALL)}")
    parser.add_argument(
        "--programs", metavar="kron,sort,...", default="", help="of n and o those with such names"
    )
    size = parser.add_mutually_exclusive_group()
    size.set_defaults(scale="full")
    for scale, text in (("quick", "fewer sizes and rounds"), ("tiny", "only to see that it runs")):
        size.add_argument(f"--{scale}", action="store_const", const=scale, dest="scale", help=text)
    parser.add_argument("--no-jax", action="store_true", help="measure anvl alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="default: out/benchmarks/DATE")
    parser.add_argument("--write-docs", action="store_true", help="update docs/performance.md")
    return parser


def _with_jax(refused: bool) -> bool:
    if refused:
        print("\nskipped: everything about jax, by --no-jax")
        return False
    if importlib.util.find_spec("jax") is None:
        print("\nskipped: everything about jax, which is not installed (extra `bench`)")
        return False
    return True


def _run(chosen: list[str], scale: str, both: list[Side], programs: str) -> list[Result]:
    measured = []
    for name in chosen:
        result = (
            SUITE[name](both, scale, programs) if name in SUITE else BENCHMARKS[name](both, scale)
        )
        print(f"\n{report.text(result)}", flush=True)
        measured.append(result)
    return measured


if __name__ == "__main__":
    sys.exit(main())
