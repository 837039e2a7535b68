"""Linear algebra for every plugin: factorisations expanded to StableHLO, as loops.

Where no routine of the platform is known (`lapack.py` has the CPU's), ops lower to this: `cholesky`
and `triangular_solve` to StableHLO's own ops, `lu` and `qr` to loops over columns; `jacobi.py` has
`eigh` and `svd`.  Unblocked, so for large matrices a tuned routine is much faster.  Products are
multiplied and summed in full precision: a plugin may round the operands of a dot.

Sources: G. Golub, C. Van Loan, Matrix Computations (4th ed., 2013), algorithms 3.4.1 (LU with
partial pivoting), 5.1.1 and 5.2.1 (Householder QR), section 5.1.6 (products of reflections).
LAPACK's conventions for the free choices: signs as in `larfg`, and the pivot of a complex column is
the largest by `|re| + |im|`, as in `izamax`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Bool, Transpose
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.linalg.matrices import (
    across_columns,
    across_rows,
    conj,
    diagonal,
    hermitian_part_in_range,
    identity,
    is_complex,
    lower,
    rows,
    scaled,
    upper,
)

__all__ = [
    "cholesky", "compared", "count_to", "divided", "first_axes", "flat", "largest_part", "lengths",
    "lu", "or_nan", "permutation_of", "qr", "reflected", "reflections", "repeated",
    "triangular_solve", "unflat",
]  # fmt: skip


# -- ops of StableHLO -------------------------------------------------------------------------


def cholesky(x: Value) -> Value:
    """Emit StableHLO `cholesky`; NaN for x that is not positive definite, where it is undefined."""
    made = ir.Operation.create(
        "stablehlo.cholesky", [x.type], [hermitian_part_in_range(x)], {"lower": Bool.encode(True)}
    )
    factor = lower(made.result)
    on_diagonal = diagonal(factor)
    if is_complex(x):
        on_diagonal = emit.real(on_diagonal)
    positive = compared(on_diagonal, zeros_like(on_diagonal), "GT")
    return or_nan(emit.all(positive, axes=(positive.type.rank - 1,)), factor)[0]


def triangular_solve(a: Value, b: Value, transpose_a: str, **flags: bool) -> Value:
    """Emit StableHLO `triangular_solve`."""
    attributes = {name: Bool.encode(value) for name, value in flags.items()}
    attributes["transpose_a"] = Transpose.encode(transpose_a)
    op = ir.Operation.create("stablehlo.triangular_solve", [b.type], [a, b], attributes)
    return op.result


# -- LU --------------------------------------------------------------------------------------------


def lu(x: Value) -> list[Value]:
    """x overwritten by its factors, the pivots, and their permutation."""
    *batch, m, n = x.type.shape
    k, a = min(m, n), flat(x)
    pivots = full(tensor((a.type.shape[0], k), element_type("i32")), 0)
    a, pivots = count_to(k, _eliminated, a, pivots)
    pivots = emit.reshape(pivots, shape=(*batch, k))
    return [unflat(a, batch), pivots, permutation_of(pivots, m)]


def _eliminated(i: Value, a: Value, pivots: Value) -> list[Value]:
    """Eliminate one column: swap its pivot to row i and reduce the rows below."""
    row = _places(a, 1)
    size = _sizes(_column(a, i))
    here = emit.iota(iota_dimension=1, shape=tuple(size.type.shape), dtype="i32")
    size = emit.select(_compared(here, i, "GE"), size, full_like(size, -1))
    pivot = emit.argmax(size, axis=1, dtype="i32")
    a = _with_rows_swapped(a, i, pivot)
    column, pivot_row = _column(a, i), _row(a, i)
    head = _chosen(column, _compared(here, i, "EQ"))
    # A pivot of 0 has only zeros below, which stay.
    head = emit.select(compared(head, zeros_like(head), "EQ"), full_like(head, 1), head)
    factors = across_columns(emit.div(column, first_axes(head, column)), a.type.shape[2])
    reduced = emit.sub(a, emit.mul(factors, across_rows(pivot_row, a.type.shape[1])))
    is_below, place = _compared(row, i, "GT"), _places(a, 2)
    a = emit.select(and_(is_below, _compared(place, i, "GT")), reduced, a)
    a = emit.select(and_(is_below, _compared(place, i, "EQ")), factors, a)
    step = emit.iota(iota_dimension=1, shape=tuple(pivots.type.shape), dtype="i32")
    is_step = _compared(step, i, "EQ")
    return [a, emit.select(is_step, first_axes(pivot, pivots), pivots)]


def _sizes(x: Value) -> Value:
    """|x|; for complex numbers |re| + |im|."""
    if not is_complex(x):
        return emit.abs(x)
    return emit.add(emit.abs(emit.real(x)), emit.abs(emit.imag(x)))


def _with_rows_swapped(a: Value, i: Value, pivot: Value) -> Value:
    row = _places(a, 1)
    is_i, is_pivot = _compared(row, i, "EQ"), _compared(row, pivot, "EQ")
    at_i = across_rows(_row(a, i), a.type.shape[1])
    at_pivot = emit.sum(emit.select(is_pivot, a, zeros_like(a)), axes=(1,))
    kept = emit.select(is_pivot, at_i, a)
    return emit.select(is_i, across_rows(at_pivot, a.type.shape[1]), kept)


def permutation_of(pivots: Value, count: int) -> Value:
    """Order of rows after swapping row i with row pivots[i], for each i in turn."""
    *batch, n = pivots.type.shape
    stack = emit.reshape(pivots, shape=(_product(batch), n))
    start = emit.iota(iota_dimension=1, shape=(_product(batch), count), dtype="i32")
    order, _ = count_to(n, _swap, start, stack)
    return emit.reshape(order, shape=(*batch, count))


def _swap(i: Value, order: Value, pivots: Value) -> list[Value]:
    """One step: swap the entries at i and at pivots[i], in each row."""
    position = emit.iota(iota_dimension=1, shape=tuple(order.type.shape), dtype="i32")
    step = emit.iota(iota_dimension=1, shape=tuple(pivots.type.shape), dtype="i32")
    pivot = _chosen(pivots, _compared(step, i, "EQ"))
    is_i, is_pivot = _compared(position, i, "EQ"), _compared(position, pivot, "EQ")
    at_i, at_pivot = _chosen(order, is_i), _chosen(order, is_pivot)
    kept = emit.select(is_pivot, first_axes(at_i, order), order)
    return [emit.select(is_i, first_axes(at_pivot, order), kept), pivots]


# -- QR --------------------------------------------------------------------------------------------


def qr(x: Value, full_matrices: bool) -> list[Value]:
    """QR factorisation: q and r, by Householder reflections."""
    *batch, m, n = x.type.shape
    packed, taus = reflections(flat(x))
    count = m if full_matrices else min(m, n)
    unit = identity(tensor((packed.type.shape[0], m, count), x.type.element_type))
    q, r = reflected(packed, taus, unit), upper(rows(packed, 0, count))
    return [unflat(q, batch), unflat(r, batch)]


def reflections(a: Value) -> tuple[Value, Value]:
    """r, with the vectors of the reflections below its diagonal, and their factors.

    Reflection i is `1 - tau v v^H`; v is 0 before its element i, which is 1 and not stored.
    """
    batch, m, n = a.type.shape
    taus = full(tensor((batch, min(m, n)), a.type.element_type), 0)
    a, taus = count_to(min(m, n), _reflect, a, taus)
    return a, taus


def _reflect(i: Value, a: Value, taus: Value) -> list[Value]:
    """Eliminate one column below row i by a reflection, and apply it to the following columns."""
    column = _column(a, i)
    v, tau, head = _reflection(i, column)
    others = _moved(a, v, conj(tau))
    row, place = _places(a, 1), _places(a, 2)
    after = and_(_compared(row, i, "GE"), _compared(place, i, "GT"))
    is_column = _compared(place, i, "EQ")
    below = and_(_compared(row, i, "GT"), is_column)
    on = and_(_compared(row, i, "EQ"), is_column)
    a = emit.select(after, others, a)
    a = emit.select(below, across_columns(v, a.type.shape[2]), a)
    a = emit.select(on, first_axes(head, a), a)
    step = emit.iota(iota_dimension=1, shape=tuple(taus.type.shape), dtype="i32")
    return [a, emit.select(_compared(step, i, "EQ"), first_axes(tau, taus), taus)]


def _reflection(i: Value, column: Value) -> tuple[Value, Value, Value]:
    """v, tau, and the real element i of the reflected column."""
    place = emit.iota(iota_dimension=1, shape=tuple(column.type.shape), dtype="i32")
    active = _compared(place, i, "GE")
    column = emit.select(active, column, zeros_like(column))
    # Scaled to size 1: squares of small or large numbers under- or overflow.
    size = _one_for_zero(largest_part(column, (1,)))
    column = divided(column, size)
    alpha = _chosen(column, _compared(place, i, "EQ"))
    tail = emit.select(_compared(place, i, "GT"), column, zeros_like(column))
    squares = emit.sum(_squares(tail), axes=(1,))
    length = emit.sqrt(emit.add(squares, _squares(alpha)))
    first = emit.real(alpha) if is_complex(alpha) else alpha
    is_positive = compared(first, zeros_like(first), "GE")
    beta = emit.select(is_positive, emit.neg(length), length)
    is_done = compared(squares, zeros_like(squares), "EQ")
    if is_complex(alpha):
        angle = emit.imag(alpha)
        is_done = and_(is_done, compared(angle, zeros_like(angle), "EQ"))
    beta = emit.select(is_done, first, beta)
    whole = _as(beta, alpha)
    one = full_like(alpha, 1)
    # tau as in LAPACK's `larfg`; the identity, tau = 0, if the column is reduced already.
    nonzero = emit.select(is_done, one, whole)
    tau = emit.select(is_done, zeros_like(alpha), emit.div(emit.sub(whole, alpha), nonzero))
    divisor = emit.select(is_done, one, emit.sub(alpha, whole))
    v = emit.div(tail, first_axes(divisor, tail))
    v = emit.select(_compared(place, i, "EQ"), full_like(v, 1), v)
    return v, tau, _as(emit.mul(beta, size), alpha)


def _moved(a: Value, v: Value, tau: Value) -> Value:
    """Apply a reflection: (1 - tau v v^H) a."""
    m, n = a.type.shape[1:]
    along = emit.sum(emit.mul(across_columns(conj(v), n), a), axes=(1,))
    factors = emit.mul(first_axes(tau, v), v)
    return emit.sub(a, emit.mul(across_columns(factors, n), across_rows(along, m)))


def reflected(packed: Value, taus: Value, y: Value) -> Value:
    """q y, where q is the product of all `reflections`."""
    k = taus.type.shape[1]

    def step(i: Value, y: Value, packed: Value, taus: Value) -> list[Value]:
        last = emit.sub(full_like(i, k - 1), i)
        column = _column(packed, last)
        place = emit.iota(iota_dimension=1, shape=tuple(column.type.shape), dtype="i32")
        v = emit.select(_compared(place, last, "GT"), column, zeros_like(column))
        v = emit.select(_compared(place, last, "EQ"), full_like(v, 1), v)
        at = emit.iota(iota_dimension=1, shape=tuple(taus.type.shape), dtype="i32")
        return [_moved(y, v, _chosen(taus, _compared(at, last, "EQ"))), packed, taus]

    return count_to(k, step, y, packed, taus)[0]


def lengths(x: Value) -> Value:
    """Lengths of the columns of (batch, m, n), without overflow or underflow."""
    size = _one_for_zero(largest_part(x, (1,)))
    columns = divided(x, across_rows(size, x.type.shape[1]))
    return emit.mul(size, emit.sqrt(emit.sum(_squares(columns), axes=(1,))))


def largest_part(x: Value, axes: Sequence[int]) -> Value:
    """Largest absolute value along axes, where complex numbers count as two."""
    if not is_complex(x):
        return emit.max(emit.abs(x), axes=tuple(axes))
    both = emit.maximum(emit.abs(emit.real(x)), emit.abs(emit.imag(x)))
    return emit.max(both, axes=tuple(axes))


def _one_for_zero(x: Value) -> Value:
    return emit.select(compared(x, zeros_like(x), "EQ"), full_like(x, 1), x)


def divided(x: Value, sizes: Value) -> Value:
    """Divide x by real numbers, of its shape or one per vector."""
    sizes = first_axes(sizes, x)
    if not is_complex(x):
        return emit.div(x, sizes)
    return emit.complex(emit.div(emit.real(x), sizes), emit.div(emit.imag(x), sizes))


def _squares(x: Value) -> Value:
    """|x|^2."""
    if not is_complex(x):
        return emit.mul(x, x)
    re, im = emit.real(x), emit.imag(x)
    return emit.add(emit.mul(re, re), emit.mul(im, im))


def _as(x: Value, like: Value) -> Value:
    """Convert real x to the dtype of `like`."""
    return scaled(full_like(like, 1), x) if is_complex(like) else x


# -- parts of stacks (batch, m, n) -------------------------------------------------------------


def flat(x: Value) -> Value:
    """Merge the batch axes of a stack of matrices into one."""
    *batch, m, n = x.type.shape
    return emit.reshape(x, shape=(_product(batch), m, n))


def unflat(x: Value, batch: Sequence[int]) -> Value:
    """Split the first axis into the batch axes."""
    return emit.reshape(x, shape=(*batch, *x.type.shape[1:]))


def first_axes(x: Value, like: Value) -> Value:
    """Broadcast x, whose axes are the first ones of `like`, along the others."""
    shape, axes = tuple(like.type.shape), tuple(range(x.type.rank))
    return emit.broadcast_in_dim(x, shape=shape, broadcast_dimensions=axes)


def or_nan(good: Value, *ys: Value) -> list[Value]:
    """Results, NaN for members of the stack that are not valid."""
    return [emit.select(first_axes(good, y), y, full_like(y, float("nan"))) for y in ys]


def _product(sizes: Sequence[int]) -> int:
    count = 1
    for n in sizes:
        count *= n
    return count


def _column(a: Value, i: Value) -> Value:
    batch, m, _ = a.type.shape
    zero = zeros_like(i)
    found = emit.dynamic_slice(a, zero, zero, i, slice_sizes=(batch, m, 1))
    return emit.reshape(found, shape=(batch, m))


def _row(a: Value, i: Value) -> Value:
    batch, _, n = a.type.shape
    zero = zeros_like(i)
    found = emit.dynamic_slice(a, zero, i, zero, slice_sizes=(batch, 1, n))
    return emit.reshape(found, shape=(batch, n))


def _places(a: Value, axis: int) -> Value:
    return emit.iota(iota_dimension=axis, shape=tuple(a.type.shape), dtype="i32")


def _chosen(x: Value, mask: Value) -> Value:
    """The one element of each row where the mask is true."""
    return emit.sum(emit.select(mask, x, zeros_like(x)), axes=(1,))


def _compared(x: Value, y: Value, direction: str) -> Value:
    """Compare x with one number, or with one for each of its first axes."""
    return compared(x, first_axes(y, x), direction)


def compared(x: Value, y: Value, direction: str) -> Value:
    """Compare x and y elementwise."""
    return emit.compare(x, y, comparison_direction=direction)


# -- loops -----------------------------------------------------------------------------------------


def count_to(n: int, step: Callable[..., Sequence[Value]], *state: Value) -> list[Value]:
    """State after `step(i, *state)` for i = 0, ..., n - 1."""

    def condition(i: Value, *_: Value) -> Value:
        return compared(i, full_like(i, n), "LT")

    def counted(i: Value, *state: Value) -> list[Value]:
        return [emit.add(i, full_like(i, 1)), *step(i, *state)]

    start = full(tensor((), element_type("i32")), 0)
    return repeated(condition, counted, start, *state)[1:]


def repeated(
    condition: Callable[..., Value], step: Callable[..., Sequence[Value]], *state: Value
) -> list[Value]:
    """State after `step(*state)` while the condition holds, by `stablehlo.while`.

    Neither may capture outer values: not every plugin can compile that.
    """
    types: list[Any] = [x.type for x in state]
    loop = ir.Operation.create("stablehlo.while", types, list(state), regions=2)
    bodies = (lambda *xs: [condition(*xs)]), step
    for region, body in zip(loop.regions, bodies, strict=True):
        block = region.blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
        with ir.InsertionPoint(block):
            ir.Operation.create("stablehlo.return", [], list(body(*block.arguments)))
    return list(loop.results)
