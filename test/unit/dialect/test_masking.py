"""Masks of selections in a gradient, and the literals that its ops share."""

import re
from typing import Any

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full, shared_literals
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, tensor
from anvl.passes import Gradient, Pipeline

F32 = "tensor<4xf32>"


def chain(n: int, selection: str) -> str:
    """A module with n selections in a row, each between what came before and a new argument."""
    arguments = ", ".join(f"%b{i}: {F32}" for i in range(n))
    lines = [f"func.func @f(%h0: {F32}, {arguments}) -> {F32} {{"]
    for i in range(n):
        lines += [selection.format(i=i), f'  %h{i + 1} = "anvl.tanh"(%m{i}) : ({F32}) -> {F32}']
    return "\n".join([*lines, f"  return %h{n} : {F32}", "}"])


MAXIMUM = f'  %m{{i}} = "anvl.maximum"(%h{{i}}, %b{{i}}) : ({F32}, {F32}) -> {F32}'
SELECT = (
    '  %p{i} = "anvl.compare"(%h{i}, %b{i}) {{comparison_direction = '
    f"#stablehlo<comparison_direction LT>}}}} : ({F32}, {F32}) -> tensor<4xi1>\n"
    f'  %m{{i}} = "anvl.select"(%p{{i}}, %b{{i}}, %h{{i}}) : (tensor<4xi1>, {F32}, {F32}) -> {F32}'
)


def gradient(text: str, n: int) -> str:
    module = parse(text)
    Pipeline([Gradient(function="f", wrt=tuple(range(n + 1)), split=True)]).run(module)
    return str(module)


@pytest.mark.parametrize("selection", [MAXIMUM, SELECT], ids=["maximum", "select"])
def test_selections_in_a_row_cost_what_each_costs(selection: str) -> None:
    """Each operand gets the masks of all later selections: not one by one."""
    n_20, n_40, n_60 = (gradient(chain(n, selection), n).count(" = ") for n in (20, 40, 60))
    assert n_60 - n_40 <= n_40 - n_20 + 5
    assert n_60 <= 60 * 20


def test_merged_masks_keep_a_gradient_finite() -> None:
    def f(x: Any) -> Any:
        y = anp.sqrt(x)  # its slope at 0 is infinite
        for i in range(7):
            y = anp.where(y > -1 - i, y * 2, anp.sin(y))
        return anp.sum(anp.where(x > 0, y, 0))

    found = np.asarray(anvl.grad(f)(np.array([0.0, 4.0])))
    np.testing.assert_allclose(found, [0, 2**7 / 4])


def test_a_gradient_has_each_literal_once() -> None:
    literals = re.findall(r"value = (dense<.*?>) : (\S+)\}", gradient(chain(20, MAXIMUM), 20))
    assert sorted(literals) == sorted(set(literals))
    assert ("dense<0.000000e+00>", F32) in literals


def test_literals_are_shared_at_one_insertion_point() -> None:
    module = ir.Module.parse("", context())
    with context(), ir.Location.unknown():
        f32 = tensor((2,), element_type("f32"))
        with ir.InsertionPoint(module.body), shared_literals() as shared:
            one = full(f32, 1)
            assert full(f32, 1) == one
            assert full(f32, -0.0) != full(f32, 0.0)
            with ir.InsertionPoint.at_block_begin(module.body):
                earlier = full(f32, 1)
                assert earlier != one
            with shared_literals() as again:  # the same point
                assert again is shared
                assert full(f32, 1) == one
            two = full(f32, 2)
            two.owner.erase()
            assert full(f32, 2).owner.attributes["value"] is not None
        with ir.InsertionPoint(module.body):
            assert full(f32, 1) != one
        assert module.operation.verify()
