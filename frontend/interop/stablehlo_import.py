"""`from_stablehlo`: a StableHLO program as a function of anvl."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl.interop.constants import Given
from anvl.interop.imported_function import ImportedFunction, jitted
from anvl.interop.read_program import read_program
from anvl.runtime import hiding_frames
from anvl.sharding.meshes import Mesh

__all__ = ["from_stablehlo"]


@hiding_frames
def from_stablehlo(
    program: str | bytes,
    function: str = "main",
    *,
    constants: Given = None,
    mesh: Mesh | None = None,
) -> Callable[..., Any]:
    """Import a program in StableHLO, CHLO or anvl's own ops as a transformable function.

    Its ops become anvl's, its loops and choices too (`anvl-opt --anvl-lift`), so that even reverse
    mode through a `while` works.  A `shard_map` in it becomes one of anvl's, with its collectives.
    Shardings (Shardy) in bytecode are dropped, with a warning.  Bytes are first
    read by another process, which takes half a second, as malformed ones may end their reader.
    Raises `ValueError`, with MLIR's own message, for an invalid module or a missing function.
    Source: StableHLO specification.

    Parameters
    ----------
    program : str or bytes
        A module of MLIR: text, such as `jax.jit(f).lower(x).as_text()` or `lowered.mlir()`,
        bytecode, or an artifact, such as `jax.export.export(jax.jit(f))(x).mlir_module_serialized`.
    function : str
        The name of the function to import.
    constants : dict of arrays, or path of an `.npz` file, optional
        Arrays that the program captured: see `load`.
    mesh : Mesh, optional
        Where it runs, with the axes that it is written for.  By default where its arguments are;
        or, for a program with a `shard_map`, the first devices.

    Returns
    -------
    A jitted function of arrays of the program's dtypes and shapes (others raise `TypeError`), to
    which Python numbers are converted.  It returns an array, or a tuple of several.

    Examples
    --------
    >>> import anvl
    >>> square = anvl.from_stablehlo('''
    ... func.func @main(%x: tensor<f32>) -> tensor<f32> {
    ...   %0 = stablehlo.multiply %x, %x : tensor<f32>
    ...   return %0 : tensor<f32>
    ... }
    ... ''')
    >>> print(square(3.0), anvl.grad(square)(3.0))
    9.0 6.0
    """
    module = read_program(program, "from_stablehlo")
    return jitted(ImportedFunction(module, function, "from_stablehlo", constants, mesh))
