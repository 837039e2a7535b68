"""Checks on a real plugin, which are values of the program; and callbacks, which it cannot make."""

from typing import Any

import numpy as np
import pytest
from plugin_files import NAME

import anvl


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


def test_callbacks_are_refused_by_name_on_a_plugin() -> None:
    def noted(x: Any) -> None:
        raise AssertionError

    with anvl.default_device(NAME):
        for f, name in (
            (lambda x: anvl.callback(noted, None, x), "noted"),
            (lambda x: anvl.pure_callback(noted, x, x), "noted"),
            (lambda x: anvl.debug.print("{x}", x=x), "debug.print"),
        ):
            with pytest.raises(anvl.RuntimeFailure, match=rf"callback: {name} at .* cannot be"):
                anvl.jit(f)(np.float32(1))
