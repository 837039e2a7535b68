"""Arrays over several devices: meshes, shardings, and pictures of them.

>>> import anvl, anvl.numpy as np
>>> from anvl.sharding import Mesh, P, Sharding
>>> mesh = Mesh({"data": 1})
>>> x = anvl.device_put(np.ones((8, 2)), Sharding(mesh, P("data")))
>>> x.sharding.spec, x.addressable_shards[0].data.shape
(P('data'), (8, 2))
"""

from typing import Any

from anvl.runtime import Shard as Shard
from anvl.runtime import hide_frames_of as _hide_frames_of
from anvl.sharding.meshes import AxisType as AxisType
from anvl.sharding.meshes import Mesh as Mesh
from anvl.sharding.pictures import show as show
from anvl.sharding.specs import PartitionSpec as PartitionSpec
from anvl.sharding.specs import Sharding as Sharding

P = PartitionSpec

#: JAX's name of `Sharding`.
NamedSharding = Sharding

__all__ = ["AxisType", "Mesh", "NamedSharding", "P", "PartitionSpec", "Shard", "Sharding", "show"]

#: What to write for names of JAX that are absent here.
_ELSEWHERE = {
    "SingleDeviceSharding": "a Device stands for it, as in device_put(x, anvl.devices()[0])",
    "get_mesh": "use anvl.config.default_mesh",
    "reshard": "use anvl.with_sharding",
    "set_mesh": "write `with mesh:`, or set anvl.config.default_mesh",
    "use_mesh": "write `with mesh:`",
}  # fmt: skip

_hide_frames_of(__all__, globals())


def __getattr__(name: str) -> Any:
    advice = f"; {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")


def __dir__() -> list[str]:
    return list(__all__)
