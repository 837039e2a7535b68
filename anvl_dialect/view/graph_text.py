"""Graphs as DOT, for Graphviz, and as Mermaid, for Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anvl.dialect.view.drawing import shown_label
from anvl.dialect.view.folding import Graph, Node

__all__ = ["dot", "mermaid"]

_DOT_STYLE = {
    "op": "",
    "adjoint": ' style=filled fillcolor="#fde8e4"',
    "constant": ' style=filled fillcolor="#f1f1f1"',
    "values": " shape=ellipse",
    "group": " shape=folder",
    "function": " shape=component",
}


def dot(graphs: Sequence[Graph], title: str) -> str:
    """The graphs as clusters of one DOT graph; nodes with bodies are clusters too."""
    lines = [
        f"digraph {_quoted(title)} {{",
        "  compound=true; node [shape=box fontname=monospace];",
    ]
    for i, graph in enumerate(graphs):
        lines += _dot_cluster(graph, f"g{i}", graph.title, "  ")
    return "\n".join([*lines, "}", ""])


def _dot_cluster(graph: Graph, prefix: str, label: str, indent: str) -> Iterator[str]:
    yield f"{indent}subgraph cluster_{prefix} {{"
    yield f"{indent}  label={_quoted(label)};"
    for i, node in enumerate(graph.nodes):
        name = f"{prefix}_{i}"
        if node.kind != "region":
            yield f"{indent}  {name} [label={_quoted(node.label)}{_DOT_STYLE[node.kind]}];"
        for j, body in enumerate(node.bodies):
            yield from _dot_cluster(body, f"{name}_{j}", _body_label(node, j), indent + "  ")
    for a, b in graph.edges:
        yield f"{indent}  {prefix}_{a} -> {prefix}_{b};"
    yield f"{indent}}}"


def _body_label(node: Node, index: int) -> str:
    return node.label if node.kind == "region" else f"{node.label}, region {index}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def mermaid(graphs: Sequence[Graph], title: str) -> str:
    """The graphs as subgraphs of one flowchart."""
    lines = ["---", f"title: {_mermaid_text(title)}", "---", "flowchart TD"]
    for i, graph in enumerate(graphs):
        lines += _subgraph(graph, f"g{i}", graph.title, "  ")
    return "\n".join([*lines, ""])


def _subgraph(graph: Graph, prefix: str, label: str, indent: str) -> Iterator[str]:
    yield f"{indent}subgraph {prefix}[{_mermaid_text(label)}]"
    for i, node in enumerate(graph.nodes):
        name = f"{prefix}_{i}"
        if node.kind != "region":
            yield f"{indent}  {name}{_shape(node)}"
        for j, body in enumerate(node.bodies):
            yield from _subgraph(body, f"{name}_{j}", _body_label(node, j), indent + "  ")
    for a, b in graph.edges:
        yield f"{indent}  {prefix}_{a} --> {prefix}_{b}"
    yield f"{indent}end"


def _shape(node: Node) -> str:
    text = _mermaid_text(shown_label(node.label))
    if node.kind == "values":
        return f"([{text}])"
    return f"[[{text}]]" if node.kind in ("group", "function") else f"[{text}]"


def _mermaid_text(text: str) -> str:
    """Quoted; the signs that Mermaid reads are written as their numbers."""
    return '"' + re.sub(r"[\"#;<>&`\\]", lambda sign: f"#{ord(sign[0])};", text) + '"'
