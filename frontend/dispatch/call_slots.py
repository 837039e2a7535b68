"""Calls of a jitted function as slots, one for each parameter, and the programs found by them.

Generated code knows the programs of calls with arrays alone, Note [Two keys] in
`anvl.runtime.dispatch_code`, and with containers of known structures, Note [Known structures] in
`tree_calls.py`.  All other known calls, with numbers, NumPy arrays or other containers, are found
here by the form of the call and the structure of its arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core import config
from anvl.core.argument_arrays import converted
from anvl.core.arguments import (
    Arguments,
    Parameters,
    StaticArguments,
    StaticValue,
    frozen,
    input_names,
)
from anvl.core.call_forms import CallForm
from anvl.core.trace_state import current
from anvl.dispatch.jit_options import PLAIN
from anvl.dispatch.program_table import ProgramTable, structure_of_arrays
from anvl.dispatch.tree_calls import TreeCalls
from anvl.runtime import (
    MISS,
    MISSING,
    Array,
    CallSignature,
    Dispatch,
    explain_error,
    form_of,
    make_function,
)

if TYPE_CHECKING:
    from anvl.dispatch.jit import Jit

__all__ = ["CallSlots", "Link", "signature_of"]

_Call = tuple[tuple[Any, ...], dict[str, Any]]

_ARRAYS = frozenset((Array,))
_LEAVES = frozenset((Array, np.ndarray, bool, int, float, complex))
_MAX_KNOWN = 4096  # structures of arguments; then all are forgotten


class CallSlots:
    """The slots of a function, with its `signature`, and the tables of its known calls."""

    def __init__(self, signature: CallSignature, owner: Jit) -> None:
        self.signature, self._owner = signature, owner
        self.counts_from = owner._static.counts_from
        own = isinstance(owner._static, Parameters)
        self.static_value = _frozen_value if own else StaticValue
        # Whether numbers and NumPy arrays may become arrays on the device here.
        self.converts = owner._options is PLAIN
        self._form = owner.form()
        self._arrays, self._has_forms = signature.arrays, signature.has_forms
        self._optional = [
            (i, signature.names[i])
            for i in self._arrays
            if signature.optional[i] and not signature.is_open
        ]
        self._tables: dict[Any, ProgramTable] = {}
        self.functions: list[Dispatch] = []
        self._trees = TreeCalls(self)

    def function(self, in_trace: Callable[..., Any] | None) -> Callable[..., Any]:
        """Generated code with these parameters; while a trace is active, it calls `in_trace`."""
        made = make_function(
            self.signature,
            functools.partial(self._slow, len(self.functions), in_trace),
            argument_names=self._array_names,
            static_value=self.static_value,
        )
        self.functions.append(made)
        self._trees.tell(made)
        if not self._has_forms:
            self._owner.attach(len(self._arrays), made)
        return made.call

    def _slow(
        self,
        number: int,
        in_trace: Callable[..., Any] | None,
        slots: tuple[Any, ...],
        rest: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Any:
        """The calls that generated code does not know, with an argument or `MISSING` a slot."""
        owner, trace = self._owner, current.trace
        try:
            if not (rest or keywords or trace):
                found = self._run(slots)
                if found is not MISS:
                    return found
            args, kwargs = self._arguments(slots, rest, keywords)
            if trace is not None and in_trace is not None:
                return in_trace(*args, **kwargs)
            link = None if rest or keywords else Link(self, slots, self.functions[number])
            return owner._slow(args, kwargs, link)
        except Exception as error:
            explain_error(error, owner._f)
            raise

    def _array_names(self) -> list[str]:
        """Names of the arrays that generated code takes, in their order."""
        if self.signature.is_open:
            n = len(self.signature.names)
            return input_names(self._owner._f, Arguments([], structure_of_arrays(n), ()))
        return [self.signature.names[i] for i in self._arrays]

    def clear(self) -> None:
        """Forget all calls."""
        self._tables.clear()
        self._trees.clear()
        for function in self.functions:
            function.clear()

    def forget(self, table: ProgramTable) -> None:
        """Forget the calls of a table."""
        for key in [key for key, known in list(self._tables.items()) if known is table]:
            self._tables.pop(key, None)
        self._trees.forget(table)
        for function in self.functions:
            function.unlink(table.leaves_dispatch)

    def _arguments(
        self, slots: Sequence[Any], rest: tuple[Any, ...], keywords: dict[str, Any]
    ) -> _Call:
        """The arguments in these slots, as Python passes them."""
        names, n = self.signature.names, self.signature.n_positional
        first = next((i for i in range(n) if slots[i] is MISSING), n)
        named = {names[i]: slots[i] for i in range(first, len(names)) if slots[i] is not MISSING}
        return (*slots[:first], *rest), {**named, **keywords}

    def _run(self, slots: Sequence[Any]) -> Any:
        """Run the program of a known call, or return `MISS`.

        A miss goes on with the arguments as they were given: only they tell which arrays decide
        where it runs.
        """
        if self._optional:
            slots = self._without_defaults(slots)
        leaves, structure = _flattened(self._given(slots))
        try:
            key = form, *_ = self._key(slots, structure)
            table = self._tables.get(key)
        except TypeError:  # an unhashable static value, which is refused elsewhere
            return MISS
        if table is None:
            return MISS
        found, is_plain = MISS, type(structure) is int
        # Trees are mostly of arrays: looking at each leaf takes longer than trying.
        if not is_plain or _ARRAYS.issuperset(map(type, leaves)):
            found = table.leaves_dispatch.call(leaves)
        if found is MISS and self.converts:
            found, is_plain = self.run_converted(leaves, table), False
        if found is not MISS and not is_plain:
            self._trees.use(slots, structure, leaves, form, table)
        return found

    def run_converted(self, leaves: Sequence[Any], table: ProgramTable) -> Any:
        """Run a program of a table with numbers and NumPy arrays put on the device; else `MISS`."""
        try:
            arrays = converted(tuple(leaves), self.counts_from)
        except OverflowError:  # the slow path raises it with the name of the argument
            return MISS
        return MISS if arrays is None else table.leaves_dispatch.call(arrays)

    def is_default(self, i: int, x: Any) -> bool:
        """Whether a value is that of a parameter that is left out."""
        return self._form.is_default(self.signature.names[i], x)

    def has_default(self, slots: Sequence[Any]) -> bool:
        """Whether a number equals its default."""
        return bool(self._optional) and self._without_defaults(slots) is not slots

    def _without_defaults(self, slots: Sequence[Any]) -> Sequence[Any]:
        """The slots without numbers that equal their defaults, which are a part of the function."""
        for i, name in self._optional:
            if slots[i] is not MISSING and self._form.is_default(name, slots[i]):
                slots = (*slots[:i], MISSING, *slots[i + 1 :])
        return slots

    def _given(self, slots: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments that are not static."""
        if not self._optional:
            return tuple([slots[i] for i in self._arrays])
        return tuple([slots[i] for i in self._arrays if slots[i] is not MISSING])

    def _key(self, slots: Sequence[Any], structure: Any) -> tuple[Any, ...]:
        return self.form(slots), structure, config.version()

    def form(self, slots: Sequence[Any]) -> tuple[Any, ...]:
        """The form of a call: Note [Two keys]."""
        return form_of(self.signature, slots, self.static_value) if self._has_forms else ()

    def link(
        self, slots: Sequence[Any], canonical: _Call, table: ProgramTable, dispatch: Any
    ) -> None:
        """Find the table for calls like this one from now on, also in generated code.

        Only if its programs take the leaves in the order of the slots: a call in canonical form
        sorts arguments by name behind one that is left out.
        """
        slots = self._without_defaults(slots)
        names, (args, kwargs) = self.signature.names, canonical
        order = [*names[: len(args)], *sorted(kwargs)]
        arrays = {names[i]: slots[i] for i in self._arrays if slots[i] is not MISSING}
        is_in_order = [name for name in order if name in arrays] == list(arrays)
        if not (is_in_order or self.signature.is_open):
            return
        _, structure = _flattened(tuple(arrays.values()))
        key = form, *_ = self._key(slots, structure)
        if len(self._tables) >= _MAX_KNOWN:
            self._tables.clear()
        self._tables[key] = table
        if self._has_forms and structure == len(arrays):
            dispatch.link(form, table.leaves_dispatch)


class Link(NamedTuple):
    """A call that was not known, to be found from now on."""

    slots: CallSlots
    values: tuple[Any, ...]
    function: Dispatch

    def to(self, canonical: _Call, table: ProgramTable) -> None:
        """Find this table."""
        self.slots.link(self.values, canonical, table, self.function)


def _frozen_value(value: Any) -> StaticValue:
    """A parameter of anvl's own functions in a form: the numbers in a list, which may change."""
    return StaticValue(frozen(value))


def _flattened(given: tuple[Any, ...]) -> tuple[Sequence[Any], Any]:
    """The leaves of arguments, and their structure: the number of them if they are leaves."""
    if _LEAVES.issuperset(map(type, given)):
        return given, len(given)
    return tree.flatten(given)


def signature_of(static: StaticArguments, form: CallForm) -> CallSignature | None:
    """The signature of the code to generate for a function; None if none would be faster."""
    own = form.signature
    if own.is_open:
        n_plain = static.n_plain
        return None if n_plain is None else CallSignature.of_any(n_plain)
    by_name = [name in static.names for name in own.names]
    by_position = [i in static.positions for i in range(len(own.names))]
    n = own.n_positional_only
    if by_name[n:] != by_position[n:]:  # the names are those of a function that it wraps
        return None
    names = (*own.names, *own.keyword_only)
    return CallSignature(
        names,
        n,
        len(own.names),
        tuple(name in own.defaults for name in names),
        (*by_position, *(name in static.names for name in own.keyword_only)),
        explains_keywords=isinstance(static, Parameters),
    )
