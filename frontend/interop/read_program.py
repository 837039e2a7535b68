"""Read a program of another framework: text, bytecode or a portable artifact of StableHLO."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import AnvlError
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.artifacts import MAGIC
from anvl.dialect.text.bytecode import Malformed, tried
from anvl.dialect.text.parsing import InvalidOp, parsed, too_deep
from anvl.dialect.text.shardy import NotPlacement, placement_remark, without_shardy
from anvl.dialect.text.value_names import keep_names

__all__ = ["read_program"]

_CALLER = 5  # frames from the warning to the caller of `from_stablehlo` or `load`
_SHOWN = 8  # bytes shown of invalid bytecode
_DEEPEST = 200  # levels: programs have about ten, and the stack of a thread holds thousands


def read_program(program: str | bytes, caller: str, name: str = "program") -> ir.Module:
    """Parse a module; arguments keep their names in text.

    `name` stands for the program in messages, `caller` for the function that reads it.  Raises
    `TypeError` for what is neither text nor bytes, `ValueError` for an invalid module.
    """
    if not isinstance(program, str | bytes):
        raise TypeError(
            f"{caller}: takes the text of a module, or bytes of bytecode or of an artifact, "
            f"got {type(program).__name__}"
        )
    try:
        content, dropped = (
            _of_bytes(program) if isinstance(program, bytes) else _of_text(program, caller)
        )
        module = parsed(content, name, context())
        if isinstance(content, str):
            keep_names(module, content, of_ops=False)
    except NotPlacement as error:
        assert isinstance(program, str)
        said = f"line {program.count(chr(10), 0, error.at) + 1}: {error}"
    except ir.MLIRError as error:
        found = error.error_diagnostics
        said = f"{_place(found[0].location, name)}: {found[0].message}" if found else str(error)
    except (InvalidOp, AnvlError, Malformed) as error:
        said = str(error)
    else:
        _warn(dropped, caller)
        return module
    raise ValueError(f"{caller}: the program is not a StableHLO module: {said}")


def _place(location: ir.Location, name: str) -> str:
    """`name:line:column` of a place in the text, in which MLIR calls the text `-`."""
    return re.sub(r'^loc\("-":(\d+:\d+)\)$', lambda found: f"{name}:{found[1]}", str(location))


def _of_text(text: str, caller: str) -> tuple[str, Mapping[str, int]]:
    _check_characters(text, caller)
    at = too_deep(text, _DEEPEST)
    if at is not None:
        line = text.count("\n", 0, at) + 1
        raise ValueError(f"{caller}: line {line} nests deeper than {_DEEPEST} levels")
    return without_shardy(text)


def _of_bytes(data: bytes) -> tuple[bytes, Mapping[str, int]]:
    if not data.startswith(MAGIC):
        raise Malformed(f"bytecode begins with {MAGIC!r}, these bytes with {data[:_SHOWN]!r}")
    return tried(data, ("anvl.dialect.text.bytecode", str(_DEEPEST)))


def _warn(dropped: Mapping[str, int], caller: str) -> None:
    """Warn about the user's annotations that were dropped; rules of routines are JAX's own."""
    reported = {kind: n for kind, n in dropped.items() if kind != "sharding rule"}
    if reported:
        message = f"{caller}: {placement_remark(reported)}; the program runs on one device"
        warnings.warn(message, stacklevel=_CALLER)


def _check_characters(text: str, caller: str) -> None:
    """Refuse text that is not UTF-8, or has a null character, which ends MLIR's text."""
    found = re.search("[\0\ud800-\udfff]", text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(
            f"{caller}: line {line} has the character {found[0]!r}, which no text of MLIR has"
        )
