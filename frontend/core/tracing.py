"""Tracing: run a Python function with tracers that emit anvl ops straight into an MLIR function.

A `Program` is one module under construction.  A `Trace` is one function in it; traces nest when a
traced function differentiates or jits another.  Captured tracers of outer traces become further
operands of the nested function.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from anvl.core.avals import Aval, aval, aval_of_type
from anvl.core.key_uses import KeyUses
from anvl.core.locations import describe, here, unnamed
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.dialect.core.context import context
from anvl.dialect.core.create import CapturedOp
from anvl.dialect.core.errors import TraceError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.types import dtype_name
from anvl.runtime import (
    Array,
    Placement,
    ShardedPlacement,
    begin_tracing,
    end_tracing,
    placement_of,
    put,
)
from anvl.sharding.specs import Sharding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anvl.core.ranges import Meeting
    from anvl.sharding.meshes import Mesh

__all__ = ["Program", "Trace", "emit", "emit_unary", "is_constant", "trace_function"]


class Program:
    """A module under construction, with the arrays that it captures."""

    def __init__(self) -> None:
        with context(), ir.Location.unknown():
            self.module: ir.Module = ir.Module.create()
        #: The name of the function that it was begun for.
        self.title: str = ""
        self.captured: list[Any] = []
        # The Python functions that the program calls, by number.
        self.callbacks: list[Any] = []
        # Those that were NumPy arrays: they go where the program runs.
        self.unplaced: set[int] = set()
        self._indices: dict[int, int] = {}
        self._stacks: dict[tuple[int, ...], int] = {}  # by the indices of their rows
        self._closed_over: list[Any] = []  # keeps them alive, so their ids stay unique
        self._names: set[str] = set()
        # Conversions of weak numbers, by function: see `ranges.py`.
        self.meetings: dict[str, list[Meeting]] = {}
        # Keys that numbers are drawn with, by function, if they are checked: see `key_uses.py`.
        self.key_uses: KeyUses = KeyUses()
        # Functions of nested jits, by signature, so that each is traced once.
        self.functions: dict[Any, Any] = {}
        # Number of nested derivatives of the function being traced.
        self.order: int = 0
        # Functions whose custom rules are being traced, the innermost last.
        self.custom_rules: list[Any] = []
        self.has_discarded: bool = False
        # Whether it is for all sizes of a bucket: then sizes that functions of anvl compute with,
        # as a mean does, are values of the program.
        self.has_buckets: bool = False
        #: The mesh that it runs over, if its arguments or a constraint within it name one.
        self.mesh: Mesh | None = None

    def discard(self, trace: Trace) -> None:
        """Erase the function of an abandoned trace: it is traced again, for other avals."""
        trace.function.erase()
        self.has_discarded = True  # its callees may have other callers

    def drop_orphans(self) -> None:
        """Erase private functions that only discarded traces called or named."""
        if not self.has_discarded:
            return
        from anvl.passes.functions.symbol_utils import functions_of, is_private, needed_by

        functions = functions_of(self.module.operation)
        roots = [name for name, function in functions.items() if not is_private(function)]
        kept = {*roots, *(other for name in roots for other in needed_by(name, functions))}
        for name, function in functions.items():
            if name not in kept:
                function.erase()
        self.functions.clear()  # it may name erased functions
        self.has_discarded = False

    def fresh_name(self, wanted: str) -> str:
        """An unused function name, derived from `wanted`."""
        base = re.sub(r"\W", "_", wanted).strip("_") or "f"
        name, n = base, 0
        while name in self._names:
            n += 1
            name = f"{base}_{n}"
        self._names.add(name)
        return name

    @contextmanager
    def differentiating(self) -> Iterator[None]:
        """Count one derivative more while tracing the function to differentiate.

        Derivatives within a custom rule do not count: they are part of the derivative.
        """
        counted = int(not self.custom_rules)
        self.order += counted
        try:
            yield
        finally:
            self.order -= counted

    @property
    def rules_deep(self) -> int:
        """Nesting limit of a custom rule within itself, which is the derivative order it supports.

        One more than the derivatives in progress: the transpose of a rule needs the rules within
        it.
        """
        return max(1, self.order) + 1

    def capture(self, array: Any) -> int:
        """Index of a captured array, as it was when it was captured first.

        A NumPy array may be written to while the function is traced: all uses have one value.
        """
        index = self._indices.get(id(array))
        if index is None:
            index = self._indices[id(array)] = len(self.captured)
            self.captured.append(_snapshot(array))
            if isinstance(array, Array):
                _constants[id(array)] = array
            else:
                self.unplaced.add(index)
            self._closed_over.append(array)
        return index

    def stacked(self, indices: tuple[int, ...]) -> int | None:
        """Index of a captured array whose rows are others; None if these are not on one device.

        It is put together here, once, where the compiled program would in each call.
        """
        arrays = [self.captured[i] for i in indices]
        if self.mesh is not None or not _are_together(arrays):
            return None
        if indices not in self._stacks:
            self._stacks[indices] = len(self.captured)
            self.unplaced.add(len(self.captured))
            self.captured.append(np.stack([np.asarray(x) for x in arrays]))
        return self._stacks[indices]

    @property
    def placement(self) -> Placement | None:
        """Where it runs by its mesh, or by the first captured array that was on a device, or over a
        mesh; None if there is none."""
        if self.mesh is not None:
            return Sharding(self.mesh).placement
        placed = [x for i, x in enumerate(self.captured) if i not in self.unplaced]
        return placement_of(placed)


_SMALL = 1 << 16  # bytes; copying these takes no longer than transferring them to a device


#: Arrays that are constants of some program, by identity, as long as they live.
_constants: weakref.WeakValueDictionary[int, Array] = weakref.WeakValueDictionary()


def is_constant(array: Array) -> bool:
    """Whether a traced function closed over this array."""
    return _constants.get(id(array)) is array


def _snapshot(array: Any) -> Any:
    """A snapshot of an array, safe from later writes, in the byte order of this machine."""
    if not isinstance(array, np.ndarray):
        return array
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array.copy() if array.nbytes <= _SMALL else put(array)


def _are_together(arrays: Sequence[Any]) -> bool:
    """Whether arrays can be read here, and lie on one device or on none."""
    given = [x for x in arrays if isinstance(x, Array)]
    places = {x.aval.placement for x in given}
    is_parted = any(isinstance(place, ShardedPlacement) for place in places)
    return len(places) < 2 and not is_parted and not any(x.is_deleted() for x in given)


class Trace:
    """One function under construction."""

    def __init__(self, program: Program, name: str, avals: Sequence[Aval], parent: Trace | None):
        self.program = program
        self.parent = parent
        self.name: str = program.fresh_name(name)
        self.alive: bool = True
        self.thread: int = get_ident()
        self._captured: dict[int, Tracer] = {}
        # Literals by aval and value: one op for each, however often it occurs.
        self.literals: dict[Any, Tracer] = {}
        # The Python numbers, or lists of them, that a value was made of.
        self.numbers: dict[Any, Any] = {}
        # Captured tracers of outer traces, with their arguments here.
        self.closed_over: dict[int, tuple[Tracer, Tracer]] = {}
        self.n_inputs: int = len(avals)
        self.weak_inputs: set[int] = {i for i, of in enumerate(avals) if of.weak_type}
        self.function: Any = self._begin(avals)
        self.block: Any = self.function.regions[0].blocks[0]

    def _begin(self, avals: Sequence[Aval]) -> Any:
        types = [a.type for a in avals]
        attributes = {
            "sym_name": ir.StringAttr.get(self.name, context()),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [], context())),
        }
        if self.parent is not None:
            attributes["sym_visibility"] = ir.StringAttr.get("private", context())
        location = unnamed(here())  # a name assigned by the user is not the name of this function
        function = ir.Operation.create(
            "func.func",
            attributes=attributes,
            regions=1,
            ip=ir.InsertionPoint(self.program.module.body),
            loc=location,
        )
        function.regions[0].blocks.append(*types, arg_locs=[location] * len(types))
        return function

    def arguments(self, avals: Sequence[Aval], names: Sequence[str]) -> list[Tracer]:
        """Tracers of the inputs; their names are kept as locations."""
        tracers = []
        for argument, of, name in zip(self.block.arguments, avals, names, strict=True):
            location = ir.Location.name(_ssa_name(name), self.function.location)
            argument.set_location(location)
            tracers.append(Tracer(argument, of, self, location))
        return tracers

    def tracer_of(self, x: Any) -> Tracer:
        """Tracer of an operand in this function; tracers of outer traces are captured."""
        if type(x) is Tracer:
            return x if x.owner is self else self._close_over(x)
        if isinstance(x, Array | np.ndarray | np.generic):
            return self._capture(x)
        raise TypeError(
            f"operand is {x!r} of type {type(x).__name__}; primitives take arrays, "
            "anvl.numpy also takes Python numbers"
        )

    def _close_over(self, x: Tracer) -> Tracer:
        x.check_alive()
        known = self.closed_over.get(id(x))
        if known is not None:
            return known[1]
        if not self._is_inside(x.owner):
            x.check_thread()
            raise TraceError(
                f"a traced value {x.aval} from {describe(x.location)} is used in another trace "
                "than its own; return it from the function that made it"
            )
        argument = self.block.add_argument(x.aval.type, x.location)
        inner = Tracer(argument, x.aval, self, x.location)
        self.closed_over[id(x)] = (x, inner)
        return inner

    def _is_inside(self, outer: Trace) -> bool:
        trace: Trace | None = self.parent
        while trace is not None and trace is not outer:
            trace = trace.parent
        return trace is outer

    def _capture(self, array: Any) -> Tracer:
        index = self.program.capture(array)
        known = self._captured.get(index)
        if known is None:
            location = here()
            with location:
                value = CapturedOp.build(
                    index=index, shape=tuple(array.shape), dtype=dtype_name(array.dtype)
                )
            of = aval(array.dtype, array.shape, getattr(array, "weak_type", False))
            known = self._captured[index] = Tracer(value, of, self, location)
        return known

    def finish(self, outputs: Sequence[ir.Value]) -> None:
        """Return the outputs, and set the type of the function."""
        ir.Operation.create("func.return", [], outputs, loc=self.function.location)
        type_ = ir.FunctionType.get(
            [a.type for a in self.block.arguments], [y.type for y in outputs], context()
        )
        self.function.attributes["function_type"] = ir.TypeAttr.get(type_)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Record the computation of this thread into this function."""
        outer = current.trace
        with context(), ir.InsertionPoint(self.block), self.function.location:
            current.trace = self
            begin_tracing()
            try:
                yield
            finally:
                end_tracing()
                current.trace = outer
                # Passes will change the module: from here on none of its values may be used.
                self.alive = False
                self.literals.clear()
                self.numbers.clear()


@lru_cache(maxsize=4096)
def _ssa_name(path: str) -> str:
    """A path as the name of an SSA value: `params[0]['w']` becomes `params.0.w`."""
    dotted = re.sub(r"\[['\"]?([^\]'\"]*)['\"]?\]", r".\1", path)
    return re.sub(r"[^A-Za-z0-9_.$-]", "_", dotted)


def emit(op_class: type[AnvlOp], xs: Sequence[Any], params: dict[str, Any]) -> Any:
    """Emit an op into the current trace; returns the tracer, or tracers, of its results.

    For anvl's own functions only: the first frame considered is their caller.
    """
    trace = current.trace
    if trace is None:
        raise ended_trace_error(xs)
    tracers: Sequence[Tracer]
    values: Sequence[ir.Value]
    key: tuple[Any, ...] | None
    if len(xs) == 2 and not params:  # most ops; this inlined form saves 0.6 of 3 us
        x, y = xs
        if type(x) is not Tracer or x.owner is not trace:
            x = trace.tracer_of(x)
        if type(y) is not Tracer or y.owner is not trace:
            y = trace.tracer_of(y)
        tracers, key, values = (x, y), (op_class, x.aval, y.aval), (x.value, y.value)
    else:
        tracers = [x if type(x) is Tracer and x.owner is trace else trace.tracer_of(x) for x in xs]
        key, values = _key_of(op_class, tracers, params), [x.value for x in tracers]
    return _emit(op_class, tracers, params, key, values, trace, here(3))


def emit_unary(op_class: type[AnvlOp], x: Tracer) -> Tracer:
    """`emit` specialized for an op of one operand and no parameters."""
    trace = current.trace
    if trace is None:
        raise ended_trace_error((x,))
    if x.owner is not trace:
        x = trace.tracer_of(x)
    key = op_class, x.aval
    return _emit(op_class, (x,), _NONE, key, (x.value,), trace, here(3))


_NONE: dict[str, Any] = {}


def _emit(
    op_class: type[AnvlOp],
    tracers: Sequence[Tracer],
    params: dict[str, Any],
    key: tuple[Any, ...] | None,
    values: Sequence[ir.Value],
    trace: Trace,
    location: ir.Location,
) -> Any:
    plan = _plans.get(key)
    if plan is None:
        with location:
            return _emit_first(op_class, tracers, params, key, trace, location)
    name, types, attributes, of = plan
    # passing by name costs 0.03 us more
    op = _create(name, types, values, attributes, None, 0, location)
    return Tracer(op.result, of, trace, location)


def _key_of(
    op_class: type[AnvlOp], xs: Sequence[Tracer], params: dict[str, Any]
) -> tuple[Any, ...] | None:
    """Key of an emission plan; None if a parameter is unhashable.

    Avals are interned: a lookup by them takes a third of the time of a lookup by MLIR types.
    """
    avals = [x.aval for x in xs]
    if not params:
        return (op_class, *avals)
    key = (op_class, *avals, *op_class.key_of(params))
    try:
        hash(key)
    except TypeError:
        return None
    return key


_create = ir.Operation.create

# Emission plans by operand avals: name, result types, attributes, aval of the result.
_plans: dict[Any, tuple[str, list[ir.Type], dict[str, ir.Attribute] | None, Aval]] = {}
_MAX_PLANS = 16384


def _emit_first(
    op_class: type[AnvlOp],
    xs: Sequence[Tracer],
    params: dict[str, Any],
    key: tuple[Any, ...] | None,
    trace: Trace,
    location: ir.Location,
) -> Any:
    """`emit` without a plan; stores one, except for ops with bodies, which are emitted anew."""
    y = op_class.build(*[x.value for x in xs], **params)
    if op_class.multiple_results:
        return op_class.grouped(Tracer(r, aval_of_type(r.type), trace, location) for r in y)
    of = aval_of_type(y.type)
    if key is not None and not op_class.bodies:
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
        _plans[key] = op_class.OPERATION_NAME, [y.type], op_class.encode(params), of
    return Tracer(y, of, trace, location)


def ended_trace_error(xs: Sequence[Any]) -> Exception:
    """The error for an op on tracers outside of a trace."""
    for x in xs:
        if type(x) is Tracer:
            x.check_alive()
    return TraceError("a traced value is used after its trace has ended")


def trace_function(
    f: Callable[[Sequence[Tracer]], Sequence[Any]],
    name: str,
    avals: Sequence[Aval],
    names: Sequence[str],
    program: Program,
) -> tuple[Trace, list[Tracer]]:
    """Trace `f` on tracers of `avals`, recording it as a function of `program`.

    `f` maps the input tracers to flat outputs: tracers, or arrays that it captures.  Returns the
    finished trace and the tracers of its outputs.
    """
    # No lock: a user's function may wait for another thread that traces too.  Each call into MLIR
    # is atomic under the interpreter's lock, and each trace has a module of its own.
    with context():
        trace = Trace(program, name, avals, current.trace)
        try:
            with trace.active():
                outputs = f(trace.arguments(avals, names))
                tracers = [_as_tracer(trace, y) for y in outputs]
                trace.finish([y.value for y in tracers])
        except BaseException:
            # A caller that catches this may go on with the surrounding program.
            trace.function.erase()
            program.has_discarded = True
            raise
        if trace.parent is None:
            program.drop_orphans()
    return trace, tracers


def _as_tracer(trace: Trace, y: Any) -> Tracer:
    if type(y) is Tracer and y.owner is trace:
        return y
    known = trace.tracer_of(y)
    return Tracer(known.value, y.aval if type(y) is Tracer else known.aval.strong(), trace, here())
