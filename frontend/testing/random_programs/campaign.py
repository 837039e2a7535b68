"""Draw programs by seed, examine them in groups, and count.

result = run(seed=1, first=0, count=1000)
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from anvl.testing.random_programs.compare.verify import Finding
from anvl.testing.random_programs.draw_programs.generate import Broken, Generated, generated
from anvl.testing.random_programs.examine import Case, Examiner
from anvl.testing.random_programs.library import Library
from anvl.testing.random_programs.programs import Program

__all__ = ["Result", "case_of", "kinds_of", "run"]

GROUP = 100  # programs in one module

#: Share of the programs examined in each mode, among those that support it.
SHARES = {
    "xla": 1.0,
    "interpreter": 1.0,
    "slopes": 0.4,
    "batch": 0.3,
    "jit": 0.05,
    "eager": 0.05,
    "other": 0.05,
    "curvature": 0.06,
    "batch of slopes": 0.06,
    "slopes of batch": 0.06,
    "batch of curvature": 0.05,
}


class Result(NamedTuple):
    """Number of programs, the findings, and how often each comparison was made."""

    programs: int
    findings: list[Finding]
    counts: Counter[str]
    seconds: float


def kinds_of(
    draw: random.Random, wild: bool, shares: Mapping[str, float] = SHARES
) -> frozenset[str]:
    """Modes in which a program is examined; derivatives of wild ones are seldom of use."""
    chosen = {kind for kind, share in shares.items() if draw.random() < share}
    if wild and draw.random() < 0.8:
        chosen -= {kind for kind in chosen if "slopes" in kind or "curvature" in kind}
    return frozenset(chosen)


def case_of(program: Program, kinds: frozenset[str], seed: int = 1, lowered: Any = None) -> Case:
    """A program with all modes in which it is to be run."""
    return Case(program, kinds, seed, lowered)


def run(
    seed: int, first: int, count: int, *, other: Library | None = None,
    seconds: float | None = None, report: Callable[[Finding], None] | None = None,
    shares: Mapping[str, float] = SHARES, group: int = GROUP,
    examiner: Examiner | None = None, close: bool = True,
) -> Result:  # fmt: skip
    """Examine the programs `(seed, first)` up to `(seed, first + count - 1)`."""
    start, done = time.monotonic(), 0
    findings: list[Finding] = []
    examiner = examiner or Examiner(other)
    try:
        for numbers in _groups(first, count, group):
            if seconds is not None and time.monotonic() - start > seconds:
                break
            cases: list[Case] = []
            for i in numbers:
                made = _made(seed, i, findings, examiner.counts)
                if made is not None:
                    kinds = kinds_of(random.Random(f"{seed},{i}"), made.wild, shares)
                    cases.append(case_of(made.program, kinds, i, made.lowered))
            for finding in examiner.examine(cases):
                findings.append(finding)
                if report is not None:
                    report(finding)
            done += len(numbers)
    finally:
        if close:
            examiner.close()
    return Result(done, findings, examiner.counts, time.monotonic() - start)


def _groups(first: int, count: int, group: int) -> Iterator[range]:
    for i in range(first, first + count, group):
        yield range(i, min(i + group, first + count))


def _made(seed: int, i: int, findings: list[Finding], counts: Counter[str]) -> Generated | None:
    """The program of a seed; an error while drawing it is a finding."""
    try:
        made = generated((seed, i))
    except Broken as broken:
        findings.append(
            Finding("error in tracing", broken.program, len(broken.program.steps) - 1, str(broken))
        )
        return None
    counts["programs"] += 1
    counts["steps"] += len(made.program.steps)
    counts["wild"] += made.wild
    for step in made.program.steps:
        counts[f"step: {step.function}"] += 1
    for text, error in made.refused:
        name = text.partition("(")[0]
        counts[f"refused step: {name}: {type(error).__name__}"] += 1
    return made
