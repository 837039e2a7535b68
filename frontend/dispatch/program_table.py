"""The programs of a jitted function, by the structure and the types of its arguments."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anvl import tree
from anvl.core.arguments import Arguments, input_names
from anvl.core.avals import aval
from anvl.runtime import Array, ArrayType, make_flat_dispatch

if TYPE_CHECKING:
    from anvl.dispatch.executables import Program
    from anvl.dispatch.jit import Jit

__all__ = ["ProgramTable", "structure_of_arrays"]

_MISS = object()
_ELSEWHERE = "elsewhere"


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
        self.programs: dict[tuple[Any, ...], tuple[Program, int]] = {}
        # Dispatchers that are told of the programs.
        self._leaves_dispatch = make_flat_dispatch(self._refuse, argument_names=self._names)
        self._dispatches: list[Any] = [self._leaves_dispatch]

    def add(self, dispatch: Any) -> None:
        """Register a dispatcher with the programs of this table."""
        self._dispatches.append(dispatch)
        self.install_all()

    def _names(self) -> list[str]:
        """Names of the leaves, for messages."""
        treedef, static, _ = self._key
        return input_names(self._owner._f, Arguments([], treedef, static))

    def _refuse(self, leaves: Sequence[Any]) -> Any:
        return _MISS

    def call(self, arguments: Arguments) -> Any:
        """Run the program for these arguments; trace and compile it first if there is none."""
        owner = self._owner
        arrays = owner.arrays_of(arguments)
        key = tuple([x.aval for x in arrays])
        kept = self.programs.get((_ELSEWHERE, *key)) if _is_open(arguments) else None
        if kept is None:
            found = self._leaves_dispatch.call(arrays)
            if found is not _MISS:
                return found
            kept = self.programs.get(key)
            if kept is None:
                kept = self._compile(key, arguments)
            else:  # the dispatcher dropped it when the defaults changed
                self.install(key)
        program, number = kept
        owner._recency.use(number)
        return program.run(arrays)

    def _compile(self, key: tuple[ArrayType, ...], arguments: Arguments) -> tuple[Program, int]:
        avals = [aval(k.dtype, k.shape, k.weak_type) for k in key]
        try:
            program = self._owner.trace_and_compile(
                arguments._replace(leaves=avals), key, _is_open(arguments)
            )
        except BaseException:
            self._drop_if_empty()
            raise
        self._owner._tables[self._key] = self
        found: tuple[Any, ...] = (_ELSEWHERE, *key) if program.moves else key
        return self._owner.keep(self, found, program)

    def install(self, key: tuple[Any, ...]) -> None:
        """Tell the dispatchers of a program, unless it runs elsewhere than its arguments are."""
        kept = self.programs.get(key)
        if kept is None:  # another thread has dropped it meanwhile
            return
        (program, number), recency = kept, self._owner._recency
        if program.moves:
            return
        entry = program.entry()
        if recency.is_watched:
            entry = entry._replace(run=recency.watched(number, entry.run))
        for dispatch in self._dispatches:
            dispatch.install(key, entry)

    def install_all(self) -> None:
        """Tell the dispatchers of all programs."""
        for key in list(self.programs):
            self.install(key)

    def drop(self, key: tuple[Any, ...]) -> None:
        """Forget a program."""
        self.programs.pop(key, None)
        for dispatch in self._dispatches:
            dispatch.forget(key)
        self._drop_if_empty()

    def _drop_if_empty(self) -> None:
        """Drop a table without programs: there may be any number of static values."""
        if not self.programs and self._owner._tables.get(self._key) is self:
            del self._owner._tables[self._key]


def _is_open(arguments: Arguments) -> bool:
    """Whether no argument decides where the program runs: numbers and NumPy arrays do not."""
    return not any(type(x) is Array for x in arguments.leaves)
