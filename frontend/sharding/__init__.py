"""Arrays over several devices: meshes, shardings, and pictures of them.

>>> import anvl, anvl.numpy as np
>>> from anvl.sharding import Mesh, P, Sharding
>>> mesh = Mesh({"data": 1})
>>> x = anvl.device_put(np.ones((8, 2)), Sharding(mesh, P("data")))
>>> x.sharding.spec, x.addressable_shards[0].data.shape
(P('data'), (8, 2))
"""

from anvl.runtime import Shard as Shard
from anvl.sharding.meshes import Mesh as Mesh
from anvl.sharding.pictures import show as show
from anvl.sharding.specs import PartitionSpec as PartitionSpec
from anvl.sharding.specs import Sharding as Sharding

P = PartitionSpec

__all__ = ["Mesh", "P", "PartitionSpec", "Shard", "Sharding", "show"]


def __dir__() -> list[str]:
    return list(__all__)
