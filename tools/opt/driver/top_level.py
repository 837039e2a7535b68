"""`--no-implicit-module`: the input is one op, which need not be a module."""

from anvl.dialect.core.mlir import ir
from anvl.passes.framework import pipeline_parser
from anvl.tools.io.source import Chunk
from anvl.tools.opt.flags import Settings

__all__ = ["top_level_op"]

_MODULE = "builtin.module"


def top_level_op(
    settings: Settings, chunk: Chunk, module: ir.Module, context: ir.Context
) -> ir.Operation:
    """The op that the pipeline runs on, in `module`: the module, or with the flag what is written.

    Bytecode does not tell whether a module around one op was written, so it counts as written.

    Raises `ir.MLIRError` if there is not one op, and `ValueError` if the pipeline is of another.
    """
    if not settings["no-implicit-module"] or isinstance(chunk.content, bytes):
        return module.operation
    written = ir.Operation.parse(chunk.content, context=context)  # refuses several
    op = module.operation
    if written.operation.name != _MODULE:
        op = module.body.operations[0].operation
    pipeline = settings["pass-pipeline"]
    anchor = pipeline_parser.parse(pipeline)[0].name if pipeline else "any"
    if anchor not in (op.name, "any"):
        raise ValueError(f"pass-pipeline: it runs on {anchor}, but the input is one {op.name}")
    return op
