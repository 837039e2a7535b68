"""Arrays cut in another way: by a program of XLA's, whose devices give each other their parts.

It is what reaches parts on devices of other processes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from anvl.runtime.array import Array
from anvl.runtime.executable import Executable, compile_lowered
from anvl.runtime.sharding.placements import ShardedPlacement
from anvl.runtime.types import DTYPE_NAMES, ArrayType

__all__ = ["can_reshard", "resharded"]

_MOST = 256  # programs that are kept


def can_reshard(source: ArrayType, target: ArrayType) -> bool:
    """Whether both are over the same devices, in one order."""
    one, other = source.placement, target.placement
    both = isinstance(one, ShardedPlacement) and isinstance(other, ShardedPlacement)
    return both and one.devices == other.devices


def resharded(x: Array, target: ArrayType) -> Array:
    """The array in another cut.  All processes of the devices take part."""
    (found,) = _program(x.aval, target).execute([x])
    return found


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
