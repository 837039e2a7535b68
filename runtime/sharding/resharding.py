"""Arrays cut in another way: by a program of XLA's, whose devices give each other their parts.

It is what reaches parts on devices of other processes, and what leaves values on accelerators.  On
the CPU each part is as fast copied from the parts that it is made of (25 ms for 16 MB over 8
devices, a program 35, and 0.8 s and 1.6 for 256 MB), and needs no program, which takes 50 ms to
compile for each shape.
"""

from __future__ import annotations

import re
from functools import lru_cache

from anvl.runtime.array import Array, make_array
from anvl.runtime.executable import Executable
from anvl.runtime.execution.compilation import compile_lowered
from anvl.runtime.sharding.placements import ShardedPlacement, sharded_placement
from anvl.runtime.sharding.shards import assembled, shard_buffers
from anvl.runtime.types import DTYPE_NAMES, ArrayType, array_type

__all__ = ["can_reshard", "resharded"]

_MOST = 256  # programs that are kept


def can_reshard(source: ArrayType, target: ArrayType) -> bool:
    """Whether both are over the same devices, in any order."""
    one, other = source.placement, target.placement
    both = isinstance(one, ShardedPlacement) and isinstance(other, ShardedPlacement)
    return both and set(one.devices) == set(other.devices)


def resharded(x: Array, target: ArrayType) -> Array:
    """The array in another cut.  All processes of the devices take part."""
    source, place = x.aval.placement, target.placement
    if source.devices == place.devices:
        (found,) = _program(x.aval, target).execute([x])
        return found
    assert isinstance(source, ShardedPlacement) and isinstance(place, ShardedPlacement)
    at = [place.devices.index(device) for device in source.devices]
    there = sharded_placement(source.devices, place.tiles, [place.held[i] for i in at])
    of = array_type(target.shape, target.dtype, there, target.weak_type)
    (found,) = _program(x.aval, of).execute([x])
    shards = dict(zip(there.addressable, shard_buffers(found.buffer, of), strict=True))
    order = [source.devices.index(place.devices[i]) for i in place.addressable]
    return make_array(target, assembled(target, [shards[i] for i in order]))


@lru_cache(_MOST)
def _program(source: ArrayType, target: ArrayType) -> Executable:
    of = f"tensor<{'x'.join([*map(str, source.shape), _element(source)])}>"
    text = (
        f"func.func @main(%x: {of} {{mhlo.sharding = {_sharding(source)}}}) -> "
        f"({of} {{mhlo.sharding = {_sharding(target)}}}) {{ return %x : {of} }}"
    )
    return compile_lowered(
        text, source.placement, arg_types=[source], out_types=[target], open_results=[False],
        title="device_put",
    )  # fmt: skip


def _element(of: ArrayType) -> str:
    """MLIR's name of the dtype."""
    name = DTYPE_NAMES[of.dtype]
    if name == "bool":
        return "i1"
    found = re.fullmatch(r"complex(\d+)", name)
    return f"complex<f{int(found[1]) // 2}>" if found else name


def _sharding(of: ArrayType) -> str:
    return f'"{of.placement.sharding_of(len(of.shape))._hlo_sharding}"'
