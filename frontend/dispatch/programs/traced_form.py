"""The form of a program before it is lowered, by which it is found on disk.

Note [Found before lowering]

A second process traces what the first did, and would run the same passes on it to find the program
on disk.  An alias (Note [Aliases] in `runtime/disk_cache/programs.py`) spares it these, lowering,
and the imports of both.  Its key is all that the lowered program depends on:

* the traced module, with its locations, and the options of the program;
* of captured arrays their types, the values of those of one element, which become literals, and
  which of them are equal, as these become one argument;
* the source of anvl (`source_stamp.py`), and the libraries, devices and options that are in the key
  of every program.

There is no alias where something else decides: ops of one's own, whose rules, and what these read,
are not in the stamp; functions of this process; buckets, whose program depends on what was traced
at other sizes; several processes, which compare their lowered programs.  Over a mesh attributes of
the traced module say where everything is.  Its facts are what a call has to know of the lowered
program: the order of the constants, the stacks of captured arrays that lowering asked for, which
are put together again, the donated arguments that found no use, and the state of its checks, whose
messages and lines are in the traced module.
"""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anvl.core.importing import load_module
from anvl.core.tracing import Program as TracedProgram
from anvl.dialect.core.dialect import own_dialects
from anvl.dispatch.jit_options import ProgramOptions
from anvl.dispatch.programs.lowered_program import LoweredProgram
from anvl.dispatch.programs.source_stamp import source_stamp
from anvl.runtime import Array, Placement, ShardedPlacement, compile_options
from anvl.runtime.disk_cache import Alias, alias_key, find_alias, is_on

if TYPE_CHECKING:
    from anvl.dispatch.partitioning.over_mesh import OverMesh

__all__ = ["TracedForm", "traced_form"]

_FEW = 64  # bytes by which arrays of a type are told apart, before all of them are compared


class TracedForm(NamedTuple):
    """A program before it is lowered: the key of its alias, and the stacks that were asked for.

    Each stack is the indices of captured arrays, and the index of the array made of them.
    """

    key: str
    stacks: list[tuple[tuple[int, ...], int | None]]

    def found(self, program: TracedProgram, results: OverMesh | None) -> LoweredProgram | None:
        """The lowered program, if the cache on disk has an alias for it.

        `results` says where they are, of one over a mesh.
        """
        alias = find_alias(self.key)
        if alias is None:
            return None
        facts = alias.facts
        for indices, index in facts["stacks"]:
            if program.stacked(tuple(indices)) != index:
                return None
        state = facts["state"]
        return LoweredProgram(
            b"",
            bytes.fromhex(facts["digest"]),
            facts["order"],
            facts["options"],
            facts["unused"],
            state=state and load_module("anvl.dispatch.program_state").known_state(state),
            results=results,
            alias=alias,
        )

    def stacked(self, program: TracedProgram, indices: tuple[int, ...]) -> int | None:
        """Stack captured arrays, and remember it."""
        index = program.stacked(indices)
        self.stacks.append((indices, index))
        return index

    def alias(self, lowered: LoweredProgram) -> Alias | None:
        """The alias of the lowered program; None if it is more than what an alias tells."""
        if not lowered.is_plain:
            return None
        facts = {
            "stacks": self.stacks,
            "digest": lowered.digest.hex(),
            "order": list(lowered.order),
            "options": dict(lowered.xla_options),
            "unused": list(lowered.unused),
            "state": lowered.state and lowered.state.facts(),
        }
        return Alias(self.key, facts)


def traced_form(
    program: TracedProgram, place: Placement, options: ProgramOptions
) -> TracedForm | None:
    """The form of a program that will run at a place; None if no alias can tell of it."""
    if not is_on() or _is_special(program, place, options):
        return None
    stamp, captured = source_stamp(), _described(program.captured)
    if stamp is None or captured is None:
        return None
    written = io.BytesIO()
    program.module.operation.write_bytecode(written)
    if _may_have_own_ops(written.getvalue()):
        return None
    # Which routines a program may call depends on the wheels that are installed beside a plugin's.
    of_options = options.donated, options.roll, options.compiler_options
    facts = repr((stamp, captured, tuple(place.client.target), of_options))
    head = facts.encode(errors="surrogateescape")
    form = len(head).to_bytes(8, "little") + head + written.getvalue()
    given = compile_options(place, dict(options.compiler_options))
    return TracedForm(alias_key(form, given, place), [])


def _is_special(program: TracedProgram, place: Placement, options: ProgramOptions) -> bool:
    is_over_one = program.mesh is not None and not isinstance(place, ShardedPlacement)
    is_padded = options.padding is not None or program.has_buckets
    is_shared = is_over_one or place.spans_processes
    return is_shared or is_padded or bool(program.callbacks) or options.interpreted


def _may_have_own_ops(bytecode: bytes) -> bool:
    """Whether a module may have ops of one's own: bytecode names the dialects of all its ops.

    Rules of anvl's ops emit none.
    """
    return any(f"{name}\0".encode() in bytecode for name in own_dialects())


def _described(captured: Sequence[Any]) -> tuple[Any, ...] | None:
    """Facts of captured arrays that lowering sees; None if some cannot be read."""
    if any(isinstance(x, Array) and not _is_readable(x) for x in captured):
        return None
    types = [(str(x.dtype), tuple(x.shape)) for x in captured]
    counts, alike = Counter(types), defaultdict[Any, list[tuple[int, np.ndarray]]](list)
    found = []
    for i, (x, of) in enumerate(zip(captured, types, strict=True)):
        content: Any = None
        if x.size <= 1:
            content = np.asarray(x).tobytes()
        elif counts[of] > 1:  # else it equals no other, and need not be waited for
            bits = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
            known = alike[of, bits[:_FEW].tobytes()]
            known.append((i, bits))
            content = next(j for j, other in known if np.array_equal(other, bits))
        found.append((*of, content))
    return tuple(found)


def _is_readable(x: Array) -> bool:
    return not isinstance(x.aval.placement, ShardedPlacement) and not x.is_deleted()
