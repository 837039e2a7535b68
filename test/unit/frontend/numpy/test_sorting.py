"""Orders, searches and quantiles agree with NumPy, and their derivatives follow the elements."""

import numpy as np
import pytest
from agreement import agrees, values

import anvl
import anvl.numpy as anp

NAN, INF = np.nan, np.inf
SPECIAL = np.asarray([3, NAN, 1, -0.0, 0.0, -INF, NAN, INF, -2, 1])
DTYPES = ["f8", "f4", "f2", "i4", "u1", "?", "c8"]
AXES = [None, 0, -1]


def stably(name):
    """NumPy's function, with a stable algorithm."""
    return lambda x, **given: getattr(np, name)(x, kind="stable", **given)


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_sorts_are_stable_and_nan_comes_last(name):
    f, reference = getattr(anp, name), stably(name)
    for shape in [(2, 3), (3, 2, 4), (2, 0), (1,)]:
        agrees(
            lambda x: [f(x, axis=axis) for axis in AXES],
            lambda x: [reference(x, axis=axis) for axis in AXES],
            [(values(d, shape),) for d in DTYPES],
        )
    agrees(f, reference, [(SPECIAL,), (SPECIAL.astype("f2"),), (np.asarray([True, False] * 3),)])


def test_a_zero_sorts_like_a_negative_zero():
    order = anp.argsort(np.asarray([0.0, -0.0, -1.0]))
    assert order.tolist() == [2, 0, 1]


def test_complex_numbers_are_compared_by_their_parts():
    parts = [0.0, 1.0, -1.0, NAN, INF]
    x = np.asarray([complex(a, b) for a in parts for b in parts])
    np.random.default_rng(0).shuffle(x)
    agrees(anp.sort, stably("sort"), [(x,), (x.astype("c8"),)])
    agrees(anp.argsort, stably("argsort"), [(x,)])


def test_bfloat16_and_numbers_are_sorted():
    x = np.asarray([3, 1, 2]).astype(anp.bfloat16)
    assert anp.sort(x).dtype == anp.bfloat16
    assert anp.sort(x).tolist() == [1, 2, 3]
    assert anp.sort(3.0, axis=None).tolist() == [3.0]


def test_several_keys_sort_by_the_last_first():
    a, b = values("i4", (2, 6), 0, 3), values("f8", (2, 6))
    for axis in (0, -1):
        agrees(
            lambda a, b, axis=axis: anp.lexsort((b, a), axis),
            lambda a, b, axis=axis: np.lexsort((b, a), axis),
            [(a, b)],
        )
    agrees(anp.lexsort, np.lexsort, [(a,)])


@pytest.mark.parametrize("axis", [0, -1])
def test_top_k_takes_the_largest_in_order(axis):
    for dtype in ("f8", "f2", "i4", "u1"):
        x = values(dtype, (4, 5))
        found, places = anp.top_k(x, 3, axis)
        wanted = -np.sort(-x.astype("f8"), axis)
        wanted = wanted[:3] if axis == 0 else wanted[:, :3]
        assert found.dtype == x.dtype
        assert places.dtype == np.int32
        np.testing.assert_array_equal(np.asarray(found), wanted.astype(dtype))
        np.testing.assert_array_equal(np.take_along_axis(x, np.asarray(places), axis), found)
    assert anp.top_k(x, 0)[0].shape == (4, 0)


def test_of_equals_top_k_takes_the_first():
    x = np.asarray([1.0, 2.0, 2.0, 1.0])
    assert anp.top_k(x, 3)[1].tolist() == [1, 2, 0]
    slope = anvl.grad(lambda x: anp.sum(anp.top_k(x, 1)[0]))(x)
    assert slope.tolist() == [0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_agree(side):
    for a in (np.asarray([1.0, 2, 2, 5, NAN]), np.asarray([4.0]), np.zeros(0), np.arange(7.0)):
        v = np.asarray([[0, 1, 2.0], [5, 9, NAN]])
        agrees(
            lambda a, v: anp.searchsorted(a, v, side),
            lambda a, v: np.searchsorted(a, v, side),
            [(a, v), (a, v[1, 1])],
        )
    a = values("f8", (9,))
    order = np.argsort(a)
    found = anp.searchsorted(a, a, side, sorter=order)
    np.testing.assert_array_equal(found, np.searchsorted(a, a, side, sorter=order))


@pytest.mark.parametrize("kth", [0, 2, -1, (1, 3)])
def test_a_partition_has_its_kth_elements_in_their_places(kth):
    x = values("f8", (5, 2))
    found, places = anp.partition(x, kth, 0), anp.argpartition(x, kth, 0)
    wanted = np.sort(x, 0)
    np.testing.assert_array_equal(np.asarray(found)[[kth]], wanted[[kth]])
    np.testing.assert_array_equal(np.take_along_axis(x, np.asarray(places), 0), found)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles(method):
    asked = [{"axis": a, "keepdims": k} for a in (None, 1, (0, 2)) for k in (False, True)]
    x = values("f8", (4, 5, 3))
    for q in (0.3, 0, 1, np.asarray([[0, 0.5], [1, 0.25]])):
        agrees(
            lambda x, q=q: [anp.quantile(x, q, method=method, **given) for given in asked],
            lambda x, q=q: [np.quantile(x, q, method=method, **given) for given in asked],
            [(x,)],
        )
    agrees(
        lambda x: anp.percentile(x, 30, 0, method=method),
        lambda x: np.percentile(x, 30, 0, method=method),
        [(x,)],
    )


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1"])
def test_medians(dtype):
    for shape in [(5,), (4, 3)]:
        agrees(
            lambda x: [anp.median(x), anp.median(x, 0, keepdims=True)],
            lambda x: [np.median(x), np.median(x, 0, keepdims=True)],
            [(values(dtype, shape),)],
        )


def test_a_nan_and_infinities_are_seen():
    agrees(anp.median, np.median, [(np.asarray([1, NAN, 3]),), (np.asarray([INF, INF, 1, INF]),)])
    assert np.isnan(anp.quantile(np.ones(2), 1.5).item())


#: -INF, 1, 3, INF in order.
UNLIMITED = np.asarray([1, INF, -INF, 3])


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("linear", [-INF, -INF, -INF, 2, INF, INF]),
        ("midpoint", [-INF, -INF, -INF, 2, INF, INF]),
        ("hazen", [-INF, -INF, -INF, 2, INF, INF]),
        ("averaged_inverted_cdf", [-INF, -INF, 1, 2, INF, INF]),
    ],
)
def test_between_a_number_and_an_infinity_is_the_infinity(method, wanted):
    found = anp.percentile(UNLIMITED, np.asarray([0.0, 10, 30, 50, 90, 100]), method=method)
    np.testing.assert_array_equal(found, wanted)


def test_between_opposite_infinities_is_no_number():
    found = anp.quantile(np.asarray([INF, -INF]), np.asarray([0, 0.5, 1]))
    np.testing.assert_array_equal(found, [-INF, NAN, INF])
    np.testing.assert_array_equal(anp.nanmedian(np.asarray([INF, NAN, 1, -INF, INF])), INF)


def test_an_infinity_leaves_the_derivatives_of_numbers_finite():
    total = lambda x, q: anp.sum(anp.where(anp.isinf(y := anp.percentile(x, q)), 0, y))  # noqa: E731
    slope = anvl.grad(total)(UNLIMITED, np.asarray([10.0, 50, 90]))
    np.testing.assert_array_equal(slope, [0.5, 0, 0, 0.5])
    plain = anvl.grad(lambda x: anp.sum(anp.percentile(x, np.asarray([10.0, 50, 90]))))(UNLIMITED)
    np.testing.assert_array_equal(np.asarray(plain)[[0, 3]], [0.5, 0.5])


def test_medians_of_no_columns_are_none():
    assert anp.nanmedian(np.zeros((2, 0)), axis=0).shape == (0,)
    assert anp.nanquantile(np.zeros((2, 0)), np.asarray([0.2, 0.5, 1]), axis=0).shape == (3, 0)


FUNCTIONS = {
    "sort": lambda x: anp.sort(x, 0),
    "sort of all": lambda x: anp.sort(x, None),
    "top_k": lambda x: anp.top_k(x, 2, 0)[0],
    "partition": lambda x: anp.partition(x, 1),
    "median": lambda x: anp.median(x, 1),
    "quantile": lambda x: anp.quantile(x, 0.3, (0, 1)),
    "percentile": lambda x: anp.percentile(x, np.asarray([20.0, 70.0]), 0),
    "gather by argsort": lambda x: anp.take_along_axis(x, anp.argsort(x, 1), 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradient_is_the_slope(name):
    x, t = values("f8", (4, 3)), values("f8", (4, 3), -1, 1)

    def f(x):
        y = FUNCTIONS[name](x)
        return anp.sum(y * np.random.default_rng(3).normal(size=y.shape))

    run, step = anvl.jit(f), 1e-6
    difference = (run(x + step * t).item() - run(x - step * t).item()) / (2 * step)
    slope = np.sum(np.asarray(anvl.jit(anvl.grad(f))(x)) * t)
    assert abs(slope - difference) < 1e-7 * max(1, abs(slope))


def test_a_quantile_has_a_derivative_in_its_place():
    x = np.asarray([1.0, 2.0, 4.0])
    assert anvl.grad(anp.quantile, wrt="q")(x, np.float64(0.75)).item() == 4.0


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: anp.sort(x, 2), ValueError, "sort: axis 2 is out of range of 2 axes"),
        (lambda x: anp.sort(x[0, 0]), ValueError, r"sort: f64\[\] has no axes; give axis=None"),
        (lambda x: anp.argsort(x, 1.5), TypeError, "argsort: axis 1.5 must be an integer"),
        (lambda x: anp.sum(x, "rows"), TypeError, "sum: axis 'rows' must be an integer"),
        (lambda x: anp.lexsort(()), TypeError, "lexsort: takes at least one key, got none"),
        (lambda x: anp.lexsort((x, x[:, :2])), ValueError, r"lexsort: shapes .* do not broadcast"),
        (lambda x: anp.top_k(x, 4), TypeError, "top_k: k is 4, but the last axis .* has 3"),
        (lambda x: anp.top_k(x, 1.5), TypeError, "top_k: k 1.5 must be an integer"),
        (
            lambda x: anp.top_k(x * 1j, 1),
            TypeError,
            r"top_k: operand is c128\[2,3\]; .*; complex numbers have no order",
        ),
        (lambda x: anp.partition(x, 3), ValueError, "partition: kth 3 is out of range of axis 1"),
        (lambda x: anp.argpartition(x, 1.5), TypeError, "argpartition: kth 1.5 must be an integer"),
        (lambda x: anp.searchsorted(x, 1), ValueError, r"searchsorted: `a` is f64\[2,3\]; it must"),
        (lambda x: anp.searchsorted(x[0], 1, "l"), ValueError, "searchsorted: side 'l' is neither"),
        (
            lambda x: anp.quantile(x, 0.5, method="no"),
            ValueError,
            "quantile: method 'no' is not one of",
        ),
        (lambda x: anp.median(x * 1j), TypeError, r"median: c128\[2,3\] is complex"),
        (lambda x: anp.quantile(x[:, :0], 0.5, 1), ValueError, r"quantile: f64\[2,0\] has no el"),
    ],
)
def test_bad_arguments_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(anp.asarray(np.ones((2, 3))))
