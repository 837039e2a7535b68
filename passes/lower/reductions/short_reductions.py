"""Reductions of few elements on the CPU: as elementwise ops of slices, or as one loop each."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import inf, prod
from typing import Any

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import DotDimensions, Ints
from anvl.dialect.core.types import kind, tensor, without_axes
from anvl.passes.framework.walk import Found, find
from anvl.passes.lower.hlo_builder import Hlo, maker
from anvl.passes.lower.library_calls.handed_over import is_large_array
from anvl.passes.lower.reductions.joined_reductions import combining

__all__ = ["IN_ONE_LOOP", "NAMES", "mark_reductions_in_one_loop", "unroll_short_reductions"]

# Note [Reductions of few elements]
#
# XLA:CPU hands reductions of large arrays to YNNPACK, each as a call of its own, whose operands and
# results are written to memory.  Where each result is made of few elements, as in a pool or a sum
# over the three coordinates of points, the calls take most of the time.  As ops of slices,
#
#     y = reduce(x, axes=[1], add)      becomes      y = ((0 + x[:, 0]) + x[:, 1]) + x[:, 2]
#
# the same elements are combined in the same order, in one fusion with whatever reads them.  (On
# one core, f32, jaxlib 0.10.2: 65,536 sums of 2 to 4 take 0.15 to 0.25 of the time; maxima, which
# then need no guard either (Note [NaN in large reductions]), 0.1 to 0.16; value and gradient of a
# softmax over 2 or 4, 0.43 and 0.51, of a pool of 2 x 2, 0.7 to 0.9.)  Of more elements each
# fusion may compute the result anew for each of its readers: sums of 8 in a chain took 1.4 times
# as long.  Sums and products of f16 and bf16 stay: XLA adds them up in f32.
#
# A loop takes its operands as arrays.  A result that it reads, and ops around it, too, is left to
# YNNPACK: it is stored in any case, and each of the others would compute it anew.
#
# A sum that counts a mask, `x == broadcast(y)` in the derivative of a maximum, compares the slices
# with y.  Slices of the mask would each be fused with all that makes it, y included: the gradient
# of a pool of 2 x 2 took 1.5 times as long to compile and to run.

# Note [Reductions in one loop]
#
# XLA:CPU divides each reduction over more than 32 elements that YNNPACK does not take, small ones
# and those of bools and integers, into one of windows of 32 and one of their results
# (`TreeReductionRewriter`).  Neither is fused with what makes the elements: so a sum of 48 sines is
# three kernels, each of which takes 35 to 70 ms of a processor to compile, where one loop is one
# kernel.  The division is there to add up many numbers in short sums.  But LLVM adds up in several
# sums in any case: the errors of 4,000 f32 are 8 eps in one loop, 3 divided, of 60 x 60, 21 and 75.
#
# So a program none of whose results of a reduction is made of more than 4,096 numbers, or 65,536
# where order makes no difference, gets an attribute, at which `executables.py` has XLA leave
# reductions whole.  Sums of floats over arrays of 4,096 elements and more do not count: YNNPACK
# takes all of these, whatever makes their elements.  Value and gradient of `eigh` and `solve`
# compile in 0.7 to 0.75 of the time, of a cross entropy of 1,000 classes in 0.76.

#: Attribute of modules whose reductions are best compiled as one loop each.
IN_ONE_LOOP = "anvl.reductions_in_one_loop"

NAMES = ("stablehlo.reduce",)
_MOST = 4  # elements of a result
_FEWEST = 4096  # elements in all: below, XLA hands nothing over
_FEWEST_GUARDED = 1024  # of maxima and minima: the bound of `handed_over`

_EXACT = ("stablehlo.maximum", "stablehlo.minimum", "stablehlo.and", "stablehlo.or")
_ROUNDED = ("stablehlo.add", "stablehlo.multiply")
_WINDOW = 32  # elements, to which XLA applies no division
_MOST_ROUNDED = 4096  # elements of a result in one loop
_MOST_EXACT = 65536
_DOT = "stablehlo.dot_general"  # of vectors: XLA makes it a reduction
_EXPANDED = ("stablehlo.batch_norm_grad", "stablehlo.batch_norm_training")  # too
_NARROW = ("f16", "bf16")

_BROADCAST, _CONSTANT = "stablehlo.broadcast_in_dim", "stablehlo.constant"
_WHILE = "stablehlo.while"
_OF_MASKS = ("stablehlo.compare", "stablehlo.convert", "stablehlo.select")

_hlo = Hlo("")


def mark_reductions_in_one_loop(module: ir.Operation) -> None:
    """Mark a module whose reductions XLA need not divide, if it would divide one."""
    found = find(module, *NAMES, *_EXPANDED)
    if any(op.name in _EXPANDED for op in found) or not _are_static(found):
        return
    reductions = [op for op in found if len(op.results) == 1]
    sizes = [(op, _elements(op)) for op in reductions if not _is_handed_over(op)]
    longest = max((n for _, n in sizes), default=0)
    if longest > _WINDOW and _are_short(sizes) and _are_short_products(find(module, _DOT)):
        module.attributes[IN_ONE_LOOP] = ir.UnitAttr.get(module.context)


def _are_static(ops: Sequence[ir.Operation]) -> bool:
    return all(op.operands[0].type.has_static_shape for op in ops)


def _is_handed_over(op: ir.Operation) -> bool:
    """Whether YNNPACK adds up the elements."""
    return is_large_array(op.operands[0].type) and combining(op) == _ROUNDED[0]


def _are_short(sizes: Sequence[tuple[ir.Operation, int]]) -> bool:
    return all(n <= _MOST_ROUNDED or n <= _most_in_one_loop(op) for op, n in sizes)


def _are_short_products(products: Sequence[ir.Operation]) -> bool:
    if not _are_static(products):
        return False
    return all(_contracted(op) <= _MOST_ROUNDED for op in products if _is_of_vectors(op))


def _most_in_one_loop(op: ir.Operation) -> int:
    """Of how many elements a result may be made in one loop."""
    name = combining(op)
    is_exact = name in _EXACT or kind(op.results[0].type.element_type) not in ("float", "complex")
    return _MOST_EXACT if is_exact else _MOST_ROUNDED


def _elements(op: ir.Operation) -> int:
    """How many elements make a result of a reduction."""
    return _size_of_axes(op.operands[0].type, op.attributes["dimensions"])


@lru_cache(1024)
def _size_of_axes(type_: Any, axes: ir.Attribute) -> int:
    return prod(type_.shape[a] for a in Ints.decode(axes))


def _is_of_vectors(op: ir.Operation) -> bool:
    """Whether each number of a product is that of two vectors of its own."""
    batching = DotDimensions.decode(op.attributes["dot_dimension_numbers"]).lhs_batching
    return prod(op.results[0].type.shape) == prod(op.operands[0].type.shape[a] for a in batching)


def _contracted(op: ir.Operation) -> int:
    contracting = DotDimensions.decode(op.attributes["dot_dimension_numbers"]).lhs_contracting
    return prod(op.operands[0].type.shape[a] for a in contracting)


def unroll_short_reductions(found: Found) -> None:
    """Replace reductions of at most `_MOST` elements a result by ops of slices."""
    kept = []
    for op in found[NAMES[0]]:
        name = _repeated(op)
        if name is None:
            kept.append(op)
            continue
        with op.context, op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(_combined(op, name))
        op.erase()
    found[NAMES[0]] = kept


def _repeated(op: ir.Operation) -> str | None:
    """The op that combines two elements, if the reduction is to be replaced."""
    x = op.operands[0].type
    if not _is_repeated(x) or len(op.results) != 1 or not 1 <= _elements(op) <= _MOST:
        return None
    name = combining(op)
    if not name or prod(x.shape) < _fewest(name, x.element_type):
        return None
    return None if _is_stored(op) else name


@lru_cache(1024)
def _is_repeated(type_: Any) -> bool:
    """Whether reductions of arrays of a type may be replaced."""
    return type_.has_static_shape and prod(type_.shape) >= min(_FEWEST, _FEWEST_GUARDED)


def _is_stored(op: ir.Operation) -> bool:
    """Whether a loop reads the result of an op, and ops around the loop do, too."""
    inner = {_is_of_loop(use.owner.operation, op) for use in op.results[0].uses}
    return inner == {True, False}


def _is_of_loop(reader: ir.Operation, op: ir.Operation) -> bool:
    """Whether an op that reads another's result is a loop, or stands in one around which it is."""
    return reader.name == _WHILE or reader.block != op.block


def _fewest(name: str, element: ir.Type) -> float:
    """From how many elements on reductions by an op are replaced."""
    if name in _EXACT:
        return _FEWEST_GUARDED
    is_narrow = kind(element) == "complex" or str(element) in _NARROW
    return _FEWEST if name in _ROUNDED and not is_narrow else inf


def _axes(op: ir.Operation) -> tuple[int, ...]:
    return Ints.decode(op.attributes["dimensions"])


def _combined(op: ir.Operation, name: str) -> ir.Value:
    x, start = op.operands
    sizes, axes = x.type.shape, _axes(op)
    type_ = tensor(without_axes(sizes, axes), x.type.element_type)
    y = _hlo("broadcast_in_dim", start, type=type_, broadcast_dimensions=Ints.encode(()))
    for places in product(*(range(n) if a in axes else (0,) for a, n in enumerate(sizes))):
        part = _part(x, axes, places)
        y = _hlo(name.removeprefix("stablehlo."), y, part, type=type_)
    return y


def _part(x: ir.Value, axes: tuple[int, ...], places: tuple[int, ...]) -> ir.Value:
    """The elements at `places` of some axes; of masks and what they select, made of such parts."""
    shape = without_axes(x.type.shape, axes)
    type_ = tensor(shape, x.type.element_type)
    op = maker(x)
    if op is None:
        pass
    elif op.name == _BROADCAST and _restores(op, axes, shape):
        return op.operands[0]
    elif op.name == _CONSTANT and getattr(attribute_of(op, "value"), "is_splat", False):
        number = op.attributes["value"].get_splat_value()
        return _hlo("constant", type=type_, value=ir.DenseElementsAttr.get_splat(type_, number))
    elif op.name in _OF_MASKS and all(v.type.shape == x.type.shape for v in op.operands):
        parts = [_part(v, axes, places) for v in op.operands]
        attributes = {name: op.attributes[name] for name in op.attributes.keys()}
        return _hlo(op.name.removeprefix("stablehlo."), *parts, type=type_, **attributes)
    return _hlo("reshape", _slice(x, axes, places), type=type_)


def _restores(op: ir.Operation, axes: tuple[int, ...], shape: Sequence[int]) -> bool:
    """Whether a broadcast gives back the axes that a reduction of its result removes."""
    kept = tuple(a for a in range(op.results[0].type.rank) if a not in axes)
    of_kept = Ints.decode(op.attributes["broadcast_dimensions"]) == kept
    return of_kept and list(op.operands[0].type.shape) == list(shape)


def _slice(x: ir.Value, axes: tuple[int, ...], places: tuple[int, ...]) -> ir.Value:
    sizes = x.type.shape
    kept = tensor([1 if a in axes else n for a, n in enumerate(sizes)], x.type.element_type)
    limits = [i + n for i, n in zip(places, kept.shape, strict=True)]
    return _hlo(
        "slice",
        x,
        type=kept,
        start_indices=Ints.encode(places),
        limit_indices=Ints.encode(tuple(limits)),
        strides=Ints.encode((1,) * len(sizes)),
    )
