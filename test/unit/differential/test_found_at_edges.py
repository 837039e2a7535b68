"""Bugs that sweeps over edge values found, each with the call that showed it."""

import numpy as np
import pytest
from comparing import flattened
from tolerances import FORMULA, assert_close

import anvl
import anvl.numpy as anp
from anvl import lax, nn, optim

X = np.asarray([-2.5, -1.0, 3.0, 4.0])
NAN = np.asarray([1.0, np.nan, 3.0])


@pytest.mark.parametrize("condition", [np.asarray([1.0, 0.0]), np.asarray([1, 0], "u1"), [1, 0]])
@pytest.mark.parametrize("sides", [(300, 0), (0.1, 1), (True, False)])
def test_numbers_of_a_choice_do_not_take_the_dtype_of_its_condition(condition, sides):
    condition = np.asarray(condition)
    wanted = anvl.jit(lambda c: anp.where(c, *sides))(condition)
    for _ in range(3):  # by arguments, then by the code of their structure
        for given in (condition, anp.asarray(condition)):
            found = anp.where(given, *sides)
            assert found.dtype == wanted.dtype != np.float64
            np.testing.assert_array_equal(found, wanted)
    assert anp.where(condition, np.ones(2), 0.1).dtype == np.float64


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_integers_divided_by_zero_have_all_bits_set(dtype):
    x = np.asarray([np.iinfo(dtype).min, 0, 7, np.iinfo(dtype).max], dtype)
    wanted = np.full(4, -1).astype(dtype)
    zero = np.zeros(4, dtype)
    for found in (anp.floor_divide(x, zero), anvl.jit(anp.divmod)(x, zero)[0], anp.asarray(x) // 0):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(anp.remainder(x, zero), x)


def test_edges_in_a_list_have_the_digits_of_the_elements():
    x = np.asarray([0.1, 0.15, 0.7])
    for f in (
        lambda m, x: m.histogram(x, [0.1, 0.2, 0.7])[0],
        lambda m, x: m.histogram2d(x, x, [[0.1, 0.2, 0.7], [0.1, 0.7]])[0],
        lambda m, x: m.histogramdd(x[:, None], [[0.1, 0.2, 0.7]])[0],
    ):
        for found in (f(anp, x), anvl.jit(lambda x: f(anp, x))(x)):  # noqa: B023
            np.testing.assert_array_equal(found, f(np, x))


def test_weights_in_a_list_have_the_digits_of_what_they_weigh():
    for f in (
        lambda m, x: m.cov(x, aweights=[0.1, 0.3, 1.0, 2.0]),
        lambda m, x: m.histogram(x, 2, weights=[0.1, 0.3, 0.7, 0.1])[0],
    ):
        assert_close(anvl.jit(lambda x: f(anp, x))(X), f(np, X), FORMULA)  # noqa: B023
    for f in (nn.batch_norm, nn.layer_norm):
        found = anvl.jit(lambda x: f(x, 0.1, 0.7))(X)  # noqa: B023
        wanted = f(X, np.float64(0.1), np.float64(0.7))
        for one, other in zip(flattened(found), flattened(wanted), strict=True):
            assert_close(one, other, FORMULA)


def test_numbers_of_arrays_that_do_not_meet_have_their_defaults():
    for f in (anp.broadcast_arrays, anp.meshgrid):
        for found in (f(X, 0.1, 1), anvl.jit(lambda x: f(x, 0.1, 1))(X)):  # noqa: B023
            assert [x.dtype.name for x in found] == ["float64", "float32", "int32"]


@pytest.mark.parametrize("edges", [[], [1.0]])
def test_a_histogram_without_bins_is_empty(edges):
    for more in ({}, {"weights": X}):
        found, wanted = (m.histogram(X, edges, **more)[0] for m in (anp, np))
        assert found.shape == wanted.shape == (0,)
        assert found.dtype.kind == wanted.dtype.kind


def test_parts_of_complex_numbers_are_rounded():
    z = np.asarray([1.5 + 2.5j, -0.2 - 0.7j])
    np.testing.assert_array_equal(anp.rint(z), np.rint(z))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint64"])
def test_an_arithmetic_shift_copies_the_first_bit_of_unsigned_numbers_too(dtype):
    x = np.asarray([0, 1, np.iinfo(dtype).max, np.iinfo(dtype).max - 1], dtype)
    signed = np.dtype(dtype.removeprefix("u"))
    wanted = (x.view(signed) >> np.asarray(1, signed)).view(dtype)
    np.testing.assert_array_equal(lax.shift_right_arithmetic(x, 1), wanted)


def test_bools_have_no_sign():
    np.testing.assert_array_equal(anp.signbit(np.asarray([True, False])), [False, False])


def test_nan_is_ignored_in_variances_with_a_correction():
    for name in ("nanvar", "nanstd"):
        found, wanted = (getattr(m, name)(NAN, correction=1) for m in (anp, np))
        assert_close(found, wanted, FORMULA)


def test_more_differences_than_elements_leave_none():
    assert anp.diff(X, 2**70).shape == np.diff(X, 9).shape == (0,)


REFUSED = {
    "a fraction of a decimal": (lambda: anp.round(X, 1.5), "round: decimals is 1.5 of type float"),
    "a fraction of a part": (lambda: anp.split(X, 2.5), "split: 2.5 must be an integer"),
    "a fraction of a place": (lambda: anp.array_split(X, [1.5]), "array_split: 1.5 of "),
    "a fraction of a turn": (lambda: anp.rot90(np.eye(2), 0.5), "rot90: k is 0.5 of type float"),
    "rows of a vector": (lambda: anp.vsplit(X, 2), "vsplit: takes arrays with at least two axes"),
    "a variance in integers": (lambda: anp.var(X, dtype="int32"), "var: dtype is int32, and "),
    "a deviation in integers": (lambda: anp.std(X, dtype=int), "std: dtype is int32, and the re"),
    "a variance of numbers": (lambda: anp.nanvar(X, dtype=bool), "nanvar: dtype is bool, and the"),
    "a mean of numbers": (lambda: anp.nanmean(NAN, dtype="int8"), "nanmean: dtype is int8, and"),
    "a number for a mask": (lambda: anp.nanmean(NAN, where=1.5), "nanmean: where is f32[]; it "),
    "two corrections": (lambda: anp.nanstd(NAN, ddof=1, correction=1), "nanstd: ddof=1 and corr"),
    "text for arrays": (lambda: anp.common_type("a"), "common_type: argument 0 is 'a' of type s"),
    "text for a character": (lambda: anp.typename("a?"), "typename: 'a?' is no character of a"),
    "text for an integer": (lambda: anp.binary_repr("a"), "binary_repr: num is 'a' of type str"),
    "a width": (lambda: anp.binary_repr(-3, 1), "binary_repr: width 1 is too small for -3"),
    "text for dtypes": (lambda: anp.promote_types("no", "f32"), "promote_types: "),
    "a large exponent": (lambda: lax.integer_pow(X, 2**70), "integer_pow: y is 11805916207174113"),
    "text for an array": (lambda: anp.isrealobj("a"), "isrealobj: takes arrays and numbers, got"),
    "an optimizer for its function": (
        lambda: optim.inject_hyperparams(3.0), "inject_hyperparams: 3.0 is no function that makes"
    ),
    "no boundaries": (
        lambda: optim.piecewise_constant_schedule(1.0, 3),
        "piecewise_constant_schedule: boundaries_and_scales is 3; give a dict",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_means_nothing_is_refused(name):
    call, says = REFUSED[name]
    with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
        call()
    assert str(caught.value).startswith(says)
