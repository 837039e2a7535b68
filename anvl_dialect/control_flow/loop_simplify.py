"""Loop simplification: invariant carries become constants, invariant ops are hoisted."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

from anvl.dialect.control_flow.call import Motion
from anvl.dialect.core.captures import operands_of, remembering
from anvl.dialect.core.create import full, number_of
from anvl.dialect.core.effects import all_dce_able
from anvl.dialect.core.op import Value
from anvl.dialect.interpreters.constant_folding import maker_of
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["Form", "simpler_form"]

# Note [Simpler loops]
#
# A carry that each step returns unchanged is a constant of the loop; a carry on which neither the
# results nor the other carries depend is dropped; ops that depend on constants alone are hoisted in
# front of the loop, and known scalars are emitted where they are used.
#
# Before differentiation this makes the derivative shorter: the adjoint saves every carry that it
# reads, of every step, and adds to the cotangent of every constant.  But an op hoisted out of a
# loop has also left the branches and masks that kept its derivative from being 0 * inf (Note [Lazy
# masks]); so before differentiation only ops that preserve zeros for all operands are hoisted, and
# the rest afterwards.
#
# An op whose result has more elements than its operands stays in the loop, where it is fused with
# its users: in front of the loop, it would be an array in memory.


class Form(NamedTuple):
    """Result of loop simplification.

    Its operands are carries, scanned arrays and constants.  `emits` are its functions, such as the
    condition and the body; `found` maps each result of the original loop to a value or to a result
    of this loop, or None if unused.  `places` are the original locations of the arguments of its
    functions, which name them.
    """

    carry: list[Value]
    arrays: list[Value]
    rest: list[Value]
    emits: list[Callable[..., list[Value]]]
    found: list[Any]
    places: list[Any]

    def results(self, made: Sequence[Value]) -> list[Value | None]:
        """Results of the original loop, given those of this one."""
        return [made[y] if isinstance(y, int) else y for y in self.found]


def simpler_form(
    programs: Sequence[Program],
    counts: tuple[int, int],
    xs: Sequence[Value],
    is_used: Sequence[bool],
    motion: Motion,
) -> Form | None:
    """Simplify a loop; None if nothing can be simplified.

    `programs` are its functions, the body last, whose arguments are carries, rows of scanned arrays
    and constants; `counts` are the numbers of the first two; `xs` are the operands of the loop,
    `is_used` tells for each result of the body whether it is used.
    """
    if not all(motion.are_dce_able(p.block.operations) for p in programs):
        return None
    with remembering():  # nested loops are queried again and again
        search = _Search(programs, counts, xs, is_used, motion)
        if not search.finds():
            return None
    return search.form()


class _Kept(NamedTuple):
    """Positions of the operands that a simpler loop keeps."""

    carry: list[int]
    arrays: list[int]
    rest: list[int]


class _Search:
    """Search for the simplifications of a loop."""

    def __init__(
        self,
        programs: Sequence[Program],
        counts: tuple[int, int],
        xs: Sequence[Value],
        is_used: Sequence[bool],
        motion: Motion,
    ) -> None:
        self.programs, self.body = programs, programs[-1]
        self.n, self.m = counts
        self.xs = list(xs)
        self.motion = motion
        self.constant_classes: dict[Any, bool] = {}
        self.fixed = self._invariant_carries()
        self.live = self._live(is_used)
        self.numbers = {
            i: x for i in self._constants() if (x := number_of(maker_of(self.xs[i]))) is not None
        }
        self.moved = [self._hoisted(p) for p in programs]
        self.is_read = [False] * len(xs)
        for p, moved in zip(programs, self.moved, strict=True):
            read = p.slice(self._results_to_compute(p), moved).values
            for i, x in enumerate(p.arguments):
                self.is_read[i] |= x in read

    def finds(self) -> bool:
        """Whether anything can be simplified."""
        return (
            bool(self.fixed)
            or len(self.live) < len(self.body.results)
            or any(self.moved)
            or not all(self.is_read[self.n :])
            or not self.numbers.keys().isdisjoint(range(self.n + self.m, len(self.xs)))
            or len(self._computed()) < len(self.live)
        )

    def _constants(self) -> list[int]:
        """Operands that are the same in every step."""
        return [*sorted(self.fixed), *range(self.n + self.m, len(self.xs))]

    def _invariant_carries(self) -> set[int]:
        """Carries that keep their initial value in every step."""
        fixed: set[int] = set()
        arguments, end = self.body.arguments, self.n + self.m
        known = dict(zip(arguments[end:], self.xs[end:], strict=True))
        while True:
            more = {
                i
                for i in range(self.n)
                if i not in fixed and self._is_invariant(i, known, self.body.results[i])
            }
            if not more:
                return fixed
            fixed |= more
            known |= {arguments[i]: self.xs[i] for i in more}

    def _is_invariant(self, i: int, known: dict[Value, Value], y: Value) -> bool:
        if y == self.body.arguments[i] or (y in known and known[y] == self.xs[i]):
            return True
        first, later = number_of(maker_of(self.xs[i])), number_of(maker_of(known.get(y, y)))
        return first is not None and repr(first) == repr(later)  # 0.0 == -0.0, and differ

    def _live(self, is_used: Sequence[bool]) -> set[int]:
        """Results of the body that are used, outside or in a later step."""
        live = {i for i, used in enumerate(is_used) if used} - self.fixed
        if len(live) + len(self.fixed) == len(is_used):  # all, as of most loops
            return live
        for p in self.programs[:-1]:
            values = p.slice().values
            live |= {i for i in range(self.n) if p.arguments[i] in values} - self.fixed
        while True:
            values = self.body.slice(self.body.results[i] for i in live).values
            read_by_body = {i for i in range(self.n) if self.body.arguments[i] in values}
            if read_by_body <= live | self.fixed:
                return live
            live |= read_by_body - self.fixed

    def _results_to_compute(self, program: Program) -> list[Value]:
        if program is not self.body:
            return program.results
        return [self.body.results[i] for i in self._computed()]

    def _computed(self) -> list[int]:
        """Results of the body that need a loop: not a scanned array that is stacked unchanged."""
        return [i for i in sorted(self.live) if self._reproduced_array(i) is None]

    def _reproduced_array(self, i: int) -> Value | None:
        """The scanned array that stacked result i reproduces; None if it does not."""
        y = self.body.results[i]
        if i < self.n or y not in self.body.arguments:
            return None
        k = self.body.arguments.index(y)
        return self.xs[k] if self.n <= k < self.n + self.m else None

    def _hoisted(self, program: Program) -> list[Value]:
        """Values that are hoisted in front of the loop."""
        results = self._results_to_compute(program)
        same = {program.arguments[i] for i in self._constants()}
        made: dict[Value, Any] = {}  # values that are the same in each step, and their ops
        read: list[Value] = []  # by the ops that stay
        for op in program.slice(results).ops:
            is_plain = getattr(type(op), "reads_operands", False)
            operands = tuple(op.operands) if is_plain else operands_of(op)
            if not operands and self._is_constant(type(op), op):
                same.update(op.results)  # it stays: a copy of it is as good
            elif same.issuperset(operands) and self.motion.is_hoistable(op):
                same.update(op.results)
                made.update(dict.fromkeys(op.results, op))
            else:
                read += operands
        if not made:
            return []
        moved = _without_growth([x for x in (*read, *results) if x in made], made)
        return [x for x in made if x in moved]

    def _is_constant(self, rules: Any, op: Any) -> bool:
        """Whether ops of a class without operands are the same in every step, as constants are."""
        if rules not in self.constant_classes:
            self.constant_classes[rules] = all_dce_able(rules) and self.motion.is_hoistable(op)
        return self.constant_classes[rules]

    def form(self) -> Form:
        """The simplified loop."""
        kept = self._positions_kept()
        once = [
            self._emit_hoisted(p, moved) for p, moved in zip(self.programs, self.moved, strict=True)
        ]
        return Form(
            carry=[self.xs[i] for i in kept.carry],
            arrays=[self.xs[i] for i in kept.arrays],
            rest=[*(self.xs[i] for i in kept.rest), *(x for part in once for x in part)],
            emits=[
                self._emitting(p, self._arguments(k, kept)) for k, p in enumerate(self.programs)
            ],
            found=self._new_results(),
            places=[
                *(self.body.arguments[i].location for part in kept for i in part),
                *(x.location for values in self.moved for x in values),
            ],
        )

    def _positions_kept(self) -> _Kept:
        n, end = self.n, self.n + self.m
        return _Kept(
            carry=[i for i in range(n) if i in self.live],
            arrays=[i for i in range(n, end) if self.is_read[i]],
            rest=[i for i in self._constants() if self.is_read[i] and i not in self.numbers],
        )

    def _new_results(self) -> list[Any]:
        """For each result: a value, the number of a result of the simplified loop, or None."""
        found: list[Any] = [self.xs[i] if i in self.fixed else None for i in range(self.n)]
        found += [None] * (len(self.body.results) - self.n)
        for i in self.live:
            found[i] = self._reproduced_array(i)
        for number, i in enumerate(self._computed()):
            found[i] = number
        return found

    def _arguments(self, k: int, kept: _Kept) -> list[Value | None]:
        """Values of function k that its new arguments stand for; None for values of another one."""
        own = [self.programs[k].arguments[i] for part in kept for i in part]
        moved = [x if j == k else None for j, values in enumerate(self.moved) for x in values]
        return [*own, *moved]

    def _emit_hoisted(self, program: Program, values: Sequence[Value]) -> list[Value]:
        """Emit the hoisted values in front of the loop."""
        once = Program(program.block, values, program)
        constants = self._constants()
        once.arguments = [program.arguments[i] for i in constants]
        return once(*(self.xs[i] for i in constants))

    def _emitting(
        self, program: Program, places: Sequence[Value | None]
    ) -> Callable[..., list[Value]]:
        """Make a function of the new loop, over those arguments of the old one in `places`."""
        numbers = {program.arguments[i]: x for i, x in self.numbers.items() if self.is_read[i]}
        cut = Program(program.block, self._results_to_compute(program), program)
        cut.arguments = [*(x for x in places if x is not None), *numbers]

        def emit_all(*values: Value) -> list[Value]:
            given = [y for x, y in zip(places, values, strict=True) if x is not None]
            return cut(*given, *(full(x.type, number) for x, number in numbers.items()))

        return emit_all


def _without_growth(values: Sequence[Value], made: dict[Value, Any]) -> set[Value]:
    """These values, but where an op makes one larger than its operands, the operands in `made`."""
    moved: set[Value] = set()
    pending = list(values)
    while pending:
        x = pending.pop()
        op = made[x]
        if _grows(op):
            pending += [operand for operand in operands_of(op) if operand in made]
        else:
            moved.add(x)
    return moved


def _grows(op: Any) -> bool:
    """Whether a result of an op is larger than its operands, such as a constant or a broadcast."""
    made = sum([prod(y.type.shape) for y in op.results])
    # Constants count even if empty: they would be emitted in the loop again, without end.
    return made > max([prod(x.type.shape) for x in operands_of(op)], default=-1)
