"""The fast path of a compiled function: code generated for its number of arguments.

A call costs a lookup by the (interned) types of its arguments and the execution itself; all other
cases go to `slow`.  Measurements, and the reasons for this form: Note [Dispatch cost] in
`dispatch_code.py`.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any, NamedTuple, TypeAlias

from anvl.runtime.array import Array, blank
from anvl.runtime.client import forked, is_orphan
from anvl.runtime.dispatch_code import (
    CallSignature,
    Programs,
    Reading,
    flat_code,
    function_code,
    is_long,
    named_code,
    positional_code,
    tree_code,
    with_names,
)
from anvl.runtime.ending import leave_if_ending, on_end
from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.executable import Entry
from anvl.runtime.execution.donation import fate_of_constant, named_constant
from anvl.runtime.execution.execution_errors import donated_constant, execution_failure
from anvl.runtime.execution.inline_runs import note_entry
from anvl.runtime.execution.out_of_memory import run_once_more
from anvl.runtime.lazy import compat
from anvl.runtime.locks import WeakRegistry
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


def _is_tracing() -> bool:
    """Whether this thread traces."""
    return _thread.depth > 0


def _program_in_context(caches: dict[Any, dict[Any, Any]], key: Any) -> Any:
    """The program for a key in this context; `KeyError` if this thread traces, or there is none."""
    if _thread.depth:
        raise KeyError
    return caches[_variant_key()][key]


#: Names of arguments for messages, or a function that returns them; None for their positions.
Names: TypeAlias = Sequence[str] | Callable[[], Sequence[str]] | None


class Dispatch(NamedTuple):
    """A function with a fast path, and the programs that it knows.

    Attributes
    ----------
    call
        The function.
    cache
        From the types of the arguments to an `Entry`; fill it with `install`.
    caches
        By variant (see `set_variant`) such dictionaries; `cache` is that of None.
    has_single_keys
        Whether the key is the only type itself, not a tuple.
    """

    call: Callable[..., Any]
    cache: dict[Any, Any]
    caches: dict[Any, dict[Any, Any]]
    has_single_keys: bool = False

    def install(self, types: Sequence[ArrayType], entry: Entry) -> None:
        """Run `entry` from now on for arguments of these types (without its constants)."""
        cache, key = self.caches.setdefault(_variant_key(), {}), self._key(types)
        cache[key] = tuple(entry)  # unpacks faster than a named one
        note_entry(entry.run, cache, key)

    def forget(self, types: tuple[ArrayType, ...]) -> None:
        """Forget the programs for arguments of these types."""
        for cache in list(self.caches.values()):
            cache.pop(self._key(types), None)

    def clear(self) -> None:
        """Forget all programs."""
        _clear(self.caches)

    def link(self, form: Any, programs: Dispatch) -> None:
        """Find the programs of a list's dispatcher for calls of this form (`make_function`)."""
        variant = _variant_key()
        forms = self.caches.setdefault(variant, {})
        if len(forms) >= _MAX_FORMS:  # those of dropped programs are among them
            forms.clear()
        forms[form] = programs.caches.setdefault(variant, {})

    def unlink(self, programs: Dispatch) -> None:
        """Undo `link`."""
        gone = {id(cache) for cache in programs.caches.values()}
        for forms in list(self.caches.values()):
            for form in [form for form, cache in list(forms.items()) if id(cache) in gone]:
                forms.pop(form, None)

    def _key(self, types: Sequence[ArrayType]) -> Any:
        return types[0] if self.has_single_keys else tuple(types)


_MAX_FORMS = 4096


def _clear(caches: dict[Any, dict[Any, Any]]) -> None:
    for cache in list(caches.values()):
        cache.clear()


def make_dispatch(
    n_args: int,
    slow: Callable[..., Any],
    *,
    argument_names: Names = None,
) -> Dispatch:
    """A function of `n_args` arrays that runs the program installed for their types.

    Parameters
    ----------
    n_args
        The number of arguments.
    slow
        Called with the same arguments where no program is installed for them, where one is
        not an `Array`, and while a trace is active.  What it returns is returned.
    argument_names
        How messages call the arguments; or a function that is asked for these names when there is
        a message.

    Returns
    -------
    Dispatch
        `call` returns the one result, or what `entry.finish` makes of the results.

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
    >>> dispatch = rt.make_dispatch(1, slow)
    >>> dispatch.call(rt.put(np.float32(1)))
    Array(1., dtype=float32)
    >>> len(dispatch.cache)
    1
    """
    if n_args < 0:
        raise ValueError(f"make_dispatch: the number of arguments is not negative, got {n_args}")
    return _make_dispatch(positional_code(n_args), slow, argument_names, n_types=n_args)


def _sentinel(kind: str, name: str) -> Any:
    """An object that is compared by identity, and that stays itself when it is pickled."""
    shown = f"<{kind.lower()}>"
    members = {"__repr__": lambda _: shown, "__reduce__": lambda _: name, "__module__": __name__}
    return type(kind, (), members)()


#: Placeholder for a missing argument in the `slots` of `make_function`'s `slow`.
MISSING = _sentinel("Missing", "MISSING")


def make_function(
    signature: CallSignature,
    slow: Callable[[tuple[Any, ...], tuple[Any, ...], dict[str, Any]], Any],
    *,
    argument_names: Names = None,
    static_value: Callable[[Any], Any] | None = None,
) -> Dispatch:
    """As `make_dispatch`, for a function with a Python signature: any call is accepted.

    `slow(slots, rest, keywords)` gets all calls for which no program is known: `slots` has an entry
    for each parameter, `MISSING` for those that were not given; `rest` and `keywords` are what an
    open signature takes besides.  With static, optional or keyword-only parameters, programs are
    told by `link`, by the `form_of` a call, in which `static_value` makes a value from any but a
    plain static argument.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> signature = rt.CallSignature(("x", "n"), 0, 2, (False, True), (False, True))
    >>> f = rt.make_function(signature, lambda slots, rest, keywords: slots).call
    >>> f(n=1, x=2), f(3)
    ((2, 1), (3, <missing>))
    """
    n_arrays = len(signature.arrays)
    made = _make_dispatch(
        function_code(signature),
        slow,
        argument_names,
        n_types=0 if signature.has_forms else n_arrays,
        static_value=static_value,
    )
    with_names(made.call, signature)  # type: ignore[arg-type]
    return made


#: Classes of static values that are equal only if they are the same for a program.
_SIMPLE = frozenset(
    (str, int, bool, bytes, type(None), type(MISSING), FunctionType, BuiltinFunctionType)
)


#: Returned by generated code for a call that is not of its structure.
MISS = _sentinel("Miss", "MISS")


def make_tree_call(
    signature: CallSignature,
    reading: Reading,
    others: Callable[[Sequence[Any], tuple[Any, ...]], Any],
    *,
    argument_names: Names = None,
    static_value: Callable[[Any], Any] | None = None,
) -> Dispatch:
    """Calls of a function of `make_function` with arguments of one structure.

    It takes all slots, and finds programs by `link`; `call` returns `MISS` for other structures.
    What has the structure and no program is passed to `others`: the leaves, and the slots.
    """
    made = _make_dispatch(
        tree_code(signature, reading),
        others,
        argument_names,
        static_value=static_value,
    )
    made.call.__globals__.update(reading.names, others=others)
    return made


def take_trees(
    function: Dispatch,
    signature: CallSignature,
    trees: Sequence[Dispatch],
    containers: Sequence[int],
) -> None:
    """Let a function of `make_function` try these calls where one of `containers` is no array."""
    call: Any = function.call
    if not trees and not call.__globals__["trees"]:
        return
    namespace: dict[str, Any] = {"missing": MISSING}
    exec(function_code(signature, tuple(containers) if trees else ()), namespace)
    call.__globals__["trees"] = tuple([tree.call for tree in trees])
    # Other threads may call it meanwhile: its new code has the names already.
    call.__code__ = named_code(namespace["call"].__code__, signature)


def form_of(
    signature: CallSignature, slots: Sequence[Any], static_value: Callable[[Any], Any]
) -> tuple[Any, ...]:
    """The form of a call, as generated code computes it: Note [Two keys] in `dispatch_code.py`."""
    form: list[Any] = []
    for x, is_static, is_optional in zip(slots, signature.static, signature.optional, strict=True):
        if is_static:
            form += [type(x), x if type(x) in _SIMPLE else static_value(x)]
        elif is_optional:
            form.append(x is MISSING)
    return tuple(form)


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
    return _make_dispatch(flat_code(), slow, argument_names)


def clear_caches() -> None:
    """Make all dispatchers forget their programs.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.clear_caches()
    """
    for call in _calls.living():
        _clear(call.__globals__["caches"])


# Every live generated function.  Only weak references: the globals of a function lead back to the
# function, so a strong reference to them would keep every program for ever.
_calls: WeakRegistry[Callable[..., Any]] = WeakRegistry()


def _make_dispatch(
    code: CodeType,
    slow: Callable[..., Any],
    argument_names: Names,
    *,
    n_types: int = 0,
    static_value: Callable[[Any], Any] | None = None,
) -> Dispatch:
    cache: dict[Any, Any] = Programs() if is_long(n_types) else {}
    caches: dict[Any, dict[Any, Any]] = {None: cache}
    namespace: dict[str, Any] = {
        "cache": cache,
        "caches": caches,
        "program_in_context": _program_in_context,
        "slow": _refuse if is_orphan() else slow,
        "stale": _is_never_current,
        "static_value": static_value,
        "simple": _SIMPLE,
        "tracing": tracing_depth,
        "is_tracing": _is_tracing,
        "trees": (),
        "miss": MISS,
        "missing": MISSING,
        "blank": blank,
        "frame_at": sys._getframe,
        "Array": Array,
        "compat": compat,
        "hide_frames": hide_frames,
        "recover": functools.partial(_recovered, names=argument_names),
    }
    exec(code, namespace)
    call = namespace.pop("call")
    _calls.add(call)
    return Dispatch(call, cache, caches, n_types == 1)


def _is_never_current() -> bool:
    """The check of captured values where there is no program."""
    return False


def _recovered(
    error: BaseException,
    run: Callable[..., Any],
    handlers: Sequence[Any],
    constants: Sequence[Any],
    args: Sequence[Any],
    names: Names,
) -> Any:
    """The results of a second try, if memory was lacking; else raise what to tell the user."""
    buffers = [*constants, *(x.buffer for x in args if x is not MISSING)]
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
                f"execute: {named_constant(buffer, position)} {buffer.aval} "
                f"{fate_of_constant(buffer)}; do not delete arrays that a compiled function "
                "closes over"
            )
    known = names() if callable(names) else names
    if known is not None:
        known = [name for name, x in zip(known, args, strict=True) if x is not MISSING]
    given = [x for x in args if x is not MISSING]
    return donated_constant(error, given, known, constants) or execution_failure(
        error, given, known
    )


def _refuse(*_: Any) -> Any:
    raise forked("call")


def _after_fork_in_child() -> None:
    _tracing_lock._at_fork_reinit()  # type: ignore[attr-defined]  # its thread is not here
    # The fast path has no time to check the process.
    if not is_orphan():
        return
    for call in _calls.living():
        _clear(call.__globals__["caches"])
        call.__globals__["slow"] = _refuse


def _shut() -> set[CodeType]:
    """Make calls check whether the process ends; returns the code of the functions involved."""
    calls = _calls.living()
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
