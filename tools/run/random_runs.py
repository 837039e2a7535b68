"""A function of a module, executed on several sets of random inputs.

run = run_of(module, "f", Draws())         the module stays as it is
difference(run_of(changed, "f", Draws()), run)
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from anvl.dialect.core.errors import AnvlError
from anvl.dialect.core.mlir import ir
from anvl.passes.hoist_constants import VALUE
from anvl.tools.io.diagnostics import collected
from anvl.tools.run.compare import Comparison, compared_arrays
from anvl.tools.run.entry import Argument, Lowered, Result, lowered
from anvl.tools.run.executors import ExecutionFailed, ProgramCrashed, execute
from anvl.tools.run.inputs import chosen

__all__ = [
    "Difference", "Draws", "NotExecutable", "Run", "copied", "described", "difference", "run_of",
]  # fmt: skip

#: Ranges of random floats, one after another: of both signs, where most functions are smooth; where
#: roots, logarithms and inverse sines are defined; where their inverses are.
_RANGES = ((-1.0, 1.0), (0.1, 0.9), (1.1, 3.0))


class NotExecutable(Exception):
    """A function cannot be lowered, or its program is refused; the message has the reason."""


@dataclass(frozen=True)
class Draws:
    """How many sets of random inputs to draw, and how to execute on them."""

    count: int = len(_RANGES)
    seed: int = 0
    executor: str = "plugin"
    seconds: float = 60.0
    #: Options of the plugin's compiler.
    options: Mapping[str, object] = field(default_factory=dict)

    def seed_of(self, i: int) -> int:
        """The seed of set i."""
        return self.seed + i

    def range_of(self, i: int) -> tuple[float, float]:
        """The range of the floats in set i."""
        return _RANGES[i % len(_RANGES)]


@dataclass(frozen=True)
class Run:
    """The results of a function for each set of inputs.

    `arguments` are those that were drawn: a literal that is hoisted into an argument has its value.
    """

    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    values: tuple[Sequence[np.ndarray], ...]
    location: str

    @property
    def signature(self) -> str:
        """Types of the arguments and results."""
        types = [", ".join(x.type for x in of) for of in (self.arguments, self.results)]
        return f"({types[0]}) -> ({types[1]})"

    @property
    def nan_results(self) -> list[Result]:
        """Results without a number in any set, about which comparing says nothing."""
        return [
            of
            for of in self.results
            if 0 not in of.shape and all(_is_nan(arrays[of.index]) for arrays in self.values)
        ]


@dataclass(frozen=True)
class Difference:
    """A result that differs: the first one, in the set of inputs with the largest error."""

    result: Result
    set: int
    comparison: Comparison

    def __str__(self) -> str:
        return f"result {self.result.index}, {self.comparison}"


def run_of(
    module: ir.Operation,
    function: str,
    draws: Draws,
    given: Mapping[int, Sequence[np.ndarray]] = MappingProxyType({}),
) -> Run:
    """Lower a copy of a module as `jit` does, and execute one function.

    `given` has an array for each set, by the position of an argument that is not to be drawn.
    Raises `NotExecutable`, and `ProgramCrashed` where a program ends its process.
    """
    program = _lowered(module, function)
    _check_memory(program, draws)
    literals = _literals(program)
    drawn = [x for x in program.arguments if x.index not in literals]
    # The numbers depend on the position among the arguments that are drawn: hoisting keeps them.
    places = [replace(x, index=i) for i, x in enumerate(drawn)]
    values = []
    for i in range(draws.count):
        of_set = {at: arrays[i] for at, arrays in given.items()}
        chosen_ = chosen(places, of_set, draws.seed_of(i), draws.range_of(i))
        arrays = literals | dict(zip((x.index for x in drawn), chosen_, strict=True))
        inputs = [arrays[x.index] for x in program.arguments]
        values.append(_executed(program, inputs, draws))
    return Run(tuple(drawn), program.results, tuple(values), program.location)


def _check_memory(program: Lowered, draws: Draws) -> None:
    from anvl.runtime.memory import gibibytes, machine_memory

    memory = machine_memory()
    arrays = (*program.arguments, *program.results)
    sizes = [int(np.prod(x.shape, dtype=object)) * x.dtype.itemsize for x in arrays]
    needed = sum(sizes) * draws.count
    if memory is not None and needed > memory:
        raise NotExecutable(
            f"arguments and results of {draws.count} sets need {gibibytes(needed)}, of which this "
            f"process may have {gibibytes(memory)}"
        )


def difference(
    found: Run, wanted: Run, rtol: float | None = None, atol: float | None = None
) -> Difference | None:
    """The first result that differs between two runs of one signature; None if all are close."""
    for of in wanted.results:
        each = [
            compared_arrays(x[of.index], y[of.index], rtol, atol)
            for x, y in zip(found.values, wanted.values, strict=True)
        ]
        wrong = [i for i, one in enumerate(each) if not one.is_close]
        if wrong:
            worst = max(wrong, key=lambda i: _error(each[i]))
            return Difference(of, worst, each[worst])
    return None


def _error(one: Comparison) -> float:
    return one.worst.absolute if one.worst is not None else float("inf")


def copied(module: ir.Operation) -> ir.Module:
    """A copy of a module."""
    buffer = io.BytesIO()
    module.write_bytecode(buffer)
    return ir.Module.parse(buffer.getvalue(), module.context)


def _lowered(module: ir.Operation, function: str) -> Lowered:
    with collected(module.context, "") as emitted:  # not errors of the tool
        try:
            return lowered(copied(module), function)
        except (AnvlError, ir.MLIRError, TypeError, ValueError, NotImplementedError) as error:
            texts = [each.message for each in emitted if each.severity == "error"]
            reason = texts[0] if isinstance(error, ir.MLIRError) and texts else str(error)
            reason = reason.removeprefix("anvl-run: ")  # which is not the tool here
            raise NotExecutable(" ".join(reason.split())) from None


def _executed(program: Lowered, inputs: Sequence[np.ndarray], draws: Draws) -> list[np.ndarray]:
    try:
        return execute(
            program, inputs, draws.executor, seconds=draws.seconds, options=draws.options
        )
    except ProgramCrashed:
        raise
    except ExecutionFailed as error:
        raise NotExecutable(str(error)) from None


def _literals(program: Lowered) -> dict[int, np.ndarray]:
    """Values of the arguments that were literals, by index."""
    entry = next(
        op.operation
        for op in program.module.body.operations
        if op.operation.attributes["sym_name"].value == "main"
    )
    if "arg_attrs" not in entry.attributes:
        return {}
    return {
        of.index: value
        for of, attributes in zip(program.arguments, entry.attributes["arg_attrs"], strict=True)
        if VALUE in attributes and (value := _array(attributes[VALUE], of)) is not None
    }


def _array(attribute: Any, of: Argument) -> np.ndarray | None:
    try:
        return np.array(attribute).astype(of.dtype).reshape(of.shape)
    except (TypeError, ValueError, RuntimeError):  # NumPy cannot read all dtypes
        return None


def _is_nan(array: np.ndarray) -> bool:
    if array.dtype.kind in "biu":
        return False
    kind = np.complex128 if array.dtype.kind == "c" else np.float64
    try:
        return bool(np.all(np.isnan(array.astype(kind))))
    except TypeError:
        return False


def described(arguments: Iterable[Argument]) -> str:
    """Names and types of arguments."""
    return ", ".join(f"%{x.name}: {x.type}" if x.name else x.type for x in arguments) or "none"
