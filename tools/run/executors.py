"""Programs executed: by PJRT, or by StableHLO's reference interpreter.

results = execute(program, inputs)                       on the plugin, in a child process
results = execute(program, inputs, executor="interpreter")
figures = measure(program, inputs, 3, plugin="cuda")
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name
from anvl.dialect.text.interpreter import (
    Code,
    ProcessEnded,
    code_of,
    interpreter,
    names_of,
    unknown_ops,
)
from anvl.tools.run.entry import Lowered
from anvl.tools.run.worker import ChildEnded, Refused, worker

__all__ = [
    "CPU", "EXECUTORS", "ExecutionFailed", "Measured", "ProgramCrashed", "execute", "measure",
    "target_of",
]  # fmt: skip

#: The names of what executes programs.
EXECUTORS = ("plugin", "interpreter")
#: The plugin that is jaxlib itself.
CPU = "cpu"

_INTERPRETER_SECONDS = 60.0  # of a processor
_UNREADABLE = ("i4", "ui4", "f8E4M3FN", "f8E5M2")  # Python cannot make or read their attributes


class ExecutionFailed(RuntimeError):
    """A program could not be compiled or run, or ended the process; the message says where."""


class ProgramCrashed(ExecutionFailed):
    """A program ended the process that compiled or ran it, or took too long."""


@dataclass(frozen=True)
class Measured:
    """Results, and what running them took: seconds of each run, XLA's bytes and costs by name."""

    results: list[np.ndarray]
    seconds: list[float]
    memory: dict[str, int]
    cost: dict[str, float]


def execute(
    program: Lowered, inputs: Sequence[np.ndarray], executor: str = "plugin", *,
    seconds: float | None = None, options: Mapping[str, object] = MappingProxyType({}),
) -> list[np.ndarray]:  # fmt: skip
    """The results of a program for arrays of the types of its arguments.

    It runs in a child process, so that one that crashes raises `ExecutionFailed` as all others do;
    after `seconds` the child is killed.  `options` are those of the plugin's compiler.  Raises
    `CheckError` where a check of the program failed.
    """
    if executor == "interpreter":
        return _interpreted(program, inputs, seconds)
    return measure(program, inputs, 0, seconds=seconds, options=options).results


def measure(
    program: Lowered, inputs: Sequence[np.ndarray], repeat: int, *, seconds: float | None = None,
    options: Mapping[str, object] = MappingProxyType({}), plugin: str = CPU, devices: int = 1,
) -> Measured:  # fmt: skip
    """Run a program on a plugin once, and `repeat` times more to measure it.

    `plugin` may name a device, as in `cuda:1`.  The program must be lowered for its target.  Over
    several `devices` it is split as its shardings say.
    """
    code = program.text.encode()
    where = f"{'plugin' if plugin == CPU else plugin}: @{program.function}"
    try:
        figures, results = worker().answer(
            code, inputs, repeat=repeat, seconds=seconds, options=options, plugin=plugin,
            devices=devices,
        )  # fmt: skip
    except Refused as error:
        raise ExecutionFailed(f"{where}: {error}") from None
    except ChildEnded as error:
        raise ProgramCrashed(f"{where}: {error}") from None
    made = [np.asarray(x, of.dtype) for x, of in zip(results, program.returned, strict=True)]
    return Measured(
        program.settled(made),
        figures.get("seconds", []),
        figures.get("memory", {}),
        figures.get("cost", {}),
    )


def target_of(plugin: str) -> tuple[str, str]:
    """The platform of a plugin and the library of routines that it has.

    The child process starts it; raises `ExecutionFailed`.
    """
    if plugin == CPU:
        return "cpu", "lapack"
    try:
        figures, _ = worker().answer(b"", (), plugin=plugin)
    except Refused as error:
        raise ExecutionFailed(str(error)) from None
    except ChildEnded as error:
        raise ProgramCrashed(f"{plugin}: {error}") from None
    return figures["platform"], figures["routines"]


def _interpreted(
    program: Lowered, inputs: Sequence[np.ndarray], seconds: float | None
) -> list[np.ndarray]:
    where = f"interpreter: @{program.function}"
    unknown = unknown_ops(names_of(program.module.operation))
    if unknown:
        raise ExecutionFailed(
            f"{where}: StableHLO's interpreter lacks {', '.join(sorted(unknown))}"
        )
    for x in (*program.arguments, *program.returned):
        if dtype_name(x.dtype) in _UNREADABLE:
            raise ExecutionFailed(f"{where}: StableHLO's interpreter takes and returns no {x.type}")
    limit = _INTERPRETER_SECONDS if seconds is None else max(seconds, 0.01)
    (found,) = interpreter().run_each([(_code(program), [inputs])], limit)
    if isinstance(found, ProcessEnded):
        kind = ProgramCrashed if str(found).startswith("SIG") else ExecutionFailed
        raise kind(f"{where}: {_said(str(found), limit)}")
    return program.settled(found[0])


def _code(program: Lowered) -> Code:
    """The module with `@main` last, which is the function that the interpreter runs."""
    copy = ir.Module.parse(program.text, context())
    operations = [op.operation for op in copy.body.operations]
    main = next(op for op in operations if op.attributes["sym_name"].value == "main")
    if len(operations) > 1 and main != operations[-1]:
        main.move_after(operations[-1])
    return code_of(copy)


def _said(message: str, limit: float) -> str:
    if message == "SIGPROF":
        return f"took longer than {limit:g} s of a processor"
    if message == "SIGFPE":
        return "ended its process with SIGFPE, as an integer division by zero does"
    words = " ".join(message.split())
    return f"ended its process with {words}" if message.startswith("SIG") else words
