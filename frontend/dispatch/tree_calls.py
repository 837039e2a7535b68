"""Known structures of arguments: the calls of a function that have containers among them.

Note [Known structures]

A call with a dict of arrays, found by its form and structure, takes twice as long as in JAX: the
containers are walked and flattened, and the structure is hashed and compared.  So a structure that
is seen again gets code of its own, which reads the leaves where they are known to be: a dict must
be a dict of so many keys, with these; else the structure is another one.  Numbers and NumPy arrays
are a part of the structure, and become arrays there.  The function tries the codes of the
structures that it knows before it looks for arrays alone, once it has any.

Code is generated at the second call that finds its program by the structure.  A function keeps
`_MOST` structures; another one takes the place of the oldest after `_MANY` calls, so that programs
which alternate between many do not spend their time on generating code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core import config
from anvl.core.argument_arrays import number_dtype, scalar_array
from anvl.runtime import (
    MISS,
    MISSING,
    Array,
    Dispatch,
    Reading,
    make_tree_call,
    put,
    take_trees,
)
from anvl.tree.reading import reading_of

if TYPE_CHECKING:
    from anvl.dispatch.call_slots import CallSlots
    from anvl.dispatch.program_table import ProgramTable

__all__ = ["TreeCalls"]

_MOST = 8
_SOON, _MANY = 2, 100
_MAX_COUNTED = 256
_MOST_CONVERTED = 256  # leaves, where some are numbers or NumPy arrays

_ARRAYS = frozenset((Array,))


class _Known(NamedTuple):
    """Facts about a call: its structure, the slots left out, and the classes of the leaves.

    No classes stand for arrays alone.
    """

    structure: Any
    absent: tuple[int, ...]
    kinds: tuple[type, ...]


class TreeCalls:
    """The structures that a function knows, the newest first."""

    def __init__(self, owner: CallSlots) -> None:
        self._owner = owner
        self._known: dict[Any, _TreeCall] = {}
        # Calls of structures without code.
        self._counts: dict[Any, int] = {}
        # Tables of structures that have no code.
        self._unreadable: set[ProgramTable] = set()

    def use(
        self,
        slots: Sequence[Any],
        structure: Any,
        leaves: Sequence[Any],
        form: Any,
        table: ProgramTable,
    ) -> None:
        """Note a call whose program was found by its structure, or its number of leaves."""
        if table in self._unreadable:
            return
        signature = self._owner.signature
        absent: tuple[int, ...] = ()
        if not signature.is_open:  # else one that is missing is a leaf, and no array
            absent = tuple([i for i in signature.arrays if slots[i] is MISSING])
        kinds = tuple(map(type, leaves))
        if _ARRAYS.issuperset(kinds):
            kinds = ()
        elif len(kinds) > _MOST_CONVERTED:
            return
        at = _Known(structure, absent, kinds)
        known = self._known.get(at)
        if known is None:
            known = self._generated(at, table)
        if known is not None:
            known.link(form, table)

    def _generated(self, at: _Known, table: ProgramTable) -> _TreeCall | None:
        """New code for a structure, if it is seen often enough, and can have some."""
        if len(self._counts) >= _MAX_COUNTED:
            self._counts.clear()
        count = self._counts[at] = self._counts.get(at, 0) + 1
        if count < (_SOON if len(self._known) < _MOST else _MANY):
            return None
        structures = self._structures(at)
        reading = self._reading(structures, at.kinds)
        if reading is None:
            self._unreadable.add(table)
            return None
        self._counts.pop(at, None)
        arrays = {leaf for leaf, of in zip(reading.leaves, at.kinds, strict=False) if of is Array}
        containers = [
            i
            for i, of in enumerate(structures)
            if of is not None and of is not MISSING
            if of.node_data() is not None or (at.kinds and f"a{i}" not in arrays)
        ]
        made = _TreeCall(self._owner, reading, containers, table)
        others = list(self._known.items())[: _MOST - 1]
        self._known = {at: made, **dict(others)}
        self._tell_all()
        return made

    def _structures(self, at: _Known) -> list[Any]:
        """The structure of each slot; None for static ones, `MISSING` for those left out."""
        signature = self._owner.signature
        structures: list[Any] = [None] * len(signature.names)
        whole = at.structure
        parts = iter([tree.structure(0)] * whole if type(whole) is int else whole.children())
        for i in signature.arrays:
            structures[i] = MISSING if i in at.absent else next(parts)
        return structures

    def _reading(self, structures: Sequence[Any], kinds: Sequence[type]) -> Reading | None:
        """The source that reads slots of these structures, with numbers made arrays."""
        owner = self._owner
        if not kinds:
            return reading_of(structures, MISSING)
        reading = reading_of(structures, MISSING, is_one_by_one=True)
        optional = {f"a{i}": i for i in owner.signature.arrays if owner.signature.optional[i]}
        if reading is None:
            return None
        return _converting(reading, kinds, optional, owner.is_default, owner.counts_from)

    def tell(self, function: Dispatch) -> None:
        """Tell a function which structures are known."""
        calls = list(self._known.values())
        containers = sorted({i for call in calls for i in call.containers})
        dispatches = [call.dispatch for call in calls]
        take_trees(function, self._owner.signature, dispatches, containers)

    def _tell_all(self) -> None:
        for function in self._owner.functions:
            self.tell(function)

    def forget(self, table: ProgramTable) -> None:
        """Forget the calls of a table."""
        self._unreadable.discard(table)
        kept = {at: call for at, call in self._known.items() if call.drop(table)}
        if len(kept) < len(self._known):
            self._known = kept
            self._tell_all()

    def clear(self) -> None:
        """Forget all."""
        self._counts = {}
        self._unreadable = set()
        if self._known:
            self._known = {}
            self._tell_all()


class _TreeCall:
    """Generated code for the calls with arguments of one structure."""

    def __init__(
        self, owner: CallSlots, reading: Any, containers: Sequence[int], table: ProgramTable
    ) -> None:
        self.containers = containers
        self._owner = owner
        self._tables: dict[Any, ProgramTable] = {}
        self.dispatch: Dispatch = make_tree_call(
            owner.signature,
            reading,
            self._others,
            argument_names=table.names,
            static_value=owner.static_value,
        )

    def link(self, form: Any, table: ProgramTable) -> None:
        """Find the programs of a table for calls of this form."""
        if self._tables.get((form, config.version())) is not table:
            self._tables[form, config.version()] = table
            self.dispatch.link(form, table.leaves_dispatch)

    def drop(self, table: ProgramTable) -> bool:
        """Forget the calls of a table; returns whether any are left."""
        for key in [key for key, known in list(self._tables.items()) if known is table]:
            self._tables.pop(key, None)
        self.dispatch.unlink(table.leaves_dispatch)
        return bool(self._tables)

    def _others(self, leaves: Sequence[Any], slots: tuple[Any, ...]) -> Any:
        """The calls of this structure with numbers or NumPy arrays."""
        owner = self._owner
        if not owner.converts or owner.has_default(slots):
            return MISS
        try:
            table = self._tables.get((owner.form(slots), config.version()))
        except TypeError:  # an unhashable static value
            return MISS
        return MISS if table is None else owner.run_converted(leaves, table)


def _converting(
    reading: Reading,
    kinds: Sequence[type],
    optional: Mapping[str, int],
    is_default: Callable[[int, Any], bool],
    counts_from: int | None,
) -> Reading:
    """The reading, and then the conversion of the leaves that are no arrays.

    They go where the first array is; one that equals its default is a part of the function.  In
    anvl's own functions numbers take their dtypes from the arrays from number `counts_from` on.
    """
    read = list(zip(reading.leaves, kinds, strict=True))
    arrays = [leaf for leaf, of in read if of is Array]
    number_type = _number_type(read, counts_from)
    lines = [
        *reading.lines,
        f"place = {arrays[0]}.aval.placement.whole" if arrays else "place = None",
    ]
    leaves = []
    for i, (leaf, of) in enumerate(read):
        if of is Array:
            leaves.append(leaf)
            continue
        lines.append(f"if type({leaf}) is not {of.__name__}: return miss")
        if leaf in optional:
            lines.append(f"if is_default({optional[leaf]}, {leaf}): return miss")
        if of is np.ndarray:
            lines.append(f"if {leaf}.dtype.kind not in 'fiucb': return miss")
            lines.append(f"y{i} = put({leaf}, place)")
        else:
            lines.append(f"y{i} = number({leaf}, {number_type.format(of.__name__)}, place)")
        leaves.append(f"y{i}")
    names = {
        "is_default": is_default,
        "dtype": number_dtype,
        "number": scalar_array,
        "put": put,
        "ndarray": np.ndarray,
    }
    return Reading(tuple(lines), tuple(leaves), reading.names | names)


def _number_type(read: Sequence[tuple[str, type]], counts_from: int | None) -> str:
    """The source of the dtype of a number, whose type is to be filled in."""
    if counts_from is None:
        return "None"
    counted = read[counts_from:]
    dtypes = [f"{leaf}.aval.dtype, " for leaf, of in counted if of is Array]
    dtypes += [f"{leaf}.dtype, " for leaf, of in counted if of is np.ndarray]
    return f"dtype({{}}, ({''.join(dtypes)}))"
