"""Calls that compute with numbers and vectors, at edges.  See `test_edge_calls.py`."""

__all__ = ["NUMBERS"]

NUMBERS = """
clip: x, 0, 1 | x, None, None | x, 1, 0 | x, nan, 1 | x, 0, nan | n, 0, 1 | e, 0, 1 | u, 300, None |
    xi, 0.5, 2 | xi, 2**40, None | xi, None, -2**40 | x, z, None | x, mm, None | b, 0, 1 |
    x, 'a', 1 | x, -inf, inf | x, min=0 | x, max=0 | x | z, -0.0, 0.0 | b, False, True
add: b, b | b, 1
multiply: b, b
subtract: b, b
negative: b
divide: b, b
bitwise_and: b, 1
logical_xor: x, z
logical_and: n, n
logical_not: n
sum: b
cumsum: b | s | mm | u | u, dtype='u1' | n
prod: b
mean: b
std: b
diff: b | e | o | s | x, 9 | x, -1 | x, 0 | x, 1.5 | mm, axis=2 | mm, 2, axis=0 |
    x, prepend=0, append=e | mm, prepend=0 | u | n
dot: b, b | e, e | s, x | x, mm | mm, x | e3, e2 | e2, e3 | t, mm.T | x, x[:3]
matmul: mb, mb.T | s, x | x, x | e, e | e3, e2 | e2, e3 | mm, x | t, t | u, u |
    np.array([200, 100], 'u1'), np.array([2, 3], 'u1')
einsum: 'i,i', b, b | 'ij,jk', mm, mm.T | 'ii', sq | 'ii', mm | 'ii->i', sq | 'i,i', e, e |
    'ij->', e2 | 'ij->j', e2 | 'i', mm | 'ij,j', mm, x | '...ij->...ji', t | '...,...', s, x |
    '', s | 'i->ij', x | 'i->ii', x | 'ij->i->j', mm | 'i,j->ji', x, e | mm, [0, 1], [1, 0] |
    'a1', mm | 'ij,ij->ij', u[:4].reshape(2, 2), u[:4].reshape(2, 2) | 'ij', mm, mm | 'i..->i', mm |
    'ba', mm | 'ij,kj->ik', mm, o3
inner: b, b | s, x | mm, mm | mm, x | e2, e2
vdot: b, b | mm, mm | c, c | x, mm | e, e
convolve: b, b | x, e | e, e | x, x, 'same' | x, o, 'valid' | o, x, 'valid' | x, x, 'no' | mm, x |
    u, u | n, x
correlate: b, b | x, e | x, x[:2] | x[:2], x | x[:2], x, 'full' | c, c, 'same' | x[:2], x, 'same' |
    xi, u
outer: b, b | e, x | mm, x | s, s
kron: b, b | e, x | s, x | mm, x | t, mm
cross: b, b | x[:3], x[:3] | x, x | e, e | e2, e2 | e2, x[:3] | mm[:, :3], x[:3], axis=2 |
    mm[:, :3], mm[:, :3], axisa=0, axisb=0
tensordot: mb, mb.T, 1 | mm, mm, 0 | mm, mm, 3 | mm, mm, 2 | mm, mm, ([0], [0]) |
    mm, mm, ([0], [1]) | mm, mm, ([0, 0], [0, 0]) | mm, mm, (0, 0) | mm, mm, ([0, 1], [0]) |
    e2, e3, 1 | e3, e2, 1 | s, s, 0
max: b | n
ptp: b
gradient: b*1 | x | o | e | s | mm | mm, axis=2 | mm, 2.0, axis=(0, 1) | x, x | x, e |
    x, edge_order=2 | x[:2], edge_order=2 | x, edge_order=3 | mm, 1, 2, 3 | u | xi | x, 0.0
interp: b, b, b | 1, x, x | e, np.sort(x), x | 0.5, e, e | nan, np.arange(3), np.arange(3.) |
    [inf, -inf], np.arange(3), np.arange(3.) | 0.5, [1], [2] | 0.5, [0, 0, 1], [1, 2, 3] |
    0.0, [0, 0, 1], [1, 2, 3] | 0.5, [0, 1], [1, 2, 3] | 5.5, [0, 1, 3], [1., 2, 3], period=4 |
    5.5, [0, 1, 3], [1., 2, 3], period=0 | 5.5, [0, 1, 3], [1., 2, 3], left=-1, right=nan |
    0.5, [0, 1], [inf, 1] | 0.5, [0, 1], [nan, 1] | 1.0, [0, 1, 2], [1, inf, 3.] |
    0.5, [0, 1], [1j, 2] | 0.5, [0, inf], [1, 2] | 0.5, [-inf, 1], [1, 2] | s, mm, mm |
    0.3, [0, 1], [0, 1], left=2, right=3
average: b | x, weights=x | mm, axis=0, weights=[1, 2, 3] | mm, axis=1, weights=[1, 2, 3] |
    mm, weights=[1, 2, 3] | x, weights=e | mm, axis=(0, 1), weights=mm*0+1 | x, returned=True |
    mm, axis=0, returned=True, weights=[1, 2, 3] | xi, weights=xi*0+1
cov: b | e | o | x | mm | e2 | e3 | s | x, x | x, x[:3] | mm, rowvar=False | mm, bias=True |
    mm, ddof=9 | mm, ddof=1.5 | mm, fweights=[1, 2, 3, 4] | mm, fweights=[1, 2] |
    mm, aweights=[0.5, 1, 1, 2] | c | t
trapezoid: b | e | o | s | x, x | x, e | mm, axis=2 | x, dx=0 | mm, dx=2.0, axis=0
abs: b
floor: b
ceil: b
trunc: b
fix: b | n
maximum: b, ~b
median: b
var: b
isnan: b
signbit: b*1
copysign: b, -1 | z, -1
real: b
imag: b
angle: b | z | c, deg=True | n
nan_to_num: b | n | n, nan=1, posinf=2, neginf=3 | xi | c/0 | n, nan='a'
bitwise_count: b
ediff1d: e | o | s | mm | x, to_begin=[1, 2], to_end=3 | u, to_end=300
vecdot: x, x | mm, x | c, c | s, s | e, e
matvec: mm, x[:4] | mm, x
vecmat: x[:3], mm
corrcoef: e | o | x | mm | np.ones((2, 3)) | x, -x | n, x[[0, 1, 2, 3, 4, 4]]
polyval: e, 2.0 | x, e | x, x | s, 2
polyadd: e, x | [0, 0], [0]
polysub: x, x
polydiv: [1, 2], [1] | [1], [1, 2] | [1, 0, -1], [1, 1]
polyder: x | x, 0 | x, 9 | x, -1 | o
polyint: x | x, 0 | x, -1 | x, 2, [1, 2] | x, 2, [1] | e
roots: mm
poly: sq | mm | [1, 2]
polyfit: x, x, 0 | x, x, -1 | e, e, 1 | x, x[:2], 1 | mm, x, 1 | np.arange(4), mm.T, 1 |
    [1, 1], [1, 2], 0
cumprod: n
nancumsum: n
nancumprod: n
cumulative_sum: x | mm | mm, axis=1, include_initial=True | e, include_initial=True
cumulative_prod: e, include_initial=True
unwrap: x*3 | e | s | n | xi, period=3 | x, period=0 | mm, axis=2 | x, discont=-1
sinc: 0
i0: e | c
heaviside: z, 0.5 | n, nan | xi, xi
lexsort: [] | (x,) | (tie, tie[::-1]) | mm | e | s | (x, tie) | (n, n)
partition: x, 2 | x, 9 | x, -1 | s, 0 | mm, 2, axis=2
sort: m.partition(n, 2) | n | z | c | mm, axis=None
argpartition: x, 9
sort_complex: c | x | ec
argsort: n, stable=True | z, stable=True
argmax: n | tie | z
argmin: n | z
nanargmax: n
nanargmin: an
nanmax: n | an
nanmin: e
nanmean: an | e
nanstd: an
nanvar: n
nansum: an
nanprod: an
fmax: n, 0
fmin: n, nan
apply_along_axis: lambda v:v.sum(), 0, mm | lambda v:v.sum(), 2, mm | lambda v:v.sum(), 0, s
apply_over_axes: m.sum, t, [0, 2] | m.sum, t, 3
piecewise: x, [x>0], [1, 2] | x, [], [1] | x, [x>0], [] | e, [e>0], [1] |
    s, [s>0], [lambda v:v*2, 0] | x, [x>0, x<0], [lambda v:v, lambda v:-v]
ravel_multi_index: ([0, 1], [1, 2]), (2, 3) | ([0, 5], [1, 2]), (2, 3) |
    ([0, 5], [1, 2]), (2, 3), mode='clip' | ([0, 5], [1, -2]), (2, 3), mode='wrap' |
    ([], []), (2, 3) | (0, 0), (2, 3) | (0,), (2, 3)
unravel_index: 5, (2, 3) | 6, (2, 3) | -1, (2, 3) | [], (2, 3) | 0, () | 0, (0,) | [0, 5], (2, 3) |
    1.0, (2, 3)
packbits: b | e | eb | u | mb, axis=0 | mb, axis=2 | b, bitorder='little' | b, bitorder='no'
unpackbits: u | u, count=3 | u, count=-3 | u, count=100 | x | np.zeros((0,), 'u1') |
    u.reshape(1, 5), axis=1, count=4
array_equal: n, n | n, n, equal_nan=True | x, mm | e, e2
array_equiv: x, mm | o, e
allclose: n, n | n, n, equal_nan=True | e, e | x, mm
isclose: 1, 2, rtol=inf | 1, inf, rtol=inf | xi, xi+1 | np.array([2**63-1]), np.array([-2**63]) |
    b, b | c, c | 1, 1, rtol=-1 | 1.0, nan, equal_nan=True
nextafter: 0, 1
spacing: s
ldexp: x, 1.5 | x, -9999
frexp: n
modf: n | xi
float_power: xi, 0.5 | xi, -1 | 2, -1
round: n, 2 | x, -1 | xi, -1 | u, -9 | x, 1.5 | c, 1 | np.array([127], 'i1'), -1 | 2.675, 2
around: np.array([0.5, 1.5, 2.5, -0.5])
real_if_close: c | c*0+1 | c, tol=-1
"""
