"""Settings: default dtypes of Python numbers that meet no array.

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
        raise TypeError(f"{where}: {dtype_name(found)} is not a dtype of kind {of_kind}")
    return found


# Process-wide.  `defaults` sets values in one context only: other threads and tasks do not see
# them, and blocks that overlap in time do not undo each other.
_process: dict[str, np.dtype[Any]] = {}
_numbers: dict[tuple[np.dtype[Any], ...], int] = {}


class _Blocks(NamedTuple):
    """The `with` blocks of a context, in order, and the defaults that they set."""

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
    """A part of every cache key: a program is traced under the defaults of its time.

    Equal defaults have equal versions, so that programs are found again.
    """
    blocks = _blocks.get()
    return _number_of(_of_process()) if blocks is None else blocks.version


def _number_of(known: dict[str, np.dtype[Any]]) -> int:
    return _numbers.setdefault(tuple(known.values()), len(_numbers))


def _enter(given: tuple[dict[str, np.dtype[Any]], ...]) -> None:
    """Set the blocks of this context."""
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
    """Dtype of a Python number of type `of` (bool, int, float, complex) that meets no array."""
    return _known()[of.__name__]


def counting_dtype(largest: int) -> np.dtype[Any]:
    """Dtype of counts and positions up to `largest`: the default integer, or i64.

    >>> counting_dtype(2**31 - 1), counting_dtype(2**31)
    (dtype('int32'), dtype('int64'))
    """
    usual = default_dtype(int)
    return usual if largest <= np.iinfo(usual).max else np.dtype(np.int64)


def as_dtype(dtype: Any) -> np.dtype[Any]:
    """Resolve a `dtype=` argument; Python types stand for their defaults.

    Raises `TypeError` for "i4" and "i8": bits in anvl, bytes in NumPy.

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
                f"set_defaults: {of_kind!r} has no default dtype; set int, float or complex"
            )
    return {k: _checked("set_defaults", k, dtype) for k, dtype in dtypes.items()}


def set_defaults(**dtypes: object) -> None:
    """Set the default dtypes of Python numbers: `set_defaults(float="f64", int="i64")`.

    Applies to the process; within a `with` block of `defaults`, the block takes precedence.

    Parameters
    ----------
    **dtypes
        A dtype for each of the kinds `int`, `float` and `complex`.

    Raises
    ------
    TypeError
        A dtype of another kind.
    ValueError
        A kind other than int, float or complex.
    """
    _of_process().update(_checked_all(dtypes))
    clear_caches()  # the generated code of jit does not check the version
    _enter(_given())


@contextmanager
def defaults(**dtypes: object) -> Iterator[None]:
    """Set default dtypes within a `with` block, for the current thread or task alone.

    Nested blocks add to each other.

    Parameters
    ----------
    **dtypes
        As in `set_defaults`, with its errors.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> with anvl.defaults(float="f64"):
    ...     print(np.zeros(1).dtype)
    float64
    """
    mine = _checked_all(dtypes)
    _enter((*_given(), mine))
    try:
        yield
    finally:  # not always the last block: generators and exit stacks may end in any order
        _enter(tuple(given for given in _given() if given is not mine))
