"""Sorts by packed integers are the sorts of StableHLO, bit for bit."""

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

BFLOAT16 = ml_dtypes.bfloat16
FLOATS = ["float32", "float16", BFLOAT16]
INTS = ["int8", "int16", "int32", "uint8", "uint16", "uint32", "bool"]
SHAPE, AXIS = (2, 40, 2), 1


def numbers(dtype):
    """Numbers with every tie that there is: zeros of both signs, NaN of several kinds, repeats."""
    x = np.random.default_rng(0).normal(0, 3, SHAPE)
    if dtype in INTS:
        x = x.astype("int64").astype(dtype)
        if dtype != "bool":
            x[0, :2, 0] = np.iinfo(dtype).max, np.iinfo(dtype).min
        return x
    x[0, :12, 0] = [0, -0.0, 0, np.nan, -np.nan, np.inf, -np.inf, np.nan, 1, -1, 1e-7, -1e-7]
    x[1, :, 1] = x[1, :, 0]
    x = x.astype(dtype)
    bits = x.view(f"uint{8 * x.itemsize}")
    bits[0, 3, 0] += 1  # a NaN with other bits
    bits[0, 22, 0] = bits[0, 5, 0] + 1  # the one next to infinity
    bits[0, 20, :], bits[0, 21, :] = 1, 2  # subnormal
    return x


def sorted_with_places(x, descending):
    return anp.sort(x, AXIS, descending=descending), anp.argsort(x, AXIS, descending=descending)


def lowered(f, *xs, platform="cpu"):
    module = parse(anvl.trace(f, *(anvl.aval(x.dtype, x.shape) for x in xs)).mlir())
    Pipeline([LowerToStablehlo(platform), "cse"]).run(module)
    return module


def bits_of(found):
    return [np.ascontiguousarray(y).tobytes() for y in found]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTS])
def test_the_interpreter_finds_the_same_bits(dtype, descending):
    x = numbers(dtype)

    def both(x):
        return sorted_with_places(x, descending)

    modules = [lowered(both, x, platform=p) for p in ("cpu", "cuda")]
    packed = [str(module).count("shift_left") for module in modules]
    assert packed == [1, 0]  # one for the values and the places
    found, wanted = (bits_of(interpreter().run(module, [[x]])[0]) for module in modules)
    assert found == wanted


def test_xla_finds_the_same_bits():
    xs = [numbers(dtype) for dtype in (*FLOATS, "int32", "uint32")]

    def all_of_them(xs):
        return [sorted_with_places(x, d) for x in xs for d in (False, True)]

    found = anvl.jit(all_of_them)(xs)
    for i, (values, places) in enumerate(found):
        x = xs[i // 2]
        (wanted,) = interpreter().run(
            lowered(lambda x, i=i: sorted_with_places(x, bool(i % 2)), x, platform="cuda"), [[x]]
        )
        np.testing.assert_array_equal(np.asarray(places), wanted[1])
        moved = np.take_along_axis(x, wanted[1], AXIS)  # with the bits of each NaN
        assert bits_of([np.asarray(values)]) == bits_of([moved])


def test_other_arrays_are_sorted_alongside():
    x, y, z = numbers("float32"), numbers("int8"), np.arange(160.0).reshape(SHAPE)

    def alongside(x, y, z):
        by_x = anp.argsort(x, AXIS)
        return [anp.take_along_axis(v, by_x, AXIS) for v in (y, z)]

    text = """
func.func @main(%x: tensor<2x40x2xf32>, %y: tensor<2x40x2xi8>, %z: tensor<2x40x2xf64>)
    -> (tensor<2x40x2xi8>, tensor<2x40x2xf64>, tensor<2x40x2xi32>) {
  %w = stablehlo.iota dim = 2 : tensor<2x40x2xi32>
  %o:4 = "stablehlo.sort"(%x, %y, %z, %w) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i8>, %d: tensor<i8>, %e: tensor<f64>,
       %f: tensor<f64>, %g: tensor<i32>, %h: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %number = stablehlo.compare EQ, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %number, %nan : tensor<i1>
    %before = stablehlo.or %less, %both : tensor<i1>
    stablehlo.return %before : tensor<i1>
  }) : (tensor<2x40x2xf32>, tensor<2x40x2xi8>, tensor<2x40x2xf64>, tensor<2x40x2xi32>)
    -> (tensor<2x40x2xf32>, tensor<2x40x2xi8>, tensor<2x40x2xf64>, tensor<2x40x2xi32>)
  return %o#1, %o#2, %o#3 : tensor<2x40x2xi8>, tensor<2x40x2xf64>, tensor<2x40x2xi32>
}"""
    module = parse(text)
    Pipeline([LowerToStablehlo()]).run(module)
    assert str(module).count('"stablehlo.gather"') == 4
    ((*found, counted),) = interpreter().run(module, [[x, y, z]])
    (wanted,) = interpreter().run(lowered(alongside, x, y, z, platform="cuda"), [[x, y, z]])
    assert bits_of(found) == bits_of(wanted)
    np.testing.assert_array_equal(counted, np.broadcast_to([0, 1], SHAPE))  # along another axis


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_derivative_needs_no_sort_of_its_own(dtype):
    x = np.random.default_rng(0).permutation(64).astype(dtype)
    for f in (anp.sort, anp.median, lambda x: anp.quantile(x, anp.array([0.2, 0.7], dtype))):
        low = anvl.jit(anvl.value_and_grad(lambda x, f=f: anp.sum(anp.sin(f(x))))).lower(x)
        assert low.mlir().count('"stablehlo.sort"') == 1


def test_the_sort_of_the_derivative_has_the_values_of_every_array():
    x, y = np.random.default_rng(0).permutation(80).astype("float64").reshape(2, 40) / 10
    weights = np.arange(40.0)

    def loss(x, y):
        first = {"dimension": 0, "comparator": lambda x, z, *_: x < z}
        a, b = anvl.prim.sort(x, y, **first)
        return anp.sum(weights * anp.sin(a) + anp.exp(-b)), (a, b)

    order = np.argsort(x)
    dx, dy = np.empty(40), -np.exp(-y)
    dx[order] = weights * np.cos(x[order])
    program = anvl.jit(anvl.value_and_grad(loss, (0, 1), has_aux=True))
    assert program.lower(x, y).mlir().count('"stablehlo.sort"') == 1
    (_, moved), gradient = program(x, y)
    for found, wanted in zip((*moved, *gradient), (x[order], y[order], dx, dy), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM, "float64"))
    ends = anvl.jvp(lambda x, y: loss(x, y)[1], (x, y), (np.ones(40), y))
    for found, wanted in zip((*ends[0], *ends[1]), (x, y, np.ones(40), y), strict=True):
        np.testing.assert_array_equal(found, wanted[order])


OTHERS = {
    "long numbers": lambda x: anp.sort(anp.concatenate([x, x]).astype("float64")),
    "few elements": lambda x: anp.argsort(x[:31]),
    "few elements, alone": lambda x: anp.sort(anp.concatenate([x, x, x, x[:39]])),
    "integers alone": lambda x: anp.sort(anp.concatenate([x, x]).astype("int32")),
    "two keys": lambda x: anp.lexsort((x, anp.sin(x))),
    "complex numbers": lambda x: anp.sort(x + 1j * x),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_sorts_are_left_alone(what):
    module = lowered(OTHERS[what], np.zeros(40, "float32"))
    assert "shift_left" not in str(module)


@pytest.mark.parametrize("compared", ["NE, %a, %a", "NE, %b, %a", "EQ, %b, %b"])
def test_another_place_of_nan_is_left_alone(compared):
    module = parse(f"""
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {{
  %o = "stablehlo.sort"(%x) <{{dimension = 0 : i64}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %number = stablehlo.compare EQ, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare {compared} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %number, %nan : tensor<i1>
    %before = stablehlo.or %less, %both : tensor<i1>
    stablehlo.return %before : tensor<i1>
  }}) : (tensor<40xf32>) -> tensor<40xf32>
  return %o : tensor<40xf32>
}}""")
    Pipeline([LowerToStablehlo()]).run(module)
    assert "shift_left" not in str(module)


@pytest.mark.parametrize("order", ["GT, %a, %b", "LT, %a, %a", "LE, %a, %b", "LT, %c, %d"])
def test_another_order_is_left_alone(order):
    kind = "f32" if "%a" in order else "i32"
    module = parse(f"""
func.func @main(%x: tensor<40xf32>, %y: tensor<40xi32>) -> (tensor<40xf32>, tensor<40xi32>) {{
  %o:2 = "stablehlo.sort"(%x, %y) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %before = stablehlo.compare {order} : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
    stablehlo.return %before : tensor<i1>
  }}) {{dimension = 0 : i64}} : (tensor<40xf32>, tensor<40xi32>) -> (tensor<40xf32>, tensor<40xi32>)
  return %o#0, %o#1 : tensor<40xf32>, tensor<40xi32>
}}""")
    Pipeline([LowerToStablehlo()]).run(module)
    assert "shift_left" not in str(module)


def test_a_packed_sort_stays_as_it_is():
    module = lowered(lambda x: sorted_with_places(x, False), numbers("float32"))
    once = str(module)
    Pipeline([LowerToStablehlo()]).run(module)
    assert str(module) == once
