"""Functions built from Python, lowered and compiled together, and run at several points.

    program = Program()
    i = program.add([x, y], lambda a, b: [mul(a, b)])
    program.run()[i]                  the results, as NumPy arrays

One compilation costs 50 ms, however few ops: so many functions share one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

import anvl.runtime as rt
from anvl.dialect.context import context
from anvl.dialect.mlir import ir
from anvl.dialect.types import element_type, tensor
from anvl.passes.lower_to_stablehlo import LowerToStablehlo
from anvl.passes.pipeline import Pipeline

__all__ = ["FAST", "OLD_EMITTERS", "Program", "References", "type_of"]

#: Functions of NumPy that give the same values as ops, by the names of the ops.
References: TypeAlias = Mapping[str, Callable[..., Any]]

_NONE: References = {}

# The numbers are what is tested, not XLA's optimizer: without it compiling takes a third; and
# without the newer emitters of fusions a tenth, but for a few ops that the old ones are slow on.
# (jaxlib 0.12 has no old ones.)
FAST = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
OLD_EMITTERS = {"xla_cpu_use_fusion_emitters": False}
SLOW = re.compile("scatter|batch_norm")


def type_of(array: np.ndarray) -> ir.RankedTensorType:
    """The MLIR type of a NumPy array."""
    return tensor(array.shape, element_type(array.dtype))


class Program:
    """One module, whose `main` calls every function that was added.

    `references` are what the values of ops are compared with.  It is lowered for `platform`, and
    runs on the default client.
    """

    def __init__(self, references: References = _NONE, platform: str = "cpu") -> None:
        self.references, self.platform = references, platform
        with context(), ir.Location.unknown():
            self.module = ir.Module.create()
        self.inputs: list[list[np.ndarray]] = []
        self.counts: list[int] = []
        self._functions: list[tuple[str, list[Any], list[Any]]] = []
        self._is_lowered = False

    def add(self, inputs: Sequence[np.ndarray], body: Callable[..., Sequence[ir.Value]]) -> int:
        """A function of these inputs, whose `body` emits ops; its position."""
        index = len(self._functions)
        types = [type_of(x) for x in inputs]
        name = f"f{index}"
        results = self._function(name, types, body, "private")
        self._functions.append((name, types, results))
        self.inputs.append(list(inputs))
        self.counts.append(len(results))
        return index

    def _function(
        self, name: str, types: Sequence[Any], body: Callable[..., Any], visibility: str
    ) -> list[Any]:
        with context(), ir.Location.unknown():
            function = ir.Operation.create(
                "func.func",
                attributes={
                    "sym_name": ir.StringAttr.get(name),
                    "sym_visibility": ir.StringAttr.get(visibility),
                    "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
                },
                regions=1,
                ip=ir.InsertionPoint(self.module.body),
            )
            block = function.regions[0].blocks.append(*types)
            with ir.InsertionPoint(block):
                values = list(body(*block.arguments))
                ir.Operation.create("func.return", [], values)
            results = [y.type for y in values]
            function.attributes["function_type"] = ir.TypeAttr.get(
                ir.FunctionType.get(types, results)
            )
        return results

    def finish(self) -> None:
        """Add `main`, and verify."""
        types = [t for _, ts, _ in self._functions for t in ts]
        self._function("main", types, self._main, "public")
        self.module.operation.verify()
        self.names = _names(self.module)

    def lower(self) -> None:
        """Lower to StableHLO."""
        Pipeline([LowerToStablehlo(self.platform)]).run(self.module, verify_each=True)
        self._is_lowered = True

    def compile(self) -> None:
        """Lower, unless that is done, and compile."""
        if not self._is_lowered:
            self.lower()
        text, slow = self.module.operation.get_asm(), any(map(SLOW.search, self.names))
        try:
            self._run = rt.compile_lowered(text, options=FAST if slow else FAST | OLD_EMITTERS)
        except (rt.RuntimeFailure, ValueError):  # the old ones know no clamp of bools, or are gone
            self._run = rt.compile_lowered(text, options=FAST)

    def _main(self, *arguments: ir.Value) -> list[ir.Value]:
        results, at = [], 0
        for name, types, outputs in self._functions:
            call = ir.Operation.create(
                "func.call", outputs, list(arguments[at : at + len(types)]),
                {"callee": ir.FlatSymbolRefAttr.get(name)},
            )  # fmt: skip
            results += call.results
            at += len(types)
        return results

    def run(
        self, change: Callable[[int, list[np.ndarray]], list[np.ndarray]] | None = None
    ) -> list[list[np.ndarray]]:
        """The results of every function; `change(i, inputs)` may replace the inputs of one."""
        given = [xs if change is None else change(i, xs) for i, xs in enumerate(self.inputs)]
        flat = self._run.execute([rt.put(np.asarray(x)) for xs in given for x in xs])
        results, at = [], 0
        for count in self.counts:
            results.append([np.asarray(y) for y in flat[at : at + count]])
            at += count
        return results


def _names(module: ir.Module) -> set[str]:
    names: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        names.add(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return names
