"""`split`: what depends on late arguments, what is carried over, and what is computed again."""

import pytest

from anvl.dialect import parse
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.functions.dce import drop_dead
from anvl.passes.functions.symbol_utils import functions_of
from anvl.passes.residuals.partial_eval import spare_copies, split


def halves(text, late, n_early, *, spare=False):
    """The texts of the two halves, and what `spare_copies` says."""
    module = parse(text)
    with context(), ir.Location.unknown():
        first, second = split(functions_of(module.operation)["f"], late, n_early, ("a", "b"))
        kept = spare_copies(first, n_early) if spare else []
        assert module.operation.verify()
        return str(first), str(second), kept


CHAIN = """
func.func @f(%g: tensor<f64>, %x: tensor<f64>, %t: tensor<f64>, %y: tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %s = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %c = "anvl.cos"(%x) : (tensor<f64>) -> tensor<f64>
  %0 = "anvl.mul"(%g, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%t, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = "anvl.add"(%0, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %s, %2, %1 : tensor<f64>, tensor<f64>, tensor<f64>
}
"""


def test_late_arguments_may_stand_anywhere():
    first, second, _ = halves(CHAIN, (0, 2), 1)
    assert "@a(%arg0: tensor<f64>, %arg1: tensor<f64>)" in first
    assert "return %0, %arg1, %1 :" in first
    assert second.count("anvl.residual") == 2
    assert '"anvl.mul"(%arg2, %arg1)' in second
    assert '"anvl.mul"(%arg3, %arg1)' in second
    assert '"anvl.add"(%0, %arg0)' in second


def test_residuals_that_the_caller_has_are_not_returned_again():
    text = CHAIN.replace("return %s", "return %c")
    first, second, kept = halves(text, (0, 2), 1, spare=True)
    assert "return %0 : tensor<f64>" in first
    assert kept == [1, 2]  # the second argument, and the first result behind two arguments
    assert second.count("anvl.residual") == 2


def test_all_that_is_late_and_nothing_that_is():
    first, second, _ = halves(CHAIN, (0, 1, 2, 3), 0)
    assert "@a() {" in first
    assert "anvl." not in first
    assert second.count('"anvl.') == 5
    first, second, _ = halves(CHAIN, (), 3)
    assert first.count('"anvl.') == 5
    assert second.count('"anvl.') == 0
    # The other two results follow by cheap ops from the cosine and three arguments.
    first, second, _ = halves(CHAIN, (), 1)
    assert "-> (tensor<f64>, tensor<f64>)" in second
    assert second.count("anvl.residual") == 4
    assert first.count('"anvl.') == 2
    assert '"anvl.cos"' in first
    assert '"anvl.cos"' not in second


def test_a_result_that_must_wait_is_refused():
    for n_early in (2, 3):
        with pytest.raises(PassError, match="@f cannot be split: its result 1 depends on the"):
            halves(CHAIN, (0, 2), n_early)
    with pytest.raises(PassError, match="@f cannot be split: its result 0"):
        halves(CHAIN.replace("return %s", "return %t"), (2,), 1)


IF = """
func.func @f(%x: tensor<f64>, %p: tensor<i1>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %e = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  %early = "stablehlo.if"(%p) ({
    stablehlo.return %e : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  %c = stablehlo.constant dense<2.0> : tensor<f64>
  %late = "stablehlo.if"(%p) ({
    %0 = stablehlo.multiply %t, %e : tensor<f64>
    stablehlo.return %0 : tensor<f64>
  }, {
    %1 = stablehlo.multiply %c, %e : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %early, %late : tensor<f64>, tensor<f64>
}
"""


def test_values_that_bodies_use_count():
    first, second, _ = halves(IF, (2,), 1)
    assert first.count("stablehlo.if") == 1
    assert second.count("stablehlo.if") == 1
    # %p, %e and %c, which is no op of ours: nothing is known of what it costs.
    assert second.count("anvl.residual") == 3
    assert "anvl.exp" not in second


AGAIN = """
func.func @f(%x: tensor<f64>, %t: tensor<4xf64>) -> (tensor<f64>, tensor<4xf64>) {
  %i = "anvl.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xf64>
  %j = "anvl.exp"(%i) : (tensor<4xf64>) -> tensor<4xf64>
  %s = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %b = "anvl.broadcast_in_dim"(%s) {shape = array<i64: 4>, broadcast_dimensions = array<i64>}
      : (tensor<f64>) -> tensor<4xf64>
  %k = "anvl.cumsum"(%j) {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  %0 = "anvl.mul"(%t, %j) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %1 = "anvl.mul"(%0, %b) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %2 = "anvl.mul"(%1, %k) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %x, %2 : tensor<f64>, tensor<4xf64>
}
"""


def test_what_is_cheap_is_computed_again():
    first, second, _ = halves(AGAIN, (1,), 1)
    assert ": tensor<f64>, tensor<f64>, tensor<4xf64>\n" in first  # %x, then %s and %k
    assert '"anvl.cumsum"' in first
    assert '"anvl.sin"' in first
    assert "broadcast" not in first
    order = [second.index(f'"anvl.{op}"') for op in ("iota", "exp", "broadcast_in_dim", "mul")]
    assert order[:2] == sorted(order[:2])
    assert max(order[:3]) < order[3]
    assert '"anvl.sin"' not in second
    assert '"anvl.cumsum"' not in second


def test_only_what_is_pure_and_unused_is_dead():
    module = parse("""
      func.func @f(%x: tensor<f64>) -> tensor<f64> {
        %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
        %1 = "anvl.exp"(%0) : (tensor<f64>) -> tensor<f64>
        %2 = stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<f64>) -> tensor<f64>
        return %x : tensor<f64>
      }""")
    functions = functions_of(module.operation)
    drop_dead(functions["f"], functions)
    text = str(module)
    assert "anvl." not in text
    assert "custom_call" in text
