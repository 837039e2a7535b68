"""Predicates and selection: compare, select, clamp, is_finite and its relatives.

Source: StableHLO specification, ops `compare`, `select`, `clamp`, `is_finite`; CHLO `is_inf`,
`is_pos_inf`, `is_neg_inf`.
"""

import operator
from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like, number_of, zeros_like
from anvl.dialect.core.families import (
    Elementwise,
    add_tangents,
    check_kind,
    remedy,
    with_batch_axis,
)
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Direction
from anvl.dialect.core.types import dtype_name, element_type, kind, tensor
from anvl.dialect.interpreters.masking import Masked
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.elementwise.table import ANY, Unary

__all__ = ["ClampOp", "CompareOp", "SelectOp"]

_ORDERED = "bool int uint float"


class Predicate(Unary):
    """Elementwise test of x with a bool result.  It has no derivative."""

    passes = (None,)
    zero_derivative_reason = "a bool"
    kinds = "float"
    domains = (ANY,)

    @classmethod
    def result_type(cls, x: Any) -> Any:
        return _bools_like(super().result_type(x))


class IsFiniteOp(Predicate, name="is_finite"):
    """Test whether each element is neither infinite nor NaN.  StableHLO `is_finite`."""

    hlo = "is_finite"


class IsInfOp(Predicate, name="is_inf"):
    """Test whether each element is infinite.  CHLO `is_inf`."""

    hlo = "chlo.is_inf"


class IsPosInfOp(Predicate, name="is_pos_inf"):
    """Test whether each element is +infinity.  CHLO `is_pos_inf`."""

    hlo = "chlo.is_pos_inf"


class IsNegInfOp(Predicate, name="is_neg_inf"):
    """Test whether each element is -infinity.  CHLO `is_neg_inf`."""

    hlo = "chlo.is_neg_inf"


class CompareOp(Elementwise, name="compare"):
    """Compare elementwise: `direction` is EQ, NE, GE, GT, LE or LT.  StableHLO `compare`.

    Complex numbers support EQ and NE only; bools are ordered False < True.
    """

    x: Operand
    y: Operand
    comparison_direction: Direction
    z: Result
    hlo = "compare"
    kinds = f"{_ORDERED} complex"
    passes = (None, None)
    zero_derivative_reason = "a bool"
    domains = (ANY, ANY)
    cheap = True

    @classmethod
    def result_type(cls, x: Any, y: Any, comparison_direction: str) -> Any:
        super().result_type(x, y)
        if kind(x.element_type) == "complex" and comparison_direction not in ("EQ", "NE"):
            raise TypeError(
                f"compare: complex numbers have no order, {comparison_direction} of {x}; "
                "compare abs or real parts"
            )
        return _bools_like(x)

    @classmethod
    def lift_rest(cls, op: ir.Operation) -> Sequence[Value] | None:
        """Lift a comparison in the total order of floats, except in the comparator of a sort."""
        x, y = op.operands
        known = set(op.attributes) == {"comparison_direction", "compare_type"}
        if not known or str(op.attributes["compare_type"]) != _TOTAL:
            return None
        if dtype_name(x.type.element_type) not in _BITS or op.parent.name in OPS:
            return None
        direction = Direction.decode(op.attributes["comparison_direction"])
        return [emit.compare(_rank(x), _rank(y), comparison_direction=direction)]

    @classmethod
    def fold(cls, x: Any, y: Any, comparison_direction: str) -> Any:
        return getattr(operator, comparison_direction.lower())(x, y)

    @classmethod
    def tangent(cls, ts: Any, xs: Any, y: Value, comparison_direction: str) -> None:
        return None

    @classmethod
    def adjoint(cls, g: Value, xs: Any, y: Value, comparison_direction: str) -> Sequence[Any]:
        return [None, None]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        kinds = {d: cls.kinds for d in ("EQ", "NE")} | {
            d: _ORDERED for d in ("GE", "GT", "LE", "LT")
        }
        return [
            call
            for direction, of in kinds.items()
            for call in draw.elementwise(of, cls.domains, {"comparison_direction": direction})
        ]


_TOTAL = "#stablehlo<comparison_type TOTALORDER>"
_BITS = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64}


def _rank(x: Value) -> Value:
    """Map floats to integers in their total order: -NaN, -inf, ..., -0, +0, ..., +inf, NaN.

    A float is a sign bit and a magnitude: where the sign is set, the magnitude bits are inverted,
    so that a larger magnitude compares less.
    Source: IEEE 754-2019, section 5.10.
    """
    width = _BITS[dtype_name(x.type.element_type)]
    bits = emit.bitcast_convert(x, dtype=f"i{width}")
    of_sign = emit.shift_right_arithmetic(bits, full_like(bits, width - 1))
    return emit.xor(bits, emit.shift_right_logical(of_sign, full_like(bits, 1)))


def _bools_like(x: Any) -> Any:
    return tensor(x.shape, element_type("bool"))


class SelectOp(AnvlOp, name="select"):
    """Select elementwise: `y[i] = on_true[i] if pred[i] else on_false[i]`; `pred` may be a scalar.

    StableHLO `select`.
    """

    pred: Operand
    on_true: Operand
    on_false: Operand
    y: Result
    hlo = "select"
    singularity_convention = (
        "the side not selected gets 0, even where its own derivative is infinite or NaN"
    )
    diagonal = True
    preserves_zeros = True
    moves_elements = True
    cheap = True

    @classmethod
    def result_type(cls, pred: Any, on_true: Any, on_false: Any) -> Any:
        if kind(pred.element_type) != "bool":
            raise TypeError(f"select: pred is {pred}; it must hold bools")
        if on_true != on_false:
            raise TypeError(
                f"select: the two sides differ in type: {on_true}, {on_false}; "
                f"{remedy(on_true, [on_false])}"
            )
        if pred.rank != 0 and pred.shape != on_true.shape:
            raise TypeError(
                f"select: pred is {pred} but the sides are {on_true}; "
                "it must be a scalar or have their shape"
            )
        return on_true

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        pred, _, _ = xs
        return [
            None,
            Masked(g, ((pred, True),)),
            Masked(g, ((pred, False),)),
        ]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Any:
        pred, (_, on_true, on_false) = xs[0], ts
        if on_true is None and on_false is None:
            return None
        if on_false is None:
            return Masked(on_true, ((pred, True),))
        if on_true is None:
            return Masked(on_false, ((pred, False),))
        return emit.select(pred, on_true, on_false)

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool]) -> Value:
        pred, *sides = xs
        on_true, on_false = _lifted_like(batched, pred, sides)
        if not batched[0] and pred.type.rank == 0:
            return emit.select(pred, on_true, on_false)
        (pred,) = _broadcast_to(on_true, [(pred, batched[0])])
        return emit.select(pred, on_true, on_false)

    @classmethod
    def fold(cls, pred: Any, on_true: Any, on_false: Any) -> Any:
        return np.where(pred, on_true, on_false)

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any]) -> Any:
        _, on_true, on_false = xs
        chosen = number_of(makers[0])
        if on_true == on_false or chosen is not None:
            return on_false if chosen is False else on_true
        return None

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.bools(2, 3), draw.floats(2, 3), draw.floats(2, 3)], {}),
            ([~draw.bools(), draw.floats(2, 3), draw.floats(2, 3)], {}),
            ([draw.bools(), draw.floats(), draw.floats()], {}),
            ([draw.bools(2), draw.ints(2), draw.ints(2)], {}),
            ([draw.bools(0, 2), draw.floats(0, 2), draw.floats(0, 2)], {}),
        )


def _lifted_like(batched: Sequence[bool], pred: Value, sides: Sequence[Value]) -> list[Value]:
    """Give both sides the batch axis: from each other, or from `pred` where neither has one."""
    if any(batched[1:]):
        return with_batch_axis(sides, batched[1:])
    return with_batch_axis([pred, *sides], batched)[1:]


def _broadcast_to(like: Value, values: Sequence[tuple[Value, bool]]) -> list[Value]:
    """Broadcast each value, with or without a leading batch axis, to the shape of `like`."""
    shape = tuple(like.type.shape)
    return [
        v
        if tuple(v.type.shape) == shape
        else emit.broadcast_in_dim(v, shape=shape, broadcast_dimensions=_kept_axes(v, has_axis))
        for v, has_axis in values
    ]


def _kept_axes(v: Value, has_axis: bool) -> tuple[int, ...]:
    return tuple(range(v.type.rank)) if has_axis else tuple(range(1, v.type.rank + 1))


class ClampOp(AnvlOp, name="clamp"):
    """Clamp elementwise: `y[i] = min(max(x[i], low), high)`.  StableHLO `clamp`.

    The bounds may be scalars.  The derivative in x is 1 at a bound; where an operand is NaN, the
    derivative is 0 in all operands.
    """

    low: Operand
    x: Operand
    high: Operand
    y: Result
    hlo = "clamp"
    kinds = _ORDERED
    singularity_convention = "1 to `x` at a bound; 0 where an operand is NaN"
    preserves_zeros = True
    selects_elements = True

    @classmethod
    def result_type(cls, low: Any, x: Any, high: Any) -> Any:
        check_kind("clamp", x, cls.kinds)
        for name, bound in (("low", low), ("high", high)):
            if bound.element_type != x.element_type or bound.shape not in ([], x.shape):
                raise TypeError(
                    f"clamp: {name} is {bound} but the operand is {x}; "
                    "a bound is a scalar or has the operand's shape, and its dtype"
                )
        return x

    @classmethod
    def fold(cls, low: Any, x: Any, high: Any) -> Any:
        return np.minimum(np.maximum(x, low), high)

    @classmethod
    def _masked(cls, xs: Sequence[Value], part: Value, position: int) -> Value:
        """`part` where operand `position` (0 low, 1 x, 2 high) determines the result, else zero.

        If low > high the result is `high`, since `min` is applied last; a NaN comes from no
        operand.
        """
        low, x, high = (v for v in _broadcast_to(xs[1], [(v, False) for v in xs]))
        if position == 0:
            below = emit.compare(x, low, comparison_direction="LT")
            decides = and_(below, emit.compare(low, high, comparison_direction="LE"))
        elif position == 1:  # not by x == y: see Note [Numbers that are compared]
            above = emit.compare(low, x, comparison_direction="LE")
            decides = and_(above, emit.compare(x, high, comparison_direction="LE"))
        else:
            decides = emit.compare(emit.maximum(x, low), high, comparison_direction="GT")
        return emit.select(decides, part, zeros_like(part))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [lambda i=i, x=x: _summed_to(cls._masked(xs, g, i), x) for i, x in enumerate(xs)]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        return add_tangents(
            [
                cls._masked(xs, _broadcast_to(y, [(t, False)])[0], i)
                for i, t in enumerate(ts)
                if t is not None
            ]
        )

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool]) -> Value:
        like = with_batch_axis(xs, batched)[1]
        return emit.clamp(*_broadcast_to(like, list(zip(xs, batched, strict=True))))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any]) -> Any:
        return deps.union(*xs)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any]) -> Any:
        return pads.elementwise(cls.build, xs)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def between(*shape: int, of_bounds: Sequence[int] = ()) -> tuple[list[Any], dict[str, Any]]:
            low = draw.floats(*of_bounds, within=(-1.5, -0.5))
            high = draw.floats(*of_bounds, within=(0.5, 1.5))
            return [low, draw.floats_off(low, high, shape=shape), high], {}

        return draw.calls(between(2, 3, of_bounds=(2, 3)), between(2, 3), between(), between(0))


def _summed_to(part: Value, x: Value) -> Value:
    """Sum `part` to a scalar if the bound `x` is a scalar."""
    if x.type.rank == part.type.rank:
        return part
    return emit.sum(part, axes=tuple(range(part.type.rank)))
