"""Checks on a real plugin, which are values of the program; and callbacks where it takes none."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from plugin_files import NAME

import anvl
import anvl.runtime as rt
from anvl.dispatch.host_calls import check_place, host_calls
from anvl.dispatch.lowering import lower
from anvl.runtime.handlers import callback_turns


def doubled(x: Any, n: Any) -> Any:
    def body(i: Any, x: Any) -> Any:
        anvl.check(x < 100.0, "x is {x} in step {i}", x=x, i=i)
        return x * 2

    return anvl.fori_loop(0, n, body, x)


def test_checks_in_loops_batches_and_derivatives_are_made_on_a_plugin() -> None:
    with anvl.default_device(NAME):
        f = anvl.jit(anvl.vmap(anvl.grad(doubled)))
        x = anvl.device_put(np.ones(2, "float32"))
        np.testing.assert_array_equal(f(x, np.array([3, 5])), [8.0, 32.0])
        with pytest.raises(anvl.CheckError, match=r"x is 128\.0 in step 7.* member 1") as caught:
            f(x, np.array([3, 9]))
    assert caught.value.members == (1,)


def test_a_plugin_without_handlers_refuses_callbacks_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def noted(x: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(anvl.devices(NAME)[0].client, "python_target", None)
    with anvl.default_device(NAME):
        for f, name in (
            (lambda x: anvl.callback(noted, None, x), "noted"),
            (lambda x: anvl.pure_callback(noted, x, x), "noted"),
            (lambda x: anvl.debug.print("{x}", x=x), "debug.print"),
        ):
            with pytest.raises(anvl.RuntimeFailure, match=rf"callback: {name} at .* cannot be"):
                anvl.jit(f)(np.float32(1))


def test_a_gpu_refuses_callbacks_with_elements_of_four_bits() -> None:
    class Gpu:
        client = type("Client", (), {"python_target": "a_handler", "platform": "cuda"})
        devices = ("<CudaDevice(id=0)>",)

    for dtype in ("i4", "i8"):
        traced = anvl.jit(lambda x: anvl.pure_callback(np.negative, x, x)).trace(anvl.aval(dtype))
        lower(traced.program.module, [], rt.default_target())
        calls = host_calls(traced.program.module, traced.program.callbacks)
        if dtype == "i8":
            check_place(calls, Gpu())  # type: ignore[arg-type]
            continue
        with pytest.raises(anvl.RuntimeFailure, match=r"negative at .* takes or returns i4, whose"):
            check_place(calls, Gpu())  # type: ignore[arg-type]


def test_a_callback_runs_no_program_on_the_device_that_waits_for_it() -> None:
    weights = anvl.device_put(np.ones(64, "float32"), NAME)
    x = np.ones((64, 64), "float32")

    def summed(y: Any) -> Any:
        return anvl.callback(lambda y: (y * weights).sum(), anvl.aval("f32"), y @ y)

    def summed_elsewhere(y: Any) -> Any:
        def call(y: Any) -> Any:
            found = (anvl.device_put(y) * np.asarray(weights)).sum()
            assert found.device is anvl.devices("cpu")[0]
            return found

        return anvl.callback(call, anvl.aval("f32"), y @ y)

    with anvl.default_device(NAME):
        with pytest.raises(anvl.CallbackError, match="runs a program there, which would"):
            anvl.jit(summed)(x)
        assert float(anvl.jit(summed_elsewhere)(x)) == 64.0**3


def _waits_for_others(pool: ThreadPoolExecutor, g: Any) -> Any:
    """A program whose callback waits for another program, which another thread runs."""
    of = anvl.aval("f32")

    def called(x: Any) -> Any:
        return np.float32(pool.submit(lambda: float(g(x[0]))).result())

    return anvl.jit(lambda x: anvl.pure_callback(called, of, x) + 1)


_SIX_AT_ONCE = f"""
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import anvl

pool = ThreadPoolExecutor(32)
with anvl.default_device("{NAME}"):
    big = anvl.device_put(np.ones((300, 300), np.float32), "{NAME}")
    g = anvl.jit(lambda x: anvl.numpy.sum(x @ x))
    called = lambda x: np.float32(pool.submit(lambda: float(g(big))).result())
    f = anvl.jit(lambda x: anvl.pure_callback(called, anvl.aval("f32"), x) * 2)
    for _ in range(20):
        found = [pool.submit(lambda: float(f(big))) for _ in range(6)]
        assert [x.result() for x in found] == [float(g(big)) * 2] * 6
"""


def test_callbacks_that_wait_for_other_threads_leave_them_a_thread() -> None:
    """In a process of its own, which without turns waits for ever, on few cores."""
    subprocess.run([sys.executable, "-c", _SIX_AT_ONCE], check=True, timeout=90)


def test_a_callback_may_wait_for_a_callback_of_another_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(callback_turns, "_SECONDS", 0.2)
    monkeypatch.setattr(callback_turns, "_turns", threading.Semaphore(1))
    with anvl.default_device(NAME), ThreadPoolExecutor(8) as pool:
        big = anvl.device_put(np.ones((4, 4), np.float32), NAME)
        inner = anvl.jit(lambda x: anvl.pure_callback(lambda x: x.sum(), anvl.aval("f32"), x))
        f = _waits_for_others(pool, lambda x: inner(anvl.device_put(x, NAME)))
        with pytest.warns(anvl.CallbackWarning, match=r"waited 0.2 s for .* in callbacks") as said:
            assert float(f(big)) == 5
            assert float(f(big)) == 5  # the turns were given back
        assert {w.filename for w in said} == {__file__}
    assert callback_turns.take_turn() is not callback_turns._end_nothing


def test_a_callback_that_fails_ends_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callback_turns, "_turns", threading.Semaphore(1))
    with anvl.default_device(NAME):
        fails = anvl.jit(lambda x: anvl.callback(lambda x: 1 / 0, None, x))
        for _ in range(2):
            with pytest.raises(anvl.CallbackError):
                fails(1.0)
    assert callback_turns.take_turn() is not callback_turns._end_nothing


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises `KeyboardInterrupt`; what a shell starts with `&` ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_ends_the_program_at_its_next_callback() -> None:
    seen: list[int] = []
    interrupted_at = [2]

    def called(i: Any) -> None:
        seen.append(int(i))
        if i in interrupted_at:
            interrupted_at.clear()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)

    @anvl.jit
    def f(n: Any) -> Any:
        anvl.fori_loop(0, n, lambda i, x: (anvl.callback(called, None, i), x)[1], 0.0)

    with anvl.default_device(NAME):
        with pytest.raises(KeyboardInterrupt):
            f(100_000_000)
        assert seen[:3] == [0, 1, 2] and len(seen) < 10_000
        seen.clear()
        f(4)  # the program is whole
    assert seen == [0, 1, 2, 3]


def test_functions_live_as_long_as_their_program() -> None:
    class Function:
        def __call__(self, x: Any) -> Any:
            return x + 1

    function = Function()
    alive = weakref.ref(function)
    f: Any = anvl.jit(lambda x, called=function: anvl.pure_callback(called, x, x))
    with anvl.default_device(NAME):
        assert float(f(np.float32(1))) == 2.0
        del function
        gc.collect()
        assert float(f(np.float32(2))) == 3.0
    del f
    anvl.clear_caches()
    gc.collect()
    assert alive() is None
