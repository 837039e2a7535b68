"""Fields of ops of one's own: parameters with a default, results with names."""

import types

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import AnvlOp, Bool, Int, Linear, Operand, Result, emit, full_like

X = np.array([0.3, -1.2, 2.0])

pytestmark = pytest.mark.usefixtures("own_ops")


def test_a_parameter_with_a_default_may_be_left_out():
    class Times(Int):
        optional, default = True, 1

    class TimesOp(Linear, name="mine.times"):
        x: Operand
        flip: Bool
        times: Times
        y: Result

        @classmethod
        def result_type(cls, x, flip=False, times=1):
            return x

        @classmethod
        def lower(cls, hlo, x, flip, times):
            return emit.mul(x, full_like(x, -times if flip else times))

    times = prim.mine.times
    assert np.allclose(times(X), X)
    assert np.allclose(times(X, flip=True), -X)
    assert np.allclose(times(X, times=3), 3 * X)
    text = anvl.trace(lambda x: times(times(x, flip=False), times=1), X).mlir()
    assert text.count('"mine.times"(') == 2 and "{" not in text.split("mine.times", 1)[1]
    with pytest.raises(TypeError, match="times is 'a'; it must be an integer"):
        times(X, times="a")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"x": (Operand,), "flip": (Bool, False), "y": (Result,)},
         "field `flip` has the default False; remove it here: Bool is optional, and `result_type`"),
        ({"x": (Operand,), "flip": (Bool, True), "y": (Result,)},
         r"field `flip` has the default True; a parameter is optional by its kind, `class "
         r"Flip\(Bool\): optional, default = True, True`, and `result_type` has the default"),
        ({"x": (Operand, None), "y": (Result,)},
         "field `x` has the default None; an operand or a result has none; remove it"),
    ],
)  # fmt: skip
def test_a_default_in_the_class_is_refused_with_the_place_for_it(fields, said):
    attributes = {
        "__annotations__": {name: kind for name, (kind, *_) in fields.items()},
        "__module__": __name__,
        **{name: rest[0] for name, (_, *rest) in fields.items() if rest},
    }
    with pytest.raises(TypeError, match=f"mine.given: {said}"):
        types.new_class("Given", (AnvlOp,), {"name": "mine.given"}, lambda c: c.update(attributes))


def test_several_results_keep_the_names_of_their_fields():
    class SplitOp(AnvlOp, name="mine.split"):
        x: Operand
        double: Result
        square: Result

        @classmethod
        def result_type(cls, x):
            return [x, x]

        @classmethod
        def lower(cls, hlo, x):
            return [emit.add(x, x), emit.mul(x, x)]

        @classmethod
        def adjoint(cls, g, xs, y):
            given.append(g.double is g[0] and g.square is g[1] and (y.double, y.square) == y)
            return [None if g.square is None else emit.mul(g.square, y.double)]

        @classmethod
        def tangent(cls, ts, xs, y):
            given.append((y.double, y.square) == y)
            return [None, emit.mul(ts[0], y.double)]

        @classmethod
        def batch(cls, xs, batched):
            given.append(emit.mine.split(xs[0]).square is not None)
            return emit.mine.split(xs[0])

    given: list[bool] = []
    found = prim.mine.split(X)
    assert np.allclose(found.double, 2 * X) and np.allclose(found.square, X**2)
    assert np.allclose(anvl.jit(lambda x: prim.mine.split(x))(X).square, X**2)
    assert np.allclose(anvl.grad(lambda x: anp.sum(prim.mine.split(x).square))(X), 2 * X)
    _, moved = anvl.jvp(lambda x: prim.mine.split(x).square, (X,), (np.ones(3),))
    assert np.allclose(moved, 2 * X)
    assert np.allclose(anvl.vmap(lambda x: prim.mine.split(x).double)(X), 2 * X)
    double, square = anvl.vmap(lambda x: tuple(prim.mine.split(x)))(X)
    assert np.allclose(square, X**2) and np.allclose(double, 2 * X)
    assert len(given) >= 3 and all(given)
