"""A program under transformations, each as one function of arrays that can be lowered.

slopes        values, tangents by `jvp`, cotangents by `vjp`
batched       any of these under `vmap`, along an axis of each array
curvature     the Hessian of a sum of all results times a direction, in every nesting of modes
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import anvl
import anvl.numpy as anp
from anvl.testing.random_programs.compare.array_values import cotangent, kind_of, tangent
from anvl.testing.random_programs.draw_programs.generate import ANVL
from anvl.testing.random_programs.programs import Program

__all__ = ["Axes", "Directions", "batched", "curvature", "members", "slopes", "slopes_of_batch"]

Function = Callable[..., list[Any]]


class Directions(NamedTuple):
    """Directions of the inputs of a program, and weights of its results.

    `moving` and `weighed` are the positions of the inputs and of the results that have a
    derivative.
    """

    moving: list[int]
    weighed: list[int]
    tangents: list[np.ndarray]
    cotangents: list[np.ndarray]

    @staticmethod
    def of(program: Program, outputs: Sequence[Any], seed: int) -> Directions:
        """Directions for a program whose results have these abstract values."""
        xs = list(program.inputs.values())
        moving = [i for i, x in enumerate(xs) if kind_of(x.dtype) in "fc"]
        kinds = [(y.shape, np.dtype(y.dtype)) for y in outputs]
        weighed = [i for i, (_, dtype) in enumerate(kinds) if kind_of(dtype) in "fc"]
        return Directions(
            moving,
            weighed,
            [tangent(seed + i, xs[i]) for i in moving],
            [cotangent(seed + i, *kinds[i]) for i in weighed],
        )


def slopes(program: Program, of: Directions) -> Function:
    """Values, then a tangent for each differentiable result, then a cotangent for each input."""
    return _slopes(program.function(ANVL), len(program.inputs), of)


def _slopes(f: Function, n: int, of: Directions) -> Function:
    def function(*arrays: Any) -> list[Any]:
        xs, rest = arrays[:n], arrays[n:]
        ts, gs = rest[: len(of.moving)], rest[len(of.moving) :]
        given: list[Any] = [None] * n
        for i, t in zip(of.moving, ts, strict=True):
            given[i] = t
        values, tangents = anvl.jvp(f, xs, tuple(given))
        weights: list[Any] = [None] * len(values)
        for i, g in zip(of.weighed, gs, strict=True):
            weights[i] = g
        _, pullback = anvl.vjp(f, *xs)
        cotangents = pullback(weights)
        return [
            *values,
            *(_or_zeros(tangents[i], values[i]) for i in of.weighed),
            *(_or_zeros(cotangents[i], xs[i]) for i in of.moving),
        ]

    return function


def _or_zeros(t: Any, like: Any) -> Any:
    return anp.zeros_like(like) if t is None else t


# -- batches ---------------------------------------------------------------------------------------


class Axes(NamedTuple):
    """Size of a batch, and its axis in each array; None for shared arrays."""

    size: int
    axes: tuple[int | None, ...]

    @staticmethod
    def drawn(draw: random.Random, arrays: Sequence[np.ndarray]) -> Axes:
        axes = [None if draw.random() < 0.25 else draw.randint(0, x.ndim) for x in arrays]
        if all(a is None for a in axes):
            axes[draw.randrange(len(axes))] = 0
        return Axes(draw.choice((1, 2, 2, 3)), tuple(axes))

    def stacked(self, rows: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
        """Stack the arrays of all members."""
        return [
            rows[0][i] if a is None else np.stack([row[i] for row in rows], axis=a)
            for i, a in enumerate(self.axes)
        ]


def members(
    draw: random.Random, axes: Axes, arrays: Sequence[np.ndarray]
) -> list[list[np.ndarray]]:
    """Arrays of each member: those of the first, with permuted elements."""
    rows = [list(arrays)]
    for _ in range(1, axes.size):
        row = []
        for x, a in zip(arrays, axes.axes, strict=True):
            order = draw.sample(range(x.size), x.size)
            row.append(x if a is None else x.ravel()[order].reshape(x.shape))
        rows.append(row)
    return rows


def batched(f: Function, axes: Axes) -> Function:
    """A function under `vmap`."""
    return anvl.vmap(f, in_axes=axes.axes, axis_size=axes.size)


def slopes_of_batch(program: Program, of: Directions, axes: Axes) -> Function:
    """`slopes` of the batched program; its weights are stacked along the first axis."""
    n = len(program.inputs)
    inner = Axes(axes.size, axes.axes[:n])
    return _slopes(batched(program.function(ANVL), inner), n, of)


# -- second derivatives ----------------------------------------------------------------------------


def curvature(program: Program, of: Directions) -> Function:
    """Gradient, and Hessian-vector product, as a function of inputs, directions and weights.

    The product as forward over reverse, reverse over forward, reverse over reverse; then the
    curvature along the direction, forward over forward.
    """
    f, n, m = program.function(ANVL), len(program.inputs), len(of.moving)

    def function(*arrays: Any) -> list[Any]:
        xs, ts, gs = arrays[:n], arrays[n : n + m], arrays[n + m :]

        def total(*moved: Any) -> Any:
            given = list(xs)
            for i, x in zip(of.moving, moved, strict=True):
                given[i] = x
            values = f(*given)
            parts = [anp.sum(anp.real(values[i] * g)) for i, g in zip(of.weighed, gs, strict=True)]
            return sum(
                (anp.astype(p, "float64") for p in parts[1:]), anp.astype(parts[0], "float64")
            )

        at = [xs[i] for i in of.moving]
        wrt = tuple(range(m))
        gradient = anvl.grad(total, wrt=wrt)
        slope: Any = lambda *x: anvl.jvp(total, x, tuple(ts))[1]  # noqa: E731
        along: Any = lambda *x: sum(  # noqa: E731
            anp.sum(anp.real(g * t)) for g, t in zip(gradient(*x), ts, strict=True)
        )
        return [
            *gradient(*at),
            *anvl.jvp(gradient, tuple(at), tuple(ts))[1],
            *anvl.grad(slope, wrt=wrt)(*at),
            *anvl.grad(along, wrt=wrt)(*at),
            anvl.jvp(slope, tuple(at), tuple(ts))[1],
        ]

    return function
