"""Calls of routines for matrices, by whatever library, as calls of the same few of LAPACK.

    routine_call(op)    the name and the arguments of the routine that an op calls, or None

A program that JAX exports for a GPU or a TPU calls cuSOLVER, hipSOLVER or XLA's own routines, with
other names and options, and here and there another order of results.
Sources: LAPACK Users' Guide (3rd ed., 1999); NVIDIA, cuSOLVER (gesvd, gesvdj); jaxlib, the handlers
in `lapack_kernels.h` and `solver_kernels_ffi.h`; XLA, `custom_call_target`s of its TPU compiler.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.attributes import attribute_of, entries_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.ops.linalg.library_calls import layouts

__all__ = ["RoutineCall", "Stays", "routine_call", "routine_name"]

_CALL = "stablehlo.custom_call"
_CONFIGS = ("mhlo.backend_config", "backend_config")
_READ = {
    *_CONFIGS, "api_version", "call_target_name", "called_computations", "has_side_effect",
    "mhlo.frontend_attributes", "operand_layouts", "output_operand_aliases", "result_layouts",
}  # fmt: skip
_LIBRARIES = re.compile("(lapack_[sdcz]|cusolver_|hipsolver_)([a-z0-9]+)_ffi")
#: Routines without such a prefix, by target.
_OTHERS = {
    "cu_lu_pivots_to_permutation": "permutation",
    "hip_lu_pivots_to_permutation": "permutation",
    "Eigh": "eigh",
    "LuDecomposition": "lu",
    "ProductOfElementaryHouseholderReflectors": "orgqr",
    "Qr": "geqrf",
}


class RoutineCall(NamedTuple):
    """A call of a routine of LAPACK, with the letters of its options by name.

    `is_swapped` says that the last two of an SVD's matrices are v^H and u.
    """

    op: ir.Operation
    xs: Sequence[Value]
    ys: Sequence[Value]
    letters: Mapping[str, str]
    is_swapped: bool = False


class Stays(Exception):
    """No op gives the results of a call that the program reads."""


def routine_name(op: ir.Operation) -> str | None:
    """LAPACK's name of the routine that an op calls, without the letter of the dtype."""
    if op.name != _CALL:
        return None
    target = op.attributes["call_target_name"].value
    found = _LIBRARIES.fullmatch(target)
    return found[2] if found else _OTHERS.get(target)


def routine_call(op: ir.Operation) -> RoutineCall:
    """The call; raises `Stays` if it has another layout, or attributes that are not known."""
    if set(op.attributes) - _READ or _is_true(attribute_of(op, "has_side_effect")):
        raise Stays("it has a side effect or other attributes")
    options = _options(op)
    is_swapped = bool(options.pop("transposed", False))
    _check_layouts(op, is_swapped)
    return RoutineCall(op, list(op.operands), list(op.results), _letters(options), is_swapped)


def _options(op: ir.Operation) -> dict[str, Any]:
    configs = [attribute_of(op, name) for name in _CONFIGS]
    for config in configs:
        if isinstance(config, ir.DictAttr):
            entries = entries_of(config)
            if len(entries) != len(config):
                raise Stays("it has an option that Python cannot read")
            return {name: _read(value) for name, value in entries.items()}
        if isinstance(config, ir.StringAttr) and routine_name(op) == "eigh":
            lower, *_ = config.value.split(",")  # whether it sorts, its steps and its tolerance
            return {"lower": lower == "1"}
    return {}


def _check_layouts(op: ir.Operation, is_swapped: bool) -> None:
    """Matrices are column-major, and row-major for an SVD of the transpose."""
    n_batch = op.operands[0].type.rank - 2
    if routine_name(op) == "permutation":
        n_batch += 1
    for name, values in (("operand_layouts", op.operands), ("result_layouts", op.results)):
        ranks = [x.type.rank for x in values]
        # Of no batch axes that make a matrix, all axes are from minor to major as they are.
        wanted = layouts(max(ranks, default=0) if is_swapped else n_batch, *ranks)
        found = attribute_of(op, name)
        if found is not None and found != wanted:
            raise Stays(name)


def _read(attribute: ir.Attribute) -> Any:
    if isinstance(attribute, ir.BoolAttr | ir.IntegerAttr):
        return attribute.value
    raise Stays(f"an option is {attribute}")


def _letters(options: Mapping[str, Any]) -> dict[str, str]:
    """LAPACK's letters for options, which are flags in the other libraries."""
    letters = {}
    for name, value in options.items():
        if name == "lower":
            letters["uplo"] = "L" if value else "U"
        elif name not in _FLAGS:
            letters[name] = chr(value)
    if "compute_uv" in options:
        kind = "A" if options["full_matrices"] else "S"
        letters["mode"] = kind if options["compute_uv"] else "N"
    return letters


#: Flags of other libraries, and `algorithm`, by which cuSOLVER finds the same eigenvalues.
_FLAGS = frozenset({"algorithm", "compute_uv", "full_matrices"})


def _is_true(flag: ir.Attribute | None) -> bool:
    return isinstance(flag, ir.BoolAttr) and flag.value
