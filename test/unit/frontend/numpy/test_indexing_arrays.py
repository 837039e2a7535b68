"""Reading and writing by arrays of indices agree with NumPy, and so do the cumulative functions."""

import doctest

import numpy as np
import pytest
from agreement import agrees, assert_same, values

import anvl
import anvl.numpy as anp
from anvl.numpy.arrays import indexing
from anvl.numpy.arrays.at import Place
from anvl.numpy.arrays.indexing import getitem

X = values("f4", (2, 3, 4))
ROWS = np.asarray([2, 0, -1, 1])
PAIR = np.asarray([[0, 1], [-1, -2]])
ALL = slice(None)

INDICES = [
    PAIR, (ALL, ROWS), (Ellipsis, ROWS), (PAIR, PAIR + 1), (PAIR, ALL, PAIR), (ALL, PAIR, PAIR),
    (PAIR[0], ROWS[:1], PAIR), (0, ALL, ROWS), (0, ROWS), (ROWS % 2, 1),
    (ALL, 1, ROWS), (1, ROWS, ALL), (ROWS % 2, 0, 0),
    (None, PAIR), (PAIR, None), (ALL, None, ROWS), (0, None, ROWS), (PAIR, None, ALL, PAIR),
    (PAIR, Ellipsis, ROWS[:2]), (ALL, PAIR, Ellipsis, PAIR), (Ellipsis, PAIR, PAIR),
    (None, ALL, ROWS, None, ALL), (PAIR, ALL, slice(1, 3)), (ROWS[:0],),
    (slice(1, None), ROWS, slice(None, None, -2)), (slice(None, None, -1), slice(1, 3), ROWS),
    (ALL, ROWS[:0], 1), (slice(2, 2), ROWS), (ALL, slice(None, None, 2), ROWS, None),
    (slice(5, 2), ALL, ROWS), np.zeros((2, 0, 3), int), ([0, 1, 1],), [0, 1], [[0], [1]], ([],),
    [[]], (ROWS.astype("i1") % 2, (ROWS % 3).astype("u1")),
    (np.asarray(1), ALL, ROWS), (np.int8(1), ROWS), ((0, 1), (1, 2)),
    (ROWS % 2, ALL, slice(-1, None)), (PAIR, slice(None, None, -2), PAIR),
]  # fmt: skip
BASIC = [
    0, -1, (1, 2), (0, -1, 3), ALL, slice(1, None), slice(None, None, -1), (ALL, 1), (Ellipsis, 0),
    (0, Ellipsis, 1), Ellipsis, (), None, (None, 0, None), (slice(0, 9), slice(5, 2)),
    (ALL, slice(2, 0, -1), slice(None, None, 3)), (slice(-2, None), None, Ellipsis, -1),
    (0, slice(1, 3)), (ALL, slice(1, 2), slice(0, 4, 2)), (ALL, None, 1, slice(2, None)),
]  # fmt: skip


def split(index):
    """The arrays of an index, and a function that puts others in their place."""
    items = index if isinstance(index, tuple) else (index,)
    arrays = [i for i in items if isinstance(i, np.ndarray)]

    def joined(new):
        new = iter(new)
        return tuple(next(new) if isinstance(i, np.ndarray) else i for i in items)

    return arrays, joined


@pytest.mark.sweep(keep=5)
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_arrays_as_indices_take_what_numpy_takes(index):
    expected = X[index]
    arrays, joined = split(index)
    found = [
        anp.asarray(X)[index],
        anp.asarray(X)[joined([anp.asarray(a) for a in arrays])],
        anvl.jit(lambda x: x[index])(X),
        anvl.jit(lambda x, arrays: x[joined(arrays)])(X, arrays),
    ]
    for one in found:
        assert_same(one, expected, [X])


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("index", [*BASIC, *INDICES], ids=str)
def test_writing_changes_what_numpy_changes(index):
    arrays, joined = split(index)
    rng = np.random.default_rng(1)
    new = rng.uniform(-3, 3, X[index].shape).astype("f4")
    changes = {
        "add": np.add.at, "multiply": np.multiply.at, "min": np.minimum.at, "max": np.maximum.at,
    }  # fmt: skip

    def every(x, index, new):
        return [getattr(x.at[index], how)(new) for how in changes]

    eager = every(anp.asarray(X), joined([anp.asarray(a) for a in arrays]), new)
    fixed = every(anp.asarray(X), index, new)
    inside = anvl.jit(lambda x, arrays, new: every(x, joined(arrays), new))(X, arrays, new)
    for one, two, three, change in zip(eager, fixed, inside, changes.values(), strict=True):
        expected = X.copy()
        change(expected, index, new)
        for found in (one, two, three):
            assert_same(found, expected, [X])


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("index", [*BASIC, *INDICES], ids=str)
def test_setting_replaces_what_numpy_replaces(index):
    arrays, joined = split(index)
    expected = X.copy()
    # Of several values for one element any may stay: let them be equal.
    expected[index] = new = (X * 2)[index]
    for found in (
        anp.asarray(X).at[index].set(new),
        anvl.jit(lambda x, arrays: x.at[joined(arrays)].set(new))(X, arrays),
    ):
        assert_same(found, expected, [X])


@pytest.mark.sweep(keep=5)
@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("of_index", ["i1", "u1", "i4", "u4", "i8", "u8"])
def test_every_dtype_is_read_and_written_by_every_integer(dtype, of_index):
    x = values(dtype, (5, 2))
    at = np.asarray([4, 0, 3], of_index)
    new = values(dtype, (3, 2))
    agrees(lambda x, i: x[i], lambda x, i: x[i], [(x, at)])
    expected = x.copy()
    expected[at] = new
    agrees(lambda x, i, new: x.at[i].set(new), lambda *_: expected, [(x, at, new)])


def test_small_integers_index_long_axes():
    x = np.arange(300)
    for dtype in ("i1", "u1"):
        at = np.asarray([100, 3, 1], dtype)
        agrees(lambda x, i: x[i], lambda x, i: x[i], [(x, at)])
    agrees(lambda x, i: x[i], lambda x, i: x[i], [(x, np.asarray([-100, -1], "i1"))])


def test_what_was_read_before_is_read_again_alike():
    @anvl.jit
    def reads(x):
        return [[x[index], x[index], x[..., ::2][index]] for index in BASIC if index != (0, -1, 3)]

    for found, index in zip(reads(X), (i for i in BASIC if i != (0, -1, 3)), strict=True):
        for y, of in zip(found, (X, X, X[..., ::2]), strict=True):
            assert np.array_equal(y, of[index]), index


def test_a_read_that_a_trace_has_met_is_not_parsed_again(monkeypatch):
    anvl.trace(lambda x: x[1:, 0, ::-1], X)
    monkeypatch.setattr(indexing, "parsed", None)
    assert "anvl.reverse" in anvl.trace(lambda x: x[1:, 0, ::-1], X + 1).mlir()


def test_an_index_is_not_taken_for_an_equal_one_of_another_type():
    @anvl.jit
    def reads(x):
        assert x[1].shape == x[1:].shape[1:] == (3, 4)
        for index, kind in ((1.0, IndexError), (slice(True, None), TypeError)):
            with pytest.raises(kind):
                x[index]
        return x[True], x[np.asarray(1)], x[np.int64(1)], x[[1]]

    found = reads(X)
    for y, of in zip(found, (X[True], X[1], X[1], X[[1]]), strict=True):
        assert np.array_equal(y, of)


def test_a_traced_integer_is_an_index():
    run = anvl.jit(lambda x, i, j: (x[i], x[:, j], x[i, :, j], x[1:, j, None], x[i, 0, [1, 2]]))
    for i, j in ((0, 2), (1, 0), (-1, -3)):
        expected = (X[i], X[:, j], X[i, :, j], X[1:, j, None], X[i, 0, [1, 2]])
        for found, wanted in zip(run(X, i, j), expected, strict=True):
            assert_same(found, wanted, [X])
    found = anvl.jit(lambda x, i: x[0, [i, 2, -1]])(X, 1)
    assert_same(found, X[0, [1, 2, -1]], [X])
    text = anvl.jit(lambda x, i: x[i]).lower(X, 0).mlir("stablehlo")
    assert "dynamic_slice" in text and "gather" not in text


def test_eager_integers_share_one_program():
    x = anp.zeros((6, 7, 3))
    compiled = indexing._getitem.eager.cache_size
    before = compiled()
    for i in (0, 3, -1):
        assert x[i].shape == (7, 3)
    assert compiled() == before + 1


def test_a_traced_index_that_is_out_of_range_reads_the_nearest_and_writes_nothing():
    x, at = np.arange(4.0), np.asarray([7, -9, 1])
    assert anvl.jit(lambda x, i: x[i])(x, at).tolist() == [3, 0, 1]
    assert anvl.jit(lambda x, i: x[i])(x, 9).item() == 3
    assert anvl.jit(lambda x, i: x.at[i].set(5.0))(x, at).tolist() == [0, 5, 2, 3]
    assert anvl.jit(lambda x, i: x.at[i].set(5.0))(x, -9).tolist() == x.tolist()
    assert anvl.jit(lambda x, i: anp.take_along_axis(x, i))(x, at).tolist() == [3, 0, 1]


MASK = "index by a mask, bool.*where.*nonzero"


@pytest.mark.parametrize(
    ("index", "kind", "message"),
    [
        (X[:, :2] > 0, IndexError, r"mask of shape \[2, 2, 4\], but axis 0 of f32\[2,3,4\]"),
        ([True, False, True], IndexError, "a mask has the sizes of the axes that it picks from"),
        ([0, 2], IndexError, r"index 2 is out of range of axis 0 of f32\[2,3,4\]"),
        ((ALL, np.asarray([1, -4])), IndexError, "index -4 is out of range of axis 1"),
        ([0.5], IndexError, "an index is an integer, a slice"),
        (np.ones(2, "f4"), IndexError, "an index is an integer, a slice"),
        ((ROWS % 2, ROWS[:2]), IndexError, r"index: i\d+\[\d+\], i\d+\[2\] do not broadcast"),
        (slice(1.5), TypeError, "slice bound 1.5 of type float must be an integer"),
        ((ROWS % 2,) * 4, IndexError, "index has 4 entries"),
    ],
    ids=str,
)
def test_an_index_that_does_not_fit_is_refused(index, kind, message):
    for read in (lambda x: x[index], lambda x: x.at[index].set(0)):
        for f in (read, anvl.jit(read)):
            with pytest.raises(kind, match=message):
                f(anp.asarray(X))


def test_a_traced_mask_and_a_traced_bound_are_refused_with_a_remedy():
    with pytest.raises(anvl.TraceError, match=MASK):
        anvl.jit(lambda x: x[x > 0])(X)
    with pytest.raises(anvl.TraceError, match=r"its length would depend on a value; use x\[start"):
        anvl.jit(lambda x, n: x[:n])(X, 1)
    with pytest.raises(IndexError, match=r"axis 1 of .*, which has no elements"):
        anvl.jit(lambda x, i: x[:, i])(X[:, :0], ROWS)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: x.at[0].set(1.5), TypeError, "at.set: the values are f32.*does not hold"),
        (lambda x: x.at[0].add(np.ones(5, "i4")), ValueError, "at.add: "),
        (
            lambda x: x.at[0, 0].max(np.ones((2, 4), "i4")),
            ValueError,
            "at.max: .*do not broadcast to",
        ),
        (lambda x: anp.take(x, None), TypeError, "take: takes integers"),
        (lambda x: anp.take_along_axis(x, ROWS), ValueError, "must have as many axes"),
        (lambda x: anp.take_along_axis(x, X), TypeError, "they must be integers"),
        (lambda x: anp.cumsum(x, 3), ValueError, "cumsum: axis 3 is out of range"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(anp.asarray(X).astype("i32"))


def test_writing_broadcasts_converts_and_leaves_the_array():
    x = anp.asarray(X)
    assert x.at[0].set(1).dtype == np.float32
    np.testing.assert_array_equal(x.at[:, 1, ::2].add(True)[:, 1, ::2], X[:, 1, ::2] + 1)
    np.testing.assert_array_equal(x, X)
    assert x.at[..., None].set(X[..., None] * 2).shape == X.shape
    assert anp.asarray(3.0).at[()].add(1).item() == 4


def test_take_and_take_along_axis():
    for call in [
        (X, ROWS),
        (X, PAIR, 1),
        (X, 5),
        (X, -1, -1),
        (X, ROWS, 2),
        (X, ROWS[:0], 1),
        (X[0, 0, 0], 0),
    ]:
        assert_same(anp.take(*call), np.take(*call), [X])
        assert_same(anvl.jit(lambda x, c=call: anp.take(x, *c[1:]))(X), np.take(*call), [X])
    assert anp.asarray(X).take(ROWS, 1).shape == (2, 4, 4)
    calls = [(X, np.argsort(X, a), a) for a in (0, 1, 2, -1)]
    calls += [(X, np.zeros((2, 5, 4), int) - 2, 1), (X, np.zeros((2, 0, 4), int), 1)]
    calls += [(X[:1], np.ones((1, 2, 4), "u1"), 1), (X, np.ones((1, 2, 4), int), 1)]
    calls += [(X[:, :1], np.ones((2, 3, 2), int), 2)]
    for x, at, axis in calls:
        expected = np.take_along_axis(x, at, axis)
        assert_same(anp.take_along_axis(x, at, axis), expected, [X])
        assert_same(anvl.jit(anp.take_along_axis, static="axis")(x, at, axis), expected, [X])


def accumulated(ufunc):
    return lambda x, axis=None: ufunc.accumulate(x.ravel() if axis is None else x, axis or 0)


CUMULATIVE = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": accumulated(np.maximum),
    "cummin": accumulated(np.minimum),
}


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("name", CUMULATIVE)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f2", "f4", "f8", "bool"])
def test_cumulative_functions_agree_with_numpy(name, dtype):
    f, reference = getattr(anp, name), CUMULATIVE[name]
    x = values(dtype, (3, 4))
    for axis in (None, 0, 1):
        agrees(lambda x, a=axis: f(x, a), lambda x, a=axis: reference(x, a), [(x,)])
    agrees(lambda x: f(x, 1), lambda x: reference(x, 1), [(x[:, :0],), (x[:0],)])


def test_cumulative_functions_of_other_dtypes():
    assert anp.cumsum(np.ones(3, "i4"), dtype="f8").dtype == np.float64
    x = values("f8", (3, 4))
    agrees(anp.cumlogsumexp, lambda x: np.logaddexp.accumulate(x.ravel()), [(x,)])
    z = values("c16", (4,))
    agrees(anp.cumsum, np.cumsum, [(z,)])
    agrees(anp.cumprod, np.cumprod, [(z,)])
    # 16-bit floats are accumulated in 32.
    assert anp.cumsum(np.full(4096, 1, "f2"))[-1].item() == 4096


Z = np.asarray([[0.3, -1.2, 0.8], [1.7, 0.4, -0.6]])
J = np.asarray([0, 2, -1, 0])
FUNCTIONS = {
    "rows": lambda x, i: x[i % 2],
    "places": lambda x, i: x[i % 2, i],
    "separated": lambda x, i: anp.stack([x, x * 2])[i % 2, :, i],
    "a scalar": lambda x, i: x[:, i[1]] * x[i[0], 1:],
    "out of range": lambda x, i: x[:, i * 3],
    "take_along_axis": lambda x, i: anp.take_along_axis(x, i.reshape(1, 4), 1),
    "set": lambda x, i: (x * x).at[i[1] // 2, i[:3]].set(anp.sin(x[0, 0])),
    "set a part": lambda x, i: (x * x).at[1:, ::2].set(anp.sin(x[:1, 1:])),
    "set a window": lambda x, i: (x * x).at[1, :2].set(anp.sin(x[0, 1:])),
    "set at a scalar": lambda x, i: (x * x).at[:, i[1]].set(anp.sin(x[:, 0])),
    "add": lambda x, i: (x * x).at[:, i].add(anp.sin(x[:, :1])),
    "multiply": lambda x, i: (x * x).at[:, i].multiply(anp.sin(x[:, :1])),
    "min": lambda x, i: (x * x).at[:, i].min(anp.sin(x[:, :1])),
    "max": lambda x, i: (x * x).at[0, i].max(anp.sin(x[1, :1])),
    "cumsum": lambda x, i: anp.cumsum(x, 1),
    "cumprod": lambda x, i: anp.cumprod(x),
    "cummax": lambda x, i: anp.cummax(x, 1),
    "cummin": lambda x, i: anp.cummin(x),
    "cumlogsumexp": lambda x, i: anp.cumlogsumexp(x, 0),
}


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradient_is_the_slope(name):
    shape = anvl.eval_shape(FUNCTIONS[name], Z, J).shape
    w = np.random.default_rng(3).normal(size=shape)

    def f(x, i):
        return anp.sum(FUNCTIONS[name](x, i) * w)

    run, slope = anvl.jit(f), np.asarray(anvl.jit(anvl.grad(f))(Z, J))
    step = 1e-6
    for place in np.ndindex(Z.shape):
        up, down = Z.copy(), Z.copy()
        up[place] += step
        down[place] -= step
        difference = (run(up, J).item() - run(down, J).item()) / (2 * step)
        assert abs(slope[place] - difference) < 1e-7 * max(1, abs(difference))


@pytest.mark.parametrize(
    "f", [getitem, Place, Place.set, Place.add, Place.multiply, Place.min, Place.max]
)
def test_the_examples_of_reading_and_writing_hold(f):
    test = doctest.DocTestParser().get_doctest(f.__doc__, {}, f.__name__, None, 0)
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0
