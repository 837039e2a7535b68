"""Scans, and scans over segments of several steps: checkpointed, or written out."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.control_flow.function_regions import (
    aligned,
    declare_control,
    length_of,
    outer_values,
    result_avals,
    traced_with,
)
from anvl.control_flow.loop_carry import Carry
from anvl.core.arguments import name_of, wrap_plain_leaves
from anvl.core.avals import aval
from anvl.core.promote import abstract, as_tracer
from anvl.core.trace_state import current
from anvl.dialect.control_flow.scan import Scan
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Bool, Int
from anvl.transforms.checkpoints import checkpoint as checkpointed
from anvl.transforms.declare import run

__all__ = ["checked_unroll", "segmented"]

_Steps = Callable[..., tuple[Any, Any]]  # of a carry, the xs and their number n


def segmented(
    role: str,
    f: Callable[..., Any],
    init: Any,
    xs: Any,
    length: int | None,
    reverse: bool,
    every: int | str | None = None,
    unroll: int = 1,
) -> tuple[Any, Any]:
    """A scan; over checkpointed segments of `every` steps, if given; `unroll` steps at a time."""
    count = length_of(role, xs, length)
    unroll = min(unroll, count)

    def scanned(carry: Any, part: Any, n: int) -> tuple[Any, Any]:
        return _scanned(role, f, carry, part, n, reverse)

    def written_out(carry: Any, part: Any, n: int) -> tuple[Any, Any]:
        return _written_out(f, carry, part, n, reverse)

    def unrolled(carry: Any, part: Any, n: int) -> tuple[Any, Any]:
        if unroll <= 1:
            return scanned(carry, part, n)
        return _in_segments(role, f, (carry, part, n), unroll, reverse, written_out, scanned)

    written_out.__name__ = name_of(f)
    if every is None:
        return unrolled(init, xs, count)

    def kept(carry: Any, part: Any, n: int) -> tuple[Any, Any]:
        return checkpointed(functools.partial(unrolled, n=n))(carry, part)

    size = _segment(role, every, count)
    return _in_segments(role, f, (init, xs, count), size, reverse, kept, kept)


def checked_unroll(role: str, unroll: Any) -> int:
    """`unroll` as a number of steps; True is all of them."""
    if isinstance(unroll, bool):
        return 2**31 if unroll else 1
    if not isinstance(unroll, int | np.integer) or unroll < 1:
        raise ValueError(
            f"{role}: unroll is {unroll!r}; give the number of steps that are written out, of at "
            "least 1, or True for all of them"
        )
    return int(unroll)


def _in_segments(
    role: str,
    f: Callable[..., Any],
    scan: tuple[Any, Any, int],
    size: int,
    reverse: bool,
    segment: _Steps,
    remainder: _Steps,
) -> tuple[Any, Any]:
    """A scan of a carry over so many xs, as one over segments of `size` steps and a remainder."""
    init, xs, count = scan
    whole = count - count % size

    def segments(carry: Any, xs: Any) -> tuple[Any, Any]:
        parts = tree.map(lambda x: _cut(as_tracer(x), whole // size, size), xs)
        one = functools.partial(segment, n=size)
        carry, ys = _scanned(role, one, carry, parts, whole // size, reverse)
        return carry, tree.map(lambda y: y.reshape((whole, *y.shape[2:])), ys)

    def rest(carry: Any, xs: Any) -> tuple[Any, Any]:
        left = tree.map(lambda x: as_tracer(x)[whole:], xs)
        return remainder(carry, left, count - whole)

    def in_trace(init: Any, xs: Any) -> tuple[Any, Any]:
        first, second = (rest, segments) if reverse else (segments, rest)
        carry, early = first(init, xs)
        carry, late = second(carry, xs)
        ordered = (late, early) if reverse else (early, late)
        return carry, tree.map(lambda *ys: anp.concatenate(ys), *ordered)

    in_trace.__name__ = name_of(f)
    return run(in_trace, (init, xs), {})


def _written_out(f: Callable[..., Any], carry: Any, part: Any, n: int, reverse: bool) -> Any:
    """n steps, at least one, without a loop."""
    ys: list[Any] = [None] * n
    for i in reversed(range(n)) if reverse else range(n):
        found: Any = f(carry, tree.map(lambda x, i=i: x[i], part))
        if not isinstance(found, tuple | list) or len(found) != 2:
            return found  # the scan over segments says what is wrong
        carry, ys[i] = found
    return carry, tree.map(lambda *y: anp.stack([as_tracer(v) for v in y]), *ys)


def _segment(role: str, every: int | str, count: int) -> int:
    """Number of steps per checkpoint."""
    if every == "sqrt":
        return max(1, math.isqrt(max(count, 1)))
    is_whole = isinstance(every, int | np.integer) and not isinstance(every, bool)
    if not is_whole or every < 1:  # type: ignore[operator]
        raise ValueError(
            f"{role}: checkpoint is {every!r}; give a number of steps of at least 1, or 'sqrt'"
        )
    return int(every)


def _cut(x: Any, count: int, size: int) -> Any:
    return x[: count * size].reshape((count, size, *x.shape[1:]))


def _scanned(
    role: str, f: Callable[..., Any], init: Any, xs: Any, length: int | None, reverse: bool
) -> tuple[Any, Any]:
    count = length_of(role, xs, length)

    def in_trace(init: Any, xs: Any) -> Any:
        trace = current.trace
        assert trace is not None
        carry = Carry(role, init)
        leaves, xs_tree = tree.flatten(wrap_plain_leaves(xs))
        avals = [abstract(x) for x in leaves]
        members = [aval(a.dtype, a.shape[1:], a.weak_type) for a in avals]
        x = tree.unflatten(xs_tree, members)
        step = carry.trace_to_fixed_point(
            lambda args: traced_with(f, (*args, x), ("carry", "x")), f, pairs=True
        )
        outer = outer_values([step])
        stacked = step.out_avals[len(carry.avals) :]
        request = {
            "body": _symbol(aligned(step, outer, [*carry.avals, *stacked])),
            "carry": Int.encode(len(carry.avals)),
            "xs": Int.encode(len(leaves)),
            "length": Int.encode(count),
            "reverse": Bool.encode(bool(reverse)),
        }
        ys = [aval(a.dtype, (count, *a.shape), a.weak_type) for a in stacked]
        found = declare_control(
            trace, "scan", Scan.attribute, request,
            [*carry.avals, *avals, *(x.aval for x in outer)], result_avals([*carry.avals, *ys]),
            [*carry.operands(), *leaves, *outer],
        )  # fmt: skip
        return tree.unflatten(step.out_tree, found)

    in_trace.__name__ = name_of(f)
    return run(in_trace, (init, xs), {})


def _symbol(name: str) -> ir.Attribute:
    return ir.FlatSymbolRefAttr.get(name, context())
