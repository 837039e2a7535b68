"""`jit(f, debug_nans=True)`: the op that made a NaN or an infinity, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import pytest

import anvl
import anvl.numpy as np

INF, NAN = numpy.inf, numpy.nan
X = numpy.array([1.0, 0.0, 2.0])


def met(f: Callable[..., Any], *args: Any, **options: Any) -> anvl.NonFiniteError:
    """The error that f raises."""
    with pytest.raises(anvl.NonFiniteError) as raised:
        anvl.jit(f, debug_nans=True, **options)(*args)
    return raised.value


def line_of(marker: str) -> str:
    """`file:line` of the only line here with a comment of this text."""
    with open(__file__) as file:
        (line,) = [n for n, text in enumerate(file, 1) if text.rstrip().endswith(f"# {marker}")]
    return f"{__file__}:{line}"


def test_the_first_op_is_named_with_its_line_and_operands() -> None:
    def f(x: Any) -> Any:
        y = x + 1
        z = np.log(y - 1)  # the log
        return np.sum(z * z - z)

    error = met(f, X)
    assert (error.op, error.belongs_to, error.place) == ("anvl.log", "", line_of("the log"))
    assert (error.kind, error.count, error.shape) == ("infinity", 1, (3,))
    assert error.operands == ("f64[3] [1.0, 0.0, 2.0]",)
    assert str(error) == (
        "f: log makes infinity in 1 of 3 elements: anvl.log, f64[3], at "
        f"{line_of('the log')}\n  operand 0: f64[3] [1.0, 0.0, 2.0]"
    )
    assert isinstance(error, FloatingPointError) and isinstance(error, anvl.AnvlError)


def test_a_result_that_is_finite_is_as_without() -> None:
    def f(p: Any, n: Any) -> Any:
        return {"y": [p["x"] * n, np.floor(p["x"])], "n": n, "b": p["x"] > 0}

    found = anvl.jit(f, debug_nans=True)({"x": X}, 3)
    wanted = anvl.jit(f)({"x": X}, 3)
    assert anvl.tree.structure(found) == anvl.tree.structure(wanted)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(wanted), strict=True):
        assert a.dtype == b.dtype and numpy.array_equal(a, b)


@pytest.mark.sweep(keep=0)
def test_an_op_of_a_derivative_is_named_for_the_op_it_belongs_to() -> None:
    def f(x: Any) -> Any:
        y = np.sqrt(x)  # the root
        return np.sum(y * 3)

    error = met(anvl.grad(f), X)
    assert error.belongs_to == "the adjoint of sqrt" and error.op == "anvl.div"
    assert error.place == line_of("the root") and error.kind == "infinity"
    assert str(error).startswith("f: the adjoint of sqrt makes infinity in 1 of 3 elements: anvl.")

    assert met(lambda x: anvl.jvp(f, (x,), (x + 1,))[1], X).belongs_to == "the tangent of sqrt"
    assert met(anvl.vmap(anvl.grad(f)), X[None]).belongs_to == "the adjoint of sqrt"
    assert met(lambda x: anvl.value_and_grad(f)(x)[1], X).place == line_of("the root")


def test_second_derivatives_name_both() -> None:
    """x^1.5 has a slope at 0, but no curvature."""
    error = met(anvl.grad(anvl.grad(lambda x: x**1.5)), 0.0)
    assert error.belongs_to.startswith("the adjoint of ")
    assert error.place.startswith(__file__)


def test_the_cause_is_named_and_not_what_follows_from_it() -> None:
    def f(x: Any) -> Any:
        y = 1 / x  # the cause
        return np.sum(y - y)

    assert met(f, X).place == line_of("the cause")
    assert met(f, X).kind == "infinity"


def test_a_nan_that_infinities_of_arguments_make_is_found() -> None:
    error = met(lambda x: np.sum(x * 0), numpy.array([1.0, INF]))
    assert (error.op, error.kind, error.count) == ("anvl.mul", "NaN", 1)


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: x, [NAN, 1.0]),
        (lambda x: x * 2, [INF, 1.0]),
        (lambda x: np.maximum(x, -INF) + INF, [1.0]),
        (lambda x: np.where(x > 0, x, -INF), [1.0, -1.0]),
        (lambda x: np.stack([x, np.full(1, NAN)]), [1.0]),
        (lambda x: np.cumsum(np.full(2, INF)) * x, [1.0]),
    ],
)
def test_what_is_brought_along_or_meant_is_no_fault(f: Any, x: list[float]) -> None:
    found = anvl.jit(f, debug_nans=True)(numpy.array(x))
    assert numpy.array_equal(found, anvl.jit(f)(numpy.array(x)), equal_nan=True)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.where(x > 0, np.log(x), 0),
        lambda x: 1 / (1 + np.exp(1 / x)),
        lambda x: np.exp(-((1 / x) ** 2)),
        lambda x: np.max(np.exp(np.where(x > 0, x, -INF))),
    ],
)
def test_an_infinity_that_no_result_shows_is_no_fault(f: Any) -> None:
    anvl.jit(f, debug_nans=True)(X)


def test_only_those_that_a_result_shows_are_blamed() -> None:
    """An earlier op makes an infinity too, but it is not what is seen."""

    def f(x: Any) -> Any:
        hidden = 1 / (1 + 1 / x)
        return hidden, np.log(x - 1)  # the visible

    assert met(f, X).place == line_of("the visible")


def test_static_arguments_keywords_trees_and_several_results() -> None:
    def f(p: Any, power: int, *, shift: Any) -> Any:
        return {"a": p["x"] ** power, "b": (np.arccos(p["x"] + shift), 3)}

    wrapped = anvl.jit(f, debug_nans=True, static="power")
    with pytest.raises(anvl.NonFiniteError) as raised:
        wrapped({"x": X}, 2, shift=1.0)
    error = raised.value
    assert (error.op, error.kind, error.count) == ("anvl.acos", "NaN", 2)
    assert wrapped({"x": X / 9}, 2, shift=0.1)["b"][1] == 3


@pytest.mark.sweep(keep=0)
def test_nested_jits_and_arrays_closed_over() -> None:
    weights = np.linspace(0.0, 1.0, 1000)

    @anvl.jit
    def inner(x: Any) -> Any:
        return x / weights  # the quotient

    error = met(lambda x: np.sum(inner(x)), 1.0)
    assert error.place == line_of("the quotient") and error.shape == (1000,) and error.count == 1
    assert error.operands[1] == "f32[1000] from 0.0 to 1.0, 1 zero"


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "complex64"])
def test_dtypes(dtype: str) -> None:
    error = met(np.log, np.zeros(2, dtype))
    assert error.op == "anvl.log" and error.count == 2 and error.kind == "infinity"


def test_overflow_is_an_infinity() -> None:
    assert met(lambda x: x * 1e38, np.full(2, 100.0, "f32")).kind == "infinity"


def test_control_flow_is_named_as_a_whole_and_not_for_what_it_was_given() -> None:
    def looped(x: Any) -> Any:
        return anvl.fori_loop(0, 3, lambda i, c: np.log(c), x)

    assert met(looped, 1.0).op == "stablehlo.while"

    def chosen(x: Any) -> Any:
        y = np.log(x)  # before the choice
        return anvl.cond(x >= 0, lambda: y * 2, lambda: y)

    assert met(chosen, 0.0).place == line_of("before the choice")


def test_the_wrapper_is_like_that_of_jit() -> None:
    @anvl.jit(debug_nans=True)
    def f(x: Any) -> Any:
        """What it does."""
        return np.log(x)

    assert f.__name__ == "f" and f.__doc__ == "What it does."
    assert f(1.0) == 0.0 and f.cache_size() == 1
    assert "stablehlo.log" in f.lower(1.0).mlir()
    with pytest.raises(anvl.NonFiniteError):
        f(0.0)
    assert f(1.0) == 0.0 and f.cache_size() == 1

    @dataclass(frozen=True)
    class Model:
        @anvl.jit(debug_nans=True, static=0)
        def root(self, x: Any) -> Any:
            return np.sqrt(x)

    assert Model().root(4.0) == 2.0
    with pytest.raises(anvl.NonFiniteError, match="root: sqrt makes NaN"):
        Model().root(-1.0)


def test_inside_of_another_trace_it_does_nothing() -> None:
    f = anvl.jit(np.log, debug_nans=True)
    assert anvl.jit(lambda x: f(x))(0.0) == -INF
    assert anvl.grad(f)(0.0) == INF


def test_errors_of_the_function_are_as_they_are() -> None:
    with pytest.raises(TypeError, match="takes arrays and numbers"):
        anvl.jit(np.log, debug_nans=True)("x")
    with pytest.raises(TypeError, match="jit: takes a function"):
        anvl.jit(3, debug_nans=True)


def test_jit_without_it_is_what_it_was() -> None:
    """No wrapper around the generated code."""
    f = anvl.jit(lambda x: np.log(x))
    assert f.__code__.co_filename.startswith("<anvl ")
    assert f(0.0) == -INF
