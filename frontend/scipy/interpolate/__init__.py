"""`anvl.scipy.interpolate`: functions through given points, with the names of SciPy.

>>> import anvl.numpy as np
>>> from anvl.scipy import interpolate
>>> spline = interpolate.CubicSpline(np.arange(4.0), np.arange(4.0) ** 2)
>>> print(spline(1.5), spline(1.5, 1))
2.25 3.0
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.runtime import hide_frames_of as _hide_frames_of
from anvl.scipy.interpolate.grid_interpolation import (
    RegularGridInterpolator as RegularGridInterpolator,
)
from anvl.scipy.interpolate.grid_interpolation import interp1d as interp1d
from anvl.scipy.interpolate.piecewise import CubicSpline as CubicSpline
from anvl.scipy.interpolate.piecewise import PchipInterpolator as PchipInterpolator
from anvl.scipy.interpolate.piecewise import PPoly as PPoly
from anvl.scipy.list_arguments import take_lists as _take_lists

__all__ = ["CubicSpline", "PPoly", "PchipInterpolator", "RegularGridInterpolator", "interp1d"]

_take_lists(__all__, globals())

_hide_frames_of(__all__, globals())
_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
