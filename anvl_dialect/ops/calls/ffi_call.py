"""Calls of user-defined handlers, for `lower` rules and for `anvl.ffi`.

XLA's typed FFI: the handler receives the operands, and attributes by name.
Source: StableHLO specification, `custom_call` with `api_version` 4 and a dictionary as
`backend_config`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int32
from anvl.dialect.core.types import dtype_name, element_type, tensor
from anvl.dialect.ops.calls.custom_call import TYPED_FFI

__all__ = ["attributes_of", "foreign_call", "foreign_params"]

_BATCHING = ("loop", "broadcast")
_FLOATS = ("f32", "f64")
#: Dtypes that XLA can pass to a handler as an attribute.
_DTYPES = (*_FLOATS, "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
_MOST_ELEMENTS = 1024


def foreign_call(
    target: str,
    types: Sequence[ir.Type],
    *xs: Value,
    batch: str = "loop",
    has_side_effect: bool = False,
    **attributes: Any,
) -> tuple[Value, ...]:
    """Emit a call of the handler registered as `target`, with results of `types`.

    The parameters are those of `anvl.ffi.call`.

    Parameters
    ----------
    target : str
        The name that the handler was registered under.
    types : sequence of ir.Type
    *xs : ir.Value
    batch : {"loop", "expand", "none"}
        As of `anvl.ffi.call`.
    has_side_effect : bool
    **attributes : values that the handler gets by name

    Returns
    -------
    Tuple of ir.Value, of these types
    """
    params = foreign_params(target, types, batch, has_side_effect, attributes)
    return emit.custom_call(*xs, **params)


def foreign_params(
    target: str,
    types: Sequence[ir.Type],
    batch: str,
    has_side_effect: bool,
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    """Validate a call and return the parameters of its `custom_call`.

    Raises `TypeError` or `ValueError` for an invalid target, attribute or batching.
    """
    if not isinstance(target, str):
        raise TypeError(f"ffi.call: target is {target!r}; it must be the name of a handler")
    if not target:
        raise ValueError("ffi.call: target is empty; give the name of a registered handler")
    if batch not in _BATCHING:
        raise ValueError(f"ffi.call: batch is {batch!r}, it must be one of {', '.join(_BATCHING)}")
    if not isinstance(has_side_effect, bool):
        raise TypeError(f"ffi.call: has_side_effect is {has_side_effect!r}; it is True or False")
    params = {
        "call_target_name": target,
        "result_types": tuple(types),
        "has_side_effect": has_side_effect,
        "backend_config": attributes_of(target, attributes),
        "api_version": Int32.encode(TYPED_FFI),
    }
    return params if batch == "loop" else params | {"batching": batch}


def attributes_of(target: str, attributes: Mapping[str, Any]) -> ir.Attribute:
    """Encode Python values as the dictionary attribute that a handler receives."""
    with context():
        encoded = {k: _attribute(f"ffi.call: {target}: {k}", v) for k, v in attributes.items()}
        return ir.DictAttr.get(encoded)


def _attribute(what: str, value: Any) -> ir.Attribute:
    """Encode one value: a number, a text, a tuple or 1-D array of numbers, or a dictionary."""
    match value:
        case bool() | np.bool_():
            return ir.BoolAttr.get(bool(value))
        case str():
            return ir.StringAttr.get(value)
        case np.number():
            return _number(what, value.item(), _dtype_of(value))
        case int():
            return _number(what, value, "i64")
        case float():
            return _number(what, value, "f64")
        case dict():
            inner = {str(k): _attribute(f"{what}[{k!r}]", v) for k, v in value.items()}
            return ir.DictAttr.get(inner)
        case tuple() | list() | np.ndarray():
            return _array(what, value)
    raise TypeError(
        f"{what} is {value!r} of type {type(value).__name__}; an attribute is a number, a text, a "
        "tuple or one-dimensional array of numbers, or a dictionary of these"
    )


def _dtype_of(value: "np.generic") -> str:
    try:
        return dtype_name(value.dtype)
    except TypeError:
        return str(value.dtype)


def _number(what: str, value: Any, dtype: str) -> ir.Attribute:
    if dtype not in _DTYPES:
        raise TypeError(f"{what} is {value!r} of dtype {dtype}; XLA takes {', '.join(_DTYPES)}")
    element = element_type(dtype)
    if dtype in _FLOATS:
        return ir.FloatAttr.get(element, value, ir.Location.unknown(context()))
    if dtype == "i64":
        _check_fits(what, [value])
    return ir.Attribute.parse(f"{value} : {element}")


def _check_fits(what: str, values: Sequence[int]) -> None:
    for value in values:
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{what} is {value}, which does not fit i64")


def _array(what: str, value: Any) -> ir.Attribute:
    """Encode as `dense<...>`: StableHLO's artifacts have no `array<f64: ...>`."""
    if isinstance(value, tuple | list) and all(type(x) is int for x in value):
        _check_fits(what, value)
        value = np.array(value, np.int64)
    try:
        array = np.asarray(value)
        dtype = dtype_name(array.dtype)
    except (TypeError, ValueError):
        dtype = ""
    if dtype not in _DTYPES or array.ndim != 1:
        raise TypeError(
            f"{what} is {value!r}; an attribute that is an array has one dimension and elements of "
            f"{', '.join(_DTYPES)}"
        )
    if array.size > _MOST_ELEMENTS:
        raise ValueError(
            f"{what} has {array.size} elements, and an attribute lives as long as the process; "
            "pass it as an operand"
        )
    if array.size == 0:
        return ir.Attribute.parse(f"dense<> : {tensor((0,), element_type(dtype))}")
    native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    return ir.DenseElementsAttr.get(native, signless=dtype[0] != "u")
