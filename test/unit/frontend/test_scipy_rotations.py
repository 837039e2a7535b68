"""Rotations beside SciPy's, their derivatives, and rotations between rotations."""

import numpy as np
import pytest
import scipy.spatial.transform as reference
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import random
from anvl.scipy.spatial.transform import Rotation, Slerp

DRAW = np.random.default_rng(3)
QUATS = DRAW.normal(size=(6, 4))
QUATS[0], QUATS[1], QUATS[2] = [0, 0, 0, 1], [1, 0, 0, 0], [0, 1e-9, 0, -1]
VECTORS = DRAW.normal(size=(6, 3))
OURS, THEIRS = Rotation.from_quat(QUATS), reference.Rotation.from_quat(QUATS)


def close(found, wanted):
    limit = rounding(PROGRAM, "f8")
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=limit, atol=limit)


def same(ours, theirs):
    """Whether rotations are the same: of quaternions q and -q are."""
    close(ours.as_matrix(), theirs.as_matrix())


@pytest.mark.parametrize(
    "of",
    [
        lambda r: r.as_quat(), lambda r: r.as_quat(canonical=True),
        lambda r: r.as_quat(scalar_first=True), lambda r: r.as_matrix(), lambda r: r.as_mrp(),
        lambda r: r.magnitude(), lambda r: r.as_rotvec(), lambda r: r.as_rotvec(degrees=True),
        lambda r: r.apply(VECTORS), lambda r: r.apply(VECTORS[0], inverse=True),
        lambda r: r[3].apply(VECTORS), lambda r: r.inv().as_matrix(), lambda r: (r * r).as_matrix(),
        lambda r: (r[3] * r).as_matrix(), lambda r: r.mean().as_matrix(),
        lambda r: r.mean(np.arange(1.0, 7.0)).as_matrix(), lambda r: r[1:3].as_matrix(),
        lambda r: np.asarray([len(r), r.single, r[0].single]),
        *[
            lambda r, seq=seq, degrees=degrees: r[3:].as_euler(seq, degrees)
            for seq in ("xyz", "XYZ", "zyx", "zxz", "ZYZ", "YXZ") for degrees in (False, True)
        ],
    ],
)  # fmt: skip
def test_forms_and_uses(of):
    close(of(OURS), of(THEIRS))


@pytest.mark.parametrize(
    "make",
    [
        lambda m: m.from_matrix(THEIRS.as_matrix()), lambda m: m.from_mrp(VECTORS / 3),
        lambda m: m.from_rotvec(VECTORS), lambda m: m.from_rotvec(VECTORS[0] * 90, degrees=True),
        lambda m: m.from_rotvec(VECTORS * 1e-9), lambda m: m.from_quat(QUATS, scalar_first=True),
        lambda m: m.from_euler("zxy", VECTORS), lambda m: m.from_euler("ZX", VECTORS[0, :2]),
        lambda m: m.from_euler("y", np.float64(30), degrees=True), lambda m: m.from_euler("y", VECTORS[:, :1]),
        lambda m: m.identity(), lambda m: m.identity(2),
        lambda m: m.concatenate([m.from_quat(QUATS), m.from_quat(QUATS[0])]),
    ],
)  # fmt: skip
def test_rotations_from_other_forms(make):
    same(make(Rotation), make(reference.Rotation))


def test_angles_where_a_sum_alone_is_known():
    for seq, angles in (("xyz", [20, 90, 0]), ("ZYX", [20, -90, 0]), ("zxz", [30, 0, 0]),
                        ("ZXZ", [30, 180, 0])):  # fmt: skip
        found = Rotation.from_euler(seq, np.asarray(angles, float), degrees=True)
        wanted = reference.Rotation.from_euler(seq, angles, degrees=True)
        limit = np.sqrt(rounding(PROGRAM, "f8"))
        euler = np.asarray(found.as_euler(seq, degrees=True))
        again = reference.Rotation.from_euler(seq, euler, degrees=True)
        np.testing.assert_allclose(again.as_matrix(), wanted.as_matrix(), atol=limit)
        assert euler[2] == 0


def turned(v):
    return Rotation.from_rotvec(v).apply(VECTORS[0])


def test_rotations_are_pytrees_with_derivatives():
    # At no turn the derivative is the cross product.
    crossed = np.stack([np.cross(e, VECTORS[0]) for e in np.eye(3)], axis=1)
    close(anvl.jacrev(turned)(np.zeros(3)), crossed)
    batched = anvl.jit(anvl.vmap(lambda r, v: (r * r).apply(v)))(OURS, VECTORS)
    close(batched, (THEIRS * THEIRS).apply(VECTORS))


@pytest.mark.sweep(keep=0, part=0)  # a minute
def test_derivatives_at_no_turn_and_elsewhere():
    for order, make in (
        (2, turned),
        (1, lambda v: Rotation.from_rotvec(v).as_rotvec()),
        (1, lambda v: Rotation.from_mrp(v / 3).as_mrp()),
        (2, lambda v: Rotation.from_matrix(Rotation.from_euler("xyz", v).as_matrix()).as_quat()),
    ):
        for v in (np.zeros(3), VECTORS[1] / 2):
            anvl.testing.check_grads(make, (v,), order=order)


def test_random_rotations_are_even():
    turns = Rotation.random(random.key(0), 4000)
    assert len(turns) == 4000 and Rotation.random(random.key(0)).single
    assert float(anp.max(anp.abs(anp.mean(turns.as_matrix(), axis=0)))) < 0.05


def test_between_rotations():
    times, at = np.asarray([0.0, 1.0, 2.5, 3.0, 4.0, 6.0]), np.asarray([0.0, 0.3, 2.5, 5.0, 6.0])
    ours, theirs = Slerp(times, OURS), reference.Slerp(times, THEIRS)
    same(ours(at), theirs(at))
    same(Slerp.init(times, OURS)(at[1]), theirs(at[1]))
    jitted = anvl.jit(lambda s, t: s(t).as_matrix())(ours, at)
    close(jitted, theirs(at).as_matrix())
    slope = anvl.jvp(lambda t: ours(t).as_matrix(), (at[3],), (np.float64(1.0),))[1]
    step = 1e-5
    sides = [theirs(at[3] + d).as_matrix() for d in (step, -step)]
    np.testing.assert_allclose(slope, (sides[0] - sides[1]) / (2 * step), atol=step)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Rotation.from_quat(np.zeros(4)), ValueError, "a quaternion is 0"),
        (lambda: Rotation.from_quat(np.ones(3)), ValueError, r"shape \[..., 4\], got f64\[3\]"),
        (lambda: Rotation.from_euler("xYz", VECTORS), ValueError, "seq is 'xYz'; give 1 to 3"),
        (lambda: Rotation.from_euler("xxz", VECTORS), ValueError, "neighboring axes must differ"),
        (lambda: OURS.as_euler("xy"), ValueError, "seq is 'xy'; give 3 to 3"),
        (lambda: len(OURS[0]), TypeError, "one rotation has no length"),
        (lambda: OURS[0][0], TypeError, "one rotation has no parts"),
        (lambda: OURS.mean(np.ones(2)), ValueError, "weights f64"),
        (lambda: Rotation.concatenate([]), ValueError, "there are no rotations"),
        (lambda: OURS.apply(np.ones(2)), ValueError, "Rotation.apply: takes an array"),
        (lambda: OURS * 2, TypeError, "unsupported operand"),
        (lambda: Slerp(np.ones(6), OURS), ValueError, "do not increase"),
        (lambda: Slerp(np.ones(2), OURS), ValueError, "times for rotations of shape"),
        (lambda: Slerp(np.ones(2), 3), TypeError, "give a Rotation"),
        (lambda: Slerp(np.arange(6.0), OURS)(7.0), ValueError, "are outside of 0.0 to 5.0"),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
