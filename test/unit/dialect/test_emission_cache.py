"""Recipes build what the rules emit: op for op, with the same locations, for every op."""

from typing import Any

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.batch import batch_block
from anvl.dialect.interpreters.emission_cache import (
    Recipe,
    clear_if_replaced,
    learn,
    record,
    replay,
)
from anvl.dialect.interpreters.forward import forward_sweep
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.passes.framework import pipeline
from anvl.passes.framework.pipeline import Pipeline
from anvl.testing.draw import Call, Draw
from anvl.testing.program import type_of

TIMES = 4  # asked, written down, and built twice


def after_a_pass(op_class: Any, call: Call, rule: str) -> list[str]:
    """The text of the op in a function, TIMES times over, after the pass that asks for a rule."""
    operands, params = call.operands, call.params
    texts = []
    for i in range(TIMES):
        here = ir.Location.name(f"time{i}", ir.Location.file("f.py", i, 1))
        with here:
            module = ir.Module.create()
            types = [type_of(np.asarray(x)) for x in operands]
            attributes = {
                "sym_name": ir.StringAttr.get("main"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
            }
            at = ir.InsertionPoint(module.body)
            function = ir.Operation.create("func.func", attributes=attributes, regions=1, ip=at)
            block = function.regions[0].blocks.append(*types, arg_locs=[here] * len(types))
            with ir.InsertionPoint(block):
                y = op_class.build(*block.arguments, **params)
                ys = list(y) if op_class.multiple_results else [y]
                if rule == "adjoint":
                    seeds = [(y, full(y.type, 1)) for y in ys if differentiable(y.type)]
                    ys = reverse_sweep(
                        block, seeds, [x for x in block.arguments if differentiable(x.type)]
                    )
                if rule == "tangent":
                    moving = {x: x for x in block.arguments if differentiable(x.type)}
                    ts = forward_sweep(block, moving, ys)
                    ys = [t for t in ts if t is not None]
                ir.Operation.create("func.return", [], ys)
            if rule == "batch":
                batched = {i: batch_type(t) for i, t in enumerate(types)}
                batch_block(block, batched)
        if rule == "lower":
            Pipeline(["anvl-lower-to-stablehlo"]).run(module)
        text = module.operation.get_asm(enable_debug_info=True, use_local_scope=True)
        texts.append(text.replace(f"time{i}", "time").replace(f"f.py:{i}:", "f.py:0:"))
        texts[-1] = texts[-1].replace(f'"f.py":{i}:', '"f.py":0:')
    return texts


@pytest.mark.sweep(keep=4, part=2)
@pytest.mark.parametrize("name", sorted(OPS))
def test_an_op_lowers_to_the_same_text_each_time(name: str) -> None:
    op_class = OPS[name]
    with context(), ir.Location.unknown():
        for call in op_class.sample(Draw(name)):
            try:
                first, *others = after_a_pass(op_class, call, "lower")
            except PassError as error:
                assert op_class.why_not_lowered in str(error)
                return
            assert others == [first] * (TIMES - 1)


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("name", sorted(n for n in OPS if OPS[n].has_rule("adjoint")))
def test_an_op_has_the_same_adjoint_each_time(name: str) -> None:
    op_class = OPS[name]
    if op_class.undefined:
        pytest.skip("an operand has no derivative")
    with context(), ir.Location.unknown():
        for call in op_class.sample(Draw(name)):
            first, *others = after_a_pass(op_class, call, "adjoint")
            assert others == [first] * (TIMES - 1)


@pytest.mark.sweep(keep=3, part=2)
@pytest.mark.parametrize("name", sorted(n for n in OPS if OPS[n].has_rule("tangent")))
def test_an_op_has_the_same_tangent_each_time(name: str) -> None:
    op_class = OPS[name]
    if op_class.undefined:
        pytest.skip("an operand has no derivative")
    with context(), ir.Location.unknown():
        for call in op_class.sample(Draw(name)):
            first, *others = after_a_pass(op_class, call, "tangent")
            assert others == [first] * (TIMES - 1)


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("name", sorted(n for n in OPS if OPS[n].has_rule("batch")))
def test_an_op_has_the_same_batch_each_time(name: str) -> None:
    op_class = OPS[name]
    with context(), ir.Location.unknown():
        for call in op_class.sample(Draw(name)):
            first, *others = after_a_pass(op_class, call, "batch")
            assert others == [first] * (TIMES - 1)


def test_a_batch_within_an_adjoint_shares_the_literals_there() -> None:
    # An adjoint, in which literals are shared, batches the body of map: the batch of an empty array
    # is a literal.
    with context(), ir.Location.unknown():
        op_class = OPS["stablehlo.map"]
        (call,) = [c for c in op_class.sample(Draw("map")) if c.operands[0].shape == (0, 3)]
        first, *others = after_a_pass(op_class, call, "adjoint")
        assert others == [first] * (TIMES - 1)
        assert first.count("dense<0.0") == 1


def batch_type(member: Any) -> Any:
    return tensor((2, *member.shape), member.element_type)


def test_most_tangents_and_batches_have_recipes() -> None:
    f = lambda x: anp.sin(anp.sin(anp.sin(x))).T.T.T  # noqa: E731
    # A batch of sin is sin; a batch of transpose has other axes.
    anvl.jit(anvl.vmap(lambda x: anvl.jvp(f, (x,), (x,)))).lower(np.ones((7, 2, 3)))
    sin, transpose = OPS["anvl.sin"], OPS["anvl.transpose"]
    for recipes in (sin.tangent_recipes, transpose.batch_recipes):
        assert any(isinstance(recipe, Recipe) for recipe in recipes.values())


def test_most_adjoints_have_recipes() -> None:
    sin = OPS["anvl.sin"]
    anvl.jit(anvl.grad(lambda x: anp.sum(anp.sin(anp.sin(anp.sin(x)))))).lower(np.ones(7))
    assert any(isinstance(recipe, Recipe) for recipe in sin.recipes.values())


def test_a_rule_that_is_replaced_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def text() -> str:
        return anvl.jit(anvl.grad(anp.cosh)).lower(anvl.aval("f32")).mlir("gradient")

    assert "anvl.sinh" in [text() for _ in range(3)][-1]
    monkeypatch.setattr(OPS["anvl.cosh"], "passes", (lambda g, x, y: emit.mul(g, emit.tan(x)),))
    assert "anvl.tan" in text() and "anvl.sinh" not in text()


def f64(*shape: int) -> Any:
    return tensor(shape, element_type("f64"))


def test_a_recipe_is_written_the_second_time() -> None:
    recipes: dict[Any, Any] = {}
    with context(), ir.Location.unknown():
        clear_if_replaced(recipes, "a rule")
        assert learn(recipes, "key", lambda: pytest.fail("too early")) is None
        recipe = learn(recipes, "key", lambda: record(lambda x: [emit.sin(x), None], [f64(2)]))
        assert learn(recipes, "key", lambda: pytest.fail("twice")) is recipe
        assert recipe.is_plain and recipe.outputs == [(0, 1)]
        clear_if_replaced(recipes, "a rule")
        assert learn(recipes, "key", lambda: pytest.fail("forgotten")) is recipe
        clear_if_replaced(recipes, "another rule")
        assert learn(recipes, "key", lambda: pytest.fail("stale")) is None


def test_a_recipe_is_built_again_with_other_values() -> None:
    with context(), ir.Location.unknown():
        recipe = record(lambda x, y: [emit.mul(emit.sin(y), x)], [f64(2), f64(2)])
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            x = full(f64(2), 3)
            (y,) = replay(recipe, [x, x])
        assert [op.operation.name for op in module.body.operations] == [
            "anvl.constant", "anvl.sin", "anvl.mul",
        ]  # fmt: skip
        assert y.owner.operands[1] == x


def test_no_recipe_for_rules_that_fail_or_look_at_more_than_types() -> None:
    def fails(x: Any) -> Any:
        raise ValueError("no")

    with context(), ir.Location.unknown():
        outside = ir.Module.create()
        with ir.InsertionPoint(outside.body):
            other = full(f64(2), 3)
        assert record(fails, [f64(2)]) is None
        assert record(lambda x: [emit.add(x, other)], [f64(2)]) is None
        assert record(lambda x: [other], [f64(2)]) is None


TO_TWO_SHAPES = """
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %s = "anvl.constant"() {value = dense<[2, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
  %t = "anvl.constant"() {value = dense<[4, 1]> : tensor<2xi32>} : () -> tensor<2xi32>
  %a = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  %b = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  %c = stablehlo.dynamic_reshape %x, %t : (tensor<4xf32>, tensor<2xi32>) -> tensor<4x1xf32>
  %d = "anvl.sum"(%a) {axes = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<f32>
  %e = "anvl.sum"(%b) {axes = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<f32>
  %g = "anvl.sum"(%c) {axes = array<i64: 0, 1>} : (tensor<4x1xf32>) -> tensor<f32>
  %h = "anvl.add"(%d, %e) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y = "anvl.add"(%h, %g) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
"""


@pytest.mark.usefixtures("own_ops")
def test_ops_of_stablehlo_whose_result_the_text_says_have_a_recipe_for_each() -> None:
    class DynamicReshape(AnvlOp, name="dynamic_reshape", borrowed=True):
        """The result type is no parameter, and is not told by those of the operands."""

        x: Operand
        to: Operand
        y: Result

        @classmethod
        def adjoint(cls, g: Any, xs: Any, y: Any) -> Any:
            doubled = emit.mul(g, full_like(g, 2))
            return [emit.reshape(doubled, shape=tuple(xs[0].type.shape)), None]

        @classmethod
        def tangent(cls, ts: Any, xs: Any, y: Any) -> Any:
            return emit.reshape(emit.add(ts[0], ts[0]), shape=tuple(y.type.shape))

    for text in ("anvl-gradient{function=f wrt=0}", "anvl-forward{function=f wrt=0}"):
        for _ in range(TIMES):
            with context():
                module = ir.Module.parse(TO_TWO_SHAPES)
                pipeline.parse(text).run(module)
                assert module.operation.verify()
