"""Where an op comes from: the person's own line, and the name they gave its result."""

import dis
import itertools
import os
import sys
from types import CodeType, FrameType

from anvl.dialect.context import context
from anvl.dialect.mlir import ir

__all__ = ["describe", "here", "register_internal"]

# Directories whose frames are ours: a person is to see their own line, not these.
_internal_dirs: set[str] = set()
# Whether the code of a file is ours, by file name.
_is_internal: dict[str, bool] = {}
# Instructions are at fixed places in a code object, so a location is made once for each.
_known: dict[tuple[CodeType, int], ir.Location] = {}

_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


def register_internal(file: str) -> None:
    """Hide the frames of all code in the folder of `file`."""
    _internal_dirs.add(os.path.dirname(os.path.abspath(file)) + os.sep)


def _check_file(name: str) -> bool:
    full = os.path.abspath(name)
    found = any(full.startswith(folder) for folder in _internal_dirs)
    _is_internal[name] = found
    return found


def here(depth: int = 1) -> ir.Location:
    """The location of the innermost frame that is not ours, of those at least `depth` up.

    Each frame that need not be looked at saves 0.1 us.
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        internal = _is_internal.get(name)
        if internal is None:
            internal = _check_file(name)
        if not internal:
            return _known.get((code, frame.f_lasti)) or _make(code, frame.f_lasti)
        frame = frame.f_back
    return ir.Location.unknown(context())


def _make(code: CodeType, at: int) -> ir.Location:
    start, end, column, _ = next(itertools.islice(code.co_positions(), at // 2, None))
    line = ir.Location.file(code.co_filename, start or 0, (column or 0) + 1, context())
    name = _assigned_name(code, at) if start == end else None
    location = line if name is None else ir.Location.name(name, line, context())
    _known[code, at] = location
    return location


def _assigned_name(code: CodeType, at: int) -> str | None:
    """The variable that takes the result of the instruction at `at`, if the next one stores it."""
    # `at` may point behind the instruction, at its inline cache.
    following = next((i for i in dis.get_instructions(code) if i.offset > at), None)
    if following is None or not following.opname.startswith(_STORES):
        return None
    name = following.argval
    return name if isinstance(name, str) else name[0]  # 3.13 stores two names at once


def describe(location: ir.Location) -> str:
    """A location as messages print it: `model.py:12:5`."""
    while hasattr(location, "child_loc"):
        location = location.child_loc
    text = str(location).removeprefix("loc(").removesuffix(")")
    return text.replace('"', "")


register_internal(__file__)
