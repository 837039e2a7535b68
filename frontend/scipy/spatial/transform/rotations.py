"""`Rotation`: one rotation, or an array of rotations, in space."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import random as _random
from anvl import tree
from anvl.core.tracer import Tracer
from anvl.runtime import hiding_frames
from anvl.scipy.spatial.transform import quaternions

__all__ = ["Rotation"]


def _array(name: str, x: Any, *last: int) -> Any:
    """An array whose last axes have these sizes."""
    found = x if isinstance(x, Tracer) else anp.asarray(x)
    if found.shape[max(found.ndim - len(last), 0) :] != last:
        shown = ", ".join(map(str, last))
        raise ValueError(
            f"Rotation.{name}: takes an array of shape [..., {shown}], got {found.aval}"
        )
    return found


def _axes_of(name: str, seq: Any, counts: tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
    """The axes of "xyz" and whether they turn along: "XYZ"."""
    pattern = f"[xyz]{{{counts[0]},{counts[-1]}}}|[XYZ]{{{counts[0]},{counts[-1]}}}"
    if not isinstance(seq, str) or not re.fullmatch(pattern, seq):
        raise ValueError(
            f"Rotation.{name}: seq is {seq!r}; give {counts[0]} to {counts[-1]} letters of xyz, "
            "for fixed axes, or of XYZ, for axes that turn along"
        )
    axes = tuple("xyz".index(letter) for letter in seq.lower())
    if any(a == b for a, b in itertools.pairwise(axes)):
        raise ValueError(f"Rotation.{name}: seq is {seq!r}; neighboring axes must differ")
    return axes, seq.isupper()


class Rotation:
    """A rotation in space, or an array of rotations.

    It is a pytree of its quaternions: functions that are jitted, batched and differentiated take
    and return it.  Arrays of rotations compose, with `*`, and broadcast as arrays do.

    Attributes
    ----------
    quat : array
        Quaternions x, y, z, w of length 1, [..., 4].

    Notes
    -----
    Source: SciPy's manual, `scipy.spatial.transform.Rotation`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy.spatial.transform import Rotation
    >>> turn = Rotation.from_rotvec(np.asarray([0.0, 0.0, np.pi / 2]))
    >>> print(np.round((turn * turn).apply(np.asarray([1.0, 0.0, 0.0])), 4) + 0.0)
    [-1.  0.  0.]
    """

    __slots__ = ("quat",)
    quat: Any

    def __init__(self, quat: Any) -> None:
        self.quat = Rotation.from_quat(quat).quat

    @classmethod
    def _of(cls, quat: Any) -> Rotation:
        made = object.__new__(cls)
        made.quat = quat
        return made

    # -- from other forms --------------------------------------------------------------------------

    @classmethod
    @hiding_frames
    def from_quat(cls, quat: Any, *, scalar_first: bool = False) -> Rotation:
        """Rotations of quaternions [..., 4], x, y, z, w or, with `scalar_first`, w, x, y, z.

        They need not have length 1.  Raises `ValueError` for another shape, and for a quaternion of
        length 0 whose values are known.
        """
        q = _array("from_quat", quat, 4)
        if not isinstance(q, Tracer) and (np.asarray(q) == 0).all(axis=-1).any():
            raise ValueError("Rotation.from_quat: a quaternion is 0; it has no direction")
        return cls._of(quaternions.normalized(anp.roll(q, -1, -1) if scalar_first else q))

    @classmethod
    @hiding_frames
    def from_matrix(cls, matrix: Any) -> Rotation:
        """Rotations of matrices [..., 3, 3], which must be orthogonal, with determinant 1.

        Raises `ValueError` for another shape.
        """
        return cls._of(quaternions.from_matrix(_array("from_matrix", matrix, 3, 3)))

    @classmethod
    @hiding_frames
    def from_rotvec(cls, rotvec: Any, degrees: bool = False) -> Rotation:
        """Rotations of vectors [..., 3] along the axes, as long as the angles.

        Raises `ValueError` for another shape.
        """
        return cls._of(quaternions.from_rotvec(_array("from_rotvec", rotvec, 3), bool(degrees)))

    @classmethod
    @hiding_frames
    def from_mrp(cls, mrp: Any) -> Rotation:
        """Rotations of modified Rodrigues parameters [..., 3]: axes times tan(angle / 4).

        Raises `ValueError` for another shape.
        """
        return cls._of(quaternions.from_mrp(_array("from_mrp", mrp, 3)))

    @classmethod
    @hiding_frames
    def from_euler(cls, seq: str, angles: Any, degrees: bool = False) -> Rotation:
        """Rotations about axes one after the other: "xyz" fixed ones, "XYZ" ones that turn along.

        `angles` is [..., n] for n letters; for one letter also [...].  Raises `ValueError` for
        other letters, or another number of angles.
        """
        axes, is_intrinsic = _axes_of("from_euler", seq, (1, 3))
        given = angles if isinstance(angles, Tracer) else anp.asarray(angles)
        if len(axes) == 1 and (given.ndim < 2 or given.shape[-1] != 1):
            given = anp.expand_dims(given, -1)
        given = _array("from_euler", given, len(axes))
        return cls._of(quaternions.from_angles(given, axes, is_intrinsic, bool(degrees)))

    @classmethod
    @hiding_frames
    def identity(cls, num: int | None = None, dtype: Any = float) -> Rotation:
        """The rotation by nothing, or `num` of it."""
        one = anp.asarray([0.0, 0.0, 0.0, 1.0], dtype)
        return cls._of(one if num is None else anp.broadcast_to(one, (num, 4)))

    @classmethod
    @hiding_frames
    def random(cls, random_key: Any, num: int | None = None) -> Rotation:
        """A random rotation, or `num` of them, evenly distributed, by a key of `anvl.random`."""
        shape = (4,) if num is None else (num, 4)
        return cls._of(quaternions.normalized(_random.normal(random_key, shape)))

    @classmethod
    @hiding_frames
    def concatenate(cls, rotations: Sequence[Rotation]) -> Rotation:
        """All rotations of a sequence, as one array of them.  Raises `ValueError` for none."""
        parts = [rotations] if isinstance(rotations, Rotation) else [*rotations]
        if not parts:
            raise ValueError("Rotation.concatenate: there are no rotations; give at least one")
        return cls._of(anp.concatenate([anp.atleast_2d(part.quat) for part in parts]))

    # -- to other forms ----------------------------------------------------------------------------

    @hiding_frames
    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        """Quaternions [..., 4]; of the two of a rotation, with `canonical`, the one whose w is
        positive (where w is 0, x, and so on)."""
        q = quaternions.canonical(self.quat) if canonical else self.quat
        return anp.roll(q, 1, -1) if scalar_first else q

    @hiding_frames
    def as_matrix(self) -> Any:
        """Rotation matrices [..., 3, 3]."""
        return quaternions.matrix(self.quat)

    @hiding_frames
    def as_rotvec(self, degrees: bool = False) -> Any:
        """Vectors [..., 3] along the axes, as long as the angles, which are at most pi."""
        return quaternions.rotvec(self.quat, bool(degrees))

    @hiding_frames
    def as_mrp(self) -> Any:
        """Modified Rodrigues parameters [..., 3]."""
        return quaternions.mrp(self.quat)

    @hiding_frames
    def as_euler(self, seq: str, degrees: bool = False) -> Any:
        """Angles [..., 3] about three axes one after the other: see `from_euler`.

        Where only a sum of the first and the third one is known, the third one is 0; there they
        have no derivative.  Raises `ValueError` for other than three letters.
        """
        axes, is_intrinsic = _axes_of("as_euler", seq, (3, 3))
        return quaternions.to_angles(self.quat, axes, is_intrinsic, bool(degrees))

    # -- what they do ------------------------------------------------------------------------------

    @hiding_frames
    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        """Rotate vectors [..., 3], or rotate them back; both broadcast.

        Raises `ValueError` for another shape.
        """
        return quaternions.turned(self.quat, _array("apply", vectors, 3), bool(inverse))

    @hiding_frames
    def __mul__(self, other: Rotation) -> Rotation:
        """The rotation `other`, then this one, as one."""
        if not isinstance(other, Rotation):
            return NotImplemented
        return self._of(quaternions.composed(self.quat, other.quat))

    @hiding_frames
    def inv(self) -> Rotation:
        """The rotation back."""
        return self._of(anp.multiply(self.quat, anp.asarray([-1, -1, -1, 1], self.quat.dtype)))

    @hiding_frames
    def magnitude(self) -> Any:
        """The angles, from 0 to pi."""
        return quaternions.size(self.quat)

    @hiding_frames
    def mean(self, weights: Any = None) -> Rotation:
        """The mean of rotations [n], weighted by n numbers: of the least sum of squared chords.

        Raises `ValueError` for weights of another number.
        """
        q = anp.atleast_2d(self.quat)
        w = anp.ones((q.shape[0],), q.dtype) if weights is None else anp.asarray(weights)
        if q.ndim != 2 or w.shape != q.shape[:1]:
            raise ValueError(
                f"Rotation.mean: weights {w.aval} for rotations {self.quat.aval}; give one for "
                "each of a vector of rotations"
            )
        return self._of(quaternions.mean(q, w))

    # -- as a sequence -----------------------------------------------------------------------------

    @property
    def single(self) -> bool:
        """Whether it is one rotation, not an array of them."""
        return len(self.quat.shape) == 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of rotations; empty for one rotation."""
        return tuple(self.quat.shape[:-1])

    def __bool__(self) -> bool:
        return True

    @hiding_frames
    def __len__(self) -> int:
        if self.single:
            raise TypeError("Rotation: one rotation has no length; as_quat() has 4 numbers")
        return int(self.quat.shape[0])

    @hiding_frames
    def __getitem__(self, index: Any) -> Rotation:
        if self.single:
            raise TypeError("Rotation: one rotation has no parts; as_quat()[i] is a number of it")
        key = index if isinstance(index, tuple) else (index,)
        return self._of(self.quat[(*key, slice(None))] if Ellipsis in key else self.quat[key])

    def __iter__(self) -> Iterator[Rotation]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Rotation.from_quat({self.quat!r})"


def _of_leaf(_: Any, leaves: Any) -> Rotation:
    return Rotation._of(*leaves)


tree.register_node(Rotation, lambda r: ((r.quat,), None), _of_leaf)
