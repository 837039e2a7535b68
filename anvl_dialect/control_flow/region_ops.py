"""Control flow ops: StableHLO ops whose regions capture values of the surrounding block.

See Note [Control flow is StableHLO's].
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from anvl.dialect.control_flow.collectives_within import has_collectives
from anvl.dialect.core.captures import captured
from anvl.dialect.core.effects import has_effect, is_unsafe
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operands, Results, Value
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.subprogram import Program, bits_in_any_step

__all__ = ["Region", "RegionOp", "emit_loop", "emit_regions"]

# Note [Control flow is StableHLO's]
#
# `if`, `case` and `while` are StableHLO's own ops, with ops of anvl in their regions; the classes
# here are registered as their Python views, and add our rules.  So every reader of MLIR knows them,
# and MLIR's own passes work on them: `cse` shares values between a region and its surroundings and
# merges equal choices, and unused loops are dead code.
#
# A region may capture values of the surrounding block, which are no operands of the op.  A rule
# gets all values that an op reads, operands first and then captured values; to the rule, a region
# is a program of its block arguments and the captured values.


class RegionOp(AnvlOp):
    """Base of control flow ops: regions are part of the surrounding function, not scalar bodies."""

    xs: Operands
    ys: Results
    multiple_results = True
    captures = True
    adjoint_takes_activity = True
    borrowed = True
    pure = False  # as far as a class tells: `has_side_effects` looks into the regions
    #: Whether its operands are carries, which the regions take and the last of them returns.
    is_loop: ClassVar[bool] = False

    @classmethod
    def programs(cls, op: ir.Operation, symbols: SymbolTable | None) -> list[Program]:
        """The regions as programs of their block arguments and of the captured values."""
        outer = captured(op)
        found = [Program.of_region(region, symbols) for region in op.regions]
        for program in found:
            program.arguments += outer
        return found

    @classmethod
    def labels(cls, count: int) -> Sequence[str]:
        """Names of its `count` regions, for messages."""
        return [f"branch {i}" for i in range(count)]

    @classmethod
    def differentiated(
        cls, op: ir.Operation, moves: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[tuple[Program, Sequence[bool]]]:
        """The regions to differentiate, each with flags: which of its arguments are active.

        `moves` has these flags for the values that the op reads.
        """
        raise NotImplementedError

    @classmethod
    def carries_series(cls, op: ir.Operation, symbols: SymbolTable | None) -> bool:
        """Whether `taylor_series` gives all coefficients at once: Note [Taylor mode]."""
        return True

    @classmethod
    def taylor_series(cls, xs: Sequence[Value], series: Any, order: int, **params: Any) -> Any:
        """Emit the op with the coefficients 1 to `order` of its results: these, and the results.

        `series` has the coefficients of each value that it reads, None where it does not vary.
        """
        raise NotImplementedError

    @classmethod
    def n_carried(cls, op: ir.Operation) -> int:
        """The number of loop-carried results, which are also the first arguments; 0 if no loop."""
        return 0

    @classmethod
    def simplified(
        cls,
        op: ir.Operation,
        is_used: Sequence[bool],
        motion: Any,
        symbols: SymbolTable | None,
    ) -> Sequence[Value | None] | None:
        """Emit a simpler equivalent and return its results, or None if there is none.

        Results that are unused, by `is_used`, may be None.
        """
        return None

    @classmethod
    def has_side_effects(cls, op: ir.Operation) -> bool:
        return has_effect(op.opview)

    @classmethod
    def combines_members(cls, op: ir.Operation, symbols: SymbolTable | None) -> bool:
        return has_collectives(op, symbols)

    @classmethod
    def unsafe(cls, op: ir.Operation, symbols: SymbolTable | None, seen: set[str]) -> bool:
        return any(is_unsafe(region.blocks[0].operations, symbols, seen) for region in op.regions)

    @classmethod
    def work(cls, op: ir.Operation) -> int:
        """The work of all ops in its regions, each counted once."""
        inner = [o for region in op.regions for o in region.blocks[0].operations]
        return sum(
            o.work(o.operation) if isinstance(o, AnvlOp) else AnvlOp.work(o.operation)
            for o in inner
        )

    @classmethod
    def bits_through(
        cls, op: Any, moves: Sequence[bool], bits: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[bool]:
        def bodies(flags: Sequence[bool]) -> Iterator[Any]:
            active = cls.differentiated(op, moves, symbols)
            for (program, marks), (_, of_bits) in zip(
                active, cls.differentiated(op, flags, symbols), strict=True
            ):
                yield program, marks, of_bits

        return bits_in_any_step(bodies, bits, len(op.results), cls.n_carried(op))


class Region(NamedTuple):
    """A region to emit: argument types, a function that emits its ops and gives the returned
    values, and argument locations, which carry their names."""

    types: Sequence[ir.Type]
    emit: Callable[..., Sequence[Value]]
    places: Sequence[ir.Location] | None = None


def emit_regions(
    name: str,
    operands: Sequence[Value],
    regions: Sequence[Region],
    attributes: dict[str, ir.Attribute] | None = None,
    types: Sequence[ir.Type] | None = None,
) -> list[Value]:
    """Emit an op with regions, which may capture any dominating value; returns its results.

    `types` are the result types; by default those that the last region returns.
    """
    # The types are known when the regions are written: until then they are those of another op in
    # this place.  (Of a module on the side, Python's handles would keep that alive, not this one.)
    holder = ir.Operation.create("builtin.module", regions=1)
    region = holder.regions[0]
    results: Sequence[Value] = ()
    try:
        location = ir.Location.current
        for part in regions:
            places = [location] * len(part.types) if part.places is None else list(part.places)
            block = region.blocks.append(*part.types, arg_locs=places)
            with ir.InsertionPoint(block):
                results = list(part.emit(*block.arguments))
                ir.Operation.create("stablehlo.return", [], results)
        types = [y.type for y in results] if types is None else types
        op = ir.Operation.create(name, types, list(operands), attributes, regions=len(regions))
        for target in op.regions:
            region.blocks[0].append_to(target)
    finally:
        holder.erase()
    return list(op.results)


def emit_loop(
    carry: Sequence[Value],
    cond: Callable[..., Value],
    body: Callable[..., Sequence[Value]],
    attributes: dict[str, ir.Attribute] | None = None,
    places: Sequence[ir.Location] | None = None,
) -> list[Value]:
    """Emit a `while` over these carries; its regions may capture values.  Returns its results."""
    types = [x.type for x in carry]
    regions = [Region(types, lambda *vs: [cond(*vs)], places), Region(types, body, places)]
    return emit_regions("stablehlo.while", carry, regions, attributes, types)
