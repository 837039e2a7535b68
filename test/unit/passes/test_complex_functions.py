"""Functions of complex numbers on both sides of their cuts, at zeros, infinities and NaN.

What they should be is NumPy's, of which the functions are C's (ISO C99, annex G.6).
"""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import find_by_name
from anvl.passes.lower import complex_functions

# fmt: off
PARTS = [0.0, 0.5, 1.0, 2.0, 30.0, 1e-9, 1e-30, 1e30, np.inf]
# fmt: on
NAMES = (
    "sqrt log exp sin cos tan sinh cosh tanh log2 log10 "
    "arcsin arccos arctan arcsinh arccosh arctanh"
).split()


def grid(dtype: str) -> np.ndarray:
    parts = [*PARTS, *(-x for x in PARTS), np.nan]
    return np.array([complex(x, y) for x in parts for y in parts]).astype(dtype)


def agree(y: np.ndarray, wanted: np.ndarray, signs: np.ndarray, dtype: Any) -> np.ndarray:
    """Whether parts are alike, of zeros and infinities also the signs, where `signs` says so."""
    tiny = 4 * float(ml_dtypes.finfo(dtype).smallest_normal)
    with np.errstate(all="ignore"):
        near = np.abs(y - wanted) <= rounding(FORMULA, dtype) * np.abs(wanted) + tiny
    near |= (np.isnan(y) & np.isnan(wanted)) | (np.isinf(y) & np.isinf(wanted))
    has_side = signs & ~np.isnan(wanted) & ((wanted == 0) | np.isinf(wanted))
    return near & (~has_side | (np.signbit(y) == np.signbit(wanted)))


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_functions_are_those_of_c(dtype: str) -> None:
    z = grid(dtype)
    found = anvl.jit(lambda z: [getattr(anp, name)(z) for name in NAMES])(z)
    wrong = {}
    for name, ys in zip(NAMES, found, strict=True):
        y = np.asarray(ys)
        with np.errstate(all="ignore"):
            wanted = getattr(np, name)(z.astype(np.complex128)).astype(dtype)
        # C leaves signs beside NaN and at infinities open.
        signs = np.isfinite(z) & np.isfinite(wanted)
        part = y.real.dtype
        right = agree(y.real, wanted.real, signs, part) & agree(y.imag, wanted.imag, signs, part)
        wrong[name] = [f"{a}: {b}, not {c}" for a, b, c in zip(z, y, wanted, strict=True)]
        wrong[name] = [line for line, ok in zip(wrong[name], right, strict=True) if not ok]
    assert {name: lines[:3] for name, lines in wrong.items() if lines} == {}


def test_expm1_and_log1p_have_digits_where_they_are_small_or_large() -> None:
    """Near multiples of 2 pi i, and near -1, where the square of the imaginary part is 0."""
    turn, inf = 2 * np.pi, np.inf
    for dtype, far, near in (("complex64", 89, 1e-37), ("complex128", 710, 1e-300)):
        z = np.array([turn * 1j, 1e-9 + turn * 1j, 1e-3 - 2j * turn, 0.5 + 6.28j, 1e-8 + 1e-8j,
                      -30 + 3j, far + 0.785j], dtype)  # fmt: skip
        x = np.array([-1 + 1e-20j, complex(-1, near), complex(-1, -near), -1 + 0.25j, -2 + 1e-5j])
        ends = np.array([complex(-inf, inf), inf, -inf])
        found = anvl.jit(lambda z, x, e: (anp.expm1(z), anp.log1p(x), anp.expm1(e)))(
            z, x.astype(dtype), ends.astype(dtype)
        )
        z, x = z.astype(complex), x.astype(dtype).astype(complex)
        # In factors: NumPy's is infinite.
        expm1 = np.append(np.expm1(z[:-1]), 0)
        expm1[-1] = np.exp(far / 2) * (np.exp(far / 2) * np.exp(1j * z[-1].imag))
        for y, wanted in zip(found, (expm1, np.log1p(x), [-1, inf, -1]), strict=True):
            np.testing.assert_allclose(np.asarray(y), wanted, rounding(FORMULA, dtype), 0)


def test_the_inverse_of_a_square_root_has_its_side() -> None:
    z = grid("complex128")
    z = z[np.isfinite(z) & (z != 0)]
    y = np.asarray(anvl.jit(anp.rsqrt)(z))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(y, 1 / np.sqrt(z), rounding(FORMULA, y))
    assert np.all(np.signbit(y.imag) != np.signbit(z.imag))


@pytest.mark.sweep(keep=0)
def test_derivatives_are_on_the_side_of_their_cut() -> None:
    """Where a function jumps, the derivatives on both sides are conjugates."""
    for name, x, wanted in [
        ("sqrt", -2, 0.5 / np.sqrt(-2 + 0j)),
        ("asin", -2, -1j / np.sqrt(3)),
        ("asin", 2, 1j / np.sqrt(3)),
        ("acos", 2, -1j / np.sqrt(3)),
        ("acosh", -2, -1 / np.sqrt(3)),
        ("acosh", 0.5, -1j / np.sqrt(0.75)),
        ("asinh", 2j, 1 / (1j * np.sqrt(3))),
    ]:
        sides = [complex(x, 0.0), complex(x, -0.0)] if np.isreal(x) else [x, complex(-0.0, 2)]
        z = np.array(sides)
        up, down = np.asarray(anvl.jvp(getattr(anp, name), (z,), (np.ones_like(z),))[1])
        other = np.conj(wanted)
        np.testing.assert_allclose(
            [up, down], [wanted, other], rounding(FORMULA), 1e-15, err_msg=name
        )


def test_what_is_split_is_not_split_again() -> None:
    text = anvl.jit(lambda z: anp.sin(anp.sqrt(z))).lower(grid("complex64")).mlir("stablehlo")
    with context():
        module = ir.Module.parse(text)
        before = str(module)
        complex_functions.split_complex_functions(
            find_by_name(module.operation, complex_functions.NAMES)
        )
        assert str(module) == before
