"""`--anvl-print-adjoint-map`: each op of a function beside the ops of its adjoint."""

import re
from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple, TextIO

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.passes.functions.adjoint_names import ADJOINT, PARTIAL
from anvl.passes.functions.symbol_utils import body_of, functions_of
from anvl.tools.opt.print_options import PrintOptions, asm

__all__ = ["AdjointMap"]

_PASS = "anvl-gradient"
# The name and operands of an op, without attributes and types, which are half of every line.
_SHORT = re.compile(r'(.*?"[\w.]+"\([^)]*\)|.*?(?= : |$))')


class AdjointMap(Instrument):
    """Print, after anvl-gradient, the functions that have adjoint ops as a table.

    An adjoint op is recognized by its location, that of its forward op in a name location; so ops
    from one place, such as copies of one function, share a row.
    """

    def __init__(self, stream: TextIO, options: PrintOptions) -> None:
        self._stream = stream
        self._options = replace(options, generic=False, debug_info=False)

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        if pass_.argument != _PASS:
            return
        shown = {
            name: _shown(function, self._options)
            for name, function in functions_of(op).items()
            if body_of(function) is not None
        }
        forward: dict[str, list[str]] = {}
        for ops in shown.values():
            for place, texts in _by_place(ops, adjoint=False).items():
                forward.setdefault(place, texts)
        for name, ops in shown.items():
            if any(line.is_adjoint and line.place in forward for line in ops):
                print(_table(name, ops, forward), file=self._stream, flush=True)


class _Line(NamedTuple):
    """An op: its text, whether it belongs to an adjoint, and the location of its forward op."""

    text: str
    is_adjoint: bool
    place: str


def _shown(function: ir.Operation, options: PrintOptions) -> list[_Line]:
    """The ops of a function, except its terminator."""
    lines = asm(function, options, assume_verified=True).split("\n")
    # One level in; deeper lines are in the body of an op, and `}` ends one.
    texts = [line.strip() for line in lines if re.match(r"  [^ })^]", line)]
    ops = [op.operation for op in function.regions[0].blocks[0].operations]
    return [_line(op, text) for op, text in zip(ops[:-1], texts, strict=False)]


def _line(op: ir.Operation, text: str) -> _Line:
    location = op.location
    name = getattr(location, "name_str", "")
    is_adjoint = name.endswith((ADJOINT, PARTIAL))
    short = _SHORT.match(text)
    return _Line(
        short[1] if short else text, is_adjoint, str(location.child_loc if is_adjoint else location)
    )


def _by_place(ops: list[_Line], *, adjoint: bool) -> dict[str, list[str]]:
    found = defaultdict(list)
    for line in ops:
        if line.is_adjoint is adjoint:
            found[line.place].append(line.text)
    return found


def _table(name: str, ops: list[_Line], forward: dict[str, list[str]]) -> str:
    """The ops of one function in two columns, in the order of the forward ops."""
    rows = _rows(ops, forward)
    width = max(len(text) for texts, _ in rows for text in texts)
    lines = [
        f"// {left:<{width}}  |  {right}".rstrip()
        for texts, others in rows
        for left, right in zip(*_padded(texts, others), strict=True)
    ]
    head = f"// {'forward':<{width}}  |  adjoint"
    return "\n".join([f"// -----// Adjoint map of @{name} //----- //", head, *lines, ""])


def _rows(ops: list[_Line], forward: dict[str, list[str]]) -> list[tuple[list[str], list[str]]]:
    """For each place its forward ops and its adjoint ops."""
    here, adjoint = _by_place(ops, adjoint=False), _by_place(ops, adjoint=True)
    elsewhere = [place for place in forward if place in adjoint and place not in here]
    seeds = [text for place, texts in adjoint.items() if place not in forward for text in texts]
    rows = [(["(the seed)"], seeds)] if seeds else []
    rows += [
        (here.get(place) or forward[place], adjoint.get(place, ["-"]))
        for place in [*elsewhere, *here]
    ]
    return rows


def _padded(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    n = max(len(one), len(other))
    return one + [""] * (n - len(one)), other + [""] * (n - len(other))
