"""Model of what XLA pays for a stretch, unrolled and rolled.

Note [Cost of repetition]

Compilation is a sum of counts times constants, of the unrolled program and of the rolled one, and
the smaller sum decides: the rolled one, if it is smaller by a tenth.  Where less is predicted, of
12 programs that were measured five gained 0.2 to 0.4, and five ran 1.1 to 3 times as long.
`benchmarks/rolling_costs.py` measures programs of 16 families in both ways, fits the constants to
the ratios of their times, and writes them into `fitted.py`: they are fixed, so that the text of a
program does not depend on the machine.  What the families tell apart is what XLA makes of an op: a
reduction, a product with a vector, or a move of elements, which becomes part of several kernels,
takes as long to compile as dozens of elementwise ops, while a product of matrices is a call of a
library.  So steps of a recurrent net are worth a loop, and layers with a weight each are not.  A
loop that XLA:CPU makes one kernel of (Note [Loops of one kernel]) takes as long as 60 elementwise
ops on arrays, with that of its gradient, and one of which it calls a library in each step as 200;
each part of an array that is put together takes time, as the gradient takes it apart again, and so
does each row that is read behind the loop, whose gradient is an array of zeros but for it.  A
derivative of a derivative has a multiple of the ops, and not of the loops: a hessian of 5 steps of
7 elementwise ops is worth a loop, and their gradient from 6 on.  A function that `vmap` takes is
counted as what its batch becomes: a matrix times a vector as a product of matrices, and the
elements of all members.

The limits of a run were chosen by hand after measurements of five bodies of a loop of 40 to 200
steps on 1 to 100,000 elements, with jaxlib 0.10.2 on two cores of an x86-64; the script prints
which programs it rolls although they ran longer.  A loop of few elements is one kernel of XLA:CPU
(Note [Loops of one kernel]), which takes 1 us more than to compute a number in the kernel that
reads it: so steps on numbers that compute less than 1,000 additions, or 50 sines, in all stay
unrolled, if they compile soon.  With a gradient loops of 100 to 400 steps on 1 to 64 elements ran
in 0.2 to 1.05 of the time.  Steps with products of matrices are calls in a loop, too, 1 us beside
each step for the counter and for what is saved: 20 layers of a batch of 8 to 500 vectors ran in
1.04 to 1.15 of the time with their gradient, and stay unrolled, as far as that takes under a second
to compile.  Elementwise steps on arrays of more than `_MOST_ELEMENTS` stay, too: a loop saves
values of each step for its gradient, where XLA computes them again in the fusions of a long
program; of 100,000 elements that took 0.9 to 3.4 times as long.  Between these bounds rolled
gradients took 0.01 to 1.4 times the time of unrolled ones, and values 0.1 to 1.7 times, where one
program by itself varied by 1.6.  Steps that read an array each must not use it for less than
`_COPY` additions an element: to put them together and to slice each from there took 1.2 to 1.7
times as long as products with them.  The terms of a batch are all there at once: up to
`_MOST_TERMS` elements they took 0.6 to 1.1 times as long as one after another, and beyond they take
memory that nothing else needs.  Where nothing but their gradient is read, XLA makes one kernel for
all cores of unrolled elementwise terms, and of a batch several, of which it gives none to a second
core: 8 to 60 terms of 300 to 3,000 elements took 1.1 to 3.2 times as long.  These stay unrolled, as
far as that takes under a second to compile.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from anvl.dialect.control_flow.call import CallOp
from anvl.dialect.core.op import AnvlOp
from anvl.passes.rolling.fitted import COMPILATION
from anvl.passes.rolling.forms import Form
from anvl.passes.rolling.items import Block, Source
from anvl.passes.rolling.orders import NOTHING, Asked
from anvl.passes.rolling.stretches import Each, Stretch

__all__ = [
    "Features",
    "RunFeatures",
    "compilation",
    "features_of",
    "is_compiled_faster",
    "is_gradient_in_one_kernel",
    "is_shorter",
    "kind_in_batch",
    "price",
    "price_of_loop",
    "run_features_of",
    "why_slower",
    "worth_of_loop",
]

_FEWER, _CALL = 10.0, 5.0
_MOST_OF_UNROLLED = 0.9
_HIGHER = 2  # how many times the ops become by each derivative of a derivative
# In additions of one element: a function such as a sine, an op that is not fused with others, an
# element of an array that is put together, and a loop.
_FUNCTION = 20
_UNFUSED = 1_000.0
_COPY = 100
_LEAST_WORK = 1_000.0
_MOST_ELEMENTS = 4_096
_MOST_TERMS = 65_536
_MOST_ALONE = 4_096  # of all terms, where only their gradient is read
_LITTLE_TO_COMPILE = 600.0  # additions of arrays, which take about as many milliseconds
_SOON_COMPILED = 300.0
_LEAST_REDUCED, _LEAST_OF_PRODUCT = 4_096, 64  # elements for which XLA calls a library
_LARGE = "its arrays are so large that XLA's fusions save more time in a run"

#: How often each constant of the model is paid.
Counts = Mapping[str, float]


class Features(NamedTuple):
    """Counts of a stretch, from which the model computes what it takes to compile.

    Attributes
    ----------
    repetitions : int
    elementwise, cheap, moves, reductions, matrices, vectors, others, calls : int
        Ops of a repetition, each of one kind: `_kind`.
    parts, rows : int
        Values that are put together for the loop, and those that are taken from it.
    form : str
        What it becomes: "batch", or a scan of "numbers" or of "arrays", or one that calls a
        "library".
    order : int
        Of the highest derivative that is taken of it.
    """

    repetitions: int
    elementwise: int
    cheap: int
    moves: int
    reductions: int
    matrices: int
    vectors: int
    others: int
    calls: int
    parts: int
    rows: int
    form: str
    order: int = 0


class RunFeatures(NamedTuple):
    """Measures of a stretch, from which the model computes what it takes to run.

    Attributes
    ----------
    repetitions : int
    form : str
        As in `Features`.
    work : float
        The time of a repetition, in additions of one element.
    largest : int
        Elements of the largest array of a repetition.
    kernels : int
        Ops of a repetition that are not fused.
    copied : int
        Elements that are put together in each call, for a repetition.
    """

    repetitions: int
    form: str
    work: float
    largest: int
    kernels: int
    copied: int


def features_of(block: Block, stretch: Stretch, form: Form, asked: Asked = NOTHING) -> Features:
    """Count what the model of compilation reads."""
    kinds = [kind_in_batch(op, asked.members) for op in _ops(block, stretch)]
    copied = [link for link in _rows(stretch) if not _is_one_array(block, link)]
    rows = sum(len(stretch.wanted[key]) for key in form.stacked)
    counts: dict[str, Any] = {kind: kinds.count(kind) for kind in _KINDS}
    return Features(
        repetitions=stretch.count,
        parts=stretch.count * len(copied),
        rows=rows,
        form=_form_name(block, stretch, form, asked.members),
        order=asked.order,
        **counts,
    )


def run_features_of(block: Block, stretch: Stretch, form: Form, members: int = 1) -> RunFeatures:
    """Read what the model of a run reads, for a batch of so many members."""
    ops = [(op, _kind(op), members * _elements(op)) for op in _ops(block, stretch)]
    copied = [link for link in _rows(stretch) if not _is_one_array(block, link)]
    return RunFeatures(
        repetitions=stretch.count,
        form=_form_name(block, stretch, form, members),
        work=sum([_work(*one, members) for one in ops]),
        largest=max([elements for _, _, elements in ops], default=0),
        kernels=sum([kind not in _FUSED for _, kind, _ in ops]),
        copied=sum(_row_elements(block, link) for link in copied),
    )


def compilation(read: Features) -> tuple[Counts, Counts]:
    """Counts that are paid for compilation, unrolled and rolled."""
    times = _HIGHER ** max(read.order - 1, 0)
    once = {kind: times * getattr(read, kind) for kind in _KINDS}
    unrolled = {kind: read.repetitions * n for kind, n in once.items()}
    rolled = once | {"parts": read.parts, "rows": read.rows, read.form: 1}
    return unrolled | {"program": 1}, rolled | {"program": 1}


def price(counts: Counts, constants: Counts) -> float:
    """The sum of the counts, each times its constant."""
    return sum(constants[name] * count for name, count in counts.items())


def is_compiled_faster(read: Features) -> bool:
    """Whether a loop is compiled in notably less time than the unrolled program."""
    unrolled, rolled = compilation(read)
    return price(rolled, COMPILATION) < _MOST_OF_UNROLLED * price(unrolled, COMPILATION)


def price_of_loop(read: Features) -> float:
    """The price of compiling a loop."""
    return price(compilation(read)[1], COMPILATION)


def worth_of_loop(form: str, order: int) -> float:
    """The least price of all ops of which a loop of a form may be compiled in less time than they.

    That of an op is the constant of its kind.
    """
    program = COMPILATION["program"]
    unrolled = (COMPILATION[form] + program) / _MOST_OF_UNROLLED - program
    return unrolled / _HIGHER ** max(order - 1, 0)


def why_slower(read: Features, run: RunFeatures) -> str:
    """Why a loop would take longer to run than the unrolled program; empty if it would not."""
    if _COPY * run.copied > run.work:
        return "the arrays of its steps take longer to put together than to use"
    if run.form == "batch":
        return _LARGE if run.largest * run.repetitions > _MOST_TERMS else ""
    unrolled = price(compilation(read)[0], COMPILATION)
    if unrolled < _SOON_COMPILED and run.repetitions * run.work < _LEAST_WORK:
        return "its steps compute less than a loop costs at run time"
    if read.matrices and run.form == "library" and unrolled < _LITTLE_TO_COMPILE:
        return "a library computes its steps, and a loop saves little of the time to compile"
    return _LARGE if run.largest > (_MOST_TERMS if run.kernels else _MOST_ELEMENTS) else ""


def is_gradient_in_one_kernel(read: Features, run: RunFeatures) -> bool:
    """Whether XLA makes one kernel for all cores of the gradient of the terms of a batch."""
    unrolled, _ = compilation(read)
    is_large = run.largest * run.repetitions > _MOST_ALONE
    is_short = price(unrolled, COMPILATION) < _LITTLE_TO_COMPILE
    return run.form == "batch" and not run.kernels and is_large and is_short


def is_shorter(read: Features) -> bool:
    """Whether a loop has fewer ops that compute: so that rolling everything comes to an end.

    With those that put its arrays together and take the rows: what puts parts together repeats,
    too, and would become a loop with as many parts.
    """
    kernels = read.moves + read.reductions + read.matrices + read.vectors + read.others
    computing = read.elementwise + 0.5 * kernels + 0.1 * read.cheap + _CALL * read.calls
    around = read.parts * (0.1 + 0.5 / read.repetitions) + 0.6 * read.rows
    fewer = (read.repetitions - 1) * computing
    return fewer > _FEWER and fewer > around + _CALL


def _form_name(block: Block, stretch: Stretch, form: Form, members: int) -> str:
    if form.is_batch:
        return "batch"
    ops = _ops(block, stretch)
    if any(_is_of_library(op, members) for op in ops):
        return "library"
    return "arrays" if max(map(_elements, ops), default=0) * members > 1 else "numbers"


def _is_of_library(op: Any, members: int) -> bool:
    """Whether XLA calls a library for an op, which it keeps out of the kernel of a loop."""
    kind = kind_in_batch(op, members)
    if kind == "reductions":
        return members * max(math.prod(x.type.shape) for x in op.operands) >= _LEAST_REDUCED
    is_product = kind == "matrices" and members * _elements(op) >= _LEAST_OF_PRODUCT
    return is_product or kind == "others"


def _ops(block: Block, stretch: Stretch) -> list[Any]:
    """The ops of a repetition."""
    inside = [o for o in range(stretch.period) if o not in stretch.apart]
    return [block.items[stretch.start + o].op for o in inside]


def _rows(stretch: Stretch) -> list[Each]:
    """Links whose value differs in each repetition."""
    links = [link for links in stretch.links for link in links if type(link) is Each]
    return list(dict.fromkeys(links))


_KINDS = ("elementwise", "cheap", "moves", "reductions", "matrices", "vectors", "others", "calls")
_FUSED = ("elementwise", "cheap")
_PRODUCTS = ("matrices", "vectors")


def _kind(op: Any) -> str:
    """Kind of an op by what XLA makes of it, as its properties tell.

    Elementwise ops, reshapes and broadcasts become part of other kernels.  Ops that move elements
    do as well, but are computed again by each reader.  A reduction has results smaller than its
    operand.  A product of matrices is a call of a library, one with a vector a kernel of its own.
    """
    rules: Any = type(op)
    if getattr(rules, "captures", False) or op.operation.name == CallOp.OPERATION_NAME:
        return "calls"
    if getattr(rules, "diagonal", False):
        return "elementwise"
    if getattr(rules, "cheap", False):
        return "cheap"
    if not issubclass(rules, AnvlOp):
        return "others"
    if rules.has_rule("narrowed"):
        return "matrices" if _is_of_matrices(op) else "vectors"
    if rules.copies_elements:
        return "moves"
    sizes = [math.prod(x.type.shape) for x in op.operands]
    if len(sizes) == 1 and sizes[0] > _elements(op):
        return "reductions"
    return "moves" if rules.moves_elements else "others"


def kind_in_batch(op: Any, members: int) -> str:
    """Kind of an op in a batch: a matrix times the vectors of all members is one of matrices."""
    kind = _kind(op)
    return "matrices" if kind == "vectors" and members > 1 and _elements(op) > 1 else kind


def _is_of_matrices(op: Any) -> bool:
    """Whether a contraction has a free axis of each operand, and one that it sums over."""
    *few, most = sorted([*(math.prod(x.type.shape) for x in op.operands), _elements(op)])
    return most != math.prod(few)


def _elements(op: Any) -> int:
    return math.prod(op.results[0].type.shape) if len(op.results) else 0


def _work(op: Any, kind: str, elements: int, members: int) -> float:
    """Time of an op for a batch, whose members have so many elements, in additions of one."""
    rules: Any = type(op)
    is_cheap = getattr(rules, "cheap", False)
    if kind == "elementwise":
        return float(elements * (1 if is_cheap else _FUNCTION))
    if is_cheap:
        return 0.0
    return _UNFUSED + (members * rules.work(op.operation) if kind in _PRODUCTS else elements)


def _row_elements(block: Block, link: Each) -> int:
    x = link.values[0]
    value = block.items[x.item].op.results[x.result] if type(x) is Source else x
    return math.prod(value.type.shape)


def _is_one_array(block: Block, link: Each) -> bool:
    """Whether the values become one array without being put together: by a rule."""
    makers = [block.maker_of(x) for x in link.values]
    rules: Any = type(makers[0])
    has_rule = hasattr(rules, "has_rule") and rules.has_rule("stacked")
    return has_rule and all(type(op) is rules for op in makers)
