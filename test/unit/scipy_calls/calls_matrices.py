"""Calls of `anvl.scipy.linalg`, for `test_scipy_calls.py`."""

__all__ = ["CALLS", "OTHERWISE"]

CALLS = {
    "scipy.linalg": """
det: sq | sq4 | sq1 | spd | csq | fsq | isq | bsq | r4sq | rep | z3 | e00 | tall | x | s | sq.T
inv: sq | sq4 | sq1 | spd | csq | fsq | isq | bsq | r4sq | rep | e00 | tall | x | s | sq.T |
  spd, assume_a='pos' | herm, assume_a='her' | spd, assume_a='sym' |
  sq, assume_a='upper triangular' | sq, assume_a='lower triangular' |
  csq, assume_a='sym', lower=True
pinv: sq | sq4 | sq1 | spd | csq | fsq | isq | bsq | r4sq | sing | rep | z3 | e00 | tall | x | s |
  sq.T | wide | ctall | e2 | e3 | tall, rtol=0.5 | tall, atol=3.0 | tall, return_rank=True |
  sing, rtol=1e-8
cholesky: spd | spd4 | cspd | spd, True | spd, lower=True | cspd, lower=True | isq | fsq@fsq.T |
  e00 | tall | bsq@bsq.swapaxes(-1,-2)
expm: sq | sq4 | sq1 | spd | csq | fsq | hsq | isq | bsq | r4sq | nsq | infsq | sing | rep | z3 |
  e00 | tall | x | sq.T | 1e-9*sq | -5*spd | csq*1j
sinm: sq | csq | fsq | z3 | bsq | isq | e00 | sq1
cosm: sq | csq | fsq | z3 | bsq | isq | e00 | sq1
tanm: sq/9 | csq/9 | fsq/9 | z3 | bsq/9 | e00 | sq1/9
sinhm: sq | csq | fsq | z3 | bsq | isq | e00 | sq1
coshm: sq | csq | fsq | z3 | bsq | isq | e00 | sq1
tanhm: sq/9 | csq/9 | fsq/9 | z3 | bsq/9 | e00 | sq1/9
sqrtm: csq | cspd
logm: csq | cspd | fsq
lu: sq | tall | wide | csq | bsq | e2 | e00 | isq | fsq | tall, permute_l=True | wide, True |
  tall, p_indices=True | sing | z3 | rep
lu_factor: sq | csq | bsq | fsq | isq | z3 | rep | e00 | tall | wide
solve: sq, w | sq, k3 | spd, w, assume_a='pos' | spd, w, True, assume_a='pos' |
  herm, w, assume_a='her' | csq, w | sq, w, transposed=True | sq, w, assume_a='upper triangular' |
  sq, w, assume_a='lower triangular' | sq, w, assume_a='tridiagonal' | sq, w, assume_a='banded' |
  sq, w, assume_a='diagonal' | isq, w | isq, xi[:3] | fsq, w | fsq, f[:3] | sq, y | e00, e |
  e00, e2[:0] | sq, k3[:, :0] | bsq, k3 | bsq, w | sq, bsq | r4sq, bsq | csq, w, assume_a='sym' |
  csq, w, assume_a='sym', lower=True | sq, w, assume_a='no' | tall, x
solve_triangular: sq, w | sq, w, lower=True | sq, w, trans=1 | sq, w, trans='T', lower=True |
  csq, w, trans=2 | csq, w, 'C', True | sq, w, unit_diagonal=True | sq, k3 | e00, e | bsq, k3 |
  fsq, w | isq, xi[:3] | sq, y | csq, w, 1, True, True
solve_banded: (1, 1), k3, w | (0, 0), k3[:1], w | (1, 1), fsq, f[:3] | (2, 0), k3, csq |
  (1, 1), isq, w | (0, 2), sq, w | (1, 0), sq, w | (1, 1), bsq, k3 | (1, 1), e3, e
solveh_banded: np.stack([w*0.1, w*0+4]), w | np.stack([w*0+4, 0.1*w]), k3, lower=True |
  3+np.abs(k3[:1]), w
solve_circulant: x, y | c[:5], y | w, k3 | w, k3, baxis=1 | k3, w, caxis=0 | x, w | xi[:5], xl |
  f, f | e, e | o, o | k23, w
solve_sylvester: sq, spd, k3 | sq, sq4, m | fsq, fsq, fsq | e00, sq, e2 | sq, sq1, k3[:, :1] |
  bsq, spd, k3 | isq, isq, isq
solve_continuous_lyapunov: sq, k3 | csq, csq | fsq, fsq | sq1, sq1 | bsq, k3 | sq, m
cho_solve: (spd, True), w | (spd, False), k3 | (cspd, True), w |
  (np.linalg.cholesky(spd), True), w | (spd, True), y
lu_solve: (sq, np.array([2, 1, 2])), w | (csq, np.array([1, 1, 2])), w, 2 |
  (sq, np.array([2, 2, 2])), k3, 1
eigvalsh: spd | herm | bsq | rep | z3 | sq1 | e00 | fsq | isq | sq, lower=False | sq, lower=True |
  herm, lower=False | tall
svdvals: sq | tall | wide | ctall | bsq | sing | z3 | e00 | e2 | fsq | isq | r4sq
norm: x | m | t | c | cm | m, 'fro' | m, 'nuc' | m, 1 | m, -1 | m, 2 | m, -2 | m, inf | m, -inf |
  x, 1 | x, 3 | x, 0.5 | x, 0 | x, -1 | x, inf | x, -inf | m, 2, 0 | m, 1, -1 | t, 2, (0, 2) |
  t, axis=1 | t, 'fro', axis=(1, 2), keepdims=True | m, None, None, True | t, 'nuc', (2, 0) | xi |
  b | f | h | e | e2 | z | big | x, 'fro' | t, 2 | m, 3 | x, axis=1 | s | e, inf | e2, 1 | e3, 2 |
  mb | tr
polar: sq | tall | wide | csq | z3 | tall, 'left' | fsq | sq1 | e00 | sing | bsq | e2
hessenberg: sq1 | np.triu(sq) | e00
expm_frechet: sq/3, k3 | csq/3, k3 | fsq, fsq | z3, k3 | sq1, oo | sq, m |
  sq, k3, check_finite=False, compute_expm=False | sq/3, k3, method='blockEnlarge' | bsq/3, bsq
lstsq: tall, x | wide, w | ctall, x | fsq, f[:3] | e2[:0], e | z3, w | tall, w | isq, w
toeplitz: x | x, y | c | xi | b | x, w | w, x | e | s | m | x, e | f, x | n
hankel: x | x, y | c | xi | b | x, w | w, x | e | f, x | n
circulant: x | c | xi | b | o | e | s | m | f | h | n
companion: x | c | xi | o | f | w2 | m | e
fiedler: x | c | xi | o | f | u | b | s
fiedler_companion: x | c | w2 | f | w
leslie: x, w4 | x, y | f, f[:4] | xi[:3], xi[:2] | o, e | w2, o | m, w4 | k23, w2
convolution_matrix: x, 3 | x, 3, 'same' | x, 7, 'valid' | x, 7, 'same' | c, 2 | xi, 3 | o, 1 |
  x, 0 | e, 2 | m, 2 | x, 2.0 | b, 2 | x, 3, 'no'
block_diag: x | m | m, x | - | s, m | e, m | xi, m | c, xi | b, b | e2, m | m, e3 | t |
  k3, m, s, o | f, h
hilbert: 3 | 1 | 0 | 2.0
invhilbert: 3 | 1 | 0 | 8 | 14 | 15 | 2.0 | 3, True
pascal: 4, 'no'
invpascal: 3 | 1 | 0 | 4, 'lower' | 4, 'upper' | 20 | 30
helmert: 3 | 1 | 0 | 5, True | 2.0
hadamard: 1 | 2 | 8 | 3 | 0 | 4, complex | 4, 'f4'
dft: 3 | 1 | 0 | 5, 'n' | 5, 'sqrtn' | 3, 'no'
eigh_tridiagonal: x, w4, True | x, w4, eigvals_only=True, select='i', select_range=(1, 3) |
  o, e, True | f, f[:4], True | w2, o, True | x, y, True | z, z[:4], True
eigh: spd, eigvals_only=True | herm, eigvals_only=True |
  sq, eigvals_only=True, subset_by_index=(1, 2) | k3, spd, eigvals_only=True |
  herm, cspd, eigvals_only=True | k3, spd, eigvals_only=True, type=2 |
  k3, spd, eigvals_only=True, type=3 | rep, eigvals_only=True | sq1, eigvals_only=True |
  e00, eigvals_only=True | bsq, eigvals_only=True | sq, eigvals_only=True, subset_by_index=(2, 1) |
  isq, eigvals_only=True | k3, m, eigvals_only=True
""",
}

#: Calls that differ, by how and why: see `test_scipy_calls.py`.
OTHERWISE = {
    "scipy.linalg": {
        "refused: half precision is to be converted": """
det: hsq
inv: hsq
pinv: hsq
cholesky: hsq@hsq.T
lu: hsq
solve: hsq, h[:3]
eigvalsh: hsq
svdvals: hsq
""",
        "number: NaN and infinities have results": """
det: nsq | infsq
inv: nsq | infsq
pinv: nsq | infsq
cholesky: nsq
solve: nsq, w
solve_triangular: nsq, w
solve_banded: (1, 1), nsq, w
eigvalsh: nsq
svdvals: nsq
norm: n | nm
eigh: nsq, eigvals_only=True
""",
        "number: what is not defined is NaN or infinite, and nothing is raised": """
inv: z3
cholesky: z3 | -spd
solve: z3, w
solve_triangular: z3, w
companion: z | b
eigh: k3, -spd, eigvals_only=True
""",
        "result: not SciPy's error": """
inv: sq, assume_a='diagonal'
companion: u
""",
        "refused: there is nothing to compute with": """
expm: s
fiedler_companion: o | e
hilbert: -1
""",
        "result: dtypes of results depend on dtypes alone, and precision stays": """
sqrtm: spd | fsq | e00 | sq1 | bsq | rep | isq
logm: spd | sq1 | bsq | rep | isq
pascal: 3 | 1 | 0 | 4, 'lower' | 4, 'upper' | 30
""",
        "number: functions of nothing are nothing": """
logm: e00
""",
        "result: shapes are those of the definition, also of nothing and of stacks": """
lu: e3
hankel: m
fiedler: e
""",
        "number: more dtypes and forms are taken": """
solve: csq, w, transposed=True
""",
        "refused: counts are integers that 64 bits hold": """
pascal: 40
hadamard: 2.0
dft: 2.0
""",
    },
}  # fmt: skip
