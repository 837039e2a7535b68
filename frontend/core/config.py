"""Settings: the dtypes that Python numbers get where they meet no array.

Each is read from the environment (`ANVL_DEFAULT_FLOAT=f64`) and can be set:
`anvl.set_defaults(float="f64")`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.types import dtype_name, element_type, kind, numpy_dtype
from anvl.runtime import clear_caches, set_variant

__all__ = ["as_dtype", "counting_dtype", "default_dtype", "defaults", "set_defaults", "version"]

_KINDS = {"bool": "bool", "int": "i32", "float": "f32", "complex": "c64"}


def _from_environment(of_kind: str, default: str) -> np.dtype[Any]:
    variable = f"ANVL_DEFAULT_{of_kind.upper()}"
    return _checked(variable, of_kind, os.environ.get(variable, default))


def _checked(where: str, of_kind: str, dtype: object) -> np.dtype[Any]:
    found = numpy_dtype(dtype)
    if kind(element_type(found)) != of_kind:
        raise TypeError(f"{where}: {dtype_name(found)} is no dtype of kind {of_kind}")
    return found


# Of the process.  What `defaults` sets for a while is of one context: neither another thread nor
# another task sees it, and blocks that overlap in time do not undo each other.
_process: dict[str, np.dtype[Any]] = {}
_numbers: dict[tuple[np.dtype[Any], ...], int] = {}


class _Blocks(NamedTuple):
    """The `with` blocks that a context is in, in order, and the defaults that hold there."""

    given: tuple[dict[str, np.dtype[Any]], ...]
    known: dict[str, np.dtype[Any]]
    version: int


_blocks: ContextVar[_Blocks | None] = ContextVar("anvl defaults", default=None)


def _of_process() -> dict[str, np.dtype[Any]]:
    if not _process:
        _process.update({k: _from_environment(k, d) for k, d in _KINDS.items()})
    return _process


def _known() -> dict[str, np.dtype[Any]]:
    blocks = _blocks.get()
    return _of_process() if blocks is None else blocks.known


def version() -> int:
    """A part of every cache key: programs traced under other defaults are other programs.

    The same number stands for the same defaults, so that programs are found again.
    """
    blocks = _blocks.get()
    return _number_of(_of_process()) if blocks is None else blocks.version


def _number_of(known: dict[str, np.dtype[Any]]) -> int:
    return _numbers.setdefault(tuple(known.values()), len(_numbers))


def _enter(given: tuple[dict[str, np.dtype[Any]], ...]) -> None:
    """Have this context be in these blocks, and in no other."""
    if not given:
        _blocks.set(None)
        set_variant(None)
        return
    known = dict(_of_process())
    for dtypes in given:
        known |= dtypes
    number = _number_of(known)
    _blocks.set(_Blocks(given, known, number))
    set_variant(number)


def _given() -> tuple[dict[str, np.dtype[Any]], ...]:
    blocks = _blocks.get()
    return () if blocks is None else blocks.given


def default_dtype(of: type) -> np.dtype[Any]:
    """The dtype of a Python number of type `of` that meets no array: bool, int, float, complex."""
    return _known()[of.__name__]


def counting_dtype(largest: int) -> np.dtype[Any]:
    """The dtype of counts and places up to `largest`: the default of integers, or i64.

    >>> counting_dtype(2**31 - 1), counting_dtype(2**31)
    (dtype('int32'), dtype('int64'))
    """
    usual = default_dtype(int)
    return usual if largest <= np.iinfo(usual).max else np.dtype(np.int64)


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


def _checked_all(dtypes: dict[str, object]) -> dict[str, np.dtype[Any]]:
    for of_kind in dtypes:
        if of_kind not in ("int", "float", "complex"):
            raise ValueError(
                f"set_defaults: {of_kind!r} is no kind with a default; one of int, float, complex"
            )
    return {k: _checked("set_defaults", k, dtype) for k, dtype in dtypes.items()}


def set_defaults(**dtypes: object) -> None:
    """Set the dtypes of Python numbers for the process: `set_defaults(float="f64", int="i64")`.

    Within a `with` block of `defaults`, what the block sets holds until it ends.
    Raises `TypeError` for a dtype of another kind and `ValueError` for a kind that is none of
    int, float, complex.
    """
    _of_process().update(_checked_all(dtypes))
    clear_caches()  # the generated code of jit does not ask for the version
    _enter(_given())


@contextmanager
def defaults(**dtypes: object) -> Iterator[None]:
    """The dtypes of Python numbers in a `with` block, for the thread or task that is in it alone.

    A block in another one adds to what that sets.  Errors as `set_defaults`.

    >>> import anvl, anvl.numpy as np
    >>> with anvl.defaults(float="f64"):
    ...     print(np.zeros(1).dtype)
    float64
    """
    mine = _checked_all(dtypes)
    _enter((*_given(), mine))
    try:
        yield
    finally:  # not always the last that was begun: generators and exit stacks end in any order
        _enter(tuple(given for given in _given() if given is not mine))
