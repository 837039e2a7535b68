"""Products of arrays: NumPy's names."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from anvl.core.avals import Aval
from anvl.core.config import precision_of
from anvl.core.promote import broadcast_shapes, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.params.base import DotDims
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, each_axis
from anvl.numpy.arrays.shaping import expand_dims, moveaxis, reshape, roll, squeeze, transpose
from anvl.numpy.functions.elementwise import conj, multiply, subtract
from anvl.numpy.functions.emitting import prim
from anvl.numpy.functions.reductions import reduced

__all__ = [
    "cross", "dot", "inner", "kron", "matmul", "outer", "tensordot", "vdot", "vecdot",
]  # fmt: skip


def contract(x: Tracer, y: Tracer, *dims: tuple[int, ...], precision: str = "DEFAULT") -> Tracer:
    """`dot_general` with the four tuples of a `DotDims`."""
    return _product(x, y, DotDims(*dims), precision)


def _product(x: Tracer, y: Tracer, dims: DotDims, precision: Any) -> Tracer:
    return prim(
        "dot_general", x, y, dot_dimension_numbers=dims, precision_config=precision_of(precision)
    )


def _operands(name: str, x: Any, y: Any) -> tuple[Tracer, Tracer]:
    if type(x) is Tracer and type(y) is Tracer:  # the common case: nothing to promote
        one, other = x.aval, y.aval
        if one.dtype == other.dtype and not one.weak_type and not other.weak_type:
            return x, y
    (a, b), _ = promoted(name, (x, y), broadcast=False)
    return a, b


@lru_cache(4096)
def _matrix_dims(a: Aval, b: Aval) -> DotDims | None:
    """Dimension numbers of `a @ b` for rows against one matrix or vector; None if sizes differ."""
    if not (a.ndim >= 1 and 1 <= b.ndim <= 2 and a.shape[-1] == b.shape[0]):
        return None
    return DotDims((), (), (a.ndim - 1,), (0,))


@public("precision")
def matmul(x: Any, y: Any, *, precision: str = "DEFAULT") -> Any:
    """The matrix product; a vector is a row on the left and a column on the right.

    Leading axes broadcast.  `precision` is "DEFAULT", "HIGH" or "HIGHEST".

    >>> import anvl.numpy as np
    >>> np.matmul(np.ones((2, 3)), np.ones((3, 2)))
    Array([[3., 3.],
           [3., 3.]], dtype=float32)
    """
    a, b = _operands("matmul", x, y)
    dims = _matrix_dims(a.aval, b.aval)
    if dims is not None:
        return _product(a, b, dims, precision)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"matmul: takes vectors and matrices, got {a.aval} and {b.aval}")
    inner_b = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner_b:
        raise ValueError(
            f"matmul: {a.aval} @ {b.aval}: inner sizes {a.shape[-1]} and {inner_b} differ"
        )
    if a.ndim == 1:
        return squeeze(matmul(expand_dims(a, 0), b, precision=precision), -2)
    plan = _stacked_plan(a.shape, b.shape)
    found = _product(reshape(a, plan.lhs), reshape(b, plan.rhs), plan.dims, precision)
    return transpose(found, plan.order)


class _Plan(NamedTuple):
    """A product of stacks: the shapes of its operands, and the order of the axes of its result."""

    lhs: tuple[int, ...]
    rhs: tuple[int, ...]
    dims: DotDims
    order: tuple[int, ...]


@lru_cache(4096)
def _stacked_plan(x: tuple[int, ...], y: tuple[int, ...]) -> _Plan:
    """How stacks of matrices of these shapes are multiplied.

    A stack that the other does not have is an axis of the result like its rows: repeating the other
    for it would take memory, and its gradient a product for each matrix of the stack.
    """
    shape = broadcast_shapes(x[:-2], y[:-2], function="matmul")
    own_x, own_y = _own_axes(x, shape), _own_axes(y, shape)
    both = [i for i in own_x if i in own_y]
    dims = DotDims(
        tuple(own_x.index(i) for i in both),
        tuple(own_y.index(i) for i in both),
        (len(own_x) + 1,),
        (len(own_y),),
    )
    row, column = len(shape), len(shape) + 1
    alone_x, alone_y = ([i for i in own if i not in both] for own in (own_x, own_y))
    made = [*both, *alone_x, row, *alone_y, column]
    order = tuple(made.index(i) for i in range(len(made)))
    kept_x, kept_y = (tuple(shape[i] for i in own) for own in (own_x, own_y))
    return _Plan((*kept_x, *x[-2:]), (*kept_y, *y[-2:]), dims, order)


def _own_axes(x: tuple[int, ...], batch: tuple[int, ...]) -> list[int]:
    """The axes of a batch along which a stack of this shape is not repeated."""
    missing = len(batch) - len(x) + 2
    return [i for i in range(missing, len(batch)) if x[i - missing] == batch[i]]


def precise_matmul(x: Any, y: Any) -> Any:
    """A product inside of an algorithm: in full precision, where GPUs round operands to 10 bits."""
    return matmul(x, y, precision="HIGHEST")


@public()
def dot(x: Any, y: Any) -> Any:
    """Sum of products over the last axis of x and the second-to-last, or only, axis of y.

    >>> import anvl.numpy as np
    >>> print(np.dot(np.asarray([1, 2, 3]), np.asarray([4, 5, 6])))
    32
    """
    a, b = _operands("dot", x, y)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    at = max(b.ndim - 2, 0)
    _check_sizes("dot", a, b, (a.ndim - 1,), (at,))
    return contract(a, b, (), (), (a.ndim - 1,), (at,))


@public()
def inner(x: Any, y: Any) -> Any:
    """Sum of products over the last axes.

    >>> import anvl.numpy as np
    >>> print(np.inner(np.ones((2, 3)), np.ones(3)))
    [3. 3.]
    """
    a, b = _operands("inner", x, y)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    _check_sizes("inner", a, b, (a.ndim - 1,), (b.ndim - 1,))
    return contract(a, b, (), (), (a.ndim - 1,), (b.ndim - 1,))


@public()
def outer(x: Any, y: Any) -> Any:
    """Outer product: every element of x times every element of y, as a matrix.

    >>> import anvl.numpy as np
    >>> np.outer(np.asarray([1, 2]), np.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]], dtype=int32)
    """
    a, b = _operands("outer", x, y)
    if a.dtype.name not in ("float32", "float64"):
        return multiply(reshape(a, (a.size, 1)), reshape(b, (1, b.size)))
    # A contraction of nothing: the same product, whose gradients are matrices times vectors.
    a, b = reshape(a, (a.size,)), reshape(b, (b.size,))
    return contract(a, b, (), (), (), (), precision="HIGHEST")


@public()
def kron(x: Any, y: Any) -> Any:
    """The Kronecker product: blocks y, scaled by each element of x.

    >>> import anvl.numpy as np
    >>> np.kron(np.asarray([1, 10]), np.asarray([1, 2]))
    Array([ 1,  2, 10, 20], dtype=int32)
    """
    a, b = _operands("kron", x, y)
    n = max(a.ndim, b.ndim)
    a, b = (reshape(v, (1,) * (n - v.ndim) + v.shape) for v in (a, b))
    spread_a = reshape(a, tuple(k for size in a.shape for k in (size, 1)))
    spread_b = reshape(b, tuple(k for size in b.shape for k in (1, size)))
    shape = tuple(p * q for p, q in zip(a.shape, b.shape, strict=True))
    return reshape(multiply(spread_a, spread_b), shape)


@public("axes")
def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    """Sum of products over `axes`: a number of last axes of x and first ones of y, or a pair.

    >>> import anvl.numpy as np
    >>> np.tensordot(np.ones((2, 3)), np.ones((4, 3)), axes=(1, 1)).shape
    (2, 4)
    """
    a, b = _operands("tensordot", x, y)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: axes {axes} do not fit {a.aval} and {b.aval}")
        lhs, rhs = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        first, second = axes
        lhs, rhs = each_axis(first, a.ndim, "tensordot"), each_axis(second, b.ndim, "tensordot")
    _check_sizes("tensordot", a, b, lhs, rhs)
    return contract(a, b, (), (), lhs, rhs)


@public("axis")
def vecdot(x: Any, y: Any, axis: int = -1) -> Any:
    """Sum of conj(x) * y along an axis; the other axes broadcast.

    Raises `ValueError` if the sizes along the axis differ.  Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.vecdot.html

    >>> import anvl.numpy as np
    >>> print(np.vecdot(np.ones((2, 3)), np.asarray([1.0, 2.0, 3.0])))
    [6. 6.]
    """
    a, b = _operands("vecdot", x, y)
    if a.shape[axis_of(axis, a.ndim, "vecdot")] != b.shape[axis_of(axis, b.ndim, "vecdot")]:
        raise ValueError(f"vecdot: sizes along axis {axis} of {a.aval} and {b.aval} differ")
    products = multiply(conj(a), b)
    at = axis_of(axis, products.ndim, "vecdot")
    return reduced("sum", products, (at,), False)


@public()
def vdot(x: Any, y: Any) -> Any:
    """Sum of conj(x) * y over all elements.

    >>> import anvl.numpy as np
    >>> print(np.vdot(np.asarray([1j, 2.0]), np.asarray([1j, 1.0])))
    (3+0j)
    """
    a, b = _operands("vdot", x, y)
    if a.size != b.size:
        raise ValueError(f"vdot: {a.aval} and {b.aval} differ in size")
    return contract(conj(reshape(a, (a.size,))), reshape(b, (b.size,)), (), (), (0,), (0,))


def _check_sizes(
    name: str, a: Tracer, b: Tracer, lhs: tuple[int, ...], rhs: tuple[int, ...]
) -> None:
    if [a.shape[i] for i in lhs] != [b.shape[i] for i in rhs]:
        raise ValueError(f"{name}: sizes of axes {lhs} of {a.aval} and {rhs} of {b.aval} differ")


@public("axis")
def cross(x: Any, y: Any, axis: int = -1) -> Any:
    """The cross product of vectors of length 3 along an axis; the other axes broadcast.

    >>> import anvl.numpy as np
    >>> print(np.cross(np.asarray([1, 0, 0]), np.asarray([0, 1, 0])))
    [0 0 1]
    """
    a, b = (moveaxis(v, axis, -1) for v in _operands("cross", x, y))
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError(f"cross: takes vectors of length 3, got {a.aval} and {b.aval}")
    left = multiply(roll(a, -1, -1), roll(b, -2, -1))
    right = multiply(roll(a, -2, -1), roll(b, -1, -1))
    return moveaxis(subtract(left, right), -1, axis)
