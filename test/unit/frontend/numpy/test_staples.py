"""NumPy's staples beyond the standard agree with NumPy: a table of calls."""

import numpy as np
import pytest
from agreement import assert_same

import anvl
import anvl.numpy as anp

A = np.asarray([[3.0, -1.5, 2.0], [0.0, 4.0, -2.5]])
V = np.asarray([1.0, 2.0, 4.0, 7.0])
W = np.asarray([0.5, -1.0, 2.0, 0.25])
I = np.asarray([[3, 1, 2], [0, 2, 5]])  # noqa: E741
N = np.asarray([2, 0, 1, 2])
B = np.asarray([[True, False, True], [False, False, True]])
C = np.asarray([[1 + 2j, 3.0, -1j], [0, 2, 1 - 1j]])
G = np.asarray([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan], [-2.0, 5.0, np.inf]])
F = V.astype("float32")
E = np.zeros(0)
S = np.asarray(2.5)


def row(*args, **kwargs):
    return args, kwargs


CALLS = {
    # arrays.editing
    "append": [row(V, W), row(A, I, axis=1), row(I, 7), row(E, V)],
    "insert": [
        row(V, 1, 9.0), row(V, -1, W), row(A, 1, 5.0, axis=1), row(A, [0, 2, 2], 5.0, axis=1),
        row(A, slice(0, 3, 2), np.asarray([[7.0, 8.0]]), axis=1), row(A, [1], A, axis=1),
        row(I, N, np.asarray([9, 8, 7, 6])), row(A, 2, [1.0, 2.0, 3.0], axis=0), row(V, [], 1.0),
        row(V, [3, 1, 1], [7.0, 8.0, 9.0]), row(V, np.asarray([True, False, True, False]), 0.0),
        row(A, 1, np.asarray([[1.0, 2.0]]), axis=1),
    ],
    "delete": [
        row(V, 1), row(A, [0, -1], axis=1), row(A, slice(None, None, 2), axis=1), row(V, []),
        row(V, np.asarray([True, False, False, True])), row(A, 0, axis=0), row(V, [1, 1, -3]),
    ],
    "resize": [row(V, (2, 3)), row(A, 4), row(A, (0, 2)), row(E, (2,)), row(S, (2, 2))],
    "trim_zeros": [row(np.asarray([0, 0, 1, 0, 2, 0])), row(np.asarray([0, 1, 0]), "b"), row(E)],
    # arrays.grids
    "tril_indices": [row(3), row(3, 1), row(2, -1, 4), row(0), row(2, 99)],
    "triu_indices": [row(3), row(3, 1), row(2, -1, 4), row(0), row(2, -99)],
    "tril_indices_from": [row(A), row(A, 1)],
    "triu_indices_from": [row(A), row(A, -1)],
    "diag_indices": [row(3), row(2, 3)],
    "diag_indices_from": [row(np.eye(3))],
    "mask_indices": [row(3, np.triu), row(3, np.tril, 1)],
    "indices": [row((2, 3)), row((2,), float), row((0, 2)), row((2, 3), sparse=True)],
    "ix_": [row(N, np.asarray([True, False, True])), row(np.asarray([1, 0]))],
    "unravel_index": [row(np.asarray([1, 5]), (2, 3)), row(4, (2, 3), order="F"), row(N, 3)],
    "ravel_multi_index": [
        row((N, N), (3, 4)), row((N, N - 5), (3, 4), mode=("raise", "wrap")),
        row((N, N + 5), (3, 4), mode="clip", order="F"), row((1, 2, 0), (2, 3, 4)),
    ],
    # arrays.bit_packing
    "packbits": [
        row(B), row(B, axis=1), row(I, axis=0, bitorder="little"), row(np.zeros((2, 0), bool)),
        row(np.ones((2, 17), bool), axis=-1),
    ],
    "unpackbits": [
        row(np.asarray([[2, 7], [23, 200]], "uint8")),
        row(np.asarray([[2, 7], [23, 200]], "uint8"), axis=0, count=5, bitorder="little"),
        row(np.asarray([[2], [23]], "uint8"), axis=1, count=-3),
        row(np.asarray([3], "uint8"), count=12),
    ],
    # analysis.calculus
    "interp": [
        row(np.asarray([-1.0, 1.0, 1.5, 2.0, 6.9, 7.0, 8.0]), V, W), row(S, V, W),
        row(A, V, W, left=-5.0, right=9.0), row(A, V, W * 1j), row(A, V, W, period=5.0),
        row(np.asarray([np.nan, 2.0]), V, W), row(A, V[:1], W[:1]), row(E, V, W),
        row(np.asarray([1.0, 1.5, 2.0, 3.0, 4.0]), V, np.asarray([1.0, np.inf, 0.0, 2.0])),
        row(np.asarray([0, 2, 5]), np.asarray([1, 2, 4]), np.asarray([10, 20, 0])),
        row(A, V[[2, 0, 3, 1]], W, period=-4.0), row(F, F, W.astype("float32")),
        row(np.asarray([-np.inf, 0.0, np.inf]), np.asarray([-np.inf, 1.0, np.inf]), W[:3]),
        row(np.asarray([1.0, np.inf]), np.asarray([np.inf]), W[:1]),
    ],
    "gradient": [
        row(V), row(A), row(A, 2.0, axis=1), row(V, 0.5, edge_order=2), row(A, 2.0, 3.0),
        row(V, np.asarray([0.0, 1.0, 3.0, 3.5])), row(I), row(C, axis=-1),
        row(V, np.asarray([0.0, 1.0, 3.0, 3.5]), edge_order=2), row(F),
    ],
    "trapezoid": [
        row(V), row(A, dx=0.5), row(A, axis=0), row(V, W), row(I, np.asarray([0, 1, 3])), row(C),
        row(A, A), row(np.zeros((2, 1))),
    ],
    "ediff1d": [row(V), row(A, to_begin=0.0), row(I, [1, 2], 0), row(V[:1]), row(E)],
    "unwrap": [
        row(np.asarray([0.0, 3.0, 6.5, 9.0, -3.0, 3.5])), row(A * 3, axis=0), row(I, period=4),
        row(A * 3, discont=5.0), row(np.asarray([0, 3, 0, -3]), period=6), row(V[:1]),
        row(np.asarray([0, 1, 5, -5, 3]), period=5),
    ],
    # analysis.covariances
    "cov": [
        row(A), row(V, W), row(A, rowvar=False), row(A, ddof=0), row(A, bias=True), row(C),
        row(A, fweights=np.asarray([1, 2, 3])), row(A, aweights=np.asarray([1.0, 0.5, 2.0])),
        row(A, fweights=np.asarray([1, 2, 3]), aweights=np.asarray([1.0, 0.5, 2.0])), row(V),
        row(I), row(V, rowvar=False),
    ],
    "corrcoef": [row(A), row(V, W), row(A.T, rowvar=False), row(C), row(V), row(I)],
    # analysis.float_parts
    "modf": [row(A), row(np.asarray([-0.0, 2.0, -3.0, np.inf, -np.inf, np.nan])), row(I)],
    "spacing": [row(A), row(F), row(np.asarray([-1.0, np.inf, np.nan, 1e300]))],
    "logaddexp2": [row(V, W), row(A, S), row(np.asarray([1000.0, -np.inf]), 2.0)],
    "real_if_close": [row(C), row(C.real + 1e-20j), row(A), row(C * 1e-3, tol=0.1)],
    # analysis.histograms
    "digitize": [
        row(A, V), row(A, V, right=True), row(A, V[::-1]), row(A, V[::-1], right=True),
        row(I, N[:1]),
    ],
    "bincount": [row(N), row(N, W), row(N, minlength=6), row(np.zeros(0, int))],
    "histogram_bin_edges": [
        row(A), row(A, 4), row(A, 3, (0.0, 3.0)), row(V, V), row(np.ones(3)), row(E),
        row(A, "auto"), row(V, "sturges"),
    ],
    "histogram": [
        row(A), row(A, 4), row(A, 3, (0.0, 3.0)), row(A, V), row(A, V, density=True), row(E, 2),
        row(A, 4, weights=np.abs(A)), row(I, 3), row(np.ones(3)),
    ],
    "histogramdd": [
        row(A.T, 2), row(A.T, [2, 3]), row(A.T, [2, V]), row(A.T, 2, density=True),
        row(A.T, 3, weights=V[:3]), row(A.T, 2, ((0.0, 2.0), (-1.0, 1.0))),
    ],
    "histogram2d": [row(V, W), row(V, W, 3), row(V, W, [2, 3], density=True)],
    # analysis.kinds
    "isreal": [row(A), row(C)],
    "iscomplex": [row(A), row(C)],
    "isposinf": [row(G), row(I)],
    "isneginf": [row(G), row(-G)],
    # analysis.layouts
    "block": [
        row([[A, A[:, :1]], [np.zeros((1, 4))]]),
        row([V, W]), row(A), row([1, 2.5]), row([[V], [W]]),
        row([[np.ones((2, 1, 2))], [I[:, None, :2]]]),
    ],
    "rollaxis": [row(np.zeros((2, 3, 4)), 2), row(np.zeros((2, 3, 4)), 0, 3), row(A, -1, -1)],
    "dsplit": [row(np.arange(8.0).reshape(1, 2, 4), 2), row(np.zeros((1, 2, 4)), [1, 3])],
    "array_equiv": [row(A, A), row(V, 1.0), row(V, A), row(np.ones(2), 1)],
    "sort_complex": [row(V[::-1]), row(C), row(I), row(F)],
    "matvec": [row(A, V[:3]), row(np.ones((2, 2, 3)), A)],
    "vecmat": [row(V[:2], A), row(C[0], C.T), row(A.T, np.ones((3, 2, 4)))],
    # analysis.missing_values
    "nanvar": [row(G[:2]), row(G[:2], axis=0), row(G[:2], axis=1, ddof=1), row(I), row(C, axis=1)],
    "nanstd": [row(G[:2]), row(G[:2], axis=0, keepdims=True), row(F)],
    "nanargmax": [row(G[::2]), row(G[::2], axis=1), row(I, axis=0, keepdims=True)],
    "nanargmin": [row(G[::2]), row(G[::2], axis=1), row(I)],
    "nancumsum": [row(G), row(G, axis=1), row(I)],
    "nancumprod": [row(G), row(G, axis=0), row(A)],
    "nanmedian": [row(G), row(G, axis=1), row(G, axis=0, keepdims=True), row(A)],
    "nanquantile": [
        row(G, 0.3), row(G, [0.1, 0.7], axis=1), row(G[::2], 0.4, axis=0, method="hazen"),
    ],
    "nanpercentile": [row(G, 30), row(G, [10, 70], axis=0, method="lower")],
    # analysis.polynomials
    "polyadd": [row(V, W), row(N, V[:2]), row(C[0], 2.0)],
    "polysub": [row(V, W[:1]), row(N[:2], V)],
    "polymul": [row(V, W), row(N, N[:2]), row(C[0], V)],
    "polyder": [row(V), row(V, 2), row(N), row(V, 5), row(C[0])],
    "polyint": [row(V), row(V, 2), row(V, 2, [1.0, 2.0]), row(N), row(C[0], 1, 3.0)],
    "vander": [row(V), row(N, 3), row(V, 2, increasing=True), row(C[0], 0)],
    "poly": [row(V), row(np.asarray([[1.0, 2.0], [0.5, 3.0]])), row(W[:1])],
    "polyfit": [
        row(V, W, 2), row(V, W, 1, w=np.abs(V)), row(V, A.ravel()[:4], 0),
        row(V, np.stack([W, V], 1), 1), row(V, W, 1, cov=True), row(V, W, 1, cov="unscaled"),
    ],
    # analysis.sequences
    "geomspace": [
        row(1.0, 1000.0, 4), row(1, 256, 9), row(-1.0, -8.0, 4), row(V, W * W, 3, axis=-1),
        row(1j, 16j, 5), row(1.0, 8.0, 3, endpoint=False), row(1, 1000, 4, dtype="int32"),
        row(V, 2 * V, 1), row(1.0, 8.0, 0),
    ],
    # analysis.tapers
    "bartlett": [row(5), row(1), row(0), row(6), row(-1)],
    "hanning": [row(5), row(1), row(0), row(6)],
    "hamming": [row(5), row(1), row(2)],
    "blackman": [row(5), row(1), row(8)],
    "kaiser": [row(5, 14.0), row(1, 2.0), row(6, 0.0), row(0, 1.0)],
    # analysis.selection and set_operations
    "select": [
        row([A < 0, A > 2], [A, A * 10]), row([A < 0, A > 2], [-1, A], 5), row([B], [I], -1.5),
    ],
    "piecewise": [
        row(A, [A < 0, A > 2], [-1.0, lambda x: x * x, lambda x: x + 1]), row(V, V > 2, [7.0, 8.0]),
        row(I, [I > 2], [lambda x: x * 2]), row(S, [S > 2], [lambda x: x * 2]),
    ],
    "choose": [
        row(np.asarray([1, 0, 1]), [A, I]), row(np.asarray([2, -1]), [V[:2], W[:2]], mode="wrap"),
        row(np.asarray([2, -1]), [V[:2], W[:2]], mode="clip"), row(np.asarray([0, 1]), A[:, :2]),
    ],
    "compress": [row(B[0], A, axis=1), row([0, 1, 1], A), row(B[0, 1:], A, axis=0)],
    "extract": [row(B, A), row(A > 0, A)],
    "unique": [
        row(I), row(N, True, True, True), row(G), row(A, axis=0), row(E), row(G, equal_nan=False),
    ],
    "union1d": [row(I, N), row(A, V), row(N, V)],
    "setdiff1d": [row(I, N), row(I[0], N, assume_unique=True), row(A, V)],
    "intersect1d": [row(I, N), row(A, V), row(N, I, return_indices=True)],
    "setxor1d": [row(I, N), row(A, V)],
    "pad": [
        row(A, 2), row(A, (1, 2), constant_values=(3.0, 4.0)), row(A, ((1, 0), (0, 2)), "edge"),
        row(A, 2, "linear_ramp", end_values=(5.0, -4.0)), row(I, 3, "linear_ramp", end_values=9),
        row(A, 2, "maximum"), row(A, 2, "minimum", stat_length=2), row(A, 2, "mean"),
        row(I, ((1, 2), (2, 1)), "mean", stat_length=((1, 2), (2, 3))), row(I, 2, "median"),
        row(A, 1, "reflect"), row(A, 7, "reflect"), row(A, ((4, 3), (5, 6)), "symmetric"),
        row(A, ((1, 1), (3, 2)), "reflect", reflect_type="odd"), row(V, 9, "wrap"),
        row(V, (7, 8), "symmetric", reflect_type="odd"),
        row(V, (7, 8), "reflect", reflect_type="odd"),
        row(A, {1: 2}), row(A, {-1: (1, 0)}, "edge"), row(V[:1], 2, "reflect"), row(C, 1, "wrap"),
        row(B, 1, "edge"), row(A, ((0, 1), (2, 0)), constant_values=((1.0, 2.0), (3.0, 4.0))),
        row(S, 0), row(E, 2),
    ],
    # functions
    "apply_along_axis": [
        row(np.sort, 0, A), row(np.sum, 1, A), row(lambda x: x[:2, None] * x[:3], 1, A),
    ],
    "apply_over_axes": [row(np.sum, A, (0, 1)), row(np.cumsum, A, [1])],
    "gcd": [row(I, 6), row(np.asarray([12, -18, 0, 0]), np.asarray([8, 12, 5, 0])), row(N, N),
            row(np.asarray([-(2**31), 7, 0], "i4"), np.asarray([7, -(2**31), -(2**31)], "i4"))],
    "lcm": [row(I, 6), row(np.asarray([4, -6, 0, 0]), np.asarray([6, 4, 5, 0]))],
}  # fmt: skip
#: Names whose arguments decide shapes, or that take functions: called outside of traces only.
_KNOWN = {
    "apply_along_axis", "apply_over_axes", "bincount", "choose", "compress", "delete",
    "extract", "histogram_bin_edges", "insert", "intersect1d", "ix_", "mask_indices",
    "nanargmax", "ravel_multi_index", "real_if_close", "setdiff1d", "setxor1d", "trim_zeros",
    "union1d", "unique", "unravel_index",
}  # fmt: skip


def leaves(x):
    return [y for part in x for y in leaves(part)] if isinstance(x, list | tuple) else [x]


def compare(found, expected, args):
    """Values, shapes, dtypes and structure are NumPy's."""
    assert isinstance(found, list | tuple) == isinstance(expected, list | tuple)
    given = [x for x in leaves(list(args)) if isinstance(x, np.ndarray)]
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        if one.dtype == np.int32 and np.asarray(other).dtype == np.int64:  # counts and indices
            other = np.asarray(other, np.int32)
        assert_same(one, other, given)


def in_anvl(args):
    swapped = {np.sort: anp.sort, np.sum: anp.sum, np.cumsum: anp.cumsum}
    return [swapped.get(a, a) if callable(a) else a for a in args]


def in_one_program(f, calls):
    """Results of all calls, whose arrays are arguments of one program."""
    arrays = [[x for x in args if isinstance(x, np.ndarray)] for args, _ in calls]

    def run(arrays):
        results = []
        for (args, kwargs), own in zip(calls, arrays, strict=True):
            rest = iter(own)
            given = [next(rest) if isinstance(x, np.ndarray) else x for x in args]
            results.append(f(*given, **kwargs))
        return results

    return anvl.jit(run)(arrays)


@pytest.mark.sweep(keep=28)
@pytest.mark.parametrize("name", [name for name, calls in CALLS.items() if calls])
@pytest.mark.filterwarnings("ignore")
def test_a_staple_agrees_with_numpy(name):
    f, reference, calls = getattr(anp, name), getattr(np, name), CALLS[name]
    expected = [reference(*args, **kwargs) for args, kwargs in calls]
    if name in _KNOWN:
        found = [f(*in_anvl(args), **kwargs) for args, kwargs in calls]
    else:
        found = in_one_program(f, calls)
        (args, kwargs), *_ = calls
        compare(f(*args, **kwargs), expected[0], args)
    for one, other, (args, kwargs) in zip(found, expected, calls, strict=True):
        compare(one, other, (*args, *kwargs.values()))


def test_diagonal_indices_take_a_list():
    assert [x.tolist() for x in anp.diag_indices_from([[1, 2], [3, 4]])] == [[0, 1], [0, 1]]
    with pytest.raises(ValueError, match=r"diag_indices_from: takes an array .*, got shape \(2,\)"):
        anp.diag_indices_from([1.0, 2.0])
