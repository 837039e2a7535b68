"""Lists of numbers where SciPy's functions take them: each is one array."""

import importlib
import inspect

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special
import scipy.stats
from tolerances import FORMULA, PROGRAM, assert_close, rounding

import anvl
import anvl.scipy

A, B = [[4.0, 2.0], [2.0, 5.0]], [8, 12.0]


def of_scipy(module, x):
    """An array for SciPy's functions, the list itself for ours."""
    return np.asarray(x) if module is scipy else x


CALLS = {
    "special.erf, of a tuple": lambda s: s.special.erf((0.5, 1.0)),
    "special.gammainc": lambda s: s.special.gammainc([1, 2], [[0.5], [2.0]]),
    "special.erf, of nothing": lambda s: s.special.erf([]),
    "special.logsumexp": lambda s: s.special.logsumexp([[1, 2], [3, 4]], axis=(0, 1), b=[0.5, 2]),
    "stats.norm.pdf": lambda s: s.stats.norm.pdf([0.5, 1], loc=[[0], [1]]),
    "stats.multivariate_normal": lambda s: s.stats.multivariate_normal.logpdf([1.0, 0], [0, 1], A),
    "stats.zscore": lambda s: s.stats.zscore([[1, 2, 4], [0, 5, 1]], axis=1),
    "stats.gaussian_kde": lambda s: s.stats.gaussian_kde([1.0, 2, 4])([1, 2]),
    "signal.convolve": lambda s: s.signal.convolve([1, 2, 3], [1, 1.0]),
    "signal.fftconvolve": lambda s: s.signal.fftconvolve(A, [[1.0, 2]], axes=[0, 1]),
    "signal.medfilt": lambda s: s.signal.medfilt([[4.0, 2, 3]], kernel_size=[1, 3]),
    "interpolate.CubicSpline": lambda s: s.interpolate.CubicSpline([0, 1, 2], [0, 1, 5])([0.5]),
    "interpolate.interp1d": lambda s: s.interpolate.interp1d(
        [0, 1], [0, 2], fill_value=(0, 1), bounds_error=False
    )([0.5, 3]),
    "interpolate.RegularGridInterpolator": lambda s: s.interpolate.RegularGridInterpolator(
        ([0, 1], [0, 1, 2]), [[0, 1, 2], [3, 4, 5]]
    )([[0.5, 0.5], [1, 0.5], [0, 2]]),
    "interpolate.RegularGridInterpolator, by axis": lambda s: s.interpolate.RegularGridInterpolator(
        [[0, 1], [0, 1, 2]], [[0, 1, 2], [3, 4, 5]]
    )(([0.5, 1], [0.5, 2])),
    "ndimage.gaussian_filter": lambda s: s.ndimage.gaussian_filter(A, [1.0, 0.5]),
    "ndimage.shift": lambda s: s.ndimage.shift(A, [0.5, 0.25], order=1),
    "ndimage.map_coordinates": lambda s: s.ndimage.map_coordinates(
        A, [[0, 0.5], [1, 0.5]], order=1
    ),
    "linalg.solve": lambda s: s.linalg.solve(A, B),
    # SciPy's own takes no list, from version 1.18 on.
    "linalg.cho_solve": lambda s: s.linalg.cho_solve(s.linalg.cho_factor(of_scipy(s, A)), B),
    "linalg.block_diag": lambda s: s.linalg.block_diag([1, 2.0], [[3]]),
    "linalg.leslie": lambda s: s.linalg.leslie([1.0, 2], [0.5]),
    "linalg.norm": lambda s: s.linalg.norm([3, 4.0]),
    "fft.fft2": lambda s: s.fft.fft2(A, s=[1, 2], axes=[0, 1]),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_list_is_an_array(name):
    found, wanted = CALLS[name](anvl.scipy), CALLS[name](scipy)
    assert np.shape(found) == np.shape(wanted)
    assert found.dtype.itemsize == (8 if found.dtype.kind == "c" else 4)  # as of numbers
    np.testing.assert_allclose(found, wanted, *2 * [rounding(PROGRAM, np.float32)])


def test_a_list_beside_arrays_of_64_bits_has_these_too():
    x = np.asarray([0.3, 0.7])
    assert_close(
        anvl.scipy.stats.norm.pdf(x, [0.1, 0.2]), scipy.stats.norm.pdf(x, [0.1, 0.2]), FORMULA
    )
    grid = np.linspace(0, 1, 3)
    for name in ("CubicSpline", "interp1d"):
        f, wanted = (getattr(m.interpolate, name)(grid, grid**3) for m in (anvl.scipy, scipy))
        assert_close(f([0.1, 0.3]), wanted([0.1, 0.3]), FORMULA)
    f, wanted = (
        m.interpolate.RegularGridInterpolator((grid, grid), np.outer(grid, grid))
        for m in (anvl.scipy, scipy)
    )
    for xi in ((0.1, 0.3), ([0.1, 0.4], 0.3), [[0.1, 0.3]]):
        assert_close(f(xi), wanted(xi), FORMULA)
    found = anvl.scipy.linalg.solve([[2j, 0], [1, 0.1]], x)
    assert_close(found, scipy.linalg.solve([[2j, 0], [1, 0.1]], x), PROGRAM)


def test_a_list_of_traced_numbers_is_their_stack():
    special = anvl.scipy.special
    slope = anvl.grad(lambda x: special.ndtr([x, 2 * x, 1.0]).sum())(np.float64(0.5))
    density = scipy.stats.norm.pdf
    assert_close(slope, density(0.5) + 2 * density(1.0), FORMULA)
    assert anvl.jit(special.erf)([0.5, 1.0]).shape == (2,)


@pytest.mark.parametrize("given", [[[1, 2], [3]], ["a"], [None]])
def test_a_list_that_is_no_array_is_refused_by_the_function(given):
    with pytest.raises(TypeError, match=r"erf: (argument z\[0\]: )?takes arrays and numbers, got"):
        anvl.scipy.special.erf(given)


@pytest.mark.parametrize(
    "module", "special stats signal interpolate ndimage linalg fft cluster.vq".split()
)
def test_every_function_takes_lists(module):
    found = importlib.import_module(f"anvl.scipy.{module}")
    for name in found.__all__:
        x = getattr(found, name)
        if inspect.isclass(x) or not callable(x):
            members = {**vars(x if inspect.isclass(x) else type(x)), **vars(x)}
            functions = [f for n, f in members.items() if inspect.isfunction(f) and n[0] != "_"]
        else:
            functions = [x]
        assert all(f.takes_lists for f in functions), name
