"""Compiling StableHLO for a placement, or loading what was compiled before."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anvl.runtime import trial
from anvl.runtime.calls import check_calls
from anvl.runtime.client import EMBEDDED, Placement, check_placement, check_process
from anvl.runtime.disk_cache import Alias, Compiled, compile_or_load, load_aliased
from anvl.runtime.errors import RuntimeFailure, readable
from anvl.runtime.executable import Executable
from anvl.runtime.execution.backend_options import BACKEND_OPTIONS, with_backend_options
from anvl.runtime.execution.donation import Donation
from anvl.runtime.execution.inline_runs import watched
from anvl.runtime.execution.program_types import known_types
from anvl.runtime.execution.runner import called_program, runner
from anvl.runtime.execution.scipy_routines import routines_alone
from anvl.runtime.handlers.callbacks import compile_with_callbacks, guarded, waiting
from anvl.runtime.handlers.ffi import missing_handler
from anvl.runtime.instrumentation.phases import INFO, phase
from anvl.runtime.instrumentation.progress import progress
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock
from anvl.runtime.memory import check_memory
from anvl.runtime.plugins.default_device import default_placement
from anvl.runtime.sharding.placements import Placing
from anvl.runtime.turns import check_order
from anvl.runtime.types import ArrayType, check_fits_memory

__all__ = ["compile", "compile_lowered", "compile_options", "load_lowered"]


def compile(  # the established name; the built-in is not needed here
    program: bytes | str,
    placement: Placement | None = None,
    *,
    options: Mapping[str, object] | None = None,
    arg_types: Sequence[ArrayType] | None = None,
    out_types: Sequence[ArrayType] | None = None,
    argument_names: Sequence[str] | None = None,
) -> Executable:
    """Compile a StableHLO module with a public function `main`.

    Parameters
    ----------
    program
        MLIR text or bytecode, or a StableHLO portable artifact.  Another process tries it out.
    placement
        Where it will run: a device, or several, which a program with shardings is split over; the
        first device if None.
    options
        Compiler options by XLA's names, such as `{"xla_backend_optimization_level": 0}`.
    arg_types, out_types
        The types of `main`.  If None they are read back from what was compiled.
    argument_names
        How messages call the arguments, such as `params['w']`; their positions if None.

    Raises
    ------
    TypeError
        `program` is neither text nor bytes, `placement` none, or an option no number, bool or text.
    ValueError
        An unknown option, or the number of types or names does not fit the program.
    OutOfMemory
        The results and temporaries together are larger than the memory of the machine.
    RuntimeFailure
        The program is not valid, ends the process that reads it or converts it to HLO, has a
        function without a body or recursion, calls LAPACK on stacks so that the calls may wait for
        each other for ever, or cannot be compiled for this device.
    ForkedProcess
        This process was forked from one that already had a client.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.compile("func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> "
    ...            "{ return %x : tensor<2xi1> }")
    <Executable (bool[2]) -> (bool[2]) on <CpuDevice(id=0)>>
    """
    check_process("compile")
    _check_program(program, placement)
    made = compile_lowered(
        program,
        placement,
        options=options,
        arg_types=arg_types,
        out_types=out_types,
        argument_names=argument_names,
    )
    if _names_lapack(program):
        check_order(made.handle)
    return made


def _check_program(program: bytes | str, placement: Placement | None) -> None:
    """Refuse programs that end the process, or have functions that cannot be called; and what is no
    placement."""
    if placement is not None:
        check_placement(placement, "compile")
    if not isinstance(program, bytes | str):
        raise TypeError(f"compile: program must be text or bytes, got {type(program).__name__}")
    failure = trial.check(program)
    check_calls(program)
    if failure is not None:
        raise failure


def compile_lowered(
    program: bytes | str,
    placement: Placement | None = None,
    *,
    options: Mapping[str, object] | None = None,
    arg_types: Sequence[ArrayType] | None = None,
    out_types: Sequence[ArrayType] | None = None,
    argument_names: Sequence[str] | None = None,
    donation: Donation | None = None,
    callbacks: Sequence[Callable[..., Any]] = (),
    title: str = "main",
    placing: Placing | None = None,
    open_results: Sequence[bool] = (True,),
    digest: bytes | None = None,
    alias: Alias | None = None,
) -> Executable:
    """Compile as `compile` does, without the check that every function can be called.

    For programs of anvl's own lowering, which has checked it; others may end the process.  Each
    run deletes the arguments of `donation`, and may call the functions `callbacks`, by number; it
    waits for these.  Logs and profiles call it by its `title`.  Over several devices `placing`
    finds the placements of the results, of which the partitioner chooses those in `open_results`,
    one bool for each or one for all; `digest` is equal where processes compile the same program,
    and that of its text if None.  With an `alias` the program is found again by `load_lowered`.
    """
    check_process("compile")
    place = (default_placement() if placement is None else placement).whole
    _check_results(out_types or ())
    calls_lapack = _prepare_custom_calls(program, place)
    given = compile_options(place, options or {}, open_results)
    functions = guarded(callbacks, place)
    if alias is not None:
        alias = alias._replace(facts=alias.facts | {_LAPACK: calls_lapack})
    handle, read = _compiled(program, place, given, title, functions, alias)
    found_args, found_outs = known_types(handle, place, arg_types, out_types, placing)
    _check_results(found_outs)
    check_memory(handle, place.client, len(place.handles))
    _check_counts(handle, found_args, found_outs)
    describe = functools.partial(called_program, digest or program, title, place, found_args)
    run = runner(handle, place, calls_lapack, donation, describe)
    if functions:
        run = waiting(run, place, functions)
    calls = watched(handle, run, read, place, given)
    return Executable(handle, place, found_args, found_outs, argument_names, run, donation, calls)


#: The fact of an alias that says whether its program calls LAPACK.
_LAPACK = "lapack"


def load_lowered(
    alias: Alias,
    place: Placement,
    *,
    options: Mapping[str, object],
    arg_types: Sequence[ArrayType],
    out_types: Sequence[ArrayType],
    argument_names: Sequence[str],
    donation: Donation | None,
    title: str,
    placing: Placing | None = None,
    open_results: Sequence[bool] = (True,),
    digest: bytes | None = None,
) -> Executable | None:
    """Load the program of an alias as `compile_lowered` compiled it.

    None if it is not in the cache on disk any more.
    """
    check_process("compile")
    _check_results(out_types)
    calls_lapack = bool(alias.facts[_LAPACK])
    if calls_lapack:
        _register_lapack()
    with phase("compile", title, INFO) as now:
        given = compile_options(place, options, open_results)
        found = load_aliased(alias, place, given)
        now.add("not in the cache on disk" if found is None else "loaded from the cache on disk")
    if found is None:
        return None
    handle, read = found
    if placing is not None:
        arg_types, out_types = known_types(handle, place, arg_types, out_types, placing)
    check_memory(handle, place.client, len(place.handles))
    _check_counts(handle, arg_types, out_types)
    describe = functools.partial(called_program, digest or alias.key, title, place, arg_types)
    run = runner(handle, place, calls_lapack, donation, describe)
    calls = watched(handle, run, read, place, given)
    return Executable(handle, place, arg_types, out_types, argument_names, run, donation, calls)


#: In XLA's messages about its options.
_OF_OPTIONS = ("compile option", "While setting option", "Failed to parse value for")

# As XLA says it: "No FFI handler registered for scale on a platform Host (canonical host)".
_UNKNOWN_TARGET = (
    r"No (?:FFI handler registered|registered implementation for .*?custom call) (?:for|to) (\S+)"
)


def _compiled(
    program: bytes | str,
    place: Placement,
    options: Any,
    title: str,
    callbacks: Any = (),
    alias: Alias | None = None,
) -> Compiled:
    try:
        with phase("compile", title, INFO) as now, progress(f"XLA compiles {title}"):
            if callbacks:  # functions of this process: no cache keeps the program
                return Compiled(
                    compile_with_callbacks(program, place, options, callbacks), _no_bytes
                )
            return compile_or_load(program, place, options, now.add, alias)
    except compat.Failure as error:
        text = readable(error)
        if any(sign in text for sign in _OF_OPTIONS):
            raise ValueError(f"compile: {text}; see XLA's flags for their names") from error
        unknown = re.search(_UNKNOWN_TARGET, str(error))
        if unknown is not None:
            text = missing_handler(unknown[1], place.client.name)
        raise RuntimeFailure(f"compile: {text}{_of_mesh(text)}{_of_plugin(place)}") from error


def _no_bytes() -> None:
    """Nothing: a program that calls functions of this process is never loaded."""


def _of_mesh(text: str) -> str:
    """The end of the message where a sharding is for another number of devices."""
    found = re.search(r"should have (\d+) devices but has (\d+)", text)
    if found is None:
        return ""
    return (
        f"; a mesh of the program has {found[2]} devices, and it is compiled for {found[1]}: give "
        "all meshes as many, and run it over these (anvl-run --devices)"
    )


def _of_plugin(place: Placement) -> str:
    """The end of the message where a plugin cannot compile for several devices."""
    if len(place.devices) == 1 or place.client.name == EMBEDDED:
        return ""
    return (
        f"; the program is for {len(place.devices)} devices of the plugin {place.client.name}, "
        "which may have no collectives: put the arrays on one device"
    )


def compile_options(
    place: Placement, flags: Mapping[str, object], are_open: Sequence[bool] = (True,)
) -> Any:
    """The client's options for compiling for a placement, with these of XLA's flags.

    Raises `TypeError` for a value of another kind.
    """
    for name, value in flags.items():
        if not isinstance(value, str | bool | int | float):
            raise TypeError(f"compile: option {name} must be a number, bool or text, got {value!r}")
    count = len(place.handles)
    ids = np.array([[device.id for device in place.handles]], np.int32)
    options = compat.CompileOptions()
    options.num_partitions = count
    # Without an assignment the program would run on device 0, whatever the placement.
    options.device_assignment = compat.DeviceAssignment.create(ids)
    options.env_option_overrides = [(k, x) for k, x in flags.items() if k not in BACKEND_OPTIONS]
    build = options.executable_build_options
    build.num_partitions = count
    build.device_assignment = options.device_assignment
    build.use_spmd_partitioning = count > 1
    build.use_shardy_partitioner = count > 1
    if count > 1:
        build.allow_spmd_sharding_propagation_to_output = list(are_open)
    return with_backend_options(options, flags)


def _names_lapack(program: bytes | str) -> bool:
    return "lapack_" in program if isinstance(program, str) else b"lapack_" in program


_lapack_lock = fresh_lock()
_lapack_is_registered = False


def _prepare_custom_calls(program: bytes | str, place: Placement) -> bool:
    """Register LAPACK when a program first names it, as that imports scipy.

    Returns whether this program calls it.
    """
    if not _names_lapack(program) or place.client.target.routines != "lapack":
        return False
    _register_lapack()
    return True


def _register_lapack() -> None:
    global _lapack_is_registered
    with _lapack_lock:
        if not _lapack_is_registered:
            with routines_alone():
                compat.register_lapack()
            _lapack_is_registered = True


def _check_results(out_types: Sequence[ArrayType]) -> None:
    # Too large a result kills the process on some versions, when the program runs.
    for position, kind in enumerate(out_types):
        check_fits_memory(f"compile: result {position}", kind)


def _check_counts(handle: Any, arg_types: Sequence[Any], out_types: Sequence[Any]) -> None:
    n_args, n_outs = len(handle.get_parameter_layouts()), len(handle.get_output_layouts())
    if n_args != len(arg_types):
        raise ValueError(
            f"compile: program takes {n_args} arguments, arg_types has {len(arg_types)}"
        )
    if n_outs != len(out_types):
        raise ValueError(f"compile: program has {n_outs} results, out_types has {len(out_types)}")
