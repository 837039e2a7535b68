"""Locations without folders: `"model.py":12:3` in place of `"/project/model.py":12:3`.

For programs that leave the machine: the lines stay, so that messages can name them.
"""

import re

from anvl.dialect.core.mlir import ir

__all__ = ["drop_folders"]


def drop_folders(module: ir.Operation) -> None:
    """Rewrite the locations of all ops and block arguments in a module, in place."""
    known: dict[ir.Location, ir.Location] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        op.location = _short(op.location, known)
        for region in op.regions:
            for block in region.blocks:
                for x in block.arguments:
                    x.set_location(_short(x.location, known))
        return ir.WalkResult.ADVANCE

    with module.context:
        module.walk(visit)


def _short(location: ir.Location, known: dict[ir.Location, ir.Location]) -> ir.Location:
    found = known.get(location)
    if found is None:
        found = known[location] = _rebuilt(location, known)
    return found


def _rebuilt(location: ir.Location, known: dict[ir.Location, ir.Location]) -> ir.Location:
    if isinstance(location, ir.FileLineColLoc):
        file = re.split(r"[/\\]", location.filename)[-1]
        return ir.Location.file(file, location.start_line, location.start_col)
    if isinstance(location, ir.NameLoc):
        return ir.Location.name(location.name_str, _short(location.child_loc, known))
    if isinstance(location, ir.CallSiteLoc):
        callee, caller = _short(location.callee, known), _short(location.caller, known)
        return ir.Location.callsite(callee, [caller])
    if isinstance(location, ir.FusedLoc):
        return ir.Location.fused([_short(x, known) for x in location.locations])
    return location
