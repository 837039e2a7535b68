"""Ops of one's own with regions: built, printed, read, differentiated, and refused where wrong."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import AnvlOp, Body, Operand, Result, check_kind, emit, parse, tensor
from anvl.dialect.core.dialect import irdl_text
from anvl.dialect.core.op_registry import DEFINED, OPS
from anvl.testing import check_op

before = dict(OPS)


class EachOp(AnvlOp, name="own_bodies.each"):
    """f(x[i]) for each i."""

    x: Operand
    f: Body
    y: Result

    @classmethod
    def result_type(cls, x):
        check_kind("own_bodies.each", x, "float")
        return x

    @classmethod
    def body_types(cls, x):
        scalar = tensor([], x.element_type)
        return [([scalar], [scalar])]

    @classmethod
    def lower(cls, hlo, x, f):
        return f.mapped(x)[0]

    @classmethod
    def adjoint(cls, g, xs, y, f):
        return f.adjoint().mapped(xs[0], g)

    @classmethod
    def tangent(cls, ts, xs, y, f):
        return f.tangent().mapped(xs[0], ts[0])[0]

    @classmethod
    def batch(cls, xs, batched, f):
        return emit.own_bodies.each(xs[0], f=f)

    @classmethod
    def sample(cls, draw):
        return draw.calls(([draw.floats(2, 3)], {"f": lambda a: emit.mul(a, emit.sin(a))}))


# Other tests ask things of every op there is, and are collected in the same process.
OPS.clear()
OPS.update(before)


@pytest.fixture(autouse=True)
def each_op(own_ops):
    OPS["own_bodies.each"] = EachOp
    DEFINED.append("own_bodies.each")  # patterns and tables are made anew when there are new ops


TEXT = """
func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = "own_bodies.each"(%x) ({
  ^bb0(%a: tensor<f64>):
    %b = "anvl.sin"(%a) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %b : tensor<f64>
  }) : (tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
"""


def test_every_rule_agrees_with_numbers():
    check_op(EachOp, reference=lambda x, f: x * np.sin(x))


def test_from_python_and_from_text():
    def f(x):
        return anp.sum(prim.own_bodies.each(x, f=lambda a: a * anp.sin(a)))

    x = np.array([1.0, 2.0])
    assert np.allclose(anvl.jit(anvl.grad(f))(x), np.sin(x) + x * np.cos(x))
    assert '"own_bodies.each"(%x) ({' in anvl.jit(f).lower(x).mlir("anvl")
    assert str(parse(TEXT)).count("anvl.sin") == 1
    assert "irdl.regions(f: " in irdl_text("own_bodies")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "%a: tensor<f64>",
            "%a: tensor<f64>, %c: tensor<f64>",
            "f takes tensor<f64>, tensor<f64> and returns tensor<f64>, but must take tensor<f64>",
        ),
        ("return %b : tensor<f64>", "return", "f takes tensor<f64> and returns "),
        ("stablehlo.return", "func.return", "f must be one block that ends in stablehlo.return"),
        ("  }) :", "  }, {}) :", "its bodies are f, got 2 regions"),
        ("({", "({}) :", None),
    ],
)
def test_a_region_that_does_not_fit_is_refused(old, new, message):
    if message is None:
        text = TEXT[: TEXT.index("({")] + "({}) " + TEXT[TEXT.index("}) :") + 3 :]
        message = "f must be one block that ends in"
    else:
        text = TEXT.replace(old, new, 1)
    with pytest.raises(Exception, match=r"own_bodies\.each: ") as raised:
        parse(text)
    assert message in str(raised.value)
