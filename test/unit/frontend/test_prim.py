"""`anvl.prim`: every op is a function, eagerly and in a trace, and its rules can be read."""

import subprocess
import sys

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.core.tracing import emit as trace_emit
from anvl.dialect.core.context import context
from anvl.dialect.core.create import splat
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS, RULES
from anvl.passes.lower.hlo_builder import Hlo

PLAIN = {
    name: op
    for name, op in prim.primitives().items()
    if op.op_class.n_operands in (1, 2) and not op.op_class.params
}


def test_every_op_is_there_by_its_name():
    assert {op.op_class for op in prim.primitives().values()} == set(OPS.values())
    assert set(prim.primitives()) <= set(dir(prim))
    assert prim.mul is prim.mul
    assert prim.and_ is getattr(prim, "and")
    with pytest.raises(AttributeError, match=r"anvl.prim: there is no op anvl.no_such"):
        prim.no_such  # noqa: B018


@pytest.mark.sweep(keep=10)
@pytest.mark.parametrize("name", PLAIN)
def test_an_op_without_parameters_is_called_eagerly_and_in_a_trace(name):
    op = PLAIN[name]
    # Vectors, or, for linear algebra, matrices that have all its factorisations; or positions.
    for dtype, other in (
        ("f8", "f8"),
        ("c16", "c16"),
        ("int32", "int32"),
        ("bool",) * 2,
        ("f8", "i4"),
    ):
        for x in (np.ones(2), np.eye(2)):
            xs = [x.astype(dtype), x.astype(other)][: op.op_class.n_operands]
            try:
                eager = op(*xs)
                break
            except TypeError as error:
                assert name in str(error)
        else:
            continue
        traced = anvl.jit(lambda *xs: op(*xs))(*xs)
        for y, z in zip(anvl.tree.leaves(eager), anvl.tree.leaves(traced), strict=True):
            np.testing.assert_array_equal(np.asarray(y), np.asarray(z))
        return
    pytest.fail(f"{name} took none of the dtypes")


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("name", ["numpy", "prim", "random", "tree", "windows"])
def test_each_module_can_be_imported_first(name):
    code = f"import anvl.{name}; print((anvl.numpy.ones(2) + 1).tolist())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "[2.0, 2.0]", ran.stderr


def test_ops_with_parameters():
    x = np.arange(6.0).reshape(2, 3)
    assert prim.sum(x, axes=(0,)).tolist() == [3.0, 5.0, 7.0]
    assert prim.transpose(x, permutation=(1, 0)).shape == (3, 2)
    assert prim.iota(iota_dimension=0, shape=(3,), dtype="i32").tolist() == [0, 1, 2]
    assert prim.concatenate(x, x, dimension=0).shape == (4, 3)
    assert prim.compare(x, x, comparison_direction="EQ").tolist() == np.ones((2, 3), bool).tolist()
    assert anvl.jit(lambda x: prim.convert(x, dtype="f32"))(x).dtype == np.float32


def test_each_lowering_can_be_read_and_called():
    """Also of the ops that are one of StableHLO, which have no rule to show."""
    shown = repr(prim.mul.lower)
    assert shown == (
        "<lower of mul, a rename>\ndef lower(hlo, *xs):\n    return stablehlo.multiply(*xs)\n"
    )
    assert "stablehlo.transpose(*xs, permutation=permutation)" in repr(prim.transpose.lower)
    assert "chlo.top_k(*xs, k=k)" in repr(prim.top_k.lower)
    assert "def lower(cls, hlo" in repr(prim.sum.lower)
    for name, op in prim.primitives().items():
        if op.op_class.hlo or op.op_class.has_rule("lower"):
            assert repr(op.lower).startswith(f"<lower of {name}, ")
    with context(), ir.Location.unknown():
        x, module = ir.RankedTensorType.get([2], ir.F32Type.get()), ir.Module.create()
    with context(), ir.InsertionPoint(module.body), ir.Location.unknown():
        of = ir.Operation.create("stablehlo.constant", [x], [], {"value": splat(x, 2)}).result
        prim.mul.lower(Hlo("cpu"), of, of)
        prim.top_k.lower(Hlo("cpu"), of, k=1)
    assert "stablehlo.multiply %cst, %cst" in str(module) and "chlo.top_k" in str(module)


def test_rules_cannot_be_replaced():
    for name in ("adjoint", "lower", "anything"):
        with pytest.raises(
            AttributeError, match=f"sin: {name} cannot be set: rules belong to the op"
        ):
            setattr(prim.sin, name, lambda g, xs, y: [g])
    assert anvl.grad(prim.sin)(np.float64(0)).item() == 1.0


def test_nothing_is_promoted_or_broadcast():
    with pytest.raises(
        TypeError, match=r"add: operands differ in type: tensor<2xf64>, tensor<3xf64>"
    ):
        prim.add(np.ones(2), np.ones(3))
    with pytest.raises(TypeError, match="add: operands differ in type"):
        prim.add(np.ones(2), np.ones(2, "f4"))
    with pytest.raises(
        TypeError, match=r"primitives take arrays, anvl.numpy also takes Python numbers"
    ):
        anvl.jit(lambda x: prim.add(x, 1.0))(np.float32(1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: prim.sin(), "sin: takes 1 operand, got 0"),
        (lambda x: prim.sin(x, x), "sin: takes 1 operand, got 2"),
        (lambda x: prim.sum(x), "sum: takes the parameters axes, got none"),
        (lambda x: prim.sum(x, axis=0), "sum: takes the parameters axes, got axis"),
        (lambda x: prim.sin(x, axes=()), "sin: takes the parameters none, got axes"),
        (lambda x: prim.sum(x, axes=(3,)), "3 is not an axis of tensor<2xf64>"),
        (lambda x: prim.sin("x"), "sin: an operand is 'x' of type str; primitives take arrays"),
        (lambda x: prim.sin(None), "sin: an operand is None of type NoneType; primitives take arr"),
        (
            lambda x: prim.sin(np.array("x")),
            r"sin: an operand has a dtype: dtype\('<U1'\) is not the dtype",
        ),
        (lambda x: prim.reverse(x, dimensions="0"), "reverse: dimensions is '0'; it must be a tup"),
        (lambda x: prim.dynamic_slice(slice_sizes=()), "dynamic_slice: takes at least 1 operand, "),
    ],
)
def test_a_call_that_does_not_fit_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call(np.ones(2))


def test_a_refused_call_is_refused_in_a_trace_too():
    with pytest.raises(TypeError, match="sin: an operand is 1 of type int; primitives take arrays"):
        anvl.eval_shape(lambda: prim.sin(1))
    with pytest.raises(
        TypeError, match=r"sin: an operand has a dtype: dtype\('O'\) is not the dtype"
    ):
        anvl.eval_shape(lambda: prim.sin(np.array(None)))


def test_parameters_come_in_other_forms():
    x = np.arange(6.0).reshape(2, 3)
    assert prim.reshape(x, shape=[3, np.int64(2)]).shape == (3, 2)
    assert prim.convert(x, dtype="float32").dtype == np.float32
    assert prim.convert(x, dtype=np.float32).dtype == np.float32


def test_a_body_that_is_refused_leaves_nothing_behind():
    def body(a, b):
        return emit.compare(a, b, comparison_direction="LT")

    def f(x, zero):
        for _ in range(2):
            with pytest.raises(TypeError, match=r"reduce: body returns tensor<i1> but must return"):
                trace_emit(OPS["stablehlo.reduce"], (x, zero), {"dimensions": (0,), "body": body})
        return prim.sin(x)

    assert "reduce" not in anvl.trace(f, np.ones(2), np.float64(0)).mlir()


def test_what_goes_wrong_inside_of_a_body_is_said_as_it_is():
    def mine(a, b):
        raise TypeError("mine")

    for body, message in (
        (mine, "^mine$"),
        (emit.compare, "^compare: takes the parameters comparison_direction, got none$"),
    ):
        with pytest.raises(TypeError, match=message):
            anvl.eval_shape(
                lambda x, zero, body=body: trace_emit(
                    OPS["stablehlo.reduce"], (x, zero), {"dimensions": (0,), "body": body}
                ),
                np.ones(2),
                np.float64(0),
            )


def test_ops_are_differentiated():
    f = anvl.grad(lambda x: prim.sum(prim.mul(x, prim.sin(x)), axes=(0,)))
    x = np.asarray([0.5, 1.5])
    np.testing.assert_allclose(np.asarray(f(x)), np.sin(x) + x * np.cos(x), rtol=rounding(PROGRAM))


def test_rules_can_be_read():
    assert "from the family Elementwise" in repr(prim.mul.adjoint)
    assert "def adjoint" in prim.mul.adjoint.source
    assert repr(prim.transpose.adjoint).startswith("<adjoint of transpose, its own>\n")
    assert "transpose" in prim.transpose.__doc__.lower()
    assert repr(prim.mul) == "<primitive mul>"


@pytest.mark.parametrize("name", sorted(prim.primitives()))
def test_every_rule_of_every_op_can_be_read_or_is_missed_by_name(name):
    op = prim.primitives()[name]
    for rule in RULES:
        try:
            assert "def " in getattr(op, rule).source or "lambda" in getattr(op, rule).source
        except anvl.MissingRule as error:
            assert str(error) == f"{name}: has no `{rule}` rule"


def test_a_rule_that_no_op_has():
    with pytest.raises(AttributeError, match="mul: there is no rule 'no_such'; an op has"):
        prim.mul.no_such  # noqa: B018


def test_arrays_made_by_primitives_have_operators():
    assert (prim.sin(np.float32(0)) + 1).item() == 1.0
    assert anp.allclose(prim.exp(np.float64(1)), np.e).item()
