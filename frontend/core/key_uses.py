"""Uses of random keys: which values of a program are keys that numbers were drawn with, and where.

Note [Reuse of keys]

With `anvl.config.check_key_reuse` each function of `anvl.random` that draws notes the value that
its key is.  Two values are the same key if the same ops make them of the same values, so that
`keys[0]` is one key however often it is written.  A traced function passes its uses on to its
callers, in terms of their operands, as it does with weak numbers (`ranges.py`): so a key that is
drawn with before and in a function, or in two calls of one, is found.  In a loop a key that does
not change from step to step is used again by each.  Branches of a choice do not meet.

Outside of traces keys are compared by value.  A jitted function notes the keys that it was given
and draws with, or splits, at each call.  `key`, `wrap_key_data` and `clone` begin a use anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from anvl.core.weak_numbers import takers
from anvl.dialect.core.errors import KeyReuseError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.interpreters.constant_folding import maker_of
from anvl.runtime.locks import fresh_lock

if TYPE_CHECKING:
    from anvl.core.tracer import Tracer
    from anvl.core.tracing import Trace

__all__ = [
    "KeyUses", "Use", "are_noted", "forget_value", "note_use", "note_values", "pass_on_key_uses",
    "pass_on_uses_of_branches", "pass_on_uses_of_steps", "quiet",
]  # fmt: skip

_BARRIER = OPS["stablehlo.optimization_barrier"].OPERATION_NAME
_MOST_VALUES = 1 << 16
_DEPTH = 200  # ops between an argument and a key; beyond, each value is a key of its own


class Use(NamedTuple):
    """A draw with a key: the function, and its line (`train.py:12`)."""

    function: str
    place: str


class KeyUses:
    """The keys that the functions of a program have drawn with.

    A key is a number: that of the expression that makes it.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._expressions: list[Any] = []
        self.by_function: dict[str, dict[int, Use]] = {}

    def number_of(self, value: ir.Value, trace: Trace) -> int:
        """Number of the expression of a value of a trace."""
        return self._read(value, trace, {}, 0)

    def _numbered(self, expression: Any) -> int:
        number = self._numbers.setdefault(expression, len(self._expressions))
        if number == len(self._expressions):
            self._expressions.append(expression)
        return number

    def _read(self, value: ir.Value, trace: Trace, known: dict[ir.Value, int], depth: int) -> int:
        if value not in known:
            maker = maker_of(value)
            if maker is None:
                return self._argument(value, trace)
            op = maker.operation
            if depth > _DEPTH or len(op.regions) or op.name == _BARRIER:
                known[value] = self._numbered(("value", hash(value)))
            else:
                operands = tuple(self._read(x, trace, known, depth + 1) for x in op.operands)
                attributes = tuple((name, str(op.attributes[name])) for name in op.attributes)
                place = ir.OpResult(value).result_number
                known[value] = self._numbered((op.name, attributes, operands, place))
        return known[value]

    def _argument(self, value: ir.Value, trace: Trace) -> int:
        place = ir.BlockArgument(value).arg_number
        if place < trace.n_inputs:
            return self.number_of_argument(trace.name, place)
        for outer, inner in trace.closed_over.values():
            if inner.value == value:
                return self.number_of(outer.value, outer.owner)
        return self._numbered(("value", hash(value)))

    def number_of_argument(self, function: str, place: int) -> int:
        """Number of an argument of a function."""
        return self._numbered(("argument", function, place))

    def substituted(self, number: int, given: Callable[[str, int], int | None]) -> int | None:
        """The same expression of other arguments; None if one of them is unknown."""
        head, *rest = self._expressions[number]
        if head == "argument":
            return given(*rest)
        if head == "value":
            return number
        attributes, operands, place = rest
        found = [self.substituted(x, given) for x in operands]
        if None in found:
            return None
        return self._numbered((head, attributes, tuple(found), place))

    def note(self, trace: Trace, number: int, use: Use) -> None:
        """Note a use.  Raises `KeyReuseError` if the function, or one around it, has one."""
        outer: Trace | None = trace
        while outer is not None:
            earlier = self.by_function.get(outer.name, {}).get(number)
            if earlier is not None:
                raise _reused(earlier, use)
            outer = outer.parent
        self.by_function.setdefault(trace.name, {})[number] = use

    def passed_on(self, function: str, given: Callable[[str, int], int | None]) -> dict[int, Use]:
        """The uses of a function in terms of other arguments, but for those that are unknown."""
        found = {}
        for number, use in list(self.by_function.get(function, {}).items()):
            replaced = self.substituted(number, given)
            if replaced is not None:
                found[replaced] = use
        return found

    def of_arguments(self) -> tuple[tuple[int, Use], ...]:
        """The arguments of `@main` that are keys in use."""
        uses = self.by_function.get("main", {})
        heads = ((self._expressions[number], use) for number, use in uses.items())
        return tuple((head[2], use) for head, use in heads if head[0] == "argument")


def _reused(earlier: Use, use: Use) -> KeyReuseError:
    return KeyReuseError(
        f"{use.function}: the key at {use.place} was used by {earlier.function} at "
        f"{earlier.place}; draw with keys of anvl.random.split, or say anvl.random.clone(key) if "
        "it is meant",
        first=earlier.place,
        second=use.place,
    )


def _reused_in_loop(use: Use) -> KeyReuseError:
    return KeyReuseError(
        f"{use.function}: the key at {use.place} is the same in each step of a loop; derive one "
        "for each step, by anvl.random.fold_in(key, i)",
        first=use.place,
        second=use.place,
    )


# -- within traces ---------------------------------------------------------------------------------


class _State(threading.local):
    is_quiet = False


_state = _State()


def are_noted() -> bool:
    """Whether uses are noted now: not within a function that draws."""
    return not _state.is_quiet


@contextmanager
def quiet() -> Iterator[None]:
    """Note no uses in this block: those of a function that draws are one use."""
    before, _state.is_quiet = _state.is_quiet, True
    try:
        yield
    finally:
        _state.is_quiet = before


def note_use(key: Tracer, trace: Trace, use: Use) -> None:
    """Note that numbers were drawn with a key in a trace."""
    uses = trace.program.key_uses
    uses.note(trace, uses.number_of(key.value, key.owner), use)


def pass_on_key_uses(trace: Trace, name: str, operands: Sequence[ir.Value]) -> None:
    """Pass the uses of a function on to its caller, in terms of the operands of the call."""
    uses = trace.program.key_uses
    if not uses.by_function or _state.is_quiet:
        return
    for taker in takers(trace.program, name):

        def given(function: str, place: int, taker: Any = taker) -> int | None:
            if function != taker.function:
                return uses.number_of_argument(function, place)
            if place < taker.n_changing + taker.n_members:
                return None
            return uses.number_of(operands[place], trace)

        for number, use in uses.passed_on(taker.function, given).items():
            if taker.n_changing + taker.n_members:
                raise _reused_in_loop(use)
            uses.note(trace, number, use)


def pass_on_uses_of_branches(
    trace: Trace, names: Sequence[str], operands: Sequence[ir.Value]
) -> None:
    """Pass the uses of the branches of a choice on to a trace: each key counts once."""
    uses = trace.program.key_uses
    if not uses.by_function:
        return
    found: dict[int, Use] = {}
    for name in names:

        def given(function: str, place: int, name: str = name) -> int | None:
            if function != name:
                return uses.number_of_argument(function, place)
            return uses.number_of(operands[place], trace)

        found |= uses.passed_on(name, given)
    for number, use in found.items():
        uses.note(trace, number, use)


def pass_on_uses_of_steps(trace: Trace, names: Sequence[str]) -> None:
    """Refuse keys that a loop does not change.  Raises `KeyReuseError`."""
    uses = trace.program.key_uses
    for name in names if uses.by_function else ():

        def given(function: str, place: int, name: str = name) -> int | None:
            return None if function == name else uses.number_of_argument(function, place)

        for use in uses.passed_on(name, given).values():
            raise _reused_in_loop(use)


# -- outside of traces -----------------------------------------------------------------------------

_values: dict[int, Use] = {}
_lock = fresh_lock()


def note_values(uses: Iterable[tuple[int, Use]]) -> None:
    """Note uses of keys of these values.  Raises `KeyReuseError` for a known one."""
    with _lock:
        for value, use in uses:
            earlier = _values.get(value)
            if earlier is not None:
                raise _reused(earlier, use)
            _values[value] = use
            if len(_values) > _MOST_VALUES:
                del _values[next(iter(_values))]


def forget_value(value: int) -> None:
    """Let a key of this value be used once more."""
    with _lock:
        _values.pop(value, None)
