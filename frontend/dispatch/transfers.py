"""Arrays of pytrees: put on a device, and waited for."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core.promote import abstract, number_value
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.runtime import Array, Device, ShardedPlacement, hiding_frames, put
from anvl.runtime import block_until_ready as wait_for
from anvl.sharding.specs import PartitionSpec, Sharding, placement_for

__all__ = ["block_until_ready", "device_get", "device_put", "prefix_leaves"]


@spelled("x device src donate may_alias")
def device_put(x: Any, device: Any = None) -> Any:
    """Put the arrays of a pytree on a device, or over several.

    Parameters
    ----------
    x : array, number or pytree of these
        Of any shapes and dtypes, which the results keep; Python numbers stay weak.
    device : Device, str, Sharding or PartitionSpec, or a pytree prefix of x of these, optional
        A device, or its name such as `"cpu:1"`, or the `anvl.sharding.Sharding` over a mesh; a spec
        alone is over the mesh of `with mesh:`.  By default, and where it is None, the default
        device; arrays of anvl then stay where they are.

    Returns
    -------
    Array or pytree of Array
        An array that is there already is returned itself; others are copies.

    Raises
    ------
    TypeError
        A leaf is no array or number, or `device` is none of the above.
    ValueError
        There is no such device; `device` is no prefix of x.
    ShardingError
        An array does not divide over the mesh, or has fewer dimensions than the spec.
    DistributedError
        The sharding is over several processes, which give different arrays.
    TraceError
        A leaf is traced, and a device is named: see `anvl.with_sharding` for shardings there.

    Examples
    --------
    >>> import numpy, anvl
    >>> x = anvl.device_put({"w": numpy.ones(3), "b": 0.5}, "cpu:0")
    >>> x["w"].device, x["b"].weak_type
    (<CpuDevice(id=0)>, True)
    >>> rows = anvl.sharding.Sharding(anvl.Mesh({"x": 1}), ("x",))
    >>> anvl.device_put(numpy.ones(3), rows).sharding.spec
    P('x')
    """
    if device is None or isinstance(device, _PLACES):
        return tree.map(lambda leaf: _put(leaf, device), x)
    leaves, treedef = tree.flatten(x)
    places = prefix_leaves("device_put", "device", device, treedef)
    put_there = [_put(leaf, place) for leaf, place in zip(leaves, places, strict=True)]
    return tree.unflatten(treedef, put_there)


_PLACES = (Device, str, Sharding, PartitionSpec)


def prefix_leaves(
    function: str,
    name: str,
    prefix: Any,
    treedef: Any,
    what: str = "a device, its name, a Sharding or a PartitionSpec",
) -> list[Any]:
    """For each leaf of a structure the place in a pytree prefix of it: None, or of `_PLACES`.

    Errors say `what` it must be.

    Raises
    ------
    TypeError
        A leaf of the prefix is no place.
    ValueError
        It is no prefix.
    """
    whole = tree.unflatten(treedef, list(range(treedef.num_leaves)))
    prefix = tree.map(_Leaf, prefix, is_leaf=_is_place)
    try:
        parts = tree.prefix_parts(prefix, whole, root=name)
    except ValueError as error:
        raise ValueError(f"{function}: {name} is no prefix of what it is for: {error}") from None
    found: list[Any] = []
    for leaf, path, part in parts:
        place = leaf.place if isinstance(leaf, _Leaf) else leaf
        if place is not None and not isinstance(place, _PLACES):
            raise TypeError(
                f"{function}: {path} must be {what}, got {place!r} of type {type(place).__name__}"
            )
        found += [place] * len(tree.leaves(part))
    return found


class _Leaf:
    """A leaf of a prefix: a spec is a tuple, and would be a container."""

    def __init__(self, place: Any) -> None:
        self.place = place


def _is_place(x: Any) -> bool:
    return x is None or isinstance(x, PartitionSpec)


@hiding_frames
def device_get(x: Any) -> Any:
    """The arrays of a pytree as NumPy arrays, of the same shapes and dtypes; waits for them.

    Parameters
    ----------
    x : array, number or pytree of these

    Returns
    -------
    Pytree of `numpy.ndarray`, of the structure of x.

    Raises
    ------
    TypeError
        A leaf is no array or number.
    TraceError
        A leaf is traced.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.device_get({"w": np.ones(2)})
    {'w': array([1., 1.], dtype=float32)}
    """
    return tree.map(_get, x)


def _get(x: Any) -> Any:
    abstract(x, "device_get")
    return np.asarray(x)


def _put(x: Any, where: Any) -> Any:
    if isinstance(x, Tracer):
        if where is None:
            return x
        raise TraceError(
            f"device_put: the array is traced ({x.aval}), and a program runs where its arguments "
            "are; put these there before the call, pin the function, jit(f, device=...), or cut "
            "values within it, anvl.with_sharding(x, sharding)"
        )
    of = abstract(x, "device_put")
    value = number_value(x, of) if of.weak_type and not hasattr(x, "aval") else x
    place = None if where is None else placement_for(where, of.shape, "device_put")
    if isinstance(place, ShardedPlacement) and place.spans_processes:
        _refuse_other_values(value, of, place)
    return put(value, place, weak_type=of.weak_type)


def _refuse_other_values(value: Any, of: Any, place: ShardedPlacement) -> None:
    """Refuse values that differ from those that the other processes put: `DistributedError`."""
    is_global = isinstance(value, Array) and value.aval.placement.spans_processes
    if is_global or not place.addressable:
        return
    import hashlib  # with the sockets of a job, and OpenSSL: for jobs alone

    from anvl.runtime.distributed.call_order import processes_of, refuse_other_values

    values = np.ascontiguousarray(value)
    found = hashlib.sha256(f"{of} ".encode())
    found.update(values.reshape(-1).view(np.uint8).data)
    processes = processes_of(place.handles)
    refuse_other_values("device_put", str(of), found.hexdigest(), processes)


@hiding_frames
def block_until_ready(x: Any) -> Any:
    """Wait until the arrays of a pytree are computed.

    A call returns before its results are computed; reading their values waits, too.

    Parameters
    ----------
    x : pytree
        Leaves that are no arrays of anvl are not waited for.

    Returns
    -------
    pytree
        `x` itself.

    Raises
    ------
    RuntimeFailure
        An array was deleted or donated, or the program that computes it failed.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.block_until_ready({"y": np.ones(2) + 1, "n": 3})
    {'y': Array([2., 2.], dtype=float32), 'n': 3}
    """
    if type(x) is Array:
        return x.block_until_ready()
    wait_for([leaf for leaf in tree.leaves(x) if isinstance(leaf, Array)])
    return x
