"""Calls of libraries of linear algebra, which take stacks of matrices, and what they need around.

Routines take and return matrices column-major, and return an `info` for each matrix: 0 on success.
Matrices whose factorisation failed become NaN.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.linalg.linalg_fallback import compared, first_axes, or_nan
from anvl.dialect.ops.linalg.matrices import columns, padded, rows, upper

__all__ = ["call", "finite", "info_type", "layouts", "like", "nan_if_failed", "qr", "sizes"]


def call(
    target: str, xs: Sequence[Value], types: Sequence[Any], in_place: int | None = None,
    matrix_axes: int = 2, by_columns: bool = True, **options: str | bool | int,
) -> list[Value]:  # fmt: skip
    """Call a registered routine.

    Arrays of as many axes as the first operand are stacks of matrices (or of vectors, with
    `matrix_axes=1`).  Options are letters, as LAPACK takes them, flags or small numbers.
    `in_place` is the operand whose buffer becomes the first result.
    """
    ranks = tuple([x.type.rank for x in xs]), tuple([t.rank for t in types])
    n_batch = ranks[0][0] - matrix_axes
    attributes = _attributes(target, n_batch, *ranks, in_place, by_columns, **options)
    return list(ir.Operation.create("stablehlo.custom_call", types, xs, attributes).results)


@cache  # writing these attributes took half of the lowering
def _attributes(
    target: str, n_batch: int, of_operands: tuple[int, ...], of_results: tuple[int, ...],
    in_place: int | None, by_columns: bool, **options: str | bool | int,
) -> dict[str, ir.Attribute]:  # fmt: skip
    attributes = {
        "call_target_name": ir.StringAttr.get(target, context()),
        "api_version": _attribute("4 : i32"),
        "backend_config": _options(**options),
        "operand_layouts": layouts(n_batch, *of_operands, by_columns=by_columns),
        "result_layouts": layouts(n_batch, *of_results, by_columns=by_columns),
    }
    if in_place is not None:
        attributes["output_operand_aliases"] = _alias(in_place, len(of_results))
    return attributes


@cache
def _attribute(text: str) -> ir.Attribute:
    return ir.Attribute.parse(text, context())


def _options(**options: str | bool | int) -> ir.Attribute:
    items = (f"{name} = {_option(value)}" for name, value in options.items())
    return _attribute(f"{{{', '.join(items)}}}")


def _option(value: str | bool | int) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{ord(value) if isinstance(value, str) else value} : ui8"


def _alias(operand: int, n_results: int) -> ir.Attribute:
    first = "[0]" if n_results > 1 else "[]"
    return _attribute(
        f"[#stablehlo.output_operand_alias<output_tuple_indices = {first}, "
        f"operand_index = {operand}, operand_tuple_indices = []>]"
    )


@cache
def layouts(n_batch: int, *ranks: int, by_columns: bool = True) -> ir.Attribute:
    """Layout of each array, minor to major: matrices are column-major, unless by rows."""
    of_matrices = [by_columns and rank - n_batch == 2 for rank in ranks]
    return _attribute(f"[{', '.join(map(_layout, ranks, of_matrices))}]")


def _layout(rank: int, by_columns: bool) -> str:
    if rank == 0:
        return "dense<> : tensor<0xindex>"
    axes = list(range(rank))[::-1]
    if by_columns:
        axes[:2] = axes[1::-1]
    return f"dense<{axes}> : tensor<{rank}xindex>"


def info_type(x: Value) -> Any:
    """Type of `info` for a stack of matrices."""
    return tensor(x.type.shape[:-2], element_type("i32"))


def nan_if_failed(info: Value, *ys: Value, given: Value | None = None) -> list[Value]:
    """Results, NaN where the routine failed or `given` is false."""
    good = compared(info, zeros_like(info), "EQ")
    return or_nan(good if given is None else and_(good, given), *ys)


def finite(x: Value) -> tuple[Value, Value]:
    """Replace matrices with infinities or NaN by zeros; return them and a mask of the finite ones.

    Iterations lose NaN, and LAPACK's print warnings about infinities.
    """
    difference, last = emit.sub(x, x), x.type.rank - 1  # NaN also for infinity
    total = emit.sum(difference, axes=(last - 1, last))  # one pass, and NaN is kept
    is_finite = compared(total, zeros_like(total), "EQ")
    return emit.select(first_axes(is_finite, x), x, zeros_like(x)), is_finite


def like(x: Value, *shape: int) -> Any:
    """Type of a stack as long as x, of matrices or vectors of this shape."""
    return tensor((*x.type.shape[:-2], *shape), x.type.element_type)


def sizes(x: Value) -> tuple[int, int, int]:
    """Rows, columns, and the smaller of both."""
    m, n = x.type.shape[-2:]
    return m, n, min(m, n)


def qr(
    x: Value, full_matrices: bool, reflect: Callable[..., Any], multiply: Callable[..., Any]
) -> list[Value]:
    """QR factorisation by a routine that reflects columns, and one that multiplies reflections."""
    m, n, k = sizes(x)
    # The reflections below the diagonal of r, and their factors.
    packed, taus = reflect([x], [x.type, like(x, k)], in_place=0)
    count = m if full_matrices else k
    reflections = padded(columns(packed, 0, min(n, count)), m, count)
    (q,) = multiply([reflections, taus], [reflections.type], in_place=0)
    return [q, upper(rows(packed, 0, count))]
