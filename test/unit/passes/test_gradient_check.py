"""The arithmetic of verification: what differences say, and when they can say nothing."""

import math

import numpy as np
import pytest

from anvl.passes.expand import gradient_check
from anvl.passes.expand.gradient_check import (
    BAD,
    NOT_FINITE,
    NOT_SMOOTH,
    OK,
    Limits,
    measured,
    paired,
)

X = np.array([0.3, -0.7])
T, G = np.array([1.0, -0.5]), np.array([0.8, 0.6])
F64 = Limits.of(["f64"])


def slope_of(f, derivative, x=X, limits=F64, tangent=None):
    """The slope of an elementwise f along T, beside its derivative."""
    moved = lambda xs: [np.asarray(f(xs[0])).astype(x.dtype)]  # noqa: E731
    t, g = T.astype(x.dtype), G.astype(x.dtype)
    d = np.asarray(derivative(x)).astype(x.dtype)
    tangent = paired([g], [d * t]) if tangent is None else tangent
    return measured(moved, [x], [t], [g], limits).with_modes(paired([d * g], [t]), tangent)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize(
    ("f", "derivative"),
    [
        (np.sin, np.cos),
        (np.exp, np.exp),
        (lambda x: 1e3 + x, np.ones_like),
        (np.floor, np.zeros_like),
        (lambda x: x**3, lambda x: 3 * x**2),
    ],
)
def test_a_right_derivative_is_ok_in_every_dtype(dtype, f, derivative):
    limits = Limits.of([np.dtype(dtype)])
    assert slope_of(f, derivative, X.astype(dtype), limits).verdict == OK


@pytest.mark.parametrize(("dtype", "off"), [("f8", 1 + 1e-5), ("f4", 1.05), ("f2", 1.5)])
def test_a_wrong_derivative_is_bad_in_every_dtype(dtype, off):
    limits = Limits.of([np.dtype(dtype)])
    found = slope_of(np.sin, lambda x: off * np.cos(x), X.astype(dtype), limits)
    assert (found.verdict, found.mode_error < 1e-3, found.smooth) == (BAD, True, True)


def test_modes_that_disagree_are_bad_whatever_the_differences_say():
    right = paired([G], [np.cos(X) * T])
    found = slope_of(np.sin, lambda x: -np.cos(x), tangent=right)
    assert (found.verdict, found.mode_error > 0.1) == (BAD, True)
    kink = slope_of(lambda x: np.abs(x - X), np.ones_like, tangent=paired([G], [0 * T]))
    assert (kink.verdict, kink.smooth) == (BAD, False)


@pytest.mark.parametrize("near", [0.0, 0.1, 0.3, 0.5, 0.66, 0.7, 0.8, 0.9])
def test_a_kink_nearer_than_the_step_is_told_apart_from_a_wrong_derivative(near):
    at = X[0] - near * F64.eps
    found = slope_of(lambda x: np.maximum(x, at), lambda x: 1.0 * (x >= at))
    assert (found.verdict, found.smooth) == (NOT_SMOOTH, False)


def test_a_kink_beyond_the_step_is_no_matter():
    at = X[0] - 1.1 * F64.eps
    assert slope_of(lambda x: np.maximum(x, at), lambda x: 1.0 * (x >= at)).verdict == OK


def test_a_jump_and_numbers_that_are_not_finite_are_told():
    jump = slope_of(lambda x: 1.0 * (x > X[0]), np.zeros_like)
    assert jump.verdict == NOT_SMOOTH
    with np.errstate(invalid="ignore"):
        assert slope_of(np.log, lambda x: 1 / x).verdict == NOT_FINITE
    assert slope_of(np.sin, lambda x: np.cos(x) * math.inf).verdict == NOT_FINITE
    # what is infinite and stays so has no slope
    assert slope_of(lambda x: np.full_like(x, -np.inf), np.zeros_like).verdict == OK


def test_complex_numbers_pair_without_conjugation():
    x, t, g = np.array([1 + 2j]), np.array([0.5 - 1j]), np.array([2 + 1j])
    found = measured(lambda xs: [xs[0] ** 2], [x], [t], [g], Limits.of(["c128"]))
    derivative = 2 * x
    found = found.with_modes(paired([g * derivative], [t]), paired([g], [derivative * t]))
    assert found.verdict == OK
    assert found.adjoint == pytest.approx(float(np.real(g * 2 * x * t)[0]))


def test_the_narrowest_dtype_sets_the_limits_unless_they_are_given():
    assert Limits.of(["f64", "f32"]) == Limits.of(["c64"])
    assert Limits.of(["f64", "bf16", "f16"]) == Limits.of(["bf16"])
    assert Limits.of(["f64"], 0.5, 0.25)[:2] == (0.5, 0.25)


def test_the_text_has_one_error_or_two():
    one = measured(lambda xs: [np.sin(xs[0])], [X], [T], [G], F64).with_modes(paired([G], [T]))
    assert "error " in str(one) and "tangent" not in str(one)
    assert str(slope_of(np.sin, np.cos)).endswith("of 1e-06 allowed, ok")
    assert (
        gradient_check.Slope(0.0, 0.0, 0.0, True, True, 1e-6).with_modes((1.0, 0.0)).verdict == BAD
    )
