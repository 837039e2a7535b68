"""Undefined functions and recursion, on which XLA ends the process.

XLA fails on a function without a body even if it is not called, and follows cyclic calls forever.
Programs of anvl's own lowering are checked there, and use `compile_lowered`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.lazy import compat

__all__ = ["check_calls"]

_ADVICE = "XLA would end the process"


def check_calls(program: bytes | str) -> None:
    """Raise `RuntimeFailure` for an undefined function, one without a body, or a cycle of calls.

    A program that cannot be read passes: XLA reports its own error.
    """
    module = _reader().read(program)
    if module is None:
        return
    called: dict[str, list[str]] = {}
    for op in module.regions[0].blocks[0].operations:
        if op.operation.name != "func.func":
            continue
        name = op.attributes["sym_name"].value
        if not op.regions[0].blocks:
            raise RuntimeFailure(
                f"compile: @{name} has no body, and {_ADVICE}; give it one, or run the passes that "
                "write the bodies of declarations"
            )
        called[name] = _reader().named_in(op.operation)
    for name, callees in called.items():
        for callee in callees:
            if callee not in called:
                raise RuntimeFailure(
                    f"compile: @{name} names @{callee}, not a function of the program, and "
                    f"{_ADVICE}; define it, or remove the reference"
                )
    _check_cycles(called, "main")


def _check_cycles(called: dict[str, list[str]], entry: str) -> None:
    done: set[str] = set()
    path, pending = [entry], [iter(called.get(entry, ()))]
    while pending:
        callee = next(pending[-1], None)
        if callee is None:
            done.add(path.pop())
            pending.pop()
        elif callee in path:
            cycle = " -> ".join(f"@{n}" for n in (*path[path.index(callee) :], callee))
            raise RuntimeFailure(
                f"compile: recursion, {cycle}, and {_ADVICE}; calls must not form a cycle"
            )
        elif callee in called and callee not in done:
            path.append(callee)
            pending.append(iter(called[callee]))


@cache
def _reader() -> Any:
    return compat.ProgramReader()
