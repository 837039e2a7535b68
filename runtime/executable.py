"""Compiled programs, run with every argument checked.

PJRT itself checks the number of bytes of an argument and nothing else: a `f32[3,2]` passed for
a `f32[2,3]`, or an `i32` for a `f32`, gives silently wrong numbers.  So it is checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.runtime.array import Array, make_array
from anvl.runtime.client import Placement, check_process
from anvl.runtime.execution.donation import Donation, Taker
from anvl.runtime.execution.execution_errors import deleted_argument, execution_failure
from anvl.runtime.execution.inline_runs import Watched
from anvl.runtime.execution.out_of_memory import run_once_more
from anvl.runtime.lazy import compat
from anvl.runtime.result_code import Finish, Rebuild, finisher
from anvl.runtime.types import ArrayType


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
        "_watched",
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
        watched: Watched | None = None,
    ) -> None:
        self.handle: Any = handle
        self.placement: Placement = placement
        self.arg_types: tuple[ArrayType, ...] = tuple(arg_types)
        self.out_types: tuple[ArrayType, ...] = tuple(out_types)
        self.argument_names: tuple[str, ...] = _names(argument_names, len(self.arg_types))
        self._run = handle.execute_sharded if run is None else run
        self._watched = watched
        if watched is not None:
            self._run = watched.call
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
            self._take.take(args)
        return [make_array(kind, b) for kind, b in zip(self.out_types, results, strict=True)]

    def _taker(self, n_constants: int) -> Taker | None:
        if self._donation is None:
            return None
        return Taker(self._donation, self.argument_names, n_constants)

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
            constant.buffer.is_shared = True  # Note [Donated arrays]
        buffers = tuple(constant.buffer for constant in constants)
        run = self._run if self._watched is None else self._watched.run
        if inspected is not None:
            positions, look = inspected
            run = _inspecting(self._run, [len(buffers) + i for i in positions], look)
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


def _names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return tuple(map(str, range(count)))
    if len(names) != count:
        raise ValueError(
            f"compile: program takes {count} arguments, argument_names has "
            f"{len(names)}, {tuple(names)}"
        )
    return tuple(names)
