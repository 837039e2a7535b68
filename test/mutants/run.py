"""`make mutants`: plants bugs in the rules of the ops, and counts what the narrow tests find.

    python test/mutants/run.py                  the elementwise table, and a sample of the rest
    python test/mutants/run.py anvl.gather      every bug in the rules of an op
    python test/mutants/run.py --list anvl.gather

A bug is found if the checks of its op (`anvl.testing.examine`) find a problem within a minute.
What is not found and is no bug stands in `equivalent.txt`, with a reason.  At least 95 % of the
others must be found.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
UNIT = HERE.parent / "unit"
sys.path[:0] = [str(HERE), str(UNIT), str(UNIT / "dialect"), str(UNIT / "passes")]

EQUIVALENT = HERE / "equivalent.txt"
WANTED = 0.95
SAMPLE = 700  # of the ops that are not lines of the table, by a fixed seed
SEED = 12
SECONDS = 60  # for one bug
_MORE = 2  # other ops that are tried for a bug in what serves several
_LONG = {
    "stablehlo.scatter", "stablehlo.reduce_window", "stablehlo.reduce", "anvl.zeta", "anvl.svd",
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    if options.work:
        return work(json.loads(sys.stdin.read()))
    others: dict[str, list[Any]] = {}
    chosen = every_bug(options.ops) if options.ops else sampled(others)
    if options.list:
        print(*(f"{op} {name}" for op, names in chosen.items() for name in names), sep="\n")
        return 0
    start = time.monotonic()
    results = run(chosen, options.jobs)
    for _ in range(_MORE):
        retry(results, others, options.jobs)
    if options.out:
        Path(options.out).write_text(json.dumps(results, indent=1))
    return report(results, time.monotonic() - start)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.splitlines()[0])
    parser.add_argument(
        "ops", nargs="*", help="ops, by their names in the IR; a sample of all else"
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--list", action="store_true", help="only name the bugs")
    parser.add_argument("--out", help="a file for the results, as JSON")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    return parser


# -- which bugs ------------------------------------------------------------------------------------


def every_bug(ops: Sequence[str]) -> dict[str, list[str]]:
    """The names of all bugs of some ops."""
    from planted import bugs_of

    return {op: [bug.name for bug in bugs_of(op)] for op in ops}


def sampled(others: dict[str, list[Any]]) -> dict[str, list[str]]:
    """All bugs of the lines of the elementwise table; of the other ops as many of each.

    One in a function that serves several ops is planted for one of them; `others` receives, by its
    name, the same bug for some more, which may find it where the first does not.
    """
    from planted import bugs_of

    from anvl.dialect.op import OPS

    random_ = random.Random(SEED)
    shared: dict[Any, list[Any]] = defaultdict(list)
    for op in sorted(OPS):
        for bug in bugs_of(op):
            shared[bug.home, bug.where, bug.kind, bug.text].append(bug)
    by_op: dict[str, list[str]] = {op: [] for op in sorted(OPS)}
    for bugs in shared.values():
        bug, *more = random_.sample(bugs, min(len(bugs), 1 + _MORE))
        by_op[bug.op].append(bug.name)
        others[bug.name] = more
    rest = [op for op, names in by_op.items() if names and not _is_line(OPS[op])]
    for op in rest:
        by_op[op] = sorted(random_.sample(by_op[op], min(SAMPLE // len(rest), len(by_op[op]))))
    return {op: names for op, names in by_op.items() if names}


def _is_line(op_class: Any) -> bool:
    """Whether an op is a line of the elementwise table."""
    return op_class.__module__ == "anvl.dialect.ops.elementwise"


# -- running ---------------------------------------------------------------------------------------


def run(chosen: dict[str, list[str]], jobs: int) -> list[dict[str, Any]]:
    """What became of each bug; ops in several processes, as a wrong rule may end one."""
    with ThreadPoolExecutor(jobs) as pool:
        # The ops with the longest checks first: who is alone at the end keeps all waiting.
        items = sorted(chosen.items(), key=lambda item: item[0] not in _LONG)
        return [result for found in pool.map(_run_op, items) for result in found]


def retry(results: list[dict[str, Any]], others: dict[str, list[Any]], jobs: int) -> None:
    """Try bugs that were not found in another op that the function serves."""
    again: dict[str, list[str]] = defaultdict(list)
    at = {}
    for i, result in enumerate(results):
        if not result["found"] and others.get(result["name"]):
            bug = others[result["name"]].pop()
            again[bug.op].append(bug.name)
            at[bug.name] = i
            others[bug.name] = others[result["name"]]
    for result in run(again, jobs):
        if result["found"]:
            results[at[result["name"]]] = result


def _run_op(item: tuple[str, list[str]]) -> list[dict[str, Any]]:
    op, names = item
    found: list[dict[str, Any]] = []
    left = list(names)
    while left:
        new = list(_worked(op, left))
        found += new
        left = left[len(new) :]
        if left:  # the process is gone
            found.append({"op": op, "name": left.pop(0), "found": "the process ended", "s": 0.0})
    missed = sum(not result["found"] for result in found)
    seconds = sum(result["s"] for result in found)
    print(f"{op}: {len(found)} bugs, {missed} not found, {seconds:.0f} s", flush=True)
    for result in found:
        if not result["found"]:
            print(f"    {result['name']}{'' if result['changes'] else '  (same program)'}")
    return found


def _worked(op: str, names: list[str]) -> Iterator[dict[str, Any]]:
    process = subprocess.Popen(
        [sys.executable, __file__, "--work"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps({"op": op, "names": names}))
    process.stdin.close()
    for line in process.stdout:
        if line.startswith("{"):
            yield json.loads(line)
    process.wait()


class TooLong(BaseException):
    """A bug took longer than it may."""


def work(task: dict[str, Any]) -> int:
    """Plant these bugs, one after the other; a line of JSON each."""
    from narrow import Narrow
    from planted import bugs_of

    def stop(*_: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, stop)
    bugs = {bug.name: bug for bug in bugs_of(task["op"])}
    narrows = {}
    for name in task["names"]:
        bug = bugs[name]
        if bug.platform not in narrows:
            narrows[bug.platform] = Narrow(bug.op, bug.platform)
        narrow, start = narrows[bug.platform], time.monotonic()
        signal.alarm(SECONDS)
        try:
            with bug.planted():
                found = narrow.problem(bug.rules)
        except TooLong:
            found = "" if narrow.is_changed else "it does not end"
        finally:
            signal.alarm(0)
        print(json.dumps({
            "op": bug.op, "name": name, "kind": bug.kind, "rules": bug.rules,
            "found": found[:200], "changes": narrow.is_changed,
            "s": round(time.monotonic() - start, 2),
        }), flush=True)  # fmt: skip
    return 0


# -- the report ------------------------------------------------------------------------------------


def known_equivalents() -> dict[str, str]:
    """Bugs that are none, with the reason: pairs of lines, the reason indented."""
    found, name = {}, ""
    for line in EQUIVALENT.read_text().splitlines() if EQUIVALENT.exists() else []:
        if line.startswith("    "):
            found[name] = line.strip()
        elif line and not line.startswith("#"):
            name = line
    return found


def report(results: list[dict[str, Any]], seconds: float) -> int:
    """Print the score, by kind of bug and by family; 1 if it is below what is wanted."""
    equivalent = known_equivalents()
    counted = [r for r in results if r["found"] or r["name"] not in equivalent]
    for title, key in (("kind", _kind), ("family", _family)):
        rows = defaultdict(list)
        for r in counted:
            rows[key(r)].append(bool(r["found"]))
        print(f"\n{title:28}{'bugs':>6}{'found':>7}")
        for name in sorted(rows):
            print(f"{name:28}{len(rows[name]):>6}{sum(rows[name]):>7}")
    missed = [r for r in counted if not r["found"]]
    print("\nnot found:" if missed else "")
    for r in missed:
        print(f"  {r['name']}{'' if r.get('changes') else '  (same program)'}")
    share = 1 - len(missed) / max(len(counted), 1)
    print(f"\n{len(counted)} bugs, {len(counted) - len(missed)} found, {share:.1%}; "
          f"{len(results) - len(counted)} are none (equivalent.txt); {seconds:.0f} s")  # fmt: skip
    return 0 if share >= WANTED else 1


def _kind(result: dict[str, Any]) -> str:
    return result.get("kind", "crash")


def _family(result: dict[str, Any]) -> str:
    from anvl.dialect.op import OPS

    return OPS[result["op"]].__module__.rpartition(".")[2]


if __name__ == "__main__":
    sys.exit(main())
