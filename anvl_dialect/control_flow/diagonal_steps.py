"""Loops whose steps are elementwise in one carry: the derivative of all steps is one array.

Note [Elementwise steps]
    Where a single carry is active, and each op on the way from it to itself is elementwise, an
    element after any number of steps depends on that element before, and on no other: the Jacobian
    of the loop is diagonal.  One array is its diagonal, the tangent of the carry in the direction
    of ones, and the adjoint is a product with it.  So the loop that computes the carry computes its
    derivative beside it: there is no second loop, and no step is saved.  Of 200 steps on 1,000
    numbers the gradient took 0.9 of the time of the two loops with sines, which are calls of a
    library, and 0.3 to 0.4 with what XLA vectorises; and 0.7 of the time to compile.

    The slopes are multiplied from the first step to the last, and in reverse mode from the last to
    the first: rounding differs.  Where the cotangent is zero so is the result, as it is in reverse
    mode with finite slopes, although their product may have overflowed: no element of the result
    was read there.
    Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), section 10.2, on the
    accumulation of Jacobians before a reverse sweep.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.control_flow.loop_values import dependent_results
from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import kind
from anvl.dialect.interpreters.slices import forward_slice
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["diagonal_carry", "scaled"]


def diagonal_carry(
    body: Program, n: int, moves: Sequence[bool], has_cotangent: Sequence[bool]
) -> int | None:
    """The carry of a loop of elementwise steps that alone is active; None if it is not so.

    `moves` tells of each argument of a step whether it is active, and `has_cotangent` of each
    result whether it has a cotangent; the first n of both are the carries.
    """
    if sum(moves) != 1 or sum(has_cotangent) != 1:
        return None
    k = list(moves).index(True)
    if k >= n or not has_cotangent[k]:
        return None
    x = body.arguments[k]
    if dependent_results(body, moves) != [i == k for i in range(len(body.results))]:
        return None  # the tangents of other results would be computed as well
    ops = forward_slice(body.slice().ops, [x], symbols=body.symbols).ops
    is_real = kind(x.type.element_type) == "float"
    return k if is_real and all(map(_is_elementwise, ops)) else None


def _is_elementwise(op: Any) -> bool:
    rules: Any = type(op)
    if not getattr(rules, "diagonal", False) or rules.undefined:
        return False
    return rules.has_rule("adjoint") and rules.has_rule("tangent")


def scaled(g: Value, diagonal: Value) -> Value:
    """The cotangent behind a diagonal Jacobian; zero where g is: Note [Elementwise steps]."""
    zero = zeros_like(g)
    is_zero = emit.compare(g, full(g.type, 0), comparison_direction="EQ")
    return emit.select(is_zero, zero, emit.mul(g, diagonal))
