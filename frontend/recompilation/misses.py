"""Records of calls for which a program had to be compiled, and of why."""

from __future__ import annotations

import logging
import re
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core import config
from anvl.core.arguments import name_of
from anvl.core.locations import user_place, user_stack_level
from anvl.recompilation.key_differences import (
    Difference,
    Key,
    differences,
    nearest,
    signature,
    static_values,
)
from anvl.runtime.locks import fresh_lock

__all__ = ["CacheInfo", "Miss", "MissLog", "RecompilationWarning", "listeners", "n_programs"]

_MAX_KEPT = 64  # records of one function
_MANY = 16  # programs from one place; more are a warning
_SHOWN = 3  # differences in one line
_REPEATABLE = ("dropped", "captured value")  # reasons to compile for a key once more

# One for all functions: each lock has a fork handler, which stays for the life of the process.
_lock = fresh_lock()

_logger = logging.getLogger("anvl.jit")

#: Lists that get each miss of this context: those of the `expect_compiles` blocks that are open.
listeners: ContextVar[tuple[list[Miss], ...]] = ContextVar("anvl compile listeners", default=())


class RecompilationWarning(UserWarning):
    """A function is compiled again and again from one place."""


class Miss(NamedTuple):
    """A call for which a program was compiled.

    Attributes
    ----------
    function : str
        The name of the function.
    reason : str
        "first call", "cleared" (the first after `clear_cache`), "dropped" (its program was dropped
        for others, by `cache_size`), "outside of jit" (a transformed function, which each call
        traces), or the kind of the first difference: "shape", "dtype", "weak type", "device",
        "structure", "static value", "setting", "captured value" (that it closes over).
    where : str
        File and line of the call.
    differences : tuple of Difference
        From the nearest call whose program is kept, by argument.
    nearest : tuple of str or None
        The arguments of that call, each as `path: type` or `name=value`.
    trace_seconds, compile_seconds : float
        What tracing took; what lowering and compiling took.
    """

    function: str
    reason: str
    where: str
    differences: tuple[Difference, ...]
    nearest: tuple[str, ...] | None
    trace_seconds: float
    compile_seconds: float

    @property
    def path(self) -> str:
        """The argument of the first difference; empty without one."""
        return self.differences[0].path if self.differences else ""

    def __str__(self) -> str:
        return f"{self.function} at {self.where}: {self._why()}"

    def _why(self) -> str:
        if not self.differences:
            return _REASONS.get(self.reason, "its arguments have another structure")
        listed = "; ".join(map(str, self.differences[:_SHOWN]))
        more = len(self.differences) - _SHOWN
        return f"{listed}; and {more} more" if more > 0 else listed


_REASONS = {
    "first call": "its first call",
    "cleared": "its programs had been dropped by clear_cache",
    "dropped": "its program had been dropped for others, beyond cache_size",
    "outside of jit": "called outside of jit, where each call traces it anew",
}


def n_programs(n: int) -> str:
    """A number of programs, in words."""
    return "1 program" if n == 1 else f"{n} programs"


class CacheInfo(NamedTuple):
    """The programs of a jitted function.

    Attributes
    ----------
    programs : int
        How many it has.
    max_programs : int
        How many are kept.
    compiled : int
        For how many calls a program was compiled, since the function was made.
    trace_seconds, compile_seconds : float
        The time of all of these.
    misses : tuple of Miss
        The latest 64 of these calls, the oldest first.
    """

    programs: int
    max_programs: int
    compiled: int
    trace_seconds: float
    compile_seconds: float
    misses: tuple[Miss, ...]

    def __str__(self) -> str:
        head = (
            f"{n_programs(self.programs)} of at most {self.max_programs}, {self.compiled} "
            f"compiled: trace {self.trace_seconds:.3f} s, compile {self.compile_seconds:.3f} s"
        )
        return "\n".join([head, *(f"  {miss}" for miss in self.misses)])


class MissLog:
    """The misses of one function.

    `is_library` marks a function of anvl, whose misses are recorded only; `is_once` one that is
    made for a single call.
    """

    def __init__(
        self, f: Callable[..., Any], is_library: bool = False, is_once: bool = False
    ) -> None:
        self._f, self._is_library, self._is_once = f, is_library, is_once
        self.clear()
        self._n_compiled = 0
        self._trace_seconds = self._compile_seconds = 0.0
        self._kept: deque[Miss] = deque(maxlen=_MAX_KEPT)
        self._has_warned = False

    def clear(self) -> None:
        """Note that all programs are dropped."""
        self._compiled: set[int] = set()  # digests of keys
        self._causes: dict[str, Counter[tuple[str, str]]] = {}  # by place
        self._last_change: tuple[Difference, ...] = ()  # of closed-over values

    def info(self, programs: int, max_programs: int) -> CacheInfo:
        """Make the result of `cache_info`."""
        with _lock:
            spent = self._trace_seconds, self._compile_seconds
            return CacheInfo(programs, max_programs, self._n_compiled, *spent, tuple(self._kept))

    def begin(
        self, key: Key, known: Iterable[Key], changes: Sequence[tuple[str, str, str]] = ()
    ) -> Attempt:
        """Begin to record a miss, before the function is traced.

        `known` are its other keys, and `changes` those of closed-over values: path, old and new.
        """
        f = self._f
        closest = None if self._is_once else nearest(known, key)
        found: list[Difference] = []
        if changes:
            found = [Difference("captured value", *change) for change in changes]
        elif closest is not None and _digest(key) not in self._compiled:
            found = differences(f, closest, key)
        before = None if closest is None else signature(f, closest)
        reason = found[0].kind if found else self._reason_without_difference(key, closest)
        miss = Miss(name_of(f), reason, user_place(), tuple(found), before, 0.0, 0.0)
        return Attempt(self, key, miss)

    def _reason_without_difference(self, key: Key, closest: Key | None) -> str:
        if self._is_once:
            return "outside of jit"
        if _digest(key) in self._compiled:
            return "dropped"
        if closest is not None:
            return "structure"
        return "cleared" if self._n_compiled else "first call"

    def add(self, key: Key, miss: Miss) -> None:
        """Record a miss: tell the blocks and the log, and warn of many."""
        digest = _digest(key)
        with _lock:
            # Several threads may compile one program at a time, whose arguments differ in nothing.
            is_repeated = digest in self._compiled and miss.reason not in _REPEATABLE
            if miss.reason == "captured value":  # another change lies between two of one
                is_repeated = miss.differences == self._last_change
                self._last_change = miss.differences
            self._n_compiled += 1
            self._trace_seconds += miss.trace_seconds
            self._compile_seconds += miss.compile_seconds
            self._kept.append(miss)
            self._compiled.add(digest)
        if self._is_library:
            return
        for listener in listeners.get():
            listener.append(miss)
        if config.config.explain_cache_misses:
            _logger.warning(
                "%s (trace %.3f s, compile %.3f s)", miss, miss.trace_seconds, miss.compile_seconds
            )
        if not is_repeated:
            self._count(key, miss)

    def _count(self, key: Key, miss: Miss) -> None:
        with _lock:
            if self._has_warned:
                return
            causes = self._causes.setdefault(miss.where, Counter())
            causes[_cause(miss)] += 1
            # First calls of several threads at a time are compared with none: there is no advice.
            if causes.total() <= _MANY or not _advisable(causes):
                return
            self._has_warned = True
        text = _advice(miss, causes, static_values(self._f, key))
        warnings.warn(text, RecompilationWarning, user_stack_level())


class Attempt:
    """A miss that is being traced and compiled."""

    def __init__(self, log: MissLog, key: Key, miss: Miss) -> None:
        self._log, self._key, self._miss = log, key, miss
        self._start = self._traced = time.perf_counter()
        self._is_shared = False

    def shared(self) -> None:
        """Note that its bucket has the program already: nothing is compiled, and it is no miss."""
        self._is_shared = True

    def traced(self) -> None:
        """Note that the trace has ended."""
        self._traced = time.perf_counter()

    def compiled(self) -> None:
        """Note that the program is compiled, and kept."""
        if self._is_shared:
            return
        now = time.perf_counter()
        seconds = self._traced - self._start, now - self._traced
        self._log.add(
            self._key, self._miss._replace(trace_seconds=seconds[0], compile_seconds=seconds[1])
        )


def _digest(key: Key) -> int:
    """A hash of a key, which the key does not outlive: that of a treedef ignores keys of dicts."""
    try:
        return hash((key, str(key.treedef)))
    except Exception:  # the person's class of a container has a `repr` that fails
        return hash((key, tuple(tree.leaf_paths(key.treedef))))


def _cause(miss: Miss) -> tuple[str, str]:
    """The argument and the reason that a miss is counted under."""
    path = miss.path
    if miss.reason == "structure":  # each call may have another leaf
        path = re.split(r"[.\[]", path, maxsplit=1)[0]
    return path, miss.reason


def _advisable(causes: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """The causes that a person can do something about."""
    return Counter({cause: n for cause, n in causes.items() if cause[1] in _ADVICE})


def _advice(miss: Miss, causes: Counter[tuple[str, str]], static: Mapping[str, Any]) -> str:
    """The warning about many programs: what differed most often, and what to do about it."""
    (path, reason), count = _advisable(causes).most_common(1)[0]
    what = f"{path} differed in {reason}" if path else _REASONS[reason]
    is_other = reason == "static value" and path in static and not _may_be_traced(static[path])
    remedy = _of_other_value(static[path]) if is_other else _ADVICE[reason]
    remedy = remedy.format(path)
    return (
        f"{miss.function}: compiled {causes.total()} times from {miss.where}: {what} {count} "
        f"times, the last time {miss._why()}; {remedy}"
    )


def _may_be_traced(value: Any) -> bool:
    """Whether a static value could be an argument that is not: numbers, and tuples of them."""
    if isinstance(value, tuple):
        return all(map(_may_be_traced, value))
    return isinstance(value, Number | np.generic)


def _of_other_value(value: Any) -> str:
    """Advice on a static argument whose value no array can hold."""
    name, equal = type(value).__name__, getattr(type(value), "__eq__", None)
    if callable(value) and equal is object.__eq__:
        return f"make {{}} once, outside of the loop: a {name} equals nothing but itself"
    return f"give {{}} few values, as each has a program of its own: no array holds a {name}"


_ADVICE = {
    "shape": "pad {0} to a few sizes, as jit(f, bucket={{'{0}': axis}}) does",
    "dtype": "convert {} to one dtype before the call",
    "weak type": "pass {} always as a Python number, or always as an array",
    "device": "move {} to one device before the call, or pin the function, jit(f, device=...)",
    "structure": "pass the same containers and keys in each call",
    "static value": "pass {} as an array, without static, if no shape depends on it",
    "setting": "set {} once, outside of the loop",
    "dropped": "raise cache_size",
    "captured value": "pass {} as an argument",
}
