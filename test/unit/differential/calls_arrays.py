"""Calls that make, join, cut and move arrays, at edges.  See `test_edge_calls.py`."""

__all__ = ["ARRAYS"]

ARRAYS = """
linspace: 0, 1, 0 | 0, 1, 1 | 0, 1, 1, endpoint=False | 1, 0, 3 | 0, 1, -1 | 0, 1, 2.0 | 0, 1, 2.5 |
    nan, 1, 3 | 0, inf, 3 | -inf, inf, 3 | 0, 1, 0, retstep=True | 0, 1, 1, retstep=True |
    0, 1, 2, endpoint=False, retstep=True | x, 2*x, 3 | x, 2*x, 3, axis=-1 | x, 2*x, 3, axis=5 |
    e, e, 3 | 0, -10, 4, dtype='int8' | 'a', 1, 3 | None, 1, 3 | 1j, 1, 3 | 0, 1, 3, dtype=bool |
    s, s, 1 | u, u, 2
logspace: 0, 1, 0 | 0, 1, 1 | 0, 400, 3 | 0, 1, 3, base=0 | 0, 1, 3, base=-1
geomspace: 1, 1000, 0 | 1, 1000, 1 | 0, 1, 3 | -1, -1000, 4 | -1, 1000, 4 | 1, inf, 3 | 1000, 1, 4 |
    e, e, 2
arange: stop=3 |
    0 | -3 | 3, 1 | 3, 1, -1 | 0, 1, 0.25 | 0, 1, 0 | 0, 1, nan | 0, inf | nan | 2.5 |
    1, 2, 0.1 | 0, -1, -0.3 | 5, dtype='u1' | -5, 5, dtype='u1' | 2**40 | True | '3' | None |
    1, None | 3, dtype=bool | 0, 5, 2, dtype='f2' | x | 0, 10, -1 | 2.**31, 2.**31+3 | 1, stop=3 |
    -
eye: 0 | -1 | 3, k=5 | 3, k=-5 | 2, 0 | 2.0 | 3, 2, -1
identity: 0 | -2
tri: 0 | 3, 4, -9
zeros: -1 | (2, -1) | () | (0, 3) | 2.0 | 'a' | None | [2, 3] | np.int64(2) | (2.0,)
full: (2,), 300, dtype='u1' | 2, -1, dtype='u1' | (2, 3), x | 0, 1
ones: (0,)
full_like: x, 300, dtype='u1' | u, -1 | u, 1.5
ones_like: x, shape=(2,)
zeros_like: x, dtype='c16'
vander: e | x, 0 | x, -1 | mm | x, 2, increasing=True
diag: e | x, k=2 | x, k=-7 | mm, k=9 | mm, k=-9 | s | t
diagflat: s | e | mm, -1
diagonal: x | mm, 9 | t, 0, 0, 0 | t, 1, 2, -3 | mm, 0, 0, 2
trace: x | e2 | mm, 9 | t, -1, 1, 2 | mi, dtype='f8' | mb
triu: e2 | mm, 9 | t, 1
tril: mm, -9 | s
tril_indices: 0 | 3, -1
triu_indices: 3, k=9
diag_indices: 0 | 2, 3
diag_indices_from: sq | mm
indices: (0, 2) | () | (2, 3), dtype='f4' | (2, 3), sparse=True
meshgrid: - | x | x, e | s, x | x, z, indexing='ij', sparse=True | x, z, indexing='no' | mm, x
ix_: x | [True, False], [1, 2] | mm | -
fromfunction: lambda i, j:i+j, (0, 2)
concatenate: [] | [e] | [e, x] | [e2, mm] | [s] | [x, mm] | [mm, mm], axis=2 | [mm, mm], axis=-2 |
    [mm, mm], axis=None | [s, x], axis=None | mm | [x, xi] | [b, xi] | 5 | [x], axis=1.0 |
    [x, x], dtype='i4' | [mm, t]
stack: [] | [x] | [x, x], axis=2 | [x, x], axis=-2 | [x, x], axis=-3 | [x, e] | [s, s] | x
vstack: [] | [x, e] | [s, s] | [e, e]
hstack: [] | [s, x] | [x, mm] | [e, e]
dstack: [x, x] | [] | [s]
column_stack: [x, x] | [] | [s, s] | [x, e]
block: [] | [[x], [e]] | [[x, x], [x]] | [x, [x]] | 3.0 | [[s, s]]
append: e, x | mm, mm, axis=1 | mm, x, axis=0 | x, []
split: x, 2 | x, 5 | x, 0 | x, [] | x, [9] | x, [3, 1] | x, [-1] | x, -1 | s, 1 | e, 3 |
    x, 5, axis=1
array_split: x, 7 | x, 0 | e, 2
hsplit: s, 1 | x, 5
vsplit: x, 1 | mm, 3
dsplit: mm, 1
unstack: x | s | e | mm, axis=2 | e3, axis=1
reshape: x, -1 | x, (-1, -1) | e, (0, -1) | e, -1 | x, (2, -1) | x, () | o, () | s, (1, 1) |
    x, 5.0 | x, 'a' | e2, (3, 0) | e2, (3, -1) | e, (2, 0, -1)
ravel: s | e2
squeeze: x, 0 | o3, 0 | o3, 1 | oo, (0, 0) | oo, (0, 1) | s | e | oo, () | oo, -3
expand_dims: s, 0 | x, 2 | x, -2 | x, (0, 0) | x, (0, -1) | x, () | x, -4
transpose: s | x | t, (0, 1) | t, (0, 1, 1) | t, (0, 1, -1) | t, (0, 1, 3) | e203
permute_dims: t, (2, 0, 1)
matrix_transpose: x | t
swapaxes: x, 0, 1 | t, -1, 0 | t, 0, 0
moveaxis: t, 0, -1 | t, [0, 1], [0] | t, [0, 0], [1, 2] | t, 3, 0
rollaxis: t, 2 | t, 0, 3 | t, 0, 4 | t, -1, -2
atleast_1d: s | -
atleast_2d: s, x
atleast_3d: mm | e
broadcast_to: x, (2, 5) | x, (5, 2) | s, () | o, 0 | x, 5 | x, () | e, (3, 0) | e, (0, 3) | x, -5 |
    x, (-1, 5)
broadcast_arrays: - | x, s | x, mm | o, e
broadcast_shapes: - | (0,), (1,) | (0,), (2,) | 2, (3, 1) | -1
flip: s | x, 1 | t, (0, -1) | t, (0, 0) | t, () | e2
fliplr: x
flipud: s | x
rot90: x | mm, 5 | mm, -1 | t, 1, (0, 0) | t, 2, (0, -3) | t, 1, (1, 2) | t, 1, (0, 3) |
    mm, 1, (0, 1, 2)
roll: x, 0 | x, 7 | x, -7 | e, 3 | s, 1 | mm, 1, axis=2 | mm, (1, 2), axis=(0, 1) |
    mm, (1, 2), axis=0 | mm, 1, axis=(0, 0) | mm, (1, 2) | mm, (1, 2, 3), axis=(0, 1) | x, 2**40 |
    mm, 1, axis=(0, 1)
tile: x, 0 | x, (2, 0) | s, 3 | x, () | mm, (1, 2, 3) | e, 3 | x, -1 | x, 1.5
repeat: x, 0 | x, 2 | x, -1 | s, 3 | x, [1, 0, 2, 0, 1] | x, [1, 2] | x, [2] | mm, 2, axis=1 |
    mm, 2, axis=2 | e, 3 | e, [] | mm, [1, 2, 3], axis=0 | mm, [0, 0, 0], axis=0 | x, True
pad: x, 0 | x, -1 | x, (1, 2) | x, ((1, 2),) | x, ((1, 2), (3, 4)) | mm, ((1, 2),) |
    mm, 1, constant_values=((1, 2), (3, 4)) | e, 2 | e, 2, 'edge' | e, 2, 'wrap' | e, 2, 'reflect' |
    e, 0, 'edge' | e, 2, 'mean' | e, 2, 'maximum' | e2, ((0, 0), (1, 1)), 'edge' | s, 1 | s, () |
    o, 3, 'reflect' | o, 3, 'symmetric' | o, 3, 'wrap' | x, 9, 'reflect' | x, 12, 'symmetric' |
    x, 12, 'wrap' | x, (0, 9), 'reflect', reflect_type='odd' |
    x, (7, 0), 'symmetric', reflect_type='odd' | x, 2, 'linear_ramp', end_values=9 |
    xi, 3, 'linear_ramp', end_values=9 | x, 2, 'mean' | xi, 2, 'mean' |
    x, 2, 'median', stat_length=2 | x, 2, 'maximum', stat_length=99 |
    x, 2, 'maximum', stat_length=0 | x, 2, 'minimum', stat_length=(1, 2) | x, 1.5 | x, 2, 'no' |
    x, {0:(1, 2)} | u, 1, constant_values=1.5 | b, 2, 'edge' |
    xi, 1, 'constant', constant_values=nan | mm, (1,), 'wrap' |
    u, 2, 'reflect', reflect_type='odd'
"""
