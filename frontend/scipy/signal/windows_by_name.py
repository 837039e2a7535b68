"""Windows by name: `get_window`.

Source: F. J. Harris, On the use of windows for harmonic analysis with the discrete Fourier
transform (1978); A. H. Nuttall, Some windows with very good sidelobe behavior (1981).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.config import default_dtype
from anvl.numpy.arrays.axes import int_of
from anvl.runtime import hiding_frames

__all__ = ["get_window", "window_values"]

#: Coefficients of sums of cosines.
_COSINES = {
    "hann": (0.5, 0.5), "hanning": (0.5, 0.5), "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}  # fmt: skip


def _tukey(x: np.ndarray[Any, Any], alpha: float = 0.5) -> np.ndarray[Any, Any]:
    if alpha <= 0:
        return np.ones_like(x)
    edge = np.minimum((1 - np.abs(x)) / min(alpha, 1), 1)
    return np.asarray(0.5 * (1 - np.cos(np.pi * edge)))


def _exponential(
    x: np.ndarray[Any, Any], n: int, center: float | None, tau: float
) -> np.ndarray[Any, Any]:
    middle = (n - 1) / 2
    off = 0.0 if center is None else center - middle
    return np.asarray(np.exp(-np.abs(x * middle - off) / tau))


#: Windows of a place in [-1, 1], of n points, and of parameters.
_SHAPES: dict[str, Callable[..., Any]] = {
    "boxcar": lambda x, n: np.ones_like(x),
    "bartlett": lambda x, n: 1 - np.abs(x),
    "triang": lambda x, n: 1 - np.abs(x) * (n - 1) / (n + n % 2),
    "cosine": lambda x, n: np.cos(np.pi / 2 * x * (n - 1) / n),
    "parzen": lambda x, n: np.where(
        np.abs(x) * (n - 1) <= n / 2,
        1 - 6 * (x * (n - 1) / n) ** 2 + 6 * np.abs(x * (n - 1) / n) ** 3,
        2 * (1 - np.abs(x) * (n - 1) / n) ** 3,
    ),
    "bohman": lambda x, n: np.where(
        np.abs(x) < 1,
        (1 - np.abs(x)) * np.cos(np.pi * np.abs(x)) + np.sin(np.pi * np.abs(x)) / np.pi,
        0,
    ),
    "tukey": lambda x, n, alpha=0.5: _tukey(x, alpha),
    "kaiser": lambda x, n, beta: np.i0(beta * np.sqrt(np.maximum(1 - x * x, 0))) / np.i0(beta),
    "barthann": lambda x, n: 0.62 - 0.24 * np.abs(x) + 0.38 * np.cos(np.pi * x),
    "lanczos": lambda x, n: np.sinc(x),
    "exponential": lambda x, n, center=None, tau=1.0: _exponential(x, n, center, tau),
    "general_cosine": lambda x, n, a: sum(c * np.cos(k * np.pi * x) for k, c in enumerate(a)),
    "general_gaussian": lambda x, n, p, sig: np.exp(
        -0.5 * np.abs(x * (n - 1) / 2 / sig) ** (2 * p)
    ),
    "gaussian": lambda x, n, std: np.exp(-0.5 * (x * (n - 1) / 2 / std) ** 2),
    "general_hamming": lambda x, n, alpha: alpha + (1 - alpha) * np.cos(np.pi * x),
}  # fmt: skip
_NAMES = {"rectangular": "boxcar", "box": "boxcar", "triangle": "triang", "ones": "boxcar",
          "poisson": "exponential", "sinc": "lanczos"}  # fmt: skip


def window_values(name: str, window: Any, n: int, periodic: bool = True) -> np.ndarray[Any, Any]:
    """A window of n points, in double precision."""
    kind, *parameters = window if isinstance(window, tuple) else (window,)
    if isinstance(kind, int | float) and not parameters:
        kind, parameters = "kaiser", [kind]
    kind = _NAMES.get(kind, kind)
    if kind not in _COSINES and kind not in _SHAPES:
        known = ", ".join(sorted({*_COSINES, *_SHAPES}))
        raise ValueError(f"{name}: window is {window!r}; there are {known}")
    if n < 2:
        return np.ones(n)
    m = n + periodic
    x = 2 * np.arange(m) / (m - 1) - 1
    if kind in _COSINES:
        terms = enumerate(_COSINES[kind])
        values = sum(c * np.cos(k * np.pi * x) for k, c in terms)
    else:
        values = _SHAPES[kind](x, m, *parameters)
    return np.asarray(values, float)[:n]


@hiding_frames
def get_window(window: Any, Nx: int, fftbins: bool = True) -> Any:
    """Window of Nx points.

    Parameters
    ----------
    window : str, float or tuple
        Its name, the beta of a Kaiser window, or a name with parameters, as ("gaussian", 2.0).
        There are barthann, bartlett, blackman, blackmanharris, bohman, boxcar, cosine, exponential,
        flattop, gaussian, general_cosine, general_gaussian, general_hamming, hamming, hann, kaiser,
        lanczos, nuttall, parzen, triang and tukey.
    Nx : int
    fftbins : bool
        Whether the window is one period, for transforms; else it is symmetric.

    Returns
    -------
    Array of shape (Nx,), in the default dtype of floats.

    Raises
    ------
    ValueError
        A name that there is not.

    Examples
    --------
    >>> from anvl.scipy import signal
    >>> print(signal.get_window("triang", 4))
    [0.33333334 0.6666667  1.         0.6666667 ]
    """
    n = int_of(Nx, "Nx", "get_window", least=0)
    return anp.asarray(window_values("get_window", window, n, fftbins), dtype=default_dtype(float))
