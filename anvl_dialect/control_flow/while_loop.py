"""`while`: a body region repeated while a condition region yields true.

The tangent of a loop is a loop with more carries, and so is its batch.
Source: StableHLO specification, `while`.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

from anvl.dialect.control_flow.call import CallOp, Motion
from anvl.dialect.control_flow.case import loop_over_members
from anvl.dialect.control_flow.collectives_within import axes_combined
from anvl.dialect.control_flow.loop_dependence import while_dependence
from anvl.dialect.control_flow.loop_series import while_series
from anvl.dialect.control_flow.loop_simplify import simpler_form
from anvl.dialect.control_flow.loop_values import (
    active_arguments,
    axis_added,
    broadcast_flags,
    dependent_results,
    fixed_point_flags,
    live_arguments,
    member,
    scatter_flagged,
    tangents_of,
)
from anvl.dialect.control_flow.region_ops import RegionOp, emit_loop
from anvl.dialect.control_flow.trip_count import trip_count
from anvl.dialect.control_flow.while_checkpointing import Plan, pulled_back
from anvl.dialect.core.captures import operands_of, remembering
from anvl.dialect.core.context import on_new_context
from anvl.dialect.core.dialect import Anvl
from anvl.dialect.core.effects import has_order, is_unsafe
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir, register_view
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Bool, Int, Param
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.batch import PartlyBatched, repeated
from anvl.dialect.interpreters.constant_folding import folded, known_number
from anvl.dialect.interpreters.replaced import Replaced
from anvl.dialect.interpreters.subprogram import Program, values_and_jvp_of
from anvl.dialect.interpreters.variance import Variance

__all__ = ["SLOTS", "WhileOp", "is_slots"]

#: Default number of carries that a level saves: Note [Online checkpointing].
SLOTS = 32

# See Note [Attributes of a loop].
_SLOTS, _MOST, _ENDS = "anvl.slots", "anvl.max_iterations", "anvl.ends"

# Note [Attributes of a loop]
#
# The regions define what a loop computes.  Three optional attributes guide its derivatives and
# batches: `anvl.slots`, the number of carries that a checkpointing level keeps;
# `anvl.max_iterations`, a bound on the number of steps, so that every carry can be kept;
# `anvl.ends`, a promise that it terminates whatever the carries are, so that vmap may run it for
# members of a batch that did not choose it.  Loops that are derived from a loop inherit them.


def is_slots(slots: int) -> bool:
    """Whether a number of places per level is valid: a power of 2."""
    return 2 <= slots < 2**31 and not slots & (slots - 1)


class Loop(NamedTuple):
    """A parsed loop: both regions take the n carries, and then the captured values."""

    cond: Program
    body: Program
    n: int
    attributes: dict[str, ir.Attribute]
    plan: Plan
    #: Whether it is known to terminate, whatever the carries are.
    ends: bool

    def split(self, values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Split values into those of carries and those of captured values."""
        return list(values[: self.n]), list(values[self.n :])


class WhileOp(RegionOp):
    """Repeats the second region while the first yields true; both take the carries."""

    OPERATION_NAME: ClassVar[str] = "stablehlo.while"
    short_name = "while"
    is_loop = True

    @classmethod
    def labels(cls, count: int) -> Sequence[str]:
        return ("cond", "body")

    @classmethod
    def read(cls, op: ir.Operation, symbols: SymbolTable | None = None) -> dict[str, Any]:
        return {"loop": cls.loop_of(op, symbols)}

    @classmethod
    def loop_of(cls, op: ir.Operation, symbols: SymbolTable | None) -> Loop:
        """Parse a loop; raises `PassError` for an invalid attribute."""
        cond, body = cls.programs(op, symbols)
        attributes = {name: op.attributes[name] for name in _ATTRIBUTES if name in op.attributes}
        slots = _attribute(op, _SLOTS)
        if slots is None:
            slots = SLOTS if symbols is None else symbols.defaults.get("slots", SLOTS)
        most, ends = _attribute(op, _MOST) or 0, bool(_attribute(op, _ENDS))
        plan = Plan.of(slots, most)
        return Loop(cond, body, len(op.results), attributes, plan, ends or most > 0)

    @classmethod
    def unsafe(cls, op: ir.Operation, symbols: SymbolTable | None, seen: set[str]) -> bool:
        ends = bool(_attribute(op, _ENDS) or _attribute(op, _MOST))
        return not ends or super().unsafe(op, symbols, seen)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], loop: Loop) -> Any:
        return while_dependence(deps, loop.cond, loop.body, loop.n, xs)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any]) -> Any:
        return pads.loop(xs)

    @classmethod
    def varying_axes(
        cls, op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
    ) -> Sequence[frozenset[str]]:
        cond, body = cls.programs(op, variance.symbols)
        carry, goes_on = _varying(variance, cond, body, given, len(op.results))
        variance.parts(op, goes_on, axes_combined([cond, body]))
        return carry

    @classmethod
    def simplified(
        cls,
        op: ir.Operation,
        is_used: Sequence[bool],
        motion: Motion,
        symbols: SymbolTable | None,
    ) -> Sequence[Value | None] | None:
        loop, xs = cls.loop_of(op, symbols), operands_of(op)
        cond, body = loop.cond, loop.body
        is_pure = motion.are_dce_able(cond.block.operations)
        if is_pure and (steps := _few_steps(cond, body, xs)) is not None:
            return body(*xs) if steps else list(xs[: loop.n])

        def is_hoistable(inner: Any) -> bool:
            # It may take no step at all, and then must not wait for a loop hoisted out of its body.
            return not isinstance(inner, CallOp | RegionOp) and motion.is_hoistable(inner)

        still = Motion(motion.functions, is_hoistable)
        form = simpler_form([cond, body], (loop.n, 0), xs, is_used, still)
        if form is None:
            return None
        if not form.carry:
            return form.results([])
        emit_cond, emit_body = form.emits
        n = len(form.carry)
        found = emit_loop(
            form.carry,
            lambda *vs: emit_cond(*vs, *form.rest)[0],
            lambda *vs: emit_body(*vs, *form.rest),
            loop.attributes,
            form.places[:n],
        )
        return form.results(found)

    @classmethod
    def adjoint(
        cls,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        loop: Loop,
        active: Sequence[bool] | None = None,
    ) -> Any:
        flags = [True] * len(xs) if active is None else active
        plan = loop.plan.for_steps(trip_count(loop.cond, loop.body, xs))
        loop = loop._replace(plan=plan, ends=loop.ends or plan.steps is not None)
        ends, found = pulled_back(loop, loop.split(xs), gs, flags, ys[0].owner)
        return Replaced(ends, found)

    @classmethod
    def operands_read(
        cls, op: ir.Operation, is_wanted: Sequence[bool], symbols: SymbolTable | None
    ) -> list[bool]:
        """For each value that the op reads, whether a wanted result depends on it."""
        with remembering() as known:
            key = op, tuple(is_wanted)
            if key not in known:
                known[key] = cls._operands_read(op, is_wanted, symbols)
            return list(known[key])

    @classmethod
    def _operands_read(
        cls, op: ir.Operation, is_wanted: Sequence[bool], symbols: SymbolTable | None
    ) -> list[bool]:
        cond, body = cls.programs(op, symbols)
        n = len(op.results)
        if not any(is_wanted):
            return [False] * len(body.arguments)
        read_by_cond = cond.slice().values
        pairs = zip(cond.arguments, body.arguments, strict=True)
        feeds_cond = {y for x, y in pairs if x in read_by_cond}
        arguments = body.arguments
        wanted = [a or x in feeds_cond for a, x in zip(is_wanted, arguments, strict=False)]
        flags = live_arguments(body, n, wanted, feeds_cond)
        # If it takes no step, a result is the initial carry.
        return [a or b for a, b in zip(flags, [*is_wanted, *flags[n:]], strict=True)]

    @classmethod
    def n_carried(cls, op: ir.Operation) -> int:
        return len(op.results)

    @classmethod
    def differentiated(
        cls, op: ir.Operation, moves: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[tuple[Program, Sequence[bool]]]:
        cond, body = cls.programs(op, symbols)
        active = active_arguments(body, len(op.results), moves)
        return [(cond, active), (body, active)]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value], loop: Loop
    ) -> Any:
        n, cond, body = loop.n, loop.cond, loop.body
        moves = [t is not None for t in ts]
        flags = fixed_point_flags(body, moves[:n], moves[n:], n)
        flags = [a and differentiable(x.type) for a, x in zip(flags, xs, strict=False)]
        carry, rest = loop.split(xs)

        def next_body(*values: Value) -> list[Value]:
            primals = values[:n]
            given = [*scatter_flagged(values[n:], flags), *ts[n:]]
            found, moved = values_and_jvp_of(body, [*primals, *rest], given, symbols=body.symbols)
            return [*found, *tangents_of(primals, moved, flags)]

        found = emit_loop(
            [*carry, *tangents_of(carry, ts[:n], flags)],
            lambda *vs: cond(*vs[:n], *rest)[0],
            next_body,
            loop.attributes,
        )
        return Replaced(found[:n], scatter_flagged(found[n:], flags))

    @classmethod
    def taylor_series(cls, xs: Sequence[Value], series: Any, order: int, loop: Loop) -> Any:
        return while_series(loop, xs, series, order)

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], loop: Loop) -> Any:
        n = loop.n
        size = next(x.type.shape[0] for x, b in zip(xs, batched, strict=True) if b)
        many = _Batched.of(loop, xs, batched, size)
        ops = [op for part in (loop.cond, loop.body) for op in part.block.operations]
        if many.differs and has_order(ops, loop.body.symbols):
            return cls._one_by_one(xs, batched, loop)
        carry = axis_added(xs[:n], many.flags, batched[:n], size)
        found = emit_loop(carry, many.goes_on, many.step, loop.attributes)
        return PartlyBatched(found, many.flags)

    @staticmethod
    def _one_by_one(xs: Sequence[Value], batched: Sequence[bool], loop: Loop) -> Sequence[Value]:
        """Run the loop of each member to its end: a member that has ended must have no effect."""

        def one(*values: Value) -> list[Value]:
            carry, rest = loop.split(values)
            return emit_loop(
                carry,
                lambda *vs: loop.cond(*vs, *rest)[0],
                lambda *vs: loop.body(*vs, *rest),
                loop.attributes,
            )

        symbols = loop.body.symbols
        assert symbols is not None  # of the pass that batches
        return loop_over_members(xs, batched, one, symbols)


class _Batched(NamedTuple):
    """A loop for all members of a batch: `flags` tell which carries have the batch axis."""

    loop: Loop
    size: int
    flags: Sequence[bool]
    #: Whether each member stops at its own step, and keeps its values from then on.
    differs: bool
    rest: Sequence[Value]
    #: The flags of the carries and of the captured values.
    marks: Sequence[bool]

    @classmethod
    def of(cls, loop: Loop, xs: Sequence[Value], batched: Sequence[bool], size: int) -> "_Batched":
        carried, captured = loop.split(batched)
        flags = fixed_point_flags(loop.body, carried, captured, loop.n)
        differs = dependent_results(loop.cond, [*flags, *captured])[0]
        flags = [True] * loop.n if differs else flags
        return cls(loop, size, flags, differs, xs[loop.n :], [*flags, *captured])

    def goes_on(self, *values: Value) -> Value:
        flag, has_axis = self._condition(values)
        return emit.any(flag, axes=(0,)) if has_axis else flag

    def _condition(self, values: Sequence[Value]) -> tuple[Value, bool]:
        (found,) = self.loop.cond.batched([*values, *self.rest], self.marks)
        return found

    def step(self, *values: Value) -> list[Value]:
        if not self.differs:
            return self._stepped([*values, *self.rest])
        flag, has_axis = self._condition(values)
        active = flag if has_axis else repeated(flag, self.size)
        found = self._stepped(self._safe(active, [*values, *self.rest]))
        return [
            emit.select(broadcast_flags(active, y), y, x)
            for y, x in zip(found, values, strict=True)
        ]

    def _safe(self, active: Value, given: list[Value]) -> list[Value]:
        """Replace finished members by an active one, where the body may not end on their values."""
        body = self.loop.body
        if not self.size or not is_unsafe(body.block.operations, body.symbols):
            return given
        marked = zip(given, self.marks, strict=True)
        return [_with_finished_replaced(active, x) if mark else x for x, mark in marked]

    def _stepped(self, given: list[Value]) -> list[Value]:
        found = self.loop.body.batched(given, self.marks)
        present = [has_axis for _, has_axis in found]
        return axis_added([y for y, _ in found], self.flags, present, self.size)


class _Form(NamedTuple):
    """The type of an attribute, and a condition on its value."""

    kind: type[Param]
    fits: Callable[[Any], bool]
    must_be: str


_ATTRIBUTES = {
    _SLOTS: _Form(Int, is_slots, "a power of 2, of at least 2, as i64"),
    _MOST: _Form(Int, lambda n: 0 <= n < 2**31, "an i64 that an i32 holds, of at least 0"),
    _ENDS: _Form(Bool, lambda _: True, "a bool"),
}


def _attribute(op: ir.Operation, name: str) -> Any:
    """The value of an attribute of a loop; None where it is absent."""
    if name not in op.attributes:
        return None
    attribute, form = op.attributes[name], _ATTRIBUTES[name]
    with suppress(TypeError):
        found = form.kind.decode(attribute)
        if form.fits(found):
            return found
    problem = f"{op.name}: {name} is {attribute}; it must be {form.must_be}"
    raise PassError("control flow", problem, str(op.location))


def _varying(
    variance: Variance, cond: Program, body: Program, given: Sequence[frozenset[str]], n: int
) -> tuple[list[frozenset[str]], frozenset[str]]:
    """The axes along which carries may vary after any number of steps, and the condition."""
    carry, outer = list(given[:n]), given[n:]
    while True:
        (goes_on,) = variance.results(cond, [*carry, *outer])
        found = variance.results(body, [*carry, *outer])
        more = [a | b | goes_on for a, b in zip(carry, found, strict=True)]
        if more == carry:
            return carry, goes_on
        carry = more


def _few_steps(cond: Program, body: Program, xs: Sequence[Value]) -> int | None:
    """Trip count of a loop if its operands determine it to be 0 or 1, else None."""
    known = [known_number(x) for x in xs]
    (goes_on,) = folded(cond, known)
    if goes_on is None:
        return None
    if not goes_on:
        return 0
    (goes_on,) = folded(cond, [*folded(body, known), *known[len(body.results) :]])
    return None if goes_on is None or goes_on else 1


def _with_finished_replaced(active: Value, x: Value) -> Value:
    """Replace finished members by the first active one.

    On their stale values a loop in the body might not terminate.
    """
    first = member(x, emit.argmax(active, axis=0, dtype="i32"))
    return emit.select(broadcast_flags(active, x), x, repeated(first, x.type.shape[0]))


def _register() -> None:
    register_view(Anvl, WhileOp)


on_new_context(_register)
