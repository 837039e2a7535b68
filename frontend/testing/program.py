"""Functions built from Python, lowered and compiled together, and run at several points.

    program = Program()
    i = program.add([x, y], lambda a, b: [mul(a, b)])
    program.run()[i]                  the results, as NumPy arrays

One compilation costs 50 ms, however few ops: so many functions share one.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import anvl.runtime as rt
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import PassManager, ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.text.interpreter import (
    Code,
    ProcessEnded,
    code_of,
    interpreter,
    names_of,
    unknown_ops,
)
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower.stacked_calls import order_stacked_calls
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

__all__ = [
    "FAST", "OLD_EMITTERS", "Program", "References", "compile_fast", "needs_new_emitters",
    "type_of",
]  # fmt: skip

#: References: functions of NumPy with the same values as ops, by the names of the ops.
References: TypeAlias = Mapping[str, Callable[..., Any]]

#: Borrowed ops, some forms of which are legal StableHLO.
_CONDITIONAL = {name: op for name, op in OPS.items() if "is_already_legal" in vars(op)}

#: Replacement of a function's inputs, given its index and its inputs.
Change: TypeAlias = Callable[[int, list[np.ndarray]], list[np.ndarray]]

_NONE: References = {}

# The numbers are tested, not XLA's optimizer: without it compiling takes a third; and without the
# newer emitters of fusions a tenth to a half.  (jaxlib 0.12 has no old ones.)  In one part, for one
# thread, a program takes a fifth to a third less; the other cores have other tests.
FAST: dict[str, object] = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
    "xla_cpu_parallel_codegen_split_count": 1,
}
OLD_EMITTERS: dict[str, object] = {"xla_cpu_use_fusion_emitters": False}

#: Flags that this version of XLA was found to lack.
_missing: set[str] = set()

# XLA's compile time is superlinear: the checks of svd, in parts of this many ops, compile in three
# quarters of the time.
_MOST_OPS = 2000

# Seconds of a processor that the interpreter has for a function, at all its points.
_ENOUGH, _MOST = 1.0, 60.0


def type_of(array: np.ndarray) -> ir.RankedTensorType:
    """The MLIR type of a NumPy array."""
    return tensor(array.shape, element_type(array.dtype))


class _Function(NamedTuple):
    """Types of its inputs and results, and whether it may be interpreted."""

    types: list[Any]
    results: list[Any]
    interpreted: bool


class _Symbols:
    """Functions of a module by name, with their callees."""

    def __init__(self, module: ir.Module) -> None:
        self._functions = {
            ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
            for op in module.body.operations
        }
        self._callees = {name: _called(op) for name, op in self._functions.items()}

    def names(self, function: str) -> set[str]:
        """Names of the ops in a function and its callees."""
        return set().union(*(names_of(self._functions[f]) for f in self._needed([function])))

    def size(self, function: str) -> int:
        """Number of ops in a function and its callees."""
        return sum(_count(self._functions[f]) for f in self._needed([function]))

    def part(self, functions: Sequence[str]) -> ir.Module:
        """A module of these functions and their callees."""
        needed = self._needed(functions)
        with context(), ir.Location.unknown():
            module = ir.Module.create()
            point = ir.InsertionPoint(module.body)
            for name in needed:
                copy = self._functions[name].clone(ip=point).operation
                copy.attributes["sym_visibility"] = ir.StringAttr.get("private")
        return module

    def _needed(self, functions: Sequence[str]) -> list[str]:
        needed = dict.fromkeys(functions)
        queue = list(functions)
        while queue:
            new = [f for f in self._callees[queue.pop()] if f not in needed]
            needed |= dict.fromkeys(new)
            queue += new
        return list(needed)


def _count(function: ir.Operation) -> int:
    count = 0

    def visit(_: ir.Operation) -> ir.WalkResult:
        nonlocal count
        count += 1
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return count


def _called(function: ir.Operation) -> set[str]:
    found: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.call":
            found.add(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return found


class Program:
    """Functions in one module; XLA compiles them together, and the interpreter runs some.

    `references` give the expected values of ops, at `points` beside the samples.  Lowered for
    `platform`, by default that of the default client, and for the routines that it has, it runs
    there; all of it unless it `interprets`.
    """

    #: Whether functions are interpreted that nobody said may be, unless they take long.
    interprets_all = False

    def __init__(
        self,
        references: References = _NONE,
        platform: str = "",
        interprets: bool = True,
        points: Sequence[str] = (),
    ) -> None:
        self.platform: str = platform or rt.default_target().platform
        self.references, self.interprets = references, interprets
        self.points = points
        with context(), ir.Location.unknown():
            self.module = ir.Module.create()
        self.inputs: list[list[np.ndarray]] = []
        self._functions: list[_Function] = []
        self._is_lowered = False

    def add(
        self, inputs: Sequence[np.ndarray], body: Callable[..., Sequence[ir.Value]],
        interpreted: bool = False,
    ) -> int:  # fmt: skip
        """Add a function of these inputs, whose `body` emits ops; returns its index.

        If `interpreted`, StableHLO's reference interpreter runs it if it has all the ops: that
        takes a tenth of the time that XLA needs to compile it.
        """
        index = len(self._functions)
        types = [type_of(x) for x in inputs]
        # Public, since a pass may drop unused private functions.
        interpreted = self.interprets and (interpreted or self.interprets_all)
        results = _add_function(self.module, f"f{index}", types, body, "public")
        self._functions.append(_Function(types, results, interpreted))
        self.inputs.append(list(inputs))
        return index

    def finish(self) -> None:
        """Verify, and drop what no result depends on.  Invalidates all handles into it."""
        self.module.operation.verify()
        self.names = names_of(self.module.operation)
        # Derivatives of order 3 are built for their names: the interpreter would run them too.
        manager = PassManager.parse("builtin.module(func.func(trivial-dce))", context())
        manager.enable_verifier(False)
        manager.run(self.module.operation)

    def lower(self) -> None:
        """Lower to StableHLO."""
        target = rt.default_target()
        routines = target.routines if self.platform == target.platform else ""
        Pipeline([LowerToStablehlo(self.platform, routines)]).run(self.module, verify_each=True)
        if self.names & _CONDITIONAL.keys():
            _check_legal(self.module.operation)
        self._is_lowered = True

    def compile(self) -> None:
        """Lower if necessary, and compile the functions that are not interpreted."""
        if not self._is_lowered:
            self.lower()
        self._symbols = symbols = _Symbols(self.module)
        self._interpreted: dict[int, Code] = {}
        self._compiled: list[tuple[list[int], rt.Executable]] = []
        for i, function in enumerate(self._functions):
            if function.interpreted and not unknown_ops(symbols.names(f"f{i}")):
                self._interpreted[i] = code_of(self._part(symbols, [i]))
        self._compile([i for i in range(len(self._functions)) if i not in self._interpreted])

    def _compile(self, indices: Sequence[int]) -> None:
        symbols = self._symbols
        for part in _parts([(i, symbols.size(f"f{i}")) for i in indices]):
            module = self._part(symbols, part)
            if self.platform == "cpu":
                order_stacked_calls(module.operation)  # those shared by several functions too
            self._compiled.append((part, _compiled(module)))

    def _part(self, symbols: _Symbols, indices: Sequence[int]) -> ir.Module:
        """A module whose `main` calls some of the functions."""
        module = symbols.part([f"f{i}" for i in indices])
        functions = [(f"f{i}", self._functions[i]) for i in indices]

        def main(*arguments: ir.Value) -> list[ir.Value]:
            given = iter(arguments)
            results: list[ir.Value] = []
            for name, function in functions:
                call = ir.Operation.create(
                    "func.call", function.results, [next(given) for _ in function.types],
                    {"callee": ir.FlatSymbolRefAttr.get(name)},
                )  # fmt: skip
                results += call.results
            return results

        _add_function(module, "main", [t for _, f in functions for t in f.types], main, "public")
        return module

    def is_interpreted(self, index: int) -> bool:
        """Whether the interpreter runs a function."""
        return index in self._interpreted

    def compile_too(self, indices: Sequence[int]) -> None:
        """Compile functions that were interpreted so far."""
        for i in indices:
            self._interpreted.pop(i, None)
        self._compile(indices)

    def run(self, change: Change | None = None) -> list[list[np.ndarray]]:
        """Results of every function; `change(i, inputs)` may replace the inputs of one."""
        found = self.run_at([change], range(len(self._functions)))[0]
        return [found[i] for i in range(len(self._functions))]

    def run_at(
        self, changes: Sequence[Change | None], indices: Iterable[int]
    ) -> list[dict[int, list[np.ndarray]]]:
        """Results of functions by their index, at each of several changes of the inputs."""
        wanted = set(indices)
        points = [
            [xs if change is None else change(i, xs) for i, xs in enumerate(self.inputs)]
            for change in changes
        ]
        found: dict[int, list[list[np.ndarray]]] = {}
        found |= self._run_interpreted(sorted(wanted & self._interpreted.keys()), points)
        for compiled, executable in self._compiled:
            if wanted & set(compiled):
                at = [self._executed(compiled, executable, point) for point in points]
                found |= {i: [results[k] for results in at] for k, i in enumerate(compiled)}
        return [{i: results[k] for i, results in found.items()} for k in range(len(points))]

    def _run_interpreted(
        self, indices: Sequence[int], points: Sequence[Sequence[list[np.ndarray]]]
    ) -> dict[int, list[list[np.ndarray]]]:
        """Results of functions that the interpreter can run; the others are compiled."""
        jobs = [(self._interpreted[i], [point[i] for point in points]) for i in indices]
        seconds = _ENOUGH if self.interprets_all else _MOST
        answers = dict(
            zip(indices, interpreter().run_each(jobs, seconds) if jobs else [], strict=True)
        )
        ended = [i for i, answer in answers.items() if isinstance(answer, ProcessEnded)]
        self.compile_too(ended)  # such as on a dtype that it lacks
        return {i: y for i, y in answers.items() if not isinstance(y, ProcessEnded)}

    def _executed(
        self, indices: Sequence[int], executable: rt.Executable, inputs: Sequence[Any]
    ) -> list[list[np.ndarray]]:
        given = [rt.put(np.asarray(x)) for i in indices for x in inputs[i]]
        found = iter([np.asarray(y) for y in executable.execute(given)])
        return [[next(found) for _ in self._functions[i].results] for i in indices]


def _parts(sizes: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Group functions, given with their sizes, into parts of at most `_MOST_OPS`, or of one
    function."""
    parts: list[list[int]] = []
    room = 0
    for i, size in sizes:
        if not parts or size > room:
            parts.append([])
            room = _MOST_OPS
        parts[-1].append(i)
        room -= size
    return parts


def needs_new_emitters(op: ir.Operation) -> bool:
    """Whether it has ops that XLA's old emitters compile wrongly.

    The integer -1 to negative powers is 0, and narrow indices of a scatter wrap along a long axis.
    """
    found = False

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal found
        if op.name == "stablehlo.power":
            found = isinstance(op.results[0].type.element_type, ir.IntegerType)
        elif op.name == "stablehlo.scatter":
            indices = op.operands[len(op.results)]
            found = indices.type.element_type.width < 32
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    op.walk(visit)
    return found


def _compiled(module: ir.Module) -> rt.Executable:
    text = module.operation.get_asm()
    if needs_new_emitters(module.operation):
        return compile_fast(text)
    try:
        return compile_fast(text, options=OLD_EMITTERS)
    except rt.RuntimeFailure:  # the old ones lack clamp of bools
        return compile_fast(text)


def compile_fast(
    program: bytes | str, *args: Any, options: Mapping[str, object] | None = None, **rest: Any
) -> rt.Executable:
    """Compile with the flags of `FAST` and `options`, without those that this XLA does not have.

    Of `options` only those of `OLD_EMITTERS` may be missing.
    """
    flags = FAST | dict(options or {})
    while True:
        known = {name: value for name, value in flags.items() if name not in _missing}
        try:
            return rt.compile_lowered(program, *args, options=known, **rest)
        except ValueError as error:
            found = re.search(r"No such compile option: '(\w+)'", str(error))
            if found is None or found[1] not in known or found[1] not in FAST | OLD_EMITTERS:
                raise
            _missing.add(found[1])


def _check_legal(module: ir.Operation) -> None:
    """Raise if lowering left a borrowed op in a form that is to be lowered."""
    left: list[str] = []

    def note(op: ir.Operation) -> ir.WalkResult:
        rules = _CONDITIONAL.get(op.name)
        if rules is not None and not rules.is_already_legal(op):
            left.append(str(op))
        return ir.WalkResult.ADVANCE

    module.walk(note)
    if left:
        raise PassError("anvl-lower-to-stablehlo", f"what is to be lowered is left: {left[0]}")


def _add_function(
    module: ir.Module, name: str, types: Sequence[Any],
    body: Callable[..., Sequence[ir.Value]], visibility: str = "private",
) -> list[Any]:  # fmt: skip
    """Append a function; returns the types of its results."""
    with context(), ir.Location.unknown():
        function = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "sym_visibility": ir.StringAttr.get(visibility),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
            },
            regions=1,
            ip=ir.InsertionPoint(module.body),
        )
        block = function.regions[0].blocks.append(*types)
        with ir.InsertionPoint(block):
            values = list(body(*block.arguments))
            ir.Operation.create("func.return", [], values)
        results = [y.type for y in values]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, results))
    return results
