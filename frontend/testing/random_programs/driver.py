"""Runs programs in child processes, so that one that ends its process is a finding like any other.

python -m anvl.testing.random_programs --seconds 60          new programs; Ctrl-C ends them earlier
python -m anvl.testing.random_programs --seed 7 --count 500  those of a seed
python -m anvl.testing.random_programs --replay FILE         one program, in every mode
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anvl.testing.random_programs import campaign
from anvl.testing.random_programs.compare.verify import Finding
from anvl.testing.random_programs.draw_programs.generate import ANVL, generated
from anvl.testing.random_programs.examine import KINDS, Case, Examiner
from anvl.testing.random_programs.library import Library
from anvl.testing.random_programs.modules import Batch, Lowered
from anvl.testing.random_programs.programs import Program
from anvl.testing.random_programs.shrink import shrunk

__all__ = ["class_of", "find", "main", "shrink"]

_EACH = 1000  # programs in one process: XLA's code accumulates
_DRAWS = 4  # seeds of directions and batches, for a program with a finding
_SHRUNK = 2  # of each class of findings; further ones are only counted
_OF_VALUES = ("xla", "interpreter", "jit", "eager", "other")
_FOUND = "found: "
_CRASHED = "ends the process"


def main(arguments: list[str] | None = None) -> int:
    """Run the command: prints the findings and the counts; 1 if there is a finding."""
    options = _parser().parse_args(arguments)
    if options.replay:
        return _replay(Path(options.replay), options.against)
    if options.worker:
        return _examine_programs(options)
    return _run_workers(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="random_programs", description=__doc__)
    parser.add_argument("--seconds", type=float, help="stop after so many (60 without a count)")
    parser.add_argument("--count", type=int, help="stop after so many programs")
    parser.add_argument("--seed", type=int, help="draw these programs; a new seed without it")
    parser.add_argument("--first", type=int, default=0, help="begin at this program of the seed")
    parser.add_argument("--out", default="out/fuzz", help="where findings are written")
    parser.add_argument("--against", help="another library with NumPy's functions, by its module")
    parser.add_argument("--replay", help="examine the program in a file, in every mode")
    parser.add_argument("--known", type=json.loads, default=[], help=argparse.SUPPRESS)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser


# -- the process that starts the others ------------------------------------------------------------


def _run_workers(options: Any) -> int:
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    count = options.count or 10**9
    seconds = options.seconds or (None if options.count else 60.0)
    until = None if seconds is None else time.monotonic() + seconds
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    total: Counter[str] = Counter()
    print(f"seed {seed}", flush=True)
    at, start = options.first, time.monotonic()
    try:
        while at < options.first + count and (until is None or time.monotonic() < until):
            n = min(_EACH, options.first + count - at)
            left = None if until is None else until - time.monotonic()
            done = _run_worker(seed, at, n, left, options, total, out)
            at += max(done, 1)
    except KeyboardInterrupt:
        at = options.first + total["programs"]
    _print_counts(total, time.monotonic() - start)
    print(f"programs {options.first} to {at - 1} of seed {seed}; findings are in {out}")
    return 1 if any(k.startswith(_FOUND) for k in total) else 0


def _run_worker(
    seed: int, first: int, count: int, seconds: float | None, options: Any,
    total: Counter[str], out: Path,
) -> int:  # fmt: skip
    """Run programs in a child; returns how many are done.  One that ends it is skipped."""
    done = 0
    command = _command(seed, first, count, seconds, options, total)
    for message in _messages(command):
        if "finding" in message:
            _save_finding(message["finding"], message["class"], total, out)
        elif "counts" in message:
            total.update(message["counts"])
            done = message["done"]
        elif message.get("code", 0) > 0:
            raise SystemExit(f"a process that runs programs failed: {' '.join(command)}")
        elif message.get("code", 0) < 0:
            size = min(campaign.GROUP, count - done)
            _bisect_crash(seed, first + done, size, message["code"], options, total, out)
            return done + size
    return done or count


def _bisect_crash(
    seed: int, first: int, count: int, code: int, options: Any, total: Counter[str], out: Path
) -> None:
    """Find the programs among these that end the process; the others are examined."""
    if count == 1:
        program = generated((seed, first)).program
        text = f"{_CRASHED}: signal {-code}\n{program}\n# seed {seed}, program {first}"
        _save_finding(text, f"{_CRASHED} {-code}", total, out)
        return
    half = count // 2
    for a, n in ((first, half), (first + half, count - half)):
        for message in _messages(_command(seed, a, n, None, options, total)):
            if "finding" in message:
                _save_finding(message["finding"], message["class"], total, out)
            elif "counts" in message:
                total.update(message["counts"])
            elif "code" in message and message["code"] < 0:
                _bisect_crash(seed, a, n, message["code"], options, total, out)


def _command(
    seed: int, first: int, count: int, seconds: float | None, options: Any, total: Counter[str]
) -> list[str]:
    """Command of a worker; findings of classes seen often enough are not shrunk."""
    command = [sys.executable, "-W", "ignore", "-m", __package__, "--worker"]
    command += ["--seed", str(seed), "--first", str(first), "--count", str(count)]
    command += [] if seconds is None else ["--seconds", f"{max(seconds, 0.1):.1f}"]
    known = [k.removeprefix(_FOUND) for k, n in total.items() if k.startswith(_FOUND) and n > 1]
    command += ["--known", json.dumps(known)]
    return command + ([] if options.against is None else ["--against", options.against])


def _messages(command: list[str]) -> Iterator[dict[str, Any]]:
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("{"):
                yield json.loads(line)
        yield {"code": process.wait()}
    finally:
        process.kill()  # not waited for, as after Ctrl-C


def _save_finding(text: str, kind: str, total: Counter[str], out: Path) -> None:
    """Write a finding to a file of its class, and print the first of each."""
    total[f"{_FOUND}{kind}"] += 1
    if total[f"{_FOUND}{kind}"] == 1:
        print(f"\n{text}\n", flush=True)
    name = re.sub(r"\W+", "-", kind)[:80].strip("-")
    with (out / f"{name}.txt").open("a") as file:
        file.write(f"{text}\n\n")


def _print_counts(total: Counter[str], seconds: float) -> None:
    programs = total["programs"]
    print(f"{programs} programs in {seconds:.0f} s, {programs / max(seconds, 1e-9):.1f} a second")
    for key in sorted(k for k in total if not k.startswith(("step: ", "not compared: "))):
        print(f"{total[key]:10} {key}")
    print(f"{sum(k.startswith('step: ') for k in total):10} functions in steps")


# -- the process that runs programs ----------------------------------------------------------------


def _examine_programs(options: Any) -> int:
    other = None if options.against is None else Library(options.against)
    examiner, seen = Examiner(other), Counter[str]()
    start, done = time.monotonic(), 0
    while done < options.count:
        if options.seconds is not None and time.monotonic() - start > options.seconds:
            break
        n = min(campaign.GROUP, options.count - done)
        before = examiner.counts.copy()
        result = campaign.run(options.seed, options.first + done, n, examiner=examiner, close=False)
        for finding in result.findings:
            _report_finding(finding, seen, examiner, options)
        done += n
        counts = {k: v - before[k] for k, v in examiner.counts.items() if v != before[k]}
        print(json.dumps({"counts": counts, "done": done}), flush=True)
    examiner.close()
    return 0


def _report_finding(finding: Finding, seen: Counter[str], examiner: Examiner, options: Any) -> None:
    kind = class_of(finding)
    seen[kind] += _SHRUNK if kind in options.known else 0
    seen[kind] += 1
    if seen[kind] <= _SHRUNK:
        finding = shrink(finding, options.against)
    if not _is_optimized(finding):
        examiner.counts["differs: XLA's code that is not optimized computes a value twice"] += 1
        return
    text = f"{finding}\n# seed {options.seed}"
    print(json.dumps({"finding": text, "class": kind}), flush=True)


def _is_optimized(finding: Finding) -> bool:
    """Whether a derivative is wrong also in optimized code, which users run.

    Without its optimizer XLA may compute an operand of a maximum twice, and round it differently:
    then no element equals the maximum.
    """
    if finding.kind not in ("slopes", "curvature"):
        return True
    examiner = Examiner(is_optimized=True)
    cases = [Case(finding.program, frozenset([finding.kind]), i) for i in range(_DRAWS)]
    found = examiner.examine(cases)
    examiner.close()
    return bool(found)


def find(seed: int, kind: str, most: int, word: str = "") -> Finding:
    """The first finding of a kind, at a step whose text contains `word`, among programs of a seed.

    It is shrunk.  Raises `LookupError` if there is none.
    """
    modes = {kind: 1.0}
    for first in range(0, most, 20):
        result = campaign.run(seed, first, 20, shares=modes, group=20)
        for finding in result.findings:
            if finding.kind in modes and word in finding.program.steps[finding.step].text:
                return shrink(finding, roughly=True)
    raise LookupError(f"{most} programs show no finding of kind {kind}")


def class_of(finding: Finding) -> str:
    """Key of findings of one cause: the kind and the function."""
    if not finding.program.steps:
        return finding.kind
    if finding.kind.startswith(("error", "batch of", "slopes of", "curvature")):
        words = re.sub(r"[0-9.e+-]+|\(.*?\)|np\.float64", "", finding.message)
        return f"{finding.kind}: {words[:60]}"
    return f"{finding.kind}: {finding.program.steps[finding.step].function}"


def shrink(
    finding: Finding, against: str | None = None, seconds: float = 60.0, roughly: bool = False
) -> Finding:
    """The finding on the smallest program that shows it; `roughly` leaves its arrays unchanged."""
    kind = finding.kind.removeprefix("error in ")
    examiner = Examiner(None if against is None else Library(against))
    known: dict[str, Finding] = {str(finding.program): finding}
    modes = [frozenset([kind])]
    if kind in ("interpreter", "jit", "eager"):  # beside another run, or alone
        modes.append(modes[0] | {"xla"})
    draws = 1 if kind in _OF_VALUES else _DRAWS

    def shows(program: Program) -> bool:
        try:  # directions and batches are drawn by the number of a case
            found = [
                finding
                for mode in modes
                for finding in examiner.examine([Case(program, mode, i) for i in range(draws)])
            ]
        except Exception:  # an invalid program shows nothing
            return False
        for other in found:
            if _is_same(other, finding):
                known[str(program)] = other
                return True
        return False

    def values(program: Program) -> dict[str, np.ndarray]:
        inputs = list(program.inputs.values())
        (results,) = Batch([Lowered(program.function(ANVL), inputs)]).run([inputs])
        return dict(zip(program.names, results, strict=True))

    program = finding.program
    if kind in _OF_VALUES or kind == "batch":
        program = program._replace(steps=program.steps[: finding.step + 1])
    small = shrunk(program, shows, values, seconds, roughly)
    shows(small)
    examiner.close()
    return known.get(str(small), finding)


def _is_same(one: Finding, other: Finding) -> bool:
    if one.kind != other.kind or not one.program.steps:
        return False
    return (
        class_of(one) == class_of(other)
        or one.program.steps[one.step].function == other.program.steps[other.step].function
    )


def _replay(path: Path, against: str | None) -> int:
    program = Program.parse(
        "\n".join(line for line in path.read_text().splitlines() if re.match(r"\*?v\d+", line))
    )
    examiner = Examiner(None if against is None else Library(against))
    found = examiner.examine([Case(program, frozenset(KINDS), 1)])
    examiner.close()
    for finding in found:
        print(f"{finding}\n")
    print(program if not found else "")
    return 1 if found else 0
