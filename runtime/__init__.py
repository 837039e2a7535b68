"""anvl.runtime: put arrays on devices, compile StableHLO, run it.  Independent of the dialect."""

if __name__ != "anvl.runtime":
    raise ImportError("import `anvl.runtime`, not the source folder `runtime`")

from anvl.runtime.array import Array
from anvl.runtime.client import (
    EMBEDDED,
    Client,
    Device,
    Placement,
    Target,
    cpu_client,
    embedded_client,
    embedded_target,
    has_client,
    on_embedded,
)
from anvl.runtime.dispatch import (
    MISS,
    MISSING,
    Dispatch,
    begin_tracing,
    clear_caches,
    end_tracing,
    form_of,
    make_dispatch,
    make_flat_dispatch,
    make_function,
    make_tree_call,
    set_variant,
    take_trees,
)
from anvl.runtime.dispatch_code import CallSignature, Reading
from anvl.runtime.errors import (
    CacheWarning,
    CallbackWarning,
    DistributedError,
    ForkedProcess,
    OutOfMemory,
    PluginError,
    RuntimeFailure,
)
from anvl.runtime.executable import Entry, Executable
from anvl.runtime.execution.compilation import (
    compile,
    compile_lowered,
    compile_options,
    load_lowered,
)
from anvl.runtime.execution.donation import (
    Donation,
    DonationWarning,
    name_constant,
    named_constant,
)
from anvl.runtime.execution.inline_runs import steady
from anvl.runtime.execution.product_kernels import write_product_kernels
from anvl.runtime.handlers.callbacks import CallbackError
from anvl.runtime.handlers.ffi import include_dir, register_handler, registered_handlers
from anvl.runtime.instrumentation.phases import DEBUG, INFO, is_watched, phase
from anvl.runtime.plugins.default_device import (
    PluginSettings,
    chosen_placement,
    default_client,
    default_placement,
    default_target,
    devices,
)
from anvl.runtime.plugins.discovery import normal
from anvl.runtime.plugins.registry import (
    as_device,
    device_text,
    find_plugin,
    known_plugins,
    register_plugin,
)
from anvl.runtime.plugins.stablehlo_versions import check_stablehlo, stablehlo_version
from anvl.runtime.result_code import Building, Rebuild, Values
from anvl.runtime.sharding.placements import (
    Placing,
    ShardedPlacement,
    Tiling,
    is_same_cut,
    sharded_placement,
)
from anvl.runtime.sharding.shards import Shard
from anvl.runtime.tracebacks import (
    explain_error,
    hide_code_of,
    hide_frames,
    hide_frames_of,
    hiding_frames,
    recursion_of,
    set_home,
)
from anvl.runtime.transfer import block_until_ready, placement_of, put, put_parts
from anvl.runtime.types import ArrayType, array_type

__all__ = [
    "DEBUG",
    "EMBEDDED",
    "INFO",
    "MISS",
    "MISSING",
    "Array",
    "ArrayType",
    "Building",
    "CacheWarning",
    "CallSignature",
    "CallbackError",
    "CallbackWarning",
    "Client",
    "Device",
    "Dispatch",
    "DistributedError",
    "Donation",
    "DonationWarning",
    "Entry",
    "Executable",
    "ForkedProcess",
    "OutOfMemory",
    "Placement",
    "Placing",
    "PluginError",
    "PluginSettings",
    "Reading",
    "Rebuild",
    "RuntimeFailure",
    "Shard",
    "ShardedPlacement",
    "Target",
    "Tiling",
    "Values",
    "array_type",
    "as_device",
    "begin_tracing",
    "block_until_ready",
    "check_stablehlo",
    "chosen_placement",
    "clear_caches",
    "compile",
    "compile_lowered",
    "compile_options",
    "cpu_client",
    "default_client",
    "default_placement",
    "default_target",
    "device_text",
    "devices",
    "embedded_client",
    "embedded_target",
    "end_tracing",
    "explain_error",
    "find_plugin",
    "form_of",
    "has_client",
    "hide_code_of",
    "hide_frames",
    "hide_frames_of",
    "hiding_frames",
    "include_dir",
    "is_same_cut",
    "is_watched",
    "known_plugins",
    "load_lowered",
    "make_dispatch",
    "make_flat_dispatch",
    "make_function",
    "make_tree_call",
    "name_constant",
    "named_constant",
    "normal",
    "phase",
    "placement_of",
    "put",
    "put_parts",
    "recursion_of",
    "register_handler",
    "register_plugin",
    "registered_handlers",
    "set_home",
    "set_variant",
    "sharded_placement",
    "stablehlo_version",
    "steady",
    "take_trees",
]

on_embedded(write_product_kernels)
