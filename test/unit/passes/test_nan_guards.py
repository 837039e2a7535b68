"""The largest and the smallest element of a large array are NaN where an element is."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import parse
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

SHAPES = [((5000,), 0), ((70, 90), 0), ((70, 90), 1), ((70, 90), None), ((9, 40, 30), (0, 2))]
DTYPES = ["float32", "float64", "float16", ml_dtypes.bfloat16]


def with_nan(shape, dtype):
    x = np.random.default_rng(0).uniform(-3, 3, shape)
    x[(0,) * (len(shape) - 1) + (3,)] = np.nan
    x[(-1,) * len(shape)] = np.inf
    return x.astype(dtype)


@pytest.mark.sweep(keep=0)
def test_reductions_keep_nan_as_numpy_does():
    cases = [(with_nan(s, d), axis) for (s, axis), d in itertools.product(SHAPES, DTYPES)]

    def both(xs):
        return [(anp.max(x, a), anp.min(x, a)) for x, (_, a) in zip(xs, cases, strict=True)]

    for found, (x, axis) in zip(anvl.jit(both)([x for x, _ in cases]), cases, strict=True):
        for y, reference in zip(found, (np.max, np.min), strict=True):
            with np.errstate(invalid="ignore"):  # NumPy warns of NaN in narrow floats
                wanted = reference(x, axis)
            y, wanted = (np.asarray(z).astype("float64") for z in (y, wanted))
            np.testing.assert_array_equal(y, wanted)  # which knows no NaN of bfloat16


def test_windows_keep_nan():
    x = with_nan((80, 60), "float32")
    pools = anvl.jit(lambda x: [anvl.windows.max_pool(x, (4, 5)), -anvl.windows.max_pool(-x, 2)])(x)
    for found, (size, reference) in zip(pools, (((4, 5), np.max), ((2, 2), np.min)), strict=True):
        rows = x.reshape(80 // size[0], size[0], 60 // size[1], size[1])
        np.testing.assert_array_equal(np.asarray(found), reference(rows, (1, 3)))


def test_imported_reductions_and_their_initial_values_keep_nan():
    text = """func.func @main(%x: tensor<5000xf32>, %start: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.reduce(%x init: %start) applies stablehlo.maximum across dimensions = [0]
        : (tensor<5000xf32>, tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }"""
    largest = anvl.from_stablehlo(text)
    x = np.zeros(5000, "float32")
    assert largest(x, np.float32(2)).item() == 2
    assert np.isnan(largest(x, np.float32(np.nan)).item())


def test_normalized_exponentials_keep_nan_without_a_guard():
    x = with_nan((70, 90), "float32")

    def all_three(x):
        return [f(x, axis=1) for f in (anvl.nn.logsumexp, anvl.nn.softmax, anvl.nn.log_softmax)]

    lowered = anvl.jit(all_three).lower(x)
    assert "stablehlo.abs %x : tensor<70x90" not in lowered.mlir("stablehlo")
    for y in lowered.compile()(x):
        has_nan = np.isnan(np.asarray(y)).reshape(70, -1)
        np.testing.assert_array_equal(has_nan.any(1), np.isnan(x).any(1))
        np.testing.assert_array_equal(has_nan.any(1), has_nan.all(1))


def lowered(n_elements, platform="cpu"):
    x = anvl.aval("f32", (n_elements,))
    module = parse(anvl.trace(lambda x: anp.max(x) * anp.max(x[1:]), x).mlir())
    Pipeline([LowerToStablehlo(platform)]).run(module)
    return module


@pytest.mark.parametrize(("n_elements", "platform"), [(64, "cpu"), (5000, "cuda")])
def test_what_keeps_nan_by_itself_is_left_alone(n_elements, platform):
    assert "stablehlo.select" not in str(lowered(n_elements, platform))


def test_a_guard_is_written_once():
    module = lowered(5000)
    once = str(module)
    assert once.count("stablehlo.maximum") == once.count("stablehlo.add") == 2
    Pipeline([LowerToStablehlo()]).run(module)
    assert str(module) == once


def test_one_number_for_many_is_the_largest_of_them():
    def largest(x):  # more than f16 counts to
        return anp.max(anp.broadcast_to(x, (70_000,)))

    for x in np.array([2, 0, np.nan, -np.inf], "float16"):
        np.testing.assert_array_equal(np.asarray(anvl.jit(largest)(x)), x)
