"""Parameter of `ragged_dot`: its batch, contracting, ragged and group axes."""

import re
from functools import cache
from typing import Any, NamedTuple

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Param, checked_numbers

__all__ = ["RaggedDimensions", "RaggedDims"]


class RaggedDims(NamedTuple):
    """Dimension numbers of a ragged contraction.

    The first four fields are those of a `DotDims`.  `lhs_ragged` is the axis of the left operand
    that the groups divide, `rhs_group` the group axis of the right operand, if it has one.
    """

    lhs_batching: tuple[int, ...] = ()
    rhs_batching: tuple[int, ...] = ()
    lhs_contracting: tuple[int, ...] = ()
    rhs_contracting: tuple[int, ...] = ()
    lhs_ragged: tuple[int, ...] = ()
    rhs_group: tuple[int, ...] = ()


class RaggedDimensions(Param):
    """`#chlo.ragged_dot<...>`, as a `RaggedDims`: by its text, as CHLO has no bindings."""

    @staticmethod
    @cache
    def encode(value: RaggedDims) -> ir.Attribute:
        pairs = zip(value._fields, value, strict=True)
        text = ", ".join(f"{name}_dimensions = {list(axes)}" for name, axes in pairs if axes)
        return ir.Attribute.parse(f"#chlo.ragged_dot<{text}>", context())

    @staticmethod
    @cache
    def decode(attribute: ir.Attribute) -> RaggedDims:
        text = str(attribute)
        if not text.startswith("#chlo.ragged_dot<"):
            raise TypeError(f"expected #chlo.ragged_dot<...>, got {attribute}")
        found = re.findall(r"(\w+)_dimensions = \[(.*?)\]", text)
        return RaggedDims(**{name: tuple(map(int, axes.split(","))) for name, axes in found})

    @staticmethod
    def checked(value: Any) -> Any:
        return checked_numbers(RaggedDims, value)
