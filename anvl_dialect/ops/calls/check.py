"""`check`: a condition that must hold while the program runs.

A program cannot raise: `anvl-functionalize-effects` makes of each check two values, the number of
the first check that failed and what its message shows, which the program returns (Note [Effects as
values] in `passes/effects/functionalize.py`).
"""

import math
from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full
from anvl.dialect.core.families import with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Value, emit
from anvl.dialect.core.params.base import Ints, Text, Texts
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import DTYPES, dtype_name, element_type, tensor
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.interpreters.effect_state import EffectState
from anvl.dialect.ops.elementwise.elementary import and_, not_

__all__ = ["CODE", "WORD", "WORD_BYTES", "CheckOp", "CheckState", "stored_as", "words_of"]

#: Element types of the number of a check, and of the words that hold what its message shows.
CODE, WORD = "i32", "ui32"


WORD_BYTES = 4


def stored_as(dtype: str) -> str:
    """The dtype, of whole words, in which values of another are kept for a message."""
    of = DTYPES[dtype]
    if of.numpy.itemsize >= WORD_BYTES:
        return dtype
    return {"bool": "ui32", "uint": "ui32", "int": "i32"}.get(of.kind, "f32")


def words_of(x: Value) -> Value:
    """The elements of an array as words, the least significant first; blocks derivatives."""
    x = reshaped(x, (math.prod(x.type.shape),))
    of = DTYPES[dtype_name(x.type.element_type)]
    if of.kind == "complex":
        parts = [reshaped(part(x), (*x.type.shape, 1)) for part in (emit.real, emit.imag)]
        return words_of(emit.concatenate(*parts, dimension=1))
    if of.kind == "float":
        x = emit.stop_gradient(x)
    if stored_as(of.name) != of.name:
        x = emit.convert(x, dtype=stored_as(of.name))
    if dtype_name(x.type.element_type) != WORD:
        x = emit.bitcast_convert(x, dtype=WORD)
    return reshaped(x, (math.prod(x.type.shape),))


class CheckState(EffectState):
    """The number of the first check that failed, 0 for none, and words.

    First the positions of the members of batches, from 1 and from the outside in; then what its
    message shows.
    """

    name = "check"
    described_as = "anvl.checks"

    def __init__(self, ops: Sequence[ir.Operation], n_members: int) -> None:
        self._n_members = n_members
        words = max(op.operands[1].type.shape[0] for op in ops)
        size = max(1, n_members + words)  # without any, no plugin has to take an empty array
        self.types = [tensor([], element_type(CODE)), tensor([size], element_type(WORD))]
        self._numbers: dict[ir.Attribute, int] = {}

    def number(self, op: ir.Operation) -> int:
        """The number of a check; those of equal messages at one place are one."""
        params = CheckOp.read(op)
        entries = {name: CheckOp.params[name].encode(value) for name, value in params.items()}
        with op.context:
            entry = ir.DictAttr.get(entries | {"place": ir.StringAttr.get(place_of(op))})
        return self._numbers.setdefault(entry, len(self._numbers) + 1)

    def of_members(self, state: Sequence[Value]) -> Sequence[Value]:
        """A failure from before is kept outside of the batch."""
        return self.initial()

    def joined(
        self, before: Sequence[Value], members: Sequence[Value], is_implicit: bool
    ) -> Sequence[Value]:
        """The state before, or that of the first member that failed."""
        code, words = before
        codes, many = members
        failed = emit.compare(codes, full(codes.type, 0), comparison_direction="NE")
        first = emit.argmax(failed, axis=0, dtype="i32")
        new_code, new_words = _row(codes, first), _row(many, first)
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

    def description(self) -> ir.Attribute:
        """The checks, in the order of their numbers."""
        return ir.ArrayAttr.get(list(self._numbers))


def _row(x: Value, at: Value) -> Value:
    shape = tuple(x.type.shape[1:])
    zeros = [full(at.type, 0)] * len(shape)
    return reshaped(emit.dynamic_slice(x, at, *zeros, slice_sizes=(1, *shape)), shape)


def _cut(words: Value, start: int, stop: int) -> Value:
    return emit.slice(words, start_indices=(start,), limit_indices=(stop,), strides=(1,))


class CheckOp(AnvlOp, name="check", pure=False):
    """Fail with `message` if `ok`, one bool, is false; the program goes on.

    `words` has the values that the message shows: `names[i]` is of the type `types[i]`, such as
    `f32[3]`, each element in words of 32 bits.  `shape` is that of the array that `ok` is about: if
    it has axes, the first word is the position of the first element that fails.
    """

    ok: Operand
    words: Operand
    message: Text
    names: Texts
    types: Texts
    shape: Ints
    state = CheckState
    why_not_lowered = "run anvl-functionalize-effects first"

    @classmethod
    def result_type(cls, ok: Any, words: Any, **params: Any) -> Any:
        flag, word = tensor([], element_type("bool")), element_type(WORD)
        if ok != flag:
            raise TypeError(f"check: ok is {ok}; it must be {flag}")
        if words.rank != 1 or words.element_type != word:
            raise TypeError(f"check: words is {words}; it must have one axis, of {word}")
        names, types = params["names"], params["types"]
        if len(names) != len(types):
            raise TypeError(f"check: there are {len(names)} names and {len(types)} types")
        return []

    @classmethod
    def adjoint(cls, gs: Any, xs: Sequence[Value], ys: Any, **params: Any) -> Sequence[Any]:
        return [None, None]

    @classmethod
    def tangent(cls, ts: Any, xs: Sequence[Value], ys: Any, **params: Any) -> Sequence[Any]:
        return []

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], **params: Any) -> Sequence[Value]:
        """Emit one check of all members, which shows the first that fails."""
        ok, words = with_batch_axis(xs, batched)
        count, size = words.type.shape
        if count == 0:
            return []
        first = emit.argmax(not_(ok), axis=0, dtype="i32")
        zero = full(first.type, 0)
        row = emit.dynamic_slice(words, first, zero, slice_sizes=(1, size))
        emit.check(emit.all(ok, axes=(0,)), reshaped(row, (size,)), **params)
        return []

    @classmethod
    def as_values(
        cls, op: ir.Operation, state: Sequence[Value], number: int
    ) -> tuple[Sequence[Value], Sequence[Value]]:
        """Keep the number and the words of the first check that fails."""
        ok, words = op.operands
        code, kept = state
        fails = and_(not_(ok), emit.compare(code, full(code.type, 0), comparison_direction="EQ"))
        n, given = kept.type.shape[0], words.type.shape[0]
        if given < n:  # batches fill the first words, and others have longer messages
            before = full(tensor([n - given], words.type.element_type), 0)
            words = emit.concatenate(before, words, dimension=0) if given else before
        is_new = emit.broadcast_in_dim(fails, shape=(n,), broadcast_dimensions=())
        return [], [
            emit.select(fails, full(code.type, number), code),
            emit.select(is_new, words, kept),
        ]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls()  # it has no result to compare
