"""Calls that search, count, select and insert, at edges.  See `test_edge_calls.py`."""

__all__ = ["SEARCHING"]

SEARCHING = """
unique: e | x | tie | n | n, equal_nan=False |
    n, return_index=True, return_inverse=True, return_counts=True |
    n, equal_nan=False, return_index=True, return_inverse=True, return_counts=True | z |
    z, return_index=True, return_inverse=True, return_counts=True | s | s, return_inverse=True |
    mm, axis=0 | e2, axis=0 | e3, axis=0 | e3, axis=1 | mm, axis=2 |
    mm, axis=-1, return_index=True | mi, return_inverse=True | b | c | ec |
    mb, axis=0, return_counts=True | e, return_index=True, return_inverse=True, return_counts=True |
    np.array([[nan, 1], [nan, 1]]), axis=0
unique_values: n
unique_counts: n
unique_inverse: mi
unique_all: z | e
intersect1d: x, z | e, x | tie, tie | n, n | tie, x, return_indices=True
union1d: e, x | x, z | n, n | mm, x
setdiff1d: x, e | e, x | n, n | tie, [1.0]
setxor1d: x, e | tie, x | n, n
isin: x, e | e, x | mm, x | n, n | s, x | x, x, invert=True
searchsorted: e, 1.0 | e, e | x, e | np.sort(tie), tie | np.sort(tie), tie, side='right' |
    np.sort(tie), nan | np.sort(n), n | np.sort(n), n, side='right' | s, 1 | mm, 1 |
    np.array([0.0, -0.0, 0.0]), -0.0 | np.sort(tie), 1, side='no' |
    tie, 2.0, sorter=np.argsort(tie) | u, 2.5 | xi, 2.5 | np.arange(3), 2**40 | b[::-1]*1, b*1
digitize: x, e | e, x | x, np.array([0.0, 1, 2]) | x, np.array([2.0, 1, 0]) |
    x, np.array([2.0, 1, 0]), right=True | nan, np.array([0.0, 1]) | inf, np.array([0.0, 1]) |
    x, np.array([1.0, 1.0]) | 1j, x | x, mm
histogram: e | x | x, 0 | x, -1 | x, 1 | x, 2.5 | o | np.full(3, 2.0), 4 | x, 3, (0, 0) |
    x, 3, (1, 0) | x, 3, (nan, 1) | x, 3, (0, inf) | n, 3 | n, 3, (0, 4) | x, [] | x, [1] |
    x, [0, 1, 1] | x, [1, 0] | x, np.array([-2.5, 0, 1.5]) | x, 3, weights=x | x, 3, weights=e |
    x, 3, density=True | e, 3, density=True | mm, 3 | b | xi, 4 | u, 4, (0, 300) | x, 'auto' |
    e, 'auto' | x, 'sturges' | x, 'no' | s | x, 3, (1,) | x, 3, weights=c
histogram_bin_edges: e | x, 'fd' | np.full(3, 2.0), 'fd' | xi, 'auto'
histogram2d: x, x, 2 | e, e, 2 | x, e, 2 | x, x, [2, 3]
histogramdd: mm, 2 | e2, 2 | mm, 2, density=True
bincount: ei | ei, minlength=3 | xi | u | u, weights=x | u, weights=e | x | mi | u, minlength=-1 |
    u, minlength=0 | si | b | u, minlength=9
percentile: x, 50 | e, 50 | x, [] | x, [0, 100] | n, 50 | s, 30 | e2, 50, axis=0 | e2, 50, axis=1 |
    mm, [[10, 20], [30, 40]], axis=0 | mm, 30, axis=(0, 1), keepdims=True | mm, 30, axis=2 | c, 50 |
    x, 50, method='no' | np.array([60000, 60000], 'f2'), 50
quantile: x, -0.0 | x, True | x, 'a' | np.array([-inf, inf]), 0.5 | xi, 0.5 | u, 0.5 |
    np.array([127, 127], 'i1'), 0.5 | np.array([2**63-1, 2**63-1]), 0.5
nanpercentile: an, 50
nanquantile: e, 0.5 | n, 0.5, axis=0, keepdims=True
nanmedian: n | np.array([65000, 65000], 'f2')
median: n | np.array([inf, inf]) | np.array([inf, -inf]) | np.array([200, 201], 'u1') |
    np.array([65000, 65000], 'f2') | np.array([2**62, 2**62])
take: x, [0, -1] | x, 9 | x, -6 | x, 9, mode='clip' | x, -9, mode='clip' | x, 9, mode='wrap' |
    x, -9, mode='wrap' | e, [] | e, ei | e, 0 | s, 0 | mm, [0, 1], axis=2 | mm, 1, axis=-1 |
    x, [[0, 1], [2, 3]] | e2, ei, axis=0 | e2, [0], axis=0 | e2, [0], axis=1 | x, u |
    x, np.uint64(2) | x, 2**40
take_along_axis: mm, np.array([0, 11]), None | mm, np.array([[0], [1], [2]]), 1 |
    mm, np.array([0, 1]), 1 | mm, mi, 2 |
    mm, mm, 1 | e2, np.zeros((0, 2), int), 1 | mm, np.array([[-1], [-4], [0]]), 1
choose: np.array([0, 1, 2]), [b, b, b] | np.array([0, 1, 3]), [b, b, b] |
    np.array([0, 1, 3]), [b, b, b], mode='clip' | np.array([0, -1, 3]), [b, b, b], mode='wrap' |
    si, [x]*4 | 0, [] | np.array([0.0]), [x]
select: [b], [x[:3]] | [], [] | [b, ~b], [x[:3], z[:3]], default=9 | [b], [x[:3], x[:3]] |
    [x], [x]
compress: [True, False], x | [True]*7, x | [], x | [0, 1, 1], mm, axis=0 | [0, 1], mm, axis=2 |
    mb, mm
extract: mb, mm | [], e | [1, 0], x
where: b | s | n>0 | b, 1, 2 | b, x[:3], nan | x>0, x, e | x, 1, 0 | e, e, e | b, x |
    b, u[:3], 1.5 | nan, 1, 2
nonzero: s | e2 | mi | n | z | c
flatnonzero: s | z
argwhere: s | mm>0 | e2
count_nonzero: z | n
insert: x, 0, 9 | x, 5, 9 | x, 6, 9 | x, -6, 9 | x, -1, 9 | x, [], [] | x, [0, 5], [1, 2] |
    x, [1, 1], 9 | e, 0, 1 | e, 1, 1 | mm, 1, 9, axis=1 | mm, 1, 9, axis=2 |
    mm, [0, 4], [[1], [2], [3]], axis=1 | mm, 1, 9 | s, 0, 1 | x, 1.0, 2 | x, slice(1, 3), 9 |
    u, 0, 300 | x, [0], [1, 2, 3] | x, b.repeat(2)[:5], 9
delete: x, 0 | x, 5 | x, -5 | x, -6 | x, [] | x, [0, 0] | x, [0, 9] | x, slice(1, 9, 2) |
    x, slice(None, None, -1) | mm, 1, axis=1 | mm, 1, axis=2 | mm, 1 | e, 0 | e, [] | x, 1.0 |
    x, b | x, np.array([True, False, True, False, False]) | s, 0
trim_zeros: z | e | np.zeros(3) | z, 'f' | z, 'b' | z, 'no' | np.eye(3)[1:, 1:]
resize: x, (2, 4) | e, 3 | x, 0 | x, -1 | x, ()
"""
