"""Rules of one's own that return the wrong thing: the op, the rule, what it gave, and its line."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import AnvlOp, F, Operand, PassError, Result, emit, unary

pytestmark = pytest.mark.usefixtures("own_ops")

X = np.array([0.5, 1.5])


class _Twice(AnvlOp):
    """2 x, with rules that a test replaces; the op itself has the fields."""

    @classmethod
    def result_type(cls, x: Any) -> Any:
        return x

    @classmethod
    def lower(cls, hlo: Any, x: Any) -> Any:
        return hlo.add(x, x)

    @classmethod
    def adjoint(cls, g: Any, xs: Any, y: Any) -> Any:
        return [emit.add(g, g)]

    @classmethod
    def tangent(cls, ts: Any, xs: Any, y: Any) -> Any:
        return emit.add(ts[0], ts[0])

    @classmethod
    def batch(cls, xs: Any, batched: Any) -> Any:
        return cls.build(*xs)


def twice(rule: str, answer: Callable[..., Any]) -> Any:
    class Twice(_Twice, name="my.twice"):
        x: Operand
        y: Result

    setattr(Twice, rule, classmethod(lambda cls, *args: answer(*args)))
    return prim.my.twice


def refused(run: Callable[[], Any], *parts: str) -> None:
    with pytest.raises(PassError) as caught:
        run()
    message = caught.value.message
    assert all(part in message for part in parts), message
    place = message.partition("; the rule is at ")[2]
    assert place.rpartition(":")[0] == __file__ and place.rpartition(":")[2].isdigit(), message
    assert "test_wrong_answers" in str(caught.value.location)


@pytest.mark.parametrize(
    ("answer", "gave"),
    [
        (lambda g, xs, y: None, "gave None of type NoneType, not a sequence of cotangents"),
        (lambda g, xs, y: g, "not a sequence of cotangents, one for each operand"),
        (lambda g, xs, y: [g, g], "gave 2 cotangents for 1 operands"),
        (lambda g, xs, y: [], "gave 0 cotangents for 1 operands"),
        (lambda g, xs, y: [0.5], "gave 0.5 of type float for an operand tensor<2xf64>"),
        (lambda g, xs, y: [lambda: 0.5], "gave 0.5 of type float for an operand"),
        (lambda g, xs, y: [X], "of type ndarray for an operand"),
        (lambda g, xs, y: ["g"], "gave 'g' of type str for an operand"),
        (
            lambda g, xs, y: [emit.sum(g, axes=(0,))],
            "gave a cotangent tensor<f64> for an operand tensor<2xf64>",
        ),
    ],
)
def test_an_adjoint(answer: Any, gave: str) -> None:
    op = twice("adjoint", answer)
    refused(lambda: anvl.grad(lambda x: anp.sum(op(x)))(X), "my.twice: its adjoint rule", gave)


@pytest.mark.parametrize(
    ("answer", "gave"),
    [
        (lambda ts, xs, y: 0.5, "gave 0.5 of type float for a result tensor<2xf64>"),
        (lambda ts, xs, y: [ts[0]], "of type list for a result"),
        (lambda ts, xs, y: emit.sum(ts[0], axes=(0,)), "gave a tangent tensor<f64> for a result"),
    ],
)
def test_a_tangent(answer: Any, gave: str) -> None:
    op = twice("tangent", answer)
    refused(lambda: anvl.jvp(op, (X,), (X,)), "my.twice: its tangent rule", gave)


@pytest.mark.parametrize(
    ("answer", "gave"),
    [
        (lambda xs, batched: None, "gave None of type NoneType for 2 of tensor<3xf64>"),
        (lambda xs, batched: [xs[0]], "gave a list of tensor<2x3xf64> for 2 of tensor<3xf64>"),
        (lambda xs, batched: emit.sum(xs[0], axes=(0,)), "gave tensor<3xf64> for 2 of"),
    ],
)
def test_a_batch(answer: Any, gave: str) -> None:
    op = twice("batch", answer)
    refused(lambda: anvl.vmap(op)(np.ones((2, 3))), "my.twice: its batch rule", gave)


def test_a_derivative_in_a_line_of_a_table() -> None:
    unary("my.half", lambda x: emit.mul(x, x), F, lambda g, x, y: 0.5)
    refused(lambda: anvl.grad(lambda x: anp.sum(prim.my.half(x)))(X), "my.half: its adjoint rule")
