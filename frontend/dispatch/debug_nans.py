"""`jit(f, debug_nans=True)`: find the op that produced a NaN or an infinity.

The program runs unchanged.  Only if one of its results is not finite, it is compiled again with
`anvl-probe`, which also returns the number of NaN and infinite elements of each value; a backward
search from the results along such values ends at the ops that produced them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core.arguments import name_of
from anvl.core.trace_state import current, passes_lock
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import NonFiniteError, place_in
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.dialect.interpreters.slices import values_read
from anvl.dispatch.host_calls import host_calls
from anvl.dispatch.jit import Jit
from anvl.dispatch.jit_options import DEFAULT
from anvl.dispatch.lowering import captured_order, copied, pipeline, serialize
from anvl.dispatch.partitioning.over_mesh import mark_shardings
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import functions_of, terminator_of
from anvl.passes.hoist_constants import HoistConstants
from anvl.passes.probe import Probe, ops_of, probed_values
from anvl.runtime import (
    Array,
    compile_lowered,
    default_placement,
    hide_frames,
    placement_of,
    put,
)

__all__ = ["checked"]

_MOST_SHOWN = 8  # elements of an operand; more are summarized


def checked(jitted: Jit) -> Callable[..., Any]:
    """The jitted function, raising `NonFiniteError` if a result is not finite."""
    call = jitted.function()

    @functools.wraps(jitted._f, updated=())
    def debugged(*args: Any, **kwargs: Any) -> Any:
        try:
            results = call(*args, **kwargs)
            if current.trace is None and any(map(_is_bad, tree.leaves(results))):
                _raise_for(jitted, args, kwargs)
        except Exception as error:
            hide_frames(error)
            raise
        return results

    for name in ("lower", "trace", "cache_size", "cache_info", "clear_cache"):
        setattr(debugged, name, getattr(jitted, name))
    return debugged


def _raise_for(jitted: Jit, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise for the op that produced the non-finite value; return if it came with the arguments."""
    f = jitted._f
    arguments = jitted._static.split(args, kwargs)
    program = _Program(jitted.trace(*args, **kwargs), jitted.arrays_of(arguments))
    n = len(program.returned)
    *results, counts = program.run(Probe())
    found = _Search(program, program.arrays, _values(counts)).first()
    if found is not None:
        op, value, of = found
        shown = program.run(Probe(op=op.position))[n:]
        raise _error(name_of(f), program, op, value, of, shown)
    if not any(map(_is_bad, results)):
        raise NonFiniteError(
            f"{name_of(f)}: a result is not finite, but it is finite in the probed program: the "
            "compiler fused the ops differently there; compare both in f64"
        )


def _is_bad(x: Any) -> bool:
    return any(_counts_of(x))


def _counts_of(x: Any) -> tuple[int, int]:
    """Numbers of NaN and of infinite elements of an array."""
    if kind(element_type(x.dtype)) not in ("float", "complex"):
        return 0, 0
    values = _values(x)
    if values.dtype.kind not in "fc":  # the narrow floats, of which numpy knows little
        values = values.astype(np.float32)
    nan = int(np.isnan(values).sum())
    return nan, int(values.size - np.isfinite(values).sum()) - nan


def _values(x: Any) -> np.ndarray[Any, Any]:
    """The values of an array; parts on devices of other processes are fetched from them."""
    place = x.aval.placement if isinstance(x, Array) else None
    return np.asarray(x if place is None or place.is_addressable else put(x, place.whole))


class _Op(NamedTuple):
    """An op of a program; values are numbered, arguments first.

    `used` are all its uses, those in its regions included.
    """

    position: int
    name: str
    location: ir.Location
    operands: list[int]
    results: list[int]
    used: list[int]


class _Program:
    """A traced program as a single function, ready to be probed."""

    def __init__(self, traced: Any, arrays: Sequence[Array]) -> None:
        self._captured, self._callbacks = traced.program.captured, traced.program.callbacks
        given = [x for x in self._captured if isinstance(x, Array)]
        self._place = placement_of([*arrays, *given]) or default_placement()
        #: The arguments, where the program runs.
        self.arrays = [self._there(x) for x in arrays]
        elements = pipeline(self._captured, *self._place.client.target, roll=None).elements
        at = next(i for i, one in enumerate(elements) if isinstance(one, HoistConstants))
        self._lowering_passes = elements[at:]
        self._module = traced.program.module
        with passes_lock, context():
            types = [x.aval for x in self.arrays]
            mark_shardings(traced.program, types, self._place, DEFAULT, (), None)
            Pipeline([*elements[:at], "trivial-dce"]).run(self._module)
            self._read()

    def _there(self, x: Any) -> Array:
        """An argument, or an array that the function closes over, on the devices of the program."""
        is_there = isinstance(x, Array) and x.aval.placement.devices == self._place.devices
        return x if is_there else put(x, self._place)

    def _read(self) -> None:
        function = functions_of(self._module.operation)["main"]
        block = function.regions[0].blocks[0]
        number = {x: i for i, x in enumerate(block.arguments)}
        self.ops: list[_Op] = []
        self.probed: list[int] = []  # the values that anvl-probe counts, in its order
        for i, op in enumerate(ops_of(function)):
            operands = [number[x] for x in op.operands]
            used = [number[x] for x in values_read(op)]
            for y in op.results:
                number[y] = len(number)
            results = [number[y] for y in op.results]
            self.ops.append(_Op(i, op.name, op.location, operands, results, used))
            self.probed += [number[y] for y in probed_values(op)]
        self.returned = [number[y] for y in terminator_of(block).operands]

    def run(self, probe: Probe) -> list[Array]:
        """Run the program with a probe; returns its results."""
        module = copied(self._module)
        with passes_lock:
            Pipeline([probe, *self._lowering_passes]).run(module)
            order = captured_order(module)
            calls = host_calls(module, self._callbacks)
            artifact = serialize(module, client=self._place.client)
        arrays = [*(self._there(self._captured[i]) for i in order), *self.arrays]
        # What it prints has been printed: only calls that give values are made again.
        callbacks = [one if one.results else one.skipped for one in calls]
        types = [x.aval for x in arrays]
        executable = compile_lowered(artifact, self._place, arg_types=types, callbacks=callbacks)
        return list(executable.execute(arrays))

    def owner_of(self, op: _Op) -> str:
        """For an op of a derivative, a phrase that names the derivative; else the empty string."""
        location, base = op.location, ""
        text = ""
        while (split := _derivative(location)) is not None:
            base, what = split
            text += f"the {what} of "
            location = location.child_loc
        if not text:
            return ""
        made_there = {x.name.partition(".")[2]: None for x in self.ops if x.location == location}
        if not made_there or base in made_there:  # the op itself gave the name
            return text + base
        return text + " or ".join(list(made_there)[:3])


def _derivative(location: Any) -> tuple[str, str] | None:
    """Base and mode of the derivative that the location of an op names, or None."""
    name = getattr(location, "name_str", "")
    for what in ("adjoint", "tangent"):
        if name.endswith(f"_{what}"):
            return name.removesuffix(f"_{what}"), what
    return None


class _Search:
    """Backward search from the results along values that are not finite."""

    def __init__(self, program: _Program, arrays: Sequence[Array], counts: np.ndarray) -> None:
        self._program = program
        self._made_by = {y: op for op in program.ops for y in op.results}
        #: Numbers of NaN and infinite elements, by non-finite value.
        self._counts: dict[int, tuple[int, int]] = {}
        rows = zip(program.probed, counts.tolist(), strict=True)
        for i, (nan, infinite) in [*enumerate(map(_counts_of, arrays)), *rows]:
            if nan or infinite:
                self._counts[i] = nan, infinite

    def first(self) -> tuple[_Op, int, tuple[str, int]] | None:
        """First op with a non-finite result, the index of that result, and the kind and count."""
        found, seen = [], set()
        waiting = [y for y in self._program.returned if y in self._counts]
        while waiting:
            value = waiting.pop()
            op = self._made_by.get(value)
            if value in seen or op is None or not op.used:
                continue  # an argument, or a constant that is non-finite on purpose
            seen.add(value)
            bad = [x for x in op.used if x in self._counts]
            made = self._made_here(value, bad)
            if made is not None:
                found.append((op.position, value, op, made))
            waiting += bad
        if not found:
            return None
        _, value, op, of = min(found, key=lambda one: one[:2])
        return op, value, of

    def _made_here(self, value: int, bad: Sequence[int]) -> tuple[str, int] | None:
        """Kind and count of the non-finite elements that come from none of the `bad` operands."""
        nan, infinite = self._counts[value]
        if nan and not any(self._counts[x][0] for x in bad):
            return "NaN", nan
        return None if bad else ("infinity", infinite)


def _error(
    function: str,
    program: _Program,
    op: _Op,
    value: int,
    of: tuple[str, int],
    shown: Sequence[Array],
) -> NonFiniteError:
    what, count = of
    operands = tuple(_summary(x) for x in shown[: len(op.operands)])
    result = shown[len(op.operands) + op.results.index(value)]
    owner, place = program.owner_of(op), place_in(str(op.location))
    name = owner or op.name.partition(".")[2]
    size = int(np.prod(result.shape))
    text = f"{function}: {name} makes {what} in {count} of {size} elements: {op.name}, "
    text += f"{_type(result)}, at {place}"
    for i, line in enumerate(operands):
        text += f"\n  operand {i}: {line}"
    return NonFiniteError(
        text, op=op.name, belongs_to=owner, place=place, kind=what, count=count,
        shape=tuple(result.shape), operands=operands,
    )  # fmt: skip


def _type(x: Array) -> str:
    return f"{dtype_name(x.dtype)}[{','.join(map(str, x.shape))}]"


def _summary(x: Array) -> str:
    """One line about an operand: its type, and its values or their range."""
    values = _values(x)
    if values.size <= _MOST_SHOWN:
        return f"{_type(x)} {' '.join(str(values.tolist()).split())}"
    if values.dtype.kind not in "iuf":
        return _type(x)
    finite = values[np.isfinite(values)]
    nan, infinite = _counts_of(x)
    parts = [f"from {finite.min()} to {finite.max()}"] if finite.size else []
    numbers = (int((values == 0).sum()), "zero"), (nan, "NaN"), (infinite, "infinite")
    parts += [f"{n} {what}" for n, what in numbers if n]
    return f"{_type(x)} {', '.join(parts)}"
