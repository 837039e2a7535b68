"""Declared transformations: wrong rules, odd functions, declarations of several kinds at once."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import anvl
from anvl.dialect import parse
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.passes.framework.pipeline import Pipeline

PASSES = ("anvl-gradient", "anvl-forward", "anvl-vectorize")


def run(text, *passes):
    module = parse(text)
    Pipeline(passes).run(module, verify_each=True)
    return str(module)


SINE = """
func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = "anvl.sin"(%x) : (tensor<3xf64>) -> tensor<3xf64> loc("model.py":6:3)
  return %0 : tensor<3xf64>
}
"""


@pytest.mark.parametrize(
    ("rule", "made", "pass_", "message"),
    [
        ("tangent", lambda ts, xs, y: emit.sum(y, axes=(0,)), "anvl-forward{function=f}",
         "anvl.sin: its tangent rule gave a tangent tensor<f64> for a result tensor<3xf64>"),
        ("batch", lambda xs, batched: emit.sum(xs[0], axes=(1,)),
         "anvl-vectorize{function=f size=2}",
         "anvl.sin: its batch rule gave tensor<2xf64> for 2 of tensor<3xf64>"),
    ],
)  # fmt: skip
def test_a_rule_of_the_wrong_type_is_named_with_its_place(monkeypatch, rule, made, pass_, message):
    monkeypatch.setattr(OPS["anvl.sin"], rule, classmethod(lambda cls, *args: made(*args)))
    with pytest.raises(PassError, match="sin") as caught:
        run(SINE, pass_)
    found, _, place = caught.value.message.partition("; the rule is at ")
    assert found == message and place.startswith(__file__)
    assert "model.py" in caught.value.location


@pytest.mark.parametrize(
    ("rule", "pass_"),
    [("tangent", "anvl-forward{function=f}"), ("batch", "anvl-vectorize{function=f size=2}")],
)
def test_what_a_rule_raises_says_where(monkeypatch, rule, pass_):
    def broken(cls, *args):
        raise ZeroDivisionError("of the author")

    monkeypatch.setattr(OPS["anvl.sin"], rule, classmethod(broken))
    with pytest.raises(ZeroDivisionError, match="of the author") as caught:
        run(SINE, pass_)
    assert "model.py" in caught.value.location


@pytest.mark.parametrize("rule", ["tangent", "batch"])
def test_a_rule_that_is_replaced_is_asked_again(monkeypatch, rule):
    transform = {"tangent": lambda x: anvl.jvp(anvl.prim.sinh, (x,), (x,))[1]}.get(
        rule, anvl.vmap(anvl.prim.sinh)
    )
    stage = {"tangent": "forward", "batch": "vectorize"}[rule]

    def text():
        return anvl.jit(transform).lower(np.ones(5)).mlir(stage)

    assert "anvl.tan" not in [text() for _ in range(3)][-1]
    replaced = {
        "tangent": lambda cls, ts, xs, y: emit.tan(ts[0]),
        "batch": lambda cls, xs, batched: emit.tan(xs[0]),
    }[rule]
    monkeypatch.setattr(OPS["anvl.sinh"], rule, classmethod(replaced))
    assert "anvl.tan" in text()


ALL_KINDS = """
func.func private @h_vjp(tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  attributes {anvl.vjp = {callee = @h, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @h(tensor<2xf64>) -> tensor<2xf64>
  attributes {anvl.vmap = {callee = @g, batched = array<i64: 0>, results = array<i64: 0>,
                           size = 2 : i64}}
func.func private @g(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = call @f_jvp(%x, %x) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @f_jvp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}}
func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @main(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %0:2 = call @h_vjp(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<2xf64>, tensor<2xf64>
}
"""


@pytest.mark.parametrize("order", list(itertools.permutations(PASSES)))
def test_the_passes_may_come_in_any_order(order):
    text = run(ALL_KINDS, *order, "anvl-inline")
    assert "anvl.jvp" not in text and "anvl.vjp" not in text and "anvl.vmap" not in text
    assert text.count("func.func") == 1
    # The adjoint of the batch of the tangent: any one pass that is asked defines all three.
    assert run(ALL_KINDS, "anvl-gradient", "anvl-inline").count("func.func") == 1


def test_a_declaration_of_two_kinds_is_refused():
    text = (
        SINE
        + """
    func.func private @both(tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
      attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>},
                  anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
    """
    )
    with pytest.raises(PassError, match=r"@both has .*, and can be declared as one of them only"):
        run(text, "anvl-forward")


@pytest.mark.parametrize("pass_", ["anvl-forward{function=f}", "anvl-vectorize{function=f size=2}"])
def test_functions_of_nothing_and_to_nothing(pass_):
    empty = "func.func @f(%x: tensor<f64>) { return }"
    assert "func.func @f_" in run(empty, pass_)
    shared = """func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
      return %x, %x : tensor<f64>, tensor<f64>
    }"""
    assert "func.func @f_" in run(shared, pass_)


@pytest.mark.parametrize("request_", ["3 : i64", "{}", "{callee = 1 : i64}", '{callee = "f"}'])
@pytest.mark.parametrize("kind", ["vjp", "jvp", "vmap"])
def test_attributes_of_any_form_are_refused(kind, request_):
    text = (
        f"func.func private @d(tensor<f64>) -> tensor<f64> attributes {{anvl.{kind} = {request_}}}"
    )
    with pytest.raises(PassError, match=rf"@d: anvl.{kind} must be {{callee = @f, "):
        run(text, *PASSES)


def test_all_that_has_rules_is_there_with_the_dialect() -> None:
    """What the passes import beside it changes nothing: no rule depends on who was imported."""
    code = """
import anvl.dialect
from anvl.dialect.control_flow.call import FUNCTION_RULES
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.control_flow.region_ops import RegionOp
def known():
    return [*OPS, *FUNCTION_RULES, *(cls.__name__ for cls in RegionOp.__subclasses__())]
before = known()
import anvl, anvl.passes
assert known() == before, set(known()) ^ set(before)
assert "anvl.scan" in before and "anvl.custom_vjp" in before and "WhileOp" in before
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_passes_of_a_tool_are_known_when_it_runs_not_when_it_is_imported() -> None:
    code = """
import anvl.passes
from anvl.passes.framework.pass_base import registered_passes
before = registered_passes()
assert "anvl-gradient" in before
import anvl.tools.opt.verify_gradient
from anvl.tools.opt.main import main
assert registered_passes() == before, registered_passes().keys() ^ before.keys()
assert main(["--version"]) == 0 and "anvl-verify-gradient" in registered_passes()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
