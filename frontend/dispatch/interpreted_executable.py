"""`jit(f, backend="interpreter")`: StableHLO's reference interpreter runs the program.

It runs in a child process (see `anvl.dialect.text.interpreter`), op by op, as the specification of
StableHLO says: no compiler is involved.  Linear algebra has its written-out forms, as no routine of
a library can be called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from anvl.dialect.core.errors import place_in
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.interpreter import ProcessEnded, interpreter, name_of_op, unknown_ops
from anvl.runtime import ArrayType, Executable, Placement, RuntimeFailure, Target
from anvl.runtime.buffers import send
from anvl.runtime.lazy import compat

__all__ = ["INTERPRETER", "InterpretedExecutable", "Results", "check_interpretable"]

#: What programs for the interpreter are lowered for.
INTERPRETER = Target("interpreter", "none")

_SECONDS = 60  # of a processor, for one call
_REMEDY = "leave out backend='interpreter', so that XLA runs the program"


class InterpretedExecutable(Executable):
    """A portable artifact that the interpreter runs; `function` is its name in messages."""

    __slots__ = ("_artifact", "_function")

    def __init__(
        self,
        artifact: bytes,
        placement: Placement,
        arg_types: Sequence[ArrayType],
        out_types: Sequence[ArrayType],
        names: Sequence[str],
        function: str,
    ) -> None:
        self._artifact, self._function = artifact, function
        super().__init__(None, placement, arg_types, out_types, names, self._interpreted)

    def _interpreted(self, buffers: Sequence[Any]) -> Results:
        inputs = [compat.buffer_to_numpy(buffer)[0] for buffer in buffers]
        dtypes = [of.dtype for of in self.out_types]
        try:
            found, _ = interpreter().run_artifact(self._artifact, dtypes, inputs, _SECONDS)
        except ProcessEnded as ended:
            how = str(ended)
            if "SIGPROF" in how:
                how = f"it took more than {_SECONDS} s of a processor"
            raise RuntimeFailure(
                f"{self._function}: the interpreter has no result: {how}; {_REMEDY}"
            ) from None
        return Results(found, self.out_types)

    def hlo_text(self) -> str:
        self._refuse("hlo")

    def memory_stats(self) -> dict[str, int]:
        self._refuse("memory_stats")

    def cost_analysis(self) -> dict[str, float]:
        self._refuse("cost_analysis")

    def _refuse(self, what: str) -> NoReturn:
        raise RuntimeFailure(
            f"{self._function}: {what} is of the compiler, and the interpreter compiles nothing; "
            f"{_REMEDY}"
        )


class Results(NamedTuple):
    """Results of a run, in the form of XLA's executables."""

    values: list[np.ndarray[Any, Any]]
    types: tuple[ArrayType, ...]

    def consume_with_handlers(self, _: Sequence[Any]) -> list[Any]:
        """The results as buffers."""
        return [send(y, of, compat.COPY) for y, of in zip(self.values, self.types, strict=True)]


def check_interpretable(module: ir.Module, function: str) -> None:
    """Refuse a lowered module with ops that the interpreter lacks, each with its line."""
    lacking: dict[str, str] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        name = name_of_op(op)
        if unknown_ops({name}) and name != "builtin.module":
            place = place_in(str(op.location))
            # A form that several ops share has no line.
            lacking.setdefault(name, "" if place.startswith("loc(") else f" at {place}")
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if lacking:
        listed = ", ".join(name + place for name, place in lacking.items())
        raise RuntimeFailure(f"{function}: the interpreter has no {listed}; {_REMEDY}")
