"""Taylor series through control flow: a loop carries the coefficients of its carries."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from anvl.dialect.control_flow.loop_values import dependent_results, fixed_point_flags, split_sizes
from anvl.dialect.control_flow.region_ops import emit_loop
from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.op import Value
from anvl.dialect.interpreters.subprogram import Program
from anvl.dialect.interpreters.taylor import taylor_of

__all__ = ["branch_series", "scan_series", "unpacked", "while_series"]

#: The coefficients of each value from the first on; None for a value that does not vary.
Series: TypeAlias = Sequence[Sequence[Value | None] | None]


def packed(xs: Sequence[Value], series: Series, flags: Sequence[bool], order: int) -> list[Value]:
    """All coefficients of the marked values, with zeros where there are none."""
    found: list[Value] = []
    for x, of, flag in zip(xs, series, flags, strict=True):
        if flag:
            given = of or [None] * order
            found += [zeros_like(x) if c is None else c for c in given]
    return found


def unpacked(values: Sequence[Value], flags: Sequence[bool], order: int) -> list[Any]:
    """The inverse of `packed`: None for values that are not marked."""
    parts = iter(split_sizes(values, [order] * sum(flags)))
    return [next(parts) if flag else None for flag in flags]


def _listed(series: Sequence[Any], order: int) -> list[list[Value | None]]:
    return [[None] * order if of is None else list(of) for of in series]


def while_series(loop: Any, xs: Sequence[Value], series: Series, order: int) -> tuple[Any, Any]:
    """The results of a `while`, and the coefficients of each."""
    n, body = loop.n, loop.body
    moves = [of is not None for of in series]
    flags = fixed_point_flags(body, moves[:n], moves[n:], n)
    flags = [a and differentiable(x.type) for a, x in zip(flags, xs, strict=False)]
    carry, rest = loop.split(xs)

    def next_body(*values: Value) -> list[Value]:
        given = [*unpacked(values[n:], flags, order), *series[n:]]
        found, moved = taylor_of(body, [*values[:n], *rest], given, order)
        return [*found, *packed(found, moved, flags, order)]

    found = emit_loop(
        [*carry, *packed(carry, series[:n], flags, order)],
        lambda *vs: loop.cond(*vs[:n], *rest)[0],
        next_body,
        loop.attributes,
    )
    return found[:n], _listed(unpacked(found[n:], flags, order), order)


def branch_series(
    branch: Program, outer: Sequence[Value], series: Series, order: int
) -> list[Value]:
    """The results of a branch, and behind them the coefficients of those that are floats."""
    found, moved = taylor_of(branch, outer, series, order)
    flags = [differentiable(y.type) for y in found]
    return [*found, *packed(found, moved, flags, order)]


def scan_series(
    rule: Any, f: Any, xs: Sequence[Value], series: Series, order: int
) -> tuple[Any, Any]:
    """The results of a scan, and the coefficients of each."""
    loop = rule.read(f)
    n, body = loop.n, loop.body.program
    moves = [of is not None for of in series]
    flags = fixed_point_flags(body, moves[:n], moves[n:], n)
    takes = [a and differentiable(x.type) for a, x in zip([*flags, *moves[n:]], xs, strict=True)]
    varying = zip(dependent_results(body, takes)[n:], body.results[n:], strict=True)
    gives = [*takes[:n], *(a and differentiable(y.type) for a, y in varying)]
    primals, given, marks = loop.split(xs), loop.split(series), loop.split(takes)
    more = [packed(*part, order) for part in zip(primals, given, marks, strict=True)]
    sizes = [len(part) for pair in zip(primals, more, strict=True) for part in pair]

    def next_body(*values: Value) -> list[Value]:
        c, tc, x, tx, r, tr = split_sizes(values, sizes)
        moving = unpacked([*tc, *tx, *tr], takes, order)
        found, moved = taylor_of(body, [*c, *x, *r], moving, order)
        return [
            *found[:n],
            *packed(found[:n], moved[:n], gives[:n], order),
            *found[n:],
            *packed(found[n:], moved[n:], gives[n:], order),
        ]

    carry, arrays, rest = ([*x, *c] for x, c in zip(primals, more, strict=True))
    found = rule.emit_scan(f, "taylor", (carry, arrays, rest), next_body, loop.reverse)
    n_stacked = len(body.results) - n
    counts = [n, len(more[0]), n_stacked, len(found) - n - len(more[0]) - n_stacked]
    ends, of_ends, stacked, of_stacked = split_sizes(found, counts)
    coefficients = unpacked([*of_ends, *of_stacked], gives, order)
    return [*ends, *stacked], _listed(coefficients, order)
