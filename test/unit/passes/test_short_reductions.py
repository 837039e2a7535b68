"""Reductions of few elements combine the same elements in the same order."""

import ml_dtypes
import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import parse
from anvl.dialect.text.interpreter import interpreter
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

SHAPES = [((1400, 3), (1,)), ((2, 2100), (0,)), ((2, 1100, 2), (0, 2)), ((4100, 1), (1,))]
REDUCTIONS = ["add", "multiply", "maximum", "minimum"]


def program(name, shape, axes, dtype="f32"):
    kept = [n for a, n in enumerate(shape) if a not in axes]
    of = f"tensor<{'x'.join(map(str, shape))}x{dtype}>"
    to = f"tensor<{'x'.join([*map(str, kept), dtype])}>"
    return parse(f"""
func.func @main(%x: {of}, %start: tensor<{dtype}>) -> {to} {{
  %y = stablehlo.reduce(%x init: %start) applies stablehlo.{name} across dimensions = {list(axes)}
    : ({of}, tensor<{dtype}>) -> {to}
  return %y : {to}
}}""")


def lowered(module, platform="cpu"):
    Pipeline([LowerToStablehlo(platform)]).run(module)
    return module


def numbers(shape, dtype="float32"):
    x = np.random.default_rng(0).normal(0, 3, shape)
    x.flat[:6] = [np.nan, np.inf, -np.inf, -0.0, 0.0, -np.inf]
    return x.astype(dtype)


@pytest.mark.parametrize(("shape", "axes"), SHAPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_the_interpreter_finds_the_same_bits(name, shape, axes):
    modules = [lowered(program(name, shape, axes), platform) for platform in ("cpu", "cuda")]
    assert ["stablehlo.reduce(" in str(module) for module in modules] == [False, True]
    points = [[numbers(shape), np.float32(start)] for start in (0, 0.1, np.nan)]
    found, wanted = (interpreter().run(module, points) for module in modules)
    assert [y.tobytes() for (y,) in found] == [y.tobytes() for (y,) in wanted]


def test_xla_finds_what_numpy_does():
    x = np.abs(numbers((600, 2, 4))) + np.float32(0.5)

    def all_of_them(x):
        return [f(x, axis) for f in (anp.max, anp.min, anp.sum, anp.prod) for axis in (1, 2)]

    with np.errstate(invalid="ignore"):
        wanted = [f(x, axis) for f in (np.max, np.min, np.sum, np.prod) for axis in (1, 2)]
    for y, z in zip(anvl.jit(all_of_them)(x), wanted, strict=True):
        np.testing.assert_allclose(np.asarray(y), z, rtol=rounding(PROGRAM, "float32"))


@pytest.mark.parametrize("dims", [(0, 2), (2, 0)])
def test_counted_masks_are_made_of_parts(dims):
    text = f"""
    func.func @main(%x: tensor<40x3x40xf32>, %y: tensor<40x40xf32>) -> tensor<40x40xf32> {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %none = stablehlo.constant dense<0.25> : tensor<40x3x40xf32>
      %z = stablehlo.broadcast_in_dim %y, dims = {list(dims)} : (tensor<40x40xf32>)
        -> tensor<40x3x40xf32>
      %won = stablehlo.compare LE, %x, %z : (tensor<40x3x40xf32>, tensor<40x3x40xf32>)
        -> tensor<40x3x40xi1>
      %one = stablehlo.convert %won : (tensor<40x3x40xi1>) -> tensor<40x3x40xf32>
      %counted = stablehlo.select %won, %one, %none : tensor<40x3x40xi1>, tensor<40x3x40xf32>
      %n = stablehlo.reduce(%counted init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<40x3x40xf32>, tensor<f32>) -> tensor<40x40xf32>
      return %n : tensor<40x40xf32>
    }}"""
    points = [[numbers((40, 3, 40)), numbers((40, 40))]]
    modules = [lowered(parse(text), platform) for platform in ("cpu", "cuda")]
    assert str(modules[0]).count("compare LE") == 1 + 2 * 3  # of the mask, and of its numbers
    (found,), (wanted,) = (interpreter().run(module, points) for module in modules)
    assert found[0].tobytes() == wanted[0].tobytes()


def test_bools_are_combined():
    for name in ("and", "or"):
        x = np.random.default_rng(0).random((600, 2)) < 0.5
        text = str(lowered(program(name, x.shape, (1,), "i1")))
        assert "stablehlo.reduce(" not in text and f"stablehlo.{name}" in text
        (found,) = interpreter().run(parse(text), [[x, np.bool_(name == "and")]])
        np.testing.assert_array_equal(found[0], np.all(x, 1) if name == "and" else np.any(x, 1))


@pytest.mark.parametrize(
    ("name", "shape", "axes", "dtype"),
    [
        ("add", (900, 5), (1,), "f32"),  # many elements a result
        ("add", (3, 700, 2), (0, 2), "f32"),
        ("add", (1300, 3), (1,), "f32"),  # few elements in all
        ("maximum", (300, 3), (1,), "f32"),
        ("add", (1400, 3), (1,), "f16"),  # XLA adds them up in f32
        ("multiply", (1400, 3), (1,), "bf16"),
        ("add", (1400, 3), (1,), "complex<f32>"),
        ("add", (5000, 0), (1,), "f32"),
        ("xor", (1400, 3), (1,), "i32"),
    ],
)
def test_other_reductions_stay(name, shape, axes, dtype):
    assert "stablehlo.reduce(" in str(lowered(program(name, shape, axes, dtype)))


def test_a_body_of_another_order_stays():
    module = parse("""
func.func @main(%x: tensor<400x3xf32>, %start: tensor<f32>) -> tensor<400xf32> {
  %y = "stablehlo.reduce"(%x, %start) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %b, %a : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<400x3xf32>, tensor<f32>) -> tensor<400xf32>
  return %y : tensor<400xf32>
}""")
    assert "stablehlo.reduce" in str(lowered(module))


def test_narrow_maxima_are_exact():
    x = numbers((400, 3), ml_dtypes.bfloat16)
    module = lowered(program("maximum", x.shape, (1,), "bf16"))
    assert "stablehlo.reduce(" not in str(module)
    ((found,),) = interpreter().run(module, [[x, ml_dtypes.bfloat16(-np.inf)]])
    np.testing.assert_array_equal(found.astype("f4"), x.astype("f4").max(1))


def test_a_program_is_lowered_once():
    module = lowered(program("add", (1400, 3), (1,)))
    once = str(module)
    assert str(lowered(module)) == once


def test_the_derivative_of_a_pool_is_that_of_the_winner():
    x = np.random.default_rng(0).permutation(64 * 64).astype("float32").reshape(32, 2, 32, 2)

    def pooled(x):
        return anp.sum(anp.sin(anp.max(x, (1, 3))))

    top = x.max((1, 3), keepdims=True)
    wanted = np.where(x == top, np.cos(top), 0)
    found = np.asarray(anvl.jit(anvl.grad(pooled))(x))
    np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM, "float32"), atol=1e-6)
    assert "stablehlo.maximum across" not in anvl.jit(pooled).lower(x).mlir()


def test_a_small_reduction_is_one_loop_with_what_makes_its_elements():
    def f(x):
        return anp.sum(anp.sin(x)), anp.max(x), anp.all(anp.isfinite(x))

    x = np.linspace(0, 3, 1000, dtype=np.float32)
    compiled = anvl.jit(f).lower(x).compile()
    assert "reduce-window" not in compiled.hlo()
    total, largest, is_finite = compiled(x)
    np.testing.assert_allclose(total, np.sum(np.sin(np.float64(x))), rtol=rounding(PROGRAM, "f4"))
    assert (float(largest), bool(is_finite)) == (3, True)
    x[5] = np.nan
    assert [str(y) for y in compiled(x)] == ["nan", "nan", "False"]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_a_sum_in_one_loop_is_as_exact_as_one_that_is_divided(dtype):
    # 0.1 is added 3,600 times: in one sum the error of f32 would be 3,600 eps / 4.
    x = np.full((60, 60), 0.1, dtype)
    found = np.asarray(anvl.jit(lambda x: anp.sum(x))(x))
    error = abs(found / 3600 - x[0, 0]) / abs(x[0, 0])
    assert error <= 512 * np.finfo(dtype).eps
