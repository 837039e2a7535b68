"""The types of the arguments and results of a compiled program, read back from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from anvl.runtime.client import Placement
from anvl.runtime.sharding.placements import (
    Placing,
    ShardedPlacement,
    is_same_cut,
    named_by,
    tiling_of,
)
from anvl.runtime.types import ArrayType, array_type

__all__ = ["known_types"]

_STANDARD = {
    "pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
}  # fmt: skip
_SMALL = {"bf16": "bfloat16", "s2": "int2", "s4": "int4", "u2": "uint2", "u4": "uint4"}
_TYPE = r"\b([a-z]+\d*\w*)\[([\d,]*)\]"
_LAYOUT = r"(?m)entry_computation_layout=\{(.*?)\}(?:, [a-z_]+=|$)"


def known_types(
    handle: Any,
    place: Placement,
    arg_types: Sequence[ArrayType] | None,
    out_types: Sequence[ArrayType] | None,
    placing: Placing | None,
) -> tuple[Sequence[ArrayType], Sequence[ArrayType]]:
    """The given types of the arguments and results; those that are not given are read back.

    With `placing`, which finds the placements over several devices, results are where they are
    found, not where they were given.
    """
    if arg_types is not None:
        _check_arguments(handle, place, arg_types)
    if arg_types is None or out_types is None:
        arguments, results = _types_of(handle, place, placing or named_by(place))
        return (
            arguments if arg_types is None else arg_types,
            results if out_types is None else out_types,
        )
    if placing is None:
        return arg_types, out_types
    places = _result_places(handle, place, placing, len(out_types))
    return arg_types, [
        kind
        if is_same_cut(kind.placement, found)
        else array_type(kind.shape, kind.dtype, found, kind.weak_type)
        for kind, found in zip(out_types, places, strict=True)
    ]


def _check_arguments(handle: Any, place: Placement, arg_types: Sequence[ArrayType]) -> None:
    """Refuse a program that takes arguments in other tiles: some versions end the process then."""
    places = _places(handle.get_parameter_shardings(), place, named_by(place), len(arg_types))
    for position, (found, of) in enumerate(zip(places, arg_types, strict=False)):
        if isinstance(found, ShardedPlacement) and not is_same_cut(found, of.placement):
            raise ValueError(
                f"compile: argument {position} of the program is over {found}, and arg_types has "
                f"{of} over {of.placement}; give the argument this sharding in the program"
            )


def _types_of(
    handle: Any, place: Placement, placing: Placing
) -> tuple[list[ArrayType], list[ArrayType]]:
    """Types of the arguments and results, from the first line of the HLO text.

    Over several devices that has the types of the shards; the tiles tell those of the arrays.
    """
    layout = re.search(_LAYOUT, handle.get_hlo_text())
    if layout is None:
        raise ValueError(
            "compile: types of the program cannot be read back; pass arg_types and out_types"
        )
    arguments, _, results = layout[1].partition(")->")
    shardings = handle.get_parameter_shardings()
    places = _places(shardings, place, placing, arguments.count("["))
    return (
        _parsed_types(arguments, places),
        _parsed_types(results, _result_places(handle, place, placing, results.count("["))),
    )


def _result_places(
    handle: Any, place: Placement, placing: Placing, count: int
) -> Sequence[Placement]:
    """The placements of the results of a compiled program."""
    return _places(handle.get_output_shardings(), place, placing, count)


def _places(
    shardings: Sequence[Any] | None, place: Placement, placing: Placing, count: int
) -> list[Placement]:
    if not isinstance(place, ShardedPlacement) or len(place.devices) == 1 or not shardings:
        return [place.whole] * count
    found: list[Placement] = []
    for sharding in shardings:
        tiling = tiling_of(sharding, len(place.devices))
        if tiling is None:
            raise ValueError(
                f"compile: an argument or a result is not cut into tiles, {sharding}; give it a "
                "sharding of tiles or copies"
            )
        found.append(placing(tiling))
    return found


def _parsed_types(text: str, places: Sequence[Placement]) -> list[ArrayType]:
    """Types of arrays, given those of their shards as HLO text."""
    made = []
    for (name, dims), place in zip(re.findall(_TYPE, text), places, strict=True):
        shape = [int(n) for n in dims.split(",") if n]
        if isinstance(place, ShardedPlacement):
            for axis, n in enumerate(place.tiles):
                shape[axis] *= n
        made.append(array_type(shape, _dtype(name), place))
    return made


def _dtype(name: str) -> np.dtype[Any]:
    if name in _STANDARD:
        return np.dtype(_STANDARD[name])
    small = _SMALL.get(name) or re.sub(r"^f(\d)", r"float\1_", name)
    return np.dtype(getattr(ml_dtypes, small))
