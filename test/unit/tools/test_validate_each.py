"""Validation of passes by execution: what is compared, what is not, and what is executed."""

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes import Pass, find, pipeline
from anvl.passes.framework.instrument import Instrument
from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.opt.validation import validate_each
from anvl.tools.opt.validation.validate_each import Validator, hint
from anvl.tools.opt.validation.validation_options import ValidationOptions
from anvl.tools.run.random_runs import Draws, difference, run_of

FLAG = "anvl-validate-each"

TEXT = """
func.func @f(%x: tensor<3xf32>, %n: tensor<2xi32>) -> (tensor<3xf32>, tensor<2xi32>) {
  %0 = func.call @g(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %n : tensor<3xf32>, tensor<2xi32>
}
func.func private @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.neg"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.exp"(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
func.func @other(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "anvl.add"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
"""


@dataclass(frozen=True)
class Rename(Pass, argument="test-rename", registered=False):
    """Give each op `old` another name, which may be wrong, or none at all."""

    old: str = ""
    new: str = ""

    def run(self, module):
        for op in find(module, self.old):
            made = ir.Operation.create(
                self.new, [y.type for y in op.results], list(op.operands),
                ip=ir.InsertionPoint(op), loc=op.location,
            )  # fmt: skip
            for old, value in zip(op.results, made.results, strict=True):
                old.replace_all_uses_with(value)
            op.erase()


def validated(text, passes, **options):
    """The remarks of a validated run, and the validator."""
    module = ir.Module.parse(text, context())
    made = ValidationOptions(**options)
    validator = Validator(FLAG, made, hint(FLAG, made, None, local=False))
    with ir.Location.unknown(context()):
        Pipeline(passes).run(module, instruments=[validator])
    return [remark for remark, _ in validator.remarks]


def refused(text, passes, **options):
    with pytest.raises(PassError) as said:
        validated(text, passes, **options)
    return said.value


def test_the_pipeline_of_jit_and_native_passes_agree():
    assert validated(TEXT, [*pipeline().elements, "canonicalize", "sccp", "symbol-dce"]) == []


def test_a_private_function_is_executed_by_its_callers():
    error = refused(TEXT, ["cse", Rename("anvl.exp", "anvl.sin"), "canonicalize"])
    assert error.pass_name == "test-rename"
    assert "@f computes other numbers after this pass than before it: result 0" in str(error)
    assert "3 of 3 elements differ" in str(error)
    assert "@g computes" in str(refused(TEXT, [Rename("anvl.exp", "anvl.sin")], functions=("g",)))
    assert validated(TEXT, [Rename("anvl.exp", "anvl.sin")], functions=("@other",)) == []


def test_integers_must_be_equal():
    error = refused(TEXT, [Rename("anvl.add", "anvl.mul")])
    assert "@other computes other numbers" in str(error)
    assert validated(TEXT, [Rename("anvl.exp", "anvl.expm1")], rtol=10.0, atol=10.0) == []


def test_a_function_is_executed_only_where_it_changes(monkeypatch):
    executed = []
    run = validate_each.run_of

    def counted(module, function, draws):
        executed.append(function)
        return run(module, function, draws)

    monkeypatch.setattr(validate_each, "run_of", counted)
    validated(TEXT, ["cse", "canonicalize", Rename("anvl.add", "anvl.add"), "cse"])
    assert executed == ["f", "other"]
    with pytest.raises(PassError):
        validated(TEXT, ["cse", Rename("anvl.neg", "anvl.abs")])
    assert executed == ["f", "other", "f", "other", "f"]


def test_stages_that_cannot_be_executed_are_passed_over():
    unknown = "never_registered.op"
    given = context().allow_unregistered_dialects
    context().allow_unregistered_dialects = True
    try:
        there, back = Rename("anvl.exp", unknown), Rename(unknown, "anvl.exp")
        remarks = validated(TEXT, [there, back])
        error = refused(TEXT, [there, Rename(unknown, "anvl.sin")])
    finally:
        context().allow_unregistered_dialects = given
    assert len(remarks) == 1
    assert remarks[0].startswith(f"{FLAG}: @f cannot be executed after test-rename: ")
    assert "unregistered dialect" in remarks[0]
    assert "before it and test-rename, which left nothing to execute: result 0" in str(error)


def test_a_type_that_changes_is_a_remark():
    text = "func.func @f(%x: tensor<2x?xf32>) -> tensor<2x?xf32> { return %x : tensor<2x?xf32> }"
    first, *_ = validated(text, ["anvl-refine-shapes{function=f types=tensor<2x3xf32>}"])
    assert first.startswith(f"{FLAG}: @f cannot be executed as it is read: @f: argument 0: ")

    @dataclass(frozen=True)
    class Narrow(Pass, argument="test-narrow", registered=False):
        """Let @other return its argument twice."""

        def run(self, module):
            from anvl.passes.expand.declarations import finish

            function = find(module, "func.func")[-1]
            x = function.regions[0].blocks[0].arguments[0]
            finish(function, [x, x])

    assert validated(TEXT, [Narrow()]) == [
        f"{FLAG}: test-narrow changes the type of @other from (tensor<2xi32>) -> (tensor<2xi32>) "
        "to (tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>): not compared"
    ]


def test_nan_is_equal_to_nan_and_to_nothing_else():
    root = TEXT.replace("anvl.exp", "anvl.log")
    run = run_of(ir.Module.parse(root, context()).operation, "f", Draws())
    assert not run.nan_results  # the numbers of both signs have logarithms
    assert any(np.isnan(values[0]).any() for values in run.values)
    assert difference(run, run) is None
    assert validated(root, ["cse", "canonicalize", "anvl-inline"]) == []
    assert "@f computes" in str(refused(root, [Rename("anvl.neg", "anvl.abs")]))


def test_an_instrument_that_raises_makes_the_pass_one_that_failed():
    failed = []

    class Note(Instrument):
        def failed(self, pass_, op):
            failed.append(pass_.argument)

    module = ir.Module.parse(TEXT, context())
    validator = Validator(FLAG, ValidationOptions(), "a hint")
    with ir.Location.unknown(context()), pytest.raises(PassError) as said:
        Pipeline(["cse", Rename("anvl.exp", "anvl.sin")]).run(
            module, instruments=[validator, Note()]
        )
    assert failed == ["test-rename"]
    notes = said.value.__notes__
    assert notes[0].startswith("the inputs, tensor<3xf32>, tensor<2xi32>, are those of anvl-run ")
    assert notes[1:] == ["a hint"]


def test_executing_leaves_jaxlib_to_the_child(tmp_path):
    file = tmp_path / "f.mlir"
    file.write_text(TEXT)
    code = (
        "import sys; from anvl.tools.opt.main import main; "
        f"code = main([{str(file)!r}, '--cse', '--anvl-validate-each', '-o', '/dev/null']); "
        "sys.exit(code or ('jaxlib' in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
