"""`--irdl-file=FILE`: dialects that are declared in IRDL, known from then on."""

import re

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir, irdl
from anvl.dialect.text.parsing import parsed
from anvl.tools.io import source
from anvl.tools.io.diagnostics import Diagnostic, collected
from anvl.tools.opt.listing.questions import dialect_names

__all__ = ["load_irdl"]

_DECLARED = re.compile(r"^\s*irdl\.dialect\s+@\"?([\w.$-]+)", re.MULTILINE)


def load_irdl(path: str) -> tuple[source.Source, list[Diagnostic]]:
    """Load the dialects of a file; the file, and what is wrong with it.

    Raises `source.InputError` for a file that is no text.
    """
    read = source.read(path)
    if isinstance(read.content, bytes):
        return read, [Diagnostic("error", "irdl-file: bytecode; give the text", read.name)]
    known = set(dialect_names())
    for match in _DECLARED.finditer(read.content):
        if match[1] in known:
            line = read.content.count("\n", 0, match.start(1)) + 1
            column = match.start(1) - read.content.rfind("\n", 0, match.start(1))
            message = f"irdl-file: there is a dialect {match[1]} already; give it another name"
            return read, [Diagnostic("error", message, read.name, line, column)]
    with collected(context(), read.name) as diagnostics:
        try:
            module = parsed(read.content, read.name, context(), read.path)
            irdl.load_dialects(module)
        except (ir.MLIRError, ValueError, RuntimeError) as error:
            if not diagnostics:
                diagnostics.append(Diagnostic("error", f"irdl-file: {error}", read.name))
    if not diagnostics and not _DECLARED.search(read.content):
        diagnostics.append(
            Diagnostic("error", "irdl-file: no dialect; expected irdl.dialect @name", read.name)
        )
    return read, [each for each in diagnostics if each.severity == "error"]
