"""Parameters and results of the functions of `anvl.numpy`."""

from __future__ import annotations

import numpy as np

from anvl.docstrings.entries import Entries, by_name

__all__ = ["NUMPY"]

_AXES = "int or sequence of int: The axes, negative ones from the end; by default all."
_AXIS = "int: The axis, negative ones from the end."
_K = "int: The number of the diagonal, positive above the main one."
_Q = "float or array: From 0 to 100; others give NaN."

_PARAMETERS = {
    "M": "int: The number of points.",
    "N": "int: The number of rows.",
    "a": "array",
    "a1": "vector: Coefficients, highest power first.",
    "a2": "vector: Coefficients, highest power first.",
    "append": "array: Values behind x, along the axis.",
    "ar1": "array: Flattened.",
    "ar2": "array: Flattened.",
    "assume_unique": "bool: Whether the elements of both arrays are distinct.",
    "atol": "float: The absolute tolerance.",
    "axes": "sequence of int: The axes, negative ones from the end.",
    "axis": _AXIS,
    "axis1": "int: The first of both axes.",
    "axis2": "int: The second of both axes.",
    "b": "array: Broadcasts with the others.",
    "copy": "bool: Arrays are immutable, so this makes no difference to their values.",
    "correction": "float: Subtracted from the count of elements, to divide by.",
    "ddof": "float: Subtracted from the count of elements, to divide by.",
    "decimals": "int: Decimals to keep; negative ones round to tens, hundreds, ....",
    "descending": "bool: Whether the largest comes first.",
    "device": 'Device or str: Where the array is put, such as `"cpu:1"`.',
    "dtype": 'dtype: A dtype, or its name, such as `"f32"`; by default as described.',
    "dtypes": "dtypes",
    "endpoint": "bool: Whether `stop` is the last value.",
    "equal_nan": "bool: Whether NaN is equal to NaN.",
    "file": "str, path or file",
    "fill_value": "number: What stands where there is no element.",
    "fname": "str, path or file",
    "include_initial": "bool: Whether the neutral element comes first.",
    "indices": "array of integers",
    "indices_or_sections": "int or sequence of int: A number of equal parts, or where they begin.",
    "initial": "number: What the result begins with.",
    "inplace": "bool: Must be False, as arrays are immutable.",
    "k": _K,
    "keepdims": "bool: Whether the axes stay, with size 1.",
    "kth": "int: The position of the element, negative ones from the end.",
    "m": "int: The number of columns.",
    "mask": "array of bools",
    "max": "array: The upper bound; none by default.",
    "method": 'str: As of `quantile`: "linear", "lower", "higher", "nearest", "midpoint", ....',
    "min": "array: The lower bound; none by default.",
    "n": "int",
    "num": "int: How many values.",
    "offset": _K,
    "precision": '{"DEFAULT", "HIGH", "HIGHEST"}',
    "prepend": "array: Values before x, along the axis.",
    "q": _Q,
    "reps": "int or sequence of int: How often, along each of the last axes.",
    "reverse": "bool: Whether to begin at the end.",
    "rowvar": "bool: Whether a variable is a row; else a column.",
    "rtol": "float: The tolerance relative to y.",
    "shape": "int or sequence of int: The sizes of the axes; they are known while tracing.",
    "size": "int: The number of elements of the result, which a traced function needs.",
    "stable": "bool: Whether equal elements keep their order; they do in any case.",
    "start": "number: The first value.",
    "stop": "number: The end.",
    "v": "vector",
    "values": "array: Broadcasts to what it replaces.",
    "weights": "array: What each element counts.",
    "where": "array of bools: Which elements count; broadcasts to x.",
    "x": "array",
    "xs": "sequence of arrays",
    "*xs": "arrays",
    "y": "array: Broadcasts with x.",
}

_VALUES = {"y": "array"}
_FLAT_AXIS = {"axis": "int: The axis, negative ones from the end; None flattens x first."}
_ALL = {"axis": _AXES}
_INT_OR_ALL = {
    "axis": "int: The axis; by default all, and the index counts through the flat array."
}
_AT = {"axis": "int: The axis, negative ones from the end; by default the first."}
_NEW = {"axis": "int or sequence of int: Positions in the result."}
_TEXT = {"**kwargs": "keywords of NumPy's function"}
_PRINTING = {
    "a": "array",
    "arr": "array",
    "max_line_width": "int: Characters of a line.",
    "precision": "int: Digits behind the point.",
    "suppress_small": "bool: Whether numbers near 0 are printed as 0.",
    "*args": "arguments of NumPy's function",
    "**kwargs": "keywords of NumPy's function",
}

_OWN = {
    **{
        name: _ALL
        for name in (
            "all amax amin any average count_nonzero flip logsumexp max mean median min minmax nanmax "
            "nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar "
            "percentile prod ptp roll squeeze std sum var"
        ).split()
    },
    **{name: _INT_OR_ALL for name in "argmax argmin nanargmax nanargmin".split()},
    **{
        name: _FLAT_AXIS
        for name in (
            "append concat concatenate cumlogsumexp cummax cummin cumprod cumsum nancumprod "
            "nancumsum take take_along_axis argsort"
        ).split()
    },
    **{name: _AT for name in "array_split split unstack".split()},
    **{name: _VALUES for name in "dot inner kron outer vdot array_equal tensordot".split()},
    "arange": {"step": "number: The difference of two values, not 0.", "stop": "number: Not reached."},
    "array2string": _PRINTING,
    "array_repr": _PRINTING,
    "array_str": _PRINTING,
    "astype": {"device": "Device or str: Where the result is put."},
    "average": {**_ALL, "weights": "array: Of the shape of x, or a vector along the axis."},
    "block": {"arrays": "nested lists of arrays"},
    "broadcast_to": {"shape": "int or sequence of int: The sizes, to which those of x fit."},
    "copyto": {
        "dst": "array",
        "src": "array: Broadcasts to `dst`.",
        "casting": '{"no", "equiv", "safe", "same_kind", "unsafe"}',
        "where": "array of bools: Where values are replaced; broadcasts to `dst`.",
    },
    "corrcoef": {"x": "array: Variables and observations; a vector is one variable.", **_VALUES},
    "correlate": {"a": "vector", "mode": '{"valid", "same", "full"}'},
    "cross": {"x": "array: Of size 3 along the axis.", "y": "array: Of size 3 along the axis."},
    "cumulative_prod": {"axis": "int: The axis; a vector need not name it."},
    "cumulative_sum": {"axis": "int: The axis; a vector need not name it."},
    "diag": {"x": "vector or matrix"},
    "diag_indices": {"n": "int: The size of each axis.", "ndim": "int: The number of axes."},
    "diag_indices_from": {"x": "array: Of two axes or more, all of one size."},
    "diff": {"n": "int: How often differences are taken."},
    "divmod": {"y": "array: The divisor; broadcasts with x."},
    "ediff1d": {"to_begin": "array: Values before the differences.",
                "to_end": "array: Values behind the differences."},
    "einsum_path": {
        "*operands": "str, then arrays: As of `einsum`.",
        "optimize": 'str, bool or path: As of `einsum`.',
    },
    "expand_dims": _NEW,
    "extract": {"condition": "array of bools: Of the shape of x."},
    "eye": {"M": "int: The number of columns, by default N."},
    "tri": {"M": "int: The number of columns, by default N."},
    "fill_diagonal": {
        "val": "array: The values, one after the other.",
        "wrap": "bool: Whether the diagonal of a tall matrix begins anew.",
    },
    "frombuffer": {"buffer": "bytes or buffer", **_TEXT},
    "fromfile": _TEXT,
    "fromfunction": {
        "function": "callable: Takes an array of indices for each axis.",
        "**kwargs": "keywords of `function`",
    },
    "fromiter": {"iter": "iterable of numbers", **_TEXT},
    "fromstring": {"string": "str", **_TEXT},
    "full": {"fill_value": "number or array: The value; broadcasts to `shape`."},
    "full_like": {"fill_value": "number or array: The value; broadcasts to the shape of x."},
    "gammainc": {"x": "array: The parameter a.", "y": "array: The point; broadcasts with x."},
    "gammaincc": {"x": "array: The parameter a.", "y": "array: The point; broadcasts with x."},
    "genfromtxt": _TEXT,
    "heaviside": {"y": "array: The value at 0; broadcasts with x."},
    "histogram2d": {
        "x": "vector",
        "y": "vector: Of the size of x.",
        "bins": "int, vector, or pair of these: Numbers of bins, or their edges.",
        "range": "pair of pairs of float: The outer edges for x and y.",
        "density": "bool: Divide by the number of points and the area of each bin.",
        "weights": "vector: What each point counts.",
    },
    "indices": {
        "dimensions": "sequence of int: The shape.",
        "sparse": "bool: Whether the result is a tuple of arrays that broadcast.",
    },
    "info": {"object": "object: A function, a class or a module."},
    "intersect1d": {"return_indices": "bool: Whether also indices are returned."},
    "isscalar": {"element": "object"},
    "iterable": {"y": "object"},
    "ix_": {"*xs": "vectors of integers or bools"},
    "kaiser": {"beta": "float: How narrow the window is."},
    "lexsort": {"keys": "sequence of arrays: The last is the first to sort by."},
    "linspace": {"start": "number or array: The first value.", "stop": "number or array: The end."},
    "load": {"file": "str, path or file: A `.npy` or `.npz` file."},
    "loadtxt": _TEXT,
    "logspace": {"base": "number: What is raised to powers.",
                 "start": "number or array: The first power.",
                 "stop": "number or array: The last power."},
    "mask_indices": {"n": "int: The number of rows and columns.",
                     "mask_func": "callable: Such as `np.triu`: takes a matrix and k.",
                     "k": "int: Passed to `mask_func`."},
    "matmul": {"x": "array: A vector or matrices.", "y": "array: A vector or matrices."},
    "matvec": {"x": "array: Of shape (..., m, n).", "y": "array: Of shape (..., n)."},
    "meshgrid": {"*xs": "vectors", "indexing": '{"xy", "ij"}'},
    "moveaxis": {"source": "int or sequence of int: Where axes are.",
                 "destination": "int or sequence of int: Where they go."},
    "nan_to_num": {
        "nan": "number: In place of NaN.",
        "posinf": "number: In place of infinity; by default the largest number.",
        "neginf": "number: In place of minus infinity; by default the lowest number.",
    },
    "permute_dims": {"axes": "sequence of int: The order of axes; by default the reverse."},
    "place": {"vals": "array: The values, one after the other."},
    "poly": {"seq_of_zeros": "vector or square matrix"},
    "polyder": {"p": "vector: Coefficients, highest power first.", "m": "int: The order."},
    "polydiv": {"u": "vector: Coefficients, highest power first.",
                "v": "vector: Coefficients, highest power first."},
    "polygamma": {"x": "array: The order n.", "y": "array: The point; broadcasts with x."},
    "polyint": {"p": "vector: Coefficients, highest power first.", "m": "int: The order.",
                "k": "number or vector: The constants of integration, 0 by default."},
    "polyval": {"p": "vector: Coefficients, highest power first.", "x": "array: The points."},
    "binary_repr": {"num": "int", "width": "int: The least number of characters."},
    "common_type": {"*arrays": "array"},
    "promote_types": {"a": "dtype", "b": "dtype"},
    "typename": {"char": "str: As of `dtype.char`."},
    "put": {"ind": "array of integers: Flat indices.", "v": "array: The values.",
            "mode": '{"clip", "wrap"}: What indices out of range mean; by default nothing changes.'},
    "put_along_axis": {"axis": "int: The axis; None flattens x first."},
    "putmask": {"values": "array: The values, at the place of each element."},
    "quantile": {"q": "float or array: From 0 to 1."},
    "nanquantile": {**_ALL, "q": "float or array: From 0 to 1; others give NaN."},
    "real_if_close": {"tol": "float: In epsilons of the dtype, or absolute if at most 1."},
    "require": {"requirements": "str or sequence of str: NumPy's letters or words."},
    "reshape": {"shape": "int or sequence of int: The new sizes; one may be -1."},
    "resize": {"new_shape": "int or sequence of int: The new sizes."},
    "roll": {**_ALL, "shift": "int or sequence of int: By how much, towards the end."},
    "rollaxis": {"axis": "int: The axis that moves.",
                 "start": "int: The axis before which it is put."},
    "rot90": {"k": "int: How often.", "axes": "pair of int: The plane."},
    "round": {},
    "row_stack": {},
    "savetxt": {"X": "vector or matrix", **_TEXT},
    "save": {"arr": "array"},
    "savez": {"*args": "arrays", "**kwds": "arrays by name"},
    "savez_compressed": {"*args": "arrays", "**kwds": "arrays by name"},
    "select": {"condlist": "sequence of arrays of bools", "choicelist": "sequence of arrays",
               "default": "number: Where no condition holds."},
    "size": {"axis": "int: The axis; by default all."},
    "squeeze": {"axis": "int or sequence of int: Axes of size 1; by default all."},
    "stack": {"axis": "int: The position of the new axis."},
    "swapaxes": {},
    "tensordot": {"y": "array", "axes": "int or pair of sequences of int"},
    "trace": {},
    "transpose": {"axes": "sequence of int: The order of axes; by default the reverse."},
    "union1d": {"fill_value": "number: What fills up; by default the smallest element."},
    "unique_counts": {"fill_value": "number: What fills up; by default the smallest element."},
    "unique_inverse": {"fill_value": "number: What fills up; by default the smallest element."},
    "unique_values": {"fill_value": "number: What fills up; by default the smallest element."},
    "vander": {"x": "vector", "N": "int: The number of columns, by default the size of x.",
               "increasing": "bool: Whether powers increase from left to right."},
    "vecmat": {"x": "array: Of shape (..., n).", "y": "array: Of shape (..., n, m)."},
    "where": {"condition": "array of bools", "x": "array: Broadcasts with the others.",
              "y": "array: Broadcasts with the others."},
    "zeta": {"y": "array: The number q; broadcasts with x."},
}  # fmt: skip

#: The dtypes of these results are tested (test/unit/test_reference.py).
FLOAT_OF_X = "Array of the shape of x; integers and bools give floats."
SAME_AS_X = "Array of the shape and dtype of x."
NUMBER_OF_X = "Array of the shape and dtype of x; bools give integers."
BOOL_OF_X = "Array of bools, of the shape of x."
FLOAT_OF_BOTH = "Array of the shape that x and y broadcast to; integers and bools give floats."
SAME_AS_BOTH = "Array of the shape that x and y broadcast to, in the dtype that theirs promote to."
NUMBER_OF_BOTH = (
    "Array of the shape that x and y broadcast to, in the dtype that theirs promote to; bools give "
    "integers."
)
BOOL_OF_BOTH = "Array of bools, of the shape that x and y broadcast to."

_RESULTS = {
    FLOAT_OF_X: (
        "acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cbrt cos "
        "cosh deg2rad degrees digamma erf erfc erfinv exp exp2 expm1 fabs gammaln i0 i0e i1 i1e "
        "log log10 log1p log2 log_softmax rad2deg radians reciprocal rsqrt sigmoid sin sinc sinh "
        "softmax spacing sqrt tan tanh"
    ),
    SAME_AS_X: (
        "bitwise_invert bitwise_not ceil conj conjugate fix flip fliplr flipud floor invert "
        "nan_to_num negative partition positive rint roll round around trunc tril triu copy "
        "zeros_like ones_like empty_like"
    ),
    NUMBER_OF_X: "sign square",
    "Array of the shape of x, of ui8.": "bitwise_count",
    "Array of complex numbers, of the shape of x.": "sort_complex",
    BOOL_OF_X: (
        "iscomplex isfinite isinf isnan isneginf isposinf isreal logical_not signbit"
    ),
    FLOAT_OF_BOTH: (
        "arctan2 atan2 copysign divide float_power heaviside hypot logaddexp logaddexp2 nextafter "
        "true_divide gammainc gammaincc polygamma zeta"
    ),
    SAME_AS_BOTH: (
        "add bitwise_and bitwise_or bitwise_xor fmax fmin maximum minimum multiply subtract"
    ),
    NUMBER_OF_BOTH: (
        "bitwise_left_shift bitwise_right_shift floor_divide fmod left_shift mod pow power "
        "remainder right_shift"
    ),
    BOOL_OF_BOTH: (
        "equal greater greater_equal isclose less less_equal logical_and logical_or logical_xor "
        "not_equal"
    ),
    "Array of the shape of x, real: the modulus of complex numbers; else the dtype of x.": "abs absolute",
    "Array of floats, of the shape of x.": "angle",
    "Array of the shape of x, real where x is complex; else the dtype of x.": "imag real",
    "Array without the reduced axes, in the dtype of x, or wider for integers and bools.": (
        "prod sum nanprod nansum"
    ),
    "Array without the reduced axes, in the dtype of x.": "amax amin max min nanmax nanmin ptp",
    "Pair of arrays without the reduced axes, in the dtype of x.": "minmax",
    "Array of floats, without the reduced axes.": (
        "average logsumexp mean median nanmean nanmedian nanstd nanvar std var"
    ),
    "Array of bools, without the reduced axes.": "all any",
    "Array of integers, without the reduced axes.": (
        "argmax argmin count_nonzero nanargmax nanargmin"
    ),
    "Array of floats; its first axes are those of q, then come the remaining axes of x.": (
        "nanpercentile nanquantile percentile"
    ),
    "Array of the shape of x, flat for an axis of None; wider integers for narrow ones and bools.": (
        "cumprod cumsum nancumprod nancumsum"
    ),
    "Array of the shape of x, flat for an axis of None, in its dtype.": "cummax cummin",
    "Array of floats, of the shape of x, flat for an axis of None.": "cumlogsumexp",
    "Array of the shape of x, one longer along the axis with `include_initial`.": (
        "cumulative_prod cumulative_sum"
    ),
    "Array of integers (i32, the default), of the shape of x.": "argpartition argsort lexsort",
    "Array of the shape, and of the dtype or the default float one.": "empty ones zeros",
    "Array of `shape`, in the dtype of `fill_value` or the given one.": "full",
    "Array of the shape of x, in its dtype or the given one.": "full_like",
    "Vector of the dtype that the numbers have together, or of the given one.": "arange",
    "Array of floats, or of the given dtype: `num` values along the first axis.": (
        "linspace logspace"
    ),
    "Matrix of N rows, of the default float dtype or the given one.": "eye tri",
    "Matrix of n rows and columns, of the default float dtype or the given one.": "identity",
    "Tuple of arrays, each of as many axes as there are vectors.": "meshgrid",
    "Matrix for a vector, vector for a matrix; of the dtype of x.": "diag",
    "Matrix of the dtype of x.": "diagflat",
    "Array of the dtype of x, whose last axis is the diagonal.": "diagonal",
    "Array without both axes; dtypes as of `sum`.": "trace",
    "Array of the shape and dtype of x: a new one.": (
        "fill_diagonal place put put_along_axis putmask"
    ),
    "Array of the new shape, in the dtype of x.": "resize reshape",
    "Array with one axis more than `dimensions` has sizes, or a tuple of arrays.": "indices",
    "Tuple of vectors of integers, one for each axis.": (
        "diag_indices diag_indices_from mask_indices tril_indices tril_indices_from triu_indices "
        "triu_indices_from"
    ),
    "Tuple of arrays of integers that broadcast against each other.": "ix_",
    "Array of the shape of `indices` in place of the axis, in the dtype of x.": "take",
    "Array of the shape that x and `indices` broadcast to, along the axis that of `indices`.": (
        "take_along_axis"
    ),
    "Array of the dtype that both promote to.": "append",
    "Array of the dtype of x.": (
        "atleast_1d atleast_2d atleast_3d expand_dims matrix_transpose moveaxis permute_dims "
        "rollaxis rot90 squeeze swapaxes tile transpose"
    ),
    "Vector of the elements of x in row-major order.": "ravel",
    "Array of `shape`, in the dtype of x.": "broadcast_to",
    "Tuple of arrays of one shape, each of its own dtype.": "broadcast_arrays",
    "int": "ndim size",
    "Tuple of int": "shape",
    "List of arrays": "array_split dsplit hsplit split vsplit",
    "Tuple of arrays without the axis.": "unstack",
    "Array of the dtype that all promote to.": (
        "block column_stack concat concatenate dstack hstack row_stack stack vstack"
    ),
    "Pair of arrays, each of the shape that x and y broadcast to.": "divmod",
    "Pair of arrays of floats, each of the shape of x.": "modf",
    "Pair of arrays of the shape of x: floats, and i32.": "frexp",
    "Array of floats, of the shape that x and n broadcast to.": "ldexp",
    "Array of floats, of the shape that a, b and x broadcast to.": "betainc",
    "Array of the shape that x and the bounds broadcast to.": "clip",
    "Array of the shape that all three broadcast to, in the dtype that x and y promote to.": "where",
    "Array of the shape of x and the new dtype.": "astype",
    "Array of the shape of x, one shorter along the axis for each time.": "diff",
    "Array of bool without axes.": "allclose array_equal array_equiv",
    "Array of the shape of x.": "polyval",
    "Vector of the coefficients, highest power first.": (
        "poly polyadd polyder polyint polymul polysub"
    ),
    "Pair of vectors of floats: the quotient, and the remainder.": "polydiv",
    "Matrix with a row for each element of x.": "vander",
    "Vector of floats.": "bartlett blackman hamming hanning kaiser",
    "Array of the joint shape of all, in the dtype that the choices promote to.": "select",
    "Vector of the dtype of x.": "ediff1d extract",
    "Vector, or with `return_indices` a tuple of three.": "intersect1d",
    "Vector, sorted.": "setdiff1d setxor1d union1d unique_values",
    "Named tuple (values, counts) of vectors.": "unique_counts",
    "Named tuple (values, inverse_indices): a vector, and an array of the shape of x.": (
        "unique_inverse"
    ),
    "Matrix of integers, a row for each nonzero element.": "argwhere",
    "Vector of integers.": "flatnonzero",
    "Result of `function`.": "fromfunction",
    "Array": (
        "asanyarray asarray_chkfinite ascontiguousarray asfortranarray require frombuffer fromfile "
        "fromiter fromstring genfromtxt loadtxt real_if_close"
    ),
    "Array, or dict of arrays by name.": "load",
    "str": "array2string array_repr array_str binary_repr typename",
    "type": "common_type",
    "bool": "iscomplexobj isfortran isrealobj isscalar iterable",
    "dtype": "promote_types",
    "Array of the shape and dtype of `dst`: a new one.": "copyto",
    "Matrix of floats, or one number for one variable.": "corrcoef",
    "Vector of the dtype that both promote to.": "correlate",
    "Array of the shape of x and y without the axis, broadcast; then the axis, of size 3.": "cross",
    "Array of the leading axes of x and y, and their remaining ones.": "dot inner tensordot",
    "Array whose sizes are the products of those of x and y.": "kron",
    "Array of the broadcast leading axes, and the rows of x and columns of y.": "matmul",
    "Array of shape (..., m).": "matvec vecmat",
    "Matrix of the sizes of x and y.": "outer",
    "Array without axes.": "vdot",
    "Array of the broadcast shape without the axis.": "vecdot",
    "Pair: the path, a list, and its description, a str.": "einsum_path",
    "Counts, of the bins of x along the first axis; the edges for x; the edges for y.": (
        "histogram2d"
    ),
    "An object with the methods `capabilities`, `default_device`, `dtypes`, ....": (
        "__array_namespace_info__"
    ),
    "": "info save savetxt savez savez_compressed",
}  # fmt: skip

_SHORT = {"bool_": "bool", "acos": "arccos"}
#: Names that the Array API standard has, by the page that explains them.
_STANDARD = frozenset(
    "abs acos acosh add all any arange argmax argmin argsort asin asinh atan atan2 atanh "
    "bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor "
    "broadcast_arrays broadcast_to ceil clip concat conj copysign cos cosh count_nonzero "
    "cumulative_prod cumulative_sum diff divide empty empty_like equal exp expand_dims expm1 eye "
    "flip floor floor_divide full full_like greater greater_equal hypot imag isclose isfinite "
    "isinf isnan less less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not "
    "logical_or logical_xor matmul matrix_transpose max maximum mean meshgrid min minimum moveaxis "
    "multiply negative nextafter not_equal ones ones_like permute_dims positive pow prod real "
    "reciprocal remainder repeat reshape roll round searchsorted sign signbit sin sinh sort sqrt "
    "square squeeze stack std subtract sum take take_along_axis tan tanh tensordot tile tril triu "
    "trunc unique_all unique_counts unique_inverse unique_values unstack var vecdot where zeros "
    "zeros_like".split()
)
_API = "https://data-apis.org/array-api/2025.12/API_specification/generated/array_api."
_NUMPY = "https://numpy.org/doc/stable/reference/generated/numpy."


def _link(name: str) -> str | None:
    if name in _STANDARD:
        return f"{_API}{name}.html"
    return f"{_NUMPY}{name}.html" if name in vars(np) else None


NUMPY = Entries(_PARAMETERS, _OWN, by_name(_RESULTS), _link)
