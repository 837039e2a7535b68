"""Calls of Fourier and cosine transforms, for `test_scipy_calls.py`."""

__all__ = ["CALLS", "OTHERWISE"]

CALLS = {
    "fft": """
fft: x | x6 | f | h | bf | c | c6 | c8 | xi | u | b | n | nan1 | inf1 | big | o | e | s | neg | st |
  m | tr | negm | t | r4 | x, 3 | x, 8 | x6, 4 | x6, 1 | x, 0 | x, -1 | x, 2.0 | o, 1 | m, axis=0 |
  m, axis=-2 | m, 2, 0 | m, 6, 0 | t, axis=1 | r4, axis=2 | m, axis=2 | x, norm='ortho' |
  x, norm='forward' | m, axis=0, norm='backward' | x, norm='no' | e2, 4, 0 | e3, 2 | e2, axis=1 |
  ec | cm, axis=0 | ct, 5, 1 | x, 7, norm='forward' | mb | mi, axis=0
ifft: x | x6 | f | h | bf | c | c6 | c8 | xi | u | b | n | nan1 | inf1 | big | o | e | s | neg |
  st | m | tr | negm | t | r4 | x, 3 | x, 8 | x6, 4 | x6, 1 | x, 0 | x, -1 | x, 2.0 | o, 1 |
  m, axis=0 | m, axis=-2 | m, 2, 0 | m, 6, 0 | t, axis=1 | r4, axis=2 | m, axis=2 |
  x, norm='ortho' | x, norm='forward' | m, axis=0, norm='backward' | x, norm='no' | e2, 4, 0 |
  e3, 2 | e2, axis=1 | ec | cm, axis=0 | ct, 5, 1 | x, 7, norm='forward' | mb | mi, axis=0
rfft: x | x6 | f | h | bf | c | c6 | c8 | xi | u | b | n | nan1 | inf1 | big | o | e | s | neg |
  st | m | tr | negm | t | r4 | x, 3 | x, 8 | x6, 4 | x6, 1 | x, 0 | x, -1 | x, 2.0 | o, 1 |
  m, axis=0 | m, axis=-2 | m, 2, 0 | m, 6, 0 | t, axis=1 | r4, axis=2 | m, axis=2 |
  x, norm='ortho' | x, norm='forward' | m, axis=0, norm='backward' | x, norm='no' | e2, 4, 0 |
  e3, 2 | e2, axis=1 | ec | cm, axis=0 | ct, 5, 1 | x, 7, norm='forward' | mb | mi, axis=0
irfft: x | x6 | f | bf | c | c6 | c8 | xi | u | b | n | nan1 | inf1 | big | o | e | s | neg | st |
  m | tr | negm | t | r4 | x, 3 | x, 8 | x6, 4 | x6, 1 | x, 0 | x, -1 | x, 2.0 | o, 1 | m, axis=0 |
  m, axis=-2 | m, 2, 0 | m, 6, 0 | t, axis=1 | r4, axis=2 | m, axis=2 | x, norm='ortho' |
  x, norm='forward' | m, axis=0, norm='backward' | x, norm='no' | e2, axis=1 | ec | cm, axis=0 |
  ct, 5, 1 | x, 7, norm='forward' | mb | mi, axis=0
hfft: x | x6 | f | bf | c | c6 | c8 | xi | u | b | n | nan1 | inf1 | big | o | e | s | neg | st |
  m | tr | negm | t | r4 | x, 3 | x, 8 | x6, 4 | x6, 1 | x, 0 | x, -1 | x, 2.0 | o, 1 | m, axis=0 |
  m, axis=-2 | m, 2, 0 | m, 6, 0 | t, axis=1 | r4, axis=2 | m, axis=2 | x, norm='ortho' |
  x, norm='forward' | m, axis=0, norm='backward' | x, norm='no' | e2, axis=1 | ec | cm, axis=0 |
  ct, 5, 1 | x, 7, norm='forward' | mb | mi, axis=0
ihfft: x | x6 | f | h | bf | c | c6 | c8 | xi | u | b | big | o | e | s | neg | st | m | tr | negm |
  t | r4 | x, 3 | x, 8 | x6, 4 | x6, 1 | x, 0 | x, -1 | x, 2.0 | o, 1 | m, axis=0 | m, axis=-2 |
  m, 2, 0 | m, 6, 0 | t, axis=1 | r4, axis=2 | m, axis=2 | x, norm='ortho' | x, norm='forward' |
  m, axis=0, norm='backward' | x, norm='no' | e2, 4, 0 | e3, 2 | e2, axis=1 | ec | cm, axis=0 |
  ct, 5, 1 | x, 7, norm='forward' | mb | mi, axis=0
fftn: m | t | r4 | cm | ct | f34 | hm | mi | mb | x | e | e2 | e203 | m, (2, 3) | m, (6, 5) |
  m, (0, 3) | m, s=(2,), axes=(0,) | t, axes=(0, 2) | t, axes=(-1, 0) | t, (3, 2), (2, 0) |
  r4, axes=(1, 3) | r4, axes=(3, 1) | t, axes=(1,) | t, axes=(1, 1) | t, (2, 3), (1, 1) |
  t, axes=(3,) | m, norm='ortho' | m, norm='forward' | negm | tr | m, (-1, 3), (0, 1) | m, (3, -1) |
  nm | r4, (2, 2, 2, 2) | r4, (3,), (1,) | t, (2, 3, 4) | t, s=(5, 6), axes=(0, 1) | oo
ifftn: m | t | r4 | cm | ct | f34 | hm | mi | mb | x | e | e2 | e203 | m, (2, 3) | m, (6, 5) |
  m, (0, 3) | m, s=(2,), axes=(0,) | t, axes=(0, 2) | t, axes=(-1, 0) | t, (3, 2), (2, 0) |
  r4, axes=(1, 3) | r4, axes=(3, 1) | t, axes=(1,) | t, axes=(1, 1) | t, (2, 3), (1, 1) |
  t, axes=(3,) | m, norm='ortho' | m, norm='forward' | negm | tr | m, (-1, 3), (0, 1) | m, (3, -1) |
  nm | r4, (2, 2, 2, 2) | r4, (3,), (1,) | t, (2, 3, 4) | t, s=(5, 6), axes=(0, 1) | oo
rfftn: m | t | r4 | cm | ct | f34 | hm | mi | mb | x | s | e | e2 | e203 | m, (2, 3) | m, (6, 5) |
  m, (0, 3) | m, s=(2,), axes=(0,) | t, axes=(0, 2) | t, axes=(-1, 0) | t, (3, 2), (2, 0) |
  r4, axes=(1, 3) | r4, axes=(3, 1) | t, axes=(1,) | t, axes=() | t, axes=(1, 1) |
  t, (2, 3), (1, 1) | t, axes=(3,) | m, norm='ortho' | m, norm='forward' | negm | tr |
  m, (-1, 3), (0, 1) | m, (3, -1) | nm | r4, (2, 2, 2, 2) | r4, (3,), (1,) | t, (2, 3, 4) |
  t, s=(5, 6), axes=(0, 1) | oo
irfftn: m | t | r4 | cm | ct | f34 | hm | mi | mb | x | s | e | e2 | e203 | m, (2, 3) | m, (6, 5) |
  m, (0, 3) | m, s=(2,), axes=(0,) | t, axes=(0, 2) | t, axes=(-1, 0) | t, (3, 2), (2, 0) |
  r4, axes=(1, 3) | r4, axes=(3, 1) | t, axes=(1,) | t, axes=() | t, axes=(1, 1) |
  t, (2, 3), (1, 1) | t, axes=(3,) | m, norm='ortho' | m, norm='forward' | negm | tr |
  m, (-1, 3), (0, 1) | m, (3, -1) | nm | r4, (2, 2, 2, 2) | r4, (3,), (1,) | t, (2, 3, 4) |
  t, s=(5, 6), axes=(0, 1) | oo
fft2: m | t | r4 | cm | ct | f34 | hm | mi | mb | x | s | e | e2 | e203 | m, (2, 3) | m, (6, 5) |
  m, (0, 3) | m, s=(2,), axes=(0,) | t, axes=(0, 2) | t, axes=(-1, 0) | t, (3, 2), (2, 0) |
  r4, axes=(1, 3) | r4, axes=(3, 1) | t, axes=(1,) | t, axes=(1, 1) | t, (2, 3), (1, 1) |
  t, axes=(3,) | m, norm='ortho' | m, norm='forward' | negm | tr | m, (-1, 3), (0, 1) | m, (3, -1) |
  nm | r4, (2, 2, 2, 2) | r4, (3,), (1,) | t, (2, 3, 4) | t, s=(5, 6), axes=(0, 1) | oo
ifft2: m | t | r4 | cm | ct | f34 | hm | mi | mb | x | s | e | e2 | e203 | m, (2, 3) | m, (6, 5) |
  m, (0, 3) | m, s=(2,), axes=(0,) | t, axes=(0, 2) | t, axes=(-1, 0) | t, (3, 2), (2, 0) |
  r4, axes=(1, 3) | r4, axes=(3, 1) | t, axes=(1,) | t, axes=(1, 1) | t, (2, 3), (1, 1) |
  t, axes=(3,) | m, norm='ortho' | m, norm='forward' | negm | tr | m, (-1, 3), (0, 1) | m, (3, -1) |
  nm | r4, (2, 2, 2, 2) | r4, (3,), (1,) | t, (2, 3, 4) | t, s=(5, 6), axes=(0, 1) | oo
rfft2: m | t | r4 | cm | ct | f34 | hm | mi | mb | x | s | e | e2 | e203 | m, (2, 3) | m, (6, 5) |
  m, (0, 3) | m, s=(2,), axes=(0,) | t, axes=(0, 2) | t, axes=(-1, 0) | t, (3, 2), (2, 0) |
  r4, axes=(1, 3) | r4, axes=(3, 1) | t, axes=(1,) | t, axes=() | t, axes=(1, 1) |
  t, (2, 3), (1, 1) | t, axes=(3,) | m, norm='ortho' | m, norm='forward' | negm | tr |
  m, (-1, 3), (0, 1) | m, (3, -1) | nm | r4, (2, 2, 2, 2) | r4, (3,), (1,) | t, (2, 3, 4) |
  t, s=(5, 6), axes=(0, 1) | oo
irfft2: m | t | r4 | cm | ct | f34 | hm | mi | mb | x | s | e | e2 | e203 | m, (2, 3) | m, (6, 5) |
  m, (0, 3) | m, s=(2,), axes=(0,) | t, axes=(0, 2) | t, axes=(-1, 0) | t, (3, 2), (2, 0) |
  r4, axes=(1, 3) | r4, axes=(3, 1) | t, axes=(1,) | t, axes=() | t, axes=(1, 1) |
  t, (2, 3), (1, 1) | t, axes=(3,) | m, norm='ortho' | m, norm='forward' | negm | tr |
  m, (-1, 3), (0, 1) | m, (3, -1) | nm | r4, (2, 2, 2, 2) | r4, (3,), (1,) | t, (2, 3, 4) |
  t, s=(5, 6), axes=(0, 1) | oo
fftshift: x | x6 | m | t | r4 | t, 1 | t, (0, 2) | t, axes=(-1,) | t, () | t, 3 | e | e2 | xi | b |
  c | n | o | neg
ifftshift: x | x6 | m | t | r4 | t, 1 | t, (0, 2) | t, axes=(-1,) | t, () | t, 3 | e | e2 | xi | b |
  c | n | o | neg
fftfreq: 5 | 6 | 1 | 0 | 4, 0.5 | 4, d=2 | -1 | 4.0 | 7, 1j
rfftfreq: 5 | 6 | 1 | 0 | 4, 0.5 | 4, d=2 | 4.0
""",
    "scipy.fft": """
dct: x | x6 | f | h | xi | b | n | nan1 | o | e | s | neg | st | m | tr | negm | t | r4 | c | x, 1 |
  x, 2 | x, 3 | x, 4 | x, 5 | x, n=3 | x, n=8 | x, n=0 | m, axis=0 | t, axis=1 | r4, 2, 3, 2 |
  x, norm='ortho' | x, norm='forward' | x6, 3, norm='ortho' | x6, 1, norm='ortho' | x6, 1 |
  o, 2, 1 | m, 2, 7, 0 | m, axis=2 | x, norm='no' | x, 2, 2.0 | big | m, 3, axis=0 | e3 | e2
idct: x | x6 | f | h | xi | b | n | nan1 | o | e | s | neg | st | m | tr | negm | t | r4 | c |
  x, 1 | x, 2 | x, 3 | x, 4 | x, 5 | x, n=3 | x, n=8 | x, n=0 | m, axis=0 | t, axis=1 |
  r4, 2, 3, 2 | x, norm='ortho' | x, norm='forward' | x6, 3, norm='ortho' | x6, 1, norm='ortho' |
  x6, 1 | o, 2, 1 | m, 2, 7, 0 | m, axis=2 | x, norm='no' | x, 2, 2.0 | big | m, 3, axis=0 | e3 |
  e2
dctn: m | t | r4 | f34 | mi | x | s | e2 | m, 2, (2, 3) | m, 2, (6, 5) | t, axes=(0, 2) |
  t, axes=(-1,) | t, axes=1 | t, s=(3, 2), axes=(2, 0) | m, norm='ortho' | m, norm='forward' |
  t, axes=() | t, axes=(1, 1) | m, 3 | m, 1 | negm | cm | m, s=5, axes=0
idctn: m | t | r4 | f34 | mi | x | s | e2 | m, 2, (2, 3) | m, 2, (6, 5) | t, axes=(0, 2) |
  t, axes=(-1,) | t, axes=1 | t, s=(3, 2), axes=(2, 0) | m, norm='ortho' | m, norm='forward' |
  t, axes=() | t, axes=(1, 1) | m, 3 | m, 1 | negm | cm | m, s=5, axes=0
""",
}

#: Calls that differ, by how and why: see `test_scipy_calls.py`.
OTHERWISE = {
    "fft": {
        "result: dtypes of results depend on dtypes alone, and precision stays": """
irfft: h
hfft: h
fftn: s | t, axes=()
ifftn: s | t, axes=()
fft2: t, axes=()
ifft2: t, axes=()
""",
        "refused: counts are integers that 64 bits hold": """
fftn: t, (None, 3), (0, 1)
ifftn: t, (None, 3), (0, 1)
rfftn: t, (None, 3), (0, 1)
irfftn: t, (None, 3), (0, 1)
fft2: t, (None, 3), (0, 1)
ifft2: t, (None, 3), (0, 1)
rfft2: t, (None, 3), (0, 1)
irfft2: t, (None, 3), (0, 1)
""",
        "number: an empty choice, or array, changes nothing": """
fftshift: s
ifftshift: s
""",
        "refused: an axis is shifted once": """
fftshift: t, (1, 1)
ifftshift: t, (1, 1)
""",
        "number: what is not defined is NaN or infinite, and nothing is raised": """
fftfreq: 4, 0
""",
        "refused: there is nothing to compute with": """
rfftfreq: -2
""",
    },
    "scipy.fft": {
    },
}  # fmt: skip
