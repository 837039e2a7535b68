"""Effects as values, of an op that is not anvl's: a third kind of state needs no edit elsewhere."""

import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, emit
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.effect_state import EffectState
from anvl.passes.effects.reports import report_of
from anvl.passes.functionalize_effects import FunctionalizeEffects

PROGRAM = """
func.func private @f(%x: tensor<i32>) -> tensor<i32> {
  "test.tally"(%x) : (tensor<i32>) -> ()
  return %x : tensor<i32>
}
func.func private @f_vmap(tensor<3xi32>) -> tensor<3xi32> attributes {
  anvl.vmap = {callee = @f, batched = array<i64: 0>, results = array<i64: 0>, size = 3 : i64}
}
func.func @main(%ok: tensor<i1>, %w: tensor<0xui32>, %x: tensor<3xi32>) -> tensor<3xi32> {
  "anvl.check"(%ok, %w) {message = "m", names = [], types = [], shape = array<i64>}
      : (tensor<i1>, tensor<0xui32>) -> ()
  %0 = call @f_vmap(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
"""


class TallyState(EffectState):
    """The sum of what was tallied; its name is before that of checks."""

    name = "a tally"

    def __init__(self, ops, n_members):
        self.types = [tensor([], element_type("i32"))]

    def of_members(self, state):
        return self.initial()

    def joined(self, before, members, is_implicit):
        return [emit.add(before[0], emit.sum(members[0], axes=(0,)))]


@pytest.fixture
def tally(own_ops):
    class Tally(AnvlOp, name="test.tally", pure=False):
        """Add a number to the tally."""

        x: Operand
        state = TallyState
        why_not_lowered = "run anvl-functionalize-effects first"

        @classmethod
        def result_type(cls, x):
            return []

        @classmethod
        def as_values(cls, op, state, number):
            return [], [emit.add(state[0], op.operands[0])]

        @classmethod
        def sample(cls, draw):
            return draw.calls()


@pytest.mark.usefixtures("tally")
def test_an_op_of_ones_own_declares_its_state():
    with context():
        module = ir.Module.parse(PROGRAM)
        FunctionalizeEffects().run(module.operation)
        main = ir.SymbolTable(module.operation)["main"].operation
        marks = [str(of) for of in main.attributes["res_attrs"]]
        assert [i for i, mark in enumerate(marks) if "a tally" in mark] == [1]
        report = report_of(main)
        assert report.positions == [1, 2, 3] and report.of_checks == [2, 3]
        assert [check.message for check in report.checks] == ["m"]
