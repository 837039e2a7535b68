"""Shards: values cut for the devices of a placement, and read back from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anvl.runtime.client import Device
from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.lazy import compat
from anvl.runtime.sharding.placements import ShardedPlacement
from anvl.runtime.types import ArrayType, array_type

__all__ = ["Shard", "assembled", "gathered", "reader_of", "shard_buffers", "shard_type", "spread"]


@dataclass(frozen=True, slots=True)
class Shard:
    """The part of an array that one device holds.

    Attributes
    ----------
    device : Device
    index : tuple of slice
        Where it is in the array.
    replica : int
        Its number among the copies of the same part, on other devices.
    data : Array
        Its values, on the device.

    Examples
    --------
    >>> import numpy as np
    >>> import anvl.runtime as rt
    >>> place = rt.sharded_placement(rt.cpu_client(2).devices, (1, 2))
    >>> shard = rt.put(np.eye(2), place).addressable_shards[1]
    >>> shard.device, shard.index, shard.data.tolist()
    (<CpuDevice(id=1)>, (slice(0, 2, None), slice(1, 2, None)), [[0.0], [1.0]])
    """

    device: Device
    index: tuple[slice, ...]
    replica: int
    data: Any


def shard_type(of: ArrayType, position: int) -> ArrayType:
    """The type of the shard of a device, as an array of that device alone."""
    place = of.placement
    assert isinstance(place, ShardedPlacement)
    shape = place.shard_shape(of.shape)
    return array_type(shape, of.dtype, place.devices[position].placement, of.weak_type)


def assembled(of: ArrayType, buffers: Sequence[Any]) -> Any:
    """The buffer of an array whose shards these are, one for each addressable device in order.

    Each must be of its `shard_type`: the library below does not look.
    """
    return of.handler(list(buffers))


def spread(
    value: np.ndarray[Any, Any], of: ArrayType, send: Callable[[Any, ArrayType], Any]
) -> Any:
    """The buffer of an array with these values; `send` fills the buffer of one device.

    Shard by shard: with several at once, jaxlib 0.10.2 fails where two devices get the same memory.
    """
    place = of.placement
    assert isinstance(place, ShardedPlacement)
    return assembled(
        of,
        [send(value[place.index(i, of.shape)], shard_type(of, i)) for i in place.addressable],
    )


def shard_buffers(buffer: Any, of: ArrayType) -> list[Any]:
    """Buffers of one device each, for the addressable devices in order; they share its memory."""
    place = of.placement
    assert isinstance(place, ShardedPlacement)
    if len(place.devices) == 1:
        return [shard_type(of, 0).handler(buffer)]
    shards = compat.shards_of(buffer)
    return [
        shard_type(of, i).handler(shard) for i, shard in zip(place.addressable, shards, strict=True)
    ]


def gathered(buffer: Any, of: ArrayType, function: str) -> np.ndarray[Any, Any]:
    """The values of an array over several devices, as a read-only NumPy array."""
    place = of.placement
    assert isinstance(place, ShardedPlacement)
    if not place.is_addressable:
        raise RuntimeFailure(
            f"{function}: {of} over {place} has shards on devices of other processes, which cannot "
            "be read here; read x.addressable_shards, or make a copy on each device first: "
            "anvl.device_put(x, Sharding(mesh, ()))"
        )
    value = reader_of(buffer, of)(tuple(slice(0, n) for n in of.shape))
    value.flags.writeable = False
    return value


def reader_of(buffer: Any, of: ArrayType) -> Callable[[tuple[slice, ...]], np.ndarray[Any, Any]]:
    """A function that reads a box of an array whose parts are all here.

    What lies in one part is a view of it, where the device's memory is the host's.
    """
    place = of.placement
    assert isinstance(place, ShardedPlacement)
    shards = dict(zip(place.addressable, shard_buffers(buffer, of), strict=True))
    holders = {place.held[i]: i for i in reversed(place.addressable)}  # the first of each tile
    parts = [
        (place.index(i, of.shape), compat.buffer_to_numpy(shards[i])[0]) for i in holders.values()
    ]
    if not of.shape:  # an index without dimensions gives a scalar
        return lambda _: parts[0][1]

    def read(box: tuple[slice, ...]) -> np.ndarray[Any, Any]:
        shape = tuple(cut.stop - cut.start for cut in box)
        found: np.ndarray[Any, Any] | None = None
        for at, part in parts:
            pairs = zip(at, box, strict=True)
            common = [(max(a.start, b.start), min(a.stop, b.stop)) for a, b in pairs]
            if any(start >= stop for start, stop in common):
                continue
            values = part[_within(at, common)]
            if values.shape == shape:
                return values
            if found is None:
                found = np.empty(shape, of.dtype)
            found[_within(box, common)] = values
        return np.empty(shape, of.dtype) if found is None else found

    return read


def _within(box: tuple[slice, ...], common: Sequence[tuple[int, int]]) -> tuple[slice, ...]:
    """A box inside of another one, as slices of that one."""
    return tuple(
        slice(start - cut.start, stop - cut.start)
        for cut, (start, stop) in zip(box, common, strict=True)
    )
