"""anvl-refine-shapes: make the shapes of a function static, from the types of its arguments."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from anvl.dialect.core.errors import PassError, nearest
from anvl.dialect.core.mlir import PassManager, ir
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.shape_arithmetic import sizes_to_stablehlo
from anvl.passes.functions.symbol_utils import (
    callee_of,
    calls_by_function,
    functions_of,
    needed_by,
)

__all__ = ["RefineShapes", "is_static"]

_NAME = "anvl-refine-shapes"
_MAIN = "main"  # the only function that StableHLO's passes refine

#: Beside StableHLO's passes: they see one function, so all calls are inlined first.
_INLINING = (
    "func.func(stablehlo-legalize-composite-to-call)",
    "anvl-inline",
)
_REFINING = (
    "stablehlo-refine-shapes",
    "func.func(stablehlo-canonicalize-dynamism)",
    "func.func(stablehlo-check-shape-assertions)",
    "func.func(trivial-dce)",
    "cse",
)


@dataclass(frozen=True)
class RefineShapes(Pass, argument=_NAME):
    """Give the arguments of a function static types, and compute all other shapes from them.

    A function of `tensor<?x3xf32>`, such as JAX exports for symbolic sizes, becomes one of
    `tensor<5x3xf32>`, which the other passes and the plugin can take.  Its calls are inlined; sizes
    that torch-mlir computes in `shape`, `tensor` and `arith` are computed in StableHLO.
    Fails, and names the op, if a shape depends on values, or an assertion about shapes does not
    hold.  Source: StableHLO, "Dynamism"; `stablehlo-refine-shapes`.
    """

    anchor = "builtin.module"

    function: str = option(_MAIN, help="the function to refine")
    types: tuple[str, ...] = option((), help="a static type for each argument: tensor<5x3xf32>,...")

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        function = functions.get(self.function)
        if function is None:
            known = nearest(self.function, functions)
            raise PassError(_NAME, f"there is no function @{self.function}{known}")
        self._check_uncalled(module)
        with _undelivered_diagnostics(module.context):
            wanted = self._checked_types(function)
            refined = self._refined(function, functions, wanted)
        self._check_static(functions_of(refined.operation)[_MAIN])
        _replace(function, functions_of(refined.operation)[_MAIN], self.function)
        Pipeline(["symbol-dce"]).run(module)

    def _error(self, problem: str, place: str) -> PassError:
        return PassError(_NAME, f"@{self.function}: {problem}", place)

    def _check_uncalled(self, module: ir.Operation) -> None:
        for caller, calls in calls_by_function(module).items():
            found = [call for call in calls if callee_of(call) == self.function]
            if found:
                raise self._error(
                    f"is called by @{caller}, whose types would not fit; refine @{caller}",
                    str(found[0].location),
                )

    def _checked_types(self, function: ir.Operation) -> list[ir.Type]:
        place = str(function.location)
        inputs = function.attributes["function_type"].value.inputs
        if len(self.types) != len(inputs):
            raise self._error(f"takes {len(inputs)} arguments, got {len(self.types)} types", place)
        wanted = []
        for i, (text, declared) in enumerate(zip(self.types, inputs, strict=True)):
            try:
                found = ir.Type.parse(text, function.context)
            except ir.MLIRError:
                raise self._error(
                    f"type {i} is {text!r}, which is no type of MLIR", place
                ) from None
            if not is_static(found):
                raise self._error(f"type {i} is {text}, but must be static", place)
            if not _fits(found, declared):
                raise self._error(f"argument {i} is {declared}, which cannot be {text}", place)
            wanted.append(found)
        return wanted

    def _refined(
        self, function: ir.Operation, functions: dict[str, ir.Operation], types: list[ir.Type]
    ) -> ir.Module:
        """A module whose only function is the refined one, as @main."""
        copy = ir.Module.create(ir.Location.unknown(function.context))
        point = ir.InsertionPoint(copy.body)
        for name in [self.function, *needed_by(self.function, functions)]:
            clone = functions[name].clone(ip=point).operation
            visibility = "public" if name == self.function else "private"
            clone.attributes["sym_visibility"] = ir.StringAttr.get(visibility, function.context)
        try:
            Pipeline(_INLINING).run(copy)
            sizes_to_stablehlo(copy)
            inlined = functions_of(copy.operation)
            inlined[self.function].attributes["sym_name"] = ir.StringAttr.get(
                _MAIN, function.context
            )
            _refine_arguments(copy, types)
            Pipeline(_REFINING).run(copy)
        except PassError as error:
            place = error.location or str(function.location)
            raise self._error(error.message.removeprefix("the pass failed: "), place) from None
        return copy

    def _check_static(self, function: ir.Operation) -> None:
        dynamic: list[ir.Operation] = []

        def look(op: ir.Operation) -> ir.WalkResult:
            types = [x.type for x in (*op.operands, *op.results)]
            if op.name != "func.return" and not all(map(is_static, types)):
                dynamic.append(op)
                return ir.WalkResult.INTERRUPT
            return ir.WalkResult.ADVANCE

        function.walk(look)
        if dynamic:
            [op] = dynamic
            found = next(x.type for x in (*op.results, *op.operands) if not is_static(x.type))
            raise self._error(
                f"{op.name} stays dynamic, {found}: its shape depends on values, not only on the "
                "types of the arguments",
                str(op.location),
            )


@contextmanager
def _undelivered_diagnostics(context: ir.Context) -> Iterator[None]:
    """Errors of MLIR carry their diagnostics, from which this pass makes its own message."""
    before = context.emit_error_diagnostics
    context.emit_error_diagnostics = False
    try:
        yield
    finally:
        context.emit_error_diagnostics = before


def is_static(type_: ir.Type) -> bool:
    """Whether a type is no tensor of unknown sizes or rank."""
    if isinstance(type_, ir.UnrankedTensorType):
        return False
    return not isinstance(type_, ir.RankedTensorType) or bool(type_.has_static_shape)


def _refine_arguments(module: ir.Module, types: list[ir.Type]) -> None:
    """Run `stablehlo-refine-arguments`.

    By a manager of its own, since the pass appends to the types of the run before.
    """
    if not types:
        return
    listed = ",".join(map(str, types))
    text = f"builtin.module(stablehlo-refine-arguments{{types={listed}}})"
    try:
        PassManager.parse(text, module.context).run(module.operation)
    except ir.MLIRError as error:
        said = [d.message for d in error.error_diagnostics] or [str(error)]
        raise PassError(_NAME, said[0]) from None


def _fits(found: ir.Type, declared: ir.Type) -> bool:
    """Whether a static type is one of those that a type with unknown sizes stands for."""
    if found == declared:
        return True
    if not isinstance(found, ir.RankedTensorType) or not isinstance(declared, ir.ShapedType):
        return False
    if found.element_type != declared.element_type:
        return False
    return not declared.has_rank or (
        found.rank == declared.rank and all(_equal_or_unknown(found, declared))
    )


def _equal_or_unknown(found: Any, declared: Any) -> Iterable[bool]:
    for i in range(found.rank):
        yield declared.is_dynamic_dim(i) or declared.get_dim_size(i) == found.get_dim_size(i)


def _replace(old: ir.Operation, refined: ir.Operation, name: str) -> None:
    """Put the refined function in place of the old one, with its name and visibility."""
    new = refined.clone(ip=ir.InsertionPoint(old)).operation
    new.attributes["sym_name"] = ir.StringAttr.get(name, old.context)
    for key in ("sym_visibility", "arg_attrs"):
        if key in old.attributes:
            new.attributes[key] = old.attributes[key]
        elif key in new.attributes:
            del new.attributes[key]
    old.erase()
