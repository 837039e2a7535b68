"""What is verified after a pass: all that the pass may have changed, and the rest not again."""

from dataclasses import dataclass

import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.definition import op_checks
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes import Pass, Pipeline

TEXT = """
func.func @f(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


@dataclass(frozen=True)
class OtherAxis(Pass):
    """Makes the sum one along another axis, without a change of its type."""

    argument = "test-other-axis"

    def run(self, op):
        [function] = [f for f in op.regions[0].blocks[0].operations if f.name.value == "f"]
        function.regions[0].blocks[0].operations[0].attributes["axes"] = ir.DenseI64ArrayAttr.get(
            [1], op.context
        )


@pytest.fixture
def module():
    return ir.Module.parse(TEXT, context())


@pytest.fixture
def asked(module, monkeypatch):
    """Names of the ops of `module` whose type rules are asked."""
    names, rule = [], op_checks._problem_of
    monkeypatch.setattr(
        op_checks, "_problem_of", lambda cls, op: names.append(op.name) or rule(cls, op)
    )
    return names


def run(module, *elements):
    """Run passes, between which the rules forget what they have answered."""
    op_checks._fitting.clear()
    Pipeline(elements).run(
        module, verify_each=True, after_each=lambda *_: op_checks._fitting.clear()
    )


@pytest.mark.parametrize(
    "elements, times",
    [
        (["cse"], 1),
        (["cse", "canonicalize", "symbol-dce"], 1),  # keep types
        (["cse", "stablehlo-convert-to-signless", "cse"], 2),
        (["func.func(cse,canonicalize)", "cse", "cse"], 2),  # the module was not checked as a whole
    ],
)
def test_type_rules_are_asked_again_after_a_pass_that_may_change_types(
    module, asked, elements, times
):
    run(module, *elements)
    assert sorted(asked) == times * ["anvl.sin"] + times * ["anvl.sum"]


def test_an_op_that_a_pass_spoils_is_found_after_that_pass(module):
    with pytest.raises(PassError, match=r"test-other-axis.*result is tensor<3xf32> but"):
        run(module, "cse", OtherAxis(), "cse")


def test_a_module_that_was_never_verified_is_checked_after_cse(module):
    OtherAxis().run(module.operation)
    with pytest.raises(PassError, match=r"cse.*result is tensor<3xf32> but"):
        run(module, "cse")


def test_what_is_known_of_one_function_says_nothing_of_another(module):
    first, second = [f.name.value for f in module.body.operations]
    assert (first, second) == ("f", "g")
    module.body.operations[0].move_after(module.body.operations[1])  # @f comes last
    OtherAxis().run(module.operation)  # @f
    with pytest.raises(PassError, match=r"cse.*result is tensor<3xf32> but"):
        run(module, "func.func(cse)")
