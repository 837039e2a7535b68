"""Functions declared as transformations of others: the engine that writes their bodies.

A declaration has an attribute that defines it: `anvl.vjp = {callee = @f, ...}`.  Each kind of
attribute belongs to a pass.  See Note [Declarations of several kinds].
"""

import abc
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from anvl.dialect.control_flow.call import FUNCTION_RULES, Callee, FunctionRule, rule_of
from anvl.dialect.core.attributes import (
    extra_names,
    extras,
    replaced_entries,
    shifted,
    signature_of,
    symbols_in,
)
from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Symbol
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.ad_diagnostics import Search
from anvl.passes.framework.pass_base import Pass
from anvl.passes.framework.registry import KINDS
from anvl.passes.functions.closed_bodies import close_bodies
from anvl.passes.functions.dce import drop_dead, erase_unused_calls, run_on
from anvl.passes.functions.inlining import inline_calls
from anvl.passes.functions.simplification import simplify
from anvl.passes.functions.symbol_utils import (
    body_of,
    callee_of,
    calls_of,
    functions_of,
    is_private,
    terminator_of,
    uses_in,
)
from anvl.passes.residuals.partial_eval import split

__all__ = [
    "KINDS", "Expansion", "Kind", "define_all", "finish", "nothing_declared",
]  # fmt: skip

# Note [Declarations of several kinds]
#
# The tangent of an adjoint, the adjoint of a batch: declarations of one kind depend on those of
# others, in any order.  So one engine writes all kinds, and a pass defines the declarations of its
# own kind, after all their dependencies, of whatever kind; it leaves declarations that none of its
# kind depends on.  So each pass keeps its promise alone and in one run, and a pipeline names each
# of them once, in any order; repeating passes until none is left would make a cycle of functions a
# hang, and every program pay for the deepest.


class Kind(abc.ABC):
    """Kind of declaration, identified by its attribute.

    A definition begins as a copy of the callee, without calls; `write` turns it into the requested
    transformation.
    """

    #: The pass that it belongs to, and the attribute.
    argument: ClassVar[str]
    attribute: ClassVar[str]
    form: ClassVar[str]  # of the attribute, for messages
    noun: ClassVar[str]  # for the function, for messages
    positions: ClassVar[tuple[str, ...]] = ("wrt",)  # entries that are positions
    #: Whether a definition has more ops for each op of the callee.
    differentiates: ClassVar[bool] = True

    @abc.abstractmethod
    def read(self, attribute: Any) -> Any:
        """Parse the attribute besides the callee; raises `TypeError` or `KeyError` if invalid."""

    def with_state(self, attribute: Any, count: int) -> ir.Attribute | None:
        """The attribute after `count` arguments and results came first; None if they cannot."""
        shifts = {k: shifted(attribute[k], count) for k in self.positions}
        return replaced_entries(attribute, **shifts)

    def resolved(self, params: Any, callee: str, functions: dict[str, ir.Operation]) -> Any:
        """Complete the parameters with facts from the bodies of the callee and of its callees."""
        return params

    @abc.abstractmethod
    def check(
        self, name: str, params: Any, inputs: list[ir.Type], outputs: list[ir.Type], place: str
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        """Argument and result types of the declared function, given those of its callee.

        Raises `PassError` if the parameters do not fit these.
        """

    @abc.abstractmethod
    def write(
        self,
        function: ir.Operation,
        params: Any,
        symbols: SymbolTable,
        search: Search | None = None,
    ) -> None:
        """Turn a copy of the callee into the definition.

        `symbols` has the functions that its ops call.  A `search` collects missing rules; zeros
        stand in for their derivatives.
        """


def define_all(
    module: ir.Operation,
    kind: Kind,
    keeping: str = "",
    defaults: Mapping[str, int] = MappingProxyType({}),
) -> "Expansion | None":
    """Define every declaration of the pass of a kind; None if there was nothing to do.

    With a name in `keeping`, that function is prepared for copying, and not consumed.
    `defaults` are for rules: see `SymbolTable`.
    """
    functions = functions_of(module)
    mine = [k.attribute for k in KINDS.values() if k.argument == kind.argument]
    expansion = Expansion(module, functions, kind.argument)
    names = [n for n, found in expansion.marked.items() if not found.keys().isdisjoint(mine)]
    if not names and not keeping:
        return None
    close_bodies(module, kind.argument)
    expansion.defaults = defaults
    if keeping:
        expansion.uses[keeping] += 1
        names.append(keeping)
    for name in names:
        expansion.define(name)
    return expansion


def nothing_declared(pass_: Pass, marks: Set[str]) -> bool:
    """Whether a pass has neither declarations nor a function option to work on."""
    mine = [k.attribute for k in KINDS.values() if k.argument == pass_.argument]
    return pass_.is_plain and marks.isdisjoint(mine)


#: Attributes of functions with rules, and the types of these and of those that they name, which fit
#: each other: a check reads nothing else, and each pass asks again.
_FITTING: set[tuple[Any, ...]] = set()
_MOST_FITTING = 4096

#: Marks functions that contain a derivative, which a later pass may differentiate again.
_DERIVED = "anvl.derived"


class Expansion(SymbolTable):
    """The functions of one module; those declared as transformations get their bodies.

    With a `search`, expansion continues past missing rules: see `Kind.write`.
    """

    def __init__(
        self,
        module: ir.Operation,
        functions: dict[str, ir.Operation],
        argument: str,
        search: Search | None = None,
    ) -> None:
        super().__init__()
        self.module = module
        self.functions = functions
        self.argument = argument
        self.search = search
        # Functions whose calls have rules: Note [Functions with rules].
        marked = {name: found for name, op in functions.items() if (found := extras(op))}
        self.ruled = {name: rule for name, found in marked.items() if (rule := _rule_among(found))}
        self.marked = marked
        self.defined: set[str] = set()
        self.flat: set[str] = set()
        # Functions that contain a derivative: Note [Simplifying between expansions].
        self.derived = {name for name, found in marked.items() if _DERIVED in found}
        kinds = [KINDS[name] for found in marked.values() for name in found if name in KINDS]
        self.is_one_of_several = any(k.differentiates and k.argument != argument for k in kinds)

    @property
    def callees(self) -> dict[str, list[str]]:
        """The callees of each function; calls in functions made here are inlined at once."""
        return self._used[0]

    @property
    def uses(self) -> defaultdict[str, int]:
        """The number of references to each function."""
        return self._used[1]

    @cached_property
    def _used(self) -> tuple[dict[str, list[str]], defaultdict[str, int]]:
        # As they are when first asked for: half of the passes do not ask.
        calls, references = uses_in(self.module, map(dict.values, self.marked.values()))
        return {name: list(map(callee_of, found)) for name, found in calls.items()}, references

    def find(self, name: str, user: ir.Operation | None = None) -> ir.Operation:
        """The function of this name, which has a body; errors name the place of its user."""
        function = self.functions.get(name)
        if function is not None and body_of(function) is not None:
            return function
        problem = f"@{name} must have a body of one block"
        if function is None:
            known = ", ".join(f"@{n}" for n in self.functions) or "none"
            problem = f"there is no function @{name}; the module has {known}"
        raise PassError(self.argument, problem, str(user.location) if user else "")

    def define(self, name: str, path: tuple[str, ...] = ()) -> None:
        """Define a function that is declared as a transformation, after all it depends on."""
        if name in path:
            if self._is_own_rule(path[path.index(name) :]):
                return
            cycle = " -> ".join(f"@{n}" for n in (*path, name))
            problem = f"recursion: {cycle}; functions must not form a cycle"
            raise PassError(self.argument, problem, str(self.functions[name].location))
        if name in self.defined or name not in self.functions:
            return
        function = self.functions[name]
        for callee in self._needed_by(name):
            self.define(callee, (*path, name))
        kinds = [KINDS[attribute] for attribute in extra_names(function) if attribute in KINDS]
        if len(kinds) > 1:
            listed = ", ".join(kind.attribute for kind in kinds)
            problem = f"@{name} has {listed}, and can be declared as one of them only"
            raise PassError(self.argument, problem, str(function.location))
        for kind in kinds:
            self._write(kind, name, function, (*path, name))
        self.defined.add(name)
        if not self.derived.isdisjoint(self.callees.get(name, ())):
            self.derived.add(name)

    def _is_own_rule(self, cycle: Sequence[str]) -> bool:
        """Whether a cycle leads through a rule, and all its functions are already defined.

        A rule may call its own function: each derivative applies it once more.
        """
        kinds = [a for name in cycle for a in self.functions[name].attributes if a in KINDS]
        return not kinds and any(name in self.ruled for name in cycle)

    def _needed_by(self, name: str) -> list[str]:
        """Functions that must be defined first: the callees of a function, and its rules."""
        needed = self.callees.get(name, [])
        return [*needed, *self.rules_of(name)] if name in self.ruled else needed

    def rules_of(self, name: str) -> Sequence[str]:
        """The functions that a function with rules names."""
        attribute = self.functions[name].attributes[self.ruled[name].attribute]
        return symbols_in(attribute)

    def insert(self, function: ir.Operation) -> str:
        self.module.regions[0].blocks[0].append(function)
        name: str = function.attributes["sym_name"].value
        if name in self.functions or name in self._other_symbols:  # in MLIR's way of counting
            name = str(ir.SymbolTable(self.module).insert(function).value)
        self.functions[name] = function
        rule = rule_of(function)
        if rule is not None:
            self.ruled[name] = rule
        return name

    @cached_property
    def _other_symbols(self) -> set[str]:
        """The names of what is no function; a table of all symbols takes 10 us."""
        ops = [op.operation for op in self.module.regions[0].blocks[0].operations]
        named = [op for op in ops if op.name != "func.func" and "sym_name" in op.attributes]
        return {op.attributes["sym_name"].value for op in named}

    def _write(
        self, kind: Kind, name: str, declaration: ir.Operation, path: tuple[str, ...]
    ) -> None:
        place = str(declaration.location)
        callee, params = _read(kind, name, declaration)
        self.define(callee, path)
        types = signature_of(self.find(callee, declaration))
        params = kind.resolved(params, callee, self.functions)
        wanted = kind.check(name, params, *types, place)
        _check_declaration(kind, name, declaration, wanted)
        declaration.erase()
        is_spent = self.uses[callee] == 1 and callee not in self.ruled
        if is_spent and is_private(self.functions[callee]):
            definition = self._renamed(callee, name)
        else:
            definition = self._copied(callee, name)
        definition.attributes["sym_visibility"] = ir.StringAttr.get("private", definition.context)
        if kind.differentiates or callee in self.derived:
            self._mark(name, definition)
        self.write(kind, definition, callee, params)

    def _mark(self, name: str, definition: ir.Operation) -> None:
        """Mark a function as containing a derivative, also for later passes."""
        self.derived.add(name)
        if self.is_one_of_several:
            definition.attributes[_DERIVED] = ir.UnitAttr.get(definition.context)

    def write(self, kind: Kind, function: ir.Operation, callee: str, params: Any) -> None:
        """Turn a copy of @callee into the requested transformation."""
        if callee in self.derived and kind.differentiates:
            simplify(function)
        erase_unused_calls(function, self.functions)
        if self.ruled:
            self._prepare_rules(function, kind.differentiates)
        try:
            kind.write(function, params, self, self.search)
        except MissingRule as error:
            text = f"{kind.argument}: @{callee}: {error}"
            raise MissingRule(text, error.location, error.findings) from None

    def _prepare_rules(self, function: ir.Operation, merges: bool) -> None:
        """Inline the calls in the functions with rules that this one calls, and in their rules.

        Rules copy their ops.  Others may be half written.  With `merges`, equal ops become one: a
        derivative would save the value of each.
        """
        for name in dict.fromkeys(map(callee_of, calls_of(function))):
            if name not in self.ruled or name in self.flat:
                continue
            self.flat.add(name)
            itself = [] if self.ruled[name].declares else [name]
            for one in (*itself, *self.rules_of(name)):
                self.find(one, self.functions[name])
                self.define(one)
                inline_calls(one, self.functions, self.ruled)
                if merges:
                    run_on(self.functions[one], "cse")
                self._prepare_rules(self.functions[one], merges)
            self.check_rule(name)

    def check_rule(self, name: str) -> None:
        """Refuse a function whose rules do not fit it."""
        rule, function = self.ruled[name], self.functions[name]
        named = [self.find(one, function) for one in self.rules_of(name)]
        types = [f.attributes["function_type"] for f in (function, *named)]
        read = rule.attribute, function.attributes[rule.attribute], *types
        if read in _FITTING:
            return
        try:
            with function.context:
                rule.check(Callee(name, self))
        except (ValueError, TypeError, KeyError) as error:
            found = function.attributes[rule.attribute]
            problem = f" must be {rule.form}, got {found}"
            if isinstance(error, ValueError):
                problem = f": {error}"
            place = str(function.location)
            raise PassError(self.argument, f"@{name}: {rule.attribute}{problem}", place) from None
        if len(_FITTING) >= _MOST_FITTING:
            _FITTING.clear()
        _FITTING.add(read)

    def public_copy(self, name: str, suffix: str) -> ir.Operation:
        """A copy of a function with every call in it inlined, under its name with a suffix."""
        self.check_free(name, suffix)
        made = self._copied(name, name + suffix)
        if "sym_visibility" in made.attributes:  # requested by name: must not be erased
            del made.attributes["sym_visibility"]
        return made

    def split(
        self, made: ir.Operation, late: Sequence[int], n_early: int, names: tuple[str, str]
    ) -> None:
        """Split a derivative in two, with its calls inlined, but those of declarations, such as
        loops; see `residuals/partial_eval.py`."""
        name = made.attributes["sym_name"].value
        declared = [n for n, op in self.functions.items() if body_of(op) is None]
        inline_calls(name, self.functions, declared)
        drop_dead(self.functions[name], self.functions)
        split(self.functions[name], late, n_early, names)

    def check_free(self, name: str, suffix: str) -> None:
        """Refuse a suffix that gives the name of an existing function."""
        if name + suffix in self.functions:
            problem = f"@{name + suffix} exists already; give another suffix"
            raise PassError(self.argument, problem, str(self.functions[name].location))

    def _copied(self, name: str, new_name: str) -> ir.Operation:
        source = self.functions[name]
        if name in self.ruled:
            self.functions[new_name] = _calling(source, new_name)
            return self.functions[new_name]
        self.functions[new_name] = source.clone(ip=ir.InsertionPoint(source)).operation
        return self._flattened(name, new_name, defaultdict(int))

    def _renamed(self, name: str, new_name: str) -> ir.Operation:
        """Reuse a function without other users under a new name."""
        self.functions[new_name] = self.functions.pop(name)
        return self._flattened(name, new_name, self._called_once)

    @cached_property
    def _called_once(self) -> defaultdict[str, int]:
        """Functions that one call alone refers to: no rule can reach them, and emit more."""
        called = [name for names in self.callees.values() for name in names]
        return defaultdict(int, {name: 1 for name in called if self.uses[name] == 1})

    def _flattened(self, name: str, new_name: str, uses: defaultdict[str, int]) -> ir.Operation:
        function = self.functions[new_name]
        function.attributes["sym_name"] = ir.StringAttr.get(new_name, function.context)
        if name in self.callees:
            inline_calls(new_name, self.functions, self.ruled, uses)
        return self.functions[new_name]


def _rule_among(names: Container[str]) -> FunctionRule | None:
    """As `rule_of`, of a function with attributes of these names."""
    return next((rule for name, rule in FUNCTION_RULES.items() if name in names), None)


def _calling(function: ir.Operation, name: str) -> ir.Operation:
    """Create a function that calls one with rules, so that its rules are applied."""
    inputs, outputs = signature_of(function)
    location = function.location
    callee = ir.FlatSymbolRefAttr.get(function.attributes["sym_name"].value, function.context)
    with function.context, location:
        made = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "sym_visibility": ir.StringAttr.get("private"),
                "function_type": function.attributes["function_type"],
            },
            regions=1,
            ip=ir.InsertionPoint(function),
        )
        old = body_of(function)
        places = [x.location for x in old.arguments] if old else [location] * len(inputs)
        block = made.regions[0].blocks.append(*inputs, arg_locs=places)
        with ir.InsertionPoint(block):
            xs = list(block.arguments)
            called = ir.Operation.create("func.call", outputs, xs, {"callee": callee})
            ir.Operation.create("func.return", [], list(called.results))
    return made


def _read(kind: Kind, name: str, declaration: ir.Operation) -> tuple[str, Any]:
    """Callee of a declaration, and the rest of its attribute."""
    attribute = declaration.attributes[kind.attribute]
    try:
        return Symbol.decode(attribute["callee"]), kind.read(attribute)
    except (TypeError, KeyError):
        raise PassError(
            kind.argument,
            f"@{name}: {kind.attribute} must be {kind.form}, got {attribute}",
            str(declaration.location),
        ) from None


def _check_declaration(
    kind: Kind,
    name: str,
    declaration: ir.Operation,
    wanted: tuple[list[ir.Type], list[ir.Type]],
) -> None:
    if body_of(declaration) is not None:
        problem = f"@{name} has {kind.attribute} and a body; it must be a declaration"
        raise PassError(kind.argument, problem, str(declaration.location))
    if signature_of(declaration) != wanted:
        found = declaration.attributes["function_type"].value
        raise PassError(
            kind.argument,
            f"@{name} is declared as {found}, but this {kind.noun} is "
            f"{ir.FunctionType.get(*wanted, declaration.context)}",
            str(declaration.location),
        )


def finish(
    function: ir.Operation, returned: Sequence[ir.Value], kept: Sequence[int] | None = None
) -> None:
    """Make a function return these values, and update its type and attributes.

    The first of them are its previous results; `kept` are their positions, if not all.
    """
    block = function.regions[0].blocks[0]
    terminator = terminator_of(block)
    ir.Operation.create(
        "func.return", [], returned, loc=terminator.location, ip=ir.InsertionPoint(terminator)
    )
    terminator.erase()
    types = [a.type for a in block.arguments], [y.type for y in returned]
    type_ = ir.FunctionType.get(*types, function.context)
    function.attributes["function_type"] = ir.TypeAttr.get(type_)
    # Attributes of arguments and results stay with them; the new ones have none.
    for key, wanted in (("arg_attrs", len(block.arguments)), ("res_attrs", len(returned))):
        if key in function.attributes:
            old = list(function.attributes[key])
            if key == "res_attrs" and kept is not None:
                old = [old[i] for i in kept]
            empty = ir.DictAttr.get({}, function.context)
            function.attributes[key] = ir.ArrayAttr.get(
                old + [empty] * (wanted - len(old)), function.context
            )
