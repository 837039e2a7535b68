"""Arrays of other libraries, and of other devices: `from_dlpack`, `x.to_device`.

Source: Array API standard 2025.12, "Data interchange mechanisms" and "Device support".
"""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np

from anvl.core.tracer import Tracer
from anvl.numpy.arrays.placing import check_not_traced, moved
from anvl.runtime import Array, Device, hiding_frames, put
from anvl.sharding.specs import placement_for

__all__ = ["from_dlpack", "to_device"]

#: DLPack's numbers of devices that share the memory of the host: plain, and pinned for CUDA, ROCm.
_HOST = (1, 3, 11)


@hiding_frames
def to_device(x: Any, device: Device | str | None, *, stream: Any = None) -> Any:
    """Copy an array to a device; x itself if it is there.  The method `x.to_device`.

    Parameters
    ----------
    device : Device or str
        A device, or its name such as `"cpu:1"`; None, the `device` of traced arrays, changes
        nothing.
    stream : None
        Streams are PJRT's own.

    Raises
    ------
    ValueError
        A stream is given, or there is no such device.
    TraceError
        The array is traced: a program runs on one device.

    Notes
    -----
    Source: https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.array.to_device.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.ones(2).to_device("cpu:0").device
    <CpuDevice(id=0)>
    """
    if stream is not None:
        raise ValueError(f"to_device: stream {stream!r} is given; PJRT has streams of its own")
    if device is None:
        return x
    if isinstance(x, Tracer):
        check_not_traced("to_device", device)
    return moved(x, device, "to_device")


@hiding_frames
def from_dlpack(x: Any, *, device: Device | str | None = None, copy: bool | None = None) -> Any:
    """Make an array of one of another library, through DLPack.

    Parameters
    ----------
    x : object with `__dlpack__` and `__dlpack_device__`
        Of any shape, and a dtype that NumPy and anvl share.
    device : Device or str, optional
        Where the array is to be.  By default an array of anvl stays where it is, and one of another
        library is read by way of the host to the default device.
    copy : bool, optional
        By default, and if False, the memory is shared where its alignment allows.  Then x must not
        be written to any more, since arrays are immutable.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        x has no `__dlpack__`.
    BufferError
        The dtype or the device of x cannot be read; or `copy` is False, and x must be copied.
    TraceError
        x is traced, and a device is given.

    Notes
    -----
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.from_dlpack.html

    Examples
    --------
    >>> import numpy
    >>> import anvl.numpy as np
    >>> np.from_dlpack(numpy.arange(3))
    Array([0, 1, 2], dtype=int64)
    """
    if isinstance(x, Tracer):
        return to_device(x, device)
    if not hasattr(x, "__dlpack__"):
        raise TypeError(
            f"from_dlpack: takes an object with __dlpack__, got {type(x).__name__}; "
            "anvl.numpy.asarray takes numbers and lists"
        )
    if isinstance(x, Array):
        made = x.copy() if copy else to_device(x, device)
        return _checked(made, made is x, copy, device)
    host = _on_host(x, copy)
    place = None if device is None else placement_for(device, host.shape, "from_dlpack")
    made = put(host, place, copy=bool(copy))
    is_shared = copy is not False or np.shares_memory(made.numpy(), host)
    return _checked(made, is_shared, copy, device)


def _on_host(x: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """Memory of x as a NumPy array; copied only if another device holds it."""
    kind, number = x.__dlpack_device__()
    is_host = int(kind) in _HOST
    if copy is False and not is_host:
        raise BufferError(
            f"from_dlpack: copy=False is given, but x is on the DLPack device {(int(kind), number)}"
            ", and is read by way of the host; leave copy out"
        )
    words = _Words(x)
    try:
        host = np.from_dlpack(words) if is_host else np.from_dlpack(words, device="cpu")
        return host if words.dtype is None else host.view(words.dtype)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise BufferError(
            f"from_dlpack: cannot read a {type(x).__name__}: {error}; convert it with its own "
            "library, to a NumPy array or to another dtype"
        ) from error


class _Tensor(ctypes.Structure):
    """The beginning of a `DLTensor`: what says its dtype.  Source: dlpack.h, version 1.1."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
    )  # fmt: skip


_UNSIGNED = 1
_OF_CODE = {
    (4, 16): np.dtype(ml_dtypes.bfloat16),
    (10, 8): np.dtype(ml_dtypes.float8_e4m3fn),
    (12, 8): np.dtype(ml_dtypes.float8_e5m2),
}


# The capsule belongs to whoever asked for it, until an array takes its contents.
_name_of: Any = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_pointer_of: Any = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Words:
    """Memory of an array as NumPy can read it: as integers, if NumPy does not know its dtype."""

    def __init__(self, x: Any) -> None:
        self._x, self.dtype = x, None

    def __dlpack_device__(self) -> Any:
        return self._x.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        try:
            capsule = self._x.__dlpack__(**options)
        except TypeError:  # of DLPack before 1.0, which has no such options
            capsule = self._x.__dlpack__()
        name = _name_of(capsule)
        place = _pointer_of(capsule, name)
        # A versioned one begins with the version, its manager and its deleter, and flags.
        tensor = _Tensor.from_address(place + (32 if name == b"dltensor_versioned" else 0))
        self.dtype = _OF_CODE.get((tensor.code, tensor.bits))
        if self.dtype is not None:
            tensor.code = _UNSIGNED  # the deleter does not ask
        return capsule


def _checked(made: Any, is_shared: bool, copy: bool | None, device: Any) -> Any:
    if copy is False and not is_shared:
        raise BufferError(
            f"from_dlpack: copy=False is given, but {made.aval} must be copied"
            f"{'' if device is None else f' to {device}'}; leave copy out"
        )
    return made
