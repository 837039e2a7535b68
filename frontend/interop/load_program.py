"""`load`: a program from a file, as a function."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anvl import tree
from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.text import export_file
from anvl.dialect.text.artifacts import MAGIC
from anvl.dispatch.jit import jit
from anvl.interop.constants import Given
from anvl.interop.exported_function import load_export
from anvl.interop.file_paths import checked_path, content_of
from anvl.interop.imported_function import ImportedFunction, jitted
from anvl.interop.jax_export import Exported, NotExported, read_exported
from anvl.interop.read_program import read_program
from anvl.passes.functions.symbol_utils import functions_of
from anvl.runtime import default_target, hiding_frames
from anvl.sharding.meshes import Mesh

__all__ = ["load"]

_MAIN = "main"
_PLATFORM_INDEX = "_platform_index"


@hiding_frames
def load(
    path: str | os.PathLike[str],
    function: str = _MAIN,
    *,
    constants: Given = None,
    classes: Mapping[str, type] | None = None,
    mesh: Mesh | None = None,
) -> Callable[..., Any]:
    """Load a function from a file of `anvl.export`, or a program of others as such a function.

    It takes its arguments also by name.  Sizes that are unknown (`tensor<?x3xf32>`) are those of
    each call.  Sources: StableHLO; for `jax.export`, JAX's `jax/_src/export/serialization.fbs`.

    Parameters
    ----------
    path : str or path
        A file of `anvl.export` (`model.anvl`), or of `jax.export` (`exported.serialize()`); or a
        module of MLIR in StableHLO, CHLO or anvl's ops: text, bytecode or an artifact.
    function : str
        The name of the function to load; an exported file has one.
    constants : dict of arrays, or path of an `.npz` file, optional
        The arrays that a program of `lowered.mlir(stage)` captured, as `lowered.constants(stage)`
        has them: needed for the stages before "constants"; later ones else are arguments.
    classes : dict of str to class, optional
        For a file of `anvl.export`: containers that have another name now, by their former ones,
        `{"__main__:Params": model.Params}`: nothing is imported by a name in a file.
    mesh : Mesh, optional
        Where it runs: see `from_stablehlo`; shardings of an export are over the first devices.

    Returns
    -------
    A jitted function of arrays of these dtypes and shapes.  It returns an array, or a tuple; an
    exported function takes and returns the containers that it was exported with.

    Raises
    ------
    OSError
        The file cannot be read.
    ExportError
        A file of `anvl.export` is damaged, or newer than this anvl, or needs a class.
    TypeError, ValueError
        No name of a file; or a file that is empty, none of these, or lacks function or constants.

    Examples
    --------
    >>> import anvl, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "power.anvl"
    >>> anvl.export(lambda base, exponent: base**exponent, 2.0, 3.0).save(path)
    >>> power = anvl.load(path)
    >>> print(power(3.0, exponent=3.0), anvl.grad(power)(3.0, 3.0))
    27.0 27.0
    """
    data = _content(path := checked_path(path, "load"))
    if data.startswith(export_file.MAGIC):
        return _of_anvl(path, data, function, constants, classes, mesh)
    program = _text_or_bytes(data)
    if isinstance(program, bytes) and not program.startswith(MAGIC):
        return _exported(program, path, function, constants, mesh)
    module = read_program(program, "load", path)
    return jitted(ImportedFunction(module, function, f"load: {path}", constants, mesh))


def _content(path: str) -> bytes:
    if os.path.isdir(path):
        raise IsADirectoryError(f"load: {path!r} is a folder; give a file in it")
    data = content_of(path, "load")
    if not data.strip():
        says = f"has {len(data)} bytes, all of them blank" if data else "is empty"
        raise ValueError(f"load: {path}: the file {says}; was writing it interrupted?")
    return data


def _of_anvl(
    path: str,
    data: bytes,
    function: str,
    constants: Given,
    classes: Mapping[str, type] | None,
    mesh: Mesh | None,
) -> Callable[..., Any]:
    if constants is not None or function != _MAIN:
        says = "a file of anvl.export holds one function and its constants"
        raise ValueError(f"load: {path}: {says}; leave out function= and constants=")
    return load_export(path, data, classes or {}, mesh)


def _text_or_bytes(data: bytes) -> str | bytes:
    """The text of a file; its bytes if it is bytecode, or is no text."""
    if data.startswith(MAGIC) or b"\0" in data:
        return data
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _exported(
    data: bytes, path: str, name: str, constants: Given, mesh: Mesh | None
) -> Callable[..., Any]:
    """The function in a file of `jax.export`, of the pytrees that it was exported with."""
    if constants is not None:
        says = "a file of jax.export holds its constants; leave out constants="
        raise ValueError(f"load: {path}: {says}")
    try:
        exported = read_exported(data)
    except NotExported as error:
        raise ValueError(
            f"load: {path} is neither text, bytecode or an artifact of MLIR, nor a file of "
            f"jax.export: {error}"
        ) from None
    module = read_program(exported.module, "load", path)
    platform = _platform_index(module, exported, path, name)
    function = ImportedFunction(module, name, f"load: {path}", mesh=mesh)
    # Of i32, or of i64 where JAX had 64-bit types.
    platforms = [] if platform is None else [np.array(platform, function.inputs[0].dtype)]
    structure = tree.structure(exported.arguments)
    results = tree.structure(exported.results)
    inputs = len(function.inputs) - len(platforms)
    if inputs != len(exported.kept) or max(exported.kept, default=-1) >= structure.num_leaves:
        raise ValueError(
            f"load: {path}: its function takes {inputs} arrays, but its structures have "
            f"{structure.num_leaves}, of which it needs {len(exported.kept)}"
        )

    def imported(*args: Any, **kwargs: Any) -> Any:
        leaves, found = tree.flatten((args, kwargs))
        if found != structure:
            difference = tree.structure_difference(structure, found, "(args, kwargs)")
            raise TypeError(
                f"{exported.name}: was exported for arguments of another structure: {difference}"
            )
        found = function(*platforms, *(leaves[i] for i in exported.kept))
        return tree.unflatten(results, found if type(found) is tuple else [found])

    imported.__name__ = imported.__qualname__ = exported.name
    imported.__doc__ = f"{exported.name}: {function.described()}."
    return jit(imported)


def _platform_index(module: ir.Module, exported: Exported, path: str, name: str) -> int | None:
    """What a program for several platforms takes first: the position of the platform."""
    function = functions_of(module.operation).get(name)
    attributes = None if function is None else attribute_of(function, "arg_attrs")
    first = attributes[0] if isinstance(attributes, ir.ArrayAttr) and len(attributes) else None
    if not isinstance(first, ir.DictAttr) or "jax.global_constant" not in first:
        return None
    if ir.StringAttr(first["jax.global_constant"]).value != _PLATFORM_INDEX:
        return None
    platform = default_target().platform
    if platform not in exported.platforms:
        raise ValueError(
            f"load: {path} was exported for {', '.join(exported.platforms)}, not for {platform}"
        )
    return exported.platforms.index(platform)
