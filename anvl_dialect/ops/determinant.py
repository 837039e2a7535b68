"""`det` and `slogdet`: determinants, by LU factorisation.

Their derivatives are systems of equations with the matrix itself, so the factorisation is not
differentiated, and XLA computes it once for both.
Source: M. Giles, An extended collection of matrix derivative results for forward and reverse mode
automatic differentiation (2008), section 2.2.4 (Jacobi's formula).
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.op import Result, Value, emit
from anvl.dialect.ops.create import full, zeros_like
from anvl.dialect.ops.factorisation import Factorisation
from anvl.dialect.ops.lapack import lower_on
from anvl.dialect.ops.matrices import check_square, diagonal, is_complex, real_of, solve
from anvl.dialect.types import tensor

__all__ = ["DetOp", "SlogdetOp"]


class DetOp(Factorisation, name="det"):
    """The determinant.  Of a singular matrix it is 0, and its derivative NaN."""

    y: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("det", x)
        return tensor(x.shape[:-2], x.element_type)

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Value:
        parity, factors = _factors(hlo.platform, x)
        return emit.mul(parity, _product(factors))

    @classmethod
    def moved(cls, t: Value, x: Value, y: Value) -> Sequence[Value]:
        return [emit.mul(y, _trace_of_quotient(t, x))]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        square = draw.matrix(3, 3)[::-1].copy()
        return draw.calls(([square], {}), ([draw.matrix(2, 2, 2)], {}), ([draw.matrix(0, 0)], {}))


class SlogdetOp(Factorisation, name="slogdet"):
    """The sign of the determinant, of a complex matrix its phase, and the logarithm of its size.

    0 and -infinity of a singular matrix, whose derivative is NaN.
    """

    sign: Result
    logarithm: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("slogdet", x)
        return [tensor(x.shape[:-2], x.element_type), real_of(x, x.shape[:-2])]

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Sequence[Value]:
        parity, factors = _factors(hlo.platform, x)
        sizes = emit.log(emit.abs(factors))
        return [
            emit.mul(parity, _product(emit.sign(factors))),
            emit.sum(sizes, axes=(sizes.type.rank - 1,)),
        ]

    @classmethod
    def moved(cls, t: Value, x: Value, sign: Value, logarithm: Value) -> Sequence[Value | None]:
        growth = _trace_of_quotient(t, x)
        if not is_complex(x):
            return [None, growth]
        turn = emit.imag(growth)
        return [emit.mul(sign, emit.complex(zeros_like(turn), turn)), emit.real(growth)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        square = draw.matrix(3, 3)[::-1].copy()
        return draw.calls(([square], {}), ([draw.matrix(2, 2, 2)], {}), ([draw.matrix(0, 0)], {}))


def _trace_of_quotient(t: Value, x: Value) -> Value:
    """The trace of x^-1 t"""
    moved = diagonal(solve(x, t))
    return emit.sum(moved, axes=(moved.type.rank - 1,))


def _product(x: Value) -> Value:
    return emit.prod(x, axes=(x.type.rank - 1,))


def _factors(platform: str, x: Value) -> tuple[Value, Value]:
    """Numbers whose product is the determinant: 1 or -1, by how often rows are swapped, and the
    diagonal of u."""
    if 0 in x.type.shape:
        return full(tensor(x.type.shape[:-2], x.type.element_type), 1), diagonal(x)
    lu, pivots, _ = lower_on(platform, "lu", x)
    shape = tuple(pivots.type.shape)
    order = emit.iota(iota_dimension=len(shape) - 1, shape=shape, dtype="i32")
    swapped = emit.compare(pivots, order, comparison_direction="NE")
    signs = tensor(shape, x.type.element_type)
    return _product(emit.select(swapped, full(signs, -1), full(signs, 1))), diagonal(lu)
