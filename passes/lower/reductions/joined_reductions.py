"""Small reductions on the CPU, several of them in one loop."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

from anvl.dialect.core.captures import captured
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import kind
from anvl.passes.framework.managers import run_native
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import Hlo, maker
from anvl.passes.lower.partitioning.partitioned_pads import is_over_mesh

__all__ = ["combining", "combining_each", "join_reductions"]

# Note [Joined reductions]
#
# XLA:CPU makes each reduction a kernel, and one more of a function that two of them read, as a sum
# and its derivative do: it computes no exponential twice, and stores it for both.  A kernel takes
# 20 to 30 ms of a processor to compile.  But a reduction may have several results:
#
#     y = reduce(exp(x), add)            becomes      y, z = reduce(exp(x), exp(x) * a, add)
#     z = reduce(exp(x) * a, add)
#
# The same elements are combined in the same order, in one loop with all that makes them.  (Jaxlib
# 0.10.2, of 20 to 1,000 f32: two sums that share a function compile in 0.4 to 0.5 of the time, four
# in 0.35 to 0.45; they run in 0.95 to 1.05 of it up to 500 elements, of 1,000 in 1.0 to 1.15, and
# of 4,000 in up to 1.7, as the loop handles one element at a time.)  Without a function in common
# it may be one kernel more: what reads a result is a part of the kernel of a single reduction.
#
# So reductions of arrays of at most 512 elements that share a function are joined, if their arrays
# have one shape, they are along the same axes, and none depends on another.  What makes the
# elements of the later ones moves to the first: not in a program with effects, whose order would
# change, nor over a mesh, as XLA divides reductions of one result alone.  Sums of f16 and bf16
# stay: XLA adds them up in f32.

_REDUCE = "stablehlo.reduce"
_MOST, _MOST_CALLS = 512, 4095  # elements
_MOST_JOINED = 8
_MOST_MOVED = 200  # ops
_MOST_MET = 64  # ops, among which a function is looked for
_JOINED = frozenset(
    f"stablehlo.{name}" for name in ("add", "and", "maximum", "minimum", "multiply", "or")
)
_NARROW = ("f16", "bf16")
#: Functions that XLA computes once for all that read them.
_FUNCTIONS = frozenset(
    f"stablehlo.{name}"
    for name in (
        "atan2", "cbrt", "cosine", "divide", "exponential", "exponential_minus_one", "log",
        "log_plus_one", "logistic", "power", "rsqrt", "sine", "sqrt", "tan", "tanh",
    )
)  # fmt: skip
#: Those that are calls of the C library.
_CALLED = frozenset(
    f"stablehlo.{name}" for name in ("atan2", "cbrt", "cosine", "power", "sine", "tan")
)
#: Elementwise ops through which functions are looked for.
_FUSED = _FUNCTIONS.union(
    f"stablehlo.{name}"
    for name in (
        "abs", "add", "and", "broadcast_in_dim", "clamp", "compare", "convert", "maximum",
        "minimum", "multiply", "negate", "not", "or", "reshape", "select", "subtract", "transpose",
    )
)  # fmt: skip
#: Ops whose order among others matters, or that may have an effect.
_CALL = "stablehlo.custom_call"
_ORDERED = tuple(
    f"stablehlo.{name}"
    for name in (
        "all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute",
        "infeed", "outfeed", "recv", "reduce_scatter", "rng", "send",
    )
)  # fmt: skip

_hlo = Hlo("")


def join_reductions(module: ir.Operation) -> None:
    """Join small reductions of arrays of one shape, of which none depends on another."""
    if not _has_pair(module) or _has_order(module) or is_over_mesh(module):
        return
    # Equal ones are one, and those that nobody needs are not joined with others.
    run_native("func.func(cse,trivial-dce)", module)
    groups: dict[Any, list[_Joined]] = {}  # by what they share with others
    for place, (op, functions) in enumerate(_made_of_functions(module)):
        keys = [(_key(op), function) for function in functions]
        group = _taker(groups, keys, op, functions) or _Joined(op, functions, place)
        for key in keys:
            if not any(one is group for one in groups.setdefault(key, [])):
                groups[key].append(group)


def combining(op: ir.Operation) -> str | None:
    """The op by which a reduction of one array combines two elements, if it is a single one."""
    names = combining_each(op)
    return names[0] if names is not None and len(names) == 1 else None


def combining_each(op: ir.Operation) -> list[str] | None:
    """The ops by which a reduction combines the elements of each array, if each is a single one."""
    block, n = op.regions[0].blocks[0], len(op.results)
    ops, arguments = list(block.operations), list(block.arguments)
    if len(ops) != n + 1:
        return None
    names = []
    for made, x, y in zip(map(maker, ops[-1].operands), arguments, arguments[n:], strict=False):
        if made is None or list(made.operands) != [x, y]:
            return None
        names.append(made.name)
    return names


@dataclass
class _Joined:
    """Reductions that have become one op so far."""

    op: ir.Operation
    functions: set[ir.Operation]
    place: int

    def __post_init__(self) -> None:
        self._names = [_name(self.op)]

    def takes(self, other: ir.Operation, functions: set[ir.Operation]) -> bool:
        """Let a later reduction be a part of this one, if it shares a function; says whether."""
        if len(self._names) == _MOST_JOINED or not _is_cheaper(self.op, self.functions & functions):
            return False
        moved = _makers_behind(self.op, other)
        if moved is None:
            return False
        for op in moved:
            op.move_before(self.op)
        self.functions |= functions
        self._names.append(_name(other))
        with self.op.context, self.op.location, ir.InsertionPoint(self.op):
            made = self._made(other)
        for old, new in zip((*self.op.results, *other.results), made, strict=True):
            old.replace_all_uses_with(new)
        joined = made[0].owner.operation
        self.op.erase()
        other.erase()
        self.op = joined
        return True

    def _made(self, other: ir.Operation) -> list[ir.Value]:
        n = len(self.op.results)
        operands, (x, start) = list(self.op.operands), other.operands
        xs, starts = [*operands[:n], x], [*operands[n:], start]

        def body(hlo: Any, *elements: ir.Value) -> list[ir.Value]:
            pairs = zip(elements[: n + 1], elements[n + 1 :], strict=True)
            return [
                hlo(name, x, y, type=x.type)
                for name, (x, y) in zip(self._names, pairs, strict=True)
            ]

        return _hlo.reduce(xs, starts, Ints.decode(other.attributes["dimensions"]), body)


def _taker(
    groups: dict[Any, list[_Joined]],
    keys: Sequence[Any],
    op: ir.Operation,
    functions: set[ir.Operation],
) -> _Joined | None:
    """The first group that shares a function with a reduction, and has made it a part of it."""
    known = {group.place: group for key in keys for group in groups.get(key, ())}
    in_order = (known[place] for place in sorted(known))
    return next((group for group in in_order if group.takes(op, functions)), None)


def _name(op: ir.Operation) -> str:
    """The name by which `Hlo` emits the op that combines two elements of a small reduction."""
    return (combining(op) or "").removeprefix("stablehlo.")


def _has_pair(module: ir.Operation) -> bool:
    """Whether two reductions may share a function, once equal ones are one."""
    seen: set[Any] = set()
    for op, functions in _made_of_functions(module):
        of_one = {(_key(op), function.name) for function in functions}
        if not seen.isdisjoint(of_one):
            return True
        seen |= of_one
    return False


def _made_of_functions(module: ir.Operation) -> Iterator[tuple[ir.Operation, set[ir.Operation]]]:
    """Small reductions whose elements are made of functions, with these."""
    plain: dict[int, set[ir.Operation]] = {}  # ops that are made of none, by their elements
    for op in find(module, _REDUCE):
        x = op.operands[0].type
        if _is_small(x) and len(op.results) == 1:
            functions = _functions(op, plain.setdefault(prod(x.shape), set()))
            if functions and combining(op) in _JOINED:
                yield op, functions


@lru_cache(1024)
def _is_small(type_: Any) -> bool:
    if not type_.has_static_shape or not 1 < prod(type_.shape) <= _MOST_CALLS:
        return False
    return kind(type_.element_type) != "complex" and str(type_.element_type) not in _NARROW


def _key(op: ir.Operation) -> Any:
    """Where it stands, the shape of its array, and its axes."""
    return op.block, tuple(op.operands[0].type.shape), op.attributes["dimensions"]


def _is_cheaper(op: ir.Operation, shared: Iterable[ir.Operation]) -> bool:
    """Whether a loop is as fast as one for each of the reductions that share functions."""
    names = {one.name for one in shared}
    return bool(names & _CALLED) or (bool(names) and prod(op.operands[0].type.shape) <= _MOST)


def _functions(op: ir.Operation, plain: set[ir.Operation]) -> set[ir.Operation]:
    """The functions of as many elements that the array of a reduction is made of.

    `plain` are ops that are made of none: those that are met on the way to none are added.
    """
    found, met, left = set[ir.Operation](), set[ir.Operation](), [op.operands[0]]
    count = prod(op.operands[0].type.shape)
    while left and len(met) < _MOST_MET:
        made = maker(left.pop())
        if made is None or made.name not in _FUSED or made in met or made in plain:
            continue
        met.add(made)
        if made.name in _FUNCTIONS and prod(made.results[0].type.shape) == count:
            found.add(made)
        left += made.operands
    if not found and not left:
        plain |= met
    return found


def _has_order(module: ir.Operation) -> bool:
    """Whether a program has effects, or ops whose order counts."""
    found = find(module, _CALL, *_ORDERED)
    return any(op.name != _CALL or _has_effect(op) for op in found)


def _has_effect(call: ir.Operation) -> bool:
    name = "has_side_effect"
    return name in call.attributes and bool(ir.BoolAttr(call.attributes[name]).value)


def _makers_behind(first: ir.Operation, later: ir.Operation) -> Sequence[ir.Operation] | None:
    """List the ops behind the first one that a later op needs, in order.

    None if it needs the first one itself, or too much.
    """
    found: dict[ir.Operation, None] = {}
    block, pending = first.block, [(later, iter(_read(later)))]
    while pending:
        op, values = pending[-1]
        made = next((m for m in map(maker, values) if m is not None and m.block == block), None)
        if made is None:
            pending.pop()
            if op != later:
                found[op] = None
        elif made == first or len(found) + len(pending) > _MOST_MOVED:
            return None
        elif made not in found and first.is_before_in_block(made):
            pending.append((made, iter(_read(made))))
    return list(found)


def _read(op: ir.Operation) -> list[ir.Value]:
    """The values from outside that an op and its regions read."""
    return [*op.operands, *captured(op)] if len(op.regions) else list(op.operands)
