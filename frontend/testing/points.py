"""Other points at which the checks of a compiled program are judged: it costs runs, no compilation.

    edges    values at zeros of both signs, infinities, NaN and the ends of integers, among others
    others   values and derivatives at what a call of a sample has as `others`
    special  values at what it has as `special`
    sides    values of complex functions on both sides of their cuts, at infinities and NaN
    zeros    derivatives of elementwise ops at zeros, where they are smooth there
    ties     derivatives where numbers are equal, along directions that keep them equal
    nans     derivatives of ops that choose among operands, of which some are NaN

Samples keep away from both, as differences need smooth points.  Along a direction that moves equal
numbers alike, what chooses among them is smooth, however it shares its derivative.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, zip_longest
from typing import Any, TypeVar

import numpy as np

from anvl.dialect.core.families import Elementwise
from anvl.testing.checks import (
    CLAIMS,
    Check,
    DerivativeCheck,
    NarrowDtypeCheck,
    ValueCheck,
    is_identity,
)
from anvl.testing.findings import WEIGHTS, Findings
from anvl.testing.forms import FoldCheck
from anvl.testing.program import Program

__all__ = ["Point", "judge_at", "point_groups"]

_FLOATS = (0.0, 1.0, np.nan, -0.0, np.inf, -1.0, -np.inf, 0.5, -0.5)
_SIDES = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 1e-12, np.inf, -np.inf, np.nan)
_PARTS = (0.0, 1.0, -1.0, 0.5, -0.5)  # libraries differ in the part of a product that is NaN
_ROUNDS = 3  # in each of which two thirds of the elements are edges, others
_ENDS = 2  # rounds after these: all elements at the low end of their dtype, or at the high one
_NEAR = 0.5  # maximal distance of an operand from its own numbers
#: A check at a point, with the inputs of its function there.
Point = tuple[Check, list[np.ndarray]]
_SomeCheck = TypeVar("_SomeCheck", bound=Check)


def judge_at(findings: Findings, program: Program, points: dict[int, Point]) -> None:
    """Run the functions of checks, each at a point and around it, and record the findings.

    Where the interpreter is wrong XLA's numbers decide, as users get those: for a window that lies
    in part outside an array, XLA scatters nothing and the interpreter a part.
    """
    doubtful: dict[int, Point] = {}
    rounded: dict[int, Point] = {}
    for i, found in _judged(program, points):
        if found.problems and program.is_interpreted(i):
            doubtful[i] = points[i]
        else:
            _keep(findings, found, points[i], rounded)
    program.compile_too(list(doubtful))
    for i, found in _judged(program, doubtful):
        _keep(findings, found, points[i], rounded)
    for _, found in _judged(program, rounded):
        findings.add(found)


def _keep(findings: Findings, found: Findings, point: Point, rounded: dict[int, Point]) -> None:
    """Add what was found; or, if rounding may explain it, the point to those to look into."""
    check, inputs = point
    if found.problems and isinstance(check, NarrowDtypeCheck):
        again = copy.copy(check)
        again.is_rounded = True
        rounded[check.index] = again, inputs
    else:
        findings.add(found)


def _judged(program: Program, points: dict[int, Point]) -> Iterator[tuple[int, Findings]]:
    moving = {i for i, (check, _) in points.items() if any(d is not None for d in check.directions)}
    for group, steps in ((moving, (0, *WEIGHTS)), (points.keys() - moving, (0,))):
        results = program.run_at([_stepped(points, step) for step in steps], group)
        for i in sorted(group):
            here, *others = (found[i] for found in results)
            around = dict(zip(WEIGHTS, others or [here] * len(WEIGHTS), strict=True))
            found = Findings()
            points[i][0].judge(found, here, around)
            yield i, found


def _stepped(points: dict[int, Point], step: int) -> Callable[..., Any]:
    """Inputs of each function at its point, moved by `step` along the directions of its check."""

    def change(i: int, xs: list[np.ndarray]) -> list[np.ndarray]:
        if i not in points:
            return xs
        check, inputs = points[i]
        return check.stepped(inputs, step)

    return change


def _moved_to(
    check: _SomeCheck, operands: Sequence[np.ndarray]
) -> tuple[_SomeCheck, list[np.ndarray]]:
    other = copy.copy(check)
    other.random = copy.deepcopy(check.random)
    other.call = check.call._replace(operands=list(operands))
    return other, list(other.inputs())


# -- edges -----------------------------------------------------------------------------------------


def at_edges(check: Check) -> Iterator[Point]:
    """Values at edges, if the reference has them there; and the results of `fold`."""
    is_known = type(check) is FoldCheck or (type(check) is ValueCheck and check.wanted)
    if not is_known or not _takes_edges(check):
        return
    # The more operands, the more edges that may meet.
    is_mixed = issubclass(check.op_class, Elementwise) and not check.narrow
    rounds = _ROUNDS ** max(len(check.call.operands), 1) if is_mixed else _ROUNDS
    for turn in range(rounds):
        operands = enumerate(check.call.operands)
        yield _moved_to(check, [_with_edges(x, i, turn) for i, x in operands])
    for turn in range(_ENDS):
        yield _moved_to(check, [_at_dtype_limits(x, turn) for x in check.call.operands])


def _takes_edges(check: Check) -> bool:
    """Whether the value is determined at any operands: no body decides, and no claim restricts."""
    if check.call.through is not None or check.op_class.bodies:
        return False
    return not any(check.call.params.get(name) for name in CLAIMS)


def _at_dtype_limits(x: np.ndarray, turn: int) -> np.ndarray:
    """The two least numbers of an integer dtype, or the largest ones; one value for bools.

    No element may compare beyond the initial value of a search or a reduction.
    """
    if x.dtype == bool:
        return np.full(x.shape, turn == 1)
    if x.dtype.kind not in "iu" or is_identity(x):
        return x
    ends, step = np.iinfo(x.dtype), (np.arange(x.size) % 2).reshape(x.shape).astype(x.dtype)
    return np.array(ends.max, x.dtype) - step if turn else np.array(ends.min, x.dtype) + step


def _with_edges(x: np.ndarray, position: int, turn: int) -> np.ndarray:
    if x.dtype == np.complex64 or is_identity(x):
        return x
    if x.dtype == bool:
        return ((np.arange(x.size) + position + turn) % 3 == 2).reshape(x.shape)
    if x.dtype.kind in "iu":
        ends = np.iinfo(x.dtype)
        ordinary = [ends.min, ends.max, 0, 1, ends.max - 1, ends.max // 3]
        edges = np.array([*ordinary, ends.bits, ends.bits - 1, ends.bits + 1], x.dtype)
    else:
        edges = np.array(_PARTS if x.dtype.kind == "c" else _FLOATS, x.dtype)
    places = np.arange(x.size).reshape(x.shape) + position
    if turn < _ROUNDS:
        # Each operand has another stride: many pairs of edges meet.
        chosen = edges[(places * (position + 1) + 3 * turn) % len(edges)]
        return np.where((places + turn) % 3 > 0, chosen, x).astype(x.dtype)
    random = np.random.default_rng([position, turn])
    chosen = edges[random.integers(len(edges), size=x.shape)]
    return np.where(random.integers(3, size=x.shape) > 0, chosen, x).astype(x.dtype)


# -- sides -----------------------------------------------------------------------------------------


def at_sides(check: Check) -> Iterator[Point]:
    """Values of an op of one complex number, where cuts begin and end, and far out."""
    if type(check) is not ValueCheck or not check.wanted:
        return
    (x,) = check.call.operands
    if x.dtype != np.complex128 or not x.size:
        return
    ends = [complex(re, im) for re in _SIDES for im in _SIDES]
    for at in range(0, len(ends), x.size):
        other, inputs = _moved_to(check, [np.resize(np.roll(ends, -at), x.shape)])
        other.by_parts = True
        yield other, inputs


# -- ties ------------------------------------------------------------------------------------------


def at_ties(check: Check) -> Iterator[Point]:
    """Derivatives where two elements of each operand tie, and tie with other operands."""
    if not isinstance(check, DerivativeCheck) or check.narrow:
        return
    operands = list(check.call.operands)
    moving = [i for i in check.wrt if operands[i].size > 1 and not is_identity(operands[i])]
    if moving:
        yield _with_ties(check, operands, moving)


def _with_ties(check: DerivativeCheck, operands: list[np.ndarray], moving: list[int]) -> Point:
    ends = {i: (operands[i].real.min() - _NEAR, operands[i].real.max() + _NEAR) for i in moving}
    for i in moving:
        places = np.arange(operands[i].size).reshape(operands[i].shape)
        operands[i] = operands[i].ravel()[(places + places // 3 + i) % 2]
    for i, j in permutations(moving, 2):
        x, y = operands[i], operands[j]
        if (x.shape, x.dtype) == (y.shape, y.dtype):
            places = np.arange(x.size).reshape(x.shape) % len(moving)
            operands[i] = np.where(_is_within(y, *ends[i]) & (places == moving.index(j)), y, x)
    other, inputs = _moved_to(check, operands)
    for k, i in enumerate(other.wrt if type(check) is DerivativeCheck else ()):
        if i in moving:
            other.ts[k] = np.cos(3 * operands[i]) + operands[i]
            inputs[len(operands) + k] = other.ts[k]
    return other, inputs


def _is_within(x: np.ndarray, least: float, most: float) -> np.ndarray:
    return (least <= x.real) & (x.real <= most)


# -- nans ------------------------------------------------------------------------------------------


def at_nans(check: Check) -> Iterator[Point]:
    """Derivatives of a selecting op with NaN among others: a NaN that is not selected must not
    spread."""
    if type(check) is not DerivativeCheck or not check.op_class.selects_elements:
        return
    operands = list(check.call.operands)
    for i in check.wrt:
        places = (np.arange(operands[i].size) + i).reshape(operands[i].shape)
        operands[i] = np.where(places % 3 == 1, np.nan, operands[i]).astype(operands[i].dtype)
    other, inputs = _moved_to(check, operands)
    other.is_at_nans = True
    yield other, inputs


# -- zeros -----------------------------------------------------------------------------------------


def at_zeros(check: Check) -> Iterator[Point]:
    """Derivatives of an elementwise op at zeros: smooth, unless it declares a corner."""
    rules = check.op_class
    is_smooth = (
        issubclass(rules, Elementwise) and any(rules.passes) and not rules.singularity_convention
    )
    if type(check) is not DerivativeCheck or not is_smooth:
        return
    operands = list(check.call.operands)
    for i, (low, high) in enumerate(rules.domains):
        if low < 0 < high:
            places = np.arange(operands[i].size).reshape(operands[i].shape)
            operands[i] = np.where(places % (2 + i) == 0, 0, operands[i]).astype(operands[i].dtype)
    yield _moved_to(check, operands)


# -- others ----------------------------------------------------------------------------------------


def at_others(check: Check) -> Iterator[Point]:
    """Values and derivatives at the other operands of a call."""
    if type(check) in (ValueCheck, DerivativeCheck):
        yield from (_moved_to(check, other) for other in check.call.others)


def at_special(check: Check) -> Iterator[Point]:
    """Values at the special operands of a call."""
    if type(check) is not ValueCheck or not check.wanted:
        return
    for operands in check.call.special:
        other, inputs = _moved_to(check, operands)
        other.name += f" at {[x.tolist() for x in operands]}"
        other.by_element = True
        yield other, inputs


_POINTS: dict[str, Callable[[Check], Iterator[Point]]] = {
    "edges": at_edges, "zeros": at_zeros, "sides": at_sides, "ties": at_ties, "nans": at_nans,
    "others": at_others, "special": at_special,
}  # fmt: skip


def point_groups(checks: Sequence[Check], names: Sequence[str]) -> Iterator[dict[int, Point]]:
    """The points of these names, one check at a time, in groups that run together."""
    every = [_points_of(check, names) for check in checks]
    for points in zip_longest(*every):
        yield {point[0].index: point for point in points if point}


def _points_of(check: Check, names: Sequence[str]) -> Iterator[Point]:
    for name in names:
        yield from _POINTS[name](check)
