"""`anvl.ops`, `anvl.image`, `anvl.flatten_util`: NumPy's sums, JAX's pixels, refusals."""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import flatten_util, image, ops
from anvl.testing import check_grads

DATA = np.arange(12.0).reshape(6, 2) - 4
IDS = np.asarray([2, 0, 2, 5, -1, 0])
COMBINE = {
    "segment_sum": (np.sum, 0.0), "segment_prod": (np.prod, 1.0), "segment_max": (np.max, -np.inf),
    "segment_min": (np.min, np.inf),
}  # fmt: skip


@pytest.mark.parametrize("name", COMBINE)
def test_segments_are_those_of_numpy(name):
    combine, empty = COMBINE[name]
    wanted = [combine(DATA[k == IDS], axis=0) if k in IDS else [empty] * 2 for k in range(4)]
    np.testing.assert_array_equal(getattr(ops, name)(DATA, IDS, 4), wanted)
    batch = anvl.vmap(lambda d: getattr(ops, name)(d, IDS, num_segments=4), in_axes=1, out_axes=1)
    np.testing.assert_array_equal(batch(DATA), wanted)
    check_grads(lambda d: getattr(ops, name)(d, IDS, 4)[0], (DATA,), order=1, modes=["rev"])


def test_segments_of_integers_without_rows_and_without_a_count():
    found = ops.segment_max(np.asarray([1, 2], "int8"), np.asarray([0, 2]))
    np.testing.assert_array_equal(found, [1, -128, 2])
    ids = np.asarray([[0, 1], [1, 5]])
    wanted = [DATA[0], DATA[1] + DATA[2]]
    np.testing.assert_array_equal(ops.segment_sum(DATA[:4].reshape(2, 2, 2), ids, 2), wanted)
    assert ops.segment_sum(np.ones((0, 2)), np.ones(0, int)).shape == (0, 2)


PIXELS = np.asarray([[0.0, 1, 4], [9, 16, 25]])


def test_pixels_of_each_method():
    """Known cases: nearest repeats, linear is exact on lines, kernels keep constants."""
    np.testing.assert_array_equal(
        image.resize(PIXELS, (2, 6), "nearest")[1], [9, 9, 16, 16, 25, 25]
    )
    line = np.arange(6.0)
    np.testing.assert_allclose(image.resize(line, (3,), "linear"), [5 / 7, 2.5, 30 / 7])
    np.testing.assert_allclose(image.resize(line, (3,), "linear", antialias=False), [0.5, 2.5, 4.5])
    for method in ("linear", "cubic", "lanczos3", "lanczos5"):
        np.testing.assert_allclose(
            image.resize(np.ones((3, 4)), (5, 2), method), 1, rtol=rounding(PROGRAM)
        )
    np.testing.assert_allclose(image.resize(line, (12,), "cubic")[4:8], [1.75, 2.25, 2.75, 3.25])


def test_scaling_is_differentiable_in_its_parameters():
    x = np.sin(np.arange(12.0))

    def moved(scale, shift):
        return image.scale_and_translate(x, (12,), (0,), scale, shift, "cubic")[2:10]

    found = moved(np.ones(1), np.asarray([0.25]))
    np.testing.assert_allclose(found, np.sin(np.arange(2, 10) - 0.25), atol=0.03)
    check_grads(moved, (np.asarray([0.9]), np.asarray([0.3])), order=1)


def test_raveled_trees_come_back():
    start = {"w": np.ones((2, 2), "float32"), "n": np.asarray(3), "e": (), "z": np.zeros(0)}
    flat, unravel = flatten_util.ravel_pytree(start)
    assert flat.dtype == np.float64 and flat.shape == (5,)
    back = unravel(flat)
    assert back["w"].dtype == np.float32 and back["n"] == 3 and back["z"].shape == (0,)
    slope = anvl.grad(lambda v: anp.sum(unravel(v)["w"] ** 2))(np.arange(5.0))
    np.testing.assert_array_equal(slope, [0, 2, 4, 6, 8])
    flat, unravel = flatten_util.ravel_pytree([])
    assert flat.shape == (0,) and unravel(flat) == []


REFUSED = {
    "segment_ids are f64[2]": lambda: ops.segment_sum(np.ones(2), np.ones(2), 2),
    "data has shape [3], segment_ids [2]": lambda: ops.segment_sum(np.ones(3), np.ones(2, int), 2),
    "segment_ids is traced; pass num_segments": lambda: anvl.jit(lambda i: ops.segment_min(i, i))(
        np.ones(2, int)
    ),
    "mode is 'wrap'": lambda: ops.segment_max(np.ones(1), np.ones(1, int), 2, mode="wrap"),
    "bucket_size is 3": lambda: ops.segment_prod(np.ones(1), np.ones(1, int), 2, bucket_size=3),
    "method is 'area'": lambda: image.resize(np.ones(2), (3,), "area"),
    "the image has shape [2], the new one is [3, 3]": lambda: image.resize(
        np.ones(2), (3, 3), "linear"
    ),
    "axis 0 of the image has size 0, the new size is 3": lambda: image.resize(
        np.ones(0), (3,), "linear"
    ),
    "axis 1 of the image has size 2, the new size is 0": lambda: image.resize(
        np.ones((2, 2)), (2, 0), "nearest"
    ),
    "method is 'nearest', which has no kernel": lambda: image.scale_and_translate(
        np.ones(2), (2,), (0,), np.ones(1), np.ones(1), "nearest"
    ),
    "the others keep their size": lambda: image.scale_and_translate(
        np.ones((2, 2)), (2, 3), (0,), np.ones(1), np.ones(1), "linear"
    ),
    "give a number for each of 1 axes": lambda: image.scale_and_translate(
        np.ones(2), (2,), (0,), np.ones(2), np.ones(1), "linear"
    ),
    "unravel got shape [2]; the tree has 3 elements": lambda: flatten_util.ravel_pytree(np.ones(3))[
        1
    ](np.ones(2)),
}


@pytest.mark.parametrize("words", REFUSED)
def test_refused(words):
    with pytest.raises((TypeError, ValueError)) as error:
        REFUSED[words]()
    assert words in str(error.value)
