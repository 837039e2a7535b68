"""Own ops whose `lower` is wrong: the error names the op, the fault and the line of the rule."""

import re

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.op import AnvlOp, Operand, Result, emit
from anvl.dialect.core.params.base import Body
from anvl.dialect.core.types import tensor
from anvl.dialect.ops.elementwise.table import F, unary
from anvl.passes.lower.hlo_builder import Hlo

X = np.array([0.3, -1.2, 2.0])


pytestmark = pytest.mark.usefixtures("own_ops")


def _define(name, lower, **body):
    fields = {"x": Operand, "y": Result, **body.pop("fields", {})}
    rules = {"result_type": classmethod(lambda cls, x: x), "lower": classmethod(lower), **body}
    return type("WrongOp", (AnvlOp,), {"__annotations__": fields, **rules}, name=name)


def _at(rule):
    return re.escape(f"; the rule is at {__file__}:{rule.__code__.co_firstlineno}") + r"\b"


@pytest.mark.parametrize(
    "lower, message",
    [
        (lambda cls, hlo, x: None, "its `lower` rule returns None, but the op's results are ten"),
        (lambda cls, hlo, x: 7, "its `lower` rule returns 7, but"),
        (lambda cls, hlo, x: emit.compare(x, x, comparison_direction="EQ"), "returns tensor<3xi1>"),
    ],
)
def test_a_lower_rule_that_gives_what_cannot_stand_for_the_op(lower, message):
    _define("mine.lowered", lower)
    with pytest.raises(PassError, match=f"{message}.*{_at(lower)}"):
        prim.mine.lowered(X)


def test_a_lower_rule_that_emits_its_op_again():
    _define("mine.lowered", lambda cls, hlo, x: emit.mine.lowered(x))
    with pytest.raises(PassError, match="is left; lowering what its `lower` rule emits"):
        prim.mine.lowered(X)


@pytest.mark.parametrize(
    "emitted, message",
    [
        (
            lambda hlo, x: hlo("addd", x, x, type=x.type),
            "unregistered operation 'stablehlo.addd'",
        ),
        (lambda hlo, x: hlo("add", x, type=x.type), "expected 2 operands, but found 1"),
        (lambda hlo, x: hlo("reverse", x, type=x.type), "requires attribute 'dimensions'"),
        (lambda hlo, x: hlo("compare", x, x, type=x.type), "attribute 'comparison_direction'"),
    ],
)
def test_a_lower_rule_that_emits_what_is_no_stablehlo(emitted, message):
    def lower(cls, hlo, x):
        return emitted(hlo, emit.neg(x))

    def lower_each(cls, hlo, x, f):
        return emitted(hlo, f.mapped(x)[0])

    scalars = classmethod(lambda cls, x: [([tensor([], x.element_type)],) * 2])
    _define("mine.malformed", lower)
    _define("mine.each", lower_each, fields={"f": Body}, body_types=scalars)
    wanted = rf"its `lower` rule emits an invalid op: .*{message}.*"
    with pytest.raises(PassError, match=rf"mine\.malformed: {wanted}{_at(lower)}"):
        prim.mine.malformed(X)
    with pytest.raises(PassError, match=rf"mine\.each: {wanted}{_at(lower_each)}"):
        prim.mine.each(X, f=anp.sin)


def test_an_invalid_op_between_the_operands_and_a_result_that_would_fit():
    def through_seven(x):
        flat = Hlo()("reshape", x, type=tensor([7], x.type.element_type))
        return emit.neg(Hlo()("reshape", flat, type=x.type))

    unary("mine.reshaped", through_seven, F, None)
    with pytest.raises(PassError, match=rf"mine\.reshaped: .*\(7\).*{_at(through_seven)}"):
        prim.mine.reshaped(X)


def test_an_op_that_is_renamed_to_one_that_stablehlo_has_not():
    unary("mine.renamed", "sinne", F, None)
    wanted = (
        r"mine\.renamed: it is defined to become stablehlo\.sinne, which is .* 'stablehlo.sinne'"
    )
    with pytest.raises(PassError, match=wanted):
        prim.mine.renamed(X)


def test_of_two_ops_that_are_renamed_to_one_the_error_names_that_of_the_program():
    unary("mine.first", "sinne", F, None)
    unary("mine.right", "sine", F, None)
    unary("mine.second", "sinne", F, None)
    with pytest.raises(PassError, match=r"mine\.second: it is defined to become") as caught:
        anvl.jit(lambda x: prim.mine.second(prim.mine.right(x)))(X)
    assert "mine.first" not in str(caught.value)
    np.testing.assert_array_equal(prim.mine.right(X), anp.sin(X))


def test_an_op_that_is_renamed_to_one_with_other_operands():
    unary("mine.halves", "add", F, None)
    with pytest.raises(PassError, match=r"mine\.halves: .* stablehlo\.add, .* expected 2 operands"):
        anvl.jit(lambda x: prim.mine.halves(x))(X)
