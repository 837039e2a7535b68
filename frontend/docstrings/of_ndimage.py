"""Parameters and results of the functions of `anvl.scipy.ndimage` that move and map arrays."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name

__all__ = ["NDIMAGE"]

_PARAMETERS = {
    "cval": 'number: What is beyond the edges in the modes "constant" and "grid-constant".',
    "input": "array",
    "mode": "str: What is beyond the edges, as of `map_coordinates`.",
    "order": "int: Of the spline, from 0 to 5.",
    "output": "None: Arrays are not written to.",
    "output_shape": "sequence of int, optional: By default that of input.",
    "prefilter": "bool: Whether input holds values; if not, the coefficients of `spline_filter`.",
}
_EACH = "number, or sequence or array of numbers: For all axes, or for each; it may be traced."
_OWN = {
    "affine_transform": {
        "matrix": (
            "array: Of as many rows as there are axes; a vector is the diagonal of one; with one\n"
            "    column more, that is the offset (and one row more is not read).  It may be traced."
        ),
        "offset": _EACH,
    },
    "geometric_transform": {
        "mapping": (
            "callable: Takes the coordinates of one element of the result, a tuple of floats, and\n"
            "    returns those in the input.  It is called once, with tracers for all elements:\n"
            "    `anvl.vmap` calls it."
        ),
        "extra_arguments": "tuple: More arguments for `mapping`, by position.",
        "extra_keywords": "dict, optional: More arguments for `mapping`, by name.",
    },
    "rotate": {
        "angle": (
            "number: In degrees; it may be traced if `reshape` is false, since it decides the shape."
        ),
        "axes": "tuple of two int",
        "reshape": "bool: Whether the result holds the whole input; else it has the shape of input.",
    },
    "shift": {"shift": _EACH},
    "zoom": {
        "zoom": (
            "float or sequence of float: For all axes, or for each; numbers that are not traced,\n"
            "    since they decide the shape."
        ),
        "grid_mode": (
            "bool: Whether elements are areas, whose edges meet; else points, of which the first\n"
            "    and the last ones meet."
        ),
    },
}
_RESULTS = {
    "Array of the shape and dtype of input; integers are rounded.": "shift",
    "Array of the dtype of input; integers are rounded.": (
        "affine_transform geometric_transform rotate zoom"
    ),
}


def _link(name: str) -> str:
    return f"https://docs.scipy.org/doc/scipy/reference/generated/scipy.ndimage.{name}.html"


NDIMAGE = Entries(_PARAMETERS, _OWN, by_name(_RESULTS), _link)
