"""Calls of LAPACK, as JAX makes them on a CPU, become ops of linear algebra, which have rules.

Of each routine the table says which op it is.  A call with another layout, or with a result that
no op gives and somebody reads, stays: it runs as it is.
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

# Note [What a routine says of its success]
#
# `info` is 0 where a routine could do its work.  Ours give NaN instead, and JAX has NaN in place of
# its results too, by a comparison of `info` with 0.  So of most routines `info` becomes whether
# there is a NaN, if nothing else is asked of it; which step failed is known of `getrf` alone.

_CALL = "stablehlo.custom_call"
_NAME = re.compile("lapack_[sdcz](.+)_ffi")
_CONFIGS = ("mhlo.backend_config", "backend_config")
_READ = {
    *_CONFIGS, "api_version", "call_target_name", "called_computations", "has_side_effect",
    "mhlo.frontend_attributes", "operand_layouts", "output_operand_aliases", "result_layouts",
}  # fmt: skip
_FORMS = {"N": "NO_TRANSPOSE", "T": "TRANSPOSE", "C": "ADJOINT"}
_MOST_USES = 1_000  # of values that may be read: more are taken to be


class _Call(NamedTuple):
    """A call of a routine: LAPACK's letters by the names of its options."""

    op: ir.Operation
    xs: Sequence[Value]
    ys: Sequence[Value]
    letters: dict[str, str]


class _Stays(Exception):
    """No op gives what the program reads of a call."""


def lift_lapack(module: ir.Operation) -> None:
    """Put ops of linear algebra in place of the calls of LAPACK that do the same."""
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
            # Whatever a rule raises, the call stays: as one it can be run and batched.
            with op.location, ir.InsertionPoint(op), suppress(Exception):
                replaced(op, routine(_call_of(op)))


def _call_of(op: ir.Operation) -> _Call:
    xs, ys = list(op.operands), list(op.results)
    n_batch = xs[0].type.rank - 2
    for name, values in (("operand_layouts", xs), ("result_layouts", ys)):
        if op.attributes[name] != layouts(n_batch, *[x.type.rank for x in values]):
            raise _Stays(name)
    if set(op.attributes) - _READ or _is_true(attribute_of(op, "has_side_effect")):
        raise _Stays("it does more")
    configs = [attribute_of(op, name) for name in _CONFIGS]
    config = next(one for one in configs if isinstance(one, ir.DictAttr))
    return _Call(op, xs, ys, {entry.name: chr(entry.attr.value) for entry in config})


def _is_true(flag: ir.Attribute | None) -> bool:
    return isinstance(flag, ir.BoolAttr) and flag.value


# -- what is read of a call ------------------------------------------------------------------------


def _is_read(y: Value) -> bool:
    """Whether an op reads it whose results are read, or that has none."""
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


def _asked(info: Value, directions: Sequence[str]) -> bool:
    """Whether nothing is asked of it but how it compares with 0."""
    for use in info.uses:
        op = use.owner.operation
        if op.name != "stablehlo.compare" or use.operand_number != 0:
            return False
        direction = re.search(r"(\w+)>$", str(op.attributes["comparison_direction"]))
        if direction is None or direction[1] not in directions or not is_zero(op.operands[1]):
            return False
    return True


def _failed(info: Value, y: Value) -> Value:
    """As `info`: 1 for each matrix of which the result has a NaN.

    See Note [What a routine says of its success].
    """
    if not _asked(info, ("EQ", "NE")):
        raise _Stays("which step failed is asked")
    inner = tuple(range(info.type.rank, y.type.rank))
    is_nan = emit.any(compared(y, y, "NE"), axes=inner)
    return emit.convert(is_nan, dtype="i32")


# -- the routines ----------------------------------------------------------------------------------


def _trsm(call: _Call) -> Sequence[Value]:
    letters = call.letters
    solved = emit.triangular_solve(
        *call.xs, left_side=letters["side"] == "L", lower=letters["uplo"] == "L",
        unit_diagonal=letters["diag"] == "U", transpose_a=_FORMS[letters["trans_x"]],
    )  # fmt: skip
    return [solved]


def _potrf(call: _Call) -> Sequence[Value]:
    """One triangle is read and written; the other one stays."""
    (x,), (_, info) = call.xs, call.ys
    is_lower = call.letters["uplo"] == "L"
    y = emit.cholesky(completed(x, is_lower))
    rest = strictly_upper(x) if is_lower else strictly_lower(x)
    return [emit.add(y if is_lower else ct(y), rest), _failed(info, y)]


def _getrf(call: _Call) -> Sequence[Value]:
    (x,), (_, pivots, info) = call.xs, call.ys
    lu, swapped, _ = emit.lu(x)
    found = zeros_like(info) if _asked(info, ("GE",)) else _first_zero(lu, info)
    return [lu, emit.add(swapped, full(pivots.type, 1)), found]


def _first_zero(lu: Value, info: Value) -> Value:
    """Which pivot is the first that is 0, counted from 1; 0 if none is."""
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
    """The upper triangle of the first result is r; q is what `orgqr` makes of both.

    What else the first result has, reflections, nobody else may read.
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
    """Refuse an op that does not make the columns of q."""
    name = _NAME.fullmatch(op.attributes["call_target_name"].value) if op.name == _CALL else None
    if name is None or name[1] not in ("orgqr", "ungqr") or op.operands[1] != taus:
        raise _Stays("what scales the reflections is read")
    _call_of(op)
    if _reshaped_from(op.operands[0]) != packed:
        raise _Stays("other reflections")


def _reshaped_from(x: Value) -> Value:
    """The matrices that have more columns, or fewer, than these."""
    op = x.owner
    if not isinstance(op, ir.Block) and op.name in ("stablehlo.pad", "stablehlo.slice"):
        given = op.operands[0]
        starts = op.attributes["edge_padding_low" if "pad" in op.name else "start_indices"]
        same = list(given.type.shape[:-1]) == list(x.type.shape[:-1])
        if same and not any(ir.DenseI64ArrayAttr(starts)):
            return given
    return x


def _leads_to(op: ir.Operation, products: Sequence[ir.Operation]) -> bool:
    """Whether it is one of these, or reshapes for them alone."""
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
