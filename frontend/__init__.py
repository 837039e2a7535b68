"""anvl: trace Python, differentiate it with MLIR passes, run it on PJRT.

    >>> import anvl, anvl.numpy as np
    >>> slope = anvl.jit(anvl.grad(lambda x: np.sin(x) * x))
    >>> print(slope(0.0))
    0.0

Names are loaded when they are first used: `anvl-opt` needs none of them, nor the runtime.
"""

if __name__ != "anvl":
    raise ImportError("import `anvl`, not the source folder `frontend`")

from typing import TYPE_CHECKING, Any

from anvl.core.importing import load_module as _load_module
from anvl.core.importing import load_operators as _load_operators
from anvl.core.importing import unknown_name as _unknown_name

if TYPE_CHECKING:
    from anvl import checkpointing as checkpointing
    from anvl import debug as debug
    from anvl import distributed as distributed
    from anvl import ffi as ffi
    from anvl import flatten_util as flatten_util
    from anvl import image as image
    from anvl import lax as lax
    from anvl import nn as nn
    from anvl import numpy as numpy
    from anvl import ops as ops
    from anvl import optim as optim
    from anvl import prim as prim
    from anvl import profiler as profiler
    from anvl import random as random
    from anvl import safetensors as safetensors
    from anvl import scipy as scipy
    from anvl import sharding as sharding
    from anvl import testing as testing
    from anvl import tree as tree
    from anvl import tree_util as tree_util
    from anvl import windows as windows
    from anvl.call_spellings.checkpoint_policies import checkpoint_policies as checkpoint_policies
    from anvl.call_spellings.jax_settings import (
        default_matmul_precision as default_matmul_precision,
    )
    from anvl.call_spellings.jax_settings import disable_jit as disable_jit
    from anvl.call_spellings.jax_settings import enable_x64 as enable_x64
    from anvl.call_spellings.jax_settings import log_compiles as log_compiles
    from anvl.control_flow.conditions import cond as cond
    from anvl.control_flow.conditions import switch as switch
    from anvl.control_flow.loops import fori_loop as fori_loop
    from anvl.control_flow.loops import scan as scan
    from anvl.control_flow.loops import while_loop as while_loop
    from anvl.control_flow.map import associative_scan as associative_scan
    from anvl.control_flow.map import map as map
    from anvl.control_flow.reduce import reduce as reduce
    from anvl.control_flow.shard_map import shard_map as shard_map
    from anvl.control_flow.solves import custom_linear_solve as custom_linear_solve
    from anvl.control_flow.solves import custom_root as custom_root
    from anvl.core.avals import ShapeDtypeStruct as ShapeDtypeStruct
    from anvl.core.avals import aval as aval
    from anvl.core.config import config as config
    from anvl.core.config import default_device as default_device
    from anvl.core.config import defaults as defaults
    from anvl.core.config import set_default_device as set_default_device
    from anvl.core.config import set_defaults as set_defaults
    from anvl.core.named_scopes import named_call as named_call
    from anvl.core.named_scopes import named_scope as named_scope
    from anvl.core.promote import typeof as typeof
    from anvl.core.trace_state import ensure_compile_time_eval as ensure_compile_time_eval
    from anvl.dialect.core.errors import AnvlError as AnvlError
    from anvl.dialect.core.errors import BucketError as BucketError
    from anvl.dialect.core.errors import CheckError as CheckError
    from anvl.dialect.core.errors import CheckpointError as CheckpointError
    from anvl.dialect.core.errors import CompileCountError as CompileCountError
    from anvl.dialect.core.errors import ExportError as ExportError
    from anvl.dialect.core.errors import KeyReuseError as KeyReuseError
    from anvl.dialect.core.errors import MissingRule as MissingRule
    from anvl.dialect.core.errors import NonFiniteError as NonFiniteError
    from anvl.dialect.core.errors import PassError as PassError
    from anvl.dialect.core.errors import ShardingError as ShardingError
    from anvl.dialect.core.errors import StaleClosureError as StaleClosureError
    from anvl.dialect.core.errors import StaleClosureWarning as StaleClosureWarning
    from anvl.dialect.core.errors import TraceError as TraceError
    from anvl.dispatch.graph import eval_shape as eval_shape
    from anvl.dispatch.graph import trace as trace
    from anvl.dispatch.jit import clear_caches as clear_caches
    from anvl.dispatch.jit import jit as jit
    from anvl.dispatch.partitioning.constraints import with_sharding as with_sharding
    from anvl.dispatch.transfers import block_until_ready as block_until_ready
    from anvl.dispatch.transfers import device_get as device_get
    from anvl.dispatch.transfers import device_put as device_put
    from anvl.distributed.array_parts import make_array_from_callback as make_array_from_callback
    from anvl.distributed.array_parts import (
        make_array_from_process_local_data as make_array_from_process_local_data,
    )
    from anvl.distributed.array_parts import (
        make_array_from_single_device_arrays as make_array_from_single_device_arrays,
    )
    from anvl.distributed.device_counts import default_backend as default_backend
    from anvl.distributed.device_counts import device_count as device_count
    from anvl.distributed.device_counts import local_device_count as local_device_count
    from anvl.distributed.device_counts import local_devices as local_devices
    from anvl.distributed.device_counts import process_count as process_count
    from anvl.distributed.device_counts import process_index as process_index
    from anvl.effects.callbacks import callback as callback
    from anvl.effects.callbacks import effects_barrier as effects_barrier
    from anvl.effects.callbacks import pure_callback as pure_callback
    from anvl.effects.checking import check as check
    from anvl.effects.checking import check_finite as check_finite
    from anvl.installation.versions_report import print_environment_info as print_environment_info
    from anvl.installation.versions_report import show_versions as show_versions
    from anvl.interop.export import export as export
    from anvl.interop.load_program import load as load
    from anvl.interop.stablehlo_import import from_stablehlo as from_stablehlo
    from anvl.jacobians.dense_jacobians import hvp as hvp
    from anvl.jacobians.dense_jacobians import jacfwd as jacfwd
    from anvl.jacobians.dense_jacobians import jacrev as jacrev
    from anvl.jacobians.jacobian import hessian as hessian
    from anvl.jacobians.jacobian import jacobian as jacobian
    from anvl.jacobians.sparse_matrix import SparseMatrix as SparseMatrix
    from anvl.precision.mixed_precision import PrecisionError as PrecisionError
    from anvl.precision.mixed_precision import mixed_precision as mixed_precision
    from anvl.recompilation.expectations import expect_compiles as expect_compiles
    from anvl.recompilation.misses import RecompilationWarning as RecompilationWarning
    from anvl.runtime import Array as Array
    from anvl.runtime import CacheWarning as CacheWarning
    from anvl.runtime import CallbackError as CallbackError
    from anvl.runtime import CallbackWarning as CallbackWarning
    from anvl.runtime import Device as Device
    from anvl.runtime import DistributedError as DistributedError
    from anvl.runtime import DonationWarning as DonationWarning
    from anvl.runtime import OutOfMemory as OutOfMemory
    from anvl.runtime import PluginError as PluginError
    from anvl.runtime import RuntimeFailure as RuntimeFailure
    from anvl.runtime import Shard as Shard
    from anvl.runtime import devices as devices
    from anvl.runtime import register_plugin as register_plugin
    from anvl.sharding import NamedSharding as NamedSharding
    from anvl.sharding import P as P
    from anvl.sharding.meshes import Mesh as Mesh
    from anvl.sharding.meshes import make_mesh as make_mesh
    from anvl.transforms.checkpoints import checkpoint as checkpoint
    from anvl.transforms.checkpoints import remat as remat
    from anvl.transforms.closures import closure_convert as closure_convert
    from anvl.transforms.custom_rules import custom_gradient as custom_gradient
    from anvl.transforms.custom_rules import custom_jvp as custom_jvp
    from anvl.transforms.custom_rules import custom_vjp as custom_vjp
    from anvl.transforms.explain import why_not_differentiable as why_not_differentiable
    from anvl.transforms.grad import grad as grad
    from anvl.transforms.grad import value_and_grad as value_and_grad
    from anvl.transforms.jet import jet as jet
    from anvl.transforms.jvp import jvp as jvp
    from anvl.transforms.linear_transpose import linear_transpose as linear_transpose
    from anvl.transforms.linearize import linearize as linearize
    from anvl.transforms.saved_residuals import print_saved_values as print_saved_values
    from anvl.transforms.stop_gradient import stop_gradient as stop_gradient
    from anvl.transforms.tags import tag as tag
    from anvl.transforms.vjp import vjp as vjp
    from anvl.transforms.vmap import vmap as vmap

#: Module of each public name.
_HOMES = {
    "AnvlError": "anvl.dialect.core.errors",
    "Array": "anvl.runtime",
    "CacheWarning": "anvl.runtime",
    "CallbackError": "anvl.runtime",
    "CallbackWarning": "anvl.runtime",
    "CheckError": "anvl.dialect.core.errors",
    "CheckpointError": "anvl.dialect.core.errors",
    "BucketError": "anvl.dialect.core.errors",
    "CompileCountError": "anvl.dialect.core.errors",
    "Device": "anvl.runtime",
    "DistributedError": "anvl.runtime",
    "ExportError": "anvl.dialect.core.errors",
    "DonationWarning": "anvl.runtime",
    "KeyReuseError": "anvl.dialect.core.errors",
    "Mesh": "anvl.sharding.meshes",
    "MissingRule": "anvl.dialect.core.errors",
    "NonFiniteError": "anvl.dialect.core.errors",
    "OutOfMemory": "anvl.runtime",
    "PassError": "anvl.dialect.core.errors",
    "PluginError": "anvl.runtime",
    "PrecisionError": "anvl.precision.mixed_precision",
    "RecompilationWarning": "anvl.recompilation.misses",
    "RuntimeFailure": "anvl.runtime",
    "ShapeDtypeStruct": "anvl.core.avals",
    "ShardingError": "anvl.dialect.core.errors",
    "SparseMatrix": "anvl.jacobians.sparse_matrix",
    "StaleClosureError": "anvl.dialect.core.errors",
    "StaleClosureWarning": "anvl.dialect.core.errors",
    "TraceError": "anvl.dialect.core.errors",
    "associative_scan": "anvl.control_flow.map",
    "aval": "anvl.core.avals",
    "callback": "anvl.effects.callbacks",
    "check": "anvl.effects.checking",
    "check_finite": "anvl.effects.checking",
    "block_until_ready": "anvl.dispatch.transfers",
    "checkpoint": "anvl.transforms.checkpoints",
    "clear_caches": "anvl.dispatch.jit",
    "cond": "anvl.control_flow.conditions",
    "closure_convert": "anvl.transforms.closures",
    "config": "anvl.core.config",
    "custom_jvp": "anvl.transforms.custom_rules",
    "custom_linear_solve": "anvl.control_flow.solves",
    "custom_root": "anvl.control_flow.solves",
    "custom_vjp": "anvl.transforms.custom_rules",
    "default_device": "anvl.core.config",
    "defaults": "anvl.core.config",
    "device_get": "anvl.dispatch.transfers",
    "device_put": "anvl.dispatch.transfers",
    "devices": "anvl.runtime",
    "eval_shape": "anvl.dispatch.graph",
    "expect_compiles": "anvl.recompilation.expectations",
    "export": "anvl.interop.export",
    "fori_loop": "anvl.control_flow.loops",
    "from_stablehlo": "anvl.interop.stablehlo_import",
    "load": "anvl.interop.load_program",
    "grad": "anvl.transforms.grad",
    "hessian": "anvl.jacobians.jacobian",
    "hvp": "anvl.jacobians.dense_jacobians",
    "jacfwd": "anvl.jacobians.dense_jacobians",
    "jacobian": "anvl.jacobians.jacobian",
    "jacrev": "anvl.jacobians.dense_jacobians",
    "jet": "anvl.transforms.jet",
    "jit": "anvl.dispatch.jit",
    "jvp": "anvl.transforms.jvp",
    "linear_transpose": "anvl.transforms.linear_transpose",
    "linearize": "anvl.transforms.linearize",
    "map": "anvl.control_flow.map",
    "mixed_precision": "anvl.precision.mixed_precision",
    "named_scope": "anvl.core.named_scopes",
    "print_saved_values": "anvl.transforms.saved_residuals",
    "pure_callback": "anvl.effects.callbacks",
    "reduce": "anvl.control_flow.reduce",
    "scan": "anvl.control_flow.loops",
    "register_plugin": "anvl.runtime",
    "remat": "anvl.transforms.checkpoints",
    "set_default_device": "anvl.core.config",
    "set_defaults": "anvl.core.config",
    "show_versions": "anvl.installation.versions_report",
    "shard_map": "anvl.control_flow.shard_map",
    "switch": "anvl.control_flow.conditions",
    "stop_gradient": "anvl.transforms.stop_gradient",
    "tag": "anvl.transforms.tags",
    "trace": "anvl.dispatch.graph",
    "value_and_grad": "anvl.transforms.grad",
    "vjp": "anvl.transforms.vjp",
    "vmap": "anvl.transforms.vmap",
    "while_loop": "anvl.control_flow.loops",
    "why_not_differentiable": "anvl.transforms.explain",
    "NamedSharding": "anvl.sharding",
    "P": "anvl.sharding",
    "checkpoint_policies": "anvl.call_spellings.checkpoint_policies",
    "custom_gradient": "anvl.transforms.custom_rules",
    "default_backend": "anvl.distributed.device_counts",
    "device_count": "anvl.distributed.device_counts",
    "local_device_count": "anvl.distributed.device_counts",
    "local_devices": "anvl.distributed.device_counts",
    "process_count": "anvl.distributed.device_counts",
    "process_index": "anvl.distributed.device_counts",
    "default_matmul_precision": "anvl.call_spellings.jax_settings",
    "disable_jit": "anvl.call_spellings.jax_settings",
    "enable_x64": "anvl.call_spellings.jax_settings",
    "log_compiles": "anvl.call_spellings.jax_settings",
    "make_array_from_callback": "anvl.distributed.array_parts",
    "make_array_from_process_local_data": "anvl.distributed.array_parts",
    "make_array_from_single_device_arrays": "anvl.distributed.array_parts",
    "make_mesh": "anvl.sharding.meshes",
    "typeof": "anvl.core.promote",
    "named_call": "anvl.core.named_scopes",
    "effects_barrier": "anvl.effects.callbacks",
    "print_environment_info": "anvl.installation.versions_report",
    "ensure_compile_time_eval": "anvl.core.trace_state",
    "Shard": "anvl.runtime",
    "with_sharding": "anvl.dispatch.partitioning.constraints",
}
_MODULES = (
    "checkpointing", "debug", "distributed", "ffi", "flatten_util", "image", "lax", "nn", "numpy",
    "ops", "optim", "prim", "profiler", "random", "safetensors", "scipy", "sharding", "testing",
    "tree", "tree_util", "windows",
)  # fmt: skip

#: What to write for names of JAX that are absent here.
_ELSEWHERE = {
    "Ref": "arrays are immutable; `x.at[...]` gives new ones",
    "ad_checkpoint": "checkpoint_name is anvl.tag, checkpoint is anvl.checkpoint",
    "copy_to_host_async": "use anvl.device_get",
    "debug_infs": "write anvl.jit(f, debug_nans=True), or anvl.check_finite",
    "debug_nans": "write anvl.jit(f, debug_nans=True), or anvl.check_finite",
    "experimental": "anvl.jet, anvl.shard_map, anvl.checkpointing, anvl.callback for io_callback",
    "float0": "cotangents of integers are None",
    "live_arrays": "there is no list of them; anvl.profiler.trace shows memory",
    "make_jaxpr": "use anvl.trace(f, *args)",
    "explain_cache_misses": "write anvl.config(explain_cache_misses=True)",
    "debug_key_reuse": "write anvl.config(check_key_reuse=True)",
    "reshard": "use anvl.with_sharding",
    "set_mesh": "write `with mesh:`, or set anvl.config.default_mesh",
    "pmap": "use anvl.shard_map over a mesh, or anvl.vmap",
    "transfer_guard": "arrays move by device_put alone",
}

__version__ = "0.1.0"
__all__ = [*sorted(_HOMES), *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES and name not in _HOMES:
        raise _unknown_name("anvl", name, __all__, _ELSEWHERE)
    if name in _HOMES:
        _load_operators()
    if name in _MODULES:
        found: Any = _load_module(f"anvl.{name}")
    else:
        found = getattr(_load_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
