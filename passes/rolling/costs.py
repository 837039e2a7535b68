"""Model of what XLA pays for a stretch, unrolled and rolled.

Note [Cost of repetition]

The numbers were chosen by hand after measurements with jaxlib 0.10.2 on two cores of an x86-64, of
five bodies of a loop of 40 to 200 steps on 1 to 100,000 elements, forward and with the gradient;
`benchmarks/run.py --only l` measures six whole programs.  They are fixed, so that the text of a
program does not depend on the machine.

Compilation: an elementwise op of a long program counts 1, a contraction or a reduction half of
that, a reshape or a broadcast a tenth.  Rolled, the body is compiled once, and in addition the loop
itself, each part of an array that is put together (as the gradient takes it apart again), and each
row that is read behind the loop (whose gradient is an array of zeros but for it, of the size of all
rows).

Run: a step of a loop takes 0.3 us more than the same ops inside of a program, as long as 1,000
additions or 50 sines of one element, so steps that compute less stay unrolled.  So do elementwise
steps on arrays of more than `_MOST_ELEMENTS`: a loop saves values of each step for its gradient,
where XLA computes them again in the fusions of a long program; of 100,000 elements that took 0.9
to 3.4 times as long.  Between these bounds rolled gradients took 0.01 to 1.4 times the time of
unrolled ones, and values 0.1 to 1.7 times, where one program by itself varied by 1.6.  The terms of
a batch are all there at once: up to `_MOST_TERMS` elements they took 0.6 to 1.1 times as long as
one after another, and beyond they take memory that nothing else needs.
"""

import math
from typing import Any

from anvl.dialect.control_flow.call import CallOp
from anvl.passes.rolling.forms import Form
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.stretches import Each, Stretch

__all__ = ["cost_of_running", "gain", "is_shorter"]

_LOOP = 30.0  # to compile a loop, and the least gain that is worth one
_PART = 4.0
_ROW = 4.0
_FEWER = 10.0
_CALL = 5.0  # calls and ops with regions, which hold several ops
_KERNEL = 300.0  # an op that is not fused with others, in additions of one element
_LEAST_WORK = 1_000.0
_MOST_ELEMENTS = 4_096
_MOST_TERMS = 65_536
_LARGE = "its arrays are so large that XLA's fusions save more time in a run"


def gain(block: Block, stretch: Stretch, form: Form) -> float:
    """Units of compilation that rolling saves; negative where it adds some."""
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


def cost_of_running(block: Block, stretch: Stretch, form: Form) -> str:
    """Why a loop would take longer to run than the unrolled program; empty if it would not."""
    ops = [block.items[stretch.start + o].op for o in _inside(stretch)]
    largest = max((_elements(op) for op in ops), default=0)
    if form.is_batch:
        return _LARGE if largest * stretch.count > _MOST_TERMS else ""
    if sum(map(_work, ops)) < _LEAST_WORK:
        return "a step computes less than a loop costs at run time"
    has_kernel = any(_compilation(op) in (0.5, _CALL) for op in ops)
    return _LARGE if largest > (_MOST_TERMS if has_kernel else _MOST_ELEMENTS) else ""


def _elements(op: Any) -> int:
    return math.prod(op.results[0].type.shape)


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
    elements = _elements(op)
    if getattr(rules, "diagonal", False):
        return float(elements * (1 if is_cheap else 20))
    return 0.0 if is_cheap else _KERNEL + elements


def _is_one_array(block: Block, link: Each) -> bool:
    """Whether the values become one array without being put together: by a rule."""
    makers = [block.maker_of(x) for x in link.values]
    rules: Any = type(makers[0])
    has_rule = hasattr(rules, "has_rule") and rules.has_rule("stacked")
    return has_rule and all(type(op) is rules for op in makers)
