"""The fast path of a compiled function: code generated for its number of arguments.

A call costs a lookup by the (interned) types of its arguments and the execution itself; all other
cases go to `slow`.  Measurements, and the reasons for this form: Note [Dispatch cost].
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

from anvl.runtime.array import Array
from anvl.runtime.client import forked, is_orphan
from anvl.runtime.ending import leave_if_ending, on_end
from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.executable import Entry
from anvl.runtime.execution.donation import fate_of
from anvl.runtime.execution.execution_errors import execution_failure
from anvl.runtime.execution.out_of_memory import run_once_more
from anvl.runtime.lazy import compat
from anvl.runtime.tracebacks import hide_frames
from anvl.runtime.types import ArrayType

# While the first element is nonzero, some thread traces or a context has a variant, and every call
# checks with `_program_in_context` whether it is affected.  Read by generated code; change it
# with the functions below.
tracing_depth: list[int] = [0]
# Reentrant: the collector may end a variant while this thread holds it.
_tracing_lock = threading.RLock()


class _Variant:
    """A variant of the calls of a context; counted while any context has it.

    Tasks and threads copy the context that they are started in, and may outlive the code that set
    it.
    """

    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key
        _count_context(1)

    def __del__(self) -> None:
        _count_context(-1)


_variant: ContextVar[_Variant | None] = ContextVar("anvl variant", default=None)


def _variant_key() -> Any:
    variant = _variant.get()
    return None if variant is None else variant.key


class _Thread(threading.local):
    depth = 0


_thread = _Thread()


def begin_tracing() -> None:
    """Send this thread's calls of all dispatchers to their `slow` until `end_tracing`."""
    leave_if_ending()
    _thread.depth += 1
    _count_context(1)


def end_tracing() -> None:
    """Undo one `begin_tracing`."""
    _thread.depth -= 1
    _count_context(-1)


def set_variant(key: Any) -> None:
    """In this context, run only programs installed under this key; None selects the default ones.

    A key is any hashable value.  While any context has one, calls cost 0.2 us more.
    """
    _variant.set(None if key is None else _Variant(key))


def _count_context(change: int) -> None:
    with _tracing_lock:
        tracing_depth[0] += change


def _program_in_context(caches: dict[Any, dict[Any, Any]], key: Any) -> Any:
    """The program for a key in this context; None if this thread traces, or there is none."""
    if _thread.depth:
        return None
    cache = caches.get(_variant_key())
    return None if cache is None else cache.get(key)


#: Names of arguments for messages, or a function that returns them; None for their positions.
Names: TypeAlias = Sequence[str] | Callable[[], Sequence[str]] | None


class Dispatch(NamedTuple):
    """A function with a fast path, and the programs that it knows.

    Attributes
    ----------
    call
        The function.  A plain Python function with positional parameters only.
    cache
        From the types of the arguments to an `Entry`; fill it with `install`.
    caches
        By variant (see `set_variant`) such dictionaries; `cache` is that of None.
    """

    call: Callable[..., Any]
    cache: dict[tuple[ArrayType, ...], Any]
    caches: dict[Any, dict[tuple[ArrayType, ...], Any]]

    def install(self, types: Sequence[ArrayType], entry: Entry) -> None:
        """Run `entry` from now on for arguments of these types (without its constants)."""
        # An exact tuple unpacks faster than a named one.
        self.caches.setdefault(_variant_key(), {})[tuple(types)] = tuple(entry)

    def forget(self, types: tuple[ArrayType, ...]) -> None:
        """Forget the programs for arguments of these types."""
        for cache in list(self.caches.values()):
            cache.pop(types, None)

    def clear(self) -> None:
        """Forget all programs."""
        _clear(self.caches)


def _clear(caches: dict[Any, dict[tuple[ArrayType, ...], Any]]) -> None:
    for cache in list(caches.values()):
        cache.clear()


def make_dispatch(
    n_args: int,
    n_out: int | None,
    slow: Callable[..., Any],
    *,
    argument_names: Names = None,
) -> Dispatch:
    """A function of `n_args` arrays that runs the program installed for their types.

    Parameters
    ----------
    n_args
        The number of arguments.
    n_out
        The number of results, or None if it depends on the types of the arguments.
    slow
        Called with the same arguments where no program is installed for them, where one is
        not an `Array`, and while a trace is active.  What it returns is returned.
    argument_names
        How messages call the arguments; or a function that is asked for these names when there is
        a message.

    Returns
    -------
    Dispatch
        `call` returns what `entry.rebuild` makes of the list of results; without it, one
        result as it is and several as a tuple.

    Notes
    -----
    Errors raised while a program runs are never taken for a missing program.  The failures of
    the device become `RuntimeFailure`.

    Examples
    --------
    >>> import numpy as np
    >>> import anvl.runtime as rt
    >>> def slow(x):
    ...     program = rt.compile("func.func @main(%x: tensor<f32>) -> tensor<f32> "
    ...                          "{ return %x : tensor<f32> }")
    ...     dispatch.install(program.arg_types, program.entry())
    ...     return program.execute([x])[0]
    >>> dispatch = rt.make_dispatch(1, 1, slow)
    >>> dispatch.call(rt.put(np.float32(1)))
    Array(1., dtype=float32)
    >>> len(dispatch.cache)
    1
    """
    if n_args < 0 or (n_out is not None and n_out < 0):
        raise ValueError(f"make_dispatch: numbers must not be negative, got {n_args}, {n_out}")
    return _make_dispatch(_positional_code(n_args, n_out == 1), slow, argument_names)


#: Placeholder for a missing argument in the `args` of `make_function`'s `slow`.
MISSING = type("Missing", (), {"__repr__": lambda _: "<missing>"})()


def make_function(
    n_args: int,
    slow: Callable[[tuple[Any, ...], tuple[Any, ...], dict[str, Any]], Any],
    *,
    argument_names: Names = None,
) -> Dispatch:
    """As `make_dispatch`, for a function with a Python signature: any call is accepted.

    `slow(args, rest, keywords)` gets all calls other than those with exactly `n_args` known arrays:
    `args` has `n_args` entries, `MISSING` for those that were not given.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.make_function(1, lambda args, rest, keywords: (args, rest, keywords)).call(1, 2, k=3)
    ((1,), (2,), {'k': 3})
    """
    return _make_dispatch(_function_code(n_args), slow, argument_names)


def make_flat_dispatch(
    slow: Callable[[Sequence[Any]], Any], *, argument_names: Names = None
) -> Dispatch:
    """As `make_dispatch`, for one list or tuple of any number of arrays.

    `slow` is called with that list.  Slower per array than `make_dispatch`, but no code has to
    be generated (4 ms for 200 arguments).

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.make_flat_dispatch(len).call([1, 2, 3])
    3
    """
    return _make_dispatch(_flat_code(), slow, argument_names)


def clear_caches() -> None:
    """Make all dispatchers forget their programs.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.clear_caches()
    """
    for call in list(_calls):
        _clear(call.__globals__["caches"])


# Every live generated function.  Only weak references: the globals of a function lead back to the
# function, so a strong reference to them would keep every program for ever.
_calls: weakref.WeakSet[Callable[..., Any]] = weakref.WeakSet()


def _make_dispatch(code: CodeType, slow: Callable[..., Any], argument_names: Names) -> Dispatch:
    cache: dict[tuple[ArrayType, ...], Any] = {}
    caches: dict[Any, dict[tuple[ArrayType, ...], Any]] = {None: cache}
    namespace: dict[str, Any] = {
        "cache": cache,
        "caches": caches,
        "program_in_context": _program_in_context,
        "slow": _refuse if is_orphan() else slow,
        "tracing": tracing_depth,
        "missing": MISSING,
        "new": object.__new__,
        "Array": Array,
        "compat": compat,
        "hide_frames": hide_frames,
        "recover": functools.partial(_recovered, names=argument_names),
    }
    exec(code, namespace)
    call = namespace.pop("call")
    _calls.add(call)
    return Dispatch(call, cache, caches)


def _recovered(
    error: BaseException, entry: Entry, buffers: Sequence[Any], args: Sequence[Any], names: Names
) -> Any:
    """The results of a second try, if memory was lacking; else raise what to tell the user."""
    run, handlers, _, constants, *_ = entry
    try:
        return run_once_more(error, run, buffers, handlers)
    except compat.Failure as last:
        raise _explained(last, args, constants, names) from last


def _explained(
    error: BaseException, args: Sequence[Any], constants: Sequence[Any], names: Names
) -> RuntimeFailure:
    for position, buffer in enumerate(constants):
        if buffer.is_deleted():
            return RuntimeFailure(
                f"execute: constant {position} {buffer.aval} {fate_of(buffer)}; "
                f"do not delete arrays that a compiled function closes over"
            )
    return execution_failure(error, args, names() if callable(names) else names)


def _refuse(*_: Any) -> Any:
    raise forked("call")


def _after_fork_in_child() -> None:
    _tracing_lock._at_fork_reinit()  # type: ignore[attr-defined]  # its thread is not here
    # The fast path has no time to check the process.
    if not is_orphan():
        return
    for call in list(_calls):
        _clear(call.__globals__["caches"])
        call.__globals__["slow"] = _refuse


def _shut() -> set[CodeType]:
    """Make calls check whether the process ends; returns the code of the functions involved."""
    calls = list(_calls)
    for call in calls:
        call.__globals__["slow"] = functools.partial(_slow_at_end, call.__globals__["slow"])
        _clear(call.__globals__["caches"])
    return {call.__code__ for call in calls}


def _slow_at_end(slow: Callable[..., Any], *args: Any) -> Any:
    leave_if_ending()
    return slow(*args)


on_end(_shut)

if hasattr(os, "register_at_fork"):  # runs after the hook of `client`, which identifies orphans
    os.register_at_fork(after_in_child=_after_fork_in_child)


# Note [Dispatch cost]
# Microseconds a call of an 8x8 addition with 1, 4, 32, 200 arguments, jaxlib 0.10.2 on two
# cores: 3.0, 3.4, 7.7, 31; of that the execution alone 2.6, 2.9, 6.6, 26.  What made the
# difference, in the order of its size: one dictionary keyed by a tuple of interned types
# (against comparing shapes and dtypes); attributes of slots read by code written out for each
# argument (3 ns each, against 22 ns through `attrgetter`); results made without `__init__`.
# Looking for a key costs nothing if there is no error, so the tests for "is it an Array" and
# "is it known" are the two exceptions below.  `slow` is called after they were handled, so
# that its own errors are not shown as caused by them.

_HEAD = """\
def call({parameters}):
    try:
        entry = program_in_context(caches, {key}) if tracing[0] else cache[{key}]
    except (KeyError, AttributeError):
        entry = None
    if entry is None or (entry[5] is not None and not entry[5]()):
        try:
            return slow({arguments})
        except Exception as error:
            hide_frames(error)
            raise
    run, handlers, types, constants, rebuild, _ = entry
    buffers = [{buffers}]
    if constants:
        buffers[:0] = constants
    try:
        results = run(buffers).consume_with_handlers(handlers)
    except compat.Failure as error:
        results = recover(error, entry, buffers, {all})
"""
_MANY = """\
    if len(types) == 1:
        [buffer] = results
        array = new(Array)
        array.buffer = buffer
        array.aval = types[0]
        return array if rebuild is None else rebuild([array])
    arrays = []
    for buffer, aval in zip(results, types):
        array = new(Array)
        array.buffer = buffer
        array.aval = aval
        arrays.append(array)
    return tuple(arrays) if rebuild is None else rebuild(arrays)
"""
_ONE = """\
    [buffer] = results
    array = new(Array)
    array.buffer = buffer
    array.aval = types[0]
    return array if rebuild is None else rebuild([array])
"""


@functools.lru_cache(maxsize=256)
def _positional_code(n_args: int, has_one_result: bool) -> CodeType:
    names = [f"a{i}" for i in range(n_args)]
    everything = "".join(f"{name}, " for name in names)
    head = _HEAD.format(
        parameters=everything + "/" if names else "",
        arguments=everything,
        key="(" + "".join(f"{name}.aval, " for name in names) + ")",
        buffers=", ".join(f"{name}.buffer" for name in names),
        all=f"({everything})",
    )
    source = head + (_ONE if has_one_result else _MANY)
    return compile(source, f"<anvl dispatch of {n_args} arguments>", "exec")


@functools.lru_cache(maxsize=256)
def _function_code(n_args: int) -> CodeType:
    names = [f"a{i}" for i in range(n_args)]
    everything = "".join(f"{name}, " for name in names)
    head = _HEAD.format(
        parameters="".join(f"{name}=missing, " for name in names)
        + ("/, " if names else "")
        + "*rest, **keywords",
        arguments=f"({everything}), rest, keywords",
        key="(" + "".join(f"{name}.aval, " for name in names) + ")",
        buffers=", ".join(f"{name}.buffer" for name in names),
        all=f"({everything})",
    )
    source = head.replace("entry = ", "entry = None if rest or keywords else ", 1) + _MANY
    return compile(source, f"<anvl function of {n_args} arguments>", "exec")


@functools.lru_cache(maxsize=1)
def _flat_code() -> CodeType:
    head = _HEAD.format(
        parameters="args, /",
        arguments="args",
        key="tuple([a.aval for a in args])",
        buffers="a.buffer for a in args",
        all="args",
    )
    return compile(head + _MANY, "<anvl dispatch of a list>", "exec")
