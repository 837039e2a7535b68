"""`Slerp`: rotations between others, along the shortest arcs."""

from __future__ import annotations

from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.core.tracer import Tracer
from anvl.runtime import hiding_frames
from anvl.scipy.spatial.transform.rotations import Rotation

__all__ = ["Slerp"]


class Slerp:
    """Rotations between rotations at times, at an even speed from one to the next.

    It is a pytree of the times and the rotations.

    Parameters
    ----------
    times : array
        A vector of at least two times, increasing.
    rotations : Rotation
        As many rotations.

    Attributes
    ----------
    times : array
    rotations : Rotation

    Raises
    ------
    ValueError
        Another number of times than of rotations, fewer than two, times that do not increase; from
        a call, a time outside.  Values of tracers are not checked: outside they go on turning.

    Notes
    -----
    Source: SciPy's manual, `scipy.spatial.transform.Slerp`; K. Shoemake, Animating rotation with
    quaternion curves (1985).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy.spatial.transform import Rotation, Slerp
    >>> turns = Rotation.from_euler("z", np.asarray([0.0, 90.0]), degrees=True)
    >>> between = Slerp(np.asarray([0.0, 1.0]), turns)
    >>> print(np.rint(between(np.asarray(0.5)).as_euler("xyz", degrees=True)))
    [ 0.  0. 45.]
    """

    __slots__ = ("rotations", "times")

    rotations: Rotation
    times: Any

    @hiding_frames
    def __init__(self, times: Any, rotations: Rotation) -> None:
        given = times if isinstance(times, Tracer) else anp.asarray(times)
        if not isinstance(rotations, Rotation):
            raise TypeError(f"Slerp: rotations is {type(rotations).__name__}; give a Rotation")
        if rotations.single or given.shape != rotations.shape or given.shape < (2,):
            raise ValueError(
                f"Slerp: {given.aval} times for rotations of shape {list(rotations.shape)}; give a "
                "vector of at least two times, and a rotation for each"
            )
        if not isinstance(given, Tracer) and (np.diff(np.asarray(given)) <= 0).any():
            raise ValueError(f"Slerp: the times {np.asarray(given)} do not increase; sort them")
        self.times, self.rotations = given, rotations

    @classmethod
    def init(cls, times: Any, rotations: Rotation) -> Slerp:
        """The same as the class, in JAX's spelling."""
        return cls(times, rotations)

    @hiding_frames
    def __call__(self, times: Any) -> Rotation:
        """The rotations at times, of any shape."""
        at = times if isinstance(times, Tracer) else anp.asarray(times)
        known = self.times
        if not (isinstance(at, Tracer) or isinstance(known, Tracer)):
            first, last = np.asarray(known)[[0, -1]]
            values = np.asarray(at)
            if values.size and not (first <= values.min() and values.max() <= last):
                raise ValueError(
                    f"Slerp: times from {values.min()} to {values.max()} are outside of {first} to "
                    f"{last}; there are no rotations"
                )
        place = anp.searchsorted(known, at, side="right") - 1
        place = anp.clip(place, 0, known.shape[0] - 2)
        before, after = self.rotations[place], self.rotations[place + 1]
        start, end = known[place], known[place + 1]
        share = anp.divide(anp.subtract(at, start), anp.subtract(end, start))
        arc = (before.inv() * after).as_rotvec()
        return before * Rotation.from_rotvec(anp.multiply(arc, anp.expand_dims(share, -1)))


def _of_parts(_: Any, parts: Any) -> Slerp:
    made = object.__new__(Slerp)
    made.times, made.rotations = parts
    return made


tree.register_node(Slerp, lambda s: ((s.times, s.rotations), None), _of_parts)
