"""A function of a module, as a jitted Python function of the same arguments."""

from __future__ import annotations

import inspect
import io
import keyword
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract, as_tracer, fitted
from anvl.core.trace_state import current, passes_lock
from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError, nearest
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, element_type, kind, numpy_of, tensor
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dispatch.jit import jit
from anvl.dispatch.nested_calls import call_function
from anvl.interop.constants import Given, read_constants
from anvl.interop.lift_program import insert_functions, lifted
from anvl.interop.program_mesh import ProgramMesh
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import body_of, callee_of, calls_of, functions_of, needed_by
from anvl.passes.refine_shapes import RefineShapes, is_static
from anvl.sharding.meshes import Mesh

__all__ = ["ImportedFunction", "Input", "given_operands", "jitted"]

_CALLED = "call_target_name"
_MOST_REFINED = 256  # programs kept, of one dynamic function


class Input(NamedTuple):
    """An argument: its dtype, and its sizes, of which some may be unknown (None)."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]

    def __repr__(self) -> str:
        sizes = ",".join("?" if n is None else str(n) for n in self.shape)
        return f"{dtype_name(self.dtype)}[{sizes}]"

    def takes(self, shape: Sequence[int]) -> bool:
        """Whether an array of this shape fits."""
        pairs = zip(shape, self.shape, strict=False)
        return len(shape) == len(self.shape) and all(n in (None, m) for m, n in pairs)


class _Lifted(NamedTuple):
    """A module in anvl's ops, and what its function returns."""

    module: ir.Module
    outputs: list[Aval]
    mesh: ProgramMesh


class ImportedFunction:
    """A function of a module; called in a trace, it becomes a call of a copy in the trace.

    A function with unknown sizes is refined for the types of the arguments of each call.
    `constants` are arrays that it captured; `mesh` is where it runs, by default over the first
    devices where it has manual computations; `caller` stands before messages.  Raises `ValueError`
    if there is no such function, or anvl has no arrays of its types.
    """

    def __init__(
        self,
        module: ir.Module,
        name: str,
        caller: str,
        constants: Given = None,
        mesh: Mesh | None = None,
    ) -> None:
        self.name, self._caller, self._module, self._mesh = name, caller, module, mesh
        functions = functions_of(module.operation)
        if name not in functions:
            known = f"there are: {', '.join(functions)}" if functions else "the module has none"
            close = nearest(name, functions)
            raise ValueError(f"{caller}: there is no function {name!r}{close}; {known}")
        function = functions[name]
        if body_of(function) is None:
            raise ValueError(f"{caller}: @{name} is declared, but has no body")
        self._check_callbacks()
        within = [functions[f] for f in (name, *needed_by(name, functions))]
        self._constants = read_constants(constants, function, within, caller)
        self._arguments = self._inputs(function, functions)
        of_arguments = self._constants.of_arguments
        self.inputs = [x for i, x in enumerate(self._arguments) if i not in of_arguments]
        self._is_dynamic = not all(map(_has_static_types, within))
        self._refined: dict[tuple[Any, ...], _Lifted] = {}
        if not self._is_dynamic:
            with passes_lock:
                self._refined[()] = self._lifted(module)
        elif all(None not in x.shape for x in self._arguments):
            # Refuse it now, not at the first call.
            self._of(tuple(x.shape for x in self._arguments))

    def __call__(self, *args: Any) -> Any:
        operands = self._operands(args)
        trace = current.trace
        assert trace is not None
        of = self._of(tuple(x.aval.shape for x in operands) if self._is_dynamic else ())
        # The lifted program keeps the module alive, so its key stays unique.
        key = "from_stablehlo", id(of.module), self.name
        of.mesh.enter(trace.program)
        name = trace.program.functions.get(key)
        if name is None:
            captured = self._constants.captured
            name = insert_functions(of.module, self.name, trace.program, captured)
            trace.program.functions[key] = name
        found = call_function(trace, name, operands, of.outputs)
        return found[0] if len(found) == 1 else tuple(found)

    def signature(self) -> inspect.Signature:
        """Its parameters, named as the arguments in the program, where all names differ."""
        names = [_identifier(x.name) for x in self.inputs]
        if len({*names}) < len(names) or "" in names:
            names = [f"arg{i}" for i in range(len(names))]
        kind_ = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(name, kind_) for name in names])

    def described(self) -> str:
        """Types of the arguments, for the docstring and for messages."""
        return f"({', '.join(map(repr, self.inputs))})"

    def notebook_html(self) -> str:
        """The program, with its graph, in a notebook."""
        from anvl.dispatch.notebook import notebook_html  # 10 ms that only notebooks need

        title = f"@{self.name} {self.described()}"
        return notebook_html(title, [("loaded", self._module)], with_source=False)

    # -- types -----------------------------------------------------------------------------------

    def _inputs(self, function: ir.Operation, functions: dict[str, ir.Operation]) -> list[Input]:
        names = _argument_names(function, functions)
        inputs = function.attributes["function_type"].value.inputs
        return [self._input(n, t) for n, t in zip(names, inputs, strict=True)]

    def _input(self, name: str, type_: Any) -> Input:
        if not isinstance(type_, ir.RankedTensorType):
            raise self._unknown(type_)
        sizes = [None if type_.is_dynamic_dim(i) else n for i, n in enumerate(type_.shape)]
        return Input(name, self._dtype(type_), tuple(sizes))

    def _dtype(self, type_: Any) -> np.dtype[Any]:
        try:
            if kind(type_.element_type):
                return numpy_of(type_.element_type)
        except (TypeError, KeyError):
            pass
        raise self._unknown(type_)

    def _output(self, type_: Any) -> Aval:
        if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
            raise self._unknown(type_)
        return aval(self._dtype(type_), tuple(type_.shape))

    def _unknown(self, type_: Any) -> ValueError:
        return ValueError(
            f"{self._caller}: @{self.name} takes or returns {type_}; anvl has arrays of known "
            "ranks, and of its own dtypes"
        )

    # -- programs --------------------------------------------------------------------------------

    def _of(self, shapes: tuple[Any, ...]) -> _Lifted:
        """The program for arguments of these shapes."""
        found = self._refined.get(shapes)
        if found is None:
            if len(self._refined) >= _MOST_REFINED:
                self._refined.clear()
            with passes_lock:
                found = self._refined[shapes] = self._lifted(self._refine(shapes))
        return found

    def _refine(self, shapes: tuple[Any, ...]) -> ir.Module:
        copy = io.BytesIO()
        self._module.operation.write_bytecode(copy)
        module = ir.Module.parse(copy.getvalue(), context())
        types = [
            str(tensor(shape, element_type(x.dtype)))
            for x, shape in zip(self._arguments, shapes, strict=True)
        ]
        try:
            Pipeline([RefineShapes(function=self.name, types=tuple(types))]).run(module)
        except PassError as error:
            raise ValueError(f"{self._caller}: {error.message}") from None
        return module

    def _lifted(self, module: ir.Module) -> _Lifted:
        try:
            functions = lifted(module)
        except PassError as error:
            raise ValueError(f"{self._caller}: {error.message}") from None
        except ValueError as error:
            raise ValueError(f"{self._caller}: {error}") from None
        results = functions[self.name].attributes["function_type"].value.results
        mesh = ProgramMesh(self._caller, module, self._mesh)
        return _Lifted(module, list(map(self._output, results)), mesh)

    def _check_callbacks(self) -> None:
        """Refuse JAX's callbacks: pointers into the process that made them; XLA checks nothing."""
        found: list[str] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            name = attribute_of(op, _CALLED)
            if isinstance(name, ir.StringAttr) and re.search("python.*_callback$", name.value):
                found.append(f"{place_of(op)} calls {name.value!r}")
            return ir.WalkResult.ADVANCE

        self._module.operation.walk(visit)
        if found:
            raise ValueError(
                f"{self._caller}: {found[0]}: a Python function of the process that wrote the "
                "program; write it without callbacks"
            )

    # -- arguments -------------------------------------------------------------------------------

    def _operands(self, args: Sequence[Any]) -> list[Any]:
        """Arguments as tracers; Python numbers take the dtype of the program."""
        if len(args) != len(self.inputs):
            raise TypeError(
                f"{self.name}: takes {len(self.inputs)} arrays, {self.described()}, but got "
                f"{len(args)}"
            )
        operands = given_operands(self.name, args, self.inputs)
        for i, x in self._constants.of_arguments.items():
            operands.insert(i, as_tracer(x))
        return operands


def given_operands(function: str, args: Sequence[Any], inputs: Sequence[Input]) -> list[Any]:
    """Arguments as tracers of these types; a Python number takes the dtype of its input."""
    operands = []
    for i, (x, of) in enumerate(zip(args, inputs, strict=True)):
        which = f"{function}: argument {i}" + (f" ({of.name})" if of.name else "")
        found = abstract(x, which)
        if found.weak_type and of.takes(found.shape) and found.level <= aval(of.dtype).level:
            operands.append(as_tracer(fitted(x, of.dtype)))
        elif found.dtype == of.dtype and of.takes(found.shape):
            operands.append(as_tracer(x))
        else:
            raise TypeError(
                f"{which} is {found}, but the program takes {of}; cast or "
                f"reshape it, for example with anvl.numpy.asarray(x, {dtype_name(of.dtype)!r})"
            )
    return operands


def _has_static_types(function: ir.Operation) -> bool:
    found: list[ir.Operation] = []

    def look(op: ir.Operation) -> ir.WalkResult:
        if not all(is_static(y.type) for y in op.results):
            found.append(op)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    function.walk(look)
    type_ = function.attributes["function_type"].value
    return not found and all(map(is_static, [*type_.inputs, *type_.results]))


# -- names ---------------------------------------------------------------------------------------


def _argument_names(function: ir.Operation, functions: dict[str, ir.Operation]) -> list[str]:
    """Names of the arguments, from their locations; else those of a callee that they are given to.

    JAX exports a function as a call of the one that has the names.
    """
    block = body_of(function)
    assert block is not None
    names = [_name_of(x) for x in block.arguments]
    if not all(names):
        places = {x: i for i, x in enumerate(block.arguments)}
        for call in calls_of(function):
            callee = body_of(functions[callee_of(call)]) if callee_of(call) in functions else None
            inner = [] if callee is None else list(callee.arguments)
            for x, argument in zip(call.operands, inner, strict=False):
                if x in places:
                    names[places[x]] = names[places[x]] or _name_of(argument)
    return names


def _name_of(x: Any) -> str:
    location = x.location
    return location.name_str if isinstance(location, ir.NameLoc) else ""


def _identifier(name: str) -> str:
    """`params['w']` as `params_w`; `""` for what is no name of a parameter."""
    found = re.sub(r"\W+", "_", name).strip("_")
    return "" if not found.isidentifier() or keyword.iskeyword(found) else found


def jitted(function: ImportedFunction) -> Callable[..., Any]:
    """The function under `jit`, with its name, parameters and types."""
    signature = function.signature()

    def imported(*args: Any, **kwargs: Any) -> Any:
        return function(*(signature.bind(*args, **kwargs).args if kwargs else args))

    imported.__name__ = imported.__qualname__ = function.name
    imported.__doc__ = f"@{function.name}: {function.described()}."
    imported.__signature__ = signature  # type: ignore[attr-defined]
    made = jit(imported)
    made._repr_html_ = function.notebook_html
    return made
