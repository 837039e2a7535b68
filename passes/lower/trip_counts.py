"""Loops whose trip count XLA would infer wrongly, rewritten so that it infers none."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import integer_range, kind
from anvl.dialect.interpreters.slices import Slice, backward_slice, values_read
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import maker

__all__ = ["NAMES", "hide_trip_counts"]

# Note [Trip counts that XLA misreads]
#
# XLA looks for a carry that begins at a literal, is compared with a literal by the condition, and
# has a literal added in each step.  It infers the trip count, and then no longer evaluates the
# condition (`MatchTrivialLoopTripCount` and `MatchTrivialLoopRange` in its
# `while_loop_analysis.cc`).  It computes in 64-bit integers that never wrap around, mistakes
# `i - 1` of an unsigned i for `i + (2^n - 1)` and GT for LT, and loses or adds a step where the
# distance is no multiple of the step: `for (i = 0; i < 1; i += 2)` makes none (jaxlib 0.10 to
# 0.12).  For a ui64 that counts down it crashes the process.
#
# It is correct for nearly all loops, and these stay unchanged: a step of 1 up to a bound, any step
# down of a signed counter (it simulates these, one step at a time), and any other step from a
# literal to a literal at a multiple of it.  For the others the counter is carried twice, and each
# of the two is computed from the other one:
#
#     while (i > 0)  i = i - 1;        becomes      while (i > 0)  i, j = j - 1, i - 1;
#
# They are equal in every step, but XLA only looks for a carry that is computed from itself.  What
# it may fold to a literal does not matter then, as it would with a hidden start.

_WHILE, _CONSTANT, _COMPARE = "stablehlo.while", "stablehlo.constant", "stablehlo.compare"
NAMES = (_WHILE,)
_FLIPPED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "EQ": "EQ", "NE": "NE"}
_MOST = 2**63 - 1  # XLA crashes the process for a literal above that
# Ops that XLA does not fold, or that may not be duplicated.
_OPAQUE = (
    "stablehlo.custom_call",
    "stablehlo.optimization_barrier",
    "stablehlo.rng",
    "stablehlo.rng_bit_generator",
)


def hide_trip_counts(found: Found) -> None:
    """Carry each loop counter twice from which XLA would infer a wrong trip count."""
    for op in reversed(found[_WHILE]):  # inner loops first
        loop = _Loop(op)
        counters = [i for i in range(len(loop.body.results)) if loop.is_misread(i)]
        if counters:
            _carry_twice(loop, counters)


class _Part(NamedTuple):
    """The condition or the body of a loop."""

    block: ir.Block
    results: list[ir.Value]

    @classmethod
    def of(cls, region: ir.Region) -> "_Part":
        block = region.blocks[0]
        return cls(block, list(block.operations[len(block.operations) - 1].operands))

    def slice_of(self, y: ir.Value) -> Slice:
        """Ops that a value depends on, and all values that they read."""
        return backward_slice([op.operation for op in self.block.operations], [y], whole_ops=True)


class _Loop:
    """A `stablehlo.while`, with what XLA may know of its carries."""

    def __init__(self, op: ir.Operation) -> None:
        self.op = op
        self.cond, self.body = (_Part.of(region) for region in op.regions)
        self.inits = list(op.operands)
        pairs = zip(self.body.results, self.body.block.arguments, strict=True)
        self.is_fixed = [y == x for y, x in pairs]
        (self.flag,) = self.cond.results
        self.tests, self.tested = self.cond.slice_of(self.flag)

    def is_misread(self, i: int) -> bool:
        """Whether a carry may be a counter from which XLA infers a wrong trip count."""
        counter = self.cond.block.arguments[i]
        if self.is_fixed[i] or counter not in self.tested or not _is_counter(counter.type):
            return False
        if self._is_read_rightly(i):  # most counters
            return False
        ops, read = self.body.slice_of(self.body.results[i])
        arguments = list(self.body.block.arguments)
        if any(x in read and not self.is_fixed[k] for k, x in enumerate(arguments) if k != i):
            return False  # computed from other carries
        return arguments[i] in read and all(map(_is_foldable, ops))

    def _is_read_rightly(self, i: int) -> bool:
        step = self._step(i, self.inits[i].type.element_type)
        if step is None:
            return False
        if step <= 0:
            return True
        bounds = list(self._bounds(i))
        if not bounds:
            return False
        return all(self._is_reached(i, step, *bound) for bound in bounds)

    def _step(self, i: int, element: ir.Type) -> int | None:
        """The constant added to a carry in each step, as XLA reads it, or None."""
        op, counter = maker(self.body.results[i]), self.body.block.arguments[i]
        if op is None or op.name not in ("stablehlo.add", "stablehlo.subtract"):
            return None
        x, y = op.operands
        if y == counter and op.name == "stablehlo.add":
            x, y = y, x
        by = self._literal(y, self.body)
        if x != counter or by is None:
            return None
        return _wrapped(by if op.name == "stablehlo.add" else -by, element)

    def _bounds(self, i: int) -> Iterator[tuple[str, int | None]]:
        """Comparisons of a carry in the condition: direction, and the bound if known."""
        counter = self.cond.block.arguments[i]
        for op in self.tests:
            if counter not in values_read(op):
                continue
            if op.name != _COMPARE:
                yield "", None
                continue
            direction = _direction(op)
            x, y = op.operands
            if x != counter:
                x, y, direction = y, x, _FLIPPED[direction]
            yield ("" if y == counter else direction), self._literal(y, self.cond)

    def _is_reached(self, i: int, step: int, direction: str, bound: int | None) -> bool:
        """Whether XLA counts correctly up to a bound."""
        _, greatest = integer_range(self.inits[i].type.element_type)
        if direction not in ("LT", "LE"):
            return False
        if step == 1:
            return direction == "LT" or bound is None or bound < greatest
        start = self._literal(self.inits[i])
        if start is None or bound is None or start > bound or step > _MOST:
            return False
        rest = (bound - start) % step
        return bound - rest + step <= greatest and (direction == "LE" or not rest)

    def _literal(self, x: ir.Value, part: _Part | None = None) -> int | None:
        """The integer that a value has in every step, if it is a literal."""
        if part is not None and x in list(part.block.arguments):
            k = list(part.block.arguments).index(x)
            return self._literal(self.inits[k]) if self.is_fixed[k] else None
        op = maker(x)
        if op is None or op.name != _CONSTANT or not _is_counter(x.type):
            return None
        return op.attributes["value"].get_splat_value().value


def _direction(op: ir.Operation) -> str:
    return str(op.attributes["comparison_direction"]).partition(" ")[2].rstrip(">")


def _is_counter(type_: Any) -> bool:
    return _is_single(type_) and kind(type_.element_type) in ("int", "uint")


def _is_single(type_: Any) -> bool:
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return is_static and prod(type_.shape) == 1


def _is_foldable(op: ir.Operation) -> bool:
    """Whether XLA may fold an op on scalars, and it may be duplicated."""
    if list(op.regions) or op.name in _OPAQUE or not op.name.startswith("stablehlo."):
        return False
    return all(_is_single(x.type) for x in (*op.operands, *op.results))


def _wrapped(n: int, element: ir.Type) -> int:
    """n modulo 2^bits, in the range of an integer type."""
    least, greatest = integer_range(element)
    return (n - least) % (greatest - least + 1) + least


def _carry_twice(loop: _Loop, counters: Sequence[int]) -> None:
    """Replace a loop by one that has each of these carries twice, each computed from the other."""
    op = loop.op
    inits = [loop.inits[i] for i in counters]
    types = [x.type for x in (*op.results, *inits)]
    with op.context, op.location, ir.InsertionPoint(op):
        made = ir.Operation.create(_WHILE, types, [*loop.inits, *inits], regions=2)
    for old, new in zip(op.regions, made.regions, strict=True):
        old.blocks[0].append_to(new)
        for x in inits:
            new.blocks[0].add_argument(x.type, op.location)
    twins = list(made.regions[1].blocks[0].arguments)[len(loop.inits) :]
    _exchange(loop, counters, twins)
    for y, z in zip(op.results, made.results, strict=False):
        y.replace_all_uses_with(z)
    op.erase()


def _exchange(loop: _Loop, counters: Sequence[int], twins: Sequence[ir.Value]) -> None:
    """Compute the next carries from their twins, and the next twins from the carries."""
    body = loop.body
    terminator = list(body.block.operations)[-1].operation
    results = list(body.results)
    with terminator.context, terminator.location, ir.InsertionPoint(terminator):
        for i, twin in zip(counters, twins, strict=True):
            ops, _ = body.slice_of(body.results[i])
            known = {body.block.arguments[i]: twin}
            for one in ops:
                copy = one.clone().operation
                for k, x in enumerate(list(copy.operands)):
                    copy.operands[k] = known.get(x, x)
                known.update(zip(one.results, copy.results, strict=True))
            results[i] = known[body.results[i]]
            results.append(body.results[i])
        ir.Operation.create("stablehlo.return", [], results)
    terminator.erase()
