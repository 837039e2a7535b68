"""A callback is made once, however many derivatives of its function a program takes."""

from typing import Any

import numpy
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as np
from anvl.dialect.core.errors import PassError

X = numpy.asarray([1.0, 2.0, 3.0])
made: list[float] = []


def note(x: Any) -> None:
    made.append(float(x))


def pair(x: Any, y: Any) -> Any:
    anvl.callback(note, None, x[0])
    return x * y, np.roll(x, 1) * y[0]


def scalar(x: Any, y: Any) -> Any:
    anvl.callback(note, None, x[0])
    return np.sum(x * x * y)


def pulled(x: Any) -> Any:
    _, pullback = anvl.vjp(pair, x, x)
    return pullback((x, None)), pullback((None, x))


def pushed(x: Any) -> Any:
    _, push = anvl.linearize(pair, x, x)
    return push(x, None), push(None, x)


def of_a_slope(x: Any) -> Any:
    return anvl.grad(lambda x: np.sum(anvl.vjp(scalar, x, x)[1](1.0)[0]))(x)


CALLS = {
    "vjp": pulled,
    "linearize": pushed,
    "the gradient of a pullback": of_a_slope,
    "jacfwd": lambda x: anvl.jacfwd(pair, wrt=(0, 1))(x, x),
    "jacrev": lambda x: anvl.jacrev(pair, wrt=(0, 1))(x, x),
    "hessian": lambda x: anvl.hessian(scalar, wrt=(0, 1))(x, x),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_callback_is_made_once(name: str) -> None:
    for call in (CALLS[name], anvl.jit(CALLS[name])):
        made.clear()
        call(X)
        assert made == [1.0]


def test_a_callback_is_made_once_a_step_and_a_member() -> None:
    def step(x: Any, _: Any) -> Any:
        return anvl.vjp(scalar, x, x)[1](1.0)[0] / 4, None

    made.clear()
    anvl.jit(lambda x: anvl.scan(step, x, None, length=2))(X)
    assert made == [1.0, 0.5]
    made.clear()
    anvl.jit(anvl.vmap(lambda x: anvl.vjp(scalar, x, x)[1](1.0)))(numpy.stack([X, 5 * X]))
    assert made == [1.0, 5.0]


def test_a_pullback_that_is_called_in_a_trace_makes_none() -> None:
    _, pullback = anvl.vjp(scalar, X, X)
    _, push = anvl.linearize(scalar, X, X)
    made.clear()
    anvl.jit(lambda x: (pullback(1.0), push(x, x)))(X)
    assert made == []


def test_a_message_is_printed_once_and_a_check_fails_once(capsys: Any) -> None:
    def f(x: Any) -> Any:
        anvl.debug.print("x is {x}", x=x)
        anvl.check(x < 3, "{x} is too large", x=x)
        return np.sin(x)

    slope = anvl.jit(lambda x: anvl.vjp(f, x)[1](1.0)[0])
    assert_close(slope(2.0), numpy.cos(numpy.float32(2.0)), PROGRAM)
    assert capsys.readouterr().out == "x is 2.0\n"
    with pytest.raises(anvl.CheckError, match=r"4\.0 is too large"):
        slope(4.0)


def test_a_pullback_that_needs_the_result_of_a_callback_is_refused() -> None:
    """It would call the function a second time, which may return another value."""

    def f(x: Any) -> Any:
        return np.sin(x) * anvl.callback(lambda x: 3 * x, x, anvl.stop_gradient(x))

    assert_close(anvl.grad(f)(2.0), 6 * numpy.cos(numpy.float32(2.0)), PROGRAM)
    with pytest.raises(PassError, match=r"would repeat its effect; .* a traced vjp or linearize"):
        anvl.jit(lambda x: anvl.vjp(f, x)[1](1.0))(2.0)
