"""The states that effects update, as values of a program: Note [Effects as values]."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.control_flow.loop_values import member
from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.ops.calls.check import CODE, WORD, CheckOp
from anvl.passes.expand.declarations import finish
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["CHECKS", "MEMBERS", "STATE", "Layout"]

#: Attribute of a result that is part of a state, with the name of that.
STATE = "anvl.state"
#: Attributes of an entry: its checks, in the order of their numbers; how many words tell the
#: members of batches.
CHECKS, MEMBERS = "anvl.checks", "anvl.members"


class Layout:
    """The values that make up the state: which, and of what types.

    The state of checks is the number of the first that failed, 0 for none, and words: first the
    positions of the members of batches, from 1 and from the outside in; then what its message
    shows.
    """

    def __init__(self, n_words: int, n_members: int) -> None:
        self._n_members = n_members
        size = max(1, n_members + n_words)  # without any, no plugin has to take an empty array
        self.flat: list[Any] = [tensor([], element_type(CODE)), tensor([size], element_type(WORD))]
        self._numbers: dict[ir.Attribute, int] = {}

    @classmethod
    def of(cls, ops: Sequence[ir.Operation], n_members: int) -> "Layout":
        """The state of a module with these effects, and batches nested so deep."""
        sizes = [op.operands[1].type.shape[0] for op in ops]
        return cls(max(sizes, default=0), n_members)

    @property
    def count(self) -> int:
        """The number of values."""
        return len(self.flat)

    def part(self, kind: str) -> slice:
        """Where the values of a kind of state are among those of all."""
        return slice(0, 2)

    def number(self, op: ir.Operation) -> int:
        """The number of a check; those of equal messages at one place are one."""
        params = CheckOp.read(op)
        entries = {name: CheckOp.params[name].encode(value) for name, value in params.items()}
        with op.context:
            entry = ir.DictAttr.get(entries | {"place": ir.StringAttr.get(place_of(op))})
        return self._numbers.setdefault(entry, len(self._numbers) + 1)

    # -- emitted at the insertion point ----------------------------------------------------------

    def initial(self) -> list[Value]:
        """The state in which nothing has happened."""
        return [full(t, 0) for t in self.flat]

    def batched(self, size: int) -> list[ir.Type]:
        """The types of the states of all members of a batch."""
        return [tensor([size, *t.shape], t.element_type) for t in self.flat]

    def of_members(self, state: Sequence[Value]) -> list[Value]:
        """The state that a batch begins with: what failed before is kept outside of it."""
        return self.initial()

    def joined(self, before: Sequence[Value], members: Sequence[Value], size: int) -> list[Value]:
        """The state after a batch: that before it, or of the first member that failed."""
        if not size:
            return list(before)
        code, words = before
        codes, many = members
        failed = emit.compare(codes, full(codes.type, 0), comparison_direction="NE")
        first = emit.argmax(failed, axis=0, dtype="i32")
        new_code, new_words = member(codes, first), self._of_member(member(many, first), first)
        is_first = emit.compare(code, full(code.type, 0), comparison_direction="EQ")
        of_words = emit.broadcast_in_dim(
            is_first, shape=tuple(words.type.shape), broadcast_dimensions=()
        )
        return [emit.select(is_first, new_code, code), emit.select(of_words, new_words, words)]

    def _of_member(self, words: Value, at: Value) -> Value:
        """Words with the position of a member in front of those of the batches inside."""
        one = emit.convert(emit.add(at, full(at.type, 1)), dtype=WORD)
        head = emit.broadcast_in_dim(one, shape=(1,), broadcast_dimensions=())
        ends = [(0, self._n_members - 1), (self._n_members, words.type.shape[0])]
        rest = [_cut(words, start, stop) for start, stop in ends if start < stop]
        return emit.concatenate(head, *rest, dimension=0) if rest else head

    # -- entries ---------------------------------------------------------------------------------

    def append_results(self, function: ir.Operation, state: Sequence[Value]) -> None:
        """Let an entry return the state behind its results."""
        block = function.regions[0].blocks[0]
        old = list(terminator_of(block).operands)
        finish(function, [*old, *state])
        kept = [ir.DictAttr.get({}, function.context)] * len(old)
        if "res_attrs" in function.attributes:
            kept = list(function.attributes["res_attrs"])[: len(old)]
        with function.context:
            marks = [ir.DictAttr.get({STATE: ir.StringAttr.get("check")}) for _ in state]
            function.attributes["res_attrs"] = ir.ArrayAttr.get([*kept, *marks])

    def describe(self, function: ir.Operation) -> None:
        """Attach to an entry what the numbers and the words of its state mean."""
        with function.context:
            function.attributes[CHECKS] = ir.ArrayAttr.get(list(self._numbers))
            function.attributes[MEMBERS] = Int.encode(self._n_members)


def _cut(words: Value, start: int, stop: int) -> Value:
    return emit.slice(words, start_indices=(start,), limit_indices=(stop,), strides=(1,))
