"""Results whose shape depends on values: of arrays, and inside of traces with a given size."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

NAN = np.nan
SAMPLES = [
    np.asarray([[3, 1, 0], [0, 1, 3]], "int8"),
    np.asarray([2.0, NAN, 0.0, -0.0, NAN, 2.0]),
    np.asarray([True, False, True]),
    np.asarray([1j, 0, 1j, 2], "complex64"),
    np.zeros((0, 3), "float32"),
    np.asarray([np.inf, -np.inf, 5, 5], "float32"),
]


def same(found, wanted):
    np.testing.assert_array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("x", SAMPLES, ids=lambda x: f"{x.dtype.name}{list(x.shape)}")
def test_nonzero_is_numpys_and_filled_up_in_a_trace(x):
    wanted = x.nonzero()
    for found in (anp.nonzero(x), anp.nonzero(anp.asarray(x))):
        assert [i.dtype for i in found] == [np.int32] * x.ndim
        for i, w in zip(found, wanted, strict=True):
            same(i, w)
    same(anp.argwhere(x), np.argwhere(x))
    same(anp.flatnonzero(x), np.flatnonzero(x))
    size = wanted[0].size + 2
    filled = anvl.jit(lambda x: anp.nonzero(x, size=size, fill_value=-1))(x)
    for i, w in zip(filled, wanted, strict=True):
        same(i, [*w, -1, -1])
    fewer = max(wanted[0].size - 1, 0)
    for i, w in zip(anp.nonzero(x, size=fewer), wanted, strict=True):
        same(i, w[:fewer])


@pytest.mark.parametrize("x", SAMPLES, ids=lambda x: f"{x.dtype.name}{list(x.shape)}")
def test_distinct_elements_are_numpys_and_filled_up_in_a_trace(x):
    wanted = np.unique(x, True, True, True, equal_nan=False)
    wanted = wanted[0], wanted[1], wanted[2].reshape(x.shape), wanted[3]
    found = anp.unique_all(x)
    for y, w in zip(found, wanted, strict=True):
        same(y, w)
    same(anp.unique_values(x), wanted[0])
    assert anp.unique_counts(x)._fields == ("values", "counts")
    assert anp.unique_inverse(x)._fields == ("values", "inverse_indices")
    same(anp.unique_inverse(x).inverse_indices, wanted[2])
    n, filler = wanted[0].size, 1
    size = n + 2
    traced = anvl.jit(lambda x: anp.unique_all(x, size=size, fill_value=filler))(x)
    assert type(traced) is type(found)
    same(traced.values[:n], wanted[0])
    same(traced.values[n:], np.asarray([filler] * 2, x.dtype))
    same(traced.indices[:n], wanted[1])
    same(traced.inverse_indices, wanted[2])
    same(traced.counts, [*wanted[3], 0, 0])
    least = anp.unique_all(x, size=1)
    if n:
        same(least.values, wanted[0][:1])
        same(least.counts, wanted[3][:1])


def test_a_size_fills_up_with_the_smallest_element():
    found = anp.unique_all(np.asarray([7, 5, 7]), size=4)
    assert [part.tolist() for part in found] == [
        [5, 7, 5, 5],
        [1, 0, 1, 1],
        [1, 0, 1],
        [1, 2, 0, 0],
    ]


def test_derivatives_go_to_the_first_of_equal_elements():
    x = np.asarray([3.0, 1.0, 3.0])
    weights = np.asarray([2.0, 5.0])
    slope = anvl.grad(lambda x: anp.sum(anp.unique_values(x, size=2) * weights))(x)
    assert slope.tolist() == [5, 2, 0]


@pytest.mark.parametrize("n", [3, 100])  # compared with each, and searched
@pytest.mark.parametrize("dtype", ["float32", "int16", "complex64"])
def test_isin_compares_with_few_and_with_many(n, dtype):
    x = np.asarray([[0, 1, 5], [2, 7, 200]]).astype(dtype)
    among = (np.arange(n) * 2 + 1).astype(dtype)
    if dtype == "float32":
        x[0, 0] = among[1] = NAN
    for invert in (False, True):
        same(anp.isin(x, among, invert=invert), np.isin(x, among, invert=invert))
    assert anp.isin(3, among[:0]).item() is False and anp.isin(among, 5).sum().item() == 1


# -- masks -----------------------------------------------------------------------------------------

X = np.arange(24.0, dtype="float32").reshape(2, 3, 4)
ROWS = np.asarray([True, False])
MASKS = [
    X > 5, X > 99, ROWS, (ROWS, 1), (slice(None), X[0] > 6), (..., np.asarray([True, False] * 2)),
    (None, ROWS, ..., None), (np.asarray([1, 0, 0]), np.ones(3, bool)),
    [True, False], np.bool_(True), (np.bool_(True), 1), (1, np.ones((3, 4), bool)),
    np.ones((2, 0), bool), np.ones(0, bool), (0, np.ones((0, 4), bool)),
]  # fmt: skip


@pytest.mark.parametrize("index", MASKS, ids=str)
def test_masks_of_known_values_pick_as_numpy_does(index):
    items = index if isinstance(index, tuple) else (index,)
    ours = tuple(anp.asarray(i) if isinstance(i, np.ndarray) else i for i in items)
    x = anp.asarray(X)
    same(x[index], X[index])
    same(x[ours], X[index])
    same(anvl.jit(lambda x: x[index])(x), X[index])
    changed = X.copy()
    changed[index] = -1
    same(x.at[index].set(-1.0), changed)


def test_a_false_mask_without_axes_picks_nothing():
    x = anp.asarray(X)
    assert x[False].shape == X[False].shape == x[anp.asarray(False)].shape
    for f in (anvl.jit(lambda x: x[False]), lambda x: x.at[False].set(0)):
        with pytest.raises(IndexError, match="it picks nothing"):
            f(x)


def test_the_slope_of_picked_elements():
    slope = anvl.grad(lambda x: anp.sum(x[X > 20] ** 2))(X)
    same(slope, np.where(X > 20, 2 * X, 0))


# -- repeats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [[2, 0, 1], [3], [0, 0, 0]])
def test_repeats_for_each_element_are_numpys(repeats):
    x = X[:, :, 0]
    wanted = np.repeat(x, repeats, axis=1)
    for given in (repeats, np.asarray(repeats), anp.asarray(repeats)):
        same(anp.repeat(x, given, axis=1), wanted)
    total = wanted.shape[1] + 1

    def traced(x, n):
        return anp.repeat(x, n, axis=1, total_repeat_length=total)

    filled = np.concatenate([wanted, x[:, -1:]], 1)
    same(anvl.jit(traced)(x, np.asarray(repeats)), filled)
    same(anp.repeat(x[0], 2), np.repeat(x[0], 2))
    same(x[0].repeat(2), anp.asarray(x[0]).repeat(2))


TRACED = "the shape of the result depends on the values of .*size=n"


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (anvl.jit(anp.nonzero), anvl.TraceError, f"nonzero: {TRACED}"),
        (anvl.jit(anp.argwhere), anvl.TraceError, f"nonzero: {TRACED}"),
        (anvl.jit(anp.unique_values), anvl.TraceError, f"unique_values: {TRACED}"),
        (anvl.jit(lambda x: x[x > 1]), anvl.TraceError, r"index by a mask.*nonzero\(mask, size=n"),
        (
            anvl.jit(lambda x: anp.repeat(x, x.astype("i32"))),
            anvl.TraceError,
            "repeat: the size of the result depends on.*total_repeat_length=n",
        ),
        (lambda x: anp.nonzero(x[0]), ValueError, "nonzero: x has no axes"),
        (lambda x: anp.nonzero(x, size=-1), ValueError, "nonzero: size is -1"),
        (lambda x: anp.nonzero(x, size=2.0), TypeError, "nonzero: size is 2.0"),
        (lambda x: anp.nonzero(x, size=2, fill_value=(1, 2)), ValueError, "each of 1 axes"),
        (lambda x: anp.repeat(x, [1, 2]), ValueError, r"repeats have shape \[2\]; give one"),
        (lambda x: anp.repeat(x, [1, -2, 1]), ValueError, "must not be negative"),
        (lambda x: anp.repeat(x, [0.5]), TypeError, "repeats are of dtype float64"),
        (lambda x: anp.broadcast_shapes((2,), (3,)), ValueError, "sizes 2 and 3 meet"),
        (lambda x: anp.isin(np.ones(1, "u8"), np.ones(1, "i8")), TypeError, "no common integer"),
    ],
)
def test_what_has_no_shape_or_no_meaning_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(anp.asarray([1.0, 2.0, 3.0]))
    assert anp.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
