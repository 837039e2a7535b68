"""Programs compiled for devices that are simulated: XLA's CPU client shows as many as one likes.

Nothing is executed and no array is made, so that 512 devices take no more memory than one.
"""

import math
import re
from dataclasses import dataclass

from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import MeshShape
from anvl.passes.sharding.shard import Shard
from anvl.tools.plan.hlo_text import Program, program

__all__ = ["Simulated", "compiled", "devices_of", "sharded"]

_NAME = "anvl-plan"
_MOST_DEVICES = 2048  # of a CPU client of XLA
_MESH = re.compile(r"mesh<\[([^\]]*)\]>")
_PARTITIONS = re.compile(r"mhlo\.num_partitions = (\d+)")


@dataclass(frozen=True)
class Simulated:
    """A compiled program, and the bytes that each device holds while it runs."""

    program: Program
    memory: int


def sharded(module: ir.Module, plan: str, function: str) -> int:
    """Write the shardings of a plan, the options of `anvl-shard`; returns the number of devices.

    Raises
    ------
    PassError
        The plan does not fit the function.
    """
    named = plan if "function=" in plan else f"{plan} function={function}"
    shard = Shard.from_text(named)
    shard.run(module.operation)
    return MeshShape.parse(shard.mesh).size


def devices_of(text: str) -> int:
    """How many devices the shardings in StableHLO are for; 1 without any.

    Raises
    ------
    PassError
        They are for meshes of several sizes.
    """
    meshes = set(_MESH.findall(text))
    sizes = {math.prod(map(int, re.findall(r"=(\d+)", axes))) for axes in meshes}
    sizes |= {int(n) for n in _PARTITIONS.findall(text) if n != "1"}
    if len(sizes) > 1:
        listed = ", ".join(map(str, sorted(sizes)))
        raise PassError(_NAME, f"its meshes have {listed} devices; give all of them one size")
    return sizes.pop() if sizes else 1


def compiled(text: str, devices: int) -> Simulated:
    """Compile StableHLO for a number of simulated devices.

    Raises
    ------
    PassError
        XLA cannot compile it, or simulates no so many devices.
    """
    import anvl.runtime as rt

    if devices > _MOST_DEVICES:
        raise PassError(
            _NAME, f"the mesh takes {devices} devices, and XLA simulates at most {_MOST_DEVICES}"
        )
    client = rt.cpu_client(devices)
    client.memory_bytes = None  # what is only compiled may need more than this machine has
    place = rt.sharded_placement(client.devices, (), (0,) * devices)
    try:
        found = rt.compile(text, place if devices > 1 else client.devices[0].placement)
    except rt.RuntimeFailure as error:
        raise PassError(_NAME, str(error)) from error
    stats = found.memory_stats()
    parts = ("argument", "output", "temp")
    held = sum(stats[f"{part}_size_in_bytes"] for part in parts) - stats["alias_size_in_bytes"]
    return Simulated(program(found.hlo_text()), held)
