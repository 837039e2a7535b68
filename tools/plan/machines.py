"""Machines described by a few numbers of their data sheets, for predictions.

A file of one's own is TOML:

    name = "our cluster"
    memory_bytes = 80e9              # of a device
    memory_bandwidth = 3.35e12       # bytes a second, of a device
    flops = 67e12                    # a second, of products of f32 and all that is not named below
    flops_of = { bf16 = 989e12, f16 = 989e12 }
    devices_per_node = 8
    link_bandwidth = 450e9           # bytes a second in one direction, of a device within a node
    link_latency = 3e-6              # seconds of a message
    network_bandwidth = 50e9         # the same between nodes
    network_latency = 10e-6
"""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anvl.dialect.core.errors import nearest

__all__ = ["MACHINES", "Machine", "machine"]


@dataclass(frozen=True)
class Machine:
    """Numbers of a machine, for one device: bytes, bytes a second, operations a second, seconds."""

    name: str
    memory_bytes: float
    memory_bandwidth: float
    flops: float
    devices_per_node: int
    link_bandwidth: float
    link_latency: float
    network_bandwidth: float
    network_latency: float
    flops_of: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def flops_in(self, dtype: str) -> float:
        """Operations a second of products whose operands have this dtype, by XLA's name."""
        return self.flops_of.get(dtype, self.flops)


#: Sources: NVIDIA's data sheets of A100 SXM (2021), H100 SXM (2023), H200 SXM (2024), without
#: sparsity; NVLink in one direction, a network of 200 or 400 Gbit/s a device.  Google Cloud's pages
#: of TPU v5e and v5p.
MACHINES = {
    "a100": Machine("a100", 80e9, 2.039e12, 156e12, 8, 300e9, 3e-6, 25e9, 10e-6,
                    {"bf16": 312e12, "f16": 312e12, "f64": 19.5e12}),
    "h100": Machine("h100", 80e9, 3.35e12, 494e12, 8, 450e9, 3e-6, 50e9, 10e-6,
                    {"bf16": 989e12, "f16": 989e12, "f64": 67e12}),
    "h200": Machine("h200", 141e9, 4.8e12, 494e12, 8, 450e9, 3e-6, 50e9, 10e-6,
                    {"bf16": 989e12, "f16": 989e12, "f64": 67e12}),
    "tpu-v5e": Machine("tpu-v5e", 16e9, 819e9, 49e12, 256, 45e9, 1e-6, 6e9, 20e-6,
                       {"bf16": 197e12}),
    "tpu-v5p": Machine("tpu-v5p", 95e9, 2.765e12, 115e12, 8960, 90e9, 1e-6, 6e9, 20e-6,
                       {"bf16": 459e12}),
}  # fmt: skip

#: XLA's names of the dtypes that products have.
_DTYPES = (
    "bf16", "f16", "f32", "f64", "c64", "c128", "s4", "s8", "s16", "s32", "s64", "u4", "u8", "u16",
    "u32", "u64", "f8e4m3", "f8e4m3fn", "f8e4m3fnuz", "f8e4m3b11fnuz", "f8e5m2", "f8e5m2fnuz",
    "f8e3m4", "f8e8m0fnu", "f4e2m1fn",
)  # fmt: skip
_FIELDS = {each.name: each for each in dataclasses.fields(Machine)}


def machine(name: str) -> Machine:
    """The machine of a name, or that of a TOML file.

    Raises
    ------
    ValueError
        There is no such machine or file, or the file lacks a number, or has one that is none.
    """
    if name in MACHINES:
        return MACHINES[name]
    path = Path(name)
    if path.suffix != ".toml":
        known = ", ".join(MACHINES)
        raise ValueError(f"no machine {name!r}{nearest(name, MACHINES)}; there are {known}, or "
                         "write one into a .toml file")  # fmt: skip
    try:
        given = tomllib.loads(path.read_text())
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return _of(name, given)


def _of(path: str, given: dict[str, Any]) -> Machine:
    given = {"name": Path(path).stem, **given}
    _check_names(path, given)
    flops_of = _flops_of(path, given.get("flops_of", {}))
    numbers = {key: value for key, value in given.items() if key not in ("name", "flops_of")}
    numbers |= {f"flops_of.{key}": value for key, value in flops_of.items()}
    for key, value in numbers.items():
        if type(value) not in (int, float) or not 0 < value < float("inf"):
            raise ValueError(f"{path}: {key} is {value!r}; it must be a positive number")
    if given["devices_per_node"] % 1:
        raise ValueError(
            f"{path}: devices_per_node is {given['devices_per_node']!r}; it must be a whole number"
        )
    return Machine(**given)


def _check_names(path: str, given: dict[str, Any]) -> None:
    """Refuse numbers that no machine has, and too few of them."""
    for key in given:
        if key not in _FIELDS:
            raise ValueError(f"{path}: no number {key!r}{nearest(key, _FIELDS)}")
    missing = [key for key in _FIELDS if key not in given and key != "flops_of"]
    if missing:
        raise ValueError(f"{path}: lacks {', '.join(missing)}")


def _flops_of(path: str, given: Any) -> dict[str, Any]:
    """The table of operations a second by dtype, whose names are checked."""
    if not isinstance(given, dict):
        raise ValueError(f"{path}: flops_of is {given!r}; write it like {{ bf16 = 989e12 }}")
    for dtype in given:
        if dtype not in _DTYPES:
            close = nearest(dtype, _DTYPES)
            known = ", ".join(_DTYPES)
            raise ValueError(f"{path}: flops_of.{dtype} is of no dtype{close}; XLA has {known}")
    return given
