"""Where ops come from, by their locations: the line of source, and the op of an adjoint op.

The gradient pass names the location of an op of an adjoint after its forward op, `%loss_adjoint` or
`%tanh_partial`, and keeps the location of that op inside.
"""

from __future__ import annotations

import re
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.view.record import Op

__all__ = [
    "forward_location", "forward_name", "is_adjoint", "names_of", "place_of", "root_location",
]  # fmt: skip

_ADJOINT = ("_adjoint", "_partial")
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


def is_adjoint(op: Op) -> bool:
    """Whether the gradient pass made the op."""
    return getattr(op.location, "name_str", "").endswith(_ADJOINT)


def forward_location(op: Op) -> Any:
    """The `origin` of the op that an adjoint op belongs to; None for other ops."""
    return op.location.child_loc.attr if is_adjoint(op) else None


def forward_name(op: Op) -> str:
    """The name of the op, or of its result, that an adjoint op is named after."""
    return str(op.location.name_str).rpartition("_")[0]


def names_of(op: Op) -> set[str]:
    """The names that adjoint ops of an op may have: that of its result, and its own."""
    own = op.name.rpartition(".")[2]
    return {own, getattr(op.location, "name_str", own)}


def root_location(op: Op) -> Any:
    """The location without names, as an attribute; None for one that says nothing."""
    location = _root(op)
    return None if isinstance(location, ir.UnknownLoc) else location.attr


def _root(op: Op) -> Any:
    location = op.location
    while hasattr(location, "child_loc"):
        location = location.child_loc
    return location


def place_of(op: Op) -> tuple[str, int, int] | None:
    """File, line and column of an op, from 1; None if it has none."""
    location = _root(op)
    if isinstance(location, ir.FileLineColLoc):
        return location.filename, location.start_line, location.start_col
    match = _PLACE.search(str(location))
    return (match[1], int(match[2]), int(match[3])) if match is not None else None
