"""Which devices take part in a collective, read from the three forms that XLA writes.

{{0,1},{2,3}}                           the groups, member by member
[2,4]<=[4,2]T(1,0)                      0 to 7 as [4,2], transposed, cut into two groups of 4
mesh['a'=4,'b'=2] {'a'}                 devices that differ along the axis a of a mesh
"""

import math
import re

import numpy as np

__all__ = ["groups_of", "pairs_of"]

_LISTED = re.compile(r"replica_groups=\{((?:\{[\d,]*\},?)*)\}")
_IOTA = re.compile(r"replica_groups=\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
_MESH = re.compile(r"replica_groups=mesh\[([^\]]*)\](?:, *device_ids=\(([^)]*)\))? *\{([^}]*)\}")
_PAIRS = re.compile(r"source_target_pairs=\{((?:\{\d+,\d+\},?)*)\}")
_AXIS = re.compile(r"'([^']*)'=(\d+)")


def groups_of(attributes: str, devices: int) -> list[list[int]]:
    """The groups of a collective; one group of all where it says none.

    Raises
    ------
    ValueError
        The groups are written in a form that is not known here.
    """
    if found := _LISTED.search(attributes):
        listed = [_numbers(text) for text in re.findall(r"\{([\d,]*)\}", found[1])]
        return listed or [list(range(devices))]
    if found := _IOTA.search(attributes):
        shape, sizes = _numbers(found[1]), _numbers(found[2])
        at = np.arange(math.prod(sizes)).reshape(sizes)
        at = at.transpose(_numbers(found[3])) if found[3] else at
        groups: list[list[int]] = at.reshape(shape).tolist()
        return groups
    if (found := _MESH.search(attributes)) and not found[2]:
        return _along(found[1], re.findall(r"'([^']*)'", found[3]))
    if "replica_groups=" in attributes:
        text = attributes[attributes.index("replica_groups=") :][:80]
        raise ValueError(f"groups of a collective in a form that is not known: {text}")
    return [list(range(devices))]


def pairs_of(attributes: str) -> list[list[int]]:
    """The pairs of devices between which a permutation moves arrays."""
    found = _PAIRS.search(attributes)
    return [_numbers(text) for text in re.findall(r"\{(\d+,\d+)\}", found[1])] if found else []


def _along(mesh: str, axes: list[str]) -> list[list[int]]:
    sizes = {name: int(size) for name, size in _AXIS.findall(mesh)}
    at = np.arange(math.prod(sizes.values())).reshape(list(sizes.values()))
    names = list(sizes)
    order = [names.index(name) for name in names if name not in axes]
    moved = at.transpose([*order, *(names.index(name) for name in axes)])
    groups: list[list[int]] = moved.reshape(-1, math.prod(sizes[name] for name in axes)).tolist()
    return groups


def _numbers(text: str) -> list[int]:
    return [int(n) for n in text.split(",") if n]
