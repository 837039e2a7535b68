"""anvl-sparsity: which elements of the arguments each element of a result depends on.

Walks the ops of a function and applies the `dependence` rule of each.  Names no op.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from anvl.dialect.control_flow.call import rule_of
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.sparsity.dependence_walk import dependences
from anvl.passes.expand.declarations import Expansion
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.symbol_utils import body_of, functions_of, needed_by, terminator_of

__all__ = ["Sparsity", "SparsityPattern"]

_NAME = "anvl-sparsity"


@dataclass(frozen=True)
class SparsityPattern:
    """Which elements of an argument the elements of a result depend on, both flat.

    Element `rows[k]` depends on element `columns[k]`; the pairs are in order.
    """

    result: int
    argument: int
    shape: tuple[int, int]
    rows: Any
    columns: Any


@dataclass(frozen=True)
class Sparsity(Pass, argument=_NAME):
    """Print which elements of the arguments each element of the results depends on.

    For each result and each argument of `function` that it depends on, a line on stderr for each
    run of rows whose columns stay, or move on with the row (`i`).  The pattern holds for all values
    of the arguments: it may have more elements than the derivative, never fewer.  Declared
    derivatives and batches must have been expanded.  The module is not changed.
    """

    anchor = "builtin.module"

    function: str = option("main", help="the function to look at")
    args: tuple[int, ...] = option((), help="positions of arguments; all where not given")
    results: tuple[int, ...] = option((), help="positions of results; all where not given")
    #: The captured arrays, by index, and who is told of the patterns in place of stderr.
    arrays: Sequence[Any] = field(default=(), compare=False)
    on_report: Callable[[list[SparsityPattern]], None] | None = field(default=None, compare=False)

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        function = functions.get(self.function)
        block = None if function is None else body_of(function)
        if function is None or block is None:
            known = ", ".join(f"@{n}" for n in functions) or "none"
            raise PassError(
                _NAME,
                f"there is no function @{self.function} with a body; the module has {known}: name "
                "one by function=",
            )
        ops = list(block.operations)[:-1]
        arguments, returned = list(block.arguments), list(terminator_of(block).operands)
        place = str(function.location)
        args = self._positions("args", self.args, len(arguments), "argument", place)
        results = self._positions("results", self.results, len(returned), "result", place)
        symbols = Expansion(module, functions, _NAME)
        _check_defined(self.function, functions)
        found = []
        for i in args:
            if not isinstance(arguments[i].type, ir.RankedTensorType):
                continue
            chosen = [returned[j] for j in results]
            sets, ids = dependences(ops, arguments[i], chosen, symbols, self.arrays)
            for j, of in zip(results, ids, strict=True):
                rows, columns = sets.pairs(of.reshape(-1))
                found.append(SparsityPattern(j, i, (of.size, sets.size), rows, columns))
        if self.on_report is not None:
            self.on_report(found)
            return
        for line in _described(self.function, found):
            print(line, file=sys.stderr)

    def _positions(
        self, name: str, given: Sequence[int], count: int, what: str, place: str
    ) -> Sequence[int]:
        for i in given:
            if not 0 <= i < count:
                raise PassError(
                    _NAME, f"{name} has {i}, but @{self.function} has {count} {what}s", place
                )
        return given or range(count)


def _check_defined(name: str, functions: dict[str, ir.Operation]) -> None:
    """Refuse declared transformations among the functions that this one calls."""
    for other in needed_by(name, functions):
        function = functions[other]
        if body_of(function) is None and rule_of(function) is None:
            problem = (
                f"@{name} calls @{other}, which has no body; run anvl-gradient, anvl-forward and "
                "anvl-vectorize first"
            )
            raise PassError(_NAME, problem, str(function.location))


def _described(name: str, patterns: Sequence[SparsityPattern]) -> Iterator[str]:
    for of in patterns:
        what = f"result {of.result} by argument {of.argument}"
        m, n = of.shape
        if not len(of.rows):
            yield f"{_NAME}: @{name}: {what}: none of {m}x{n}"
            continue
        yield f"{_NAME}: @{name}: {what}: {len(of.rows)} of {m}x{n}"
        for first, last, text in _runs(of):
            rows = f"row {first}" if first == last else f"rows {first}-{last}"
            yield f"  {rows}: {text}"


def _runs(of: SparsityPattern) -> Iterator[tuple[int, int, str]]:
    """Runs of rows whose spans of columns stay, or begin or end one further in each row."""
    counts = np.bincount(of.rows, minlength=of.shape[0])
    rows = [_spans(columns) for columns in np.split(of.columns, np.cumsum(counts)[:-1])]
    i = 0
    while i < len(rows):
        if not rows[i]:
            i += 1
            continue
        steps = _STEPS if len(rows[i]) == 1 else _STEPS[:2]
        end, step = max(((_end(rows, i, step), step) for step in steps), key=lambda run: run[0])
        yield i, end, _text(rows[i], i, step)
        i = end + 1


#: By how much the first and the last column of a span move on in each row; the first is preferred.
_STEPS = (0, 0), (1, 1), (0, 1), (1, 0)

_Spans: TypeAlias = list[tuple[int, int]]


def _spans(columns: Any) -> _Spans:
    """First and last of each run of columns without gaps."""
    if not len(columns):
        return []
    parts = np.split(columns, np.flatnonzero(np.diff(columns) != 1) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts]


def _end(rows: Sequence[_Spans], start: int, step: tuple[int, int]) -> int:
    """The last row of the run from `start` whose spans move on by `step` in each row."""
    end = start
    while end + 1 < len(rows) and rows[end + 1] == [
        (a + step[0], b + step[1]) for a, b in rows[end]
    ]:
        end += 1
    return end


def _text(spans: _Spans, row: int, step: tuple[int, int]) -> str:
    """Spans as text: `0..2 5`, or from the row where they move with it, `i-1..i+1`."""

    def end(column: int, moves: int) -> str:
        if not moves:
            return str(column)
        return f"i{column - row:+d}" if column != row else "i"

    texts = ((end(a, step[0]), end(b, step[1]), a == b) for a, b in spans)
    return " ".join(a if one and a == b else f"{a}..{b}" for a, b, one in texts)
