"""What differs between two modules, op by op.

changes(matched(before, after), before, after)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from anvl.dialect.view.matching import Matching
from anvl.dialect.view.record import Op, Record, Value

__all__ = ["KINDS", "Change", "Detail", "changes", "shown"]

#: The kinds of changes, in the order of a summary.
KINDS = ("changed", "moved", "removed", "added")
_LONGEST = 200  # characters of an attribute or type


@dataclass(frozen=True)
class Detail:
    """One part of an op that differs, such as `operand 1`; `None` on the side that lacks it."""

    what: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Change:
    """An op that differs; `before` or `after` is None where the op is not.

    `merged` is the op that an op that is gone was merged with.
    """

    kind: str
    before: Op | None
    after: Op | None
    details: tuple[Detail, ...] = ()
    merged: Op | None = None

    @property
    def op(self) -> Op:
        op = self.after or self.before
        assert op is not None
        return op

    @property
    def function(self) -> str:
        """The symbol at the top of the module that the op is in; empty for the module."""
        op = self.op
        while op.parent is not None and op.parent.parent is not None:
            op = op.parent
        return op.symbol

    @property
    def count(self) -> int:
        """The ops that come or go with it: all in its regions."""
        return sum(1 for _ in self.op.walk()) if self.kind in ("added", "removed") else 1


def shown(attribute: Any) -> str:
    """An attribute or type as text, shortened."""
    text = str(attribute)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def changes(
    found: Matching, before: Record, after: Record, *, ordered: bool = True
) -> list[Change]:
    """What differs, in the order of the second module; what is gone stands where it was.

    Unless `ordered`, ops of one block may stand in another order.
    """
    made = [*_added(found, after), *_changed(found, after, _moved(found, after, ordered))]
    made += _removed(found, before)
    return sorted(made, key=_Order(found, before, after))


def _removed(found: Matching, before: Record) -> Iterator[Change]:
    for op in before.ops:
        if op not in found.after and (op.parent is None or op.parent in found.after):
            yield Change("removed", op, None, (), found.merged.get(op))


def _added(found: Matching, after: Record) -> Iterator[Change]:
    for op in after.ops:
        if op not in found.before and (op.parent is None or op.parent in found.before):
            yield Change("added", None, op)


def _changed(found: Matching, after: Record, moved: set[Op]) -> Iterator[Change]:
    for op in after.ops:
        a = found.before.get(op)
        if a is None:
            continue
        details = tuple(_Pair(found, a, op).details())
        if op in moved:
            place = Detail("place", _place(a), _place(op))
            yield Change("changed" if details else "moved", a, op, (*details, place))
        elif details:
            yield Change("changed", a, op, details)


class _Order:
    """The order of changes: by function, then what is gone behind what was before it."""

    def __init__(self, found: Matching, before: Record, after: Record) -> None:
        self._at: dict[Op, tuple[int, int, int]] = {}
        for op in after.ops:
            self._at[op] = op.number, 0, 0
        last = 0
        for op in before.ops:
            other = found.after.get(op)
            last = last if other is None else other.number
            if other is None:
                self._at[op] = last, 1, op.number

    def __call__(self, change: Change) -> tuple[int, int, int]:
        return self._at[change.op]


@dataclass
class _Pair:
    """Two ops that correspond."""

    found: Matching
    a: Op
    b: Op

    def details(self) -> Iterator[Detail]:
        a, b = self.a, self.b
        if a.name != b.name:
            yield Detail("name", a.name, b.name)
        yield from self._operands()
        if a.attributes != b.attributes:
            for key in sorted({**a.attributes, **b.attributes}):
                x, y = _attribute(a, key), _attribute(b, key)
                if x != y:
                    yield Detail(f"attribute {key}", *(t and shown(t[0]) for t in (x, y)))
        yield from _types("result", a.results, b.results)
        if a.successors != b.successors:
            yield Detail("successors", str(a.successors), str(b.successors))
        yield from self._blocks()

    def _operands(self) -> Iterator[Detail]:
        a, b = self.a.operands, self.b.operands
        if len(a) != len(b):
            yield Detail("operands", _listed(a), _listed(b))
            return
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if self.image(x) is not y:
                yield Detail(f"operand {i}", x.name, y.name)

    def image(self, x: Value) -> Value | None:
        """The value that stands for one of the first module in the second."""
        op = x.op
        if op is not None and op in self.found.merged:
            return self.found.merged[op].results[x.index]
        return self.found.values.get(x)

    def _blocks(self) -> Iterator[Detail]:
        a, b = self.a.blocks, self.b.blocks
        if [x.region for x in a] != [y.region for y in b]:
            yield Detail("blocks", str(len(a)), str(len(b)))
            return
        for x, y in zip(a, b, strict=True):
            if len(x.arguments) != len(y.arguments):
                yield Detail("arguments", _listed(x.arguments), _listed(y.arguments))
            elif any(self.image(p) is not q for p, q in zip(x.arguments, y.arguments, strict=True)):
                yield Detail("order of arguments", _listed(x.arguments), _listed(y.arguments))
            else:
                yield from _types("argument", x.arguments, y.arguments)


def _attribute(op: Op, key: str) -> tuple[Any] | None:
    """An attribute in a tuple, since MLIR compares attributes with attributes alone."""
    return (op.attributes[key],) if key in op.attributes else None


def _types(what: str, a: list[Value], b: list[Value]) -> Iterator[Detail]:
    if len(a) != len(b):
        yield Detail(f"{what}s", _listed(a), _listed(b))
        return
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x.type != y.type:
            yield Detail(f"type of {what} {i}", shown(x.type), shown(y.type))


def _listed(values: list[Value]) -> str:
    return f"({', '.join(x.name for x in values)})"


# Places


def _place(op: Op) -> str:
    """The op in front, or the op whose region it begins."""
    assert op.block is not None
    at = bisect_left(op.block.ops, op.number, key=lambda each: each.number)
    return f"after {op.block.ops[at - 1].text}" if at else f"at the start of {_holder(op)}"


def _holder(op: Op) -> str:
    parent = op.parent
    assert parent is not None
    if parent.symbol:
        return f"@{parent.symbol}"
    assert op.block is not None
    return f"region {op.block.region} of {parent.text}" if parent.text else "the module"


def _moved(found: Matching, after: Record, ordered: bool) -> set[Op]:
    """Ops that are in another block than before, or in another order."""
    moved: set[Op] = set()
    for op in after.ops:
        for block in op.blocks:
            here: list[Op] = []
            for inner in block.ops:
                a = found.before.get(inner)
                if a is None or a.block is None:
                    continue
                same = found.before.get(op) is a.parent
                same = same and (a.block.region, a.block.index) == (block.region, block.index)
                if same:
                    here.append(inner)
                else:
                    moved.add(inner)
            if ordered:
                stay = _longest_increasing([found.before[inner].number for inner in here])
                moved |= {inner for i, inner in enumerate(here) if i not in stay}
    return moved


def _longest_increasing(numbers: list[int]) -> set[int]:
    """The positions of a longest increasing subsequence."""
    ends: list[int] = []  # the least end of a subsequence of each length
    at: list[int] = []
    before: list[int] = []
    for i, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            at.append(i)
        else:
            ends[length], at[length] = number, i
    found: set[int] = set()
    i = at[-1] if at else -1
    while i >= 0:
        found.add(i)
        i = before[i]
    return found
