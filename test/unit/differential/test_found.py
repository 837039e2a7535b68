"""Bugs that `test_differential.py` found, each with the call that showed it."""

import numpy as np
import pytest
import scipy.linalg
import scipy.ndimage
import scipy.special
import scipy.stats
from tolerances import FORMULA, ITERATION, PROGRAM, assert_close, rounding

import anvl
import anvl.nn as nn
import anvl.numpy as anp
from anvl.scipy import linalg, ndimage, special
from anvl.scipy import stats as anp_stats
from anvl.scipy.linalg import matrix_equations
from anvl.scipy.linalg.stacks import ct

X = np.arange(6.0).reshape(2, 3)


def test_differences_of_order_0_are_what_was_given():
    assert anp.diff(X, n=0, prepend=0).shape == np.diff(X, n=0, prepend=0).shape == (2, 3)


def test_the_mean_of_exponentials_counts_in_the_dtype_of_its_argument():
    x = np.asarray([0.8, -1.4, 0.3])
    assert_close(nn.logmeanexp(x), np.log(np.mean(np.exp(x))), FORMULA)


@pytest.mark.parametrize("dtype", ["int8", "uint16"])
def test_powers_of_narrow_integers_have_room(dtype):
    x = np.asarray([20, 3], dtype)
    found = anp.vander(x, 4)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, np.vander(x, 4))


@pytest.mark.parametrize("ends", [(-3, 2, 6), (-7, 14, 22), (2, -3, 11), (0, 0, 3)])
def test_whole_numbers_between_whole_ends_are_exact(ends):
    np.testing.assert_array_equal(anp.linspace(*ends, dtype="int32"), np.linspace(*ends, dtype=int))
    np.testing.assert_array_equal(anp.linspace(*ends), np.linspace(*ends).astype("f4"))


def test_the_values_between_far_ends_are_finite():
    large = np.finfo("f8").max
    np.testing.assert_array_equal(anp.linspace(-large, np.float64(large), 3), [-large, 0, large])


def test_whole_numbers_on_the_edges_of_bins_are_in_the_upper_one():
    x = np.asarray([2, 1, 0, -2, -1, -3, -3, -3, -2])
    np.testing.assert_array_equal(anp.histogram(x, 10)[0], np.histogram(x, 10)[0])


def test_an_array_in_the_order_of_fortran_has_an_axis():
    assert anp.asfortranarray(3.0).shape == np.asfortranarray(3.0).shape == (1,)


@pytest.mark.parametrize("at", [1, [1, 4], (1, 4)])
def test_elements_are_put_at_indices_in_a_list(at):
    wanted = X.copy()
    np.put(wanted, at, [7.0])
    np.testing.assert_array_equal(anp.put(X, at, [7.0]), wanted)


def test_elements_are_put_along_an_axis_at_indices_in_a_list():
    wanted = X.copy()
    np.put_along_axis(wanted, np.asarray([[1], [0]]), 7.0, 1)
    np.testing.assert_array_equal(anp.put_along_axis(X, [[1], [0]], 7.0, axis=1), wanted)


def test_a_least_common_multiple_of_too_many_bits_is_that_of_numpy():
    """Its absolute value was taken, where it had overflown."""
    x = np.asarray([2**31 - 1, 2**31 - 4, 65537, -(2**31), -(2**31), -3, 6], np.int32)
    for y in (x[::-1].copy(), np.roll(x, 1), np.roll(x, 3)):
        np.testing.assert_array_equal(anp.lcm(x, y), np.lcm(x, y))


@pytest.mark.parametrize("bins", [[np.nan], [0, 1, np.nan], [np.nan, 1, 0], [3, 2, 2, 0]])
def test_bins_of_which_one_is_nan_are_in_the_order_of_sorting(bins):
    x, bins = np.array([-1, 0, 0.5, 1, 2, 3, np.nan]), np.array(bins, float)
    for right in (False, True):
        np.testing.assert_array_equal(anp.digitize(x, bins, right), np.digitize(x, bins, right))


def test_a_number_beside_one_of_64_bits_without_sign_or_of_8_has_its_dtype():
    found = anp.gcd(np.uint64(4), 6)
    assert (found.dtype, found.item()) == (np.uint64, 2)
    for f, wanted in ((anp.gcd, 2), (anp.lcm, 12)):
        for found in (f(np.int8(4), 6), f(6, np.int8(4)), anvl.jit(f)(np.int8(4), 6)):
            assert (found.dtype, found.item()) == (np.int8, wanted)


@pytest.mark.sweep(keep=0)
def test_a_function_of_a_zero_parameter_has_its_derivative():
    """The series ends at once, and that of the derivative does not; by SciPy's differences."""
    one, two, x = np.float64(1), np.float64(2), np.float64(0.2)
    of_b = anvl.grad(lambda b: special.hyp2f1(one, b, two, x))(np.float64(0))
    of_a = anvl.grad(lambda a: special.hyp1f1(a, two, np.float64(1.5)))(np.float64(0))
    near_1 = anvl.grad(lambda b: special.hyp2f1(one, b, np.float64(2.3), np.float64(0.95)))
    # d/db of F(1, b; 2; x) at 0 is the sum of x^k / (k (k + 1)).
    k = np.arange(1, 60)
    assert_close(of_b, np.sum(0.2**k / (k * (k + 1))), FORMULA)
    assert_close(of_a, 0.9974786292278, ITERATION)
    assert_close(near_1(np.float64(0)), 0.6744093428, ITERATION)


@pytest.mark.sweep(keep=0)
def test_the_logarithm_of_gamma_of_complex_numbers_is_the_principal_one():
    z = np.asarray([3 + 4j, -5.5 + 2j, -5.5 - 2j, -0.5 - 0.0j, -7.3 + 0j, 0.2 + 300j, -2 + 1e-9j])
    assert_close(special.loggamma(z), scipy.special.loggamma(z), PROGRAM)
    slope = anvl.jvp(special.loggamma, (z,), (1j * np.ones_like(z),))[1]
    wanted = 1j * scipy.special.digamma(z)
    np.testing.assert_allclose(slope, wanted, rounding(PROGRAM))
    assert special.loggamma(np.complex64(1j)).dtype == np.complex64
    assert np.all(np.isinf(special.loggamma(np.asarray([0j, -3 + 0j]))))


def test_the_most_frequent_of_all_keeps_as_many_axes():
    found, wanted = (
        m.mode(np.asarray([[3, 1], [3, 0]]), axis=None, keepdims=True)
        for m in (anp_stats, scipy.stats)
    )
    assert found.mode.shape == wanted.mode.shape == (1, 1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_quantiles_of_weighted_elements(dtype):
    x = np.asarray([[3.0, 1, 2], [5, 5, 0]], dtype)
    weights = np.asarray([[0.0, 2, 1], [1, 1, 3]], dtype)
    for q in (0.0, 0.4, np.asarray([0.5, 1.0], dtype)):
        given = {"axis": 1, "weights": weights, "method": "inverted_cdf"}
        np.testing.assert_array_equal(anp.quantile(x, q, **given), np.quantile(x, q, **given))
        vector = given | {"weights": weights[1]}
        np.testing.assert_array_equal(anp.quantile(x, q, **vector), np.quantile(x, q, **vector))
    absent = np.where(x == 5, np.nan, x)
    np.testing.assert_array_equal(anp.nanquantile(absent, 0.5, **given), [1, 0])
    assert np.all(np.isnan(anp.quantile(x, 0.5, **(given | {"weights": -weights}))))


def test_weights_that_do_not_fit_are_refused():
    x = np.ones((2, 3))
    with pytest.raises(
        ValueError, match="method 'linear' has no weights; give method=\"inverted_cdf\""
    ):
        anp.quantile(x, 0.5, weights=x)
    with pytest.raises(
        ValueError, match=r"weights are f64\[2\], x is f64\[2,3\]; give .* shape \(3,\)"
    ):
        anp.quantile(x, 0.5, axis=1, weights=np.ones(2), method="inverted_cdf")
    with pytest.raises(ValueError, match="give as many, or with an axis those along it"):
        anp.percentile(x, 50, weights=np.ones(2), method="inverted_cdf")


def test_an_array_of_parts_makes_the_quantiles_as_wide():
    x = np.ones(3, "f4")
    assert anp.quantile(x, np.asarray([0.5])).dtype == np.float64
    assert anp.quantile(x, [0.5]).dtype == anp.quantile(x, 0.5).dtype == np.float32
    with pytest.raises(TypeError, match="complex numbers are no parts"):
        anp.quantile(x, np.asarray(0.5j))


@pytest.mark.parametrize("axes", [{}, {"baxis": 1}, {"outaxis": -1}, {"caxis": 0, "baxis": -1}])
def test_circulant_systems_have_right_sides_in_columns(axes):
    c, b = np.asarray([5.0, 1.0, 2.0]), np.arange(9.0).reshape(3, 3) ** 2
    assert_close(
        linalg.solve_circulant(c, b, **axes), scipy.linalg.solve_circulant(c, b, **axes), PROGRAM
    )


def test_circulant_systems_of_other_sizes_are_refused():
    with pytest.raises(ValueError, match="c has 3 elements along axis -1, and b 2 along axis 0"):
        linalg.solve_circulant(np.ones(3), np.ones((2, 3)))


@pytest.mark.sweep(keep=0, part=1)
def test_what_only_an_unread_result_of_a_loop_needs_is_not_differentiated(monkeypatch):
    """The loop of the rule leaves a matrix zero that only its end needs, and its end NaN."""

    def solved(t, inside):
        half = matrix_equations._half_turning(t, anp.tril(anp.negative(inside), -1), False)
        return anp.subtract(half, ct(half))

    def f(a):
        t, z = linalg.schur(a)
        return anp.sum(w * z * z) + anp.sum(w * t * t)

    a, w = np.asarray([[1.0, 0.5], [0.5, 4.0]]), np.asarray([[1.0, 0.3], [0.2, -0.7]])

    def both(a):
        gradient = anvl.grad(f)
        twice = anvl.grad(lambda a: anp.sum(w * gradient(a)))(a)
        return twice, anvl.jvp(gradient, (a,), (w,))[1]

    found, wanted = anvl.jit(both)(a)
    monkeypatch.setattr(matrix_equations, "_turning", solved)
    for one in anvl.jit(lambda a: both(a))(a):
        np.testing.assert_allclose(one, found, rounding(PROGRAM), rounding(PROGRAM))
    np.testing.assert_allclose(found, wanted, rounding(PROGRAM), rounding(PROGRAM))


def test_the_deviation_of_one_number_has_the_slope_zero():
    for x in ([2.0], [2.0, np.nan]):
        np.testing.assert_array_equal(anvl.grad(anp.nanstd)(np.asarray(x)), [0.0] * len(x))
    assert np.isnan(anp.nanstd(np.asarray([2.0]), ddof=1))


def test_bins_of_integers_are_as_wide_as_their_weights():
    x, weights = np.asarray([1, 2, 2, 3]), np.asarray([0.1, 0.2, 0.3, 0.4])
    found, wanted = (m.histogram(x, 3, weights=weights, density=True) for m in (anp, np))
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == np.float64
        assert_close(ours, theirs, FORMULA)


def test_a_number_beside_an_array_of_64_bits_has_64_in_a_trace():
    x = np.asarray(0.7)
    found = anvl.jit(lambda x: anp_stats.norm.pdf(0.1, loc=x))(x)
    assert_close(found, scipy.stats.norm.pdf(0.1, loc=0.7), FORMULA)


def test_a_turn_by_a_number_has_the_digits_of_the_array_in_a_trace():
    x = np.arange(4.0).reshape(2, 2)
    turned = anvl.jit(lambda x: ndimage.rotate(x, 20.0, reshape=False, order=1))(x)
    assert_close(turned, scipy.ndimage.rotate(x, 20.0, reshape=False, order=1), PROGRAM)


NUMBERS_BESIDE_64_BITS = {
    "append": lambda m, x: m.append(x, 0.1),
    "choose": lambda m, x: m.choose(m.asarray([0, 1]), [x[0], 0.1]),
    "concatenate": lambda m, x: m.concatenate([x, [0.1]]),
    "ediff1d": lambda m, x: m.ediff1d(x, to_end=0.1),
    "geomspace": lambda m, x: m.geomspace(0.1, x[-1], 3),
    "gradient": lambda m, x: m.gradient(x, 0.1),
    "hstack": lambda m, x: m.hstack([0.1, x]),
    "insert": lambda m, x: m.insert(x, 1, [0.1]),
    "interp": lambda m, x: m.interp([0.1], x, x),
    "nan_to_num": lambda m, x: m.nan_to_num(x / 0, posinf=0.1, neginf=0.3),
    "piecewise": lambda m, x: m.piecewise(x, [x > 0], [0.1]),
    "polymul": lambda m, x: m.polymul(x, 0.1),
    "vstack": lambda m, x: m.vstack([x[0], 0.1]),
}


@pytest.mark.parametrize("name", NUMBERS_BESIDE_64_BITS)
def test_numbers_beside_arrays_of_64_bits_have_64_in_a_trace(name):
    f, x = NUMBERS_BESIDE_64_BITS[name], np.linspace(-1, 1, 4)
    with np.errstate(divide="ignore"):
        wanted = f(np, x)
    assert_close(anvl.jit(lambda x: f(anp, x))(x), wanted, FORMULA)


def test_a_diagonal_of_a_number_has_64_bits_in_a_trace():
    found = anvl.jit(lambda x: anp.fill_diagonal(x, 0.1))(np.zeros((2, 2)))
    np.testing.assert_array_equal(found, 0.1 * np.eye(2))


def test_a_number_of_a_dtype_keeps_it():
    x, narrow = np.asarray(0.0), np.float64(np.float32(0.1))
    assert anvl.jit(lambda x: x + anp.asarray(0.1, "f32"))(x) == narrow
    assert anvl.jit(lambda x: x + anp.asarray([0.1]))(x)[0] == narrow


def test_quantiles_that_are_elements_have_their_dtype():
    x, q = np.arange(101, dtype="f4"), np.asarray([0.29])
    for method, dtype in (("lower", np.float32), ("linear", np.float64)):
        found, wanted = (m.quantile(x, q, method=method) for m in (anp, np))
        assert found.dtype == wanted.dtype == dtype
        assert_close(found, wanted, FORMULA)


def test_integers_of_64_bits_beside_small_ones_are_exact():
    for x in ([2**63 + 1, 3], [[2**64 - 1], [0]]):
        np.testing.assert_array_equal(
            anp.asarray(x, "uint64"), np.asarray(x, "uint64"), strict=True
        )
    for x in ([2**63 + 1, -1], [2**64, 1]):
        with pytest.raises(OverflowError, match="do not fit ui64; give a wider dtype"):
            anp.asarray(x, "uint64")


def test_differences_have_the_dtype_of_the_samples():
    x, at = np.asarray([1.0, 2, 4], "f4"), np.asarray([0.0, 0.1, 0.5])
    for spacing in (at, at[1], 0.1):
        found, wanted = (m.gradient(x, spacing) for m in (anp, np))
        assert found.dtype == wanted.dtype == np.float32
        assert_close(found, wanted, FORMULA)
