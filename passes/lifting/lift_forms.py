"""Ops of StableHLO and CHLO in an older or longer form, rewritten to ops that anvl has.

`einsum`, `dot`, `broadcast`, `unary_einsum`, `torch_index_select`, CHLO's tangent and constants,
and its ops that broadcast their operands; constants of MLIR's `arith`; contractions whose operands
differ in precision; reductions of several arrays that do not depend on each other; collectives on
one device.
Source: StableHLO and CHLO, the documentation of their ops; NumPy's manual, `einsum`.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.counterparts import counterparts
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import DotDimensions, DotDims, Ints, Precision
from anvl.dialect.core.params.index_params import GatherDims
from anvl.dialect.core.types import is_array
from anvl.passes.lifting.lift_einsum import einsum
from anvl.passes.lower.hlo_builder import Hlo
from anvl.passes.lower.reductions.joined_reductions import combining_each

__all__ = ["lift_forms", "of_arrays", "replaced"]

_Form: TypeAlias = Callable[[ir.Operation], Sequence[Value] | None]


def lift_forms(module: ir.Operation) -> None:
    """Rewrite ops of other forms into the forms that the dialect has."""
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if (op.name in _FORMS or op.name.startswith(_BROADCASTING)) and of_arrays(op):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(collect)
    with module.context:
        for op in found:
            with op.location, ir.InsertionPoint(op), suppress(Exception):  # otherwise it stays
                results = _FORMS.get(op.name, _broadcasting)(op)
                if results is not None:
                    replaced(op, results)


def of_arrays(op: ir.Operation) -> bool:
    """Whether all operands and results of an op are arrays of anvl."""
    return all(is_array(x.type) for x in (*op.results, *op.operands))


def replaced(op: ir.Operation, results: Sequence[Value]) -> bool:
    """Replace the results of an op by values, if their types are equal."""
    if [z.type for z in results] != [y.type for y in op.results]:
        return False
    for y, z in zip(op.results, results, strict=True):
        y.replace_all_uses_with(z)
    op.erase()
    return True


def _as(name: str, op: ir.Operation, operands: Sequence[Value], **more: Any) -> Sequence[Value]:
    """Emit an op of another name, with the old attributes updated by these."""
    attributes = {key: value for key, value in op.attributes.items() if key not in more}
    attributes |= {key: value for key, value in more.items() if value is not None}
    return list(
        ir.Operation.create(name, [y.type for y in op.results], operands, attributes).results
    )


def _tan(op: ir.Operation) -> Sequence[Value]:
    return _as("stablehlo.tan", op, list(op.operands))


def _constant(op: ir.Operation) -> Sequence[Value]:
    return _as("stablehlo.constant", op, [])


def _constant_like(op: ir.Operation) -> Sequence[Value] | None:
    value = attribute_of(op, "value")
    if value is None:  # a complex number
        return None
    filled = ir.DenseElementsAttr.get_splat(op.results[0].type, value)
    return _as("stablehlo.constant", op, [], value=filled)


def _dot(op: ir.Operation) -> Sequence[Value]:
    x, y = op.operands
    dims = DotDims((), (), (x.type.rank - 1,), (0,))
    return _as(
        "stablehlo.dot_general", op, [x, y], dot_dimension_numbers=DotDimensions.encode(dims)
    )


def _broadcast(op: ir.Operation) -> Sequence[Value]:
    (x,), rank = op.operands, op.results[0].type.rank
    axes = Ints.encode(tuple(range(rank - x.type.rank, rank)))
    more = {"broadcast_sizes": None, "broadcast_dimensions": axes}
    return _as("stablehlo.broadcast_in_dim", op, [x], **more)


def _einsum(op: ir.Operation) -> Sequence[Value] | None:
    if set(op.attributes) - {"einsum_config", "precision_config"}:
        return None
    y = einsum(
        op.attributes["einsum_config"].value,
        list(op.operands),
        op.results[0].type.element_type,
        attribute_of(op, "precision_config"),
    )
    return None if y is None else [y]


def _torch_index_select(op: ir.Operation) -> Sequence[Value] | None:
    """Gather along axis `dim`; the axes of the indices take its place."""
    if set(op.attributes) - {"dim", "batch_dims"}:
        return None
    (x, indices), rank = op.operands, op.results[0].type.rank
    dim, batch = op.attributes["dim"].value, op.attributes["batch_dims"].value
    rest = dim + indices.type.rank - batch
    batching = tuple(range(batch))
    dims = GatherDims(
        offset_dims=(*range(batch, dim), *range(rest, rank)),
        collapsed_slice_dims=(dim,),
        operand_batching_dims=batching,
        start_indices_batching_dims=batching,
        start_index_map=(dim,),
        index_vector_dim=indices.type.rank,
    )
    sizes = [1 if i < batch or i == dim else n for i, n in enumerate(x.type.shape)]
    return [emit.gather(x, indices, dimension_numbers=dims, slice_sizes=tuple(sizes))]


def _separate_reductions(op: ir.Operation) -> Sequence[Value] | None:
    """A reduction for each array, where none is combined with another, as in a lowered program."""
    n, names = len(op.results), combining_each(op)
    if n < 2 or names is None:
        return None
    xs, starts, axes = op.operands[:n], op.operands[n:], Ints.decode(op.attributes["dimensions"])
    return [
        Hlo().reduce([x], [start], axes, name.removeprefix("stablehlo."))[0]
        for x, start, name in zip(xs, starts, names, strict=True)
    ]


def _of_one_precision(op: ir.Operation) -> Sequence[Value] | None:
    """Give both operands the higher of two precisions: each is a lower bound."""
    given = attribute_of(op, "precision_config")
    both = [str(one) for one in given] if isinstance(given, ir.ArrayAttr) else []
    if len(both) != 2 or both[0] == both[1]:
        return None
    names = ("DEFAULT", "HIGH", "HIGHEST")
    highest = max(names.index(one.rpartition(" ")[2].rstrip(">")) for one in both)
    more = {"precision_config": Precision.encode(names[highest])}
    return _as(op.name, op, list(op.operands), **more)


def _drop_trivial_groups(op: ir.Operation) -> Sequence[Value] | None:
    """Replace a collective in groups of one device by its operands."""
    groups = op.attributes["replica_groups"].type.shape
    return list(op.operands) if len(groups) == 2 and groups[1] == 1 else None


def _laid_out(op: ir.Operation) -> Sequence[Value] | None:
    """Replace a call that only constrains XLA's layout by its operand."""
    target = op.attributes["call_target_name"]
    return list(op.operands) if target == ir.StringAttr.get("LayoutConstraint") else None


_BROADCASTING = "chlo.broadcast_"


def _broadcasting(op: ir.Operation) -> Sequence[Value] | None:
    """Emit the op of that name, with operands broadcast to the shape of the result."""
    short = op.name.removeprefix(_BROADCASTING)
    names = (f"{dialect}.{short}" for dialect in ("stablehlo", "chlo"))
    name = next((name for name in names if name in counterparts()), None)
    if name is None:
        return None
    shape = tuple(op.results[0].type.shape)
    given = attribute_of(op, "broadcast_dimensions")
    operands = [_broadcast_to(x, shape, given) for x in op.operands]
    enums = {
        key: ir.Attribute.parse(str(value).replace("#chlo<", "#stablehlo<"))
        for key, value in op.attributes.items()
        if str(value).startswith("#chlo<")
    }
    return _as(name, op, operands, **enums | {"broadcast_dimensions": None})


def _broadcast_to(x: Value, shape: tuple[int, ...], given: ir.Attribute | None) -> Value:
    """Broadcast x to a shape: along the given axes if x has lower rank, else by its last axes."""
    if tuple(x.type.shape) == shape:
        return x
    axes = tuple(range(len(shape) - x.type.rank, len(shape)))
    if given is not None and x.type.rank < len(shape):
        axes = Ints.decode(given)
    return emit.broadcast_in_dim(x, shape=shape, broadcast_dimensions=axes)


_TOGETHER = ("all_gather", "all_reduce", "all_to_all", "reduce_scatter")

_FORMS: dict[str, _Form] = {
    "arith.constant": _constant,  # as torch-mlir writes scalars
    "chlo.tan": _tan,
    "chlo.constant": _constant,
    "chlo.constant_like": _constant_like,
    **dict.fromkeys((f"stablehlo.{name}" for name in _TOGETHER), _drop_trivial_groups),
    "stablehlo.dot_general": _of_one_precision,
    "stablehlo.convolution": _of_one_precision,
    "stablehlo.custom_call": _laid_out,
    "stablehlo.dot": _dot,
    "stablehlo.broadcast": _broadcast,
    "stablehlo.einsum": _einsum,
    "stablehlo.reduce": _separate_reductions,
    "stablehlo.unary_einsum": _einsum,
    "stablehlo.torch_index_select": _torch_index_select,
}
