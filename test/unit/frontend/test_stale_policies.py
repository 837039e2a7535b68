"""What a jitted function does about closed-over values that have changed: policies, messages, and
what is no such value."""

import functools
import gc
import operator
import re
import threading
import types
import warnings
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anvl
import anvl.captured.staleness
import anvl.numpy as anp
from anvl import StaleClosureError, StaleClosureWarning

X = np.float64(3.0)
HERE = re.escape(__file__)


def of(**values):
    return types.SimpleNamespace(**values)


def test_retrace_keeps_the_former_programs():
    state, table, traces = of(rate=2.0), np.ones(2), []

    @anvl.jit
    def f(x):
        traces.append(None)
        return anp.sum(x * state.rate * table)

    for value in (2.0, 3.0, 2.0, 3.0, 4.0, 2.0, 4.0, 3.0, 2.0):
        state.rate = value
        assert f(X) == 6 * value
    assert (len(traces), f.cache_size()) == (3, 3)


def test_after_three_traces_for_one_name_there_is_a_warning_and_no_more():
    state = of(rate=1.0, other=1.0)
    f = anvl.jit(lambda x: x * state.rate + state.other)
    for state.rate in (1.0, 2.0, 3.0, 4.0):
        assert f(X) == 3 * state.rate + 1
    state.rate = 5.0
    message = (
        rf"<lambda>: state.rate was 4.0 and is now 5.0 \(read at {HERE}:\d+\) since it was traced, "
        "after 3 traces for other values; this program keeps the old value, now and later: pass it"
    )
    with pytest.warns(StaleClosureWarning, match=message) as found:
        assert f(X) == 13
    assert found[0].filename == __file__
    state.rate = 6.0
    assert f(X) == 13
    state.other = 2.0  # another name is still traced for
    assert f(X) == 20
    f.clear_cache()
    state.rate = 1.0
    assert f(X) == 5
    state.rate = 2.0
    assert f(X) == 8


def test_three_changes_count_once_for_programs_of_several_shapes():
    state = of(rate=1.0)
    f = anvl.jit(lambda x: x * state.rate)
    for state.rate in (1.0, 2.0, 3.0, 4.0):
        for n in (1, 2, 3):
            np.testing.assert_array_equal(f(np.ones(n)), np.full(n, state.rate))


def test_warn():
    state = of(rate=1.0)
    f = anvl.jit(lambda x: x * state.rate, on_stale_closure="warn")
    assert f(X) == 3
    state.rate = 2.0
    with pytest.warns(StaleClosureWarning, match="state.rate was 1.0 and is now 2.0"):
        assert f(X) == 3
    state.rate = 3.0
    assert f(X) == 3  # warned of once
    assert f(np.float32(1)) == 3  # another program reads the value of its trace


def test_error():
    state = of(rate=1.0, table=np.ones(3))
    f = anvl.jit(lambda x: x * state.rate + state.table, on_stale_closure="error")
    f(X)
    state.rate = 2.0
    with pytest.raises(
        StaleClosureError, match=r"^<lambda>: state.rate was 1.0 and is now 2.0 "
    ) as e:
        f(X)
    assert (e.value.function, e.value.variables) == ("<lambda>", ("state.rate",))
    state.rate, state.table[0] = 1.0, 5
    with pytest.raises(StaleClosureError, match=r"table was \[1.0, 1.0, 1.0\] and is now \[5.0, "):
        f(X)
    state.table[0] = 1
    np.testing.assert_array_equal(f(X), [4, 4, 4])
    del state.rate
    with pytest.raises(StaleClosureError, match=r"state.rate was 1.0 and is now deleted"):
        f(X)


def test_off_and_the_setting():
    state = of(rate=1.0)

    def f(x):
        return x * state.rate

    off = anvl.jit(f, on_stale_closure="off")
    with anvl.config(on_stale_closure="error"):
        strict = anvl.jit(f)
        assert strict(X) == off(X) == 3
        state.rate = 2.0
        assert off(X) == 3
        with pytest.raises(StaleClosureError):
            strict(X)
    with anvl.config(on_stale_closure="off"):
        assert strict(X) == 3
    for wrong, error in (("never", ValueError), (True, TypeError)):
        with pytest.raises(error, match=f"jit: on_stale_closure must be .*'off', got {wrong!r}"):
            anvl.jit(f, on_stale_closure=wrong)


def test_a_deleted_variable_is_missing_as_in_the_plain_function():
    state = of(rate=1.0)
    f = anvl.jit(lambda x: x * state.rate)
    f(X)
    del state.rate
    for _ in range(2):
        with pytest.raises(AttributeError, match="rate"):
            f(X)
    state.rate = 1.0
    assert f(X) == 3 and f.cache_size() == 1


class ImpureModel:
    """The model of the seed documents: an environment that its method updates."""

    def __init__(self, beta):
        self.beta = beta
        self.rate = 0.1

    def grad_step(self, slope):
        self.beta = self.beta - slope * self.rate
        return self.beta


def test_what_the_trace_itself_changes_is_left_out_with_one_warning():
    model = ImpureModel(np.zeros(3))
    step, slope = anvl.jit(model.grad_step), np.ones(3)
    message = (
        rf"grad_step: changes self.beta while it is traced \(read at {HERE}:\d+\); calls of the "
        "compiled program change nothing: take the old value as an argument, and return the new one"
    )
    with pytest.warns(StaleClosureWarning, match=message):
        np.testing.assert_allclose(step(slope), -0.1)
    np.testing.assert_allclose(step(slope), -0.1)
    model.beta = np.ones(3)
    np.testing.assert_allclose(step(slope), -0.1)
    assert step.cache_size() == 1
    model.beta, model.rate = np.zeros(3), 0.5  # the rest is still found
    np.testing.assert_allclose(step(slope), -0.5)  # without another warning


def test_a_replaced_program_leaves_the_order_of_eviction():
    state, traces = of(rate=1.0), []

    @functools.partial(anvl.jit, cache_size=2)
    def f(x):
        traces.append(None)
        return x * state.rate

    for state.rate in (1.0, 2.0, 3.0):
        assert f(X) == f(X) == 3 * state.rate
    assert len(traces) == 3
    assert f(np.ones(1)) == 3 and f(X) == 9 and f(np.ones(1)) == 3
    assert len(traces) == 4


def test_two_uses_of_an_array_see_one_value():
    table = np.ones(3)

    @functools.partial(anvl.jit, on_stale_closure="off")
    def twice(x):
        first = x + table
        table[:] = 5.0
        return first, x + table

    for found in twice(X):
        np.testing.assert_array_equal(found, [4, 4, 4])


def test_inside_another_jit_the_outer_policy_holds():
    state = of(rate=1.0)
    inner = anvl.jit(lambda x: x * state.rate, on_stale_closure="off")
    outer = anvl.jit(lambda x: inner(x))
    assert outer(X) == 3
    state.rate = 2.0
    assert outer(X) == 6


def test_debug_nans_too():
    state = of(rate=1.0)
    f = anvl.jit(lambda x: x * state.rate, debug_nans=True)
    assert f(X) == 3
    state.rate = 2.0
    assert f(X) == 6


def test_remembered_objects_live_as_long_as_the_program():
    class Holder:
        def __init__(self):
            self.scale = 2.0

    def make():
        holder = Holder()
        f = anvl.jit(lambda x: x * holder.scale)
        f(X)
        return f, weakref.ref(holder)

    f, ref = make()
    gc.collect()
    assert ref() is not None
    del f
    gc.collect()
    assert ref() is None


def test_a_dropped_cache_forgets_what_was_replaced():
    state = of(table=np.ones(2000))
    ref = weakref.ref(state.table)
    f = anvl.jit(lambda x: anp.sum(x + state.table))
    f(X)
    state.table = np.zeros(2000)
    f(X)
    gc.collect()
    assert ref() is None  # the former program does not hold it


def test_threads_that_find_one_change_count_it_once():
    state = of(rate=1.0)
    f = anvl.jit(lambda x: x * state.rate)
    f(X)
    for state.rate in (2.0, 3.0, 4.0):
        barrier, found = threading.Barrier(12), []

        def call(barrier=barrier, found=found):
            barrier.wait()
            found.append(float(f(X)))

        threads = [threading.Thread(target=call) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [3 * state.rate] * 12


VALUES = st.sampled_from((1.0, 2.0, 3, True))


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), VALUES), max_size=6))
def test_any_changes_give_the_plain_functions_result(changes):
    number = 1.0
    model = of(scale=1.0, inner=of(w=[1.0, 2.0]), table=np.ones(2))
    items = {"a": 1.0, "b": (2.0, [3.0])}

    def set_number(value):
        nonlocal number
        number = value

    ways = [
        set_number,
        lambda v: setattr(model, "scale", v),
        lambda v: operator.setitem(model.inner.w, 0, v),
        lambda v: setattr(model, "inner", of(w=[v])),
        lambda v: operator.setitem(model.table, 0, v),
        lambda v: setattr(model, "table", np.asarray([v, 1.0])),
        lambda v: operator.setitem(items, "a", v),
        lambda v: operator.setitem(items["b"][1], 0, v),
        lambda v: items.update(b=(v, [v])),
    ]

    def f(x):
        y = x * number + model.scale * sum(model.inner.w)
        return y + anp.sum(anp.asarray(model.table)) * items["a"] + items["b"][0] * items["b"][1][0]

    jitted = anvl.jit(f)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        patch.setattr(anvl.captured.staleness, "_MOST_RETRACES", 100)
        assert jitted(X) == f(X)
        for way, value in changes:
            ways[way](value)
            assert jitted(X) == f(X)
