"""Arrays from and to files, buffers and text, by NumPy: its names.

What is read becomes an array on the default device, and keeps its dtype.
Source: NumPy's manual, "Input and output".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from anvl.core.config import as_dtype, default_dtype
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.numpy.arrays.creation import asarray
from anvl.runtime import hiding_frames

__all__ = [
    "array2string", "array_repr", "array_str", "frombuffer", "fromfile", "fromiter",
    "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
    "savez_compressed",
]  # fmt: skip


def _values(x: Any, function: str) -> np.ndarray[Any, Any]:
    """The values of an array, for NumPy."""
    if isinstance(x, Tracer):
        raise TraceError(
            f"{function}: {x.aval} is traced and has no values yet; return it, and call {function} "
            "on the result"
        )
    return np.asarray(x)


def _dtype(dtype: Any) -> np.dtype[Any]:
    return default_dtype(float) if dtype is None else as_dtype(dtype)


# -- text ------------------------------------------------------------------------------------------


@hiding_frames
def array_repr(
    arr: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """An array as text, with its dtype.  Parameters and source: `numpy.array_repr`.

    >>> import anvl.numpy as np
    >>> np.array_repr(np.asarray([0.125]), precision=2)
    'Array([0.12], dtype=float32)'
    """
    values = _values(arr, "array_repr")
    text = np.array2string(
        values, max_line_width, precision, suppress_small, separator=", ", prefix="Array("
    )
    return f"Array({text}, dtype={values.dtype.name})"


@hiding_frames
def array_str(
    a: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The elements of an array as text.  Parameters and source: `numpy.array_str`.

    >>> import anvl.numpy as np
    >>> np.array_str(np.asarray([0.125]), precision=2)
    '[0.12]'
    """
    return np.array_str(_values(a, "array_str"), max_line_width, precision, suppress_small)


def array2string(a: Any, *args: Any, **kwargs: Any) -> str:
    """The elements of an array as text.  Parameters and source: `numpy.array2string`.

    >>> import anvl.numpy as np
    >>> np.array2string(np.asarray([1, 2]), separator=", ")
    '[1, 2]'
    """
    return np.array2string(_values(a, "array2string"), *args, **kwargs)


# -- files -----------------------------------------------------------------------------------------


@hiding_frames
def save(file: Any, arr: Any) -> None:
    """Write an array to a `.npy` file, or an open one.

    Raises `TypeError` for a dtype that NumPy lacks, whose name the format loses.
    Source: `numpy.save`.

    >>> import anvl.numpy as np, io
    >>> file = io.BytesIO()
    >>> np.save(file, np.arange(3)); file.seek(0)
    0
    >>> print(np.load(file))
    [0 1 2]
    """
    np.save(file, _plain(arr, "save"), allow_pickle=False)


def _plain(x: Any, function: str) -> np.ndarray[Any, Any]:
    values = _values(x, function)
    if np.dtype(values.dtype.type).isbuiltin != 1:  # in either byte order
        raise TypeError(
            f"{function}: the format knows no {values.dtype.name}; save x.astype('f32')"
        )
    return values


@hiding_frames
def savez(file: Any, *args: Any, **kwds: Any) -> None:
    """Write arrays to a `.npz` file, or an open one, under the names of keywords, or arr_0, ....

    Errors as of `save`.  Source: `numpy.savez`.

    >>> import anvl.numpy as np, io
    >>> file = io.BytesIO()
    >>> np.savez(file, x=np.arange(3)); file.seek(0)
    0
    >>> print(np.load(file)["x"])
    [0 1 2]
    """
    _save_all("savez", np.savez, file, args, kwds)


@hiding_frames
def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None:
    """Write arrays to a compressed `.npz` file: see `savez`.  Source: `numpy.savez_compressed`.

    >>> import anvl.numpy as np, io
    >>> file = io.BytesIO()
    >>> np.savez_compressed(file, np.arange(3)); file.seek(0)
    0
    >>> list(np.load(file))
    ['arr_0']
    """
    _save_all("savez_compressed", np.savez_compressed, file, args, kwds)


def _save_all(
    name: str,
    write: Callable[..., Any],
    file: Any,
    args: Iterable[Any],
    kwds: Mapping[str, Any],
) -> None:
    named = {key: _plain(x, name) for key, x in kwds.items()}
    write(file, *[_plain(x, name) for x in args], **named)


@hiding_frames
def load(file: Any) -> Any:
    """Read the array of a `.npy` file, or the arrays of a `.npz` file as a dict by their names.

    Nothing is unpickled.  Raises `ValueError` for an array of objects, `OSError` for a file that
    cannot be read.  Source: `numpy.load`.

    >>> import anvl.numpy as np, io
    >>> file = io.BytesIO()
    >>> np.save(file, np.ones(2)); file.seek(0)
    0
    >>> print(np.load(file))
    [1. 1.]
    """
    found = np.load(file, allow_pickle=False)
    if isinstance(found, np.ndarray):
        return asarray(found)
    with found:
        return {name: asarray(found[name]) for name in found.files}


@hiding_frames
def loadtxt(fname: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Read the numbers of a text file, of the default float dtype if none is given.

    Other parameters, errors and source: `numpy.loadtxt`.

    >>> import anvl.numpy as np, io
    >>> print(np.loadtxt(io.StringIO("1 2")))
    [1. 2.]
    """
    return asarray(np.loadtxt(fname, _dtype(dtype), **kwargs))


@hiding_frames
def genfromtxt(fname: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Read a text file with missing numbers, of the default float dtype if none is given.

    Other parameters, errors and source: `numpy.genfromtxt`.

    >>> import anvl.numpy as np, io
    >>> print(np.genfromtxt(io.StringIO("1,,3"), delimiter=","))
    [ 1. nan  3.]
    """
    return asarray(np.genfromtxt(fname, _dtype(dtype), **kwargs))


@hiding_frames
def savetxt(fname: Any, X: Any, **kwargs: Any) -> None:
    """Write a vector or a matrix to a text file.

    Other parameters, errors and source: `numpy.savetxt`.

    >>> import anvl.numpy as np, io
    >>> file = io.StringIO()
    >>> np.savetxt(file, np.asarray([1, 2]), fmt="%d"); file.getvalue()
    '1\\n2\\n'
    """
    np.savetxt(fname, _values(X, "savetxt"), **kwargs)


@hiding_frames
def fromfile(file: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Read the bytes of a file as an array, of the default float dtype if none is given.

    Other parameters, errors and source: `numpy.fromfile`.

    >>> import anvl.numpy as np, tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(bytes(4)); file.flush()
    ...     print(np.fromfile(file.name, "f32"))
    [0.]
    """
    return asarray(np.fromfile(file, _dtype(dtype), **kwargs))


@hiding_frames
def frombuffer(buffer: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """The bytes of a buffer as an array, of the default float dtype if none is given.

    Other parameters, errors and source: `numpy.frombuffer`.

    >>> import anvl.numpy as np
    >>> print(np.frombuffer(bytes([1, 2]), "uint8"))
    [1 2]
    """
    return asarray(np.frombuffer(buffer, _dtype(dtype), **kwargs))


@hiding_frames
def fromstring(string: str, dtype: Any = None, **kwargs: Any) -> Any:
    """The numbers in a text as an array, of the default float dtype if none is given.

    Other parameters, errors and source: `numpy.fromstring`.

    >>> import anvl.numpy as np
    >>> print(np.fromstring("1 2", sep=" "))
    [1. 2.]
    """
    return asarray(np.fromstring(string, _dtype(dtype), **kwargs))


@hiding_frames
def fromiter(iter: Iterable[Any], dtype: Any, **kwargs: Any) -> Any:
    """The numbers of an iterable as a vector.

    Other parameters, errors and source: `numpy.fromiter`.

    >>> import anvl.numpy as np
    >>> print(np.fromiter((n * n for n in range(3)), "i32"))
    [0 1 4]
    """
    return asarray(np.fromiter(iter, as_dtype(dtype), **kwargs))
