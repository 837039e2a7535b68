"""`anvl.scipy.spatial.transform`: rotations in space, and what lies between them, as in SciPy.

>>> import anvl.numpy as np
>>> from anvl.scipy.spatial.transform import Rotation
>>> turn = Rotation.from_euler("z", 90, degrees=True)
>>> print(np.round(turn.apply(np.asarray([1.0, 0.0, 0.0])), 4))
[0. 1. 0.]
"""

from anvl.scipy.spatial.transform.rotations import Rotation as Rotation
from anvl.scipy.spatial.transform.slerps import Slerp as Slerp

__all__ = ["Rotation", "Slerp"]


def __dir__() -> list[str]:
    return list(__all__)
