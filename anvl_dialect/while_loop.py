"""`anvl.while`: functions that do something again and again, while a condition holds.

The tangent of a loop is a loop over more, and so is its batch.
Source: StableHLO specification, `while`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.dialect.batching import repeated
from anvl.dialect.calls import (
    FUNCTION_RULES,
    Callee,
    CallOp,
    FunctionRule,
    Motion,
    call,
    calls_unsafe,
    symbol,
)
from anvl.dialect.counted_loop import as_scan
from anvl.dialect.families import differentiable
from anvl.dialect.folding import folded, known_number
from anvl.dialect.loop_counts import step_count
from anvl.dialect.loop_forms import simpler_form
from anvl.dialect.loops import (
    below,
    carries_moved,
    carries_read,
    hlo_while,
    member,
    reached,
    settled_flags,
    spread,
)
from anvl.dialect.mlir import ir
from anvl.dialect.op import Value, emit
from anvl.dialect.ops.create import full, zeros_like
from anvl.dialect.params import Bool, Int, Symbol
from anvl.dialect.replaced import Replaced
from anvl.dialect.scratch import Program, values_and_jvp_of
from anvl.dialect.types import element_type, tensor
from anvl.dialect.while_adjoint import Plan, pulled_back

__all__ = ["SLOTS", "While", "is_slots"]

#: How many carries a level of Note [Online checkpointing] has places for, where nobody says.
SLOTS = 32


def is_slots(slots: int) -> bool:
    """Whether a level may have so many places."""
    return 2 <= slots < 2**31 and not slots & (slots - 1)


class _While(NamedTuple):
    """`{cond = @c, body = @b, carry = k : i64}`, read."""

    cond: Callee
    body: Callee
    n: int
    slots: int
    max_iterations: int
    #: Whether it is known to end, whatever the carries are.
    ends: bool

    def split(self, values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """What belongs to the carries, and what to the constants."""
        return list(values[: self.n]), list(values[self.n :])


class While(FunctionRule):
    """The body, while the condition holds: of the carries, which come first, and of constants.

    @c and @b take what the function takes; @c gives a bool, @b the next carries.  With
    `max_iterations = n : i64` it ends after n steps, if it did not before; 0 means no such bound.
    """

    attribute = "anvl.while"
    form = "{cond = @c, body = @b, carry = n : i64}"
    declares = True
    lifts = ("stablehlo.while",)
    roles = ("cond", "body")

    def read(self, f: Callee) -> _While:
        request = f.request(self)
        cond, body = (f.other(Symbol.decode(request[name])) for name in ("cond", "body"))
        numbers = {
            name: Int.decode(request[name]) if name in request else default
            for name, default in (("slots", f.default("slots", SLOTS)), ("max_iterations", 0))
        }
        ends = "ends" in request and Bool.decode(request["ends"])
        return _While(cond, body, Int.decode(request["carry"]), **numbers, ends=ends)

    def check(self, f: Callee) -> None:
        loop = self.read(f)
        inputs, outputs = f.types
        if not 0 <= loop.n <= len(inputs):
            raise ValueError(f"carry is {loop.n}, of {len(inputs)} arguments")
        if not is_slots(loop.slots):
            raise ValueError(f"slots is {loop.slots}; it must be a power of 2, of at least 2")
        if not 0 <= loop.max_iterations < 2**31:
            raise ValueError(
                f"max_iterations is {loop.max_iterations}; it must not be negative, and an i32"
            )
        if inputs[: loop.n] != outputs:
            raise ValueError("what it returns must be of the types of its carries")
        flag = tensor([], element_type("bool"))
        for role, of, wanted in (("cond", loop.cond, [flag]), ("body", loop.body, outputs)):
            if of.types != (inputs, wanted):
                raise ValueError(
                    f"its {role} @{of.name} is {ir.FunctionType.get(*of.types)}, but must be "
                    f"{ir.FunctionType.get(inputs, wanted)}"
                )

    def lift(
        self, f: Callee, op: ir.Operation, parts: Sequence[Callee], outer: Sequence[Value]
    ) -> Sequence[Value]:
        cond, body = parts
        types = [y.type for y in op.results]
        operands = [*op.operands, *outer]
        count = None
        if not calls_unsafe(cond, set()):  # a scan has no condition that could do more than to tell
            count = step_count(cond.program, body.program, operands)
        if count is not None:  # its adjoint keeps of each step what it needs, and no more
            return as_scan(f, body, operands, types, count)
        request = {
            "cond": symbol(cond),
            "body": symbol(body),
            "carry": Int.encode(len(types)),
        }
        inputs = [x.type for x in operands]
        made = f.declare("while", inputs, types, {self.attribute: ir.DictAttr.get(request)})
        return call(made, operands)

    def may_not_end(self, f: Callee) -> bool:
        loop = self.read(f)
        return not (loop.ends or loop.max_iterations)

    def made(
        self,
        f: Callee,
        suffix: str,
        types: Sequence[ir.Type],
        n: int,
        cond: Callable[..., Sequence[Value]],
        body: Callable[..., Sequence[Value]],
        places: Sequence[ir.Location] | None = None,
    ) -> Callee:
        """Another loop, of n carries, which takes what is of these types, and `places` name."""
        loop = self.read(f)
        request = {
            "cond": symbol(loop.cond.add(suffix, cond, types, places=places)),
            "body": symbol(loop.body.add(suffix, body, types, places=places)),
            "carry": Int.encode(n),
        }
        for name in ("slots", "max_iterations", "ends"):
            if name in f.request(self):
                request[name] = f.request(self)[name]
        return f.declare(suffix, types, types[:n], {self.attribute: ir.DictAttr.get(request)})

    def write(self, f: Callee, xs: Sequence[Value]) -> Sequence[Value]:
        loop = self.read(f)
        bound = loop.max_iterations
        index = tensor([], element_type("i32"))
        counts = [full(index, 0)] if bound else []
        k = len(counts)

        def goes_on(*vs: Value) -> Value:
            (flag,) = call(loop.cond, vs[k:])
            return below(vs[0], bound, flag) if bound else flag

        def step(*vs: Value) -> list[Value]:
            found = call(loop.body, vs[k:])
            return [*(emit.add(i, full(index, 1)) for i in vs[:k]), *found, *vs[k + loop.n :]]

        return hlo_while([*counts, *xs], goes_on, step)[k : k + loop.n]

    def simplify(
        self, f: Callee, xs: Sequence[Value], is_used: Sequence[bool], motion: Motion
    ) -> Sequence[Value | None] | None:
        loop = self.read(f)
        cond, body = loop.cond.program, loop.body.program
        is_pure = all(map(motion.may_go, list(cond.block.operations)[:-1]))
        if is_pure and (steps := _few_steps(cond, body, xs)) is not None:
            return call(loop.body, xs) if steps else xs[: loop.n]
        # It may take no step at all, and then must not wait for another loop in its body.
        still = Motion(motion.may_go, lambda op: not isinstance(op, CallOp) and motion.may_move(op))
        form = simpler_form([cond, body], (loop.n, 0), xs, is_used, still)
        if form is None:
            return None
        if not form.carry:
            return form.results([])
        operands = [*form.carry, *form.rest]
        types = [x.type for x in operands]
        emit_cond, emit_body = form.emits
        n = len(form.carry)
        made = self.made(f, "simpler", types, n, emit_cond, emit_body, form.places)
        return form.results(call(made, operands))

    def adjoint(
        self, f: Callee, gs: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Any:
        loop = self.read(f)
        plan = Plan.of(loop.slots, loop.max_iterations)
        ends, found = pulled_back((f, loop.cond, loop.body), loop.split(xs), gs, ys[0].owner, plan)
        return Replaced(ends, found)

    def operands_read(self, f: Callee, is_wanted: Sequence[bool]) -> list[bool]:
        loop = self.read(f)
        if not any(is_wanted):
            return [False] * len(f.types[0])
        cond, body = loop.cond.program, loop.body.program
        asked = cond.read()
        pairs = zip(cond.arguments, body.arguments, strict=True)
        is_asked = {y for x, y in pairs if x in asked}
        arguments = body.arguments
        wanted = [a or x in is_asked for a, x in zip(is_wanted, arguments, strict=False)]
        flags = carries_read(body, loop.n, wanted, is_asked)
        # Where it makes no step, a carry is what it was.
        return [a or b for a, b in zip(flags, [*is_wanted, *flags[loop.n :]], strict=True)]

    def n_carried(self, f: Callee) -> int:
        return self.read(f).n

    def bodies(self, f: Callee, moves: Sequence[bool]) -> Sequence[tuple[Program, Sequence[bool]]]:
        loop = self.read(f)
        body = loop.body.program
        settled = carries_moved(body, loop.n, moves)
        return [(loop.cond.program, settled), (body, settled)]

    def tangent(
        self, f: Callee, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Any:
        loop = self.read(f)
        n, cond, body = loop.n, loop.cond.program, loop.body.program
        moves = [t is not None for t in ts]
        flags = settled_flags(body, moves[:n], moves[n:], n)
        flags = [a and differentiable(x.type) for a, x in zip(flags, xs, strict=False)]
        marks = [*flags, *moves[n:]]
        carry, rest = loop.split(xs)
        moving = [
            zeros_like(x) if t is None else t
            for t, x, flag in zip(ts, xs, marks, strict=True)
            if flag
        ]
        k = sum(flags)

        def parted(values: Sequence[Value]) -> tuple[list[Value], list[Value | None]]:
            primals = [*values[:n], *values[n + k : n + k + len(rest)]]
            given = iter([*values[n : n + k], *values[n + k + len(rest) :]])
            return primals, [next(given) if flag else None for flag in marks]

        def next_body(*values: Value) -> list[Value]:
            primals, tangents = parted(values)
            found, moved = values_and_jvp_of(body, primals, tangents)
            pairs = zip(moved, primals, flags, strict=False)
            return [
                *found,
                *(zeros_like(x) if t is None else t for t, x, flag in pairs if flag),
            ]

        operands = [*carry, *moving[:k], *rest, *moving[k:]]
        types = [x.type for x in operands]
        made = self.made(f, "tangent", types, n + k, lambda *vs: cond(*parted(vs)[0]), next_body)
        found = call(made, operands)
        given = iter(found[n:])
        return Replaced(found[:n], [next(given) if flag else None for flag in flags])

    def batch(self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]) -> Sequence[Value]:
        loop = self.read(f)
        n, cond, body = loop.n, loop.cond.program, loop.body.program
        size = next(x.type.shape[0] for x, b in zip(xs, batched, strict=True) if b)
        flags = settled_flags(body, batched[:n], batched[n:], n)
        differs = reached(cond, [*flags, *batched[n:]])[0]
        if differs:  # each member stops at its own time, and keeps its values from then on
            flags = [True] * n
        marks = [*flags, *batched[n:]]
        risky = differs and size > 0 and calls_unsafe(loop.body, set())

        def next_cond(*values: Value) -> list[Value]:
            ((flag, has_axis),) = cond.batched(values, marks)
            return [emit.any(flag, axes=(0,)) if has_axis else flag]

        def next_body(*values: Value) -> list[Value]:
            given = list(values)
            if differs:
                ((active, has_axis),) = cond.batched(values, marks)
                active = active if has_axis else repeated(active, size)
            if risky:
                given = [
                    _of_active(active, x) if mark else x
                    for x, mark in zip(values, marks, strict=True)
                ]
            found = [
                y if has_axis or not mark else repeated(y, size)
                for (y, has_axis), mark in zip(body.batched(given, marks), flags, strict=True)
            ]
            if not differs:
                return found
            return [
                emit.select(spread(active, y), y, x) for y, x in zip(found, values, strict=False)
            ]

        operands = [
            repeated(x, size) if mark and not b else x
            for x, mark, b in zip(xs, marks, batched, strict=True)
        ]
        types = [x.type for x in operands]
        found = call(self.made(f, "batched", types, n, next_cond, next_body), operands)
        return [y if mark else repeated(y, size) for y, mark in zip(found, flags, strict=True)]


FUNCTION_RULES[While.attribute] = While()


def _few_steps(cond: Program, body: Program, xs: Sequence[Value]) -> int | None:
    """How many steps a loop of which the operands tell makes: 0, 1, or None."""
    known = [known_number(x) for x in xs]
    (goes_on,) = folded(cond, known)
    if goes_on is None:
        return None
    if not goes_on:
        return 0
    (goes_on,) = folded(cond, [*folded(body, known), *known[len(body.results) :]])
    return None if goes_on is None or goes_on else 1


def _of_active(active: Value, x: Value) -> Value:
    """x, with the first member that is active in place of those that are not.

    There a loop in the body need not end for the values that others were left with.
    """
    first = member(x, emit.argmax(active, axis=0, dtype="i32"))
    return emit.select(spread(active, x), x, repeated(first, x.type.shape[0]))
