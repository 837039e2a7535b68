"""NumPy's staples beyond the standard: points where they are smooth, and where they are not.

`STAPLES` and `STAPLES_LINEAR` are as in `smooth_arrays` and `smooth_elsewhere`, as are
`STAPLES_WITH_CORNERS`, phrases of their documentation, and `STAPLES_FLAT`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from smoothness import Smooth

import anvl.numpy as anp
from anvl.numpy import linalg

__all__ = ["STAPLES", "STAPLES_FLAT", "STAPLES_LINEAR", "STAPLES_WITH_CORNERS"]

_V, _W = [0.0, 1, 1, 5], [1.0, 0, -2, 3]
_NUMBERS = np.asarray([0, 2, 2, 1])
_MASK = np.arange(12).reshape(3, 4) > 7
_A = np.asarray([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]])


def _same(name: str, *points: Any, radius: float = 0.2, **more: Any) -> Smooth:
    return Smooth(name, getattr(anp, name), getattr(np, name), points, radius, **more)


def _with(name: str, *points: Any, **options: Any) -> Smooth:
    """A function with options, of NumPy's name."""
    f, reference = getattr(anp, name), getattr(np, name)
    return Smooth(
        f"{name}, of options", lambda *xs: f(*xs, **options),
        lambda *xs: reference(*xs, **options), points, 0.05,
    )  # fmt: skip


STAPLES = [
    _same("cov", [[0.0, 0, 1], [1, 1, 3]]),
    _with("cov", [[0.0, 0, 1], [1, 1, 3]], aweights=np.asarray([1.0, 2, 0.5])),
    _same("corrcoef", [[0.0, 0, 1], [1, 1, 3]]),
    _same("nanvar", [2.0, 2, 2]),
    _same("nancumprod", [0.0, 0, 3, -2]),
    _same("logaddexp2", [0.0, 0, 1, -30], [0.0, -0.0, 1, 30]),
    Smooth("kaiser", lambda b: anp.kaiser(5, b), lambda b: np.kaiser(5, b), [3.0], 0.2),
    Smooth("geomspace", lambda a, b: anp.geomspace(a, b, 4), lambda a, b: np.geomspace(a, b, 4),
           [1.0, 8.0], 0.2),
    Smooth("polymul", anp.polymul, np.convolve, [[0.0, 0], [0.0, 1]]),
    Smooth("polydiv", lambda u, v: anp.concatenate(anp.polydiv(u, v)),
           lambda u, v: np.concatenate(np.polydiv(u, v)), [_V, [2.0, 1, 0]], 0.1),
    Smooth("vander", lambda x: anp.vander(x, 4), lambda x: np.vander(x, 4), [[0.0, 0, -1]]),
    _same("poly", [0.0, 0, 1, 1]),
    Smooth("polyfit", lambda x, y: anp.polyfit(x, y, 2), lambda x, y: np.polyfit(x, y, 2),
           [[0.0, 1, 2, 3], [0.0, 0, 1, 1]], 0.05, tolerance=1e-8),
    Smooth("roots", lambda p: anp.sort(anp.real(anp.roots(p, strip_zeros=False))),
           lambda p: np.sort(np.roots(p).real), [[1.0, -3, 2]], 0.02, tolerance=1e-7),
    Smooth("interp", anp.interp, np.interp, [[0.5, 2.5], [0.0, 1, 3, 4], _W], 0.1),
    _with("interp", [0.5, 2.5], [0.0, 1, 3, 4], _W, period=7.0),
    Smooth("gradient of coordinates", lambda y, x: anp.gradient(y, x, edge_order=2),
           lambda y, x: np.gradient(y, x, edge_order=2), [_V, [0.0, 1, 3, 4]], 0.1),
    Smooth("trapezoid of coordinates", anp.trapezoid, np.trapezoid, [_V, [0.0, 1, 3, 4]], 0.1),
    _same("matvec", np.zeros((2, 2)), [0.0, 1]),
    _same("vecmat", [0.0, 1], np.zeros((2, 2))),
    Smooth("unwrap", anp.unwrap, np.unwrap, [[0.0, 3, 6.5, 9]], 0.02),
    Smooth("modf", lambda x: anp.modf(x)[0], lambda x: np.modf(x)[0], [[0.5, -1.25]], 0.2),
    Smooth("histogram of weights", lambda w: anp.histogram(_NUMBERS, 2, weights=w, density=True)[0],
           lambda w: np.histogram(_NUMBERS, 2, weights=w, density=True)[0], [[1.0, 2, 2, 1]], 0.2),
    Smooth("pad by means", lambda x: anp.pad(x, 2, "mean", stat_length=2),
           lambda x: np.pad(x, 2, "mean", stat_length=2), [_V]),
    Smooth("insert", lambda x, y: anp.insert(x, _NUMBERS[:2], y),
           lambda x, y: np.insert(x, _NUMBERS[:2], y), [_V, [1.0, 2]]),
    Smooth("cond", linalg.cond, np.linalg.cond, [_A], 0.02, tolerance=1e-8),
    Smooth("cond, fro", lambda x: linalg.cond(x, "fro"), lambda x: np.linalg.cond(x, "fro"), [_A],
           0.05),
    Smooth("multi_dot", lambda x: linalg.multi_dot([x, x, x]),
           lambda x: np.linalg.multi_dot([x, x, x]), [np.zeros((2, 2))]),
    Smooth("tensorsolve", linalg.tensorsolve, np.linalg.tensorsolve, [_A, [0.0, 1, 1]], 0.05),
    Smooth("tensorinv", lambda x: linalg.tensorinv(x, 1), lambda x: np.linalg.tensorinv(x, 1), [_A],
           0.05),
]  # fmt: skip

STAPLES_LINEAR: dict[str, Callable[[Any], Any]] = {
    "append": lambda x: anp.append(x, x, 0),
    "asanyarray": anp.asanyarray,
    "ascontiguousarray": anp.ascontiguousarray,
    "asfortranarray": anp.asfortranarray,
    "copyto": lambda x: anp.copyto(x, x[0], where=_MASK),
    "require": anp.require,
    "apply_along_axis": lambda x: anp.apply_along_axis(anp.cumsum, 1, x),
    "apply_over_axes": lambda x: anp.apply_over_axes(anp.sum, x, (0, 1)),
    "bincount": lambda x: anp.bincount(_NUMBERS, x[0], length=4),
    "block": lambda x: anp.block([[x, x], [x, x]]),
    "choose": lambda x: anp.choose(np.asarray([[1, 0, 2, 0]]), x),
    "compress": lambda x: anp.compress(np.asarray([True, False, True]), x, 0),
    "extract": lambda x: anp.extract(_MASK, x),
    "piecewise": lambda x: anp.piecewise(x, [_MASK, ~_MASK], [lambda x: 2 * x, lambda x: -x]),
    "select": lambda x: anp.select([_MASK, ~_MASK], [2 * x, -x]),
    "delete": lambda x: anp.delete(x, [0, 2], 1),
    "dsplit": lambda x: anp.dsplit(anp.reshape(x, (1, 3, 4)), 2)[1],
    "ediff1d": lambda x: anp.ediff1d(x, x[0], x[1]),
    "fill_diagonal": lambda x: anp.fill_diagonal(x, x[2, 0]),
    "gradient": lambda x: anp.gradient(x, 2.0)[1],
    "histogram": lambda x: anp.histogram(_NUMBERS, 2, weights=x[0])[0],
    "nancumsum": lambda x: anp.nancumsum(x, 1),
    "pad, reflect": lambda x: anp.pad(x, 2, "reflect"),
    "pad, odd": lambda x: anp.pad(x, ((3, 1), (0, 9)), "symmetric", reflect_type="odd"),
    "pad, linear_ramp": lambda x: anp.pad(x, 2, "linear_ramp"),
    "place": lambda x: anp.place(x, _MASK, x[0]),
    "polyadd": lambda x: anp.polyadd(x[0], x[1, :2]),
    "polyder": lambda x: anp.polyder(x[0]),
    "polyint": lambda x: anp.polyint(x[0]),
    "polysub": lambda x: anp.polysub(x[0], x[1, :2]),
    "put": lambda x: anp.put(x, np.asarray([0, 5]), x[1, :2]),
    "put_along_axis": lambda x: anp.put_along_axis(x, np.asarray([[0], [1], [3]]), x[:, 2:3], 1),
    "putmask": lambda x: anp.putmask(x, _MASK, x[0]),
    "resize": lambda x: anp.resize(x, (5, 3)),
    "rollaxis": lambda x: anp.rollaxis(x, 1),
    "trapezoid": lambda x: anp.trapezoid(x, dx=0.5),
}  # fmt: skip

STAPLES_WITH_CORNERS = {
    "interp": "the derivative in x is that of the segment above it",
    "modf": "that of the second 0",
    "nanmedian": "Equal elements share",
    "nanpercentile": "Equal elements share",
    "nanquantile": "Equal elements share",
    "nanstd": "no derivative where it is 0",
    "pad": "those of equal extremes share it",
    "roots": "At multiple roots",
    "sort_complex": "equal elements",
    "spacing": "derivative is 0",
    "unwrap": "constant between jumps",
}

STAPLES_FLAT = set(
    # bools, indices and counts
    "array_equiv digitize intersect1d setdiff1d setxor1d union1d unique "
    "histogram2d histogram_bin_edges histogramdd iscomplex isneginf isposinf "
    "isreal nanargmax nanargmin "
    # of integers and bools
    "gcd lcm packbits unpackbits ravel_multi_index unravel_index "
    # made of sizes and Python numbers; asked of types and shapes
    "bartlett blackman diag_indices diag_indices_from einsum_path fromfunction hamming hanning "
    "indices iscomplexobj isrealobj isscalar issubdtype iterable ix_ mask_indices tril_indices "
    "tril_indices_from triu_indices triu_indices_from "
    # on the host: files, text, values that decide a shape or a dtype
    "array2string array_repr array_str asarray_chkfinite info isfortran promote_types "
    "common_type errstate geterr geterrcall may_share_memory min_scalar_type mintypecode seterr "
    "seterrcall show_config show_runtime shares_memory typename isnat "
    "base_repr binary_repr format_float_positional "
    "format_float_scientific frombuffer fromfile fromiter fromstring genfromtxt get_printoptions "
    "load loadtxt printoptions real_if_close save savetxt savez savez_compressed "
    "set_printoptions trim_zeros "
    # makes a function
    "vectorize".split()
)
