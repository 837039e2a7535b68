"""Calls of Python, made by `custom_call`: functions of the process, and printing.

    "stablehlo.custom_call"(%x) {call_target_name = "anvl.python",
                                 backend_config = {name = "log", index = 0 : i64}, ...}

The program has the number of a function, which stays in Python, beside the program; what it prints
is in the text.  Note [Host calls].
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.create import full
from anvl.dialect.core.families import with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int, Int32, Text, Texts
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.effect_state import EffectState
from anvl.dialect.ops.indexing.scatter_windows import cut

__all__ = [
    "HOST_CALL",
    "PRINT",
    "PYTHON",
    "OrderState",
    "batched_host_call",
    "is_host_call",
    "is_ordered",
    "lowered_host_call",
    "ordered_call",
    "print_call",
    "python_call",
    "token_type",
]  # fmt: skip

# Note [Host calls]
#
# A call with a side effect updates the state "order": `anvl-functionalize-effects` gives it a token
# as its first operand and result, an i32 that says nothing.  Then it has no effect any more, as the
# next call needs its token: so passes may erase it where neither that nor its results are used,
# which is where a value is recomputed, and merge it with an equal one, which is the same call.  It
# must not run where it was not reached, though: it stays unsafe (`is_unsafe`).
#
# In a batch it is one call, whose operands and results all have the batch axis first; the host
# loops over the members.  `axes` counts the axes.

#: The targets of calls of functions, and of printing.
PYTHON, PRINT = "anvl.python", "anvl.print"

#: Attribute of the calls that lowering makes of these: what the host is to do.
HOST_CALL = "anvl.host_call"
_TARGET = "xla_ffi_python_cpu_callback"
_TYPED_FFI = 4


def token_type() -> Any:
    """The type of the value that puts calls in order."""
    return tensor([], element_type("i32"))


class OrderState(EffectState):
    """The order of calls: a token, which says nothing, and is never negative."""

    name = "order"
    allowed_in_rules = True

    def __init__(self, ops: Sequence[ir.Operation], n_members: int) -> None:
        self.types = [token_type()]

    def joined(
        self, before: Sequence[Value], members: Sequence[Value], is_implicit: bool
    ) -> Sequence[Value]:
        """The token of one member depends on the calls of all: they are one call, or one loop."""
        return [reshaped(cut(members[0], {0: 0}), ())]

    def tied(self, results: Sequence[Value], state: Sequence[Value]) -> Sequence[Value]:
        (token,) = state
        is_done = emit.compare(token, full(token.type, 0), comparison_direction="GE")
        return [emit.select(_spread(is_done, y.type.shape), y, full(y.type, 0)) for y in results]


def _spread(flag: Value, shape: Sequence[int]) -> Value:
    if not len(shape):
        return flag
    return emit.broadcast_in_dim(flag, shape=tuple(shape), broadcast_dimensions=())


def python_call(name: str, index: int) -> dict[str, Any]:
    """Parameters of a `custom_call` of the function of this number."""
    with context():
        return _params(PYTHON, {"name": Text.encode(name), "index": Int.encode(index)})


def print_call(message: str, names: Sequence[str]) -> dict[str, Any]:
    """Parameters of a `custom_call` that prints a message with the operands, of these names."""
    with context():
        config = {"message": Text.encode(message), "names": Texts.encode(names)}
        return _params(PRINT, config) | {"has_side_effect": True, "result_types": ()}


def _params(target: str, config: dict[str, ir.Attribute]) -> dict[str, Any]:
    return {
        "call_target_name": target,
        "backend_config": ir.DictAttr.get(config),
        "api_version": Int32.encode(_TYPED_FFI),
    }


def is_host_call(target: str) -> bool:
    """Whether a custom call is one of Python."""
    return target in (PYTHON, PRINT)


def is_ordered(config: Any) -> bool:
    """Whether a call has a token."""
    return isinstance(config, ir.DictAttr) and "ordered" in config


def _with(config: Any, **entries: ir.Attribute) -> ir.Attribute:
    kept = {entry.name: config[entry.name] for entry in config}
    return ir.DictAttr.get(kept | entries, context())


def ordered_call(
    xs: Sequence[Value], token: Value, result_types: Sequence[Any], params: dict[str, Any]
) -> tuple[Sequence[Value], Value]:
    """Emit a call in its order; returns its results, and the next token."""
    with context():
        config = _with(params["backend_config"], ordered=ir.BoolAttr.get(True))
    found = emit.custom_call(
        token, *xs, result_types=(token.type, *result_types),
        **params | {"backend_config": config, "has_side_effect": False},
    )  # fmt: skip
    return found[1:], found[0]


def batched_host_call(
    xs: Sequence[Value], batched: Sequence[bool], result_types: Any, params: dict[str, Any]
) -> Sequence[Value]:
    """Emit one call for all members; the token is one for all."""
    config = params["backend_config"]
    size = next(x.type.shape[0] for x, b in zip(xs, batched, strict=True) if b)
    if not is_ordered(config):
        return _call_of_all(xs, batched, result_types, params, size)
    token, *rest = xs
    if batched[0]:
        token = reshaped(cut(token, {0: 0}), ()) if size else full(token_type(), 0)
    if any(batched[1:]):
        found = _call_of_all(rest, batched[1:], result_types[1:], params, size, (token,))
        return [_repeated(found[0], size), *found[1:]]
    found = emit.custom_call(token, *rest, result_types=result_types, **params)
    return [_repeated(y, size) for y in found]


def _call_of_all(
    xs: Sequence[Value],
    batched: Sequence[bool],
    result_types: Any,
    params: dict[str, Any],
    size: int,
    token: tuple[Value, ...] = (),
) -> Sequence[Value]:
    config = params["backend_config"]
    axes = Int.decode(config["axes"]) if "axes" in config else 0
    types = (
        *(x.type for x in token),
        *(tensor([size, *t.shape], t.element_type) for t in result_types),
    )
    with context():
        config = _with(config, axes=Int.encode(axes + 1))
    operands = [*token, *with_batch_axis(xs, batched)]
    return emit.custom_call(*operands, result_types=types, **params | {"backend_config": config})


def _repeated(y: Value, size: int) -> Value:
    axes = tuple(range(1, y.type.rank + 1))
    return emit.broadcast_in_dim(y, shape=(size, *y.type.shape), broadcast_dimensions=axes)


def lowered_host_call(
    xs: Sequence[Value], target: str, result_types: Sequence[Any], config: Any
) -> Sequence[Value]:
    """Emit the call of XLA's handler; who compiles the program gives it the number of the host."""
    layouts = [_layouts(types) for types in ([x.type for x in xs], result_types)]
    op = ir.Operation.create(
        "stablehlo.custom_call",
        list(result_types),
        list(xs),
        {
            "call_target_name": ir.StringAttr.get(_TARGET),
            "api_version": Int32.encode(_TYPED_FFI),
            "has_side_effect": ir.BoolAttr.get(False),
            "backend_config": ir.DictAttr.get({}),
            "operand_layouts": layouts[0],
            "result_layouts": layouts[1],
            HOST_CALL: _with(config, target=Text.encode(target)),
        },
    )
    return list(op.results)


def _layouts(types: Sequence[Any]) -> ir.Attribute:
    """Row-major layouts."""
    texts = []
    for t in types:
        order = ", ".join(str(i) for i in reversed(range(t.rank)))
        texts.append(
            f"dense<[{order}]> : tensor<{t.rank}xindex>" if t.rank else "dense<> : tensor<0xindex>"
        )
    return ir.Attribute.parse(f"[{', '.join(texts)}]", context())
