"""`anvl.scipy.fft`: cosine transforms, and all of `anvl.numpy.fft`.

>>> import anvl.numpy as np
>>> from anvl.scipy import fft
>>> print(fft.dct(np.ones(2)))
[4. 0.]
"""

from anvl.call_spellings.translation import respell as _respell
from anvl.core.importing import suggest_names as _suggest_names
from anvl.numpy.fft import *  # noqa: F403
from anvl.numpy.fft import __all__ as _transforms
from anvl.scipy.fft.cosine_transforms import dct as dct
from anvl.scipy.fft.cosine_transforms import dctn as dctn
from anvl.scipy.fft.cosine_transforms import idct as idct
from anvl.scipy.fft.cosine_transforms import idctn as idctn
from anvl.scipy.list_arguments import take_lists as _take_lists

__all__ = sorted([*_transforms, "dct", "dctn", "idct", "idctn"])

#: Functions, and the parameters that SciPy gives them.
_FORMS = {
    "fft hfft ifft ihfft irfft rfft": "x n axis norm overwrite_x workers plan",
    "fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn": "x s axes norm overwrite_x workers plan",
    "dct idct": "x type n axis norm overwrite_x workers orthogonalize",
    "dctn idctn": "x type s axes norm overwrite_x workers orthogonalize",
}
_respell(globals(), {name: form for names, form in _FORMS.items() for name in names.split()})

_take_lists(__all__, globals(), "s")

_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
