"""Elements of 2 and 4 bits: NumPy stores each in a byte, devices pack them, the lowest first."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["SUB_BYTE_BITS", "packed", "unpacked"]

#: Bits per element of the dtypes that a device packs (also on those versions of jaxlib whose
#: `on_device_size_in_bytes` says one byte each).
SUB_BYTE_BITS = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4}


def unpacked(memory: Any, n_elements: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of one axis of the elements in the first bytes of a memory."""
    bits = SUB_BYTE_BITS[dtype.name]
    fields = np.frombuffer(memory, np.uint8, count=-(-n_elements * bits // 8))
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    fields = fields[:, None] >> shifts & np.uint8(2**bits - 1)
    return fields.reshape(-1)[:n_elements].view(dtype)


def packed(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The bytes of an array's elements, in row-major order."""
    bits = SUB_BYTE_BITS[array.dtype.name]
    per_byte = 8 // bits
    fields = np.zeros((-(-array.size // per_byte), per_byte), np.uint8)
    fields.reshape(-1)[: array.size] = array.reshape(-1).view(np.uint8) & np.uint8(2**bits - 1)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return np.bitwise_or.reduce(fields << shifts, axis=1)
