"""Numbers of Python's that a transformed function uses in Python: bounds, choices, static ones."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp


@anvl.jit(static="n")
def power(x, n):
    return anp.sum(x**n)


def doubled(x, n):
    for _ in range(n):
        x = x * 2.0
    return anp.sum(x)


X = np.array([1.0, 2.0])


@pytest.mark.parametrize("wrapped", [lambda f: f, lambda f: anvl.jit(f, static="n")])
@pytest.mark.parametrize(
    ("transformed", "expected"),
    [
        (anvl.grad(power), 3 * X**2),
        (anvl.grad(doubled), np.full(2, 8.0)),
        (anvl.value_and_grad(doubled), (24.0, np.full(2, 8.0))),
        (anvl.jacrev(power), 3 * X**2),
        (anvl.jacfwd(power), 3 * X**2),
        (anvl.hessian(power), np.diag(6 * X)),
        (anvl.vmap(power, in_axes=(0, None)), X**3),
        (anvl.vmap(anvl.grad(doubled), in_axes=(0, None)), np.full(2, 8.0)),
        (anvl.grad(lambda x, n: anp.sum(anvl.grad(power)(x, n))), 6 * X),
        (anvl.grad(anvl.checkpoint(power)), 3 * X**2),
        (lambda x, n: anvl.jvp(power, (x, n), (np.ones(2), None))[1], np.sum(3 * X**2)),
        (lambda x, n: anvl.hvp(power, (x, n), (np.ones(2), None))[0], 6 * X),
    ],
)
def test_an_integer_may_be_known_to_python(wrapped, transformed, expected):
    f = wrapped(lambda x, n: transformed(x, n))
    found = anvl.tree.leaves(f(X, 3))
    for a, b in zip(found, anvl.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(a), b)


def test_in_a_trace_any_number_is_known_that_nothing_is_differentiated_by():
    def f(x, rate):
        return anp.sum(x) * (rate if rate > 0.5 else 0.0)

    np.testing.assert_array_equal(anvl.jit(lambda x: anvl.grad(f)(x, 2.0))(X), [2.0, 2.0])
    np.testing.assert_array_equal(anvl.jit(anvl.grad(f), static="rate")(X, 0.25), [0.0, 0.0])
    many = anvl.jit(lambda x: anvl.vmap(f, in_axes=(0, None))(x, 3.0))
    np.testing.assert_array_equal(many(X), 3 * X)


def test_a_number_in_a_trace_keeps_its_digits():
    slope = anvl.jit(lambda x: anvl.grad(lambda x, a: a * x)(x, 0.1))(np.float64(2))
    assert float(slope) == 0.1


def test_an_integer_that_python_need_not_know_is_an_argument():
    traced = []

    def counted(x, n):
        traced.append(type(n))
        return x * n

    g = anvl.grad(counted)
    assert [float(g(1.0, n)) for n in (2, 3)] == [2.0, 3.0]
    assert int not in traced


def test_other_errors_stay_as_they_are():
    def wrong(x, n):
        raise TypeError("of the person")

    with pytest.raises(TypeError, match="of the person"):
        anvl.grad(wrong)(1.0, 2)
    with pytest.raises(TypeError, match="x of <lambda> is i32"):
        anvl.grad(lambda x: x * 2.0)(3)
    with pytest.raises(anvl.TraceError, match="range"):
        anvl.grad(lambda x, n: doubled(x, n))(1.0, np.int32(3))


def test_what_is_wrong_behind_the_integer_is_said():
    def bad(x, n):
        for _ in range(n):
            x = x @ x
        return x

    with pytest.raises(ValueError, match="matmul: takes vectors and matrices"):
        anvl.grad(bad)(1.0, 3)
    with pytest.raises(ValueError, match=r"mul.*: f32\[3\], f32\[4\] do not broadcast"):
        anvl.grad(lambda x, n: anp.sum(anp.ones(3) * anp.ones(n)) * x)(1.0, 4)


FLAG, NONE, COUNT = anp.asarray(True), anp.asarray(0), anp.asarray(3)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: anvl.cond(np.asarray(True), anp.sin, anp.cos, x),
        lambda x: anvl.cond(FLAG, anp.sin, anp.cos, x),
        lambda x: anvl.cond(anp.equal(1, 1), anp.sin, anp.cos, x),
        lambda x: anvl.switch(np.asarray(0), [anp.sin, anp.cos], x),
        lambda x: anvl.switch(NONE, [anp.sin, anp.cos], x),
    ],
)
def test_a_choice_that_is_known_when_the_trace_begins_is_no_choice(f):
    for program in (f, anvl.grad(f), lambda x: anvl.vmap(f)(x[None])[0]):
        text = anvl.jit(program).lower(np.float64(1)).mlir()
        assert "case" not in text and "stablehlo.if" not in text
    assert anvl.jit(f)(np.float64(1)).item() == f(np.float64(1)).item() == np.sin(1.0)


@pytest.mark.parametrize("count", [np.asarray(3), COUNT, np.int64(3)])
def test_a_loop_of_known_bounds_has_a_known_length(count):
    def power(x, count=count):
        return anvl.fori_loop(0, count, lambda i, y: y * x, 1.0)

    assert "anvl.scan" in anvl.jit(power).lower(2.0).mlir("anvl")
    assert anvl.jit(anvl.grad(power))(2.0).item() == power(2.0).item() + 4.0 == 12.0
    wide = anvl.fori_loop(np.asarray(2**40), np.asarray(2**40 + 3), lambda i, y: y + 1, 0)
    assert wide.item() == 3
