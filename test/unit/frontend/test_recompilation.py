"""Why a program was compiled: what `cache_info`, the log, blocks and the warning say."""

import asyncio
import collections
import dataclasses
import functools
import gc
import inspect
import logging
import os
import re
import threading
import weakref

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
import anvl.runtime as rt

X = np.ones(3, np.float32)
W = {"w": X}


def scaled(params, x=1.0, *rest, n=2):
    return params["w"] * x * n


@pytest.fixture(scope="module")
def elsewhere():
    """The same array on two devices."""
    first, second = rt.cpu_client(2).devices
    return [{"w": rt.put(X, of.placement)} for of in (first, second)]


def the_miss(first, second, f=scaled, **given):
    """The record of the second call."""
    jitted = anvl.jit(f, **given)
    for call in (first, second):
        call(jitted)
    info = jitted.cache_info()
    assert (info.compiled, len(info.misses)) == (2, 2)
    return info.misses[1]


@pytest.mark.parametrize(
    ("first", "second", "static", "reason", "path", "said"),
    [
        (
            lambda f: f(W), lambda f: f({"w": np.ones(4, np.float32)}), None,
            "shape", "params['w']", "params['w'] was f32[3] and is f32[4]",
        ),
        (
            lambda f: f(W), lambda f: f({"w": X.astype(np.int8)}), None,
            "dtype", "params['w']", "params['w'] was f32[3] and is i8[3]",
        ),
        (
            lambda f: f(W, 2.0), lambda f: f(W, np.float32(2)), None,
            "weak type", "x", "x was f32?[] (a Python number) and is f32[] (an array)",
        ),
        (
            lambda f: f(W), lambda f: f(W, X), None,
            "structure", "x", "x is new, f32[3]",
        ),
        (
            lambda f: f({"w": X, "b": [X, X]}), lambda f: f({"w": X, "b": [X]}), None,
            "structure", "params['b'][1]", "params['b'][1] is missing, it was f32[3]",
        ),
        (
            lambda f: f({"w": X, "b": [X]}), lambda f: f({"w": X, "b": (X,)}), None,
            "structure", "params['b']", "params['b'] was list of 1 and is tuple of 1",
        ),
        (
            lambda f: f(W), lambda f: f(W, n=3), ("n",),
            "static value", "n", "n was its default and is 3",
        ),
        (
            lambda f: f(W, 1, n=4), lambda f: f(W, 1, n=4.0), ("n",),
            "static value", "n", "n was 4 and is 4.0",
        ),
        (
            lambda f: f(W, 3), lambda f: f(W, 4), 1,
            "static value", "x", "x was 3 and is 4",
        ),
        (
            lambda f: f(W, X, X), lambda f: f(W, X, X[:1]), None,
            "shape", "arg2", "arg2 was f32[3] and is f32[1]",
        ),
    ],
)  # fmt: skip
def test_a_miss_names_the_argument_that_differs(first, second, static, reason, path, said):
    miss = the_miss(first, second, static=static)
    assert (miss.reason, miss.path, str(miss.differences[0])) == (reason, path, said)
    assert len(miss.differences) == 1
    assert str(miss).startswith(f"scaled at {__file__}:") and str(miss).endswith(said)
    assert miss.trace_seconds > 0 and miss.compile_seconds > 0


def test_another_device(elsewhere):
    here, there = elsewhere
    miss = the_miss(lambda f: f(here), lambda f: f(there))
    assert (miss.reason, miss.path) == ("device", "params['w']")
    assert str(miss.differences[0]) == (
        "params['w'] was on <CpuDevice(id=0)> and is on <CpuDevice(id=1)>"
    )


def test_an_argument_in_another_way():
    def f(*args, **kwargs):
        return scaled(*args, **kwargs)

    f.__signature__ = inspect.signature(scaled)
    miss = the_miss(lambda f: f(W, X), lambda f: f(W, x=X), f)
    assert (miss.reason, str(miss.differences[0])) == (
        "structure", "x was passed by position and is passed by keyword"
    )  # fmt: skip
    miss = the_miss(lambda f: f(1.0), lambda f: f(), lambda *args: 2.0)
    assert str(miss.differences[0]) == "arg0 is missing, it was f32?[]"


def test_another_setting():
    def in_f64(f):
        with anvl.defaults(float="f64"):
            f(W)

    miss = the_miss(lambda f: f(W), in_f64)
    assert (miss.reason, miss.path) == ("setting", "config.default_float")
    assert str(miss).endswith("config.default_float was f32 and is f64")


def test_a_captured_value_that_changed():
    rate = 0.5
    f = anvl.jit(lambda x: x * rate)
    f(X)
    rate = 0.25
    f(X)
    miss = f.cache_info().misses[-1]
    assert (miss.reason, miss.path) == ("captured value", "rate")
    assert str(miss).endswith("rate was 0.5 and is 0.25")
    rate = 0.5
    f(X)
    assert f.cache_info().compiled == 2


def test_where_is_the_line_of_the_call():
    f = anvl.jit(scaled)
    f(W)
    line = inspect.currentframe().f_lineno - 1
    (miss,) = f.cache_info().misses
    assert (miss.reason, miss.where, miss.nearest) == ("first call", f"{__file__}:{line}", None)
    assert miss.path == "" and str(miss).endswith("its first call")


def test_the_nearest_call_is_the_one_with_the_fewest_differences():
    f = anvl.jit(scaled, static="n")
    f(W, X)
    f({"w": X, "b": X}, X)
    f({"w": X.astype(np.int8)}, X.astype(np.int8))
    f({"w": X}, np.ones(1, np.float32))
    miss = f.cache_info().misses[-1]
    assert [d.path for d in miss.differences] == ["x"]
    assert miss.nearest == ("params['w']: f32[3]", "x: f32[3]")
    f({"w": X.astype(np.int8)}, X.astype(np.int8), n=5)
    miss = f.cache_info().misses[-1]
    assert [d.path for d in miss.differences] == ["n"]
    assert miss.nearest == ("params['w']: i8[3]", "x: i8[3]")
    f({"w": X.astype(np.int8)}, X.astype(np.int8), n=6)
    assert f.cache_info().misses[-1].nearest == ("params['w']: i8[3]", "x: i8[3]", "n=5")


def test_many_differences_are_cut_and_all_kept_as_data():
    f = anvl.jit(lambda xs: sum(xs))
    f([X] * 6)
    f([X[:2]] * 6)
    miss = f.cache_info().misses[-1]
    assert len(miss.differences) == 6
    assert str(miss).endswith("xs[2] was f32[3] and is f32[2]; and 3 more")


def test_a_long_static_value_is_cut():
    f = anvl.jit(lambda x, names: x, static="names")
    f(X, "a" * 1000)
    f(X, "b" * 1000)
    assert len(str(f.cache_info().misses[-1].differences[0])) < 200


class Nameless:
    """Equal to all of its class, with a `repr` that fails."""

    def __repr__(self):
        raise ZeroDivisionError

    def __eq__(self, other):
        return type(other) is Nameless

    def __hash__(self):
        return 0


@functools.partial(anvl.tree.register_dataclass, data_fields=["x"], meta_fields=["name"])
@dataclasses.dataclass
class Labelled:
    x: object
    name: object


def test_a_repr_that_fails_is_never_noticed():
    f = anvl.jit(lambda x, name: anvl.tree.leaves(x)[0], static="name")
    f(X, Nameless())
    f(X, 2)
    assert "Nameless instance" in f.cache_info().misses[-1].differences[0].before
    f(Labelled(X, Nameless()), 2)
    f(Labelled(X[:2], Nameless()), 2)
    assert str(f.cache_info().misses[-1]).endswith("x.x was f32[3] and is f32[2]")


def test_dropped_and_cleared_programs():
    f = anvl.jit(lambda x: x + 1, cache_size=1)
    for n in (1, 2, 1):
        f(np.ones(n))
    f.clear_cache()
    f(np.ones(1))
    f.clear_cache()
    anvl.clear_caches()
    f(np.ones(1))
    info = f.cache_info()
    assert [m.reason for m in info.misses] == [
        "first call", "shape", "dropped", "cleared", "cleared",
    ]  # fmt: skip
    assert (info.programs, info.max_programs, info.compiled) == (1, 1, 5)
    assert "beyond cache_size" in str(info.misses[2])
    assert str(info).startswith("1 program of at most 1, 5 compiled: trace ")
    assert str(info).count("\n") == 5
    assert info.trace_seconds == pytest.approx(sum(m.trace_seconds for m in info.misses))


def test_calls_that_fail_are_none():
    f = anvl.jit(lambda x: x.reshape(7))
    with pytest.raises(ValueError):
        f(X)
    assert f.cache_info() == (0, 1024, 0, 0.0, 0.0, ())


def test_hits_and_nested_calls_are_none():
    inner = anvl.jit(lambda x: x + 1)
    outer = anvl.jit(lambda x: inner(x) * inner(x))
    for _ in range(3):
        outer(X)
        outer(x=X)
    assert outer.cache_info().compiled == 1 and inner.cache_info().compiled == 0


def test_only_the_latest_are_kept():
    f = anvl.jit(lambda x, n: x, static="n")
    with pytest.warns(anvl.RecompilationWarning):
        for n in range(70):
            f(X, n)
    info = f.cache_info()
    assert (info.compiled, len(info.misses)) == (70, 64)
    assert info.misses[0].differences[0].now == "6"


@pytest.mark.parametrize("make", [lambda f: f, lambda f: anvl.jit(f, debug_nans=True)])
def test_methods_callables_and_debug_nans_have_it(make):
    class Model:
        def __init__(self, k):
            self.k = k

        def __call__(self, x):
            return x * self.k

        @anvl.jit(static=0)
        def method(self, x):
            return x

    f = anvl.jit(Model(2), debug_nans=make is not None)
    f(X)
    assert f.cache_info().misses[0].function == "Model"
    assert Model.method.cache_info().compiled == 0


# -- blocks ----------------------------------------------------------------------------------------


def test_a_block_with_the_expected_number_passes():
    f = anvl.jit(lambda x: x + 1)
    with anvl.expect_compiles(2) as misses:
        for n in (1, 2, 1, 2):
            f(np.ones(n))
    assert [m.reason for m in misses] == ["first call", "shape"]
    with anvl.expect_compiles(0):
        f(np.ones(1))


def test_too_many_are_listed_with_their_reasons():
    f = anvl.jit(lambda x: x + 1)
    with pytest.raises(anvl.CompileCountError) as caught, anvl.expect_compiles(1):
        for n in (1, 2):
            f(np.ones(n))
    head, first, second = str(caught.value).splitlines()
    assert head == "expect_compiles: expected 1 program, compiled 2"
    assert first.endswith("its first call") and second.endswith("x was f64[1] and is f64[2]")
    assert isinstance(caught.value, AssertionError)
    assert caught.value.expected == 1 and len(caught.value.misses) == 2


def test_too_few_say_what_to_do():
    f = anvl.jit(lambda x: x + 1)
    f(X)
    with pytest.raises(anvl.CompileCountError, match=r"compiled 0; .*f\.clear_cache\(\)"):
        with anvl.expect_compiles(1):
            f(X)


def test_blocks_nest_and_may_end_in_any_order():
    f = anvl.jit(lambda x: x + 1)
    with anvl.expect_compiles(3):
        f(np.ones(1))
        with anvl.expect_compiles(2):
            f(np.ones(2))
            with anvl.expect_compiles(1):
                f(np.ones(3))
    one, two = anvl.expect_compiles(1), anvl.expect_compiles(2)
    with one, two:
        f(np.ones(4))
        one.__exit__(None, None, None)
        f(np.ones(5))


def test_a_block_sees_its_own_thread():
    f = anvl.jit(lambda x: x + 1)

    def in_thread():
        f(np.ones(1))

    with anvl.expect_compiles(1):
        thread = threading.Thread(target=in_thread)
        thread.start()
        thread.join()
        f(np.ones(2))


def test_a_block_sees_its_own_task():
    f = anvl.jit(lambda x: x + 1)

    async def one(n, count):
        with anvl.expect_compiles(count):
            await asyncio.sleep(0)
            f(np.ones(n))
            await asyncio.sleep(0)

    async def both():
        await asyncio.gather(one(1, 1), one(2, 1))

    asyncio.run(both())


def test_an_error_in_the_block_is_not_replaced():
    f = anvl.jit(lambda x: x.reshape(7))
    with pytest.raises(ValueError, match="reshape"), anvl.expect_compiles(1):
        f(X)
    with anvl.expect_compiles(0):
        pass


def test_single_operations_do_not_count_and_transformed_functions_do():
    slope = anvl.grad(lambda x: anp.sum(x * x))
    with anvl.expect_compiles(2) as misses:
        x = anp.ones(17) + anp.arange(17.0)
        slope(x)
        slope(x)
    assert {m.reason for m in misses} == {"outside of jit"}


@pytest.mark.parametrize(
    ("count", "error"), [(-1, ValueError), (1.0, TypeError), (True, TypeError), ("1", TypeError)]
)
def test_a_count_is_a_number_of_programs(count, error):
    with pytest.raises(error, match=r"expect_compiles: count must be"):
        anvl.expect_compiles(count)


def test_a_block_is_entered_once():
    block = anvl.expect_compiles(0)
    with block, pytest.raises(ValueError, match="make one for each block"):
        block.__enter__()


# -- the log ---------------------------------------------------------------------------------------


def test_the_log_has_a_line_for_each_program(caplog):
    f = anvl.jit(lambda x: x + 1)
    f(np.ones(1))
    with caplog.at_level(logging.INFO, "anvl.jit"), anvl.config(explain_cache_misses=True):
        f(np.ones(1))
        f(np.ones(2))
        f(np.ones(3))
        anp.ones(19) + 1
    first, second = (record.getMessage() for record in caplog.records)
    assert "x was f64[1] and is f64[2] (trace 0." in first and "compile 0." in second
    f(np.ones(4))
    assert len(caplog.records) == 2
    assert {record.name for record in caplog.records} == {"anvl.jit"}


# -- the warning -----------------------------------------------------------------------------------

Case = collections.namedtuple("Case", "call static said")


@pytest.mark.parametrize(
    "case",
    [
        Case(
            lambda f, i: f(np.ones(i)), None,
            r"f: compiled 17 times from \S+:\d+: x differed in shape 16 times, the last time x was "
            r"f64\[15\] and is f64\[16\]; pad x",
        ),
        Case(lambda f, i: f(X, i), "n", "n differed in static value 16 times.*pass n as an array"),
        Case(
            lambda f, i: f({f"k{i}": X}), None,
            "x differed in structure 16 times, the last time x.'k16'. is new.*same containers",
        ),
    ],
)  # fmt: skip
def test_many_programs_from_one_place_are_one_warning(case, recwarn):
    def f(x, n=0):
        return anvl.tree.leaves(x)[0] + n

    jitted = anvl.jit(f, static=case.static)
    for i in (*range(16), *range(16), *range(16, 20)):
        case.call(jitted, i)
        assert len(recwarn) == (i > 15)
    assert re.search(case.said, str(recwarn[0].message)) and recwarn[0].filename == __file__
    assert recwarn[0].category is anvl.RecompilationWarning


def test_a_warning_that_is_an_error_leaves_the_program():
    f = anvl.jit(lambda x: x + 1)
    with pytest.raises(anvl.RecompilationWarning):
        for i in range(20):
            f(np.ones(i))
    with anvl.expect_compiles(0):
        assert f(np.ones(16)).shape == (16,)


@pytest.mark.parametrize("size", [lambda i: 3, lambda i: i])
def test_one_first_call_of_many_threads_is_no_warning(size, monkeypatch, recwarn):
    monkeypatch.setattr("anvl.recompilation.misses._MANY", 3)
    together, n = threading.Barrier(6), 6

    def f(x):
        together.wait(60)  # all are traced before one is compiled
        return x + 1

    jitted, found = anvl.jit(f), []
    calls = [
        threading.Thread(target=lambda i=i: found.append(jitted(np.ones(size(i)))))
        for i in range(n)
    ]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert (len(found), jitted.cache_size(), len(recwarn)) == (
        n,
        len({size(i) for i in range(n)}),
        0,
    )


def test_programs_from_many_places_are_no_warning():
    f = anvl.jit(lambda x: x + 1)
    for i in range(10):
        f(np.ones(i))
    for i in range(10, 20):
        f(np.ones(i))
    assert f.cache_size() == 20


def test_an_eager_operation_has_no_warning():
    for i in range(20):
        anp.flip(np.ones(i))


def test_a_function_that_is_gone_leaves_nothing(monkeypatch):
    """A hook for forks, such as a lock of its own would have, would stay."""
    hooks = []
    monkeypatch.setattr(os, "register_at_fork", lambda **given: hooks.append(given))
    jitted = anvl.jit(lambda x: x + 1)
    jitted(X)
    log = weakref.ref(jitted.lower.__self__.misses)
    del jitted
    gc.collect()
    assert hooks == [] and log() is None
