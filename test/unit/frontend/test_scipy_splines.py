"""Splines of arrays, and arrays moved, scaled, turned and mapped, beside SciPy's."""

import numpy as np
import pytest
import scipy.ndimage as reference
from sweep import SWEEP
from tolerances import ITERATION, rounding

import anvl
from anvl.scipy import ndimage

DRAW = np.random.default_rng(0)
X, LINE = DRAW.normal(size=(14, 17)), DRAW.normal(size=30)
PLACES = [DRAW.uniform(-20, n + 20, size=40) for n in X.shape]
PLACES[0][:4] = [0.0, 13.0, 0.5, -0.5]
MODES = (
    "constant", "grid-constant", "nearest", "mirror", "reflect", "grid-mirror", "wrap", "grid-wrap",
)  # fmt: skip
TURN = np.asarray([[0.9, 0.2], [-0.1, 1.1]])


def close(found, wanted):
    # SciPy's spline of "reflect" takes its values to the rounding of a series that it cuts off.
    limit = rounding(ITERATION, "f8") * 100
    np.testing.assert_allclose(found, wanted, rtol=limit, atol=limit)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [2, 3, 5] if SWEEP else [3])
def test_values_between_elements_by_splines(order, mode):
    # Far outside SciPy's "nearest" is of 12 elements more, and wrong by 7e-5 of order 5.
    far = 6 if mode == "nearest" else 20
    places = [np.clip(p, -far, n + far) for p, n in zip(PLACES, X.shape, strict=True)]
    wanted = reference.map_coordinates(X, places, order=order, mode=mode, cval=1.5)
    close(ndimage.map_coordinates(X, places, order, mode, 1.5), wanted)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_coefficients_take_the_values(order):
    close(ndimage.spline_filter(X, order), reference.spline_filter(X, order))
    for mode in ("mirror", "grid-wrap", "reflect"):
        close(
            ndimage.spline_filter1d(LINE, order, mode=mode),
            reference.spline_filter1d(LINE, order, mode=mode),
        )
        c = ndimage.spline_filter1d(LINE[:3], order, mode=mode)
        again = ndimage.map_coordinates(c, [np.arange(3.0)], order, mode, prefilter=False)
        close(again, LINE[:3])


CALLS = {
    "shift": lambda m, **more: m.shift(X, (1.3, -2.5), **more),
    "zoom": lambda m, **more: m.zoom(X, (1.4, 0.6), **more),
    "zoom of areas": lambda m, **more: m.zoom(X, 1.3, grid_mode=True, **more),
    "matrix": lambda m, **more: m.affine_transform(X, TURN, (0.5, -1), **more),
    "diagonal": lambda m, **more: m.affine_transform(X, TURN[0], 0.5, (4, 9), **more),
    "with offset": lambda m, **more: m.affine_transform(X, np.c_[TURN, [1.0, -0.5]], **more),
    "mapping": lambda m, **more: m.geometric_transform(
        X,
        lambda o, a, b: (0.9 * o[1] - a, o[0] + b * o[1]),
        (4, 3),
        extra_arguments=(0.4,),
        extra_keywords={"b": 0.3},
        **more,
    ),
    "rotate": lambda m, **more: m.rotate(X, 30, **more),
    "in place": lambda m, **more: m.rotate(X, -100, reshape=False, **more),
    "right angle": lambda m, **more: m.rotate(X, 270, **more),
}


@pytest.mark.parametrize("mode", MODES if SWEEP else ("grid-constant",))
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:It is recommended")
def test_arrays_at_other_places(name, mode):
    for order in (1, 3) if SWEEP else (3,):
        options = {"order": order, "mode": mode, "cval": 0.5}
        close(CALLS[name](ndimage, **options), CALLS[name](reference, **options))


def test_planes_of_stacks_and_integers():
    stack = DRAW.normal(size=(3, 4, 5))
    close(ndimage.rotate(stack, 20, (0, 2)), reference.rotate(stack, 20, (0, 2)))
    whole = DRAW.integers(-9, 9, size=(5, 6))
    np.testing.assert_array_equal(ndimage.zoom(whole, 2), reference.zoom(whole, 2))
    assert ndimage.zoom(whole, 2).dtype == whole.dtype


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    "f",
    [
        lambda x, by: ndimage.shift(x, by, mode="mirror"),
        lambda x, by: ndimage.rotate(x, 20 * by, reshape=False, mode="nearest"),
        lambda x, by: ndimage.affine_transform(x, TURN * by, by, mode="grid-wrap"),
        lambda x, by: ndimage.geometric_transform(x, lambda o: (o[0] * by, o[1] + by)),
    ],
)
def test_derivatives_by_the_array_and_the_place(f):
    anvl.testing.check_grads(f, (X[:5, :4], np.float64(0.3)), order=1)


def test_filters_are_linear_and_batched():
    linear = anvl.jit(anvl.vmap(lambda x: ndimage.spline_filter(x)))(np.stack([X, 2 * X]))
    close(linear[1], 2 * np.asarray(linear[0]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ndimage.map_coordinates(X, PLACES, 6), "order is 6; it must be .* from 0 to 5"),
        (lambda: ndimage.map_coordinates(X, PLACES, 3, "x"), "mode is 'x'"),
        (lambda: ndimage.map_coordinates(X, PLACES[:1], 3), "1 coordinates for f64"),
        (lambda: ndimage.spline_filter(X, 1), "order is 1; it must be an integer from 2 to 5"),
        (lambda: ndimage.shift(X, (1, 2, 3)), "shift has 3 values for 2 axes"),
        (lambda: ndimage.zoom(X, 0.01), "give the shape"),
        (lambda: ndimage.zoom(X, 2, output=X), "output is"),
        (lambda: anvl.jit(lambda z: ndimage.zoom(X, z))(2.0), "a factor is traced"),
        (lambda: anvl.jit(lambda a: ndimage.rotate(X, a))(2.0), "angle is traced"),
        (lambda: ndimage.rotate(X, 30, (0,)), "axes are"),
        (lambda: ndimage.affine_transform(X, np.eye(3)[:1]), "the matrix is f64"),
        (lambda: ndimage.geometric_transform(X, lambda o: o[:1]), "gives 1 coordinates for f64"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_mapping_is_a_function():
    with pytest.raises(TypeError, match=r"geometric_transform: mapping is 3; give a function"):
        ndimage.geometric_transform(X, 3)
