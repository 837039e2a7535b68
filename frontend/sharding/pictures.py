"""Pictures of how an array lies over devices, as text and as HTML."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

from anvl.runtime import Array, Device, Placement, ShardedPlacement, hiding_frames
from anvl.sharding.specs import Sharding

__all__ = ["picture", "picture_html", "show"]

_MOST_CELLS = 256  # of a picture; there are more devices than a person looks at


@hiding_frames
def show(x: Any, shape: Sequence[int] | None = None) -> None:
    """Print how an array lies over devices: a cell for each part, with the devices that hold it.

    Parameters
    ----------
    x : Array or Sharding
    shape : sequence of int, optional
        The shape of the array, where a sharding is shown.

    Raises
    ------
    TypeError
        `x` is neither, or a sharding without a shape.
    ShardingError
        The shape does not divide.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl.sharding import P, Sharding, show
    >>> show(anvl.device_put(np.ones((4, 2)), Sharding(anvl.Mesh({"x": 1}), P("x"))))
    f32[4,2] over Mesh(x=1), P('x')
    +-------+
    | cpu:0 |
    +-------+
    each the whole [4,2]
    """
    if isinstance(x, Array):
        text = f"{x.aval} over {picture(x.aval.placement, x.shape)}"
    elif isinstance(x, Sharding) and shape is not None:
        x.check("show", shape)
        text = f"{_dims(shape)} over {picture(x.placement, shape)}"
    else:
        needs = "with the shape of an array" if isinstance(x, Sharding) else "or a Sharding"
        raise TypeError(f"show: takes an array, {needs}, got {x!r} of type {type(x).__name__}")
    sys.stdout.write(text + "\n")


class _Grid(NamedTuple):
    """The parts of an array in rows and columns: for each the devices, in text."""

    title: str
    rows: list[list[str]]
    tiles: list[list[int]]
    foot: str


def picture(place: Placement, shape: Sequence[int]) -> str:
    """The picture of an array of this shape as text; its first line says where it is."""
    grid = _grid(place, shape)
    if grid is None:
        return f"{_title(place)}\n{_foot(place, shape)}"
    width = max(len(cell) for row in grid.rows for cell in row)
    line = "+".join(["", *["-" * (width + 2)] * len(grid.rows[0]), ""])
    lines = [grid.title, line]
    for row in grid.rows:
        lines += [f"| {' | '.join(cell.ljust(width) for cell in row)} |", line]
    return "\n".join([*lines, grid.foot])


def picture_html(place: Placement, shape: Sequence[int]) -> str:
    """The picture as a table of HTML, with a colour for each part."""
    from html import escape  # with its table of names, 2 ms: for notebooks

    grid = _grid(place, shape)
    if grid is None:
        return f"<div>{escape(_title(place))}<br>{escape(_foot(place, shape))}</div>"
    n_tiles = max(map(max, grid.tiles)) + 1
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td style='border:1px solid #888;padding:4px 8px;text-align:center;color:#000;"
            f"background:hsl({360 * tile // n_tiles},60%,82%)'>{escape(cell)}</td>"
            for cell, tile in zip(cells, tiles, strict=True)
        )
        + "</tr>"
        for cells, tiles in zip(grid.rows, grid.tiles, strict=True)
    )
    return (
        f"<div>{escape(grid.title)}</div><table style='border-collapse:collapse'>{rows}</table>"
        f"<div>{escape(grid.foot)}</div>"
    )


def _grid(place: Placement, shape: Sequence[int]) -> _Grid | None:
    """The parts along the first dimensions that are cut, as rows and columns; None for too many."""
    tiles = place.tiles if isinstance(place, ShardedPlacement) else ()
    held = place.held if isinstance(place, ShardedPlacement) else (0,)
    holders: dict[int, list[Device]] = {}
    for device, tile in zip(place.devices, held, strict=True):
        holders.setdefault(tile, []).append(device)
    if len(holders) > _MOST_CELLS:
        return None
    numbers, n_columns = sorted(holders), _columns(tiles, len(shape))
    prefixes = _prefixes(tiles)
    cells = [f"{prefixes[i]}{_device_names(holders[i])}" for i in numbers]
    parts = [numbers[i : i + n_columns] for i in range(0, len(numbers), n_columns)]
    return _Grid(
        _title(place), [[cells[i] for i in row] for row in parts], parts, _foot(place, shape)
    )


def _columns(tiles: Sequence[int], rank: int) -> int:
    """The number of columns: the parts of the last dimension that is cut, if it is not the only."""
    cut = [n for n in tiles if n > 1]
    return cut[-1] if len(cut) > 1 or (cut and rank == 1) else 1


def _prefixes(tiles: Sequence[int]) -> list[str]:
    """Where each part is, if more than two dimensions are cut: rows are then of several."""
    says_more = sum(n > 1 for n in tiles) > 2
    return [f"{place} " if says_more else "" for place in product(*map(range, tiles))]


def _device_names(devices: Sequence[Device]) -> str:
    """`cpu:0,1` for devices of one client."""
    name = devices[0].client.name
    return f"{name}:{','.join(str(d.client.all_devices.index(d)) for d in devices)}"


def _title(place: Placement) -> str:
    label = place.label if isinstance(place, ShardedPlacement) else None
    return f"{label.mesh!r}, {label.spec!r}" if isinstance(label, Sharding) else repr(place)


def _foot(place: Placement, shape: Sequence[int]) -> str:
    if not isinstance(place, ShardedPlacement):
        return f"the whole {_dims(shape)}"
    if not place.tiles:
        return f"each the whole {_dims(shape)}"
    return f"each part {_dims(place.shard_shape(shape))}"


def _dims(shape: Sequence[int]) -> str:
    return f"[{','.join(map(str, shape))}]"
