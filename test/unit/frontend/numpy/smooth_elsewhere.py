"""The functions that have no point in the tables of `smooth_points` and `smooth_arrays`, and why.

`LINEAR`: their derivative is themselves.  `CORNERS`: they are not smooth everywhere, and a phrase
of their documentation says so.  `FLAT`: their results or operands are no floats, or are constants.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import windows

__all__ = ["CORNERS", "FLAT", "LINEAR", "OTHER_NAMES"]

LINEAR: dict[str, Callable[[Any], Any]] = {
    **{
        name: getattr(anp, name)
        for name in (
            "array asarray atleast_1d atleast_2d atleast_3d conj copy cumsum diag diagflat "
            "diagonal diff fliplr flipud imag matrix_transpose nansum permute_dims positive ravel "
            "real squeeze sum trace transpose tril triu"
        ).split()
    },
    **{name: getattr(anp.fft, name) for name in "fft fft2 fftn ifft ifft2 ifftn".split()},
    **{name: getattr(anp.fft, name) for name in "rfft rfft2 rfftn hfft ihfft".split()},
    **{name: getattr(anp.fft, name) for name in "irfft irfft2 irfftn fftshift ifftshift".split()},
    "array_split": lambda x: anp.array_split(x, 2)[0],
    "astype": lambda x: anp.astype(x, "float32"),
    "broadcast_arrays": lambda x: anp.broadcast_arrays(x, np.zeros((2, 1, 1)))[0],
    "broadcast_to": lambda x: anp.broadcast_to(x, (2, 3, 4)),
    "column_stack": lambda x: anp.column_stack([x, x]),
    "concatenate": lambda x: anp.concatenate([x, x]),
    "cumulative_sum": lambda x: anp.cumulative_sum(x, axis=1, include_initial=True),
    "dstack": lambda x: anp.dstack([x, x]),
    "expand_dims": lambda x: anp.expand_dims(x, 1),
    "flip": anp.flip,
    "full": lambda x: anp.full((2,), x[0, 0]),
    "full_like": lambda x: anp.full_like(x, x[0, 0]),
    "hsplit": lambda x: anp.hsplit(x, 2)[1],
    "hstack": lambda x: anp.hstack([x, x]),
    "ldexp": lambda x: anp.ldexp(x, 3),
    "linspace": lambda x: anp.linspace(x[0], x[1], 4),
    "mean_pool": lambda x: windows.mean_pool(anp.reshape(x, (1, 3, 4, 1)), 2),
    "meshgrid": lambda x: anp.meshgrid(x[0], x[1])[0],
    "moveaxis": lambda x: anp.moveaxis(x, 0, 1),
    "pad": lambda x: anp.pad(x, 1),
    "repeat": lambda x: anp.repeat(x, 2, 0),
    "reshape": lambda x: anp.reshape(x, (4, 3)),
    "roll": lambda x: anp.roll(x, 1, 1),
    "rot90": anp.rot90,
    "split": lambda x: anp.split(x, 3)[1],
    "stack": lambda x: anp.stack([x, x]),
    "swapaxes": lambda x: anp.swapaxes(x, 0, 1),
    "take": lambda x: anp.take(x, np.array([2, 0]), 0),
    "take_along_axis": lambda x: anp.take_along_axis(x, np.zeros((3, 1), int), 1),
    "tile": lambda x: anp.tile(x, 2),
    "unstack": lambda x: anp.unstack(x)[1],
    "vsplit": lambda x: anp.vsplit(x, 3)[1],
    "vstack": lambda x: anp.vstack([x, x]),
}

#: Other names of one function.
OTHER_NAMES = set(
    "absolute acos acosh amax amin arccos arccosh arcsin arcsinh arctan arctan2 arctanh around "
    "concat conjugate degrees fabs fix mod pow radians row_stack true_divide "
    "bitwise_invert bitwise_not left_shift right_shift".split()
)

CORNERS = {
    "abs": "derivative at 0",
    "maximum": "at a tie",
    "minimum": "at a tie",
    "fmax": "at a tie",
    "fmin": "at a tie",
    "max": "shared among equals",
    "min": "shared among equals",
    "minmax": "shared among equals",
    "nanmax": "shared among equals",
    "nanmin": "shared among equals",
    "ptp": "shared among equals",
    "cummax": "share",
    "cummin": "share",
    "max_pool": "share",
    "clip": "at a bound",
    "sort": "equal elements",
    "partition": "equal elements",
    "top_k": "equal elements",
    "median": "Equal elements share",
    "quantile": "Equal elements share",
    "percentile": "Equal elements share",
    "norm": "at zero",
    "matrix_norm": "at zero",
    "vector_norm": "at zero",
    **dict.fromkeys(
        ("unique_all", "unique_counts", "unique_inverse", "unique_values"), "of equal elements"
    ),
    "std": "no derivative where it is 0",
    "hypot": "at (0, 0)",
    "atan2": "at (0, 0)",
    "angle": "at 0",
    "sqrt": "infinite at 0",
    "cbrt": "infinite at 0",
    "asin": "infinite at -1 and 1",
    "acos": "infinite at -1 and 1",
    "acosh": "infinite at 1",
    "i0e": "corner at 0",
    "i1e": "corner at 0",
    "sign": "derivative is 0",
    "copysign": "where x is 0",
    "heaviside": "derivative in x is 0",
    "remainder": "between the jumps",
    "fmod": "between the jumps",
    "divmod": "derivative of the quotient is 0",
    "power": "at x = 0",
    "float_power": "at x = 0",
    "nan_to_num": "replaced has the derivative 0",
    "nextafter": "derivative",
    "where": "not taken",
    "eigh": "equal eigenvalues",
    "eigvalsh": "equal eigenvalues",
    "eig": "equal eigenvalues",
    "eigvals": "equal eigenvalues",
    "svd": "equal singular values",
    "svdvals": "equal singular values",
    "qr": "dependent columns",
    "lstsq": "full rank",
    "pinv": "full rank",
    "frexp": "where it jumps",
    "solve": "singular",
    "inv": "singular",
    "slogdet": "singular",
    "gammainc": "at x = 0",
    "gammaincc": "at x = 0",
    "betainc": "at the ends",
    "reduce_window": "derivative",
    **dict.fromkeys(("ceil", "floor", "rint", "trunc", "round", "floor_divide"), "derivative is 0"),
}

FLAT = set(
    # bools and indices
    "all allclose any argmax argmin argpartition argsort array_equal count_nonzero equal greater "
    "greater_equal isclose isfinite isinf isnan less less_equal lexsort logical_and logical_not "
    "logical_or logical_xor not_equal searchsorted signbit argwhere flatnonzero isin matrix_rank "
    "nonzero "
    # of integers and bools
    "bitwise_and bitwise_count bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor "
    "invert "
    # made of sizes and Python numbers; asked of types
    "arange empty empty_like eye identity ndim ones ones_like shape size tri zeros zeros_like "
    "fftfreq rfftfreq __array_namespace_info__ broadcast_shapes can_cast finfo iinfo isdtype "
    "result_type from_dlpack".split()
)
