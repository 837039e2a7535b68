"""Parameters of NumPy's functions, and of JAX's under these names: each form with its functions.

Only functions are listed that anvl writes otherwise; see `anvl.call_spellings.translation`.
Sources: the signatures in NumPy's manual and in JAX's reference.
"""

from collections.abc import Mapping

__all__ = ["FFT", "LINALG", "NUMPY", "SPECIAL", "each"]


def each(table: Mapping[str, str]) -> dict[str, str]:
    """The form of each function, from the functions of each form."""
    return {name: form for names, form in table.items() for name in names.split()}


#: Functions of `anvl.numpy`.
NUMPY = each({
    "all any": "a axis out keepdims where",
    "allclose isclose": "a b rtol atol equal_nan",
    "amax amin max min minmax nanmax nanmin": "a axis out keepdims initial where",
    "angle": "z",
    "append": "arr values axis",
    "argmax argmin nanargmax nanargmin ptp": "a axis out keepdims",
    "argpartition partition": "a kth axis",
    "argsort sort": "a axis kind order stable descending",
    "argwhere flatnonzero nonzero": "a size fill_value",
    "around round": "a decimals out",
    "array": "object dtype",
    "array_equal": "a1 a2 equal_nan",
    "array_equiv": "a1 a2",
    "array_split split": "ary indices_or_sections axis",
    "asanyarray asarray_chkfinite": "a dtype order",
    "ascontiguousarray asfortranarray": "a",
    "asarray": "a dtype",
    "astype": "x dtype order casting subok copy device",
    "average": "a axis weights",
    "bincount": "x weights minlength length",
    "broadcast_to": "array shape subok",
    "choose": "a choices out mode",
    "clip": "arr min max",
    "column_stack dstack hstack vstack": "tup",
    "compress": "condition a axis size fill_value out",
    "concat concatenate": "arrays axis",
    "copy": "a order subok",
    "count_nonzero": "a axis keepdims",
    "cov": "m y rowvar bias ddof fweights aweights",
    "cross inner kron vdot": "a b",
    "cumprod cumsum nancumprod nancumsum": "a axis dtype out",
    "delete": "arr obj axis assume_unique_indices",
    "diag diagflat": "v k",
    "diag_indices_from": "arr",
    "diagonal": "a offset axis1 axis2",
    "diff": "a n axis prepend append",
    "digitize": "x bins right method",
    "dot outer": "a b out",
    "dsplit hsplit vsplit": "ary indices_or_sections",
    "ediff1d": "ary to_end to_begin",
    "empty ones zeros": "shape dtype order device",
    "empty_like": "prototype dtype order device",
    "eye": "N M k dtype order device",
    "expand_dims nanprod nansum size squeeze": "a axis",
    "extract": "condition arr size fill_value",
    "fill_diagonal": "a val wrap inplace",
    "finfo": "dtype",
    "flip": "m axis",
    "fliplr flipud": "m",
    "fmax fmin": "x1 x2",
    "frombuffer": "buffer dtype count offset",
    "fromstring": "string dtype count sep",
    "full": "shape fill_value dtype order device",
    "full_like": "a fill_value dtype order device",
    "imag real": "val",
    "iinfo": "int_type",
    "insert": "arr obj values axis",
    "isin": "element test_elements assume_unique invert method",
    "isneginf isposinf modf": "x out",
    "matmul": "a b precision",
    "mean": "a axis dtype out keepdims where",
    "median nanmedian": "a axis out overwrite_input keepdims",
    "moveaxis": "a source destination",
    "nanstd nanvar std var": "a axis dtype out ddof keepdims where correction",
    "nanpercentile nanquantile percentile quantile":
        "a q axis out overwrite_input method keepdims weights",
    "isfortran ndim ravel real_if_close require shape sort_complex": "a",
    "ones_like zeros_like": "a dtype order device",
    "pad": "array pad_width mode",
    "packbits": "a axis bitorder",
    "place": "arr mask vals inplace",
    "polyval": "p x unroll",
    "prod sum": "a axis dtype out keepdims initial where promote_integers",
    "put": "a ind v mode inplace",
    "put_along_axis": "arr indices values axis inplace mode",
    "ravel_multi_index": "multi_index dims mode order",
    "repeat": "a repeats axis total_repeat_length",
    "reshape": "a shape",
    "resize": "a new_shape",
    "roll": "a shift axis",
    "rollaxis": "a axis start",
    "rot90": "m k axes",
    "save": "file arr allow_pickle",
    "searchsorted": "a v side sorter method",
    "stack": "arrays axis out",
    "swapaxes": "a axis1 axis2",
    "take": "a indices axis out",
    "take_along_axis": "arr indices axis",
    "tensordot": "a b axes",
    "tile": "A reps",
    "trace": "a offset axis1 axis2 dtype out",
    "transpose": "a axes",
    "tril triu": "m k",
    "tril_indices_from triu_indices_from": "arr k",
    "unique": "ar return_index return_inverse return_counts axis equal_nan size fill_value sorted",
    "unpackbits": "a axis count bitorder",
    "unwrap": "p discont axis period",
})  # fmt: skip

#: Functions of `anvl.numpy.linalg`.
LINALG = each({
    "matrix_rank": "M rtol hermitian tol:rtol",
    "pinv": "a rtol hermitian rcond",
    "slogdet": "a method",
    "svd": "a full_matrices compute_uv hermitian",
})  # fmt: skip

#: Functions of `anvl.numpy.fft`.
FFT = each({
    "fft hfft ifft ihfft irfft rfft": "a n axis norm",
    "fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn": "a s axes norm",
})  # fmt: skip

#: Functions of `anvl.scipy.special`, as `jax.scipy.special` writes them.
SPECIAL = each({
    "erf erfinv fresnel loggamma spence": "x",
    "kl_div rel_entr": "p q",
    "log_ndtr": "x series_order",
})  # fmt: skip
