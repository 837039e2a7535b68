"""Activity analysis: the ops between active inputs and targets, and whether they have rules.

Both derivative modes begin with it: `reverse.py` and `forward.py`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.counterparts import why_left
from anvl.dialect.core.create import full
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import why_no_array
from anvl.dialect.interpreters.ad_diagnostics import Finding
from anvl.dialect.interpreters.common import PlainStep, Step
from anvl.dialect.interpreters.emission_cache import type_number
from anvl.dialect.interpreters.slices import values_read

__all__ = [
    "bits_through",
    "check_rules",
    "found_at",
    "lacks",
    "may_carry",
    "ones_for",
    "path_to",
    "place_of",
    "problem",
    "reads_bits_as_float",
    "stand_in",
    "steps_from",
]  # fmt: skip


# Note [Bits]
#
# The bits of a float, read as an integer, vary with it, and so does each integer computed from
# them; but integers have no derivative.  Where such bits become a float again (as in a hand-written
# `ldexp`), it depends smoothly on the first one, and a derivative of 0 would be wrong.  So these
# integers are numbered too, with a type number that is not positive, and `bitcast_convert` back
# reports an active operand as usual: it is not differentiable.  All other ops treat them as
# integers, which are inactive: a float converted from an exponent is constant.
#
# Ops with several results, and calls of control flow, report which of their results are such bits
# (`bits_through`); for a float result it reports that bits from outside of a body, or from an
# earlier step of a loop, become a float in it, which a derivative of the body cannot see.

# Note [Handles]
#
# An op that Python visits costs two handles, an operand two (also for its defining op), a result
# one.  The bindings (nanobind) keep all live handles in one hash map, which grows to the maximum
# ever alive and never shrinks; once it exceeds the processor's cache, creating and releasing a
# handle are two accesses to memory.  With all handles of 10,000 ops alive at once, 60,000 to
# 70,000, everything later in the process took 10 to 20 % longer.  So ops are visited one by one,
# and an operand that an earlier step defines reuses the handle of its result.


def steps_from(  # noqa: C901  (with functions for the two common forms it takes a tenth longer)
    block: ir.Block,
    number: dict[ir.Value, int],
    types: list[int],
    symbols: SymbolTable | None,
) -> list[PlainStep]:
    """Ops that depend on numbered values, in order; their float results are numbered too.

    So are integers that are bits of floats: Note [Bits].  `types` are the type numbers
    (`type_number`) of the numbered values; `symbols` has the functions that the ops call.  A
    forward slice of its own, as Note [Slices] says.
    """
    steps: list[PlainStep] = []
    numbering = _Numbering(number, types)
    known, values = number.get, numbering.values
    forms = _forms
    operands: tuple[ir.Value, ...]
    wanted: tuple[int | None, ...]
    for op in block.operations:
        rules: Any = type(op)
        form = forms[rules]
        if form == _ZERO:
            continue
        if form == _OTHER:
            steps += numbering.steps_of(op, symbols)
            continue
        xs = op.operands
        if len(xs) == 1:
            i = known(xs[0])
            if i is None:
                continue
            operands, wanted = (values[i],), (i,)
        elif len(xs) == 2:
            x, y = xs[0], xs[1]
            i, j = wanted = known(x), known(y)
            if i is None and j is None:
                continue
            operands = x if i is None else values[i], y if j is None else values[j]
        else:
            operands, wanted = numbering.read(xs)
            if not operands:
                continue
        result = op.result  # a third of the cost of `results`
        type_ = type_number(result.type)
        at: int | None
        if type_ > 0 and numbering.is_plain:  # most ops
            at = number[result] = len(types)
            types.append(type_)
            values.append(result)
        else:
            at, wanted = numbering.number_result(rules, result, type_, wanted)
        if wanted:
            steps.append((rules, op.operation, operands, wanted, (result,), (at,)))
    return steps


class _Numbering:
    """Active values by number: their type numbers, and which of them are bits (Note [Bits])."""

    __slots__ = ("bits", "is_plain", "made_here", "number", "types", "values")

    def __init__(self, number: dict[ir.Value, int], types: list[int]) -> None:
        self.number, self.types = number, types
        self.values: list[Any] = [None] * len(types)
        for x, n in number.items():
            self.values[n] = x
        self.bits = {n for n, type_ in enumerate(types) if type_ <= 0}
        #: Results that had a number before.
        self.made_here = {x for x in number if not isinstance(x, ir.BlockArgument)}
        self.is_plain = not (self.bits or self.made_here)

    def add(self, x: ir.Value, type_: int) -> int:
        n = self.number[x] = len(self.types)
        self.types.append(type_)
        self.values.append(x)
        return n

    def add_bits(self, x: ir.Value, type_: int) -> int:
        n = self.add(x, type_)
        self.bits.add(n)
        self.is_plain = False
        return n

    def read(self, xs: Iterable[ir.Value]) -> tuple[tuple[ir.Value, ...], tuple[int | None, ...]]:
        """Operands of an op and their numbers; both empty if no operand has a number."""
        operands = tuple(xs)
        wanted = tuple([self.number.get(x) for x in operands])
        if wanted.count(None) == len(wanted):
            return (), ()
        pairs = zip(operands, wanted, strict=True)
        return tuple([x if n is None else self.values[n] for x, n in pairs]), wanted

    def number_result(
        self, rules: Any, result: ir.Value, type_: int, wanted: tuple[int | None, ...]
    ) -> tuple[int | None, tuple[int | None, ...]]:
        """The number of the one result of an op, and the operand numbers that count, or ()."""
        if self.bits and type_ > 0 and not rules.reads_bits:
            wanted = _without_bits(self.bits, wanted)
            if wanted.count(None) == len(wanted):
                return None, ()
        if result in self.made_here:
            return self.number[result], wanted
        if type_ > 0:
            return self.add(result, type_), wanted
        if rules.reads_bits or not self.bits.isdisjoint(wanted):
            return self.add_bits(result, type_), wanted
        return None, wanted

    def steps_of(self, op: Any, symbols: SymbolTable | None) -> list[PlainStep]:
        """Step of an op with several results or of a foreign dialect, if it depends on a value."""
        foreign = not issubclass(type(op), AnvlOp)
        operands, given = self.read(values_read(op) if foreign else operands_of(op))
        if not operands:
            return []
        results = tuple(op.results)
        through, wanted = _bits_through(op, foreign, given, self.bits, symbols)
        if wanted.count(None) == len(wanted):
            return []
        moves = any(n is not None and n not in self.bits for n in wanted)
        numbers: list[int | None] = []
        for y, of_bits in zip(results, through, strict=True):
            type_ = type_number(y.type)
            is_active = of_bits or (moves and (type_ > 0 or (foreign and may_carry(y.type))))
            numbers.append(self._number_one(y, type_, foreign) if is_active else None)
        return [(type(op), op.operation, operands, wanted, results, tuple(numbers))]

    def _number_one(self, y: ir.Value, type_: int, foreign: bool) -> int:
        if y in self.number:  # a value in `wrt` has one already
            return self.number[y]
        return self.add(y, type_) if type_ > 0 or foreign else self.add_bits(y, type_)


def _without_bits(bits: set[int], wanted: Sequence[int | None]) -> tuple[int | None, ...]:
    return tuple([None if n in bits else n for n in wanted])


def _bits_through(
    op: Any,
    foreign: bool,
    given: tuple[int | None, ...],
    bits: set[int],
    symbols: SymbolTable | None,
) -> tuple[Sequence[bool], tuple[int | None, ...]]:
    """Results of an op that are bits or derive from them, and the operand numbers that count.

    Bits count if no other operand is active, or if a float is made from them.
    """
    wanted = _without_bits(bits, given)
    through = [False] * len(op.results)
    if foreign:
        return through, wanted
    moves = [n is not None for n in wanted]
    through = op.bits_through(op.operation, moves, [n in bits for n in given], symbols)
    made = any(y and type_number(of.type) > 0 for y, of in zip(through, op.results, strict=True))
    return through, given if made or (any(through) and not any(moves)) else wanted


def bits_through(
    block: ir.Block,
    results: Sequence[ir.Value],
    moving: Sequence[ir.Value],
    of_bits: Sequence[ir.Value],
    symbols: SymbolTable | None,
) -> list[bool]:
    """For each result of a block, whether it is bits of an active float, or a float made of bits.

    Floats count only if made from the bits that enter as arguments.
    """
    known = _numbered([*moving, *of_bits])
    steps_from(block, known, [type_number(x.type) for x in known], symbols)
    number = _numbered(of_bits)
    steps = steps_from(block, number, [type_number(x.type) for x in number], symbols)
    made: set[int | None] = set()
    for step in steps:
        _, _, _, active_ids, _, result_ids = step
        if reads_bits_as_float(step) or not made.isdisjoint(active_ids):
            made.update(result_ids)
    made.discard(None)
    return [number.get(y) in made if type_number(y.type) > 0 else y in known for y in results]


def _numbered(values: Sequence[ir.Value]) -> dict[ir.Value, int]:
    return {x: i for i, x in enumerate(values)}


def reads_bits_as_float(step: PlainStep) -> bool:
    """Whether an op makes a float from bits: Note [Bits]."""
    rules, _, operands, wanted, results, numbers = step
    if not _is_anvl_op(rules) or not (rules.reads_bits or rules.multiple_results):
        return False
    pairs = zip(operands, wanted, strict=True)
    from_bits = any(n is not None and type_number(x.type) <= 0 for x, n in pairs)
    pairs = zip(results, numbers, strict=True)
    return from_bits and any(n is not None and type_number(y.type) > 0 for y, n in pairs)


_ZERO, _ONE_RESULT, _OTHER = range(3)


class _Forms(dict[type, int]):
    """Cache of `_form` by class."""

    def __missing__(self, rules: type) -> int:
        self[rules] = form = _form(rules)
        return form


_forms = _Forms()


def _form(rules: type) -> int:
    """Classify an op: zero derivative by design, anvl op with one result, or other."""
    if not issubclass(rules, AnvlOp):
        return _OTHER
    if rules.zero_derivative_reason:
        return _ZERO
    return _OTHER if rules.multiple_results else _ONE_RESULT


def may_carry(type_: ir.Type) -> bool:
    """Whether the result of a foreign op may depend smoothly on its operands."""
    if isinstance(type_, ir.ShapedType):
        type_ = type_.element_type
    return not isinstance(type_, ir.IntegerType | ir.IndexType)


# -- ops that cannot be differentiated -------------------------------------------------------------


def check_rules(
    steps: Sequence[PlainStep], rule: str, symbols: SymbolTable | None
) -> Iterable[Any]:
    """Classes of the ops; raises `MissingRule` if one of them lacks a rule.

    The error only signals the fact: `found_at` reports the op and its place.
    """
    classes = {rules for rules, *_ in steps}
    doubtful = {cls for cls in classes if _may_lack(cls, rule)}
    if doubtful:
        for step in steps:
            rules, op, *_ = step
            if rules in doubtful and (why := problem(step, rule, symbols)):
                raise MissingRule(why[0], str(op.location))
    return classes


def found_at(
    step: PlainStep,
    steps: Sequence[PlainStep],
    n_wrt: int,
    why: tuple[str, int | None] | MissingRule,
) -> list[Finding]:
    """Findings for an op that cannot be differentiated, from `problem` or the error of its rule.

    Findings of the sweep over a body of the op are listed with a path through the op.
    """
    _, op, *_ = step
    if not isinstance(why, MissingRule):
        reason, operand = why
        return [Finding(op.name, place_of(op), reason, path_to(step, steps, n_wrt, operand))]
    path = path_to(step, steps, n_wrt)
    if why.findings:
        return [finding.with_path(path) for finding in why.findings]
    return [Finding(op.name, place_of(op), str(why), path)]


def lacks(rules: type, rule: str, op: ir.Operation) -> str | None:
    """Reason why an op lacks a rule; None if it has the rule."""
    if not issubclass(rules, AnvlOp):
        why = why_left(op)
        return f"it has no {rule} rule, since {why}" if why else f"its dialect has no {rule} rules"
    if rules.captures:
        values = (*operands_of(op), *op.results)
        odd = next((found for v in values if (found := why_no_array(v.type))), None)
        if odd is not None:
            return f"it has no {rule} rule, since {odd}"
    if not rules.has_rule(rule):
        return f"it has no `{rule}` rule; define it on {rules.__name__} in {rules.__module__}"
    return None


def place_of(op: ir.Operation) -> str:
    """Location of an op, for a message."""
    return str(op.location).removeprefix("loc(").removesuffix(")")


def _is_anvl_op(rules: type) -> bool:
    return issubclass(rules, AnvlOp)


def _may_lack(rules: type, rule: str) -> bool:
    if not issubclass(rules, AnvlOp) or rules.multiple_results:
        return True
    return not rules.has_rule(rule) or bool(rules.undefined)


def problem(
    step: PlainStep, rule: str, symbols: SymbolTable | None
) -> tuple[str, int | None] | None:
    """Reason why an op cannot be differentiated, and the operand; None if it can.

    None also where only its rule can decide.
    """
    rules, op, _, wanted, results, _ = step
    if len(results) == 1 and type_number(results[0].type) <= 0 and _is_anvl_op(rules):
        return None  # bits, which are checked where they become a float
    if _is_anvl_op(rules) and rules.multiple_results and (why := _bits_problem(step, symbols)):
        return why
    missing = lacks(rules, rule, op)
    if missing is not None:
        return missing, None
    for i, reason in rules.undefined_of(len(wanted), op).items():
        if wanted[i] is not None:
            return f"operand {i} has no derivative: {reason}", i
    return None


def _bits_problem(step: PlainStep, symbols: SymbolTable | None) -> tuple[str, int | None] | None:
    """Reason why an op with several results, or a call, that makes floats from bits has no
    derivative."""
    rules, op, operands, wanted, results, _ = step
    pairs = list(zip(operands, wanted, strict=True))
    bits = [n is not None and type_number(x.type) <= 0 for x, n in pairs]
    moves = [n is not None and type_number(x.type) > 0 for x, n in pairs]
    through = rules.bits_through(op, moves, bits, symbols)
    if any(y and type_number(of.type) > 0 for y, of in zip(through, results, strict=True)):
        readers = ", ".join(sorted(cls.short_name for cls in OPS.values() if cls.reads_bits))
        reason = (
            f"its body has {readers}, which reinterprets bits as a float; bits carry no derivative"
        )
        return reason, bits.index(True) if True in bits else None
    return None


def stand_in(x: ir.Value) -> ir.Value | None:
    """Zeros in place of the derivative of a missing rule; None if the type carries none."""
    return full(x.type, 0) if type_number(x.type) > 0 else None


def ones_for(x: ir.Value) -> ir.Value:
    """Ones in place of a float operand, to trace where an op moves elements; else the operand."""
    return full(x.type, 1) if type_number(x.type) > 0 else x


def path_to(
    step: PlainStep, steps: Sequence[PlainStep], n_wrt: int, operand: int | None = None
) -> tuple[str, ...]:
    """Names of the ops on a path from `wrt` to this one, through the given operand or any.

    Further back the path follows the first active operand of each op.
    """
    last = Step(*step)
    made = (Step(*s) for s in steps)
    producer = {n: s for s in made for n in s.result_ids if n is not None}
    names = [last.op.name]
    reached = last.active_ids if operand is None else (last.active_ids[operand],)
    while not any(n is not None and n < n_wrt for n in reached):
        last = producer[next(n for n in reached if n in producer)]
        names.append(last.op.name)
        reached = last.active_ids
    return tuple(reversed(names))
