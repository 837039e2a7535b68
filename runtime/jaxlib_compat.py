"""Every import of jaxlib in the project, and every difference between its versions.

Versions 0.10.2 to 0.12.x are told apart by what they can do, never by their number.  The
`jax` package is never imported: neither by us nor through those C++ functions of jaxlib that
would import it by themselves (`_arrays` of a sharded array, `_fully_replicated_shard`,
`_single_device_array_to_np_array_did_copy`, `dlpack_managed_tensor_to_buffer`).
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import jaxlib.version
import numpy as np
from jaxlib import _jax, utils, xla_client  # type: ignore[attr-defined]

from anvl.runtime.handlers.packing import SUB_BYTE_BITS, unpacked
from anvl.runtime.plugins.log_level import LOG_LEVEL

# XLA also logs the errors that it raises, and a few lines of its own; a user's setting of the
# variable takes precedence.
if LOG_LEVEL not in os.environ:
    utils.absl_set_min_log_level(3)

JAXLIB_VERSION: str = jaxlib.version.__version__

Failure: type[RuntimeError] = xla_client.XlaRuntimeError
CompileOptions: Any = xla_client.CompileOptions
DeviceAssignment: Any = xla_client.DeviceAssignment
DeviceList: Any = _jax.DeviceList
# The one sharding class that works on all versions without calling back into Python.
GSPMDSharding: Any = _jax.GSPMDSharding
HloSharding: Any = xla_client.HloSharding
OpSharding: Any = xla_client.OpSharding
RawArray: Any = _jax.ArrayImpl
PyTreeDef: Any = _jax.pytree.PyTreeDef
PyTreeRegistry: Any = _jax.pytree.PyTreeRegistry

COPY: Any = _jax.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL
ZERO_COPY: Any = _jax.HostBufferSemantics.ZERO_COPY

make_cpu_client: Callable[..., Any] = xla_client.make_cpu_client
batched_device_put: Callable[..., Any] = _jax.batched_device_put
block_until_ready: Callable[[list[Any]], None] = _jax.batched_block_until_ready
collect_garbage: Callable[[], None] = _jax.collect_garbage


def result_handler(aval: object, sharding: Any) -> Any:
    """The handler that turns one result of an execution into a buffer that carries `aval`."""
    try:  # up to 0.11.1; without the last argument it calls a function of `jax`
        return _jax.array_result_handler(aval, sharding, True, True)
    except TypeError:
        return _jax.array_result_handler(aval, sharding, True)


def device_put(aval: object, sharding: Any, shards: list[Any], devices: Any, semantics: Any) -> Any:
    """Copy one shard to each device.  The last `True` keeps 64-bit types as they are."""
    return batched_device_put(aval, sharding, shards, devices, True, False, semantics, True)


def device_copy(aval: object, sharding: Any, buffer: Any, devices: Any) -> Any:
    """Copy a buffer of one device, also to the device where it already is."""
    return batched_device_put(aval, sharding, [buffer], devices, True, True, COPY, True)


def compile_and_load(client: Any, program: Any, devices: Any, options: Any) -> Any:
    """Compile StableHLO text, bytecode, a portable artifact, or a module of jaxlib's MLIR."""
    return client.compile_and_load(program, devices, options)


def serialize(client: Any, executable: Any) -> bytes:
    """A compiled program as bytes, which `deserialize` reads without looking at who wrote them."""
    return client.serialize_executable(executable)


def deserialize(client: Any, data: bytes, devices: Any, options: Any, *functions: Any) -> Any:
    """A compiled program from bytes of `serialize`, of this version and for these devices.

    It may call Python `functions`, if a list of them is given.
    """
    return client.deserialize_executable(data, devices, options, *functions)


def topology_fingerprint(devices: list[Any]) -> str:
    """A number for the kind of these devices, where the client has it; else their kinds."""
    try:
        return str(xla_client.get_topology_for_devices(devices).fingerprint())
    except Failure:
        return ", ".join(device.device_kind for device in devices)


def compile_with_callbacks(
    client: Any,
    artifact: bytes | str,
    devices: Any,
    options: Any,
    callbacks: list[Any],
    named: tuple[str, str, Sequence[int]],
) -> Any:
    """Compile a portable artifact that calls these functions, by number.

    They are taken with a module of jaxlib's own MLIR alone.  Custom calls of the first name get the
    second, and for each number the one at its place.
    """
    mlir: Any = importlib.import_module("jaxlib.mlir.ir")
    stablehlo: Any = importlib.import_module("jaxlib.mlir.dialects.stablehlo")
    context = mlir_context()
    context.load_all_available_dialects()
    module = stablehlo.deserialize_portable_artifact(context, artifact)
    with context:
        _rename_calls(mlir, module, *named)
    return client.compile_and_load(module, devices, options, callbacks)


def mlir_context() -> Any:
    """A context of jaxlib's own MLIR, for one thread at a time: 0.4 ms."""
    mlir: Any = importlib.import_module("jaxlib.mlir.ir")
    extension: Any = importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
    stablehlo: Any = importlib.import_module("jaxlib.mlir._mlir_libs._stablehlo")
    context, registry = mlir.Context(), mlir.DialectRegistry()
    context.enable_multithreading(False)
    extension.register_dialects(registry)
    context.append_dialect_registry(registry)
    stablehlo.register_dialect(context)
    return context


def module_in(context: Any, program: bytes) -> Any:
    """The module of MLIR bytecode in a context; None if it cannot be read there."""
    mlir: Any = importlib.import_module("jaxlib.mlir.ir")
    try:
        return mlir.Module.parse(program, context)
    except (mlir.MLIRError, ValueError):
        return None


def _rename_calls(mlir: Any, module: Any, old: str, new: str, numbers: Sequence[int]) -> None:
    def visit(op: Any) -> Any:
        if op.name == "stablehlo.custom_call" and op.attributes["call_target_name"].value == old:
            index = op.attributes["backend_config"]["index"]
            number = mlir.IntegerAttr.get(index.type, numbers[index.value])
            op.attributes["call_target_name"] = mlir.StringAttr.get(new)
            op.attributes["backend_config"] = mlir.DictAttr.get({"index": number})
        return mlir.WalkResult.ADVANCE

    module.operation.walk(visit)


def buffer_to_numpy(buffer: Any) -> tuple[np.ndarray[Any, Any], bool]:
    """A read-only numpy array of a live buffer, and whether it is a copy.  Waits until ready."""
    try:
        return np.asarray(memoryview(buffer)), False
    except BufferError:  # types that memoryview cannot name, or the program failed
        buffer.block_until_ready()
    return _other_buffer_to_numpy(buffer)


# The modules that make types and shardings of `jax`; jaxlib 0.10.2 asks for the first one first.
_ASKED_OF_JAX = ("jax.core", "jax._src.sharding_impls")


@contextmanager
def _without_jax() -> Iterator[None]:
    """Call functions of jaxlib that make shardings of `jax` if they can import it.

    That would take 0.3 s, import all of it, and set variables of the environment.  A module that is
    None is not looked for: 43 us for 8 shards, not 630.
    """
    if "jax" in sys.modules:
        yield
        return
    for name in _ASKED_OF_JAX:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in _ASKED_OF_JAX:
            sys.modules.pop(name, None)


def shards_of(buffer: Any) -> list[Any]:
    """The buffers of the devices of this process, for an array over several."""
    with _without_jax():
        return list(buffer._arrays)


def _to_numpy_by_library(buffer: Any) -> tuple[np.ndarray[Any, Any], bool]:
    value, copied = buffer._to_np_array_did_copy()
    return value, bool(copied)


def _to_numpy_by_address(buffer: Any) -> tuple[np.ndarray[Any, Any], bool]:
    """Read the memory directly: up to 0.11.1 the library's own way imports `jax`."""
    if buffer._sharding._devices[0].platform != "cpu":
        raise Failure(
            f"cannot read an array off the CPU, jaxlib {JAXLIB_VERSION}; use jaxlib >= 0.11.2"
        )
    shape, dtype = buffer.aval.shape, buffer.aval.dtype
    n_bytes = buffer.on_device_size_in_bytes()
    if n_bytes == 0:
        return _read_only(np.empty(shape, dtype)), True
    with _without_jax():
        address = buffer.unsafe_buffer_pointer()
    memory: Any = (ctypes.c_char * n_bytes).from_address(address)
    memory.keep_alive = buffer
    if dtype.name in SUB_BYTE_BITS:
        return _read_only(unpacked(memory, math.prod(shape), dtype).reshape(shape)), True
    return _read_only(np.frombuffer(memory, dtype).reshape(shape)), False


_other_buffer_to_numpy = (
    _to_numpy_by_library if hasattr(RawArray, "_to_np_array_did_copy") else _to_numpy_by_address
)


def _read_only(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    value.flags.writeable = False
    return value


_DLPACK_HAS_VERSIONS = "max_version" in (_jax.buffer_to_dlpack_managed_tensor.__doc__ or "")

#: Whether many collectives on CPU devices in flight wait for each other for ever: fixed in 0.12.0,
#: which nothing but its new arguments tells.
COLLECTIVES_MAY_DEADLOCK = not _DLPACK_HAS_VERSIONS
#: Whether sums on the CPU compute sines in YNNPACK, as in 0.12.0.1: if not said, slower, not wrong.
SUMS_ARE_TRIGONOMETRIC = _DLPACK_HAS_VERSIONS


def buffer_to_dlpack(buffer: Any, stream: Any, max_version: tuple[int, int] | None) -> Any:
    """A DLPack capsule of a live buffer; versioned (and so read-only) from 0.12.0."""
    if _DLPACK_HAS_VERSIONS and max_version is not None:
        return _jax.buffer_to_dlpack_managed_tensor(buffer, stream=stream, max_version=max_version)
    return _jax.buffer_to_dlpack_managed_tensor(buffer, stream=stream)


def register_lapack() -> None:
    """Make the `lapack_*_ffi` custom calls known to the CPU compiler.  Imports scipy."""
    from jaxlib import lapack
    from jaxlib.cpu import _lapack

    _lapack.initialize()
    for name, function, version in lapack.registrations()["cpu"]:
        xla_client.register_custom_call_target(name, function, platform="cpu", api_version=version)


def register_handler(name: str, capsule: object, platform: str) -> None:
    """Make a handler of XLA's typed FFI known."""
    of_xla = platform.upper() if platform in ("cuda", "rocm") else platform
    xla_client.register_custom_call_target(name, capsule, platform=of_xla, api_version=1)


# -- plugins ---------------------------------------------------------------------------------------


def load_plugin(name: str, path: str, *, is_gpu: bool = False) -> tuple[str, Any]:
    """Load a library; jaxlib's name for it, and a capsule of its API.

    If `jax` has loaded it already, it is taken under its name, without a capsule.  Otherwise it
    gets a name that `jax` does not use, since `jax` does not start if its name is taken.  jaxlib
    0.11 deserializes programs for GPUs by the plugin that is called `gpu`, `cuda` or `rocm`.
    """
    if xla_client.pjrt_plugin_loaded(name):
        return name, None
    ours = f"anvl-{name}"
    capsule = xla_client.load_pjrt_plugin_dynamically(ours, path)
    if is_gpu and not xla_client.pjrt_plugin_loaded("gpu"):
        xla_client.load_pjrt_plugin_with_c_api("gpu", capsule)
    return ours, capsule


def initialize_plugin(name: str) -> None:
    """Initialise a loaded plugin, once; jaxlib refuses versions that it does not take."""
    if not xla_client.pjrt_plugin_initialized(name):
        xla_client.initialize_pjrt_plugin(name)


def make_plugin_client(name: str, options: dict[str, Any], distributed_client: Any = None) -> Any:
    """Make a client of a loaded and initialised plugin.

    With the client of PJRT's coordination service, it reaches the devices of other processes.
    """
    return xla_client.make_c_api_client(name, options, distributed_client)


def gpu_options() -> dict[str, Any]:
    """Options of GPU plugins, with the settings of memory by `XLA_PYTHON_CLIENT_*`."""
    return dict(xla_client.generate_pjrt_gpu_plugin_options())


def register_gpu_handlers(platform: str, extension: Any, capsule: object) -> None:
    """Make the custom calls of jaxlib's GPU libraries known to the plugin of a `platform`.

    `extension` is the module of the plugin's wheel that passes them on.
    """
    on_type, on_call = extension.register_custom_type, extension.register_custom_call_target
    xla_client.register_custom_type_handler(platform, partial(on_type, capsule))
    xla_client.register_custom_call_handler(platform, partial(on_call, capsule))
    for name, function in extension.ffi_types().items():
        xla_client.register_custom_type(name, function, platform=platform)
    for name, function in extension.ffi_handlers().items():
        xla_client.register_custom_call_target(name, function, platform=platform, api_version=1)
    for name, function, version in gpu_handlers(platform):
        xla_client.register_custom_call_target(
            name, function, platform=platform, api_version=version
        )


def gpu_handlers(platform: str) -> list[tuple[str, Any, int]]:
    """The custom calls of jaxlib's GPU libraries: name, function and version of the interface."""
    found: list[tuple[str, Any, int]] = []
    for library in ("solver", "linalg", "prng", "rnn", "sparse", "triton"):
        with warnings.catch_warnings(), suppress(ImportError):
            warnings.simplefilter("ignore")  # a library of another version has none
            # Some register theirs when they are imported.
            module = importlib.import_module(f"jaxlib.gpu_{library}")
            registrations: Any = getattr(module, "registrations", dict)
            found += registrations().get(platform, ())
    return found


def include_dir() -> Path:
    """Folder of the headers of XLA's FFI, if this jaxlib has them."""
    return Path(jaxlib.version.__file__).parent / "include"


def stablehlo_version() -> str:
    """The newest StableHLO that this jaxlib reads, such as `1.17.0`."""
    # 6 ms, and only needed to compile.
    from jaxlib.mlir._mlir_libs import _stablehlo

    return str(_stablehlo.get_current_version())


def profile_mark(name: str, **facts: Any) -> Any:
    """A context manager that marks its block, with facts, in the profile that is being recorded."""
    from jaxlib import _profiler  # type: ignore[attr-defined]  # 2 ms, only to record

    return _profiler.TraceMe(name, **facts)


def start_profile(python_calls: bool) -> Any:
    """Begin to record a profile; `python_calls` says whether to record every call in Python."""
    from jaxlib import _profiler  # type: ignore[attr-defined]

    options = _profiler.ProfileOptions()
    options.python_tracer_level = int(python_calls)
    return _profiler.ProfilerSession(options)


def end_profile(session: Any) -> Any:
    """End a profile; returns its planes, lines and events."""
    from jaxlib import _profile_data  # type: ignore[attr-defined]

    found = session.stop_and_get_profile_data()  # its class must be known by then
    assert isinstance(found, _profile_data.ProfileData)
    _make_class_of_stats(found)
    return found


def _make_class_of_stats(profile: Any) -> None:
    """Have the class of an event's statistics made, as the first that is read has it made.

    The class has no module, at which Python 3.13 warns; where warnings are errors, jaxlib ends the
    process.
    """
    events = (e for plane in profile.planes for line in plane.lines for e in line.events)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for event in itertools.islice(events, 1):
            iter(event.stats)


class ProgramReader:
    """Read programs with jaxlib's own MLIR, for inspection: 0.1 s to load, once."""

    def __init__(self) -> None:
        from jaxlib.mlir import ir
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext
        from jaxlib.mlir.dialects import chlo, stablehlo

        self._ir: Any = ir
        self._stablehlo: Any = stablehlo
        registry: Any = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        self._context: Any = ir.Context()
        self._context.append_dialect_registry(registry)
        self._context.allow_unregistered_dialects = True
        for dialect in (stablehlo, chlo):
            dialect.register_dialect(self._context)

    def read(self, program: bytes | str) -> Any:
        """The module as an operation; None if it cannot be read."""
        try:
            if isinstance(program, bytes) and _ARTIFACT.match(program):
                self._module = self._stablehlo.deserialize_portable_artifact(self._context, program)
            else:
                self._module = self._ir.Module.parse(program, self._context)
        except (self._ir.MLIRError, ValueError):
            return None
        return self._module.operation

    def convert(self, program: bytes) -> None:
        """Convert a program to HLO, as XLA does before it compiles; errors are left to XLA."""
        with suppress(Exception):
            _jax.mlir.mlir_module_to_xla_computation(program)

    def named_in(self, function: Any) -> list[str]:
        """Names of the functions that the ops in a function refer to."""
        found: list[str] = []

        def visit(op: Any) -> Any:
            name = _NAMES_FUNCTIONS.get(op.name)
            if name is not None and name in op.attributes:
                found.extend(self._names(op.attributes[name]))
            return self._ir.WalkResult.ADVANCE

        for block in function.regions[0].blocks:
            for op in block.operations:
                op.operation.walk(visit)
        return found

    def _names(self, attribute: Any) -> list[str]:
        if isinstance(attribute, self._ir.FlatSymbolRefAttr):
            return [str(attribute.value)]
        if isinstance(attribute, self._ir.ArrayAttr):
            return [name for entry in attribute for name in self._names(entry)]
        return []


_ARTIFACT = re.compile(rb"ML\xefR.StableHLO_v", re.DOTALL)  # a byte: the version of the bytecode
_NAMES_FUNCTIONS = {
    "func.call": "callee",
    "func.constant": "value",
    "stablehlo.composite": "decomposition",
    "stablehlo.custom_call": "called_computations",
}


# -- several processes -----------------------------------------------------------------------------

# Only of a recoverable task do the others outlive its death; which side says so has changed.
_RECOVERABLE = {"recoverable": True}


def start_coordination(address: str, count: int, timeout: int, heartbeat_timeout: int) -> Any:
    """Start PJRT's coordination service for processes that connect within `timeout` seconds."""
    make = _jax.get_distributed_runtime_service
    return make(
        address,
        count,
        heartbeat_timeout=heartbeat_timeout,
        cluster_register_timeout=timeout,
        shutdown_timeout=timeout,
        **(_RECOVERABLE if "recoverable" in (make.__doc__ or "") else {}),
    )


def connect_coordination(address: str, index: int, timeout: int, heartbeat_timeout: int) -> Any:
    """A client of the service.  It ends the process if anything is wrong: check before."""
    make = _jax.get_distributed_runtime_client
    client = make(
        address,
        index,
        init_timeout=timeout,
        heartbeat_timeout=heartbeat_timeout,
        shutdown_timeout=timeout,
        shutdown_on_destruction=False,
        use_compression=True,
        **(_RECOVERABLE if "recoverable" in (make.__doc__ or "") else {}),
    )
    client.connect()
    return client


def make_cpu_client_of_job(client: Any, index: int, count: int, host: str, **options: Any) -> Any:
    """A CPU client with the devices of all processes, whose collectives are Gloo's.

    `host` is the address at which the others reach this process.
    """
    collectives = _jax.make_gloo_tcp_collectives(distributed_client=client, hostname=host)
    return make_cpu_client(
        distributed_client=client,
        node_id=index,
        num_nodes=count,
        collectives=collectives,
        **options,
    )
