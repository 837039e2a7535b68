"""Quaternions x, y, z, w of length 1, and the other forms of a rotation.

Functions of the squared length stand in for those of the length, which has no derivative at 0.
Sources: J. Diebel, Representing attitude (Stanford, 2006); E. Bernardes, S. Viollet, Quaternion to
Euler angles conversion, PLOS ONE 17 (2022); S. Shepperd, Quaternion from rotation matrix (1978).
"""

from __future__ import annotations

import math
from typing import Any

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public

__all__ = [
    "canonical", "composed", "from_angles", "from_matrix", "from_mrp", "from_rotvec", "matrix",
    "mean", "mrp", "normalized", "rotvec", "size", "to_angles", "turned",
]  # fmt: skip

_NEAR = 1e-3  # of squared lengths: there four terms of a series are exact to rounding


def floats(x: Any) -> Any:
    (found,), _ = promoted("Rotation", (x,), "float")
    return found


def _squared(x: Any) -> Any:
    return anp.sum(anp.multiply(x, x), axis=-1, keepdims=True)


def _series(x: Any, *terms: float) -> Any:
    total: Any = terms[-1]
    for term in terms[-2::-1]:
        total = term + anp.multiply(x, total)
    return total


def _joined(*parts: Any) -> Any:
    return anp.concatenate([*parts], axis=-1)


@public()
def normalized(q: Any) -> Any:
    """Quaternions of length 1."""
    x = floats(q)
    return anp.divide(x, anp.sqrt(_squared(x)))


@public()
def composed(p: Any, q: Any) -> Any:
    """The rotation q, then p, as one."""
    u, v = p[..., :3], q[..., :3]
    s, t = p[..., 3:], q[..., 3:]
    u, v = anp.broadcast_arrays(u, v)
    vector = anp.add(anp.add(anp.multiply(s, v), anp.multiply(t, u)), anp.cross(u, v))
    scalar = anp.subtract(anp.multiply(s, t), anp.sum(anp.multiply(u, v), axis=-1, keepdims=True))
    return normalized(_joined(vector, scalar))


@public()
def canonical(q: Any) -> Any:
    """Of the two quaternions of a rotation the one whose last nonzero of w, x, y, z is positive."""
    sign: Any = 0.0
    for part in (q[..., 2:3], q[..., 1:2], q[..., 0:1], q[..., 3:4]):
        own = anp.sign(part)
        sign = anp.where(anp.equal(own, 0), sign, own)
    return anp.multiply(q, sign)


@public()
def matrix(q: Any) -> Any:
    """Rotation matrices."""
    x, y, z, w = (q[..., i] for i in range(4))
    two = 2.0
    rows = [
        [1 - two * (y * y + z * z), two * (x * y - z * w), two * (x * z + y * w)],
        [two * (x * y + z * w), 1 - two * (x * x + z * z), two * (y * z - x * w)],
        [two * (x * z - y * w), two * (y * z + x * w), 1 - two * (x * x + y * y)],
    ]
    return anp.stack([anp.stack(row, axis=-1) for row in rows], axis=-2)


@public()
def from_matrix(m: Any) -> Any:
    """Quaternions of rotation matrices, by their largest component."""
    a = floats(m)
    diagonal = [a[..., i, i] for i in range(3)]
    trace = diagonal[0] + diagonal[1] + diagonal[2]
    options = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        parts: list[Any] = [None] * 4
        parts[i] = 1 - trace + 2 * diagonal[i]
        parts[j] = a[..., j, i] + a[..., i, j]
        parts[k] = a[..., k, i] + a[..., i, k]
        parts[3] = a[..., k, j] - a[..., j, k]
        options.append(anp.stack(parts, axis=-1))
    options.append(
        anp.stack(
            [a[..., (i + 2) % 3, (i + 1) % 3] - a[..., (i + 1) % 3, (i + 2) % 3] for i in range(3)]
            + [1 + trace],
            axis=-1,
        )
    )
    which = anp.argmax(anp.stack([*diagonal, trace], axis=-1), axis=-1)
    found = options[3]
    for i in range(3):
        found = anp.where(anp.expand_dims(anp.equal(which, i), -1), options[i], found)
    return normalized(found)


@public("degrees")
def from_rotvec(v: Any, degrees: bool) -> Any:
    """Quaternions of vectors along the axes, as long as the angles."""
    x = anp.deg2rad(floats(v)) if degrees else floats(v)
    square = _squared(x)
    near = anp.less(square, _NEAR)
    angle = anp.sqrt(anp.where(near, 1, square))
    little = anp.where(near, square, 0)
    scale = anp.where(
        near,
        _series(little, 1 / 2, -1 / 48, 1 / 3840, -1 / 645120),
        anp.divide(anp.sin(angle / 2), angle),
    )
    cosine = anp.where(near, _series(little, 1, -1 / 8, 1 / 384, -1 / 46080), anp.cos(angle / 2))
    return _joined(anp.multiply(x, scale), cosine)


@public("degrees")
def rotvec(q: Any, degrees: bool) -> Any:
    """Vectors along the axes, as long as the angles, which are at most pi."""
    q = canonical(q)
    v, w = q[..., :3], q[..., 3:]
    square = _squared(v)
    near = anp.logical_and(anp.less(square, _NEAR), anp.greater(w, 0))
    length = anp.sqrt(anp.where(near, 1, square))
    scale = anp.where(
        near,
        _series(anp.where(near, square, 0), 2, 1 / 3, 3 / 20, 5 / 56, 35 / 576),
        anp.divide(2 * anp.arctan2(length, anp.where(near, 1, w)), length),
    )
    found = anp.multiply(v, scale)
    return anp.rad2deg(found) if degrees else found


@public()
def from_mrp(m: Any) -> Any:
    """Quaternions of modified Rodrigues parameters: axes times tan(angle / 4)."""
    x = floats(m)
    square = _squared(x)
    return anp.divide(_joined(2 * x, 1 - square), 1 + square)


@public()
def mrp(q: Any) -> Any:
    """Modified Rodrigues parameters."""
    q = anp.where(anp.less(q[..., 3:], 0), anp.negative(q), q)
    return anp.divide(q[..., :3], 1 + q[..., 3:])


@public()
def size(q: Any) -> Any:
    """The angles, from 0 to pi."""
    square = _squared(q[..., :3])[..., 0]
    length = anp.sqrt(anp.where(anp.equal(square, 0), 1, square))
    length = anp.where(anp.equal(square, 0), 0, length)
    return 2 * anp.arctan2(length, anp.abs(q[..., 3]))


@public("inverse")
def turned(q: Any, vectors: Any, inverse: bool) -> Any:
    """Vectors, rotated."""
    m = matrix(q)
    if inverse:
        m = anp.matrix_transpose(m)
    (m, v), _ = promoted("Rotation.apply", (m, vectors), "float", broadcast=False)
    return anp.sum(anp.multiply(m, anp.expand_dims(v, -2)), axis=-1)


@public()
def mean(q: Any, weights: Any) -> Any:
    """The rotation with the least weighted sum of squared chords: the main axis of quaternions."""
    (x, w), _ = promoted("Rotation.mean", (q, weights), "float", broadcast=False)
    moment = anp.matmul(anp.matrix_transpose(x), anp.multiply(x, anp.expand_dims(w, -1)))
    return anp.linalg.eigh(moment)[1][:, -1]


# -- Euler's angles --------------------------------------------------------------------------------


@public("axes", "is_intrinsic", "degrees")
def from_angles(angles: Any, axes: tuple[int, ...], is_intrinsic: bool, degrees: bool) -> Any:
    """Quaternions of angles about these axes, one after the other."""
    x = anp.deg2rad(floats(angles)) if degrees else floats(angles)
    total: Any = None
    for i, axis in enumerate(axes):
        sine, cosine = anp.sin(x[..., i] / 2), anp.cos(x[..., i] / 2)
        parts = [sine if k == axis else anp.zeros_like(sine) for k in range(3)]
        one = anp.stack([*parts, cosine], axis=-1)
        if total is None:
            total = one
        else:
            total = composed(total, one) if is_intrinsic else composed(one, total)
    return total


@public("axes", "is_intrinsic", "degrees")
def to_angles(q: Any, axes: tuple[int, ...], is_intrinsic: bool, degrees: bool) -> Any:
    """Angles about three axes; the third one is 0 where only a sum of two is known."""
    i, j, k = axes[::-1] if is_intrinsic else axes
    is_symmetric = i == k
    if is_symmetric:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) // 2
    if is_symmetric:
        a, b, c, d = q[..., 3], q[..., i], q[..., j], q[..., k] * sign
    else:
        a, b = q[..., 3] - q[..., j], q[..., i] + q[..., k] * sign
        c, d = q[..., j] + q[..., 3], q[..., k] * sign - q[..., i]
    middle = 2 * anp.arctan2(anp.hypot(c, d), anp.hypot(a, b))
    half_sum, half_difference = anp.arctan2(b, a), anp.arctan2(d, c)
    limit = 1e-7 if q.dtype.itemsize == 8 else 1e-3
    is_zero = anp.less(middle, limit)
    is_half = anp.less(anp.abs(middle - math.pi), limit)
    is_known = anp.logical_not(anp.logical_or(is_zero, is_half))
    low, high = half_sum - half_difference, half_sum + half_difference
    turn = sign if not is_symmetric else 1
    first, third = (high * turn, low) if is_intrinsic else (low, high * turn)
    only = anp.where(is_zero, 2 * half_sum, 2 * half_difference * (1 if is_intrinsic else -1))
    if is_intrinsic:
        only = only * turn
    first = anp.where(is_known, first, only)
    third = anp.where(is_known, third, 0)
    if not is_symmetric:
        middle = middle - math.pi / 2
    found = anp.stack([_wrapped(first), middle, _wrapped(third)], axis=-1)
    return anp.rad2deg(found) if degrees else found


def _wrapped(angle: Any) -> Any:
    """An angle from -pi to pi."""
    low = anp.where(anp.less(angle, -math.pi), angle + 2 * math.pi, angle)
    return anp.where(anp.greater(low, math.pi), low - 2 * math.pi, low)
