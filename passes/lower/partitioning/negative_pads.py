"""Pads that remove elements, as slices: XLA's partitioner divides these correctly.

Note [Pads that remove elements]

The partitioner computes a pad with a negative edge wrongly if its operand is whole on each device
and its result is cut, as that of a product with another array is: of

    sum(x[0:15] * pad(y, low=-1, high=0))        x: 16 numbers, over 2 devices; y: 16 numbers

each device takes elements of y that are shifted (jaxlib 0.10.2; JAX has it, too).  So such a pad
becomes one that only adds elements, if it adds any, and a slice, as XLA makes of it on one device.
"""

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo

__all__ = ["NAMES", "slice_negative_pads"]

NAMES = ("stablehlo.pad",)
_LOW, _HIGH, _INNER = "edge_padding_low", "edge_padding_high", "interior_padding"

_hlo = Hlo("")


def slice_negative_pads(found: Found) -> None:
    """Replace pads with negative edges; they are left unused."""
    for op in found[NAMES[0]]:
        low, high = (Ints.decode(op.attributes[name]) for name in (_LOW, _HIGH))
        if min((*low, *high), default=0) < 0 and op.results[0].type.has_static_shape:
            with op.context, op.location, ir.InsertionPoint(op):
                op.results[0].replace_all_uses_with(_sliced(op, low, high))


def _sliced(op: ir.Operation, low: tuple[int, ...], high: tuple[int, ...]) -> ir.Value:
    x, value = op.operands
    y = op.results[0].type
    inner = Ints.decode(op.attributes[_INNER])
    if any(inner) or max((*low, *high)) > 0:
        added = [[max(n, 0) for n in edges] for edges in (low, high)]
        removed = [-min(n, 0) - min(m, 0) for n, m in zip(low, high, strict=True)]
        shape = [n + gone for n, gone in zip(y.shape, removed, strict=True)]
        x = _hlo(
            "pad", x, value, type=tensor(shape, y.element_type), **{
                _LOW: Ints.encode(added[0]), _HIGH: Ints.encode(added[1]),
                _INNER: Ints.encode(inner),
            },
        )  # fmt: skip
    starts = [-min(n, 0) for n in low]
    limits = [start + n for start, n in zip(starts, y.shape, strict=True)]
    return _hlo(
        "slice", x, type=y, start_indices=Ints.encode(starts), limit_indices=Ints.encode(limits),
        strides=Ints.encode([1] * len(starts)),
    )  # fmt: skip
