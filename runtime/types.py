"""`ArrayType`: shape, dtype, weakness and placement of an array, one object for each.

Types are interned, so that comparing two is comparing two addresses and a cache of compiled
programs can be looked up by them in 0.1 us.  They stay for the life of the process.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from anvl.runtime.client import Placement, check_placement
from anvl.runtime.errors import OutOfMemory
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock
from anvl.runtime.memory import gibibytes
from anvl.runtime.plugins.default_device import default_placement

_STANDARD = {
    "bool": "bool",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
    "float16": "f16", "float32": "f32", "float64": "f64",
    "complex64": "complex64", "complex128": "complex128",
}  # fmt: skip
_SMALL = {
    "bfloat16": "bf16",
    "int2": "i2", "int4": "i4", "uint2": "ui2", "uint4": "ui4",
    "float4_e2m1fn": "f4E2M1FN",
    "float8_e3m4": "f8E3M4", "float8_e4m3": "f8E4M3", "float8_e4m3fn": "f8E4M3FN",
    "float8_e4m3fnuz": "f8E4M3FNUZ", "float8_e4m3b11fnuz": "f8E4M3B11FNUZ",
    "float8_e5m2": "f8E5M2", "float8_e5m2fnuz": "f8E5M2FNUZ", "float8_e8m0fnu": "f8E8M0FNU",
}  # fmt: skip

# anvl's name of each dtype that a device can hold.  Dtypes of another byte order are not in here,
# since they compare unequal to the native ones.
DTYPE_NAMES: dict[np.dtype[Any], str] = {
    **{np.dtype(name): short for name, short in _STANDARD.items()},
    **{
        np.dtype(getattr(ml_dtypes, name)): short
        for name, short in _SMALL.items()
        if hasattr(ml_dtypes, name)
    },
}


class NotCalled(type):
    """The class of `Array`, which users do not call.

    An `__init__` would refuse them too; without one, `blank` takes half the time of
    `object.__new__`, and three quarters in lists.
    """

    def __call__(cls, *_: object, **__: object) -> NoReturn:
        raise TypeError("Array: cannot be made directly; use anvl.numpy.asarray(values)")


class ArrayType:
    """The type of an array; made by `array_type` only, and never changed.

    Attributes
    ----------
    shape, dtype, weak_type, placement
        As given to `array_type`.
    size, nbytes
        The number of elements, and of bytes as numpy stores them.
    handler
        Turns one result of an execution into a buffer of this type.
    """

    __slots__ = (
        "__weakref__",
        "dtype",
        "handler",
        "nbytes",
        "placement",
        "shape",
        "size",
        "weak_type",
    )

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    weak_type: bool
    placement: Placement
    size: int
    nbytes: int
    handler: Any

    def __init__(self) -> None:
        raise TypeError("ArrayType: cannot be made directly; use array_type(shape, dtype)")

    def fits(self, other: ArrayType) -> bool:
        """Whether an array of this type may be passed for `other`."""
        return self is other or (
            self.placement is other.placement
            and self.dtype == other.dtype
            and self.shape == other.shape
        )

    def __repr__(self) -> str:
        weak = "?" if self.weak_type else ""
        return f"{DTYPE_NAMES[self.dtype]}{weak}[{','.join(map(str, self.shape))}]"

    def __copy__(self) -> ArrayType:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> ArrayType:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Devices mean nothing in another process: unpickled types are on the default one.
        return array_type, (self.shape, self.dtype.name, None, self.weak_type)


# Read without a lock: `dict.get` and `setdefault` are atomic.
_Key = tuple[tuple[int, ...], "np.dtype[Any]", Placement, bool]
interned: dict[_Key, ArrayType] = {}
_intern_lock = fresh_lock()


def array_type(
    shape: Sequence[int], dtype: Any, placement: Placement | None = None, weak_type: bool = False
) -> ArrayType:
    """The one `ArrayType` with these properties.

    Parameters
    ----------
    shape
        Lengths of the axes, none negative.
    dtype
        A dtype, or its name, that a device can hold (`"bfloat16"` and `"int4"` work too).
    placement
        Where; the default device if None.
    weak_type
        Whether the array comes from a Python number and gives way to other dtypes.

    Raises
    ------
    TypeError
        No device can hold `dtype`.
    ValueError
        An axis is negative, the array has more than 2**63 bytes, or it cannot be cut evenly into
        the tiles of the placement.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.array_type((3, 2), "float32")
    f32[3,2]
    >>> rt.array_type((3, 2), "float32") is rt.array_type([3, 2], "f4")
    True
    >>> rt.array_type((), "float32", weak_type=True)
    f32?[]
    """
    place = default_placement() if placement is None else placement
    lengths = tuple(int(n) for n in shape)
    key = (lengths, device_dtype(dtype, "array_type"), place, bool(weak_type))
    found = interned.get(key)
    return _intern(key) if found is None else found


def _intern(key: _Key) -> ArrayType:
    made = ArrayType.__new__(ArrayType)
    made.shape, made.dtype, made.placement, made.weak_type = key
    if any(n < 0 for n in made.shape):
        raise ValueError(f"array_type: an axis is negative, shape {made.shape}")
    check_placement(made.placement, "array_type")
    made.size = math.prod(made.shape)
    made.nbytes = made.size * made.dtype.itemsize
    if made.nbytes >= 2**63:
        raise ValueError(f"array_type: {made} has 2**63 bytes or more, no device can hold it")
    _check_tiles(made)
    made.handler = compat.result_handler(made, made.placement.sharding_of(len(made.shape)))
    with _intern_lock:
        return interned.setdefault(key, made)


def _check_tiles(made: ArrayType) -> None:
    # A shard of the wrong size crashes the process on old versions, so it is refused here.
    problem = made.placement.problem(made.shape)
    if problem is not None:
        raise ValueError(f"array_type: {problem}")


def device_dtype(dtype: Any, function: str) -> np.dtype[Any]:
    """`dtype` as a native numpy dtype that a device can hold; raises TypeError."""
    if dtype is None:  # numpy would take float64
        raise TypeError(f"{function}: dtype is missing, got None; {_remedy(None)}")
    try:
        native = np.dtype(dtype).newbyteorder("=")
    except TypeError:
        native = _named_dtype(dtype)
    if native not in DTYPE_NAMES:
        raise TypeError(f"{function}: no device can hold dtype {native}; {_remedy(native)}")
    return native


def _named_dtype(dtype: Any) -> np.dtype[Any]:
    scalar = getattr(ml_dtypes, dtype, None) if isinstance(dtype, str) else None
    if scalar is None:
        raise TypeError(f"array_type: {dtype!r} is not a dtype; {_remedy(None)}")
    return np.dtype(scalar)


def _remedy(dtype: np.dtype[Any] | None) -> str:
    if dtype is not None and dtype.kind in "mM":
        return "convert with .astype('int64')"
    return "use a bool, integer, floating-point or complex dtype"


def check_fits_memory(what: str, made: ArrayType) -> None:
    """Raise `OutOfMemory` if an array alone exceeds the memory of its devices."""
    if made.nbytes < 2**30:  # no device has less, and `put` should be fast
        return
    available = made.placement.client.memory_bytes
    if available is not None and made.nbytes > available:
        raise OutOfMemory(
            f"{what}: {made} needs {gibibytes(made.nbytes)}, "
            f"this machine has {gibibytes(available)}"
        )
