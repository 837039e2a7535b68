"""Digests of modules by what is computed from what, whatever the order and the places of ops."""

import hashlib
from collections.abc import Sequence

from anvl.dialect.core.attributes import attribute_keys
from anvl.dialect.core.mlir import ir

__all__ = ["digest_of"]

_Digest = bytes


def digest_of(module: ir.Operation) -> bytes:
    """Digest of a module that has no unused ops: equal for programs that compute the same ops.

    Each value has a digest of its op, the attributes and types of that, and the digests of the
    operands; so the order of ops, their places and names, and whether equal ops are one, do not
    count.  Ops without a result that is used have an effect, and count in their order.
    """
    block = module.regions[0].blocks[0]
    return _hash(*(_of_op(op.operation, {}, 0) for op in block.operations))


def _of_op(op: ir.Operation, known: dict[ir.Value, _Digest], depth: int) -> _Digest:
    attributes = sorted(map(str, attribute_keys(op)))
    types = [str(y.type) for y in op.results]
    regions = [
        _of_block(block, known, f"{depth}.{r}.{b}", depth + 1)
        for r, region in enumerate(op.regions)
        for b, block in enumerate(region.blocks)
    ]
    operands = [known[x] for x in op.operands]
    return _hash(op.name.encode(), _texts(attributes), _texts(types), *operands, *regions)


def _of_block(block: ir.Block, known: dict[ir.Value, _Digest], name: str, depth: int) -> _Digest:
    known = dict(known) if depth > 1 else known
    for i, x in enumerate(block.arguments):
        known[x] = _hash(f"{name} argument {i} {x.type}".encode())
    ends = []
    for op in block.operations:
        operation = op.operation
        found = _of_op(operation, known, depth)
        results = list(operation.results)
        for i, y in enumerate(results):
            known[y] = _hash(found, str(i).encode())
        if not any(list(y.uses) for y in results):
            ends.append(found)
    return _hash(*ends)


def _texts(texts: Sequence[str]) -> _Digest:
    return _hash(*(text.encode() for text in texts))


def _hash(*parts: bytes) -> _Digest:
    """Hash of a sequence, in which the parts are told apart."""
    made = hashlib.sha256()
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return made.digest()
