"""Quotients by a broadcast, which are computed once for both shares of a derivative."""

from math import prod

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import Hlo, maker

__all__ = ["share_quotients"]

# Note [Quotients by a broadcast]
#
# The derivative of x / y divides the cotangent g twice, so that XLA makes an array of neither
# (Note [Quotients that loops read twice]).  Where y is broadcast, the share -g / y * z is added up,
# by a kernel of its own or by the library, and g / y is an array in any case.  So there
#
#     (-g / y) * z     becomes     -((g / y) * z)
#
# with the same bits.  Otherwise a layer normalization and its gradient takes 1.5 times as long, and
# its arrays 1.5 times the memory.

_DIVIDE, _NEGATE, _MULTIPLY = (f"stablehlo.{name}" for name in ("divide", "negate", "multiply"))

_hlo = Hlo("")


def share_quotients(module: ir.Operation) -> None:
    """Let products read `g / y` for `-g / y`, where both are computed and y is broadcast."""
    quotients = {(op.operands[0], op.operands[1]): op for op in find(module, _DIVIDE)}
    for (x, y), op in list(quotients.items()):
        negated = maker(x)
        if negated is None or negated.name != _NEGATE or not _is_broadcast(y):
            continue
        other = quotients.get((negated.operands[0], y))
        product = _reader(op)
        if other is None or product is None or not _comes_before(other, product):
            continue
        i = 0 if product.operands[0] == op.results[0] else 1
        z = product.results[0]
        with product.context, product.location, ir.InsertionPoint.after(product):
            product.operands[i] = other.results[0]
            z.replace_all_uses_except(
                after := _hlo("negate", z, type=z.type), after.owner.operation
            )
        del quotients[x, y]
        op.erase()
        if not list(negated.results[0].uses):
            negated.erase()


def _is_broadcast(y: ir.Value) -> bool:
    op = maker(y)
    return (
        op is not None
        and op.name == "stablehlo.broadcast_in_dim"
        and prod(op.operands[0].type.shape) < prod(y.type.shape)
    )


def _reader(op: ir.Operation) -> ir.Operation | None:
    """The product that alone reads a quotient."""
    uses = list(op.results[0].uses)
    reader = uses[0].owner.operation if len(uses) == 1 else None
    return reader if reader is not None and reader.name == _MULTIPLY else None


def _comes_before(op: ir.Operation, other: ir.Operation) -> bool:
    return op.block == other.block and op.is_before_in_block(other)
