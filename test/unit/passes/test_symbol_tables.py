"""Rules find the functions of their own module: Note [Functions with rules]."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from anvl.dialect import parse
from anvl.passes.framework.pipeline import Pipeline

#: `@f` is a sum whose derivative is by its own rule.
SUM = """
func.func private @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32>
    attributes {anvl.custom_jvp = {rule = @rule, wrt = array<i64: 0, 1>}} {
  %0 = "anvl.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @rule(%a: tensor<f32>, %b: tensor<f32>, %y: tensor<f32>, %s: tensor<f32>,
                        %t: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.add"(%s, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""

CALL = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = func.call @f(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  })"""

#: Ops whose body calls `@f`, and what can be differentiated of their operands.
BODIES = {
    "reduce": (
        f"""
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {{
  %0 = "stablehlo.reduce"(%x, %i) {CALL} {{dimensions = array<i64: 0>}}
    : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}}""",
        "0,1",
    ),
    "map": (
        f"""
func.func @main(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<f32> {{
  %0 = "stablehlo.map"(%x, %z) {CALL} {{dimensions = array<i64: 0>}}
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "anvl.sum"(%0) {{axes = array<i64: 0>}} : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}}""",
        "0,1",
    ),
    "reduce_window": (
        f"""
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {{
  %0 = "stablehlo.reduce_window"(%x, %i) {CALL} {{window_dimensions = array<i64: 2>}}
    : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = "anvl.sum"(%0) {{axes = array<i64: 0>}} : (tensor<3xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}}""",
        "0",
    ),
    "scatter": (
        f"""
func.func @main(%x: tensor<4xf32>, %u: tensor<2xf32>, %at: tensor<2x1xi32>) -> tensor<f32> {{
  %0 = "stablehlo.scatter"(%x, %at, %u) {CALL} {{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}}
    : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
  %2 = "anvl.sum"(%0) {{axes = array<i64: 0>}} : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}}""",
        "0,1",
    ),
    "select_and_scatter": (
        f"""
func.func @main(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<f32>) -> tensor<f32> {{
  %0 = "stablehlo.select_and_scatter"(%x, %u, %i) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = "anvl.compare"(%a, %b) {{comparison_direction = #stablehlo<comparison_direction GE>}}
      : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }}, {CALL[1:]} {{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}}
    : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "anvl.sum"(%0) {{axes = array<i64: 0>}} : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}}""",
        "1,2",
    ),
}


@pytest.mark.parametrize("op", BODIES)
@pytest.mark.parametrize("mode", ["gradient", "forward", "vectorize"])
def test_the_body_of_an_op_calls_functions_with_rules(op, mode):
    text, wrt = BODIES[op]
    options = "size=3" if mode == "vectorize" else f"wrt={wrt}"
    module = parse(SUM + text)
    Pipeline([f"anvl-{mode}{{function=main {options}}}"]).run(module, verify_each=True)
    suffix = {"gradient": "adjoint", "forward": "tangent", "vectorize": "batched"}[mode]
    assert f"@main_{suffix}(" in str(module)


def scaled(k):
    """`@main` calls `@f`, which is the identity, with a derivative of k."""
    return f"""
func.func @main(%x: tensor<f32>) -> tensor<f32> {{
  %0 = call @f(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}}
func.func private @f(%x: tensor<f32>) -> tensor<f32>
    attributes {{anvl.custom_jvp = {{rule = @rule, wrt = array<i64: 0>}}}} {{
  return %x : tensor<f32>
}}
func.func private @rule(%x: tensor<f32>, %y: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {{
  %k = "anvl.constant"() {{value = dense<{k}.0> : tensor<f32>}} : () -> tensor<f32>
  %0 = "anvl.mul"(%k, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}}"""


def test_modules_that_threads_differentiate_do_not_meet():
    passes = ["anvl-gradient{function=main}", "anvl-inline"]

    def differentiated(k):
        module = parse(scaled(k))
        Pipeline(passes).run(module)
        return str(module)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(differentiated, range(2, 34)))
    for k, text in enumerate(found, 2):
        assert text == differentiated(k) and text.count(f"dense<{float(k):e}") == 1
