"""Model of what XLA pays for a stretch, unrolled and rolled.

Note [Cost of repetition]

The numbers are fixed, so that the text of a program does not depend on the machine.

Compilation: an elementwise op of a long program counts 1, a contraction or a reduction `_KERNEL`, a
reshape or a broadcast `_CHEAP`.  Rolled, the body is compiled once, and in addition the loop
itself, each part of an array that is put together (as the gradient takes it apart again), and each
row that is read behind the loop (whose gradient is an array of zeros but for it, of the size of all
rows).  The constants were chosen by hand.  `benchmarks/rolling_costs.py` measures eight families of
programs unrolled and rolled, and prints the constants that fit best beside these: of November 2026,
on a busy machine, they choose a way that takes 1.05 times the better one, where these take 1.21.
They are not in use: one number for all kernels makes layers with a weight each, which compile in
half of the time unrolled, a matter of some per cent.

Run, by hand after measurements of five bodies of a loop of 40 to 200 steps on 1 to 100,000
elements, with jaxlib 0.10.2 on two cores of an x86-64: a step of a loop takes 0.3 us more than the
same ops inside of a program, as long as 1,000 additions or 50 sines of one element, so steps that
compute less stay unrolled.  So do elementwise steps on arrays of more than `_MOST_ELEMENTS`: a loop
saves values of each step for its gradient, where XLA computes them again in the fusions of a long
program; of 100,000 elements that took 0.9 to 3.4 times as long.  Between these bounds rolled
gradients took 0.01 to 1.4 times the time of unrolled ones, and values 0.1 to 1.7 times, where one
program by itself varied by 1.6.  The terms of a batch are all there at once: up to `_MOST_TERMS`
elements they took 0.6 to 1.1 times as long as one after another, and beyond they take memory that
nothing else needs.
"""

import math
from typing import Any, NamedTuple

from anvl.dialect.control_flow.call import CallOp
from anvl.passes.rolling.forms import Form
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.stretches import Each, Stretch

__all__ = ["Features", "cost_of_running", "features_of", "gain", "is_shorter"]

_KERNEL = 0.5
_CHEAP = 0.1
_LOOP = 30.0
_PART = 4.0
_ROW = 4.0
_FEWER = 10.0
_CALL = 5.0  # calls and ops with regions, which hold several ops
_UNFUSED = 300.0  # an op that is not fused with others, in additions of one element
_LEAST_WORK = 1_000.0
_MOST_ELEMENTS = 4_096
_MOST_TERMS = 65_536
_LARGE = "its arrays are so large that XLA's fusions save more time in a run"


class Features(NamedTuple):
    """Counts of a stretch, from which the model computes what it takes to compile.

    Attributes
    ----------
    repetitions : int
    elementwise, kernels, cheap, calls : int
        Ops of a repetition: those that XLA fuses, contractions and reductions, reshapes and
        broadcasts, and those that hold several ops.
    parts, rows : int
        Values that are put together for the loop, and those that are taken from it.
    """

    repetitions: int
    elementwise: int
    kernels: int
    cheap: int
    calls: int
    parts: int
    rows: int


def features_of(block: Block, stretch: Stretch, form: Form) -> Features:
    """Count what the model of compilation reads."""
    kinds = [_kind(block.items[stretch.start + o].op) for o in _inside(stretch)]
    parts = sum(
        stretch.count
        for links in stretch.links
        for link in links
        if type(link) is Each and not _is_one_array(block, link)
    )
    rows = sum(len(stretch.wanted[key]) for key in form.stacked)
    elementwise, kernels, cheap, calls = map(kinds.count, _KINDS)
    return Features(stretch.count, elementwise, kernels, cheap, calls, parts, rows)


def gain(read: Features) -> float:
    """Units of compilation that rolling saves; negative where it adds some."""
    parts, rows = _PART * read.parts, _ROW * read.rows
    return (read.repetitions - 1) * _compilation(read) - parts - rows - _LOOP


def is_shorter(read: Features) -> bool:
    """Whether a loop has fewer ops that compute: so that rolling everything comes to an end."""
    return (read.repetitions - 1) * _compilation(read) > _FEWER


def cost_of_running(block: Block, stretch: Stretch, form: Form) -> str:
    """Why a loop would take longer to run than the unrolled program; empty if it would not."""
    ops = [block.items[stretch.start + o].op for o in _inside(stretch)]
    largest = max((_elements(op) for op in ops), default=0)
    if form.is_batch:
        return _LARGE if largest * stretch.count > _MOST_TERMS else ""
    if sum(map(_work, ops)) < _LEAST_WORK:
        return "a step computes less than a loop costs at run time"
    has_kernel = any(_kind(op) in ("kernel", "call") for op in ops)
    return _LARGE if largest > (_MOST_TERMS if has_kernel else _MOST_ELEMENTS) else ""


def _elements(op: Any) -> int:
    return math.prod(op.results[0].type.shape)


def _compilation(read: Features) -> float:
    """Units of compilation of one repetition."""
    plain = read.elementwise + _KERNEL * read.kernels + _CHEAP * read.cheap
    return plain + _CALL * read.calls


def _inside(stretch: Stretch) -> list[int]:
    return [o for o in range(stretch.period) if o not in stretch.apart]


_KINDS = ("elementwise", "kernel", "cheap", "call")


def _kind(op: Any) -> str:
    rules: Any = type(op)
    if len(op.operation.regions) or op.operation.name == CallOp.OPERATION_NAME:
        return "call"
    if getattr(rules, "diagonal", False):
        return "elementwise"
    return "cheap" if getattr(rules, "cheap", False) else "kernel"


def _work(op: Any) -> float:
    """Time of an op in additions of one element."""
    rules: Any = type(op)
    is_cheap = getattr(rules, "cheap", False)
    elements = _elements(op)
    if getattr(rules, "diagonal", False):
        return float(elements * (1 if is_cheap else 20))
    return 0.0 if is_cheap else _UNFUSED + elements


def _is_one_array(block: Block, link: Each) -> bool:
    """Whether the values become one array without being put together: by a rule."""
    makers = [block.maker_of(x) for x in link.values]
    rules: Any = type(makers[0])
    has_rule = hasattr(rules, "has_rule") and rules.has_rule("stacked")
    return has_rule and all(type(op) is rules for op in makers)
