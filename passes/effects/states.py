"""The states that effects update, as values of a program: Note [Effects as values]."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.effect_state import EffectState
from anvl.passes.expand.declarations import finish
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["MEMBERS", "STATE", "Layout", "descriptions", "state_of"]

#: Attribute of a result that is part of a state, with the name of that.
STATE = "anvl.state"
#: Attribute of an entry: how many words tell the members of batches.
MEMBERS = "anvl.members"


def state_of(op: ir.Operation) -> type[EffectState] | None:
    """The state that an op updates; None for none."""
    rules = OPS.get(op.name)
    return rules.state_of(op) if rules is not None and rules.state is not None else None


def descriptions() -> list[str]:
    """The attributes of an entry that tell what its states mean."""
    kinds = [rules.state for rules in OPS.values() if rules.state is not None]
    return [MEMBERS, *sorted({kind.described_as for kind in kinds} - {""})]


class Layout:
    """The values that make up the states: which, and of what types; ops declare the states."""

    def __init__(self, ops: Sequence[ir.Operation], n_members: int) -> None:
        """Of a module with these effects, and batches nested so deep."""
        self._n_members = n_members
        by_kind: dict[type[EffectState], list[ir.Operation]] = {}
        for op in ops:
            kind = state_of(op)
            assert kind is not None  # these are the ops with a state
            by_kind.setdefault(kind, []).append(op)
        ordered = sorted(by_kind.items(), key=lambda item: item[0].name)
        self._states = {kind: kind(of, n_members) for kind, of in ordered}
        self.flat: list[Any] = [t for state in self._states.values() for t in state.types]
        ends = [0]
        for state in self._states.values():
            ends.append(ends[-1] + len(state.types))
        self._parts = dict(zip(self._states, (slice(a, b) for a, b in pairwise(ends)), strict=True))

    @property
    def count(self) -> int:
        """The number of values."""
        return len(self.flat)

    def part(self, kind: type[EffectState]) -> slice:
        """Where the values of a state are among those of all."""
        return self._parts[kind]

    def number(self, kind: type[EffectState], op: ir.Operation) -> int:
        """The number that `as_values` of an op is told."""
        return self._states[kind].number(op)

    def _of_each(self, make: Callable[[EffectState, slice], Sequence[Value]]) -> list[Value]:
        return [x for kind, state in self._states.items() for x in make(state, self._parts[kind])]

    # -- emitted at the insertion point ----------------------------------------------------------

    def initial(self) -> list[Value]:
        """The state in which nothing has happened."""
        return self._of_each(lambda state, part: state.initial())

    def batched(self, size: int) -> list[ir.Type]:
        """The types of the states of all members of a batch."""
        return [tensor([size, *t.shape], t.element_type) for t in self.flat]

    def of_members(self, values: Sequence[Value]) -> list[Value]:
        """The state that the members of a batch begin with."""
        return self._of_each(lambda state, part: state.of_members(values[part]))

    def joined(
        self, before: Sequence[Value], members: Sequence[Value], size: int, is_implicit: bool
    ) -> list[Value]:
        """The state after a batch; an implicit one is made by a transformation itself."""
        if not size:
            return list(before)
        return self._of_each(
            lambda state, part: state.joined(before[part], members[part], is_implicit)
        )

    def tied(self, results: Sequence[Value], values: Sequence[Value]) -> list[Value]:
        """These results, which now depend on the states."""
        for kind, state in self._states.items():
            results = state.tied(results, values[self._parts[kind]])
        return list(results)

    # -- entries ---------------------------------------------------------------------------------

    def append_results(self, function: ir.Operation, values: Sequence[Value]) -> None:
        """Let an entry return the states behind its results."""
        block = function.regions[0].blocks[0]
        old = list(terminator_of(block).operands)
        finish(function, [*old, *values])
        kept = [ir.DictAttr.get({}, function.context)] * len(old)
        if "res_attrs" in function.attributes:
            kept = list(function.attributes["res_attrs"])[: len(old)]
        with function.context:
            names = [kind.name for kind, state in self._states.items() for _ in state.types]
            marks = [ir.DictAttr.get({STATE: ir.StringAttr.get(name)}) for name in names]
            function.attributes["res_attrs"] = ir.ArrayAttr.get([*kept, *marks])

    def describe(self, function: ir.Operation) -> None:
        """Attach to an entry what its states mean."""
        with function.context:
            function.attributes[MEMBERS] = Int.encode(self._n_members)
            for kind, state in self._states.items():
                description = state.description()
                if description is not None:
                    function.attributes[kind.described_as] = description
