"""`eigh`, `eig` and their values alone: eigenvalues and eigenvectors of square matrices.

Sources: M. Giles, An extended collection of matrix derivative results for forward and reverse mode
automatic differentiation (2008), section 3.1; C. Boeddeker et al., On the computation of
complex-valued gradients with application to statistically optimum beamforming (2017,
arXiv:1701.00392), section 4.2, for the length and the phase of eigenvectors.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.op import Result, Value, emit
from anvl.dialect.ops.linalg.matrices import (
    as_complex,
    check_square,
    columns_scaled,
    complex_of,
    conj,
    ct,
    diagonal,
    hermitian_part,
    is_complex,
    matmul,
    products_of_columns,
    real_of,
    solve,
)
from anvl.dialect.ops.linalg.repeated_values import (
    ValuesAlone,
    ValuesAndVectors,
    basis_of,
    inverse_gaps,
    is_repeated,
    over_gaps,
)

__all__ = ["EigOp", "EighOp", "EigvalsOp", "EigvalshOp"]


class EighOp(ValuesAndVectors, name="eigh"):
    """Eigenvalues `w` of `(x + x^H) / 2`, ascending, and eigenvectors, orthonormal columns of `v`.

    The Hermitian part of x is decomposed, so the gradient is Hermitian.  The sign or phase of each
    eigenvector is arbitrary: derivatives are right for functions that do not depend on it.  For
    repeated eigenvalues see Note [Repeated values].
    """

    w: Result
    v: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("eigh", x)
        return [real_of(x, x.shape[:-1]), x]

    @classmethod
    def result_tangents(cls, t: Value, x: Value, w: Value, v: Value) -> Sequence[Value]:
        inside = matmul(ct(v), matmul(hermitian_part(t), v))
        return [real_diagonal(inside), matmul(v, over_gaps(inside, w))]

    @classmethod
    def undetermined(cls, w: Value, v: Value) -> Sequence[Value]:
        return [is_repeated(w)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def function(w: Value, v: Value) -> list[Value]:
            return [w, matmul(columns_scaled(v, emit.exp(w)), ct(v))]

        return draw.calls(
            ([draw.spd(3)], {}), ([draw.spd(2, 2)], {}), ([draw.spd(1)], {}), ([draw.spd(0)], {}),
            through=function,
        )  # fmt: skip


class EigvalshOp(ValuesAlone, name="eigvalsh"):
    """Eigenvalues of `(x + x^H) / 2`, ascending."""

    w: Result
    part_of = ("anvl.eigh", 0)

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("eigvalsh", x)
        return real_of(x, x.shape[:-1])

    @classmethod
    def result_tangents(cls, t: Value, x: Value, w: Value) -> Sequence[Value]:
        _, v = emit.eigh(x)
        return [_values_moved(t, v)]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        if ts[0] is None:
            return None
        w, v = emit.eigh(xs[0])
        return _values_moved(ts[0], basis_of(v, w))

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(([draw.spd(3)], {}), ([draw.spd(2, 2)], {}), ([draw.spd(0)], {}))


def _values_moved(t: Value, v: Value) -> Value:
    """Diagonal of v^H t v, for the Hermitian part of t."""
    return products_of_columns(v, matmul(hermitian_part(t), v))


def real_diagonal(x: Value) -> Value:
    """Real parts of the diagonals of square matrices."""
    d = diagonal(x)
    return emit.real(d) if is_complex(d) else d


class EigOp(ValuesAndVectors, name="eig"):
    """Eigenvalues `w` of square matrices, unordered, and eigenvectors, the unit columns of `v`.

    Both are complex, also for a real matrix.  The phase of each eigenvector is arbitrary:
    derivatives are right for functions that do not depend on it.  For repeated eigenvalues see Note
    [Repeated values]; if a matrix has too few eigenvectors for a basis, derivatives are infinite or
    NaN.
    """

    w: Result
    v: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("eig", x)
        return [complex_of(x, x.shape[:-1]), complex_of(x, x.shape)]

    @classmethod
    def result_tangents(cls, t: Value, x: Value, w: Value, v: Value) -> Sequence[Value]:
        inside = _in_basis(t, v)
        turned = matmul(v, emit.mul(inside, inverse_gaps(w)))
        # Length 1 and the phase are fixed: no vector moves along itself.
        along = emit.sum(emit.mul(conj(v), turned), axes=(v.type.rank - 2,))
        return [diagonal(inside), emit.sub(turned, columns_scaled(v, along))]

    @classmethod
    def undetermined(cls, w: Value, v: Value) -> Sequence[Value]:
        return [is_repeated(w)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def function(w: Value, v: Value) -> list[Value]:
            lengths = emit.abs(emit.mul(v, v))
            return [w, ct(solve(ct(v), ct(columns_scaled(v, emit.exp(w))))), lengths]

        return draw.calls(
            ([draw.matrix(3, 3)], {}), ([draw.matrix(3, 2, 2)], {}),
            ([draw.matrix(1, 1)], {}), ([draw.matrix(0, 0)], {}),
            through=function, in_order=False,
        )  # fmt: skip


class EigvalsOp(ValuesAlone, name="eigvals"):
    """Eigenvalues of square matrices, unordered; complex, also for a real matrix."""

    w: Result
    part_of = ("anvl.eig", 0)

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("eigvals", x)
        return complex_of(x, x.shape[:-1])

    @classmethod
    def result_tangents(cls, t: Value, x: Value, w: Value) -> Sequence[Value]:
        _, v = emit.eig(x)
        return [diagonal(_in_basis(t, v))]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        if ts[0] is None:
            return None
        w, v = emit.eig(xs[0])
        return diagonal(_in_basis(ts[0], basis_of(v, w)))

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.matrix(3, 3)], {}), ([draw.matrix(2, 2, 2)], {}), ([draw.matrix(0, 0)], {}),
            in_order=False,
        )  # fmt: skip


def _in_basis(t: Value, v: Value) -> Value:
    """v^-1 t v."""
    return solve(v, matmul(as_complex(t), v))
