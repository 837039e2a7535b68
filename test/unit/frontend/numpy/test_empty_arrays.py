"""Functions of no elements give the values, shapes and kinds that NumPy gives, or are refused."""

import functools
import warnings
from typing import Any

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

E, ROWS, COLUMNS = np.zeros(0), np.zeros((0, 3)), np.zeros((2, 0))
SQUARE, NO_INTEGERS = np.zeros((0, 0)), np.zeros(0, np.int64)
WHICH = [(E, None), (ROWS, None), (ROWS, 0), (ROWS, 1), (COLUMNS, 0), (COLUMNS, 1)]

ALONG_AXES = (
    "median nanmedian mean nanmean var std nanvar nanstd min max nanmin nanmax argmin argmax sum "
    "prod nansum nanprod ptp cumsum nancumsum any all count_nonzero"
).split()
OTHERS: list[tuple[str, Any]] = [
    *((name, (E,)) for name in "sort argsort unique diff gradient trapezoid diag nonzero flip "
      "ediff1d vander cov unwrap sinc average argwhere nan_to_num".split()),
    ("histogram", (E,)), ("histogram", (E, 3)), ("bincount", (NO_INTEGERS,)),
    ("interp", (1.0, E, E)), ("convolve", (E, E)), ("searchsorted", (E, 1.0)),
    ("digitize", (1.0, E)), ("polyval", (E, 1.0)), ("concatenate", ([E, E],)),
    ("concatenate", ([],)), ("stack", ([],)), ("tile", (E, 2)), ("pad", (E, 1)),
    ("pad", (E, 1, "edge")), ("pad", (E, 1, "reflect")), ("outer", (E, E)), ("dot", (E, E)),
    ("kron", (E, E)), ("cross", (ROWS, ROWS)), ("linspace", (0, 1, 0)), ("logspace", (0, 1, 0)),
    ("geomspace", (1, 2, 0)), ("eye", (0,)), ("union1d", (E, E)), ("isin", (E, E)),
    ("hanning", (0,)), ("kaiser", (0, 1.0)), ("histogram2d", (E, E)), ("take", (E, NO_INTEGERS)),
    ("insert", (E, 0, 1.0)), ("delete", (E, NO_INTEGERS)), ("trim_zeros", (E,)),
    ("unravel_index", (NO_INTEGERS, (2, 3))), ("trace", (SQUARE,)), ("einsum", ("i,i->", E, E)),
    ("tensordot", (E, E, 1)), ("repeat", (E, 2)), ("nanquantile", (E, 0.5)),
    ("nanpercentile", (ROWS, 5, 0)), ("nanargmax", (E,)), ("linalg.det", (SQUARE,)),
    ("linalg.inv", (SQUARE,)), ("linalg.slogdet", (SQUARE,)), ("linalg.norm", (E,)),
    ("linalg.norm", (E, np.inf)), ("linalg.norm", (E, -np.inf)), ("linalg.norm", (ROWS, 2)),
    ("linalg.norm", (ROWS, "nuc")), ("linalg.norm", (COLUMNS, 1)), ("linalg.norm", (ROWS, np.inf)),
    ("linalg.norm", (ROWS, -2)), ("linalg.svd", (ROWS,)), ("linalg.eigh", (SQUARE,)),
    ("linalg.solve", (SQUARE, E)), ("linalg.qr", (ROWS,)), ("linalg.cholesky", (SQUARE,)),
    ("linalg.matrix_rank", (ROWS,)), ("linalg.pinv", (ROWS,)),
    ("linalg.lstsq", (COLUMNS, np.ones(2))), ("linalg.cond", (ROWS,)),
]  # fmt: skip
CASES = [*((name, (x, axis)) for name in ALONG_AXES for x, axis in WHICH), *OTHERS]


def found(module: Any, name: str, args: tuple[Any, ...]) -> Any:
    """Shapes, kinds and values of the results, or the type of the error."""
    f = functools.reduce(getattr, name.split("."), module)
    convert = anp.asarray if module is anp else np.asarray
    given = anvl.tree.map(lambda x: convert(x) if isinstance(x, np.ndarray) else x, args)
    try:
        with warnings.catch_warnings(action="ignore"):
            results = [np.asarray(x) for x in anvl.tree.leaves(f(*given))]
    except (ValueError, IndexError, TypeError) as error:
        return type(error)
    return [(x.shape, x.dtype.kind, x.tolist()) for x in results]


@pytest.mark.parametrize("name, args", CASES, ids=[f"{n}-{i}" for i, (n, _) in enumerate(CASES)])
def test_no_elements_give_what_numpy_gives(name: str, args: tuple[Any, ...]) -> None:
    assert str(found(anp, name, args)) == str(found(np, name, args))


def test_the_derivative_of_a_median_of_nothing_is_of_nothing() -> None:
    gradient = anvl.grad(lambda x: anp.sum(anp.nanmedian(x, axis=1)))(anp.asarray(COLUMNS))
    assert gradient.shape == COLUMNS.shape
