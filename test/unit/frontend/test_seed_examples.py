"""The examples of anvl's jit vignette (R), in Python: what it promises of `jit`, line by line.

Where anvl departs from it, on closed-over values, docs/conventions.md says so.
"""

import numpy
import pytest

import anvl
import anvl.numpy as np


def linear(x, w, b):
    return x * w + b


def test_the_cache_has_0_then_1_then_1_then_2_programs():
    jitted = anvl.jit(linear)
    assert jitted.cache_size() == 0
    assert jitted(2.0, 3.0, 1.0) == 7.0
    assert jitted.cache_size() == 1
    assert jitted(2.0, 3.0, 5.0) == 11.0
    assert jitted.cache_size() == 1
    assert jitted(np.asarray([1, 2]), np.asarray([3, 4]), np.asarray([1, 1])).tolist() == [4, 9]
    assert jitted.cache_size() == 2


def test_static_values_choose_a_branch():
    def maybe(x, w, b=None, use_bias=True):
        return linear(x, w, b) if use_bias else x * w

    jitted = anvl.jit(maybe, static="use_bias")
    assert jitted(2.0, 3.0, 1.0, use_bias=True) == 7.0
    assert jitted(2.0, 3.0, use_bias=False) == 6.0
    assert jitted.cache_size() == 2


def test_loops_of_python_are_unrolled():
    def repeated(x, w, b, n):
        for _ in range(n):
            x = linear(x, w, b)
        return x

    scalar, three = anvl.aval("f32"), anvl.aval("f32", (3,))
    traced = anvl.jit(repeated, static="n").trace(scalar, three, three, n=2)
    ops = [op.operation.name for op in traced.trace.block.operations]
    assert ops == ["anvl.broadcast_in_dim", *["anvl.mul", "anvl.add"] * 2, "func.return"]


def test_a_closed_over_threshold_is_a_number_of_the_program():
    threshold = 0.5
    h = anvl.jit(lambda x: x * 2 if threshold > 0.5 else x + 1)
    assert h(1.0) == 2.0
    assert "anvl.add" in h.lower(anvl.aval("f32")).mlir("anvl")
    threshold = 5.0  # the vignette keeps the old branch; here the function is traced again
    assert h(4.0) == 8.0


def test_closed_over_values_become_constants():
    default = 5
    text = anvl.jit(lambda x, w: linear(x, w, default)).lower(2.0, 3.0).mlir("stablehlo")
    assert "dense<5.0" in text


def test_the_impure_model_gives_the_result_of_its_trace_and_a_warning():
    class Model:
        def __init__(self, beta):
            self.beta = beta

        def step(self, slope, rate):
            self.beta = self.beta - slope * rate
            return self.beta

    model = Model(np.zeros(3))
    step = anvl.jit(model.step)
    slope = np.ones(3)
    with pytest.warns(anvl.StaleClosureWarning, match="beta"):
        first = step(slope, 0.1)
    numpy.testing.assert_allclose(first, [-0.1] * 3, rtol=1e-6)
    assert "Tracer" in type(model.beta).__name__  # a leaked tracer, as there

    pure = anvl.jit(lambda beta, slope, rate: beta - slope * rate)
    beta = np.zeros(3)
    for _ in range(3):
        beta = pure(beta, slope, 0.1)
    numpy.testing.assert_allclose(beta, [-0.3] * 3, rtol=1e-6)


def test_donated_inputs_are_consumed():
    step = anvl.jit(lambda w, g: w - 0.1 * g, donate="w")
    w, g = np.asarray([1.0, 2.0, 3.0]), np.asarray([0.1, 0.1, 0.1])
    w = step(w, g)
    numpy.testing.assert_allclose(w, [0.99, 1.99, 2.99], rtol=1e-6)
    old = np.asarray([1.0, 2.0, 3.0])
    step(old, g)
    with pytest.raises(anvl.RuntimeFailure, match="donated to <lambda> as its argument w"):
        numpy.asarray(old)


def test_the_device_is_inferred_or_pinned():
    add = lambda x, y: x + y  # noqa: E731
    a, b = np.asarray([1.0, 2.0]), np.asarray([3.0, 4.0])
    assert repr(anvl.jit(add)(a, b).device) == "<CpuDevice(id=0)>"
    assert repr(anvl.jit(add, device="cpu")(a, b).device) == "<CpuDevice(id=0)>"
    assert repr(anvl.jit(add, device=anvl.devices()[0])(1.0, 2.0).device) == "<CpuDevice(id=0)>"


def test_a_jit_within_a_jit_is_one_function_and_one_program():
    inner = anvl.jit(linear)
    outer = anvl.jit(lambda x: inner(inner(x, 2.0, 1.0), 2.0, 1.0))
    assert outer(3.0) == 15.0
    assert outer.lower(3.0).mlir("anvl").count("func.func private @linear") == 1
    assert (inner.cache_size(), outer.cache_size()) == (0, 1)


@pytest.mark.parametrize(("size", "is_argument"), [(1, False), (1_000_000, True)])
def test_constants_of_one_and_of_a_million_elements(size, is_argument):
    table = numpy.ones(size, "f4")
    lowered = anvl.jit(lambda x: np.sum(table) + x).lower(1.0)
    assert list(lowered.constants()) == (["c1"] if is_argument else [])
    assert len(lowered.mlir()) < 2000
    assert lowered.compile()(1.0) == size + 1
