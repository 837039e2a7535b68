"""The dtypes that Python numbers get: set for a while, for good, or from the environment."""

import asyncio
import contextvars
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.runtime import dispatch


def test_defaults_hold_inside_of_a_with_block():
    with anvl.defaults(float="f64", int="i64"):
        assert anp.zeros(2).dtype == np.float64
        assert anp.arange(3).dtype == np.int64
        assert anp.asarray([1.5]).dtype == np.float64
    assert anp.zeros(2).dtype == np.float32


def test_defaults_come_back_after_an_error():
    with pytest.raises(RuntimeError), anvl.defaults(float="f64"):
        raise RuntimeError
    assert anp.zeros(2).dtype == np.float32


def test_a_compiled_function_is_compiled_anew_under_other_defaults_and_found_again():
    calls = []

    @anvl.jit
    def f(x):
        calls.append(x)
        return anp.sin(x)

    x = anp.asarray([1, 2])
    assert f(x).dtype == f(x).dtype == np.float32
    with anvl.defaults(float="f64"):
        assert f(x).dtype == f(x).dtype == np.float64
    assert f(x).dtype == f(x).dtype == np.float32
    with anvl.defaults(float="f64"):
        assert f(x).dtype == np.float64
    assert len(calls) == 2


def test_operators_of_arrays_follow_the_defaults():
    x = anp.asarray([1, 2])
    assert (x / x).dtype == np.float32
    with anvl.defaults(float="f64"):
        assert (x / x).dtype == np.float64
        assert (x + 0.5).dtype == np.float64
    assert (x / x).dtype == (x + 0.5).dtype == np.float32


def dtypes():
    """What a warm operator, a warm jitted function and a literal give here."""
    return {(INTEGERS / INTEGERS).dtype.name, ratio(INTEGERS).dtype.name, anp.zeros(1).dtype.name}


INTEGERS = anp.asarray([1, 2])
ratio = anvl.jit(lambda x: x / x)


def test_defaults_of_a_block_are_seen_by_no_other_thread():
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(dtypes())) for _ in range(2)]
    dtypes()
    with anvl.defaults(float="f64"):
        dtypes()
        for thread in threads:
            thread.start()
            thread.join()
        assert dtypes() == {"float64"}
    assert seen == [{"float32"}, {"float32"}]
    assert dtypes() == {"float32"}


def test_blocks_that_overlap_leave_nothing():
    first, second = anvl.defaults(float="f64"), anvl.defaults(int="i64")
    with first:
        second.__enter__()
        assert dtypes() == {"float64"}
        assert anp.asarray(1).dtype == np.int64
    assert dtypes() == {"float32"}
    assert anp.asarray(1).dtype == np.int64
    second.__exit__(None, None, None)
    assert anp.asarray(1).dtype == np.int32


def test_a_task_keeps_the_defaults_that_it_was_started_under():
    """Also once the block is over, when calls of the others have their fast way again."""

    async def later(over):
        before = dtypes()
        await over.wait()
        return before, dtypes()

    async def main():
        over = asyncio.Event()
        with anvl.defaults(float="f64"):
            inside = asyncio.create_task(later(over))
            await asyncio.sleep(0)
        outside = asyncio.create_task(later(over))
        await asyncio.sleep(0)
        over.set()
        return [*(await inside), *(await outside), dtypes()]

    expected = [{"float64"}] * 2 + [{"float32"}] * 3
    assert asyncio.run(main()) == expected
    with anvl.defaults(float="f64"):
        copied = contextvars.copy_context()
    assert [dtypes(), copied.run(dtypes), dtypes()] == [{"float32"}, {"float64"}, {"float32"}]
    del copied
    assert dispatch.tracing_depth == [0]


def test_blocks_in_blocks_and_defaults_of_the_process():
    with anvl.defaults(float="f64"):
        with anvl.defaults(float="f16", int="i64"):
            assert dtypes() == {"float16"}
        assert dtypes() == {"float64"}
        assert anp.asarray(1).dtype == np.int32
        try:
            anvl.set_defaults(int="i64", float="f16")
            assert dtypes() == {"float64"}
            assert anp.asarray(1).dtype == np.int64
        finally:
            anvl.set_defaults(int="i32", float="f32")


def test_programs_of_a_block_run_without_being_traced_again():
    traced = []

    @anvl.jit
    def f(x, scale=1.0):
        traced.append(x)
        return x / scale

    with anvl.defaults(float="f64"):
        for _ in range(3):
            assert f(INTEGERS).dtype == np.float64
    assert f(INTEGERS).dtype == np.float32
    assert len(traced) == 2


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"float": "i32"}, TypeError, "set_defaults: i32 is not a dtype of kind float"),
        ({"bool": "bool"}, ValueError, "'bool' has no default dtype"),
        ({"int": "i64", "float": "i8"}, TypeError, "i8 is not a dtype of kind float"),
    ],
)
def test_a_default_of_another_kind_is_refused_and_nothing_changes(given, kind, message):
    with pytest.raises(kind, match=message):
        anvl.set_defaults(**given)
    assert anp.asarray([1]).dtype == np.int32


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize(("value", "shown"), [("f64", "float64"), ("i8", "ANVL_DEFAULT_FLOAT: i8")])
def test_defaults_are_read_from_the_environment(value, shown):
    code = "import anvl.numpy as np; print(np.zeros(1).dtype)"
    environment = {**os.environ, "ANVL_DEFAULT_FLOAT": value}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert shown in done.stdout + done.stderr


def test_the_default_dtypes_are_settings(capsys):
    with anvl.config(default_float="f64"), anvl.defaults(int="i64"):
        assert dtypes() == {"float64"}
        assert anvl.config.default_int == np.int64
        anvl.config.describe()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["default_float", "f64", "with", "block"] in rows
    try:
        anvl.config.default_float = "f16"
        assert dtypes() == {"float16"}
    finally:
        del anvl.config.default_float
    assert dtypes() == {"float32"}
