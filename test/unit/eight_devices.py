"""Eight devices of the CPU, and meshes of them: one client for all tests of a process."""

import anvl
from anvl.runtime import cpu_client
from anvl.sharding import Sharding

DEVICES = cpu_client(8).devices
MESH = anvl.Mesh({"x": 4, "y": 2}, devices=DEVICES)
FLAT = anvl.Mesh({"data": 8}, devices=DEVICES)


def over(*spec, mesh=MESH):
    """The sharding over the mesh of 4 by 2 devices."""
    return Sharding(mesh, spec)
