"""Programs of jitted functions that StableHLO's reference interpreter runs, instead of XLA.

XLA takes 15 ms to compile the smallest program, and 100 ms for a derivative of some length; most
programs of tests run once, on a few numbers.  So the interpreter runs them, until a program has
taken it as long as compiling would; one that it cannot run, or not soon enough, XLA compiles.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import anvl.dispatch.executables
import anvl.dispatch.lowering
from anvl.dialect.text.interpreter import ProcessEnded, interpreter
from anvl.dispatch.interpreted_executable import Results
from anvl.dispatch.programs.lowered_program import PASSES, SMALL_LOOPS
from anvl.runtime import ArrayType, Executable, Placement, RuntimeFailure
from anvl.runtime.lazy import compat
from anvl.testing.program import OLD_EMITTERS, compile_fast

__all__ = ["InterpretedExecutable", "compiled_fast", "interpret_programs", "interpreted"]

_LEVEL = ("xla_backend_optimization_level", 2)
_SECONDS = 0.1  # of a processor, for all runs of one program: about the time to compile it


def interpret_programs(
    patch: pytest.MonkeyPatch, executable_of: Callable[..., Executable] | None = None
) -> None:
    """Let the interpreter run the programs of jitted functions, or `executable_of` make them.

    They come as artifacts: of bytecode the interpreter does not check whether it knows the ops.
    """
    patch.setattr(anvl.dispatch.executables, "compile_lowered", executable_of or interpreted)
    patch.setattr(anvl.dispatch.lowering, "_READ_BYTECODE", frozenset())


def interpreted(program: bytes, placement: Any, **rest: Any) -> Executable:
    """`compile_lowered` for tests of numbers."""
    compile = functools.partial(compiled_fast, program, placement, **rest)
    by_users = _given_by_users(rest["options"]).keys() - {PASSES, SMALL_LOOPS}
    if len(placement.handles) > 1 or rest.get("donation") or by_users:
        return compile()
    types = (rest["arg_types"], rest["out_types"], rest["argument_names"])
    return InterpretedExecutable(program, compile, placement, *types)


def compiled_fast(program: bytes | str, *args: Any, options: Any = None, **rest: Any) -> Executable:
    """`compile_lowered` for tests of numbers that ask XLA."""
    given = _given_by_users(options or {})
    try:
        return compile_fast(program, *args, options=OLD_EMITTERS | given, **rest)
    except RuntimeFailure:  # old emitters lack some ops
        return compile_fast(program, *args, options=given, **rest)


def _given_by_users(options: Mapping[str, object]) -> dict[str, object]:
    """The options without the level of optimization that jitted functions give: tests take 0."""
    return {name: value for name, value in options.items() if (name, value) != _LEVEL}


class InterpretedExecutable(Executable):
    """An executable of an artifact, which XLA compiles when someone asks for more than results."""

    __slots__ = ("_artifact", "_compile", "_compiled", "_seconds")

    def __init__(
        self, artifact: bytes, compile: Callable[[], Executable], placement: Placement,
        arg_types: Sequence[ArrayType], out_types: Sequence[ArrayType], names: Sequence[str] | None,
    ) -> None:  # fmt: skip
        self._artifact, self._compile, self._seconds = artifact, compile, _SECONDS
        self._compiled: Executable | None = None
        super().__init__(None, placement, arg_types, out_types, names, self._run_soonest)

    @property
    def is_compiled(self) -> bool:
        """Whether XLA runs it."""
        return self._compiled is not None

    @property
    def handle(self) -> Any:
        """The executable of XLA."""
        return self.compiled().handle

    @handle.setter
    def handle(self, _: Any) -> None:
        """There is none before someone asks for it."""

    def compiled(self) -> Executable:
        """The program as XLA compiles it."""
        if self._compiled is None:
            self._compiled = self._compile()
        return self._compiled

    def _run_soonest(self, buffers: Sequence[Any]) -> Any:
        found = None if self.is_compiled else self._interpreted(buffers)
        if found is None:
            return self.compiled()._run(buffers)
        return Results(found, self.out_types)

    def _interpreted(self, buffers: Sequence[Any]) -> list[np.ndarray] | None:
        """Results of the interpreter, as long as it has time left."""
        if self._seconds <= 0:
            return None
        inputs = [compat.buffer_to_numpy(buffer)[0] for buffer in buffers]
        dtypes = [kind.dtype for kind in self.out_types]
        try:
            found, taken = interpreter().run_artifact(self._artifact, dtypes, inputs, self._seconds)
        except ProcessEnded:  # it lacks an op or a dtype, or took too long
            self._seconds = 0.0
            return None
        self._seconds -= taken
        return found
