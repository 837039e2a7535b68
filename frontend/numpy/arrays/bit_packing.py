"""Bits packed into bytes: NumPy's names.  Source: NumPy's manual, "Bit-wise operations"."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.core.promote import constant, convert
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.numpy.arrays.shaping import broadcast_to, moveaxis, ravel, reshape
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.elementwise import (
    astype,
    bitwise_and,
    bitwise_left_shift,
    bitwise_right_shift,
)
from anvl.numpy.functions.emitting import is_kind
from anvl.numpy.functions.reductions import sum

__all__ = ["packbits", "unpackbits"]

_UI8 = np.dtype(np.uint8)


def _shifts(name: str, bitorder: Any) -> np.ndarray[Any, Any]:
    """The place of each of eight bits in a byte."""
    if bitorder not in ("big", "little"):
        raise ValueError(f"{name}: bitorder {bitorder!r} is neither 'big' nor 'little'")
    places = np.arange(8, dtype=np.uint8)
    return places[::-1].copy() if bitorder == "big" else places


def _bits_last(name: str, x: Any, axis: int | None) -> tuple[Tracer, int]:
    """The operand with the axis of bits last, and where that was; flat if it is None."""
    operand = array_like(x, name)
    if axis is None:
        return ravel(operand), 0
    along = axis_of(axis, operand.ndim, name)
    return moveaxis(operand, along, -1), along


@public("axis", "bitorder")
def packbits(x: Any, axis: int | None = None, bitorder: str = "big") -> Any:
    """Pack bits into bytes, along an axis; of flat x for None.

    Parameters
    ----------
    x : array of integers or bools
        A bit is set where it is not 0.  Zeros are added to a number of bits that 8 does not divide.
    axis : int, optional
    bitorder : {"big", "little"}
        Whether the first bit of eight is the highest, or the lowest.

    Returns
    -------
    An array of uint8.

    Raises
    ------
    TypeError
        x holds other than integers or bools.
    ValueError
        Another order.

    Notes
    -----
    Source: `numpy.packbits`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.packbits(np.asarray([1, 0, 1, 0, 0, 0, 0, 1, 1])))
    [161 128]
    """
    shifts = _shifts("packbits", bitorder)
    operand, along = _bits_last("packbits", x, axis)
    if not is_kind(operand, "int", "uint", "bool"):
        raise TypeError(f"packbits: takes integers or bools, got {operand.aval}")
    bits = convert(astype(operand, "bool"), _UI8)
    missing = -bits.shape[-1] % 8
    if missing:
        bits = concatenate([bits, constant(0, _UI8, (*bits.shape[:-1], missing))], -1)
    rows = reshape(bits, (*bits.shape[:-1], bits.shape[-1] // 8, 8))
    packed = sum(bitwise_left_shift(rows, shifts), axis=-1, dtype=_UI8)
    return moveaxis(packed, -1, along) if axis is not None else packed


@public("axis", "count", "bitorder")
def unpackbits(
    x: Any, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Any:
    """Unpack bytes into bits, along an axis; of flat x for None.

    Parameters
    ----------
    x : array of uint8
    axis : int, optional
    count : int, optional
        How many bits to keep: fewer from the front, more with zeros behind, all but the last ones
        for a negative number.
    bitorder : {"big", "little"}
        Whether the first bit is the highest, or the lowest.

    Returns
    -------
    An array of uint8, of zeros and ones.

    Raises
    ------
    TypeError
        x holds other than uint8.
    ValueError
        Another order.

    Notes
    -----
    Source: `numpy.unpackbits`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.unpackbits(np.asarray([161], "uint8")))
    [1 0 1 0 0 0 0 1]
    """
    shifts = _shifts("unpackbits", bitorder)
    operand, along = _bits_last("unpackbits", x, axis)
    if operand.dtype != _UI8:
        raise TypeError(f"unpackbits: takes uint8, got {operand.aval}")
    wide = broadcast_to(reshape(operand, (*operand.shape, 1)), (*operand.shape, 8))
    bits = bitwise_and(bitwise_right_shift(wide, shifts), 1)
    flat = reshape(bits, (*operand.shape[:-1], operand.shape[-1] * 8))
    if count is not None:
        flat = _of_count(flat, int_of(count, "count", "unpackbits"))
    return moveaxis(flat, -1, along) if axis is not None else flat


def _of_count(bits: Any, count: int) -> Any:
    """As many bits along the last axis."""
    size = bits.shape[-1]
    if count < -size:
        raise ValueError(f"unpackbits: count {count} leaves out more than all {size} bits")
    if count <= size:
        return bits[..., :count]
    more = constant(0, _UI8, (*bits.shape[:-1], count - size))
    return concatenate([bits, more], -1)
