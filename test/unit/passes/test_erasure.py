"""Erasing in passes of a person's own, and IR that a pass leaves invalid."""

from dataclasses import dataclass

import pytest

from anvl.dialect import PassError, ir, parse
from anvl.dialect.core.mlir import rewrite
from anvl.passes import Pass, Pipeline, find, option
from anvl.passes.framework.erasure import InvalidErasure, check_erasures
from anvl.passes.framework.verification import LONGEST_OP, shown

check_erasures()

SINE = """
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.mul"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""


def test_a_used_op_is_not_erased():
    module = parse(SINE)
    sine = find(module.operation, "anvl.sin")[0]
    for op in (sine, sine.opview):
        with pytest.raises(InvalidErasure, match=r"erase: anvl.sin is still used, by anvl.mul"):
            op.erase()
    module.operation.verify()
    sine.result.replace_all_uses_with(sine.operands[0])
    sine.erase()
    assert "anvl.sin" not in str(module)


def test_a_used_argument_is_not_erased():
    module = parse(SINE)
    block = module.body.operations[0].regions[0].blocks[0]
    with pytest.raises(InvalidErasure, match=r"argument 0 of func.func is still used, by anvl.sin"):
        block.erase_argument(0)
    module.operation.verify()


def apply(function, module):
    with module.context:
        patterns = rewrite.RewritePatternSet()
        patterns.add("anvl.sin", function)
        rewrite.walk_and_apply_patterns(module.operation, patterns.freeze())


def rewrite_sine(function):
    module = parse(SINE)
    with pytest.raises(InvalidErasure) as error:
        apply(function, module)
    module.operation.verify()
    return str(error.value)


def test_a_pattern_does_not_erase_a_used_op():
    assert "is still used" in rewrite_sine(lambda op, rewriter: rewriter.erase_op(op))


def test_a_pattern_replaces_every_result_by_another_value():
    assert "1 results, got 0 values" in rewrite_sine(lambda op, rw: rw.replace_op(op, []))
    message = rewrite_sine(lambda op, rw: rw.replace_op(op, list(op.results)))
    assert "its own result 0" in message
    assert message.endswith(
        'the op is now: %0 = "anvl.sin"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>'
    )


def test_a_pattern_may_replace_an_op():
    module = parse(SINE)
    apply(lambda op, rw: rw.replace_op(op, list(op.operands)), module)
    assert "anvl.sin" not in str(module)


@dataclass(frozen=True)
class Broken(Pass, argument="test-broken", registered=False):
    """Give a sine a type of its own, or erase the end of a function."""

    of: str = option("sine", help="what to break")

    def run(self, module):
        if self.of == "sine":
            find(module, "anvl.sin")[0].result.set_type(ir.Type.parse("tensor<7xf32>"))
        else:
            find(module, "func.return")[0].erase()


def test_the_op_that_is_invalid_is_shown_as_it_is_now():
    with pytest.raises(PassError) as error:
        Pipeline([Broken()]).run(parse(SINE), verify_each=True)
    assert error.value.op_text.startswith('%0 = "anvl.sin"(%arg0) : (tensor<3xf32>) -> tensor<7xf')
    assert str(error.value).startswith("test-broken: left invalid IR: sin: result is tensor<7xf32>")
    assert str(error.value).endswith(f"the op is now: {error.value.op_text}")


def test_the_op_in_the_note_of_mlirs_verifier_is_shown():
    with pytest.raises(PassError) as error:
        Pipeline([Broken("end")]).run(parse(SINE), verify_each=True)
    assert error.value.op_text.startswith('%1 = "anvl.mul"(%0, %0)')


def test_an_op_is_shown_short():
    wide = ", ".join("%x" for _ in range(400))
    types = ", ".join("tensor<f32>" for _ in range(400))
    module = parse(
        f"""func.func @f(%x: tensor<f32>) {{ return }}
        func.func @g(%x: tensor<f32>) -> ({types}) {{ return {wide} : {types} }}
        func.func @h() -> tensor<9xf32> {{
          %0 = "anvl.constant"() {{value = dense<[{", ".join(map(str, map(float, range(9))))}]>
            : tensor<9xf32>}} : () -> tensor<9xf32>
          return %0 : tensor<9xf32>
        }}"""
    )
    ends = find(module.operation, "func.return")
    assert len(shown(ends[1])) == LONGEST_OP + 3
    assert "\n" not in shown(module.body.operations[0].operation)
    assert "__elided__" in shown(find(module.operation, "anvl.constant")[0])
