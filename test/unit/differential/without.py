"""Public functions that `test_differential.py` has no line for, with the reasons."""

__all__ = ["WITHOUT"]

#: A reason, and the names: of `anvl.numpy`, or with their module.
WITHOUT = {
    "works on the host: files, texts, what is printed, the state of NumPy": (
        "array2string array_repr array_str base_repr binary_repr format_float_positional "
        "format_float_scientific frombuffer fromfile fromiter fromstring genfromtxt get_printoptions "
        "geterr geterrcall info isnat load loadtxt may_share_memory printoptions save savetxt savez "
        "savez_compressed set_printoptions seterr seterrcall shares_memory show_config show_runtime "
        "typename from_dlpack"
    ),
    "asked of types and shapes, not of numbers: test_staples.py, test_promote.py": (
        "can_cast common_type finfo iinfo isdtype iscomplexobj isfortran isrealobj isscalar issubdtype "
        "iterable min_scalar_type mintypecode ndim promote_types result_type shape size einsum_path "
        "broadcast_shapes"
    ),
    "takes or makes a function: test_staples_alone.py": (
        "apply_along_axis apply_over_axes fromfunction mask_indices piecewise vectorize "
        "scipy.linalg.funm"
    ),
    "its values are not specified": "empty empty_like",
    "decides a dtype or an error by values: test_staples.py": "asarray_chkfinite real_if_close",
    "defined by the standard, whose suite `make array-api` runs": (
        "unique_all unique_counts unique_inverse unique_values"
    ),
    "another name or form of one that has a line": (
        "array_equiv diag_indices_from histogram2d histogramdd require tril_indices_from "
        "triu_indices_from"
    ),
    "unique up to signs or an order, and by parts in other lines: test_scipy_linalg.py": (
        "roots linalg.eig scipy.linalg.cho_factor scipy.linalg.eig scipy.linalg.lu_factor "
        "scipy.linalg.qr_multiply scipy.linalg.rsf2csf scipy.linalg.svd"
    ),
    "an exception, a tuple or a class whose other forms have lines": (
        "linalg.LinAlgError scipy.linalg.LinAlgError stats.ModeResult stats.gaussian_kde nn.BatchNorm "
        "interpolate.PPoly"
    ),
    "NumPy and SciPy have none: test_nn_layers.py": (
        "top_k nn.batch_norm nn.conv_transpose nn.dropout nn.group_norm nn.instance_norm"
    ),
}
