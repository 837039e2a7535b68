"""`from_stablehlo`: programs of others, differentiated and batched."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

# What JAX 0.10 writes for the function beneath, which it cannot differentiate in reverse mode:
#   def f(w, x):
#       def step(c, x): c = jnp.tanh(w @ c) + x; return c, jnp.sum(c**2)
#       c, ys = lax.scan(step, jnp.zeros(3), x)
#       z = lax.while_loop(lambda z: jnp.sum(z**2) > 0.5, lambda z: z * 0.7, c + 10.0)
#       return jnp.sum(ys) + lax.cond(ys[0] > 0.1, jnp.sin, lambda a: a**2, jnp.sum(z))
JAX = """
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<5x3xf32>)
      -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%a = %arg1, %b = %arg0, %i = %c, %d = %0, %e = %1)
      : tensor<5x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5xf32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %19 = stablehlo.compare LT, %i, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %19 : tensor<i1>
    } do {
      %19 = func.call @get(%a, %i) : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
      %20:2 = func.call @closed_call(%b, %d, %19)
        : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
      %21 = stablehlo.reshape %20#1 : (tensor<f32>) -> tensor<1xf32>
      %22 = stablehlo.dynamic_update_slice %e, %21, %i
        : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %23 = stablehlo.add %i, %c_12 : tensor<i32>
      stablehlo.return %a, %b, %23, %20#0, %22
        : tensor<5x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5xf32>
    }
    %ten = stablehlo.constant dense<10.0> : tensor<3xf32>
    %4 = stablehlo.add %2#3, %ten : tensor<3xf32>
    %5 = stablehlo.while(%z = %4) : tensor<3xf32>
    cond {
      %19 = stablehlo.multiply %z, %z : tensor<3xf32>
      %20 = stablehlo.reduce(%19 init: %cst) applies stablehlo.add across dimensions = [0]
        : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      %half = stablehlo.constant dense<5.0e-01> : tensor<f32>
      %21 = stablehlo.compare GT, %20, %half, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %21 : tensor<i1>
    } do {
      %by = stablehlo.constant dense<0.7> : tensor<3xf32>
      %20 = stablehlo.multiply %z, %by : tensor<3xf32>
      stablehlo.return %20 : tensor<3xf32>
    }
    %6 = stablehlo.slice %2#4 [0:1] : (tensor<5xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %tenth = stablehlo.constant dense<0.1> : tensor<f32>
    %8 = stablehlo.compare GT, %7, %tenth, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %9 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.convert %8 : (tensor<i1>) -> tensor<i32>
    %11 = "stablehlo.case"(%10) ({
      %19 = stablehlo.multiply %9, %9 : tensor<f32>
      stablehlo.return %19 : tensor<f32>
    }, {
      %19 = stablehlo.sine %9 : tensor<f32>
      stablehlo.return %19 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    %12 = stablehlo.reduce(%2#4 init: %cst) applies stablehlo.add across dimensions = [0]
      : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %13 = stablehlo.add %12, %11 : tensor<f32>
    return %13 : tensor<f32>
  }
  func.func private @get(%xs: tensor<5x3xf32>, %i: tensor<i32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %xs, %i, %c, sizes = [1, 3]
      : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @closed_call(%w: tensor<3x3xf32>, %c: tensor<3xf32>, %x: tensor<3xf32>)
      -> (tensor<3xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %w, %c, contracting_dims = [1] x [0]
      : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.tanh %0 : tensor<3xf32>
    %2 = stablehlo.add %1, %x : tensor<3xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %2, %4 : tensor<3xf32>, tensor<f32>
  }
}
"""

SQUARE = """
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.multiply %x, %x : tensor<f64>
  return %0 : tensor<f64>
}
func.func @two(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  return %x, %n : tensor<2xf32>, tensor<i32>
}
"""


def written(w, x):
    """The same, in anvl."""

    def step(c, x):
        c = anp.tanh(w @ c) + x
        return c, anp.sum(c * c)

    c, ys = anvl.scan(step, anp.zeros(3, dtype="f32"), x)
    z = anvl.while_loop(lambda z: anp.sum(z * z) > 0.5, lambda z: z * np.float32(0.7), c + 10.0)
    last = anvl.cond(ys[0] > 0.1, anp.sin, lambda a: a * a, anp.sum(z))
    return anp.sum(ys) + last


def arguments():
    rng = np.random.default_rng(0)
    w, x = 0.3 * rng.normal(size=(3, 3)), rng.normal(size=(5, 3))
    return w.astype("float32"), x.astype("float32")


@pytest.mark.parametrize(
    ("transformed", "members"),
    [
        (lambda f: f, 0),
        (lambda f: anvl.grad(f, wrt=(0, 1)), 0),
        (lambda f: anvl.vmap(anvl.grad(f, wrt=(0, 1)), in_axes=(None, 0)), 2),
        (lambda f: lambda w, x: anvl.jvp(f, (w, x), (np.ones_like(w), np.ones_like(x))), 0),
        (lambda f: lambda w, x: anvl.hvp(f, (w, x), (np.ones_like(w), None)), 0),
    ],
    ids=["value", "grad", "vmap", "jvp", "hvp"],
)
def test_a_program_with_loops_is_transformed_like_our_own(transformed, members):
    w, x = arguments()
    given = (w, np.stack([x] * members)) if members else (w, x)
    found = anvl.tree.leaves(transformed(anvl.from_stablehlo(JAX))(*given))
    expected = anvl.tree.leaves(transformed(lambda w, x: written(w, x))(*given))
    assert len(found) == len(expected) > 0
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-4, atol=1e-4)


def test_it_goes_round_by_text():
    w, x = arguments()
    text = anvl.jit(anvl.grad(written)).lower(w, x).mlir()
    imported = anvl.from_stablehlo(text)
    expected = np.asarray(anvl.grad(written)(w, x))
    np.testing.assert_allclose(np.asarray(imported(w, x)), expected, rtol=1e-5)
    again = anvl.jacfwd(imported)(w, x)  # a second derivative, of text
    np.testing.assert_allclose(
        np.asarray(again), np.asarray(anvl.hessian(written)(w, x)), rtol=2e-3, atol=2e-3
    )


def test_it_may_be_called_twice_and_among_others():
    square = anvl.from_stablehlo(SQUARE)
    f = anvl.jit(lambda main: square(square(main)) + main)
    assert float(f(3.0)) == 84.0 and float(anvl.grad(f)(np.float64(2.0))) == 33.0
    assert str(f.trace(np.float64(3.0)).program.module).count("anvl.mul") == 1


def test_several_results_and_functions():
    y, n = anvl.from_stablehlo(SQUARE, "two")(np.ones(2, "f"), 3)
    assert y.shape == (2,) and int(n) == 3 and n.dtype == np.int32


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "two: takes 2 arrays, .*, but got 0"),
        (
            (np.ones(2), 3),
            r"two: argument 0 \(x\) is f64\[2\], but the program takes f32\[2\]; cast",
        ),
        (
            (np.ones(3, "f"), 3),
            r"two: argument 0 \(x\) is f32\[3\], but the program takes f32\[2\]; ",
        ),
        ((np.ones(2, "f"), 3.5), r"two: argument 1 \(n\) is f32"),
        ((np.ones(2, "f"), "x"), "takes arrays and numbers, got 'x'"),
    ],
)
def test_other_arguments_are_refused(args, message):
    with pytest.raises(TypeError, match=message):
        anvl.from_stablehlo(SQUARE, "two")(*args)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("foo", ValueError, "the program is not a StableHLO module: .*custom op 'foo' is unknown"),
        ("module {}", ValueError, "there is no function 'main'; the module has none"),
        ("(" * 300, ValueError, "line 1 nests deeper than 200 levels"),
        (3, TypeError, "takes the text of a module, or bytes of .* an artifact, got int"),
        (b"ML\xefR", ValueError, "the program is not a StableHLO module: malformed bytecode, "),
        (b"abc", ValueError, r"bytecode begins with b'ML\\xefR', these bytes with b'abc'"),
        (
            'func.func @main(%x: tensor<f64>) -> tensor<f64> {\n  %0 = "stablehlo.reduce"(%x) ({\n'
            "  }) {dimensions = array<i64>} : (tensor<f64>) -> tensor<f64>\n"
            "  return %0 : tensor<f64>\n}",
            ValueError,
            "not a StableHLO module: reduce: takes one initial value per array",
        ),
    ],
)
def test_other_text_is_refused(text, error, message):
    with pytest.raises(error, match=message):
        anvl.from_stablehlo(text)


def test_what_has_no_derivative_is_named():
    text = """
    func.func @main(%x: tensor<2x2xf64>) -> tensor<f64> {
      %s = stablehlo.constant dense<2> : tensor<2xi64>
      %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x2xf64>, tensor<2xi64>) -> tensor<2x2xf64>
      %1 = stablehlo.constant dense<0.0> : tensor<f64>
      %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 1]
        : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
      return %2 : tensor<f64>
    }
    """
    f = anvl.from_stablehlo(text)
    assert float(f(np.eye(2))) == 2.0
    with pytest.raises(anvl.MissingRule, match=r"stablehlo\.dynamic_reshape"):
        anvl.grad(f)(np.eye(2))


COMPOSITE = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "my.op" %x {decomposition = @my.op} : (tensor<f32>) -> tensor<f32>
  %1 = call @"<lambda>"(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @my.op(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @"<lambda>"(%x: tensor<f32>) -> tensor<f32> {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %1 = stablehlo.multiply %x, %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""


def test_composites_and_names_that_are_quoted():
    f = anvl.from_stablehlo(COMPOSITE)
    assert float(f(1.0)) == pytest.approx(np.sin(1.0) ** 2)
    assert float(anvl.grad(f)(1.0)) == pytest.approx(np.sin(2.0))


def test_functions_that_ops_name_are_refused():
    text = """
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %x, %x {note = @g} : tensor<f32>
      return %0 : tensor<f32>
    }
    func.func private @g(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
    """
    with pytest.raises(ValueError, match=r"in @main names @g; only calls"):
        anvl.from_stablehlo(text)


# As JAX writes `approx_max_k`: XLA's routine calls the function. It stays a routine, not a sort,
# since it is told the size of a larger array that its operand is a part of.
APPROXIMATE = """
func.func @main(%x: tensor<8xf32>) -> tensor<2xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %at = stablehlo.iota dim = 0 : tensor<8xi32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %at, %least, %none) {
    called_computations = [@is_before], mhlo.backend_config = {
      aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32,
      reduction_dim = 0 : i64, reduction_input_size_override = 8 : i64, top_k = 2 : i64}
  } : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  %1 = call @is_before(%least, %least, %none, %none) : (tensor<f32>, tensor<f32>, tensor<i32>,
    tensor<i32>) -> tensor<i1>
  return %0#0 : tensor<2xf32>
}
func.func private @is_before(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>)
    -> tensor<i1> {
  %0 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
"""


def test_a_routine_keeps_the_functions_that_it_calls():
    x = np.array([3, 1, 5, 2, 8, 0, 7, 4], "f4")
    f = anvl.from_stablehlo(APPROXIMATE)
    assert np.array_equal(f(x), [8, 7])
    assert np.array_equal(anvl.jit(lambda x: f(x) + f(-x))(x), [8 + 0, 7 - 1])
    assert np.array_equal(anvl.vmap(f)(np.stack([x, -x])), [[8, 7], [0, -1]])
    with pytest.raises(anvl.MissingRule, match="no derivative of the routine 'ApproxTopK'"):
        anvl.grad(lambda x: f(x).sum())(x)


def test_calls_in_a_cycle_are_refused_also_through_a_choice():
    text = COMPOSITE.replace("stablehlo.multiply %x, %x : tensor<f32>", "func.call "
                             "@main(%x) : (tensor<f32>) -> tensor<f32>")  # fmt: skip
    with pytest.raises(anvl.PassError, match="calls must not form a cycle"):
        anvl.from_stablehlo(text)(1.0)


def test_choices_in_a_module_within_are_left():
    inner = COMPOSITE.replace("@main", "@other")
    text = f"module {{ module @inner {{ {inner} }} {SQUARE} }}"
    assert float(anvl.from_stablehlo(text)(3.0)) == 9.0
