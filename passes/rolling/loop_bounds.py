"""Bound of what a loop can save: many programs that repeat stay, and need not be linked for that.

To link the repetitions of a stretch takes longer than to differentiate it, and then the model of
compilation (Note [Cost of repetition]) leaves programs of few short steps as they are.  So a bound
is asked first: no stretch takes longer to compile than all ops whose class occurs often enough, and
a loop takes its constant at least, of which that of a batch is the smallest.  (That of a scan of
numbers is smaller, but so few ops on numbers stay, too.)
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from anvl.passes.rolling.costs import kind_in_batch, worth_of_loop
from anvl.passes.rolling.fitted import COMPILATION
from anvl.passes.rolling.items import is_plain
from anvl.passes.rolling.orders import Asked

__all__ = ["may_pay"]


def may_pay(ops: Sequence[Any], least: int, asked: Asked) -> bool:
    """Whether a loop of ops of a block may be compiled faster than they are; in doubt, it may.

    The loop has at least `least` repetitions.
    """
    often = {rules for rules, count in Counter(map(type, ops)).items() if count >= least}
    if not all(map(is_plain, often)):
        return True
    repeated = [op for op in ops if type(op) in often and (type(op).diagonal or len(op.operands))]
    most = worth_of_loop("batch", asked.order)
    return _price(repeated, asked.members, most) > most


def _price(ops: Sequence[Any], members: int, most: float) -> float:
    """The price of compiling all of these ops, added up until it is more than `most`."""
    known: dict[Any, float] = {}  # of elementwise ops whatever their shapes, of others by types
    total = 0.0
    for op in ops:
        rules: Any = type(op)
        kind = rules if rules.diagonal else (rules, op.result.type, *[x.type for x in op.operands])
        price = known.get(kind)
        if price is None:
            price = known[kind] = COMPILATION[kind_in_batch(op, members)]
        total += price
        if total > most:
            break
    return total
