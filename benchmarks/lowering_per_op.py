"""(g) Lowering 1,000 of each op of the dialect: none may be slow."""

from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.framework.pipeline import Pipeline
from anvl.testing.draw import Draw
from measure import in_turns, median, seconds
from rows import AtMost, Result, Row
from sides import Side

COUNT = {"full": 1_000, "quick": 1_000, "tiny": 3}
ROUNDS = {"full": 5, "quick": 3, "tiny": 1}
SHOWN = 10  # the slowest

MOST = 10  # microseconds an op
NONE = AtMost(0, "")

INCLUDED = (
    "the pass anvl-lower-to-stablehlo alone, on a function of 1,000 ops of one kind, each with "
    "operands of its own as in the op's sample, mostly f64; in brackets, how many ops of StableHLO "
    "one becomes, and what each of those costs; no jax: it has no such pass"
)


def run(sides: list[Side], scale: str) -> Result:
    count = COUNT[scale]
    result = Result("(g) lowering, for each op", INCLUDED)
    lowered = [op for op in OPS.values() if op.hlo is not None or op.has_rule("lower")]
    other = sorted(op.short_name for op in OPS.values() if op not in lowered)
    rows = [_row(op, count, ROUNDS[scale]) for op in lowered]
    rows.sort(key=lambda row: row.anvl, reverse=True)
    over = [row.details["op"] for row in rows if row.anvl > MOST]
    result.rows = [
        Row(f"ops that take more than {MOST} us, of {len(rows)}", "", len(over), target=NONE),
        Row("median of all", "us", median([row.anvl for row in rows])),
        *rows[:SHOWN],
    ]
    result.notes = [
        f"more than {MOST} us: {', '.join(over) or 'none'}",
        f"removed by other passes, or StableHLO's own: {', '.join(other) or 'none'}",
    ]
    return result


def _row(op_class: type[AnvlOp], count: int, rounds: int) -> Row:
    """Microseconds an op, and how many ops of StableHLO it becomes."""
    with context():
        call = op_class.sample(Draw(op_class.short_name))[0]
    pipeline = Pipeline(["anvl-lower-to-stablehlo"])

    def once() -> float:
        module = _module(op_class, call, count)
        return seconds(lambda: pipeline.run(module))

    becomes = _becomes(op_class, call, pipeline)  # this also makes the patterns
    (times,) = in_turns({"anvl": once}, rounds).values()
    name = op_class.short_name
    taken = median(times) / count * 1e6
    what = f"{name} (becomes {becomes}, {taken / max(becomes, 1):.1f} us each)"
    details = {"op": name, "becomes": becomes}
    return Row(what, "us", taken, details=details)


def _becomes(op_class: type[AnvlOp], call: Any, pipeline: Pipeline) -> int:
    """The number of ops, regions and functions included, that one op is lowered to."""
    module = _module(op_class, call, 1)
    pipeline.run(module)
    found: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return sum(name not in _AROUND for name in found)


_AROUND = ("builtin.module", "func.func", "func.return", "func.call")


def _module(op_class: type[AnvlOp], call: Any, count: int) -> ir.Module:
    """A function that does one call many times over, each on arrays of its own."""
    types = [tensor(x.shape, element_type(x.dtype)) for x in call.operands]
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        function = ir.Operation.create(
            "func.func",
            attributes={"sym_name": ir.StringAttr.get("main")},
            regions=1,
            ip=ir.InsertionPoint(module.body),
        )
        block = function.regions[0].blocks.append(*types * count)
        arguments = list(block.arguments)
        results: list[ir.Value] = []
        with ir.InsertionPoint(block):
            for i in range(count):
                found = op_class.build(
                    *arguments[i * len(types) : (i + 1) * len(types)], **call.params
                )
                results += found if isinstance(found, tuple | list) else [found]
            ir.Operation.create("func.return", [], results)
        signature = ir.FunctionType.get(types * count, [y.type for y in results])
        function.attributes["function_type"] = ir.TypeAttr.get(signature)
    return module
