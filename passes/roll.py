"""anvl-roll: repeated stretches of a program become loops and batches.

Python's loops unroll in a trace, and XLA compiles each repetition anew.  Before derivatives are
expanded, so that the derivative of 1,000 steps is that of one.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from anvl.dialect.core.effects import is_dce_able
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.expand.declarations import Expansion
from anvl.passes.framework.managers import run_native
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.dce import erase_unused_calls, run_on
from anvl.passes.functions.merge_functions import merge_equal
from anvl.passes.functions.symbol_utils import body_of, functions_of
from anvl.passes.rolling.costs import (
    features_of,
    is_compiled_faster,
    is_gradient_in_one_kernel,
    is_shorter,
    price_of_loop,
    run_features_of,
    why_slower,
)
from anvl.passes.rolling.emission import Writer
from anvl.passes.rolling.findings import Finding
from anvl.passes.rolling.forms import Form, form_of
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.loop_bounds import may_pay
from anvl.passes.rolling.orders import Asked, Orders
from anvl.passes.rolling.periods import repeats
from anvl.passes.rolling.samples import may_pay_by_samples
from anvl.passes.rolling.stretches import FEWEST_IN_TURN, Stretch, in_turn, linked

__all__ = ["Roll"]

_NAME = "anvl-roll"
_LONGEST = 100  # ops of a stretch that is named because it almost repeats

_Ops: TypeAlias = list[Any]  # the views of the ops of a block


@dataclass(frozen=True)
class Roll(Pass, argument=_NAME):
    """Write stretches of ops that repeat once: as a scan, or as a batch and a sum of its results.

    A stretch repeats if the same ops on the same types follow each other several times, linked in
    the same way: each repetition reads results of its own, of the ones before (which become
    carries), the same values from outside (constants), or other ones in each (rows of a stacked
    array; numbers become one literal).  Where each repetition only adds a term to a total, the
    terms are computed as a batch and summed.  Equal private functions become one before, so that
    calls of them are the same.

    By default a stretch is rolled where that saves compilation and costs no time in a run, by a
    model (Note [Cost of repetition]).  With `always`, all that repeats is rolled, and a program in
    which nothing does is an error.
    """

    anchor = "builtin.module"

    always: bool = option(False, help="roll all that repeats, whatever it costs")
    least: int = option(4, help="the smallest number of repetitions")
    report: bool = option(False, help="say on stderr what was rolled, and what not and why")
    #: Called with the findings; from Python only.
    on_report: Callable[[list[Finding]], None] | None = field(default=None, compare=False)

    def run(self, module: ir.Operation) -> None:
        if self.least < 2:
            raise PassError(_NAME, f"least is {self.least}; a stretch repeats at least 2 times")
        functions = functions_of(module)
        _erase_unread(module, functions)
        pending = self._repeating(functions, functions)
        findings: list[Finding] = []
        if pending:
            merge_equal(module, functions)
            expansion = Expansion(module, functions, _NAME)
            orders = Orders(expansion)
        while pending:
            (name, blocks), before = pending.pop(), set(functions)
            if name in functions and self._roll(name, blocks, expansion, orders, findings):
                made = [n for n in functions if n not in before]
                for one in made:
                    orders.add(one, like=name)
                pending += self._repeating(functions, [name, *made])
        if self.always and not findings:
            findings += self._nearest(functions)
        self._tell(list(dict.fromkeys(findings)))  # what stays is met again

    def _nearest(self, functions: dict[str, ir.Operation]) -> list[Finding]:
        """The stretch of each block that repeats, if too few times."""
        found = []
        for function in functions.values():
            for ops in _blocks(function) if body_of(function) is not None else ():
                block = Block(ops, lambda op: is_dce_able(op, functions))
                periods = range(1, min(len(block.items) // 2, _LONGEST) + 1)
                runs = repeats([item.symbol for item in block.items], 2, periods)
                found += [Finding.of_end(block, run) for run in runs[:1]]
        return found

    def _repeating(
        self, functions: dict[str, ir.Operation], names: Iterable[str]
    ) -> list[tuple[str, list[_Ops]]]:
        """Functions in which ops of the same names follow each other several times."""
        open_ones = [n for n in names if body_of(functions[n]) is not None]
        listed = [(n, list(_blocks(functions[n]))) for n in open_ones]
        return [(n, blocks) for n, blocks in listed if any(map(self._may_repeat, blocks))]

    def _roll(
        self,
        name: str,
        blocks: Iterable[_Ops],
        expansion: Expansion,
        orders: Orders,
        findings: list[Finding],
    ) -> bool:
        """Roll what repeats in the blocks of one function; returns whether anything does."""
        for ops in blocks:
            is_long = len(ops) > 2 * self.least and self._may_pay(ops, name, expansion, orders)
            if is_long and self._roll_block(ops, name, expansion, orders, findings):
                run_on(expansion.functions[name], "trivial-dce")
                return True
        return False

    def _may_pay(self, ops: _Ops, name: str, expansion: Expansion, orders: Orders) -> bool:
        """Whether it may be rolled, or what stays and why must be told."""
        if self.always or self.report or self.on_report is not None:
            return True
        asked, functions = orders.of(name), expansion.functions
        return may_pay(ops, self.least, asked) and may_pay_by_samples(
            ops, self.least, asked, lambda op: is_dce_able(op, functions)
        )

    def _may_repeat(self, ops: Sequence[Any]) -> bool:
        if len(ops) <= 2 * self.least:
            return False
        numbers: dict[type, int] = {}
        return bool(repeats([numbers.setdefault(type(op), len(numbers)) for op in ops], 2))

    def _roll_block(
        self,
        ops: Sequence[Any],
        name: str,
        expansion: Expansion,
        orders: Orders,
        findings: list[Finding],
    ) -> bool:
        block = Block(ops, lambda op: is_dce_able(op, expansion.functions))
        chosen: list[tuple[Stretch, Form]] = []
        for run in repeats([item.symbol for item in block.items], self.least):
            if any(run.start < s.end and s.start < run.start + run.length for s, _ in chosen):
                continue
            stretch = linked(block, run, self.least)
            if not isinstance(stretch, Stretch):
                findings.append(Finding.of_difference(block, run, stretch))
                continue
            for one, form in self._forms(block, stretch, orders.of(name)):
                why_not = self._why_not(block, one, form, orders, name)
                findings.append(Finding.of_stretch(block, one, form, why_not))
                if not why_not:
                    chosen.append((one, form))
                    break
        if not chosen:
            return False
        writer = Writer(block, name, expansion)
        for stretch, form in sorted(chosen, key=lambda found: found[0].start):
            writer.write(stretch, form)
        return True

    def _forms(self, block: Block, stretch: Stretch, asked: Asked) -> list[tuple[Stretch, Form]]:
        """Ways to write a stretch: that which is compiled in the least time is first."""
        found = [(stretch, form_of(block, stretch))]
        longer = in_turn(block, stretch, self.least if self.always else FEWEST_IN_TURN)
        if longer is not None:
            found.append((longer, form_of(block, longer)))
            found.sort(key=lambda way: price_of_loop(features_of(block, way[0], way[1], asked)))
        return found

    def _why_not(
        self, block: Block, stretch: Stretch, form: Form, orders: Orders, name: str
    ) -> str:
        asked = orders.of(name)
        read = features_of(block, stretch, form, asked)
        if self.always:
            return "" if is_shorter(read) else "it would not become shorter"
        if not is_compiled_faster(read):
            return "it would not be compiled faster"
        run = run_features_of(block, stretch, form, asked.members)
        if is_gradient_in_one_kernel(read, run) and not orders.is_value_read(name):
            return "its gradient is one kernel for all cores, and nothing else of it is read"
        return why_slower(read, run)

    def _tell(self, findings: list[Finding]) -> None:
        if self.on_report is not None:
            self.on_report(findings)
        if self.report:
            print("\n".join(map(str, findings)) or f"{_NAME}: nothing repeats", file=sys.stderr)
        if self.always and not any(one.is_rolled for one in findings):
            seen = "".join(f"; {one}" for one in findings[:3])
            raise PassError(
                _NAME,
                f"nothing repeats {self.least} times in the same way{seen}; leave out `always`, "
                "which is roll=True of jit",
            )


def _erase_unread(module: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    """Erase what nothing reads, as a loss of each step of which the last is returned.

    A loop would compute all of them: 20 steps ran for 9 times as long.  And in its derivative their
    cotangents are zeros, which an infinite slope makes NaN.
    """
    run_native("func.func(trivial-dce)", module)
    for function in functions.values():
        if body_of(function) is not None:
            erase_unused_calls(function, functions)


def _blocks(op: ir.Operation) -> Iterator[_Ops]:
    """The ops of each block in a function: of its body, then of choices and loops in it."""
    for region in op.regions:
        for block in region.blocks:
            ops = list(block.operations)  # a view of each op is made, and once is enough
            yield ops
            for inner in ops:
                if getattr(inner, "captures", False):
                    yield from _blocks(inner.operation)
