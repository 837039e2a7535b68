"""Pads in forms that XLA's partitioner divides correctly.

Note [Pads that remove elements]

The partitioner computes a pad wrongly if its operand is whole on each device and its result is cut
along an axis with a negative edge, or with elements between those of the operand (jaxlib 0.10.2;
JAX has it, too).  Of

    sum(x[0:15] * pad(y, low=-1, high=0))        x: 16 numbers, over 2 devices; y: 16 numbers

each device takes elements of y that are shifted; and so it does of `x[::2] = y`, the adjoint of a
slice with strides, or ends with an error of shapes.  So a pad that removes elements becomes one
that only adds, if it does, and a slice, as XLA makes of it on one device.  Over a mesh, a pad
between elements becomes one along a new axis, after each element, and a reshape.
"""

from collections.abc import Sequence

from anvl.dialect.core.attributes import SHARDING
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import Found, find
from anvl.passes.functions.placements import ARGUMENTS
from anvl.passes.functions.symbol_utils import functions_of
from anvl.passes.lower.hlo_builder import Hlo

__all__ = ["NAMES", "is_over_mesh", "rewrite_pads"]

NAMES = ("stablehlo.pad",)
_LOW, _HIGH, _INNER = "edge_padding_low", "edge_padding_high", "interior_padding"

_hlo = Hlo("")


def rewrite_pads(module: ir.Operation, found: Found) -> None:
    """Replace pads that may be divided wrongly; they are left unused."""
    spreads: bool | None = None  # whether those between elements are
    for op in found[NAMES[0]]:
        low, high, inner = (Ints.decode(op.attributes[name]) for name in (_LOW, _HIGH, _INNER))
        if not op.results[0].type.has_static_shape:
            continue
        if any(inner) and spreads is None:
            spreads = is_over_mesh(module)
        if min((*low, *high), default=0) < 0 or (any(inner) and spreads):
            with op.context, op.location, ir.InsertionPoint(op):
                y = _rewritten(op, low, high, inner, spreads=bool(spreads))
                op.results[0].replace_all_uses_with(y)


def is_over_mesh(module: ir.Operation) -> bool:
    """Whether a program says how arrays lie on devices."""
    arguments = [f.attributes[ARGUMENTS] for f in functions_of(module).values()
                 if ARGUMENTS in f.attributes]  # fmt: skip
    if any(SHARDING in of for all_ in arguments for of in all_):
        return True
    calls = find(module, "stablehlo.custom_call")
    return any(ir.StringAttr(op.attributes["call_target_name"]).value == "Sharding" for op in calls)


def _rewritten(
    op: ir.Operation, low: Sequence[int], high: Sequence[int], inner: Sequence[int], spreads: bool
) -> ir.Value:
    x, value = op.operands
    inner = [i if n > 1 else 0 for i, n in zip(inner, x.type.shape, strict=True)]
    if spreads and any(inner):
        x, high = _spread(x, value, inner), [n - i for n, i in zip(high, inner, strict=True)]
        inner = [0] * len(inner)
    y = op.results[0].type
    removed = [_negative(n) + _negative(m) for n, m in zip(low, high, strict=True)]
    shape = [n + gone for n, gone in zip(y.shape, removed, strict=True)]
    x = _padded(x, value, shape, _positive(low), _positive(high), inner)
    return _sliced(x, y, [_negative(n) for n in low])


def _negative(edge: int) -> int:
    """Number of elements that an edge removes."""
    return max(-edge, 0)


def _positive(edges: Sequence[int]) -> list[int]:
    """Numbers of elements that the edges add."""
    return [max(n, 0) for n in edges]


def _sliced(x: ir.Value, y: ir.Type, starts: Sequence[int]) -> ir.Value:
    if x.type == y:
        return x
    limits = [start + n for start, n in zip(starts, y.shape, strict=True)]
    return _hlo(
        "slice", x, type=y, start_indices=Ints.encode(starts), limit_indices=Ints.encode(limits),
        strides=Ints.encode([1] * len(starts)),
    )  # fmt: skip


def _spread(x: ir.Value, value: ir.Value, inner: Sequence[int]) -> ir.Value:
    """An array with so many elements of the padding value after each of its own."""
    element, sizes = x.type.element_type, x.type.shape
    pairs = [n for size in sizes for n in (size, 1)]
    x = _hlo("reshape", x, type=tensor(pairs, element))
    none, after = [0] * len(pairs), [n for i in inner for n in (0, i)]
    filled = [n + more for n, more in zip(pairs, after, strict=True)]
    x = _padded(x, value, filled, none, after, none)
    joined = [size * (i + 1) for size, i in zip(sizes, inner, strict=True)]
    return _hlo("reshape", x, type=tensor(joined, element))


def _padded(
    x: ir.Value, value: ir.Value, shape: Sequence[int], low: Sequence[int], high: Sequence[int],
    inner: Sequence[int],
) -> ir.Value:  # fmt: skip
    if shape == list(x.type.shape):  # nothing is added
        return x
    return _hlo(
        "pad", x, value, type=tensor(shape, x.type.element_type),
        **{_LOW: Ints.encode(low), _HIGH: Ints.encode(high), _INNER: Ints.encode(inner)},
    )  # fmt: skip
