"""Loops whose number of steps is known: how many they take, and their derivatives."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.dialect.control_flow.trip_count import step_count, trip_count
from anvl.dialect.control_flow.while_loop import WhileOp
from anvl.dialect.core.captures import operands_of
from anvl.passes import find

# By NumPy's names: the element type, and how MLIR writes a number.
TYPES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16",
    "int8": "i8", "int32": "i32", "uint8": "ui8",
}  # fmt: skip
HOLDS = {"LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}


def counts(dtype, first, step, direction, last, is_right=False):
    """Trip count of a loop, of floats too and of integers alone."""
    name, by = step
    number = (lambda x: str(x)) if "int" in dtype else (lambda x: f"{float(x):e}")
    operands = "%last, %i" if is_right else "%i, %last"
    t = f"tensor<{TYPES[dtype]}>"
    module = parse(f"""
      func.func @f() -> {t} {{
        %first = "anvl.constant"() {{value = dense<{number(first)}> : {t}}} : () -> {t}
        %last = "anvl.constant"() {{value = dense<{number(last)}> : {t}}} : () -> {t}
        %0 = stablehlo.while(%i = %first) : {t} cond {{
          %more = "anvl.compare"({operands})
            {{comparison_direction = #stablehlo<comparison_direction {direction}>}}
            : ({t}, {t}) -> tensor<i1>
          stablehlo.return %more : tensor<i1>
        }} do {{
          %by = "anvl.constant"() {{value = dense<{number(by)}> : {t}}} : () -> {t}
          %next = "anvl.{name}"(%i, %by) : ({t}, {t}) -> {t}
          stablehlo.return %next : {t}
        }}
        return %0 : {t}
      }}""")
    (op,) = find(module.operation, "stablehlo.while")
    loop = WhileOp.loop_of(op, None)
    given = loop.cond, loop.body, operands_of(op)
    found = step_count(*given)
    return trip_count(*given), None if found is None else found.steps


def simulated(dtype, first, step, direction, last, is_right=False):
    """The count by NumPy, in the dtype; None if the counter rounds or wraps around."""
    of = np.dtype(getattr(ml_dtypes, dtype, dtype)).type
    i, by, last = of(first), of(step[1]), of(last)
    holds = HOLDS[direction]
    with np.errstate(over="ignore"):
        for count in range(10_000):
            if not (holds(last, i) if is_right else holds(i, last)):
                return count
            exact = float(i) + (float(by) if step[0] == "add" else -float(by))
            i = of(i + by) if step[0] == "add" else of(i - by)
            if float(i) != exact:
                return None
    return None


LOOPS = [
    # first, step, direction, last
    (0, ("add", 1), "LT", 10), (0, ("add", 1), "LE", 10), (3, ("add", 4), "LT", 20),
    (3, ("add", 4), "LE", 19), (10, ("sub", 1), "GE", 0), (10, ("sub", 1), "GT", 0),
    (17, ("sub", 5), "GT", 2), (17, ("sub", 5), "GE", 2), (5, ("add", 1), "LT", 5),
    (5, ("add", 1), "LE", 4), (0, ("sub", 1), "GE", 1),
]  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_steps_are_counted_as_they_are_taken(dtype):
    for loop, is_right in itertools.product(LOOPS, (False, True)):
        if is_right:  # the same loop, with the bound on the left
            flipped = {"L": "G", "G": "L"}[loop[2][0]] + loop[2][1]
            loop = (*loop[:2], flipped, loop[3])
        steps, of_integer = counts(dtype, *loop, is_right)
        assert steps == simulated(dtype, *loop, is_right), (loop, is_right)
        assert of_integer == (steps if "int" in dtype else None)


@pytest.mark.parametrize(
    ("dtype", "loop"),
    [
        ("float32", (0, ("add", 0.1), "LT", 1)),  # rounds, elsewhere as the compiler likes
        ("float32", (0.5, ("add", 1), "LT", 10)),
        ("float32", (2.0**24 - 1, ("add", 1), "LE", 2.0**24)),  # 2^24 + 1 is none of f32's
        ("bfloat16", (0, ("add", 1), "LT", 300)),
        ("float32", (0, ("add", -1), "LT", 10)),
        ("float32", (0, ("add", 1), "GT", -10)),
        ("float32", (0, ("add", 0), "LT", 10)),
        ("float32", (0, ("mul", 2), "LT", 10)),
        ("float32", (0, ("add", 1), "NE", 10)),
        ("int8", (100, ("add", 20), "LT", 127)),  # wraps around
        ("int8", (0, ("sub", 1), "GE", -128)),
        ("uint8", (10, ("sub", 1), "GE", 0)),
    ],
)
def test_what_rounds_wraps_or_does_not_end_is_not_counted(dtype, loop):
    assert counts(dtype, *loop) == (None, None)


def counted(first, step, holds):
    """A loop that counts up to a number or down to it."""

    def f(x, last):
        def body(c):
            return step(c[0]), anp.sin(c[1]) * x + c[0] * 0.01

        return anvl.while_loop(lambda c: holds(c[0], last), body, (first, x))[1]

    return f


UP = counted(np.float64(0), lambda i: i + 1, lambda i, last: i < last)
DOWN = counted(np.int32(8), lambda i: i - 3, lambda i, last: last <= i)


@pytest.mark.parametrize(
    ("f", "last", "transform"),
    [
        (UP, np.float64(5), anvl.grad),
        (UP, np.float64(5), anvl.hessian),
        (DOWN, np.int32(-1), anvl.grad),
    ],
    ids=["up", "up, twice", "down"],
)
def test_derivatives_are_those_of_a_loop_whose_steps_nobody_knows(f, last, transform):
    xs = np.asarray([0.2, 0.7])
    found = anvl.jit(anvl.vmap(transform(lambda x: f(x, last))))(xs)
    unknown = anvl.jit(transform(f))
    expected = [unknown(x, last) for x in xs]
    np.testing.assert_allclose(found, expected, rtol=rounding(PROGRAM))


@pytest.mark.parametrize(
    ("last", "places"),
    [(5, 5), (224, 224), (225, 32)],  # 7 levels of 32 are fewer than 225
)
def test_each_step_has_a_place_where_the_count_is_known(last, places):
    gradient = anvl.grad(lambda x: UP(x, float(last)))
    text = anvl.jit(gradient).lower(np.float64(1)).mlir("gradient")
    assert f"tensor<{places}xf64> attributes" in text
    assert ("stablehlo.if" in text) == (places == 32)


def steps(x, n):
    return anvl.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, anp.sin(c[1])), (0, x))


def test_members_that_take_the_same_steps_share_the_counter():
    """In the gradient, too: its loops need no choice for each member, nor a gather."""
    f = anvl.jit(anvl.vmap(anvl.grad(lambda x, n: steps(x, n)[1]), in_axes=(0, None)))
    xs, n = np.asarray([0.2, 0.7, 1.1]), np.int32(40)
    text = f.lower(xs, n).mlir("stablehlo")
    assert "stablehlo.while" in text and "stablehlo.select" in text  # which carries are kept
    assert "stablehlo.gather" not in text and "stablehlo.scatter" not in text
    expected, ys = np.ones(3), xs
    for _ in range(40):
        expected, ys = expected * np.cos(ys), np.sin(ys)
    np.testing.assert_allclose(f(xs, n), expected, rtol=rounding(PROGRAM))


def test_results_that_members_share_go_through_loops_and_choices():
    def f(x, n):
        count, y = steps(x, n)  # the members share `count`
        once_more, z = steps(y, count - 1)
        (total, w), rows = anvl.scan(
            lambda c, i: ((c[0] + i + once_more, c[1] * y), c[0]),
            (0, z),
            np.arange(3, dtype=np.int32),
        )
        return anvl.cond(total > 7, lambda: (total, w), lambda: (count, z)), rows

    xs, n = np.asarray([0.3, 0.9]), np.int32(2)
    (total, w), rows = anvl.vmap(f, in_axes=(0, None))(xs, n)
    for k, x in enumerate(xs):
        (one, expected), each = f(x, n)
        assert total[k] == one
        assert rows[k].tolist() == each.tolist()
        np.testing.assert_allclose(w[k], expected, rtol=rounding(PROGRAM))
    shared = anvl.vmap(lambda x, n: steps(x, n)[0], in_axes=(0, None), out_axes=None)(xs, n)
    assert int(shared) == 2
