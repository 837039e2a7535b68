"""`Hlo`: what `lower` rules build StableHLO with."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from anvl.dialect.mlir import ir
from anvl.dialect.ops.create import splat
from anvl.dialect.params import Direction, Ints
from anvl.dialect.types import element_type, tensor

__all__ = ["Hlo"]


class Hlo:
    """Builds StableHLO ops for `lower` rules: `hlo("sine", x, type=x.type)`.

    `platform` is the one that the program will run on.
    """

    def __init__(self, platform: str) -> None:
        self.platform = platform

    def __call__(self, name: str, *xs: ir.Value, type: ir.Type, **attributes: Any) -> ir.Value:
        return _create(f"stablehlo.{name}", [type], xs, attributes or None).result

    def constant(self, type: ir.Type, value: complex) -> ir.Value:
        """An array of `type` whose elements all are `value`."""
        return self("constant", type=type, value=splat(type, value))

    def compare(self, x: ir.Value, y: ir.Value, direction: str) -> ir.Value:
        """Bools: how x compares with y."""
        bools = tensor(x.type.shape, element_type("bool"))
        return self("compare", x, y, type=bools, comparison_direction=Direction.encode(direction))

    def logic(self, name: str, *xs: ir.Value) -> ir.Value:
        """`and`, `or`, `not` of arrays of one type."""
        return self(name, *xs, type=xs[0].type)

    def reduce(
        self,
        xs: list[ir.Value],
        starts: list[ir.Value],
        axes: tuple[int, ...],
        body: str | Callable[..., list[ir.Value]],
    ) -> list[ir.Value]:
        """Combine along `axes`; `body` names a binary op, or is `f(hlo, *best, *next) -> best`."""
        operands = [*xs, *starts]
        template, _ = _template(self, tuple([x.type for x in operands]), axes, body)
        op = template.clone().operation
        for i, x in enumerate(operands):
            op.operands[i] = x
        op.location = ir.Location.current
        return list(op.results)


@lru_cache(1024)
def _template(
    hlo: Hlo,
    types: tuple[Any, ...],
    axes: tuple[int, ...],
    body: str | Callable[..., list[ir.Value]],
) -> tuple[ir.Operation, ir.Module]:
    """A reduce to copy, which is six times faster than to build one: its body is a block of ops.

    With the module that it is in: a handle to an op does not keep that alive.
    """
    kept = [n for i, n in enumerate(types[0].shape) if i not in axes]
    scalars = types[len(types) // 2 :]
    with ir.Location.unknown():
        module = ir.Module.create()
        block = _in_function(module, types)
        with ir.InsertionPoint(block):
            op = _create(
                "stablehlo.reduce",
                [tensor(kept, t.element_type) for t in scalars],
                list(block.arguments),
                {"dimensions": Ints.encode(axes)},
                regions=1,
            )
        inner = op.regions[0].blocks.append(*scalars, *scalars)
        with ir.InsertionPoint(inner):
            if isinstance(body, str):
                best = [hlo(body, *inner.arguments, type=scalars[0])]
            else:
                best = body(hlo, *inner.arguments)
            _create("stablehlo.return", [], best)
    return op, module


def _in_function(module: ir.Module, types: Sequence[Any]) -> ir.Block:
    """The block of a function in a new module, with arguments of these types."""
    function = _create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get("template"),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(types), [])),
        },
        regions=1,
        ip=ir.InsertionPoint(module.body),
    )
    return function.regions[0].blocks.append(*types)


_create = ir.Operation.create
