"""Small random programs compute what NumPy computes, eagerly, traced, nested and differentiated."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

UNARY = [
    "sin",
    "tanh",
    "negative",
    "abs",
    "square",
    "sign",
    "floor",
    "exp",
    "isfinite",
    "logical_not",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "arctan2",
    "less",
    "equal",
    "logical_or",
]
MOVES = [
    lambda lib, x: lib.reshape(x, (3, 2)),
    lambda lib, x: lib.transpose(lib.reshape(x, (2, 3))),
    lambda lib, x: lib.reshape(x, (2, 3))[::-1, 1:],
    lambda lib, x: lib.sum(lib.reshape(x, (2, 3)), axis=0),
    lambda lib, x: lib.max(lib.reshape(x, (3, 2)), axis=1, keepdims=True),
    lambda lib, x: lib.concatenate([lib.ravel(x), lib.ravel(x)[:2]]),
    lambda lib, x: lib.where(x > 0, x, 0.5),
    lambda lib, x: lib.matmul(lib.reshape(x, (2, 3)), lib.reshape(x, (3, 2))),
]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("unary"), st.sampled_from(UNARY), st.integers(0, 99)),
        st.tuples(st.just("binary"), st.sampled_from(BINARY), st.integers(0, 99)),
        st.tuples(st.just("move"), st.integers(0, len(MOVES) - 1), st.integers(0, 99)),
        st.tuples(st.just("number"), st.sampled_from(BINARY[:6]), st.integers(-3, 3)),
    ),
    min_size=1,
    max_size=6,
)


# Bools become f64 by it in both; by 1.0 they would become the default dtype, which is f32 here.
F64 = np.float64(1)


def binary(lib, name, x, y):
    """A function of two; arctan2 of zeros without a sign.

    It alone tells them apart, and sign(-0.0), max(0.0, -0.0) have one sign or the other by library.
    """
    if name == "arctan2":
        x, y = (v if type(v) is float else lib.where(v == 0, np.float64(0), v) for v in (x, y))
    return getattr(lib, name)(x, y)


def run(lib, steps, x):
    """The steps on x and what they gave so far; shapes stay such that all steps fit."""
    known = [x]
    for kind, what, which in steps:
        value = known[which % len(known)]
        if kind == "unary":
            known.append(getattr(lib, what)(value) * F64)
        elif kind == "number":
            known.append(binary(lib, what, value, float(which)))
        elif kind == "binary":
            other = known[-1]
            other = other if other.shape == value.shape else value
            known.append(binary(lib, what, value, other) * F64)
        elif value.shape in ((6,), (2, 3), (3, 2)):
            known.append(MOVES[what](lib, value))
    return known[-1]


@settings(max_examples=25, deadline=None)
@given(STEPS, st.lists(st.floats(-2, 2, width=32), min_size=6, max_size=6))
def test_a_program_agrees_with_numpy(steps, numbers):
    x = np.asarray(numbers, "f8")
    with np.errstate(all="ignore"):
        expected = run(np, steps, x)

    def nested(x):
        return anvl.jit(lambda y: run(anp, steps, y))(x)

    for found in (anvl.jit(lambda x: run(anp, steps, x))(x), anvl.jit(nested)(x)):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(
            np.asarray(found), expected, rtol=rounding(ITERATION), atol=rounding(ITERATION)
        )
    shape = anvl.eval_shape(lambda x: run(anp, steps, x), x).shape
    assert shape == np.shape(expected)


@settings(max_examples=10, deadline=None)
@given(STEPS, st.lists(st.floats(0.25, 2), min_size=6, max_size=6), st.integers(0, 5))
def test_the_gradient_does_not_depend_on_how_it_is_asked_for(steps, numbers, seed):
    x = np.asarray(numbers) + np.arange(6) / 7

    def total(x):
        return anp.sum(run(anp, steps, x) * 1.0)

    first = np.asarray(anvl.grad(total)(x))
    second = np.asarray(anvl.jit(lambda x: anvl.grad(anvl.jit(total))(x))(x))
    np.testing.assert_allclose(first, second, rtol=rounding(PROGRAM), atol=rounding(PROGRAM))
    # along a direction, the chain rule
    direction = np.random.default_rng(seed).normal(size=6)
    along = anvl.grad(lambda t: total(anp.asarray(x) + t * direction))(np.float64(0))
    np.testing.assert_allclose(
        along.item(), first @ direction, rtol=rounding(ITERATION), atol=rounding(ITERATION)
    )
