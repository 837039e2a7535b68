"""Checks on a real plugin, which are values of the program; and callbacks where it takes none."""

import gc
import os
import signal
import time
import weakref
from typing import Any

import numpy as np
import pytest
from plugin_files import NAME

import anvl
import anvl.runtime as rt
from anvl.dispatch.host_calls import check_place, host_calls
from anvl.dispatch.lowering import lower


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
