"""Reductions and statistics agree with NumPy, over axes, dtypes and empty arrays."""

import numpy as np
import pytest
from agreement import agrees, values
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as anp

SHAPES = [(), (2, 3), (2, 3, 4), (2, 0)]
AXES = [None, -1, (1, -3), ()]


def options(shape, axes=AXES):
    """The axes that a shape has; the last one is kept."""
    for axis in axes:
        given = () if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if all(-len(shape) <= a < len(shape) for a in given):
            yield {"axis": axis, "keepdims": axis == -1}


def check(name, dtypes, shapes=SHAPES, axes=AXES, bounds=(-3, 3), **more):
    f, reference = getattr(anp, name), getattr(np, name)
    for shape in shapes:
        calls = [(values(d, shape, *bounds),) for d in dtypes.split()]
        asked = list(options(shape, axes))
        agrees(
            lambda x, asked=asked: [f(x, **given, **more) for given in asked],
            lambda x, asked=asked: [reference(x, **given, **more) for given in asked],
            calls,
        )


@pytest.mark.parametrize("name", ["sum", "prod"])
def test_sums_and_products(name):
    check(name, "float16 float64 int8 uint8 int64 bool complex64")


@pytest.mark.parametrize("name", ["max", "min", "ptp"])
def test_extrema(name):
    check(name, "float32 int32 uint8", [(), (2, 3), (2, 3, 4)])


@pytest.mark.parametrize("name", ["all", "any", "count_nonzero"])
def test_truth(name):
    check(name, "float32 int32 bool complex64", [(), (2, 3), (2, 0)], bounds=(-1, 2))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_place_of_an_extremum(name):
    check(name, "float32 uint8", [(2, 3), (2, 3, 4)], [None, 0, -1])


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_means_and_variances(name):
    check(name, "float16 float64 complex64 int32", [(), (2, 3)], [None, -1])


@pytest.mark.parametrize("ddof", [1, 0.5, 3, 9])
def test_the_variance_of_a_sample(ddof):
    with np.errstate(all="ignore"), pytest.warns() if ddof >= 3 else np.errstate():
        check("var", "float64", [(2, 3)], [None, -1, 0], ddof=ddof)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean"])
@pytest.mark.filterwarnings("ignore:All-NaN", "ignore:Mean of empty")
def test_reductions_without_nan(name):
    x = values("f8", (3, 4))
    x[0, 1] = x[2, 2] = np.nan
    x[1] = np.nan
    for given in options(x.shape, [None, 0, 1]):
        agrees(
            lambda x, given=given: getattr(anp, name)(x, **given),
            lambda x, given=given: getattr(np, name)(x, **given),
            [(x,)],
        )


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "sum", "mean", "any"])
def test_a_nan_is_seen(name):
    x = np.asarray([1.0, np.nan, 3.0])
    agrees(getattr(anp, name), getattr(np, name), [(x,), (x[::-1].copy(),)])


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_of_equals_the_first_counts(name):
    agrees(getattr(anp, name), getattr(np, name), [(np.asarray([2, 1, 2, 1], "i4"),)])


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "ptp"])
def test_an_extremum_of_nothing_is_refused(name):
    with pytest.raises(ValueError, match=r"(argm|m)\w+: f32\[2,0\] has no elements along axis"):
        getattr(anp, name)(np.zeros((2, 0), "f4"), axis=1)
    assert getattr(anp, name)(np.zeros((0, 2), "f4"), axis=1).shape == (0,)


def test_the_mean_of_nothing_is_nan():
    assert np.isnan(anp.mean(np.zeros(0, "f4")).item())


def test_a_dtype_is_taken_before_adding():
    x = np.full(3, 100, "i1")
    assert anp.sum(x).item() == 300
    assert anp.sum(x, dtype="int8").item() == 300 - 256
    assert anp.sum(x, dtype=float).dtype == np.float32
    assert anp.mean(x, dtype="f64").dtype == np.float64
    assert anp.mean(np.full(3, 60000, "f2")).item() == 60000


def test_small_integers_have_room_and_unsigned_ones_stay_unsigned():
    assert anp.sum(anp.asarray([7, 7]).astype("int4")).item() == 14
    assert anp.sum(np.full(300, 255, "u1")).dtype == np.uint32
    assert anp.prod(np.full(3, 100, "i1")).item() == 10**6


def test_sixteen_bit_sums_are_exact_to_their_last_bit():
    x = np.ones(5000, "f2")
    assert anp.sum(x).item() == 5000
    assert anp.sum(x).dtype == np.float16


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
def test_logsumexp_and_softmax_do_not_overflow(axis):
    x = values("f8", (3, 4)) * 1000
    at = {"axis": axis}

    def reference(x):
        high = x.max(keepdims=True, **at)
        total = np.exp(x - high).sum(keepdims=True, **at)
        log_of = np.log(total) + high
        return [log_of, np.exp(x - log_of), x - log_of]

    agrees(
        lambda x: [
            anp.logsumexp(x, keepdims=True, **at),
            anp.softmax(x, **at),
            anp.log_softmax(x, **at),
        ],
        reference,
        [(x,)],
    )


# Points, with what softmax is there.
WEIGHTS = [
    ([0.0, -40.0, -np.inf], [1, np.exp(-40), 0]),
    ([-np.inf, -np.inf, 3.0], [0, 0, 1]),
    ([1000.0, 1000.0, -1000.0], [0.5, 0.5, 0]),
    ([-np.inf] * 3, [np.nan] * 3),
    ([0.0, np.nan, 0.0], [np.nan] * 3),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exponentials_beside_infinities_and_beside_one_that_outweighs_them(dtype):
    """Values and Jacobians in both modes; what the largest leaves of 1 is rounded as 1 is."""
    x, y = (np.array([row[i] for row in WEIGHTS], dtype) for i in (0, 1))
    rest = [[np.sum(np.delete(row, i)) for i in range(3)] for row in y]  # 1 - y, with all digits
    of_rest = np.where(np.eye(3, dtype=bool), np.array(rest)[:, :, None], -y[:, None, :])
    wanted = {
        "logsumexp": y,
        "softmax": y[:, :, None] * np.where(np.eye(3, dtype=bool), of_rest, -y[:, None, :]),
        "log_softmax": of_rest,
    }
    limit = rounding(FORMULA, dtype)
    for name, slopes in wanted.items():
        f = getattr(anp, name)
        found = anvl.jit(
            lambda x, f=f: (anvl.vmap(anvl.jacfwd(f))(x), anvl.vmap(anvl.jacrev(f))(x))
        )
        for jacobians in found(x):
            np.testing.assert_allclose(jacobians, slopes, limit, limit, err_msg=name)
    np.testing.assert_allclose(anp.softmax(x), y, limit)
    sums = [np.exp(-40), 3, 1000 + np.log(2), -np.inf, np.nan]
    np.testing.assert_allclose(anp.logsumexp(x, axis=1), np.array(sums, dtype), limit, limit)
    logs = np.array([-np.exp(-40), -np.inf, -np.log(2), np.nan, np.nan], dtype)
    np.testing.assert_allclose(anp.log_softmax(x)[:, 0], logs, limit, limit)


def test_logsumexp_at_the_edges():
    infinite = np.asarray([-np.inf, -np.inf])
    assert anp.logsumexp(infinite).item() == -np.inf
    assert anp.logsumexp(-infinite).item() == np.inf
    assert anp.logsumexp(np.asarray([np.inf, 1.0, -np.inf])).item() == np.inf
    assert np.isnan(anp.logsumexp(np.asarray([np.inf, np.nan, 0.0])))
    assert anp.logsumexp(np.zeros((2, 0)), axis=1).tolist() == [-np.inf] * 2
    assert anp.softmax(np.zeros((2, 0))).shape == (2, 0)
    assert anp.log_softmax(np.zeros((0,))).shape == (0,)


def test_average_takes_weights():
    x, w = values("f8", (3, 4)), values("f8", (4,), 0.5, 2)
    for axis, weights in [(None, None), (1, w), (None, values("f8", (3, 4), 0.5, 2)), (0, w[:3])]:
        agrees(
            lambda x, axis=axis, weights=weights: anp.average(x, axis, weights),
            lambda x, axis=axis, weights=weights: np.average(x, axis, weights),
            [(x,)],
        )
    with pytest.raises(ValueError, match=r"average: weights f64\[4\] fit neither f64\[3,4\] nor"):
        anp.average(x, 0, w)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("size", [4e4, 1e-4, 3.0])
def test_a_deviation_is_there_where_its_square_is_no_number_of_the_dtype(dtype, size):
    x = np.array([size, -size]).astype(anvl.aval(dtype).dtype)
    expected = float(x[0])
    assert float(anp.std(x)) == expected
    slopes = np.asarray(anvl.grad(anp.std)(x)).astype("f8")
    np.testing.assert_allclose(slopes, [0.5, -0.5], rtol=rounding(4, x.dtype))


def test_the_derivatives_of_reductions_that_are_made_of_others():
    x = values("f8", (5,))
    for f in (anp.var, anp.std, anp.logsumexp, lambda x: anp.sum(anp.log_softmax(x) ** 2)):
        step = 1e-6
        found = np.asarray(anvl.grad(f)(x))
        for i in range(5):
            up, down = x.copy(), x.copy()
            up[i] += step
            down[i] -= step
            slope = (f(up).item() - f(down).item()) / (2 * step)
            assert abs(found[i] - slope) < 1e-7


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: anp.sum(x, axis=2), ValueError, "sum: axis 2 is out of range of 2 axes"),
        (lambda x: anp.sum(x, axis=(0, -2)), ValueError, "sum: axis .* names an axis twice"),
        (lambda x: anp.sum(x, axis=1.5), TypeError, "sum: axis 1.5 must be an integer"),
        (lambda x: anp.argmax(x, axis=(0, 1)), TypeError, "argmax: axis .* must be an integer"),
        (
            lambda x: anp.max(x * 1j),
            TypeError,
            r"^max: operand is c128\[2,3\]; .*; complex numbers have no order: take",
        ),
        (lambda x: anp.sum("x"), TypeError, "argument x.*got 'x' of type str"),
    ],
)
def test_bad_axes_and_operands_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(np.ones((2, 3)))


def test_lists_and_numpy_integers_are_axes_too():
    x = np.ones((2, 3, 4))
    assert anp.sum(x, axis=[0, 2]).shape == (3,)
    assert anp.sum(x, axis=np.int64(1)).shape == (2, 4)
    assert anvl.jit(lambda x: anp.sum(x, axis=[0, np.int64(2)]))(x).shape == (3,)
