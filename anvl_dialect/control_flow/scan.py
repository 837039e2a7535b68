"""`anvl.scan`: functions that loop over the first axis of arrays.

The tangent of a scan is a scan over more arrays, and so is its batch.  The adjoint is two scans:
the forward one, which saves the residuals of each step, and a backward one over the residuals;
of elementwise steps it is one scan (`diagonal_steps.py`).
Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), section 3.4.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from anvl.dialect.control_flow.call import (
    FUNCTION_RULES,
    Callee,
    FunctionRule,
    Motion,
    call,
)
from anvl.dialect.control_flow.counted_scan import as_scan
from anvl.dialect.control_flow.declared_scan import SCAN, decoded, request_of
from anvl.dialect.control_flow.diagonal_steps import blocks_of, diagonal_carry, in_steps, scaled
from anvl.dialect.control_flow.loop_dependence import scan_dependence
from anvl.dialect.control_flow.loop_series import scan_series
from anvl.dialect.control_flow.loop_simplify import simpler_form
from anvl.dialect.control_flow.loop_values import (
    active_arguments,
    axis_added,
    cotangent_flags,
    fixed_point_flags,
    live_arguments,
    member,
    scatter_flagged,
    split_sizes,
    stacked_flags,
    tangents_of,
    update_at,
)
from anvl.dialect.control_flow.region_ops import emit_loop
from anvl.dialect.control_flow.trip_count import Count, step_count
from anvl.dialect.control_flow.while_loop import WhileOp
from anvl.dialect.core.attributes import replaced_entries
from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.effects import is_unsafe
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.shape import permuted, reshaped
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.batch import PartlyBatched
from anvl.dialect.interpreters.replaced import Replaced
from anvl.dialect.interpreters.residual_selection import residuals
from anvl.dialect.interpreters.slices import forward_slice, live_in
from anvl.dialect.interpreters.subprogram import (
    Program,
    found_and_values,
    sweep_backward,
    values_and_jvp_here,
    values_and_jvp_of,
)

__all__ = ["Scan"]


class _Scan(NamedTuple):
    """`{body = @b, carry = k, xs = m, length = n, reverse = false}`, read."""

    body: Callee
    n: int
    m: int
    length: int
    reverse: bool

    def split(self, values: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Split values into those of carries, scanned arrays and constants."""
        n, end = self.n, self.n + self.m
        return list(values[:n]), list(values[n:end]), list(values[end:])


class Scan(FunctionRule):
    """A loop of the body over the first axis of some arguments, with carries.

    The function takes carries, scanned arrays and constants; it returns the final carries and the
    body's other results, stacked.
    """

    attribute = SCAN
    lifts: ClassVar[tuple[str, ...]] = ("stablehlo.while",)
    form = "{body = @b, carry = n : i64, xs = n : i64, length = n : i64, reverse = false}"
    declares = True

    def read(self, f: Callee) -> _Scan:
        body, n, m, length, reverse = decoded(f.request(self))
        return _Scan(f.function_named(body), n, m, length, reverse)

    def check(self, f: Callee) -> None:
        loop = self.read(f)
        inputs, outputs = f.types
        is_counted = 0 <= loop.length < 2**31  # in an i32
        if min(loop.n, loop.m) < 0 or loop.n + loop.m > len(inputs) or not is_counted:
            raise ValueError(
                f"carry, xs and length are {loop.n}, {loop.m} and {loop.length}; carry "
                f"and xs must count at most its {len(inputs)} arguments, and length must fit an i32"
            )
        carry, xs, rest = loop.split(inputs)
        for x in xs:
            if not x.rank or x.shape[0] != loop.length:
                raise ValueError(
                    f"xs has {x}; its first axis must have size {loop.length}, the length"
                )
        for y in outputs[loop.n :]:
            if not y.rank or y.shape[0] != loop.length:
                raise ValueError(
                    f"it stacks {y}; the first axis must have size {loop.length}, the length"
                )
        wanted = (
            [*carry, *map(_member_type, xs), *rest],
            [*carry, *map(_member_type, outputs[loop.n :])],
        )
        if outputs[: loop.n] != carry:
            raise ValueError("its first results must have the types of its carries")
        if loop.body.types != wanted:
            raise ValueError(
                f"its body @{loop.body.name} is {ir.FunctionType.get(*loop.body.types)}, but must "
                f"be {ir.FunctionType.get(*wanted)}"
            )

    def with_state(self, request: Any, count: int) -> ir.Attribute:
        return replaced_entries(request, carry=Int.encode(Int.decode(request["carry"]) + count))

    def varying_axes(
        self, f: Callee, op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
    ) -> Sequence[frozenset[str]]:
        loop = self.read(f)
        carry, rest = list(given[: loop.n]), given[loop.n :]
        while True:
            found = variance.results(loop.body.program, [*carry, *rest])
            more = [a | b for a, b in zip(carry, found, strict=False)]
            if more == carry:
                return [*carry, *found[loop.n :]]
            carry = more

    def counts(self, op: ir.Operation, symbols: SymbolTable) -> Count | None:
        if not isinstance(op.opview, WhileOp):
            return None
        cond, body = WhileOp.programs(op, symbols)
        # A scan has no condition, which could have a side effect.
        if is_unsafe(cond.block.operations, symbols):
            return None
        return step_count(cond, body, operands_of(op))

    def lift(
        self, f: Callee, op: ir.Operation, body: Callee, outer: Sequence[Value], count: Count
    ) -> Sequence[Value]:
        types = [y.type for y in op.results]
        return as_scan(f, body, [*op.operands, *outer], types, count)

    def emit_scan(
        self,
        f: Callee,
        suffix: str,
        parts: tuple[Sequence[Value], Sequence[Value], Sequence[Value]],
        body: Callable[..., Sequence[Value]],
        reverse: bool,
        places: Sequence[ir.Location] | None = None,
    ) -> list[Value]:
        """Emit another scan over carries, arrays and constants, which `places` name."""
        loop = self.read(f)
        carry, xs, rest = parts
        types = [
            *(x.type for x in carry),
            *(_member_type(x.type) for x in xs),
            *(x.type for x in rest),
        ]
        step = loop.body.add(suffix, body, types, places=places)
        stacked = [_stacked_type(y, loop.length) for y in step.types[1][len(carry) :]]
        request = request_of(step, len(carry), len(xs), loop.length, reverse=reverse)
        operands = [*carry, *xs, *rest]
        made = f.declare(
            suffix,
            [x.type for x in operands],
            [*(x.type for x in carry), *stacked],
            {self.attribute: request},
        )
        return call(made, operands)

    def write(self, f: Callee, xs: Sequence[Value], in_blocks: bool) -> Sequence[Value]:
        loop = self.read(f)
        carry, arrays, rest = loop.split(xs)
        stacked = [full(t, 0) for t in f.types[1][loop.n :]]
        if loop.length == 0:
            return [*carry, *stacked]
        blocks = blocks_of(loop.body.program, carry, loop.length)
        if in_blocks and blocks is not None and len(xs) == len(carry) + len(rest):
            return in_steps(blocks, carry, lambda *values: call(loop.body, [*values, *rest]))
        n = loop.n
        index = tensor([], element_type("i32"))

        def step(*values: Value) -> list[Value]:
            i, carries, written = values[0], values[1 : 1 + n], values[1 + n :]
            at = emit.sub(full(index, loop.length - 1), i) if loop.reverse else i
            found = call(loop.body, [*carries, *(member(x, at) for x in arrays), *rest])
            new = [update_at(y, at, z) for y, z in zip(written, found[n:], strict=True)]
            return [emit.add(i, full(index, 1)), *found[:n], *new]

        def goes_on(*values: Value) -> Value:
            end = full(index, loop.length)
            return emit.compare(values[0], end, comparison_direction="LT")

        return emit_loop([full(index, 0), *carry, *stacked], goes_on, step)[1:]

    def simplify(
        self, f: Callee, xs: Sequence[Value], is_used: Sequence[bool], motion: Motion
    ) -> Sequence[Value | None] | None:
        loop = self.read(f)
        carry, arrays, rest = loop.split(xs)
        stacked = f.types[1][loop.n :]
        if loop.length == 0:
            return [*carry, *(full(t, 0) for t in stacked)]
        if loop.length == 1:
            only = [reshaped(x, tuple(x.type.shape[1:])) for x in arrays]
            found = call(loop.body, [*carry, *only, *rest])
            pairs = zip(found[loop.n :], stacked, strict=True)
            return [*found[: loop.n], *(reshaped(y, tuple(t.shape)) for y, t in pairs)]
        form = simpler_form([loop.body.program], (loop.n, loop.m), xs, is_used, motion)
        if form is None:
            return None
        (step,) = form.emits
        parts = form.carry, form.arrays, form.rest
        if not any(isinstance(y, int) for y in form.found):
            return form.results([])
        return form.results(self.emit_scan(f, "simpler", parts, step, loop.reverse, form.places))

    def operands_read(self, f: Callee, is_wanted: Sequence[bool]) -> list[bool]:
        loop = self.read(f)
        flags = live_arguments(loop.body.program, loop.n, is_wanted)
        if loop.length:
            return flags
        return [*is_wanted[: loop.n], *(False for _ in flags[loop.n :])]

    def n_carried(self, f: Callee) -> int:
        return self.read(f).n

    def bodies(self, f: Callee, moves: Sequence[bool]) -> Sequence[tuple[Program, Sequence[bool]]]:
        loop = self.read(f)
        body = loop.body.program
        return [(body, active_arguments(body, loop.n, moves))]

    def taylor_series(self, f: Callee, xs: Sequence[Value], series: Any, order: int) -> Any:
        return scan_series(self, f, xs, series, order)

    def dependence(self, f: Callee, deps: Any, xs: Sequence[Any]) -> Any:
        return scan_dependence(deps, self.read(f), xs)

    def tangent(
        self, f: Callee, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Any:
        loop = self.read(f)
        n, body = loop.n, loop.body.program
        takes, gives = _active(body, n, ts, xs, ys)
        primals = loop.split(xs)
        tangents = [
            tangents_of(*part)
            for part in zip(primals, loop.split(ts), loop.split(takes), strict=True)
        ]
        pairs = list(zip(primals, tangents, strict=True))

        def next_body(*values: Value) -> list[Value]:
            c, tc, x, tx, r, tr = split_sizes(
                values, [len(part) for pair in pairs for part in pair]
            )
            given = scatter_flagged([*tc, *tx, *tr], takes)
            if body.is_plain:
                found, moved = values_and_jvp_here(body, [*c, *x, *r], given)
            else:
                found, moved = values_and_jvp_of(body, [*c, *x, *r], given, symbols=f.symbols)
            return [
                *found[:n],
                *tangents_of(found[:n], moved[:n], gives[:n]),
                *found[n:],
                *tangents_of(found[n:], moved[n:], gives[n:]),
            ]

        carry, arrays, rest = ([*xs, *ts] for xs, ts in pairs)
        found = self.emit_scan(f, "tangent", (carry, arrays, rest), next_body, loop.reverse)
        ends, stacked = split_sizes(found, [len(carry), len(found) - len(carry)])
        n_stacked = len(ys) - n
        return Replaced(
            [*ends[:n], *stacked[:n_stacked]],
            scatter_flagged([*ends[n:], *stacked[n_stacked:]], gives),
        )

    def batch(self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]) -> Any:
        loop = self.read(f)
        n, body = loop.n, loop.body.program
        size = next(x.type.shape[0] for x, b in zip(xs, batched, strict=True) if b)
        flags = fixed_point_flags(body, batched[:n], batched[n:], n)
        marks = [*flags, *batched[n:]]
        carry, arrays, rest = loop.split(xs)
        outs = stacked_flags(body, marks, n)

        def next_body(*values: Value) -> list[Value]:
            found = body.batched(values, marks)
            present = [has_axis for _, has_axis in found]
            return axis_added([y for y, _ in found], [*flags, *outs], present, size)

        found = self.emit_scan(
            f,
            "batched",
            (
                axis_added(carry, flags, batched[:n], size),
                [_swapped(x) if b else x for x, b in zip(arrays, batched[n:], strict=False)],
                rest,
            ),
            next_body,
            loop.reverse,
        )
        stacked = [_swapped(y) if mark else y for y, mark in zip(found[n:], outs, strict=True)]
        return PartlyBatched([*found[:n], *stacked], [*flags, *outs])

    def adjoint(
        self,
        f: Callee,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        active: Sequence[bool],
    ) -> Any:
        loop = self.read(f)
        n = loop.n
        moves, has_cotangent = cotangent_flags(loop.body.program, n, gs, active)
        only = diagonal_carry(loop.body.program, n, moves, has_cotangent)
        if only is not None:
            return self._adjoint_of_diagonal(f, only, gs[only], xs, ys)
        carry, arrays, rest = loop.split(xs)
        parts = _Backward(loop, moves, has_cotangent)
        # The forward scan replaces the original one, and also returns the residuals of each step.
        with ir.InsertionPoint(ys[0].owner):
            found = self.emit_scan(f, "forward", (carry, arrays, rest), parts.forward, loop.reverse)
        kept = found[len(ys) :]
        ends = [
            zeros_like(y) if g is None else g
            for g, y, has in zip(gs[:n], found[:n], parts.has_cotangent, strict=False)
            if has
        ]
        seeds = [g for g in gs[n:] if g is not None]
        is_summed = parts.moves[n + loop.m :]
        sums = [zeros_like(x) for x, has in zip(rest, is_summed, strict=True) if has]
        back = self.emit_scan(
            f,
            "backward",
            (
                [*ends, *sums],
                [*kept, *parts.read_by_backward(arrays, n), *seeds],
                parts.read_by_backward(rest, n + loop.m),
            ),
            parts.backward,
            not loop.reverse,
        )
        firsts, totals, stacked = split_sizes(
            back, [len(ends), len(sums), len(back) - len(ends) - len(sums)]
        )
        given = iter([*firsts, *stacked, *totals])
        has_any = [*parts.has_cotangent[:n], *parts.moves[n:]]
        cotangents = [next(given) if has else None for has in has_any]
        return Replaced(found[: len(ys)], cotangents)

    def _adjoint_of_diagonal(
        self, f: Callee, only: int, g: Value | None, xs: Sequence[Value], ys: Sequence[Value]
    ) -> Any:
        """The adjoint of elementwise steps: Note [Elementwise steps]."""
        with ir.InsertionPoint(ys[0].owner):
            ts = [full(x.type, 1) if k == only else None for k, x in enumerate(xs)]
            values, tangents = self.tangent(f, ts, xs, ys)
        cotangents: list[Value | None] = [None] * len(xs)
        if g is not None:
            cotangents[only] = scaled(g, tangents[only])
        return Replaced(values, cotangents)


class _Backward:
    """Adjoint of one step, split into a forward and a backward part."""

    def __init__(self, loop: _Scan, moves: Sequence[bool], has_cotangent: Sequence[bool]) -> None:
        self.loop = loop
        self.body = body = loop.body.program
        n = loop.n
        self.types = [x.type for x in body.arguments]
        #: For each argument of a step, and for each result, whether it has a cotangent.
        self.moves, self.has_cotangent = moves, has_cotangent
        seeds = [y.type for y, has in zip(body.results, self.has_cotangent, strict=True) if has]
        made = Program.of(self._pullback, [*self.types, *seeds], body.symbols).merged()
        count = len(body.results)
        # Values of the step, as rewritten by its adjoint, and the cotangents.
        self.values, cotangents = made.results[:count], made.results[count:]
        self.program = Program(made.block, cotangents, made)
        arguments = self.program.arguments
        whole = self.program.slice()
        late = forward_slice(whole.ops, arguments[len(self.types) :], whole_ops=True)
        read = [*live_in(late.ops, whole.values, body.symbols), *self.program.results]
        # Scanned arrays and constants are available without being saved.
        ops = [op for op in whole.ops if late.values.isdisjoint(op.results)]
        there, same = (
            set(arguments[n : len(self.types)]),
            set(arguments[n + loop.m : len(self.types)]),
        )
        for op in ops:
            if same.issuperset(operands_of(op)):
                same.update(op.results)
        self.kept = residuals([x for x in read if x not in late.values], there | same, ops)
        # Values the backward part reads: a linear scan must not seem to need its arguments.
        self.late = Program(self.program.block, self.program.results, self.program)
        self.late.arguments = [*self.kept, *arguments[n:]]
        read_late = self.late.slice().values
        self.is_read = [x in read_late for x in arguments[: len(self.types)]]

    def read_by_backward(self, values: Sequence[Any], first: int) -> list[Any]:
        """Select, of values for the arguments from `first` on, those the backward part reads."""
        return [x for x, is_read in zip(values, self.is_read[first:], strict=False) if is_read]

    def _pullback(self, *values: Value) -> list[Value]:
        xs, seeds = values[: len(self.types)], iter(values[len(self.types) :])
        ys = self.body(*xs)
        pairs = [(y, next(seeds)) for y, has in zip(ys, self.has_cotangent, strict=True) if has]
        wrt = [x for x, moving in zip(xs, self.moves, strict=True) if moving]
        found, ys = found_and_values(ys, lambda: sweep_backward(pairs, wrt, self.body.symbols))
        return [*ys, *found]

    def forward(self, *values: Value) -> list[Value]:
        """Emit one forward step; return its results and its residuals."""
        early = Program(self.program.block, [*self.values, *self.kept], self.program)
        early.arguments = self.program.arguments[: len(self.types)]
        return early(*values)

    def backward(self, *values: Value) -> list[Value]:
        """Emit one backward step, over cotangents of carries, sums, residuals, cotangents of ys."""
        loop, types = self.loop, self.types
        moves, of_arrays, of_rest = loop.split(self.moves)
        n_ends = sum(self.has_cotangent[: loop.n])
        n_sums = sum(of_rest)
        n_seeds = sum(self.has_cotangent[loop.n :])
        arguments = self.program.arguments
        scanned = self.read_by_backward(arguments[loop.n : loop.n + loop.m], loop.n)
        shared = self.read_by_backward(arguments[loop.n + loop.m : len(types)], loop.n + loop.m)
        sizes = [n_ends, n_sums, len(self.kept), len(scanned), n_seeds, len(shared)]
        ends, sums, kept, xs, seeds, others = split_sizes(values, sizes)
        self.late.arguments = [*self.kept, *scanned, *shared, *arguments[len(types) :]]
        found = self.late(*kept, *xs, *others, *ends, *seeds)
        firsts, stacked, more = split_sizes(found, [sum(moves), sum(of_arrays), n_sums])
        reached = [h for h, moving in zip(self.has_cotangent, moves, strict=False) if moving]
        firsts = [g for g, has in zip(firsts, reached, strict=True) if has]
        totals = [emit.add(a, b) for a, b in zip(sums, more, strict=True)]
        return [*firsts, *totals, *stacked]


FUNCTION_RULES[Scan.attribute] = Scan()


def _active(
    body: Program,
    n: int,
    ts: Sequence[Value | None],
    xs: Sequence[Value],
    ys: Sequence[Value],
) -> tuple[list[bool], list[bool]]:
    """For each operand of a step, and for each result, whether it has a tangent in any step."""
    moves = [t is not None for t in ts]
    flags = fixed_point_flags(body, moves[:n], moves[n:], n)
    carry = [a and differentiable(x.type) for a, x in zip(flags, xs[:n], strict=True)]
    takes = [*carry, *moves[n:]]
    pairs = zip(stacked_flags(body, takes, n), ys[n:], strict=True)
    return takes, [*carry, *(a and differentiable(y.type) for a, y in pairs)]


def _member_type(type_: Any) -> ir.Type:
    return tensor(type_.shape[1:], type_.element_type)


def _stacked_type(type_: Any, length: int) -> ir.Type:
    return tensor([length, *type_.shape], type_.element_type)


def _swapped(x: Value) -> Value:
    """Swap the first two axes of x: the batch and the steps."""
    return permuted(x, (1, 0, *range(2, x.type.rank)))
