"""`anvl.safetensors`: pytrees of arrays in files that other libraries read, and the other way.

The functions have the names of the `safetensors` package, and take and give arrays of anvl.  A file
holds numbers and names alone, so that reading one runs no code.  bf16 and floats of 8 bits work, as
do c128 and i4, which the format lacks (others see them as f64 and i8).

    >>> import anvl.numpy as np, pathlib, tempfile
    >>> from anvl import safetensors
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> safetensors.save_file({"layers": [{"w": np.ones(2, "bf16")}]}, path)
    >>> safetensors.load_file(path)
    {'layers.0.w': Array([1, 1], dtype=bfloat16)}

Source: https://github.com/huggingface/safetensors, "Format".
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree as trees
from anvl.core.avals import Aval
from anvl.core.promote import abstract
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dialect.core.types import dtype_name
from anvl.dialect.text.export_file import write_atomically
from anvl.dialect.text.safetensors import InvalidArrays, decoded, encoded, metadata_of
from anvl.interop.file_paths import checked_path, content_of
from anvl.runtime import hiding_frames, put
from anvl.sharding.specs import placement_for
from anvl.tree.treedefs import dotted_names

__all__ = ["load", "load_file", "metadata", "save", "save_file"]


@hiding_frames
def save(tree: Any, metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a safetensors file, the same for the same arrays.

    Parameters
    ----------
    tree : pytree of arrays and numbers
        A leaf is stored under its keys, positions and fields with dots between them: `layers.0.w`.
    metadata : dict of str to str, optional
        Text that is stored beside the arrays.

    Returns
    -------
    bytes

    Raises
    ------
    TypeError
        A leaf is no array, or of a dtype that the format cannot hold; metadata is not text.
    ValueError
        Two leaves have one name, or the tree is one leaf, which has none.
    TraceError
        A leaf is traced.

    Examples
    --------
    >>> from anvl import safetensors
    >>> data = safetensors.save({"w": [1.0, 2.0]}, {"step": "3"})
    >>> safetensors.load(data)
    {'w.0': Array(1., dtype=float32), 'w.1': Array(2., dtype=float32)}
    """
    return _encoded(tree, metadata, "save")


@hiding_frames
def save_file(
    tree: Any, path: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> None:
    """Write a pytree of arrays to a safetensors file, whole or not at all.

    Parameters
    ----------
    tree : pytree of arrays and numbers
        As of `save`.
    path : str or path
        The file, by convention `model.safetensors`, in place of one that is there.
    metadata : dict of str to str, optional
        Text that is stored beside the arrays.

    Raises
    ------
    TypeError, ValueError, TraceError
        As of `save`; or the path names no file.
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import anvl.numpy as np, pathlib, tempfile
    >>> from anvl import safetensors
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> safetensors.save_file({"w": np.eye(2), "b": np.zeros(2)}, path, {"format": "np"})
    >>> sorted(safetensors.load_file(path))
    ['b', 'w']
    """
    name = checked_path(path, "save_file")
    data = _encoded(tree, metadata, "save_file")
    try:
        write_atomically(name, data)
    except OSError as error:
        # The file that could not be written is a temporary one beside it.
        raise OSError(error.errno, f"save_file: {error.strerror}", name) from None


@hiding_frames
def load(data: bytes, like: Any = None, *, device: Any = None) -> Any:
    """The arrays in the bytes of a safetensors file.

    Parameters
    ----------
    data : bytes
    like : pytree of arrays or abstract values, optional
        The structure to give back, with the shapes and dtypes that are expected, such as parameters
        before training or `anvl.eval_shape` of the function that makes them.
    device : Device or str, optional
        Where the arrays are put.

    Returns
    -------
    A dict of arrays by their names, or a pytree of the structure of `like`.

    Raises
    ------
    ValueError
        The bytes are no safetensors file; or its names, shapes or dtypes are not those of `like`.

    Examples
    --------
    >>> import anvl
    >>> from anvl import safetensors
    >>> params = {"layers": [anvl.numpy.ones(2), anvl.numpy.zeros(1)]}
    >>> safetensors.load(safetensors.save(params), like=params)
    {'layers': [Array([1., 1.], dtype=float32), Array([0.], dtype=float32)]}
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"load: takes bytes, got {type(data).__name__}; load_file takes a path")
    return _decoded(bytes(data), like, device, "load", "the bytes are")


@hiding_frames
def load_file(path: str | os.PathLike[str], like: Any = None, *, device: Any = None) -> Any:
    """The arrays of a safetensors file, of any library.

    Parameters
    ----------
    path : str or path
    like : pytree of arrays or abstract values, optional
        The structure to give back, as of `load`.
    device : Device or str, optional
        Where the arrays are put.

    Returns
    -------
    A dict of arrays by their names, or a pytree of the structure of `like`.

    Raises
    ------
    OSError
        The file cannot be read.
    TypeError, ValueError
        As of `load`; or the path names no file.

    Examples
    --------
    >>> import anvl, anvl.numpy as np, pathlib, tempfile
    >>> from anvl import safetensors
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> safetensors.save_file({"w": np.ones(2), "b": 0.5}, path)
    >>> shapes = {"w": anvl.aval("f32", (2,)), "b": anvl.aval("f32", ())}
    >>> safetensors.load_file(path, like=shapes)["w"]
    Array([1., 1.], dtype=float32)
    """
    name = checked_path(path, "load_file")
    return _decoded(content_of(name, "load_file"), like, device, "load_file", f"{name!r} is")


@hiding_frames
def metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """The text that a safetensors file has beside its arrays.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict of str to str

    Raises
    ------
    OSError
        The file cannot be read.
    TypeError, ValueError
        The path names no file, or the file is not in the format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from anvl import safetensors
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> safetensors.save_file({"w": 1.0}, path, {"step": "3"})
    >>> safetensors.metadata(path)
    {'step': '3'}
    """
    name = checked_path(path, "metadata")
    try:
        return metadata_of(content_of(name, "metadata"))
    except InvalidArrays as error:
        raise ValueError(f"metadata: {name!r} is no safetensors file: {error}") from None


# -- writing -------------------------------------------------------------------------------------


def _encoded(tree: Any, texts: Mapping[str, str] | None, caller: str) -> bytes:
    leaves, treedef = trees.flatten(tree)
    names = dotted_names(treedef)
    if names == [""]:
        raise ValueError(f"{caller}: an array alone has no name; give {{'x': array}}")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{caller}: several leaves are called {twice[0]!r}; rename one of them")
    _check_texts(texts, caller)
    pairs = zip(names, leaves, strict=True)
    return encoded({name: _array(name, leaf, caller) for name, leaf in pairs}, texts)


def _check_texts(texts: Any, caller: str) -> None:
    for name, text in ({} if texts is None else dict(texts)).items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise TypeError(f"{caller}: metadata maps text to text, got {name!r}: {text!r}")


def _array(name: str, leaf: Any, caller: str) -> np.ndarray[Any, Any]:
    if isinstance(leaf, Tracer):
        raise TraceError(
            f"{caller}: {name} is traced, {leaf.aval}, and has no values to store; return it from "
            "the function, and save the result"
        )
    try:
        found = np.asarray(anp.asarray(leaf))
    except (TypeError, ValueError):
        says = f"{caller}: {name} is {leaf!r} of type {type(leaf).__name__}, which is no array"
        raise TypeError(says) from None
    try:
        dtype_name(found.dtype)
    except (KeyError, TypeError):
        raise TypeError(
            f"{caller}: {name} is of {found.dtype.name}, which no safetensors file can hold; "
            "convert it with .astype"
        ) from None
    return found


# -- reading -------------------------------------------------------------------------------------


def _decoded(data: bytes, like: Any, device: Any, caller: str, what: str) -> Any:
    try:
        found = decoded(data)
    except InvalidArrays as error:
        raise ValueError(f"{caller}: {what} no safetensors file: {error}") from None
    found, treedef = dict(sorted(found.items())), None
    if like is not None:
        leaves, treedef = trees.flatten(like)
        names = dotted_names(treedef)
        _check_names(names, found, caller)
        for name, leaf in zip(names, leaves, strict=True):
            _check_type(name, leaf, found[name], caller)
        found = {name: found[name] for name in names}
    arrays = {
        name: put(array, None if device is None else placement_for(device, array.shape, caller))
        for name, array in found.items()
    }
    return arrays if treedef is None else trees.unflatten(treedef, list(arrays.values()))


def _check_names(names: list[str], found: Mapping[str, Any], caller: str) -> None:
    missing = sorted(set(names) - set(found))
    others = sorted(set(found) - set(names))
    if missing or others:
        raise ValueError(
            f"{caller}: the file has not the arrays of like: missing {missing[:5]}, "
            f"not wanted {others[:5]}; load without like= to see its names"
        )


def _check_type(name: str, leaf: Any, array: np.ndarray[Any, Any], caller: str) -> None:
    of = leaf if isinstance(leaf, Aval) else abstract(leaf, caller)
    if (of.dtype, of.shape) != (array.dtype, array.shape):
        raise ValueError(
            f"{caller}: {name} is {array.dtype.name}{list(array.shape)} in the file, and "
            f"{of.dtype.name}{list(of.shape)} in like; load without like=, and convert it"
        )


def __dir__() -> list[str]:
    return list(__all__)
