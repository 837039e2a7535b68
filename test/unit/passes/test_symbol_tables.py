"""Rules find the functions of their own module: Note [Functions with rules]."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect import PassError, parse
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

#: Its derivative needs the result of the call.
CALL = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = func.call @f(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %2 = "anvl.mul"(%1, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%2) : (tensor<f32>) -> ()
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


@anvl.custom_jvp
def wave(x):
    return anp.sin(x)


@wave.defjvp
def _slope(primals, tangents):
    (x,), (t,) = primals, tangents
    return wave(x), anp.cos(x) * wave(x + 1) * t


@anvl.custom_vjp
def pulled(x):
    return wave(x)


pulled.defvjp(lambda x: (wave(x), x), lambda x, g: (wave(x) * g,))


@anvl.custom_jvp
def times(x, t):
    return wave(x) * t


@times.defjvp
def _times_along(primals, tangents):
    (x, t), (of_x, of_t) = primals, tangents
    return times(x, t), times(x, of_t) + anp.cos(x) * t * of_x


@anvl.custom_vjp
def times_back(x, t):
    return wave(x) * t


times_back.defvjp(
    lambda x, t: (times_back(x, t), (x, t)),
    lambda xt, g: (anp.cos(xt[0]) * xt[1] * g, times_back(xt[0], g)),
)


def twice(x):
    return wave(wave(x))


#: A call of a function with rules, in everything that has a body; of a scalar.
WITHIN = {
    "if": lambda x: anvl.cond(x > 0, twice, wave, x),
    "if, by members": lambda x: anvl.cond(x > 0, twice, wave, x, batch="loop"),
    "case": lambda x: anvl.switch(anp.astype(x, int), [twice, wave, anp.sin], x),
    "while": lambda x: anvl.while_loop(lambda v: wave(v) < 0.5, lambda v: twice(v) + 1, x),
    "bounded while": lambda x: anvl.while_loop(
        lambda v: wave(v) < 0.5, lambda v: twice(v) + 1, x, max_iterations=3
    ),
    "scan": lambda x: anvl.scan(lambda c, _: (twice(c), wave(c)), x, length=3)[1][2],
    "while in scan": lambda x: anvl.scan(
        lambda c, _: (anvl.while_loop(lambda v: wave(v) < 0, twice, c), None), x, length=3
    )[0],
    "scan in if": lambda x: anvl.cond(
        x > 0, lambda x: anvl.scan(lambda c, _: (twice(c), None), x, length=3)[0], wave, x
    ),
    "checkpoint": anvl.checkpoint(twice),
    "checkpoint within a budget": anvl.checkpoint(lambda x: twice(anp.exp(twice(x))), budget=4),
    "custom_vjp": pulled,
    "its own rule": lambda x: times(x, wave(x)),
    "its own adjoint rule": lambda x: times_back(x, wave(x)),
}

MODES = {
    "adjoint": anvl.grad,
    "tangent": lambda f: lambda x: anvl.jvp(f, (x,), (x,)),
    "adjoint of tangent": lambda f: anvl.grad(lambda x: anvl.jvp(f, (x,), (x,))[1]),
    "batch": anvl.vmap,
    "batch of adjoint": lambda f: anvl.vmap(anvl.grad(f)),
}


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("body", WITHIN)
def test_functions_with_rules_are_called_within_everything(body, mode):
    of = anvl.aval("f32", (3,) if "batch" in mode else ())
    f = MODES[mode](WITHIN[body])
    text = anvl.jit(f).lower(of).mlir()
    assert "func.call" not in text


@anvl.custom_jvp
def doubled(x):
    return x + x


doubled.defjvp(lambda primals, tangents: (doubled(*primals), doubled(*tangents)))

LINEAR = {
    "call": lambda p, x: doubled(x),
    "if": lambda p, x: anvl.cond(p, doubled, lambda x: -doubled(x), x),
    "scan": lambda p, x: anvl.scan(lambda c, _: (doubled(c), None), x, length=3)[0],
    "scan in if": lambda p, x: anvl.cond(p, lambda x: LINEAR["scan"](p, x), doubled, x),
}


@pytest.mark.parametrize("body", LINEAR)
def test_linear_functions_are_transposed_within_everything(body):
    x = anvl.aval("f32", ())

    def transposed(p, g):
        return anvl.linear_transpose(lambda x: LINEAR[body](p, x), x)(g)

    assert "func.call" not in anvl.jit(transposed).lower(anvl.aval("bool", ()), x).mlir()


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda x: doubled(anp.floor(x)), r"anvl\.floor at"),
        (lambda x: doubled(x) * doubled(x), r"the derivative of anvl\.mul at"),
    ],
)
def test_a_function_that_is_not_linear_within_a_choice_is_refused(f, why):
    x, flag = anvl.aval("f32", ()), anvl.aval("bool", ())

    def transposed(p, g):
        return anvl.linear_transpose(lambda x: anvl.cond(p, f, doubled, doubled(x)), x)(g)

    with pytest.raises(PassError, match=rf"is not linear in x: {why}"):
        anvl.jit(transposed).lower(flag, x)


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
