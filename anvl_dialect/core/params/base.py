"""Parameters of ops besides their operands, as Python values and as MLIR attributes.

A class annotation in an op declares one: `permutation: Ints`.  Rules take and return Python values
(`(1, 0)`); the IR holds MLIR attributes (`array<i64: 1, 0>`), in StableHLO's own names and forms
so that lowering a one-to-one op copies them.

Some parameters are not attributes but are read off the result's type (`ResultShape`,
`ResultDtype`): StableHLO's `reshape` has no attribute for the new shape either.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from anvl.dialect.core.context import context
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.core.types import dtype_name, numpy_dtype

__all__ = [
    "Algorithm", "AnyAttribute", "Body", "Bool", "Direction", "DotDimensions", "DotDims", "Float",
    "Int", "Int32", "Ints", "Param", "Precision", "ResultDtype", "ResultShape", "Symbol", "Text",
    "Texts", "Transpose", "WiderDtype", "checked_numbers", "enum", "read_param",
]  # fmt: skip


class Param:
    """One kind of parameter: how it is encoded, decoded and checked.

    `attribute` is False where the value lives in the result type, or is a region.  `optional`
    parameters may be absent from the IR; `default` then stands for them.

    `checked` validates user input, `encode` trusts its value.  The errors of `checked` continue a
    message that names the op and the parameter: "is 'a'; it must be an integer".
    """

    attribute = True
    optional = False
    default: Any = None

    @staticmethod
    def of_op(op: ir.Operation) -> Any:
        """Read the value from an op, for a kind that is not an attribute."""
        raise NotImplementedError

    @staticmethod
    def checked(value: Any) -> Any:
        """Return the canonical value (a tuple for a list); raise TypeError or ValueError."""
        return value

    @staticmethod
    def encode(value: Any) -> ir.Attribute:
        raise NotImplementedError

    @staticmethod
    def decode(attribute: ir.Attribute) -> Any:
        raise NotImplementedError


def _integer(value: Any, bits: int = 64) -> int:
    if isinstance(value, bool) or not (isinstance(value, int) or isinstance(value, np.integer)):
        raise TypeError(f"is {value!r}; it must be an integer")
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise TypeError(f"is {value}; it must fit into {bits} bits")
    return int(value)


def _integers(value: Any) -> tuple[int, ...]:
    """A tuple of integers; a single integer is accepted."""
    try:
        return tuple(map(_integer, value if isinstance(value, tuple | list) else (value,)))
    except TypeError as error:
        fits = "fit into" in str(error)
        wanted = "that fit into 64 bits" if fits else ""
        raise TypeError(f"is {value!r}; it must be a tuple of integers {wanted}".rstrip()) from None


def checked_numbers(made: Any, value: Any) -> Any:
    """Canonicalize dimension numbers, a `NamedTuple` of integers and tuples of integers."""
    if not isinstance(value, made):
        raise TypeError(f"is {value!r}; it must be {made.__name__}({', '.join(made._fields)})")
    fields = []
    for name, entry in zip(made._fields, value, strict=True):
        kind = _integer if made.__annotations__[name] is int else _integers
        try:
            fields.append(kind(entry))
        except TypeError as error:
            raise TypeError(f"says {name} {error}") from None
    return made(*fields)


class Ints(Param):
    """A tuple of integers, `array<i64: ...>`: axes, a permutation, paddings."""

    @staticmethod
    @cache
    def _encode(value: tuple[int, ...]) -> ir.Attribute:
        return ir.DenseI64ArrayAttr.get(value)

    @staticmethod
    def encode(value: Sequence[int]) -> ir.Attribute:
        return Ints._encode(tuple(value))

    @staticmethod
    def decode(attribute: ir.Attribute) -> tuple[int, ...]:
        return _integers_of(attribute)

    @staticmethod
    def checked(value: Any) -> Any:
        return _integers(value)


class Int(Param):
    """One integer, `0 : i64`."""

    @staticmethod
    @cache
    def encode(value: int) -> ir.Attribute:
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64, context()), value)

    @staticmethod
    def decode(attribute: ir.Attribute) -> int:
        return _integer_of(attribute, "i64")

    @staticmethod
    def checked(value: Any) -> Any:
        return _integer(value)


@lru_cache(4096)
def _integers_of(attribute: Any) -> tuple[int, ...]:
    """See Note [Attributes are decoded once], in `attributes.py`."""
    if not isinstance(attribute, ir.DenseI64ArrayAttr):
        raise TypeError(f"expected array<i64: ...>, got {attribute}")
    return tuple(attribute)


@lru_cache(4096)
def _integer_of(attribute: Any, type_: str) -> int:
    """See Note [Attributes are decoded once], in `attributes.py`: the text of a type takes 3 us."""
    if not isinstance(attribute, ir.IntegerAttr) or str(attribute.type) != type_:
        raise TypeError(f"expected an integer such as 0 : {type_}, got {attribute}")
    return attribute.value


class Int32(Int):
    """One integer, `0 : i32`, StableHLO's I32Attr."""

    @staticmethod
    @cache
    def encode(value: int) -> ir.Attribute:
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(32, context()), value)

    @staticmethod
    def decode(attribute: ir.Attribute) -> int:
        return _integer_of(attribute, "i32")

    @staticmethod
    def checked(value: Any) -> Any:
        return _integer(value, 32)


class Float(Param):
    """One float, `0.5 : f64`."""

    @staticmethod
    def encode(value: float) -> ir.Attribute:
        f64, nowhere = ir.F64Type.get(context()), ir.Location.unknown(context())
        return ir.FloatAttr.get(f64, float(value), nowhere)

    @staticmethod
    def decode(attribute: ir.Attribute) -> float:
        if not isinstance(attribute, ir.FloatAttr):
            raise TypeError(f"expected a float such as 0.5 : f64, got {attribute}")
        return attribute.value

    @staticmethod
    def checked(value: Any) -> Any:
        if isinstance(value, bool) or not (
            isinstance(value, int | float) or isinstance(value, np.number)
        ):
            raise TypeError(f"is {value!r}; it must be a number")
        return float(value)


class Bool(Param):
    """`true` or `false`; false where the attribute is absent."""

    optional = True
    default = False

    @staticmethod
    @cache
    def encode(value: bool) -> ir.Attribute:
        return ir.BoolAttr.get(value, context())

    @staticmethod
    def decode(attribute: ir.Attribute) -> bool:
        if not isinstance(attribute, ir.BoolAttr):
            raise TypeError(f"expected true or false, got {attribute}")
        return attribute.value

    @staticmethod
    def checked(value: Any) -> Any:
        if not (isinstance(value, bool) or isinstance(value, np.bool_)):
            raise TypeError(f"is {value!r}; it must be True or False")
        return bool(value)


class Text(Param):
    """A string."""

    @staticmethod
    def encode(value: str) -> ir.Attribute:
        return ir.StringAttr.get(value)

    @staticmethod
    def decode(attribute: ir.Attribute) -> str:
        if not isinstance(attribute, ir.StringAttr):
            raise TypeError(f"expected a string, got {attribute}")
        return attribute.value

    @staticmethod
    def checked(value: Any) -> Any:
        if not isinstance(value, str):
            raise TypeError(f"is {value!r}; it must be a string")
        return value


class Texts(Param):
    """A tuple of strings, `["a", "b"]`."""

    @staticmethod
    def encode(value: Sequence[str]) -> ir.Attribute:
        return ir.ArrayAttr.get([ir.StringAttr.get(text, context()) for text in value], context())

    @staticmethod
    def decode(attribute: ir.Attribute) -> tuple[str, ...]:
        if not isinstance(attribute, ir.ArrayAttr):
            raise TypeError(f"expected a list of strings, got {attribute}")
        return tuple(Text.decode(text) for text in attribute)


class Symbol(Param):
    """The name of a function, `@f`."""

    @staticmethod
    def encode(value: str) -> ir.Attribute:
        return ir.FlatSymbolRefAttr.get(value)

    @staticmethod
    def decode(attribute: ir.Attribute) -> str:
        if not isinstance(attribute, ir.FlatSymbolRefAttr):
            raise TypeError(f"expected a symbol such as @f, got {attribute}")
        return attribute.value


class AnyAttribute(Param):
    """An undecoded MLIR attribute: the value of a constant."""

    @staticmethod
    def encode(value: ir.Attribute) -> ir.Attribute:
        return value

    @staticmethod
    def decode(attribute: ir.Attribute) -> ir.Attribute:
        return attribute


class ResultShape(Param):
    """The shape of the result: kept in its type, not in an attribute."""

    attribute = False

    @staticmethod
    def of_op(op: ir.Operation) -> tuple[int, ...]:
        return tuple(op.results[0].type.shape)

    @staticmethod
    def checked(value: Any) -> Any:
        shape = _integers(value)
        if any(n < 0 for n in shape):
            raise TypeError(f"is {value!r}; sizes must not be negative")
        return shape


class ResultDtype(Param):
    """The dtype of the result, by anvl's name (`"f32"`): kept in its type."""

    attribute = False

    @staticmethod
    def of_op(op: ir.Operation) -> str:
        return dtype_name(op.results[0].type.element_type)

    @staticmethod
    def checked(value: Any) -> Any:
        try:
            # NumPy takes None for float64.
            return dtype_name(numpy_dtype("None" if value is None else value))
        except TypeError as error:
            raise TypeError(f"is {value!r}; {str(error).partition('; ')[2]}") from None


class WiderDtype(ResultDtype):
    """A result dtype that is the operands' (None) or a wider one of the same kind."""

    optional = True

    @staticmethod
    def checked(value: Any) -> Any:
        return None if value is None else ResultDtype.checked(value)


class Body(Param):
    """A region of the op: a program of scalars, given as a Python function that emits ops.

    Rules get it as a `scratch.Program`, which can be called, mapped and differentiated.
    """

    attribute = False

    #: Set by `interpreters/subprogram.py`, which is built on ops and so cannot be imported here.
    of_region: Any = None

    @staticmethod
    def checked(value: Any) -> Any:
        if not callable(value):
            raise TypeError(f"is {value!r}; it must be a function of scalars")
        return value


@cache
def enum(name: str, *cases: str) -> type[Param]:
    """A StableHLO enumeration: `enum("comparison_direction", "EQ", ...)`."""
    view = getattr(stablehlo, f"{name.title().replace('_', '')}Attr")

    class Enum(Param):
        @staticmethod
        @cache
        def encode(value: str) -> ir.Attribute:
            if value not in cases:
                raise ValueError(f"{name} {value!r} is not one of {', '.join(cases)}")
            return ir.Attribute.parse(f"#stablehlo<{name} {value}>", context())

        @staticmethod
        @cache
        def decode(attribute: ir.Attribute) -> str:
            value = view(attribute).value if view.isinstance(attribute) else None
            if value not in cases:
                raise TypeError(
                    f"expected #stablehlo<{name} ...>, one of {', '.join(cases)}, got {attribute}"
                )
            return value

        @staticmethod
        def checked(value: Any) -> Any:
            if value not in cases:
                raise ValueError(f"is {value!r}; it must be one of {', '.join(cases)}")
            return value

    Enum.__name__ = Enum.__qualname__ = name
    return Enum


class DotDims(NamedTuple):
    """Batch axes and contracting axes of a contraction."""

    lhs_batching: tuple[int, ...] = ()
    rhs_batching: tuple[int, ...] = ()
    lhs_contracting: tuple[int, ...] = ()
    rhs_contracting: tuple[int, ...] = ()


class DotDimensions(Param):
    """`#stablehlo.dot<...>`, as a `DotDims`."""

    @staticmethod
    @cache
    def encode(value: DotDims) -> ir.Attribute:
        with context():
            return stablehlo.DotDimensionNumbers.get(*map(list, value))

    @staticmethod
    @cache
    def decode(attribute: ir.Attribute) -> DotDims:
        if not stablehlo.DotDimensionNumbers.isinstance(attribute):
            raise TypeError(f"expected #stablehlo.dot<...>, got {attribute}")
        numbers = stablehlo.DotDimensionNumbers(attribute)
        return DotDims(
            tuple(numbers.lhs_batching_dimensions),
            tuple(numbers.rhs_batching_dimensions),
            tuple(numbers.lhs_contracting_dimensions),
            tuple(numbers.rhs_contracting_dimensions),
        )

    @staticmethod
    def checked(value: Any) -> Any:
        return checked_numbers(DotDims, value)


_PrecisionOfOne = enum("precision", "DEFAULT", "HIGH", "HIGHEST")


class Precision(Param):
    """The precision of both operands of a contraction: DEFAULT, HIGH or HIGHEST."""

    optional = True
    default = "DEFAULT"

    @staticmethod
    @cache
    def encode(value: str) -> ir.Attribute:
        one = _PrecisionOfOne.encode(value)
        return ir.ArrayAttr.get([one, one], context())

    @staticmethod
    @cache
    def decode(attribute: ir.Attribute) -> str:
        both = list(attribute) if isinstance(attribute, ir.ArrayAttr) else []
        if len(both) != 2 or both[0] != both[1]:
            raise TypeError(f"expected the same #stablehlo<precision ...> twice, got {attribute}")
        return _PrecisionOfOne.decode(both[0])

    @staticmethod
    def checked(value: Any) -> Any:
        return _PrecisionOfOne.checked(value)


class Algorithm(Param):
    """Rounding and accumulation of a contraction, `#stablehlo.dot_algorithm<...>`; `""` if absent.

    Held as an undecoded MLIR attribute, which cannot be compared with None.
    """

    optional = True
    default = ""

    @staticmethod
    def encode(value: ir.Attribute) -> ir.Attribute:
        return value

    @staticmethod
    def decode(attribute: ir.Attribute) -> ir.Attribute:
        if not str(attribute).startswith(_ALGORITHM):
            raise TypeError(f"expected {_ALGORITHM}...>, got {attribute}")
        return attribute

    @staticmethod
    def checked(value: Any) -> Any:
        is_one = isinstance(value, ir.Attribute) and str(value).startswith(_ALGORITHM)
        if value != "" and not is_one:
            raise TypeError(f"is {value!s}; it must be a dot algorithm, as an MLIR attribute")
        return value


_ALGORITHM = "#stablehlo.dot_algorithm<"


class Direction(enum("comparison_direction", "EQ", "NE", "GE", "GT", "LE", "LT")):  # type: ignore[misc]
    """Comparison of two elements."""


class Transpose(enum("transpose", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")):  # type: ignore[misc]
    """Form of a matrix operand: itself, its transpose or its conjugate transpose."""


def read_param(op: ir.Operation, attributes: Any, name: str, kind: type[Param]) -> Any:
    """Read a parameter of an op as a Python value."""
    if not kind.attribute:
        return kind.of_op(op)
    if kind.optional and name not in attributes:
        return kind.default
    try:
        return _decoded(kind, attributes[name])  # type: ignore[arg-type]
    except KeyError:
        raise TypeError(f"attribute `{name}` is missing") from None
    except TypeError as error:
        raise TypeError(f"attribute `{name}`: {error}") from None


@lru_cache(8192)
def _decoded(kind: type[Param], attribute: ir.Attribute) -> Any:
    """Decode with a cache: MLIR uniques attributes, and a look-up costs a tenth of decoding."""
    return kind.decode(attribute)
