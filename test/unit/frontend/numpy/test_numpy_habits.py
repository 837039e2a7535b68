"""What NumPy's users expect and anvl once got wrong: each of these gave a wrong number, or none."""

import copy
import pickle  # noqa: TID251  (people pickle arrays; anvl itself does not)

import ml_dtypes
import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, rounding

import anvl
import anvl.numpy as anp


@pytest.mark.parametrize("value", [0.1, 1e300, 1e-300, 0.1 + 1e300j])
def test_full_has_the_digits_of_its_dtype(value):
    dtype = np.result_type(type(value))
    np.testing.assert_array_equal(anp.full(2, value, dtype=dtype), np.full(2, value))
    np.testing.assert_array_equal(anp.full_like(np.zeros(2, dtype), value), np.full(2, value))


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
@pytest.mark.parametrize("shape", [(), (2, 0), (2, 3)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_pickled_array_keeps_its_shape(again, shape, dtype):
    x = anp.asarray(np.arange(float(np.prod(shape))).reshape(shape), dtype)
    assert again(x).shape == shape and again(x).dtype == dtype
    np.testing.assert_array_equal(np.asarray(again(x)), np.asarray(x))


def test_a_pickled_key_draws_the_same_numbers():
    key = anvl.random.key(7)
    again = pickle.loads(pickle.dumps(key))
    np.testing.assert_array_equal(anvl.random.normal(again, (3,)), anvl.random.normal(key, (3,)))


@pytest.mark.parametrize(("dtype", "most"), [("float32", 38), ("float64", 308)])
def test_logarithms_are_exact_at_powers_of_their_base(dtype, most):
    tens = np.asarray([float(f"1e{n}") for n in range(-most + 1, most + 1)], dtype)
    np.testing.assert_array_equal(anp.log10(tens), np.arange(-most + 1.0, most + 1.0))
    twos = np.ldexp(np.ones(2 * most), np.arange(-most, most)).astype(dtype)
    np.testing.assert_array_equal(anp.log2(twos), np.arange(-float(most), most))


@pytest.mark.parametrize("name", ["log2", "log10"])
def test_logarithms_between_powers_and_their_derivatives(name):
    f, reference = getattr(anp, name), getattr(np, name)
    draw = np.random.default_rng(3)
    x = np.concatenate([np.exp(20 * draw.normal(size=200)), 1 + 1e-9 * draw.normal(size=200)])
    np.testing.assert_allclose(f(x), reference(x), rtol=rounding(FORMULA))
    scale = reference(np.e)
    slope, bend = anvl.grad(f), anvl.grad(anvl.grad(f))
    for at in (0.3, 1.0, 5.0):
        np.testing.assert_allclose(slope(np.float64(at)), scale / at, rtol=rounding(FORMULA))
        np.testing.assert_allclose(bend(np.float64(at)), -scale / at**2, rtol=rounding(FORMULA))
    special = np.asarray([0.0, -0.0, np.inf, -1.0, -np.inf, np.nan, 5e-324, 2.2e-308])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(anvl.jit(f)(special[:6]), reference(special[:6]))
    numbers = np.asarray([0j, 1j, -2 + 1e-3j])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(
            f(numbers), [-np.inf, *reference(numbers[1:])], rtol=rounding(FORMULA)
        )


@pytest.mark.parametrize("rcond", [None, 0.3])
def test_lstsq_has_the_shortest_solution(rcond):
    a = np.asarray([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [2.0, 2.0, 0.1], [0.0, 0.0, 1.0]])
    b = np.asarray([1.0, 2.0, 4.0, 3.0])
    x, _, rank, s = anp.linalg.lstsq(a, b, rcond=rcond)
    wanted = np.linalg.lstsq(a, b, rcond=rcond)
    np.testing.assert_allclose(x, wanted[0], rtol=rounding(PROGRAM))
    assert (int(rank), s.shape) == (wanted[2], wanted[3].shape)


@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
def test_the_extremum_of_nothing_but_nan_is_nan(name):
    assert np.isnan(getattr(anp, name)(np.full(3, np.nan)))
    found = getattr(anp, name)(np.asarray([[np.nan, np.nan], [1.0, np.nan]]), axis=1)
    np.testing.assert_array_equal(found, [np.nan, 1.0])


def test_lists_beside_an_array_are_arrays():
    x = anp.arange(3)
    for found in (x == [0, 1, 2], [0, 1, 2] == x, x + [1, 2, 3] > (0, 2, 4), x != [5, 6, 7]):  # noqa: RUF005
        assert np.asarray(found).tolist() == [True, True, True]
    assert np.asarray([1, 2, 3] - x).tolist() == [1, 1, 1]
    assert np.asarray(anvl.jit(lambda x: x * [1, 2, 3])(x)).tolist() == [0, 2, 6]
    with pytest.raises(ValueError, match="do not broadcast"):
        x == [0, 1]  # noqa: B015
    assert (x == None) is False and (x == "a") is False  # noqa: E711


def test_a_masked_array_is_refused_everywhere():
    masked = np.ma.masked_array([1.0, 2.0], mask=[True, False])
    for f in (
        anp.asarray,
        anp.sin,
        lambda x: anp.stack([x, x]),
        anvl.jit(anp.sin),
        lambda x: anp.ones(2) + x,
        lambda x: anvl.jit(lambda y: y + x)(1.0),
        lambda x: anp.asarray([x, x]),
    ):
        with pytest.raises(TypeError, match="mask would be lost; use x"):
            f(masked)


@pytest.mark.parametrize("name", ["tril", "triu", "eye", "tri"])
@pytest.mark.parametrize("k", [2**31 - 1, -(2**31), 2**40, -(2**40), 3, -3, -2, 2])
def test_a_diagonal_far_outside(name, k):
    if name in ("eye", "tri"):
        found, wanted = getattr(anp, name)(2, 3, k), getattr(np, name)(2, 3, k)
    else:
        found, wanted = (getattr(m, name)(np.ones((2, 3)), k) for m in (anp, np))
    np.testing.assert_array_equal(found, wanted)


def test_a_diagonal_is_an_integer():
    with pytest.raises(TypeError, match=r"tril: k is 1.5 of type float; it must be an integer"):
        anp.tril(np.ones((2, 2)), 1.5)


def test_numbers_alone_are_subtracted():
    bools = np.asarray([True, False])
    with pytest.raises(
        TypeError, match=r"subtract: takes numbers, got bool\[2\] and bool\[2\]; use"
    ):
        anp.subtract(bools, bools)
    with pytest.raises(TypeError, match=r"negative: takes numbers, got bool\[2\]; use logical_not"):
        -anp.asarray(bools)
    assert np.asarray(anp.subtract(bools, 1)).tolist() == [0, -1]


@pytest.mark.parametrize("name", ["hypot", "floor_divide", "remainder", "fmod", "divmod"])
def test_complex_numbers_are_refused_where_they_mean_nothing(name):
    with pytest.raises(TypeError, match=r"takes real numbers, got c64\??\[\]"):
        getattr(anp, name)(np.complex64(1 + 2j), 2)
    with pytest.raises(TypeError, match="takes real numbers"):
        anvl.jit(getattr(anp, name))(2.0, np.complex64(1j))


@pytest.mark.parametrize("name", ["trunc", "fix", "fabs"])
def test_complex_numbers_are_refused_by_functions_of_one(name):
    with pytest.raises(TypeError, match="takes real numbers"):
        getattr(anp, name)(1 + 2j)


@pytest.mark.parametrize("name", ["int2", "uint2", "float4_e2m1fn", "float8_e4m3", "float8_e3m4"])
def test_a_dtype_that_no_function_takes_is_refused_at_the_door(name):
    x = np.ones(2, getattr(ml_dtypes, name))
    for f in (anp.asarray, anp.sin, anp.negative, anvl.jit(lambda x: x)):
        with pytest.raises(TypeError, match=rf"{name}.*is not the dtype of an array; use one of"):
            f(x)


def test_a_dtype_that_is_taken_computes():
    for name in ("int4", "uint4", "float8_e4m3fn", "float8_e5m2"):
        x = anp.asarray(np.ones(2, getattr(ml_dtypes, name)))
        assert np.asarray(x + x, float).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", ["array", "asarray", "asanyarray", "copy", "zeros_like"])
def test_an_order_in_memory_is_taken_where_it_makes_no_difference(name):
    f, x = getattr(anp, name), np.ones((2, 3))
    for order in (None, "C", "K", "A"):
        assert f(x, order=order).shape == (2, 3)
    text = f"{name}: order is 'F', .*; arrays have no order in memory: leave it out, or transpose"
    for given in (x, anp.asarray(x)):
        with pytest.raises(TypeError, match=text):
            f(given, order="F")


def test_an_unknown_keyword_is_no_array():
    ones = np.ones((2, 2))
    for call, text in (
        (
            lambda: anp.ones((2, 2), order="F"),
            r"ones: order is 'F', .*: leave it out, or transpose",
        ),
        (lambda: anp.sin(ones, out=ones), r"sin: there is no keyword 'out'; arrays are immutable"),
        (lambda: anp.atan2(ones, 1, k=ones), r"atan2: there is no keyword 'k'; it takes x, y"),
        (lambda: anp.sum(ones, axes=1), r"sum: there is no keyword 'axes'; did you mean 'axis'"),
        (lambda: anp.sum(ones, keepdim=True), r"sum: there is no keyword .*mean 'keepdims'\?"),
    ):
        with pytest.raises(TypeError, match=text):
            call()
