"""What NumPy's users expect and anvl once got wrong: each of these gave a wrong number, or none."""

import copy
import pickle  # noqa: TID251  (people pickle arrays; anvl itself does not)
import re

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
        with pytest.raises(
            TypeError, match=rf"got an array of dtype {name}; convert it: .astype\(float\)"
        ):
            f(x)


def test_a_dtype_that_is_taken_computes():
    for name in ("int4", "uint4", "float8_e4m3fn", "float8_e5m2"):
        x = anp.asarray(np.ones(2, getattr(ml_dtypes, name)))
        assert np.asarray(x + x, float).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_integers_of_4_bits_meet_numbers_and_index(name):
    x = anp.asarray([1, 2, 3], name)
    for found, wanted in (
        (x + 1, [2, 3, 4]), (2 * x, [2, 4, 6]), (anp.where(x > 1, x, 0), [0, 2, 3]),
        (anp.clip(x, 1, 2), [1, 2, 2]), (x.at[0].set(5), [5, 2, 3]),
        (anp.pad(x, 1), [0, 1, 2, 3, 0]),
        (anp.zeros(2, name), [0, 0]), (anp.arange(3, dtype=name), [0, 1, 2]),
        (anvl.jit(lambda x, n: x - n)(x, 1), [0, 1, 2]),
    ):  # fmt: skip
        assert found.dtype == name
        assert found.tolist() == wanted
    assert (x > 1).tolist() == [False, True, True]
    assert x.astype(bool).tolist() == [True, True, True]
    least = ml_dtypes.iinfo(name)
    assert x.at[9].get(mode="fill").item() == least.min
    assert anp.arange(5.0)[x].tolist() == [1.0, 2.0, 3.0]
    assert anp.arange(5.0).at[x].set(7.0).tolist() == [0.0, 7.0, 7.0, 7.0, 4.0]
    assert anp.repeat(anp.arange(3), x).tolist() == [0, 1, 1, 2, 2, 2]
    assert anvl.ops.segment_max(x, anp.asarray([0, 0, 2]), 3).tolist() == [2, least.min, 3]
    for overflowing in (
        lambda: x + 99, lambda: anp.full(2, 99, name), lambda: anp.asarray([99], name),
        lambda: anvl.jit(anp.add)(x, 99),
    ):  # fmt: skip
        with pytest.raises(OverflowError, match=r"99 .*do(es)? not fit u?i4"):
            overflowing()


def test_what_numpy_says_about_memory_is_taken_where_it_makes_no_difference():
    x = anp.arange(6).reshape(2, 3)
    assert x.astype("f32", "K", "unsafe", True, False).dtype == "float32"
    assert x.astype("f32", order="C", casting="unsafe", subok=False).dtype == "float32"
    assert x.copy(order="K").tolist() == x.tolist()
    assert anp.array([1, 2], order="C", ndmin=2, subok=False).shape == (1, 2)
    assert anp.ones_like(x, order="K", subok=True, shape=(2,)).shape == (2,)
    assert anp.full_like(x, 3, order="A", subok=False).tolist() == [[3] * 3] * 2
    assert anp.broadcast_to(x, (2, 2, 3), subok=True).shape == (2, 2, 3)
    assert anp.copy(x, "K", True).shape == (2, 3)
    with pytest.raises(TypeError, match="astype: casting is 'safe', and can be 'unsafe' only; ask"):
        x.astype("f32", casting="safe")
    with pytest.raises(TypeError, match=r"astype: order is 'F', and can be .*: leave it out"):
        x.astype("f32", order="F")
    with pytest.raises(TypeError, match="copy: order is 'F', and can be 'C', 'K' or 'A' only; "):
        x.copy("F")


@pytest.mark.parametrize(
    "f, error, message",
    [
        (lambda: anvl.grad(len, argnum=0), TypeError, "ou mean 'argnums'?"),
        (lambda: anvl.lax.argmax(np.ones(2), 0, index_dtyp="i32"), TypeError,
         "argument 'index_dtyp'; did you mean 'index_dtype'?"),
        (lambda: anvl.scipy.linalg.cholesky(np.eye(2), lowr=True), TypeError,
         "argument 'lowr'; did you mean 'lower'?"),
        (lambda: anvl.optim.adam(1e-3, nestrov=True), TypeError,
         "argument 'nestrov'; did you mean 'nesterov'?"),
        (lambda: anvl.jit(anp.arange)(3), TypeError,
         "it decides the shape; a traced one can be static"),
        (lambda: anp.asarray("1.5"), TypeError,
         "'1.5' of type str is not an array of numbers; make numbers of texts with float()"),
        (lambda: anp.asarray(["a", "b"]), TypeError, "numbers; make numbers of texts with float()"),
        (lambda: anvl.nn.conv(np.ones((1, 8, 3)), np.ones((3, 4, 5))), ValueError,
         "conv: the kernel f64[3,4,5] takes 4 features in each of 1 groups, but f64[1,8,3] has"),
    ],
)  # fmt: skip
def test_a_message_says_what_to_write(f, error, message):
    with pytest.raises(error, match=re.escape(message)):
        f()


def test_sizes_in_bytes_are_known_of_traced_arrays():
    found = anvl.jit(lambda x: (x.nbytes, x.itemsize, x.copy("K")))(np.ones((2, 3), "f8"))
    assert [int(n) for n in found[:2]] == [48, 8]


def test_methods_that_numpy_has():
    x = anp.asarray([[3, 0], [1, 2]])
    assert x.item(2) == x.item(1, 0) == 1
    assert x.tobytes() == np.asarray(x).tobytes()
    assert [i.tolist() for i in x.nonzero()] == [[0, 1, 1], [0, 0, 1]]
    assert anp.asarray([1, 0]).choose([[5, 6], [7, 8]]).tolist() == [7, 6]
    y = anp.asarray(np.arange(12.0).reshape(3, 4))
    assert y.trace(1) == 18 and anvl.jit(lambda y: y.trace(offset=1, axis1=1, axis2=0))(y) == 13
    with pytest.raises(IndexError):
        x.item(4)
    with pytest.raises(
        ValueError, match=r"view: the last axis of ui8\[3\] is no whole number of i32"
    ):
        anp.zeros(3, "ui8").view("i32")


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
