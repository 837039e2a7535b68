"""What reviewers found: one test each."""

import dataclasses
import gc
import threading
import weakref

import numpy
import pytest
from tolerances import FORMULA, ITERATION, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as np


def test_a_trace_may_wait_for_a_thread_that_traces():
    @anvl.jit
    def f(x):
        found = []
        thread = threading.Thread(target=lambda: found.append(anvl.jit(lambda z: z + 1)(2.0)))
        thread.start()
        thread.join(30)
        return x * float(found[0])

    assert f(2.0) == 6.0


def test_a_jitted_function_is_freed():
    functions = [anvl.jit(lambda x: x + 1) for _ in range(3)]
    for f in functions:
        f(1.0)
    alive = [weakref.ref(f) for f in functions]
    del f, functions
    gc.collect()
    assert not any(r() for r in alive)


def test_numpy_converts_results():
    slope = anvl.grad(lambda w: np.sum(w**3))(numpy.ones(3))
    w = numpy.ones(3)
    w -= 0.1 * slope
    numpy.testing.assert_allclose(w, 0.7)
    numpy.testing.assert_allclose(numpy.sum(slope), 9)
    numpy.testing.assert_allclose(numpy.exp(slope), numpy.exp(3 * numpy.ones(3)))
    assert type(numpy.ones(3) + slope) is anvl.Array


def test_static_dataclasses_are_told_apart_by_the_types_of_their_fields():
    @dataclasses.dataclass(frozen=True)
    class Scale:
        by: float

    f = anvl.jit(lambda x, scale: x * scale.by, static="scale")
    assert f(2, Scale(1)).dtype == "int32"
    assert f(2, Scale(1.0)).dtype == "float32"


@pytest.mark.parametrize("shape", [(2.5,), "12", (True,), None])
def test_an_aval_has_sizes_that_are_integers(shape):
    with pytest.raises(TypeError, match=r"aval: shape .* must be integers"):
        anvl.aval("f32", shape)


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_powers_of_integers_wrap_whatever_the_exponent(dtype):
    info = numpy.iinfo(dtype)
    exponents = [n for n in (0, 1, 5, 63, 64, 65, 127, 4096, 70000, info.max) if n <= info.max]
    pairs = [(x, n) for x in {2, 3, 7, info.min, info.max, info.max - 1} for n in exponents]
    x, n = (numpy.array(column, dtype) for column in zip(*pairs, strict=True))
    wanted = [_wrapped(pow(a, b, 1 << info.bits), info) for a, b in pairs]
    assert numpy.asarray(np.power(x, n)).tolist() == wanted
    assert numpy.asarray(anvl.jit(lambda x, n: x**n)(x, n)).tolist() == wanted


def _wrapped(value, info):
    return value - (1 << info.bits) if value > info.max else value


@pytest.mark.parametrize("function", [anvl.trace, anvl.eval_shape])
def test_what_is_no_function_is_refused(function):
    with pytest.raises(TypeError, match="takes a function, got 3 of type int"):
        function(3, 1.0)


def test_the_gradient_of_where_is_finite_also_where_the_other_side_is_not():
    x = numpy.array([0.0, 1.0, 4.0])
    for side, slope in ((np.log, [0, 1, 0.25]), (np.sqrt, [0, 0.5, 0.25])):
        g = anvl.grad(lambda x, side=side: np.sum(np.where(x > 0, side(x), 0.0)))
        numpy.testing.assert_allclose(g(x), slope)
        second = anvl.grad(lambda x, g=g: np.sum(g(x)))(x)
        assert numpy.isfinite(numpy.asarray(second)).all()


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("largest", [np.max, np.cummax])
def test_the_largest_is_found_where_xla_rounds_a_difference_in_two_ways(largest):
    def f(x):
        return largest(0.5 * x - 0.27 * np.tanh(x)[:, None], axis=0)

    reverse, forward = anvl.jit(anvl.jacrev(f)), anvl.jit(anvl.jacfwd(f))
    for x in numpy.random.default_rng(0).normal(size=(20, 4)):
        rows = (0.5 * x - 0.27 * numpy.tanh(x)[:, None]).argmax(axis=0)
        for found in (reverse(x), forward(x)):
            last = numpy.asarray(found).reshape(-1, 4, 4)[-1]
            wanted = 0.5 * numpy.eye(4)
            wanted[numpy.arange(4), rows] -= 0.27 * (1 - numpy.tanh(x[rows]) ** 2)
            numpy.testing.assert_allclose(last, wanted, rtol=rounding(PROGRAM))


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("bounded", [lambda y: np.maximum(y, 0.1), lambda y: np.clip(y, -0.2, 0.2)])
def test_second_derivatives_of_bounds_where_xla_rounds_a_difference_in_two_ways(bounded):
    w = numpy.random.default_rng(0).normal(size=(3, 3))

    def f(x):
        y = 0.5 * np.tanh(w * x) * x - 0.3 * np.sin(x)[:, None] * w
        return np.sum(bounded(y) ** 2)

    reverse, forward = anvl.jit(anvl.hessian(f)), anvl.jit(anvl.jacfwd(anvl.jacfwd(f)))
    for x in numpy.random.default_rng(1).normal(size=(20, 3)):
        numpy.testing.assert_allclose(
            reverse(x), forward(x), rtol=rounding(ITERATION), atol=rounding(PROGRAM)
        )


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("sizes", [(3, 9), (7, 21)])
def test_lanczos_samples_on_old_pixels_are_these(sizes):
    """A distance of 1e-17 there: XLA's copies of it round to that and to 0, and gave 0 / 0."""
    old, new = sizes
    for dtype in ("f8", "f4"):
        found = anvl.image.resize(numpy.ones(old, dtype), (new,), "lanczos3")
        assert_close(found, numpy.ones(new, dtype), FORMULA)


@pytest.mark.parametrize("low, width, bins", [(-1.0, 3.0, 10), (0.6, 1.8, 7), (-2.1, 3.6, 18)])
def test_numbers_on_the_edges_of_bins_are_counted_as_by_numpy(low, width, bins):
    """XLA multiplied by a tenth, and fused the product with the sum: edges were an ulp off."""
    edges = numpy.linspace(low, low + width, bins + 1)
    numpy.testing.assert_array_equal(
        np.linspace(np.asarray(low, "f8"), low + width, bins + 1), edges
    )
    counts = np.histogram(np.asarray(edges), bins)[0]
    numpy.testing.assert_array_equal(counts, numpy.histogram(edges, bins)[0])
