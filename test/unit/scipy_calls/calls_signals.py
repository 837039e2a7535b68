"""Calls of `anvl.scipy.signal`, for `test_scipy_calls.py`."""

__all__ = ["CALLS", "OTHERWISE"]

CALLS = {
    "signal": """
convolve: x, w | w, x | x, w, 'same' | w, x, 'same' | x, w, 'valid' | w, x, 'valid' | x, y |
  x6, w2, 'same' | x6, w4, 'same' | x, w4, 'same' | xi, xl | b, u | f, w | f, f | h, h | c, w |
  w, c, 'same' | c, c | o, x | s, s | m, k23 | k23, m, 'same' | m, k23, 'valid' | t, t | r4, r4 |
  n, w | nan1, w | x, m | e, w | x, w, 'no' | neg, st | mi, mi | u, u | i1, i1 |
  x, w, 'full', 'fft' | x, w, 'full', 'direct' | x, w, 'full', 'no'
correlate: x, w | w, x | x, w, 'same' | w, x, 'same' | x, w, 'valid' | w, x, 'valid' | x, y |
  x6, w2, 'same' | x6, w4, 'same' | x, w4, 'same' | xi, xl | b, u | f, w | f, f | h, h | c, w |
  w, c, 'same' | c, c | o, x | s, s | m, k23 | k23, m, 'same' | m, k23, 'valid' | t, t | r4, r4 |
  n, w | nan1, w | x, m | e, w | x, w, 'no' | neg, st | mi, mi | u, u | i1, i1 |
  x, w, 'full', 'fft' | x, w, 'full', 'direct' | x, w, 'full', 'no'
fftconvolve: x, w | w, x, 'same' | x, w, 'valid' | m, k23 | m, m2, axes=1 | m, m2, 'same', axes=0 |
  m, m2, 'same', axes=(-1,) | t, t, 'valid' | t, t, axes=(0, 2) | c, w | f, f | xi, xl | h, f |
  m, k3, axes=(0,) | m, w2 | x, w, 'no' | t, t, axes=(0, 0) | m, m2, axes=2 |
  r4, r4, 'same', axes=(1, 3) | m, m2[:, :1], 'same', axes=0 | m, m2[:1], axes=1 | nan1, w
oaconvolve: x, w | w, x, 'same' | x, w, 'valid' | m, k23 | m, m2, axes=1 | m, m2, 'same', axes=0 |
  m, m2, 'same', axes=(-1,) | t, t, 'valid' | t, t, axes=(0, 2) | c, w | f, f | xi, xl | h, f |
  m, k3, axes=(0,) | m, w2 | x, w, 'no' | t, t, axes=(0, 0) | m, m2, axes=2 |
  r4, r4, 'same', axes=(1, 3) | m, m2[:, :1], 'same', axes=0 | m, m2[:1], axes=1 | nan1, w
convolve2d: m, k23 | k23, m | m, k23, 'same' | m, k23, 'valid' | k23, m, 'valid' |
  m, k23, 'same', 'wrap' | m, k23, 'full', 'symm' | m, k23, 'same', 'symm' |
  m, k23, 'full', 'wrap' | m, k23, 'full', 'fill', 3 | m, k23, 'same', 'fill', -1.5 |
  m, k23, 'valid', 'wrap' | k23, m, 'same', 'symm' | k23, m, 'full', 'wrap' | cm, k23 |
  f34, f34, 'same' | mi, mi | x, w | m, k23, 'same', 'no' | cm, cm, 'same', 'symm' |
  m, cm, 'full', 'fill', 2j
correlate2d: m, k23 | k23, m | m, k23, 'same' | m, k23, 'valid' | k23, m, 'valid' |
  m, k23, 'same', 'wrap' | m, k23, 'full', 'symm' | m, k23, 'same', 'symm' |
  m, k23, 'full', 'wrap' | m, k23, 'full', 'fill', 3 | m, k23, 'same', 'fill', -1.5 |
  m, k23, 'valid', 'wrap' | k23, m, 'same', 'symm' | k23, m, 'full', 'wrap' | cm, k23 |
  f34, f34, 'same' | mi, mi | x, w | m, k23, 'same', 'no' | cm, cm, 'same', 'symm' |
  m, cm, 'full', 'fill', 2j
correlation_lags: 3, 2 | 2, 5, 'same' | 5, 2, 'valid' | 2, 5, 'valid' | 3, 3, 'no' | 0, 3 |
  4, 4, 'same' | 4, 5, 'same'
detrend: x | x6 | m | m, 0 | t, axis=1 | x, type='constant' | m, 0, 'constant' | x6, bp=3 |
  x6, bp=(0, 3) | x6, bp=9 | c | f | xi | s | x, type='no' | x, axis=2 | l16, bp=8 | neg |
  x6, bp=-1 | b
hilbert: x | x6 | m | m, axis=0 | x, 8 | x, 3 | x, 0 | c | f | xi | o | s | t, 4, 1 | x6, N=5 | e |
  x, -1 | h | nan1
lfilter: w, w2, x | w2, w, x | w, [1.0], x | w, [2.0, 1.0], x | w, w2, m | w, w2, m, 0 |
  w, w2, t, axis=1 | [1.0], [1.0], x | w, [1.0], c | c, [1.0], x | f, [1.0], f | w, w2, xi |
  w, w2, e | w, w2, s | w, [1, 0.5], x, zi=w2 | w, w2, m, 1, k3[:, :2] |
  w2, [1, 0.5, 0.1], x6, zi=w2 | w, [], x | m, w, x | e, w, x | [2.0], [4.0], x | w, w2, nan1 |
  w, [1.0, 0.5], neg | w, w2, x, -1, w2 | w, w2, x, zi=w
medfilt: x | x, 3 | x6, 5 | m | m, 3 | m, (1, 3) | t | xi | xi, 3 | u, 3 | f | tie, 3 | x, 4 |
  x, 7 | o | inf1, 3 | m, (3, 5) | x, (3, 3) | e | neg | r4, 1 | x, 1 | x, -3
periodogram: l | l16 | m | l, 10.0 | l16, 2, 'hann' | l, window='hamming' | l, nfft=20 | l, nfft=8 |
  l, detrend=False | l, detrend='linear' | c | l16, return_onesided=False | l, scaling='spectrum' |
  m, axis=0 | t, axis=1 | l, scaling='no' | f | xi | o | l16, 1.0, ('tukey', 0.3) | l, 1.0, l |
  l, 1.0, x | h | l16, nfft=15 | nan1
welch: l | l16 | l16, nperseg=8 | l16, nperseg=8, noverlap=2 | l16, nperseg=5 |
  l16, nperseg=5, noverlap=4 | l, 2.0, 'boxcar', 4 | l, nperseg=4, nfft=8 |
  l16, nperseg=6, detrend='linear' | l16, nperseg=6, detrend=False |
  l16, nperseg=8, return_onesided=False | l16, nperseg=8, average='median' |
  l16, nperseg=4, average='median' | m, nperseg=2 | m, nperseg=2, axis=0 | c, nperseg=3 |
  l16, nperseg=8, scaling='spectrum' | l16, nperseg=8, noverlap=8 | l16, nperseg=40 |
  l16, nperseg=0 | l16, nperseg=8, nfft=4 | f, nperseg=3 | xi, nperseg=4 | o | l16, window=l16[:8] |
  l16, window=l16[:8], nperseg=4 | l16, nperseg=8, average='no' | l16, nperseg=7, average='median'
csd: l16, l16[::-1] | l16, l, nperseg=8 | l, l16, nperseg=4 |
  l16, l16[::-1], nperseg=8, return_onesided=False | m, m2, nperseg=2 | m, x[:4], nperseg=4 |
  l16, l16[::-1], nperseg=6, average='median' | c, x, nperseg=3 | x, x6, nperseg=4
stft: l16, nperseg=8 | l16, nperseg=5 | l, nperseg=4 | l16, nperseg=8, noverlap=6 |
  l16, nperseg=8, boundary=None | l16, nperseg=8, boundary='even' | l16, nperseg=8, boundary='odd' |
  l16, nperseg=8, boundary='constant' | l16, nperseg=8, padded=False |
  l, nperseg=4, boundary=None, padded=False | l16, nperseg=8, nfft=10 |
  l16, nperseg=8, detrend='linear' | c, nperseg=4 | c, nperseg=4, return_onesided=False |
  l16, nperseg=8, scaling='psd' | m, nperseg=2, axis=0 | l16, nperseg=8, return_onesided=False |
  l16, 4.0, 'boxcar', 8 | l16, nperseg=40 | f, nperseg=4 | l16, nperseg=8, boundary='no' |
  l16, nperseg=8, noverlap=9
istft: cm[:, :3] | np.ones((5, 4)), nperseg=8 | m, nperseg=4, noverlap=2 | cm, nperseg=4 |
  cm, 2.0, 'boxcar', 4, 2 | cm, input_onesided=False, nperseg=3, noverlap=1 |
  cm, nperseg=4, boundary=False | cm, nperseg=4, time_axis=0, freq_axis=1 |
  cm, nperseg=4, scaling='psd' | cm, nperseg=4, noverlap=0 | cm, nfft=6, nperseg=4 |
  cm, nperseg=4, noverlap=4 | x | r4, nperseg=4, time_axis=1, freq_axis=2
resample: x6, 3 | x6, 4 | x6, 12 | x, 3 | x, 7 | x, 8 | m, 2 | m, 6, axis=1 | t, 5, axis=-1 |
  x6, 1 | x6, 6 | x6, 0 | x6, -1 | c, 3 | c6, 4 | c6, 9 | f, 3 | xi, 3 | o, 4 | x6, 5 | x, 4 |
  x6, 2.5 | h, 3
savgol_coeffs: 5, 2 | 5, 2, 1 | 7, 3, 2, 0.5 | 5, 2, pos=0 | 5, 2, pos=4, use='dot' | 4, 2 | 5, 5 |
  5, 2, 3 | 1, 0 | 5, 2, pos=7 | 5, 2, use='no' | 3, 2, deriv=2 | 6, 1, pos=2
savgol_filter: l, 5, 2 | l, 5, 2, 1 | l, 5, 2, mode='mirror' | l, 5, 2, mode='constant', cval=1.0 |
  l, 5, 2, mode='nearest' | l, 5, 2, mode='wrap' | m, 3, 1 | m, 3, 1, axis=0 | t, 3, 2, 0, 1.0, 1 |
  x, 7, 2 | x, 7, 2, mode='nearest' | x, 7, 2, mode='wrap' | x, 7, 2, mode='mirror' | l, 4, 2 |
  l, 5, 5 | f, 3, 1 | xi, 3, 1 | l, 5, 2, mode='no' | x, 5, 4 | l, 5, 2, 2, 0.1 | l, 13, 3 |
  l, 6, 3, mode='nearest' | e, 3, 1
get_window: 'hann', 5 | 'hann', 6, False | 'hamming', 1 | ('tukey', 0.5), 7 | ('kaiser', 4.0), 6 |
  'blackman', 5 | 'no', 5 | 'bartlett', 5 | 'flattop', 6 | 'nuttall', 5 | ('gaussian', 2.0), 7 |
  ('exponential', None, 2.0), 7 | 'triang', 5 | 'triang', 6 | 'cosine', 5 | 'parzen', 6 |
  'bohman', 5 | 'barthann', 6 | 4.0, 6 | ('general_gaussian', 1.5, 2.0), 6 | 'hann', -1 |
  'blackmanharris', 7 | ('general_hamming', 0.6), 5 | 'hann', 2 | ('tukey', 0), 5 |
  ('tukey', 1), 5 | ('tukey', 0.5), 1 | 'lanczos', 6 | 'hann', 5.0
""",
}

#: Calls that differ, by how and why: see `test_scipy_calls.py`.
OTHERWISE = {
    "signal": {
        "number: more dtypes and forms are taken": """
convolve2d: mb, mb | hm, hm
correlate2d: mb, mb | hm, hm
lfilter: xi, [1], xi
medfilt: b, 3 | c, 3 | h
""",
        "refused: there is nothing to compute with": """
fftconvolve: e, w
oaconvolve: e, w
convolve2d: e2, m
correlate2d: e2, m
periodogram: l, nfft=0 | e
""",
        "number: an empty choice, or array, changes nothing": """
fftconvolve: x, y, axes=()
oaconvolve: x, y, axes=()
detrend: e | e3
get_window: 'boxcar', 0
""",
        "result: lags are those of `correlate`, from which SciPy's are 1 off": """
correlation_lags: 5, 4, mode='same'
""",
        "number: NaN and infinities have results": """
detrend: nan1
savgol_filter: nan1, 3, 1
""",
        "result: dtypes of results depend on dtypes alone, and precision stays": """
detrend: h
csd: l16, l16, nperseg=8 | f, f, nperseg=3
savgol_filter: h, 3, 1 | c, 3, 1
""",
        "number: what is not defined is NaN or infinite, and nothing is raised": """
lfilter: w, [0.0, 1.0], x
periodogram: l, 0
""",
        "result: shapes are those of the definition, also of nothing and of stacks": """
medfilt: s
welch: e
csd: e, e | l16, e
stft: e
istft: ct, nperseg=4
""",
        "refused: counts are integers that 64 bits hold": """
savgol_coeffs: 5.0, 2
""",
        "refused: these windows are not there": """
get_window: ('dpss', 2.5), 8 | ('chebwin', 60), 7 | 'taylor', 8
""",
    },
}  # fmt: skip
