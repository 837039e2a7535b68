"""Functions of floats written as ops that LLVM vectorizes in any loop."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.dispatch.programs import compilation
from anvl.passes.lower.xla_cpu.vectorized_functions import write_vectorized_functions

CALLED = ("log_plus_one", "exponential_minus_one")

# Bodies of functions of %0, of type {t}: with {f}, and with {sum}, the sum of %3.
ONE = "%1 = stablehlo.{f} %0 : {t} %3 = stablehlo.negate %1 : {t} return %3 : {t}"
WRITTEN = {
    "one reader": ONE,
    "one loop": "%1 = stablehlo.{f} %0 : {t} %2 = stablehlo.add %1, %0 : {t} "
    "%3 = stablehlo.divide %1, %2 : {t} return %3 : {t}",
    # The last is reached from %1 and, in more steps, from %2.
    "ways of two lengths": "%1 = stablehlo.{f} %0 : {t} %2 = stablehlo.negate %1 : {t} "
    "%4 = stablehlo.abs %2 : {t} %5 = stablehlo.sine %4 : {t} "
    "%3 = stablehlo.add %1, %5 : {t} return %3 : {t}",
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


# By function, NumPy's in more digits, and the most units in the last place of f32 and of f64.
LONG = np.longdouble
FUNCTIONS = {
    "log1p": (anp.log1p, np.log1p, 2, 2),
    "expm1": (anp.expm1, np.expm1, 1.6, 2.2),
    "tanh": (anp.tanh, np.tanh, 2.5, 2.6),
    "exp": (anp.exp, np.exp, 6, 1.1),  # of f32, XLA's own
    "rsqrt": (anvl.lax.rsqrt, lambda x: 1 / np.sqrt(x), 1, 1),
    "sigmoid": (anvl.nn.sigmoid, lambda x: 1 / (1 + np.exp(-x)), 2.5, 2.5),
    "root": (lambda x: 1 / anp.sqrt(x), lambda x: 1 / np.sqrt(x), 1.6, 1.6),
}


def points(dtype):
    """Numbers of all exponents, where a form ends, and special ones: an odd number of them."""
    info, bits = np.finfo(dtype), np.dtype(dtype).itemsize * 8
    draw = np.random.default_rng(0)
    patterns = draw.integers(0, 1 << (bits - 1), size=120_000, dtype=f"u{bits // 8}")
    ends = [0.0, 1.0, 0.5, 2.0**-12, 2.0**-27, 9.02, 19.1, 25.0, 60.0, 88.7228317, 87.3365402]
    ends += [709.782712893384, 708.3964185322641, info.max, info.tiny, np.inf, np.nan]
    near = np.array(ends, dtype)
    with np.errstate(all="ignore"):
        beside = [np.nextafter(near, dtype(side)) for side in (-np.inf, np.inf)]
    drawn = draw.uniform(0, 3, 30_000), draw.exponential(20, 30_000)
    parts = [patterns.view(dtype), near, *beside, *drawn, *SUBNORMAL[bits]]
    with np.errstate(all="ignore"):  # NaN that signal, and numbers that are rounded to 0
        x = np.concatenate([part.astype(dtype) for part in map(np.asarray, parts)])
    return np.concatenate([x, -x, np.ones(1, dtype)])


SUBNORMAL = {32: [[1e-40, 1e-45]], 64: [[1e-310, 5e-324]]}


def rounded(y, dtype):
    """Numbers of NumPy's longest type, and infinities where they round to these."""
    info = np.finfo(dtype)
    return np.where(abs(y) >= LONG(info.max) * (1 + LONG(info.eps) / 4), np.copysign(np.inf, y), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.skipif(np.finfo(LONG).nmant < 60, reason="NumPy has no longer type here")
def test_errors_are_few_units_in_the_last_place(name, dtype):
    function, reference, *most = FUNCTIONS[name]
    x = points(dtype)
    assert len(x) % 2 and x.nbytes > 1 << 18
    found = np.asarray(
        anvl.jit(lambda x, b: anp.where(b, function(x), x))(x, np.ones(x.shape, bool))
    )
    tiny = np.finfo(dtype).tiny
    # XLA:CPU takes subnormal numbers for 0.
    read = np.where(
        (abs(x) < tiny) & (name not in ("tanh", "expm1", "log1p")), np.copysign(0, x), x
    )
    with np.errstate(all="ignore"):
        wanted = rounded(reference(read.astype(LONG)), dtype)
        units = np.spacing(np.maximum(abs(wanted), tiny).astype(dtype)).astype(LONG)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(wanted))
    of_sign = np.isfinite(wanted) & (wanted != 0)
    np.testing.assert_array_equal(np.signbit(found[of_sign]), np.signbit(wanted[of_sign]))
    numbers = np.isfinite(wanted)
    y, w = found[numbers].astype(LONG), wanted[numbers]
    errors = np.where((abs(w) < 2 * tiny) & (abs(y) < 2 * tiny), 0, abs(y - w) / units[numbers])
    assert errors.max() <= most[dtype is np.float64]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["tanh", "expm1", "rsqrt"])
def test_zeros_and_subnormal_numbers_are_as_xla_has_them(name, dtype, monkeypatch):
    """Where its tanh and exp(x) - 1 are 0 of subnormal numbers, here they are these."""
    (subnormal,) = SUBNORMAL[np.dtype(dtype).itemsize * 8]
    x = np.full(70_001, 1, dtype)
    x[:8] = [0.0, -0.0, *subnormal, *(-n for n in subnormal), np.inf, -np.inf]

    def found(offset):
        function = FUNCTIONS[name][0]
        both = anvl.jit(lambda x, b: anp.where(b, function(x), offset))(x, x == x)
        return np.asarray(both)[:8]

    first = found(1).copy()
    monkeypatch.setattr(compilation, "write_vectorized_functions", lambda module: None)
    second = found(2).copy()
    if name != "rsqrt":
        second[2:6] = x[2:6]
    np.testing.assert_array_equal(first, second)
    numbers = ~np.isnan(first)
    np.testing.assert_array_equal(np.signbit(first)[numbers], np.signbit(second)[numbers])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tanh_is_at_most_1(dtype):
    x = np.linspace(5, 25, 70_001).astype(dtype)
    y = np.asarray(anvl.jit(lambda x, b: anp.where(b, anp.tanh(x), x))(x, np.ones(x.shape, bool)))
    assert y.max() == 1 and y[-1] == 1
    assert (np.diff(y) > -3 * np.finfo(dtype).epsneg).all()


TANH, EXP = "tanh", "exponential"
ROOT = "%1 = stablehlo.sqrt %0 : {t} %3 = stablehlo.divide %0, %1 : {t} return %3 : {t}"
LONE = "%1 = stablehlo.{f} %0 : {t} return %1 : {t}"


@pytest.mark.parametrize(
    ("body", "name", "shape", "element"),
    [
        (ONE, TANH, "65537", "f32"),  # unequal parts
        (ONE, TANH, "1x65537x1", "f32"),
        (ONE, TANH, "32769", "f64"),
        (ONE, TANH, "9x6", "f32"),  # short rows
        (ONE, TANH, "9x15x1", "f64"),
        (ROOT, "", "65537", "f32"),
        (ROOT, "", "9x15", "f64"),
        (ONE, "rsqrt", "65537", "f32"),
        (LONE, "rsqrt", "4", "f32"),
        (LONE, "rsqrt", "5x7", "f32"),
        (LONE, "rsqrt", "5x7", "f64"),
        (ONE, EXP, "40000", "f64"),
        (ONE, EXP, "2000x30", "f64"),
        (ONE, EXP, "9x7", "f64"),
        (LONE, "logistic", "40000", "f64"),
        (ONE, "exponential_minus_one", "40000", "f64"),
    ],
)  # fmt: skip
def test_functions_that_llvm_would_not_vectorize_are_written(body, name, shape, element):
    before, after = written(body, name, shape, element)
    assert before != after
    assert name == "" or f"stablehlo.{name} " not in after


@pytest.mark.parametrize(
    ("body", "name", "shape", "element"),
    [
        (ONE, TANH, "65538", "f32"),  # equal parts
        (ONE, TANH, "65535", "f32"),  # one part
        (ONE, TANH, "2001x99", "f32"),  # long rows
        (ONE, TANH, "9x5", "f32"),  # rows that are unrolled
        (ONE, TANH, "9x16", "f64"),
        (LONE, TANH, "65537", "f32"),
        (LONE, TANH, "9x7", "f64"),
        (ROOT, "", "65538", "f32"),
        (ROOT.replace("%0, %1", "%1, %0"), "", "65537", "f32"),  # the root is divided
        (ROOT.replace("%0, %1", "%1, %1"), "", "65537", "f32"),
        (ONE, "rsqrt", "65538", "f32"),
        (ONE, EXP, "65537", "f32"),  # has no limits
        (ONE, "logistic", "65537", "f32"),
        (ONE, EXP, "999", "f64"),
        (ONE, EXP, "40000x5", "f64"),
        (LONE, EXP, "40001", "f64"),
        (LONE, "logistic", "40000x3", "f64"),
        (ONE, TANH, "65537", "f16"),
        (ONE, "rsqrt", "9x7", "complex<f32>"),
    ],
)  # fmt: skip
def test_functions_that_are_as_fast_stay(body, name, shape, element):
    before, after = written(body, name, shape, element)
    assert before == after


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


# By function, NumPy's in more digits, and the most units in the last place.
OF_LIBRARY = {
    "atan2": (anp.arctan2, np.arctan2, 0.52),
    "fmod": (anp.fmod, np.fmod, 0),
    "cbrt": (lambda x, y: anp.cbrt(x), lambda x, y: np.cbrt(x), 0.51),
    "cbrt of f64": (lambda x, y: anp.cbrt(x), lambda x, y: np.cbrt(x), 3.2),
}


def quotients_below_whole_numbers(draw):
    """x and y of 24 bits, and x / y a whole number less 1 / y, for quotients of nearly 28 bits."""
    y = [int(n) | 1 for n in draw.integers(1 << 23, 1 << 24, 20_000)]
    x = [-pow(1 << 28, -1, n) % n for n in y]
    return np.ldexp(np.array(x, np.float32), 28), np.array(y, np.float32)


def pairs(dtype):
    """Numbers of any exponents and of near ones, whole ones, powers, and special ones in pairs."""
    x, draw = points(dtype), np.random.default_rng(1)
    y = draw.permutation(x)
    with np.errstate(all="ignore"):
        near = (x * np.exp(draw.uniform(-9, 9, x.size))).astype(dtype)
    whole = draw.integers(-50, 50, (2, 20_000)).astype(dtype)
    powers = np.ldexp(dtype(1), draw.integers(-149, 127, (2, 20_000)))
    info = np.finfo(dtype)
    ends = [0, 1, 1.5, np.inf, np.nan, info.max, info.tiny, info.tiny / 8, info.smallest_subnormal]
    special = np.array(ends + [-n for n in ends], dtype)
    low = info.smallest_subnormal * draw.integers(1, 1 << 23, x.size).astype(dtype)
    lists = [(x, y), (x, near), (x, x), (x, low), (low, draw.permutation(low)), whole, powers]
    lists += [np.meshgrid(special, special), quotients_below_whole_numbers(draw)]
    return [np.concatenate([np.ravel(parts[i]) for parts in lists]).astype(dtype) for i in (0, 1)]


@pytest.mark.parametrize("name", OF_LIBRARY)
@pytest.mark.skipif(np.finfo(LONG).nmant < 60, reason="NumPy has no longer type here")
def test_library_functions_are_rounded_once(name):
    function, reference, most = OF_LIBRARY[name]
    dtype = np.float64 if name.endswith("f64") else np.float32
    tiny = np.finfo(dtype).tiny
    x, y = pairs(dtype)
    found = np.asarray(anvl.jit(function)(x, y))
    if name in ("atan2", "cbrt of f64"):  # which take subnormal numbers for 0
        x, y = (np.where(abs(z) < tiny, np.copysign(0, z), z) for z in (x, y))
    with np.errstate(all="ignore"):
        wanted = reference(x.astype(LONG), y.astype(LONG))
        units = np.spacing(np.maximum(abs(wanted), tiny).astype(dtype)).astype(LONG)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(wanted))
    numbers = np.isfinite(wanted)
    signs = np.signbit(found)[numbers], np.signbit(wanted)[numbers]
    np.testing.assert_array_equal(*signs)
    errors = abs(found[numbers].astype(LONG) - wanted[numbers]) / units[numbers]
    if name == "atan2":
        errors[abs(wanted[numbers]) < 2 * tiny] = 0  # is flushed to 0
    assert errors.max() <= most


def test_a_cube_root_in_f64_is_within_a_unit():
    x = np.exp(np.random.default_rng(0).uniform(-600, 700, 50_001))
    wanted = np.cbrt(x.astype(LONG))
    assert (abs(np.asarray(anvl.jit(anp.cbrt)(x)) - wanted) <= np.spacing(np.cbrt(x))).all()


@pytest.mark.parametrize("shape", ["1024", "700x7", "70001", "32x32"])
@pytest.mark.parametrize(("name", "element"), [("cbrt", "f32"), ("cbrt", "f64")])
def test_calls_of_the_library_are_written(name, element, shape):
    before, after = written(LONE, name, shape, element)
    assert before != after and f"stablehlo.{name} " not in after


BINARY = "%1 = stablehlo.{f} %0, %0 : {t} return %1 : {t}"


@pytest.mark.parametrize("name", ["atan2", "remainder"])
def test_calls_of_two_numbers_are_written(name):
    before, after = written(BINARY, name, "1024", "f32")
    assert before != after and f"stablehlo.{name} " not in after
    for shape, element in (("1023", "f32"), ("1024", "f64"), ("?", "f32"), ("1024", "f16")):
        before, after = written(BINARY, name, shape, element)
        assert before == after
    before, after = written(BINARY, name, "1000x5", "f32")
    assert (before == after) == (name == "remainder")
    before, after = written(BINARY, "remainder", "1024", "i32")
    assert before == after
