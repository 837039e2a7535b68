"""Settings: the dtypes that Python numbers get where they meet no array.

Each is read from the environment (`ANVL_DEFAULT_FLOAT=f64`) and can be set: `config.set(...)`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from anvl.dialect.types import dtype_name, element_type, kind, numpy_dtype

__all__ = ["as_dtype", "default_dtype", "defaults", "set_defaults", "version"]

_KINDS = {"bool": "bool", "int": "i32", "float": "f32", "complex": "c64"}


def _from_environment(of_kind: str, default: str) -> np.dtype[Any]:
    return numpy_dtype(os.environ.get(f"ANVL_DEFAULT_{of_kind.upper()}", default))


_defaults: dict[str, np.dtype[Any]] = {}
# Part of every cache key: programs traced under other defaults are other programs.
version = 0


def _known() -> dict[str, np.dtype[Any]]:
    if not _defaults:
        _defaults.update({k: _from_environment(k, d) for k, d in _KINDS.items()})
    return _defaults


def default_dtype(of: type) -> np.dtype[Any]:
    """The dtype of a Python number of type `of` that meets no array: bool, int, float, complex."""
    return _known()[of.__name__]


def as_dtype(dtype: object) -> np.dtype[Any]:
    """The dtype that a `dtype=` argument means; Python's types stand for their defaults.

    >>> as_dtype("f64"), as_dtype(np.int8), as_dtype(float)
    (dtype('float64'), dtype('int8'), dtype('float32'))
    """
    if isinstance(dtype, type) and dtype.__name__ in _KINDS and dtype.__module__ == "builtins":
        return default_dtype(dtype)
    return numpy_dtype(dtype)


def set_defaults(**dtypes: object) -> None:
    """Set the dtypes of Python numbers: `set_defaults(float="f64", int="i64")`.

    Raises `TypeError` for a dtype of another kind and `ValueError` for a kind that is none of
    int, float, complex.
    """
    global version
    for of_kind, dtype in dtypes.items():
        if of_kind not in ("int", "float", "complex"):
            raise ValueError(
                f"set_defaults: {of_kind!r} is no kind with a default; one of int, float, complex"
            )
        if kind(element_type(numpy_dtype(dtype))) != of_kind:
            raise TypeError(f"set_defaults: {dtype_name(dtype)} is no dtype of kind {of_kind}")
        _known()[of_kind] = numpy_dtype(dtype)
    version += 1


@contextmanager
def defaults(**dtypes: object) -> Iterator[None]:
    """`set_defaults` for the duration of a `with` block."""
    before = dict(_known())
    set_defaults(**dtypes)
    try:
        yield
    finally:
        set_defaults(**{k: v for k, v in before.items() if k != "bool"})
