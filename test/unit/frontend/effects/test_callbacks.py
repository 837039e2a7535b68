"""`anvl.callback`, `anvl.pure_callback` and `anvl.debug.print`: Python called by programs.

On jaxlib's own client, and on a plugin.
"""

import re
import threading
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from plugin_files import NAME

import anvl
import anvl.numpy as np

XS = numpy.arange(3.0)
SCALAR = anvl.aval("f32")


@pytest.fixture(
    autouse=True, params=["cpu", pytest.param(NAME, marks=pytest.mark.sweep(keep=1, part=20))]
)
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    """The default device of all threads."""
    anvl.set_default_device(request.param)
    yield request.param
    anvl.set_default_device(None)


class Notes:
    """What a callback was given, call by call."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(self, x: Any) -> None:
        self.seen.append(x.tolist())

    def taken(self) -> list[Any]:
        found, self.seen = self.seen, []
        return found


note = Notes()


def failure(f: Any, *args: Any) -> anvl.CallbackError:
    with pytest.raises(anvl.CallbackError) as caught:
        f(*args)
    return caught.value


# -- values --------------------------------------------------------------------------------------


def test_a_pure_callback_computes_values() -> None:
    f = anvl.jit(lambda x: anvl.pure_callback(numpy.sort, x, -x) + 1)
    numpy.testing.assert_array_equal(f(numpy.array([1.0, 3.0, 2.0])), [-2.0, -1.0, 0.0])
    numpy.testing.assert_array_equal(anvl.pure_callback(numpy.sort, XS, -XS), [-2.0, -1.0, 0.0])


def test_a_callback_gets_its_arguments_in_their_structure() -> None:
    given = []

    def f(tree: Any, text: str, number: Any) -> Any:
        given.append((tree, text, number))
        return {"sum": tree["a"].sum() + number, "all": (tree["a"] > 0).all()}

    result = {"sum": SCALAR, "all": anvl.aval("bool")}
    jitted = anvl.jit(lambda x: anvl.callback(f, result, {"a": x, "b": None}, "text", 2))
    found = jitted(numpy.ones(3, "float32"))
    assert (float(found["sum"]), bool(found["all"])) == (5.0, True)
    ((tree, text, number),) = given
    assert type(tree["a"]) is numpy.ndarray and not tree["a"].flags.writeable
    assert (tree["b"], text, int(number)) == (None, "text", 2)


@pytest.mark.parametrize("dtype", ["bool", "int8", "ui64", "f16", "bf16", "f64", "c64", "int4"])
def test_arrays_of_every_dtype_go_there_and_back(dtype: str) -> None:
    x = np.asarray([1, 0, 1], dtype)

    @anvl.jit
    def f(x: Any) -> Any:
        flipped = anvl.pure_callback(lambda x: x[::-1], x, x)
        first = anvl.pure_callback(lambda x: x[0], anvl.aval(dtype), x)
        none = anvl.pure_callback(lambda x: x[:0], anvl.aval(dtype, (0, 2)), x[:0].reshape(0, 2))
        return flipped, first, none

    y, first, none = f(x)
    assert y.dtype == first.dtype == none.dtype == x.dtype
    numpy.testing.assert_array_equal(numpy.asarray(y), numpy.asarray(x)[::-1])
    assert (first.shape, first.item(), none.shape) == ((), 1, (0, 2))


def test_operands_are_copies_in_row_major_order() -> None:
    given: list[Any] = []
    x = numpy.arange(6.0).reshape(2, 3)
    f = anvl.jit(lambda x: anvl.callback(given.append, None, x.T + 0))
    for i in range(3):
        f(x + i)
    for i, seen in enumerate(given):
        numpy.testing.assert_array_equal(seen, (x + i).T)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (lambda x: x[:2], "the result is float32[2], and float32[3] is declared"),
        (lambda x: x + 1j, "the result is complex64[3], and float32[3] is declared"),
        (lambda x: (x, x), "the result has another structure"),
        (lambda x: None, "the result has another structure"),
        (lambda x: "text", "the result is <U4[], and float32[3] is declared"),
    ],
)
def test_what_a_callback_returns_must_fit_what_is_declared(returned: Any, said: str) -> None:
    error = failure(
        anvl.jit(lambda x: anvl.pure_callback(returned, x, x)), numpy.ones(3, "float32")
    )
    assert said in str(error) and isinstance(error.__cause__, TypeError)


@pytest.mark.parametrize(
    ("dtype", "value", "fits"),
    [
        ("i32", 2**40, False), ("int8", numpy.int64(-129), False), ("int8", -128, True),
        ("ui8", numpy.uint16(256), False), ("i64", numpy.uint64(2**63), False),
        ("int4", 8, False), ("int4", 7, True), ("ui4", numpy.uint8(15), True),
        ("f32", 1e300, False), ("f32", numpy.inf, True), ("f16", 2**20, False),
        ("f16", numpy.float32(65504), True), ("bf16", -1e39, False), ("c64", 1e300j, False),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_a_number_that_does_not_fit_is_an_error(dtype: str, value: Any, fits: bool) -> None:
    f = anvl.jit(lambda x: anvl.callback(lambda x: value, anvl.aval(dtype), x))
    if fits:
        assert f(1.0).item() == value
        return
    error = failure(f, 1.0)
    assert f"{value} does not fit" in str(error) and isinstance(error.__cause__, OverflowError)


def test_numbers_and_lower_kinds_take_the_declared_dtype() -> None:
    f = anvl.jit(lambda x: anvl.callback(lambda x: 3, anvl.aval("bf16"), x))
    assert f(1.0).dtype == np.asarray(1.0, "bf16").dtype and float(f(1.0)) == 3.0


# -- order, and how often ------------------------------------------------------------------------


def test_callbacks_are_made_in_order_at_each_run() -> None:
    @anvl.jit
    def f(x: Any) -> Any:
        anvl.callback(note, None, x)
        y = x * 2
        anvl.callback(note, None, y)
        return y

    f(1.0)
    f(2.0)
    assert note.taken() == [1.0, 2.0, 2.0, 4.0]
    numpy.testing.assert_allclose(anvl.grad(f)(3.0), 2.0)
    assert note.taken() == [3.0, 6.0]
    anvl.jit(lambda x: anvl.jvp(f, (x,), (1.0,)))(3.0)
    assert note.taken() == [3.0, 6.0]
    _, pullback = anvl.vjp(f, 3.0)
    assert note.taken() == [3.0, 6.0]
    pullback(1.0)
    assert note.taken() == []
    anvl.vmap(f)(XS)
    assert note.taken() == [0.0, 1.0, 2.0, 0.0, 2.0, 4.0]
    anvl.vmap(anvl.vmap(f))(numpy.arange(4.0).reshape(2, 2))
    assert note.taken() == [0.0, 1.0, 2.0, 3.0, 0.0, 2.0, 4.0, 6.0]


def counted(x: Any, n: Any) -> Any:
    def body(i: Any, x: Any) -> Any:
        anvl.callback(note, None, i)
        return x * 2

    return anvl.fori_loop(0, n, body, x)


def scanned(xs: Any) -> Any:
    def step(total: Any, x: Any) -> Any:
        anvl.callback(note, None, x)
        return total * x + x, total

    return anvl.scan(step, 0.0, xs)[0]


def chosen(x: Any) -> Any:
    def positive(x: Any) -> Any:
        anvl.callback(note, None, x)
        return x * x

    return anvl.cond(x > 0, positive, lambda x: -x, x)


def checkpointed(x: Any) -> Any:
    def f(x: Any) -> Any:
        anvl.callback(note, None, x)
        return np.sin(x) * x

    return anvl.checkpoint(f)(x)


@pytest.mark.parametrize(
    ("f", "args", "seen"),
    [
        (counted, (1.0, 3), [0, 1, 2]),
        (scanned, (XS,), [0.0, 1.0, 2.0]),
        (chosen, (2.0,), [2.0]),
        (chosen, (-2.0,), []),
        (checkpointed, (2.0,), [2.0]),
    ],
    ids=["while", "scan", "taken", "not-taken", "checkpoint"],
)
def test_in_control_flow_and_its_derivatives_a_callback_is_made_once(
    f: Any, args: Any, seen: Any
) -> None:
    value = anvl.jit(f)(*args)
    assert note.taken() == seen
    found, _ = anvl.jit(anvl.value_and_grad(f))(*args)
    assert note.taken() == seen
    numpy.testing.assert_allclose(found, value, rtol=1e-6)


def test_a_second_derivative_makes_a_callback_once() -> None:
    anvl.jit(anvl.hessian(scanned))(XS)
    assert note.taken() == [0.0, 1.0, 2.0]


def test_members_of_a_batch_make_callbacks_in_their_own_steps_and_branches_alone() -> None:
    loops = anvl.jit(anvl.vmap(counted))
    numpy.testing.assert_array_equal(loops(numpy.ones(2), numpy.array([2, 4])), [4.0, 16.0])
    assert note.taken() == [0, 1, 0, 1, 2, 3]
    same = anvl.jit(anvl.vmap(counted, in_axes=(0, None)))
    numpy.testing.assert_array_equal(same(numpy.ones(2), 2), [4.0, 4.0])
    assert note.taken() == [0, 1]
    numpy.testing.assert_array_equal(anvl.vmap(chosen)(numpy.array([2.0, -1.0, 3.0])), [4, 1, 9])
    assert note.taken() == [2.0, 3.0]
    slopes = anvl.vmap(anvl.grad(scanned))(numpy.arange(6.0).reshape(2, 3))
    numpy.testing.assert_allclose(slopes[1], anvl.grad(scanned)(numpy.arange(3.0, 6.0)))
    assert note.taken() == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0, 3.0, 4.0, 5.0]
    empty = anvl.vmap(chosen)(numpy.zeros(0))
    assert empty.shape == (0,) and note.taken() == []


def test_a_loop_whose_condition_has_an_effect() -> None:
    def cond(x: Any) -> Any:
        anvl.callback(note, None, x)
        return x < 5

    f = anvl.jit(anvl.vmap(lambda x: anvl.while_loop(cond, lambda x: x * 2, x)))
    numpy.testing.assert_array_equal(f(numpy.array([1.0, 4.0])), [8.0, 8.0])
    # The first condition is that of all members; then each runs its loop to its end.
    assert note.taken() == [1.0, 4.0, 2.0, 4.0, 8.0, 8.0]


def test_how_a_pure_callback_is_batched() -> None:
    shapes: list[Any] = []

    def f(x: Any) -> Any:
        shapes.append(x.shape)
        return -x

    xs = numpy.arange(6.0).reshape(2, 3)
    for method, wanted in (("sequential", [(3,), (3,)]), ("broadcast", [(2, 3)])):
        one = anvl.vmap(lambda x, m=method: anvl.pure_callback(f, x, x, vmap_method=m))
        numpy.testing.assert_array_equal(one(xs), -xs)
        assert shapes == wanted
        shapes.clear()


def test_a_pure_callback_is_made_once_for_equal_calls_and_not_without_a_use() -> None:
    calls: list[int] = []

    def f(x: Any) -> Any:
        calls.append(1)
        return x

    def both(x: Any) -> Any:
        anvl.pure_callback(f, x, -x)
        return anvl.pure_callback(f, x, x) + anvl.pure_callback(f, x, x)

    assert float(anvl.jit(both)(numpy.float32(2))) == 4.0
    assert calls == [1]


def test_results_of_an_ordered_callback_differ_from_call_to_call() -> None:
    count = iter(range(100))

    def f(_: Any) -> Any:
        return numpy.float32(next(count))

    g = anvl.jit(lambda x: [anvl.callback(f, SCALAR, x) for _ in range(3)])
    assert [float(y) for y in g(1.0)] == [0.0, 1.0, 2.0]

    def h(x: Any) -> Any:
        return anvl.callback(f, SCALAR, anvl.stop_gradient(x)) * np.sin(x)

    numpy.testing.assert_allclose(anvl.grad(h)(0.0), 3.0)
    assert next(count) == 4
    with pytest.raises(anvl.PassError, match=r"computes the results of the callback f at .* again"):
        anvl.grad(anvl.checkpoint(h))(0.0)


def test_a_callback_has_no_derivative() -> None:
    def f(x: Any) -> Any:
        return anvl.pure_callback(numpy.sin, x, x)

    said = "no derivative of the Python function sin; give one with anvl.custom_jvp"
    for derivative in (anvl.grad(f), lambda x: anvl.jvp(f, (x,), (x,))):
        with pytest.raises(anvl.MissingRule, match=said):
            derivative(np.asarray(1.0))
    ruled = anvl.custom_jvp(f)
    ruled.defjvp(lambda xs, ts: (ruled(*xs), np.cos(xs[0]) * ts[0]))
    numpy.testing.assert_allclose(anvl.grad(ruled)(np.asarray(1.0)), numpy.cos(1.0), rtol=1e-6)


def test_the_rule_of_a_derivative_may_print_what_it_gets(capsys: Any) -> None:
    @anvl.custom_vjp
    def f(x: Any) -> Any:
        return np.exp(x)

    def backward(y: Any, g: Any) -> Any:
        anvl.debug.print("cotangent {g}", g=g)
        return (y * g,)

    f.defvjp(lambda x: (np.exp(x), np.exp(x)), backward)
    f(1.0)
    assert capsys.readouterr().out == ""
    numpy.testing.assert_allclose(anvl.grad(lambda x: f(x) * 3)(1.0), 3 * numpy.e, rtol=1e-6)
    assert capsys.readouterr().out == "cotangent 3.0\n"
    anvl.grad(lambda x: anvl.fori_loop(0, 2, lambda i, x: f(x) * 0.5, x))(0.0)
    assert capsys.readouterr().out.count("cotangent") == 2


# -- errors --------------------------------------------------------------------------------------


def bad(x: Any) -> Any:
    raise ValueError("not this")


@pytest.mark.parametrize("shape", [(), (600, 600)], ids=["inline", "asynchronous"])
def test_what_a_callback_raises_is_the_cause_of_an_error_at_the_call(shape: Any) -> None:
    x = numpy.ones(shape, "float32")
    for f in (
        lambda x: anvl.callback(bad, None, (x @ x).sum() if shape else x),
        lambda x: anvl.pure_callback(bad, x, x),
    ):
        error = failure(anvl.jit(f), x)
        assert re.match(
            rf"bad at {re.escape(__file__)}:\d+: raised ValueError: not this", str(error)
        )
        assert isinstance(error.__cause__, ValueError)
        frames = error.__cause__.__traceback__
        assert frames is not None
        while frames.tb_next is not None:
            frames = frames.tb_next
        assert frames.tb_frame.f_code is bad.__code__
    assert float(anvl.jit(lambda x: x.sum())(x)) == x.sum()  # the process goes on
    with pytest.raises(ValueError, match="not this"):
        anvl.callback(bad, None, x)


def test_interrupts_in_a_callback_stay_what_they_are() -> None:
    def interrupted(x: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        anvl.jit(lambda x: anvl.callback(interrupted, None, x))(1.0)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: anvl.callback(3, None, XS), TypeError, "callback: takes a function, got 3"),
        (lambda: anvl.callback(note, 3, XS), TypeError, "callback: result of Notes has 3 of type"),
        (
            lambda: anvl.pure_callback(note, XS, XS, vmap_method="all"),
            ValueError,
            "vmap_method is 'all'; it must be 'sequential' or 'broadcast'",
        ),
        (lambda: anvl.debug.print("{x}"), ValueError, "debug.print: the message '{x}' shows x"),
        (lambda: anvl.debug.print("{x:q}", x=1.0), ValueError, "Unknown format code 'q'"),
    ],
)  # fmt: skip
def test_what_is_refused(call: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        call()


# -- printing, threads, stages -------------------------------------------------------------------


def test_print_shows_values_at_each_run(capsys: Any) -> None:
    @anvl.jit
    def f(x: Any) -> Any:
        anvl.debug.print("{name} is {x:.1f}, {{}}", x=x, name="x {}")
        return x

    f(1.25)
    f(2.0)
    assert capsys.readouterr().out == "x {} is 1.2, {}\nx {} is 2.0, {}\n"
    anvl.vmap(f)(XS)
    assert capsys.readouterr().out == "".join(f"x {{}} is {x:.1f}, {{}}\n" for x in XS)
    anvl.debug.print("{x}", x=XS)
    assert capsys.readouterr().out == "[0. 1. 2.]\n"


def test_print_takes_values_without_names(capsys: Any) -> None:
    f = anvl.jit(lambda x: anvl.debug.print("{} {:.2f} {y} {}", x, 2 * x, "s", y=x, ordered=True))
    f(1.5)
    anvl.debug.print("{1} {0}", 1, np.arange(2))
    assert capsys.readouterr().out == "1.5 3.00 1.5 s\n[0 1] 1\n"


def test_effects_before_and_after_a_check_that_fails_happen(capsys: Any) -> None:
    @anvl.jit
    def f(x: Any) -> Any:
        anvl.debug.print("before")
        anvl.check(x > 0, "x is {x}", x=x)
        anvl.debug.print("after")
        return x

    f(1.0)
    with pytest.raises(anvl.CheckError, match=r"x is -1\.0"):
        f(-1.0)
    assert capsys.readouterr().out == "before\nafter\n" * 2


def test_callbacks_may_use_anvl_and_come_from_many_threads() -> None:
    inner = anvl.jit(lambda x: np.sum(x @ x))
    f = anvl.jit(lambda x: anvl.callback(lambda x: inner(x), SCALAR, x @ x) + np.sum(x))
    x = numpy.ones((64, 64), "float32")
    wanted = float(numpy.sum((x @ x) @ (x @ x)) + x.sum())
    found: list[float] = []

    def run() -> None:
        found.extend(float(f(x)) for _ in range(4))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 16
    new = anvl.jit(lambda x: anvl.callback(lambda x: anvl.jit(lambda y: y * 3)(x), SCALAR, x))
    assert float(new(2.0)) == 6.0  # traced and compiled while the outer program runs


def test_equal_programs_with_other_functions_are_others() -> None:
    def with_function(f: Any) -> Any:
        return anvl.jit(lambda x: anvl.pure_callback(f, x, x))

    x = numpy.float32(2)
    assert float(with_function(lambda x: x + 1)(x)) == 3.0
    assert float(with_function(lambda x: x + 2)(x)) == 4.0


def test_every_way_to_run_a_program_makes_its_callbacks(capsys: Any) -> None:
    def f(x: Any) -> Any:
        anvl.debug.print("x is {x}", x=x)
        return np.log(x)

    compiled = anvl.jit(f).lower(1.0).compile()
    compiled(1.0)
    assert capsys.readouterr().out == "x is 1.0\n"
    with pytest.raises(anvl.NonFiniteError, match="log makes NaN"):
        anvl.jit(f, debug_nans=True)(-1.0)
    assert capsys.readouterr().out == "x is -1.0\n"  # once, although it runs twice more


def test_a_file_holds_what_is_printed_and_no_function(tmp_path: Any, capsys: Any) -> None:
    def f(x: Any) -> Any:
        anvl.debug.print("x is {x}", x=x)
        return x

    anvl.export(f, SCALAR).save(tmp_path / "f.anvl")
    anvl.load(tmp_path / "f.anvl")(np.asarray(2.0))
    assert capsys.readouterr().out == "x is 2.0\n"
    with pytest.raises(anvl.ExportError, match="calls the Python function Notes, which no file"):
        anvl.export(lambda x: anvl.callback(note, None, x), SCALAR)


def test_bools_of_other_bytes_are_true_as_in_numpy():
    mask = numpy.array([2, 0, 255], numpy.uint8).view(bool)
    found = anvl.jit(lambda: ~anvl.pure_callback(lambda: mask, anvl.aval("bool", (3,))))()
    assert found.tolist() == [False, True, False]
