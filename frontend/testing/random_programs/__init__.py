"""`anvl.testing.random_programs`: random programs, drawn by seed, run in all execution modes.

    python -m anvl.testing.random_programs --seconds 60

docs/fuzzing.md describes the comparisons; `examine` runs them on given programs.
"""

from __future__ import annotations

from collections.abc import Iterable

from anvl.testing.random_programs.compare.verify import Finding
from anvl.testing.random_programs.examine import KINDS, Case, Examiner
from anvl.testing.random_programs.programs import Program

__all__ = ["Finding", "Program", "examine"]


def examine(programs: Iterable[Program | str], kinds: Iterable[str] = KINDS) -> list[Finding]:
    """Run programs, or their texts, in these ways, and list what does not agree.

    Parameters
    ----------
    programs
        Programs, or texts: a line for each array and for each step.
    kinds
        Of `examine.KINDS`; all where not given.

    Returns
    -------
    list of Finding
        What is wrong, at most one thing for each program and kind.

    Examples
    --------
    >>> program = '''
    ... v0 = numpy.array([1.0, 2.0, nan], "float64")
    ... v1 = np.cumsum(v0)
    ... '''
    >>> examine([program])
    []
    """
    parsed = [Program.parse(p) if isinstance(p, str) else p for p in programs]
    examiner = Examiner()
    try:
        return examiner.examine([Case(p, frozenset(kinds), i) for i, p in enumerate(parsed)])
    finally:
        examiner.close()


def __dir__() -> list[str]:
    return sorted(__all__)
