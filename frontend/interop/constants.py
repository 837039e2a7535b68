"""Arrays that a loaded program captured: what `lowered.constants()` gives, and its file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias
from zipfile import BadZipFile

import numpy as np

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.errors import nearest
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, numpy_of
from anvl.dispatch.lowering import captured_name, captured_types
from anvl.passes.hoist_constants import CONSTANT

__all__ = ["Constants", "Given", "read_constants"]

#: The captured arrays by their names, or a file of them, as `numpy.savez` writes it.
Given: TypeAlias = Mapping[str, Any] | str | os.PathLike[str] | None


class Constants(NamedTuple):
    """The arrays of a program: of leading arguments, by position; of `anvl.captured`, by index."""

    of_arguments: dict[int, np.ndarray[Any, Any]]
    captured: dict[int, np.ndarray[Any, Any]]


def read_constants(
    given: Given, function: ir.Operation, functions: Sequence[ir.Operation], caller: str
) -> Constants:
    """The arrays that a function, and those that it calls (`functions`), captured.

    Raises `OSError` for a file that cannot be read, `TypeError` for what is no array, `ValueError`
    for an array of another type or name, and for one that is missing.
    """
    arrays = _arrays(given, caller)
    arguments, captured = _named_arguments(function), _captured(functions)
    wanted = {**arguments, **{captured_name(i): (i, type_) for i, type_ in captured.items()}}
    for name in arrays:
        if name not in wanted:
            known = ", ".join(wanted) or "none"
            close = nearest(name, wanted)
            raise ValueError(f"{caller}: captures no array {name!r}{close}; it captures: {known}")
    missing = [name for name in map(captured_name, captured) if name not in arrays]
    if missing:
        raise ValueError(
            f"{caller}: captures {_listed(missing, wanted)}; give constants=, a dict or an .npz "
            'file of arrays by these names, as lowered.constants("anvl") has them'
        )
    found = {name: _fitting(x, name, wanted[name][1], caller) for name, x in arrays.items()}
    return Constants(
        {i: found[name] for name, (i, _) in arguments.items() if name in found},
        {i: found[captured_name(i)] for i in captured},
    )


def _listed(names: Iterable[str], wanted: Mapping[str, tuple[int, Any]]) -> str:
    return ", ".join(f"{name}: {wanted[name][1]}" for name in names)


def _arrays(given: Given, caller: str) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    path = os.fspath(given)
    try:
        with open(path, "rb") as file:
            found = np.load(file, allow_pickle=False)
            if isinstance(found, np.lib.npyio.NpzFile):
                return {name: found[name] for name in found.files}
    except OSError as error:
        raise OSError(error.errno, f"{caller}: {error.strerror}", path) from None
    except (ValueError, EOFError, BadZipFile):
        pass  # NumPy takes what is no array for a pickle, which it refuses
    raise ValueError(f"{caller}: {path} is no .npz file of arrays, as numpy.savez writes")


def _named_arguments(function: ir.Operation) -> dict[str, tuple[int, Any]]:
    """Position and type of the arguments that were captured arrays, by their names."""
    attributes = attribute_of(function, "arg_attrs")
    types = function.attributes["function_type"].value.inputs
    found = {}
    for i, says in enumerate(attributes if isinstance(attributes, ir.ArrayAttr) else ()):
        if isinstance(says, ir.DictAttr) and CONSTANT in says:
            found[ir.StringAttr(says[CONSTANT]).value] = i, types[i]
    return found


def _captured(functions: Sequence[ir.Operation]) -> dict[int, Any]:
    """Type of each array that is captured, by its index."""
    found: dict[int, Any] = {}
    for function in functions:
        found |= captured_types(function)
    return dict(sorted(found.items()))


def _fitting(x: Any, name: str, type_: Any, caller: str) -> np.ndarray[Any, Any]:
    array = np.asarray(x)
    if array.dtype == object:
        raise TypeError(f"{caller}: constant {name!r} is no array, but {type(x).__name__}")
    if array.dtype.kind == "V" and array.dtype.itemsize == numpy_of(type_.element_type).itemsize:
        array = array.view(numpy_of(type_.element_type))  # of bf16, files keep the bits alone
    known = dtype_name(array.dtype), tuple(array.shape)
    if known != (dtype_name(type_.element_type), tuple(type_.shape)):
        raise ValueError(
            f"{caller}: constant {name!r} is {known[0]}{list(known[1])}, but the program captured "
            f"{type_}"
        )
    return array
