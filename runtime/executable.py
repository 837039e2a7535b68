"""Compiling StableHLO, and running the result with every argument checked.

PJRT itself checks the number of bytes of an argument and nothing else: a `f32[3,2]` passed for
a `f32[2,3]`, or an `i32` for a `f32`, gives silently wrong numbers.  So it is checked here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.runtime import trial
from anvl.runtime.array import Array, make_array
from anvl.runtime.calls import check_calls
from anvl.runtime.client import EMBEDDED, Placement, check_process
from anvl.runtime.disk_cache import compile_or_load
from anvl.runtime.errors import RuntimeFailure, readable
from anvl.runtime.execution.donation import Donation, Taker, taker
from anvl.runtime.execution.execution_errors import deleted_argument, execution_failure
from anvl.runtime.execution.out_of_memory import run_once_more
from anvl.runtime.execution.program_types import known_types
from anvl.runtime.execution.runner import called_program, runner
from anvl.runtime.handlers.callbacks import compile_with_callbacks, guarded, waiting
from anvl.runtime.handlers.ffi import missing_handler
from anvl.runtime.instrumentation.phases import INFO, phase
from anvl.runtime.instrumentation.progress import progress
from anvl.runtime.lazy import compat
from anvl.runtime.memory import check_temporaries
from anvl.runtime.plugins.default_device import default_placement
from anvl.runtime.result_code import Finish, Rebuild, finisher
from anvl.runtime.sharding.placements import Placing
from anvl.runtime.turns import check_order
from anvl.runtime.types import ArrayType, check_fits_memory


class Entry(NamedTuple):
    """The data with which a dispatcher runs an executable (see `make_dispatch`).

    The result is of the type `only`, or what `finish` makes of the buffers.  Where `is_current` is
    given and returns false, the dispatcher calls `slow` in its place.  After a run, `take` deletes
    the donated arguments.
    """

    run: Callable[..., Any]
    handlers: list[Any]
    only: ArrayType | None
    finish: Finish
    constants: tuple[Any, ...]
    is_current: Callable[[], bool] | None = None
    take: Taker | None = None


class Executable:
    """A compiled program; made by `compile`.

    Attributes
    ----------
    arg_types, out_types
        The types of the arguments and of the results.
    argument_names
        How messages call the arguments.
    placement
        Where it runs.
    handle
        The executable of the library below.
    """

    __slots__ = (
        "__weakref__",
        "_donation",
        "_handlers",
        "_run",
        "_take",
        "arg_types",
        "argument_names",
        "handle",
        "out_types",
        "placement",
    )

    def __init__(
        self,
        handle: Any,
        placement: Placement,
        arg_types: Sequence[ArrayType],
        out_types: Sequence[ArrayType],
        argument_names: Sequence[str] | None = None,
        run: Callable[..., Any] | None = None,
        donation: Donation | None = None,
    ) -> None:
        self.handle: Any = handle
        self.placement: Placement = placement
        self.arg_types: tuple[ArrayType, ...] = tuple(arg_types)
        self.out_types: tuple[ArrayType, ...] = tuple(out_types)
        self.argument_names: tuple[str, ...] = _names(argument_names, len(self.arg_types))
        self._run = handle.execute_sharded if run is None else run
        self._donation = donation
        self._take = self._taker(0)
        self._handlers = [kind.handler for kind in self.out_types]

    def __repr__(self) -> str:
        arguments = ", ".join(map(repr, self.arg_types))
        results = ", ".join(map(repr, self.out_types))
        return f"<Executable ({arguments}) -> ({results}) on {self.placement}>"

    def execute(self, args: Sequence[Array]) -> list[Array]:
        """Run the program.

        Parameters
        ----------
        args
            One array for each of `arg_types`: of its shape and dtype, at its placement.

        Returns
        -------
        list of Array
            Of `out_types`.  They may still be being computed.

        Raises
        ------
        TypeError
            The number of arguments, or the shape, dtype or placement of one, is wrong.
        RuntimeFailure
            An argument was deleted or donated, or the program failed.
        ForkedProcess
            This process was forked from one that already had a client.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> double = rt.compile('''
        ...   func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        ...     %y = stablehlo.add %x, %x : tensor<2xf32>
        ...     return %y : tensor<2xf32>
        ...   }''')
        >>> double.execute([rt.put(np.ones(2, "float32"))])
        [Array([2., 2.], dtype=float32)]
        """
        check_process("execute")
        self.check_arguments(args)
        buffers = [arg.buffer for arg in args]
        try:
            results = self._run(buffers).consume_with_handlers(self._handlers)
        except compat.Failure as error:
            results = self._run_once_more(error, buffers, args)
        if self._take is not None:
            self._take(args, 2)
        return [make_array(kind, b) for kind, b in zip(self.out_types, results, strict=True)]

    def _taker(self, n_constants: int) -> Taker | None:
        if self._donation is None:
            return None
        return taker(self._donation, self.argument_names, n_constants)

    def _run_once_more(
        self, error: BaseException, buffers: Sequence[Any], args: Sequence[Array]
    ) -> Any:
        try:
            return run_once_more(error, self._run, buffers, self._handlers)
        except compat.Failure as last:
            raise execution_failure(last, args, self.argument_names) from last

    def check_arguments(self, args: Sequence[Any]) -> None:
        """Raise the errors that `execute` would raise for these arguments."""
        if len(args) != len(self.arg_types):
            raise TypeError(
                f"execute: program takes {len(self.arg_types)} arguments "
                f"({', '.join(self.argument_names)}), got {len(args)}"
            )
        for position, (arg, expected) in enumerate(zip(args, self.arg_types, strict=True)):
            if type(arg) is not Array or not arg.aval.fits(expected):
                raise TypeError(self._mismatch(position, arg))
            if arg.buffer.is_deleted():
                raise deleted_argument(self.argument_names[position], arg)

    def _mismatch(self, position: int, arg: Any) -> str:
        expected = self.arg_types[position]
        start = (
            f"execute: argument {self.argument_names[position]}: "
            f"expected {expected} on {expected.placement}, got "
        )
        if type(arg) is not Array:
            return f"{start}{type(arg).__name__}; convert it with put"
        if arg.aval.placement is expected.placement:
            return f"{start}{arg.aval}"
        return f"{start}{arg.aval} on {arg.aval.placement}; move it with put(x, placement)"

    def entry(
        self,
        constants: Sequence[Array] = (),
        rebuild: Rebuild | None = None,
        inspected: tuple[Sequence[int], Callable[[list[Any]], None]] | None = None,
    ) -> Entry:
        """Make the entry of a dispatcher for this program.

        Parameters
        ----------
        constants
            Arrays for the first arguments, the same at every call.
        rebuild
            Maps the list of results to the return value, or is its source.  If None, one result is
            returned unchanged and several as a tuple.
        inspected
            The positions of arguments, and a function that is called with their values, as numpy
            arrays, before each run; its errors are passed on.

        Raises
        ------
        TypeError
            A constant is not of the type that the program expects.
        RuntimeFailure
            A constant was deleted or donated.
        """
        check_process("entry")
        for position, constant in enumerate(constants):
            if position >= len(self.arg_types):
                raise TypeError(
                    f"entry: program takes {len(self.arg_types)} arguments, "
                    f"got {len(constants)} constants"
                )
            if type(constant) is not Array or not constant.aval.fits(self.arg_types[position]):
                raise TypeError(self._mismatch(position, constant))
            if constant.buffer.is_deleted():
                raise deleted_argument(self.argument_names[position], constant)
        buffers = tuple(constant.buffer for constant in constants)
        run = self._run
        if inspected is not None:
            positions, look = inspected
            run = _inspecting(run, [len(buffers) + i for i in positions], look)
        kinds, take = self.out_types, self._taker(len(buffers))
        only = kinds[0] if len(kinds) == 1 and rebuild is None else None
        return Entry(run, self._handlers, only, finisher(kinds, rebuild), buffers, take=take)

    def hlo_text(self) -> str:
        """The program after XLA's optimisation, as HLO text."""
        return str(self.handle.get_hlo_text())

    def memory_stats(self) -> dict[str, int]:
        """Bytes of code, arguments, results, aliases and temporaries, by XLA's names."""
        stats = self.handle.get_compiled_memory_stats()
        return {
            name: getattr(stats, name) for name in dir(stats) if name.endswith("_size_in_bytes")
        }

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimate of `flops`, `bytes accessed` and more."""
        return dict(self.handle.cost_analysis())


def _inspecting(
    run: Callable[..., Any], positions: Sequence[int], look: Callable[[list[Any]], None]
) -> Callable[..., Any]:
    def run_inspected(buffers: list[Any]) -> Any:
        look([compat.buffer_to_numpy(buffers[i])[0] for i in positions])
        return run(buffers)

    return run_inspected


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
        `program` is neither text nor bytes, or an option is not a number, bool or text.
    ValueError
        An unknown option, or the number of types or names does not fit the program.
    OutOfMemory
        A result, or the temporaries together, are larger than the memory of the machine.
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
    _check_program(program)
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


def _check_program(program: bytes | str) -> None:
    """Refuse programs that end the process, or have functions that cannot be called."""
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
) -> Executable:
    """Compile as `compile` does, without the check that every function can be called.

    For programs of anvl's own lowering, which has checked it; others may end the process.  Each
    run deletes the arguments of `donation`, and may call the functions `callbacks`, by number; it
    waits for these.  Logs and profiles call it by its `title`.  Over several devices `placing`
    finds the placements of the results, of which the partitioner chooses those in `open_results`,
    one bool for each or one for all; `digest` is equal where processes compile the same program,
    and that of its text if None.
    """
    check_process("compile")
    place = (default_placement() if placement is None else placement).whole
    _check_results(out_types or ())
    calls_lapack = _prepare_custom_calls(program, place)
    given = _compile_options(place, options or {}, open_results)
    functions = guarded(callbacks, place)
    handle = _compiled(program, place, given, title, functions)
    found_args, found_outs = known_types(handle, place, arg_types, out_types, placing)
    _check_results(found_outs)
    check_temporaries(handle, place.client, len(place.handles))
    _check_counts(handle, found_args, found_outs)
    describe = functools.partial(called_program, digest or program, title, place, found_args)
    run = runner(handle, place, calls_lapack, donation, describe)
    if functions:
        run = waiting(run, place, functions)
    return Executable(handle, place, found_args, found_outs, argument_names, run, donation)


# As XLA says it: "No FFI handler registered for scale on a platform Host (canonical host)".
_UNKNOWN_TARGET = (
    r"No (?:FFI handler registered|registered implementation for .*?custom call) (?:for|to) (\S+)"
)


def _compiled(
    program: bytes | str, place: Placement, options: Any, title: str, callbacks: Any = ()
) -> Any:
    try:
        with phase("compile", title, INFO) as now, progress(f"XLA compiles {title}"):
            if callbacks:  # functions of this process: no cache keeps the program
                return compile_with_callbacks(program, place, options, callbacks)
            return compile_or_load(program, place, options, now.add)
    except compat.Failure as error:
        text = readable(error)
        if "compile option" in text or "While setting option" in text:
            raise ValueError(f"compile: {text}; see XLA's flags for their names") from error
        unknown = re.search(_UNKNOWN_TARGET, str(error))
        if unknown is not None:
            text = missing_handler(unknown[1], place.client.name)
        raise RuntimeFailure(f"compile: {text}{_of_mesh(text)}{_of_plugin(place)}") from error


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


def _compile_options(
    place: Placement, flags: Mapping[str, object], are_open: Sequence[bool]
) -> Any:
    for name, value in flags.items():
        if not isinstance(value, str | bool | int | float):
            raise TypeError(f"compile: option {name} must be a number, bool or text, got {value!r}")
    count = len(place.handles)
    ids = np.array([[device.id for device in place.handles]], np.int32)
    options = compat.CompileOptions()
    options.num_partitions = count
    # Without an assignment the program would run on device 0, whatever the placement.
    options.device_assignment = compat.DeviceAssignment.create(ids)
    options.env_option_overrides = list(flags.items())
    build = options.executable_build_options
    build.num_partitions = count
    build.device_assignment = options.device_assignment
    build.use_spmd_partitioning = count > 1
    build.use_shardy_partitioner = count > 1
    if count > 1:
        build.allow_spmd_sharding_propagation_to_output = list(are_open)
    return options


def _names_lapack(program: bytes | str) -> bool:
    return "lapack_" in program if isinstance(program, str) else b"lapack_" in program


_lapack_is_registered = False


def _prepare_custom_calls(program: bytes | str, place: Placement) -> bool:
    """Register LAPACK when a program first names it, as that imports scipy.

    Returns whether this program calls it.
    """
    global _lapack_is_registered
    if not _names_lapack(program) or place.client.target.routines != "lapack":
        return False
    if not _lapack_is_registered:
        compat.register_lapack()  # registering twice does no harm, so no lock
        _lapack_is_registered = True
    return True


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


def _names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return tuple(map(str, range(count)))
    if len(names) != count:
        raise ValueError(
            f"compile: program takes {count} arguments, argument_names has "
            f"{len(names)}, {tuple(names)}"
        )
    return tuple(names)
