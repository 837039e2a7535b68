"""`anvl.check`: conditions of compiled programs, also in loops, branches, batches and derivatives.

Each test calls one compiled program twice: where its checks hold, and where one fails.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import anvl
import anvl.numpy as np
from anvl import prim

TABLE = numpy.asarray([1.0, 2.0, 3.0])


def pick(table: Any, i: Any) -> Any:
    anvl.check((i >= 0) & (i < 3), "index {i} of {n} rows", i=i, n=3)
    return table[i]


def line_of(text: str) -> int:
    """Line of this file that contains a text first."""
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def failure(f: Callable[..., Any], *args: Any) -> anvl.CheckError:
    with pytest.raises(anvl.CheckError) as caught:
        f(*args)
    return caught.value


def test_a_check_of_a_compiled_program_says_what_and_where() -> None:
    f = anvl.jit(pick)
    assert float(f(TABLE, 2)) == 3.0
    for _ in range(2):  # the first call, and the fast path of the next
        error = failure(f, TABLE, 7)
        place = f"{__file__}:{line_of('index {i} of')}"
        assert str(error) == f"check: index 7 of 3 rows; it failed at {place}"
        assert (error.message, error.place) == ("index 7 of 3 rows", place)
        assert error.values == {"i": 7, "n": 3}
        assert (error.index, error.members) == ((), ())
    assert isinstance(error, AssertionError) and isinstance(error, anvl.AnvlError)
    assert float(f(TABLE, 0)) == 1.0


def test_outside_of_a_trace_it_is_checked_at_once() -> None:
    anvl.check(np.asarray([True, True]), "never shown")
    given = numpy.array([1, 5])
    error = failure(lambda: anvl.check(np.asarray(given) < 3, "{given}", given=given))
    assert (error.message, error.index) == ("5", (1,))
    assert error.place == f"{__file__}:{line_of('given=given')}"


def test_a_condition_known_while_tracing_is_checked_then() -> None:
    def f(x: Any) -> Any:
        anvl.check(len(x.shape) == 1, "x has the shape {shape}", shape=str(x.shape))
        return x

    assert "anvl.check" not in anvl.trace(f, anvl.aval("f32", (2,))).mlir()
    assert failure(anvl.trace, f, anvl.aval("f32")).message == "x has the shape ()"


def test_of_an_array_the_first_element_that_fails_is_shown() -> None:
    @anvl.jit
    def f(x: Any, limit: Any) -> Any:
        anvl.check(x < limit, "{x:.1f} is not below {limit}", x=x, limit=limit)
        return x

    good = numpy.zeros((2, 3))
    f(good, 1.0)
    bad = good.copy()
    bad[1, 1:] = 5.25, 6.0
    error = failure(f, bad, 1.0)
    assert error.message == "5.2 is not below 1.0"
    assert error.index == (1, 1)
    assert str(error).endswith(", for element [1, 1]")
    f(numpy.zeros((2, 0)), 1.0)  # of nothing, everything holds


@pytest.mark.parametrize(
    "value",
    [
        numpy.float64(1.2345678901234567), numpy.int64(-(2**40)), numpy.uint64(2**63 + 1),
        numpy.array([1 + 2j, 3 - 4j]), numpy.array([[True], [False]]), numpy.float16(1.5),
        numpy.uint8(200), numpy.int8(-100), numpy.float32(numpy.inf), numpy.complex64(1 - 2j),
        np.asarray([1.5, -2.0], "bf16"),
    ],
    ids=lambda value: f"{numpy.asarray(value).dtype}",
)  # fmt: skip
def test_messages_show_values_of_every_dtype(value: Any) -> None:
    @anvl.jit
    def f(ok: Any, x: Any) -> Any:
        anvl.check(ok, "{x}", x=x)
        return x

    shown = failure(f, numpy.False_, value).values["x"]
    assert shown.dtype == value.dtype
    numpy.testing.assert_array_equal(shown, numpy.asarray(value))


def test_the_first_check_that_fails_is_reported_and_the_program_goes_on() -> None:
    @anvl.jit
    def f(x: Any) -> Any:
        anvl.check(x < 2, "first {x}", x=x)
        anvl.check(x < 1, "second {x}", x=x)
        return x

    assert failure(f, 3.0).message == "first 3.0"
    assert failure(f, 1.5).message == "second 1.5"


def doubled(x: Any, n: Any) -> Any:
    def body(i: Any, x: Any) -> Any:
        anvl.check(x < 100.0, "x is {x} in step {i}", x=x, i=i)
        return x * 2

    return anvl.fori_loop(0, n, body, x)


def tripled(x: Any) -> Any:
    def cond(x: Any) -> Any:
        anvl.check(x < 90.0, "x is {x}", x=x)
        return x < 30.0

    return anvl.while_loop(cond, lambda x: x * 3, x)


def summed(xs: Any) -> Any:
    def step(total: Any, x: Any) -> Any:
        anvl.check(x != 3, "{x} after {total}", x=x, total=total)
        return total * x + x, total

    return anvl.scan(step, 0.0, xs)[0]


def halved(x: Any) -> Any:
    def big(x: Any) -> Any:
        anvl.check(x < 5, "{x} is too big", x=x)
        return x / 2

    return anvl.cond(x > 0, big, lambda x: -x, x)


XS = numpy.arange(3.0)
YS = numpy.arange(5.0)


@pytest.mark.parametrize(
    ("f", "good", "bad", "message"),
    [
        (doubled, (1.0, 3), (1.0, 9), "x is 128.0 in step 7"),
        (tripled, (1.0,), (95.0,), "x is 95.0"),
        (summed, (XS,), (YS,), "3.0 after 4.0"),
        (halved, (2.0,), (6.0,), "6.0 is too big"),
        (halved, (2.0,), None, ""),
        (anvl.jit(halved), (2.0,), (6.0,), "6.0 is too big"),
        (anvl.checkpoint(halved), (2.0,), (6.0,), "6.0 is too big"),
    ],
    ids=["fori", "while-cond", "scan", "cond", "cond-other", "jit", "checkpoint"],
)
def test_checks_in_control_flow_and_their_derivatives(
    f: Any, good: Any, bad: Any, message: str
) -> None:
    gradient = anvl.jit(anvl.value_and_grad(f))
    _, slope = gradient(*good)
    x, *rest = good
    one = numpy.ones_like(x) if numpy.ndim(x) else 1.0
    along = anvl.jvp(lambda x: f(x, *rest), (x,), (one,))[1]
    numpy.testing.assert_allclose(numpy.sum(slope), along, rtol=1e-6)
    if bad is not None:
        assert failure(gradient, *bad).message == message
        assert failure(anvl.jit(f), *bad).message == message
    else:
        numpy.testing.assert_allclose(f(-7.0), 7.0)  # the branch that is not taken does not fail


def test_in_a_batch_each_member_is_checked() -> None:
    rows = anvl.jit(anvl.vmap(pick, in_axes=(None, 0)))
    numpy.testing.assert_array_equal(rows(TABLE, numpy.array([0, 2, 1])), [1.0, 3.0, 2.0])
    error = failure(rows, TABLE, numpy.array([0, 2, 5, 9]))
    assert (error.message, error.members) == ("index 5 of 3 rows", (2,))
    assert str(error).endswith(", in member 2 of a batch")
    nested = anvl.vmap(anvl.vmap(pick, in_axes=(None, 0)), in_axes=(None, 0))
    assert failure(nested, TABLE, numpy.array([[0, 1], [2, 9]])).members == (1, 1)
    assert nested(TABLE, numpy.zeros((2, 0), numpy.int32)).shape == (2, 0)


def test_members_of_a_batch_are_checked_in_their_own_steps_and_branches_alone() -> None:
    loops = anvl.jit(anvl.vmap(doubled))
    numpy.testing.assert_array_equal(loops(numpy.ones(2), numpy.array([3, 7])), [8.0, 128.0])
    error = failure(loops, numpy.ones(2), numpy.array([9, 8]))
    assert (error.message, error.members) == ("x is 128.0 in step 7", (0,))
    whiles = anvl.jit(anvl.vmap(tripled))
    numpy.testing.assert_array_equal(whiles(numpy.array([15.0, 4.0])), [45.0, 36.0])
    assert failure(whiles, numpy.array([15.0, 95.0])).members == (1,)
    branches = anvl.jit(anvl.vmap(halved))
    numpy.testing.assert_array_equal(branches(numpy.array([2.0, -7.0])), [1.0, 7.0])
    assert failure(branches, numpy.array([2.0, -7.0, 9.0])).members == (2,)
    assert failure(anvl.vmap(anvl.grad(halved)), numpy.array([2.0, 9.0])).members == (1,)


def test_the_directions_of_a_derivative_are_no_batch_of_which_a_message_speaks() -> None:
    def f(x: Any) -> Any:
        anvl.check(np.sum(x) < 3, "sum {s}", s=np.sum(x))
        return x * x

    ones, zeros = numpy.ones(3), numpy.zeros(3)
    for jacobian in (anvl.jacfwd, anvl.jacrev):
        assert failure(jacobian(f), ones).members == ()
        rows = failure(anvl.vmap(jacobian(f)), numpy.array([zeros, ones]))
        assert (rows.message, rows.members) == ("sum 3.0", (1,))
    assert failure(anvl.jacfwd(anvl.vmap(f)), numpy.array([zeros, ones])).members == (1,)
    hessian = failure(anvl.hessian(lambda x: np.sum(f(x))), ones)
    assert str(hessian).partition("test_check.py")[2].partition(":")[2].isdigit()


def test_what_fails_before_a_batch_has_no_member() -> None:
    def f(x: Any, i: Any) -> Any:
        anvl.check(x < 3, "x is {x}", x=x)
        return anvl.vmap(pick, in_axes=(None, 0))(TABLE, i)

    error = failure(anvl.jit(f), 4.0, numpy.array([0, 7]))
    assert (error.message, error.members) == ("x is 4.0", ())
    assert failure(anvl.jit(f), 2.0, numpy.array([0, 7])).members == (1,)


def test_a_derivative_that_is_split_keeps_the_checks_of_its_function() -> None:
    _, pullback = anvl.vjp(summed, XS)
    numpy.testing.assert_allclose(pullback(1.0)[0], anvl.grad(summed)(XS))
    assert failure(anvl.vjp, summed, YS).message == "3.0 after 4.0"
    _, push = anvl.linearize(summed, XS)
    assert float(push(numpy.ones(3))) == float(pullback(1.0)[0].sum())
    assert failure(anvl.linearize, summed, YS).message == "3.0 after 4.0"


def test_higher_derivatives_are_those_of_a_function_without_checks() -> None:
    def plain(x: Any) -> Any:
        return anvl.fori_loop(0, 3, lambda i, x: x * x * 0.5, x)

    def checked(x: Any) -> Any:
        def body(i: Any, x: Any) -> Any:
            anvl.check_finite(x)
            return x * x * 0.5

        return anvl.fori_loop(0, 3, body, x)

    for of in (anvl.grad, lambda f: anvl.grad(anvl.grad(f)), lambda f: anvl.jacfwd(anvl.grad(f))):
        numpy.testing.assert_allclose(of(checked)(1.25), of(plain)(1.25), rtol=1e-6)
    assert failure(anvl.grad(anvl.grad(checked)), numpy.inf).message == "x is inf"


def test_a_function_with_its_own_derivative_keeps_its_checks() -> None:
    @anvl.custom_jvp
    def exp(x: Any) -> Any:
        anvl.check(x < 3, "exp of {x}", x=x)
        return np.exp(x)

    @exp.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        y = exp(*primals)
        return y, y * tangents[0]

    slope = anvl.jit(anvl.vmap(anvl.grad(exp)))
    numpy.testing.assert_allclose(slope(numpy.ones(2)), numpy.exp([1.0, 1.0]), rtol=1e-6)
    assert failure(slope, numpy.array([1.0, 4.0])).message == "exp of 4.0"
    assert failure(anvl.grad(anvl.grad(exp)), 4.0).message == "exp of 4.0"


def test_the_rule_of_a_derivative_refuses_checks() -> None:
    @anvl.custom_vjp
    def f(x: Any) -> Any:
        return x * x

    def backward(x: Any, g: Any) -> Any:
        anvl.check(g < 3, "g is {g}", g=g)
        return (2 * x * g,)

    f.defvjp(lambda x: (x * x, x), backward)
    assert float(f(3.0)) == 9.0
    with pytest.raises(anvl.PassError, match=r"anvl.check in @f_rule, the rule of @f"):
        anvl.grad(f)(3.0)


def test_a_linear_transpose_refuses_checks() -> None:
    def f(x: Any) -> Any:
        anvl.check(x < 1, "x")
        return 2 * x

    with pytest.raises(anvl.PassError, match="the transpose, which computes no values"):
        anvl.linear_transpose(f, 1.0)(1.0)


def test_the_body_of_an_op_refuses_checks() -> None:
    def add(a: Any, b: Any) -> Any:
        anvl.check(a < 3, "a")
        return a + b

    with pytest.raises(
        anvl.TraceError, match=r"body add has an effect, anvl.check at .*test_check"
    ):
        prim.reduce(XS, numpy.float64(0), dimensions=(0,), body=add)


def test_check_finite_names_the_leaf_and_the_element() -> None:
    f = anvl.jit(lambda params: anvl.check_finite(params, "params"))
    f({"w": numpy.ones((2, 2)), "n": 3})
    error = failure(f, {"w": numpy.array([[1.0, 2.0], [numpy.nan, 3.0]]), "n": 3})
    assert (error.message, error.index) == ("params['w'] is nan", (1, 0))


def test_every_way_to_run_a_program_looks_at_its_checks() -> None:
    compiled = anvl.jit(pick).lower(TABLE, 1).compile()
    assert float(compiled(TABLE, 1)) == 2.0
    assert failure(compiled, TABLE, 5).message == "index 5 of 3 rows"
    debugged = anvl.jit(pick, debug_nans=True)
    assert failure(debugged, TABLE, 5).message == "index 5 of 3 rows"
    with pytest.raises(anvl.NonFiniteError, match="log makes NaN"):
        anvl.jit(lambda t, i: np.log(pick(t, i) - 9), debug_nans=True)(TABLE, 1)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: anvl.check(1, "x"), TypeError, "check: the condition is i32?[]; it must be bools"),
        (lambda: anvl.check(True, 3), TypeError, "check: the message is 3 of type int"),
        (lambda: anvl.check(True, "{x}"), ValueError, "shows x, and the values are none"),
        (lambda: anvl.check(True, "a", y=2), ValueError, "does not show y; write {y} into it"),
        (lambda: anvl.check(True, "{x[0]}", x=XS), ValueError, "is more than a name"),
        (lambda: anvl.check(True, "{}", x=XS), ValueError, "value 0 without a name, and there"),
        (lambda: anvl.check(True, "{} {1}", XS, XS), ValueError, "write all with numbers, or none"),
        (lambda: anvl.check(True, "{0}", XS, XS), ValueError, "does not show value 1;"),
        (lambda: anvl.check(True, "{0[1]}", XS), ValueError, "is more than a name"),
        (lambda: anvl.check(True, "{", x=XS), ValueError, "is no format: Single '{'"),
        (lambda: anvl.check(True, "{x:q}", x=1.0), ValueError, "Unknown format code 'q'"),
        (lambda: anvl.check("a", "b"), TypeError, "check: the condition: takes arrays"),
        (
            lambda: anvl.trace(lambda x: anvl.check(x[0] > 0, "{x}", x=x), anvl.aval("f32", (65,))),
            TypeError,
            "check: x is f32[65], and a message shows at most 64 elements",
        ),
        (
            lambda: anvl.trace(lambda x: anvl.check(x > 0, "{x:d}", x=x), anvl.aval("f32")),
            ValueError,
            "Unknown format code 'd'",
        ),
    ],
)  # fmt: skip
def test_what_a_check_refuses(call: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        call()
