"""The reverse sweep against the same in 25 lines: no cache, no masks, no slices."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, emit
from anvl.dialect.interpreters.replaced import answer_of
from anvl.dialect.interpreters.reverse import reverse_sweep


def plain_sweep(block: ir.Block, seeds: Sequence[tuple[Any, Any]], wrt: Sequence[Any]) -> list[Any]:
    """Reverse mode as a textbook has it: every op is asked, from the last one to the first."""
    cotangents: dict[Any, Any] = {}

    def add(x: Any, g: Any) -> None:
        cotangents[x] = emit.add(cotangents[x], g) if x in cotangents else g

    for y, g in seeds:
        add(y, g)
    for op in reversed(list(block.operations)):
        if not isinstance(op, AnvlOp) or cotangents.keys().isdisjoint(op.results):
            continue
        rules = type(op)
        ys, xs = tuple(op.results), tuple(op.operands)
        gs = tuple(cotangents.get(y) for y in ys)
        if rules.zero_derivative_reason:
            continue
        several = rules.multiple_results
        params = rules.read(op.operation)
        given = (gs, xs, ys) if several else (gs[0], xs, ys[0])
        answers = answer_of(rules.adjoint(*given, **params))
        for x, gx in zip(xs, answers, strict=True):
            if gx is not None and differentiable(x.type):
                add(x, _called(gx))
    return [cotangents[x] if x in cotangents else full(x.type, 0) for x in wrt]


def _called(gx: Any) -> Any:
    """The cotangent of a rule that gives it where it is wanted, or with a mask to be applied."""
    return _called(gx()) if callable(gx) else gx


X = np.array([[0.3, -1.2, 0.7], [2.0, 0.1, -0.4], [1.1, -0.6, 0.9]])


def fan_out(x: Any) -> Any:
    y = anp.sin(x)
    return y * y + anp.exp(y) * x - anp.transpose(y) / (x * x + 2)


def products(x: Any) -> Any:
    return x @ anp.transpose(x) @ anp.tanh(x) + anp.sum(x, axis=0)


def choices(x: Any) -> Any:
    return anp.where(x > 0, x * x, anp.exp(x)) + anp.maximum(x, anp.transpose(x))


def many_choices(x: Any) -> Any:
    y = x
    for i in range(6):  # more masks than are carried apart
        y = anp.tanh(anp.maximum(y, x[:, i % 3 : i % 3 + 1]) * anp.where(y > 0, x, y + i))
        y = anp.where(anp.sum(x) > i, y, anp.exp(y))
    return y


def choices_in_a_row(x: Any) -> Any:
    """Step i loses element i, in half of the steps by the other side of the choice."""
    y = x
    for i in range(7):
        is_lost = anp.reshape(anp.arange(9), (3, 3)) == i
        if i % 2:
            y = anp.sin(anp.maximum(y, anp.where(is_lost, 4.0, -4.0)))
        else:
            y = anp.exp(-anp.where(is_lost, 0.5, y))
    return y


def several_results(x: Any) -> Any:
    q, r = anp.linalg.qr(x)
    w, v = anp.linalg.eigh(x @ anp.transpose(x))
    return q * r + w * anp.abs(v)


def indexing(x: Any) -> Any:
    return x[1:] * x[:-1] + anp.cumsum(x, axis=0)[:2] + anp.sort(x, axis=1)[1:]


def squares_among_products(x: Any) -> Any:
    """Of one type, so that each kind has its recipe; squares of masked and of complex values."""
    y, z = anp.sin(x), anp.cos(x)
    of_masked = [anp.where(x > i, y, z) for i in range(3)]
    squares = [y * y, y * z, z * z, z * y, x * x, y * y * z, *[v * v * v for v in of_masked]]
    w = anp.exp(1j * x)
    # From the last one on: of this type the second one that is met is a square.
    a, b = y[:2, :1], z[:2, :1]
    squares[1] += anp.sum(a * b + (a * a - b * b))
    return sum(squares, x) + anp.real(w * w * w + w * w) + (y + y) * (z + z)


def unused(x: Any) -> Any:
    anp.exp(x)  # nothing comes of it
    return anp.floor(x) * 2 + anp.zeros((3, 3)) * x


@pytest.mark.parametrize(
    "f",
    [fan_out, products, choices, many_choices, choices_in_a_row, several_results, indexing,
     squares_among_products, unused],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_the_sweep_gives_what_the_plain_one_gives(f: Any) -> None:
    found = [_cotangent(f, sweep) for sweep in (reverse_sweep, plain_sweep)]
    # From the third op of a kind on, recipes are replayed.
    found += [_cotangent(f, reverse_sweep) for _ in range(2)]
    for value in found[1:]:
        np.testing.assert_allclose(value, found[0], rtol=rounding(PROGRAM), atol=rounding(PROGRAM))


def test_a_square_has_one_product_in_its_adjoint_that_is_doubled() -> None:
    """Also where the result is infinite, or far below the normal numbers."""
    slope = anvl.jit(anvl.vmap(anvl.grad(lambda x: 1e-30 * (x * x))))
    text = slope.lower(X[0]).mlir("gradient")
    assert text.count('"anvl.mul"') == 5 and '"anvl.add"' not in text
    x = np.asarray([1e308, -1.7e308, 1e-300, 5e-324, np.inf, 0.0])
    np.testing.assert_array_equal(slope(x), 1e-30 * x + 1e-30 * x)


def _cotangent(f: Any, sweep: Any) -> np.ndarray:
    """The cotangent of x in f(x), for the seed that f's result is of itself."""
    program = anvl.jit(f).trace(X).program
    function = program.module.body.operations[0].operation
    block = function.regions[0].blocks[0]
    terminator = block.operations[len(block.operations) - 1].operation
    with context(), ir.Location.unknown(), ir.InsertionPoint(terminator):
        (y,) = terminator.operands
        (g,) = sweep(block, [(y, y)], [block.arguments[0]])
        terminator.operands[0] = g
        types = [x.type for x in block.arguments], [g.type]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))
    return np.asarray(anvl.from_stablehlo(str(program.module))(X))
