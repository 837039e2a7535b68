"""Where the names of `anvl.numpy` are defined, so that a module is loaded by its first use.

Written by tools/dev/numpy_names.py (`make ops`), from `__all__` of each module.
"""

__all__ = ["LONG_FORMS", "NAMES"]

#: The names that each module defines.
NAMES = {
    "analysis.calculus": "ediff1d gradient interp trapezoid unwrap",
    "analysis.conversions": (
        "asanyarray asarray_chkfinite ascontiguousarray asfortranarray binary_repr common_type "
        "copyto info isfortran promote_types require typename"
    ),
    "analysis.covariances": "corrcoef cov",
    "analysis.float_parts": "logaddexp2 modf real_if_close spacing",
    "analysis.histograms": (
        "bincount digitize histogram histogram2d histogram_bin_edges histogramdd"
    ),
    "analysis.host_files": (
        "array2string array_repr array_str frombuffer fromfile fromiter fromstring genfromtxt "
        "load loadtxt save savetxt savez savez_compressed"
    ),
    "analysis.kinds": (
        "iscomplex iscomplexobj isneginf isposinf isreal isrealobj isscalar issubdtype iterable"
    ),
    "analysis.layouts": "array_equiv block dsplit matvec rollaxis sort_complex vecmat",
    "analysis.missing_values": (
        "nanargmax nanargmin nancumprod nancumsum nanmedian nanpercentile nanquantile nanstd nanvar"
    ),
    "analysis.polynomials": (
        "poly polyadd polyder polydiv polyfit polyint polymul polysub roots vander"
    ),
    "analysis.scalar_types": (
        "ComplexWarning False_ ScalarType True_ base_repr broadcast byte bytes_ cdouble character "
        "clongdouble complex_ complexfloating csingle datetime64 double errstate flexible "
        "float8_e4m3fn float8_e5m2 float_ floating format_float_positional "
        "format_float_scientific generic get_printoptions geterr geterrcall half inexact int4 "
        "int_ intc integer intp isnat little_endian long longdouble longlong may_share_memory "
        "memmap min_scalar_type mintypecode ndarray ndenumerate ndindex number object_ "
        "printoptions sctypeDict set_printoptions seterr seterrcall shares_memory short "
        "signedinteger single str_ timedelta64 typecodes ubyte uint uint4 uintc uintp ulong "
        "ulonglong unsignedinteger ushort void"
    ),
    "analysis.selection": "choose compress extract piecewise select",
    "analysis.sequences": "fromfunction geomspace",
    "analysis.set_operations": "intersect1d setdiff1d setxor1d union1d unique",
    "analysis.tapers": "bartlett blackman hamming hanning kaiser",
    "arrays.bit_packing": "packbits unpackbits",
    "arrays.choice": (
        "clip copysign isfinite isinf isnan logical_and logical_not logical_or logical_xor "
        "signbit where"
    ),
    "arrays.creation": (
        "arange array asarray copy empty empty_like full full_like linspace logspace ones "
        "ones_like zeros zeros_like"
    ),
    "arrays.diagonals": "diag diagflat diagonal eye identity trace tri tril triu",
    "arrays.editing": "fill_diagonal place put put_along_axis putmask resize trim_zeros",
    "arrays.grids": "c_ index_exp indices meshgrid mgrid ogrid r_ s_",
    "arrays.index_builders": (
        "diag_indices diag_indices_from ix_ mask_indices ravel_multi_index tril_indices "
        "tril_indices_from triu_indices triu_indices_from unravel_index"
    ),
    "arrays.indexing": "take take_along_axis",
    "arrays.insertion": "append delete insert",
    "arrays.padding": "pad",
    "arrays.shaping": (
        "atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to expand_dims flip fliplr "
        "flipud matrix_transpose moveaxis ndim permute_dims ravel reshape roll rot90 shape size "
        "squeeze swapaxes tile transpose"
    ),
    "arrays.sorting": "argpartition argsort lexsort partition searchsorted sort top_k",
    "arrays.stacking": (
        "array_split column_stack concat concatenate dstack hsplit hstack row_stack split stack "
        "unstack vsplit vstack"
    ),
    "functions.arithmetic": (
        "around divmod float_power floor_divide fmod mod pow power reciprocal remainder round"
    ),
    "functions.convolving": "convolve correlate",
    "functions.cumulative": (
        "cumlogsumexp cummax cummin cumprod cumsum cumulative_prod cumulative_sum"
    ),
    "functions.einstein": "einsum einsum_path",
    "functions.elementwise": (
        "abs absolute acos acosh add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh "
        "asin asinh astype atan atan2 atanh bitwise_and bitwise_count bitwise_invert "
        "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor cbrt ceil conj "
        "conjugate cos cosh divide equal erf erfc exp exp2 expm1 fabs fix floor greater "
        "greater_equal imag invert left_shift less less_equal log log1p maximum minimum multiply "
        "negative nextafter not_equal positive real right_shift rint rsqrt sigmoid sign sin sinh "
        "sqrt square subtract tan tanh true_divide trunc"
    ),
    "functions.exponents": "frexp ldexp log10 log2",
    "functions.higher": (
        "betainc digamma erfinv gammainc gammaincc gammaln i0 i0e i1 i1e polygamma zeta"
    ),
    "functions.products": "cross dot inner kron matmul outer tensordot vdot vecdot",
    "functions.quantiles": "median percentile quantile",
    "functions.reductions": (
        "all amax amin any argmax argmin count_nonzero max min minmax nanmax nanmin nanprod "
        "nansum prod ptp sum"
    ),
    "functions.special": (
        "allclose array_equal deg2rad degrees diff fmax fmin heaviside hypot isclose logaddexp "
        "nan_to_num polyval rad2deg radians sinc"
    ),
    "functions.statistics": "average log_softmax logsumexp mean nanmean softmax std var",
    "standard.dtypes": "can_cast finfo iinfo isdtype result_type",
    "standard.nonzero": "argwhere flatnonzero nonzero",
    "standard.sets": "isin unique_all unique_counts unique_inverse unique_values",
    "standard.shapes": "broadcast_shapes repeat",
}

#: The functions of each table of longer forms of calls.
LONG_FORMS = {
    "LONG_FORMS": (
        "angle array asarray atleast_1d atleast_2d atleast_3d average can_cast clip concatenate "
        "corrcoef cov cross dstack empty_like full_like hstack linspace logspace meshgrid nanmean "
        "nanprod nanstd nansum nanvar ones_like ravel reshape stack std take take_along_axis var "
        "vstack where zeros_like"
    ),
    "PRODUCT_FORMS": "convolve correlate dot einsum inner matmul tensordot vdot vecdot",
}
