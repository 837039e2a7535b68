"""Calls of functions with their own differentiation and batching rules.

See Note [Functions with rules].
"""

import abc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

from anvl.dialect.control_flow.collectives_within import has_collectives
from anvl.dialect.core.attributes import signature_of, symbols_in
from anvl.dialect.core.captures import remembering
from anvl.dialect.core.dialect import Anvl
from anvl.dialect.core.effects import are_dce_able, is_unsafe
from anvl.dialect.core.mlir import ir, register_view
from anvl.dialect.core.op import AnvlOp, Operands, Results, Value
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Symbol
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.subprogram import Program, bits_in_any_step

__all__ = [
    "FUNCTION_RULES", "CallOp", "Callee", "FunctionRule", "Motion", "call",
    "calls_unsafe", "declared_in", "rule_of", "symbol",
]  # fmt: skip

# Note [Functions with rules]
#
# `func.func private @f(...) attributes {anvl.custom_vjp = {rule = @f_vjp, ...}}` is a function
# like any other until a caller of it is differentiated or batched: then the call stays a call,
# where other calls are inlined, and its rules are applied like those of an op.  The attribute
# selects the rules: `FUNCTION_RULES` has a class for each.  `anvl-inline` afterwards treats it
# like other calls.
#
# A rule may need functions: it finds them, and adds others, in the symbol table of the pass.  It
# cannot find them from its op, which may be in a scratch module.  So a pass hands its table on, as
# MLIR's passes hand on a `SymbolTableCollection`: to the sweep, which hands it to `read` of each
# op.  A call is read as a `Callee`, a region as a `Program`; both have the table as `symbols`, and
# the rule hands it to the sweeps that it starts itself.  An op without regions, other than a call,
# calls nothing, and its rules need no table.


class Motion(NamedTuple):
    """How the ops in the body of a function may be moved.

    `functions`, of the module, tell which calls have effects; `is_hoistable`: an op may run before
    the function is called.
    """

    functions: Mapping[str, ir.Operation] | None
    is_hoistable: Callable[[Any], bool]

    def are_dce_able(self, ops: Iterable[Any]) -> bool:
        """Whether none of these ops has an effect, so that they go if their results are unused."""
        return are_dce_able(ops, self.functions)


class FunctionRule(abc.ABC):
    """Differentiation and batching rules for calls of functions with one attribute.

    The rules are those of an op, with the function in place of parameters.
    """

    attribute: ClassVar[str]
    #: Expected form of the attribute, for messages.
    form: ClassVar[str]
    #: Whether such a function is a declaration, whose body a pass writes.
    declares: ClassVar[bool] = False
    #: Whether the declaration, and its calls, stay until the lowering: XLA knows such calls.
    outlives_inlining: ClassVar[bool] = False
    #: Whether it changes only the residuals: derivatives are those of the function.
    transparent: ClassVar[bool] = False
    #: The StableHLO ops that `lift` may turn into calls.
    lifts: ClassVar[tuple[str, ...]] = ()

    def counts(self, op: ir.Operation, symbols: SymbolTable) -> Any:
        """Trip count of a loop that can be lifted; None if the loop is to stay."""
        return None

    def lift(
        self, f: "Callee", op: ir.Operation, body: "Callee", outer: Sequence[Value], count: Any
    ) -> Sequence[Value]:
        """Emit, in the function f, a call equivalent to a loop; return its results.

        `body` is the loop's last region as a function of its arguments followed by `outer`.
        """
        raise NotImplementedError

    def operands_read(self, f: "Callee", is_wanted: Sequence[bool]) -> list[bool]:
        """For each argument of the function, whether a wanted result depends on it."""
        program = f.program
        pairs = zip(program.results, is_wanted, strict=True)
        read = program.slice(y for y, wanted in pairs if wanted).values
        return [x in read for x in program.arguments]

    def bodies(
        self, f: "Callee", moves: Sequence[bool]
    ) -> "Sequence[tuple[Program, Sequence[bool]]]":
        """Programs to differentiate, each with flags: which of its arguments are active.

        `moves` has these flags for the arguments of the function.  Empty for a custom derivative.
        """
        return ()

    def n_carried(self, f: "Callee") -> int:
        """Number of loop-carried results, which are also the first arguments; 0 if no loop."""
        return 0

    def bits_through(
        self, f: "Callee", moves: Sequence[bool], bits: Sequence[bool]
    ) -> Sequence[bool]:
        """`AnvlOp.bits_through` of a call: the union over all bodies and all steps."""
        return bits_in_any_step(
            lambda flags: self._activity_flags(f, moves, flags),
            bits, len(f.types[1]), self.n_carried(f),
        )  # fmt: skip

    def _activity_flags(
        self, f: "Callee", moves: Sequence[bool], bits: Sequence[bool]
    ) -> "Iterator[tuple[Program, Sequence[bool], Sequence[bool]]]":
        """Bodies, with flags for their arguments: which are active and which are bits."""
        bodies = list(zip(self.bodies(f, moves), self.bodies(f, bits), strict=True))
        if not bodies and f.operations:  # a custom derivative
            yield f.program, moves, bits
        for (program, marks), (_, flags) in bodies:
            yield program, marks, flags

    def with_state(self, request: Any, count: int) -> ir.Attribute:
        """The attribute after the function got `count` arguments and results before its own."""
        found: ir.Attribute = request
        return found

    def stateless(self, request: Any) -> Sequence[str]:
        """The functions that it names which cannot return a state: Note [Effects as values]."""
        return ()

    def may_not_end(self, f: "Callee") -> bool:
        """Whether the function itself, apart from its callees, may not terminate."""
        return False

    def write(self, f: "Callee", xs: Sequence[Value], in_blocks: bool) -> Sequence[Value]:
        """Emit the body of a declaration, maybe in blocks of steps, and return its results."""
        raise NotImplementedError

    def simplify(
        self, f: "Callee", xs: Sequence[Value], is_used: Sequence[bool], motion: "Motion"
    ) -> Sequence[Value | None] | None:
        """Emit a simpler equivalent of a call of a declaration; return its results, or None.

        Results that are unused, by `is_used`, may be None.
        """
        return None

    @abc.abstractmethod
    def check(self, f: "Callee") -> None:
        """Raise `ValueError` if a rule does not fit, `TypeError` or `KeyError` if malformed."""

    def varying_axes(
        self, f: "Callee", op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
    ) -> Sequence[frozenset[str]]:
        """As the rule of an op: Note [Variance]."""
        return varying_axes_through(f, op, given, variance)

    def dependence(self, f: "Callee", deps: Any, xs: Sequence[Any]) -> Any:
        """Sets of elements that each result depends on, as the rule of an op."""
        return deps.everything(xs) if self.declares else deps.run_function(f.program, xs)

    @abc.abstractmethod
    def adjoint(
        self,
        f: "Callee",
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        active: Sequence[bool],
    ) -> Sequence[Any]:
        """As `AnvlOp.adjoint`; `active` are the arguments whose cotangents are read."""

    @abc.abstractmethod
    def tangent(
        self, f: "Callee", ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Value | None]: ...

    @abc.abstractmethod
    def batch(
        self, f: "Callee", xs: Sequence[Value], batched: Sequence[bool]
    ) -> Sequence[Value]: ...


#: Every function rule, by its attribute.
FUNCTION_RULES: dict[str, FunctionRule] = {}


def rule_of(function: ir.Operation) -> FunctionRule | None:
    """The rule of a function; None for a plain function."""
    attributes = function.attributes
    return next((rule for name, rule in FUNCTION_RULES.items() if name in attributes), None)


def declared_in(attributes: Set[str]) -> bool:
    """Whether one of these attributes marks a declaration, whose body a pass writes."""
    return any(rule.declares and name in attributes for name, rule in FUNCTION_RULES.items())


class Callee:
    """A function of the module being transformed, with a body and without plain calls."""

    def __init__(self, name: str, symbols: SymbolTable | None) -> None:
        if symbols is None:
            raise LookupError(
                f"call of @{name}: its rule was given no symbol table; hand `symbols` on"
            )
        if name not in symbols.functions:
            raise LookupError(f"call of @{name}, but the module has no such function")
        self.name = name
        self.symbols = symbols
        self.function: ir.Operation = symbols.functions[name]

    @property
    def program(self) -> Program:
        """The body of the function as a program."""
        return Program.of_region(self.function.regions[0], self.symbols)

    @property
    def types(self) -> tuple[list[ir.Type], list[ir.Type]]:
        """Argument and result types of this function."""
        return signature_of(self.function)

    @property
    def operations(self) -> list[ir.Operation]:
        """Ops of the body; empty for a declaration."""
        blocks = self.function.regions[0].blocks
        return [op.operation for block in blocks for op in block.operations]

    @property
    def reads_bits(self) -> bool:
        """Whether an op in it, or in a function that it calls, reads bits: Note [Bits]."""
        known = self.symbols.reading_bits
        if self.name not in known:
            known[self.name] = False  # assumed meanwhile, as a rule may call its own function
            rule = rule_of(self.function)
            parts = [] if rule is None else self.named(rule)
            known[self.name] = any(part.reads_bits for part in parts) or any(
                self.function_named(Symbol.decode(op.attributes["callee"])).reads_bits
                if op.name == CallOp.OPERATION_NAME
                else op.name in OPS and OPS[op.name].reads_bits
                for op in self.operations
            )
        return known[self.name]

    def named(self, rule: FunctionRule) -> "list[Callee]":
        """Functions that its attribute names."""
        return [self.function_named(name) for name in symbols_in(self.request(rule))]

    def request(self, rule: FunctionRule) -> Any:
        """Value of its attribute."""
        return self.function.attributes[rule.attribute]

    @property
    def being_batched(self) -> "dict[Any, Callee]":
        """Batched functions whose own rules are being batched, by function, types and flags."""
        return self.symbols.being_batched

    @contextmanager
    def being_transposed(self) -> "Iterator[bool]":
        """Mark its rule as being transposed; yield whether it already was, further out."""
        names = self.symbols.being_transposed
        if self.name in names:
            yield True
            return
        names.add(self.name)
        try:
            yield False
        finally:
            names.remove(self.name)

    def function_named(self, name: str) -> "Callee":
        """Another function of the same module."""
        return Callee(name, self.symbols)

    def add(
        self,
        suffix: str,
        emit_results: Callable[..., Sequence[Value]],
        types: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute] | None = None,
        *,
        places: Sequence[ir.Location] | None = None,
    ) -> "Callee":
        """Add a function to the module, named after this one; its arguments after `places`."""
        with self.function.location:
            name = f"{self.name}_{suffix}"
            return self.create(name, self.symbols, emit_results, types, attributes, places)

    @staticmethod
    def create(
        name: str,
        symbols: SymbolTable,
        emit_results: Callable[..., Sequence[Value]],
        types: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute] | None = None,
        places: Sequence[ir.Location] | None = None,
    ) -> "Callee":
        """Add a function to the module, at the current location."""
        function = _function(name, types, [], attributes or {})
        location = ir.Location.current
        places = [location] * len(types) if places is None else list(places)
        block = function.regions[0].blocks.append(*types, arg_locs=places)
        with ir.InsertionPoint(block):
            results = list(emit_results(*block.arguments))
            ir.Operation.create("func.return", [], results)
        type_ = ir.FunctionType.get(list(types), [y.type for y in results])
        function.attributes["function_type"] = ir.TypeAttr.get(type_)
        return Callee(symbols.insert(function), symbols)

    def declare(
        self,
        suffix: str,
        inputs: Sequence[ir.Type],
        outputs: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute],
    ) -> "Callee":
        """Add a declaration to the module, named after this function."""
        with self.function.location:
            function = _function(f"{self.name}_{suffix}", inputs, outputs, attributes)
        return self.function_named(self.symbols.insert(function))


def _function(
    name: str,
    inputs: Sequence[ir.Type],
    outputs: Sequence[ir.Type],
    attributes: dict[str, ir.Attribute],
) -> ir.Operation:
    type_ = ir.FunctionType.get(list(inputs), list(outputs))
    return ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "sym_visibility": ir.StringAttr.get("private"),
            "function_type": ir.TypeAttr.get(type_),
            **attributes,
        },
        regions=1,
    )


def call(f: Callee, xs: Sequence[Value]) -> list[Value]:
    """Emit a call."""
    _, types = f.types
    return list(ir.Operation.create("func.call", types, list(xs), {"callee": symbol(f)}).results)


def varying_axes_through(
    f: Callee, op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
) -> Sequence[frozenset[str]]:
    """`varying_axes` of a call by the body of the function; a declaration may vary anywhere."""
    found: Sequence[frozenset[str]] = (
        variance.results(f.program, given) if f.operations else variance.unknown(op, given)
    )
    return found


def calls_unsafe(f: Callee, seen: set[str]) -> bool:
    """`effects.is_unsafe` of the body of a function."""
    if f.name in seen:
        return False
    seen.add(f.name)
    rule = rule_of(f.function)
    if rule is not None:
        if rule.may_not_end(f) or any(calls_unsafe(part, seen) for part in f.named(rule)):
            return True
    blocks = f.function.regions[0].blocks
    return any(is_unsafe(block.operations, f.symbols, seen) for block in blocks)


def symbol(f: Callee) -> ir.Attribute:
    """Symbol reference to a function."""
    return ir.FlatSymbolRefAttr.get(f.name)


class CallOp(AnvlOp):
    """A call of a function with rules; other calls are inlined before rules are applied."""

    OPERATION_NAME: ClassVar[str] = "func.call"
    xs: Operands
    ys: Results
    short_name = "call"
    multiple_results = True
    adjoint_takes_activity = True
    pure = False  # the callee may have effects

    @classmethod
    def read(cls, op: ir.Operation, symbols: SymbolTable | None = None) -> dict[str, Any]:
        return {"callee": cls._callee(op, symbols)}

    @staticmethod
    def _callee(op: ir.Operation, symbols: SymbolTable | None) -> Callee:
        return Callee(Symbol.decode(op.attributes["callee"]), symbols)

    @classmethod
    def operands_read(
        cls, op: ir.Operation, is_wanted: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[bool]:
        """For each operand, whether a wanted result depends on it."""
        f = cls._callee(op, symbols)
        with remembering() as known:
            key = f.name, tuple(is_wanted)
            if key not in known:
                known[key] = [True] * len(f.types[0])  # meanwhile, as a rule may call its function
                rule = rule_of(f.function)
                if rule is not None:
                    known[key] = rule.operands_read(f, is_wanted)
            return known[key]

    @classmethod
    def differentiated(
        cls, op: ir.Operation, moves: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[tuple[Program, Sequence[bool]]]:
        """`FunctionRule.bodies` of the callee, for these active operands."""
        f = cls._callee(op, symbols)
        return _rule(f).bodies(f, moves)

    @classmethod
    def combines_members(cls, op: ir.Operation, symbols: SymbolTable | None) -> bool:
        return has_collectives(op, symbols)

    @classmethod
    def unsafe(cls, op: ir.Operation, symbols: SymbolTable | None, seen: set[str]) -> bool:
        return calls_unsafe(cls._callee(op, symbols), seen)

    @classmethod
    def bits_through(
        cls, op: Any, moves: Sequence[bool], bits: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[bool]:
        f = cls._callee(op, symbols)
        rule = _rule(f)
        if not any(bits) and not f.reads_bits:
            return [False] * len(op.results)
        return rule.bits_through(f, moves, bits)

    @classmethod
    def carries_series(cls, op: ir.Operation, symbols: SymbolTable | None) -> bool:
        """As of `RegionOp`."""
        return hasattr(rule_of(cls._callee(op, symbols).function), "taylor_series")

    @classmethod
    def taylor_series(cls, xs: Sequence[Value], series: Any, order: int, callee: Callee) -> Any:
        rule: Any = rule_of(callee.function)
        return rule.taylor_series(callee, xs, series, order)

    @classmethod
    def varying_axes(
        cls, op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
    ) -> Sequence[frozenset[str]]:
        f = cls._callee(op, variance.symbols)
        rule = rule_of(f.function)
        through = varying_axes_through if rule is None else rule.varying_axes
        return through(f, op, given, variance)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], callee: Callee) -> Any:
        rule = rule_of(callee.function)
        if rule is None:
            return deps.run_function(callee.program, xs)
        return rule.dependence(callee, deps, xs)

    @classmethod
    def adjoint(
        cls,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        callee: Callee,
        active: Sequence[bool] | None = None,
    ) -> Sequence[Any]:
        flags = [True] * len(xs) if active is None else active
        return _rule(callee).adjoint(callee, gs, xs, ys, flags)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value], callee: Callee
    ) -> Sequence[Value | None]:
        return _rule(callee).tangent(callee, ts, xs, ys)

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], callee: Callee) -> Sequence[Value]:
        return _rule(callee).batch(callee, xs, batched)


def _rule(f: Callee) -> FunctionRule:
    rule = rule_of(f.function)
    if rule is None:
        raise LookupError(f"@{f.name} has no rules of its own; first inline it, by anvl-inline")
    return rule


register_view(Anvl, CallOp)
