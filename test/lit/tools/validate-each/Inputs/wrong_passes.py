"""Passes that leave valid IR and change what it computes, each in one way."""

from dataclasses import dataclass

from anvl.dialect import ir
from anvl.passes import Pass, find


@dataclass(frozen=True)
class DropNegations(Pass, argument="my-drop-negations"):
    """Put the operand of each negation in its place."""

    def run(self, module):
        for op in find(module, "anvl.neg"):
            op.result.replace_all_uses_with(op.operands[0])
            op.erase()


@dataclass(frozen=True)
class SwapOperands(Pass, argument="my-swap-operands"):
    """Swap the operands of each subtraction."""

    def run(self, module):
        for op in find(module, "anvl.sub"):
            op.operands[0], op.operands[1] = list(op.operands)[::-1]


@dataclass(frozen=True)
class Permute(Pass, argument="my-permute"):
    """Transpose square matrices the other way round: not at all."""

    def run(self, module):
        for op in find(module, "anvl.transpose"):
            op.attributes["permutation"] = ir.Attribute.parse("array<i64: 0, 1>")


@dataclass(frozen=True)
class Crash(Pass, argument="my-crash"):
    """Replace each sine by a call that ends the process of XLA."""

    def run(self, module):
        for op in find(module, "anvl.sin"):
            attributes = {
                "call_target_name": ir.StringAttr.get("TopK"),
                "mhlo.attributes": ir.Attribute.parse("{k = 2 : i64}"),
                "has_side_effect": ir.BoolAttr.get(True),
            }
            made = ir.Operation.create(
                "stablehlo.custom_call",
                [op.result.type],
                list(op.operands),
                attributes,
                ip=ir.InsertionPoint(op),
                loc=op.location,
            )
            op.result.replace_all_uses_with(made.result)
            op.erase()


@dataclass(frozen=True)
class CarelessRewrite(Pass, argument="my-careless-rewrite"):
    """Write x (y + z) as x y - x z."""

    def run(self, module):
        for op in find(module, "stablehlo.multiply"):
            x, total = op.operands
            if total.owner.name != "stablehlo.add":
                continue
            with ir.InsertionPoint(op), op.location:
                first, second = (
                    ir.Operation.create("stablehlo.multiply", [x.type], [x, y]).result
                    for y in total.owner.operands
                )
                made = ir.Operation.create("stablehlo.subtract", [x.type], [first, second])
            op.result.replace_all_uses_with(made.result)
            op.erase()
            total.owner.erase()
