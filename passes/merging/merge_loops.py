"""anvl-merge-loops: a loop, or a choice, that computes a part of another one is that part.

Note [Merged loops]
`f(x), grad(f)(x)` has the loop of `f`, and the one that the derivative made of it, which computes
the same carries and keeps more.  `cse` merges equal ops, and these are not; nor does XLA (2026)
merge loops.  So the first is dropped, and its results are taken from the second: programs whose
value and gradient are asked for one by one are as those of `value_and_grad`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, cmp_to_key

from anvl.dialect.control_flow.case import CONTROL_FLOW
from anvl.dialect.core.captures import captured
from anvl.dialect.core.effects import is_dce_able
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass
from anvl.passes.framework.walk import find
from anvl.passes.merging.value_numbers import Carries, Numbers

__all__ = ["MergeLoops"]


@dataclass(frozen=True)
class MergeLoops(Pass, argument="anvl-merge-loops"):
    """Drop each loop and choice of which another one beside it computes all results.

    For `stablehlo.while`, `if` and `case` without side effects, in one block.  The other one, and
    the ops it needs, move in front of it if they come after it.  Ops stay as they are: values are
    the same to the bit.  See Note [Merged loops].
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        for beside in _by_block(find(module, *CONTROL_FLOW)):
            _merge(beside)


def _by_block(ops: Iterable[ir.Operation]) -> list[list[ir.Operation]]:
    """Ops of each block that has several, inner blocks first: an op may be dropped with its own.

    `ops` end in this order, so what is inside a member of a block comes before that member: blocks
    are in the order of their last members.
    """
    groups: list[list[ir.Operation]] = []
    for op in ops:
        group = next((g for g in groups if g[0].block == op.block), [])
        if group:
            groups.remove(group)
        groups.append([*group, op])
    return [group for group in groups if len(group) > 1]


def _merge(ops: list[ir.Operation]) -> None:
    """Drop those of some ops of one block of which another computes all results."""
    numbers = Numbers()
    left = [_Member(op, numbers) for op in ops if is_dce_able(op.opview)]
    for part in list(left):
        for whole in left:
            if whole is part or not part.may_be_part_of(whole):
                continue
            places = part.places_in(whole)
            if places is not None and _come_first(whole.op, part.op):
                for y, place in zip(part.op.results, places, strict=True):
                    y.replace_all_uses_with(whole.op.results[place])
                left.remove(part)
                part.op.erase()
                break


class _Member:
    """A loop or a choice among others of its block."""

    def __init__(self, op: ir.Operation, numbers: Numbers) -> None:
        self.op = op
        self._numbers = numbers
        self._types = {x.type for x in op.operands}
        self._assumed: Carries = {}
        self._rounds: list[tuple[list[int], set[int]]] = []

    @cached_property
    def starts(self) -> list[int]:
        """Numbers of the operands."""
        return [self._numbers.of(x) for x in self.op.operands]

    def round(self, k: int) -> tuple[list[int], set[int]]:
        """Numbers of the results after k rounds, and of the carries: Note [Numbers of loops]."""
        while len(self._rounds) <= k:
            results, found = self._numbers.of_results(self.op, self._assumed)
            self._rounds.append((results, {x for of in self._assumed.values() for x in of}))
            self._assumed = found
        return self._rounds[k]

    def may_be_part_of(self, whole: "_Member") -> bool:
        """Whether the operands do not tell that it is no part of the other op."""
        is_alike = self.op.name == whole.op.name and self._types <= whole._types
        return is_alike and {*self.starts} <= {*whole.starts}

    def places_in(self, whole: "_Member") -> list[int] | None:
        """For each result the place of the same among those of the other op, or None."""
        # Now: results of which another loop is a part are read from then on.
        used = [i for i, y in enumerate(self.op.results) if next(iter(y.uses), None) is not None]
        k, count = 0, -1
        while True:
            (ours, carries), (theirs, others) = self.round(k), whole.round(k)
            if not {ours[i] for i in used} <= {*theirs}:
                return None
            if k > 1 and len(carries | others) == count:
                return [theirs.index(x) if x in theirs else 0 for x in ours]
            k, count = k + 1, len(carries | others)


# -- the order of ops ------------------------------------------------------------------------------


def _come_first(op: ir.Operation, other: ir.Operation) -> bool:
    """Move an op, with those it needs, in front of another of its block; return whether it is."""
    if op.is_before_in_block(other):
        return True
    needed = _needed(op, other)
    if other in needed or not all(is_dce_able(each.opview) for each in needed):
        return False

    def order(one: ir.Operation, two: ir.Operation) -> int:
        return -1 if one.is_before_in_block(two) else 1

    for each in sorted(needed, key=cmp_to_key(order)):
        each.move_before(other)
    return True


def _needed(op: ir.Operation, first: ir.Operation) -> set[ir.Operation]:
    """An op of a block with all that it is computed from, as far as that is not before another."""
    needed, waiting = {op}, [op]
    while waiting:
        reader = waiting.pop()
        read = (*reader.operands, *captured(reader))
        makers = [x.owner for x in read if not isinstance(x, ir.BlockArgument)]
        for made in (maker.operation for maker in makers):
            if made.block == op.block and made not in needed and not made.is_before_in_block(first):
                needed.add(made)
                waiting.append(made)
    return needed
