"""Calls of padded programs: arguments are padded, results cut back.  See Note [Buckets]."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.core import config
from anvl.core.arguments import Arguments, StaticArguments, name_of
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract
from anvl.core.trace_state import passes_lock
from anvl.core.traced import Traced, trace_call
from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.create import separate_literals
from anvl.dialect.core.errors import BucketError, place_in
from anvl.dialect.core.mlir import ir
from anvl.dispatch.host_calls import host_calls
from anvl.dispatch.interpreted_executable import INTERPRETER
from anvl.dispatch.jit_options import ProgramOptions
from anvl.dispatch.lowering import lower
from anvl.dispatch.padding.buckets import PaddingPlan, padded_types
from anvl.dispatch.program_state import State, forget_report
from anvl.passes.functions.structural_digest import digest_of
from anvl.passes.pad import Record, record
from anvl.passes.pipelines.jit_pipeline import expanding
from anvl.runtime import Array, ArrayType, Placement, put

__all__ = ["PaddedCall", "ReadCheck", "padded_call", "traced_for_bucket"]


class PaddedCall(NamedTuple):
    """How the arguments of a program are padded, and to which shapes its results are cut.

    Attributes
    ----------
    plan : PaddingPlan
    out_shapes : tuple of tuple of int
        The true shapes of the results.
    out_avals : tuple of Aval
        The padded results.
    digest : bytes
        The same for all sizes of a bucket.
    """

    plan: PaddingPlan
    out_shapes: tuple[tuple[int, ...], ...]
    out_avals: tuple[Aval, ...]
    digest: bytes

    def signature(
        self, key: Sequence[ArrayType], names: Sequence[str]
    ) -> tuple[Sequence[ArrayType], Sequence[Aval], Sequence[str]]:
        """Types of the arguments of the padded program, its results, and the arguments' names."""
        return padded_types(self.plan, key), self.out_avals, [*names, *self.plan.names]

    def padded(self, arrays: Sequence[Array]) -> list[Array]:
        """The arguments at the padded sizes, and the true sizes."""
        plan = self.plan
        found = [_resized(x, plan.shape(i, x.shape)) for i, x in enumerate(arrays)]
        place = found[0].aval.placement.whole
        return [*found, *(_number(n, place) for n in plan.lengths)]

    def finished(
        self, given: Sequence[Array], padded: Sequence[Array], results: Sequence[Array]
    ) -> list[Array]:
        """The results at the true sizes; deletes arrays whose padded copy was donated."""
        for x, copy in zip(given, padded, strict=False):
            if copy is not x and copy.is_deleted():
                x.buffer = copy.buffer  # which knows where it went
        return [_resized(y, shape) for y, shape in zip(results, self.out_shapes, strict=True)]


def padded_call(
    module: ir.Module, options: ProgramOptions, avals: Sequence[Aval], state: State | None
) -> PaddedCall | None:
    """The padding of a lowered program, whose results have `avals` at the true sizes.

    The description of its state, which names sizes, is removed from the program.
    """
    if options.padding is None:
        return None
    forget_report(module)
    main: Any = ir.SymbolTable(module.operation)["main"]
    _, types = signature_of(main.operation)
    besides = () if state is None else state.report.positions
    shapes = [tuple(t.shape) for i, t in enumerate(types) if i not in besides]
    padded = [aval(of.dtype, n, of.weak_type) for of, n in zip(avals, shapes, strict=True)]
    true = tuple(of.shape for of in avals)
    return PaddedCall(options.padding, true, tuple(padded), digest_of(module.operation))


@functools.lru_cache(1024)
def _number(n: int, place: Placement) -> Array:
    return put(np.int32(n), place)


def _resized(x: Array, shape: tuple[int, ...]) -> Array:
    """x cut or padded with zeros at the ends of its axes.

    By NumPy, where it reads arrays in place: a program for each size would take XLA longer than
    most copies do.
    """
    if x.shape == shape:
        return x
    of = x.aval
    part = tuple(slice(min(a, b)) for a, b in zip(x.shape, shape, strict=True))
    values = x.numpy()[part]
    if values.shape != shape:
        full = filled(shape, of.dtype)
        full[part] = values
        values = full
    return put(values, of.placement, weak_type=of.weak_type)


def filled(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """An array of what stands in padding: zeros, which are valid indices and no NaN."""
    return np.zeros(shape, dtype)


class ReadCheck:
    """The programs of one jitted function, by bucket: they must not depend on a size.

    See Note [Buckets].
    """

    def __init__(self, function: str) -> None:
        self._function = function
        self._known: dict[Any, set[bytes]] = {}
        # Of each bucket, the ops of the programs of two sizes.
        self._records: dict[Any, dict[tuple[int, ...], Record]] = {}

    def of_call(
        self,
        trace: Callable[[Arguments], Traced],
        arguments: Arguments,
        key: Sequence[ArrayType],
        traced: Traced,
        options: ProgramOptions,
    ) -> _Comparison:
        """The comparison of the program of a call, `traced`, with that of other sizes.

        `trace` traces the function anew.
        """
        plan = options.padding
        assert plan is not None
        bucket = arguments.treedef, arguments.static, config.version(), *padded_types(plan, key)
        if len(self._known) > _MOST:  # static values may be any number
            self._known.clear()
            self._records.clear()
        records = self._records.setdefault(bucket, {})
        known = self._known.setdefault(bucket, set())
        found = _Comparison(self._function, trace, arguments, plan, known, options)
        mine = expanded(traced)
        found.reference = next(
            (of for sizes, of in records.items() if _may_compare(plan.lengths, sizes, mine, of)),
            None,
        )
        if found.reference is None:
            other = found.traced_elsewhere()
            found.reference = expanded(other)
            records.clear()
            records |= {plan.lengths: mine, plan.other_lengths(): found.reference}
            if not _may_compare(plan.lengths, plan.other_lengths(), mine, found.reference):
                found.reference = None
        return found


def traced_for_bucket(
    f: Callable[..., Any], static: StaticArguments, arguments: Arguments, options: ProgramOptions
) -> tuple[Traced, ProgramOptions]:
    """A call traced for its bucket, and the options by which it is padded; compares nothing."""
    leaves = [x if isinstance(x, Aval) else abstract(x) for x in arguments.leaves]
    arguments = arguments._replace(leaves=leaves)
    trace = functools.partial(trace_call, f, static, has_buckets=True)
    plan = options.padding
    assert plan is not None
    compare = _Comparison(name_of(f), trace, arguments, plan, set(), options)
    reference = expanded(compare.traced_elsewhere())
    traced = trace(arguments)
    if not _may_compare(plan.lengths, plan.other_lengths(), expanded(trace(arguments)), reference):
        return traced, options
    return traced, options._replace(reference=reference)


def expanded(traced: Traced) -> Record:
    """Expand the declarations of a traced program; returns its ops."""
    with passes_lock, separate_literals():
        module = traced.program.module
        expanding().run(module)
        return record(module.operation)


def _may_compare(sizes: Sequence[int], others: Sequence[int], mine: Record, other: Record) -> bool:
    """Whether all sizes differ, and the ops are the same."""
    differ = all(n != m for n, m in zip(sizes, others, strict=True))
    same = len(mine) == len(other) and all(
        a[0] == b[0] and list(map(len, a[1])) == list(map(len, b[1]))
        for a, b in zip(mine, other, strict=True)
    )
    return differ and same


class _Comparison:
    """The program of a call, to be compared with that of other sizes of its buckets."""

    def __init__(
        self,
        function: str,
        trace: Callable[[Arguments], Traced],
        arguments: Arguments,
        plan: PaddingPlan,
        known: set[bytes],
        options: ProgramOptions,
    ) -> None:
        self._function, self._trace, self._arguments = function, trace, arguments
        self._plan, self._known, self._options = plan, known, options
        self.reference: Record | None = None

    def traced_elsewhere(self) -> Traced:
        """The function traced at other sizes of the same buckets."""
        plan = self._plan
        at_other = self._arguments._replace(leaves=plan.at_other_sizes(self._arguments.leaves))
        try:
            return self._trace(at_other)
        except Exception as error:
            raise BucketError(
                _NAME,
                f"{self._function} cannot be traced where {plan.sizes_text(plan.other_sizes())} "
                f"elements, which is in the same bucket as this call, where {plan.sizes_text()}: "
                f"{error}; name all arguments of this size in `bucket`, or leave it out",
                getattr(error, "location", ""),
            ) from error

    def is_known(self, digest: bytes, place: Placement) -> bool:
        """Whether another size of the bucket had the program of this digest.

        If not, it is compared with that of other sizes: raises `BucketError` where they differ.
        """
        if digest in self._known:
            return True
        other, mine = self.traced_elsewhere(), self._trace(self._arguments)
        ops, ops_of_other = expanded(mine), expanded(other)
        is_same = _may_compare((), (), ops, ops_of_other)
        options = self._options._replace(reference=ops if is_same else None)
        module = _lowered(other, options, place)
        if digest_of(module.operation) != digest:
            again = options._replace(reference=ops_of_other if is_same else None)
            one = _lowered(mine, again, place)
            if digest_of(one.operation) == digest:
                raise _read_error(self._function, self._plan, one, module)
        self._known.add(digest)
        return False


def _lowered(traced: Traced, options: ProgramOptions, place: Placement) -> ir.Module:
    """A program lowered as `compiled_program` lowers it."""
    program = traced.program
    with passes_lock:
        target = INTERPRETER if options.interpreted else place.client.target
        pad, stack = options.pad(), program.stacked
        lower(
            program.module, program.captured, target, options.donated, lambda _: None, pad,
            stack=stack,
        )  # fmt: skip
        forget_report(program.module)
        host_calls(program.module, program.callbacks)
    return program.module


_NAME = "jit"
_MOST = 1024  # buckets of one function


def _read_error(function: str, plan: PaddingPlan, one: ir.Module, other: ir.Module) -> BucketError:
    """The error for a program that depends on a size: names the first op that does."""
    found = _first_difference(one.body.operations, other.body.operations)
    sizes = f"where {plan.sizes_text()} elements"
    others = f"where {plan.sizes_text(plan.other_sizes())}"
    remedy = (
        "a bucket has one program, so nothing may depend on the size but through "
        "anvl.prim.get_dimension_size(x, dimension=0), which is a value of the program, or "
        "anvl.numpy.mean and its like; or leave the argument out of `bucket`"
    )
    if found is None:
        what = f"{function}: its program is another one {sizes} than {others}; {remedy}"
        return BucketError(_NAME, what)
    a, b = found
    location = str(a.location)
    was, is_ = _what_differs(a, b)
    what = (
        f"{function} reads the size of a bucketed axis: {a.name} at {place_in(location)} has {was} "
        f"{sizes}, and {is_} {others}; {remedy}"
    )
    return BucketError(_NAME, what, location)


def _first_difference(
    ours: Iterable[Any], theirs: Iterable[Any]
) -> tuple[ir.Operation, ir.Operation] | None:
    """The first ops, in order, that differ in more than their place."""
    for a, b in zip(ours, theirs, strict=False):
        one, other = a.operation, b.operation
        for x, y in zip(one.regions, other.regions, strict=False):
            for p, q in zip(x.blocks, y.blocks, strict=False):
                found = _first_difference(p.operations, q.operations)
                if found is not None:
                    return found
        if one.name == "func.func":
            continue
        if _facts(one) != _facts(other):
            return one, other
    return None


def _facts(op: ir.Operation) -> dict[str, str]:
    """Name, attributes and types of an op, as text."""
    attributes = {name: str(op.attributes[name]) for name in op.attributes}
    return {**attributes, "type": ", ".join(str(y.type) for y in op.results), "op": op.name}


def _what_differs(one: ir.Operation, other: ir.Operation) -> tuple[str, str]:
    """The first fact in which two ops differ, in words, of both."""
    a, b = _facts(one), _facts(other)
    name = next((n for n in a if a[n] != b.get(n)), "op")
    if name == "op":
        return "its place", f"{b['op']} stands in its place"
    noun = "the result " if name == "type" else f"{name} = "
    return f"{noun}{a[name]}", b.get(name, "none")
