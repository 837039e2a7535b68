"""Calls of routines for matrices, as JAX makes them, lifted to ops of linear algebra with rules.

The table maps LAPACK's routines to ops; `routine_calls.py` reads calls of other libraries as calls
of these.  A call stays, and runs unchanged, if it has another layout, or a result that is read and
that no op gives.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import tensor
from anvl.dialect.ops.linalg.linalg_fallback import compared, permutation_of
from anvl.dialect.ops.linalg.matrices import (
    columns,
    completed,
    ct,
    diagonal,
    identity,
    is_complex,
    matmul,
    padded,
    rows,
    rows_scaled,
    strictly_lower,
    strictly_upper,
    with_ones_on_diagonal,
)
from anvl.passes.framework.walk import find
from anvl.passes.lifting.lift_forms import of_arrays, replaced
from anvl.passes.lifting.routine_calls import RoutineCall, Stays, routine_call, routine_name
from anvl.passes.lifting.triangles import is_zero, reads_upper_triangle

__all__ = ["lift_routines"]

# Note [Success of LAPACK routines]
#
# `info` is 0 if a routine succeeded.  Anvl's ops return NaN instead, and JAX too replaces results
# by NaN, by comparing `info` with 0.  So for most routines `info` becomes whether there is a NaN,
# if it is used for nothing else; which step failed is known of `getrf` alone.

_Routine: TypeAlias = Callable[[RoutineCall], Sequence[Value]]
_PRODUCTS = ("orgqr", "ungqr")
_FORMS = {"N": "NO_TRANSPOSE", "T": "TRANSPOSE", "C": "ADJOINT"}
_MOST_USES = 1_000  # values whose uses are followed; with more, a result counts as read


def lift_routines(module: ir.Operation) -> None:
    """Replace calls of routines for matrices by equivalent ops."""
    # A QR factorisation replaces the products that read it: the others come afterwards.
    for routines in (_ROUTINES, dict.fromkeys(_PRODUCTS, _orgqr)):
        _lift(module, routines)


def _lift(module: ir.Operation, routines: Mapping[str, _Routine]) -> None:
    found: list[tuple[ir.Operation, _Routine]] = []
    for op in find(module, "stablehlo.custom_call"):
        name = routine_name(op)
        if name is not None and name in routines and of_arrays(op):
            found.append((op, routines[name]))
    with module.context:
        for op, routine in found:
            # If a rule raises, the call stays: it can still be run and batched.
            with op.location, ir.InsertionPoint(op), suppress(Stays, TypeError, KeyError):
                replaced(op, routine(routine_call(op)))


# -- uses of a call's results ---------------------------------------------------------------------


def _is_read(y: Value) -> bool:
    """Whether a value is read, directly or indirectly, by an op without results."""
    pending, seen = [y], set[Value]()
    while pending:
        x = pending.pop()
        for use in x.uses:
            results = list(use.owner.operation.results)
            if not results or len(seen) > _MOST_USES:
                return True
            pending += [z for z in results if z not in seen]
            seen.update(results)
    return False


def _unread(y: Value) -> Value:
    if _is_read(y):
        raise Stays(f"{y} is read")
    return zeros_like(y)


def _is_compared_with_0(info: Value, directions: Sequence[str]) -> bool:
    """Whether info is used only in comparisons with 0 in these directions."""
    for use in info.uses:
        op = use.owner.operation
        if op.name != "stablehlo.compare" or use.operand_number != 0:
            return False
        direction = re.search(r"(\w+)>$", str(op.attributes["comparison_direction"]))
        if direction is None or direction[1] not in directions or not is_zero(op.operands[1]):
            return False
    return True


def _failed(info: Value, y: Value) -> Value:
    """As `info`: 1 for each matrix whose result has a NaN.

    See Note [Success of LAPACK routines].
    """
    if not _is_compared_with_0(info, ("EQ", "NE")):
        raise Stays("the failed step is read")
    inner = tuple(range(info.type.rank, y.type.rank))
    is_nan = emit.any(compared(y, y, "NE"), axes=inner)
    return emit.convert(is_nan, dtype="i32")


# -- routines -------------------------------------------------------------------------------------


def _trsm(call: RoutineCall) -> Sequence[Value]:
    letters = call.letters
    solved = emit.triangular_solve(
        *call.xs, left_side=letters["side"] == "L", lower=letters["uplo"] == "L",
        unit_diagonal=letters["diag"] == "U", transpose_a=_FORMS[letters["trans_x"]],
    )  # fmt: skip
    return [solved]


def _potrf(call: RoutineCall) -> Sequence[Value]:
    """Lift a routine that reads and writes one triangle and leaves the other."""
    (x,), (_, info) = call.xs, call.ys
    is_lower = call.letters["uplo"] == "L"
    y = emit.cholesky(completed(x, is_lower))
    rest = strictly_upper(x) if is_lower else strictly_lower(x)
    return [emit.add(y if is_lower else ct(y), rest), _failed(info, y)]


def _getrf(call: RoutineCall) -> Sequence[Value]:
    (x,), (_, pivots, info) = call.xs, call.ys
    lu, swapped, _ = emit.lu(x)
    found = zeros_like(info) if _is_compared_with_0(info, ("GE",)) else _first_zero(lu, info)
    return [lu, emit.add(swapped, full(pivots.type, 1)), found]


def _first_zero(lu: Value, info: Value) -> Value:
    """Index of the first zero pivot, counted from 1; 0 if there is none."""
    k = min(lu.type.shape[-2:])
    if k == 0:
        return zeros_like(info)
    d = diagonal(rows(columns(lu, 0, k), 0, k))
    shape, axis = tuple(d.type.shape), d.type.rank - 1
    places = emit.iota(iota_dimension=axis, shape=shape, dtype="i32")
    after = full_like(places, k)
    first = emit.min(emit.select(compared(d, zeros_like(d), "EQ"), places, after), axes=(axis,))
    none = compared(first, full_like(first, k), "EQ")
    return emit.select(none, zeros_like(first), emit.add(first, full_like(first, 1)))


def _syevd(call: RoutineCall) -> Sequence[Value]:
    (x,), (v, _, info) = call.xs, call.ys
    x = completed(x, call.letters["uplo"] == "L")
    if call.letters.get("mode") == "N" or not _is_read(v):
        values = emit.eigvalsh(x)
        return [_unread(v), values, _failed(info, values)]
    values, vectors = emit.eigh(x)
    return [vectors, values, _failed(info, values)]


def _gesdd(call: RoutineCall) -> Sequence[Value]:
    (x,), (rest, _, *vectors, info) = call.xs, call.ys
    mode = call.letters["mode"]
    if mode == "N" or not any(map(_is_read, vectors)):
        values = emit.svdvals(x)
        return [_unread(rest), values, *map(_unread, vectors), _failed(info, values)]
    left, values, right = emit.svd(x, full_matrices={"A": True, "S": False}[mode])
    parts = [right, left] if call.is_swapped else [left, right]
    return [_unread(rest), values, *parts, _failed(info, values)]


def _gesvdj(call: RoutineCall) -> Sequence[Value]:
    """Jacobi's method gives v in place of v^H."""
    rest, values, left, right, failed = _gesdd(call)
    return [rest, values, left, right if call.letters["mode"] == "N" else ct(right), failed]


def _eigh(call: RoutineCall) -> Sequence[Value]:
    """XLA's routine on a TPU, without `info`."""
    values, vectors = emit.eigh(completed(call.xs[0], call.letters["uplo"] == "L"))
    return [vectors, values]


def _lu(call: RoutineCall) -> Sequence[Value]:
    """XLA's routine on a TPU: pivots from 0, and the permutation."""
    return list(emit.lu(call.xs[0]))


def _permutation(call: RoutineCall) -> Sequence[Value]:
    return [permutation_of(call.xs[0], call.ys[0].type.shape[-1])]


def _geev(call: RoutineCall) -> Sequence[Value]:
    (x,), (*_, left, right, info) = call.xs, call.ys
    if call.letters["compute_right"] == "V" and _is_read(right):
        values, vectors = emit.eig(x)
    else:
        values, vectors = emit.eigvals(x), _unread(right)
    parts = [values] if is_complex(x) else [emit.real(values), emit.imag(values)]
    return [*parts, _unread(left), vectors, _failed(info, parts[0])]


def _geqrf(call: RoutineCall) -> Sequence[Value]:
    """The upper triangle of the first result is r; q is the result of `orgqr` on both.

    The rest of the first result, reflections, must not be read otherwise.
    """
    (x,), (packed, taus) = call.xs, call.ys
    *batch, m, n = x.type.shape
    products = [use.owner.operation for use in taus.uses]
    for op in products:
        _check_is_q(op, packed, taus)
    of_r = [use for use in packed.uses if not _leads_to(use.owner.operation, products)]
    if not all(reads_upper_triangle(use, len(batch)) for use in of_r):
        raise Stays("the reflections are read")
    counts = {op.results[0].type.shape[-1] for op in products} or {min(m, n)}
    if counts == {min(m, n)}:
        q, r = emit.qr(x, full_matrices=False)
    elif counts == {m}:
        q, r = emit.qr(x, full_matrices=True)
    else:
        raise Stays("another number of columns")
    for op in products:
        replaced(op, [q])
    return [padded(r, m, n), zeros_like(taus)]


def _orgqr(call: RoutineCall) -> Sequence[Value]:
    """The first columns of the product of reflections `1 - tau_i v_i v_i^H`.

    With the v_i as columns of V it is `1 - V (1 + D S)^-1 D V^H`, D of the tau_i, S the part of
    V^H V above the diagonal.  Source: Schreiber and Van Loan (1989), SIAM J. Sci. Stat. Comput.
    10, 53.
    """
    packed, taus = call.xs
    *batch, m, n = packed.type.shape
    k = taus.type.shape[-1]
    unit = identity(tensor((*batch, m, n), packed.type.element_type))
    v = columns(with_ones_on_diagonal(strictly_lower(packed)), 0, k)
    first = rows_scaled(ct(rows(v, 0, n)), taus)
    mixed = rows_scaled(strictly_upper(matmul(ct(v), v)), taus)
    solved = emit.triangular_solve(
        mixed, first, left_side=True, lower=False, unit_diagonal=True, transpose_a=_FORMS["N"]
    )
    return [emit.sub(unit, matmul(v, solved))]


def _check_is_q(op: ir.Operation, packed: Value, taus: Value) -> None:
    """Raise `Stays` unless an op computes the columns of q."""
    if routine_name(op) not in _PRODUCTS or op.operands[1] != taus:
        raise Stays("the scales of the reflections are read")
    routine_call(op)
    if _reshaped_from(op.operands[0]) != packed:
        raise Stays("other reflections")


def _reshaped_from(x: Value) -> Value:
    """Source of matrices that were padded or sliced to another number of columns."""
    op = x.owner
    if not isinstance(op, ir.Block) and op.name in ("stablehlo.pad", "stablehlo.slice"):
        given = op.operands[0]
        starts = op.attributes["edge_padding_low" if "pad" in op.name else "start_indices"]
        same = list(given.type.shape[:-1]) == list(x.type.shape[:-1])
        if same and not any(ir.DenseI64ArrayAttr(starts)):
            return given
    return x


def _leads_to(op: ir.Operation, products: Sequence[ir.Operation]) -> bool:
    """Whether an op is one of `products`, or reshapes for them alone."""
    if op in products:
        return True
    if op.name not in ("stablehlo.pad", "stablehlo.slice"):
        return False
    users = [use.owner.operation for use in op.results[0].uses]
    return bool(users) and all(user in products for user in users)


_ROUTINES: dict[str, _Routine] = {
    "eigh": _eigh,
    "geev": _geev,
    "geqrf": _geqrf,
    "gesdd": _gesdd,
    "gesvd": _gesdd,
    "gesvdj": _gesvdj,
    "getrf": _getrf,
    "heevd": _syevd,
    "lu": _lu,
    "permutation": _permutation,
    "potrf": _potrf,
    "syevd": _syevd,
    "trsm": _trsm,
}
