"""`make mutants`: plants bugs in the rules of the ops, and counts what the narrow tests find.

    python test/mutants/run.py                  the elementwise table, and a sample of the rest
    python test/mutants/run.py anvl.gather      every bug in the rules of an op
    python test/mutants/run.py --list anvl.gather

A bug is found if the checks of its op (`anvl.testing.op_check`) find a problem within a minute of a
processor, and none of the right rules.
Each result is appended to a file, so that a run that was ended goes on; after a change to the rules
or to the tests it begins anew (`--missed`: only what was not found before).  What is not found and
is no bug stands in `equivalent.txt`, with a reason; other survivors have theirs in `surviving.txt`.
At least 95 % must be found of all that are bugs.
"""

import argparse
import hashlib
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
UNIT = HERE.parent / "unit"
sys.path[:0] = [str(HERE), str(UNIT), str(UNIT / "dialect"), str(UNIT / "passes")]

from results import Results, has_reason, report  # noqa: E402
from worker import Worker, work  # noqa: E402

SAMPLE = 10  # bugs of an op that is no line of the table, by a fixed seed
SEED = 12
MORE = 7  # other ops that are tried for a bug in what serves several; then the rest, 8 at a time
_LONG = {
    f"anvl.{name}"
    for name in """cholesky det eig eigh eigvals eigvalsh lu pinv qr slogdet solve svd svdvals
    triangular_solve betainc""".split()
}


class Planted(NamedTuple):
    """A bug, by its name in the op that it is planted for, and in others that it serves too."""

    op: str
    names: list[tuple[str, str]]

    @property
    def name(self) -> str:
        return self.names[0][1]


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    if options.work:
        return work()
    bugs = list(every_bug(options.ops) if options.ops else sampled(options.sample, options.seed))
    if options.list:
        print(*(bug.name for bug in bugs), sep="\n")
        return 0
    results, start = Results(Path(options.out), options.fresh, options.missed), time.monotonic()
    for attempt in range(0 if options.report else MORE + 1):
        run(bugs, attempt, results, options.jobs)
    if not options.report:
        run_in_all(bugs, results, options.jobs)
    return report(bugs, results, time.monotonic() - start)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.splitlines()[0])
    parser.add_argument(
        "ops", nargs="*", help="ops, by their names in the IR; a sample of all else"
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="bugs of an op off the table")
    parser.add_argument("--seed", type=int, default=SEED, help="which bugs are in the sample")
    parser.add_argument("--list", action="store_true", help="only name the bugs")
    parser.add_argument("--report", action="store_true", help="only say what was found so far")
    parser.add_argument("--fresh", action="store_true", help="forget the results of former runs")
    parser.add_argument(
        "--missed", action="store_true", help="what was found before a change counts as found"
    )
    parser.add_argument("--out", default="out/mutants.jsonl", help="the file of the results")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    return parser


# -- which bugs ------------------------------------------------------------------------------------


def every_bug(ops: Sequence[str]) -> Iterator[Planted]:
    """All bugs of some ops."""
    from planted import bugs_of

    for op in ops:
        yield from (Planted(op, [(op, bug.name)]) for bug in bugs_of(op))


def sampled(count: int, seed: int) -> Iterator[Planted]:
    """All bugs of the lines of the elementwise table; of the other ops as many of each.

    One in a function that serves several ops is planted for one of them; if it is not found there,
    for the others, one of which may find it.
    """
    from planted import bugs_of

    from anvl.dialect.core.op_registry import OPS

    shared: dict[Any, list[Any]] = {}
    for op in sorted(OPS):
        for bug in bugs_of(op):
            shared.setdefault((bug.home, bug.where, bug.kind, bug.text), []).append(bug)
    by_op: dict[str, list[Planted]] = {op: [] for op in sorted(OPS)}
    for bugs in shared.values():
        chosen = sorted(bugs, key=lambda bug: _rank(bug.name, seed))
        by_op[chosen[0].op].append(Planted(chosen[0].op, [(b.op, b.name) for b in chosen]))
    for op, planted in by_op.items():
        ranked = sorted(planted, key=lambda bug: _rank(bug.name, seed))
        yield from ranked if _is_line(OPS[op]) else ranked[:count]


def _rank(name: str, seed: int) -> bytes:
    """A number by chance, the same whatever other bugs there are."""
    return hashlib.sha256(f"{seed} {name}".encode()).digest()


def _is_line(op_class: Any) -> bool:
    """Whether an op is a line of the elementwise table."""
    return op_class.__module__ == "anvl.dialect.ops.elementwise.elementary"


# -- running ---------------------------------------------------------------------------------------


def run(bugs: Sequence[Planted], attempt: int, results: Results, jobs: int) -> None:
    """Try what was not found so far, each bug in the next op that it serves."""
    pairs = [
        bug.names[attempt]
        for bug in bugs
        if attempt < len(bug.names) and not results.is_found(bug.names)
    ]
    _run_pairs(pairs, results, jobs)


def run_in_all(bugs: Sequence[Planted], results: Results, jobs: int) -> None:
    """Try what was not found and has no reason in all other ops that it serves, some at a time."""
    most = max((len(bug.names) for bug in bugs), default=0)
    for start in range(MORE + 1, most, MORE + 1):
        left = [bug for bug in bugs if not (results.is_found(bug.names) or has_reason(bug.names))]
        pairs = [pair for bug in left for pair in bug.names[start : start + MORE + 1]]
        _run_pairs(pairs, results, jobs)


def _run_pairs(pairs: Sequence[tuple[str, str]], results: Results, jobs: int) -> None:
    from anvl.dialect.core.op_registry import OPS

    left: dict[str, list[str]] = {}
    for op, name in pairs:
        if not results.is_known(name):
            left.setdefault(op, []).append(name)
    if not left:
        return
    print(f"{sum(map(len, left.values()))} bugs of {len(left)} ops", flush=True)
    # The table first: its bugs take tenths of a second.  Last what takes seconds.
    order = sorted(left, key=lambda op: (op in _LONG, not _is_line(OPS[op])))
    tasks = [(op, left[op]) for op in order]
    # Threads wait for processes, as a wrong rule may end one.
    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(_work_through, tasks, results) for _ in range(jobs)]:
            done.result()


def _work_through(tasks: list[tuple[str, list[str]]], results: Results) -> None:
    worker = Worker(__file__)
    while tasks:
        op, names = tasks.pop(0)
        found = []
        for result in worker.results(op, names):
            results.add(result)
            found.append(result)
        missed = [result for result in found if not result["found"]]
        seconds = sum(result["s"] for result in found)
        print(f"{op}: {len(found)} bugs, {len(missed)} not found, {seconds:.0f} s", flush=True)
    worker.end()


if __name__ == "__main__":
    sys.exit(main())
