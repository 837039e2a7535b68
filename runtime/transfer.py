"""Values of the host to a device, and arrays from one device to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.runtime.array import Array, make_array
from anvl.runtime.buffers import copied_buffer, copied_shards, is_single, send
from anvl.runtime.client import EMBEDDED, Placement, check_placement, check_process
from anvl.runtime.execution import inline_runs
from anvl.runtime.lazy import compat
from anvl.runtime.plugins.default_device import default_placement
from anvl.runtime.sharding.placements import ShardedPlacement, is_same_cut
from anvl.runtime.sharding.resharding import can_reshard, resharded
from anvl.runtime.sharding.shards import assembled, reader_of, shard_type
from anvl.runtime.types import ArrayType, array_type, check_fits_memory, device_dtype, interned


def put(
    x: Any, placement: Placement | None = None, *, weak_type: bool = False, copy: bool = True
) -> Array:
    """Put values on a device, with their own dtype: float64 stays float64.

    Parameters
    ----------
    x
        A numpy array (any memory layout or byte order), a number, an `Array`, or an object with
        `__array__` or `__dlpack__` on the CPU.
    placement
        Where to, a device or several; the default device, or for an `Array` where it already is,
        if None.
    weak_type
        Whether the result gives way to the dtype of other arrays.
    copy
        False lets the array share the memory of `x` where its alignment allows.  Then `x` must
        not be written to any more.

    Returns
    -------
    Array
        Of the shape and dtype of `x`.

    Raises
    ------
    TypeError
        `x` is no array of numbers: strings, dates, objects, masked arrays.  `placement` is none.
    OutOfMemory
        `x` is larger than the memory of the machine.
    RuntimeFailure
        `x` is an `Array` that was deleted, or the device refused.

    Examples
    --------
    >>> import numpy as np
    >>> import anvl.runtime as rt
    >>> rt.put(np.arange(4).reshape(2, 2).T)
    Array([[0, 2],
           [1, 3]], dtype=int64)
    """
    check_process("put")
    if type(x) is Array:
        return _put_array(x, placement, weak_type)
    place = default_placement() if placement is None else placement
    value = x if type(x) is np.ndarray else _host_value(x)
    # A dtype in another byte order is not found here, and is converted below.
    aval = interned.get((value.shape, value.dtype, place, weak_type))
    if aval is None:
        check_placement(place, "put")
        value, aval = _native(value, place, weak_type)
    return make_array(aval, send(value, aval, compat.COPY if copy else compat.ZERO_COPY))


def placement_of(xs: Sequence[Any]) -> Placement | None:
    """Where numbers go beside these: on the devices of the first array over several, or of the
    first one; None if there is no array."""
    first: Placement | None = None
    for x in xs:
        if type(x) is Array:
            place = x.aval.placement.whole
            if isinstance(place, ShardedPlacement):
                return place
            first = first or place
    return first


def put_parts(
    shape: Sequence[int],
    dtype: Any,
    placement: Placement,
    part: Callable[[tuple[slice, ...]], np.ndarray[Any, Any]],
    *,
    weak_type: bool = False,
) -> Array:
    """Put an array of which each device of this process gets its part.

    Parameters
    ----------
    shape, dtype
        Of the whole array.
    placement
        Where to.
    part
        Gives the values, of this dtype, at a place in the array: once for devices with copies.

    Examples
    --------
    >>> import numpy as np
    >>> import anvl.runtime as rt
    >>> place = rt.sharded_placement(rt.cpu_client(2).devices, (2,))
    >>> rt.put_parts((4,), "int32", place, lambda at: np.full(2, at[0].start, "int32")).tolist()
    [0, 0, 2, 2]
    """
    check_process("put_parts")
    aval = array_type(shape, device_dtype(dtype, "put_parts"), placement, weak_type)
    check_fits_memory("put", aval)
    if not isinstance(placement, ShardedPlacement):
        value = part(tuple(slice(0, n) for n in aval.shape))
        return make_array(aval, send(value, aval, compat.COPY))
    values: dict[int, np.ndarray[Any, Any]] = {}
    buffers = []
    for i in placement.addressable:
        tile = placement.held[i]
        if tile not in values:
            values[tile] = part(placement.index(i, aval.shape))
        buffers.append(send(values[tile], shard_type(aval, i), compat.COPY))
    return make_array(aval, assembled(aval, buffers))


def _host_value(x: Any) -> np.ndarray[Any, Any]:
    """`x` as a numpy array, if the conversion is lossless."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("put: x is a masked array, its mask would be lost; use x.filled(value)")
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError) as error:
            raise TypeError(
                f"put: cannot read a {type(x).__name__} through dlpack, {error}; "
                f"convert it to a numpy array first"
            ) from error
    return np.asarray(x)


def _native(
    value: np.ndarray[Any, Any], place: Placement, weak_type: bool
) -> tuple[np.ndarray[Any, Any], ArrayType]:
    if value.dtype.kind in "OSUT":
        raise TypeError(
            f"put: x must be an array of numbers, got dtype {value.dtype}; "
            f"convert it with .astype, or pass the leaves of a container one by one"
        )
    dtype = device_dtype(value.dtype, "put")
    aval = array_type(value.shape, dtype, place, weak_type)
    check_fits_memory("put", aval)  # before a copy in another byte order is made
    return value.astype(dtype, copy=False), aval


def _put_array(x: Array, placement: Placement | None, weak_type: bool) -> Array:
    x.check_alive("put")
    source = x.aval
    place = source.placement if placement is None else placement
    check_placement(place, "put")
    aval = array_type(source.shape, source.dtype, place, weak_type)
    if aval is source:
        return x
    if place is source.placement and is_single(place):  # only the weakness differs
        return make_array(aval, aval.handler(x.buffer))
    if place.client is source.placement.client and (
        is_single(place) and is_single(source.placement)
    ):
        return make_array(aval, copied_buffer(x.buffer, aval))
    if is_same_cut(source.placement, place):  # only the label, or the weakness, differs
        return make_array(aval, copied_shards(x.buffer, source, aval))
    return _put_across(x, aval)


def _put_across(x: Array, aval: ArrayType) -> Array:
    """An array of several devices or clients, on others: by a program, or through the host."""
    cut = x.aval.placement
    is_here = cut.is_addressable
    if can_reshard(x.aval, aval) and not (is_here and aval.placement.client.name == EMBEDDED):
        return resharded(x, aval)
    if isinstance(cut, ShardedPlacement) and not is_here and cut.addressable:  # by whole copies
        x = resharded(x, array_type(aval.shape, aval.dtype, cut.whole, aval.weak_type))
    if isinstance(cut, ShardedPlacement) and is_here:  # part by part: never whole on the host
        read = reader_of(x.block_until_ready().buffer, x.aval)
        return put_parts(aval.shape, aval.dtype, aval.placement, read, weak_type=aval.weak_type)
    return make_array(aval, send(x.numpy(), aval, compat.COPY))


def block_until_ready(arrays: Sequence[Array]) -> None:
    """Wait until arrays are computed: the errors are those of the method.

    Examples
    --------
    >>> import numpy as np
    >>> import anvl.runtime as rt
    >>> rt.block_until_ready([rt.put(np.ones(2)), rt.put(np.zeros(3))])
    """
    if len(arrays) > 1 and not any(x.aval.placement.spans_processes for x in arrays):
        check_process("block_until_ready")
        try:
            if inline_runs.last is not None:
                inline_runs.wait(arrays[0].buffer)
            return compat.block_until_ready([x.buffer for x in arrays])
        except compat.Failure:  # of which array, is found below
            pass
    for x in arrays:
        x.block_until_ready()
