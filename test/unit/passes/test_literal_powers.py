"""Powers with small literal exponents are those of the C library, to rounding."""

import numpy as np
import pytest
from tolerances import rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import parse
from anvl.dialect.text.interpreter import interpreter
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

EXPANDED = [-4.0, -3.5, -3.0, -2.5, -2.0, -1.5, -0.5, 1.5, 2.5, 3.5, 4.0]
LEFT = [-4.5, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 2.2, 4.5, 5.0, np.inf, np.nan]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.5, 1.0]
UNITS = 5  # at most 3.5 here, and the reference's own


def lowered(text, platform="cpu"):
    module = parse(text)
    Pipeline([LowerToStablehlo(platform)]).run(module)
    return module


def power(exponent, dtype="f32"):
    return f"""
func.func @main(%x: tensor<4x{dtype}>) -> tensor<4x{dtype}> {{
  %c = stablehlo.constant dense<{exponent}> : tensor<4x{dtype}>
  %y = stablehlo.power %x, %c : tensor<4x{dtype}>
  return %y : tensor<4x{dtype}>
}}"""


def literal(number):
    return {"inf": "0x7F800000", "nan": "0x7FC00000"}.get(repr(number), repr(number))


@pytest.mark.parametrize("exponent", EXPANDED)
def test_a_small_multiple_of_a_half_is_written_out_on_the_cpu(exponent):
    assert "power" not in str(lowered(power(exponent)))
    assert "power" not in str(lowered(power(exponent, "f64")))
    assert "power" in str(lowered(power(exponent), "cuda"))
    assert "power" in str(lowered(power(exponent, "f16")))


@pytest.mark.parametrize("exponent", LEFT)
def test_any_other_exponent_stays(exponent):
    assert "power" in str(lowered(power(literal(exponent))))


@pytest.mark.sweep(keep=0, part=200)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_xla_finds_what_the_c_library_does(dtype):
    """Over all magnitudes, at which numbers are 0 or infinite in between if anywhere."""
    limits = np.finfo(dtype)
    sizes = np.exp2(np.random.default_rng(0).uniform(limits.minexp, limits.maxexp, 4000))
    x = np.concatenate([SPECIAL, sizes, -sizes[:100], np.linspace(0.5, 2, 1001)]).astype(dtype)
    found = anvl.jit(lambda x: [anp.power(x, np.full((), c, dtype)) for c in EXPANDED])(x)
    for c, y in zip(EXPANDED, map(np.asarray, found), strict=True):
        with np.errstate(all="ignore"):
            z = np.power(x, np.asarray(c, dtype))
        is_tiny = np.abs(z) < 2 * limits.tiny  # XLA takes those below for 0
        assert (np.abs(y[is_tiny]) <= 2 * limits.tiny).all(), c
        is_huge = np.abs(z) > limits.max * (1 - rounding(UNITS, dtype))
        assert (np.abs(y[is_huge]) >= limits.max * (1 - 2 * rounding(UNITS, dtype))).all(), c
        rest = ~is_tiny & ~is_huge
        np.testing.assert_allclose(y[rest], z[rest], rtol=rounding(UNITS, dtype), err_msg=str(c))
        is_zero = np.isfinite(x) & (x == 0) | np.isinf(x)
        np.testing.assert_array_equal(np.signbit(y[is_zero]), np.signbit(z[is_zero]), str(c))
        np.testing.assert_array_equal(y[is_zero], z[is_zero], str(c))


def test_no_power_is_left_in_derivatives():
    def f(x):
        return anp.sum(x**-1.5 + x**3.5)

    x = np.linspace(0.5, 2, 7)
    slopes = anvl.jit(anvl.grad(f))
    bends = anvl.jit(anvl.grad(lambda x: anp.sum(anvl.grad(f)(x))))
    assert "power" not in slopes.lower(x).mlir() + bends.lower(x).mlir()
    wanted = -1.5 * x**-2.5 + 3.5 * x**2.5
    np.testing.assert_allclose(slopes(x), wanted, rtol=rounding(20))
    wanted = 3.75 * x**-3.5 + 8.75 * x**1.5
    np.testing.assert_allclose(bends(x), wanted, rtol=rounding(20))


def exponents(draw, count):
    """Exponents as derivatives have them: computed from literals, some by flags that x decides."""
    lines, numbers, flags = [], [], []

    def line(text, to, type_="f32"):
        to.append(f"%v{len(lines)}")
        lines.append(f"  %v{len(lines)} = {text.replace(' T', f' tensor<4x{type_}>')}")

    for number in (-1.0, -0.5, 0.0, 1.0, 1.5):
        line(f"stablehlo.constant dense<{number}> : T", numbers)
    line("stablehlo.compare GT, %x, %v2 : (tensor<4xf32>, tensor<4xf32>) -> T", flags, "i1")
    for _ in range(count):
        kind = draw.integers(4)
        a, b = draw.choice(numbers, 2)
        if kind == 0:
            line(f"stablehlo.add {a}, {b} : T", numbers)
        elif kind == 1:
            direction = draw.choice(["EQ", "EQ", "LT", "NE"])
            types = "(tensor<4xf32>, tensor<4xf32>) -> T"
            line(f"stablehlo.compare {direction}, {a}, {b} : {types}", flags, "i1")
        else:
            line(f"stablehlo.select {draw.choice(flags)}, {a}, {b} : tensor<4xi1>, T", numbers)
    return lines, draw.choice(numbers[5:] or numbers, 4)


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("seed", range(30))
def test_random_exponents_computed_from_literals(seed):
    lines, chosen = exponents(np.random.default_rng(seed), 14)
    types = ", ".join(["tensor<4xf32>"] * 4)
    powers = [f"  %y{i} = stablehlo.power %x, {c} : tensor<4xf32>" for i, c in enumerate(chosen)]
    head, end = f"func.func @main(%x: tensor<4xf32>) -> ({types}) {{", "  return %y0, %y1, %y2, %y3"
    text = "\n".join([head, *lines, *powers, f"{end} : {types}", "}"])
    x = np.array([0.25, -1.5, 3.0, -0.0], "float32")
    found, wanted = (
        interpreter().run(lowered(text, platform), [[x]])[0] for platform in ("cpu", "cuda")
    )
    for y, z in zip(found, wanted, strict=True):
        np.testing.assert_allclose(y, z, rtol=rounding(UNITS, x))
