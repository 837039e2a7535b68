"""Locations are the person's own lines, and values have the names that Python gave them."""

import re

import numpy as np

import anvl
import anvl.numpy as anp


def lines(text):
    """The lines of this file that a text with debug info names."""
    return {int(n) for n in re.findall(r'test_locations.py":(\d+):', text)}


def test_every_op_has_the_line_that_asked_for_it():
    def f(x):
        y = anp.sin(x)
        z = y * 2 + anp.where(x > 0, x, -x)
        return anp.softmax(z)

    text = anvl.trace(f, np.ones(3)).mlir(debug_info=True)
    first = f.__code__.co_firstlineno
    assert {first + 1, first + 2, first + 3} <= lines(text)
    ops = [line for line in text.splitlines() if '"anvl.' in line]
    assert all("loc(" in line for line in ops)
    assert {name for name in re.findall(r'"(/[^"]*)"', text)} == {__file__}


def test_adjoint_ops_keep_the_line_of_their_forward_op():
    def f(x):
        return anp.sum(
            anp.sin(x)
        )  # fmt: skip

    text = anvl.jit(anvl.grad(f)).lower(np.ones(3)).mlir("gradient", debug_info=True)
    assert "sin_adjoint" in text
    assert f.__code__.co_firstlineno + 2 in lines(text)


def test_values_are_named_as_in_python():
    def f(weight, x):
        hidden = anp.tanh(x @ weight)
        total = anp.sum(hidden)
        return total

    text = anvl.trace(f, np.ones((2, 2)), np.ones(2)).mlir()
    for name in ("%weight:", "%x:", "%hidden =", "%total ="):
        assert name in text


def test_the_leaves_of_a_tree_are_named_by_their_paths():
    text = anvl.trace(lambda params: params["w"], {"w": np.ones(2)}).mlir()
    assert "@main(%params.w: tensor<2xf64>)" in text


def test_a_nested_function_has_its_own_name():
    def loss(x):
        return x * x

    text = anvl.trace(lambda x: anvl.jit(loss)(x) + anvl.grad(loss)(x), 1.0).mlir()
    assert "@loss" in text
    assert "@loss_1" in text
    assert "@loss_1_vjp" in text
