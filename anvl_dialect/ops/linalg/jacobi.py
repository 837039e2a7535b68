"""`eigh` and `svd` for every plugin, by Jacobi's method, as loops of StableHLO.

Each round rotates n / 2 pairs of columns at once, elementwise; n - 1 rounds, a sweep, cover every
pair.  The members of a stack share their rounds.  It ends after a sweep without a rotation.

Sources: C. Jacobi (1846); G. Golub, C. Van Loan, Matrix Computations (4th ed., 2013), section 8.5,
for the rotation and the two-sided method of `eigh`, and 8.6 for the one-sided one of `svd`; R.
Brent, F. Luk, The solution of singular-value and symmetric eigenvalue problems on multiprocessor
arrays, SIAM J. Sci. Stat. Comput. 6 (1985), for rounds of disjoint pairs and their order; J.
Demmel, K. Veselic, Jacobi's method is more accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992),
for the relative bound that ends the one-sided method.
"""

from collections.abc import Callable

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import dtype_name, element_type, numpy_of, tensor
from anvl.dialect.ops.array.sorting import argsort, taken_along
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.linalg.linalg_fallback import (
    compared,
    count_to,
    divided,
    first_axes,
    flat,
    largest_part,
    lengths,
    or_nan,
    reflected,
    reflections,
    repeated,
    unflat,
)
from anvl.dialect.ops.linalg.matrices import (
    columns,
    columns_scaled,
    conj,
    ct,
    diagonal,
    hermitian_part_in_range,
    identity,
    is_complex,
    padded,
    permuted_rows,
    real_of,
    rows,
    scaled,
    transposed,
    upper,
)

__all__ = ["eigh", "eigvalsh", "svd", "svdvals"]

# Convergence is quadratic: 6 to 10 sweeps suffice for hundreds of rows.  Members that have not
# converged after this many are NaN.
_MOST_SWEEPS = 60


# -- eigh ------------------------------------------------------------------------------------------


def eigh(x: Value) -> list[Value]:
    """Eigenvalues, ascending, and eigenvectors of the Hermitian part."""
    n = x.type.shape[-1]
    unit = identity(tensor((*flat(x).type.shape[:1], n + n % 2, n + n % 2), x.type.element_type))
    w, good, v = _diagonal_form(x, unit)
    order = _order(w, "LT")
    return _answers(x, good, _taken(w, order), _columns_taken(v, order))


def eigvalsh(x: Value) -> Value:
    """Eigenvalues of the Hermitian part, ascending."""
    w, good = _diagonal_form(x)
    return _answers(x, good, _taken(w, _order(w, "LT")))[0]


def _diagonal_form(x: Value, *vectors: Value) -> list[Value]:
    """Unordered eigenvalues, which members are valid, and with `vectors` = 1 the eigenvectors."""
    a, unscale, finite = _prepared(x)
    n = a.type.shape[-1]
    size = n + n % 2  # the padding row and column of zeros are never rotated
    a = padded(hermitian_part_in_range(a), size, size)
    limit = _lengths_of_all(a)
    limit = emit.mul(limit, full_like(limit, _eps(a)))
    converged, a, *vectors_now = _swept(size, _turn_both_sides, limit, a, *vectors)
    w = columns(_real(diagonal(a)), 0, n)
    turned = (columns(rows(v, 0, n), 0, n) for v in vectors_now)
    return [emit.mul(w, first_axes(unscale, w)), and_(finite, converged), *turned]


def _turn_both_sides(a: Value, *vectors: Value) -> tuple[Value, list[Value]]:
    """One round of `eigh`: the largest element annihilated, and the new state."""
    half = a.type.shape[-1] // 2
    above, below = rows(a, 0, half), rows(a, half, 2 * half)
    off = diagonal(columns(above, half, 2 * half))
    first = _real(diagonal(columns(above, 0, half)))
    second = _real(diagonal(columns(below, half, 2 * half)))
    turn = _rotation(first, second, off)
    a = _next_pairs(_rotated(a, *turn))
    a = ct(_next_pairs(_rotated(ct(a), *turn)))
    turned = [_next_pairs(_rotated(v, *turn)) for v in vectors]
    return emit.max(emit.abs(off), axes=(1,)), [a, *turned]


def _lengths_of_all(a: Value) -> Value:
    """Frobenius norm of each matrix."""
    size = emit.abs(a)
    return emit.sqrt(emit.sum(emit.mul(size, size), axes=(1, 2)))


# -- svd -------------------------------------------------------------------------------------------


def svd(x: Value, full_matrices: bool) -> list[Value]:
    """Singular value decomposition: u, s and vt."""
    *_, m, n = x.type.shape
    if m < n:
        u, s, vt = svd(ct(x), full_matrices)
        return [ct(vt), s, ct(u)]
    a, unscale, finite = _prepared(x)
    packed, taus = reflections(a)
    square = upper(rows(packed, 0, n)) if m > n else a
    unit = identity(tensor((a.type.shape[0], n + n % 2, n + n % 2), a.type.element_type))
    converged, square, v = _with_orthogonal_columns(square, unit)
    s = lengths(square)
    order = _order(s, "GT")
    u = _directions(_columns_taken(square, order))
    if m > n:
        u = reflected(packed, taus, _bordered(u, m, m if full_matrices else n))
    s, v = emit.mul(_taken(s, order), first_axes(unscale, s)), _columns_taken(v, order)
    return _answers(x, and_(finite, converged), u, s, ct(v))


def svdvals(x: Value) -> Value:
    """Singular values, descending."""
    *_, m, n = x.type.shape
    if m < n:
        return svdvals(ct(x))
    a, unscale, finite = _prepared(x)
    square = upper(rows(reflections(a)[0], 0, n)) if m > n else a
    converged, square, *_ = _with_orthogonal_columns(square)
    s = lengths(square)
    s = emit.mul(_taken(s, _order(s, "GT")), first_axes(unscale, s))
    return _answers(x, and_(finite, converged), s)[0]


def _with_orthogonal_columns(a: Value, *vectors: Value) -> list[Value]:
    """Convergence by member, a v with orthogonal columns, and with `vectors` = 1 v itself."""
    batch, n, _ = a.type.shape
    size = n + n % 2  # the padding column of zeros is never rotated
    limit = full(real_of(a.type, (batch,)), float(np.sqrt(n)) * _eps(a))
    converged, *turned = _swept(size, _turn_columns, limit, padded(a, n, size), *vectors)
    return [converged, *(columns(rows(y, 0, n), 0, n) for y in turned)]


def _turn_columns(a: Value, *vectors: Value) -> tuple[Value, list[Value]]:
    """One round of `svd`: the largest cosine between two columns, and the new state."""
    half = a.type.shape[-1] // 2
    x, y = columns(a, 0, half), columns(a, half, 2 * half)
    of_x, of_y = (_real(emit.sum(emit.mul(conj(z), z), axes=(1,))) for z in (x, y))
    across = emit.sum(emit.mul(conj(x), y), axes=(1,))
    # Columns whose squares underflow are far below the rounding of the longest.
    shortest = emit.minimum(of_x, of_y)
    is_short = compared(shortest, full_like(shortest, _tiny(a) / _eps(a)), "LE")
    sizes = emit.select(is_short, full_like(of_x, 1), emit.mul(emit.sqrt(of_x), emit.sqrt(of_y)))
    cosines = emit.select(is_short, zeros_like(of_x), emit.div(emit.abs(across), sizes))
    turn = _rotation(of_x, of_y, emit.select(is_short, zeros_like(across), across))
    turned = [_next_pairs(_rotated(z, *turn)) for z in (a, *vectors)]
    return emit.max(cosines, axes=(1,)), turned


def _directions(a: Value) -> Value:
    """Normalize orthogonal columns, longest first; any basis where they are 0.

    Reflections make each orthogonal to the preceding ones, to rounding, however short it is.
    """
    packed, taus = reflections(a)
    q, ends = reflected(packed, taus, identity(a.type)), _real(diagonal(packed))
    is_negative = compared(ends, zeros_like(ends), "LT")
    return columns_scaled(q, emit.select(is_negative, full_like(ends, -1), full_like(ends, 1)))


def _bordered(u: Value, m: int, count: int) -> Value:
    """Extend u to m rows and `count` columns, with a unit matrix at the lower right."""
    batch, _, n = u.type.shape
    if count == n:
        return padded(u, m, n)
    unit = identity(tensor((batch, m, m), u.type.element_type))
    return emit.concatenate(padded(u, m, n), columns(unit, n, m), dimension=2)


# -- sweeps ----------------------------------------------------------------------------------------


def _swept(
    size: int, turn: Callable[..., tuple[Value, list[Value]]], limit: Value, *state: Value
) -> list[Value]:
    """Sweep until all members are within their limits.

    `turn(*state)` is one round, and returns the maximum that it found for each member, and the new
    state.  Returns which members converged, and the state.
    """

    def goes_on(count: Value, worst: Value, limit: Value, *_: Value) -> Value:
        moving = emit.any(compared(worst, limit, "GT"), axes=(0,))
        return and_(compared(count, full_like(count, _MOST_SWEEPS), "LT"), moving)

    def sweep(count: Value, worst: Value, limit: Value, *state: Value) -> list[Value]:
        def one_round(_: Value, worst: Value, *state: Value) -> list[Value]:
            found, turned = turn(*state)
            return [emit.maximum(worst, found), *turned]

        swept = count_to(size - 1, one_round, zeros_like(worst), *state)
        return [emit.add(count, full_like(count, 1)), swept[0], limit, *swept[1:]]

    count = full(tensor((), element_type("i32")), 0)
    start = [count, full_like(limit, float("inf")), limit, *state]
    _, worst, limit, *state_now = repeated(goes_on, sweep, *start)
    return [compared(worst, limit, "LE"), *state_now]


def _rotation(first: Value, second: Value, off: Value) -> tuple[Value, Value]:
    """c and s for which (c, s; -conj(s), c) diagonalizes (first, off; conj(off), second).

    The smaller of the two angles, without which sweeps need not converge.
    """
    size = emit.abs(off)
    is_zero = compared(size, full_like(size, 4 * _tiny(off)), "LE")
    one, divisor = full_like(size, 1), emit.select(is_zero, full_like(size, 1), size)
    cotangent = emit.div(emit.sub(second, first), emit.add(divisor, divisor))
    far = emit.abs(cotangent)
    is_far = compared(far, full_like(far, 1 / _eps(off)), "GT")
    root = emit.select(is_far, far, emit.sqrt(emit.add(one, emit.mul(far, far))))
    is_negative = compared(cotangent, zeros_like(cotangent), "LT")
    tangent = emit.div(emit.select(is_negative, emit.neg(one), one), emit.add(far, root))
    tangent = emit.select(is_zero, zeros_like(tangent), tangent)
    c = emit.rsqrt(emit.add(one, emit.mul(tangent, tangent)))
    return c, scaled(off, emit.div(emit.mul(tangent, c), divisor))


def _rotated(x: Value, c: Value, s: Value) -> Value:
    """Rotate the pairs of columns i and n / 2 + i."""
    half = x.type.shape[-1] // 2
    first, second = columns(x, 0, half), columns(x, half, 2 * half)
    return emit.concatenate(
        emit.sub(columns_scaled(first, c), columns_scaled(second, conj(s))),
        emit.add(columns_scaled(first, s), columns_scaled(second, c)),
        dimension=x.type.rank - 1,
    )


def _next_pairs(x: Value) -> Value:
    """Reorder columns into new pairs: the first stays, the others rotate around it."""
    half = x.type.shape[-1] // 2
    if half == 1:
        return x
    parts = (0, 1), (half, half + 1), (1, half - 1), (half + 1, 2 * half), (half - 1, half)
    moved = [columns(x, start, limit) for start, limit in parts if start < limit]
    return emit.concatenate(*moved, dimension=x.type.rank - 1)


# -- scaling and results ------------------------------------------------------------------------


def _prepared(x: Value) -> tuple[Value, Value, Value]:
    """Scale members by powers of 2 so that their largest elements are 1 to 2.

    Returns the stack, the powers, and which members are finite.
    """
    a = flat(x)
    largest = largest_part(a, (1, 2))
    bits, exponent = _EXPONENTS[np.dtype(numpy_of(largest.type.element_type)).itemsize]
    pattern = emit.bitcast_convert(largest, dtype=bits)
    power = and_(pattern, full_like(pattern, exponent))
    power = emit.bitcast_convert(power, dtype=dtype_name(largest.type.element_type))
    power = emit.maximum(power, full_like(power, _tiny(a)))
    return divided(a, power), power, emit.is_finite(largest)


_EXPONENTS = {4: ("i32", 0x7F800000), 8: ("i64", 0x7FF0000000000000)}


def _answers(x: Value, good: Value, *ys: Value) -> list[Value]:
    """Reshape results to the stack of x; NaN for members that are not valid."""
    return [unflat(y, x.type.shape[:-2]) for y in or_nan(good, *ys)]


def _order(w: Value, direction: str) -> Value:
    return argsort(w, 1, lambda x, y: compared(x, y, direction))


def _taken(w: Value, order: Value) -> Value:
    return taken_along(w, order, 1)


def _columns_taken(v: Value, order: Value) -> Value:
    return transposed(permuted_rows(transposed(v), order))


def _real(x: Value) -> Value:
    return emit.real(x) if is_complex(x) else x


def _eps(x: Value) -> float:
    return float(np.finfo(numpy_of(x.type.element_type)).eps)


def _tiny(x: Value) -> float:
    """Smallest normal number."""
    return float(np.finfo(numpy_of(x.type.element_type)).tiny)
