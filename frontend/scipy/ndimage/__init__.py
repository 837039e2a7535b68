"""`anvl.scipy.ndimage`: filters of arrays, and values between their elements, as in SciPy.

>>> import anvl.numpy as np
>>> from anvl.scipy import ndimage
>>> print(ndimage.map_coordinates(np.asarray([1.0, 3.0, 9.0]), [np.asarray([0.5, 2.0])], 1))
[2. 9.]
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_ndimage import NDIMAGE as _ENTRIES
from anvl.scipy.list_arguments import take_lists as _take_lists
from anvl.scipy.ndimage.coordinates import map_coordinates as map_coordinates
from anvl.scipy.ndimage.linear_filters import convolve as convolve
from anvl.scipy.ndimage.linear_filters import convolve1d as convolve1d
from anvl.scipy.ndimage.linear_filters import correlate as correlate
from anvl.scipy.ndimage.linear_filters import correlate1d as correlate1d
from anvl.scipy.ndimage.linear_filters import gaussian_filter as gaussian_filter
from anvl.scipy.ndimage.linear_filters import gaussian_filter1d as gaussian_filter1d
from anvl.scipy.ndimage.linear_filters import uniform_filter as uniform_filter
from anvl.scipy.ndimage.linear_filters import uniform_filter1d as uniform_filter1d
from anvl.scipy.ndimage.resampling import affine_transform as affine_transform
from anvl.scipy.ndimage.resampling import geometric_transform as geometric_transform
from anvl.scipy.ndimage.resampling import rotate as rotate
from anvl.scipy.ndimage.resampling import shift as shift
from anvl.scipy.ndimage.resampling import zoom as zoom
from anvl.scipy.ndimage.splines import spline_filter as spline_filter
from anvl.scipy.ndimage.splines import spline_filter1d as spline_filter1d

__all__ = [
    "affine_transform", "convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter",
    "gaussian_filter1d", "geometric_transform", "map_coordinates", "rotate", "shift",
    "spline_filter", "spline_filter1d", "uniform_filter", "uniform_filter1d", "zoom",
]  # fmt: skip

_complete(__all__, globals(), _ENTRIES)

_take_lists(__all__, globals())

_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
