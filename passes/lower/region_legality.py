"""Check after lowering of the ops allowed in bodies, such as the combiner of `reduce`.

XLA compiles a body to a scalar function.  XLA:CPU does not refuse ops that need memory or a thread
of their own there (a loop, a library call, a sort, a matrix product): it crashes the process.  So
they are refused here, by the observed behaviour of XLA 0.10 to 0.12 for each op.
"""

from typing import Any

from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.passes.framework.walk import find

__all__ = ["check_bodies"]

_HOSTS = frozenset(
    f"stablehlo.{name}"
    for name in ("map", "reduce", "reduce_window", "scatter", "select_and_scatter", "sort")
)
_NEVER = (
    "stablehlo.cholesky",
    "stablehlo.custom_call",
    "stablehlo.fft",
    "stablehlo.rng",
    "stablehlo.select_and_scatter",
    "stablehlo.sort",
    "stablehlo.triangular_solve",
    "stablehlo.while",
)
# Comparators of sorts are compiled by another part of XLA, without calls: reduce by hand there.
_NOT_IN_SORT = ("stablehlo.reduce", "stablehlo.reduce_window", "stablehlo.scatter")
_CHOICES = ("stablehlo.case", "stablehlo.if")
# Operand rank from which on XLA compiles an op to a loop or a library call.
_BY_RANK = {"stablehlo.dot_general": 2, "stablehlo.dot": 2, "stablehlo.convolution": 9}


_WHAT_NOT = (
    "no loop, library call, sort or matrix product in a body",
    "no loop, library call, product or reduction of arrays in a comparator",
)


def check_bodies(pass_name: str, module: ir.Operation, platform: str) -> None:
    """Raise `PassError` for a body with an op that XLA cannot compile there.

    On an H200 a choice in a body ended the process: it is refused elsewhere than on the CPU.  The
    module is StableHLO.  Calls are not followed: a body that calls a function with a loop is
    detected only after inlining.
    """
    choices = () if platform == "cpu" else _CHOICES
    for op in find(module, *_NEVER, *_BY_RANK, *_NOT_IN_SORT, *choices):
        host, region = _host(op)
        if host is not None and _is_bad(op, host):
            raise _refusal(pass_name, op, host, region)


def _host(op: ir.Operation) -> tuple[ir.Operation | None, int]:
    """The innermost op whose body contains this op, and the index of the body."""
    inner, outer = op, op.parent.operation
    while outer.name != "func.func" and outer.parent is not None:
        if outer.name in _HOSTS:
            block = _block_below(outer, inner)
            return outer, block
        inner, outer = outer, outer.parent.operation
    return None, 0


def _block_below(outer: ir.Operation, inner: ir.Operation) -> int:
    return next(i for i, r in enumerate(outer.regions) if any(b == inner.block for b in r.blocks))


def _is_bad(op: ir.Operation, host: ir.Operation) -> bool:
    in_sort = _is_in_sort(host)
    if op.name in _NOT_IN_SORT:  # a scatter of one update becomes plain ops
        return in_sort or (op.name == "stablehlo.scatter" and _updates(op) > 1)
    if op.name in _BY_RANK:
        limit = 1 if in_sort else _BY_RANK[op.name]
        return any(ir.ShapedType(x.type).rank >= limit for x in op.operands)
    return True


def _is_in_sort(host: ir.Operation | None) -> bool:
    while host is not None:
        if host.name == "stablehlo.sort":
            return True
        host, _ = _host(host)
    return False


def _updates(op: ir.Operation) -> int:
    """Number of windows that a scatter writes: the size of its indices without their vector."""
    indices: Any = ir.ShapedType(op.operands[len(op.operands) // 2].type)
    dimensions = str(op.attributes["scatter_dimension_numbers"])
    at = int(dimensions.partition("index_vector_dim = ")[2].partition(",")[0].rstrip(">") or 0)
    count = 1
    for axis, n in enumerate(indices.shape):
        count *= 1 if axis == at else n
    return count


def _refusal(pass_name: str, op: ir.Operation, host: ir.Operation, region: int) -> PassError:
    bodies = OPS[host.name].bodies if host.name in OPS else ["body"]
    name = bodies[region] if region < len(bodies) else "body"
    what = op.name
    if op.name == "stablehlo.custom_call":
        what += f" of {op.attributes['call_target_name']}"
    where = str(op.location)
    what_not = _WHAT_NOT[host.name == "stablehlo.sort"]
    return PassError(
        pass_name,
        f"{host.name.partition('.')[2]}: its {name} contains {what}, created at {where[4:-1]}; XLA "
        f"compiles {what_not}; compute on whole arrays, before or after the op, "
        "or write the body with other functions",
        where,
    )
