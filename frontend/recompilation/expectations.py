"""`expect_compiles`: a block that says how many programs are compiled in it."""

from __future__ import annotations

from types import TracebackType

from anvl.dialect.core.errors import CompileCountError
from anvl.recompilation.misses import Miss, listeners, n_programs
from anvl.runtime import hiding_frames

__all__ = ["expect_compiles"]


class expect_compiles:  # used like a function
    """Raise `CompileCountError` if more or fewer than `count` programs are compiled in a block.

    Counted are the calls, in this thread or task, of jitted functions that found no program, and
    the calls of transformed functions outside of `jit`, each of which traces anew.  A program
    counts also if XLA's work on it was found in a cache.  Not counted are single operations, such
    as `np.ones(3)` and `x + y`, and `lower().compile()`.

    Blocks may be nested: an outer block counts those of the inner ones, too.  An error that leaves
    the block is not replaced.

    Parameters
    ----------
    count : int
        How many programs, 0 or more.

    Raises
    ------
    TypeError, ValueError
        `count` is no whole number, or negative.
    CompileCountError
        At the end of the block: another number of programs was compiled.  It lists them, and why
        each was.

    Examples
    --------
    >>> import anvl, numpy
    >>> f = anvl.jit(lambda x: x + 1)
    >>> with anvl.expect_compiles(1) as misses:
    ...     for _ in range(3):
    ...         y = f(numpy.ones(2))
    >>> [miss.reason for miss in misses]
    ['first call']
    """

    @hiding_frames
    def __init__(self, count: int) -> None:
        if type(count) is not int:
            raise TypeError(f"expect_compiles: count must be a whole number, got {count!r}")
        if count < 0:
            raise ValueError(f"expect_compiles: count must be 0 or more, got {count}")
        self._count = count
        self._found: list[Miss] = []
        self._is_entered = False

    def __enter__(self) -> list[Miss]:
        if self._is_entered:
            raise ValueError(
                f"expect_compiles: this block of {self._count} was entered before; make one for "
                "each block"
            )
        self._is_entered = True
        listeners.set((*listeners.get(), self._found))
        return self._found

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        listeners.set(tuple(of for of in listeners.get() if of is not self._found))
        if kind is None and len(self._found) != self._count:
            raise CompileCountError(_message(self._count, self._found), self._count, self._found)


def _message(expected: int, found: list[Miss]) -> str:
    head = f"expect_compiles: expected {n_programs(expected)}, compiled {len(found)}"
    if len(found) < expected:
        head += (
            "; the other calls found theirs, from before this block or from equal arguments: "
            "f.clear_cache() drops those of a function"
        )
    return "\n  ".join([head, *map(str, found)])
