"""Arrays over several devices from their parts, under JAX's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.core.config import as_dtype
from anvl.core.importing import load_operators
from anvl.distributed.local_arrays import make_array_from_local
from anvl.numpy.arrays.axes import sizes_of
from anvl.runtime import Array, Device, Placement, ShardedPlacement, hiding_frames, put_parts
from anvl.sharding import Sharding

__all__ = [
    "make_array_from_callback", "make_array_from_process_local_data",
    "make_array_from_single_device_arrays",
]  # fmt: skip

_Index = tuple[slice, ...]


def _placement(function: str, sharding: Any, shape: Sequence[int]) -> Placement:
    if isinstance(sharding, Device):
        return sharding.placement
    if not isinstance(sharding, Sharding):
        raise TypeError(
            f"{function}: sharding must be a Sharding or a Device, got {sharding!r} of type "
            f"{type(sharding).__name__}"
        )
    sharding.check(function, shape)
    return sharding.placement


@hiding_frames
def make_array_from_callback(
    shape: Sequence[int],
    sharding: Sharding | Device,
    data_callback: Callable[[_Index], Any],
    dtype: Any = None,
) -> Array:
    """Make an array from a function that gives the part of each device of this process.

    Parameters
    ----------
    shape : sequence of int
        Of the whole array.
    sharding : Sharding or Device
    data_callback : callable
        Takes a place in the array, a tuple of slices, and returns the values there.
    dtype : dtype, optional
        That of the parts, by default.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        `sharding` is neither; a part has another dtype than `dtype` says.
    ValueError
        A part has another shape than its place.
    ShardingError
        The shape does not divide.

    Examples
    --------
    >>> import numpy, anvl
    >>> from anvl.sharding import Mesh, P, Sharding
    >>> values, rows = numpy.arange(4.0), Sharding(Mesh({"x": 1}), P("x"))
    >>> print(anvl.make_array_from_callback((4,), rows, lambda at: values[at]))
    [0. 1. 2. 3.]
    """
    name = "make_array_from_callback"
    load_operators()
    sizes = sizes_of(shape, name)
    place = _placement(name, sharding, sizes)
    known: dict[Any, np.ndarray[Any, Any]] = {}  # once for devices with copies

    def part(index: _Index) -> np.ndarray[Any, Any]:
        key = tuple((s.start, s.stop) for s in index)
        if key not in known:
            known[key] = np.ascontiguousarray(data_callback(index))
        return _checked(name, "data_callback", known[key], index, wanted)

    wanted = None if dtype is None else as_dtype(dtype)
    if wanted is None:
        wanted = part(_first_index(place, sizes)).dtype
    return put_parts(sizes, wanted, place, part)


def _first_index(place: Placement, shape: Sequence[int]) -> _Index:
    """The place in an array of the part of the first device of this process."""
    if isinstance(place, ShardedPlacement):
        return place.index(place.addressable[0], shape)
    return tuple(slice(0, n) for n in shape)


def _checked(
    function: str, source: str, part: np.ndarray[Any, Any], index: _Index,
    wanted: np.dtype[Any] | None,
) -> np.ndarray[Any, Any]:  # fmt: skip
    sizes = [s.stop - s.start for s in index]
    if list(part.shape) != sizes:
        raise ValueError(
            f"{function}: {source} gave an array of shape {list(part.shape)} for the place "
            f"{_text(index)}, which has shape {sizes}"
        )
    if wanted is not None and part.dtype != wanted:
        raise TypeError(
            f"{function}: {source} gave {part.dtype.name} for the place {_text(index)}, and the "
            f"array is of {wanted.name}; convert one of them"
        )
    return part


def _text(index: _Index) -> str:
    return "[" + ", ".join(f"{s.start}:{s.stop}" for s in index) + "]"


@hiding_frames
def make_array_from_process_local_data(
    sharding: Sharding, local_data: Any, global_shape: Sequence[int] | None = None
) -> Array:
    """Make an array from the part that this process has of it, such as its share of a batch.

    `anvl.distributed.make_array_from_local` says more.

    Parameters
    ----------
    sharding : Sharding
        The place of the whole array, over the devices of all processes.
    local_data : array
        The part of this process, or the whole array where `global_shape` is its shape.
    global_shape : sequence of int, optional
        The shape of the whole array; by default each dimension that k processes share is k times
        as large as in `local_data`.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        `sharding` is no Sharding.
    ShardingError
        The part does not divide.
    ValueError
        The part makes an array of another shape.

    Examples
    --------
    >>> import numpy, anvl
    >>> from anvl.sharding import Mesh, P, Sharding
    >>> rows = Sharding(Mesh({"data": 1}), P("data"))
    >>> anvl.make_array_from_process_local_data(rows, numpy.ones((4, 2))).shape
    (4, 2)
    """
    name = "make_array_from_process_local_data"
    values = np.asarray(local_data)
    wanted = None if global_shape is None else sizes_of(global_shape, name)
    if wanted == values.shape and isinstance(sharding, Sharding):
        return make_array_from_callback(values.shape, sharding, lambda index: values[index])
    found = make_array_from_local(sharding, values)
    if wanted is not None and found.shape != wanted:
        raise ValueError(
            f"{name}: local_data of shape {list(values.shape)} makes an array of shape "
            f"{list(found.shape)}, and global_shape is {list(wanted)}"
        )
    return found


@hiding_frames
def make_array_from_single_device_arrays(
    shape: Sequence[int], sharding: Sharding | Device, arrays: Sequence[Any], *, dtype: Any = None
) -> Array:
    """Make an array from the parts that lie on the devices of this process.

    Parameters
    ----------
    shape : sequence of int
        Of the whole array.
    sharding : Sharding or Device
    arrays : sequence of Array
        One for each device of the sharding in this process, in any order.
    dtype : dtype, optional
        That of the arrays, by default; needed where there are none.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        `sharding` is neither; arrays of several dtypes.
    ValueError
        A device without an array, or with two; an array of another shape than its place.
    ShardingError
        The shape does not divide.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl.sharding import Mesh, P, Sharding
    >>> parts, rows = [np.ones((2, 3))], Sharding(Mesh({"x": 1}), P("x"))
    >>> anvl.make_array_from_single_device_arrays((2, 3), rows, parts).sharding
    Sharding(Mesh(x=1), P('x'))
    """
    name = "make_array_from_single_device_arrays"
    load_operators()
    sizes = sizes_of(shape, name)
    place = _placement(name, sharding, sizes)
    here = [d for d in place.devices if d.is_addressable]
    held = _by_device(name, arrays, here)
    if dtype is None and not held:
        raise ValueError(f"{name}: there are no arrays; give dtype")
    wanted = as_dtype(dtype) if dtype is not None else np.asarray(held[here[0]]).dtype
    places = (
        {place.devices[i]: place.index(i, sizes) for i in place.addressable}
        if isinstance(place, ShardedPlacement)
        else {here[0]: _first_index(place, sizes)}
    )
    values = {
        tuple((s.start, s.stop) for s in index): _checked(
            name, "an array", np.asarray(held[device]), index, wanted
        )
        for device, index in places.items()
    }
    return put_parts(
        sizes, wanted, place, lambda index: values[tuple((s.start, s.stop) for s in index)]
    )


def _by_device(name: str, arrays: Sequence[Any], here: Sequence[Device]) -> dict[Device, Any]:
    found: dict[Device, Any] = {}
    for x in arrays:
        if not isinstance(x, Array):
            raise TypeError(
                f"{name}: takes arrays on devices, got {x!r} of type {type(x).__name__}"
            )
        if x.device in found:
            raise ValueError(f"{name}: two arrays are on {x.device}; give one for each device")
        found[x.device] = x
    missing = [d for d in here if d not in found]
    other = [d for d in found if d not in here]
    if missing or other:
        raise ValueError(
            f"{name}: the arrays are on {list(found)}, and the sharding is over {list(here)} in "
            "this process; give one for each device"
        )
    return found
