"""`__array_namespace_info__`: what the namespace can do, its dtypes and devices.

Source: Array API standard 2025.12, "Inspection".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.core.config import counting_dtype, default_device, default_dtype
from anvl.numpy.standard.dtypes import isdtype
from anvl.runtime import Device, as_device, devices

__all__ = ["NamespaceInfo", "__array_namespace_info__"]

_NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
    "float64", "complex64", "complex128",
)  # fmt: skip


class NamespaceInfo:
    """Answers of `anvl.numpy.__array_namespace_info__()`."""

    def capabilities(self) -> dict[str, Any]:
        """What may be relied upon.

        Boolean masks and functions whose results have a shape that depends on values work on
        arrays; inside of a trace they take a size (`nonzero(x, size=n)`).

        >>> import anvl.numpy as np
        >>> np.__array_namespace_info__().capabilities()["boolean indexing"]
        True
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device of arrays that nothing else places.

        >>> import anvl.numpy as np
        >>> np.__array_namespace_info__().default_device()
        <CpuDevice(id=0)>
        """
        return default_device()

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, np.dtype[Any]]:
        """The default dtype of each kind; the same on every device.

        >>> import anvl.numpy as np
        >>> np.__array_namespace_info__().default_dtypes()["real floating"]
        dtype('float32')
        """
        _check(device, "default_dtypes")
        return {
            "real floating": default_dtype(float),
            "complex floating": default_dtype(complex),
            "integral": default_dtype(int),
            "indexing": counting_dtype(0),
        }

    def dtypes(
        self, *, device: Device | str | None = None, kind: Any = None
    ) -> dict[str, np.dtype[Any]]:
        """The standard's dtypes, by name; those of a kind, or of one of several, if given.

        The kinds are those of `isdtype`, which raises `ValueError` for others.  The dtypes beyond
        the standard, such as `bfloat16`, are not listed.

        >>> import anvl.numpy as np
        >>> list(np.__array_namespace_info__().dtypes(kind="real floating"))
        ['float32', 'float64']
        """
        _check(device, "dtypes")
        every = {name: np.dtype(name) for name in _NAMES}
        return {n: d for n, d in every.items() if kind is None or isdtype(d, kind)}

    def devices(self) -> tuple[Device, ...]:
        """The devices of the default client: `anvl.devices()`.

        >>> import anvl.numpy as np
        >>> np.__array_namespace_info__().devices()
        (<CpuDevice(id=0)>,)
        """
        return devices()


def _check(device: Device | str | None, function: str) -> None:
    if device is not None:
        as_device(device, function)


def __array_namespace_info__() -> NamespaceInfo:
    """The capabilities, devices and dtypes of `anvl.numpy`.

    Notes
    -----
    Source: https://data-apis.org/array-api/2025.12/API_specification/inspection.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> sorted(np.__array_namespace_info__().dtypes(kind="complex floating"))
    ['complex128', 'complex64']
    """
    return NamespaceInfo()
