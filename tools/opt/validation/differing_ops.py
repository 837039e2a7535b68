"""The ops that two versions of a function do not share, by the values that they compute.

Note [Values that are new]

Both versions run on the same inputs and return every value of their bodies.  Two values are equal
if they have the same elements, within the tolerances, for all inputs; by chance bools are, so there
are at least `_SETS` sets of inputs.

From a result that differs we go down both versions in step: to an operand that differs, as long as
both values are made by the same op with the same attributes.  Where an op with the same operands
makes another value, since they are swapped or an attribute has changed, it is found.

Where the versions compute in different steps, a value of the second is known if the first has an
equal one anywhere.  Whatever makes the result wrong lies between known values and the result: a
slice back from there that stops at known values holds it.  It may hold right ops too, of steps that
the first version does not take.  The first op of the slice has known operands only, but for
constants.

If the op that is found has regions, each is executed as a function in both versions, on the same
inputs: what the op reads from outside, its operands for the arguments of a loop, which are those of
its first step, and else random numbers.  Where results of a region differ, the op inside is found
in the same way; otherwise the op that has the regions is named.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.errors import AnvlError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import why_no_array
from anvl.dialect.interpreters.slices import backward_slice, values_read
from anvl.passes.expand.declarations import finish
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import functions_of, terminator_of
from anvl.passes.inline import Inline
from anvl.passes.pipelines.jit_pipeline import transformations
from anvl.passes.probe import ops_of
from anvl.passes.simplify_control_flow import SimplifyControlFlow
from anvl.tools.opt.print_options import PrintOptions, asm
from anvl.tools.opt.validation.region_functions import REGION, captures_of, region_module
from anvl.tools.opt.validation.validation_options import ValidationOptions
from anvl.tools.run.compare import compared_arrays, tolerance
from anvl.tools.run.executors import ProgramCrashed
from anvl.tools.run.random_runs import NotExecutable, run_of

__all__ = ["Blame", "blame"]

_SETS = 8
# Where each value is a result, XLA fuses an op with each of its users: without it, compiling 1,000
# ops takes 0.7 s in place of 4.9.
_UNFUSED = {
    "xla_backend_optimization_level": 0,
    "xla_disable_hlo_passes": "fusion,multi_output_fusion,cpu-instruction-fusion",
}
_SAMPLES = 16  # elements of each array that are looked at first
_SHOWN = PrintOptions(
    name_locs=True, local_scope=True, skip_regions=True, large_elements_limit=8
)  # fmt: skip


@dataclass(frozen=True)
class Blame:
    """The ops that make a result another one, as text.

    `result` is the number of the result; in a region, of what this returns.
    `first` is the first op of the second version that computes something new, None where it returns
    a value that the first version has elsewhere, `now`; `others` are those between it and the
    result.  `was` is what made the value before, and `lost` the ops of the first version whose
    values are gone.  `location` is that of the first op that is new, or lost.  `around` are the ops
    of the second version whose regions these are in, the outermost first.
    """

    result: int
    first: str | None
    others: tuple[str, ...]
    now: str
    was: str
    lost: tuple[str, ...]
    location: str
    around: tuple[str, ...] = ()


class _Version(NamedTuple):
    """A function whose body is executed: its ops, what it returned, and arrays of its values.

    `shown` are the ops that stand for them in text, if this is the region of another op.
    """

    module: ir.Module  # keeps the ops alive
    function: str
    ops: list[ir.Operation]
    returned: list[ir.Value]
    arrays: dict[ir.Value, "_Arrays"]
    shown: list[ir.Operation]

    def text(self, op: ir.Operation) -> str:
        """An op on one line."""
        return " ".join(asm(self.original(op), _SHOWN).split("\n"))

    def original(self, op: ir.Operation) -> ir.Operation:
        """The op that stands for one in text."""
        return self.shown[self.ops.index(op)]

    def maker(self, value: ir.Value) -> str:
        """What makes a value, as text."""
        if _is_argument(value):
            return f"argument {ir.BlockArgument(value).arg_number}"
        return self.text(_owner(value))


class _Arrays(NamedTuple):
    """A value for each set of inputs; they are compared flat, since a reshape computes nothing."""

    each: list[np.ndarray]

    @property
    def key(self) -> tuple[int, str]:
        return self.each[0].size, _kind(self.each[0])

    @property
    def sample(self) -> np.ndarray:
        """The first elements of each, as floats."""
        kind = np.complex128 if self.key[1] == "complex" else np.float64
        parts = [x.ravel()[:_SAMPLES].astype(kind) for x in self.each]
        return np.concatenate([np.concatenate([x.real, x.imag]) for x in parts])


def blame(
    before: ir.Module, after: ir.Module, function: str, result: int, options: ValidationOptions
) -> Blame:
    """The ops that change a result of a function; both modules are changed in place.

    Raises `NotExecutable` and `ProgramCrashed` if the values cannot be had.
    """
    first, second = (_executed(x, function, options) for x in (before, after))
    return _blame(second, first, result, options)


def _blame(second: _Version, first: _Version, result: int, options: ValidationOptions) -> Blame:
    pair = _Pair(second, first, options)
    now, was = pair.lowest(second.returned[result], first.returned[result])
    if pair.is_alike(now, was):
        new, lost = [_owner(now)], [_owner(was)]
    else:
        new = _unshared(second, now, _Index(first.arrays.values(), options))
        lost = _unshared(first, was, _Index(second.arrays.values(), options))
    blamed = _first(new)
    if blamed is None:
        location = str(lost[0].location) if lost else ""
        lines = tuple(map(first.text, lost))
        return Blame(result, None, (), second.maker(now), first.maker(was), lines, location)
    twin = next((op for op in lost if _are_alike(op, blamed)), None)
    inside = None if twin is None else _inside(second, first, blamed, twin, options)
    return inside or Blame(
        result,
        second.text(blamed),
        tuple(second.text(op) for op in new if op != blamed),
        second.maker(now),
        first.maker(was),
        tuple(map(first.text, lost)),
        str(blamed.location),
    )


def _first(new: Sequence[ir.Operation]) -> ir.Operation | None:
    """The first op, a constant only where there is nothing else."""
    found = next((op for op in new if len(op.operands) or len(op.regions)), None)
    return found if found is not None else next(iter(new), None)


def _inside(
    second: _Version, first: _Version, now: ir.Operation, was: ir.Operation,
    options: ValidationOptions,
) -> Blame | None:  # fmt: skip
    """The ops in the first region of an op that makes other values than it did; None if none does.

    None too where a region cannot be executed on its own.
    """
    operands = [second.arrays.get(x) for x in now.operands]
    for i in range(len(now.regions)):
        try:
            inner = [
                _region(x, op, i, operands, options) for x, op in ((second, now), (first, was))
            ]
        except (NotExecutable, ProgramCrashed, AnvlError, ir.MLIRError):
            continue
        if [len(x.returned) for x in inner] != [len(inner[0].returned)] * 2:
            continue
        pair = _Pair(inner[0], inner[1], options)
        for result, values in enumerate(zip(inner[0].returned, inner[1].returned, strict=True)):
            if not pair.are_equal(*values):
                found = _blame(inner[0], inner[1], result, options)
                return replace(found, around=(second.text(now), *found.around))
    return None


def _are_alike(one: ir.Operation, other: ir.Operation) -> bool:
    """Whether ops of one name have regions with the same arguments."""
    shapes = [
        [[x.type for x in block.arguments] for region in op.regions for block in region.blocks]
        for op in (one, other)
    ]
    return one.name == other.name and shapes[0] == shapes[1] and len(shapes[0]) == len(one.regions)


def _region(
    version: _Version, op: ir.Operation, number: int, operands: Sequence["_Arrays | None"],
    options: ValidationOptions,
) -> _Version:  # fmt: skip
    """A region of an op of a version, executed as a function of its arguments and captures."""
    original = version.original(op)
    block = original.regions[number].blocks[0]
    shown = [x.operation for x in block.operations][:-1]
    captures = captures_of(op.regions[number].blocks[0])
    known = [version.arrays.get(x) for x in captures]
    types = [x.type for x in block.arguments]
    of_loop = types == [x.type for x in op.operands]
    of_block = operands if of_loop else [None] * len(types)
    module = region_module(version.module, version.function, version.ops.index(op), number)
    arrays = dict(enumerate([*of_block, *known]))
    given = {i: x.each for i, x in arrays.items() if x is not None}
    return _version(module, REGION, options, shown, given)


def _owner(value: Any) -> ir.Operation:
    found: ir.Operation = value.owner.operation
    return found


class _Pair:
    """Two versions of a function, for going down both in step."""

    def __init__(self, second: _Version, first: _Version, options: ValidationOptions) -> None:
        self._second, self._first = second.arrays, first.arrays
        self._tolerances = options.rtol or None, options.atol or None

    def lowest(self, now: ir.Value, was: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The values to which two that differ can be followed down through the same ops."""
        while _is_step(now, was):
            below = [x for x in self._differing(now, was) if not any(map(_is_argument, x))]
            if not below:
                break
            now, was = below[0]
        return now, was

    def is_alike(self, now: ir.Value, was: ir.Value) -> bool:
        """Whether an op makes one from the operands, in some order, that it made the other from."""
        return _is_same_op(now, was) and not self._differing(now, was)

    def _differing(self, now: ir.Value, was: ir.Value) -> list[tuple[ir.Value, ir.Value]]:
        """Operands of the makers of two values that the other maker does not have."""
        pairs = zip(values_read(_owner(now)), values_read(_owner(was)), strict=True)
        left = [(x, y) for x, y in pairs if not self.are_equal(x, y)]
        others = [y for _, y in left]
        found = []
        for x, _ in left:
            twin = next((i for i, y in enumerate(others) if self.are_equal(x, y)), None)
            if twin is None:
                found.append(x)
            else:
                del others[twin]
        return list(zip(found, others, strict=True))

    def are_equal(self, now: ir.Value, was: ir.Value) -> bool:
        """Whether a value of the second version has the elements of one of the first."""
        if now not in self._second or was not in self._first:
            return False
        one, other = self._second[now], self._first[was]
        return one.key == other.key and _are_close(one, other, *self._tolerances)


def _is_same_op(now: ir.Value, was: ir.Value) -> bool:
    """Whether ops of one name, which read as many values, make both values."""
    if _is_argument(now) or _is_argument(was):
        return False
    one, other = _owner(now), _owner(was)
    numbers = ir.OpResult(now).result_number, ir.OpResult(was).result_number
    counts = len(values_read(one)), len(values_read(other))
    return one.name == other.name and numbers[0] == numbers[1] and counts[0] == counts[1]


def _is_step(now: ir.Value, was: ir.Value) -> bool:
    """Whether ops that compute the same of their operands make both values."""
    return _is_same_op(now, was) and _contents(_owner(now)) == _contents(_owner(was))


def _is_argument(value: ir.Value) -> bool:
    return isinstance(value.owner, ir.Block)


def _contents(op: ir.Operation) -> list[tuple[str, dict[str, Any]]]:
    """Names and attributes of an op and of those in its regions."""
    found = []

    def note(inner: ir.Operation) -> ir.WalkResult:
        attributes = inner.attributes
        found.append((inner.name, {name: attributes[name] for name in attributes.keys()}))
        return ir.WalkResult.ADVANCE

    op.walk(note, ir.WalkOrder.PRE_ORDER)
    return found


def _executed(module: ir.Module, function: str, options: ValidationOptions) -> _Version:
    """Expand and inline what a function calls, and execute it with all values as results."""
    needed = [x for x in transformations() if not isinstance(x, SimplifyControlFlow)]
    Pipeline([*needed, Inline()]).run(module, verify_each=True)
    return _version(module, function, options)


def _version(
    module: ir.Module,
    function: str,
    options: ValidationOptions,
    shown: list[ir.Operation] | None = None,
    given: Mapping[int, Sequence[np.ndarray]] = MappingProxyType({}),
) -> _Version:
    entry = functions_of(module.operation)[function]
    block = entry.regions[0].blocks[0]
    returned, ops = list(terminator_of(block).operands), ops_of(entry)
    values = [*block.arguments, *(y for op in ops for y in op.results)]
    values = [y for y in values if why_no_array(y.type) is None]
    with entry.location:
        finish(entry, [*returned, *values])
    draws = replace(options.draws, count=max(options.inputs, _SETS), options=_UNFUSED)
    run = run_of(module.operation, function, draws, given)
    columns = zip(*(arrays[len(returned) :] for arrays in run.values), strict=True)
    arrays = dict(zip(values, map(_Arrays, map(list, columns)), strict=True))
    return _Version(module, function, ops, returned, arrays, ops if shown is None else shown)


def _unshared(version: _Version, value: ir.Value, other: "_Index") -> list[ir.Operation]:
    """The ops of a version between a value and those that the other version has too."""
    known = [value for value, arrays in version.arrays.items() if other.has(arrays)]
    found = backward_slice(version.ops, [value], known, whole_ops=True)
    return [op.operation for op in found.ops]


class _Index:
    """The values of a version, by size and kind."""

    def __init__(self, values: Iterable[_Arrays], options: ValidationOptions) -> None:
        self._rtol, self._atol = options.rtol or None, options.atol or None
        self._values: defaultdict[tuple[int, str], list[_Arrays]] = defaultdict(list)
        for arrays in values:
            self._values[arrays.key].append(arrays)
        self._samples = {
            key: np.stack([x.sample for x in group]) for key, group in self._values.items()
        }

    def has(self, arrays: _Arrays) -> bool:
        """Whether the version has a value that is close for all inputs."""
        if arrays.key not in self._samples:
            return False
        near = self._near(self._samples[arrays.key], arrays)
        group = self._values[arrays.key]
        limits = self._rtol, self._atol
        return any(_are_close(arrays, group[i], *limits) for i in np.flatnonzero(near))

    def _near(self, samples: np.ndarray, arrays: _Arrays) -> np.ndarray:
        """The values that may be close, by their first elements: comparing all takes long."""
        dtypes = {x.each[0].dtype for x in self._values[arrays.key]} | {arrays.each[0].dtype}
        allowed = max(tolerance(*dtypes), self._rtol or 0.0)
        mine = arrays.sample
        with np.errstate(invalid="ignore"):
            limit = 2 * allowed * (np.abs(samples) + 1) + (self._atol or 0.0)
            far = np.abs(samples - mine) > limit
        far |= np.isnan(samples) != np.isnan(mine)
        return ~np.any(far, axis=1)


def _are_close(one: _Arrays, other: _Arrays, rtol: float | None, atol: float | None) -> bool:
    pairs = zip(one.each, other.each, strict=True)
    return all(compared_arrays(x.ravel(), y.ravel(), rtol, atol).is_close for x, y in pairs)


def _kind(array: np.ndarray) -> str:
    if not tolerance(array.dtype):
        return str(array.dtype)
    return "complex" if array.dtype.kind == "c" else "float"
