"""Reverse mode through a loop of unknown trip count: Note [Online checkpointing]."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.dialect.control_flow.case import choose
from anvl.dialect.control_flow.loop_values import (
    and_below,
    cotangent_flags,
    live_arguments,
    member,
    split_sizes,
    update_at,
)
from anvl.dialect.control_flow.region_ops import emit_loop
from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Bool, Int
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.subprogram import Program, vjp_of
from anvl.dialect.ops.elementwise.elementary import and_, not_

__all__ = ["Plan", "pulled_back"]

# Note [Online checkpointing]
#
# Reverse mode through a loop needs the carry of each step, last to first; their number is known
# only when the loop has ended, and shapes are static.  So there are `slots` places for carries, S
# of them, a power of 2.  In the forward pass, the carry of every k-th step is saved, with k = 1 at
# first; when all places are taken, every second carry is dropped and k is doubled.  At the end
# every 2^shift-th carry is saved, the first of each of up to S segments.
#
# In the backward pass, a segment is replayed from its first carry, to save every (2^shift / S)-th
# carry of it in S places of the next level; and so on, until every carry of a segment of a level
# has its place.  With S = 32 there are 7 levels for 2^31 steps, and the memory is S carries per
# level, whatever the number of steps.  A step is recomputed once for each level in use below the
# first, and once more by its adjoint: 3 times for 10,000 steps.
#
# Only carries that a backward step depends on, directly or through other carries, are saved: not
# those in which a step is linear.
#
# A loop of a known trip count, of no more steps than there are places in all levels, has a place
# for each step: it takes no more memory, and no step is computed again.  So has a loop whose trip
# count is bounded, whatever the bound.
#
# The adjoint of an adjoint runs backward through these loops, whose carries are the places: its
# memory is S L carries, times the places of a level for each: 88 * 224 of them, and no more, since
# the loop that refills a level carries the places of that level alone, and there are as many such
# loops as levels.
#
# All levels share one array, and the level is a run-time number: so the IR contains the body three
# times, whatever the number of levels.
# Source: P. Stumm and A. Walther, New Algorithms for Optimal Online Checkpointing (SIAM J. Sci.
# Comput. 32, 2010); the doubling is that of Q. Wang, P. Moin and G. Iaccarino, Minimal Repetition
# Dynamic Checkpointing Algorithm (SIAM J. Sci. Comput. 31, 2009), restricted to powers of 2.


#: For loops that carry places themselves: 88 in all, where 32 a level are 224.  The gradient of a
#: gradient takes 95 MB for 1,000 f32, not 240, and is 3 times as fast, since it copies less.
_SLOTS = 8


class Plan(NamedTuple):
    """Layout of the places: how many there are per level, and how many levels.

    `steps` is the trip count, where it is known.
    """

    slots: int
    levels: int
    steps: int | None = None

    @classmethod
    def of(cls, slots: int, max_iterations: int) -> "Plan":
        """Plan with `slots` per level; or, if the trip count is bounded, one place per step."""
        if max_iterations:
            return cls(max_iterations, 1)
        bits = slots.bit_length() - 1
        return cls(slots, 1 + -(-(31 - bits) // bits))

    @property
    def bits(self) -> int:
        return self.slots.bit_length() - 1

    def for_steps(self, steps: int | None) -> "Plan":
        """The plan for a known trip count: one place per step, where these are no more places."""
        is_shorter = steps is not None and 0 < steps <= self.slots * self.levels
        return Plan(steps, 1, steps) if steps is not None and is_shorter else self


class _Loop(NamedTuple):
    """The loop to differentiate; `kept` are the carries that the backward pass depends on."""

    cond: Program
    body: Program
    carry: list[Value]
    rest: list[Value]
    plan: Plan
    ends: bool
    back: Program
    kept: list[int]
    #: Whether each value in `rest` has a cotangent, which is a sum over the steps.
    is_summed: list[bool]

    def of_kept(self, values: Sequence[Value]) -> list[Value]:
        """Select the values of kept carries, given values of all carries."""
        return [values[i] for i in self.kept]

    def all_of(self, kept: Sequence[Value]) -> list[Value]:
        """All carries, given the kept ones: zeros in place of carries that are not read."""
        found = dict(zip(self.kept, kept, strict=True))
        return [found[i] if i in found else full(x.type, 0) for i, x in enumerate(self.carry)]


def pulled_back(
    loop: Any,
    xs: tuple[list[Value], list[Value]],
    gs: Sequence[Value | None],
    active: Sequence[bool],
    place: Any,
) -> tuple[list[Value], list[Value | None]]:
    """Final carries of a loop, from an op at `place`, and the cotangents of the values it reads.

    `loop` is a `Loop`; `xs` are its initial carries, and the values that it captures, of which
    those in `active` have cotangents.
    """
    n = len(xs[0])
    moves, reached = cotangent_flags(loop.body, n, gs, active)
    back = _adjoint_step(loop.body, reached, moves[n:])
    kept = _needed_carries(loop.body, back)
    this = _Loop(loop.cond, loop.body, *xs, loop.plan, loop.ends, back, kept, moves[n:])
    with ir.InsertionPoint(place):
        found = _forward(this)
    ends, count, shift, inputs = found[:n], found[n], found[n + 1], found[n + 2 :]
    seeds = [
        zeros_like(y) if g is None else g
        for g, y, has in zip(gs, ends, reached, strict=True)
        if has
    ]
    firsts, sums = _backward(this, count, shift, inputs, seeds)
    given = iter([*firsts, *sums])
    return ends, [next(given) if has else None for has in (*reached, *this.is_summed)]


# -- forward ---------------------------------------------------------------------------------------


def _forward(this: _Loop) -> list[Value]:
    """Forward loop that saves carries; return final carries, trip count, shift and places."""
    n, plan = len(this.carry), this.plan
    zero = full(_index(), 0)

    def goes_on(state: Sequence[Value], rest: Sequence[Value]) -> Value:
        (flag,) = this.cond(*state[:n], *rest)
        is_bounded = plan.levels > 1 or plan.steps is not None
        return flag if is_bounded else and_below(state[n], plan.slots, flag)

    places = [full(_stacked_type(x.type, plan.slots), 0) for x in this.of_kept(this.carry)]

    def step(state: Sequence[Value], rest: Sequence[Value]) -> list[Value]:
        carry, (i, shift), kept = state[:n], state[n : n + 2], list(state[n + 2 :])
        if plan.levels > 1:
            # Past the last place: every second carry is dropped.  (The branch gives places alone:
            # these may be those of a batch, whose members have the distance in common.)
            is_full = _compare(_right(i, shift), full(_index(), plan.slots), "GE")
            shift = emit.add(shift, emit.convert(is_full, dtype="i32"))
            kept = choose(is_full, [lambda: list(map(_halved, kept)), lambda: kept])
        kept = _store_if_wanted(this.of_kept(carry), kept, _right(i, shift), _is_multiple(i, shift))
        found = this.body(*carry, *rest)
        return [*found, emit.add(i, full(_index(), 1)), shift, *kept]

    if plan.levels > 1:
        return _while([*this.carry, zero, zero, *places], this.rest, goes_on, step, ends=this.ends)
    return _forward_keeping_all(this, goes_on, places)


def _forward_keeping_all(
    this: _Loop, goes_on: Callable[..., Value], places: Sequence[Value]
) -> list[Value]:
    """As `_forward`, with a place for each step."""
    n, zero, steps = len(this.carry), full(_index(), 0), this.plan.steps

    def step(state: Sequence[Value], rest: Sequence[Value]) -> list[Value]:
        carry, i, kept = state[:n], state[n], state[n + 1 :]
        kept = [update_at(y, i, x) for x, y in zip(this.of_kept(carry), kept, strict=True)]
        return [*this.body(*carry, *rest), emit.add(i, full(_index(), 1)), *kept]

    carry = [*this.carry, zero, *places]
    found = _while(carry, this.rest, goes_on, step, ends=this.ends, most=this.plan.slots)
    count = found[n] if steps is None else full(_index(), steps)
    return [*found[:n], count, zero, *found[n + 1 :]]


def _halved(x: Value) -> Value:
    """Move every second saved carry to the first half of the places."""
    slots, *shape = x.type.shape
    pairs = reshaped(x, (slots // 2, 2, *shape))
    ends = (slots // 2, 1, *shape)
    zeros = (0,) * len(ends)
    first = emit.slice(pairs, start_indices=zeros, limit_indices=ends, strides=(1,) * len(ends))
    half = reshaped(first, (slots // 2, *shape))
    return emit.concatenate(half, half, dimension=0)


def _store_if_wanted(
    carry: Sequence[Value], kept: Sequence[Value], at: Value, is_wanted: Value
) -> list[Value]:
    """Store a carry at one of the places if it is wanted."""
    return [
        update_at(places, at, emit.select(_flag(is_wanted, x), x, member(places, at)))
        for x, places in zip(carry, kept, strict=True)
    ]


# -- backward --------------------------------------------------------------------------------------


def _backward(
    this: _Loop, count: Value, shift: Value, kept: Sequence[Value], seeds: Sequence[Value]
) -> tuple[list[Value], list[Value]]:
    """Cotangents of the initial carries, and of the constants."""
    plan, n_ends = this.plan, len(seeds)
    sums = [zeros_like(x) for x, has in zip(this.rest, this.is_summed, strict=True) if has]
    n_sums = len(sums)
    places = [_levels(x, plan) for x in kept]
    # A single level is never refilled: its places are constants of the loop.
    carried, fixed = (places, []) if plan.levels > 1 else ([], places)
    last = _minus_one(count) if plan.steps is None else full(_index(), plan.steps - 1)

    def step(state: Sequence[Value], rest: Sequence[Value]) -> list[Value]:
        (t,), ends, totals, stores = split_sizes(state, [1, n_ends, n_sums, len(carried)])
        (final, distance), constants = rest[:2], rest[2 + len(fixed) :]
        if plan.levels > 1:
            stores = _refilled(this, t, final, distance, stores, constants)
        level = _last_level(distance, plan)
        saved = stores or rest[2 : 2 + len(fixed)]
        carry = [member(x, _place(plan, level, t)) for x in saved]
        given = this.back(*this.all_of(carry), *constants, *ends)
        found, more = given[:n_ends], given[n_ends:]
        added = [emit.add(a, b) for a, b in zip(totals, more, strict=True)]
        return [emit.sub(t, full(_index(), 1)), *found, *added, *stores]

    found = _while(
        [last, *seeds, *sums, *carried],
        [last, shift, *fixed, *this.rest],
        lambda state, rest: _compare(state[0], full(_index(), 0), "GE"),
        step,
        most=plan.slots if plan.levels == 1 else 0,
    )
    _, firsts, totals, _ = split_sizes(found, [1, n_ends, n_sums, len(carried)])
    return firsts, totals


def _adjoint_step(body: Program, reached: Sequence[bool], is_summed: Sequence[bool]) -> Program:
    """Adjoint of one step: from its arguments and the cotangents of the next carry to the
    cotangents of the arguments; of carries, those that a cotangent has `reached`."""
    count = len(body.arguments)
    wanted = [*reached, *is_summed]

    def pullback(*values: Value) -> list[Value]:
        xs, given = values[:count], iter(values[count:])
        seeds = [next(given) if has else None for has in reached]
        found = vjp_of(body, xs, seeds, active=wanted, symbols=body.symbols)
        pairs = [(g, x) for g, x, has in zip(found, xs, wanted, strict=True) if has]
        return [zeros_like(x) if g is None else g for g, x in pairs]

    floats = [y.type for y, has in zip(body.results, reached, strict=True) if has]
    return Program.of(pullback, [*(x.type for x in body.arguments), *floats], body.symbols)


def _needed_carries(body: Program, back: Program) -> list[int]:
    """Carries that a backward step depends on, directly or through other carries."""
    n, read = len(body.results), back.slice().values
    is_read = [x in read for x in back.arguments[:n]]
    flags = live_arguments(body, n, is_read)
    return [i for i in range(n) if is_read[i] or flags[i]]


def _refilled(
    this: _Loop,
    t: Value,
    final: Value,
    shift: Value,
    stores: Sequence[Value],
    constants: Sequence[Value],
) -> list[Value]:
    """Refill the levels for the segments that end at t, if any do; return the places."""
    plan, n = this.plan, len(stores)

    def fill(state: Sequence[Value], rest: Sequence[Value]) -> list[Value]:
        level, places = state[0], state[1:]
        (end, distance), others = rest[:2], rest[2:]
        above = _minus_one(level)
        wide, narrow = _shift_of(distance, above, plan), _shift_of(distance, level, plan)
        first = emit.shift_left(_right(end, wide), wide)
        carry = [member(x, _place(plan, above, _right(first, wide))) for x in places]
        # The level alone: the carries of a loop are what its own adjoint saves in each step.
        kept = [_level(x, plan, level) for x in places]
        found = _replayed(this, (first, carry, kept), (end, narrow), others)
        new = [_with_level(x, plan, level, y) for x, y in zip(places, found, strict=True)]
        return [emit.add(level, full(_index(), 1)), *new]

    found = _while(
        [_first_level(t, final, shift, plan), *stores],
        [t, shift, *constants],
        lambda state, rest: _compare(state[0], _last_level(rest[1], plan), "LE"),
        fill,
        most=plan.levels - 1,
    )
    return found[1 : 1 + n]


def _replayed(
    this: _Loop,
    begin: tuple[Value, Sequence[Value], Sequence[Value]],
    upto: tuple[Value, Value],
    constants: Sequence[Value],
) -> list[Value]:
    """Replay the steps from a carry up to an end, saving carries; return the level's places."""
    first, carry, places = begin
    plan, n = this.plan, len(carry)
    body = Program(this.body.block, this.of_kept(this.body.results), this.body)

    def step(state: Sequence[Value], rest: Sequence[Value]) -> list[Value]:
        i, values, kept = state[0], state[1 : 1 + n], state[1 + n :]
        _, shift, *others = rest
        at = _place_in_level(plan, _right(i, shift))
        noted = _store_if_wanted(values, kept, at, _is_multiple(i, shift))
        return [emit.add(i, full(_index(), 1)), *body(*this.all_of(values), *others), *noted]

    found = _while(
        [first, *carry, *places],
        [*upto, *constants],
        lambda state, rest: _compare(state[0], rest[0], "LE"),
        step,
    )
    return found[1 + n :]


# -- levels ----------------------------------------------------------------------------------------


def _levels(x: Value, plan: Plan) -> Value:
    """Append empty places of the other levels to those of the first level."""
    if plan.levels == 1:
        return x
    slots, *shape = x.type.shape
    others = full(tensor([slots * (plan.levels - 1), *shape], x.type.element_type), 0)
    return emit.concatenate(x, others, dimension=0)


def _place(plan: Plan, level: Value, index: Value) -> Value:
    """Place of the index-th carry saved by a level, which holds the last `slots` of them."""
    if plan.levels == 1:
        return index
    return emit.add(emit.mul(level, full(_index(), plan.slots)), _place_in_level(plan, index))


def _place_in_level(plan: Plan, index: Value) -> Value:
    """Place of the index-th saved carry, relative to the first place of the level."""
    return and_(index, full(_index(), plan.slots - 1))


def _level(x: Value, plan: Plan, level: Value) -> Value:
    """The places of one level."""
    sizes = (plan.slots, *x.type.shape[1:])
    return emit.dynamic_slice(x, *_starts(x, plan, level), slice_sizes=sizes)


def _with_level(x: Value, plan: Plan, level: Value, y: Value) -> Value:
    """Replace the places of one level by y."""
    return emit.dynamic_update_slice(x, y, *_starts(x, plan, level))


def _starts(x: Value, plan: Plan, level: Value) -> list[Value]:
    first = emit.mul(level, full(_index(), plan.slots))
    return [first, *[zeros_like(first) for _ in range(x.type.rank - 1)]]


def _shift_of(shift: Value, level: Value, plan: Plan) -> Value:
    """Exponent n of a level that saves every 2^n-th carry."""
    less = emit.mul(level, full(_index(), plan.bits))
    return emit.maximum(emit.sub(shift, less), full(_index(), 0))


def _last_level(shift: Value, plan: Plan) -> Value:
    """First level that saves every carry."""
    if plan.levels == 1:
        return full(_index(), 0)
    return emit.div(emit.add(shift, full(_index(), plan.bits - 1)), full(_index(), plan.bits))


def _first_level(t: Value, final: Value, shift: Value, plan: Plan) -> Value:
    """First level to refill before t: the one below a segment that ends there."""
    if plan.levels == 1:
        return full(_index(), 1)
    levels = emit.iota(shape=(plan.levels - 1,), dtype="i32", iota_dimension=0)
    many = levels.type

    def each(x: Value) -> Value:
        return emit.broadcast_in_dim(x, shape=tuple(many.shape), broadcast_dimensions=())

    shifts = emit.maximum(
        emit.sub(each(shift), emit.mul(levels, full(many, plan.bits))), full(many, 0)
    )
    masks = emit.sub(emit.shift_left(full(many, 1), shifts), full(many, 1))
    ahead = and_(each(emit.add(t, full(_index(), 1))), masks)
    goes_on = emit.compare(ahead, full(many, 0), comparison_direction="NE")
    is_last = each(_compare(t, final, "EQ"))
    goes_on = and_(goes_on, not_(is_last))
    counted = emit.sum(emit.convert(goes_on, dtype="i32"), axes=(0,))
    return emit.add(counted, full(_index(), 1))


# -- ops -------------------------------------------------------------------------------------------


def _index() -> ir.Type:
    return tensor([], element_type("i32"))


def _compare(x: Value, y: Value, direction: str) -> Value:
    return emit.compare(x, y, comparison_direction=direction)


def _right(i: Value, shift: Value) -> Value:
    return emit.shift_right_logical(i, shift)


def _minus_one(x: Value) -> Value:
    return emit.sub(x, full(_index(), 1))


def _is_multiple(i: Value, shift: Value) -> Value:
    """Whether i is a multiple of 2^shift."""
    mask = _minus_one(emit.shift_left(full(_index(), 1), shift))
    return _compare(and_(i, mask), full(_index(), 0), "EQ")


def _flag(flag: Value, x: Value) -> Value:
    """Broadcast a flag to the shape of x."""
    return emit.broadcast_in_dim(flag, shape=tuple(x.type.shape), broadcast_dimensions=())


def _stacked_type(type_: Any, count: int) -> ir.Type:
    return tensor([count, *type_.shape], type_.element_type)


def _while(
    carry: Sequence[Value],
    rest: Sequence[Value],
    cond: Callable[[Sequence[Value], Sequence[Value]], Value],
    body: Callable[[Sequence[Value], Sequence[Value]], Sequence[Value]],
    ends: bool = True,
    most: int = 0,
) -> list[Value]:
    """Emit a loop that reads the values in `rest`; return its final carries.

    `ends`: it counts steps and so terminates; `most` bounds the trip count, where known.
    """
    attributes = {"anvl.slots": Int.encode(_SLOTS)}
    if ends:
        attributes["anvl.ends"] = Bool.encode(True)
    if most:
        attributes["anvl.max_iterations"] = Int.encode(most)
    return emit_loop(carry, lambda *vs: cond(vs, rest), lambda *vs: body(vs, rest), attributes)
