"""What tracing accepts, records and refuses: arguments, results, closures, leaks."""

import collections
import dataclasses
import enum
import re
import threading
import traceback

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import dialect, tree

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Params:
    w: object
    b: object
    name: str = "dense"


tree.register_dataclass(Params, ["w", "b"], ["name"])


# Trees in and out


def test_any_tree_of_arrays_goes_in_and_any_comes_out():
    @anvl.jit
    def f(params, pair, xs, *, scale):
        y = params.w * scale + params.b
        return {"out": Pair(y, [xs["k"][0]]), "same": params, "none": None, "empty": ((), {})}

    params = Params(np.float32(2), np.float32(3))
    found = f(params, Pair(1, 2), {"k": (4.0, [])}, scale=10)
    assert found["out"].a.item() == 23
    assert type(found["out"]) is Pair
    assert found["out"].b[0].item() == 4
    assert (found["same"].w.item(), found["same"].name) == (2, "dense")
    assert found["none"] is None
    assert found["empty"] == ((), {})


def test_the_rest_of_a_container_is_part_of_the_program():
    traced = []

    @anvl.jit
    def f(params):
        traced.append(params.name)
        return params.w

    f(Params(1.0, 2.0, "a")), f(Params(1.0, 2.0, "b")), f(Params(5.0, 6.0, "a"))
    assert traced == ["a", "b"]


def test_none_and_empty_trees_are_no_arguments_at_all():
    f = anvl.jit(lambda x, nothing, empty: (x, nothing, empty))
    x, nothing, empty = f(1.0, None, {})
    assert (x.item(), nothing, empty) == (1.0, None, {})
    assert anvl.jit(lambda: None)() is None


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (lambda x: {"w": [x, "text"]}, r"params\['w'\]\[1\]"),
        (lambda x: Params(x, object()), r"params\.b"),
        (lambda x: Pair(x, {1, 2}), r"params\.b"),
        (lambda x: "text", "params"),
    ],
)
def test_an_argument_that_is_no_array_is_named_by_its_path(given, path):
    def f(params):
        return params

    said = f"f: argument {path}: takes arrays and numbers, got .*; mark it static, or pass an array"
    with pytest.raises(TypeError, match=said):
        anvl.jit(f)(given(np.ones(2)))


@dataclasses.dataclass
class Unregistered:
    w: object


def test_a_dataclass_that_is_no_pytree_is_told_how_to_become_one():
    said = "argument x: .*; make Unregistered a pytree, (.*), or mark it static$"
    with pytest.raises(TypeError, match=said) as caught:
        anvl.jit(lambda x: x.w)(Unregistered(1.0))
    eval(re.search(said, str(caught.value))[1], {"anvl": anvl, "Unregistered": Unregistered})
    assert anvl.jit(lambda x: x.w)(Unregistered(1.0)).item() == 1.0


class Model:
    def __init__(self):
        self.w = np.ones(2)
        self.step = anvl.jit(self.plain)

    def plain(self, x):
        return x * self.w

    @anvl.jit
    def decorated(self, x):
        return x * self.w

    @anvl.jit
    def __call__(self, x):
        return x * self.w


class Plain:
    @anvl.jit(static="self")
    def by_identity(self, x):
        return x


def test_a_jitted_method_says_what_to_do_with_self():
    model = Model()
    for call, remedy in [
        (model.decorated, r"self\.decorated = anvl\.jit\(self\.decorated\), or make Model a pyt"),
        (model, r"self\.run = anvl\.jit\(self\.run\), which __call__ calls, or"),
        (Plain().by_identity, r"__init__ do self\.by_identity = anvl\.jit\(self\.by_identity\)$"),
    ]:
        for f in (call, lambda x, call=call: anvl.jit(lambda y: call(y))(x)):
            with pytest.raises(TypeError, match=remedy):
                f(2.0)
    with pytest.raises(TypeError) as error:  # a function whose argument has this name is no method
        anvl.jit(lambda self: self)("text")
    assert "__init__" not in str(error.value)
    assert model.step(2.0).tolist() == [2, 2]
    model.w = np.full(2, 3.0)
    assert model.step(2.0).tolist() == [6, 6]


def test_the_path_of_an_argument_counts_static_ones_and_keywords():
    def f(n, x, *rest, **more):
        return x

    for call, path in [
        (lambda: anvl.jit(f, static="n")(1, "a"), "x"),
        (lambda: anvl.jit(f, static=0)(1, 2.0, 3.0, ["b"]), r"arg3\[0\]"),
        (lambda: anvl.jit(f)(1, 2, key={"z": "c"}), r"key\['z'\]"),
    ]:
        with pytest.raises(TypeError, match=f"{path}: takes arrays and numbers"):
            call()


@pytest.mark.parametrize(
    "bad", ["text", b"bytes", object(), {1}, np.array(["a"]), np.array([None]), len]
)
def test_a_result_that_is_no_array_is_named_by_its_path(bad):
    with pytest.raises(TypeError, match=r"(?s)f: result\['y'\]\[1\] is|dtype"):

        def f(x):
            return {"y": (x, bad)}

        anvl.jit(f)(1.0)


def test_an_array_of_text_or_dates_is_no_argument():
    for bad in (np.array(["a"]), np.array(["2020-01-01"], "M8[D]"), np.array([object()])):
        with pytest.raises(TypeError, match="argument x"):
            anvl.jit(lambda x: x)(bad)


def test_subclasses_of_numbers_are_numbers():
    class Level(enum.IntEnum):
        LOW = 1

    assert anvl.jit(lambda x: x + 1)(Level.LOW).item() == 2
    assert anvl.jit(lambda x: x * Level.LOW)(3.0).item() == 3.0


# What a function returns


def test_what_is_returned_may_be_an_argument_a_constant_or_the_same_twice():
    w = anp.asarray([1.0, 2.0])

    @anvl.jit
    def f(x):
        y = x + 1
        return x, y, y, w, 3, 2.5, True, np.arange(2), np.float64(1), 1j

    x, y, again, captured, three, half, true, host, double, i = f(np.float32(5))
    assert (x.item(), y.item(), again.item()) == (5, 6, 6)
    assert captured.tolist() == [1, 2]
    assert (three.item(), three.dtype, three.weak_type) == (3, np.int32, True)
    assert (half.item(), half.dtype, half.weak_type) == (2.5, np.float32, True)
    assert (true.item(), true.dtype) == (True, bool)
    assert (host.tolist(), host.dtype) == ([0, 1], np.int64)
    assert (double.item(), double.dtype) == (1.0, np.float64)
    assert (i.item(), i.dtype) == (1j, np.complex64)


def test_weakness_goes_in_and_comes_out():
    f = anvl.jit(lambda x: (x, x * 2, anp.sin(x), x + np.float64(1)))
    assert [y.weak_type for y in f(1.5)] == [True, True, True, False]
    assert [y.dtype.name for y in f(1.5)] == ["float32"] * 3 + ["float64"]
    assert [y.weak_type for y in f(np.float32(1.5))] == [False] * 4


def test_float64_stays_float64_everywhere():
    x = np.linspace(0, 1, 5)
    assert anvl.jit(lambda x: anp.sum(anp.sin(x) @ (x * 2 + 1)))(x).dtype == np.float64
    assert anvl.grad(lambda x: anp.sum(x**2))(x).dtype == np.float64


# Closures


def test_a_closed_over_array_is_captured_once_and_a_number_is_a_literal():
    w = np.ones((4, 4), "f4")
    graph = anvl.trace(lambda x: (x @ w + x) * 2.5 + w, w)
    assert graph.constants == [("%c1", anvl.aval("f32", (4, 4)))]
    text = graph.mlir()
    assert text.count("anvl.captured") == 1
    assert "dense<2.500000e+00>" in text


def test_a_traced_program_keeps_what_a_closed_over_numpy_array_held():
    w = np.ones(2)
    compiled = anvl.jit(lambda x: x * w).lower(np.float64(1)).compile()
    w[:] = 5
    assert compiled(np.float64(2)).tolist() == [2, 2]


def test_a_nested_jit_closes_over_values_of_the_outer_function():
    @anvl.jit
    def outer(x, y):
        @anvl.jit
        def inner(z):
            return z * x + y

        return inner(x) + inner(y)

    assert outer(2.0, 3.0).item() == (4 + 3) + (6 + 3)


def test_a_closure_through_three_levels_and_grad():
    @anvl.jit
    def f(x):
        def g(y):
            return anvl.jit(lambda z: anp.sum(z * y * x))(y)

        return anvl.grad(g)(x)

    # d/dy (y * y * x) at y = x is 2 x^2
    assert f(3.0).item() == 18


def test_the_gradient_reaches_what_is_closed_over():
    def f(x):
        return anvl.grad(lambda y: x * x * y)(1.0) * anvl.jit(lambda z: x * z)(x)

    # x^2 * x^2
    assert anvl.grad(f)(2.0).item() == 4 * 2**3


# Leaks


def test_a_tracer_that_outlives_its_trace_is_refused_where_it_is_used():
    kept = []

    def leak(x):
        y = x * 2
        kept.append(y)
        return y

    anvl.jit(leak)(1.0)
    for use in (
        lambda: kept[0] + 1,
        lambda: anvl.jit(lambda x: x + kept[0])(1.0),
        lambda: anp.sin(kept[0]),
    ):
        with pytest.raises(
            anvl.TraceError, match=r"f32\?\[\] from .*test_tracing.py:\d+:\d+ is used after"
        ):
            use()
    assert "Tracer(f32?[]" in repr(kept[0])


def test_a_tracer_of_an_inner_trace_is_refused_in_the_outer_one():
    kept = []

    @anvl.jit
    def outer(x):
        anvl.jit(lambda y: kept.append(y * 2) or y)(x)
        return kept[0] + x

    with pytest.raises(anvl.TraceError, match=r"is used after|in another trace"):
        outer(1.0)


def test_after_an_error_in_a_trace_everything_works_again():
    def fails(x):
        anvl.jit(lambda y: y + x)(x)
        raise RuntimeError("stop")

    for transform in (anvl.jit, anvl.grad, lambda f: anvl.jit(anvl.grad(f))):
        with pytest.raises(RuntimeError, match="stop"):
            transform(fails)(1.0)
    assert (anp.asarray(1.0) + 1).item() == 2
    assert anvl.jit(lambda x: x + 1)(1.0).item() == 2


def test_an_error_in_a_nested_function_may_be_caught_and_tracing_goes_on():
    @anvl.jit
    def f(x):
        try:
            anvl.jit(lambda y: anp.reshape(y, (7,)))(x)
        except ValueError:
            pass
        return x + 1

    assert f(1.0).item() == 2.0


def _factorial(n):
    return n * _factorial(n - 1)


@anvl.jit
def _jitted_factorial(n):
    return n * _jitted_factorial(n - 1)


@anvl.jit
def _in_a_branch(n):
    return anvl.cond(n == 0, lambda: 1.0, lambda: n * _in_a_branch(n - 1))


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda: anvl.jit(_factorial)(3.0), "_factorial"),
        (lambda: _jitted_factorial(3.0), "_jitted_factorial"),
        (lambda: anvl.jit(lambda x: 2 * _jitted_factorial(x))(3.0), "_jitted_factorial"),
        (lambda: _in_a_branch(3.0), "_in_a_branch"),
        (lambda: anvl.grad(_factorial)(3.0), "_factorial"),
        (lambda: anvl.trace(_factorial, 3.0), "_factorial"),
    ],
)
def test_a_function_that_calls_itself_without_end_is_named(call, name):
    message = rf"^{name}: calls itself while it is traced, \d+ calls deep .*py:\d+\); if a traced"
    with pytest.raises(RecursionError, match=message) as raised:
        call()
    assert raised.value.__suppress_context__  # else a thousand errors are shown
    assert "/core/" not in "".join(traceback.format_exception(raised.value))
    assert anvl.jit(lambda x: x + 1)(1.0).item() == 2


def test_a_recursion_that_a_static_argument_ends():
    @anvl.jit(static="n")
    def factorial(x, n):
        return x if n == 0 else factorial(x * n, n - 1)

    assert factorial(1.0, 5).item() == 120


# Eager use inside of a trace, and threads


def test_arrays_made_inside_of_a_trace_are_constants_of_it():
    @anvl.jit
    def f(x):
        w = anp.asarray(np.arange(3.0))
        return x + w + anp.ones(3)

    assert f(1.0).tolist() == [2.0, 3.0, 4.0]


def test_two_threads_trace_and_run_at_once():
    results, barrier = {}, threading.Barrier(4)

    def work(k):
        barrier.wait()
        f = anvl.jit(lambda x: anp.sum(anp.sin(x) * k))
        g = anvl.jit(anvl.grad(f))
        x = np.arange(4.0)
        for _ in range(5):
            results[k] = (f(x).item(), np.asarray(g(x)), (anp.asarray(x) + k).tolist())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads], [t.join() for t in threads]
    x = np.arange(4.0)
    for k in range(4):
        value, slope, added = results[k]
        np.testing.assert_allclose(value, np.sum(np.sin(x) * k), rtol=rounding(PROGRAM))
        np.testing.assert_allclose(slope, np.cos(x) * k, rtol=rounding(PROGRAM))
        assert added == (x + k).tolist()


def test_a_thread_computes_while_another_traces():
    entered, leave, found = threading.Event(), threading.Event(), []

    def slow(x):
        entered.set()
        assert leave.wait(10)
        return x * 2

    double = anvl.jit(lambda x: x * 2)
    x = anp.asarray([1.0])
    double(x)
    tracing = threading.Thread(target=lambda: found.append(anvl.jit(slow)(1.0)))
    tracing.start()
    assert entered.wait(10)
    assert double(x).tolist() == [2.0]  # known, so it does not wait for the trace to end
    leave.set()
    tracing.join()
    assert found[0].item() == 2.0


# The text


def test_what_is_traced_parses_back():
    def f(params, n):
        g = anvl.grad(lambda p: anp.sum(anp.tanh(p["w"] @ p["b"]) * n))
        return anvl.jit(g)(params), anp.arange(3)

    graph = anvl.trace(f, {"w": np.ones((2, 2)), "b": np.ones(2)}, 2)
    for text in (graph.mlir(), graph.mlir(debug_info=True)):
        assert dialect.parse(text).operation.verify()
