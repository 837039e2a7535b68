"""Shared helpers of loops: activity of carries, and common ops.

Note [Unread results]
    Where a result of a loop is not read, what only it needs may be zero (`Program.__call__`): the
    result is some number, or NaN (a system whose matrix has become zero).  So the adjoint of the
    loop does not pass it: a cotangent of zero times NaN would be NaN.
"""

from collections.abc import Iterable, Sequence, Set
from typing import Any

from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.shape import reshaped
from anvl.dialect.interpreters.batch import first_member, repeated
from anvl.dialect.interpreters.slices import forward_slice
from anvl.dialect.interpreters.subprogram import Program
from anvl.dialect.ops.elementwise.elementary import and_

__all__ = [
    "active_arguments",
    "and_below",
    "axis_added",
    "broadcast_flags",
    "cotangent_flags",
    "dependent_results",
    "fixed_point_flags",
    "live_arguments",
    "member",
    "reached_results",
    "scatter_flagged",
    "split_sizes",
    "stacked_flags",
    "tangents_of",
    "update_at",
]  # fmt: skip


def dependent_results(program: Program, flags: Sequence[bool]) -> list[bool]:
    """For each result of a program, whether it depends on a marked argument."""
    marked = [x for x, flag in zip(program.arguments, flags, strict=True) if flag]
    found = forward_slice(program.slice().ops, marked, symbols=program.symbols).values
    return [y in found for y in program.results]


def fixed_point_flags(
    program: Program, carry: Sequence[bool], rest: Sequence[bool], n: int
) -> list[bool]:
    """Flags of the carries (the first n results) after any number of steps: a fixed point."""
    flags = list(carry)
    while not all(flags):
        found = dependent_results(program, [*flags, *rest])[:n]
        more = [a or b for a, b in zip(flags, found, strict=True)]
        if more == flags:
            break
        flags = more
    return flags


def stacked_flags(program: Program, flags: Sequence[bool], n: int) -> list[bool]:
    """For each result behind the first n, the carries, whether it depends on a marked argument."""
    return dependent_results(program, flags)[n:] if len(program.results) > n else []


def live_arguments(
    body: Program, n: int, is_wanted: Sequence[bool], more: Set[Value] = frozenset()
) -> list[bool]:
    """For each argument of a step, whether wanted results depend on it after any number of steps.

    The first n arguments and results are carries; the arguments in `more` count as read.
    """
    wanted = list(is_wanted)
    while True:
        read = body.slice(y for y, flag in zip(body.results, wanted, strict=True) if flag).values
        flags = [x in read or x in more for x in body.arguments]
        carried = [a or b for a, b in zip(wanted, flags[:n], strict=False)]
        if carried == wanted[:n]:
            return flags
        wanted[:n] = carried


def reached_results(body: Program, n: int, gs: Sequence[Any]) -> list[bool]:
    """For each result of a step, whether a cotangent reaches it: see Note [Unread results].

    `gs` are the cotangents of the results of the loop, None for none; the first n are carries.
    """
    given = [g is not None for g in gs]
    read = live_arguments(body, n, given)
    return [
        differentiable(y.type) and (has or (i < n and read[i]))
        for i, (y, has) in enumerate(zip(body.results, given, strict=True))
    ]


def cotangent_flags(
    body: Program, n: int, gs: Sequence[Any], active: Sequence[bool]
) -> tuple[list[bool], list[bool]]:
    """For each argument of a step, and for each result, whether it has a cotangent.

    `active` are the operands of the loop whose cotangents are read; `gs` as in `reached_results`.
    """
    flags = zip(active_arguments(body, n, active), body.arguments, strict=True)
    moves = [a and differentiable(x.type) for a, x in flags]
    reached = reached_results(body, n, gs)
    return moves, [has and (i >= n or moves[i]) for i, has in enumerate(reached)]


def active_arguments(body: Program, n: int, moves: Sequence[bool]) -> list[bool]:
    """For each argument of a step, whether it is active in any step, given those in the first."""
    flags = list(moves)
    if all(flags[:n]):
        return flags
    ops = body.slice(body.results[:n]).ops
    while True:
        marked = [x for x, flag in zip(body.arguments, flags, strict=True) if flag]
        moved = forward_slice(ops, marked, symbols=body.symbols).values
        more = [a or y in moved for a, y in zip(flags, body.results, strict=False)][:n]
        if more == flags[:n]:
            return flags
        flags[:n] = more


def and_below(i: Value, bound: int, flag: Value) -> Value:
    """Emit the conjunction of a flag and `i < bound`."""
    is_below = emit.compare(i, full(i.type, bound), comparison_direction="LT")
    return and_(is_below, flag)


def broadcast_flags(flags: Value, y: Value) -> Value:
    """Broadcast a flag, or one flag per member, to the elements of y."""
    shape, axes = tuple(y.type.shape), tuple(range(flags.type.rank))
    if len(shape) == len(axes):
        return flags
    return emit.broadcast_in_dim(flags, shape=shape, broadcast_dimensions=axes)


def split_sizes(values: Iterable[Any], sizes: Sequence[int]) -> list[list[Any]]:
    """Split values into parts of these sizes."""
    remaining = iter(values)
    return [[next(remaining) for _ in range(size)] for size in sizes]


def tangents_of(
    xs: Sequence[Value], ts: Sequence[Value | None], flags: Sequence[bool]
) -> list[Value]:
    """Tangents of the marked values, with zeros for those that have none."""
    marked = [(x, t) for x, t, flag in zip(xs, ts, flags, strict=True) if flag]
    return [zeros_like(x) if t is None else t for x, t in marked]


def scatter_flagged(values: Iterable[Value], flags: Sequence[bool]) -> list[Value | None]:
    """The values, in order, where a flag is set; None elsewhere."""
    remaining = iter(values)
    return [next(remaining) if flag else None for flag in flags]


def axis_added(
    values: Sequence[Value], wanted: Sequence[bool], present: Sequence[bool], size: int
) -> list[Value]:
    """The values, with a batch axis added to those that should have one and do not.

    Those that have one and should not are the same for all members.
    """
    flags = zip(values, wanted, present, strict=True)
    return [
        x if want == has_axis else repeated(x, size) if want else first_member(x)
        for x, want, has_axis in flags
    ]


def _starts(x: Value, at: Value) -> list[Value]:
    return [at, *[zeros_like(at) for _ in range(x.type.rank - 1)]]


def member(x: Value, at: Value) -> Value:
    """x[at]."""
    shape = tuple(x.type.shape[1:])
    part = emit.dynamic_slice(x, *_starts(x, at), slice_sizes=(1, *shape))
    return reshaped(part, shape)


def update_at(y: Value, at: Value, z: Value) -> Value:
    """Replace y[at] by z, at an index of the first axis."""
    return emit.dynamic_update_slice(y, reshaped(z, (1, *z.type.shape)), *_starts(y, at))
