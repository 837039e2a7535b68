"""Quotients by one large value, which XLA makes products with a reciprocal that is 0."""

import re

import ml_dtypes
import numpy as np
import pytest
from tolerances import FORMULA, assert_close, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

#: Numbers without a reciprocal in the numbers that the CPU computes with, by their dtype.
NUMBERS = [
    ("float32", 3e38), ("float32", -9e37), ("float32", 1.0),
    ("float64", 1e308), ("float64", -5e307), ("float64", 1.0),
    (ml_dtypes.bfloat16, 3e38), (ml_dtypes.bfloat16, 1.0),
    ("float16", 6e4), ("float16", -1e-6), ("float16", 1.0),
]  # fmt: skip


def quotients(w, v):
    """w / w in the ways in which XLA may find that the divisor is one value; v is that value."""
    dtype, s, row = w.dtype, w[0, 0], w[0]
    rows = np.full((1, w.shape[1]), v, np.asarray(v).dtype)
    return [
        w / s,
        w / row,
        w / w[:, :1],
        w / anp.where(s > 0, anp.max(w), anp.min(w)),
        w / -anp.broadcast_to(-s, w.shape),
        w / (anp.broadcast_to(s, w.shape) * anp.ones(w.shape, dtype)),
        w / v,
        w / rows,
        w / np.concatenate([rows, rows / 2, rows])[:1],  # a literal that is no splat
        w / anp.broadcast_to(v, w.shape),
        s / v,
        w / (anp.asarray(v) * anp.ones((), dtype)),
        anvl.fori_loop(0, 2, lambda i, x: x / s * w, w) / w,
        anvl.fori_loop(0, 2, lambda i, x: x / v * w, w) / w,
        anvl.jit(lambda w, s: w / s)(w, v),
    ]


@pytest.mark.sweep(keep=0)
def test_large_numbers_over_themselves_are_one():
    arrays = [np.full((3, 4), v, dtype) for dtype, v in NUMBERS]
    found = anvl.jit(lambda ws: [quotients(w, a[0, 0]) for w, a in zip(ws, arrays, strict=True)])
    for (dtype, v), ys in zip(NUMBERS, found(arrays), strict=True):
        wrong = [i for i, y in enumerate(ys) if (np.asarray(y).astype("float64") != 1).any()]
        assert not wrong, f"{dtype} {v}: {wrong}"


def test_what_is_not_finite_and_what_is_zero_is_divided_as_ever():
    x = np.array([0, -0.0, 2e5, -3e38, np.inf, -np.inf, np.nan], "float32")
    divisors = np.array([0, -0.0, np.inf, -np.inf, np.nan, 3e38, 1e-30, -2], "float32")

    def divided(x, ss):
        return [[x / s for s in ss], [x / s for s in divisors]]

    with np.errstate(all="ignore"):
        wanted = [x / s for s in divisors]
    for found in anvl.jit(divided)(x, list(divisors)):
        for y, z, s in zip(found, wanted, divisors, strict=True):
            np.testing.assert_allclose(np.asarray(y), z, rtol=rounding(FORMULA, x), err_msg=str(s))


@pytest.mark.parametrize(
    ("dtype", "large", "small"), [("c8", 3e38, 2e-38), ("c16", 1.5e308, 3e-308)]
)
def test_complex_numbers_over_a_literal_are_as_over_an_argument(dtype, large, small):
    middle, inf, nan = large**0.5, np.inf, np.nan
    zs = [1 + 2j, complex(large, large / 2), complex(middle, -middle)]
    zs = np.array([*zs, complex(inf, 1), complex(1, -inf), complex(inf, inf), 0, small, nan], dtype)
    ws = [0j, large, complex(0, large), complex(large, -large), small, complex(0, small)]
    ws = [*ws, complex(small, small), inf, complex(0, inf), complex(0, nan)]
    ws = np.array(ws, dtype)

    def both(zs, arguments):
        looped = anvl.fori_loop(0, 3, lambda i, z: z / ws[0], zs)
        return [zs / w for w in ws], [zs / w for w in arguments], looped

    literals, arguments, looped = anvl.jit(both)(zs, list(ws))
    for w, found, wanted in zip(ws, literals, arguments, strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted), err_msg=str(w))
    with np.errstate(all="ignore"):
        for found in (literals[0], looped):
            np.testing.assert_array_equal(np.asarray(found), zs / ws[0])


def test_ordinary_complex_literals_stay_literals():
    text = """func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
      %y = stablehlo.constant dense<[(1.0, -2.0e-9), (0x7F800000, 3.0)]> : tensor<2xcomplex<f32>>
      %z = "anvl.div"(%x, %y)
        : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
      return %z : tensor<2xcomplex<f32>>
    }"""
    assert "clamp" not in lowered(text)
    once = lowered(text.replace("2.0e-9", "0.0").replace("1.0,", "0.0,"))
    assert once.count("clamp") == 1
    assert lowered(once) == once


def test_a_slope_of_large_numbers_over_their_largest():
    w = np.array([1e38, 3e38, 2e38], "float32")

    def scaled(w):
        u = w / anp.max(w)
        return anp.sum(u * u * np.float32(2.0**120))

    slope = np.asarray(anvl.jit(anvl.grad(scaled))(w)).astype("float64")
    a, m = w.astype("float64"), 3e38
    wanted = 2 * a / m**2 * (np.arange(3) != 1) - (np.arange(3) == 1) * 2 * 5e76 / m**3
    assert_close(slope / (wanted * 2.0**120), np.ones(3, "float32"), FORMULA)


OF = "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"


@pytest.mark.parametrize(
    ("divisor", "is_guarded"),
    [
        ("stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>", True),
        ("stablehlo.negate %splat : tensor<2xf32>", True),
        ("stablehlo.maximum %splat, %three : tensor<2xf32>", True),
        ("stablehlo.select %is_less, %splat, %three : tensor<2xi1>, tensor<2xf32>", True),
        ("stablehlo.constant dense<[3.0, -2.0e38]> : tensor<2xf32>", True),
        ("stablehlo.constant dense<-2.0e38> : tensor<2xf32>", True),
        ("stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf32>", False),
        ("stablehlo.negate %x : tensor<2xf32>", False),
        ("stablehlo.maximum %x, %splat : tensor<2xf32>", False),
        ("stablehlo.sqrt %splat : tensor<2xf32>", False),
        ("stablehlo.convert %counts : (tensor<2xi64>) -> tensor<2xf32>", False),
        ("stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<2xf32>", False),
    ],
)
def test_only_one_value_that_may_be_large_is_scaled_and_once(divisor, is_guarded):
    text = f"""
    func.func @main(%x: tensor<2xf32>, %s: tensor<f32>, %n: tensor<i64>)
        -> (tensor<2xf32>, tensor<2xf32>) {{
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %three = stablehlo.constant dense<3.0> : tensor<2xf32>
      %splat = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %counts = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i64>) -> tensor<2xi64>
      %is_less = stablehlo.compare LT, %three, %splat : {OF[:-4]}i1>
      %y = {divisor}
      %z = "anvl.div"(%x, %y) : {OF}
      %u = "anvl.div"(%three, %y) : {OF}
      return %z, %u : tensor<2xf32>, tensor<2xf32>
    }}"""
    once = lowered(text)
    assert once.count("stablehlo.reduce_precision") == 2 * is_guarded
    assert once.count("stablehlo.abs") == is_guarded  # both share what is scaled
    assert lowered(once) == once
    assert "reduce_precision" not in lowered(text, "cuda")


def test_half_precision_is_divided_in_single_precision_and_once():
    text = """func.func @main(%x: tensor<2xf16>, %s: tensor<f16>) -> tensor<2xf16> {
      %y = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f16>) -> tensor<2xf16>
      %z = "anvl.div"(%x, %y) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
      return %z : tensor<2xf16>
    }"""
    once = lowered(text)
    assert re.search(r"stablehlo.divide .* : tensor<2xf32>", once)
    assert lowered(once) == once
    for number, is_widened in (("3.0", False), ("6.0e-05", True), ("6.0e+04", True)):
        start, _, end = text.partition("broadcast_in_dim %s, dims = [] : (tensor<f16>) -> ")
        literal = lowered(f"{start}constant dense<{number}> : {end}")
        assert ("f32" in literal) == is_widened


def test_branches_read_nothing_of_each_other():
    branch = f'{{ %0 = "anvl.div"(%x, %y) : {OF} \n stablehlo.return %0 : tensor<2xf32> }}'
    text = f"""
    func.func @main(%c: tensor<i1>, %x: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xf32> {{
      %y = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %u = "stablehlo.if"(%c) ({branch}, {branch}) : (tensor<i1>) -> tensor<2xf32>
      %z = "anvl.div"(%u, %y) : {OF}
      return %z : tensor<2xf32>
    }}"""
    assert lowered(text).count("stablehlo.abs") == 3  # a factor for each block


def lowered(text, platform="cpu"):
    module = ir.Module.parse(text, context())
    Pipeline([LowerToStablehlo(platform)]).run(module, verify_each=True)
    return module.operation.get_asm()
