"""Model of what XLA pays for a stretch, unrolled and rolled.

Note [Cost of repetition]

Fitted to measurements with jaxlib 0.10.2 on two cores of an x86-64 (`benchmarks/roll_costs.py`
repeats them): XLA compiles an elementwise op of a long program and of its gradient in about 1.3 ms
(a unit here), a contraction or a reduction in half of that, and a reshape or a broadcast in a
tenth.  Rolled, the body is compiled once, and in addition the loop itself, each part of an array
that is put together (as the gradient takes it apart again), and each row that is read behind the
loop (whose gradient is an array of zeros but for it, of the size of all rows).

At run time a step of a loop costs 0.3 us more than the same ops inside a program, as long as
1,000 additions or 50 sines of single elements.  So a scan of steps that compute less than
`_LEAST_WORK` stays unrolled: the value of a scalar recurrence would take longer.  Above, a rolled
program was as fast or faster in all programs measured, by up to 8 times: XLA computes elementwise
ops of long fused programs more than once.  A batch has no such step.

The numbers are fixed, so that the text of a program does not depend on the machine.
"""

import math
from typing import Any

from anvl.dialect.control_flow.call import CallOp
from anvl.passes.rolling.forms import Form
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.stretches import Each, Stretch

__all__ = ["gain", "is_shorter", "too_little_work"]

_LOOP = 30.0  # to compile a loop, and the least gain that is worth one
_PART = 4.0
_ROW = 4.0
_FEWER = 10.0
_CALL = 5.0  # calls and ops with regions, which hold several ops
_KERNEL = 300.0  # an op that is not fused with others, in additions of one element
_LEAST_WORK = 64.0


def gain(block: Block, stretch: Stretch, form: Form) -> float:
    """What XLA's compiler saves by rolling; negative where it has more to do."""
    parts = sum(
        stretch.count
        for links in stretch.links
        for link in links
        if type(link) is Each and not _is_one_array(block, link)
    )
    rows = sum(len(stretch.wanted[key]) for key in form.stacked)
    return (stretch.count - 1) * _body(block, stretch) - _PART * parts - _ROW * rows - _LOOP


def is_shorter(block: Block, stretch: Stretch) -> bool:
    """Whether a loop has fewer ops that compute: so that rolling everything comes to an end."""
    return (stretch.count - 1) * _body(block, stretch) > _FEWER


def too_little_work(block: Block, stretch: Stretch, form: Form) -> bool:
    """Whether the steps of a loop would cost more than what they compute."""
    if form.is_batch:
        return False
    return sum(_work(block.items[stretch.start + o].op) for o in _inside(stretch)) < _LEAST_WORK


def _body(block: Block, stretch: Stretch) -> float:
    return sum(_compilation(block.items[stretch.start + o].op) for o in _inside(stretch))


def _inside(stretch: Stretch) -> list[int]:
    return [o for o in range(stretch.period) if o not in stretch.apart]


def _compilation(op: Any) -> float:
    rules: Any = type(op)
    if len(op.operation.regions) or op.operation.name == CallOp.OPERATION_NAME:
        return _CALL
    if getattr(rules, "diagonal", False):
        return 1.0
    return 0.1 if getattr(rules, "cheap", False) else 0.5


def _work(op: Any) -> float:
    """Time of an op in additions of one element."""
    rules: Any = type(op)
    is_cheap = getattr(rules, "cheap", False)
    elements = math.prod(op.results[0].type.shape)
    if getattr(rules, "diagonal", False):
        return float(elements * (1 if is_cheap else 20))
    return 0.0 if is_cheap else _KERNEL + elements


def _is_one_array(block: Block, link: Each) -> bool:
    """Whether the values become one array without being put together: by a rule."""
    makers = [block.maker_of(x) for x in link.values]
    rules: Any = type(makers[0])
    has_rule = hasattr(rules, "has_rule") and rules.has_rule("stacked")
    return has_rule and all(type(op) is rules for op in makers)
