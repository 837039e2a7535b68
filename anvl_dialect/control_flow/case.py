"""`if` and `case`: one of several regions, chosen at run time.

Each transformation of a choice is a choice between the transformed branches.
Source: StableHLO specification, `if` and `case`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from anvl.dialect.control_flow.collectives_within import axes_combined
from anvl.dialect.control_flow.declared_scan import declare_scan
from anvl.dialect.control_flow.loop_dependence import choice_dependence
from anvl.dialect.control_flow.loop_series import branch_series, unpacked
from anvl.dialect.control_flow.loop_values import broadcast_flags
from anvl.dialect.control_flow.region_ops import Region, RegionOp, emit_regions
from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.context import on_new_context
from anvl.dialect.core.create import full
from anvl.dialect.core.dialect import Anvl
from anvl.dialect.core.effects import is_unsafe
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir, register_view
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Text
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.batch import repeated
from anvl.dialect.interpreters.constant_folding import known_number
from anvl.dialect.interpreters.replaced import Replaced
from anvl.dialect.interpreters.subprogram import Program, batch_of, values_and_jvp_of, vjp_of

__all__ = [
    "CHOICES", "CONTROL_FLOW", "STRATEGIES", "CaseOp", "ChoiceOp", "IfOp", "choose",
    "loop_over_members",
]  # fmt: skip

#: How vmap treats a batched index: Note [Choices in a batch].
STRATEGIES = ("select", "loop")

_STRATEGY = "anvl.batch"

# Note [Choices in a batch]
#
# Where members of a batch differ in the branch, `anvl.batch = "select"` computes every branch for
# all of them and selects: the result of a branch for a member that does not take it is part neither
# of the result nor of a derivative, since `select` is safe from NaN.  With "loop" the members run
# one after the other, and each computes its own branch alone.  The default is "select", except for
# branches that may not terminate or have a side effect.
#
# A collective in a branch combines the values of all members, also of those that do not take the
# branch, since all compute it.  So the cotangent of its result is the sum over those that do, and
# reaches all: the adjoint computes every branch, on cotangents that are 0 where it is not taken.
# On devices, where one that does not take the branch would be waited for without end, the lowering
# refuses a choice by a value that may differ between them: Note [Variance].


class ChoiceOp(RegionOp):
    """Base of `if` and `case`: the first operand selects the region."""

    @classmethod
    def read(cls, op: ir.Operation, symbols: SymbolTable | None = None) -> dict[str, Any]:
        return {"branches": cls.programs(op, symbols), "strategy": cls.strategy_of(op)}

    @classmethod
    def strategy_of(cls, op: ir.Operation) -> str | None:
        """Value of its attribute `anvl.batch`, or None: Note [Choices in a batch]."""
        if _STRATEGY not in op.attributes:
            return None
        found = op.attributes[_STRATEGY]
        if not isinstance(found, ir.StringAttr) or found.value not in STRATEGIES:
            listed = " or ".join(f'"{name}"' for name in STRATEGIES)
            problem = f"{op.name}: {_STRATEGY} is {found}; it must be {listed}"
            raise PassError("anvl-vectorize", problem, str(op.location))
        return found.value

    @classmethod
    def selected_branch(cls, choice: Any, count: int) -> int:
        """Position of the branch, out of `count`, that an index selects."""
        raise NotImplementedError

    @classmethod
    def selected(cls, choice: Value, results: Sequence[Sequence[Value]]) -> list[Value]:
        """Select the results of one branch, given those of all; one index, or one per member."""
        raise NotImplementedError

    @classmethod
    def operands_read(
        cls, op: ir.Operation, is_wanted: Sequence[bool], symbols: SymbolTable | None
    ) -> list[bool]:
        """For each value that the op reads, whether a wanted result depends on it."""
        outer = operands_of(op.opview)[1:]
        read: set[Value] = set()
        for branch in cls.programs(op, symbols):
            pairs = zip(branch.results, is_wanted, strict=True)
            read |= branch.slice(y for y, wanted in pairs if wanted).values
        return [any(is_wanted), *(x in read for x in outer)]

    @classmethod
    def differentiated(
        cls, op: ir.Operation, moves: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[tuple[Program, Sequence[bool]]]:
        return [(branch, moves[1:]) for branch in cls.programs(op, symbols)]

    @classmethod
    def dependence(
        cls, deps: Any, xs: Sequence[Any], branches: Sequence[Program], strategy: str | None
    ) -> Any:
        known = deps.known(0)
        selected = None if known is None else cls.selected_branch(known, len(branches))
        return choice_dependence(deps, branches, xs[0], xs[1:], selected)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any]) -> Any:
        return pads.choice(xs)

    @classmethod
    def varying_axes(
        cls, op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
    ) -> Sequence[frozenset[str]]:
        branches, (choice, *outer) = cls.programs(op, variance.symbols), given
        variance.parts(op, choice, axes_combined(branches))
        found = [variance.results(branch, outer) for branch in branches]
        return [choice.union(*of_one) for of_one in zip(*found, strict=True)]

    @classmethod
    def adjoint(
        cls,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        branches: Sequence[Program],
        strategy: str | None,
        active: Sequence[bool] | None = None,
    ) -> Sequence[Any]:
        choice, *outer = xs
        flags = [True] * len(outer) if active is None else active[1:]
        if axes_combined(branches) and not _are_unsafe(branches):
            return cls._adjoint_of_all(gs, xs, branches, flags)

        def pullback(branch: Program) -> list[Value]:
            cotangents = vjp_of(branch, outer, gs, active=flags, symbols=branch.symbols)
            return [g for g in cotangents if g is not None]

        found = iter(cls.chosen(choice, [partial(pullback, b) for b in branches], strategy))
        pairs = zip(outer, flags, strict=True)
        return [None, *[next(found) if differentiable(x.type) and a else None for x, a in pairs]]

    @classmethod
    def _adjoint_of_all(
        cls,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        branches: Sequence[Program],
        flags: Sequence[bool],
    ) -> Sequence[Any]:
        """The adjoint of every branch, also of those not taken: Note [Choices in a batch]."""

        def all_of(choice: Value, *outer: Value) -> list[Value]:
            return cls.selected(choice, [branch(*outer) for branch in branches])

        active = [False, *flags]
        return vjp_of(all_of, xs, gs, active=active, symbols=branches[0].symbols)

    @classmethod
    def tangent(
        cls,
        ts: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        branches: Sequence[Program],
        strategy: str | None,
    ) -> Any:
        choice, *outer = xs

        def pushforward(branch: Program) -> list[Value]:
            found, moved = values_and_jvp_of(branch, outer, ts[1:], symbols=branch.symbols)
            return [*found, *(t for t in moved if t is not None)]

        found = cls.chosen(choice, [partial(pushforward, b) for b in branches], strategy)
        given = iter(found[len(ys) :])
        tangents = [next(given) if differentiable(y.type) else None for y in ys]
        return Replaced(found[: len(ys)], tangents)

    @classmethod
    def taylor_series(
        cls,
        xs: Sequence[Value],
        series: Any,
        order: int,
        branches: Sequence[Program],
        strategy: str | None,
    ) -> Any:
        choice, *outer = xs
        many = [partial(branch_series, branch, outer, series[1:], order) for branch in branches]
        found = cls.chosen(choice, many, strategy)
        ys = branches[0].results
        flags = [differentiable(y.type) for y in ys]
        coefficients = unpacked(found[len(ys) :], flags, order)
        return found[: len(ys)], [of or [None] * order for of in coefficients]

    @classmethod
    def batch(
        cls,
        xs: Sequence[Value],
        batched: Sequence[bool],
        branches: Sequence[Program],
        strategy: str | None,
    ) -> Sequence[Value]:
        choice, *outer = xs
        flags = list(batched[1:])
        if not batched[0]:
            many = [partial(_batched, branch, outer, flags) for branch in branches]
            return cls.chosen(choice, many, strategy)
        size = choice.type.shape[0]
        if (strategy or ("loop" if _are_unsafe(branches) else "select")) == "select":
            results = [_results_of_members(branch, outer, flags, size) for branch in branches]
            return cls.selected(choice, results)
        one = partial(cls._choose_for_member, branches, strategy)
        symbols = branches[0].symbols
        assert symbols is not None  # of the pass that batches
        return loop_over_members(xs, batched, one, symbols)

    @classmethod
    def _choose_for_member(
        cls, branches: Sequence[Program], strategy: str | None, choice: Value, *outer: Value
    ) -> list[Value]:
        return cls.chosen(choice, [partial(branch, *outer) for branch in branches], strategy)

    @classmethod
    def chosen(
        cls,
        choice: Value,
        branches: Sequence[Callable[[], Sequence[Value]]],
        strategy: str | None = None,
    ) -> list[Value]:
        """Emit a choice between branches, given as functions that may capture any value."""
        attributes = None if strategy is None else {_STRATEGY: Text.encode(strategy)}
        regions = [Region((), branch) for branch in branches]
        return emit_regions(cls.OPERATION_NAME, [choice], regions, attributes)

    @classmethod
    def simplified(
        cls,
        op: ir.Operation,
        is_used: Sequence[bool],
        motion: Any,
        symbols: SymbolTable | None,
    ) -> Sequence[Value | None] | None:
        branches = cls.programs(op, symbols)
        outer = branches[0].arguments
        known = known_number(op.operands[0])
        if known is not None or len(branches) == 1:
            at = 0 if known is None else cls.selected_branch(known, len(branches))
            return branches[at](*outer)
        inner = [o for branch in branches for o in list(branch.block.operations)[:-1]]
        if all(is_used) or not motion.are_dce_able(inner):
            return None

        def less(branch: Program) -> list[Value]:
            results = [y for y, used in zip(branch.results, is_used, strict=True) if used]
            cut = Program(branch.block, results, branch)
            cut.arguments = branch.arguments
            return cut(*outer)

        strategy = cls.strategy_of(op)
        found = iter(cls.chosen(op.operands[0], [partial(less, b) for b in branches], strategy))
        return [next(found) if used else None for used in is_used]


class IfOp(ChoiceOp):
    """Runs the first region if the operand, a bool, is true; else the second."""

    OPERATION_NAME: ClassVar[str] = "stablehlo.if"
    short_name = "if"

    @classmethod
    def labels(cls, count: int) -> Sequence[str]:
        return ("true", "false")

    @classmethod
    def selected_branch(cls, choice: Any, count: int) -> int:
        return 0 if choice else 1

    @classmethod
    def selected(cls, choice: Value, results: Sequence[Sequence[Value]]) -> list[Value]:
        pairs = zip(*results, strict=True)
        return [emit.select(broadcast_flags(choice, y), y, z) for y, z in pairs]


class CaseOp(ChoiceOp):
    """Runs the region at the index given by the operand, an i32; the last if out of range."""

    OPERATION_NAME: ClassVar[str] = "stablehlo.case"
    short_name = "case"

    @classmethod
    def selected_branch(cls, choice: Any, count: int) -> int:
        return int(choice) if 0 <= choice < count else count - 1

    @classmethod
    def selected(cls, choice: Value, results: Sequence[Sequence[Value]]) -> list[Value]:
        *others, found = results
        for k, other in enumerate(others):
            is_it = emit.compare(choice, full(choice.type, k), comparison_direction="EQ")
            pairs = zip(other, found, strict=True)
            found = [emit.select(broadcast_flags(is_it, y), y, z) for y, z in pairs]
        return list(found)


#: Names in the IR of the choices, and of all ops whose regions belong to the enclosing function.
CHOICES = (IfOp.OPERATION_NAME, CaseOp.OPERATION_NAME)
CONTROL_FLOW = (*CHOICES, "stablehlo.while")


def choose(
    choice: Value, branches: Sequence[Callable[[], Sequence[Value]]], strategy: str | None = None
) -> list[Value]:
    """Emit `if` for a bool and the branches of true and false; `case` for an index."""
    is_flag = choice.type.element_type == ir.IntegerType.get_signless(1)
    return (IfOp if is_flag else CaseOp).chosen(choice, branches, strategy)


def _are_unsafe(branches: Sequence[Program]) -> bool:
    """Whether a branch may not terminate or has a side effect."""
    seen: set[str] = set()
    return any(is_unsafe(b.block.operations, b.symbols, seen) for b in branches)


def _batched(branch: Program, outer: Sequence[Value], flags: Sequence[bool]) -> list[Value]:
    return batch_of(branch, outer, flags, symbols=branch.symbols)


def _results_of_members(
    branch: Program, outer: Sequence[Value], flags: Sequence[bool], size: int
) -> list[Value]:
    """Results of a branch for each member of the batch."""
    if any(flags):
        return _batched(branch, outer, flags)
    return [repeated(y, size) for y in branch(*outer)]


def loop_over_members(
    xs: Sequence[Value],
    batched: Sequence[bool],
    one: Callable[..., Sequence[Value]],
    symbols: SymbolTable,
) -> list[Value]:
    """Apply `one` to each member in sequence, and stack the results."""
    order = [i for flag in (True, False) for i, b in enumerate(batched) if b is flag]

    def step(*values: Value) -> Sequence[Value]:
        given = dict(zip(order, values, strict=True))
        return one(*(given[i] for i in range(len(xs))))

    given, m = [xs[i] for i in order], sum(batched)
    size = given[0].type.shape[0]
    return declare_scan("member", step, ([], given[:m], given[m:]), size, symbols)


def _register() -> None:
    for cls in (IfOp, CaseOp):
        register_view(Anvl, cls)


on_new_context(_register)
