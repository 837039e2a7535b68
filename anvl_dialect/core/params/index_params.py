"""Parameters of `gather` and `scatter`: which axes are indexed, and which are windows."""

from functools import cache
from typing import Any, NamedTuple

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.core.params.base import Param, checked_numbers

__all__ = ["GatherDimensions", "GatherDims", "ScatterDimensions", "ScatterDims"]


class GatherDims(NamedTuple):
    """Dimension numbers of a gather.

    `offset_dims` are the window axes of the result; `start_index_map` maps each component of an
    index vector to an axis of the operand.  The fields of `ScatterDims` are in the same order: a
    gather reads where the scatter of the same numbers writes.
    """

    offset_dims: tuple[int, ...] = ()
    collapsed_slice_dims: tuple[int, ...] = ()
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()
    start_index_map: tuple[int, ...] = ()
    index_vector_dim: int = 0


class ScatterDims(NamedTuple):
    """Dimension numbers of a scatter; `update_window_dims` are axes of the updates."""

    update_window_dims: tuple[int, ...] = ()
    inserted_window_dims: tuple[int, ...] = ()
    input_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()
    scatter_dims_to_operand_dims: tuple[int, ...] = ()
    index_vector_dim: int = 0


class GatherDimensions(Param):
    """`#stablehlo.gather<...>`, as a `GatherDims`."""

    @staticmethod
    @cache
    def encode(value: GatherDims) -> ir.Attribute:
        return _encoded(stablehlo.GatherDimensionNumbers, value)

    @staticmethod
    @cache
    def decode(attribute: ir.Attribute) -> GatherDims:
        return _decoded(stablehlo.GatherDimensionNumbers, GatherDims, "gather", attribute)

    @staticmethod
    def checked(value: Any) -> Any:
        return checked_numbers(GatherDims, value)


class ScatterDimensions(Param):
    """`#stablehlo.scatter<...>`, as a `ScatterDims`."""

    @staticmethod
    @cache
    def encode(value: ScatterDims) -> ir.Attribute:
        return _encoded(stablehlo.ScatterDimensionNumbers, value)

    @staticmethod
    @cache
    def decode(attribute: ir.Attribute) -> ScatterDims:
        return _decoded(stablehlo.ScatterDimensionNumbers, ScatterDims, "scatter", attribute)

    @staticmethod
    def checked(value: Any) -> Any:
        return checked_numbers(ScatterDims, value)


def _encoded(view: Any, value: Any) -> ir.Attribute:
    *axes, index_vector_dim = value
    with context():
        return view.get(*map(list, axes), index_vector_dim)


def _decoded(view: Any, made: Any, name: str, attribute: ir.Attribute) -> Any:
    if not view.isinstance(attribute):
        raise TypeError(f"expected #stablehlo.{name}<...>, got {attribute}")
    numbers = view(attribute)
    *axes, index_vector_dim = (getattr(numbers, field) for field in _in_bindings(made))
    return made(*[tuple(a) for a in axes], index_vector_dim)


def _in_bindings(made: Any) -> list[str]:
    """Names of the fields in the bindings, one of which differs."""
    return [
        "scattered_dims_to_operand_dims" if field == "scatter_dims_to_operand_dims" else field
        for field in made._fields
    ]
