"""Dependence of loops and choices: steps one by one as long as that pays, else a fixed point."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.interpreters.subprogram import Program
from anvl.dialect.sparsity.dependence import Dependence, Ran

__all__ = ["choice_dependence", "scan_dependence", "while_dependence"]

# Note [Steps of loops]
#
# The pattern of a loop of n steps is that of its body n times: a time step that couples neighbours
# gives a band as wide as there are steps.  So the steps are run on sets, with the known values of
# each, such as the counter, by which a step reads another row.  It stops early where the sets stay
# and nothing known changes.  After `_MOST_STEPS`, and for a loop of unknown length, the carries are
# those of any number of steps: unions are taken until they stay, with nothing known of a step.  A
# band that grows by a step at a time would take as many rounds as the array has elements, so after
# `_MOST_ROUNDS` each carry that still grows depends, everywhere, on all that any carry depends on.

_MOST_STEPS = 100
_MOST_ROUNDS = 4


class _Carries(NamedTuple):
    ids: list[Any]
    known: list[Any]

    def are(self, other: "_Carries") -> bool:
        """Whether they are equal, so that all further steps are the same."""
        same = all(map(np.array_equal, self.ids, other.ids))
        return same and all(
            (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))
            for a, b in zip(self.known, other.known, strict=True)
        )


def scan_dependence(deps: Dependence, loop: Any, xs: Sequence[Any]) -> list[Any]:
    """Sets of the final carries and of the stacked results; see Note [Steps of loops].

    `loop` is the scan, read: its body, the numbers of carries and arrays, length and direction.
    """
    body, n = loop.body.program, loop.n
    carry, arrays, rest = loop.split(xs)
    known, known_arrays, known_rest = loop.split([deps.known(i) for i in range(len(xs))])
    steps = range(loop.length)[:: -1 if loop.reverse else 1]
    stacked = [np.zeros(shape, np.int64) for shape in deps.shapes[n:]]

    def step(now: _Carries, members: Sequence[Any], values: Sequence[Any]) -> tuple[Any, Any]:
        ran = deps.run(body, [*now.ids, *members, *rest], [*now.known, *values, *known_rest])
        return _Carries(ran.ids[:n], [ran.known(i) for i in range(n)]), ran.ids[n:]

    if loop.length <= _MOST_STEPS:
        now = _Carries(carry, known)
        for t in steps:
            values = [None if v is None else v[t] for v in known_arrays]
            now, ys = step(now, [x[t] for x in arrays], values)
            for y, row in zip(stacked, ys, strict=True):
                y[t] = row
        return [*now.ids, *stacked]
    members = [deps.reduced(x, (0,)) for x in arrays]
    nothing = [None] * len(arrays)
    ended, ys = _fixed_point(deps, carry, lambda now: step(now, members, nothing))
    rows = [np.broadcast_to(y, s.shape) for y, s in zip(ys, stacked, strict=True)]
    return [*ended, *rows]


def while_dependence(
    deps: Dependence, cond: Program, body: Program, n: int, xs: Sequence[Any]
) -> list[Any]:
    """Sets of the carries of a loop at its end; all depend on what its condition depends on."""
    carry, outer = list(xs[:n]), list(xs[n:])
    known = [deps.known(i) for i in range(len(xs))]
    now = _Carries(carry, known[:n])

    def run(program: Program, now: _Carries, is_known: bool = True) -> Ran:
        values = [*now.known, *(known[n:] if is_known else [None] * len(outer))]
        return deps.run(program, [*now.ids, *outer], values)

    for _ in range(_MOST_STEPS):
        test = run(cond, now)
        goes_on = test.known(0)
        if goes_on is None or test.ids[0].any():
            break
        if not goes_on:
            return now.ids
        ran = run(body, now)
        now = _Carries(ran.ids, [ran.known(i) for i in range(n)])

    def step(now: _Carries) -> tuple[_Carries, list[Any]]:
        test, ran = run(cond, now), run(body, now)
        ids = [deps.union(y, deps.all_of(test.ids)) for y in ran.ids]
        return _Carries(ids, [None] * n), []

    return _fixed_point(deps, now.ids, step)[0]


def _fixed_point(
    deps: Dependence,
    carry: Sequence[Any],
    step: Callable[[_Carries], tuple[_Carries, list[Any]]],
) -> tuple[list[Any], list[Any]]:
    """Sets of the carries after any number of steps, and of the results of such a step."""
    ids, count = list(carry), 0
    while True:
        found, ys = step(_Carries(ids, [None] * len(ids)))
        grown = [deps.union(a, b) for a, b in zip(ids, found.ids, strict=True)]
        changed = [not np.array_equal(a, b) for a, b in zip(ids, grown, strict=True)]
        if not any(changed):
            return ids, ys
        count += 1
        if count > _MOST_ROUNDS:
            union = deps.all_of(grown)
            pairs = zip(grown, changed, strict=True)
            grown = [np.broadcast_to(union, x.shape) if more else x for x, more in pairs]
        ids = grown


def choice_dependence(
    deps: Dependence, branches: Sequence[Program], choice: Any, outer: Sequence[Any], selected: Any
) -> list[Any]:
    """Sets of the results of a choice: those of the branch, if it is known, else of all.

    `selected` is the position of the branch that is known to be taken, or None.
    """
    known = [deps.known(i + 1) for i in range(len(outer))]
    taken = branches if selected is None else [branches[selected]]
    found = [deps.run(branch, outer, known).ids for branch in taken]
    return [deps.union(*ys, deps.all_of([choice])) for ys in zip(*found, strict=True)]
