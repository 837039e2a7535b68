"""`Sharding`: how an array lies on a mesh, and `PartitionSpec`, its axes by dimension."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.shardings import OPEN, Spec, check_sharding, drawn, joined
from anvl.runtime import (
    Array,
    Device,
    Placement,
    ShardedPlacement,
    Tiling,
    as_device,
    hiding_frames,
    is_same_cut,
    sharded_placement,
)
from anvl.sharding.meshes import Mesh, mesh_settings

__all__ = [
    "PartitionSpec", "Sharding", "label_of", "mesh_of", "over_default_mesh", "placement_for",
    "placing_on", "sharding_of",
]  # fmt: skip


class PartitionSpec(tuple[Any, ...]):
    """For each dimension of an array the axes of a mesh that it is cut along.

    An entry is None for a dimension that is whole on each device, the name of an axis, or a tuple
    of names, the outermost first.  Dimensions without an entry are whole.  Within `with_sharding`
    `"?"` leaves a dimension to the partitioner.

    Parameters
    ----------
    *entries : None, str or tuple of str
        One for each dimension.

    Examples
    --------
    >>> from anvl.sharding import P
    >>> P("x", None, ("y", "z"))
    P('x', None, ('y', 'z'))
    """

    __slots__ = ()

    #: The entry of a dimension that is left to the partitioner, within `with_sharding`.
    UNCONSTRAINED = OPEN

    def __new__(cls, *entries: Any) -> PartitionSpec:
        return super().__new__(cls, entries)

    def __repr__(self) -> str:
        return f"P({', '.join(map(repr, self))})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


class Sharding:
    """The place of arrays on a mesh: which part of an array each device holds.

    Parameters
    ----------
    mesh : Mesh
    spec : PartitionSpec, tuple, or str
        The axes by dimension; as text, `"x,-,y*z"` stands for `P("x", None, ("y", "z"))`.

    Attributes
    ----------
    mesh : Mesh
    spec : PartitionSpec
        Without entries of None at the end.  An array must have a dimension for each entry that was
        given, also for these.

    Raises
    ------
    ShardingError
        An axis is not in the mesh, or cuts two dimensions.
    TypeError
        An entry is none of None, a name and a tuple of names.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl.sharding import P, Sharding
    >>> rows = Sharding(anvl.Mesh({"x": 1}), P("x"))
    >>> anvl.device_put(np.ones((4, 2)), rows).sharding
    Sharding(Mesh(x=1), P('x'))
    >>> rows.shard_shape((4, 2))
    (4, 2)
    """

    __slots__ = ("__weakref__", "_given", "_hash", "_placement", "mesh", "spec")

    mesh: Mesh
    spec: PartitionSpec

    @hiding_frames
    def __init__(self, mesh: Mesh, spec: Any = ()) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(
                f"Sharding: mesh must be a Mesh, got {mesh!r} of type {type(mesh).__name__}"
            )
        entries = _entries(spec)
        dims: Any = ["any"] * len(entries)
        check_sharding("Sharding", mesh.grid_shape, Spec(entries), dims, even=False)
        self._given = entries
        while entries and not entries[-1]:
            entries = entries[:-1]
        self.mesh = mesh
        self.spec = PartitionSpec(*map(_plain, entries))
        self._hash = hash((mesh, self.spec))
        self._placement: ShardedPlacement | None = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Sharding):
            return NotImplemented
        return self.spec == other.spec and self.mesh == other.mesh

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Sharding({self.mesh!r}, {self.spec!r})"

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices of the mesh."""
        return self.mesh.devices

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each device holds the whole array."""
        return self.placement.tiles == ()

    @property
    def whole(self) -> Sharding:
        """The sharding that puts a copy on each device of the mesh."""
        return self if not self._given else Sharding(self.mesh)

    @property
    def placement(self) -> ShardedPlacement:
        """The place of arrays, for the runtime."""
        if self._placement is None:
            entries = _entries(self.spec)
            # Its label is that of all arrays that lie so, whatever their ranks.
            label = self if len(entries) == len(self._given) else Sharding(self.mesh, self.spec)
            if any(OPEN in entry for entry in entries):
                raise ShardingError(
                    f"sharding: {self!r} leaves a dimension to the partitioner, and is the place "
                    "of no array; name its axes, or use it in with_sharding"
                )
            parts, order, copies = Spec(entries).tiles(self.mesh.grid_shape)
            held = [0] * len(order)
            for i, position in enumerate(order):
                held[position] = i // copies
            self._placement = sharded_placement(self.mesh.devices, parts, held, label)
        return self._placement

    def __reduce__(self) -> tuple[Any, ...]:
        return Sharding, (self.mesh, self._given)

    def of_rank(self, rank: int) -> Spec:
        """The spec with an entry for each of so many dimensions, or more if more were given."""
        entries = self._given
        return Spec((*entries, *((),) * (rank - len(entries))))

    def text(self, rank: int) -> str:
        """Mesh and spec as one text, for an array with so many dimensions."""
        return joined(self.mesh.grid_shape, self.of_rank(rank))

    def check(self, function: str, shape: Sequence[int]) -> None:
        """Refuse arrays that cannot be cut so, into parts of one size: `ShardingError`."""
        check_sharding(function, self.mesh.grid_shape, self.of_rank(len(shape)), shape, even=True)

    def shard_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the part that each device holds of an array of this shape.

        Raises
        ------
        ShardingError
            A dimension does not divide, or there are fewer than the spec has.
        """
        self.check("shard_shape", shape)
        return self.placement.shard_shape(shape)

    def indices(self, shape: Sequence[int]) -> dict[Device, tuple[slice, ...]]:
        """For each device, where its part is in an array of this shape.

        Raises
        ------
        ShardingError
            A dimension does not divide, or there are fewer than the spec has.
        """
        self.check("indices", shape)
        place = self.placement
        return {device: place.index(i, shape) for i, device in enumerate(place.devices)}

    def drawn(self, shape: Sequence[int]) -> str:
        """The mesh, and the dimensions of an array with their cuts, as text."""
        return drawn(self.mesh.grid_shape, self.of_rank(len(shape)), shape)


def _entries(spec: Any) -> tuple[tuple[str, ...], ...]:
    """The entries of a spec as tuples of names."""
    if isinstance(spec, str):
        return Spec.parse(spec).entries
    if not isinstance(spec, tuple | list):
        raise TypeError(
            f"Sharding: spec must be like P('x', None), got {spec!r} of type {type(spec).__name__}"
        )
    return tuple(_entry(entry, spec) for entry in spec)


def _entry(entry: Any, spec: Any) -> tuple[str, ...]:
    names = () if entry is None else (entry,) if isinstance(entry, str) else entry
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"Sharding: {entry!r} in {tuple(spec)} is no entry of a spec; write None, the name of "
            "an axis, or a tuple of names"
        )
    return tuple(names)


def _plain(entry: tuple[str, ...]) -> Any:
    return entry if len(entry) > 1 else entry[0] if entry else None


def over_default_mesh(spec: PartitionSpec, function: str) -> Sharding:
    """The sharding of a spec alone, over the mesh of `with mesh:`.

    Raises
    ------
    TypeError
        There is none.
    ShardingError
        The spec does not fit it.
    """
    mesh = mesh_settings.default_mesh
    if mesh is None:
        raise TypeError(
            f"{function}: {spec!r} of type PartitionSpec has no mesh; give Sharding(mesh, "
            f"{spec!r}), or call it in a block of `with mesh:`"
        )
    return Sharding(mesh, spec)


def placement_for(where: Any, shape: Sequence[int], function: str) -> Placement:
    """The placement on a device, on the one that a text names, or of a sharding.

    Raises
    ------
    TypeError
        `where` is none of these.
    ShardingError
        Arrays of this shape cannot be cut so.
    ValueError
        There is no such device.
    """
    if isinstance(where, Sharding):
        where.check(function, shape)
        return where.placement
    if isinstance(where, PartitionSpec):
        return placement_for(over_default_mesh(where, function), shape, function)
    if isinstance(where, tuple):
        raise TypeError(f"{function}: {where!r} has no mesh; give Sharding(mesh, {where!r})")
    return as_device(where, function).placement


# -- shardings of placements -----------------------------------------------------------------------


def placing_on(mesh: Mesh) -> Callable[[Tiling], ShardedPlacement]:
    """The function that finds the placement on a mesh for a tiling that the partitioner chose."""
    return lambda tiling: _of_tiling(mesh, tiling).placement


def _of_tiling(mesh: Mesh, tiling: Tiling) -> Sharding:
    """The sharding on a mesh, or on one whose axes are split, that has this tiling."""
    wanted = sharded_placement(mesh.devices, *tiling)
    for one in (mesh, _split(mesh)):
        for spec in _specs(tiling.tiles, one.names, one.shape):
            found = Sharding(one, spec)
            if is_same_cut(found.placement, wanted):
                return found
    axes = tuple(f"dim{i}" for i in range(len(tiling.tiles)))
    copies = mesh.size // math.prod(tiling.tiles)
    order = sorted(range(mesh.size), key=tiling.held.__getitem__)
    grid = Mesh(
        (*tiling.tiles, copies), (*axes, "copies"), devices=[mesh.devices[i] for i in order]
    )
    raise ShardingError(
        f"sharding: the partitioner cut a result as no spec on {mesh!r} does, but as "
        f"{Sharding(grid, axes)!r}; give it a sharding, jit(f, out_shardings=...)"
    )


def _specs(
    tiles: Sequence[int], names: Sequence[str], sizes: dict[str, int]
) -> Iterator[tuple[Any, ...]]:
    """The specs that cut the dimensions into so many parts."""
    if not tiles:
        yield ()
        return
    for count in range(len(names) + 1):
        for entry in itertools.permutations(names, count):
            if math.prod(sizes[name] for name in entry) == tiles[0]:
                left = [name for name in names if name not in entry]
                for others in _specs(tiles[1:], left, sizes):
                    yield (entry, *others)


def _split(mesh: Mesh) -> Mesh:
    """The mesh with each axis split into axes of prime sizes: `x_0`, `x_1`, ..."""
    axes: dict[str, int] = {}
    for name, size in mesh.shape.items():
        factors = _primes(size)
        split = {f"{name}_{i}": n for i, n in enumerate(factors)}
        axes |= split if len(factors) > 1 else {name: size}
    return Mesh(axes, devices=mesh.devices)


def _primes(n: int) -> list[int]:
    found, factor = [], 2
    while n > 1:
        if n % factor:
            factor += 1
        else:
            found.append(factor)
            n //= factor
    return found


def sharding_of(x: Any) -> Sharding | Device:
    """The sharding of an array over a mesh, or its device: what `device_put` takes.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.ones(2).sharding
    <CpuDevice(id=0)>
    """
    if not isinstance(x, Array):
        raise AttributeError(
            f"sharding: {x!r} is traced, and where it lies is known when the program is compiled; "
            "anvl.with_sharding decides it"
        )
    place = x.aval.placement
    return label_of(place) if isinstance(place, ShardedPlacement) else x.device


def label_of(place: ShardedPlacement) -> Sharding:
    """The sharding that a placement was made for; that of a program from text has no names."""
    if isinstance(place.label, Sharding):
        return place.label
    mesh = Mesh((len(place.devices),), ("devices",), devices=place.devices)
    return _of_tiling(mesh, Tiling(place.tiles, place.held))


def mesh_of(placements: Iterable[Placement | None]) -> Mesh | None:
    """The mesh of the first placement over one; None if there is none."""
    found = (place for place in placements if isinstance(place, ShardedPlacement))
    return next((label_of(place).mesh for place in found), None)
