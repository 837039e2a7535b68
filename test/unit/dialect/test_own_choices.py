"""Ops of one's own whose rules choose: what is not chosen leaves no NaN in a derivative."""

from typing import Any

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import F, binary, emit, zeros_like
from anvl.testing import check_op

pytestmark = pytest.mark.usefixtures("own_ops")


def larger() -> Any:
    """An op as docs/your-own-op.md teaches it: cotangents are selected, nothing is declared."""

    def ge(x: Any, y: Any) -> Any:
        return emit.compare(x, y, comparison_direction="GE")

    return binary(
        "my.larger",
        lambda x, y: emit.maximum(x, y),
        F,
        lambda g, x, y, z: emit.select(ge(x, y), g, zeros_like(g)),
        lambda g, x, y, z: emit.select(ge(x, y), zeros_like(g), g),
    )


def test_what_a_rule_selects_leaves_no_nan_on_the_other_side() -> None:
    larger()
    ones = np.ones(2)

    def f(x: Any) -> Any:
        return anp.sum(prim.my.larger(anp.sqrt(x), ones))

    def g(x: Any) -> Any:  # a mask within a mask, and on the other operand
        return anp.sum(prim.my.larger(ones, prim.my.larger(ones * 3, anp.sqrt(x)) - 2))

    for _ in range(4):  # rules are asked first, and written down later
        for of in (f, g):
            np.testing.assert_array_equal(anvl.grad(of)(np.zeros(2)), [0, 0])
            found = anvl.grad(of)(np.array([0.0, 25.0]))
            np.testing.assert_allclose(found, [0, 0.1])
    second = anvl.hessian(f)(np.array([0.0, 4.0]))
    np.testing.assert_allclose(second, [[0, 0], [0, -1 / 32]])
    slopes = anvl.vmap(anvl.grad(f))(np.array([[0.0, 4.0], [9.0, 0.0]]))
    np.testing.assert_allclose(slopes, [[0, 1 / 4], [1 / 6, 0]])
    # What is chosen has the slope that it has, also an infinite one, and one of second order at 0.
    h = lambda x: anp.sum(prim.my.larger(anp.sqrt(x), -ones))  # noqa: E731
    assert np.isinf(np.asarray(anvl.grad(h)(np.zeros(2)))).all()
    square = lambda x: anp.sum(prim.my.larger(x * x, -ones))  # noqa: E731
    np.testing.assert_allclose(anvl.hessian(square)(np.zeros(2)), 2 * np.eye(2))
    check_op(larger())


def test_a_tangent_that_a_rule_selects_leaves_no_nan_behind_it() -> None:
    larger()
    zeros, ones = np.zeros(3), np.ones(3)
    x = np.array([-1.0, 4.0, -2.0])

    def f(x: Any, y: Any) -> Any:
        return anp.sqrt(prim.my.larger(x, y))

    def same(x: Any, y: Any) -> Any:
        return anp.sqrt(anp.maximum(x, y))

    for _ in range(4):
        for moving in ((ones, zeros), (ones, ones), (2 * ones, -ones)):
            tangents = (moving[0], moving[1] * (x > 0))  # y moves where it is not chosen
            _, found = anvl.jvp(f, (x, zeros), tangents)
            _, expected = anvl.jvp(same, (x, zeros), tangents)
            np.testing.assert_allclose(found[1], expected[1])
        _, alone = anvl.jvp(lambda x: f(x, zeros), (x,), (ones,))
        np.testing.assert_allclose(alone, [0, 0.25, 0])
