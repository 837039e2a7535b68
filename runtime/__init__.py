"""anvl.runtime: put arrays on devices, compile StableHLO, run it.  Independent of the dialect."""

if __name__ != "anvl.runtime":
    raise ImportError("import `anvl.runtime`, not the source folder `runtime`")

from anvl.runtime.array import Array
from anvl.runtime.client import (
    Client,
    Device,
    Placement,
    cpu_client,
    default_client,
    default_placement,
    default_platform,
    devices,
    has_client,
)
from anvl.runtime.dispatch import (
    MISSING,
    Dispatch,
    begin_tracing,
    clear_caches,
    end_tracing,
    make_dispatch,
    make_flat_dispatch,
    make_function,
    set_variant,
)
from anvl.runtime.errors import ForkedProcess, RuntimeFailure
from anvl.runtime.executable import (
    Entry,
    Executable,
    compile,
    compile_lowered,
    stablehlo_version,
)
from anvl.runtime.ffi import include_dir, register_handler, registered_handlers
from anvl.runtime.tracebacks import hide_code_of, hide_frames, hiding_frames
from anvl.runtime.transfer import put
from anvl.runtime.types import ArrayType, array_type

__all__ = [
    "MISSING",
    "Array",
    "ArrayType",
    "Client",
    "Device",
    "Dispatch",
    "Entry",
    "Executable",
    "ForkedProcess",
    "Placement",
    "RuntimeFailure",
    "array_type",
    "begin_tracing",
    "clear_caches",
    "compile",
    "compile_lowered",
    "cpu_client",
    "default_client",
    "default_placement",
    "default_platform",
    "devices",
    "end_tracing",
    "has_client",
    "hide_code_of",
    "hide_frames",
    "hiding_frames",
    "include_dir",
    "make_dispatch",
    "make_flat_dispatch",
    "make_function",
    "put",
    "register_handler",
    "registered_handlers",
    "set_variant",
    "stablehlo_version",
]
