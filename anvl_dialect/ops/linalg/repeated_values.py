"""Rules for repeated eigenvalues and singular values, shared by `eigh`, `eig` and `svd`."""

from collections.abc import Sequence
from typing import Any, cast

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import numpy_of, tensor
from anvl.dialect.ops.elementwise.elementary import and_, or_
from anvl.dialect.ops.linalg.factorization_base import Factorisation
from anvl.dialect.ops.linalg.matrices import (
    across_columns,
    across_rows,
    as_complex,
    columns_scaled,
    is_complex,
    places,
    real_of,
    scaled,
)
from anvl.dialect.ops.reduction.last_axis import part

__all__ = [
    "ValuesAlone", "ValuesAndVectors", "basis_of", "completed", "inverse_gaps", "inverse_sums",
    "inverse_values", "is_repeated", "is_zero", "over_gaps",
]  # fmt: skip

# Note [Repeated values]
#
# The derivative of an eigenvector is a sum over the others with the factors 1 / (w_j - w_i).  If
# two eigenvalues are equal, their eigenvectors are an arbitrary basis of a plane, and have no
# derivative; the factor is then taken as 0.  That is right for every function of the matrix that
# does not depend on the choice of the basis and is symmetric in the equal values: symmetric
# functions of the eigenvalues, and projectors on the whole plane.  It omits a part of v f(w) v^H,
# whose derivative cannot be computed from w and v alone.  So if the derivatives of values and
# vectors are both requested, those of the vectors of repeated values are NaN: in forward mode their
# tangents, in reverse mode the whole gradient, unless the cotangents of such vectors and of their
# values are 0.  Write such functions without eigenvectors (`expm`, `matrix_power`).  A function of
# the vectors and the matrix alone, such as the values v^H x v, cannot be distinguished from a
# function of the planes by any rule: there the part is omitted.
#
# Equal means to rounding: they differ by at most n eps max|w|, LAPACK's error bound for two
# computed copies of one eigenvalue.  The same holds for singular values, where 1 / s is taken as 0
# if s is 0, and u f(s) v^H needs more than that if its vectors can move: out of the plane of the
# others, where there is room, or by a phase.  u v^H depends on sums of values alone: its
# derivative, and the second one of the sum of the values, are right for repeated values, too.
#
# The next derivative lacks the rotation of such a plane, which values and vectors do not determine,
# so it is NaN: the derivative of the factor, of the cotangents of repeated values, and in forward
# mode of their tangents.  A cotangent that depends on nothing is a weight, as of the sum of the
# values or of one that is not repeated: there nothing is lacking, and second derivatives are right,
# in reverse mode and in forward over reverse.


class ValuesAndVectors(Factorisation):
    """Base of ops whose results are values, at position `values`, and vectors that belong to them.

    Subclasses define `moved` and `undetermined`.  See Note [Repeated values].
    """

    #: Position of the values among the results; position of the vectors they belong to, which are
    #: the first factor; all vectors, with the axis along which one vector lies.
    values = 0
    basis = 1
    vectors = cast("dict[int, int]", {1: -2})

    @classmethod
    def undetermined(cls, *ys: Value, **params: Any) -> Sequence[Value]:
        """Mask of vectors with an undetermined derivative, for each entry of `vectors`."""
        raise NotImplementedError

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Any,
        active: Sequence[bool] | None = None, **params: Any,
    ) -> Any:  # fmt: skip
        ys = list(y)
        ys[cls.basis] = basis_of(ys[cls.basis], ys[cls.values])
        moved = super().tangent(ts, xs, ys, **params)
        if ts[0] is None or not cls._is_mixed([True] * len(ys) if active is None else active):
            return moved
        found = list(moved)
        for (i, axis), is_lost in zip(
            cls.vectors.items(), cls.undetermined(*y, **params), strict=True
        ):
            one = full(real_of(found[i].type, is_lost.type.shape), 1)
            factor = emit.select(is_lost, full_like(one, float("nan")), one)
            found[i] = scaled(found[i], _along(factor, found[i], axis))
        return found

    @classmethod
    def adjoint(cls, g: Any, xs: Sequence[Value], y: Any, **params: Any) -> Sequence[Any]:
        gs, of_values = list(g), g[cls.values]
        if of_values is not None:
            gs[cls.values] = _rough_where_repeated(of_values, y[cls.values])
        (of_x,) = super().adjoint(gs, xs, y, **params)
        if not cls._is_mixed([one is not None for one in g]):
            return [of_x]

        def masked() -> Value:
            found = of_x()
            pairs = zip(cls.vectors.items(), cls.undetermined(*y, **params), strict=True)
            for (i, axis), is_lost in pairs:
                if g[i] is not None:
                    is_met = and_(_along(is_lost, g[i], axis), _is_used(g[i], axis, of_values))
                    rank = is_met.type.rank
                    found = _nan_where(emit.any(is_met, axes=(rank - 2, rank - 1)), found)
            return found

        return [masked]

    @classmethod
    def _is_mixed(cls, active: Sequence[bool]) -> bool:
        """Whether the derivatives of values and of vectors are both requested."""
        return active[cls.values] and any(active[i] for i in cls.vectors)


class ValuesAlone(Factorisation):
    """Base of ops that return values without their vectors.  See Note [Repeated values]."""

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, **params: Any) -> Sequence[Any]:
        return super().adjoint(_rough_where_repeated(g, y), xs, y, **params)


# -- which vectors are undetermined ----------------------------------------------------------------


def is_repeated(w: Value) -> Value:
    """Whether each value is equal to another one, to rounding."""
    return emit.any(_is_tie(w), axes=(w.type.rank - 1,))


def is_zero(s: Value) -> Value:
    """Whether each singular value is 0, to rounding."""
    s = emit.stop_gradient(s)
    return _is_small(s, _tolerance(s))


def completed(flags: Value, count: int) -> Value:
    """Extend flags to the `count` vectors of a full basis; added ones depend on all others."""
    *batch, k = flags.type.shape
    if k == count:
        return flags
    some = emit.any(flags, axes=(len(batch),))
    rest = emit.broadcast_in_dim(
        some, shape=(*batch, count - k), broadcast_dimensions=tuple(range(len(batch)))
    )
    return emit.concatenate(flags, rest, dimension=len(batch))


def basis_of(v: Value, w: Value) -> Value:
    """Vectors v of the values w, with NaN derivatives for vectors of repeated values.

    Vectors that complete a basis are unchanged.
    """
    *batch, k = w.type.shape
    one = emit.add(full_like(w, 1), _rough_zero(w, is_repeated(w)))
    rest = v.type.shape[-1] - k
    if rest:
        ones = full(tensor((*batch, rest), w.type.element_type), 1)
        one = emit.concatenate(one, ones, dimension=len(batch))
    return columns_scaled(v, one)


def _is_used(of_vectors: Value, axis: int, of_values: Value) -> Value:
    """Whether the cotangent of each element of a vector, or of the vector's value, is nonzero.

    The vector's may be 0 because f(w) is.
    """
    values = _is_not_0(of_values)
    *batch, k = values.type.shape
    rest = of_vectors.type.shape[-1 if axis == -2 else -2] - k
    if rest:
        none = full(tensor((*batch, rest), values.type.element_type), 0)
        values = emit.concatenate(values, none, dimension=len(batch))
    return or_(_is_not_0(of_vectors), _along(values, of_vectors, axis))


def _is_not_0(x: Value) -> Value:
    return emit.compare(x, zeros_like(x), comparison_direction="NE")


def _along(x: Value, like: Value, axis: int) -> Value:
    """Broadcast one number or flag per vector to the vector's elements."""
    across = across_rows if axis == -2 else across_columns
    return across(x, like.type.shape[axis])


def _nan_where(flags: Value, x: Value) -> Value:
    """Replace flagged matrices by NaN."""
    nothing = full(real_of(x.type, flags.type.shape), 0)
    nan = emit.select(flags, full_like(nothing, float("nan")), nothing)
    nans = emit.broadcast_in_dim(
        nan, shape=tuple(x.type.shape), broadcast_dimensions=tuple(range(nan.type.rank))
    )
    return emit.add(x, as_complex(nans) if is_complex(x) else nans)


# -- inverses of possible zeros ----------------------------------------------------------------


def inverse_gaps(w: Value) -> Value:
    """[..., i, j]: 1 / (w[j] - w[i]); where equal, 0, with a NaN derivative if i and j differ.

    See Note [Repeated values].
    """
    gaps = _gaps(w)
    return emit.add(_inverse(gaps, _tolerance(w)), _rough_zero(gaps, _is_tie(w)))


def over_gaps(x: Value, w: Value) -> Value:
    """x times `inverse_gaps`, for real x as one quotient, by infinity where values are equal.

    A product with an inverse is more ops for each element: so many that XLA:CPU divides the loop of
    a 48 x 48 matrix between two threads, which takes longer to begin than the loop takes.
    """
    if is_complex(x):
        return scaled(x, inverse_gaps(w))
    gaps = _gaps(w)
    is_equal = _is_small(gaps, _tolerance(w))
    divisors = emit.select(is_equal, full_like(gaps, float("inf")), gaps)
    return emit.div(x, emit.add(divisors, _rough_zero(gaps, _is_tie(w))))


def _rough_where_repeated(x: Value, w: Value) -> Value:
    """x, one number per value in w, with NaN derivatives for repeated values."""
    return emit.add(x, _rough_zero(x, is_repeated(w)))


def _rough_zero(x: Value, pred: Value) -> Value:
    """0, whose derivative in x is NaN where `pred` is true, else 0."""
    step = emit.sub(x, emit.stop_gradient(x))
    if not is_complex(x):
        return emit.rough_zero(emit.select(pred, step, full_like(x, 1)))
    root = emit.sqrt(emit.select(pred, step, full_like(x, 1)))
    return emit.select(pred, emit.sub(root, root), zeros_like(x))


def _gaps(w: Value) -> Value:
    """[..., i, j]: w[j] - w[i]."""
    n = w.type.shape[-1]
    return emit.sub(across_rows(w, n), across_columns(w, n))


def _is_tie(w: Value) -> Value:
    """[..., i, j]: whether i and j differ and their values are equal to rounding."""
    gaps = emit.stop_gradient(_gaps(w))
    is_close = _is_small(gaps, _tolerance(emit.stop_gradient(w)))
    return and_(is_close, emit.compare(*places(gaps), comparison_direction="NE"))


def inverse_sums(s: Value) -> Value:
    """[..., i, j]: 1 / (s[j] + s[i]), and 0 where both are 0."""
    n = s.type.shape[-1]
    return _inverse(emit.add(across_rows(s, n), across_columns(s, n)), _tolerance(s))


def inverse_values(s: Value) -> Value:
    """[..., i]: 1 / s[i], and 0 where s[i] is 0."""
    return _inverse(s, _tolerance(s))


def _inverse(x: Value, tolerance: Value) -> Value:
    """1 / x, and 0 where |x| is at most the tolerance, one for each vector or matrix."""
    is_zero, one = _is_small(x, tolerance), full_like(x, 1)
    return emit.select(is_zero, zeros_like(x), emit.div(one, emit.select(is_zero, one, x)))


def _is_small(x: Value, tolerance: Value) -> Value:
    limit = emit.broadcast_in_dim(
        tolerance,
        shape=tuple(x.type.shape),
        broadcast_dimensions=tuple(range(tolerance.type.rank)),
    )
    return emit.compare(emit.abs(x), limit, comparison_direction="LE")


def _tolerance(w: Value) -> Value:
    """n eps max|w|, for each vector; real values are sorted, so it is that of the first or last."""
    size = emit.abs(w)
    *batch, n = w.type.shape
    eps = np.finfo(numpy_of(size.type.element_type)).eps
    if is_complex(w) or not n:
        largest = emit.max(size, axes=(len(batch),))
    else:
        ends = (part(size, i, i + 1) for i in (0, n - 1))
        largest = emit.maximum(*(reshaped(end, batch) for end in ends))
    return emit.mul(largest, full_like(largest, float(w.type.shape[-1] * eps)))
