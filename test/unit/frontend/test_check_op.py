"""`anvl.testing.check_op`: a right op passes, and each kind of mistake is found and named."""

import numpy as np
import pytest

from anvl.dialect.core.create import full_like
from anvl.dialect.core.families import add_tangents, check_kind
from anvl.dialect.core.op import AnvlOp, Operand, Result, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.ops.elementwise.table import F, unary
from anvl.testing import check_op

SAMPLE = ([np.array([[0.3, 1.2, -0.7]])], {"axis": 1})


pytestmark = pytest.mark.usefixtures("own_ops")


def define(**changes):
    """The sine and the cosine; `axis` only says which axis an extra one comes before."""

    def result_type(cls, x, axis):
        check_kind("checked.wave", x, "float complex")
        if not 0 <= axis < x.rank:
            raise TypeError(f"checked.wave: axis {axis} is not an axis of {x}")
        return [x, x]

    def lower(cls, hlo, x, axis):
        return [emit.sin(x), emit.cos(x)]

    def adjoint(cls, gs, xs, ys, axis):
        (g_s, g_c), (s, c) = gs, ys
        return [
            add_tangents(
                [
                    None if g_s is None else emit.mul(g_s, c),
                    None if g_c is None else emit.neg(emit.mul(g_c, s)),
                ]
            )
        ]

    def tangent(cls, ts, xs, ys, axis):
        (t,), (s, c) = ts, ys
        return [None, None] if t is None else [emit.mul(t, c), emit.neg(emit.mul(t, s))]

    def batch(cls, xs, batched, axis):
        return emit.checked.wave(xs[0], axis=axis + 1)

    rules = {
        "result_type": result_type, "lower": lower, "adjoint": adjoint, "tangent": tangent,
        "batch": batch, **changes,
    }  # fmt: skip
    fields = {"x": Operand, "axis": Int, "s": Result, "c": Result}
    body = {name: classmethod(rule) for name, rule in rules.items() if rule is not None}
    return type("WaveOp", (AnvlOp,), {"__annotations__": fields, **body}, name="checked.wave")


def reference(x, axis):
    return np.sin(x), np.cos(x)


def test_a_right_op_passes_in_every_check():
    op_class = define(sample=lambda cls, draw: draw.calls(([draw.floats(2, 3)], {"axis": 0})))
    errors = check_op(op_class, reference=reference)
    assert {"value", "tangent", "adjoint", "order 2 adjoint", "batch"} <= errors.keys()
    assert {"value f32", "derivative f32"} <= errors.keys()
    assert check_op("checked.wave", SAMPLE).keys() >= {"tangent", "adjoint", "batch"}


@pytest.mark.sweep(keep=0)
def test_a_line_of_a_table_is_checked_where_it_samples():
    cube = unary("checked.cube", _cube, F, lambda g, x, y: emit.mul(g, _three_squares(x)))
    errors = check_op(cube, reference=lambda x: x**3)
    assert errors["order 2 tangent"] < 1e-6
    wrong = unary("checked.cube", _cube, F, lambda g, x, y: emit.mul(g, y))
    with pytest.raises(AssertionError, match=r"tangent: checked\.cube"):
        check_op(wrong)


def _cube(x):
    return emit.mul(x, emit.mul(x, x))


def _three_squares(x):
    return emit.mul(full_like(x, 3), emit.mul(x, x))


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"lower": lambda cls, hlo, x, axis: [emit.sin(x), emit.sin(x)]},
            r"\nvalue: checked\.wave",
        ),
        (
            {"tangent": lambda cls, ts, xs, ys, axis: [ts[0], ts[0]]},
            r"\ntangent: checked\.wave",
        ),
        (
            {"adjoint": lambda cls, gs, xs, ys, axis: [gs[0] or gs[1]]},
            r"\nadjoint: checked\.wave",
        ),
        (
            {"batch": lambda cls, xs, batched, axis: [emit.cos(xs[0]), emit.cos(xs[0])]},
            r"\nbatch: checked\.wave.* batched \(True,\)",
        ),
        (
            {"adjoint": lambda cls, gs, xs, ys, axis: [emit.mul(gs[0], gs[1])]},
            r"checked\.wave: \w+: ",
        ),
        (
            {"adjoint": lambda cls, gs, xs, ys, axis: []},
            r"checked\.wave: problems found\ntypes: ",
        ),
        (
            {"result_type": lambda cls, x, axis: [x, x]},
            r"TypeError: sin: operand is .*; its other rules must take all operands",
        ),
        ({"batch": None}, r"checked\.wave: has no rule `batch`"),
        ({"tangent": None, "lower": None}, r"checked\.wave: has no rule `tangent`, `lower`"),
    ],
)
def test_each_kind_of_mistake_is_found(changes, message):
    define(**changes)
    with pytest.raises(AssertionError, match=message):
        check_op("checked.wave", SAMPLE, reference=reference)


def test_a_rule_that_emits_an_op_without_rules():
    unary("checked.sine", "sine", F, lambda g, x, y: emit.mul(g, emit.checked.bare(x)))
    fields = {"x": Operand, "y": Result}
    rules = {
        "__annotations__": fields,
        "result_type": classmethod(lambda cls, x: x),
        "hlo": "cosine",
    }
    type("BareOp", (AnvlOp,), rules, name="checked.bare")
    with pytest.raises(AssertionError, match=r"checked\.bare.* has no `(adjoint|tangent)` rule"):
        check_op("checked.sine")


def test_what_cannot_be_checked():
    define()
    with pytest.raises(ValueError, match=r"checked\.wave has no `sample` rule; give samples"):
        check_op("checked.wave")
    with pytest.raises(TypeError, match=r"'checked\.gone' is not an op"):
        check_op("checked.gone")


def test_the_ops_of_anvl_can_be_checked_with_samples_of_ones_own():
    assert check_op("anvl.sin", ([np.array([0.5])], {}), reference=np.sin)["value"] < 1e-15
