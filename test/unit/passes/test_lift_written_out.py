"""Functions that JAX writes out as arithmetic on bits are ops with rules; others stay.

The text is `jax.jit(jax.lax.lgamma).lower(jnp.ones(3))` of JAX 0.12.0.1, word for word.
"""

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from scipy.special import digamma, gammaln
from tolerances import FORMULA, assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import parse
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import functions_of
from anvl.passes.lift import Lift
from anvl.passes.lifting.written_out import digest_of_elementwise

TEXT = (Path(__file__).parents[1] / "frontend/jax_programs/log_gamma.mlir").read_text()
X = np.array([[0.3, 1.0, 2.7], [-0.5, 17.5, 1e-30]], np.float32)


def of_shape(shape):
    """The text as JAX writes it for arrays of a shape of rank 1 or more."""
    text = TEXT.replace("tensor<3x", f"tensor<{''.join(f'{n}x' for n in shape)}")
    axes = ", ".join(map(str, range(len(shape))))
    text = text.replace("dims = [0]", f"dims = [{axes}]").replace(
        f"dims = [{axes}], s", "dims = [0], s"
    )
    return text.replace("index_vector_dim = 1", f"index_vector_dim = {len(shape)}")


def lifted(text, passes=()):
    module = parse(text)
    Pipeline([*passes, Lift()]).run(module)
    return str(module)


def is_lifted(text, passes=()):
    found = lifted(text, passes)
    assert ("anvl.lgamma" in found) == ("bitcast_convert" not in found)
    return "anvl.lgamma" in found


def test_values_and_derivatives_are_of_the_log_gamma_function():
    f = anvl.from_stablehlo(TEXT)
    for x in X:
        assert_close(f(x), gammaln(x), FORMULA)
        slopes = anvl.grad(lambda x: anp.sum(f(x)))(x)
        assert_close(slopes, digamma(x.astype(np.float64)).astype(np.float32), FORMULA)
        assert_close(anvl.jvp(f, (x,), (x,))[1], slopes * x, FORMULA)
    curved = anvl.grad(anvl.grad(lambda x: f(x * np.ones(3, np.float32))[0]))(np.float32(1))
    assert_close(curved, np.float32(np.pi**2 / 6), FORMULA)


def test_under_vmap_and_at_its_ends():
    f = anvl.from_stablehlo(TEXT)
    assert_close(anvl.vmap(f)(X), gammaln(X), FORMULA)
    slopes = anvl.vmap(anvl.grad(lambda x: anp.sum(f(x))))(X)
    assert_close(slopes, digamma(X.astype(np.float64)).astype(np.float32), FORMULA)
    ends = np.array([[0, -1, np.inf], [np.nan, -0.0, -np.inf]], np.float32)
    wanted = np.array([[np.inf, np.inf, np.inf], [np.nan, np.inf, np.inf]], np.float32)
    np.testing.assert_array_equal(anvl.vmap(f)(ends), wanted)


@pytest.mark.parametrize("shape", [(1,), (16,), (2, 3), (4, 1, 2, 3), (3, 16)])
def test_batched_shapes(shape):
    """JAX batches the function before it writes it: 16 is the length of its tables."""
    f, x = anvl.from_stablehlo(of_shape(shape)), np.full(shape, 2.5, np.float32)
    assert is_lifted(of_shape(shape))
    slopes = anvl.grad(lambda x: anp.sum(f(x)))(x)
    assert_close(slopes, digamma(x.astype(np.float64)).astype(np.float32), FORMULA)


EMPTY = """
func.func @main(%x: tensor<2x0xf32>) -> tensor<2x0xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2x0xf32>) -> tensor<2x0xi32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x0xi32>) -> tensor<2x0xf32>EFFECT
  return %1 : tensor<2x0xf32>
}
"""


def test_of_no_numbers_all_functions_are_alike():
    """JAX writes no gather of an empty array, so the expression is another."""
    f, x = anvl.from_stablehlo(EMPTY.replace("EFFECT", "")), np.zeros((2, 0), np.float32)
    assert f(x).shape == anvl.grad(lambda x: anp.sum(f(x)))(x).shape == (2, 0)
    said = "\n  stablehlo.custom_call @print(%1) {has_side_effect = true} : (tensor<2x0xf32>) -> ()"
    assert not is_lifted(EMPTY.replace("EFFECT", said))


def test_narrower_floats_are_converted():
    """As JAX writes them, around the function of f32."""
    head = TEXT.split("func.func private", 1)
    call = re.search(r"%0 = call .*", head[0])[0]
    main = head[0].replace("tensor<3xf32>", "tensor<3xbf16>").replace(
        re.sub("f32", "bf16", call),
        "%a = stablehlo.convert %arg0 : (tensor<3xbf16>) -> tensor<3xf32>\n"
        f"{call.replace('%0 =', '%b =').replace('%arg0', '%a')}\n"
        "%0 = stablehlo.convert %b : (tensor<3xf32>) -> tensor<3xbf16>",
    )  # fmt: skip
    f = anvl.from_stablehlo(f"{main}func.func private{head[1]}")
    x = X[0].astype(ml_dtypes.bfloat16)
    slopes = anvl.grad(lambda x: anp.sum(f(x)))(x)
    assert slopes.dtype == ml_dtypes.bfloat16
    wanted = digamma(x.astype(np.float64)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(slopes, wanted)


def of_f64(text):
    """Coefficients as constants of f64, as JAX writes them with `jax_enable_x64`."""

    def converted(found):
        name, value = found[1], float(np.float32(found[2]))
        return (
            f"{name}_0f64 = stablehlo.constant dense<{value:.17e}> : tensor<f64>\n"
            f"{name} = stablehlo.convert {name}_0f64 : (tensor<f64>) -> tensor<f32>"
        )

    return re.sub(
        r"(%cst\w*) = stablehlo.constant dense<([-\d.E+]+)> : tensor<f32>", converted, text
    )


def added(text, function):
    return text.rstrip().removesuffix("}") + function + "}"


WITHIN = """
func.func private @lgamma_impl(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = func.call @inner(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
SAME = {
    "another name": (TEXT.replace("lgamma_impl", "f"), ()),
    "one function": (TEXT, ["inline"]),
    "equal ops once": (TEXT, ["cse"]),
    "numbers of f64": (of_f64(TEXT), ()),
    "a call more": (added(re.sub(r"private @lgamma_impl", "private @inner", TEXT), WITHIN), ()),
}


@pytest.mark.parametrize("name", SAME)
def test_what_does_not_change_the_expression_does_not_count(name):
    assert is_lifted(*SAME[name])


ROOT = "%7 = stablehlo.negate %6 : tensor<3xf32>"
END = "    return %75 : tensor<3xf32>"
FORGED = """
func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @lgamma_impl(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @lgamma_impl(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xi32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<3xi32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""
#: By what is another: a text, in which each pair is replaced.
OTHERS = {
    "body": [(TEXT, FORGED)],
    "constant": [("dense<-0.541160762>", "dense<-0.541160761e-1>")],
    "number of a table": [("dense<[-0.457024753,", "dense<[-0.457024754e1,")],
    "table read": [("%29 = \"stablehlo.gather\"(%cst_0", "%29 = \"stablehlo.gather\"(%cst")],
    "operands": [("%32 = stablehlo.subtract %30, %31", "%32 = stablehlo.subtract %31, %30")],
    "comparison": [("compare LE, %43, %47", "compare LT, %43, %47")],
    "op": [(ROOT, ROOT.replace("negate", "abs"))],
    "places": [(ROOT, "%7 = stablehlo.reverse %6, dims = [0] : tensor<3xf32>")],
    "result of a call": [("select %48, %45#1, %46#0", "select %48, %45#2, %46#0")],
    "argument": [("call @_lgamma_neg_root(%30, %31)", "call @_lgamma_neg_root(%30, %30)")],
    "effect": [(END, "    stablehlo.custom_call @print(%75) {has_side_effect = true} "
                     ": (tensor<3xf32>) -> ()\n" + END)],
    "ends": [("compare NE, %arg0, %arg0", "compare NE, %24, %24")],
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_another_function_of_that_name_stays(name):
    text = TEXT
    for old, new in OTHERS[name]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    assert not is_lifted(text)


def test_the_functions_that_it_called_go_and_others_stay():
    names = re.findall(r"@(\w+)\(", lifted(TEXT))
    assert set(names) == {"main", "lgamma_impl"}
    forged = lifted(FORGED)
    assert forged.count("anvl.bitcast_convert") == 2


# -- digests --------------------------------------------------------------------------------------


def digest(body, shape="3", rest=""):
    given = f"tensor<{shape}xf32>" if shape else "tensor<f32>"
    text = f"func.func @f(%x: {given}) -> {given} {{\n{body}\nreturn %y : {given}\n}}\n{rest}"
    module = parse(text.replace("TYPE", given))
    functions = functions_of(module.operation)
    return digest_of_elementwise(functions["f"], functions)


NEGATED = "%y = stablehlo.negate %x : TYPE"
SQUARE = "%y = stablehlo.multiply %x, %x : TYPE"
TWO = "%c = stablehlo.constant dense<2.0> : TYPE\n%y = stablehlo.multiply %x, %c : TYPE"
WIDE = """%c = stablehlo.constant dense<2.0> : tensor<f32>
%b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> TYPE
%y = stablehlo.multiply %x, %b : TYPE"""
CALLED = "%y = func.call @g(%x) : (TYPE) -> TYPE"
G = "func.func private @g(%x: TYPE) -> TYPE"


def test_digests_are_of_the_expression():
    assert digest(TWO) == digest(TWO, "2x3") == digest(TWO, "") == digest(WIDE) == digest(WIDE, "1")
    assert digest(TWO) not in (None, digest(SQUARE), digest(TWO.replace("2.0", "-2.0")))
    zero = TWO.replace("2.0", "0.0")
    assert digest(zero) != digest(zero.replace("0.0", "-0.0"))
    assert digest(CALLED, rest=f"{G} {{ {NEGATED} return %y : TYPE }}") == digest(NEGATED)


#: Ops that move elements of a square, or read others than those at the same place.
MOVED = (
    "%y = stablehlo.transpose %x, dims = [1, 0] : (TYPE) -> TYPE",
    "%y = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (TYPE) -> TYPE",
    "%y = stablehlo.reverse %x, dims = [0] : TYPE",
    "%c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
    "%y = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xf32>) -> TYPE",
    "%c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
    "%y = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<2xf32>) -> TYPE",
)


def test_ops_that_move_elements_have_digests_of_their_own():
    same = "%y = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (TYPE) -> TYPE"
    found = [digest(body, "2x2") for body in (same, *MOVED)]
    assert len(set(found)) == len(found)
    row = "%y = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>"
    assert digest(row, "2") != digest(MOVED[-1], "2x2")


def test_a_table_read_at_places_of_other_elements_stays():
    text = of_shape((3, 3))
    column = "dims = [0, 1] : (tensor<3x3xi32>) -> tensor<3x3x1xi32>"
    assert text.count(column) == 1
    assert is_lifted(text)
    assert not is_lifted(text.replace(column, column.replace("0, 1", "1, 0")))


def test_what_has_no_digest():
    """Declarations, functions that call themselves, ops with regions or of other dialects."""
    assert digest(CALLED, rest=G) is None
    assert digest(CALLED, rest=f"{G} {{ {CALLED} return %y : TYPE }}") is None
    long = "\n".join(f"%c{i} = stablehlo.negate %x : TYPE" for i in range(5_001))
    assert digest(f"{long}\n{NEGATED}") is None
    assert digest("%y = stablehlo.optimization_barrier %x : TYPE") is None
    complex_ = "%c = stablehlo.constant dense<(1.0, 0.0)> : tensor<3xcomplex<f32>>\n"
    assert digest(complex_ + NEGATED) is None
