"""`cond` and `switch` of a choice that is known: they refuse what a traced choice refuses."""

from typing import Any

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

X = np.ones(3, "float32")
UNLIKE = {
    "structures": (lambda x: (x, x), lambda x: x),
    "keys": (lambda x: {"a": x}, lambda x: {"a": x, "b": x}),
    "containers": (lambda x: [x, x], lambda x: (x, x)),
    "shapes": (lambda x: x, lambda x: x[:2]),
    "dtypes": (lambda x: x, lambda x: x.astype("int32")),
    "a number and an array": (lambda x: 1, lambda x: x),
}


@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("name", UNLIKE)
def test_results_that_differ_are_refused_as_in_a_trace(name: str, taken: bool) -> None:
    with pytest.raises(TypeError, match=r"^cond: ") as of_trace:
        anvl.jit(lambda p, x: anvl.cond(p, *UNLIKE[name], x))(taken, X)
    for known in (taken, np.bool(taken), np.asarray(taken)):
        for _ in range(2):  # a refusal is not remembered as a comparison
            with pytest.raises(TypeError) as found:
                anvl.cond(known, *UNLIKE[name], anp.asarray(X))
            assert str(found.value) == str(of_trace.value)


def test_each_branch_of_a_switch_is_compared() -> None:
    branches = [anp.sin, anp.cos, anp.sum]
    for at in range(3):
        with pytest.raises(TypeError, match=r"^switch: result is f32\[3\] of sin, but f32\[\] of"):
            anvl.switch(at, branches, X)
    assert anvl.switch(1, branches[:2], X).shape == (3,)


@pytest.mark.parametrize("sides", [(lambda: 1.0, lambda: X[0]), (lambda: X[0], lambda: 1)])
def test_a_number_yields_to_an_array_of_its_shape(sides: Any) -> None:
    for pred in (True, False):
        assert float(anvl.cond(pred, *sides)) == 1


def test_a_branch_runs_once_and_the_others_are_traced_once_for_each_type() -> None:
    ran: list[str] = []

    def noted(name: str, x: Any) -> Any:
        ran.append(f"{name} of {type(x).__name__}{list(x.shape)}")
        return x

    for shape in ((2,), (2,), (3,)):
        anvl.cond(True, lambda x: noted("a", x), lambda x: noted("b", x), anp.ones(shape))
    assert ran == [
        "a of Array[2]", "b of Tracer[2]", "a of Array[2]", "a of Array[3]", "b of Tracer[3]"
    ]  # fmt: skip


def test_of_a_branch_that_cannot_be_traced_nothing_is_known() -> None:
    def fails() -> Any:
        raise ZeroDivisionError

    assert anvl.cond(True, lambda: 2, fails) == 2
    assert anvl.cond(True, lambda x: x, lambda x: float(x), X[0]) == 1
    assert anvl.cond(False, lambda text: text, lambda text: 3, "text") == 3
    with pytest.raises(ZeroDivisionError):
        anvl.cond(False, lambda: 2, fails)


def test_functions_that_call_themselves_end() -> None:
    def factorial(n: int) -> Any:
        return anvl.cond(n == 0, lambda: 1, lambda: n * factorial(n - 1))

    assert factorial(5) == 120


def test_a_trace_selects_without_a_look_at_the_other_side() -> None:
    f = anvl.jit(lambda x: anvl.cond(True, lambda: x, lambda: (x, x)))
    assert f(X).shape == (3,)


def test_keys_are_used_by_the_side_that_runs_alone() -> None:
    key = anvl.random.key(0)
    with anvl.config(check_key_reuse=True):
        zeros = anvl.cond(True, lambda: anp.zeros(2), lambda: anvl.random.normal(key, (2,)))
        assert anvl.random.normal(key, zeros.shape).shape == (2,)
