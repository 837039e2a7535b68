"""MLIR's pass managers are kept from run to run, each for one user at a time."""

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework import managers
from anvl.passes.framework.managers import give_back, run_native, take
from anvl.passes.framework.pass_base import Pass
from anvl.passes.framework.pipeline import Pipeline

TEXT = """
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  return %x : tensor<f32>
}
"""


@dataclass(frozen=True, eq=False)
class Call(Pass, argument="test-call", registered=False):
    """Call a function."""

    function: Callable[[ir.Operation], object] = id

    def run(self, module):
        self.function(module)


@pytest.fixture
def module():
    with context():
        yield ir.Module.parse(TEXT)


@pytest.fixture
def made(monkeypatch):
    """The anchors of the managers that are made, from none."""
    managers._idle.clear()
    anchors, make = [], managers.PassManager

    def recorded(anchor, of):
        anchors.append(anchor)
        return make(anchor, of)

    monkeypatch.setattr(managers, "PassManager", recorded)
    yield anchors
    managers._idle.clear()


def test_another_run_makes_no_manager(module, made):
    for _ in range(3):
        Pipeline([Call(), Call(), "cse"]).run(module)
    assert made == ["builtin.module", "builtin.module"]  # of Python's passes, and of cse
    (function,) = module.body.operations
    for _ in range(3):
        run_native("trivial-dce", function.operation)
    assert made[2:] == ["func.func"]
    assert len(function.regions[0].blocks[0].operations) == 1


def test_a_pass_that_has_run_is_not_kept(module):
    seen = []
    one = Call(lambda op: seen.append(op.name))
    kept = weakref.ref(one)
    Pipeline([one]).run(module)
    assert seen == ["builtin.module"]
    del one
    gc.collect()
    assert kept() is None


def test_a_pass_may_run_other_passes(module):
    seen = []
    inner = Pipeline([Call(lambda op: seen.append("inner")), "cse"])
    outer = [Call(inner.run), Call(lambda op: seen.append("outer"))]
    Pipeline(outer).run(module)
    assert seen == ["inner", "outer"]


def test_passes_run_after_one_that_failed(module):
    def fail(op):
        raise ArithmeticError("of a pass")

    for _ in range(2):
        with pytest.raises(ArithmeticError, match="of a pass"):
            Pipeline([Call(fail)]).run(module)
        seen = []
        Pipeline([Call(lambda op, seen=seen: seen.append(op.name))]).run(module)
        assert seen == ["builtin.module"]


def test_what_is_in_use_is_not_given_to_others(module):
    one, other = take(module.context), take(module.context)
    assert one is not other
    give_back(one)
    assert take(module.context) is one
