"""Arrays of pytrees: put on a device, and waited for."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl import tree
from anvl.core.promote import abstract, number_value
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.runtime import Array, Device, Placement, as_device, hiding_frames, put

__all__ = ["block_until_ready", "device_get", "device_put"]


@hiding_frames
def device_put(x: Any, device: Device | str | None = None) -> Any:
    """Put the arrays of a pytree on a device.

    Parameters
    ----------
    x : array, number or pytree of these
        Of any shapes and dtypes, which the results keep; Python numbers stay weak.
    device : Device or str, optional
        A device, or its name such as `"cpu:1"`.  By default the default device; arrays of anvl
        then stay where they are.

    Returns
    -------
    Array or pytree of Array
        An array that is on the device already is returned itself; others are copies.

    Raises
    ------
    TypeError
        A leaf is no array or number, or `device` is neither a device nor text.
    ValueError
        There is no such device.
    TraceError
        A leaf is traced, and a device is named: a program runs on one device.

    Examples
    --------
    >>> import numpy, anvl
    >>> x = anvl.device_put({"w": numpy.ones(3), "b": 0.5}, "cpu:0")
    >>> x["w"].device, x["b"].weak_type
    (<CpuDevice(id=0)>, True)
    """
    if device is not None and not isinstance(device, Device | str):
        raise TypeError(
            f"device_put: device must be a device or its name, got {device!r} of type "
            f"{type(device).__name__}; anvl.devices() lists them"
        )
    place = None if device is None else as_device(device, "device_put").placement
    return tree.map(lambda leaf: _put(leaf, place), x)


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


def _put(x: Any, place: Placement | None) -> Any:
    if isinstance(x, Tracer):
        if place is None:
            return x
        raise TraceError(
            f"device_put: the array is traced ({x.aval}), and a program runs on one device; put "
            "the arguments there before the call, or pin the function: jit(f, device=...)"
        )
    of = abstract(x, "device_put")
    value = number_value(x, of) if of.weak_type and not hasattr(x, "aval") else x
    return put(value, place, weak_type=of.weak_type)


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
    for leaf in tree.leaves(x):
        if isinstance(leaf, Array):
            leaf.block_until_ready()
    return x
