"""Products of a transposed matrix, one of whose operands has few columns."""

import numpy as np
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.passes.lower.xla_cpu.thin_products import write_thin_products

TEXT = """func.func @main(%x: tensor<{x}x{e}>, %y: tensor<{y}x{e}>) -> tensor<{z}x{e}> {{
  {before}%z = stablehlo.dot_general %{of}, %y, {numbers}
      : (tensor<{x}x{e}>, tensor<{y}x{e}>) -> tensor<{z}x{e}>
  return %z : tensor<{z}x{e}>
}}"""
TRANSPOSED = "contracting_dims = [0] x [0]"


def barriers(x, y, z, numbers=TRANSPOSED, e="f32", before="", of="x"):
    """The number of barriers afterwards; a second time changes nothing."""
    names = {"x": x, "y": y, "z": z, "numbers": numbers, "e": e, "before": before, "of": of}
    module = parse(TEXT.format(**names))
    write_thin_products(module.operation)
    assert module.operation.verify()
    after = str(module)
    write_thin_products(module.operation)
    assert str(module) == after
    assert after.count("stablehlo.dot_general") == 1
    return after.count("stablehlo.optimization_barrier")


@pytest.mark.parametrize(
    ("case", "n_barriers"),
    [
        (("256x256", "256x64", "256x64"), 2),
        (("256x256", "256x2", "256x2"), 2),
        (("300x512", "300x10", "512x10", TRANSPOSED, "f64"), 2),
        (("512x10", "512x512", "10x512", TRANSPOSED, "f64"), 1),
        (("8x64x256", "8x64x10", "256x10", "contracting_dims = [0, 1] x [0, 1]"), 2),
        (("8x32x256", "8x32x10", "8x256x10",
          "batching_dims = [0] x [0], contracting_dims = [1] x [1]"), 2),
    ],
)  # fmt: skip
def test_the_smaller_operand_is_transposed(case, n_barriers):
    assert barriers(*case) == n_barriers


@pytest.mark.parametrize(
    "case",
    [
        ("256x255", "256x10", "255x10"),  # few numbers
        ("256x256", "256x65", "256x65"),  # as many columns
        ("4096x36", "4096x10", "36x10"),
        ("256x256", "256x1", "256x1"),
        ("256x256", "256", "256"),
        ("1x65536", "1x10", "65536x10"),
        ("512x10", "512x512", "10x512"),  # f32
        ("512x10", "512x511", "10x511", TRANSPOSED, "f64"),
        ("256x256", "256x10", "256x10", TRANSPOSED, "bf16"),
        ("256x256", "256x10", "256x10", TRANSPOSED, "i32"),
        ("256x256", "256x10", "256x10", "contracting_dims = [1] x [0]"),
        ("256x256", "10x256", "256x10", "contracting_dims = [0] x [1]"),
        ("64x8x256", "8x64x10", "256x10", "contracting_dims = [1, 0] x [0, 1]"),
        ("64x8x256", "8x64x10", "256x10", "contracting_dims = [0, 1] x [1, 0]"),
        ("256x4x64", "256x10", "4x64x10"),
        ("?x256", "?x10", "256x10"),
    ],
)
def test_other_products_stay(case):
    assert barriers(*case) == 0


def test_what_is_transposed_already_stays():
    """A transposition back would be a second name of its array: Note [One name for a buffer]."""
    before = "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<{0}>) -> tensor<{0}>\n"
    case = "256x256", "256x10", "256x10", TRANSPOSED, "f32"
    assert barriers(*case, before.format("256x256xf32"), "t") == 0
    reshaped = before + (
        "%f = stablehlo.reshape %t : (tensor<{0}>) -> tensor<65536xf32>\n"
        "%r = stablehlo.reshape %f : (tensor<65536xf32>) -> tensor<{0}>\n"
    )
    assert barriers(*case, reshaped.format("256x256xf32"), "r") == 0


def test_products_in_loops_stay():
    text = """func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x10xf32>, %go: tensor<i1>)
        -> tensor<256x10xf32> {
      %r = "stablehlo.if"(%go) ({
        %z = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
            : (tensor<256x256xf32>, tensor<256x10xf32>) -> tensor<256x10xf32>
        stablehlo.return %z : tensor<256x10xf32>
      }, {
        stablehlo.return %y : tensor<256x10xf32>
      }) : (tensor<i1>) -> tensor<256x10xf32>
      return %r : tensor<256x10xf32>
    }"""
    module = parse(text)
    before = str(module)
    write_thin_products(module.operation)
    assert str(module) == before


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("x", "y", "of"),
    [
        ((300, 512), (300, 7), "ki,kj->ij"),
        ((520, 9), (520, 600), "ki,kj->ij"),
        ((3, 200, 200), (3, 200, 5), "bki,bkj->bij"),
        ((3, 100, 300), (3, 100, 5), "abi,abj->ij"),
    ],
)
def test_results_are_those_of_numpy(x, y, of, dtype):
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=x).astype(dtype), draw.normal(size=y).astype(dtype)
    wanted = np.einsum(of, x.astype(np.float64), y.astype(np.float64)).astype(dtype)
    assert_close(anvl.jit(lambda x, y: anp.einsum(of, x, y))(x, y), wanted, PROGRAM)


def test_what_reads_the_result_and_the_operands_reads_what_they_are():
    """Also where a buffer might be written over: the product of a computed operand, used twice."""
    draw = np.random.default_rng(0)
    x, w = draw.normal(size=(400, 300)), draw.normal(size=(300, 6))

    def step(w, x):
        y = anp.tanh(x @ w)
        slope = anp.sin(x).T @ y
        return w - slope, anp.flip(y) + y, slope * 2

    y = np.tanh(x @ w)
    slope = np.sin(x).T @ y
    wanted = w - slope, np.flip(y) + y, slope * 2
    for found, one in zip(anvl.jit(step)(w, x), wanted, strict=True):
        assert_close(found, one, PROGRAM)


def test_a_step_on_donated_weights():
    draw = np.random.default_rng(0)
    x, w = draw.normal(size=(400, 300)), draw.normal(size=(300, 6))
    given = anp.asarray(w)
    for _ in range(3):
        given = anvl.jit(lambda w, x: w - 0.001 * (x.T @ (x @ w)), donate="w")(given, x)
        w = w - 0.001 * (x.T @ (x @ w))
    assert_close(given, w, PROGRAM)
