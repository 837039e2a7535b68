"""Ops that make arrays from nothing: constant, captured, iota."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.families import Creation, check_axes
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Result, Value, emit
from anvl.dialect.core.params.base import AnyAttribute, Int, ResultDtype, ResultShape
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import element_type, kind, numpy_of, tensor

__all__ = [
    "CapturedOp", "ComplexLiteral", "ConstantOp", "IotaOp", "are_literals_separate",
    "are_literals_shared", "constant", "dense", "full", "full_like", "literal", "number_of",
    "repeated", "separate_literals", "shared_literals", "splat", "splat_at", "zeros_like",
]  # fmt: skip


class ConstantOp(Creation, name="constant"):
    """A known array: `value` is a `dense<...>` attribute.  StableHLO `constant`."""

    value: AnyAttribute
    y: Result
    hlo = "constant"
    cheap = True

    @classmethod
    def result_type(cls, value: Any) -> Any:
        if not isinstance(getattr(value, "type", None), ir.RankedTensorType):
            raise TypeError(f"constant: value must be dense<...> of a tensor type, got {value}")
        return value.type

    @classmethod
    def read(cls, op: ir.Operation, symbols: SymbolTable | None = None) -> dict[str, Any]:
        try:
            return super().read(op, symbols)
        except TypeError:
            if "value" not in op.attributes:
                raise
            return {"value": ComplexLiteral.of(op)}

    @classmethod
    def lift_rest(cls, op: ir.Operation) -> Sequence[Value] | None:
        """Lift a complex constant, whose attribute cannot be copied."""
        if len(op.attributes) > 1:
            return None
        try:
            return [ComplexLiteral.of(op).emit()]
        except TypeError:  # the value is not written inline
            return None

    @classmethod
    def stacked(cls, xs: Any, params: Sequence[dict[str, Any]], /) -> Value | None:
        element = params[0]["value"].type.element_type
        if kind(element) == "complex":  # of which the bindings read other memory
            return None
        try:
            arrays = [np.array(one["value"]) for one in params]
        except TypeError:  # bf16, which they do not read
            return None
        return emit.constant(value=dense(np.stack(arrays), element))

    @classmethod
    def literal(cls, op: ir.Operation, arrays: Sequence[Any], value: Any) -> Any:
        try:
            return np.array(value)
        except (TypeError, ValueError):  # bf16 and complex, which the bindings do not read
            return None

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], value: Any) -> Any:
        n = number_of(pads.op.opview)
        if n is None:
            pads.refuse(min(pads.wanted), "its elements are fixed, and not all equal")
        type_ = pads.op.results[0].type
        return full(tensor(pads.shape(pads.wanted), type_.element_type), n), pads.wanted

    @classmethod
    def sample(cls, draw: Any) -> Any:
        numbers = np.arange(6.0).reshape(2, 3)
        return draw.calls(
            ([], {"value": dense(numbers)}), ([], {"value": dense(np.full_like(numbers, 2.5))})
        )


@dataclass(frozen=True)
class ComplexLiteral:
    """A complex `dense<...>`, held as text because the bindings have no class for it.

    Equal texts are equal values.  It takes the place of the attribute of other constants.
    """

    text: str

    @classmethod
    def of(cls, op: ir.Operation) -> "ComplexLiteral":
        """The value of a constant op."""
        text = op.get_asm(print_generic_op_form=True, use_local_scope=True)
        found = re.search(_COMPLEX_VALUE, text)
        if found is None:
            raise TypeError(f"attribute `value`: expected dense<...> of a tensor type, got {text}")
        return cls(found[1])

    @property
    def type(self) -> ir.Type:
        return ir.Type.parse(self.text.rpartition(" : ")[2], context())

    @property
    def is_splat(self) -> bool:
        return self.text.startswith("dense<(")

    def emit(self) -> Value:
        """A constant op of this value."""
        place = ir.Location.current
        text = f'"anvl.constant"() {{value = {self.text}}} : () -> {self.type} {place}'
        op = ir.Operation.parse(text, context=context())
        ir.InsertionPoint.current.insert(op)
        return op.operation.result


_COMPLEX_VALUE = r'\bvalue = (dense<(?:"[^"]*"|[^">]*)> : tensor<(?:\d+x)*complex<f\d+>>)'


class CapturedOp(Creation, name="captured"):
    """A closed-over array of the running program, by its index among the captured arrays.

    The array itself never becomes an attribute: MLIR keeps attributes for ever.
    `anvl-hoist-constants` turns it into a leading argument.
    """

    index: Int
    shape: ResultShape
    dtype: ResultDtype
    y: Result

    @classmethod
    def result_type(cls, index: int, shape: Any, dtype: Any) -> Any:
        if index < 0:
            raise TypeError(f"captured: index {index} is negative; arrays are numbered from 0")
        return tensor(shape, element_type(dtype))

    why_not_lowered = "run anvl-hoist-constants first"

    @classmethod
    def literal(cls, op: ir.Operation, arrays: Sequence[Any], index: int, **params: Any) -> Any:
        return np.asarray(arrays[index]) if index < len(arrays) else None

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], index: int, shape: Any, dtype: Any) -> Any:
        why = (
            "it is an array that the function closes over, of a fixed size; pass it as an argument"
        )
        pads.refuse(min(pads.wanted), why)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(([], {"index": 0, "shape": (2, 3), "dtype": "f64"}))


class IotaOp(Creation, name="iota"):
    """Counts up along one axis: `y[i0, ..., ik] = i[iota_dimension]`.  StableHLO `iota`."""

    iota_dimension: Int
    shape: ResultShape
    dtype: ResultDtype
    y: Result
    hlo = "iota"
    cheap = True

    @classmethod
    def result_type(cls, iota_dimension: int, shape: Any, dtype: Any) -> Any:
        y = tensor(shape, element_type(dtype))
        if kind(y.element_type) not in ("int", "uint", "float", "complex"):
            raise TypeError(f"iota: result is {y}; its elements must be numbers")
        check_axes(f"iota: iota_dimension {iota_dimension}", (iota_dimension,), y.rank, y)
        return y

    @classmethod
    def literal(
        cls, op: ir.Operation, arrays: Sequence[Any], iota_dimension: int, shape: Any, dtype: str
    ) -> Any:
        sizes = [n if a == iota_dimension else 1 for a, n in enumerate(shape)]
        numbers = np.arange(shape[iota_dimension]).astype(numpy_of(element_type(dtype)))
        return np.broadcast_to(numbers.reshape(sizes), shape)

    @classmethod
    def pad_axes(
        cls, pads: Any, xs: Sequence[Any], iota_dimension: int, shape: Any, dtype: Any
    ) -> Any:
        shape = pads.shape(pads.wanted)
        return cls.build(iota_dimension=iota_dimension, shape=shape, dtype=dtype), pads.wanted

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(([], {"iota_dimension": 1, "shape": (2, 3), "dtype": "f64"}))


# -- making constants in rules ---------------------------------------------------------------------


def dense(array: "np.ndarray", element: Any = None) -> ir.Attribute:
    """`dense<...>` of a small NumPy array of any dtype that anvl supports."""
    shape = list(array.shape)
    array = np.ascontiguousarray(array)  # at least one axis: hence `shape`
    if not array.dtype.isnative:  # the bytes are read as they lie
        array = array.astype(array.dtype.newbyteorder("="))
    element = element_type(array.dtype) if element is None else element
    if kind(element) == "complex":
        raw = array.reshape(-1).view(array.real.dtype)
    elif array.dtype.kind == "V" or array.dtype.name not in _FROM_NUMPY:
        raw = array.reshape(-1).view(f"u{array.dtype.itemsize}")
    else:
        raw = array
    return ir.DenseElementsAttr.get(raw, type=element, shape=shape, context=context())


_FROM_NUMPY = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
)


def constant(value: Any) -> Value:
    """Emit a constant from a value read by `ConstantOp.read`."""
    return value.emit() if isinstance(value, ComplexLiteral) else emit.constant(value=value)


def literal(array: "np.ndarray", type_: Any) -> Value:
    """A small array as a literal."""
    return emit.constant(value=dense(array, type_.element_type))


def splat(type_: Any, value: complex) -> ir.Attribute:
    """`dense<value>` of `type_`: one value for all elements.  Scalars only of complex types."""
    # As a key, 0.0 is the same as -0.0, also in a complex number: their texts tell them apart.
    text = repr(value) if not value or isinstance(value, complex) else None
    return _splat(type_, value, text)


@lru_cache(4096)
def _splat(type_: Any, value: Any, _: str | None) -> ir.Attribute:
    return _filler(type_)(value)


@cache
def _filler(type_: Any) -> Callable[[Any], ir.Attribute]:
    """Return the function that encodes a number, specialised to an element type."""
    element = type_.element_type
    filled = ir.DenseElementsAttr.get_splat
    if kind(element) == "complex":
        return lambda value: _complex_scalar(element, value)
    if kind(element) == "float":
        floating = ir.FloatAttr.get
        return lambda value: filled(type_, floating(element, float(value)))
    # The bindings take signed 64 bits: the upper half of ui64 by its bits.
    integer = ir.IntegerAttr.get
    return lambda value: filled(type_, integer(element, _as_signed(int(value))))


def _as_signed(n: int) -> int:
    """Reinterpret the 64 bits of n as a signed integer."""
    return n - 2**64 if n >= 2**63 else n


def _complex_scalar(element: Any, value: complex) -> ir.Attribute:
    number = np.array(value, numpy_of(element))
    parts = number.reshape(1).view(number.real.dtype)
    return ir.DenseElementsAttr.get(parts, type=element, shape=[])


def full(type_: Any, value: complex) -> Value:
    """An array of `type_` whose elements all are `value`."""
    if not _is_complex_array(type_):
        return splat_at(None, type_, value)
    element = type_.element_type
    # The bindings make complex splats of scalars only.
    scalar = emit.constant(value=splat(tensor([], element), value))
    return emit.broadcast_in_dim(scalar, shape=tuple(type_.shape), broadcast_dimensions=())


def splat_at(location: ir.Location | None, type_: Any, value: complex) -> Value:
    """`full` for a non-complex type, at the given location or the current one."""
    return repeated(splat(type_, value), location)


def repeated(value: Any, location: ir.Location | None = None) -> Value:
    """Emit the constant of a `splat`; where literals are shared, the one that there is.

    Not for complex arrays.
    """
    shared = _shared.literals
    if shared is None or ir.InsertionPoint.current is not _shared.point:
        return _create(_CONSTANT, [value.type], (), {"value": value}, None, 0, location).result
    found = shared.get(value)
    if found is not None:
        with suppress(RuntimeError):  # a rule has erased it
            return found.result
    made = _create(_CONSTANT, [value.type], (), {"value": value}, None, 0, location)
    shared[value] = made
    return made.result


# Note [Shared literals]
#
# Rules need zeros, ones and halves of the same few types again and again: without sharing, every
# third op of the gradient of a program with masks is such a constant.  What is emitted through one
# `InsertionPoint` object follows what was emitted through it before, so a literal that it has may
# be used; through any other, in a region or before an earlier op, a literal is emitted anew.


class _Shared(threading.local):
    """The insertion point where literals are shared, and those that it has, by their attributes."""

    point: Any = None
    literals: dict[Any, ir.Operation] | None = None
    is_off: bool = False


_shared = _Shared()


@contextmanager
def shared_literals() -> Iterator[dict[ir.Attribute, ir.Operation]]:
    """Emit equal numbers once inside: Note [Shared literals].  Gives the ops that are shared."""
    point = ir.InsertionPoint.current
    if _shared.is_off:
        yield {}
        return
    if _shared.literals is not None and point is _shared.point:
        yield _shared.literals
        return
    before = _shared.point, _shared.literals
    _shared.point, _shared.literals = point, {}
    try:
        yield _shared.literals
    finally:
        _shared.point, _shared.literals = before


def are_literals_shared() -> bool:
    """Whether an equal literal that was emitted here before is taken: Note [Shared literals]."""
    return _shared.literals is not None and ir.InsertionPoint.current is _shared.point


def are_literals_separate() -> bool:
    """Whether this is inside of `separate_literals`."""
    return _shared.is_off


@contextmanager
def separate_literals() -> Iterator[None]:
    """Share no literals inside, and use no recipe.

    Whether two literals are one depends on whether two sizes happen to be equal, and whether there
    is a recipe, which shares literals, on what was built before.  Programs at different sizes,
    whose ops are to be compared, may depend on neither.
    """
    before = _shared.is_off
    _shared.is_off = True
    try:
        yield
    finally:
        _shared.is_off = before


@cache
def _is_complex_array(type_: Any) -> bool:
    return kind(type_.element_type) == "complex" and type_.rank > 0


_CONSTANT = ConstantOp.OPERATION_NAME
_create = ir.Operation.create  # a literal has nothing to check: 1 us in place of 3


def full_like(x: Value, value: complex) -> Value:
    """An array of the type of `x` whose elements all are `value`.

    Parameters
    ----------
    x : ir.Value
    value : number

    Returns
    -------
    ir.Value, of the type of x

    Examples
    --------
    >>> from anvl.dialect import full_like, ir, parse
    >>> module = parse("func.func @f(%x: tensor<3xf32>) { return }")
    >>> block = module.body.operations[0].regions[0].blocks[0]
    >>> with module.context, ir.Location.unknown(), ir.InsertionPoint(block.operations[0]):
    ...     print(full_like(block.arguments[0], 2.0).type)
    tensor<3xf32>
    """
    return full(x.type, value)


def zeros_like(x: Value) -> Value:
    """Zeros of the type of `x`.

    Parameters
    ----------
    x : ir.Value

    Returns
    -------
    ir.Value, of the type of x

    Examples
    --------
    >>> from anvl.dialect import ir, parse, zeros_like
    >>> module = parse("func.func @f(%x: tensor<3xi32>) { return }")
    >>> block = module.body.operations[0].regions[0].blocks[0]
    >>> with module.context, ir.Location.unknown(), ir.InsertionPoint(block.operations[0]):
    ...     print(zeros_like(block.arguments[0]).type)
    tensor<3xi32>
    """
    return full(x.type, 0)


def number_of(maker: Any) -> Any:
    """Return the number that a splat constant repeats, given the op that defines the value.

    None for other ops, other constants and complex constants.
    """
    if type(maker) is not ConstantOp:
        return None
    try:
        return _splat_number(maker.attributes["value"])
    except TypeError:  # complex: the bindings have no class for it
        return None


@lru_cache(4096)
def _splat_number(attribute: Any) -> Any:
    if not getattr(attribute, "is_splat", False):
        return None
    return getattr(attribute.get_splat_value(), "value", None)
