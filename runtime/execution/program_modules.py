"""Programs as modules of jaxlib's own MLIR, in contexts that are kept.

XLA is given bytes or a module.  For bytes it makes a context each time, with its dialects and
threads: 1.0 ms of the 7 that the smallest program takes to compile.  A context that has read a
program is kept for the next ones.  It belongs to one thread at a time, and is dropped after some
programs, as types and constants live as long as their context.
"""

from __future__ import annotations

import re
from typing import Any

from anvl.runtime.lazy import compat

__all__ = ["compile_and_load"]

#: Of each context.
_MOST_PROGRAMS = 64
#: Bytes of a program whose context is not kept: it may have long constants.
_MOST_BYTES = 1 << 20

#: MLIR's bytecode that is no portable artifact; the dot is the version of the bytecode.
_BYTECODE = re.compile(rb"ML\xefR.(?!StableHLO_v)", re.DOTALL)

# Contexts that no thread uses, each with the number of programs that it has read.
_idle: list[tuple[Any, int]] = []


def compile_and_load(client: Any, program: bytes | str, devices: Any, options: Any) -> Any:
    """Compile StableHLO text, bytecode or a portable artifact; the errors are XLA's."""
    if isinstance(program, str) or not _BYTECODE.match(program):
        return compat.compile_and_load(client, program, devices, options)
    try:
        context, count = _idle.pop()
    except IndexError:
        context, count = compat.mlir_context(), 0
    module = compat.module_in(context, program)
    handle = compat.compile_and_load(
        client, program if module is None else module, devices, options
    )
    if count + 1 < _MOST_PROGRAMS and len(program) < _MOST_BYTES:
        _idle.append((context, count + 1))
    return handle
