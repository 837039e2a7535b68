"""Buffers, the memory of arrays: filled from the host, and copied on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anvl.runtime.client import Placement
from anvl.runtime.execution.out_of_memory import failure, try_once_more
from anvl.runtime.lazy import compat
from anvl.runtime.types import ArrayType, check_fits_memory


def send(value: np.ndarray[Any, Any], aval: ArrayType, semantics: Any) -> Any:
    """Transfer values, of matching shape and dtype, into a buffer of type `aval`."""
    place = aval.placement
    check_fits_memory("put", aval)
    shards = [value] if len(place.handles) == 1 else _shards(value, place)
    try:
        return compat.device_put(aval, place.sharding, shards, place.handles, semantics)
    except compat.Failure as error:
        return _fill_once_more(
            error,
            lambda: compat.device_put(aval, place.sharding, shards, place.handles, semantics),
            f"put: {aval}",
        )


def _shards(value: np.ndarray[Any, Any], place: Placement) -> list[np.ndarray[Any, Any]]:
    """One shard per device, in row-major order of the tiles."""
    if place.tiles is None:
        return [value] * len(place.handles)
    pieces = [value]
    for axis, parts in enumerate(place.tiles):
        pieces = [part for piece in pieces for part in np.split(piece, parts, axis)]
    return pieces


def copied_buffer(buffer: Any, aval: ArrayType) -> Any:
    """Copy a live buffer of one device to the device of `aval`, of the same client."""
    place = aval.placement
    try:
        return compat.device_copy(aval, place.sharding, buffer, place.handles)
    except compat.Failure as error:
        return _fill_once_more(
            error,
            lambda: compat.device_copy(aval, place.sharding, buffer, place.handles),
            f"copy: {aval}",
        )


def _fill_once_more(error: BaseException, fill: Callable[[], Any], what: str) -> Any:
    try:
        return try_once_more(error, fill)
    except compat.Failure as last:
        raise failure(what, last) from last


def is_single(*places: Placement) -> bool:
    """Whether every placement is a single device."""
    return all(len(place.handles) == 1 for place in places)
