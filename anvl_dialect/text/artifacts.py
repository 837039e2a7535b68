"""Bytecode and portable artifacts with Shardy attributes, rewritten so that they can be read.

MLIR reads no attribute of an unregistered dialect with an encoding of its own, such as `sdy`; so it
refuses every artifact of JAX with linear algebra in it.  Such a file is read with numbers in place
of these attributes (`shardy_bytecode.py`), in a separate context in which ops of `sdy` are
unregistered; these are then written in the form for artifacts, as in text, or removed
(`shardy_ops.py`).

    without_placement(content)     bytes to read instead, and counts of removals
"""

import io
from collections.abc import Mapping

from anvl.dialect.core.mlir import ir, load_stablehlo, stablehlo
from anvl.dialect.text.bytecode_tables import MAGIC
from anvl.dialect.text.shardy import NotPlacement
from anvl.dialect.text.shardy_bytecode import numbered
from anvl.dialect.text.shardy_ops import AS_TEXT, rewrite_placement

__all__ = ["MAGIC", "deserialised", "without_placement"]

_PRODUCER = b"StableHLO_v"  # of an artifact, after the version of the bytecode, a byte
_DIALECT = b"sdy"
#: Of a call in a manual computation: an unregistered op might be a symbol table, for MLIR.
_CALL_WITHIN = "does not reference a valid function"


def without_placement(content: bytes) -> tuple[bytes, Mapping[str, int]]:
    """Bytecode of the same module without Shardy's dialect, and counts of removals by kind.

    If there is none, or the bytes are malformed, the same bytes and no counts: the reader then
    reports the error.  Malformed bytes may also crash the process.  Raises `NotPlacement` for an op
    of Shardy that does more than place arrays, and has no other form.
    """
    if _DIALECT not in content or not content.startswith(MAGIC):
        return content, {}
    try:
        known = numbered(content)
    except (IndexError, ValueError):  # truncated
        return content, {}
    context = ir.Context()  # a separate one: in the process's, every unknown op would be accepted
    context.allow_unregistered_dialects = True
    load_stablehlo(context)
    said = context.attach_diagnostic_handler(lambda _: True)
    try:
        module = deserialised(known.content, context)
    except (ValueError, ir.MLIRError) as error:
        if known.computations and _CALL_WITHIN in str(error):
            raise NotPlacement("sdy.manual_computation", advice=AS_TEXT) from None
        return content, {}
    finally:
        said.detach()
    is_new, dropped = rewrite_placement(module, known)
    if not is_new:
        return content, {}
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return written.getvalue(), dropped


def deserialised(content: bytes, context: ir.Context) -> ir.Module:
    """Parse bytecode or an artifact.  Raises `ir.MLIRError`; `ValueError` for artifacts."""
    if content[len(MAGIC) + 1 :].startswith(_PRODUCER):
        return stablehlo.deserialize_portable_artifact(context, content)
    return ir.Module.parse(content, context)
