"""Count NaNs and infinities of values, for anvl-probe."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import dtype_name, element_type, kind, tensor
from anvl.dialect.ops.elementwise.elementary import not_, or_

__all__ = ["counts", "is_probed"]

_PLAIN = ("f32", "f64")  # other dtypes may lack these predicates, and convert exactly to these


def is_probed(type_: Any) -> bool:
    """Whether values of this type may be infinite or NaN."""
    return isinstance(type_, ir.RankedTensorType) and differentiable(type_)


def counts(values: Sequence[Value]) -> Value:
    """Numbers of NaNs and of infinities of each value, as `i32[n, 2]`.

    A complex element counts as NaN if a part is NaN, else as infinite if a part is infinite.
    """
    if not values:
        return full(tensor((0, 2), element_type("i32")), 0)
    numbers = [number for x in values for number in _counted(x)]
    row = emit.concatenate(*(emit.reshape(n, shape=(1,)) for n in numbers), dimension=0)
    return emit.reshape(row, shape=(len(values), 2))


def _counted(x: Value) -> list[Value]:
    parts = [x]
    if kind(x.type.element_type) == "complex":
        parts = [emit.real(x), emit.imag(x)]
    elif dtype_name(x.type.element_type) not in _PLAIN:
        parts = [emit.convert(x, dtype="f32")]
    nan = _any([emit.compare(part, part, comparison_direction="NE") for part in parts])
    bad = _any([not_(emit.is_finite(part)) for part in parts])
    return [_total(nan), emit.sub(_total(bad), _total(nan))]


def _any(flags: Sequence[Value]) -> Value:
    first, *others = flags
    for other in others:
        first = or_(first, other)
    return first


def _total(flags: Value) -> Value:
    return emit.sum(emit.convert(flags, dtype="i32"), axes=tuple(range(flags.type.rank)))
