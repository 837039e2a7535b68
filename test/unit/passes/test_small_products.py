"""Products of many small matrices, as sums of elementwise products."""

import numpy as np
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.passes.lower.xla_cpu import small_products
from anvl.passes.lower.xla_cpu.small_products import write_small_products

TEXT = """func.func @main(%x: tensor<{x}x{e}>, %y: tensor<{y}x{e}>) -> tensor<{z}x{to}> {{
  %z = stablehlo.dot_general %x, %y, {numbers}{more}
      : (tensor<{x}x{e}>, tensor<{y}x{e}>) -> tensor<{z}x{to}>
  return %z : tensor<{z}x{to}>
}}"""
LOOP = """func.func @main(%x: tensor<BATCHx3x3xf32>, %n: tensor<i32>) -> tensor<BATCHx3x3xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<BATCHx3x3xf32>
    cond {
      %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %z = stablehlo.dot_general %y, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1]
          : (tensor<BATCHx3x3xf32>, tensor<BATCHx3x3xf32>) -> tensor<BATCHx3x3xf32>
      stablehlo.return %j, %z : tensor<i32>, tensor<BATCHx3x3xf32>
    }
  return %r#1 : tensor<BATCHx3x3xf32>
}"""
FIRST = "batching_dims = [0] x [0], contracting_dims = "


def is_written(text):
    """Whether a product is written elementwise; a second time changes nothing."""
    module = parse(text)
    write_small_products(module.operation)
    assert module.operation.verify()
    after = str(module)
    write_small_products(module.operation)
    assert str(module) == after
    assert ("stablehlo.dot_general" in after) != ("stablehlo.multiply" in after)
    return "stablehlo.multiply" in after


def one(x, y, z, numbers, e="f32", to="", more=""):
    names = {"x": x, "y": y, "z": z, "numbers": numbers, "e": e, "to": to or e, "more": more}
    return is_written(TEXT.format(**names))


@pytest.mark.parametrize(
    "case",
    [
        ("64x4x4", "64x4x4", "64x4x4", FIRST + "[2] x [1]"),
        ("64x3x4", "64x4x2", "64x3x2", FIRST + "[2] x [1]", "f64"),
        ("64x8x8", "64x8x8", "64x8x8", FIRST + "[2] x [2]"),  # 512 products
        ("64x16x16", "64x16x16", "64x16x16", FIRST + "[1] x [1]"),  # 4,096, transposed
        ("8x8x2x2", "8x8x2x2", "8x8x2x2", "batching_dims = [0, 1] x [0, 1], "
         "contracting_dims = [3] x [2]"),
    ],
)  # fmt: skip
def test_batches_of_small_matrices_are_written_elementwise(case):
    assert one(*case)


@pytest.mark.parametrize(
    "case",
    [
        ("63x4x4", "63x4x4", "63x4x4", FIRST + "[2] x [1]"),  # few matrices
        ("64x8x8", "64x8x9", "64x8x9", FIRST + "[2] x [1]"),  # 576 products
        ("64x16x16", "64x16x17", "64x16x17", FIRST + "[1] x [1]"),
        ("64x17x2", "64x17x2", "64x2x2", FIRST + "[1] x [1]"),  # a long sum
        ("64x4x4", "64x4", "64x4", FIRST + "[2] x [1]"),  # vectors
        ("64x4x4", "64x4x1", "64x4x1", FIRST + "[2] x [1]"),
        ("64x1x4", "64x4x4", "64x1x4", FIRST + "[2] x [1]"),
        ("64x4x1", "64x1x4", "64x4x4", FIRST + "[2] x [1]"),
        ("64x2x2x2", "64x2x2x2", "64x2x2", FIRST + "[2, 3] x [1, 2]"),
        ("64x2x2x2", "64x2x2", "64x2x2x2", FIRST + "[3] x [1]"),
        ("4x64x4", "64x4x4", "64x4x4", "batching_dims = [1] x [0], contracting_dims = [2] x [1]"),
        ("64x4", "4x64", "64x64", "contracting_dims = [1] x [0]"),
        ("64x4x4", "64x4x4", "64x4x4", FIRST + "[2] x [1]", "i32"),
        ("64x4x4", "64x4x4", "64x4x4", FIRST + "[2] x [1]", "bf16"),
        ("64x4x4", "64x4x4", "64x4x4", FIRST + "[2] x [1]", "f32", "f64"),
        ("?x4x4", "?x4x4", "?x4x4", FIRST + "[2] x [1]"),
        ("64x4x4", "64x4x4", "64x4x4", FIRST + "[2] x [1]", "f32", "", ", algorithm = "
         "<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, "
         "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
         "allow_imprecise_accumulation = false>"),
    ],
)  # fmt: skip
def test_other_products_stay(case):
    assert not one(*case)


def test_few_matrices_are_enough_in_a_loop():
    assert is_written(LOOP.replace("BATCH", "8"))
    assert not is_written(LOOP.replace("BATCH", "7"))


def test_barriers_are_behind_products_that_run_once():
    case = {"x": "64x4x4", "y": "64x4x4", "z": "64x4x4", "e": "f32", "to": "f32", "more": ""}
    for text, count in (
        (TEXT.format(numbers=FIRST + "[2] x [1]", **case), 1),
        (LOOP.replace("BATCH", "64"), 0),
    ):
        module = parse(text)
        write_small_products(module.operation)
        assert str(module).count("optimization_barrier") == count


def chain(count, n_matrices, k, of="[2] x [1]"):
    """The ops of a chain of products afterwards: products, reductions, multiplications."""
    type_ = f"tensor<{n_matrices}x{k}x{k}xf32>"
    lines = [
        f"%{i + 1} = stablehlo.dot_general %{i}, %{i}, {FIRST}{of} : ({type_}, {type_}) -> {type_}"
        for i in range(count)
    ]
    body = "\n".join(lines)
    module = parse(
        f"func.func @main(%0: {type_}) -> {type_} {{ {body} return %{count} : {type_} }}"
    )
    write_small_products(module.operation)
    assert module.operation.verify()
    names = "dot_general", "reduce(", "multiply %"
    return tuple(str(module).count(f"stablehlo.{name}") for name in names)


def test_many_products_are_sums_along_an_axis():
    assert chain(64, 64, 4) == (0, 0, 256)
    assert chain(65, 64, 4) == (0, 65, 65)
    assert chain(33, 64, 8, "[1] x [1]") == (0, 33, 33)
    assert chain(33, 64, 8, "[2] x [2]") == (33, 0, 0)  # a call of YNNPACK already
    assert chain(129, 64, 2) == (129, 0, 0)  # too few numbers for one


@pytest.mark.parametrize("most", [256, 0], ids=["terms", "sum"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("x", "y", "of"),
    [
        ((70, 3, 4), (70, 4, 5), "bik,bkj->bij"),
        ((70, 4, 3), (70, 4, 5), "bki,bkj->bij"),
        ((70, 3, 4), (70, 5, 4), "bik,bjk->bij"),
        ((70, 4, 3), (70, 5, 4), "bki,bjk->bij"),
        ((5, 14, 3, 4), (5, 14, 4, 2), "abik,abkj->abij"),
    ],
)
def test_results_are_those_of_numpy(x, y, of, dtype, most, monkeypatch):
    monkeypatch.setattr(small_products, "_MOST_TERMS", most)
    monkeypatch.setattr(small_products, "_FEWEST_ADDED", 0)
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=x).astype(dtype), draw.normal(size=y).astype(dtype)
    compiled = anvl.jit(lambda x, y: anp.einsum(of, x, y)).lower(x, y).compile()
    assert " dot(" not in compiled.hlo()
    wanted = np.einsum(of, x.astype(np.float64), y.astype(np.float64)).astype(dtype)
    assert_close(compiled(x, y), wanted, PROGRAM)


def test_what_is_not_finite_stays_in_its_row_and_column():
    x, y = np.ones((64, 3, 4)), np.ones((64, 4, 3))
    x[0, 1, 2], x[5, 0, 0], y[7, 3, 2] = np.nan, np.inf, -np.inf
    x[9, 0, 0], y[9, 0, 1], x[9, 2, 1], y[9, 1, 2] = np.inf, 0, np.inf, -np.inf
    with np.errstate(all="ignore"):
        wanted = x @ y
    np.testing.assert_array_equal(np.asarray(anvl.jit(anp.matmul)(x, y)), wanted)


def test_chains_and_their_derivatives():
    x = np.random.default_rng(0).normal(size=(64, 4, 4))

    def trace(x):
        return anp.trace(x @ x @ x @ x)

    found = anvl.jit(anvl.vmap(anvl.grad(trace)))(x)
    assert_close(found, 4 * np.swapaxes(x @ x @ x, 1, 2), PROGRAM)
