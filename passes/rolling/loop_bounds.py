"""Bound of what a loop can save: many programs that repeat stay, and need not be linked for that.

Note [Chains]

To link the repetitions of a stretch takes longer than to differentiate it, and then the model of
compilation (Note [Cost of repetition]) leaves most programs of 20 short steps as they are.  So a
bound is asked first.  No stretch takes longer to compile than all ops whose class occurs often
enough, and a loop takes its constant at least.  That of a batch is an eighth of that of a scan, but
the repetitions of a batch are independent.  In p * r ops, p in each of r repetitions, each of which
may add a term to a total, the longest path has at most p + r - 1 ops: if p and r are 2 or more, at
most 1 + n / 2 of n.  Where it has more in every part of a program, as where each step reads the one
before, there is no batch.  (Ops with other attributes in each repetition may be computed before a
batch: one that has long paths of them, and little else, stays unrolled.)
"""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, groupby, repeat
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.passes.rolling.costs import has_numbers, kind_in_batch, worth_of_loop
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
    most = worth_of_loop("arrays", asked.order)
    price = _price(repeated, asked.members, most)
    if price > most:
        return True
    if price <= worth_of_loop("batch", asked.order):
        return False
    if asked.members == 1 and has_numbers(repeated):  # their loop costs next to nothing
        return True
    return not _is_chain(ops, least)


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


def _is_chain(ops: Sequence[Any], least: int) -> bool:
    """Whether no ops of a block are a batch of `least` repetitions or more: Note [Chains]."""
    depths: dict[ir.Value, int] = {}
    known, longest, classes, zeros = depths.get, [0], [], repeat(0)
    for op in ops[:-1]:
        xs = op.operands
        if not len(xs):
            continue
        depth = 0
        if is_plain(type(op)):
            depth = depths[op.result] = 1 + max(map(known, xs, zeros))
        longest.append(max(depth, longest[-1]))
        classes.append(type(op))
    if any(len(list(same)) >= least for _, same in groupby(classes)):
        return False  # p is 1
    excess = [2 * depth - i for i, depth in enumerate(longest)]
    # Of the ops from a to b: more than 1 + n / 2, where they are 2 * least or more.
    behind = zip(excess[2 * least :], accumulate(excess, max), strict=False)
    return all(at_b - at_a > 2 for at_b, at_a in behind)
