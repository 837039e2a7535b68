"""Bytecode input, read by a child process first.  See `anvl.dialect.text.bytecode`.

    checked(source)    the source to go on with

The child loads the same files as the tool, and has as large a stack.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace

from anvl.dialect.text.artifacts import without_placement
from anvl.dialect.text.bytecode import Malformed, answer_of, tried
from anvl.dialect.text.shardy import NotPlacement, placement_remark
from anvl.tools.io.diagnostics import Diagnostic
from anvl.tools.io.entry_points import load_dialects_in
from anvl.tools.io.source import MAX_NESTING, InputError, Source

__all__ = ["checked"]


def checked(
    source: Source, *, allow_unregistered: bool = False, load: Sequence[str] = (),
    trusted: bool = False,
) -> Source:  # fmt: skip
    """The source, without placements; `load` are files that define ops.

    Trusted input skips the child.  Raises `InputError`.
    """
    if isinstance(source.content, str):
        return source
    child = "anvl.tools.io.bytecode", str(int(allow_unregistered)), *load
    try:
        content, dropped = (
            without_placement(source.content) if trusted else tried(source.content, child)
        )
    except (Malformed, NotPlacement) as error:
        raise InputError(Diagnostic("error", str(error), source.name)) from None
    return replace(source, content=content, remark=placement_remark(dropped))


def _main() -> int:
    from anvl.tools.io.load import load
    from anvl.tools.io.stack import call_with_big_stack

    data = sys.stdin.buffer.read()
    load(sys.argv[2:])
    load_dialects_in(data)
    allow = sys.argv[1] == "1"
    return call_with_big_stack(lambda: answer_of(data, MAX_NESTING, allow_unregistered=allow))


if __name__ == "__main__":
    sys.exit(_main())
