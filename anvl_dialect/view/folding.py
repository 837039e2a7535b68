"""The graph of a module that is drawn: ops, and groups of them where there are many.

    top = folded(record, limit=100)
    top.nodes[0].label, top.edges

A module is a graph of its functions.  A function, or a region, with more than `limit` ops is one of
groups: the ops of one line of source, and of these the adjoint ops apart; where that does not
suffice, consecutive ones.  So each graph has about `limit` nodes, however long the program is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from anvl.dialect.core.attributes import symbols_in
from anvl.dialect.core.mlir import ir
from anvl.dialect.view.places import is_adjoint, place_of
from anvl.dialect.view.record import Block, Op, Record, Value

__all__ = ["LIMIT", "Graph", "Node", "folded", "functions_folded"]

#: The most nodes in a graph.
LIMIT = 100
_SLACK = 1.25  # over the limit, so that a few nodes too many are no level of their own
_MOST_NAMES = 4  # of arguments
_MOST_INSIDE = 16  # ops in the regions of one op, for these to be drawn in it


@dataclass(eq=False)
class Node:
    """An op, or several.  `bodies` are drawn in it, `hidden` in place of all if it is opened."""

    label: str
    kind: str  # op, adjoint, constant, values, region, group, function
    ops: list[Op]
    bodies: list[Graph] = field(default_factory=list)
    hidden: Graph | None = None

    @property
    def op(self) -> Op | None:
        """The op, if it is one."""
        is_one = self.kind not in ("group", "values", "region")
        return self.ops[0] if is_one else None


@dataclass(eq=False)
class Graph:
    """Nodes, in the order of the text, and edges between them by their indices."""

    title: str
    nodes: list[Node]
    edges: list[tuple[int, int]]


def folded(record: Record, limit: int = LIMIT) -> Graph:
    """The graph of a module; that of its function, if it has one alone."""
    maker = _Maker(max(limit, 2))
    functions = [op for block in record.root.blocks for op in block.ops]
    if len(functions) == 1 and functions[0].blocks:
        return maker.graph_of(functions[0])
    nodes = [
        Node(
            _function_label(op), "function", [op], hidden=maker.graph_of(op) if op.blocks else None
        )
        for op in functions
    ]
    index = {op.symbol: i for i, op in enumerate(functions) if op.symbol}
    pairs = ((i, index.get(name, i)) for i, op in enumerate(functions) for name in _named_in(op))
    edges = sorted({(i, j) for i, j in pairs if i != j})
    return maker.chunked(Graph("module", nodes, edges))


def functions_folded(record: Record, limit: int = LIMIT) -> list[Graph]:
    """The graph of each function, for pictures in which nothing can be opened."""
    maker = _Maker(max(limit, 2), inside=limit)
    functions = [op for block in record.root.blocks for op in block.ops]
    return [maker.graph_of(op) for op in functions if op.blocks]


def _function_label(op: Op) -> str:
    count = sum(1 for _ in op.walk()) - 1
    name = f"@{op.symbol}" if op.symbol else op.name
    return f"{name} ({count} ops)" if op.blocks else name


def _named_in(function: Op) -> list[str]:
    """The functions that one calls or names."""
    return [
        name
        for op in function.walk()
        for attribute in op.attributes.values()
        if isinstance(attribute, ir.Attribute)
        for name in symbols_in(attribute)
    ]


class _Maker:
    """Makes graphs; ops in the regions of one op are drawn in it if they are at most `inside`."""

    def __init__(self, limit: int, inside: int = _MOST_INSIDE) -> None:
        self._limit, self._inside = limit, inside

    def graph_of(self, op: Op) -> Graph:
        """The graph of the block of an op, or of its blocks beside each other."""
        blocks = [self._block(block) for block in op.blocks if block.ops]
        if len(blocks) == 1:
            return blocks[0]
        nodes = [
            Node(f"block {block.index} of region {block.region}", "region", [], [graph])
            for block, graph in zip(op.blocks, blocks, strict=False)
        ]
        return Graph(_title(op), nodes, [])

    def _block(self, block: Block) -> Graph:
        nodes = [self._node(op) for op in block.ops]
        if block.arguments:
            nodes.insert(0, Node(_names(block.arguments), "values", []))
        at = {op: i for i, node in enumerate(nodes) for op in node.ops}
        edges: set[tuple[int, int]] = set()
        for op, i in at.items():
            for x in (x for inner in op.walk() for x in inner.operands):
                if x.owner is block:
                    edges.add((0, i))
                elif x.op is not None and x.op is not op and x.op in at:
                    edges.add((at[x.op], i))
        return self._by_line(Graph(_title(block.parent), nodes, sorted(edges)))

    def _node(self, op: Op) -> Node:
        kind = "adjoint" if is_adjoint(op) else "op"
        if not op.operands and op.results:
            kind = "constant"
        count = sum(1 for _ in op.walk()) - 1
        if count > self._inside:
            label = f"{_title(op)} ({count} ops)"
            return Node(label, kind, [op], hidden=self.graph_of(op))
        return Node(
            _title(op), kind, [op], [self._block(block) for block in op.blocks if block.ops]
        )

    def _by_line(self, graph: Graph) -> Graph:
        """The graph, or that of its lines of source if it has too many nodes."""
        if len(graph.nodes) <= self._limit:
            return graph
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for i, node in enumerate(graph.nodes):
            key: Hashable = i
            if node.ops and (place := place_of(node.ops[0])) is not None:
                key = place[:2], node.kind == "adjoint"
            groups[key].append(i)
        if len(groups) > len(graph.nodes) // 2:
            return self.chunked(graph)
        return self.chunked(self._grouped(graph, list(groups.values())))

    def chunked(self, graph: Graph) -> Graph:
        """The graph, or that of its consecutive nodes if it has too many."""
        count = len(graph.nodes)
        if count <= self._limit * _SLACK:
            return graph
        size = max(self._limit, -(-count // self._limit))
        groups = [list(range(i, min(i + size, count))) for i in range(0, count, size)]
        return self._grouped(graph, groups)

    def _grouped(self, graph: Graph, groups: Sequence[list[int]]) -> Graph:
        """A graph of groups of nodes; those of one node stay as they are."""
        of = {i: g for g, group in enumerate(groups) for i in group}
        inside: dict[int, list[tuple[int, int]]] = defaultdict(list)
        outside: set[tuple[int, int]] = set()
        for a, b in graph.edges:
            if of[a] == of[b]:
                inside[of[a]].append((a, b))
            else:
                outside.add((of[a], of[b]))
        nodes = [
            self._group([graph.nodes[i] for i in group], _renumbered(group, inside[g]))
            for g, group in enumerate(groups)
        ]
        return Graph(graph.title, nodes, sorted(outside))

    def _group(self, nodes: list[Node], edges: list[tuple[int, int]]) -> Node:
        if len(nodes) == 1:
            return nodes[0]
        ops = [op for node in nodes for op in node.ops]
        label = _group_label(ops)
        hidden = self.chunked(Graph(label, nodes, edges))
        return Node(f"{label} ({len(ops)} ops)", "group", ops, hidden=hidden)


def _title(op: Op) -> str:
    """The name of a function, or of an op with that of its first result."""
    if op.symbol:
        return f"@{op.symbol}"
    result = op.results[0].name.partition("#")[0] if op.results else ""
    return f"{result} {op.name.partition('.')[2] or op.name}".strip()


def _renumbered(group: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    at = {node: i for i, node in enumerate(group)}
    return [(at[a], at[b]) for a, b in edges]


def _group_label(ops: Sequence[Op]) -> str:
    """The lines of source that ops come from."""
    places = [place for op in ops if (place := place_of(op)) is not None]
    adjoint = "adjoint of " if ops and all(map(is_adjoint, ops)) else ""
    if not places:
        return f"{ops[0].name} and others" if ops else "values"
    files = {file for file, *_ in places}
    lines = sorted({line for _, line, _ in places})
    name = places[0][0].rpartition("/")[2] if len(files) == 1 else f"{len(files)} files"
    span = f"{lines[0]}" if len(lines) == 1 else f"{lines[0]}-{lines[-1]}"
    return f"{adjoint}{name}:{span}" if len(files) == 1 else f"{adjoint}{name}"


def _names(values: Sequence[Value]) -> str:
    shown = [x.name for x in values[:_MOST_NAMES]]
    left = len(values) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")
