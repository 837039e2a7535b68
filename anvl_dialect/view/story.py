"""The stages of a program, told for the page: texts, graphs, sources, and which op became which.

The result is data for JSON, with short keys; `page.js` reads it.

    files    [{name, lines}]           lines is null for a file that is not shown
    stages   [{title, same}]           same as the stage before; or else
             {title, lines, ops, graphs, next}
    ops      [line, last line, file, source line, forward ops, ops of the operands]
    graphs   {t: title, w, h, n: [[x, y, w, h, label, kind, op, opened graph]], e: [[x, y, ...]]}
    next     {op: [ops of the next stage]}
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from anvl.dialect.view.difference import changes
from anvl.dialect.view.drawing import Drawing, drawing, shown_label
from anvl.dialect.view.folding import LIMIT, Graph, folded
from anvl.dialect.view.matching import Matching, matched
from anvl.dialect.view.places import (
    forward_location,
    forward_name,
    is_adjoint,
    names_of,
    place_of,
    root_location,
)
from anvl.dialect.view.record import Op, Record

__all__ = ["Stage", "story"]

_MOST = 16  # ops that one op became, or that one is an adjoint of

Stage: TypeAlias = tuple[str, Record]
SourceOf: TypeAlias = Callable[[str], Sequence[str] | None]


def story(stages: Sequence[Stage], source_of: SourceOf, limit: int = LIMIT) -> dict[str, Any]:
    """Tell the stages of a program; `source_of` gives the lines of a file, or None."""
    files = _Files(source_of)
    told: list[dict[str, Any]] = []
    last: tuple[Record, dict[str, Any]] | None = None
    for title, record in stages:
        if last is not None:
            found = None if _are_equal(last[0], record) else matched(last[0], record)
            if found is None or not changes(found, last[0], record):
                told.append({"title": title, "same": True})
                continue
            last[1]["next"] = _next(found, last[0], record)
        one = _stage(title, record, files, limit)
        told.append(one)
        last = record, one
    return {"files": files.shown(), "stages": told}


def _are_equal(a: Record, b: Record) -> bool:
    """Whether two records have the same text and attributes, which saves comparing them."""
    if a.lines != b.lines or len(a.ops) != len(b.ops):
        return False
    return all(x.attributes == y.attributes for x, y in zip(a.ops, b.ops, strict=True))


class _Files:
    """The files that ops come from, by number."""

    def __init__(self, source_of: SourceOf) -> None:
        self._source_of = source_of
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def shown(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "lines": None if lines is None else [x.rstrip("\r\n") for x in lines]}
            for name in self._numbers
            for lines in [self._source_of(name)]
        ]


def _stage(title: str, record: Record, files: _Files, limit: int) -> dict[str, Any]:
    forward = _Forward(record)
    ops = []
    for op in record.ops:
        place = place_of(op)
        source = (-1, 0) if place is None else (files.number(place[0]), place[1])
        operands = sorted({x.op.number for x in op.operands if x.op is not None})
        ops.append([op.line, op.last_line, *source, forward.of(op), operands])
    graphs: list[dict[str, Any]] = []
    _add(folded(record, limit), graphs)
    return {"title": title, "lines": record.lines, "ops": ops, "graphs": graphs}


class _Forward:
    """The forward ops of adjoint ops: those at their location, in their function if they are there.

    The ops of a loop have one location; of these it is the one that the adjoint op is named after.
    Of several, as in a loop that is unrolled, they are those that share most values with the
    adjoint op.  Of an op of cotangents alone it is, as adjoints come in reverse, the last one that
    is not behind that of the adjoint op before; so ask for the ops in their order.
    """

    def __init__(self, record: Record) -> None:
        self._functions: dict[Any, Op] = {}
        self._forward: dict[Any, list[Op]] = defaultdict(list)
        self._last: dict[Op, int] = defaultdict(lambda: len(record.ops))
        for op in record.ops:
            is_top = op.parent is None or op.parent is record.root
            self._functions[op] = op if is_top else self._functions[op.parent]
            for name in () if is_top else (*names_of(op), ""):
                self._forward[self._functions[op], op.origin, name].append(op)
                self._forward[None, op.origin, name].append(op)

    def of(self, op: Op) -> list[int]:
        """The numbers of the forward ops of an adjoint op; none for another op."""
        if not is_adjoint(op):
            return []
        function, location, name = self._functions[op], forward_location(op), forward_name(op)
        keys = ((of, location, n) for of in (function, None) for n in (name, ""))
        every = next((found for key in keys if (found := self._forward.get(key))), [])
        if len(every) > 1:
            every = self._chosen(op, function, every)
        if len(every) == 1:
            self._last[function] = every[0].number
        return [each.number for each in every[:_MOST]]

    def _chosen(self, op: Op, function: Op, every: list[Op]) -> list[Op]:
        origin, name = every[0].origin, every[0].name
        given = set(op.operands)
        near = {
            each
            for x in given
            for each in (x.op, *x.users[:_MOST])
            if each is not None and each.origin == origin and each.name == name
        }
        if near:
            shared = {each: len(given & {*each.operands, *each.results}) for each in near}
            most = max(shared.values())
            return sorted((x for x in near if shared[x] == most), key=lambda each: each.number)
        # In reverse: not behind the one of the adjoint op before.
        return [x for x in every if x.number <= self._last[function]][-1:] or every


def _next(found: Matching, before: Record, after: Record) -> dict[int, list[int]]:
    """For each op the ops that the pass made of it: its counterpart, and new ops of its place."""
    new = _Places([op for op in after.ops if op not in found.before])
    # A call may have become the first op of the function that it called.
    of_gone = _Places([op for op in after.ops if not _keeps_name(found, op)])
    gone = _Places([op for op in before.ops if op not in found.after])
    made: dict[int, list[int]] = {}
    for op in before.ops:
        known = found.after.get(op) or found.merged.get(op)
        others = new.like(op) if known else of_gone.like(op, gone.equal(op))
        numbers = [each.number for each in ([known] if known else []) + others[:_MOST]]
        if numbers:
            made[op.number] = numbers
    return made


def _keeps_name(found: Matching, op: Op) -> bool:
    return op in found.before and found.before[op].name == op.name


class _Places:
    """Ops by where they come from."""

    def __init__(self, ops: Sequence[Op]) -> None:
        self._equal: dict[Any, list[Op]] = defaultdict(list)
        self._exact: dict[Any, list[Op]] = defaultdict(list)
        self._near: dict[Any, list[Op]] = defaultdict(list)
        for op in ops:
            if (root := root_location(op)) is not None:
                self._equal[op.origin, op.name].append(op)
                self._exact[op.origin].append(op)
                self._near[root, is_adjoint(op)].append(op)

    def equal(self, op: Op) -> list[Op]:
        """The ops of the same name and location."""
        return self._equal.get((op.origin, op.name), [])

    def like(self, op: Op, others: Sequence[Op] = ()) -> list[Op]:
        """The ops most like one; of as many equal ones as there are `others`, its own."""
        equal = self.equal(op)
        if equal and len(equal) == len(others):
            return [equal[others.index(op)]]
        exact = self._exact.get(op.origin, [])
        return equal or exact or self._near.get((root_location(op), is_adjoint(op)), [])


def _add(graph: Graph, graphs: list[dict[str, Any]]) -> int:
    """Add a graph, and behind it those that open in it; its number."""
    number = len(graphs)
    drawn = drawing(graph)
    graphs.append({})
    graphs[number] = {
        "t": graph.title,
        "w": round(drawn.width),
        "h": round(drawn.height),
        "n": _nodes(drawn, graphs),
        "e": [[round(each) for point in path for each in point] for path in drawn.paths],
    }
    return number


def _nodes(drawn: Drawing, graphs: list[dict[str, Any]]) -> list[list[Any]]:
    nodes = []
    for box in drawn.boxes:
        node = box.node
        opened = -1 if node.hidden is None else _add(node.hidden, graphs)
        op = -1 if node.op is None else node.op.number
        place = [round(x) for x in (box.x, box.y, box.width, box.height)]
        nodes.append([*place, shown_label(node.label), node.kind, op, opened])
    return nodes
