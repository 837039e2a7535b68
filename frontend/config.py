"""Settings: the dtypes that Python numbers get where they meet no array.

Each is read from the environment (`ANVL_DEFAULT_FLOAT=f64`) and can be set:
`anvl.set_defaults(float="f64")`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from anvl.dialect.types import dtype_name, element_type, kind, numpy_dtype
from anvl.runtime import clear_caches

__all__ = ["as_dtype", "default_dtype", "defaults", "set_defaults", "version"]

_KINDS = {"bool": "bool", "int": "i32", "float": "f32", "complex": "c64"}


def _from_environment(of_kind: str, default: str) -> np.dtype[Any]:
    variable = f"ANVL_DEFAULT_{of_kind.upper()}"
    return _checked(variable, of_kind, os.environ.get(variable, default))


def _checked(where: str, of_kind: str, dtype: object) -> np.dtype[Any]:
    found = numpy_dtype(dtype)
    if kind(element_type(found)) != of_kind:
        raise TypeError(f"{where}: {dtype_name(found)} is no dtype of kind {of_kind}")
    return found


_defaults: dict[str, np.dtype[Any]] = {}
# Part of every cache key: programs traced under other defaults are other programs.  The same
# number stands for the same defaults, so that programs are found again.
version = 0
_versions: dict[tuple[np.dtype[Any], ...], int] = {}


def _known() -> dict[str, np.dtype[Any]]:
    if not _defaults:
        _defaults.update({k: _from_environment(k, d) for k, d in _KINDS.items()})
        _versions[tuple(_defaults.values())] = version
    return _defaults


def default_dtype(of: type) -> np.dtype[Any]:
    """The dtype of a Python number of type `of` that meets no array: bool, int, float, complex."""
    return _known()[of.__name__]


def as_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype that a `dtype=` argument means; Python's types stand for their defaults.

    Raises `TypeError` for "i4" and "i8": bits to anvl, bytes to NumPy.

    >>> as_dtype("f64"), as_dtype(np.int8), as_dtype(float)
    (dtype('float64'), dtype('int8'), dtype('float32'))
    """
    if isinstance(dtype, type) and dtype.__name__ in _KINDS and dtype.__module__ == "builtins":
        return default_dtype(dtype)
    if isinstance(dtype, str) and dtype in ("i4", "i8"):
        of_bytes = np.dtype(dtype).name
        raise TypeError(
            f"dtype: {dtype!r} is int{dtype[1]} to anvl and {of_bytes} to NumPy; write "
            f"'int{dtype[1]}' or '{of_bytes}'"
        )
    return numpy_dtype(dtype)


def set_defaults(**dtypes: object) -> None:
    """Set the dtypes of Python numbers: `set_defaults(float="f64", int="i64")`.

    Raises `TypeError` for a dtype of another kind and `ValueError` for a kind that is none of
    int, float, complex.
    """
    global version
    for of_kind in dtypes:
        if of_kind not in ("int", "float", "complex"):
            raise ValueError(
                f"set_defaults: {of_kind!r} is no kind with a default; one of int, float, complex"
            )
    checked = {k: _checked("set_defaults", k, dtype) for k, dtype in dtypes.items()}
    _known().update(checked)
    version = _versions.setdefault(tuple(_known().values()), len(_versions))
    clear_caches()  # the generated code of jit does not ask for the version


@contextmanager
def defaults(**dtypes: object) -> Iterator[None]:
    """`set_defaults` for the duration of a `with` block."""
    before = dict(_known())
    set_defaults(**dtypes)
    try:
        yield
    finally:
        set_defaults(**{k: v for k, v in before.items() if k != "bool"})
