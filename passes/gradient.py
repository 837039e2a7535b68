"""anvl-gradient: reverse mode.

Walks the ops of a function last to first, asks each for its `adjoint`, and sums what meets.
Names no op but the one that asks for it (`anvl.vjp`): a new op needs no change here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from anvl.dialect.errors import MissingRule, PassError
from anvl.dialect.families import differentiable
from anvl.dialect.mlir import ir
from anvl.dialect.ops.create import full
from anvl.dialect.params import Ints, Symbol
from anvl.dialect.sweep import sweep
from anvl.dialect.types import shape_text
from anvl.passes.inline import (
    body_of,
    callee_of,
    calls_by_function,
    functions_of,
    inline_calls,
    is_private,
    references,
    terminator_of,
)
from anvl.passes.pass_ import Pass, option

__all__ = ["VJP", "Gradient"]

#: The attribute of a declaration that asks for a derivative.
VJP = "anvl.vjp"

_NAME = "anvl-gradient"


@dataclass(frozen=True)
class Gradient(Pass, argument=_NAME):
    """Give every function that is declared as a derivative its body.

    A declaration with the attribute `anvl.vjp = {callee = @f, wrt = ..., targets = ...}` takes
    what `@f` takes, then one cotangent for each result in `targets`; it returns what `@f` returns,
    then the adjoint of each argument in `wrt`.  Afterwards no `anvl.vjp` is left.

    With `function=f wrt=0,2`, also add `@f_adjoint`: it takes what `@f` takes and returns the
    results of `@f`, then the derivative of result `target` (a float scalar) with respect to each
    argument of `wrt`.  `@f` stays as it was.
    """

    anchor = "builtin.module"

    function: str = option("", help="also add the adjoint of this function")
    wrt: tuple[int, ...] = option((), help="positions of arguments; all float ones where not given")
    target: int = option(0, help="position of the result to differentiate")
    suffix: str = option("_adjoint", help="appended to the name of the function")

    def run(self, module: ir.Operation) -> None:
        if not self.function and (self.wrt or self.target):
            raise PassError(_NAME, "wrt and target are of a function; say which, function=f")
        expansion = _Expansion(module)
        expansion.uses[self.function] += 1  # it stays, also where only its derivative names it
        for name in list(expansion.functions):
            expansion.define(name)
        if self.function:
            self._add_adjoint(expansion)

    def _add_adjoint(self, expansion: "_Expansion") -> None:
        function = expansion.find(self.function)
        inputs, outputs = signature(function)
        wrt = self.wrt or tuple(i for i, t in enumerate(inputs) if _is_float(t))
        place = str(function.location)
        _check_wrt(self.function, inputs, wrt, place)
        _check_target(self.function, outputs, self.target, place)
        name = self.function + self.suffix
        if name in expansion.functions:
            raise PassError(_NAME, f"@{name} is there already; give another suffix", place)
        adjoint = expansion.copied(self.function, name)
        if "sym_visibility" in adjoint.attributes:  # asked for by name: nobody may drop it
            del adjoint.attributes["sym_visibility"]
        _add_sweep(adjoint, self.function, wrt, (self.target,), seeded=True)


class _Expansion:
    """The functions of one module; those declared as derivatives get their bodies."""

    def __init__(self, module: ir.Operation) -> None:
        self.functions = functions_of(module)
        calls = calls_by_function(module)
        self.uses = references(self.functions, calls)
        # The callees of each function; those of what is made here are inlined at once.
        self.callees = {name: list(map(callee_of, found)) for name, found in calls.items()}
        self.defined: set[str] = set()

    def find(self, name: str, location: str = "") -> ir.Operation:
        function = self.functions.get(name)
        if function is None:
            known = ", ".join(f"@{n}" for n in self.functions) or "none"
            raise PassError(
                _NAME, f"there is no function @{name}; the module has {known}", location
            )
        if body_of(function) is None:
            raise PassError(_NAME, f"@{name} has no body of one block", location)
        return function

    def define(self, name: str, path: tuple[str, ...] = ()) -> None:
        """Define a function that is declared as a derivative, after all it depends on."""
        if name in path:
            cycle = " -> ".join(f"@{n}" for n in (*path, name))
            problem = f"recursion: {cycle}; functions must not form a cycle"
            raise PassError(_NAME, problem, str(self.functions[name].location))
        if name in self.defined or name not in self.functions:
            return
        function = self.functions[name]
        for callee in self.callees.get(name, ()):
            self.define(callee, (*path, name))
        if VJP in function.attributes:
            self._define_derivative(name, function, (*path, name))
        self.defined.add(name)

    def _define_derivative(
        self, name: str, declaration: ir.Operation, path: tuple[str, ...]
    ) -> None:
        location = str(declaration.location)
        callee, wrt, targets = _read_request(name, declaration)
        self.define(callee, path)
        inputs, outputs = signature(self.find(callee, location))
        _check_positions(name, "wrt", wrt, inputs, location)
        _check_positions(name, "targets", targets, outputs, location)
        _check_declaration(declaration, inputs, outputs, wrt, targets)
        declaration.erase()
        if self.uses[callee] == 1 and is_private(self.functions[callee]):
            definition = self.renamed(callee, name)
        else:
            definition = self.copied(callee, name)
        definition.attributes["sym_visibility"] = ir.StringAttr.get("private", definition.context)
        _add_sweep(definition, callee, wrt, targets, seeded=False)

    def copied(self, name: str, new_name: str) -> ir.Operation:
        """A copy of a function with every call in it inlined."""
        source = self.functions[name]
        self.functions[new_name] = source.clone(ip=ir.InsertionPoint(source)).operation
        return self._flattened(name, new_name)

    def renamed(self, name: str, new_name: str) -> ir.Operation:
        """A function that nobody else uses, under a new name, with every call in it inlined."""
        self.functions[new_name] = self.functions.pop(name)
        return self._flattened(name, new_name)

    def _flattened(self, name: str, new_name: str) -> ir.Operation:
        function = self.functions[new_name]
        function.attributes["sym_name"] = ir.StringAttr.get(new_name, function.context)
        if name in self.callees:
            inline_calls(new_name, self.functions)
        return function


def _add_sweep(
    function: ir.Operation, name: str, wrt: Sequence[int], targets: Sequence[int], seeded: bool
) -> None:
    """Append the reverse sweep to a copy of @name and return the adjoints behind its results."""
    block = function.regions[0].blocks[0]
    terminator = terminator_of(block)
    results = list(terminator.operands)
    arguments = [block.arguments[i] for i in wrt]
    with function.location, ir.InsertionPoint(terminator):
        seeds = [
            full(results[i].type, 1)
            if seeded
            else block.add_argument(results[i].type, _cotangent_location(function, i))
            for i in targets
        ]
        try:
            adjoints = sweep(
                block, [(results[i], g) for i, g in zip(targets, seeds, strict=True)], arguments
            )
        except MissingRule as error:
            raise MissingRule(f"{_NAME}: @{name}: {error}", error.location) from None
        returned = [*results, *adjoints]
        ir.Operation.create("func.return", [], returned, loc=terminator.location)
    terminator.erase()
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(
            [a.type for a in block.arguments], [y.type for y in returned], function.context
        )
    )
    _extend_attributes(function, len(block.arguments), len(returned))


def _cotangent_location(function: ir.Operation, i: int) -> ir.Location:
    return ir.Location.name(f"cotangent{i or ''}", function.location)


def _extend_attributes(function: ir.Operation, n_arguments: int, n_results: int) -> None:
    """Attributes of arguments and results stay with them; the new ones have none."""
    for key, wanted in (("arg_attrs", n_arguments), ("res_attrs", n_results)):
        if key in function.attributes:
            old = list(function.attributes[key])
            empty = ir.DictAttr.get({}, function.context)
            function.attributes[key] = ir.ArrayAttr.get(
                old + [empty] * (wanted - len(old)), function.context
            )


def signature(function: ir.Operation) -> tuple[list[ir.Type], list[ir.Type]]:
    """The types that a function takes and returns."""
    type_ = function.attributes["function_type"].value
    return list(type_.inputs), list(type_.results)


def _read_request(
    name: str, declaration: ir.Operation
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Callee, wrt and targets of an `anvl.vjp` attribute."""
    request = declaration.attributes[VJP]
    try:
        return (
            Symbol.decode(request["callee"]),
            Ints.decode(request["wrt"]),
            Ints.decode(request["targets"]),
        )
    except (TypeError, KeyError):
        raise PassError(
            _NAME,
            f"@{name}: {VJP} must be {{callee = @f, wrt = array<i64: ...>, "
            f"targets = array<i64: ...>}}, got {request}",
            str(declaration.location),
        ) from None


def _check_declaration(
    declaration: ir.Operation,
    inputs: list[ir.Type],
    outputs: list[ir.Type],
    wrt: Sequence[int],
    targets: Sequence[int],
) -> None:
    name = declaration.attributes["sym_name"].value
    if body_of(declaration) is not None:
        problem = f"@{name} has {VJP} and a body; it must be a declaration"
        raise PassError(_NAME, problem, str(declaration.location))
    wanted = [*inputs, *(outputs[i] for i in targets)], [*outputs, *(inputs[i] for i in wrt)]
    if signature(declaration) != wanted:
        found = declaration.attributes["function_type"].value
        raise PassError(
            _NAME,
            f"@{name} is declared as {found}, but this derivative is "
            f"{ir.FunctionType.get(*wanted, declaration.context)}",
            str(declaration.location),
        )


def _check_positions(
    name: str, role: str, positions: Sequence[int], types: list[ir.Type], place: str
) -> None:
    if len(set(positions)) != len(positions):
        problem = f"{role} {shape_text(positions)} repeats a position"
        raise PassError(_NAME, f"@{name}: {problem}", place)
    for i in positions:
        if not 0 <= i < len(types):
            problem = f"{role} {i} is none of {len(types)} positions"
            raise PassError(_NAME, f"@{name}: {problem}", place)
        if not _is_float(types[i]):
            problem = f"{role} {i} is {types[i]}; only floats have a derivative"
            raise PassError(_NAME, f"@{name}: {problem}", place)


def _is_float(type_: ir.Type) -> bool:
    return isinstance(type_, ir.RankedTensorType) and differentiable(type_)


def _check_wrt(name: str, inputs: Sequence[ir.Type], wrt: Sequence[int], place: str) -> None:
    if not wrt:
        problem = f"@{name} has no float argument to differentiate with respect to"
        raise PassError(_NAME, problem, place)
    _check_positions(name, "wrt", wrt, list(inputs), place)


def _check_target(name: str, outputs: Sequence[ir.Type], target: int, place: str) -> None:
    if not 0 <= target < len(outputs):
        problem = f"target {target} is no result of @{name}, which has {len(outputs)}"
        raise PassError(_NAME, problem, place)
    type_ = outputs[target]
    if not _is_float(type_) or type_.rank != 0:
        raise PassError(
            _NAME,
            f"target {target} of @{name} is {type_}, not a float scalar; "
            "return a sum of it, or use anvl.vjp with a cotangent of its shape",
            place,
        )
