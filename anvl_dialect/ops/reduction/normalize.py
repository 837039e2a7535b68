"""Batch normalization: each feature shifted and scaled to mean 0 and variance 1 over the batch.

StableHLO's three ops; their rules follow from their expansions, as the specification writes them.
Source: StableHLO specification, `batch_norm_training`, `batch_norm_inference`, `batch_norm_grad`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like
from anvl.dialect.core.families import add_tangents, check_axes, check_kind, with_batch_axis
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.params.window_params import F32
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.subprogram import jvp_of, vjp_of
from anvl.dialect.ops.array.axes import merged, taken_out
from anvl.dialect.ops.reduction.reduce import broadcast_along

__all__ = ["BatchNormGradOp", "BatchNormInferenceOp", "BatchNormTrainingOp"]


class BatchNorm(AnvlOp):
    """Base of the batch normalization ops.  Subclasses define `expansion`."""

    epsilon: F32
    feature_index: Int

    @classmethod
    def expansion(cls, *xs: Value, epsilon: float, feature_index: int) -> list[Value]:
        """Emit the results in terms of other ops."""
        raise NotImplementedError

    @classmethod
    def checked(cls, types: Sequence[Any], words: Sequence[str], feature_index: int) -> Any:
        """Validate the operands and return the type of a per-feature value."""
        x = types[0]
        check_kind(cls.short_name, x, "float")
        check_axes(f"{cls.short_name}: feature_index {feature_index}", (feature_index,), x.rank, x)
        each = tensor([x.shape[feature_index]], x.element_type)
        for word, found in zip(words, types[1:], strict=True):
            wanted = x if word == "grad_output" else each
            if found != wanted:
                raise TypeError(
                    f"{cls.short_name}: {word} is {found}; for feature_index {feature_index} of "
                    f"{x} it must be {wanted}"
                )
        return each

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Any, **params: Any) -> Any:
        found = jvp_of(lambda *vs: cls.expansion(*vs, **params), xs, ts)
        return found if cls.multiple_results else found[0]

    @classmethod
    def adjoint(cls, g: Any, xs: Sequence[Value], y: Any, **params: Any) -> Sequence[Any]:
        gs = g if cls.multiple_results else [g]
        return vjp_of(lambda *vs: cls.expansion(*vs, **params), xs, gs)

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], epsilon: float, feature_index: int
    ) -> Any:
        """Treat the members of the batch as more features."""
        every = with_batch_axis(xs, batched)
        count, rank = every[0].type.shape[0], every[0].type.rank
        at = {rank: feature_index, 2: 0}  # feature axis by rank; right also if x has rank 2
        found = cls.build(
            *[merged(x, at[x.type.rank]) for x in every],
            epsilon=epsilon,
            feature_index=feature_index,
        )
        if not cls.multiple_results:
            return taken_out(found, feature_index, count)
        return [taken_out(y, at[y.type.rank + 1], count) for y in found]


def _mean(x: Value, axes: tuple[int, ...]) -> Value:
    total_ = emit.sum(x, axes=axes)
    return emit.div(total_, full_like(total_, _count(x, axes)))


def _count(x: Value, axes: Sequence[int]) -> int:
    """Number of elements per feature."""
    count = 1
    for axis in axes:
        count *= x.type.shape[axis]
    return count


def _others(x: Value, feature_index: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(x.type.rank) if axis != feature_index)


def _deviation(variance: Value, epsilon: float) -> Value:
    return emit.sqrt(emit.add(variance, full_like(variance, epsilon)))


def _normalized(x: Value, mean: Value, variance: Value, epsilon: float, axes: Any) -> Value:
    centered = emit.sub(x, broadcast_along(mean, x, axes))
    return emit.div(centered, broadcast_along(_deviation(variance, epsilon), x, axes))


class BatchNormInferenceOp(BatchNorm, name="batch_norm_inference"):
    """Normalize with given statistics: (x - mean) / sqrt(variance + epsilon) scale + offset.

    Per feature.  StableHLO `batch_norm_inference`.
    """

    x: Operand
    scale: Operand
    offset: Operand
    mean: Operand
    variance: Operand
    y: Result
    hlo = "batch_norm_inference"

    @classmethod
    def result_type(cls, *types: Any, epsilon: float, feature_index: int) -> Any:
        cls.checked(types, ("scale", "offset", "mean", "variance"), feature_index)
        return types[0]

    @classmethod
    def expansion(cls, *xs: Value, epsilon: float, feature_index: int) -> list[Value]:
        x, scale, offset, mean, variance = xs
        axes = _others(x, feature_index)
        normalized = _normalized(x, mean, variance, epsilon, axes)
        scaled = emit.mul(normalized, broadcast_along(scale, x, axes))
        return [emit.add(scaled, broadcast_along(offset, x, axes))]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def operands(n: int, *shape: int) -> list[Any]:
            each = [draw.floats(n) for _ in range(3)]
            return [draw.floats(*shape), *each, draw.floats(n, within=(0.5, 2.0))]

        return draw.calls(
            (operands(2, 3, 2), {"epsilon": 0.125, "feature_index": 1}),
            (operands(3, 2, 3, 2), {"epsilon": 0.0, "feature_index": 1}),
            (operands(3, 3), {"epsilon": 0.5, "feature_index": 0}),
            (operands(2, 0, 2), {"epsilon": 0.5, "feature_index": 1}),
        )


class BatchNormTrainingOp(BatchNorm, name="batch_norm_training"):
    """Normalize with the batch's own mean and variance, which are also returned.

    StableHLO `batch_norm_training`.
    """

    x: Operand
    scale: Operand
    offset: Operand
    y: Result
    batch_mean: Result
    batch_variance: Result
    hlo = "batch_norm_training"

    @classmethod
    def result_type(cls, *types: Any, epsilon: float, feature_index: int) -> Any:
        each = cls.checked(types, ("scale", "offset"), feature_index)
        return [types[0], each, each]

    @classmethod
    def expansion(cls, *xs: Value, epsilon: float, feature_index: int) -> list[Value]:
        x, scale, offset = xs
        axes = _others(x, feature_index)
        mean = _mean(x, axes)
        centered = emit.sub(x, broadcast_along(mean, x, axes))
        variance = _mean(emit.mul(centered, centered), axes)
        y = BatchNormInferenceOp.expansion(
            x, scale, offset, mean, variance, epsilon=epsilon, feature_index=feature_index
        )
        return [*y, mean, variance]

    @classmethod
    def adjoint(
        cls, g: Sequence[Value | None], xs: Sequence[Value], y: Sequence[Value], epsilon: float,
        feature_index: int,
    ) -> Sequence[Any]:  # fmt: skip
        """`batch_norm_grad`, plus the cotangents through the mean and the variance."""
        (g_y, g_mean, g_variance), (x, scale, _), (_, mean, variance) = g, xs, y
        axes = _others(x, feature_index)
        parts: list[Any] = [None, None, None]
        if g_y is not None:
            parts = list(
                emit.batch_norm_grad(
                    x, scale, mean, variance, g_y, epsilon=epsilon, feature_index=feature_index
                )
            )
        through = [parts[0]]
        count = _count(x, axes)
        if g_mean is not None:
            through.append(broadcast_along(emit.div(g_mean, full_like(g_mean, count)), x, axes))
        if g_variance is not None:
            slope = broadcast_along(emit.div(g_variance, full_like(g_variance, count / 2)), x, axes)
            through.append(emit.mul(slope, emit.sub(x, broadcast_along(mean, x, axes))))
        return [add_tangents(through), *parts[1:]]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def operands(n: int, *shape: int) -> list[Any]:
            return [draw.floats(*shape), draw.floats(n), draw.floats(n)]

        return draw.calls(
            (operands(2, 4, 2), {"epsilon": 0.125, "feature_index": 1}),
            (operands(3, 2, 3, 2), {"epsilon": 0.0, "feature_index": 1}),
            (operands(3, 3, 2), {"epsilon": 0.5, "feature_index": 0}),
        )


class BatchNormGradOp(BatchNorm, name="batch_norm_grad"):
    """Cotangents of the operands of `batch_norm_training`, from the cotangent of its first result.

    StableHLO `batch_norm_grad`.
    """

    x: Operand
    scale: Operand
    mean: Operand
    variance: Operand
    grad_output: Operand
    grad_x: Result
    grad_scale: Result
    grad_offset: Result
    hlo = "batch_norm_grad"

    @classmethod
    def result_type(cls, *types: Any, epsilon: float, feature_index: int) -> Any:
        words = ("scale", "mean", "variance", "grad_output")
        each = cls.checked(types, words, feature_index)
        return [types[0], each, each]

    @classmethod
    def expansion(cls, *xs: Value, epsilon: float, feature_index: int) -> list[Value]:
        """Closed form in terms of the normalized operand z.

        grad_scale = sum(g z), grad_offset = sum(g), grad_x = scale / deviation (g - mean(g) - z
        mean(g z)).
        """
        x, scale, mean, variance, g = xs
        axes = _others(x, feature_index)
        z = _normalized(x, mean, variance, epsilon, axes)
        gz = emit.mul(g, z)
        slope = emit.div(scale, _deviation(variance, epsilon))
        rest = emit.sub(emit.sub(g, broadcast_along(_mean(g, axes), x, axes)),
                        emit.mul(z, broadcast_along(_mean(gz, axes), x, axes)))  # fmt: skip
        return [
            emit.mul(broadcast_along(slope, x, axes), rest),
            emit.sum(gz, axes=axes),
            emit.sum(g, axes=axes),
        ]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def operands(n: int, *shape: int) -> list[Any]:
            each = [draw.floats(n), draw.floats(n), draw.floats(n, within=(0.5, 2.0))]
            return [draw.floats(*shape), *each, draw.floats(*shape)]

        return draw.calls(
            (operands(2, 4, 2), {"epsilon": 0.125, "feature_index": 1}),
            (operands(3, 2, 3, 2), {"epsilon": 0.0, "feature_index": 1}),
            (operands(3, 3, 2), {"epsilon": 0.5, "feature_index": 0}),
        )
