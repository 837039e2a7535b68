"""`anvl.numpy.fft`: NumPy's discrete Fourier transforms.

Single precision stays single (f32 and narrower floats give c64), double stays double.  All are
linear, and so are their derivatives.  `norm` selects the transform that is divided by the number
n of points: "backward" (or None) the inverse one, "forward" the forward one, "ortho" both by its
square root.
Source: NumPy's manual, `numpy.fft`, for the definitions; StableHLO specification, `fft`.

    >>> import anvl.numpy as np
    >>> print(np.fft.fft(np.asarray([1.0, 2.0, 3.0, 4.0])))
    [10.+0.j -2.+2.j -2.+0.j -2.-2.j]
"""

from anvl.call_spellings.numpy_forms import FFT as _FORMS
from anvl.call_spellings.translation import respell as _respell
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_fft import FFT as _DOCSTRINGS
from anvl.numpy.linear.fourier import *  # noqa: F403
from anvl.numpy.linear.fourier import __all__ as __all__

_respell(globals(), _FORMS)
_complete(__all__, globals(), _DOCSTRINGS)
