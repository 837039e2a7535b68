"""`cond` and `switch`: one of several, in every mode; what people get wrong."""

import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, rounding

import anvl
import anvl.numpy as anp


def chosen(x, y):
    s = anp.sin(y)
    return anvl.cond(x > y, lambda: s * x, lambda: (x + 1) * anvl.grad(lambda z: z * z * s)(y))


def by_where(x, y):
    s = anp.sin(y)
    return anp.where(x > y, s * x, (x + 1) * 2 * y * s)


ONE, TWO = np.float64(1), np.float64(2)
ASKED = {
    "first": lambda f: f(ONE, TWO),
    "second": lambda f: f(TWO, ONE),
    "grad": lambda f: anvl.grad(f, wrt=(0, 1))(ONE, TWO),
    "jvp": lambda f: anvl.jvp(f, (TWO, ONE), (1.0, 2.0)),
    "hessian": lambda f: anvl.hessian(f, wrt=(0, 1))(ONE, TWO),
    "vmap": lambda f: anvl.vmap(f, (0, None))(np.asarray([1.0, 3.0]), TWO),
    "vmap of grad": lambda f: anvl.vmap(anvl.grad(f, wrt=(0, 1)))(
        np.asarray([1.0, 2.0]), np.asarray([2.0, 1.0])
    ),
    "vmap of a branch": lambda f: anvl.vmap(
        lambda z: anvl.cond(z[0] > 0, lambda: f(z[0], z[1]), lambda: z[1])
    )(np.asarray([[1.0, 2.0], [3.0, 1.0]])),
    "jit": lambda f: anvl.jit(f)(TWO, ONE),
    "grad of jvp": lambda f: anvl.grad(lambda x: anvl.jvp(f, (x, TWO), (1.0, 1.0))[1])(ONE),
    "grad of grad": lambda f: anvl.grad(anvl.grad(f))(ONE, TWO),
    "checkpoint": lambda f: anvl.grad(anvl.checkpoint(f))(ONE, TWO),
}


@pytest.mark.parametrize("name", ASKED)
def test_it_is_what_where_would_be(name):
    found, expected = ASKED[name](chosen), ASKED[name](by_where)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(
            np.asarray(a), np.asarray(b), rtol=rounding(PROGRAM), atol=rounding(FORMULA)
        )


def test_only_one_is_computed():
    text = anvl.jit(lambda x: anvl.cond(x > 0, anp.sin, anp.cos, x)).lower(1.0).mlir()
    assert "stablehlo.if" in text
    assert "select" not in text


def test_a_predicate_that_is_known_leaves_one():
    text = anvl.jit(lambda x: anvl.cond(True, anp.sin, anp.cos, x)).lower(1.0).mlir()
    assert "case" not in text
    assert "sine" in text
    assert float(anvl.switch(1, [anp.sin, anp.exp], 0.0)) == 1


@pytest.mark.parametrize(("index", "expected"), [(-5, 0), (0, 0), (1, 10), (2, 20), (99, 20)])
def test_an_index_out_of_range_is_the_first_or_the_last(index, expected):
    branches = [lambda x, k=k: x * k for k in range(3)]
    assert float(anvl.switch(index, branches, 10.0)) == expected
    for dtype in ("i1", "i4", "i8"):
        found = anvl.switch(np.asarray(index, dtype), branches, 10.0)
        assert float(found) == expected
    many = anvl.vmap(lambda i: anvl.switch(i, branches, 10.0))(np.asarray([index, 1], "i4"))
    np.testing.assert_array_equal(many, [expected, 10])


def test_the_side_that_is_not_taken_spoils_no_gradient():
    f = lambda x: anvl.cond(x > 0, anp.sqrt, lambda x: x * x, x)  # noqa: E731
    many = np.asarray([-4.0, 0.0, 9.0])
    np.testing.assert_allclose(anvl.vmap(f)(many), [16, 0, 3])
    np.testing.assert_allclose(anvl.vmap(anvl.grad(f))(many), [-8, 0, 1 / 6])
    np.testing.assert_allclose(anvl.grad(lambda v: anp.sum(anvl.vmap(f)(v)))(many), [-8, 0, 1 / 6])


def test_trees_numbers_and_closed_over_arrays():
    w = np.arange(3.0)

    def f(p, x):
        operands = {"x": x, "n": 5}
        first = lambda t: {"a": t["x"] * w, "n": 1}  # noqa: E731
        return anvl.cond(p, first, lambda t: {"a": w, "n": t["n"]}, operands)

    for p, n in ((True, 1), (False, 5)):
        found = anvl.jit(f)(np.bool(p), np.float64(2))
        assert int(found["n"]) == n
        np.testing.assert_array_equal(found["a"], w * 2 if p else w)
    gradient = anvl.grad(lambda x: anp.sum(f(np.bool(True), x)["a"]))(np.float64(2))
    assert float(gradient) == 3


def test_a_number_takes_the_dtype_of_the_other_side():
    f = anvl.jit(lambda p, x: anvl.cond(p, lambda: x, lambda: 0))
    assert f(np.bool(False), np.float64(2)).dtype == np.float64


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: anvl.cond(np.arange(3) > 1, anp.sin, anp.cos, 1.0),
            TypeError,
            r"cond: the predicate is bool\[3\], not a scalar bool; compare it, or reduce it",
        ),
        (
            lambda: anvl.cond(np.float32(1), anp.sin, anp.cos, 1.0),
            TypeError,
            r"cond: the predicate is f32\[\], not a scalar bool",
        ),
        (
            lambda: anvl.cond(np.bool(1) & True, 3, anp.cos, 1.0),
            TypeError,
            "cond: takes a function, got 3",
        ),
        (
            lambda: anvl.jit(lambda x: anvl.cond(x > 0, lambda: (x, x), lambda: x))(1.0),
            TypeError,
            "return different structures: at the root: tuple of 2 against a leaf",
        ),
        (
            lambda: anvl.jit(lambda x: anvl.cond(x > 0, lambda: anp.ones(3), lambda: anp.ones(2)))(
                1.0
            ),
            TypeError,
            r"cond: result is f32\[3\] of <lambda>, but f32\[2\] of <lambda>; make all",
        ),
        (lambda: anvl.switch(0, []), ValueError, "switch: there are no branches to choose from"),
        (
            lambda: anvl.switch(np.float32(0), [anp.sin], 1.0),
            TypeError,
            r"switch: the index is f32\[\], not a scalar integer",
        ),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
