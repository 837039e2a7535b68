"""NumPy's staples: forms that NumPy has not, what traces need, and what is refused."""

import io
import itertools

import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp

V = np.asarray([1.0, 2.0, 4.0, 7.0])
I = np.asarray([[3, 1, 2], [0, 2, 5]])  # noqa: E741
MASK = I > 1


def in_place(name, x, *args, **kwargs):
    """What NumPy's function makes of a copy."""
    changed = x.copy()
    getattr(np, name)(changed, *args, **kwargs)
    return changed


@pytest.mark.parametrize(
    ("name", "x", "args"),
    [
        ("put", I, (np.asarray([0, -1, 2]), np.asarray([7, 8]))),
        ("put", I, (np.asarray([9, -8]), 7, "clip")),
        ("put", I, (np.asarray([9, -8]), 7, "wrap")),
        ("place", I, (MASK, np.asarray([7, 8]))),
        ("putmask", I, (MASK, np.asarray([7, 8, 9, 10]))),
        ("put_along_axis", I, (np.asarray([[2], [0]]), 9, 1)),
        ("put_along_axis", I, (np.asarray([1, 0]), 9, None)),
        ("fill_diagonal", np.zeros((3, 3)), (np.asarray([1.0, 2.0]),)),
        ("fill_diagonal", np.zeros((7, 3)), (4.0, True)),
        ("fill_diagonal", np.zeros((2, 2, 2)), (4.0,)),
    ],
)
def test_what_changes_an_array_in_numpy_returns_a_new_one(name, x, args):
    f, wanted = getattr(anp, name), in_place(name, x, *args)
    given = anp.asarray(x)
    np.testing.assert_array_equal(f(given, *args), wanted)
    np.testing.assert_array_equal(anvl.jit(lambda x: f(x, *args))(given), wanted)
    np.testing.assert_array_equal(given, x)
    with pytest.raises(ValueError, match=f"{name}: arrays are immutable, so inplace=True"):
        f(given, *args, inplace=True)


def test_lists_joined_by_an_index_and_grids():
    pairs = [
        (anp.r_[1:4, 0, V], np.r_[1:4, 0, V]),
        (anp.r_["0,2", V, V], np.r_["0,2", V, V]),
        (anp.r_["1,2,0", V, V], np.r_["1,2,0", V, V]),
        (anp.c_[V, V, 1:5], np.c_[V, V, 1:5]),
        (anp.c_[I, [[7], [8]]], np.c_[I, [[7], [8]]]),
        (anp.r_[0:1:5j, 2.0], np.r_[0:1:5j, 2.0]),
        (anp.mgrid[0:3, 1:2:3j], np.mgrid[0:3, 1:2:3j]),
        (anp.mgrid[1:4], np.mgrid[1:4]),
        *zip(anp.ogrid[0:3, 5:1:-2], np.ogrid[0:3, 5:1:-2], strict=True),
        (anvl.jit(lambda x: anp.r_[x, 3:5])(V), np.r_[V, 3:5]),
        (V[anp.s_[1:3]], V[1:3]),
    ]
    for found, wanted in pairs:
        np.testing.assert_allclose(found, wanted)
    assert anp.index_exp[1] == (1,)


def test_functions_over_arrays_of_vectors():
    f = anp.vectorize(lambda a, b: a + 2 * b)
    np.testing.assert_array_equal(f(I, np.asarray([[1], [2]])), I + 2 * np.asarray([[1], [2]]))
    named = anp.vectorize(lambda a, n, k=1.0: a * k + n, excluded={1})
    np.testing.assert_array_equal(named(V, 3, k=V), V * V + 3)
    product = anp.vectorize(lambda a, b: (a @ b, a.sum()), signature="(m,n),(n)->(m),()")
    a, b = np.arange(24.0).reshape(2, 1, 3, 4), np.arange(8.0).reshape(2, 4)
    one, other = anvl.jit(product)(a, b)
    np.testing.assert_allclose(one, np.einsum("abij,bj->abi", np.broadcast_to(a, (2, 2, 3, 4)), b))
    np.testing.assert_allclose(other, np.broadcast_to(a, (2, 2, 3, 4)).sum((-1, -2)))
    assert product(a[:0], b)[0].shape == (0, 2, 3)
    np.testing.assert_allclose(anvl.grad(lambda x: f(x, 1.0).sum())(V), np.ones(4))
    with pytest.raises(ValueError, match=r"'\(a\)' is no signature"):
        anp.vectorize(f, signature="(a)")
    with pytest.raises(ValueError, match="the core axis n has sizes 4 and 3"):
        product(a, b[:, :3])
    with pytest.raises(ValueError, match="the signature has 2 arguments, got 1"):
        product(a)


def test_shapes_that_depend_on_values_have_a_size_in_a_trace():
    def sized(x, y):
        return (
            anp.unique(x, size=4, return_counts=True),
            anp.union1d(x, y, size=7, fill_value=-1),
            anp.setdiff1d(x, y, size=3, fill_value=9),
            anp.intersect1d(x, y, size=3),
            anp.setxor1d(x, y, size=3, fill_value=7),
            anp.compress(x > 1, x, size=2),
            anp.extract(x > 0, x, size=5, fill_value=8),
            anp.bincount(x, length=3),
        )

    x, y = np.asarray([3, 1, 3, 2, 0]), np.asarray([2, 5, 3])
    found = [np.asarray(v).tolist() for v in anvl.tree.leaves(anvl.jit(sized)(x, y))]
    assert found == [
        [0, 1, 2, 3], [1, 1, 1, 2], [0, 1, 2, 3, 5, -1, -1], [0, 1, 9], [2, 3, 0], [0, 1, 5],
        [3, 3], [3, 1, 3, 2, 8], [1, 1, 1],
    ]  # fmt: skip


TRACED = {
    "unique": anp.unique,
    "setdiff1d": lambda x: anp.setdiff1d(x, x),
    "compress": lambda x: anp.compress(x > 1, x),
    "extract": lambda x: anp.extract(x > 1, x),
    "bincount": lambda x: anp.bincount(x.astype("i32")),
    "trim_zeros": anp.trim_zeros,
    "roots": anp.roots,
    "delete": lambda x: anp.delete(x, x[:2].astype("i32")),
    "insert": lambda x: anp.insert(x, x > 1, 0.0),
    "histogram": lambda x: anp.histogram(x, "auto"),
    "mask_indices": lambda x: anp.mask_indices(2, lambda m, k: m * x[0]),
    "ix_": lambda x: anp.ix_(x > 1),
    "ravel_multi_index": lambda x: anp.ravel_multi_index([x.astype("i32")], (3,)),
    "choose": lambda x: anp.choose(x.astype("i32"), [V, V]),
    "real_if_close": lambda x: anp.real_if_close(x + 1j),
    "save": lambda x: anp.save(io.BytesIO(), x),
}


@pytest.mark.parametrize("name", TRACED)
def test_what_depends_on_traced_values_says_what_to_do(name):
    with pytest.raises(anvl.TraceError, match=rf"{name}.*traced.*;"):
        anvl.jit(TRACED[name])(V)


REFUSED = [
    (lambda: anp.interp(1.0, V, V[:2]), ValueError, r"interp: xp f64\[4\] and fp f64\[2\] must be"),
    (lambda: anp.interp(1.0, V, V, period=0), ValueError, "interp: the period is 0"),
    (lambda: anp.gradient(V[:1]), ValueError, "gradient: axis 0 of .* has 1 samples"),
    (lambda: anp.gradient(V, 1.0, 2.0), TypeError, "gradient: 2 spacings for 1 axes"),
    (lambda: anp.gradient(V, edge_order=3), ValueError, "edge_order is 3; it must be 1 or 2"),
    (lambda: anp.gradient(V, V[:2]), ValueError, "not one for each of the 4 samples"),
    (lambda: anp.unwrap(1j * V), TypeError, "unwrap: takes real numbers"),
    (lambda: anp.cov(V, ddof=0.5), ValueError, "cov: ddof is 0.5; it must be an integer"),
    (lambda: anp.cov(V, aweights=V[:2]), ValueError, "not one for each of 4 observations"),
    (lambda: anp.cov(V, fweights=V), TypeError, "counts are integers, others aweights"),
    (lambda: anp.histogram(V, 0), ValueError, "there are 0 bins; at least 1 is needed"),
    (lambda: anp.histogram(V, V[::-1]), ValueError, "the edges of bins must ascend"),
    (lambda: anp.histogram(V, 3, (0, np.inf)), ValueError, r"the range \(0, inf\) is not finite"),
    (lambda: anp.histogram(np.full(2, np.nan)), ValueError, "have no finite range; give `range`"),
    (lambda: anp.histogram(V, weights=V[:1]), ValueError, "are not of the shape of f64"),
    (lambda: anp.histogramdd(I, [1, 2]), ValueError, "2 bins and 3 ranges for 3 coordinates"),
    (lambda: anp.bincount(np.asarray([-1])), ValueError, "bincount: -1 is negative"),
    (lambda: anp.bincount(V), TypeError, r"bincount: takes integers, got f64\[4\]"),
    (lambda: anp.digitize(V, I), ValueError, "digitize: bins are .*; they must be a vector"),
    (lambda: anp.block([[V], V]), ValueError, "block: lists are nested"),
    (lambda: anp.block((V, V)), TypeError, "block: takes nested lists of arrays, got a tuple"),
    (lambda: anp.block([[]]), ValueError, "block: a list is empty"),
    (lambda: anp.pad(V, -1), ValueError, "pad: pad_width -1 is negative; slice the array"),
    (lambda: anp.pad(V, 1, "mirror"), ValueError, "pad: mode 'mirror' is not one of"),
    (lambda: anp.pad(V, 1, "edge", end_values=1), ValueError, "takes no keyword, got end_values"),
    (lambda: anp.pad(V[:0], 1, "edge"), ValueError, "pad: edge needs elements along axis 0"),
    (lambda: anp.pad(V, 1.5), TypeError, "pad: pad_width 1.5 must be integers"),
    (lambda: anp.pad(V, 1, lambda *_: None), TypeError, "the function returned None; arrays are"),
    (lambda: anp.insert(V, 9, 0.0), IndexError, "insert: position 9 is out of range of 4"),
    (lambda: anp.delete(V, -5), IndexError, "delete: position -5 is out of range of 4"),
    (lambda: anp.delete(V, MASK[0]), ValueError, "the mask bool.* has not the size of the axis, 4"),
    (lambda: anp.append(I, V, 0), ValueError, "must have as many axes; or leave out axis"),
    (lambda: anp.unravel_index(np.asarray([6]), (2, 3)), ValueError, "index 6 is out of range"),
    (lambda: anp.ravel_multi_index((3,), (2,)), ValueError, "index 3 is out of range of an axis"),
    (lambda: anp.select([], []), ValueError, "select: 0 conditions and 0 choices"),
    (lambda: anp.select([I], [I]), TypeError, "a condition is .*; it must be a bool"),
    (lambda: anp.piecewise(V, [V > 1], []), ValueError, "with 1 conditions give 1 or 2 functions"),
    (lambda: anp.choose(np.asarray([2]), [V]), ValueError, "a number is not one of 0 to 0"),
    (lambda: anp.polyfit(V, V, -1), ValueError, "polyfit: deg is -1; it must be at least 0"),
    (lambda: anp.polyfit(V, V[:2], 1), TypeError, "must be a vector, y .* a vector or a matrix"),
    (lambda: anp.polyfit(V, V, 4, cov=True), ValueError, "4 points are too few to scale"),
    (lambda: anp.poly(I), ValueError, "poly: takes a vector or a square matrix"),
    (lambda: anp.quantile(V, 0.5, method="best"), ValueError, "method 'best' is not one of"),
    (lambda: anp.packbits(V), TypeError, "packbits: takes integers or bools, got f64"),
    (lambda: anp.unpackbits(I), TypeError, "unpackbits: takes uint8, got i64"),
    (lambda: anp.gcd(V, 2), TypeError, "gcd: takes integers, got f64"),
    (lambda: anp.geomspace(0, 1), ValueError, "geomspace: an end is 0"),
    (lambda: anp.nanargmax(np.full(2, np.nan)), ValueError, "has nothing but NaN"),
    (lambda: anp.r_["x", V], ValueError, "r_: 'x' is no directive"),
    (lambda: anp.mgrid[0:V], TypeError, "arange: "),
    (lambda: anp.ndarray(3), TypeError, "ndarray: makes no arrays; use anvl.numpy.zeros"),
    (lambda: anp.einsum("ij,j", I, V[:3], optimize="best"), ValueError, "optimize 'best' is"),
    (lambda: anp.einsum("i,i", V, V, optimize=["einsum_path", (0, 2)]), ValueError, "does not fit"),
    (lambda: anp.linalg.multi_dot([V]), ValueError, "takes at least two arrays, got 1"),
    (lambda: anp.linalg.tensorsolve(np.eye(3), V), ValueError, "must begin with the axes of"),
    (lambda: anp.linalg.cond(V), ValueError, "cond: takes matrices"),
    (lambda: anp.save(io.BytesIO(), anp.ones(2, "bf16")), TypeError, "save: the format knows no"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), REFUSED)
def test_a_wrong_argument_is_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_a_part_of_an_array_is_updated_in_every_way():
    x, at = anp.arange(5.0), anp.asarray(np.asarray([1, 1, 7]))

    def updated(x, at):
        return [
            x.at[at].subtract(2.0), x.at[at].divide(2.0), x.at[at].power(2.0),
            x.at[at].add(1.0, mode="clip"), x.at[at].add(1.0, mode="wrap"),
            x.at[at].get(mode="fill", fill_value=-1.0), x.at[at].get(mode="wrap"), x.at[at].get(),
            x.at[x > 2].set(0.0), x.at[x > 2].min(3.5), x.at[1:3].apply(lambda v: v * v),
            x.at[x > 2].apply(anp.sqrt), x.at[7].set(9.0, mode="drop"), x.at[-7].get(mode="clip"),
            x.at[at[:1]].set(5.0, unique_indices=True, indices_are_sorted=True),
        ]  # fmt: skip

    wanted = [
        [0, -3, 2, 3, 4], [0, 0.25, 2, 3, 4], [0, 1, 2, 3, 4], [0, 3, 2, 3, 5], [0, 3, 3, 3, 4],
        [1, 1, -1], [1, 1, 2], [1, 1, 4], [0, 1, 2, 0, 0], [0, 1, 2, 3, 3.5], [0, 1, 4, 3, 4],
        [0, 1, 2, 3**0.5, 2], [0, 1, 2, 3, 4], 0, [0, 5, 2, 3, 4],
    ]  # fmt: skip
    for way in (updated, anvl.jit(updated)):
        for found, expected in zip(way(x, at), wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-6)
    slope = anvl.grad(lambda y: anp.arange(5.0).at[at].divide(y).sum())(2.0)
    np.testing.assert_allclose(slope, -0.25)
    several = anvl.vmap(lambda x, i: x.at[i].subtract(1.0))(np.ones((2, 3)), np.asarray([0, 2]))
    np.testing.assert_array_equal(several, [[0, 1, 1], [1, 1, 0]])
    for call, kind, text in (
        (
            lambda: x.at[0].set(1.0, inplace=True),
            TypeError,
            "at.set: there is no keyword 'inplace'",
        ),
        (lambda: x.at[0].set(1.0, mode="x"), ValueError, "at.set: mode 'x' is not one of 'clip'"),
        (lambda: anp.arange(3).at[0].divide(2), TypeError, "at.divide: i32.* holds integers"),
    ):
        with pytest.raises(kind, match=text):
            call()


def test_kinds_of_dtypes():
    assert anp.issubdtype("bfloat16", anp.floating) and anp.issubdtype("i32", anp.signedinteger)
    assert anp.issubdtype(anp.floating, anp.number) and not anp.issubdtype("bool", anp.number)
    assert anp.issubdtype(np.float32, "f32") and not anp.issubdtype(anp.inexact, anp.floating)
    assert isinstance(anp.ones(2), anp.ndarray) and not isinstance(V, anp.ndarray)


def test_files_hold_arrays(tmp_path):
    anp.savez(tmp_path / "x.npz", a=anp.asarray(V), b=I)
    found = anp.load(tmp_path / "x.npz")
    np.testing.assert_array_equal(found["a"], V)
    assert isinstance(found["b"], anvl.Array) and found["b"].dtype == I.dtype
    anp.save(tmp_path / "x.npy", V.astype(V.dtype.newbyteorder(">")))
    np.testing.assert_array_equal(anp.load(tmp_path / "x.npy"), V)
    anp.savetxt(tmp_path / "x.txt", anp.asarray(V))
    np.testing.assert_array_equal(anp.loadtxt(tmp_path / "x.txt", "f64"), V)


def test_all_methods_of_quantiles_agree_with_numpy():
    x = np.random.default_rng(1).normal(size=(4, 5))
    parts = np.asarray([[0.0, 0.1, 0.25], [0.3, 0.5, 1.0]])
    methods = (
        "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen "
        "weibull linear median_unbiased normal_unbiased lower higher midpoint nearest"
    ).split()
    found = anvl.jit(lambda x: [anp.quantile(x, parts, 0, method=m) for m in methods])(x)
    for method, one in zip(methods, found, strict=True):
        wanted = np.quantile(x, parts, 0, method=method)
        np.testing.assert_allclose(one, wanted, rtol=rounding(PROGRAM), err_msg=method)


def test_a_quantile_of_f32_lies_where_all_digits_of_its_number_say():
    x = np.arange(101, dtype="f4")
    calls = [(q, m) for q in (29, 30, 55, 58) for m in ("linear", "lower", "higher", "weibull")]
    found = anvl.jit(lambda x: [anp.percentile(x, q, method=m) for q, m in calls])(x)
    for (q, method), one in zip(calls, found, strict=True):
        np.testing.assert_array_equal(one, np.percentile(x, q, method=method))


def test_orders_of_products_give_one_result():
    a, b, c = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4), np.arange(4.0)
    wanted = np.einsum("ij,jk,k->i", a, b, c)
    path, _ = anp.einsum_path("ij,jk,k->i", a, b, c, optimize="optimal")
    assert path == np.einsum_path("ij,jk,k->i", a, b, c, optimize="optimal")[0]
    for optimize in ("greedy", "optimal", True, False, path, ["einsum_path", (0, 1, 2)]):
        np.testing.assert_allclose(anp.einsum("ij,jk,k->i", a, b, c, optimize=optimize), wanted)
    np.testing.assert_allclose(anp.einsum(a, [0, 1], b, [1, 2], [2, 0]), (a @ b).T)
    np.testing.assert_allclose(anp.einsum(a, [..., 1], b, [1, 2]), a @ b)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "all", "any", "mean", "var", "std"])
def test_reductions_of_some_elements_and_from_a_beginning(name):
    x = np.asarray([[3.0, -1.5, 2.0], [0.0, 4.0, np.nan]])
    f, reference = getattr(anp, name), getattr(np, name)
    kept = np.asarray([[True, False, True], [True, True, False]])
    more = {"initial": -2.0} if name in ("max", "min") else {}
    rows = [{"where": kept}, {"where": kept, "axis": 1}, {"where": kept[:, :1], "axis": 0}]
    if name in ("sum", "prod", "max", "min"):
        rows += [{"initial": 5.0, "axis": 1}, {"initial": 5.0, "where": kept, "keepdims": True}]

    def every(x):
        return [f(x, **{**more, **options}) for options in rows]

    for found, options in zip(anvl.jit(every)(x), rows, strict=True):
        np.testing.assert_allclose(
            found, reference(x, **{**more, **options}), rtol=rounding(PROGRAM)
        )
    slope = anvl.grad(lambda x: f(x, where=kept, **more).sum())
    if name not in ("all", "any"):
        assert np.asarray(slope(x))[~kept].tolist() == [0.0, 0.0]
    two = np.asarray([2, 3])
    some = {"where": [True, False], **more}
    np.testing.assert_allclose(f(two, **some), reference(two, **some))


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_extrema_of_all_need_no_initial(name):
    f, x = getattr(anp, name), np.asarray([[2.0, 5.0], [3.0, 1.0]])
    wanted = getattr(np, name)(x, axis=1)
    for everywhere in (True, np.True_, np.asarray([True, True]), np.ones((2, 2), bool)):
        np.testing.assert_array_equal(f(x, axis=1, where=everywhere), wanted)
    jitted = anvl.jit(lambda x: f(x, axis=1, where=True))
    np.testing.assert_array_equal(jitted(x), wanted)
    for unfit in (False, np.asarray([True, False]), np.ones((3, 2, 2), bool)):
        with pytest.raises(ValueError, match=r"`where` may leave no element|does not broadcast"):
            f(x, axis=1, where=unfit)
    with pytest.raises(TypeError, match=r"where is i64.*; it must be a bool"):
        f(x, where=np.asarray([1, 1]))


def test_where_and_initial_are_refused_where_they_do_not_fit():
    with pytest.raises(ValueError, match="max: `where` may leave no element, so give `initial`"):
        anp.max(V, where=V > 1)
    with pytest.raises(TypeError, match=r"sum: where is f64.*; it must be a bool"):
        anp.sum(V, where=V)
    with pytest.raises(ValueError, match=r"sum: where bool\[2,3\] does not broadcast to f64\[3\]"):
        anp.sum(V[:3], where=MASK)
    with pytest.raises(ValueError, match=r"sum: initial is f64.*; it must be one number"):
        anp.sum(V, initial=V)
    np.testing.assert_array_equal(anp.max(np.zeros((2, 0)), axis=1, initial=3.0), [3.0, 3.0])
    np.testing.assert_array_equal(anp.nanmax(np.asarray([np.nan, 1.0]), initial=3.0), 3.0)
    assert float(anp.ones(3).sum(initial=2.0, where=np.asarray([True, False, True]))) == 4.0


@pytest.mark.parametrize("points", [[-1.0, 1.0], [-np.inf, 1.0], [0.0, np.inf], [-np.inf, 0, 1, 1]])
def test_interpolation_between_infinite_numbers_and_nans_is_that_of_numpy(points):
    interpolated = anvl.jit(anp.interp)
    at = np.asarray([-np.inf, -1.0, -0.5, 0.0, 0.7, 1.0, 3.0, np.inf, np.nan])
    for values in itertools.product([-np.inf, -1.0, 2.0, np.inf, np.nan], repeat=len(points)):
        with np.errstate(invalid="ignore"):
            wanted = np.interp(at, points, values)
        found = interpolated(at, np.asarray(points), np.asarray(values))
        assert_close(found, wanted, FORMULA)


def test_interpolation_has_the_slope_of_its_segment_at_a_point_too():
    points, values = np.asarray([0.0, 1.0, 3.0, 4.0]), np.asarray([5.0, 5.0, 1.0, np.inf])
    at = np.asarray([-0.1, 0.0, 0.4, 1.0, 2.9, 4.1])
    slopes = anvl.vmap(anvl.grad(anp.interp), in_axes=(0, None, None))(at, points, values)
    assert slopes.tolist() == [0.0, 0.0, 0.0, -2.0, -2.0, 0.0]
    of_values = anvl.grad(anp.interp, argnums=2)(0.25, points, values)
    assert of_values.tolist() == [0.75, 0.25, 0.0, 0.0]


def test_moments_of_the_numbers_that_count():
    x = np.array([[1.0, 2.0, np.nan], [4.0, 9.0, 5.0]])
    for name in ("nanstd", "nanvar"):
        for axis, counted in ((None, x < 8), (1, [True, False, True]), (0, [[True], [True]])):
            options = {"axis": axis, "where": np.array(counted)}
            found = getattr(anp, name)(x, **options)
            np.testing.assert_allclose(found, getattr(np, name)(x, **options), rtol=1e-7)
    with pytest.raises(TypeError, match="nanvar: where is f64"):
        anp.nanvar(x, where=x)


def test_inverse_indices_of_distinct_elements_of_a_known_number():
    x = np.array([[3, 1, 1], [7, 3, 3]])
    for count in (3, 5):
        found = anvl.jit(lambda x, n=count: anp.unique(x, False, True, True, size=n))(x)
        values, inverse, counts = map(np.asarray, found)
        np.testing.assert_array_equal(values[inverse], x)
        np.testing.assert_array_equal(inverse, np.unique(x, return_inverse=True)[1])
        assert counts.tolist() == [2, 3, 1, 0, 0][:count]
