"""`one_hot`; public in `anvl.nn`."""

from __future__ import annotations

from typing import Any

from anvl import numpy as anp
from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import as_tracer, constant, convert
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.numpy.functions.emitting import is_kind

__all__ = ["one_hot"]


@public("num_classes", "dtype", "axis")
def one_hot(x: Any, num_classes: int, *, dtype: Any = None, axis: int = -1) -> Any:
    """1 at the index that an element of x is, 0 at the others of `num_classes`.

    x are integers; indices out of range give zeros.  The new axis is `axis` of the result, whose
    dtype is the default of floats unless `dtype` is given.  Raises `TypeError` for other numbers
    than integers, `ValueError` for a missing axis or a negative number of classes.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.one_hot(np.asarray([0, 2, 3]), 3))
    [[1. 0. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    operand = as_tracer(x, "one_hot")
    if not is_kind(operand, "int", "uint", "bool"):
        raise TypeError(f"one_hot: x is {operand.aval}; indices must be integers")
    count = int_of(num_classes, "num_classes", "one_hot", least=0)
    wanted = default_dtype(float) if dtype is None else as_dtype(dtype)
    at = axis_of(axis, operand.ndim + 1, "one_hot")
    if is_kind(operand, "bool"):
        operand = convert(operand, default_dtype(int))
    # Classes that the dtype of x cannot be are never hot.
    indices = _signed(operand, count)
    classes = anp.arange(count, dtype=indices.dtype)
    shape = (1,) * at + (count,) + (1,) * (operand.ndim - at)
    found = anp.equal(anp.reshape(classes, shape), anp.expand_dims(indices, at))
    return convert(found, wanted)


def _signed(x: Any, count: int) -> Any:
    """Integers as i32, or i64 if it takes that; those that it does not hold are no index."""
    bits, is_unsigned = 8 * x.dtype.itemsize, is_kind(x, "uint")
    if bits + is_unsigned <= 32 and count < 2**31:
        return convert(x, anp.dtype("int32"))
    if bits == 64 and is_unsigned:
        is_large = anp.greater(x, constant(2**63 - 1, x.dtype))
        x = anp.where(is_large, constant(2**63 - 1, x.dtype), x)
    return convert(x, anp.dtype("int64"))
