"""Calls of functions that say themselves how they are differentiated and batched.

See Note [Functions with rules].
"""

import abc
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

from anvl.dialect.control_flow.symbol_table import current
from anvl.dialect.core.attributes import symbols_in
from anvl.dialect.core.captures import remembering
from anvl.dialect.core.dialect import Anvl
from anvl.dialect.core.effects import is_unsafe
from anvl.dialect.core.mlir import ir, register_view
from anvl.dialect.core.op import OPS, AnvlOp, Operands, Results, Value
from anvl.dialect.core.params.base import Bool, Int, Symbol
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.subprogram import Program

__all__ = [
    "FUNCTION_RULES", "CallOp", "Callee", "FunctionRule", "Motion", "call",
    "calls_unsafe", "declare_scan", "declared_in", "rule_of", "symbol",
]  # fmt: skip

# Note [Functions with rules]
#
# `func.func private @f(...) attributes {anvl.custom_vjp = {rule = @f_vjp, ...}}` is a function
# like any other until somebody asks for a derivative or a batch of what calls it: then the call
# stays a call, where other calls are inlined, and is asked for its rules like an op.  It answers
# with what the attribute says: `FUNCTION_RULES` has a class for each.  `anvl-inline` afterwards
# takes it like other calls.
#
# A rule may need functions: it finds them, and adds others, in the table of the pass that asks
# (`resolving`), since the op that it belongs to may be in a module on the side.


class Motion(NamedTuple):
    """What may be done to an op in the body of a function.

    `is_dce_able`: it has no effect, so it need not be done where nobody asks for its results;
    `is_hoistable`: it may be done before the function is called.
    """

    is_dce_able: Callable[[Any], bool]
    is_hoistable: Callable[[Any], bool]


class FunctionRule(abc.ABC):
    """How calls of the functions with one attribute are differentiated and batched.

    The rules are those of an op, with the function in place of parameters.
    """

    attribute: ClassVar[str]
    #: What the attribute must be, for messages.
    form: ClassVar[str]
    #: Whether such a function is a declaration, whose body a pass writes.
    declares: ClassVar[bool] = False
    #: Whether it changes only what is kept: derivatives are those of the function.
    transparent: ClassVar[bool] = False
    #: The ops of StableHLO that `lift` may make calls of.
    lifts: ClassVar[tuple[str, ...]] = ()

    def counts(self, op: ir.Operation) -> Any:
        """The steps that a loop makes, where they can be told; None where it is to stay."""
        return None

    def lift(
        self, f: "Callee", op: ir.Operation, body: "Callee", outer: Sequence[Value], count: Any
    ) -> Sequence[Value]:
        """Emit, in the function f, a call that does what a loop does; its results.

        `body` does what its last region does, of the arguments of that and then of `outer`.
        """
        raise NotImplementedError

    def operands_read(self, f: "Callee", is_wanted: Sequence[bool]) -> list[bool]:
        """Which arguments of the function the results that are wanted depend on."""
        program = f.program
        pairs = zip(program.results, is_wanted, strict=True)
        read = program.read([y for y, wanted in pairs if wanted])
        return [x in read for x in program.arguments]

    def bodies(
        self, f: "Callee", moves: Sequence[bool]
    ) -> "Sequence[tuple[Program, Sequence[bool]]]":
        """The programs that derivatives are taken of, and which of their arguments move.

        `moves` says it of those of the function; nothing of one whose derivative is its author's.
        """
        return ()

    def n_carried(self, f: "Callee") -> int:
        """How many results are arguments of the next step, in front of both; 0 of no loop."""
        return 0

    def bits_through(
        self, f: "Callee", moves: Sequence[bool], bits: Sequence[bool]
    ) -> Sequence[bool]:
        """`AnvlOp.bits_through` of a call: what comes of it in one of the bodies, in any step."""
        of_bits, n = list(bits), self.n_carried(f)
        while True:
            found = [False] * len(f.types[1])
            for program, marks, flags in self._marked(f, moves, of_bits):
                for i, of_bits_there in enumerate(program.bits_through(marks, flags)):
                    found[i] = found[i] or of_bits_there
            more = [i for i in range(n) if found[i] and not of_bits[i]]
            if not more:
                return found
            for i in more:
                of_bits[i] = True

    def _marked(
        self, f: "Callee", moves: Sequence[bool], bits: Sequence[bool]
    ) -> "Iterator[tuple[Program, Sequence[bool], Sequence[bool]]]":
        """The bodies, and for their arguments which move and which are bits."""
        bodies = list(zip(self.bodies(f, moves), self.bodies(f, bits), strict=True))
        if not bodies and f.operations:  # of a derivative that is its author's
            yield f.program, moves, bits
        for (program, marks), (_, flags) in bodies:
            yield program, marks, flags

    def may_not_end(self, f: "Callee") -> bool:
        """Whether nothing bounds how long the function runs, besides what it calls."""
        return False

    def write(self, f: "Callee", xs: Sequence[Value]) -> Sequence[Value]:
        """Emit the body of a declaration, for these arguments; what it returns."""
        raise NotImplementedError

    def simplify(
        self, f: "Callee", xs: Sequence[Value], is_used: Sequence[bool], motion: "Motion"
    ) -> Sequence[Value | None] | None:
        """Of a call of a declaration: emit what is simpler, if there is anything; its results.

        `is_used` says which of the results somebody asks for; None will do for the others.
        """
        return None

    @abc.abstractmethod
    def check(self, f: "Callee") -> None:
        """Raise `ValueError` where a rule does not fit; `TypeError`, `KeyError`: no such form."""

    @abc.abstractmethod
    def adjoint(
        self, f: "Callee", gs: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Any]: ...

    @abc.abstractmethod
    def tangent(
        self, f: "Callee", ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Value | None]: ...

    @abc.abstractmethod
    def batch(
        self, f: "Callee", xs: Sequence[Value], batched: Sequence[bool]
    ) -> Sequence[Value]: ...


#: Every class of such functions, by its attribute.
FUNCTION_RULES: dict[str, FunctionRule] = {}


def rule_of(function: ir.Operation) -> FunctionRule | None:
    """What says how calls of a function are differentiated; None of one like any other."""
    attributes = function.attributes
    return next((rule for name, rule in FUNCTION_RULES.items() if name in attributes), None)


def declared_in(attributes: Set[str]) -> bool:
    """Whether functions with these attributes are declarations whose bodies a pass writes."""
    return any(rule.declares and name in attributes for name, rule in FUNCTION_RULES.items())


class Callee:
    """A function of the module that is being transformed, with a body and without plain calls."""

    def __init__(self, name: str) -> None:
        table = current.table
        if table is None or name not in table.functions:
            raise LookupError(f"call of @{name}, which is not there")
        self.name = name
        self._table = table
        self.function: ir.Operation = table.functions[name]

    @property
    def program(self) -> Program:
        """What the function does."""
        return Program.of_region(self.function.regions[0])

    @property
    def types(self) -> tuple[list[ir.Type], list[ir.Type]]:
        """The types that it takes and returns."""
        return self.types_of(self.function)

    @staticmethod
    def types_of(function: ir.Operation) -> tuple[list[ir.Type], list[ir.Type]]:
        """The types that a function takes and returns."""
        of = function.attributes["function_type"].value
        return list(of.inputs), list(of.results)

    @property
    def operations(self) -> list[ir.Operation]:
        """What the function does, op by op; nothing of a declaration."""
        blocks = self.function.regions[0].blocks
        return [op.operation for block in blocks for op in block.operations]

    @property
    def reads_bits(self) -> bool:
        """Whether an op in it, or in a function that it calls, reads bits: Note [Bits]."""
        known = self._table.reading_bits
        if self.name not in known:
            known[self.name] = False  # meanwhile, where a rule calls its own function
            rule = rule_of(self.function)
            parts = [] if rule is None else self.named(rule)
            known[self.name] = any(part.reads_bits for part in parts) or any(
                self.other(Symbol.decode(op.attributes["callee"])).reads_bits
                if op.name == CallOp.OPERATION_NAME
                else op.name in OPS and OPS[op.name].reads_bits
                for op in self.operations
            )
        return known[self.name]

    def named(self, rule: FunctionRule) -> "list[Callee]":
        """The functions that its attribute names."""
        return [self.other(name) for name in symbols_in(self.request(rule))]

    def request(self, rule: FunctionRule) -> Any:
        """What its attribute says."""
        return self.function.attributes[rule.attribute]

    @property
    def being_batched(self) -> "dict[Any, Callee]":
        """Batched functions whose own rules are being batched, by function, types and flags."""
        return self._table.being_batched

    @contextmanager
    def being_transposed(self) -> "Iterator[bool]":
        """Its rule is being transposed meanwhile; gives whether it was already, further out."""
        names = self._table.being_transposed
        if self.name in names:
            yield True
            return
        names.add(self.name)
        try:
            yield False
        finally:
            names.remove(self.name)

    def other(self, name: str) -> "Callee":
        """Another function of the same module."""
        return Callee(name)

    def add(
        self,
        suffix: str,
        emit_results: Callable[..., Sequence[Value]],
        types: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute] | None = None,
        *,
        places: Sequence[ir.Location] | None = None,
    ) -> "Callee":
        """A new function of the module, named after this one; its arguments after `places`."""
        with self.function.location:
            return self.made(f"{self.name}_{suffix}", emit_results, types, attributes, places)

    @staticmethod
    def made(
        name: str,
        emit_results: Callable[..., Sequence[Value]],
        types: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute] | None = None,
        places: Sequence[ir.Location] | None = None,
    ) -> "Callee":
        """A new function of the module, at the current location."""
        table = current.table
        assert table is not None
        function = _function(name, types, [], attributes or {})
        location = ir.Location.current
        places = [location] * len(types) if places is None else list(places)
        block = function.regions[0].blocks.append(*types, arg_locs=places)
        with ir.InsertionPoint(block):
            results = list(emit_results(*block.arguments))
            ir.Operation.create("func.return", [], results)
        type_ = ir.FunctionType.get(list(types), [y.type for y in results])
        function.attributes["function_type"] = ir.TypeAttr.get(type_)
        return Callee(table.insert(function))

    def declare(
        self,
        suffix: str,
        inputs: Sequence[ir.Type],
        outputs: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute],
    ) -> "Callee":
        """A new declaration in the module, named after this function."""
        with self.function.location:
            function = _function(f"{self.name}_{suffix}", inputs, outputs, attributes)
        return Callee(self._table.insert(function))


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


def calls_unsafe(f: Callee, seen: set[str]) -> bool:
    """`effects.is_unsafe` of what a function does."""
    if f.name in seen:
        return False
    seen.add(f.name)
    rule = rule_of(f.function)
    if rule is not None:
        if rule.may_not_end(f) or any(calls_unsafe(part, seen) for part in f.named(rule)):
            return True
    blocks = f.function.regions[0].blocks
    return any(is_unsafe(block.operations, seen) for block in blocks)


def declare_scan(
    name: str, step: Callable[..., Sequence[Value]], xs: Sequence[Value], m: int
) -> list[Value]:
    """Emit a call of a scan without carries, through the first m of these values."""
    size = xs[0].type.shape[0]
    types = [tensor(x.type.shape[1:], x.type.element_type) for x in xs[:m]]
    body = Callee.made(name, step, [*types, *(x.type for x in xs[m:])])
    request = {
        "body": symbol(body),
        "carry": Int.encode(0),
        "xs": Int.encode(m),
        "length": Int.encode(size),
        "reverse": Bool.encode(False),
    }
    made = body.declare(
        "each",
        [x.type for x in xs],
        [tensor([size, *y.shape], y.element_type) for y in body.types[1]],
        {"anvl.scan": ir.DictAttr.get(request)},
    )
    return call(made, xs)


def symbol(f: Callee) -> ir.Attribute:
    """What names a function in an attribute."""
    return ir.FlatSymbolRefAttr.get(f.name)


class CallOp(AnvlOp):
    """A call of a function that has rules; all others are inlined before an op is asked for one."""

    OPERATION_NAME = "func.call"
    xs: Operands
    ys: Results
    short_name = "call"
    n_operands = None
    n_results = None
    multiple_results = True
    pure = False  # who calls it may want what it does
    bodies: ClassVar[list[str]] = []
    recipes = None
    tangent_recipes = None
    batch_recipes = None

    @classmethod
    def read(cls, op: ir.Operation) -> dict[str, Any]:
        return {"callee": Symbol.decode(op.attributes["callee"])}

    @classmethod
    def operands_read(cls, op: ir.Operation, is_wanted: Sequence[bool]) -> Sequence[bool]:
        """Which operands the results that are wanted depend on."""
        name = Symbol.decode(op.attributes["callee"])
        with remembering() as known:
            key = name, tuple(is_wanted)
            if key not in known:
                f = Callee(name)
                rule = rule_of(f.function)
                all_of = [True] * len(f.types[0])
                known[key] = all_of if rule is None else rule.operands_read(f, is_wanted)
            return known[key]

    @classmethod
    def differentiated(
        cls, op: ir.Operation, moves: Sequence[bool]
    ) -> Sequence[tuple[Program, Sequence[bool]]]:
        """`FunctionRule.bodies` of what it calls, where these of its operands move."""
        rule, f = _resolved(Symbol.decode(op.attributes["callee"]))
        return rule.bodies(f, moves)

    @classmethod
    def unsafe(cls, op: ir.Operation, seen: set[str]) -> bool:
        return calls_unsafe(Callee(Symbol.decode(op.attributes["callee"])), seen)

    @classmethod
    def bits_through(
        cls, op: ir.Operation, moves: Sequence[bool], bits: Sequence[bool]
    ) -> Sequence[bool]:
        rule, f = _resolved(Symbol.decode(op.attributes["callee"]))
        if not any(bits) and not f.reads_bits:
            return [False] * len(op.results)
        return rule.bits_through(f, moves, bits)

    @classmethod
    def adjoint(
        cls, gs: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value], callee: str
    ) -> Sequence[Any]:
        rule, f = _resolved(callee)
        return rule.adjoint(f, gs, xs, ys)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value], callee: str
    ) -> Sequence[Value | None]:
        rule, f = _resolved(callee)
        return rule.tangent(f, ts, xs, ys)

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], callee: str) -> Sequence[Value]:
        rule, f = _resolved(callee)
        return rule.batch(f, xs, batched)


def _resolved(name: str) -> tuple[FunctionRule, Callee]:
    f = Callee(name)
    rule = rule_of(f.function)
    if rule is None:
        raise LookupError(f"@{name} has no rule of its own, and should have been inlined")
    return rule, f


register_view(Anvl, CallOp)
