"""Parameters of windowed ops: strides, paddings, reversals, and dimension numbers."""

from array import array
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from anvl.dialect.core.context import context
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.core.params.base import Ints, Param, checked_numbers

__all__ = [
    "F32",
    "Bools",
    "ConvDimensions",
    "ConvDims",
    "OptionalBools",
    "OptionalPadding",
    "Padding",
    "Steps",
    "entries_text",
]  # fmt: skip


def entries_text(entries: Sequence[Any]) -> str:
    """`[2, 1]`, or `[[0, 0], [1, 2]]` of a padding: as messages print them."""
    texts = [entries_text(e) if isinstance(e, tuple) else str(e) for e in entries]
    return f"[{', '.join(texts)}]"


class Steps(Ints):
    """Integers, one for each axis; ones where the attribute is absent (None)."""

    optional = True

    @staticmethod
    def checked(value: Any) -> Any:
        return None if value is None else Ints.checked(value)


class Bools(Param):
    """A tuple of bools, `array<i1: ...>`."""

    @staticmethod
    @cache
    def _encode(value: tuple[bool, ...]) -> ir.Attribute:
        return ir.DenseBoolArrayAttr.get(value, context())

    @staticmethod
    def encode(value: Sequence[bool]) -> ir.Attribute:
        return Bools._encode(tuple(value))

    @staticmethod
    def decode(attribute: ir.Attribute) -> tuple[bool, ...]:
        if not isinstance(attribute, ir.DenseBoolArrayAttr):
            raise TypeError(f"expected array<i1: ...>, got {attribute}")
        return tuple(attribute)

    @staticmethod
    def checked(value: Any) -> Any:
        items = value if isinstance(value, tuple | list) else (value,)
        if not all(isinstance(v, bool) or isinstance(v, np.bool_) for v in items):
            raise TypeError(f"is {value!r}; it must be a tuple of bools")
        return tuple(map(bool, items))


class OptionalBools(Bools):
    """`Bools`; all false where the attribute is absent (None)."""

    optional = True

    @staticmethod
    def checked(value: Any) -> Any:
        return None if value is None else Bools.checked(value)


class Padding(Param):
    """A tuple of pairs (low, high), one for each axis: `dense<...> : tensor<nx2xi64>`."""

    @staticmethod
    @cache
    def _encode(value: tuple[tuple[int, int], ...]) -> ir.Attribute:
        numbers = array("q", chain.from_iterable(value))
        i64 = ir.IntegerType.get_signless(64, context())
        shape = [len(value), 2]
        return ir.DenseElementsAttr.get(numbers, type=i64, shape=shape, context=context())

    @staticmethod
    def encode(value: Sequence[tuple[int, int]]) -> ir.Attribute:
        return Padding._encode(tuple((low, high) for low, high in value))

    @staticmethod
    def decode(attribute: ir.Attribute) -> tuple[tuple[int, int], ...]:
        if not isinstance(attribute, ir.DenseElementsAttr) or not _is_pairs(attribute.type):
            raise TypeError(f"expected dense<...> : tensor<nx2xi64>, got {attribute}")
        numbers = iter(attribute)
        return tuple(zip(numbers, numbers, strict=True))

    @staticmethod
    def checked(value: Any) -> Any:
        try:
            pairs = tuple(map(Ints.checked, value))
        except TypeError:
            pairs = ((),)
        if any(len(pair) != 2 for pair in pairs):
            raise TypeError(f"is {value!r}; it must be a tuple of pairs of integers, (low, high)")
        return pairs


def _is_pairs(type_: Any) -> bool:
    return type_.rank == 2 and type_.shape[1] == 2 and str(type_.element_type) == "i64"


class OptionalPadding(Padding):
    """`Padding`; no padding where the attribute is absent (None)."""

    optional = True

    @staticmethod
    def checked(value: Any) -> Any:
        return None if value is None else Padding.checked(value)


class F32(Param):
    """A number, `1.0e-3 : f32`."""

    @staticmethod
    @cache
    def encode(value: float) -> ir.Attribute:
        nowhere = ir.Location.unknown(context())
        return ir.FloatAttr.get(ir.F32Type.get(context()), value, loc=nowhere)

    @staticmethod
    def decode(attribute: ir.Attribute) -> float:
        if not isinstance(attribute, ir.FloatAttr) or str(attribute.type) != "f32":
            raise TypeError(f"expected a number such as 0.001 : f32, got {attribute}")
        return attribute.value

    @staticmethod
    def checked(value: Any) -> Any:
        if isinstance(value, bool) or not (
            isinstance(value, int | float) or isinstance(value, np.integer | np.floating)
        ):
            raise TypeError(f"is {value!r}; it must be a number")
        return float(value)


class ConvDims(NamedTuple):
    """Dimension numbers of a convolution: roles of the axes of its operands and result."""

    input_batch: int
    input_feature: int
    input_spatial: tuple[int, ...]
    kernel_input_feature: int
    kernel_output_feature: int
    kernel_spatial: tuple[int, ...]
    output_batch: int
    output_feature: int
    output_spatial: tuple[int, ...]


class ConvDimensions(Param):
    """`#stablehlo.conv<...>`, as a `ConvDims`."""

    @staticmethod
    @cache
    def encode(value: ConvDims) -> ir.Attribute:
        fields = [list(v) if isinstance(v, tuple) else v for v in value]
        with context():
            return stablehlo.ConvDimensionNumbers.get(*fields)

    @staticmethod
    @cache
    def decode(attribute: ir.Attribute) -> ConvDims:
        if not stablehlo.ConvDimensionNumbers.isinstance(attribute):
            raise TypeError(f"expected #stablehlo.conv<...>, got {attribute}")
        numbers = stablehlo.ConvDimensionNumbers(attribute)
        found = [getattr(numbers, f"{field}{_suffix(field)}") for field in ConvDims._fields]
        fields: list[Any] = [v if isinstance(v, int) else tuple(v) for v in found]
        return ConvDims(*fields)

    @staticmethod
    def checked(value: Any) -> Any:
        return checked_numbers(ConvDims, value)


def _suffix(field: str) -> str:
    return "_dimensions" if field.endswith("spatial") else "_dimension"
