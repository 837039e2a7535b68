"""anvl-verify-gradient: execute a function, its adjoint and its tangent, and compare.

Note [A pass that executes]

Passes must not import the runtime, so this one belongs to the tools, which may execute; `anvl-opt`
registers it.  It runs a copy of the module; the arithmetic, shared with
`anvl.testing.check_grads`, is in `anvl.passes.expand.gradient_check`.
"""

import io
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, kind, numpy_dtype
from anvl.passes.expand.checks import check_floats, is_float
from anvl.passes.expand.declarations import Expansion
from anvl.passes.expand.gradient_check import BAD, OK, Limits, Slope, direction, measured, paired
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.symbol_utils import functions_of
from anvl.tools.run.entry import Result, lowered
from anvl.tools.run.executors import ExecutionFailed, execute
from anvl.tools.run.inputs import InvalidInput, literal

__all__ = ["VerifyGradient"]

_NAME = "anvl-verify-gradient"

_Execute: TypeAlias = Callable[[Sequence[np.ndarray]], list[np.ndarray]]


@dataclass(frozen=True)
class VerifyGradient(Pass, argument=_NAME, registered=False):
    """Execute a function, its adjoint and its tangent, and compare them with central differences.

    For each argument of `wrt` the derivative of <g, result `target`> along t, where g and t are
    random: a line on stderr has it three ways, with the relative error between the first two, that
    from the differences, and a verdict.  Where one is not `ok`, an error lists these.  The module
    stays as it was.

    Floats are drawn from `range`, integers from 0, 1 and 2; or `args`, a JSON list as of
    `anvl-run`, says what they are.
    """

    anchor = "builtin.module"

    function: str = option("main", help="the function to verify")
    wrt: tuple[int, ...] = option((), help="positions of arguments; all float ones where not given")
    target: int = option(0, help="position of the result to differentiate, of any shape")
    eps: float = option(0.0, help="the step of the differences; by dtype where not given")
    tolerance: float = option(0.0, help="the relative error allowed; by dtype where not given")
    seed: int = option(0, help="of the random numbers")
    range: tuple[float, ...] = option((-1.0, 1.0), help="range of the random floats")
    args: str = option("", help="a JSON list of the arguments, instead of random ones")
    executor: str = "plugin"

    def run(self, module: ir.Operation) -> None:
        for name, value in (("eps", self.eps), ("tolerance", self.tolerance), ("seed", self.seed)):
            if not 0 <= value < np.inf:
                raise PassError(_NAME, f"{name} is {value}; it must be a number from 0 on")
        if len(self.range) != 2 or not -np.inf < self.range[0] <= self.range[1] < np.inf:
            given = ",".join(map(str, self.range))
            raise PassError(_NAME, f"range is {given}; give two numbers, such as range=0.1,2")
        check, slopes = self.measured(module)
        lines = [f"  {name}, {slope}" for name, slope in slopes]
        print("\n".join([f"{_NAME}: {check}", *lines]), file=sys.stderr)
        wrong = [(name, slope.verdict) for name, slope in slopes if slope.verdict != OK]
        if wrong:
            listed = ", ".join(f"{name} is {verdict}" for name, verdict in wrong)
            problem = f"@{self.function}: of {len(slopes)} derivatives, {listed}"
            if not any(verdict == BAD for _, verdict in wrong):
                problem += "; differences cannot tell: give another seed, range, eps or args"
            raise PassError(_NAME, problem, check.place)

    def measured(self, module: ir.Operation) -> tuple["_Check", list[tuple[str, Slope]]]:
        """The derivative along a direction of each argument of `wrt`, three ways.

        Raises `PassError`, where the function cannot be differentiated or executed.
        """
        function = Expansion(module, functions_of(module), _NAME).find(self.function)
        check = _Check(self, function)
        program = check.program(module)
        return check, check.slopes(_executor(f"@{self.function}", *program, self.executor))


class _Check:
    """One function: its inputs, and the program that differentiates it."""

    def __init__(self, options: VerifyGradient, function: ir.Operation) -> None:
        self.options, self.place = options, str(function.location)
        self.inputs, self.outputs = signature_of(function)
        self.wrt = options.wrt or tuple(i for i, t in enumerate(self.inputs) if is_float(t))
        if not self.wrt:
            raise self._refused("no argument is a float; there is nothing to verify")
        check_floats(_NAME, options.function, "wrt", self.wrt, self.inputs, self.place)
        check_floats(_NAME, options.function, "target", [options.target], self.outputs, self.place)
        self._check_static()
        locations = [x.location for x in function.regions[0].blocks[0].arguments]
        self.names = [
            getattr(location, "name_str", None) or f"argument {i}"
            for i, location in enumerate(locations)
        ]
        self.target = self.outputs[options.target]

    def __str__(self) -> str:
        options = self.options
        return f"@{options.function}, result {options.target}: {self.target}, seed {options.seed}"

    def _limits(self, type_: Any) -> Limits:
        """Tolerances of the derivative with respect to an argument of this type."""
        dtypes = [dtype_name(t.element_type) for t in (type_, self.target)]
        return Limits.of(dtypes, self.options.eps, self.options.tolerance)

    def _refused(self, problem: str) -> PassError:
        return PassError(_NAME, f"@{self.options.function}: {problem}", self.place)

    def _moving(self) -> list[Any]:
        return [self.inputs[i] for i in self.wrt]

    def _check_static(self) -> None:
        for i, type_ in enumerate(self.inputs):
            if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
                raise self._refused(
                    f"argument {i} is {type_}; only tensors of static shape can be run"
                )

    # -- the program -------------------------------------------------------------------------------

    def program(self, module: ir.Operation) -> tuple[bytes, str]:
        """A copy of the module with a function that returns all compared values, and its name."""
        copy = ir.Module.parse(_bytecode(module), module.context)
        known = functions_of(copy.operation)
        names = [_unused(f"{self.options.function}_{x}", known) for x in _ADDED]
        added = ir.Module.parse(self._text(*map(_symbol, names)), module.context)
        for op in added.body.operations:
            op.operation.clone(ip=ir.InsertionPoint(copy.body))
        return _bytecode(copy.operation), names[-1]

    def _text(self, vjp: str, jvp: str, both: str) -> str:
        """Declarations of the adjoint and the tangent, and a function that calls both."""
        moving, target = self._moving(), self.options.target
        floats = [i for i, t in enumerate(self.outputs) if is_float(t)]
        adjoint = [*self.inputs, self.target], [*self.outputs, *moving]
        tangent = [*self.inputs, *moving], [*self.outputs, *(self.outputs[i] for i in floats)]
        callee, wrt = f"callee = {_symbol(self.options.function)}", f"wrt = {_ints(self.wrt)}"
        xs, ts = _values("x", self.inputs), _values("t", moving)
        count = len(self.outputs)
        returned = [f"%b#{target}", f"%b#{count + floats.index(target)}"]
        returned += [f"%a#{count + i}" for i in range(len(moving))]
        types = [self.target, self.target, *moving]
        arguments = zip([*xs, *ts, "%g"], [*self.inputs, *moving, self.target], strict=True)
        listed = ", ".join(f"{x}: {t}" for x, t in arguments)
        return f"""
            func.func private {vjp}{_signature(*adjoint)}
              attributes {{anvl.vjp = {{{callee}, {wrt}, targets = {_ints([target])}}}}}
            func.func private {jvp}{_signature(*tangent)}
              attributes {{anvl.jvp = {{{callee}, {wrt}}}}}
            func.func {both}({listed}) -> {_tuple(types)} {{
              %a:{count + len(moving)} = func.call {vjp}({", ".join([*xs, "%g"])})
                : {_signature(*adjoint)}
              %b:{count + len(floats)} = func.call {jvp}({", ".join([*xs, *ts])})
                : {_signature(*tangent)}
              return {", ".join(returned)} : {", ".join(map(str, types))}
            }}"""

    # -- numbers -----------------------------------------------------------------------------------

    def slopes(self, execute: _Execute) -> list[tuple[str, Slope]]:
        """Name of each argument of `wrt`, and the derivative along a direction of it."""
        random = np.random.default_rng(self.options.seed)
        xs = self._given() if self.options.args else [self._drawn(random, t) for t in self.inputs]
        ts = [direction(random, t.shape, _dtype(t)) for t in self._moving()]
        g = direction(random, self.target.shape, _dtype(self.target))
        still = [np.zeros_like(t) for t in ts]
        found = []
        for n, (i, t) in enumerate(zip(self.wrt, ts, strict=True)):
            along = [*still[:n], t, *still[n + 1 :]]
            _, ty, *adjoints = execute([*xs, *along, g])
            moves = [t if j == i else None for j in range(len(xs))]
            limits = self._limits(self.inputs[i])
            slope = measured(lambda at: execute([*at, *still, g])[:1], xs, moves, [g], limits)
            slope = slope.with_modes(paired([adjoints[n]], [t]), paired([g], [ty]))
            found.append((f"{self.names[i]}: {self.inputs[i]}", slope))
        return found

    def _drawn(self, random: "np.random.Generator", type_: Any) -> np.ndarray:
        what = kind(type_.element_type)
        if what not in ("float", "complex"):  # indices, counts, choices: small ones fit most
            return random.integers(0, 2 if what == "bool" else 3, type_.shape).astype(_dtype(type_))
        low, high = self.options.range
        value: Any = random.uniform(low, high, type_.shape)
        if what == "complex":
            value = value + 1j * random.uniform(low, high, type_.shape)
        return np.asarray(value).astype(_dtype(type_))

    def _given(self) -> list[np.ndarray]:
        try:
            given = json.loads(self.options.args)
        except ValueError as error:
            raise self._refused(f"args is not JSON, {error}; write args=[[1.0,2.0],3]") from None
        if not isinstance(given, list) or len(given) != len(self.inputs):
            problem = f"args is {self.options.args}; give a list of {len(self.inputs)} values"
            raise self._refused(problem)
        return [self._array(i, x, self.inputs[i]) for i, x in enumerate(given)]

    def _array(self, i: int, value: Any, type_: Any) -> np.ndarray:
        try:
            return literal(value, Result(i, str(type_), _dtype(type_), tuple(type_.shape)))
        except InvalidInput:
            problem = f"args gives {json.dumps(value)} for argument {i}, a {type_}"
            raise self._refused(problem) from None


def _dtype(type_: Any) -> np.dtype:
    return numpy_dtype(dtype_name(type_.element_type))


# -- text and execution ----------------------------------------------------------------------------

_ADDED = ("adjoint_to_verify", "tangent_to_verify", "verified")


def _unused(name: str, known: dict[str, Any]) -> str:
    tries = itertools.chain([name], (f"{name}_{i}" for i in itertools.count()))
    return next(x for x in tries if x not in known)


def _symbol(name: str) -> str:
    """A symbol in MLIR syntax, quoted if necessary."""
    return str(ir.FlatSymbolRefAttr.get(name, context()))


def _values(name: str, types: Sequence[Any]) -> list[str]:
    return [f"%{name}{i}" for i in range(len(types))]


def _ints(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def _tuple(types: Sequence[Any]) -> str:
    return f"({', '.join(map(str, types))})"


def _signature(inputs: Sequence[Any], outputs: Sequence[Any]) -> str:
    return f"{_tuple(inputs)} -> {_tuple(outputs)}"


def _bytecode(module: ir.Operation) -> bytes:
    buffer = io.BytesIO()
    module.write_bytecode(buffer)
    return buffer.getvalue()


def _executor(name: str, program: bytes, function: str, executor: str) -> _Execute:
    """Lower a function of a program; a child process executes it for arrays."""
    low = lowered(ir.Module.parse(program, context()), function)
    if low.captured:
        problem = f"{name} closes over arrays that the text does not hold; run anvl-hoist-constants"
        raise PassError(_NAME, f"{problem} first")

    def executed(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        try:
            return execute(low, arrays, executor)
        except ExecutionFailed as error:
            raise PassError(_NAME, f"{name} could not be run: {error}") from error

    return executed
