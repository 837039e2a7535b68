"""SSA names of the input text, kept as locations: `%loss = ...` prints as `%loss` again.

MLIR forgets them when it reads text.  A location `"loss"(file:line:column)` prints as the name of
the value, survives passes, and names the ops that they derive from it (`%loss_adjoint`).
"""

import re
from collections import defaultdict

from anvl.dialect.core.mlir import ir

__all__ = ["keep_names"]

_UNNAMED = "-"  # MLIR's name for text that is no file

# `%loss = ` before an op, and `%x: ` among arguments.
_NAMED = re.compile(r"%([\w$.\-]+)[ \t]*(?:(=)(?!=)[ \t]*|:(?!\d))")
# The same without `%0 = `, which large programs have most of, and takes longer than its parsing.
_NAMED_ARGUMENT = re.compile(r"%([A-Za-z_$.\-][\w$.\-]*)[ \t]*(:)(?!\d)")
_NAMED_OP = re.compile(r"%[A-Za-z_$.\-][\w$.\-]*[ \t]*=(?!=)")


def keep_names(
    module: ir.Module, text: str, path: str | None = None, *, of_ops: bool = True
) -> None:
    """Give arguments, and ops if wanted, that are named in `text` a location with that name.

    `text` is the source of the module, and `path` its file, if it was read from one.  Locations in
    the text are kept.
    """
    of_ops = of_ops and _NAMED_OP.search(text) is not None
    names = _Names(text, path or _UNNAMED, of_ops=of_ops)

    def visit(op: ir.Operation) -> ir.WalkResult:
        if of_ops and len(op.results) == 1:
            location = names.of_op(op.location)
            if location is not None:
                op.location = location
        regions = op.regions
        if len(regions):  # an iterator takes longer than all else here
            for argument in (x for r in regions for block in r.blocks for x in block.arguments):
                location = names.of_argument(argument.location)
                if location is not None:
                    argument.set_location(location)
        return ir.WalkResult.ADVANCE

    with module.context:
        module.operation.walk(visit)


class _Names:
    """Names in a text, by the location that MLIR assigns."""

    def __init__(self, text: str, file: str, *, of_ops: bool) -> None:
        self._file = file
        self._written = _written(text, file)
        self._arguments: dict[tuple[int, int], str] = {}
        # For each line, the columns behind `%name = `.
        self._ops: dict[int, dict[int, str]] = defaultdict(dict)
        number, behind = 1, -1  # the line of the match, and the newline before it
        for match in (_NAMED if of_ops else _NAMED_ARGUMENT).finditer(text):
            newline = text.rfind("\n", behind + 1, match.start())
            if newline >= 0:
                number += text.count("\n", behind + 1, newline + 1)
                behind = newline
            if match[2] == "=":
                self._ops[number][match.end() - behind] = match[1]
            else:
                self._arguments[number, match.start() - behind] = match[1]

    def of_op(self, location: ir.Location) -> ir.Location | None:
        """The location with the name of the result; None without one."""
        if not self._is_assigned_by_parser(location):
            return None
        columns = self._ops.get(location.start_line)
        if columns is None:
            return None
        at = location.start_col
        name = columns.get(at)
        if name is None and len(columns) == 1:  # ops with a custom form begin further on
            [(column, found)] = columns.items()
            name = found if at > column else None
        return _with_name(name, location)

    def of_argument(self, location: ir.Location) -> ir.Location | None:
        """The location with the name of the argument; None without one."""
        if not self._is_assigned_by_parser(location):
            return None
        return _with_name(self._arguments.get((location.start_line, location.start_col)), location)

    def _is_assigned_by_parser(self, location: ir.Location) -> bool:
        """Whether MLIR assigned the location, not the text itself."""
        if not isinstance(location, ir.FileLineColLoc):
            return False
        return self._written is None or (
            location.filename == self._file
            and (location.start_line, location.start_col) not in self._written
        )


def _written(text: str, file: str) -> set[tuple[int, int]] | None:
    """Locations in a file of this name that the text itself contains: those of an older text.

    None for a text without locations: then all are the parser's, and none needs its file compared.
    """
    if "loc(" not in text:
        return None
    found = re.finditer(rf'"{re.escape(file)}":(\d+):(\d+)', text)
    return {(int(match[1]), int(match[2])) for match in found}


def _with_name(name: str | None, location: ir.Location) -> ir.Location | None:
    return None if name is None or name[0].isdigit() else ir.Location.name(name, location)
