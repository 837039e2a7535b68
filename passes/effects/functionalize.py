"""Effects as values: ops that update a state become ops that compute the new state."""

from collections.abc import Iterator, Sequence
from typing import Any

from anvl.dialect.control_flow.call import rule_of
from anvl.dialect.control_flow.region_ops import RegionOp
from anvl.dialect.core.attributes import (
    AGAIN,
    IMPLICIT,
    VMAP,
    extra_attributes,
    signature_of,
    symbols_in,
)
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS, names_where
from anvl.dialect.interpreters.effect_state import EffectState
from anvl.passes.effects.blocks import (
    append_operands,
    moved_to,
    prepend_arguments,
    prepend_results,
    rotated,
    typed,
    with_signature,
)
from anvl.passes.effects.states import Layout, state_of
from anvl.passes.expand.declarations import KINDS
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import (
    body_of,
    callee_of,
    calls_of,
    functions_of,
    is_private,
    terminator_of,
)

__all__ = ["NAME", "Functionalizer", "effect_ops"]

NAME = "anvl-functionalize-effects"

# Note [Effects as values]
#
# A program of XLA's cannot raise an error.  So the effects of a program are values: a state, which
# every op with an effect takes and returns anew.  It goes through the program as any value does:
#
# * a function gets the state as its first arguments, and returns the new one as its first results;
# * a loop carries it, and each branch of a choice returns it;
# * the entry, a public function, begins with a state in which nothing has happened, and returns the
#   last one behind its results.
#
# The pass runs before all others, so that derivatives and batches are those of a program without
# effects, and no rule has to know of them.  What is right then follows from the data flow.  The
# state is made of integers, which have no derivative: so an effect belongs to the primal, happens
# once, and is not repeated by what recomputes values for an adjoint, as nothing there depends on
# the state.  In a batch each member has its own state, and in a loop that members leave at
# different steps, or a choice that becomes a select, a member keeps the state of its own steps and
# of its own branch.
#
# A pullback of `vjp` in a trace is a call of the derivative, which computes the function again
# beside the call for its result.  It is marked (`AGAIN`): what follows gets the state before it.
#
# A batch that is declared (`anvl.vmap`) becomes a function of its own, which gives the members a
# state, and makes one of theirs.  The rule of a custom derivative has no results for a state, so a
# check in it is refused; but what it prints has an order of its own, on which its results are made
# to depend, so that it happens whenever these are computed.  And the transpose of a linear function
# computes no values.


def effect_ops(root: ir.Operation) -> list[ir.Operation]:
    """The ops inside `root` that update a state."""
    return [op for op in find(root, *names_where(_has_state)) if state_of(op)]


def _has_state(rules: Any) -> bool:
    return rules.state is not None


class Functionalizer:
    """Makes the effects of a module values."""

    def __init__(self, module: ir.Operation) -> None:
        self._module = module
        self._functions = functions_of(module)
        self._n_inputs = {name: len(signature_of(f)[0]) for name, f in self._functions.items()}
        self._rules = {
            rule: name
            for name, function in self._functions.items()
            for rule in self._stateless(function)
        }
        found = {name: effect_ops(f) for name, f in self._functions.items()}
        self._needy = self._with_effects([name for name, ops in found.items() if ops])
        ops = [op for of_one in found.values() for op in of_one]
        self.layout = Layout(ops, max(map(self._batches_in, self._functions), default=0))

    def run(self) -> None:
        self._split_entries()
        self._check_places()
        for name in list(self._functions):
            function = self._functions[name]
            if name in self._rules:
                self._write_rule(name, function)
            elif name not in self._needy:
                continue
            elif body_of(function) is None:
                self._redeclare(name, function)
            else:
                self._rewrite_attribute(name, function)
                self._write_function(function)
        for name in self._needy:
            if not is_private(self._functions[name]):
                self.layout.describe(self._functions[name])

    # -- which functions -------------------------------------------------------------------------

    @staticmethod
    def _stateless(function: ir.Operation) -> Sequence[str]:
        rule = rule_of(function)
        return () if rule is None else rule.stateless(function.attributes[rule.attribute])

    def _named_by(self, name: str) -> list[str]:
        """Functions that a function calls or names, except rules that return no state."""
        function = self._functions[name]
        named = [n for of in extra_attributes(function) for n in symbols_in(of)]
        found = [*map(callee_of, calls_of(function)), *named]
        return [n for n in found if n in self._functions and n not in self._stateless(function)]

    def _with_effects(self, direct: Sequence[str]) -> set[str]:
        """The functions that have an effect, also by those that they call or name."""
        users: dict[str, list[str]] = {}
        for name in self._functions:
            for other in self._named_by(name):
                users.setdefault(other, []).append(name)
        found, pending = set(direct), list(direct)
        while pending:
            for user in users.get(pending.pop(), ()):
                if user not in found:
                    found.add(user)
                    pending.append(user)
        return found

    def _batches_in(self, name: str, path: tuple[str, ...] = ()) -> int:
        """Nesting depth of declared batches in a function, without implicit ones."""
        if name in path:  # recursion, which inlining refuses
            return 0
        path = (*path, name)
        inner = max((self._batches_in(n, path) for n in self._named_by(name)), default=0)
        attributes = self._functions[name].attributes
        return inner + (VMAP in attributes and IMPLICIT not in attributes[VMAP])

    def _split_entries(self) -> None:
        """Let functions that others use be private: an entry returns its state elsewhere."""
        used = {other for name in self._functions for other in self._named_by(name)}
        for name in [n for n in used & self._needy if not is_private(self._functions[n])]:
            function = self._functions[name]
            twin = function.clone(ip=ir.InsertionPoint(function)).operation
            private = f"{name}_with_state"
            while private in self._functions:
                private += "_"
            with function.context:
                ir.SymbolTable.replace_all_symbol_uses(name, private, self._module)
                twin.attributes["sym_name"] = ir.StringAttr.get(private)
                twin.attributes["sym_visibility"] = ir.StringAttr.get("private")
            self._functions[private] = twin
            self._needy.add(private)

    # -- functions -------------------------------------------------------------------------------

    def _write_function(self, function: ir.Operation) -> None:
        block = function.regions[0].blocks[0]
        with function.location:
            if is_private(function):
                state = prepend_arguments(function, self.layout.flat)
                state = self._written(block, state)
                prepend_results(function, state)
                return
            with ir.InsertionPoint.at_block_begin(block):
                state = self.layout.initial()
            state = self._written(block, state)
            self.layout.append_results(function, state)

    def _write_rule(self, name: str, function: ir.Operation) -> None:
        """Give the rule of a custom derivative the states that its function takes and returns."""
        primal = self._rules[name]
        block = function.regions[0].blocks[0]
        if name in self._needy:
            with function.location, ir.InsertionPoint.at_block_begin(block):
                state = self.layout.initial()
            is_ordered = bool(effect_ops(function))
            state = self._written(block, state)
            if is_ordered:
                end = terminator_of(block)
                with function.location, ir.InsertionPoint(end):
                    append_operands(end, self.layout.tied(list(end.operands), state), keeps=False)
        if primal in self._needy:
            with function.location:
                prepend_arguments(function, self.layout.flat, at=self._n_inputs[primal])
                prepend_arguments(function, self.layout.flat)

    def _rewrite_attribute(self, name: str, function: ir.Operation) -> None:
        """Count the states among the arguments and the results that its rules name."""
        rule = rule_of(function)
        if rule is not None:
            request = function.attributes[rule.attribute]
            with function.context:
                function.attributes[rule.attribute] = rule.with_state(request, self.layout.count)

    def _redeclare(self, name: str, function: ir.Operation) -> None:
        """Let a declaration take and return the state."""
        if VMAP in function.attributes:
            self._batch(name, function)
            return
        kind = next((kind for a, kind in KINDS.items() if a in function.attributes), None)
        if kind is not None:
            attribute = kind.with_state(function.attributes[kind.attribute], self.layout.count)
            assert attribute is not None  # by `_check_places`
            function.attributes[kind.attribute] = attribute
        else:
            self._rewrite_attribute(name, function)
        with_signature(function, self.layout.flat, self.layout.flat)

    def _check_places(self) -> None:
        """Refuse effects in functions that cannot return a state."""
        for name, function in self._functions.items():
            for op in effect_ops(function) if name in self._rules else ():
                state = state_of(op)
                if state is None or state.allowed_in_rules:
                    continue
                problem = (
                    f"{op.name} in @{name}, the rule of @{self._rules[name]}, which returns "
                    "derivatives alone; put it into the function itself"
                )
                raise PassError(NAME, problem, str(op.location))
            if name not in self._needy:
                continue
            for kind in [kind for a, kind in KINDS.items() if a in function.attributes]:
                if kind.with_state(function.attributes[kind.attribute], 0) is None:
                    op = next(self._effects_below(name))
                    problem = (
                        f"{op.name} in a function of which @{name} is the {kind.noun}, which "
                        "computes no values"
                    )
                    raise PassError(NAME, problem, str(op.location))

    def _effects_below(self, name: str) -> Iterator[ir.Operation]:
        yield from effect_ops(self._functions[name])
        for other in self._named_by(name):
            if other in self._needy:
                yield from self._effects_below(other)

    def _batch(self, name: str, declaration: ir.Operation) -> None:
        """Rename a declared batch; in its place, a function makes one state of those of members."""
        inputs, outputs = signature_of(declaration)
        count, attribute = self.layout.count, declaration.attributes[VMAP]
        size = attribute["size"].value
        shift: Any = KINDS[VMAP].with_state(attribute, count)
        members = f"{name}_members"
        while members in self._functions:
            members += "_"
        with declaration.context, declaration.location:
            results = [*range(count), *shift["results"]]
            entries = {entry.name: shift[entry.name] for entry in shift}
            declaration.attributes[VMAP] = ir.DictAttr.get(
                entries | {"results": ir.DenseI64ArrayAttr.get(results)}
            )
            declaration.attributes["sym_name"] = ir.StringAttr.get(members)
            with_signature(declaration, self.layout.flat, self.layout.batched(size))
            made = typed(
                name, [*self.layout.flat, *inputs], [*self.layout.flat, *outputs], declaration
            )
            block = made.regions[0].blocks[0]
            with ir.InsertionPoint(block):
                xs = list(block.arguments)
                state, rest = xs[:count], xs[count:]
                found = list(
                    ir.Operation.create(
                        "func.call",
                        [*self.layout.batched(size), *outputs],
                        [*self.layout.of_members(state), *rest],
                        {"callee": ir.FlatSymbolRefAttr.get(members)},
                    ).results
                )
                new = self.layout.joined(state, found[:count], size, IMPLICIT in attribute)
                ir.Operation.create("func.return", [], [*new, *found[count:]])
        self._functions[members] = declaration
        self._functions[name] = made

    # -- ops -------------------------------------------------------------------------------------

    def _written(self, block: ir.Block, state: list[ir.Value]) -> list[ir.Value]:
        """Rewrite the ops of a block; returns the state at its end."""
        for op in [view.operation for view in block.operations][:-1]:
            state = self._op(op, state)
        return state

    def _op(self, op: ir.Operation, state: list[ir.Value]) -> list[ir.Value]:
        kind = state_of(op)
        if kind is not None:
            with op.location, ir.InsertionPoint(op):
                return self._effect(op, kind, state)
        if op.name == "func.call":
            return self._call(op, state) if callee_of(op) in self._needy else state
        if not len(op.regions) or not self._has_effect(op):
            return state
        if not isinstance(op.opview, RegionOp):
            (inner, *_) = effect_ops(op)
            problem = f"{inner.name} in the body of {op.name}, which returns no state"
            raise PassError(NAME, problem, str(inner.location))
        return self._loop(op, state) if op.opview.is_loop else self._choice(op, state)

    def _has_effect(self, op: ir.Operation) -> bool:
        return bool(effect_ops(op)) or any(callee_of(c) in self._needy for c in calls_of(op))

    def _effect(
        self, op: ir.Operation, kind: type[EffectState], state: list[ir.Value]
    ) -> list[ir.Value]:
        rules = OPS[op.name]
        number = self.layout.number(kind, op)
        part = self.layout.part(kind)
        results, new = rules.as_values(op, state[part], number)
        for y, z in zip(op.results, results, strict=True):
            y.replace_all_uses_with(z)
        op.erase()
        return [*state[: part.start], *new, *state[part.stop :]]

    def _call(self, op: ir.Operation, state: list[ir.Value]) -> list[ir.Value]:
        with op.location, ir.InsertionPoint(op):
            new = ir.Operation.create(
                "func.call",
                [*self.layout.flat, *(y.type for y in op.results)],
                [*state, *op.operands],
                {"callee": op.attributes["callee"]},
            )
        found = list(new.results)
        for y, z in zip(op.results, found[len(state) :], strict=True):
            y.replace_all_uses_with(z)
        happened_before = AGAIN in op.attributes
        op.erase()
        return state if happened_before else found[: len(state)]

    def _choice(self, op: ir.Operation, state: list[ir.Value]) -> list[ir.Value]:
        new = moved_to(op, self.layout.flat, [])
        for region in new.regions:
            block = region.blocks[0]
            append_operands(terminator_of(block), self._written(block, state))
        return list(new.results)[-len(state) :]

    def _loop(self, op: ir.Operation, state: list[ir.Value]) -> list[ir.Value]:
        if any(self._is_effect(o.operation) for o in op.regions[0].blocks[0].operations):
            op, first, flag = rotated(op)
            for one in first:
                state = self._op(one, state)
            op.operands[len(op.operands) - 1] = flag.operands[0]
            flag.erase()
        count = len(state)
        new = moved_to(op, self.layout.flat, state)
        with new.location:
            blocks = [region.blocks[0] for region in new.regions]
            for block in blocks:
                for t in self.layout.flat:
                    block.add_argument(t, new.location)
        body = blocks[1]
        append_operands(terminator_of(body), self._written(body, list(body.arguments)[-count:]))
        return list(new.results)[-count:]

    def _is_effect(self, op: ir.Operation) -> bool:
        if op.name == "func.call":
            return callee_of(op) in self._needy
        return state_of(op) is not None or (bool(len(op.regions)) and self._has_effect(op))
