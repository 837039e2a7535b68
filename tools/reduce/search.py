"""The search: reductions from coarse to fine, each on ever smaller groups of what it may change.

    search = Search(text, asker)
    search.run()
    search.best.text

Each candidate that is of interest must be smaller, by `size_of`, so the search ends; its order
depends on the module and the answers alone.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.tools.io.crash_guard import note
from anvl.tools.io.diagnostics import collected
from anvl.tools.reduce import function_edits, op_edits, shape_edits
from anvl.tools.reduce.judge import Answer, Asker

__all__ = ["Best", "Search", "op_count", "size_of"]


class Best(NamedTuple):
    """A module of interest: its text, its size, and why it is of interest."""

    text: str
    size: tuple[int, ...]
    ops: int
    answer: Answer


class _Candidate(NamedTuple):
    text: str
    module: ir.Module


class _Reduction(NamedTuple):
    """`sites` lists what may change in a module, `apply` changes some of it, in place.

    `in_order`: a site can change only after those before it.
    """

    what: str
    sites: Callable[[ir.Module], Iterable[Any]]
    apply: Callable[[ir.Module, Sequence[Any]], None]
    in_order: bool = False


def _call_each(_: ir.Module, edits: Sequence[op_edits.Edit]) -> None:
    for edit in edits:
        edit()


def _edits(what: str, sites: Callable[[ir.Module], Iterable[op_edits.Edit]]) -> _Reduction:
    return _Reduction(what, sites, _call_each)


_REDUCTIONS = (
    _edits("removing functions", function_edits.functions),
    _Reduction("returning earlier", op_edits.earlier_returns, _call_each, in_order=True),
    _Reduction(
        "removing results of functions",
        function_edits.results,
        partial(function_edits.without_parts, are_results=True),
    ),
    _edits("replacing results of ops", op_edits.values),
    _edits("replacing results of ops by arguments", op_edits.new_arguments),
    _edits("removing unused ops", op_edits.dead_ops),
    _edits("putting bodies in place of ops", op_edits.bodies),
    _edits("inlining calls", function_edits.calls),
    _Reduction(
        "removing arguments of functions",
        function_edits.arguments,
        partial(function_edits.without_parts, are_results=False),
    ),
    _edits("replacing results of ops by constants", op_edits.constants),
    _edits("simplifying constants", op_edits.literals),
    _edits("removing attributes", op_edits.attributes),
)


class Search:
    """Shrinks a module as long as the answer keeps its key."""

    def __init__(
        self, text: str, answer: Answer, asker: Asker, keep: Callable[[Best, int], None]
    ) -> None:
        """`keep` is given each best module, and the number of candidates so far."""
        self._asker, self._keep = asker, keep
        self._seen = {text}
        module = _parsed(text)
        self.best = Best(text, size_of(module, text), op_count(module), answer)
        self.tried = 1
        keep(self.best, self.tried)

    def run(self) -> None:
        """Shrink until nothing can be left out."""
        before = None
        while before != self.best.text:
            before = self.best.text
            for reduction in _REDUCTIONS:
                self._exhaust(reduction)
            self._exhaust_shapes()

    def _exhaust(self, reduction: _Reduction) -> None:
        """Try to change all at once, then halves, down to one at a time."""
        note(reduction.what)
        count = self._count(reduction)
        group = count
        while group:
            start = 0
            while start < count:
                if self._try(self._changed(reduction, start, start + group)):
                    count = self._count(reduction)  # others have taken their places
                else:
                    start += count if reduction.in_order else group
            group = min(group, count + 1) // 2

    def _exhaust_shapes(self) -> None:
        note("shrinking shapes")
        changes = list(shape_edits.shapes(self.best.text))
        while changes:
            change, *changes = changes
            if self._try(self._resized(change)):
                changes = list(shape_edits.shapes(self.best.text))

    def _count(self, reduction: _Reduction) -> int:
        with context(), ir.Location.unknown():
            module = _parsed(self.best.text)
            return len(list(reduction.sites(module)))

    def _changed(self, reduction: _Reduction, start: int, end: int) -> _Candidate | None:
        """The best module with some changes; None if they make it invalid."""
        module = _parsed(self.best.text)
        with context(), ir.Location.unknown(), collected(context(), ""):
            try:
                kept = {op for op in op_edits.ops_in(module) if not op_edits.is_used(op)}
                reduction.apply(module, list(reduction.sites(module))[start:end])
                op_edits.sweep(module, {op for op in kept if op.attached})
                module.operation.verify()
            except Exception:  # the verifier of a person's op may raise anything
                return None
        return _Candidate(module.operation.get_asm(assume_verified=True), module)

    def _resized(self, change: shape_edits.Resized) -> _Candidate | None:
        text = shape_edits.resized(self.best.text, change)
        with collected(context(), ""):
            try:
                return _Candidate(text, _parsed(text))
            except Exception:
                return None

    def _try(self, candidate: _Candidate | None) -> bool:
        """Whether a candidate is smaller and of interest; then it is the best."""
        if candidate is None or candidate.text in self._seen:
            return False
        text, module = candidate
        self._seen.add(text)
        size = size_of(module, text)
        if size >= self.best.size:
            return False
        self.tried += 1
        answer = self._asker.answer(text)
        if answer is None or answer.key != self.best.answer.key:
            return False
        self.best = Best(text, size, op_count(module), answer)
        self._keep(self.best, self.tried)
        return True


def _parsed(text: str) -> ir.Module:
    return ir.Module.parse(text, context())


def op_count(module: ir.Module) -> int:
    """The number of ops in functions, without terminators."""
    return len(op_edits.ops_in(module))


def size_of(module: ir.Module, text: str) -> tuple[int, ...]:
    """Ops and functions, constants, values in signatures, elements of arrays, characters."""
    ops = op_edits.ops_in(module)
    constants = sum(op.name in op_edits.CONSTANTS for op in ops)
    functions = [op.operation for op in module.body.operations]
    blocks = [b for op in functions for region in op.regions for b in region.blocks]
    taken = [x for block in blocks for x in block.arguments]
    returned = [x for block in blocks for x in _returned(block)]
    elements = sum(_elements(y.type) for op in ops for y in op.results)
    elements += sum(_elements(x.type) for x in taken)
    count = len(ops) - constants + len(functions)
    return count, constants, len(taken) + len(returned), elements, len(text)


def _returned(block: ir.Block) -> list[ir.Value]:
    operations = list(block.operations)
    return list(operations[-1].operation.operands) if operations else []


def _elements(type_: Any) -> int:
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        return 1
    count = 1
    for n in type_.shape:
        count *= n
    return count
