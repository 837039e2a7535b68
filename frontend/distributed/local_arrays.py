"""Arrays over several processes, from the part that each of them has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.core.importing import load_operators
from anvl.dialect.core.errors import ShardingError
from anvl.runtime import Array, ShardedPlacement, hiding_frames, put_parts
from anvl.sharding import Sharding

__all__ = ["make_array_from_local"]


@hiding_frames
def make_array_from_local(sharding: Sharding, local: Any) -> Array:
    """Make an array from the part that this process has of it, such as its share of a batch.

    Every process calls it with its own part.  Of a dimension that is cut over the processes, a
    part has what lies on the devices of its process; of others it has all.

    Parameters
    ----------
    sharding : Sharding
        The place of the whole array, over the devices of all processes.
    local : array
        Of any shape that divides over the devices of this process; the same in all of them.

    Returns
    -------
    Array
        In a dimension that k of the processes share, k times as large as `local`.

    Raises
    ------
    TypeError
        `sharding` is no Sharding.
    ShardingError
        The part does not divide, or the devices of this process have no part in one piece; or none.

    Examples
    --------
    >>> import numpy, anvl
    >>> from anvl.sharding import Mesh, P, Sharding
    >>> rows = Sharding(Mesh({"data": 1}), P("data"))
    >>> anvl.distributed.make_array_from_local(rows, numpy.ones((4, 2))).shape
    (4, 2)
    """
    if not isinstance(sharding, Sharding):
        raise TypeError(
            f"make_array_from_local: sharding must be a Sharding, got {sharding!r} of type "
            f"{type(sharding).__name__}"
        )
    load_operators()  # `anvl.distributed` may be all of anvl that was imported
    values = np.asarray(local)
    place = sharding.placement
    here = _tiles_here(sharding, place)
    sizes = _tile_sizes(values.shape, here, sharding)
    cut = [size * n for size, n in zip(sizes, place.tiles, strict=True)]

    def part(index: tuple[slice, ...]) -> np.ndarray[Any, Any]:
        cuts = list(index)
        for axis, (tiles, size) in enumerate(zip(here, sizes, strict=True)):
            at = tiles.index(index[axis].start // size if size else 0) * size
            cuts[axis] = slice(at, at + size)
        return np.ascontiguousarray(values[tuple(cuts)])

    return put_parts((*cut, *values.shape[len(cut) :]), values.dtype, place, part)


def _tile_sizes(shape: Sequence[int], here: list[list[int]], sharding: Sharding) -> list[int]:
    """The size of a tile in each dimension that is cut, by the shape of the part."""
    if len(shape) < len(here):
        raise ShardingError(
            f"make_array_from_local: the part has {len(shape)} dimensions, and {sharding!r} cuts "
            f"{len(here)}; give a part of as many dimensions as the whole array has"
        )
    for axis, tiles in enumerate(here):
        if shape[axis] % len(tiles):
            raise ShardingError(
                f"make_array_from_local: dimension {axis} of the part has size {shape[axis]}, and "
                f"by {sharding!r} the devices of this process cut it into {len(tiles)}; give a "
                "size that divides"
            )
    return [n // len(tiles) for n, tiles in zip(shape, here, strict=False)]


def _tiles_here(sharding: Sharding, place: ShardedPlacement) -> list[list[int]]:
    """For each dimension that is cut, the numbers of its tiles on the devices of this process."""
    held = {place.held[i] for i in place.addressable}
    if not held:
        raise ShardingError(
            f"make_array_from_local: {sharding!r} has no device of this process; make a mesh over "
            "the devices of all, Mesh({...})"
        )
    places = [np.unravel_index(tile, place.tiles) for tile in held]
    found = [sorted({int(at[axis]) for at in places}) for axis in range(len(place.tiles))]
    if len(held) != np.prod([len(tiles) for tiles in found], dtype=int):
        raise ShardingError(
            f"make_array_from_local: by {sharding!r} the devices of this process hold tiles that "
            "are no box together; order the devices of the mesh by process"
        )
    return found
