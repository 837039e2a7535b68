"""`anvl.scipy.signal`: convolutions, filters and spectra, with the names and arguments of SciPy.

>>> import anvl.numpy as np
>>> from anvl.scipy import signal
>>> print(signal.convolve(np.asarray([1, 2, 3]), np.asarray([1, 1])))
[1 3 5 3]
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.scipy.list_arguments import take_lists as _take_lists
from anvl.scipy.signal.correlations import convolve as convolve
from anvl.scipy.signal.correlations import convolve2d as convolve2d
from anvl.scipy.signal.correlations import correlate as correlate
from anvl.scipy.signal.correlations import correlate2d as correlate2d
from anvl.scipy.signal.correlations import correlation_lags as correlation_lags
from anvl.scipy.signal.correlations import fftconvolve as fftconvolve
from anvl.scipy.signal.correlations import oaconvolve as oaconvolve
from anvl.scipy.signal.filters import detrend as detrend
from anvl.scipy.signal.filters import hilbert as hilbert
from anvl.scipy.signal.filters import lfilter as lfilter
from anvl.scipy.signal.filters import medfilt as medfilt
from anvl.scipy.signal.filters import resample as resample
from anvl.scipy.signal.filters import savgol_coeffs as savgol_coeffs
from anvl.scipy.signal.filters import savgol_filter as savgol_filter
from anvl.scipy.signal.spectra import csd as csd
from anvl.scipy.signal.spectra import istft as istft
from anvl.scipy.signal.spectra import periodogram as periodogram
from anvl.scipy.signal.spectra import stft as stft
from anvl.scipy.signal.spectra import welch as welch
from anvl.scipy.signal.windows_by_name import get_window as get_window

__all__ = [
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "csd",
    "detrend",
    "fftconvolve",
    "get_window",
    "hilbert",
    "istft",
    "lfilter",
    "medfilt",
    "oaconvolve",
    "periodogram",
    "resample",
    "savgol_coeffs",
    "savgol_filter",
    "stft",
    "welch",
]

_take_lists(__all__, globals())

_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
