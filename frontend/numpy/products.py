"""Products of arrays: NumPy's names."""

from __future__ import annotations

from typing import Any

from anvl.dialect.op import OPS
from anvl.dialect.params import DotDims
from anvl.numpy.reductions import axes_of
from anvl.numpy.shaping import expand_dims, reshape, squeeze
from anvl.promote import broadcast_shapes, broadcast_to, promoted
from anvl.public import public
from anvl.tracer import Tracer
from anvl.tracing import emit

__all__ = ["dot", "inner", "matmul", "outer", "tensordot", "vdot", "vecdot"]


def contract(x: Tracer, y: Tracer, *dims: tuple[int, ...], precision: str = "DEFAULT") -> Tracer:
    """`dot_general` with the four tuples of a `DotDims`."""
    params = {"dot_dimension_numbers": DotDims(*dims), "precision_config": precision}
    return emit(OPS["anvl.dot_general"], (x, y), params)  # type: ignore[no-any-return]


def _operands(name: str, x: Any, y: Any) -> tuple[Tracer, Tracer]:
    (a, b), _ = promoted(name, (x, y), broadcast=False)
    return a, b


@public("precision")
def matmul(x: Any, y: Any, *, precision: str = "DEFAULT") -> Any:
    """The matrix product; a vector is a row on the left and a column on the right.

    Axes before the last two broadcast.  `precision` is DEFAULT, HIGH or HIGHEST.
    """
    a, b = _operands("matmul", x, y)
    if a.ndim == 0 or b.ndim == 0:
        raise TypeError(f"matmul: takes vectors and matrices, got {a.aval} and {b.aval}")
    inner_b = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner_b:
        raise TypeError(
            f"matmul: {a.aval} @ {b.aval}: inner sizes {a.shape[-1]} and {inner_b} differ"
        )
    if a.ndim == 1 or b.ndim <= 2:  # one batch of rows against one matrix
        if b.ndim <= 2:
            return contract(a, b, (), (), (a.ndim - 1,), (max(b.ndim - 2, 0),), precision=precision)
        return squeeze(matmul(expand_dims(a, 0), b, precision=precision), -2)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2], function="matmul")
    a, b = broadcast_to(a, (*batch, *a.shape[-2:])), broadcast_to(b, (*batch, *b.shape[-2:]))
    axes, n = tuple(range(len(batch))), len(batch)
    return contract(a, b, axes, axes, (n + 1,), (n,), precision=precision)


@public()
def dot(x: Any, y: Any) -> Any:
    """The sum of products over the last axis of x and the second-last, or only, one of y."""
    a, b = _operands("dot", x, y)
    if a.ndim == 0 or b.ndim == 0:
        return a * b  # type: ignore[operator]
    at = max(b.ndim - 2, 0)
    _check_sizes("dot", a, b, (a.ndim - 1,), (at,))
    return contract(a, b, (), (), (a.ndim - 1,), (at,))


@public()
def inner(x: Any, y: Any) -> Any:
    """The sum of products over the last axes."""
    a, b = _operands("inner", x, y)
    if a.ndim == 0 or b.ndim == 0:
        return a * b  # type: ignore[operator]
    _check_sizes("inner", a, b, (a.ndim - 1,), (b.ndim - 1,))
    return contract(a, b, (), (), (a.ndim - 1,), (b.ndim - 1,))


@public()
def outer(x: Any, y: Any) -> Any:
    """The products of every element of x with every element of y, as a matrix."""
    a, b = _operands("outer", x, y)
    return contract(reshape(a, (a.size,)), reshape(b, (b.size,)), (), (), (), ())


@public("axes")
def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    """The sum of products over these axes: so many last ones of x and first ones of y, or a pair."""
    a, b = _operands("tensordot", x, y)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: axes {axes} do not fit {a.aval} and {b.aval}")
        lhs, rhs = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        lhs, rhs = (tuple(s) if not isinstance(s, int) else (s,) for s in axes)
        axes_of(lhs, a.ndim, "tensordot"), axes_of(rhs, b.ndim, "tensordot")
        lhs, rhs = tuple(i % a.ndim for i in lhs), tuple(i % b.ndim for i in rhs)
    _check_sizes("tensordot", a, b, lhs, rhs)
    return contract(a, b, (), (), lhs, rhs)


@public("axis")
def vecdot(x: Any, y: Any, axis: int = -1) -> Any:
    """The sum of conj(x) * y along an axis; the other axes broadcast."""
    from anvl.numpy.elementwise import conj, multiply
    from anvl.numpy.reductions import sum

    return sum(multiply(conj(x), y), axis=axis)


@public()
def vdot(x: Any, y: Any) -> Any:
    """The sum of conj(x) * y over all elements."""
    from anvl.numpy.elementwise import conj

    a, b = _operands("vdot", x, y)
    if a.size != b.size:
        raise TypeError(f"vdot: {a.aval} and {b.aval} differ in size")
    return contract(conj(reshape(a, (a.size,))), reshape(b, (b.size,)), (), (), (0,), (0,))


def _check_sizes(
    name: str, a: Tracer, b: Tracer, lhs: tuple[int, ...], rhs: tuple[int, ...]
) -> None:
    if [a.shape[i] for i in lhs] != [b.shape[i] for i in rhs]:
        raise TypeError(f"{name}: sizes of axes {lhs} of {a.aval} and {rhs} of {b.aval} differ")


