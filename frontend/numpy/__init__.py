"""`anvl.numpy`: NumPy's functions, on arrays and inside of traces.

Promotion and broadcasting are done here; the rules are in `anvl.promote`.
"""

from importlib import import_module as _import_module

import numpy as _np

from anvl.numpy import creation, elementwise, products, reductions, shaping
from anvl.numpy.creation import *  # noqa: F403
from anvl.numpy.elementwise import *  # noqa: F403
from anvl.numpy.products import *  # noqa: F403
from anvl.numpy.reductions import *  # noqa: F403
from anvl.numpy.shaping import *  # noqa: F403

e, pi, inf, nan, newaxis = _np.e, _np.pi, _np.inf, _np.nan, None

__all__ = [  # noqa: PLE0604
    *creation.__all__,
    *elementwise.__all__,
    *products.__all__,
    *reductions.__all__,
    *shaping.__all__,
    "e",
    "inf",
    "nan",
    "newaxis",
    "pi",
]

# Last, since it needs all of the above: nobody should hold an array without operators.
_import_module("anvl.operators").attach()
