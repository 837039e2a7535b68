"""`ShardedPlacement`: an array over several devices, as tiles that each device has one of.

Note [Tiles]

A placement says which tile of an array each device holds.  The tiles are numbered in row-major
order; devices with the same tile hold copies of it.  That is all that XLA's partitioner can say of
an argument or a result.  What a person calls it, a mesh with named axes and a spec, is a label
that the runtime does not look into: a placement with another label is another one, as it is part
of the types of arrays, which are the keys of all programs.

Devices may belong to other processes: the shards that this process can read are those of its
`addressable` devices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias

from anvl.runtime.client import Device, Placement
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock

__all__ = [
    "Placing", "ShardedPlacement", "Tiling", "is_same_cut", "named_by", "sharded_placement",
    "tiling_of",
]  # fmt: skip


class Tiling(NamedTuple):
    """How an array is cut.

    Attributes
    ----------
    tiles : tuple of int
        The number of parts of each of its first axes; the last number is not 1.
    held : tuple of int
        For each device the tile that it holds.
    """

    tiles: tuple[int, ...]
    held: tuple[int, ...]

    @classmethod
    def of(cls, tiles: Sequence[int], held: Sequence[int]) -> Tiling:
        """The tiling without trailing axes that are not cut."""
        cut = [i for i, n in enumerate(tiles, 1) if n != 1]
        return cls(tuple(tiles[: cut[-1]] if cut else ()), tuple(held))


#: Finds the placement of a result, from its tiling.
Placing: TypeAlias = Callable[[Tiling], "ShardedPlacement"]


class ShardedPlacement(Placement):
    """Placement of arrays over several devices; made by `sharded_placement` only.

    Attributes
    ----------
    devices
        The devices, in the order in which programs number them.
    tiles, held
        See `Tiling`.
    label
        What the caller calls it, such as a mesh and a spec; any hashable value.
    addressable
        The positions of the devices of this process.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.sharded_placement(rt.cpu_client(4).devices, (2,), (0, 0, 1, 1))
    <4 devices; tiles (2,), of which they hold 0, 0, 1, 1>
    """

    __slots__ = ("_by_rank", "_whole", "addressable", "held", "label", "tiles")

    tiles: tuple[int, ...]
    held: tuple[int, ...]

    def __init__(self, devices: tuple[Device, ...], tiling: Tiling, label: Hashable) -> None:
        super().__init__(devices)
        self.tiles, self.held = tiling
        self.label: Any = label
        self.addressable: tuple[int, ...] = tuple(
            i for i, device in enumerate(devices) if device.is_addressable
        )
        self.spans_processes: bool = len(self.addressable) < len(devices)
        self._by_rank: dict[int, Any] = {}
        self._whole: ShardedPlacement | None = None

    def __repr__(self) -> str:
        if self.label is not None:
            return repr(self.label)
        n = len(self.devices)
        if not self.tiles:
            return f"<{n} devices; a copy on each>"
        return f"<{n} devices; tiles {self.tiles}, of which they hold {_listed(self.held)}>"

    @property
    def whole(self) -> ShardedPlacement:
        """The placement of numbers beside such arrays: a copy on each device.

        Its label is the attribute `whole` of this one's, if there is one.
        """
        if self._whole is None:
            label = getattr(self.label, "whole", None)
            self._whole = sharded_placement(self.devices, (), (0,) * len(self.devices), label)
        return self._whole

    @property
    def is_addressable(self) -> bool:
        """Whether the devices of this process hold every tile."""
        return len({self.held[i] for i in self.addressable}) == math.prod(self.tiles)

    def sharding_of(self, rank: int) -> Any:
        """The sharding of arrays with so many axes, as the library below takes it."""
        found = self._by_rank.get(rank)
        if found is None:
            made = compat.GSPMDSharding(self.device_list, self._hlo_sharding(rank))
            found = self._by_rank.setdefault(rank, made)
        return found

    def _hlo_sharding(self, rank: int) -> Any:
        n_tiles, n_devices = math.prod(self.tiles), len(self.devices)
        if n_tiles == 1:
            return compat.HloSharding.replicate()
        copies = n_devices // n_tiles
        proto = compat.OpSharding()
        proto.type = compat.OpSharding.Type.OTHER
        dims = [*self.tiles, *[1] * (rank - len(self.tiles))]
        proto.tile_assignment_dimensions = [*dims, copies] if copies > 1 else dims
        proto.replicate_on_last_tile_dim = copies > 1
        proto.tile_assignment_devices = sorted(range(n_devices), key=self.held.__getitem__)
        return compat.HloSharding.from_proto(proto)

    def problem(self, shape: Sequence[int]) -> str | None:
        """Why arrays of this shape cannot be cut so; None if they can."""
        if len(shape) < len(self.tiles):
            return f"shape {tuple(shape)} has fewer axes than tiles {self.tiles}"
        if any(n % k for n, k in zip(shape, self.tiles, strict=False)):
            return f"shape {tuple(shape)} cannot be split evenly by tiles {self.tiles}"
        return None

    def shard_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of each shard of an array of this shape."""
        tiles = (*self.tiles, *[1] * (len(shape) - len(self.tiles)))
        return tuple(n // k for n, k in zip(shape, tiles, strict=True))

    def index(self, position: int, shape: Sequence[int]) -> tuple[slice, ...]:
        """Where the shard of the device at a position is in an array of this shape."""
        tile, place = self.held[position], []
        for n in reversed(self.tiles):
            tile, at = divmod(tile, n)
            place.append(at)
        sizes = self.shard_shape(shape)
        cut = [
            slice(at * size, (at + 1) * size)
            for at, size in zip(reversed(place), sizes, strict=False)
        ]
        return (*cut, *(slice(0, n) for n in shape[len(cut) :]))


# Interned, as types are: programs compare placements by identity.
_known: dict[Any, ShardedPlacement] = {}
_lock = fresh_lock()


def sharded_placement(
    devices: Sequence[Device],
    tiles: Sequence[int] = (),
    held: Sequence[int] | None = None,
    label: Hashable = None,
) -> ShardedPlacement:
    """The one placement with these properties.

    Parameters
    ----------
    devices
        Devices of one client, in the order in which programs number them.
    tiles
        The number of parts of each axis; axes that are not named are not cut.
    held
        For each device the tile that it holds, in row-major order; if None, device i holds tile i.
    label
        What messages call it; part of its identity.

    Raises
    ------
    ValueError
        No devices, one twice, devices of several clients, or tiles that they do not hold.

    Examples
    --------
    >>> import numpy as np
    >>> import anvl.runtime as rt
    >>> place = rt.sharded_placement(rt.cpu_client(2).devices, (2,))
    >>> [shard.data.tolist() for shard in rt.put(np.arange(4), place).addressable_shards]
    [[0, 1], [2, 3]]
    """
    devices = tuple(devices)
    n_tiles = math.prod(tiles)
    if held is None:
        held = range(len(devices)) if n_tiles > 1 else (0,) * len(devices)
    tiling = Tiling.of(tiles, held)
    key = devices, tiling, label
    found = _known.get(key)
    if found is not None:
        return found
    _check(devices, tiling)
    made = ShardedPlacement(devices, tiling, label)
    with _lock:
        return _known.setdefault(key, made)


def _check(devices: tuple[Device, ...], tiling: Tiling) -> None:
    if not devices:
        raise ValueError("sharded_placement: no devices given, (); pass at least one of devices()")
    clients = {id(device.client) for device in devices}
    if len(clients) > 1:
        raise ValueError(f"sharded_placement: devices belong to {len(clients)} clients, {devices}")
    if len(set(devices)) < len(devices):
        raise ValueError(f"sharded_placement: a device is named twice, {devices}")
    tiles, held = tiling
    n_tiles = math.prod(tiles)
    counts = [held.count(tile) for tile in range(n_tiles)]
    if len(held) != len(devices) or sum(counts) < len(held) or len(set(counts)) > 1:
        raise ValueError(
            f"sharded_placement: tiles {tiles} make {n_tiles} parts, and {len(devices)} devices "
            f"hold {_listed(held)}; each part must be held, by the same number of devices"
        )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def is_same_cut(one: Placement, other: Placement) -> bool:
    """Whether the same devices hold the same tiles, whatever the labels."""
    if not (isinstance(one, ShardedPlacement) and isinstance(other, ShardedPlacement)):
        return False
    return (one.devices, one.tiles, one.held) == (other.devices, other.tiles, other.held)


# -- shardings of compiled programs ----------------------------------------------------------------


def tiling_of(proto: Any, n_devices: int) -> Tiling | None:
    """The tiling that a compiled program gives an argument or a result; None if it is no tiling."""
    types = compat.OpSharding.Type
    if proto.type == types.REPLICATED:
        return Tiling((), (0,) * n_devices)
    if proto.type != types.OTHER or list(proto.last_tile_dims):
        return None
    sharding = compat.HloSharding.from_proto(proto)
    dims = list(sharding.tile_assignment_dimensions())
    order = list(sharding.tile_assignment_devices())
    copies = dims.pop() if sharding.replicate_on_last_tile_dim() else 1
    held = [0] * n_devices
    for i, device in enumerate(order):
        held[device] = i // copies
    return Tiling.of(dims, held)


def named_by(place: Placement) -> Placing:
    """Placements without a label, on the devices of one."""
    return lambda tiling: sharded_placement(place.devices, *tiling)
