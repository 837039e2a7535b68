"""Functions that move elements agree with NumPy: shaping, joining, cutting, diagonals, indexing."""

import numpy as np
import pytest
from agreement import agrees, values

import anvl
import anvl.numpy as anp

X = values("f4", (2, 3, 4))
V, M, SCALAR, EMPTY = X[0, 0], X[0], X[0, 0, 0], X[:, :0]

# fmt: off
CALLS = {
    "reshape": [(X, (4, 6)), (X, -1), (X, (2, -1)), (EMPTY, (0, 5)), (SCALAR, (1, 1)),
        (EMPTY, (-1, 4)), (V, [2, 2])],
    "ravel": [(X,), (SCALAR,), (EMPTY,)],
    "transpose": [(X,), (X, (1, 0, 2)), (X, (-1, 0, 1)), (SCALAR,), (EMPTY, [2, 1, 0])],
    "matrix_transpose": [(X,), (M,), (EMPTY,)],
    "swapaxes": [(X, 0, 2), (X, -1, 0), (M, 0, 0)],
    "moveaxis": [(X, 0, -1), (X, (0, 1), (-1, 0)), (X, [2], [0]), (M, 1, 1)],
    "expand_dims": [(V, 0), (V, -1), (M, (0, -1)), (SCALAR, (0, 1)), (EMPTY, 1)],
    "squeeze": [(X[:1],), (X[:1, :, :1],), (X[:1, :, :1], 0), (X[:1, :, :1], (0, -1)), (X, ())],
    "broadcast_to": [(V, (2, 4)), (SCALAR, (2, 3)), (X[:1], (2, 3, 4)), (V[:1], (0,)),
        (SCALAR, 3), (V, [2, 4])],
    "flip": [(X,), (X, 0), (X, (0, -1)), (SCALAR,), (EMPTY,)],
    "flipud": [(M,)], "fliplr": [(M,)],
    "rot90": [(M,), (M, 2), (M, 3), (M, 4), (M, -1), (X, 1, (1, 2)), (X, 1, (2, 0))],
    "atleast_1d": [(SCALAR,), (V,)],
    "atleast_2d": [(SCALAR,), (V,), (M,)],
    "atleast_3d": [(SCALAR,), (V,), (M,), (X,)],
    "pad": [(M, 1), (M, (1, 2)), (M, ((1, 2), (0, 3))), (M, ((1,), (2,))), (V, [0, 1]),
        (SCALAR, 2), (EMPTY, 1)],
    "roll": [(V, 1), (V, -6), (M, 2), (M, 1, 0), (M, (1, 2), (0, 1)), (M, 1, (0, 1)), (EMPTY, 1),
        (M, (1, 1), 0)],
    "tile": [(V, 2), (M, (2, 1)), (M, (3, 1, 2)), (V, 0), (X, 2), (SCALAR, (2, 2)), (EMPTY, 2)],
    "repeat": [(V, 2), (M, 2), (M, 3, 0), (M, 2, -1), (M, 0, 1), (EMPTY, 2, 0)],
    "array_split": [(V, 3), (V, [1, 3]), (M, 2, 1), (V, 9), (V, [3, 1]), (V, [-1])],
    "split": [(V, 2), (M, 3), (X, [1, 2], 2), (V, (0, 9))],
    "vsplit": [(X, 2)], "hsplit": [(V, 2), (M, [1])],
    "unstack": [(M,), (X,)],
    "diagonal": [(M,), (M, 1), (M, -1), (M, 9), (M, -9), (X,), (X, 1, 1, 2), (X, 0, 2, 0),
        (M.T, -2), (M.T, 1)],
    "trace": [(M,), (X,), (M, 1), (M, 9)],
    "diag": [(V,), (V, 1), (V, -2), (M,), (M, 1), (V[:0],), (V[:0], 1), (V[:1],)],
    "diagflat": [(M,), (V, 1), (SCALAR,)],
    "tril": [(M,), (M, 1), (M, -1), (X,), (M, 9), (M, -9)],
    "triu": [(M,), (M, 1), (M, -1), (X,), (M, 9), (M, -9)],
}
# fmt: on


@pytest.mark.sweep(keep=12)
@pytest.mark.parametrize("name", CALLS)
def test_a_function_of_one_array_agrees_with_numpy(name):
    f, reference = getattr(anp, name), getattr(np, name)
    arrays = [(call[0],) for call in CALLS[name]]
    rest = [call[1:] for call in CALLS[name]]
    for (x,), more in zip(arrays, rest, strict=True):
        expected = reference(x, *more)
        found = f(x, *more)
        many = isinstance(expected, list | tuple)
        pairs = zip(found, expected, strict=True) if many else [(found, expected)]
        for one, other in pairs:
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(np.asarray(one), other, strict=True)


def test_the_same_functions_agree_inside_of_jit_for_integers():
    calls = [(n, c) for n, all_calls in CALLS.items() for c in all_calls[:2] if n != "unstack"]

    def every(library, cast):
        return [getattr(library, n)(cast(x), *more) for n, (x, *more) in calls]

    found = anvl.jit(lambda: every(anp, lambda x: anp.asarray(x.astype("i1"))))()
    expected = every(np, lambda x: x.astype("i1"))
    for (name, _), one, other in zip(calls, found, expected, strict=True):
        many = isinstance(other, list | tuple)
        for y, z in zip(one, other, strict=True) if many else [(one, other)]:
            np.testing.assert_array_equal(np.asarray(y), z, err_msg=name)


JOINS = {
    "concatenate": [([V, V],), ([M, M], 1), ([M, X[1], M], -1), ([M, V], None), ([M],)],
    "stack": [([V, V],), ([M, X[1]], 1), ([M, M], -1), ([SCALAR, SCALAR],)],
    "vstack": [([V, V],), ([M, V],), ([SCALAR, SCALAR],), ([X, X],)],
    "hstack": [([V, V],), ([M, M],), ([SCALAR, V],)],
    "dstack": [([V, V],), ([M, M],), ([X, X],)],
    "column_stack": [([V, V],), ([M.T, V],)],
}


@pytest.mark.parametrize("name", JOINS)
def test_a_function_that_joins_agrees_with_numpy(name):
    for xs, *more in JOINS[name]:
        agrees(
            lambda *xs, more=more: getattr(anp, name)([*xs], *more),
            lambda *xs, more=more: getattr(np, name)([*xs], *more),
            [tuple(xs)],
        )


def test_joining_promotes_and_takes_an_array_for_its_rows():
    assert anp.concatenate([np.ones(2, "i4"), np.ones(1, "f4")]).dtype == np.float32
    np.testing.assert_array_equal(np.asarray(anp.concatenate(anp.asarray(M))), M.ravel())
    np.testing.assert_array_equal(np.asarray(anvl.jit(anp.vstack)(M)), M)
    assert anp.stack([1.5, anp.asarray(2)]).dtype == np.float32


def test_pad_with_a_value_and_broadcast_arrays():
    agrees(
        lambda x: anp.pad(x, 1, constant_values=7),
        lambda x: np.pad(x, 1, constant_values=7),
        [(M,), (values("i4", (2,)),)],
    )
    agrees(anp.broadcast_arrays, np.broadcast_arrays, [(M, V, SCALAR)])


@pytest.mark.parametrize(
    "index",
    [
        0, -1, (1, 2), (0, -1, 3), slice(None), slice(1, None), slice(None, None, -1),
        (slice(None), 1),
        (Ellipsis, 0), (0, Ellipsis, 1), Ellipsis, (), None, (None, 0, None),
        (slice(0, 9), slice(5, 2)),
        (slice(None), slice(2, 0, -1), slice(None, None, 3)), (slice(-2, None), None, Ellipsis, -1),
        np.int64(1), (slice(np.int64(0), np.int8(1)),),
        (slice(None), slice(None), slice(3, None, -2)),
        np.asarray(1),
    ],
    ids=str,
)  # fmt: skip
def test_an_index_takes_what_numpy_takes(index):
    agrees(lambda x: x[index], lambda x: x[index], [(X,)])


@pytest.mark.parametrize(
    ("index", "kind", "message"),
    [
        (2, IndexError, r"index 2 is out of range of axis 0 of f32\[2,3,4\]"),
        ((0, -4), IndexError, "index -4 is out of range of axis 1"),
        ((0, 0, 0, 0), IndexError, "index has 4 entries, but the array is"),
        ((Ellipsis, Ellipsis), IndexError, "more than one ..."),
        (1.5, IndexError, "index 1.5 of type float: an index is an integer"),
        ("a", IndexError, "index 'a' of type str"),
        (slice(None, None, 0), ValueError, "slice step of axis 0 is 0"),
    ],
    ids=str,
)
def test_an_index_that_does_not_fit_is_refused(index, kind, message):
    for f in (lambda x: x[index], anvl.jit(lambda x: x[index])):
        with pytest.raises(kind, match=message):
            f(anp.asarray(X))


def test_assigning_to_a_part_is_refused_with_a_remedy():
    x = anp.zeros(3)
    with pytest.raises(TypeError, match="arrays are never changed in place; build a new one"):
        x[0] = 1


def test_iterating_goes_along_the_first_axis_in_one_program():
    rows = [row.tolist() for row in anp.asarray(M)]
    assert rows == M.tolist()
    a, b = anvl.jit(lambda x: list(x))(X)
    assert a.shape == b.shape == (3, 4)
    with pytest.raises(TypeError, match="iteration over an array without axes"):
        iter(anp.asarray(1.0))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: anp.reshape(X, (5, 5)), ValueError, r"reshape: f32.2,3,4. has 24 elements"),
        (lambda: anp.reshape(X, (5, -1)), ValueError, "does not divide into shape"),
        (lambda: anp.reshape(X, (-1, -1)), ValueError, "may have one -1"),
        (lambda: anp.transpose(X, (0, 1)), ValueError, "do not name each axis"),
        (lambda: anp.transpose(X, (0, 0, 1)), ValueError, "names an axis twice"),
        (lambda: anp.matrix_transpose(V), ValueError, "matrix_transpose: takes matrices"),
        (lambda: anp.moveaxis(X, (0, 1), 0), ValueError, "differ in number"),
        (lambda: anp.squeeze(X, 0), ValueError, "squeeze: axis 0 of .* is not of size 1"),
        (lambda: anp.broadcast_to(X, (3, 4)), ValueError, "does not broadcast to"),
        (lambda: anp.broadcast_to(V, (4, 2)), ValueError, "do not broadcast"),
        (lambda: anp.concatenate([]), ValueError, "concatenate: needs at least one array"),
        (lambda: anp.concatenate([M, V]), ValueError, "concatenate: operands"),
        (lambda: anp.full((2, 3), np.ones(2)), ValueError, "full: shapes .* do not broadcast"),
        (lambda: anp.concatenate([X, X[:, 1:]]), ValueError, r"concatenate: operands f32.2,3,4.,"),
        (
            lambda: anp.put_along_axis(M, np.zeros((1, 3), int), 1.0, 0),
            ValueError,
            "put_along_axis: shapes",
        ),
        (lambda: anp.stack([M, V]), ValueError, "stack: shapes differ"),
        (lambda: anp.stack({"a": V}), TypeError, "stack: takes a list or tuple of arrays"),
        (lambda: anp.split(V, 3), ValueError, "does not divide into 3"),
        (lambda: anp.split(V, 0), ValueError, "the number of parts is 0"),
        (lambda: anp.pad(V, -1), ValueError, "pad_width .* is negative"),
        (
            lambda: anp.pad(M, ((1, 2, 3),)),
            ValueError,
            "is not a number, a pair, or a pair for each",
        ),
        (lambda: anp.pad(V, 1, "mirror"), ValueError, "mode 'mirror' is not one of"),
        (lambda: anp.tile(V, -1), ValueError, "must not be negative"),
        (lambda: anp.repeat(V, "2"), TypeError, "they must be integers"),
        (lambda: anp.roll(M, (1, 2), (0, 1, 0)), ValueError, "differ in number"),
        (
            lambda: anvl.jit(anp.roll)(M, 1.0),
            TypeError,
            r"roll: shift is f32\?\[\]; it must be an int",
        ),
        (
            lambda: anp.asarray(M).reshape(2.0, 6),
            TypeError,
            "reshape: 2.0 of .* must be an integer",
        ),
        (
            lambda: anp.concatenate(M, anp.asarray(M)),
            TypeError,
            r"concatenate: axis is an array, f32",
        ),
        (lambda: anp.diagonal(V), ValueError, "diagonal: takes matrices"),
        (lambda: anp.diag(X), ValueError, "diag: takes a vector or a matrix"),
        (lambda: anp.tril(V), ValueError, "tril: takes matrices"),
        (
            lambda: anp.asarray(V).at[0].set("a"),
            TypeError,
            "^at.set: takes arrays .* 'a' of type str",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_shift_that_is_traced_is_that_of_numpy(dtype, axis):
    rolled = anvl.jit(lambda x, shift: anp.roll(x, shift, axis))
    limits = np.iinfo(dtype)
    for shift in {0, 1, 5, limits.max, limits.min, limits.max - 1}:
        wanted = np.roll(M, shift % M.size if axis is None else shift % M.shape[axis], axis)
        np.testing.assert_array_equal(rolled(M, np.asarray(shift, dtype)), wanted, str(shift))


def test_shifts_that_are_traced_are_one_for_each_axis_and_are_batched():
    both = anvl.jit(lambda x, a, b: (anp.roll(x, a, (0, 1)), anp.roll(x, (b, 2), (0, 1))))
    for found, wanted in zip(both(M, np.asarray([1, 3]), 2), ((1, 3), (2, 2)), strict=True):
        np.testing.assert_array_equal(found, np.roll(M, wanted, (0, 1)))
    batched = anvl.vmap(lambda shift: anp.roll(V, shift))(np.arange(-2, 7))
    np.testing.assert_array_equal(batched, [np.roll(V, n) for n in range(-2, 7)])
    slope = anvl.jit(anvl.grad(lambda x, shift: anp.sum(anp.roll(x, shift) * np.arange(4.0))))
    np.testing.assert_array_equal(slope(V.astype("f8"), 1), np.roll(np.arange(4.0), -1))
    np.testing.assert_array_equal(anvl.jit(anp.roll)(EMPTY, 3), EMPTY)


KNOWN, ZERO, ORDER = anp.asarray(3), anp.asarray(0), anp.asarray([1, 0])


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda: anp.eye(anp.asarray([0, 2]).max() + 1), np.eye(3)),
        (lambda: anp.zeros((KNOWN, 2)), np.zeros((3, 2))),
        (lambda: anp.arange(KNOWN - 1, KNOWN + 2), np.arange(2, 5)),
        (lambda: anp.arange(np.asarray(3)), np.arange(3)),
        (lambda: anp.tile(V, KNOWN), np.tile(V, 3)),
        (lambda: anp.diff(V, KNOWN), np.diff(V, 3)),
        (lambda: anp.sum(M, axis=KNOWN - 2), np.sum(M, axis=1)),
        (lambda: anp.reshape(M, KNOWN * np.asarray([1, 1])[:1] * 4), M.reshape(12)),
        (lambda: anp.asarray(M).reshape(KNOWN, -1), M.reshape(3, -1)),
        (lambda: anp.stack(anp.split(V, KNOWN - 1)), np.stack(np.split(V, 2))),
        (lambda: anp.transpose(M, anp.asarray([1, 0])), M.T),
        (lambda: anp.asarray(V).transpose(0), V),
        (lambda: anp.tril(M, KNOWN - 2), np.tril(M, 1)),
        (
            lambda: anp.histogram(V, 3, range=(anp.asarray(-9.0), 9))[0],
            np.histogram(V, 3, (-9, 9))[0],
        ),
    ],
)
def test_a_size_or_an_axis_may_be_a_known_array(call, wanted):
    np.testing.assert_array_equal(call(), wanted)


def test_a_known_array_is_a_size_in_a_trace_too():
    sizes = anp.asarray([2, 6])

    @anvl.jit
    def shaped(x):
        parts = anp.split(x, sizes, axis=1)
        moved = anp.transpose(anp.tril(x, KNOWN), ORDER)
        return (
            anp.zeros(sizes),
            anp.arange(KNOWN),
            anp.sum(x, axis=ZERO),
            anp.reshape(x, sizes),
            moved,
            parts,
        )

    zeros, counted, summed, reshaped, moved, parts = shaped(M)
    assert zeros.shape == reshaped.shape == (2, 6) and counted.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(summed, M.sum(axis=0))
    assert moved.shape == (4, 3) and [p.shape for p in parts] == [(3, 2), (3, 2), (3, 0)]
