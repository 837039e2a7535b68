"""Masks of selections in a gradient, and the literals that its ops share."""

import gc
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
from anvl.dialect.interpreters.masking import Masked, Support, union
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


JOIN = (
    '  %u{i} = "anvl.maximum"(%h{i}, %b{i}) : (F32, F32) -> F32\n'
    '  %v{i} = "anvl.minimum"(%h{i}, %b{i}) : (F32, F32) -> F32\n'
    '  %m{i} = "anvl.add"(%u{i}, %v{i}) : (F32, F32) -> F32'
).replace("F32", F32)


def test_the_support_of_a_sum_of_selections_is_a_bool() -> None:
    """Nothing is compared with zero, and no ones are selected, to know where a sum has elements."""
    text = gradient(chain(20, JOIN), 20)
    assert "direction NE" not in text
    assert "dense<1.000000e+00>" not in text
    assert text.count(" = ") <= 20 * 35  # 41 with supports of ones and zeros


def test_supports_that_follow_from_each_other_take_no_deep_stack() -> None:
    """No op between the selections needs the support; the first one of the program does."""
    lines = [f"func.func @f(%x: {F32}, %b: {F32}, %p: tensor<4xi1>) -> {F32} {{"]
    lines += [f'  %h0 = "anvl.exp"(%x) : ({F32}) -> {F32}']
    for i in range(400):
        select = f'"anvl.select"(%p, %h{i}, %b) : (tensor<4xi1>, {F32}, {F32}) -> {F32}'
        lines += [f"  %u{i} = {select}", f"  %v{i} = {select}"]
        lines += [f'  %h{i + 1} = "anvl.add"(%u{i}, %v{i}) : ({F32}, {F32}) -> {F32}']
    module = parse("\n".join([*lines, f"  return %h400 : {F32}", "}"]))
    Pipeline([Gradient(function="f", wrt=(0,), split=True)]).run(module)
    assert module.operation.verify()


def test_masks_of_both_sides_and_of_one_bool_keep_a_gradient_finite() -> None:
    def f(x: Any, p: Any, q: Any, r: Any) -> Any:
        y = anp.sqrt(x)  # its slope at 0 is infinite
        y = anp.where(p, 7.0, anp.where(q, y, 3.0)) + anp.where(q, y, anp.where(p, y, 5.0))
        return anp.sum(anp.where(r, anp.log(y), 0) * x)

    x = np.array([0.0, 4.0, 9.0, 16.0, 25.0])
    p = np.array([True, True, False, False, True])
    q = np.array([False, True, True, False, False])
    found = np.asarray(anvl.grad(f)(x, p, q, np.array(True)))
    # y is 7 + sqrt(x) behind p, 2 sqrt(x) behind q alone, else 8.
    y = np.where(p, 7 + np.sqrt(x), np.where(q, 2 * np.sqrt(x), 8))
    slope = np.where(p, 1, np.where(q, 2, 0)) / np.maximum(2 * np.sqrt(x), 1e-9)
    np.testing.assert_allclose(found[1:], (np.log(y) + x * slope / y)[1:], rtol=1e-5)
    np.testing.assert_array_equal(anvl.grad(f)(x, p, q, np.array(False)), np.zeros(5))


def test_both_arms_together_keep_what_was_masked_before() -> None:
    def f(x: Any, p: Any, r: Any) -> Any:
        y = anp.sqrt(x)  # its slope at 0 is infinite
        y = anp.where(p, y, 1.0) + anp.where(p, 2.0, y)
        return anp.sum(anp.where(r, anp.flip(y), 0))  # of a cotangent that is moved zeros remain

    x, p = np.array([0.0, 4.0, 0.0, 16.0]), np.array([True, True, False, False])
    found = anvl.grad(f)(x, p, np.array([True, False, True, False]))
    np.testing.assert_allclose(found, [0, 0.25, 0, 0.125], rtol=1e-6)


def test_a_sweep_releases_cotangents_when_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is behind a mask lives as long as the cotangent that it belongs to."""
    alive: list[int] = []
    apply_to = Masked.of

    def count(self: Masked, g: Any) -> Any:
        alive.append(sum(type(x) is Masked for x in gc.get_objects()))
        return apply_to(self, g)

    monkeypatch.setattr(Masked, "of", count)
    gc.freeze()  # what other tests left is not looked through each time
    try:
        gradient(chain(60, JOIN), 0)
    finally:
        gc.unfreeze()
    assert len(alive) >= 60
    assert max(alive) < 20


def test_a_sum_of_many_masked_cotangents_knows_few_masks():
    """Each addition would take time in proportion to the ones before."""
    total, most = one_of(0), 0
    for i in range(1, 30):
        total = union(total, one_of(i))
        most = max(most, len(total.masks))
    assert 1 < most < 10


def test_a_sum_of_both_arms_is_masked_nowhere():
    kept, dropped, other = one_of(0), one_of(0, False), one_of(1)
    assert union(kept, dropped) is None
    assert union(union(kept, other), dropped) is None
    assert union(kept, one_of(0)) is kept
    assert union(kept, other).masks == kept.masks | other.masks


def one_of(number, keeps_true=True):
    """The support behind one mask; it is never emitted."""
    return Support(lambda: None, masks=frozenset({(number, keeps_true)}))
