"""Element types under their three names: anvl's (`f32`), NumPy's and MLIR's."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import nearest
from anvl.dialect.core.lazy_numpy import ml_dtypes, np
from anvl.dialect.core.mlir import ir

__all__ = [
    "DTYPES", "dtype_name", "element_type", "integer_range", "is_array", "itemsize", "kind",
    "largest_float", "numpy_dtype", "shape_text", "tensor", "why_no_array", "without_axes",
]  # fmt: skip


class DtypeInfo(NamedTuple):
    """`kind` is `bool`, `int`, `uint`, `float` or `complex`; `bits` is the width of a number."""

    name: str
    kind: str
    bits: int
    numpy_name: str
    mlir: str

    @property
    def numpy(self) -> "np.dtype":
        """The NumPy dtype."""
        return _numpy_dtypes()[self.name]

    @property
    def itemsize(self) -> int:
        """Bytes of an element in an array; narrow ones take a byte each."""
        return max(1, self.bits // 8)


def _row(name: str, kind: str, bits: int, numpy: str, mlir: str | None = None) -> DtypeInfo:
    return DtypeInfo(name, kind, bits, numpy, mlir or name)


# fmt: off
_TABLE = [
    #    anvl       kind       bits  NumPy or ml_dtypes   MLIR, where it differs
    _row("bool",    "bool",    1,    "bool",              "i1"),
    _row("i4",      "int",     4,    "int4"),
    _row("i8",      "int",     8,    "int8"),
    _row("i16",     "int",     16,   "int16"),
    _row("i32",     "int",     32,   "int32"),
    _row("i64",     "int",     64,   "int64"),
    _row("ui4",     "uint",    4,    "uint4"),
    _row("ui8",     "uint",    8,    "uint8"),
    _row("ui16",    "uint",    16,   "uint16"),
    _row("ui32",    "uint",    32,   "uint32"),
    _row("ui64",    "uint",    64,   "uint64"),
    _row("f8E4M3FN", "float",  8,    "float8_e4m3fn"),
    _row("f8E5M2",  "float",   8,    "float8_e5m2"),
    _row("f16",     "float",   16,   "float16"),
    _row("bf16",    "float",   16,   "bfloat16"),
    _row("f32",     "float",   32,   "float32"),
    _row("f64",     "float",   64,   "float64"),
    _row("c64",     "complex", 64,   "complex64",         "complex<f32>"),
    _row("c128",    "complex", 128,  "complex128",        "complex<f64>"),
]
# fmt: on

DTYPES: dict[str, DtypeInfo] = {row.name: row for row in _TABLE}
_BY_MLIR = {row.mlir: row for row in _TABLE}


@cache
def _numpy_dtypes() -> "dict[str, np.dtype]":
    """NumPy dtypes by anvl's names; those that NumPy lacks are of `ml_dtypes`."""
    return {
        row.name: np.dtype(getattr(ml_dtypes, row.numpy_name, row.numpy_name)) for row in _TABLE
    }


@cache
def _by_numpy() -> "dict[np.dtype, DtypeInfo]":
    return {row.numpy: row for row in _TABLE}


def numpy_dtype(dtype: object) -> "np.dtype":
    """Return the NumPy dtype of an anvl name (`"f32"`), a NumPy dtype or any dtype-like value.

    Raises `TypeError` for a dtype that anvl does not support.
    """
    if isinstance(dtype, str) and dtype in DTYPES:
        return DTYPES[dtype].numpy
    try:
        found = np.dtype(dtype)  # type: ignore[call-overload]
    except (TypeError, ValueError, SyntaxError):  # strings: NumPy parses them as lists of fields
        found = None
    if found is not None and not found.isnative:  # in the other byte order
        found = found.newbyteorder("=")
    if found not in _by_numpy():
        names = (row.numpy_name for row in _TABLE)
        near = nearest(dtype, names).replace(",", ";") if isinstance(dtype, str) else ""
        raise TypeError(
            f"dtype: {dtype!r} is not the dtype of an array; use one of {', '.join(DTYPES)}{near}"
        )
    return found


def dtype_name(dtype: object) -> str:
    """anvl's name of a dtype or of an MLIR element type: `f32`, `bool`, `c64`.

    Parameters
    ----------
    dtype : dtype, str or ir.Type

    Returns
    -------
    str

    Examples
    --------
    >>> from anvl.dialect import dtype_name
    >>> dtype_name("float32"), dtype_name("bool")
    ('f32', 'bool')
    """
    if isinstance(dtype, str) and dtype in DTYPES:
        return dtype
    if isinstance(dtype, ir.Type):
        row = _row_of(dtype)
        return row.name if row else str(dtype)
    return _by_numpy()[numpy_dtype(dtype)].name


@cache
def element_type(dtype: object) -> ir.Type:
    """The MLIR element type of a dtype.

    Parameters
    ----------
    dtype : dtype, str or ir.Type

    Returns
    -------
    ir.Type

    Examples
    --------
    >>> from anvl.dialect import element_type
    >>> print(element_type("bf16"), element_type("c64"))
    bf16 complex<f32>
    """
    if isinstance(dtype, ir.Type):
        return dtype
    return ir.Type.parse(DTYPES[dtype_name(dtype)].mlir, context())


@cache
def _row_of(element: ir.Type) -> DtypeInfo | None:
    return _BY_MLIR.get(str(element))


def kind(element: ir.Type) -> str:
    """`bool`, `int`, `uint`, `float` or `complex`; `other` for unsupported element types."""
    row = _row_of(element)
    return row.kind if row else "other"


def numpy_of(element: ir.Type) -> "np.dtype":
    """The NumPy dtype of an MLIR element type."""
    return _known_row(element).numpy


def itemsize(element: ir.Type) -> int:
    """Bytes of an element of an array of an MLIR element type."""
    return _known_row(element).itemsize


def _known_row(element: ir.Type) -> DtypeInfo:
    row = _row_of(element)
    if row is None:
        raise TypeError(f"dtype: anvl has no arrays of element type {element}")
    return row


def integer_range(element: ir.Type) -> tuple[int, int]:
    """The least and the greatest number of an MLIR integer element type that anvl supports."""
    row = _known_row(element)
    if row.kind == "int":
        return -(2 ** (row.bits - 1)), 2 ** (row.bits - 1) - 1
    return 0, 2**row.bits - 1


def largest_float(element: ir.Type) -> float:
    """Infinity, or the greatest number of a float element type that has no infinity."""
    row = _known_row(element)
    only_finite = row.name.endswith("FN")  # in LLVM's names of formats: finite numbers and NaN
    return float(ml_dtypes.finfo(row.numpy).max) if only_finite else float("inf")


def tensor(shape: Sequence[int], element: ir.Type) -> ir.RankedTensorType:
    """The MLIR type of an array: `tensor((2, 3), f32)` is `tensor<2x3xf32>`.

    Parameters
    ----------
    shape : sequence of int
    element : ir.Type
        As of `element_type`.

    Returns
    -------
    ir.RankedTensorType

    Raises
    ------
    TypeError
        A size is no integer from 0 to 2^63 - 1.

    Examples
    --------
    >>> from anvl.dialect import element_type, tensor
    >>> print(tensor((2, 3), element_type("f32")))
    tensor<2x3xf32>
    """
    try:
        return ir.RankedTensorType.get(list(shape), element, loc=_nowhere())
    except (TypeError, ir.MLIRError):
        raise TypeError(
            f"shape {shape_text(shape)} is not the shape of an array; sizes must be integers from "
            f"0 to {2**63 - 1}"
        ) from None


def without_axes(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    """The sizes of all axes but these."""
    return [n for i, n in enumerate(shape) if i not in axes]


@cache
def _nowhere() -> ir.Location:
    """Location of type errors; `tensor` is also called when no location is current."""
    return ir.Location.unknown(context())


def shape_text(shape: Sequence[int]) -> str:
    """`[2, 3]`: a shape as messages print it."""
    return f"[{', '.join(map(str, shape))}]"


def is_array(type_: ir.Type) -> bool:
    """Whether a type is an anvl array: static shape and supported dtype."""
    return why_no_array(type_) is None


def why_no_array(type_: Any) -> str | None:
    """Reason why a type is not an anvl array; None if it is."""
    if not isinstance(type_, ir.RankedTensorType):
        return f"{type_} is not a tensor"
    if not type_.has_static_shape:
        return f"{type_} has no static shape"
    if kind(type_.element_type) == "other":
        return f"{type_} has an element type other than {', '.join(DTYPES)}"
    return None
