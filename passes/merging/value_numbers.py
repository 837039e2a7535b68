"""Numbers of values: two values have one if the same ops computed them from the same values.

Note [Numbers of loops]
A carry of a loop depends on itself, so its number rests on an assumption: that carries are the same
if they are of one type.  A round tells those apart that start differently, or of which a step makes
something else while the assumption holds; what it finds is the assumption of the next.  Rounds only
tell apart.  If one told no two carries of some loops apart, no later one will, and those that have
one number are the same in every step: they start as one value, and the steps keep them so.  A
result has the numbers of its carry and of the condition: loops that end together.
Sources: Alpern, Wegman and Zadeck, Detecting equality of variables in programs (1988); Cooper and
Torczon, Engineering a Compiler, chapter 8.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from anvl.dialect.control_flow.case import CHOICES, CONTROL_FLOW
from anvl.dialect.core.attributes import attribute_keys
from anvl.dialect.core.effects import all_dce_able
from anvl.dialect.core.mlir import ir

__all__ = ["Carries", "Numbers", "Scope"]

#: Numbers of the values inside of a region.
Scope: TypeAlias = dict[ir.Value, int]
#: Numbers of the carries of loops, by the loop.
Carries: TypeAlias = dict[ir.Operation, list[int]]


class Numbers:
    """Numbers of the values of a program, made as they are asked for."""

    def __init__(self) -> None:
        self._of_key: dict[Any, int] = {}
        self._outside: Scope = {}

    def of(self, x: ir.Value) -> int:
        """The number of a value outside of the ops that are compared.

        Ops that are pure are told apart by what they compute, all others by what they are.
        """
        waiting = [x]
        while waiting:
            x = waiting[-1]
            op = None if isinstance(x, ir.BlockArgument) else x.owner
            if x in self._outside:
                waiting.pop()
            elif op is None or not all_dce_able(type(op.opview)) or len(op.regions):
                self._outside[x] = self._key("value", x)
            elif left := [y for y in op.operands if y not in self._outside]:
                waiting += left
            else:
                _Round(self, {}).number(op.operation, self._outside)
        return self._outside[x]

    def of_results(self, op: ir.Operation, assumed: Carries) -> tuple[list[int], Carries]:
        """The numbers of the results of an op, under an assumption, and the next assumption.

        See Note [Numbers of loops].
        """
        scope: Scope = {}
        one = _Round(self, assumed)
        one.number(op, scope)
        return [scope[y] for y in op.results], one.found

    def _key(self, *key: Any) -> int:
        return self._of_key.setdefault(key, len(self._of_key))


class _Round:
    """Numbers the ops of some regions once."""

    def __init__(self, numbers: Numbers, assumed: Carries) -> None:
        self._numbers = numbers
        self._key = numbers._key
        self._assumed = assumed
        self.found: Carries = {}

    def number(self, op: ir.Operation, scope: Scope) -> None:
        """Number the results of an op; `scope` has those of the values around it."""
        if op.name not in CONTROL_FLOW:
            made: Any = self._of_op(op, scope)
        elif op.name in CHOICES:
            made = self._of_choice(op, scope)
        else:
            made = self._of_loop(op, scope)
        for y, key in zip(op.results, made, strict=True):
            scope[y] = self._key(key)

    def _in(self, scope: Scope, x: ir.Value) -> int:
        found = scope.get(x)
        return self._numbers.of(x) if found is None else found

    def _of_op(self, op: ir.Operation, scope: Scope) -> list[Any]:
        key = (
            op.name,
            attribute_keys(op),
            tuple([self._in(scope, x) for x in op.operands]),
            tuple([y.type for y in op.results]),
            tuple([self._of_region(region, scope) for region in op.regions]),
        )
        return [(i, key) for i in range(len(op.results))]

    def _of_choice(self, op: ir.Operation, scope: Scope) -> list[Any]:
        by = self._in(scope, op.operands[0])
        branches = [self._returned(region, (), scope) for region in op.regions]
        return [("choice", by, *results) for results in zip(*branches, strict=True)]

    def _of_loop(self, op: ir.Operation, scope: Scope) -> list[Any]:
        starts = [self._in(scope, x) for x in op.operands]
        carries = self._assumed.get(op)
        if carries is None:
            carries = [self._key("carry", x.type) for x in op.operands]
        goes_on, steps = (self._returned(region, carries, scope) for region in op.regions)
        rows = zip(carries, starts, steps, strict=True)
        self.found[op] = [self._key("carry", *row) for row in rows]
        return [("loop", carry, *goes_on) for carry in carries]

    def _returned(self, region: ir.Region, arguments: Sequence[int], scope: Scope) -> list[int]:
        (block,) = region.blocks
        scope.update(zip(block.arguments, arguments, strict=True))
        end: Any = None
        for op in block.operations:
            end = op.operation
            if len(end.results):
                self.number(end, scope)
        return [self._in(scope, x) for x in end.operands]

    def _of_region(self, region: ir.Region, scope: Scope) -> tuple[int, ...]:
        """A key of another region: its arguments are those of any region, by place and depth."""
        depth, op = 0, region.owner
        while op is not None:
            depth, op = depth + 1, op.operation.parent
        places = enumerate(region.blocks[0].arguments)
        arguments = [self._key("argument", depth, i, x.type) for i, x in places]
        return tuple(self._returned(region, arguments, scope))
