"""The programs of a jitted function, by the structure and the types of its arguments."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from anvl import tree
from anvl.core.argument_arrays import is_open
from anvl.core.arguments import Arguments, input_names
from anvl.core.avals import aval
from anvl.recompilation.key_differences import Key
from anvl.runtime import MISS, ArrayType, make_flat_dispatch, steady

if TYPE_CHECKING:
    from anvl.captured.staleness import Captured
    from anvl.dispatch.executables import Program
    from anvl.dispatch.jit import Jit

__all__ = ["Kept", "ProgramTable", "structure_of_arrays"]

_ELSEWHERE = "elsewhere"
_MAX_FORMER = 4  # programs kept for values that a function closed over before


class Kept(NamedTuple):
    """A program, its number in the recency order, and the values that its function closes over."""

    program: Program
    number: int
    captured: Captured | None


@functools.lru_cache(256)
def structure_of_arrays(count: int) -> Any:
    """Argument structure of a call with `count` arrays."""
    return tree.structure((tuple(range(count)), {}))


class ProgramTable:
    """The programs of one argument structure and of static values, by argument types.

    Each has its number in the recency order of its function.
    """

    def __init__(self, owner: Jit, key: Any) -> None:
        self._owner, self._key = owner, key
        # A program that runs elsewhere than where its numbers and NumPy arrays were put has a mark
        # in its key: arrays of that placement do not fit it.
        self.programs: dict[tuple[Any, ...], Kept] = {}
        # Programs for other values of what the function closes over.
        self._former: dict[tuple[Any, ...], list[tuple[Program, Captured]]] = {}
        # Dispatchers that are told of the programs.
        self.leaves_dispatch = make_flat_dispatch(self._refuse, argument_names=self.names)
        self._dispatches: list[Any] = [self.leaves_dispatch]

    def __len__(self) -> int:
        """The programs; all sizes of a bucket have one."""
        kept = [k.program for k in list(self.programs.values())]
        shared = {program.executable.arg_types for program in kept if program.padding is not None}
        others = sum(program.padding is None for program in kept)
        return len(shared) + others + sum(map(len, list(self._former.values())))

    def add(self, dispatch: Any) -> None:
        """Register a dispatcher with the programs of this table."""
        self._dispatches.append(dispatch)
        self.install_all()

    def names(self) -> list[str]:
        """Names of the leaves, for messages."""
        treedef, static, _ = self._key
        return input_names(self._owner._f, Arguments([], treedef, static))

    def _refuse(self, leaves: Sequence[Any]) -> Any:
        return MISS

    def call(self, arguments: Arguments) -> Any:
        """Run the program for these arguments; trace and compile it first if there is none."""
        owner = self._owner
        arrays = owner.arrays_of(arguments)
        types = tuple([x.aval for x in arrays])
        key: tuple[Any, ...] = (_ELSEWHERE, *types)
        kept = self.programs.get(key)
        if kept is not None and not (kept.program.joins or is_open(arguments)):
            kept = None
        if kept is None:
            found = self.leaves_dispatch.call(arrays)
            if found is not MISS:
                return found
            key, kept = types, self.programs.get(types)
        if kept is None:
            kept = self._compile(types, arguments)
        elif kept.captured is not None and not kept.captured.is_current():
            kept = self._examined(key, kept, types, arguments)
        elif key is types:  # the dispatcher dropped it when the defaults changed
            self.install(key)
        owner._recency.use(kept.number)
        return kept.program.run(arrays)

    def _compile(
        self,
        key: tuple[ArrayType, ...],
        arguments: Arguments,
        changes: Sequence[tuple[str, str, str]] = (),
    ) -> Kept:
        """Trace and compile; `changes` are those of values that the function closes over."""
        avals = [aval(k.dtype, k.shape, k.weak_type) for k in key]
        attempt = self._owner.misses.begin(self._full_key(key), self._owner.keys(), changes)
        try:
            program, captured = self._owner.trace_and_compile(
                arguments._replace(leaves=avals), key, is_open(arguments), attempt
            )
        except BaseException:
            self._drop_if_empty()
            raise
        self._owner._tables[self._key] = self
        found: tuple[Any, ...] = (_ELSEWHERE, *key) if program.moves else key
        kept = self._owner.keep(self, found, program, captured)
        attempt.compiled()
        return kept

    def _examined(
        self,
        key: tuple[Any, ...],
        kept: Kept,
        types: tuple[ArrayType, ...],
        arguments: Arguments,
    ) -> Kept:
        """The program to run where that of `key` closes over objects that were replaced."""
        owner, captured = self._owner, kept.captured
        staleness = owner.staleness()
        assert staleness is not None and captured is not None
        verdict = staleness.examine(captured, staleness.given(arguments))
        if verdict.now is None:
            return self._replace(key, kept._replace(captured=verdict.captured))
        former = self._former.get(key, [])
        known = next((one for one in former if not one[1].differences(verdict.now)), None)
        if known is not None:
            current = staleness.captured(verdict.now, known[1].excluded)
            new = self._replace(key, Kept(known[0], kept.number, current))
        else:
            changes = captured.changes(verdict.now)
            new = self._compile(types, arguments, changes)
            owner._recency.remove(kept.number)
            staleness.count(captured, verdict.now)
            if self.programs.get(key) is kept:  # the new one runs elsewhere
                self.drop(key)
        others = [one for one in former if one is not known]
        replaced = kept.program, captured.without_objects()
        if key in self.programs:
            self._former[key] = [replaced, *others][:_MAX_FORMER]
        return new

    def _replace(self, key: tuple[Any, ...], kept: Kept) -> Kept:
        self.programs[key] = kept
        self.install(key)
        return kept

    def keys(self) -> list[Key]:
        """The keys of its programs."""
        return [
            self._full_key(key[1:] if key and key[0] is _ELSEWHERE else key)
            for key in list(self.programs)
        ]

    def _full_key(self, types: tuple[ArrayType, ...]) -> Key:
        treedef, static, version = self._key
        f, buckets = self._owner._f, self._owner._options.buckets
        if buckets:
            from anvl.dispatch.padding.buckets import bucketed  # by `bucket` alone

            types = bucketed(f, buckets, Arguments([], treedef, static), types)
        return Key(treedef, static, version, types)

    def install(self, key: tuple[Any, ...]) -> None:
        """Tell the dispatchers of a program, unless it runs elsewhere than its arguments are."""
        kept = self.programs.get(key)
        if kept is None:  # another thread has dropped it meanwhile
            return
        (program, number, captured), recency = kept, self._owner._recency
        if not program.is_generated:
            return
        entry = program.entry()
        if captured is not None:
            entry = entry._replace(is_current=captured.guard)
        if recency.is_watched:
            entry = entry._replace(run=recency.watched(number, steady(entry.run)))
        for dispatch in self._dispatches:
            dispatch.install(key, entry)

    def install_all(self) -> None:
        """Tell the dispatchers of all programs."""
        for key in list(self.programs):
            self.install(key)

    def drop(self, key: tuple[Any, ...]) -> None:
        """Forget a program."""
        self.programs.pop(key, None)
        self._former.pop(key, None)
        for dispatch in self._dispatches:
            dispatch.forget(key)
        self._drop_if_empty()

    def _drop_if_empty(self) -> None:
        """Drop a table without programs: there may be any number of static values."""
        if not self.programs and self._owner._tables.get(self._key) is self:
            del self._owner._tables[self._key]
            self._owner.forget(self)
