"""`anvl.case`: functions that do one of several things.

Each transformation of one is another: of the same transformation of each branch.
"""

from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.batching import repeated
from anvl.dialect.calls import (
    FUNCTION_RULES,
    Callee,
    FunctionRule,
    Motion,
    call,
    is_unsafe,
    supersede,
    symbol,
)
from anvl.dialect.families import differentiable
from anvl.dialect.folding import known_number
from anvl.dialect.loop_forms import needed_for
from anvl.dialect.loops import spread
from anvl.dialect.mlir import ir
from anvl.dialect.op import Value, emit
from anvl.dialect.ops.create import full, zeros_like
from anvl.dialect.params import Bool, Int, Symbol, Text
from anvl.dialect.scratch import Program, batch_of, values_and_jvp_of, vjp_of
from anvl.dialect.types import element_type, tensor

__all__ = ["WAYS", "Case"]


#: What to do with members of a batch that differ in the branch.
WAYS = ("select", "loop")


class Case(FunctionRule):
    """`{branches = [@a, @b, ...]}`: the index, which comes first, says which is called.

    An index below 0 means the first, one above the last.

    Members of a batch that differ in it: with `batch = "select"` every branch is computed for all,
    and each takes its own; with `batch = "loop"` a scan goes through them, and each computes its
    own alone.  Without, it is the first, but for branches that may not end or have an effect.
    """

    attribute = "anvl.case"
    form = "{branches = [@a, ...]}"
    declares = True
    lifts = ("stablehlo.case", "stablehlo.if")

    def check(self, f: Callee) -> None:
        inputs, outputs = f.types
        index = tensor([], element_type("i32"))
        if not inputs or inputs[0] != index:
            raise ValueError(f"its first argument must be {index}, which says the branch")
        branches = self.branches(f)
        way = self._way(f)
        if way not in (None, *WAYS):
            raise ValueError(f"batch is {way!r}; it must be {' or '.join(map(repr, WAYS))}")
        wanted = ir.FunctionType.get(inputs[1:], outputs)
        for branch in branches:
            found = ir.FunctionType.get(*branch.types)
            if found != wanted:
                raise ValueError(f"its branch @{branch.name} is {found}, but must be {wanted}")

    def write(self, f: Callee, xs: Sequence[Value]) -> Sequence[Value]:
        index, *operands = xs
        branches = self.branches(f)
        if f.default("select", 0):
            return _select(index, [call(branch, operands) for branch in branches])
        # StableHLO's own takes the last branch for an index below 0.
        index = emit.maximum(index, zeros_like(index))
        op = ir.Operation.create("stablehlo.case", f.types[1], [index], regions=len(branches))
        for region, branch in zip(op.regions, branches, strict=True):
            with ir.InsertionPoint(region.blocks.append()):
                ir.Operation.create("stablehlo.return", [], call(branch, operands))
        return list(op.results)

    def simplify(
        self, f: Callee, xs: Sequence[Value], is_used: Sequence[bool], motion: Motion
    ) -> Sequence[Value | None] | None:
        index, *operands = xs
        branches = self.branches(f)
        known = known_number(index)
        if known is not None or len(branches) == 1:
            at = 0 if known is None else min(max(int(known), 0), len(branches) - 1)
            return call(branches[at], operands)
        wanted = [i for i, used in enumerate(is_used) if used]
        programs = [b.program for b in branches]
        if not all(motion.may_go(op) for p in programs for op in list(p.block.operations)[:-1]):
            return None
        reads = [needed_for(p, [p.results[k] for k in wanted])[1] for p in programs]
        kept = [
            i
            for i in range(len(operands))
            if any(p.arguments[i] in read for p, read in zip(programs, reads, strict=True))
        ]
        if len(kept) == len(operands) and len(wanted) == len(is_used):
            return None

        def with_less(branch: Program) -> Callable[..., list[Value]]:
            cut = Program(branch.block, [branch.results[k] for k in wanted], branch)
            cut.arguments = [branch.arguments[i] for i in kept]
            return lambda *values: cut(*values)

        made = self._each(f, "simpler", with_less, [operands[i].type for i in kept])
        found = iter(call(made, [index, *(operands[i] for i in kept)]))
        return [next(found) if used else None for used in is_used]

    def lift(
        self, f: Callee, op: ir.Operation, parts: Sequence[Callee], outer: Sequence[Value]
    ) -> Sequence[Value]:
        (at,) = op.operands
        if op.name == "stablehlo.if":  # the first region is that of true
            index, branches = emit.convert(at, dtype="i32"), list(reversed(parts))
        else:  # StableHLO takes the last one for an index below 0
            last, branches = full(at.type, len(parts) - 1), list(parts)
            is_below = emit.compare(at, zeros_like(at), comparison_direction="LT")
            index = emit.select(is_below, last, at)
        operands = [index, *outer]
        request = {"branches": ir.ArrayAttr.get([symbol(b) for b in branches])}
        made = f.declare(
            "case",
            [x.type for x in operands],
            [y.type for y in op.results],
            {self.attribute: ir.DictAttr.get(request)},
        )
        return call(made, operands)

    def operands_read(self, f: Callee, is_wanted: Sequence[bool]) -> list[bool]:
        index, *operands = [False] * len(f.types[0])
        for branch in self.branches(f):
            program = branch.program
            results = zip(program.results, is_wanted, strict=True)
            read = program.read([y for y, wanted in results if wanted])
            pairs = zip(operands, program.arguments, strict=True)
            operands = [flag or x in read for flag, x in pairs]
        return [index or any(is_wanted), *operands]

    def bodies(self, f: Callee, moves: Sequence[bool]) -> Sequence[tuple[Program, Sequence[bool]]]:
        return [(branch.program, moves[1:]) for branch in self.branches(f)]

    def branches(self, f: Callee) -> list[Callee]:
        """The functions that it chooses from."""
        names = f.request(self)["branches"]
        if not isinstance(names, ir.ArrayAttr):
            raise TypeError("no list")
        if not len(names):
            raise ValueError("it has no branches")
        return [f.other(Symbol.decode(name)) for name in names]

    def _way(self, f: Callee) -> str | None:
        """What it says itself of members that differ in the branch."""
        request = f.request(self)
        return Text.decode(request["batch"]) if "batch" in request else None

    def adjoint(
        self, f: Callee, gs: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Any]:
        index, *operands = xs
        n = len(operands)
        seeds = [g for g in gs if g is not None]

        def pulled(branch: Program) -> Callable[..., list[Value]]:
            def emit_one(*values: Value) -> list[Value]:
                remaining = iter(values[n:])
                given = [None if g is None else next(remaining) for g in gs]
                found = vjp_of(branch, values[:n], given)
                pairs = zip(found, values[:n], strict=True)
                return [
                    zeros_like(x) if g is None else g for g, x in pairs if differentiable(x.type)
                ]

            return emit_one

        made = self._each(f, "adjoint", pulled, [v.type for v in (*operands, *seeds)])
        found = iter(call(made, [index, *operands, *seeds]))
        return [None, *[next(found) if differentiable(x.type) else None for x in operands]]

    def tangent(
        self, f: Callee, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Value | None]:
        index, *operands = xs
        n = len(operands)
        moving = [t for t in ts[1:] if t is not None]

        def pushed(branch: Program) -> Callable[..., list[Value]]:
            def emit_one(*values: Value) -> list[Value]:
                remaining = iter(values[n:])
                given = [None if t is None else next(remaining) for t in ts[1:]]
                found, moved = values_and_jvp_of(branch, values[:n], given)
                return [*found, *(t for t in moved if t is not None)]

            return emit_one

        made = self._each(f, "tangent", pushed, [v.type for v in (*operands, *moving)])
        found = call(made, [index, *operands, *moving])
        is_float = [differentiable(y.type) for y in ys]
        supersede(ys, found[: len(ys)])
        given = iter(found[len(ys) :])
        return [next(given) if flag else None for flag in is_float]

    def batch(self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]) -> Sequence[Value]:
        index, *operands = xs
        flags = list(batched[1:])
        if batched[0]:
            seen: set[str] = set()
            is_safe = not any(is_unsafe(branch, seen) for branch in self.branches(f))
            way = self._way(f) or ("select" if is_safe else "loop")
            return (self._selected if way == "select" else _looped)(f, index, operands, flags)

        def many(branch: Program) -> Callable[..., list[Value]]:
            return lambda *values: batch_of(branch, values, flags)

        made = self._each(f, "batched", many, [x.type for x in operands])
        return call(made, [index, *operands])

    def _selected(
        self, f: Callee, index: Value, operands: Sequence[Value], flags: Sequence[bool]
    ) -> Sequence[Value]:
        """Where members differ in the branch: all branches for all, and each takes its own.

        What a branch gives to a member that does not take it is no part of the result, nor of a
        derivative: `select` is safe from NaN.
        """
        size = index.type.shape[0]
        results = [
            self._of_all(branch.program, operands, flags, size) for branch in self.branches(f)
        ]
        return _select(index, results)

    def _of_all(
        self, branch: Program, operands: Sequence[Value], flags: Sequence[bool], size: int
    ) -> list[Value]:
        if any(flags):
            return batch_of(branch, operands, flags)
        return [repeated(y, size) for y in branch(*operands)]

    def _each(
        self,
        f: Callee,
        suffix: str,
        transformed: Callable[[Program], Callable[..., list[Value]]],
        types: Sequence[ir.Type],
    ) -> Callee:
        """A case of the transformations of the branches, which take what is of these types."""
        made = [b.add(suffix, transformed(b.program), types) for b in self.branches(f)]
        request = {"branches": ir.ArrayAttr.get([symbol(b) for b in made])}
        if "batch" in f.request(self):
            request["batch"] = f.request(self)["batch"]
        inputs = [tensor([], element_type("i32")), *types]
        attributes = {self.attribute: ir.DictAttr.get(request)}
        return f.declare(suffix, inputs, made[0].types[1], attributes)


def _select(index: Value, results: Sequence[Sequence[Value]]) -> Sequence[Value]:
    """Of the results of all branches those of one; `index` is one for all, or one for each."""
    found = results[0]
    for k, other in enumerate(results[1:], 1):
        at_least = emit.compare(index, full(index.type, k), comparison_direction="GE")
        found = [emit.select(spread(at_least, y), z, y) for y, z in zip(found, other, strict=True)]
    return found


def _looped(
    f: Callee, index: Value, operands: Sequence[Value], flags: Sequence[bool]
) -> Sequence[Value]:
    """A scan over the members: only the branch of each is computed for it."""
    marks = [True, *flags]
    xs = [index, *operands]
    gone = [i for i, mark in enumerate(marks) if mark]
    order = [*gone, *(i for i, mark in enumerate(marks) if not mark)]

    def one(*values: Value) -> list[Value]:
        given = dict(zip(order, values, strict=True))
        return call(f, [given[i] for i in range(len(xs))])

    inputs, outputs = f.types
    size = index.type.shape[0]
    request = {
        "body": symbol(f.add("member", one, [inputs[i] for i in order])),
        "carry": Int.encode(0),
        "xs": Int.encode(len(gone)),
        "length": Int.encode(size),
        "reverse": Bool.encode(False),
    }
    made = f.declare(
        "each",
        [xs[i].type for i in order],
        [tensor([size, *y.shape], y.element_type) for y in outputs],
        {"anvl.scan": ir.DictAttr.get(request)},
    )
    return call(made, [xs[i] for i in order])


FUNCTION_RULES[Case.attribute] = Case()
