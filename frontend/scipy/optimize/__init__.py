"""`anvl.scipy.optimize`: minimisation, with the names and arguments of `scipy.optimize`.

>>> import anvl.numpy as np
>>> from anvl.scipy import optimize
>>> print(optimize.minimize(lambda x: np.sum((x - 1.0) ** 2), np.zeros(2), method="Newton-CG").x)
[1. 1.]
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.runtime import hide_frames_of as _hide_frames_of
from anvl.scipy.optimize.minimization import OptimizeResults as OptimizeResults
from anvl.scipy.optimize.minimization import minimize as minimize

__all__ = ["OptimizeResults", "minimize"]

_hide_frames_of(__all__, globals())
_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
