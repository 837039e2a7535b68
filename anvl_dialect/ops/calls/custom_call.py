"""`custom_call`: a call of a platform's routine by name.

Source: StableHLO specification, `custom_call`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.families import with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operands, Results, Value, emit
from anvl.dialect.core.params.base import AnyAttribute, Bool, Int32, Param, Text
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.ops.calls.host_call import (
    OrderState,
    batched_host_call,
    is_host_call,
    is_ordered,
    lowered_host_call,
    ordered_call,
)
from anvl.dialect.ops.indexing.scatter_windows import cut

__all__ = ["TYPED_FFI", "CustomCallOp"]

TYPED_FFI = 4  # `api_version` of handlers that receive attributes by name
_OF_JAX = "mhlo.backend_config"


class MaybeAttribute(AnyAttribute):
    """An MLIR attribute, unchanged; an empty string if absent.

    MLIR's attributes cannot be compared with None.
    """

    optional = True
    default = ""

    @staticmethod
    def checked(value: Any) -> Any:
        if value != "" and not isinstance(value, ir.Attribute):
            raise TypeError(f"is {value!r}; it must be an MLIR attribute")
        return value


class MaybeText(Text):
    """A string; empty if absent."""

    optional = True
    default = ""


class ResultTypes(Param):
    """Types of all results, which nothing else determines."""

    attribute = False

    @staticmethod
    def of_op(op: ir.Operation) -> tuple[ir.Type, ...]:
        return tuple(y.type for y in op.results)

    @staticmethod
    def checked(value: Any) -> Any:
        types = value if isinstance(value, tuple | list) else (value,)
        for type_ in types:
            if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
                raise TypeError(f"is {value!r}; it must be a tuple of static tensor types of MLIR")
        return tuple(types)


class CustomCallOp(AnvlOp, name="custom_call", borrowed=True, pure=False):
    """Call the platform's routine `call_target_name`.  StableHLO `custom_call`, borrowed.

    `result_types` are the types that the routine returns.  Only the routine's author knows a
    derivative: make the call in the `lower` rule of an op of your own.  `batching` selects how to
    batch it: one call per member, or, if it is "broadcast", one call whose arrays all have the
    batch as first axis.  The targets `anvl.python` and `anvl.print` call Python: Note [Host calls].
    """

    xs: Operands
    call_target_name: Text
    result_types: ResultTypes
    has_side_effect: Bool
    backend_config: MaybeAttribute
    api_version: MaybeAttribute
    called_computations: MaybeAttribute
    operand_layouts: MaybeAttribute
    result_layouts: MaybeAttribute
    output_operand_aliases: MaybeAttribute
    batching: MaybeText
    ys: Results
    lifts = "stablehlo.custom_call"
    state = OrderState

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        """Lift JAX's form of a call, with the handler's attributes in JAX's own attribute."""
        found = attribute_of(op, _OF_JAX)
        if not isinstance(found, ir.DictAttr):
            return None
        config = {"backend_config": found, "api_version": Int32.encode(TYPED_FFI)}
        return list(op.operands), cls.read(op) | config

    @classmethod
    def result_type(
        cls, *types: Any, call_target_name: str, result_types: Any, **params: Any
    ) -> Any:
        if not call_target_name:
            raise TypeError("custom_call: call_target_name is empty; name a routine")
        return list(result_types)

    @classmethod
    def has_side_effects(cls, op: ir.Operation) -> bool:
        return bool(cls.read(op)["has_side_effect"])

    @classmethod
    def state_of(cls, op: ir.Operation) -> type[OrderState] | None:
        params = cls.read(op)
        has_effect = is_host_call(params["call_target_name"]) and params["has_side_effect"]
        return cls.state if has_effect else None

    @classmethod
    def as_values(
        cls, op: ir.Operation, state: Sequence[Value], number: int
    ) -> tuple[Sequence[Value], Sequence[Value]]:
        params = cls.read(op)
        types = params.pop("result_types")
        results, token = ordered_call(list(op.operands), state[0], types, params)
        return results, [token]

    @classmethod
    def is_ordered(cls, op: ir.Operation) -> bool:
        return is_ordered(cls.read(op)["backend_config"])

    @classmethod
    def unsafe(cls, op: ir.Operation, symbols: SymbolTable | None, seen: set[str]) -> bool:
        return cls.has_side_effects(op) or cls.is_ordered(op)

    @classmethod
    def operands_read(
        cls, op: ir.Operation, is_wanted: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[bool]:
        """The token is read for the next one alone: a repeated call has no place in the order."""
        count = len(op.operands)
        if not cls.is_ordered(op):
            return [any(is_wanted)] * count
        return [is_wanted[0], *[any(is_wanted)] * (count - 1)]

    @classmethod
    def undefined_of(cls, n_operands: int, op: ir.Operation | None = None) -> dict[int, str]:
        reason = "only the routine's author knows it"
        if op is not None:
            reason = _reason(**cls.read(op))
        return dict.fromkeys(range(n_operands), reason)

    @classmethod
    def adjoint(cls, gs: Any, xs: Any, ys: Any, **params: Any) -> Sequence[Any]:
        raise MissingRule(f"custom_call: {_reason(**params)}")

    @classmethod
    def tangent(cls, ts: Any, xs: Any, ys: Any, **params: Any) -> Sequence[Any]:
        raise MissingRule(f"custom_call: {_reason(**params)}")

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], result_types: Any, **params: Any
    ) -> Sequence[Value]:
        """Emit one call per member, or one for all if the author declared that the routine can."""
        count = next(x.type.shape[0] for x, b in zip(xs, batched, strict=True) if b)
        if params.get("batching") == "broadcast":
            types = tuple(tensor([count, *t.shape], t.element_type) for t in result_types)
            return emit.custom_call(*with_batch_axis(xs, batched), result_types=types, **params)
        if is_host_call(params["call_target_name"]):
            return batched_host_call(xs, batched, result_types, params)
        if count == 0:
            return [full(tensor([0, *t.shape], t.element_type), 0) for t in result_types]
        found = []
        for i in range(count):
            members = [
                reshaped(cut(x, {0: i}), x.type.shape[1:]) if b else x
                for x, b in zip(xs, batched, strict=True)
            ]
            ys = emit.custom_call(*members, result_types=result_types, **params)
            found.append([reshaped(y, (1, *y.type.shape)) for y in ys])
        return [emit.concatenate(*rows, dimension=0) for rows in zip(*found, strict=True)]

    @classmethod
    def lower(cls, hlo: Any, *xs: Value, **params: Any) -> Any:
        """Drop `batching`, which only anvl reads; call the host where Python is called."""
        target = params["call_target_name"]
        if is_host_call(target):
            return lowered_host_call(xs, target, params["result_types"], params["backend_config"])
        return emit.custom_call(*xs, **params | {"batching": ""})

    @classmethod
    def is_already_legal(cls, op: ir.Operation) -> bool:
        target = cls.read(op)["call_target_name"]
        return "batching" not in op.attributes and not is_host_call(target)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        # XLA knows this name on every platform; with nothing to partition it is the identity.
        def call(x: Any, dtype: str, **rest: Any) -> Any:
            params = {
                "call_target_name": "Sharding",
                "result_types": (tensor(x.shape, element_type(dtype)),),
                "backend_config": ir.StringAttr.get("", context()),
            }
            return [x], params | rest

        return draw.calls(
            call(draw.ints(2, 3), "i32"),
            call(draw.ints(4, 2), "i32", batching="broadcast"),
            # A call with side effects is batched also for an empty batch.
            call(draw.ints(2, dtype="i64"), "i64", has_side_effect=True),
            call(draw.bools(2, 1), "bool", has_side_effect=True, batching="broadcast"),
        )


def _reason(call_target_name: str, backend_config: Any, **params: Any) -> str:
    if is_host_call(call_target_name):
        name = backend_config["name"].value if "name" in backend_config else call_target_name
        return (
            f"anvl knows no derivative of the Python function {name}; give one with "
            "anvl.custom_jvp or anvl.custom_vjp"
        )
    return (
        f"anvl knows no derivative of the routine {call_target_name!r}; make the call in the "
        "`lower` rule of an op of your own, and write its `adjoint`"
    )
