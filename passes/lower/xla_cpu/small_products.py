"""Products of many small matrices, as sums of elementwise products."""

from functools import lru_cache, reduce
from math import prod
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import DotDimensions, Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import Hlo, runs_once

__all__ = ["are_static_floats", "is_small", "is_stack", "write_small_products"]

# Note [Products of many small matrices]
#
# XLA:CPU calls a function for each matrix of a batch, which takes 0.2 to 1 us of small ones: 1,000
# products of 4 x 4 take as long as one of 300 x 300.  Only very small ones it writes out, and those
# of at least 512 products of numbers it hands to YNNPACK, unless the first operand is transposed.
# (So it is in derivatives.)  As elementwise ops
#
#     z[:, i, j] = sum_k x[:, i, k] * y[:, k, j]      becomes
#     z = x[:, :, 0, None] * y[:, 0, None, :] + x[:, :, 1, None] * y[:, 1, None, :] + ...
#
# they are vectorized, and fused with what is around them.
#
# Times, before and after (jaxlib 0.10.2, two cores of an AMD EPYC, f32): 1,000 products of 4 x 4
# 500 to 900 us -> 20, of 7 x 7 1,100 -> 95, of 8 x 8 135 -> 54, transposed 530 -> 60; 64 of 4 x 4
# 42 -> 7; in f64 220 -> 20 and 320 -> 90.  A Kalman filter of four states over 50 steps, batched by
# 1,000, takes 80 ms -> 9, its gradient 230 -> 28; the same of 8 filters 3.6 -> 1.2.  The place of
# an arm's end with six joints, batched by 1,000: 2.6 ms -> 0.3, its gradient 7.8 -> 0.6.
#
# A product is a kernel then, 20 ms more to compile, so outside of loops it takes more than a few.
# A barrier behind it keeps it from being computed anew in each term of the next one: without, the
# gradient of 40 products of 8 x 8 took 18 s to compile (0.8 as calls).  Within loops there is no
# barrier: gradients of loops over 4 to 16 products took 0.3 to 0.7 s (0.1 to 0.5 as calls).  A
# program of many such products sums along an axis, which is a call of YNNPACK for all matrices:
#
#     z = sum(x[:, :, None, :] * y[:, None, :, :], -1)      (of y with its last axes swapped)
#
# The gradient of 60 products of 4 x 4, of 128 matrices, compiles in 0.8 s so (0.95 as calls) and
# runs in 1.9 ms (11 as calls).

_PRODUCT, _BARRIER = "stablehlo.dot_general", "stablehlo.optimization_barrier"
_FEWEST, _FEWEST_IN_LOOP = 64, 8  # matrices
_MOST_SUMMED = 16
#: Products of numbers in a product of matrices; the second, if the first operand is transposed.
_MOST, _MOST_TRANSPOSED = 512, 4096
_MOST_TERMS = 256  # of all such sums of a program
_FEWEST_ADDED = 4096  # products of numbers, that YNNPACK adds up

_hlo = Hlo("")


def write_small_products(module: ir.Operation) -> None:
    """Write batches of products of small matrices elementwise, or as sums along an axis."""
    found = [(op, axes) for op in find(module, _PRODUCT) if (axes := _written_axes(op)) is not None]
    n_terms = sum(op.operands[0].type.shape[i] for op, (i, _) in found)
    write = _terms if n_terms <= _MOST_TERMS else _sum
    for op, (i, j) in found:
        if write is _sum and not _is_added_faster(op, i):
            continue
        with op.context, op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(write(op, i, j))
        op.erase()


def _written_axes(op: ir.Operation) -> tuple[int, int] | None:
    """The axis of each operand that is summed over, of a product to write in another form."""
    (x, y), z = op.operands, op.results[0].type
    axes = _summed(x.type, y.type, z, op.attributes["dot_dimension_numbers"])
    if axes is None or "algorithm" in op.attributes:
        return None
    return axes if is_stack(op, prod(z.shape[:-2])) else None


def is_stack(op: ir.Operation, n_matrices: int) -> bool:
    """Whether an op multiplies so many matrices that these are worth kernels."""
    return n_matrices >= (_FEWEST if runs_once(op) else _FEWEST_IN_LOOP)


def _is_added_faster(op: ir.Operation, axis: int) -> bool:
    """Whether YNNPACK adds up what XLA would call a function for each matrix for."""
    x, z = op.operands[0].type, op.results[0].type
    is_transposed = axis == z.rank - 2
    n_products = prod(z.shape[-2:]) * x.shape[axis]
    is_called = is_transposed or n_products < _MOST
    return is_called and prod(z.shape[:-2]) * n_products >= _FEWEST_ADDED


@lru_cache(1024)
def _summed(x: Any, y: Any, z: Any, numbers: ir.Attribute) -> tuple[int, int] | None:
    """The axis of each operand that is summed over; None where XLA's own way is as fast.

    Batch axes come first.  Products of a matrix and a vector XLA writes out itself.
    """
    axes, n = DotDimensions.decode(numbers), z.rank - 2
    batch = tuple(range(n))
    is_plain = n > 0 and x.rank == y.rank == z.rank and len(axes.lhs_contracting) == 1
    if not is_plain or axes[:2] != (batch, batch) or not are_static_floats(x, y, z):
        return None
    (i,), (j,) = axes.lhs_contracting, axes.rhs_contracting
    k, rows, columns = x.shape[i], z.shape[n], z.shape[n + 1]
    most = _MOST_TRANSPOSED if i == n else _MOST
    return (i, j) if is_small(k, rows, columns, most) else None


def is_small(k: int, rows: int, columns: int, most: int = _MOST) -> bool:
    """Whether matrices are small enough for their product to be written out."""
    return 2 <= k <= _MOST_SUMMED and k * rows * columns <= most and min(rows, columns) >= 2


def are_static_floats(*types: Any) -> bool:
    """Whether arrays are of one type, f32 or f64, and of known shapes."""
    elements = {type_.element_type for type_ in types}
    is_float = isinstance(types[0].element_type, (ir.F32Type, ir.F64Type))
    return is_float and len(elements) == 1 and all(t.has_static_shape for t in types)


def _terms(op: ir.Operation, i: int, j: int) -> ir.Value:
    """A product as a sum of elementwise products."""
    (x, y), z = op.operands, op.results[0].type
    terms = [
        _hlo("multiply", _spread(x, i, k, z, -1), _spread(y, j, k, z, -2), type=z)
        for k in range(x.type.shape[i])
    ]
    total = reduce(lambda s, term: _hlo("add", s, term, type=z), terms)
    return ir.Operation.create(_BARRIER, [z], [total]).result if runs_once(op) else total


def _sum(op: ir.Operation, i: int, j: int) -> ir.Value:
    """A product as a sum along an axis of elementwise products."""
    (x, y), z = op.operands, op.results[0].type
    n, batch = z.rank, range(z.rank - 2)
    wide = tensor([*z.shape, x.type.shape[i]], z.element_type)
    xs, ys = [*batch, n - 2, n], [*batch, n - 1, n]
    if i == n - 2:
        xs[-2:] = n, n - 2
    if j == n - 2:
        ys[-2:] = n, n - 1
    factors = [
        _hlo("broadcast_in_dim", v, type=wide, broadcast_dimensions=Ints.encode(tuple(axes)))
        for v, axes in ((x, xs), (y, ys))
    ]
    zero = _hlo.constant(tensor([], z.element_type), 0.0)
    return _hlo.reduce([_hlo("multiply", *factors, type=wide)], [zero], (n,), "add")[0]


def _spread(x: ir.Value, axis: int, k: int, z: ir.Type, along: int) -> ir.Value:
    """The elements of x at k on an axis, repeated along an axis of z."""
    shape, ones = list(x.type.shape), (1,) * x.type.rank
    starts, limits = [0] * len(shape), list(shape)
    starts[axis], limits[axis] = k, k + 1
    there = [b - a for a, b in zip(starts, limits, strict=True)]
    part = _hlo(
        "slice",
        x,
        type=tensor(there, z.element_type),
        start_indices=Ints.encode(tuple(starts)),
        limit_indices=Ints.encode(tuple(limits)),
        strides=Ints.encode(ones),
    )
    del there[axis]
    part = _hlo("reshape", part, type=tensor(there, z.element_type))
    kept = [a for a in range(z.rank) if a != z.rank + along]
    return _hlo("broadcast_in_dim", part, type=z, broadcast_dimensions=Ints.encode(tuple(kept)))
