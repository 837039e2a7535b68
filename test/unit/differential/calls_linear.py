"""Calls of `linalg` and `fft`, at edges.  See `test_edge_calls.py`."""

__all__ = ["LINEAR"]

LINEAR = """
linalg.det: e00 | x | mm | np.zeros((0, 3, 3)) | np.zeros((2, 0, 0)) |
    np.array([[1, 2], [3, 4]], 'i1') | np.eye(2, dtype='f2')
linalg.inv: e00 | mm | mi[:3, :3] | np.array([[True]]) | s | np.full((2, 2), nan) | 'a'
linalg.slogdet: e00 | np.zeros((2, 2)) | sq*1e200
linalg.solve: e00, e | e00, np.zeros((0, 2)) | sq, x | sq, np.zeros((3, 0)) | sq, x[:3]
linalg.eigh: e00 | mm | sq, 'X'
linalg.eigvalsh: e00
linalg.svd: e00 | e2 | e3 | e2, full_matrices=False | e3, compute_uv=False
linalg.svdvals: e2
linalg.qr: e00 | e2 | e3 | mm, mode='no'
linalg.cholesky: e00 | mm | x
linalg.norm: e | x | e, inf | e, 1 | e, 0 | x, 0 | x, -inf | x, inf | x, 0.5 | x, -1 | z, -1 |
    x, 'fro' | mm, 'fro' | mm, 'nuc' | mm, 2 | mm, -2 | mm, 3 | mm, 1 | mm, -1 | mm, inf |
    mm, -inf | mm, axis=0 | mm, 2, axis=2 | t, axis=(0, 0) | t, axis=(0, 1) | t, 2 | t | e2, 2 |
    e2, 1 | e2, inf | e2, 'nuc' | e2 | s | n | n, inf | x, 'a' | xi | b | c | c, 1 | x, 1j |
    mm, keepdims=True | mm, axis=(1, 0), keepdims=True
linalg.vector_norm: e | e, ord=inf | mm, axis=0 | t, axis=(0, 1)
linalg.matrix_norm: mm | x | e2 | e2, ord=2 | e2, ord='nuc' | e2, ord=1
linalg.cond: sq | np.zeros((2, 2)) | e00 | sq, 'fro' | sq, -2 | mm | mm, 1
linalg.matrix_rank: e2 | e00 | mm | np.zeros((2, 2)) | mm, tol=10
linalg.matrix_power: sq, 0 | sq, -1 | sq, 3 | mm, 2 | sq, 1.5 | e00, 0 | e00, 3 |
    np.arange(4).reshape(2, 2), 0 | np.arange(4).reshape(2, 2), 5
linalg.pinv: e2 | e3 | np.zeros((2, 3)) | mm | x | mm, rcond=0.5
linalg.lstsq: e2, e | e3, x[:3] | mm, x
linalg.multi_dot: [mm] | [] | [mm, mm.T] | [x[:3], mm, x[:4]] | [mm, mm]
linalg.tensorinv: np.eye(4).reshape(2, 2, 2, 2) | np.eye(4).reshape(2, 2, 2, 2), 0 | t
linalg.tensorsolve: np.eye(4).reshape(2, 2, 2, 2), np.ones((2, 2)) | t, x
linalg.cross: x[:3], x[:3] | x[:2], x[:2]
linalg.outer: mm, x
linalg.diagonal: mm
linalg.trace: mm | x
linalg.matrix_transpose: x
linalg.eig: mm
fft.fft: e | s | x, 0 | x, -1 | x, 3 | x, 9 | x, 2.5 | x, axis=1 | x, norm='no' | x, norm='ortho' |
    e2 | e2, axis=0 | e3, axis=0 | o | xi | b | c | n | np.ones(3, 'f2')
fft.ifft: x, 1
fft.rfft: x | c | e | o | x, 1 | x, 0
fft.irfft: x | o | x, 1 | x, 0 | e | c, 3 | c, 99
fft.hfft: c | o
fft.ihfft: x | c
fft.fft2: mm | x | mm, (2, 2) | mm, (2,) | mm, axes=(0, 2)
fft.fftn: t | t, (2,) | t, (2, 2), axes=(0, 1) | e
fft.rfftn: t | t, axes=()
fft.rfft2: mm
fft.irfftn: o
fft.irfft2: mm, (3, 3)
fft.fftfreq: 0 | -1 | 5 | 4, 0.5 | 4.0
fft.rfftfreq: 0 | 1 | 5, d=2
fft.fftshift: x | e | mm, 1 | mm, (0, 2)
fft.ifftshift: mm | x, axes=3
"""
