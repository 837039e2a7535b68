"""Calls of LAPACK, as ours are lowered and as JAX writes them, are ops of linear algebra again."""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lift import Lift
from anvl.passes.lifting.triangles import reads_upper_triangle

rng = np.random.default_rng(0)
SQUARE, TALL = rng.normal(size=(2, 3, 3)), rng.normal(size=(4, 3))
DEFINITE = SQUARE @ SQUARE.swapaxes(1, 2) + 3 * np.eye(3)
LINALG = anvl.numpy.linalg
SOLVED = anvl.prim.triangular_solve
#: By name: a function of a matrix, with vectors only where they do not depend on signs.
FUNCTIONS = {
    "cholesky": (LINALG.cholesky, DEFINITE),
    "solve": (lambda a: LINALG.solve(a, a[..., :1] + 1), SQUARE),
    "triangular": (lambda a: SOLVED(a, a, left_side=True, transpose_a="TRANSPOSE"), SQUARE),
    "triangular_right": (
        lambda a: SOLVED(a, a, lower=True, unit_diagonal=True, transpose_a="ADJOINT"),
        SQUARE,
    ),
    "inv": (LINALG.inv, SQUARE),
    "qr": (lambda a: LINALG.qr(a)[1], TALL),
    "qr_complete": (lambda a: anp.matmul(*LINALG.qr(a, mode="complete")) ** 2, TALL),
    "qr_wide": (lambda a: LINALG.qr(a)[1], TALL.T.copy()),
    "svd": (lambda a: anp.matmul(LINALG.svd(a, full_matrices=False)[0] ** 2, anp.ones(3)), TALL),
    "svdvals": (LINALG.svdvals, TALL),
    "eigh": (lambda a: LINALG.eigh(a)[1] ** 2, DEFINITE),
    "eigvalsh": (LINALG.eigvalsh, DEFINITE),
    "eig": (lambda a: anp.abs(LINALG.eig(a)[1]), SQUARE),
    "eigvals": (lambda a: anp.sum(anp.abs(LINALG.eigvals(a)), -1), SQUARE),
}


@pytest.mark.sweep(keep=2, part=5)
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_lowered_to_lapack_is_lifted_again(name, dtype):
    f, x = FUNCTIONS[name]
    x = x.astype(dtype)
    if dtype == "complex64":
        x = x + 0.1j * (x.swapaxes(-1, -2) - x if x.shape[-1] == x.shape[-2] else x)
    text = anvl.jit(f).lower(x).mlir("stablehlo")
    assert "lapack_" in text
    again = anvl.from_stablehlo(text)
    assert "custom_call" not in anvl.trace(again, x).mlir()
    if dtype == "complex64":
        assert_close(again(x), f(x), dtype)
        return
    g = rng.normal(size=f(x).shape)
    assert_close(*(anvl.vjp(h, x)[1](g)[0] for h in (again, f)), dtype)


def assert_close(found, wanted, dtype):
    rtol = rounding(PROGRAM, dtype)
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol, rtol)


POTRF = """
func.func @main(%x: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>, tensor<i1>) {{
  %c = stablehlo.constant dense<{compared}> : tensor<i32>
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%x) {{api_version = 4 : i32,
    mhlo.backend_config = {{uplo = {uplo} : ui8}}, {more}
    operand_layouts = [dense<{layout}> : tensor<2xindex>],
    result_layouts = [dense<{layout}> : tensor<2xindex>, dense<> : tensor<0xindex>]}}
    : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
  %1 = stablehlo.compare {direction}, %0#1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0#0, {info}, %1 : tensor<2x2xf64>, tensor<i32>, tensor<i1>
}}
"""


def potrf(**given):
    parts = {"compared": 0, "uplo": 76, "more": "", "layout": [0, 1], "direction": "EQ"}
    return POTRF.format(**(parts | {"info": "%c"} | given))


def is_lifted(text):
    module = ir.Module.parse(text, context())
    Pipeline([Lift()]).run(module)
    return "lapack" not in str(module)


@pytest.mark.parametrize("uplo", [76, 85])
def test_one_triangle_is_read_and_the_other_one_stays(uplo):
    """As the routine itself, which runs where it is called through a name that is not known."""
    x = np.array([[4.0, 1], [2, 9]])
    f = anvl.from_stablehlo(potrf(uplo=uplo))
    factor, _, good = f(x)
    wanted = np.array([[2, 1], [1, 8**0.5]]) if uplo == 76 else np.array([[2, 0.5], [2, 8.75**0.5]])
    np.testing.assert_allclose(np.asarray(factor), wanted, rounding(PROGRAM))
    assert bool(good)
    assert not f(-x)[2]
    slope = np.asarray(anvl.grad(lambda x: f(x)[0][1, 1])(x))
    unread = (0, 1) if uplo == 76 else (1, 0)
    assert slope[unread] == 0
    assert np.count_nonzero(slope) == 3


@pytest.mark.parametrize(
    "given",
    [
        {"layout": [1, 0]},
        {"info": "%0#1"},
        {"compared": 1},
        {"direction": "GT"},
        {"more": "has_side_effect = true,"},
        {"more": "my.own = 1 : i32,"},
    ],
)
def test_other_calls_stay(given):
    assert is_lifted(potrf())
    assert is_lifted(potrf(direction="NE"))
    assert not is_lifted(potrf(**given))


GETRF = """
func.func @main(%x: tensor<3x3xf64>) -> tensor<i32> {
  %0:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%x) {mhlo.backend_config = {},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>,
      dense<> : tensor<0xindex>]}
    : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<i32>)
  return %0#2 : tensor<i32>
}
"""


def test_the_step_that_failed_is_known_of_lu():
    assert is_lifted(GETRF)
    f = anvl.from_stablehlo(GETRF)
    for x, step in ((SQUARE[0], 0), (np.diag([1.0, 0, 0]), 2), (np.zeros((3, 3)), 1)):
        assert int(f(x)) == step


MASKED = """
func.func @main(%x: tensor<6x6xf32>, %z: tensor<6x6xf32>) -> tensor<6x6xf32> {{
  %c = stablehlo.constant dense<{number}> : tensor<6x6xi32>
  %i = stablehlo.iota dim = {axis} : tensor<6x6xi32>
  %j = stablehlo.iota dim = {other} : tensor<6x6xi32>
  %k = stablehlo.{op} %i, %c : tensor<6x6xi32>
  %m = stablehlo.compare {direction}, %k, %j : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
  %0 = stablehlo.select %m, {sides} : tensor<6x6xi1>, tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}}
"""


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("direction", ["GE", "GT", "LE", "LT"])
def test_masks_of_triangles(axis, direction):
    """Against NumPy: nothing below the diagonal may be taken."""
    compared = {"GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal, "LT": np.less}
    places = np.indices((6, 6))
    below = places[0] > places[1]
    for number in range(-2, 3):
        for op, sign in (("add", 1), ("subtract", -1)):
            mask = compared[direction](places[axis] + sign * number, places[1 - axis])
            for sides, taken in (("%x, %z", mask), ("%z, %x", ~mask)):
                text = MASKED.format(
                    number=number, axis=axis, other=1 - axis, op=op, direction=direction,
                    sides=sides,
                )  # fmt: skip
                module = ir.Module.parse(text, context())
                x = module.body.operations[0].regions[0].blocks[0].arguments[0]
                (use,) = x.uses
                assert reads_upper_triangle(use, 0) == (not (taken & below).any()), text
