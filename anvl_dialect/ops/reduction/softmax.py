"""`logsumexp`, `softmax`, `log_softmax`: normalized exponentials along axes.

No exponential overflows.  An element of +inf has no weight but NaN, the others beside it 0; -inf
among larger elements has weight 0; where all are -inf, there is NaN.

Where one element far outweighs the others, the logarithm and the derivatives, which are almost 0,
are rounded as numbers near 1.  Adding up the other elements separately, in a branch, would keep
their digits, but was measured to take 2.3 times as long (cross entropy of 64 rows of 32,000), in
values and in gradients.
"""

import sys
from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.attributes import IGNORES_NAN, SMALL_DIVISOR, promised
from anvl.dialect.core.create import full_like
from anvl.dialect.core.families import check_axes, check_kind
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import numpy_dtype, shape_text, tensor, without_axes
from anvl.dialect.ops.elementwise.elementary import add, exp, log, mul, sub
from anvl.dialect.ops.elementwise.upcast import in_wide
from anvl.dialect.ops.reduction.reduce import broadcast_along

__all__ = ["LogSoftmaxOp", "LogsumexpOp", "SoftmaxOp"]

_LARGEST = {32: 2.0**128 - 2.0**104, 64: sys.float_info.max}  # of the floats that have a `value`


class Exponentials(AnvlOp):
    """Base of the ops here.  Subclasses define `value`, for floats of at least 32 bits."""

    x: Operand
    axes: Ints
    y: Result
    singularity_convention = "NaN where an element is +inf, or all are -inf"

    @classmethod
    def result_type(cls, x: Any, axes: Any) -> Any:
        check_kind(cls.short_name, x, "float")
        check_axes(f"{cls.short_name}: axes {shape_text(axes)}", axes, x.rank, x)
        return x

    @classmethod
    def lower(cls, hlo: Any, x: Value, axes: Any) -> Value:
        return in_wide(lambda x: cls.value(hlo, x, axes), x)

    @classmethod
    def value(cls, hlo: Any, x: Value, axes: Any) -> Value:
        raise NotImplementedError

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], axes: Any) -> Value:
        return cls.build(xs[0], axes=tuple(a + 1 for a in axes))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], axes: Any) -> Any:
        return deps.along(xs[0], axes)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], axes: Any) -> Any:
        """The exponential of -infinity is 0."""
        if len(pads.op.results[0].type.shape) < len(xs[0].shape):
            x, left = pads.reduced(xs[0], axes)
        else:
            x = pads.widened(xs[0], pads.wanted)
            left = x.axes
        return cls.build(pads.masked(x, float("-inf"), axes), axes=axes), left

    @classmethod
    def sample(cls, draw: Any) -> Any:
        rows = {"axes": (1,)}
        (first,) = draw.calls(([draw.floats(2, 3)], rows))
        infinite = np.array([[np.inf, 0.0, np.inf], [-1.0, np.inf, 2.0]])
        calls = draw.calls(
            ([draw.floats(2, 3, 2)], {"axes": (0, 2)}),
            ([draw.floats(2, 1)], rows),
            ([draw.floats(2, 0)], rows),
            ([draw.floats()], {"axes": ()}),
            *[([draw.floats(2, 3).astype(numpy_dtype(d))], rows) for d in ("f32", "f16", "bf16")],
        )
        return [first._replace(special=[[infinite]]), *calls]


class LogsumexpOp(Exponentials, name="logsumexp"):
    """log(sum(exp(x))) along `axes`: the maximum plus the log of the sum of exp(x - maximum)."""

    @classmethod
    def result_type(cls, x: Any, axes: Any) -> Any:
        super().result_type(x, axes)
        return tensor(without_axes(x.shape, axes), x.element_type)

    @classmethod
    def value(cls, hlo: Any, x: Value, axes: Any) -> Value:
        lowered, largest = _lowered(hlo, x, axes)
        return add(largest, _log_total(lowered, axes))

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axes: Any
    ) -> Value | None:
        (t,), (x,) = ts, xs
        return None if t is None else emit.sum(mul(t, emit.softmax(x, axes=axes)), axes=axes)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, axes: Any) -> Sequence[Any]:
        (x,) = xs
        return [mul(broadcast_along(g, x, axes), emit.softmax(x, axes=axes))]

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], axes: Any) -> Any:
        return deps.reduced(xs[0], axes)


class SoftmaxOp(Exponentials, name="softmax"):
    """exp(x) / sum(exp(x)) along `axes`."""

    @classmethod
    def value(cls, hlo: Any, x: Value, axes: Any) -> Value:
        # By the sum itself: with a choice between the sum and the quotient XLA's compiler for
        # GPUs makes three kernels of this, where it makes one.
        raised = exp(_lowered(hlo, x, axes)[0])
        total = broadcast_along(emit.sum(raised, axes=axes), x, axes)
        share = hlo("divide", raised, total, type=x.type)
        return promised(share, SMALL_DIVISOR)

    @classmethod
    def _times_jacobian(cls, v: Value, y: Value, axes: Any) -> Value:
        """Multiply v by the Jacobian, which is symmetric: y (v - sum(v y))."""
        return mul(y, sub(v, broadcast_along(emit.sum(mul(v, y), axes=axes), y, axes)))

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axes: Any
    ) -> Value | None:
        return None if ts[0] is None else cls._times_jacobian(ts[0], y, axes)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, axes: Any) -> Sequence[Any]:
        return [cls._times_jacobian(g, y, axes)]


class LogSoftmaxOp(Exponentials, name="log_softmax"):
    """x - logsumexp(x) along `axes`."""

    @classmethod
    def value(cls, hlo: Any, x: Value, axes: Any) -> Value:
        lowered, _ = _lowered(hlo, x, axes)
        return sub(lowered, broadcast_along(_log_total(lowered, axes), x, axes))

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axes: Any
    ) -> Value | None:
        """t - sum(exp(y) t)."""
        (t,) = ts
        if t is None:
            return None
        return sub(t, broadcast_along(emit.sum(mul(t, exp(y)), axes=axes), y, axes))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, axes: Any) -> Sequence[Any]:
        """g - softmax(x) sum(g)."""
        shares = emit.softmax(xs[0], axes=axes)
        return [sub(g, mul(shares, broadcast_along(emit.sum(g, axes=axes), y, axes)))]


def _lowered(hlo: Any, x: Value, axes: Any) -> tuple[Value, Value]:
    """Subtract the maximum, or the largest or lowest number if it is infinite.  Also returns it.

    Where an element is NaN, the sum of exponentials is NaN without it.  A choice between two
    numbers for each element would make the elements of +inf 0, whose shares are then those of
    equals; but XLA's library has no choices, and a softmax that is one call of it was two, with a
    loop between them: of 10,000 rows of 10 it took 1.3 to 1.5 times as long.
    """
    largest = _LARGEST[x.type.element_type.width]
    start = hlo.constant(tensor([], x.type.element_type), -largest)
    found = promised(hlo.reduce([x], [start], axes, "maximum")[0], IGNORES_NAN)
    limit = full_like(found, largest)
    finite = promised(hlo("minimum", found, limit, type=found.type), IGNORES_NAN)
    return sub(x, broadcast_along(finite, x, axes)), finite


def _log_total(lowered: Value, axes: Any) -> Value:
    """Logarithm of the sum of exponentials scaled so that the largest is 1."""
    return log(emit.sum(exp(lowered), axes=axes))
