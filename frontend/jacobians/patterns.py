"""Patterns of derivatives: found in the program, or given by the person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anvl.core.avals import Aval
from anvl.core.importing import load_module
from anvl.core.trace_state import passes_lock
from anvl.core.tracing import Program
from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.functions.symbol_utils import functions_of, needed_by

if TYPE_CHECKING:
    from anvl.passes.sparsity import SparsityPattern

__all__ = ["Pairs", "given_pairs", "linear_patterns"]


class Pairs(NamedTuple):
    """Positions of elements that may differ from 0, in the order of the rows, and the shape."""

    rows: Any
    columns: Any
    shape: tuple[int, int]

    @classmethod
    def of(cls, rows: Any, columns: Any, shape: tuple[int, int]) -> Pairs:
        """Sorted, each once."""
        keys = np.unique(np.asarray(rows, np.int64) * max(shape[1], 1) + columns)
        return cls(keys // max(shape[1], 1), keys % max(shape[1], 1), shape)

    @property
    def transposed(self) -> Pairs:
        return Pairs.of(self.columns, self.rows, (self.shape[1], self.shape[0]))

    @property
    def keys(self) -> Any:
        """One number for each pair, ascending."""
        return self.rows * max(self.shape[1], 1) + self.columns

    def contains(self, other: Pairs) -> bool:
        return bool(np.isin(other.keys, self.keys).all())


# Note [Pattern of a linear map]
#
# The pattern of a Jacobian is that of the map from tangents to tangents, which is linear: in its
# program each value depends on the tangents or does not, and `anvl-sparsity` tells on which
# elements.  So all derivatives follow their own rules, also custom ones, and what has no derivative
# is not there: an index that is computed from values has no part in it.  The Hessian is the
# Jacobian of the gradient.


def linear_patterns(
    program: Program, name: str, moving: Sequence[int], results: Sequence[int]
) -> list[SparsityPattern]:
    """Patterns of results of a declared derivative by its directions, arguments at `moving`.

    The declaration is taken out of the program, which is under construction.  Raises `MissingRule`
    if the derivative is not defined.
    """
    # The passes are imported for sparse derivatives alone, not for every `anvl.hessian`.
    of_jit = load_module("anvl.passes.pipelines.jit_pipeline")
    pipeline = load_module("anvl.passes.framework.pipeline").Pipeline
    found: list[SparsityPattern] = []
    with passes_lock, context(), ir.Location.unknown():
        module = _standalone(program, name)
        functions_of(program.module.operation)[name].erase()
        report = load_module("anvl.passes.sparsity").Sparsity(
            function=_MAIN,
            args=tuple(moving),
            results=tuple(results),
            arrays=program.captured,
            on_report=found.extend,
        )
        # Loops stay declared, as scans: their steps are known.
        pipeline([*of_jit.transformations()[:-1], report]).run(module)
    return found


_MAIN = "linear map"


def _standalone(program: Program, name: str) -> ir.Module:
    """A module of a function and all that it needs, which a public one calls."""
    module = ir.Module.create()
    functions = functions_of(program.module.operation)
    end = ir.InsertionPoint(module.body)
    for other in (name, *needed_by(name, functions)):
        functions[other].clone(ip=end)
    inputs, outputs = signature_of(functions[name])
    type_ = functions[name].attributes["function_type"]
    attributes = {"sym_name": ir.StringAttr.get(_MAIN), "function_type": type_}
    main = ir.Operation.create("func.func", attributes=attributes, regions=1, ip=end)
    block = main.regions[0].blocks.append(*inputs)
    with ir.InsertionPoint(block):
        callee = ir.FlatSymbolRefAttr.get(name)
        call = ir.Operation.create(
            "func.call", outputs, list(block.arguments), attributes={"callee": callee}
        )
        ir.Operation.create("func.return", [], list(call.results))
    return module


def given_pairs(transform: str, sparsity: Any, result: Aval, argument: Aval) -> Pairs:
    """The pattern that a person gives: an array of bools, or a pair of rows and columns."""
    shape = result.size, argument.size
    if isinstance(sparsity, tuple | list) and len(sparsity) == 2:
        rows, columns = map(np.asarray, sparsity)
        if rows.ndim != 1 or rows.shape != columns.shape or not _are_whole(rows, columns):
            raise ValueError(
                f"{transform}: sparsity is a pair of {rows.dtype}{list(rows.shape)} and "
                f"{columns.dtype}{list(columns.shape)}; give two one-dimensional arrays of "
                "integers, equally long: the rows and the columns"
            )
        for what, found, count in (("row", rows, shape[0]), ("column", columns, shape[1])):
            bad = found[(found < 0) | (found >= count)]
            if len(bad):
                raise ValueError(
                    f"{transform}: sparsity has {what} {bad[0]}, but the Jacobian of {result} by "
                    f"{argument} has {count} {what}s"
                )
        return Pairs.of(rows, columns, shape)
    mask = np.asarray(sparsity)
    wanted = (*result.shape, *argument.shape)
    if mask.dtype != bool or mask.shape not in (shape, wanted):
        raise ValueError(
            f"{transform}: sparsity is {mask.dtype}{list(mask.shape)}; give 'auto', an array of "
            f"bools of shape {list(shape)}{f' or {list(wanted)}' if wanted != shape else ''}, or a "
            "pair of rows and columns"
        )
    rows, columns = np.nonzero(mask.reshape(shape))
    return Pairs.of(rows, columns, shape)


def _are_whole(*arrays: Any) -> bool:
    return all(x.dtype.kind in "iu" or not x.size for x in arrays)
