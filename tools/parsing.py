"""Reading a chunk of input into a module, with what MLIR's own verifier lets pass or dies of."""

import re

from anvl.dialect.mlir import ir
from anvl.dialect.op import OPS
from anvl.tools.source import Chunk

__all__ = ["InvalidOp", "parsed"]

# Note [Verifying borrowed ops]
#
# StableHLO's own ops, of which the dialect borrows some, are verified by StableHLO in C++, at the
# end of parsing.  Of three of them it accepts what its specification forbids: updates or sources of
# another dtype than the array; and it accepts scatters without index components, whose updates XLA
# loses.  Our type rules refuse those, so they are asked after parsing, unless a shape is dynamic.
#
# Of `reduce` without an array, or without an initial value, StableHLO's verifier ends the process
# (1.19).  Such text is refused before it is parsed; bytecode is tried out in a process of its own.

_BORROWED = frozenset(name for name in OPS if name.startswith("stablehlo."))
_REDUCE = re.compile(r'"stablehlo\.reduce"[ \t]*\(([^()]*)\)')


class InvalidOp(TypeError):
    """An op that breaks a constraint.  Attributes: `location` (MLIR text)."""

    def __init__(self, message: str, location: str) -> None:
        super().__init__(message)
        self.location = location


def parsed(chunk: Chunk, context: ir.Context) -> ir.Module:
    """The module in a chunk, verified.

    Raises `ir.MLIRError` for what MLIR refuses, `InvalidOp` for what only our rules refuse.
    """
    if isinstance(chunk.content, str):
        _check_reduce(chunk.name, chunk.content)
    if chunk.path is not None:
        module = ir.Module.parseFile(chunk.path, context)  # gives locations the file's name
    else:
        module = ir.Module.parse(chunk.content, context)
    if isinstance(chunk.content, bytes) or any(name in chunk.content for name in _BORROWED):
        _check_borrowed(module)
    return module


def _check_reduce(name: str, text: str) -> None:
    for match in _REDUCE.finditer(text):
        before = text[: match.start()]
        line = before.rpartition("\n")[2]
        n_operands = match[1].count("%")
        if n_operands >= 2 or "//" in line:  # right, or a comment
            continue
        place = f'loc("{name}":{before.count(chr(10)) + 1}:{len(line) + 1})'
        counted = f"{n_operands} operand{'s' * (n_operands != 1)}"
        message = f"reduce: takes as many initial values as arrays, got {counted}"
        raise InvalidOp(message, place)


def _check_borrowed(module: ir.Module) -> None:
    found: list[InvalidOp] = []

    def check(op: ir.Operation) -> ir.WalkResult:
        try:
            if op.name in _BORROWED:
                _check_one(op)
        except InvalidOp as error:  # raised through the walk, it would become another
            found.append(error)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(check)
    if found:
        raise found[0]


def _check_one(op: ir.Operation) -> None:
    op_class, types = OPS[op.name], [x.type for x in op.operands]
    if not all(isinstance(t, ir.RankedTensorType) and t.has_static_shape for t in types):
        return
    try:
        params = op_class.read(op)
        op_class.result_type(*types, **{k: params[k] for k in params if k not in op_class.bodies})
    except TypeError as error:
        raise InvalidOp(str(error), str(op.location)) from None
