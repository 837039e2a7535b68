"""Calls of LAPACK, as JAX makes them on CPU, lifted to ops of linear algebra, which have rules.

The table maps routines to ops.  A call stays, and runs unchanged, if it has another layout, or a
result that is read and that no op gives.
Sources: LAPACK Users' Guide (3rd ed., 1999); jaxlib, the handlers in `lapack_kernels.h`.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.ops.linalg.lapack import layouts
from anvl.dialect.ops.linalg.linalg_fallback import compared
from anvl.dialect.ops.linalg.matrices import (
    columns,
    completed,
    ct,
    diagonal,
    is_complex,
    padded,
    rows,
    strictly_lower,
    strictly_upper,
)
from anvl.passes.lifting.lift_forms import of_arrays, replaced
from anvl.passes.lifting.triangles import is_zero, reads_upper_triangle

__all__ = ["lift_lapack"]

# Note [Success of LAPACK routines]
#
# `info` is 0 if a routine succeeded.  Anvl's ops return NaN instead, and JAX too replaces results
# by NaN, by comparing `info` with 0.  So for most routines `info` becomes whether there is a NaN,
# if it is used for nothing else; which step failed is known of `getrf` alone.

_CALL = "stablehlo.custom_call"
_NAME = re.compile("lapack_[sdcz](.+)_ffi")
_CONFIGS = ("mhlo.backend_config", "backend_config")
_READ = {
    *_CONFIGS, "api_version", "call_target_name", "called_computations", "has_side_effect",
    "mhlo.frontend_attributes", "operand_layouts", "output_operand_aliases", "result_layouts",
}  # fmt: skip
_FORMS = {"N": "NO_TRANSPOSE", "T": "TRANSPOSE", "C": "ADJOINT"}
_MOST_USES = 1_000  # values whose uses are followed; with more, a result counts as read


class _Call(NamedTuple):
    """A call of a routine: LAPACK's letters by option name."""

    op: ir.Operation
    xs: Sequence[Value]
    ys: Sequence[Value]
    letters: dict[str, str]


class _Stays(Exception):
    """No op gives the results of a call that the program reads."""


def lift_lapack(module: ir.Operation) -> None:
    """Replace calls of LAPACK by equivalent ops of linear algebra."""
    found: list[tuple[ir.Operation, Callable[[_Call], Sequence[Value]]]] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if op.name == _CALL and of_arrays(op):
            name = _NAME.fullmatch(op.attributes["call_target_name"].value)
            if name is not None and name[1] in _ROUTINES:
                found.append((op, _ROUTINES[name[1]]))
        return ir.WalkResult.ADVANCE

    module.walk(collect)
    with module.context:
        for op, routine in found:
            # If a rule raises, the call stays: it can still be run and batched.
            with op.location, ir.InsertionPoint(op), suppress(Exception):
                replaced(op, routine(_call_of(op)))


def _call_of(op: ir.Operation) -> _Call:
    xs, ys = list(op.operands), list(op.results)
    n_batch = xs[0].type.rank - 2
    for name, values in (("operand_layouts", xs), ("result_layouts", ys)):
        if op.attributes[name] != layouts(n_batch, *[x.type.rank for x in values]):
            raise _Stays(name)
    if set(op.attributes) - _READ or _is_true(attribute_of(op, "has_side_effect")):
        raise _Stays("it has a side effect or other attributes")
    configs = [attribute_of(op, name) for name in _CONFIGS]
    config = next(one for one in configs if isinstance(one, ir.DictAttr))
    return _Call(op, xs, ys, {entry.name: chr(entry.attr.value) for entry in config})


def _is_true(flag: ir.Attribute | None) -> bool:
    return isinstance(flag, ir.BoolAttr) and flag.value


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
        raise _Stays(f"{y} is read")
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
        raise _Stays("the failed step is read")
    inner = tuple(range(info.type.rank, y.type.rank))
    is_nan = emit.any(compared(y, y, "NE"), axes=inner)
    return emit.convert(is_nan, dtype="i32")


# -- routines -------------------------------------------------------------------------------------


def _trsm(call: _Call) -> Sequence[Value]:
    letters = call.letters
    solved = emit.triangular_solve(
        *call.xs, left_side=letters["side"] == "L", lower=letters["uplo"] == "L",
        unit_diagonal=letters["diag"] == "U", transpose_a=_FORMS[letters["trans_x"]],
    )  # fmt: skip
    return [solved]


def _potrf(call: _Call) -> Sequence[Value]:
    """Lift a routine that reads and writes one triangle and leaves the other."""
    (x,), (_, info) = call.xs, call.ys
    is_lower = call.letters["uplo"] == "L"
    y = emit.cholesky(completed(x, is_lower))
    rest = strictly_upper(x) if is_lower else strictly_lower(x)
    return [emit.add(y if is_lower else ct(y), rest), _failed(info, y)]


def _getrf(call: _Call) -> Sequence[Value]:
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


def _syevd(call: _Call) -> Sequence[Value]:
    (x,), (v, _, info) = call.xs, call.ys
    x = completed(x, call.letters["uplo"] == "L")
    if call.letters["mode"] == "N" or not _is_read(v):
        values = emit.eigvalsh(x)
        return [_unread(v), values, _failed(info, values)]
    values, vectors = emit.eigh(x)
    return [vectors, values, _failed(info, values)]


def _gesdd(call: _Call) -> Sequence[Value]:
    (x,), (rest, _, u, vt, info) = call.xs, call.ys
    mode = call.letters["mode"]
    if mode == "N" or not (_is_read(u) or _is_read(vt)):
        values = emit.svdvals(x)
        return [_unread(rest), values, _unread(u), _unread(vt), _failed(info, values)]
    left, values, right = emit.svd(x, full_matrices={"A": True, "S": False}[mode])
    return [_unread(rest), values, left, right, _failed(info, values)]


def _geev(call: _Call) -> Sequence[Value]:
    (x,), (*_, left, right, info) = call.xs, call.ys
    if call.letters["compute_right"] == "V" and _is_read(right):
        values, vectors = emit.eig(x)
    else:
        values, vectors = emit.eigvals(x), _unread(right)
    parts = [values] if is_complex(x) else [emit.real(values), emit.imag(values)]
    return [*parts, _unread(left), vectors, _failed(info, parts[0])]


def _geqrf(call: _Call) -> Sequence[Value]:
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
        raise _Stays("the reflections are read")
    counts = {op.results[0].type.shape[-1] for op in products} or {min(m, n)}
    if counts == {min(m, n)}:
        q, r = emit.qr(x, full_matrices=False)
    elif counts == {m}:
        q, r = emit.qr(x, full_matrices=True)
    else:
        raise _Stays("another number of columns")
    for op in products:
        replaced(op, [q])
    return [padded(r, m, n), zeros_like(taus)]


def _check_is_q(op: ir.Operation, packed: Value, taus: Value) -> None:
    """Raise `_Stays` unless an op computes the columns of q."""
    name = _NAME.fullmatch(op.attributes["call_target_name"].value) if op.name == _CALL else None
    if name is None or name[1] not in ("orgqr", "ungqr") or op.operands[1] != taus:
        raise _Stays("the scales of the reflections are read")
    _call_of(op)
    if _reshaped_from(op.operands[0]) != packed:
        raise _Stays("other reflections")


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


_ROUTINES: dict[str, Callable[[_Call], Any]] = {
    "geev": _geev,
    "geqrf": _geqrf,
    "gesdd": _gesdd,
    "getrf": _getrf,
    "heevd": _syevd,
    "potrf": _potrf,
    "syevd": _syevd,
    "trsm": _trsm,
}
