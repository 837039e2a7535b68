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

Note [Blocks of steps]
    On the CPU XLA computes a sine by a call for each number, and one call for a sine and a cosine
    of the same number where one kernel needs both.  A loop of two carries, as a value and its
    derivative, is a kernel for each of them in each step: each calls for itself, and none is long
    enough for a second core.  As the parts of one complex array both carries are results of one
    kernel, and up to ten steps are one, which XLA gives to two cores from about five on: 200 steps
    of a sine and a cosine on 1,000 numbers took 0.87 of the time of a kernel for each carry and
    step on one core, and 0.6 on two, and each step of a block takes 15 ms more to compile.  What
    XLA computes without calls, such as `tanh`, runs slower so, by a quarter: it is written as
    before, as on other platforms, some of which have no complex numbers.

    Steps on less than 512 numbers are worth no second core, and the whole loop is one kernel (Note
    [Loops of one kernel] in `anvl.passes.lower.xla_cpu.small_loops`): a block is one step then,
    which compiles in 0.25 to 0.8 of the time of ten, and runs in 0.8 to 1.12 of it.  On less than
    64 numbers two carries as they are take 0.65 to 0.9 of the time of one complex one.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

from anvl.dialect.control_flow.loop_values import dependent_results
from anvl.dialect.control_flow.region_ops import emit_loop
from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import dtype_name, element_type, kind, tensor
from anvl.dialect.interpreters.slices import forward_slice
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["Blocks", "blocks_of", "diagonal_carry", "in_steps", "scaled"]

#: Steps of a block, at most, and ops of all of them.
_MOST_STEPS, _MOST_OPS = 10, 300
#: Functions of a step that XLA calls, at least.
_LEAST_CALLS = 2
#: Elements of a carry, at least, of a block and of one of several steps.
_FEWEST, _FEWEST_OF_SEVERAL = 64, 512


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


class Blocks(NamedTuple):
    """How a loop is written: so many blocks of so many steps."""

    number: int
    steps: int


def blocks_of(body: Program, carry: Sequence[Value], length: int) -> Blocks | None:
    """Blocks of the steps of a loop, where they run faster: Note [Blocks of steps]."""
    n = len(carry)
    if n != 2 or len(body.results) != n or carry[0].type != carry[1].type:
        return None
    if dtype_name(carry[0].type.element_type) not in ("f32", "f64"):
        return None
    size = prod(carry[0].type.shape)
    if size < _FEWEST:
        return None
    ops = forward_slice(body.slice().ops, body.arguments[:n], symbols=body.symbols).ops
    if not all(map(_is_elementwise, ops)) or sum(op.is_called for op in ops) < _LEAST_CALLS:
        return None
    most = min(_MOST_STEPS, _MOST_OPS // len(ops)) if size >= _FEWEST_OF_SEVERAL else 1
    steps = max([k for k in range(1, most + 1) if length % k == 0], default=1)
    return Blocks(length // steps, steps)


def in_steps(
    blocks: Blocks, carry: Sequence[Value], step: Callable[..., Sequence[Value]]
) -> list[Value]:
    """Emit a loop of two carries in blocks of steps; return the last carries."""
    index = tensor([], element_type("i32"))

    def block(i: Value, pair: Value) -> list[Value]:
        values: Sequence[Value] = _parts(pair)
        for _ in range(blocks.steps):
            values = step(*values)
        return [emit.add(i, full(index, 1)), emit.complex(*values)]

    def goes_on(i: Value, _: Value) -> Value:
        return emit.compare(i, full(index, blocks.number), comparison_direction="LT")

    return _parts(emit_loop([full(index, 0), emit.complex(*carry)], goes_on, block)[1])


def _parts(pair: Value) -> list[Value]:
    return [emit.real(pair), emit.imag(pair)]


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
