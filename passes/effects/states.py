"""The states that effects update, as values of a program: Note [Effects as values]."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.control_flow.loop_values import broadcast_flags, member
from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.ops.calls.check import CODE, WORD, CheckOp
from anvl.dialect.ops.calls.custom_call import CustomCallOp
from anvl.dialect.ops.calls.host_call import token_type
from anvl.dialect.ops.indexing.scatter_windows import cut
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

    The state of effects in order is a token, which says nothing.  The state of checks is the number
    of the first that failed, 0 for none, and words: first the positions of the members of batches,
    from 1 and from the outside in; then what its message shows.
    """

    def __init__(self, ops: Sequence[ir.Operation], n_members: int) -> None:
        """Of a module with these effects, and batches nested so deep."""
        self._n_members = n_members
        checks = [op for op in ops if op.name == CheckOp.OPERATION_NAME]
        words = max((op.operands[1].type.shape[0] for op in checks), default=0)
        size = max(1, n_members + words)  # without any, no plugin has to take an empty array
        check = [tensor([], element_type(CODE)), tensor([size], element_type(WORD))]
        self._n_check = len(check) if checks else 0
        order = [token_type()] if len(checks) < len(ops) else []
        self.flat: list[Any] = [*check[: self._n_check], *order]
        self._numbers: dict[ir.Attribute, int] = {}

    @property
    def count(self) -> int:
        """The number of values."""
        return len(self.flat)

    def part(self, kind: str) -> slice:
        """Where the values of a kind of state are among those of all."""
        n = self._n_check
        return slice(0, n) if kind == CheckOp.state else slice(n, self.count)

    def number(self, op: ir.Operation) -> int:
        """The number of a check; those of equal messages at one place are one."""
        if op.name != CheckOp.OPERATION_NAME:
            return 0
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
        return [*self.initial()[: self._n_check], *state[self._n_check :]]

    def joined(
        self, before: Sequence[Value], members: Sequence[Value], size: int, is_implicit: bool
    ) -> list[Value]:
        """The state after a batch: that before it, or of the first member that failed.

        The member of an implicit batch, which a transformation makes itself, is not told.
        """
        if not size:
            return list(before)
        n = self._n_check
        # A token of one member depends on the calls of all: they are one call, or one loop.
        tokens = [reshaped(cut(x, {0: 0}), ()) for x in members[n:]]
        checks = self._joined_checks(before, members, is_implicit) if n else ()
        return [*checks, *tokens]

    def tied(self, results: Sequence[Value], state: Sequence[Value]) -> list[Value]:
        """These results, which now depend on the token: it is never negative."""
        (token,) = state[self._n_check :]
        is_done = emit.compare(token, full(token.type, 0), comparison_direction="GE")
        return [emit.select(broadcast_flags(is_done, y), y, full(y.type, 0)) for y in results]

    def _joined_checks(
        self, before: Sequence[Value], members: Sequence[Value], is_implicit: bool
    ) -> list[Value]:
        code, words = before[: self._n_check]
        codes, many = members[: self._n_check]
        failed = emit.compare(codes, full(codes.type, 0), comparison_direction="NE")
        first = emit.argmax(failed, axis=0, dtype="i32")
        new_code, new_words = member(codes, first), member(many, first)
        if not is_implicit:
            new_words = self._of_member(new_words, first)
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
            kinds = [CheckOp.state] * self._n_check + [CustomCallOp.state] * (
                self.count - self._n_check
            )
            marks = [ir.DictAttr.get({STATE: ir.StringAttr.get(kind)}) for kind in kinds]
            function.attributes["res_attrs"] = ir.ArrayAttr.get([*kept, *marks])

    def describe(self, function: ir.Operation) -> None:
        """Attach to an entry what the numbers and the words of its state mean."""
        with function.context:
            function.attributes[CHECKS] = ir.ArrayAttr.get(list(self._numbers))
            function.attributes[MEMBERS] = Int.encode(self._n_members)


def _cut(words: Value, start: int, stop: int) -> Value:
    return emit.slice(words, start_indices=(start,), limit_indices=(stop,), strides=(1,))
