"""Buffers, the memory of arrays: filled from the host, and copied on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anvl.runtime.client import Placement
from anvl.runtime.execution.out_of_memory import failure, try_once_more
from anvl.runtime.lazy import compat
from anvl.runtime.sharding.shards import assembled, shard_buffers, spread
from anvl.runtime.types import ArrayType, check_fits_memory


def send(value: np.ndarray[Any, Any], aval: ArrayType, semantics: Any) -> Any:
    """Transfer values, of matching shape and dtype, into a buffer of type `aval`."""
    place = aval.placement
    check_fits_memory("put", aval)
    if not is_single(place):
        return spread(value, aval, lambda part, of: send(part, of, semantics))
    if value.dtype is _BOOL:
        value = _as_bits(value)
    sharding, devices = place.sharding_of(value.ndim), place.handles
    try:
        return compat.device_put(aval, sharding, [value], devices, semantics)
    except compat.Failure as error:
        return _fill_once_more(
            error,
            lambda: compat.device_put(aval, sharding, [value], devices, semantics),
            f"put: {aval}",
        )


_BOOL = np.dtype(np.bool_)


def _as_bits(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Bools whose bytes are 0 and 1: to NumPy any other byte is true, as in a mask of 0 and 255
    that was viewed as bools, and XLA computes with the byte."""
    found = value.view(np.uint8)
    return found != 0 if found.max(initial=0) > 1 else value


def copied_buffer(buffer: Any, aval: ArrayType) -> Any:
    """Copy a live buffer of one device to the device of `aval`, of the same client."""
    place = aval.placement
    sharding, devices = place.sharding_of(len(aval.shape)), place.handles
    try:
        return compat.device_copy(aval, sharding, buffer, devices)
    except compat.Failure as error:
        return _fill_once_more(
            error,
            lambda: compat.device_copy(aval, sharding, buffer, devices),
            f"copy: {aval}",
        )


def copied_shards(buffer: Any, source: ArrayType, target: ArrayType) -> Any:
    """Copy a live buffer of several devices, each shard on its device, as one of the same cut."""
    shards = shard_buffers(buffer, source)
    return assembled(target, [copied_buffer(shard, shard.aval) for shard in shards])


def _fill_once_more(error: BaseException, fill: Callable[[], Any], what: str) -> Any:
    try:
        return try_once_more(error, fill)
    except compat.Failure as last:
        raise failure(what, last) from last


def is_single(place: Placement) -> bool:
    """Whether an array that is there is on one device, and whole."""
    return type(place) is Placement
