"""Graphs with places for all they have, and as SVG.

drawn = drawing(folded(record))
svg([drawn], "wave.mlir")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from anvl.dialect.view.folding import Graph, Node
from anvl.dialect.view.layout import Point, layered

__all__ = ["Box", "Drawing", "drawing", "shown_label", "svg"]

_CHARACTER, _HEIGHT, _PADDING = 7.0, 22.0, 9.0
_LONGEST = 36
_MARGIN, _TITLE = 12.0, 22.0


@dataclass(frozen=True)
class Box:
    """A node and its place."""

    x: float
    y: float
    width: float
    height: float
    node: Node

    def moved(self, dx: float, dy: float) -> Box:
        return Box(self.x + dx, self.y + dy, self.width, self.height, self.node)


@dataclass
class Drawing:
    """A graph with the bodies of its nodes, in one coordinate system; outer boxes come first."""

    title: str
    width: float
    height: float
    boxes: list[Box] = field(default_factory=list)
    paths: list[list[Point]] = field(default_factory=list)


def shown_label(label: str) -> str:
    """A label, shortened."""
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


def drawing(graph: Graph) -> Drawing:
    """Lay out a graph, and in it the bodies of its nodes."""
    bodies = [[drawing(body) for body in node.bodies] for node in graph.nodes]
    sizes = [_size(node, inner) for node, inner in zip(graph.nodes, bodies, strict=True)]
    placed = layered(sizes, graph.edges)
    made = Drawing(graph.title, placed.width, placed.height, paths=list(placed.edges))
    for node, (x, y), (width, height), inner in zip(
        graph.nodes, placed.nodes, sizes, bodies, strict=True
    ):
        made.boxes.append(Box(x, y, width, height, node))
        left = x + _PADDING
        for body in inner:
            top = y + _HEIGHT
            made.boxes += [box.moved(left, top) for box in body.boxes]
            made.paths += [[(a + left, b + top) for a, b in path] for path in body.paths]
            left += body.width + _PADDING
    return made


def _size(node: Node, bodies: Sequence[Drawing]) -> Point:
    width = _CHARACTER * len(shown_label(node.label)) + 2 * _PADDING
    if not bodies:
        return width, _HEIGHT
    inside = sum(body.width + _PADDING for body in bodies) + _PADDING
    return max(width, inside), _HEIGHT + max(body.height for body in bodies) + _PADDING


# SVG

_FILLS = {
    "op": "#e8f0fe", "adjoint": "#fde8e4", "constant": "#f1f1f1", "values": "#e6f4ea",
    "region": "#ffffff", "group": "#fff7df", "function": "#efe8fb",
}  # fmt: skip


def svg(drawings: Sequence[Drawing], title: str) -> str:
    """The drawings one below the other, each with its title."""
    width = max((each.width for each in drawings), default=0.0) + 2 * _MARGIN
    top, parts = _MARGIN, []
    for each in drawings:
        parts.append(
            f'<g transform="translate({_MARGIN:g},{top + _TITLE:g})">'
            f'<text class="title" x="0" y="-8">{escape(each.title)}</text>'
            f"{''.join(_parts(each))}</g>"
        )
        top += _TITLE + each.height + _MARGIN
    size = f'width="{width:.0f}" height="{top:.0f}" viewBox="0 0 {width:.0f} {top:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<title>{escape(title)}</title>\n'
        "<style>text{font:11px ui-monospace,Menlo,Consolas,monospace}.title{font-weight:bold}"
        "rect{stroke:#8a8f98}path{fill:none;stroke:#8a8f98}</style>\n"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8" style="fill:#8a8f98"/></marker>'
        f"</defs>\n{chr(10).join(parts)}\n</svg>\n"
    )


def _parts(drawn: Drawing) -> list[str]:
    boxes = [
        f'<g class="{box.node.kind}"><title>{escape(_tip(box.node))}</title>'
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
        f' rx="4" fill="{_FILLS[box.node.kind]}"/>'
        f'<text x="{box.x + _PADDING:.1f}" y="{box.y + 15:.1f}">'
        f"{escape(shown_label(box.node.label))}</text></g>\n"
        for box in drawn.boxes
    ]
    paths = [
        f'<path marker-end="url(#tip)" d="M{" ".join(f"{x:.1f} {y:.1f}" for x, y in path)}"/>\n'
        for path in drawn.paths
    ]
    return boxes + paths


def _tip(node: Node) -> str:
    return node.op.text or node.op.name if node.op is not None else node.label
