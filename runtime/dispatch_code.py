"""The source of the fast path of a compiled function, generated for its parameters.

Note [Dispatch cost]

Microseconds a call of an 8x8 addition with 1, 4, 32, 200 arguments, jaxlib 0.10.2 on two cores:
3.0, 3.4, 7.7, 31; of that the execution alone 2.6, 2.9, 6.6, 26.  What made the difference, in the
order of its size: one dictionary keyed by a tuple of interned types (against comparing shapes and
dtypes); attributes of slots read by code written out for each argument (3 ns each, against 22 ns
through `attrgetter`); results made without `__init__`; no `**keywords`, which make a dictionary a
call; one type as a key without a tuple (of one argument: 6.7 us became 6.2 where these two cores
were slower).  Looking for a key costs nothing if there is no error, so the tests for "is it an
Array" and "is it known" are two exceptions.  `slow` is called after they were handled, so that its
own errors are not shown as caused by them.

Where the rest of a call is explained: containers, Note [Known structures] in
`anvl.dispatch.tree_calls`; results, `result_code.py`; donated arguments, Note [Donated arrays] in
`execution/donation.py`.

Note [Two keys]

A static argument, or one that may be left out, chooses among the programs before the types of the
arrays do.  So the first key is the *form* of a call: which optional arguments are there, and the
types and values of the static ones; it leads to the programs by the types of the arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

__all__ = [
    "CallSignature", "Programs", "Reading", "flat_code", "function_code", "is_long", "named_code",
    "positional_code", "tree_code", "with_names",
]  # fmt: skip


class Reading(NamedTuple):
    """The source that reads the leaves of arguments of one structure.

    Attributes
    ----------
    lines : tuple of str
        Statements that read the slots `a0`, `a1`, ...  Where the structure is another one they
        `return miss`, or raise an error.
    leaves : tuple of str
        An expression for each leaf, in their order; `*x` stands for several.
    names : dict
        The objects that are named in it.
    """

    lines: tuple[str, ...]
    leaves: tuple[str, ...]
    names: dict[str, Any]


class CallSignature(NamedTuple):
    """The parameters of a function, for code that is generated for it.

    Attributes
    ----------
    names : tuple of str
        All parameters: first those by position.
    n_positional_only, n_positional : int
        How many of them can be passed by position alone, and by position at all.
    optional : tuple of bool
        For each parameter, whether it may be left out.
    static : tuple of bool
        For each parameter, whether it is a value that chooses the program.
    is_open : bool
        Whether any number of further arguments is taken, which `slow` handles.
    explains_keywords : bool
        Whether keywords that the function does not have are handed to `slow`, for its error.
    """

    names: tuple[str, ...]
    n_positional_only: int
    n_positional: int
    optional: tuple[bool, ...]
    static: tuple[bool, ...]
    is_open: bool = False
    explains_keywords: bool = False

    @classmethod
    def of_any(cls, n_args: int) -> CallSignature:
        """That of a function that takes anything, with a fast path for n arrays."""
        names = tuple(f"a{i}" for i in range(n_args))
        return cls(names, n_args, n_args, (True,) * n_args, (False,) * n_args, is_open=True)

    @property
    def has_forms(self) -> bool:
        """Whether calls have a form: see Note [Two keys]."""
        if self.is_open:
            return False
        has_keywords = self.n_positional < len(self.static)
        return has_keywords or True in self.optional or True in self.static

    @property
    def arrays(self) -> tuple[int, ...]:
        """The parameters that are not static, in the order of a program's arguments."""
        last = sorted(range(self.n_positional, len(self.names)), key=self.names.__getitem__)
        order = (*range(self.n_positional), *last)
        return tuple(i for i in order if not self.static[i])


class Programs(dict[Any, Any]):
    """Programs by their keys; `latest` is the key of the last that was installed, and it."""

    __slots__ = ("latest",)

    def __init__(self) -> None:
        self.latest: tuple[Any, Any] = _NONE

    def __setitem__(self, key: Any, program: Any) -> None:
        self.latest = key, program  # first, and in `pop` last: threads may do both at once
        super().__setitem__(key, program)

    def pop(self, key: Any, *default: Any) -> Any:
        """Drop a program."""
        found = super().pop(key, *default)
        self.latest = _NONE
        return found

    def clear(self) -> None:
        """Drop all."""
        super().clear()
        self.latest = _NONE


# The key of no arguments; others are not equal to it.
_NONE = object(), None


_HEAD = """\
def call({parameters}):
{trees}    try:
{before}        run, handlers, only, finish, constants, is_current, take = {entry}
    except ({misses}):
        is_current = stale
    if is_current is not None and not is_current():
        try:
            return slow({arguments})
        except Exception as error:
            hide_frames(error)
            raise
"""
_TREES = """\
    if ({has_container}) and not (tracing[0] and is_tracing()):
        for tree_call in trees:
            found = tree_call({slots})
            if found is not miss:
                return found
"""
_OF_TREE = """\
def call({parameters}):
    try:
{lines}
    except Exception:  # also for a leaf that is refused elsewhere, with its name
        return miss
    try:
        run, handlers, only, finish, constants, is_current, take = {entry}
    except (KeyError, AttributeError, TypeError):
        is_current = stale
    if is_current is not None and not is_current():
        return others({all}, ({parameters}))
"""
_RUN = """\
    try:
        results = run({buffers}).consume_with_handlers(handlers)
    except compat.Failure as error:
        results = recover(error, run, handlers, constants, {all})
    if take is not None:
        code, instruction, ended = take.last
        try:
            frame = frame_at({depth})
        except ValueError:  # called by C alone, as a thread or at exit
            frame = frame_at(0)
        if frame.f_lasti != instruction or frame.f_code is not code:
            ended = take.at(frame, {taken})
        {end}
    if only is None:
        return finish(results)
    array = blank()
    [array.buffer] = results
    array.aval = only
    return array
"""
#: The end of one donated argument, and of those among several.
_END_ONE = "[(_, {argument}.buffer)] = ended"
_END = """args = {taken}
        for i, args[i].buffer in ended:
            pass"""
#: Frames from generated code to the user's: of a function, and of a call with containers.
_DEPTH, _DEPTH_OF_TREE = 1, 2


@functools.lru_cache(maxsize=256)
def positional_code(n_args: int) -> CodeType:
    """Code of a function of n arrays by position."""
    names = [f"a{i}" for i in range(n_args)]
    source = (_HEAD + _RUN).format(
        parameters=_listed(names) + "/" if names else "",
        trees="",
        arguments=_listed(names),
        **_search(_key(names), n_args),
        misses="KeyError, AttributeError",
        buffers=_buffers(names),
        all=f"({_listed(names)})",
        **_ending(f"({_listed(names)})", names),
        depth=_DEPTH,
    )
    return compile(source, f"<anvl dispatch of {n_args} arguments>", "exec")


@functools.lru_cache(maxsize=1)
def flat_code() -> CodeType:
    """Code of a function of a list of arrays."""
    key, buffers = _of_list("args")
    source = (_HEAD + _RUN).format(
        parameters="args, /",
        trees="",
        arguments="args",
        **_search(key),
        misses="KeyError, AttributeError",
        buffers=buffers,
        all="args",
        **_ending("args"),
        depth=_DEPTH,
    )
    return compile(source, "<anvl dispatch of a list>", "exec")


def function_code(signature: CallSignature, containers: tuple[int, ...] = ()) -> CodeType:
    """Code of a function with this signature, but for the names of its parameters.

    Functions of one form share their code: `with_names` gives each the names of its own.
    `containers` are the parameters that may have containers of known structures.
    """
    n = len(signature.names)
    return _function_code(signature._replace(names=()), n, signature.arrays, containers)


def tree_code(signature: CallSignature, reading: Reading) -> CodeType:
    """Code of the calls with arguments of one structure: it takes all slots by position."""
    n = len(signature.names)
    return _tree_code(signature._replace(names=()), n, reading.lines, reading.leaves)


def with_names(call: FunctionType, signature: CallSignature) -> None:
    """Name the parameters of a generated function, so that keywords find them."""
    if signature.is_open:
        return
    names, n = signature.names, signature.n_positional
    call.__code__ = named_code(call.__code__, signature)
    if call.__kwdefaults__:
        call.__kwdefaults__ = {
            name: call.__kwdefaults__[f"a{i}"]
            for i, name in enumerate(names[n:], n)
            if signature.optional[i]
        }


def named_code(code: CodeType, signature: CallSignature) -> CodeType:
    """The code of a generated function with the names of its parameters."""
    if signature.is_open:
        return code
    names = signature.names
    return code.replace(co_varnames=(*names, *code.co_varnames[len(names) :]))


@functools.lru_cache(maxsize=256)
def _function_code(
    signature: CallSignature, n: int, arrays: tuple[int, ...], containers: tuple[int, ...]
) -> CodeType:
    slots = [f"a{i}" for i in range(n)]
    given = [slots[i] for i in arrays]
    misses = "KeyError, AttributeError"
    if signature.has_forms:
        key, buffers = _of_given(signature, given)
        form = _form(signature, slots)
        entry = f"(program_in_context(caches, {form}) if tracing[0] else cache[{form}])[{key}]"
        search = {"before": "", "entry": entry}
        misses += ", TypeError"  # an unhashable value
    else:
        key, buffers = _key(given), _buffers(given)
        key = f"None if rest or keywords else {key}" if signature.is_open else key
        search = _search(key, len(given))
    further = "rest, keywords" if signature.is_open else "(), {}"
    if signature.explains_keywords:
        further = "(), unknown_keywords"
        search["entry"] = f"{{}}[None] if unknown_keywords else {search['entry']}"
    is_sure = not any(signature.optional[i] for i in arrays)
    every = f"({_listed(given)})"
    taken = every if is_sure else f"[a for a in {every} if a is not missing]"
    source = (_HEAD + _RUN).format(
        parameters=_parameters(signature, slots),
        trees=_tree_calls(signature, slots, containers),
        arguments=f"({_listed(slots)}), {further}",
        **search,
        misses=misses,
        buffers=buffers,
        all=every,
        **_ending(taken, given if is_sure else ()),
        depth=_DEPTH,
    )
    return compile(source, f"<anvl function of {n} arguments>", "exec")


def _tree_calls(signature: CallSignature, slots: Sequence[str], containers: Sequence[int]) -> str:
    """Source of the search among the known structures, where an argument may be a container."""
    if not containers:
        return ""
    test = " or ".join(f"type({slots[i]}) is not Array" for i in containers)
    further = "rest or keywords" if signature.is_open else "unknown_keywords"
    if signature.is_open or signature.explains_keywords:
        test = f"({test}) and not ({further})"
    return _TREES.format(has_container=test, slots=_listed(slots))


@functools.lru_cache(maxsize=256)
def _tree_code(
    signature: CallSignature, n: int, lines: tuple[str, ...], leaves: tuple[str, ...]
) -> CodeType:
    slots = [f"a{i}" for i in range(n)]
    is_list = is_long(len(leaves)) or any(leaf.startswith("*") for leaf in leaves)
    every = f"({_listed(leaves)})"
    if is_list:
        is_tuple = len(leaves) == 1  # as read at once
        lines = *lines, f"leaves = {leaves[0][1:] if is_tuple else every}"
        every = "leaves"
        key, buffers = _of_list("leaves")
    else:
        key, buffers = f"({_listed([f'{x}.aval' for x in leaves])})", _buffers(leaves)
    form = _form(signature, slots) if signature.has_forms else "()"
    source = (_OF_TREE + _RUN).format(
        parameters=_listed(slots),
        lines="\n".join(f"        {line}" for line in lines or ("pass",)),
        entry=f"(program_in_context(caches, {form}) if tracing[0] else cache[{form}])[{key}]",
        buffers=buffers,
        all=every,
        **_ending(every),
        depth=_DEPTH_OF_TREE,
    )
    return compile(source, f"<anvl function of {n} arguments of a structure>", "exec")


def _parameters(signature: CallSignature, slots: Sequence[str]) -> str:
    parts = []
    for i, slot in enumerate(slots):
        if i == signature.n_positional:
            parts.append("*")
        parts.append(f"{slot}=missing" if signature.optional[i] else slot)
        if i + 1 == signature.n_positional_only:
            parts.append("/")
    if signature.is_open:
        parts += ["*rest", "**keywords"]
    elif signature.explains_keywords:
        parts.append("**unknown_keywords")
    return ", ".join(parts)


def _form(signature: CallSignature, slots: Sequence[str]) -> str:
    """Source of the form of a call; `form_of` in `dispatch.py` computes the same."""
    parts = []
    for slot, is_static, is_optional in zip(
        slots, signature.static, signature.optional, strict=True
    ):
        if is_static:
            parts.append(f"type({slot})")
            parts.append(f"{slot} if type({slot}) in simple else static_value({slot})")
        elif is_optional:
            parts.append(f"{slot} is missing")
    return f"({_listed(parts)})"


def _of_given(signature: CallSignature, given: Sequence[str]) -> tuple[str, str]:
    """Source of the key of those arrays that are given, and of their buffers."""
    optional = [x for x in given if signature.optional[int(x[1:])]]
    key, buffers = f"({_listed([f'{x}.aval' for x in given])})", _buffers(given)
    if not optional:
        return key, buffers
    required = [x for x in given if x not in optional]
    are_missing = " and ".join(f"{x} is missing" for x in optional)
    there = f"for a in ({_listed(given)}) if a is not missing"
    return (
        f"({_listed([f'{x}.aval' for x in required])}) if {are_missing} else "
        f"tuple([a.aval {there}])",
        f"{_buffers(required)} if {are_missing} else [*constants, *[a.buffer {there}]]",
    )


def _search(key: str, n_arrays: int = 0) -> dict[str, str]:
    """The source of the search for the program of a key, of so many types."""
    if not is_long(n_arrays):
        entry = f"program_in_context(caches, {key}) if tracing[0] else cache[{key}]"
        return {"before": "", "entry": entry}
    # To compare a long key takes a third of the time of its hash.
    before = f"        key, latest = {key}, cache.latest\n"
    entry = "latest[1] if key == latest[0] else cache[key]"
    return {
        "before": before,
        "entry": f"program_in_context(caches, key) if tracing[0] else {entry}",
    }


def _key(names: Sequence[str]) -> str:
    """Source of the key of these arrays: a tuple of types, or the only type."""
    return f"{names[0]}.aval" if len(names) == 1 else f"({_listed([f'{x}.aval' for x in names])})"


def _of_list(name: str) -> tuple[str, str]:
    """Source of the key of a list of arrays, and of their buffers."""
    buffers = f"a.buffer for a in {name}"
    return (
        f"tuple([a.aval for a in {name}])",
        f"[{buffers}] if not constants else [*constants, *[{buffers}]]",
    )


def _buffers(names: Sequence[str]) -> str:
    buffers = ", ".join(f"{name}.buffer" for name in names)
    with_constants = f"[*constants, {buffers}]"
    # Python builds a long list one by one in any case.
    return (
        with_constants
        if is_long(len(names))
        else f"([{buffers}] if not constants else {with_constants})"
    )


def is_long(n: int) -> bool:
    """Whether a list of so many is long."""
    return n > 30


def _ending(taken: str, names: Sequence[str] = ()) -> dict[str, str]:
    """The source of the arguments of a program, and of the end of those that are donated.

    Of one by this name, if it is known to be the only one.
    """
    end = _END_ONE.format(argument=names[0]) if len(names) == 1 else _END.format(taken=taken)
    return {"taken": taken, "end": end}


def _listed(parts: Sequence[str]) -> str:
    return "".join(f"{part}, " for part in parts)
