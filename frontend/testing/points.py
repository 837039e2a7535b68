"""Other points at which the checks of a compiled program are judged: it costs runs, no compilation.

    edges    values at zeros of both signs, infinities, NaN and the ends of integers, among others
    others   values and derivatives at what a call of a sample has as `other`
    zeros    derivatives of elementwise ops at zeros, where they are smooth there
    ties     derivatives where numbers are equal, along directions that keep them equal

Samples keep away from both, as differences need smooth points.  Along a direction that moves equal
numbers alike, what chooses among them is smooth, however it shares its derivative.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, permutations, zip_longest
from typing import Any

import numpy as np

from anvl.dialect.families import Elementwise
from anvl.testing.checks import Check, Derivative, Value, is_identity
from anvl.testing.claims import CLAIMS
from anvl.testing.findings import STEP, WEIGHTS, Findings
from anvl.testing.forms import Folded
from anvl.testing.program import Program

__all__ = ["Point", "judge_at", "turns"]

_FLOATS = (0.0, 1.0, np.nan, -0.0, np.inf, -1.0, -np.inf, 0.5, -0.5)
_PARTS = (0.0, 1.0, -1.0, 0.5, -0.5)  # which part of a product is NaN, libraries differ in
_ROUNDS = 3  # in each of which two thirds of the elements are edges, others
_NEAR = 0.5  # how far from its own numbers an operand may be
#: A check at a point, with the inputs of its function there.
Point = tuple[Check, list[np.ndarray]]


def judge_at(findings: Findings, program: Program, points: dict[int, Point]) -> None:
    """Run the functions of checks, each at a point and around it, and note what is found.

    Where the interpreter's numbers are wrong XLA's decide, which are those that people get: of a
    window that lies in part outside an array, it scatters nothing and the interpreter a part.
    """
    doubtful = {}
    for i, found in _judged(program, points):
        if found.problems and program.is_interpreted(i):
            doubtful[i] = points[i]
        else:
            findings.add(found)
    program.compile_too(list(doubtful))
    for _, found in _judged(program, doubtful):
        findings.add(found)


def _judged(program: Program, points: dict[int, Point]) -> Iterator[tuple[int, Findings]]:
    moving = {i for i, (check, _) in points.items() if any(d is not None for d in check.directions)}
    for group, steps in ((moving, (0, *WEIGHTS)), (points.keys() - moving, (0,))):
        results = program.run_at([_moved(points, step * STEP) for step in steps], group)
        for i in sorted(group):
            here, *others = (found[i] for found in results)
            around = dict(zip(WEIGHTS, others or [here] * len(WEIGHTS), strict=True))
            found = Findings()
            points[i][0].judge(found, here, around)
            yield i, found


def _moved(points: dict[int, Point], step: float) -> Callable[..., Any]:
    """The inputs of each function at its point, `step` along the directions of its check."""

    def change(i: int, xs: list[np.ndarray]) -> list[np.ndarray]:
        if i not in points:
            return xs
        check, inputs = points[i]
        along = zip(inputs, check.directions, strict=True)
        return [x if d is None else x + step * d for x, d in along]

    return change


def _at(check: Check, operands: Sequence[np.ndarray]) -> Point:
    other = copy.copy(check)
    other.random = copy.deepcopy(check.random)
    other.call = check.call._replace(operands=list(operands))
    return other, list(other.inputs())


# -- edges -----------------------------------------------------------------------------------------


def at_edges(check: Check) -> Iterator[Point]:
    """A value, where the reference says what it is there; and what `fold` gives."""
    is_known = type(check) is Folded or (type(check) is Value and check.wanted)
    if not is_known or check.call.through is not None:
        return
    if check.op_class.bodies or any(check.call.params.get(name) for name in CLAIMS):
        return
    for turn in range(_ROUNDS):
        operands = enumerate(check.call.operands)
        yield _at(check, [_edged(x, i, turn) for i, x in operands])


def _edged(x: np.ndarray, position: int, turn: int) -> np.ndarray:
    if x.dtype == bool or x.dtype == np.complex64 or is_identity(x):
        return x
    if x.dtype.kind in "iu":
        ends = np.iinfo(x.dtype)
        ordinary = [ends.min, ends.max, 0, 1, ends.max - 1, ends.max // 3]
        edges = np.array([*ordinary, ends.bits, ends.bits - 1, ends.bits + 1], x.dtype)
    else:
        edges = np.array(_PARTS if x.dtype.kind == "c" else _FLOATS, x.dtype)
    places = np.arange(x.size).reshape(x.shape) + position
    # With each operand another stride: all pairs of edges meet.
    chosen = edges[(places * (position + 1) + 3 * turn) % len(edges)]
    return np.where((places + turn) % 3 > 0, chosen, x).astype(x.dtype)


# -- ties ------------------------------------------------------------------------------------------


def at_ties(check: Check) -> Iterator[Point]:
    """Derivatives at two numbers of each operand and at those of others, which move as one."""
    if type(check) is not Derivative:
        return
    operands = list(check.call.operands)
    moving = [i for i in check.wrt if operands[i].size > 1 and not is_identity(operands[i])]
    if not moving:
        return
    ends = {i: (operands[i].real.min() - _NEAR, operands[i].real.max() + _NEAR) for i in moving}
    for i in moving:
        places = np.arange(operands[i].size).reshape(operands[i].shape)
        operands[i] = operands[i].ravel()[(places + places // 3 + i) % 2]
    for i, j in permutations(moving, 2):
        x, y = operands[i], operands[j]
        if (x.shape, x.dtype) == (y.shape, y.dtype):
            places = np.arange(x.size).reshape(x.shape)
            is_inside = (ends[i][0] <= y.real) & (y.real <= ends[i][1])
            operands[i] = np.where(is_inside & (places % len(moving) == moving.index(j)), y, x)
    other, inputs = _at(check, operands)
    for k, i in enumerate(other.wrt):
        if i in moving:
            other.ts[k] = np.cos(3 * operands[i]) + operands[i]
            inputs[len(operands) + k] = other.ts[k]
    yield other, inputs


# -- zeros -----------------------------------------------------------------------------------------


def at_zeros(check: Check) -> Iterator[Point]:
    """Derivatives of an elementwise op at zeros: smooth, where nothing is said of a corner."""
    rules = check.op_class
    is_smooth = issubclass(rules, Elementwise) and any(rules.passes) and not rules.corner
    if type(check) is not Derivative or not is_smooth:
        return
    operands = list(check.call.operands)
    for i, (low, high) in enumerate(rules.domains):
        if low < 0 < high:
            places = np.arange(operands[i].size).reshape(operands[i].shape)
            operands[i] = np.where(places % (2 + i) == 0, 0, operands[i]).astype(operands[i].dtype)
    yield _at(check, operands)


# -- others ----------------------------------------------------------------------------------------


def at_others(check: Check) -> Iterator[Point]:
    """Values and derivatives at the other operands of a call."""
    if type(check) in (Value, Derivative) and check.call.other:
        yield _at(check, check.call.other)


_POINTS: dict[str, Callable[[Check], Iterator[Point]]] = {
    "edges": at_edges, "zeros": at_zeros, "ties": at_ties, "others": at_others,
}  # fmt: skip


def turns(checks: Sequence[Check], names: Sequence[str]) -> Iterator[dict[int, Point]]:
    """The points of these names, of each check one at a time: what is run together."""
    every = [chain.from_iterable(_POINTS[name](check) for name in names) for check in checks]
    for points in zip_longest(*every):
        yield {point[0].index: point for point in points if point}
