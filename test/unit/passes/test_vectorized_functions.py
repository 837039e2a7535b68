"""log(1 + x) and exp(x) - 1 of ops that LLVM vectorizes in any loop."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.dispatch.programs import compilation
from anvl.passes.lower.xla_cpu.vectorized_functions import write_vectorized_functions

CALLED = ("log_plus_one", "exponential_minus_one")
FUNCTIONS = {"log1p": np.log1p, "expm1": np.expm1}

# Bodies of functions of %0, of type {t}: with {f}, and with {sum}, the sum of %3.
ONE = "%1 = stablehlo.{f} %0 : {t} %3 = stablehlo.negate %1 : {t} return %3 : {t}"
WRITTEN = {
    "one reader": ONE,
    "one loop": "%1 = stablehlo.{f} %0 : {t} %2 = stablehlo.add %1, %0 : {t} "
    "%3 = stablehlo.divide %1, %2 : {t} return %3 : {t}",
    "a small sum": "%3 = stablehlo.{f} %0 : {t} {sum}",
    "a choice": "%1 = stablehlo.{f} %0 : {t} %3 = stablehlo.clamp %0, %1, %0 : {t} {sum}",
}
LEFT = {
    "two readers": "%1 = stablehlo.{f} %0 : {t} %2 = stablehlo.negate %1 : {t} "
    "%3 = stablehlo.reverse %1, dims = [0] : {t} %4 = stablehlo.add %2, %3 : {t} return %4 : {t}",
    "a reader of a result within": "%1 = stablehlo.{f} %0 : {t} %2 = stablehlo.negate %1 : {t} "
    "%3 = stablehlo.multiply %1, %2 : {t} %4 = stablehlo.reverse %2, dims = [0] : {t} "
    "%5 = stablehlo.add %3, %4 : {t} return %5 : {t}",
    "no reader": "%1 = stablehlo.{f} %0 : {t} return %0 : {t}",
}
SUMMED = {
    "itself": "%3 = stablehlo.{f} %0 : {t} {sum}",
    "its square": "%1 = stablehlo.{f} %0 : {t} %3 = stablehlo.multiply %1, %1 : {t} {sum}",
}
SUM = """%c = stablehlo.constant dense<0.0> : tensor<{e}>
%s = stablehlo.reduce(%3 init: %c) applies stablehlo.add across dimensions = [0]
    : ({t}, tensor<{e}>) -> tensor<{e}>
return %s : tensor<{e}>"""


def written(body, name, shape="9", element="f32"):
    """The text of a function before and behind."""
    names = {"t": f"tensor<{shape}x{element}>", "e": element}
    result = "tensor<{e}>" if "{sum}" in body else "{t}"
    text = "func.func @main(%0: {t}) -> " + result + " {{ " + body + " }}"
    module = parse(text.format(f=name, sum=SUM.format(**names), **names).replace("{e}", element))
    before = str(module)
    write_vectorized_functions(module.operation)
    assert module.operation.verify()
    return before, str(module)


@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("body", WRITTEN.values(), ids=WRITTEN.keys())
def test_what_one_loop_reads_is_written(body, name):
    before, after = written(body, name)
    assert f"stablehlo.{name}" in before and f"stablehlo.{name}" not in after


@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_what_two_loops_may_read_stays(body, name):
    before, after = written(body, name)
    assert before == after


@pytest.mark.parametrize("body", SUMMED.values(), ids=SUMMED.keys())
def test_what_a_large_sum_reads_stays(body):
    before, after = written(body, "log_plus_one", "5000")
    assert before == after
    before, after = written(WRITTEN["a choice"], "log_plus_one", "5000")
    assert before != after


@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("element", ["f16", "bf16", "complex<f32>", "f64"])
def test_other_dtypes_stay(element, name):
    before, after = written(ONE, name, element=element)
    assert (before == after) == ((element, name) != ("f64", "log_plus_one"))


def test_unknown_shapes_stay():
    before, after = written(ONE, "log_plus_one", "?")
    assert before == after


def points(dtype):
    """Where they are nearly 0, where a formula ends, ends of the range, and between these."""
    powers = 10.0 ** np.linspace(-37, 37, 3001)
    parts = [powers, -powers, np.linspace(-1, 3, 4001), np.linspace(-0.6, 0.6, 4001)]
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 0.5, -0.5, np.finfo(dtype).max]
    return np.concatenate([*parts, ends]).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_two_units_in_the_last_place(name, dtype):
    x = points(dtype)
    with np.errstate(all="ignore"):
        wanted = FUNCTIONS[name](x.astype("f8"))
        largest = np.finfo(dtype).max
        wanted = np.where(abs(wanted) > largest, np.copysign(np.inf, wanted), wanted)
    found = np.asarray(anvl.jit(getattr(anp, name))(x)).astype("f8")
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(wanted))
    numbers = np.isfinite(wanted)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])
    units = np.spacing(np.maximum(abs(wanted[numbers]), np.finfo(dtype).tiny).astype(dtype))
    errors = abs(found[numbers] - wanted[numbers]) / units
    assert errors.max() <= (6 if (name, dtype) == ("expm1", "f8") else 2.5)  # XLA's own


def test_short_rows_and_odd_sizes_have_the_numbers_of_others(monkeypatch):
    def every(x):
        up = anvl.nn.softplus(x), anvl.nn.elu(x), anp.arcsinh(x), anp.sinh(x), anp.logaddexp(x, 1)
        return (*up, anp.sum(anp.log1p(x * x)))

    def results():
        sizes = [(5001,), (700, 10), (331, 13)]
        return [np.asarray(y) for n in sizes for y in anvl.jit(every)(draw(n))]

    def draw(shape):
        return np.random.default_rng(0).normal(size=shape).astype(np.float32)

    found = results()
    monkeypatch.setattr(compilation, "write_vectorized_functions", lambda module: None)
    anvl.clear_caches()
    for y, wanted in zip(found, results(), strict=True):
        units = np.spacing(np.maximum(abs(wanted), np.float32(1)))
        assert (abs(y - wanted) <= 10 * units).all()


@pytest.mark.parametrize("name", CALLED)
def test_a_kernel_of_one_op_on_short_rows_stays(name):
    alone = "%1 = stablehlo.{f} %0 : {t} return %1 : {t}"
    before, after = written(alone, name, "700x7")
    assert before == after
    for body, shape in ((ONE, "700x7"), (alone, "700x16"), (alone, "700x16x1"), (alone, "4900")):
        before, after = written(body, name, shape)
        assert before != after
