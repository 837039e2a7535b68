"""Products of one matrix with each of a stack."""

import numpy as np
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.passes.lower.xla_cpu.shared_products import write_shared_products

TEXT = """func.func @main(%a: tensor<{a}x{e}>, %x: tensor<{x}x{e}>) -> tensor<{z}x{to}> {{
  %z = stablehlo.dot_general %a, %x, {numbers}{more}
      : (tensor<{a}x{e}>, tensor<{x}x{e}>) -> tensor<{z}x{to}>
  return %z : tensor<{z}x{to}>
}}"""


def written(a, x, z, numbers, e="f32", to="", more=""):
    """The program afterwards; a second time changes nothing."""
    names = {"a": a, "x": x, "z": z, "numbers": numbers, "e": e, "to": to or e, "more": more}
    module = parse(TEXT.format(**names))
    before = str(module)
    write_shared_products(module.operation)
    assert module.operation.verify()
    after = str(module)
    write_shared_products(module.operation)
    assert str(module) == after
    assert after.count("stablehlo.dot_general") == 1
    assert (after != before) == ("broadcast_in_dim" in after)
    return "" if after == before else after


@pytest.mark.parametrize(
    ("case", "product"),
    [
        # small
        (("4x4", "64x4x4", "4x64x4", "contracting_dims = [1] x [1]"),
         "batching_dims = [0] x [0], contracting_dims = [2] x [1]"),
        (("2x8", "64x2x16", "8x64x16", "contracting_dims = [0] x [1]", "f64"),
         "batching_dims = [0] x [0], contracting_dims = [1] x [1]"),
        (("3x4", "8x8x4x2", "3x8x8x2", "contracting_dims = [1] x [2]"),
         "batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]"),
        (("4x3", "8x8x4x2", "3x8x8x2", "contracting_dims = [0] x [2]"),
         "batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2]"),
        # of many columns
        (("48x48", "32x48x24", "48x32x24", "contracting_dims = [1] x [1]"),
         "batching_dims = [0] x [0], contracting_dims = [2] x [1]"),
        (("2x30", "4x8x30x100", "2x4x8x100", "contracting_dims = [1] x [2]"),
         "batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]"),
    ],
)  # fmt: skip
def test_the_matrix_is_repeated(case, product):
    assert product in written(*case)


@pytest.mark.parametrize(
    "case",
    [
        ("4x4", "63x4x4", "4x63x4", "contracting_dims = [1] x [1]"),  # few matrices
        ("9x9", "64x9x9", "9x64x9", "contracting_dims = [1] x [1]"),  # 729 products of numbers
        ("4x4", "64x4x4", "4x64x4", "contracting_dims = [1] x [2]"),  # transposed
        ("4x4", "64x4x4", "4x64x4", "contracting_dims = [1] x [1]", "bf16"),
        ("4x4", "64x4x4", "4x64x4", "contracting_dims = [1] x [1]", "i32"),
        ("4x4", "64x4x4", "4x64x4", "contracting_dims = [1] x [1]", "f32", "f64"),
        ("4x1", "64x1x4", "4x64x4", "contracting_dims = [1] x [1]"),
        ("1x4", "64x4x4", "1x64x4", "contracting_dims = [1] x [1]"),
        ("48x48", "32x48x23", "48x32x23", "contracting_dims = [1] x [1]"),
        ("49x48", "32x48x24", "49x32x24", "contracting_dims = [1] x [1]"),
        ("48x49", "32x49x24", "48x32x24", "contracting_dims = [1] x [1]"),
        ("48x48", "31x48x24", "48x31x24", "contracting_dims = [1] x [1]"),
        ("48x48", "48x768", "48x768", "contracting_dims = [1] x [0]"),
        ("4x4x2", "64x4x4", "4x2x64x4", "contracting_dims = [1] x [1]"),
        ("4x4", "64x4x4", "64", "contracting_dims = [0, 1] x [1, 2]"),
        ("64x4", "64x4x4", "64x4", "batching_dims = [0] x [0], contracting_dims = [1] x [1]"),
        ("4x?", "64x?x4", "4x64x4", "contracting_dims = [1] x [1]"),
    ],
)
def test_other_products_stay(case):
    assert not written(*case)


def test_products_of_many_columns_stay_beside_others():
    text = """func.func @main(%a: tensor<48x48xf32>, %x: tensor<32x48x48xf32>, %w: tensor<4x4xf32>,
        %y: tensor<64x4x4xf32>) -> (tensor<48x32x48xf32>, tensor<4x64x4xf32>) {
      %z = stablehlo.dot_general %a, %x, contracting_dims = [1] x [1]
          : (tensor<48x48xf32>, tensor<32x48x48xf32>) -> tensor<48x32x48xf32>
      %v = stablehlo.dot_general %w, %y, contracting_dims = [1] x [1]
          : (tensor<4x4xf32>, tensor<64x4x4xf32>) -> tensor<4x64x4xf32>
      return %z, %v : tensor<48x32x48xf32>, tensor<4x64x4xf32>
    }"""
    module = parse(text)
    write_shared_products(module.operation)
    after = str(module)
    assert "tensor<64x4x4xf32>, tensor<64x4x4xf32>" in after  # a small one is written
    assert "tensor<32x48x48xf32>, tensor<32x48x48xf32>" not in after


TRANSPOSED = """func.func @main(%a: tensor<3x4xf32>, %x: tensor<{x}xf32>) -> tensor<{z}xf32> {{
  %t = stablehlo.transpose %x, dims = {order} : (tensor<{x}xf32>) -> tensor<{t}xf32>
  %z = stablehlo.dot_general %a, %t, contracting_dims = [1] x [{axis}]
      : (tensor<3x4xf32>, tensor<{t}xf32>) -> tensor<{z}xf32>
  return %z : tensor<{z}xf32>
}}"""


@pytest.mark.parametrize(
    ("x", "order", "t", "axis", "z", "batch"),
    [
        ("64x4x5", "[1, 0, 2]", "4x64x5", 0, "3x64x5", "[0] x [0]"),
        ("8x16x4x5", "[1, 0, 2, 3]", "16x8x4x5", 2, "3x16x8x5", "[0, 1] x [1, 0]"),
        ("8x16x4x5", "[2, 1, 0, 3]", "4x16x8x5", 0, "3x16x8x5", "[0, 1] x [1, 0]"),
        ("64x4x5", "[2, 1, 0]", "5x4x64", 1, "3x5x64", None),  # the columns are not side by side
        ("64x5x4", "[0, 2, 1]", "64x4x5", 1, "3x64x5", None),
    ],
)
def test_a_transposed_stack_is_read_as_it_is(x, order, t, axis, z, batch):
    module = parse(TRANSPOSED.format(x=x, order=order, t=t, axis=axis, z=z))
    write_shared_products(module.operation)
    assert module.operation.verify()
    after = str(module)
    assert ("broadcast_in_dim" in after) == (batch is not None)
    assert batch is None or f"%arg1, batching_dims = {batch}, contracting_dims" in after


SIZES = [(4, 4, (100,), 4), (3, 2, (10, 20), 5), (32, 40, (5, 9), 30), (9, 9, (40,), 9)]


@pytest.mark.parametrize(("rows", "k", "stack", "columns"), SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_and_slopes_are_those_of_numpy(rows, k, stack, columns, dtype):
    draw = np.random.default_rng(0)
    a = draw.normal(size=(rows, k)).astype(dtype)
    x = draw.normal(size=(*stack, k, columns)).astype(dtype)
    b = draw.normal(size=(*stack, rows, columns)).astype(dtype)
    found = anvl.jit(anvl.value_and_grad(lambda a, x: anp.sum(b * (a @ x)), argnums=(0, 1)))(a, x)
    wide_a, wide_x, wide_b = (v.astype(np.float64) for v in (a, x, b))
    flat_x, flat_b = (v.reshape(-1, *v.shape[-2:]) for v in (wide_x, wide_b))
    of_a = np.einsum("nij,nkj->ik", flat_b, flat_x)
    of_x = wide_a.T @ wide_b
    assert_close(found[0], np.sum(wide_b * (wide_a @ wide_x)), PROGRAM)
    for one, wanted in zip(found[1], (of_a, of_x), strict=True):
        assert_close(one, wanted.astype(dtype), PROGRAM)
