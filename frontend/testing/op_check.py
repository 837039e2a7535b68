"""Everything that numbers can say about an op, for one op at a time.

`examine(op_class, calls)` lists what is wrong; nothing, for a right op:

    read       the parameters of the built op are those that were given
    types      the result type is what StableHLO's verifier accepts and, where it can, infers
    value      agrees with NumPy or SciPy
    tangent    agrees with finite differences
    adjoint    agrees with the tangent: <g, J t> = <J^T g, t>
    order 2    the same two for the program that the adjoint rule emits
    narrow     value, and all of these derivatives, in f32, f16, bf16 and c64 agree with 64 bits
    masked     behind a choice, derivatives are 0 where nothing is chosen, also at infinite slopes
    batch      agrees with a loop, for every choice of batched operands; of no members it is empty
    padding    at a padded size the elements at true positions are the same
    dependence no derivative is outside of the pattern (ops of one's own, unless asked for)
    claims     indices that are said to be sorted or unique are
    fold       gives the number that the op gives
    simplify   gives the same to the bit
    closure    every op that a rule emits, up to order 3, has all rules itself

The calls are those of the op's `sample`, and the same in every other float and complex dtype that
the op takes (`in_other_dtypes`).  An `Examination` can be asked again, with other numbers.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, numpy_dtype
from anvl.dialect.interpreters.subprogram import Program as Body
from anvl.testing.batch_check import BatchCheck
from anvl.testing.checks import (
    Check,
    DerivativeCheck,
    EachResultCheck,
    NarrowDtypeCheck,
    ValueCheck,
    is_identity,
    listed,
    without_bodies,
)
from anvl.testing.claims import IndexClaimsCheck
from anvl.testing.closure import check_closure, goes_before_lowering
from anvl.testing.dependence_check import OwnDependenceCheck
from anvl.testing.draw import Call
from anvl.testing.findings import NARROW, Findings
from anvl.testing.forms import FoldCheck, SimplifyCheck
from anvl.testing.masks import MaskedAdjointCheck, MaskedTangentCheck
from anvl.testing.padding_check import PaddingCheck
from anvl.testing.points import judge_at, point_groups
from anvl.testing.program import Program, References, type_of

__all__ = [
    "CHECKS",
    "Amount",
    "Examination",
    "Findings",
    "References",
    "examine",
    "in_other_dtypes",
    "judge",
    "judge_at_other_points",
]

#: How many calls in how many dtypes: see `in_other_dtypes`.  Of narrow dtypes `one` has a single
#: one, which depends on the op's name, and `none` has none.
Amount: TypeAlias = Literal["none", "one", "some", "every"]

_NONE: References = {}

#: Kinds of checks, each tried on every call that it applies to.
CHECKS: tuple[type[Check], ...] = (
    ValueCheck, DerivativeCheck, EachResultCheck, NarrowDtypeCheck, MaskedAdjointCheck,
    MaskedTangentCheck, BatchCheck, PaddingCheck, OwnDependenceCheck, IndexClaimsCheck, FoldCheck,
    SimplifyCheck,
)  # fmt: skip


def examine(op_class: Any, calls: Sequence[Call], references: References = _NONE) -> Findings:
    """Run all checks, in one compiled program."""
    return Examination(op_class, calls, references).findings


class Examination:
    """The checks of an op, compiled; `findings` are those for the original numbers.

    `references` map names of ops to functions of NumPy with the same values.  An op without
    lowering, as another pass eliminates it first, is only built and verified.  Lowered for
    `platform`, by default its own, it runs on the default client: a platform's lowering can be
    tried where it runs.
    `points` names further points to try: see `points.py`.
    """

    def __init__(
        self,
        op_class: Any,
        calls: Sequence[Call],
        references: References = _NONE,
        amount: Amount = "some",
        platform: str = "",
        points: Sequence[str] = (),
        checks: Sequence[type[Check]] = CHECKS,
    ) -> None:
        self.op_class, self.amount = op_class, amount
        self.findings = Findings()
        self.program = Program(references, platform, amount != "every", points)
        self.is_compiled = False
        try:
            made = [
                (i, make(op_class, call, self.program))
                for i, call in enumerate(self._calls(calls))
                for make in checks
                if make.applies(op_class, call)
            ]
            self.positions = [i for i, _ in made]
            self.checks: list[Check] = [check for _, check in made]
            self.program.finish()
            check_closure(self.findings, self.program.names)
            for check in self.checks:
                check.check_emitted(self.findings)
            if goes_before_lowering(op_class):
                return
            self.program.compile()
        except (MissingRule, PassError, ir.MLIRError) as error:
            self.findings.problems.append(f"types: {error}")
            return
        self.is_compiled = True
        judge(self.findings, self.program, self.checks)
        judge_at_other_points(self.findings, self.program, self.checks)

    def rerun(self, calls: Sequence[Call]) -> Findings:
        """Findings for the numbers of other calls, of the same types and parameters."""
        findings, drawn = Findings(), self._calls(calls)
        if not self.is_compiled:
            return findings
        for i, check in zip(self.positions, self.checks, strict=True):
            # In a narrow dtype other numbers may permute the results.
            is_sure = check.call.in_order or not check.narrow
            if is_sure and _alike(self.op_class, check.call, drawn[i]):
                check.redraw(drawn[i].operands, self.program)
        judge(findings, self.program, self.checks)
        return findings

    def _calls(self, calls: Sequence[Call]) -> list[Call]:
        if self.amount == "none":
            return [call for call in calls if not _narrow(call)]
        calls = [*calls, *in_other_dtypes(self.op_class, calls, self.amount)]
        return _in_one_narrow_dtype(self.op_class, calls) if self.amount == "one" else calls


def judge(findings: Findings, program: Program, checks: Sequence[Check]) -> None:
    """Run a program, at the points and around them, and record the findings of its checks."""
    here = {check.index: (check, program.inputs[check.index]) for check in checks}
    judge_at(findings, program, here)


def judge_at_other_points(findings: Findings, program: Program, checks: Sequence[Check]) -> None:
    """`judge` at other points than those of the sample: see `points.py`."""
    # For a whole op only the last check is tried at edges and similar points: the references of
    # some ops differ there.  `make mutants` tries each check, and leaves out unsound ones.
    for names, some in ((program.points, checks[-1:]), (["others", "special"], checks)):
        for points in point_groups(some, names):
            judge_at(findings, program, points)


def _alike(op_class: Any, call: Call, other: Call) -> bool:
    """Whether two calls differ only in numbers; bodies are equal if the sample is."""
    types = [[(x.dtype, x.shape) for x in c.operands] for c in (call, other)]
    params = [repr(without_bodies(op_class, c)) for c in (call, other)]
    return types[0] == types[1] and params[0] == params[1]


# -- dtypes ----------------------------------------------------------------------------------------


def in_other_dtypes(op_class: Any, calls: Sequence[Call], amount: Amount = "some") -> list[Call]:
    """The f64 calls of an op with a class of its own, in the other dtypes that it takes.

    In c128 all of them, in narrower dtypes one of each form: empty, of rank 0, of each other rank.
    Of `every` amount all in each dtype.  (Elementwise ops draw each dtype themselves; of amount
    `none`, their narrow ones are left out.)
    """
    if amount == "none" or issubclass(op_class, Elementwise):
        return []
    wide, pairs = (_with_dtype(calls, dtype) for dtype in (np.float64, np.complex128))
    some = wide if amount == "every" else _of_each_form(wide)
    made = _cast_all(wide, np.float64, _complex)
    for dtype in ("f32", "f16", "bf16"):
        made += _cast_all(some, np.float64, _to(dtype))
    made += _cast_all(some, np.float64, lambda x: _to("c64")(_complex(x)))
    made += _cast_all(pairs, np.complex128, _to("c64"))
    if not op_class.undefined:
        made += _of_integers_and_bools(wide)
    return [call for call in made if _takes(op_class, call)]


def _with_dtype(calls: Sequence[Call], dtype: type) -> list[Call]:
    return [call for call in calls if any(x.dtype == dtype for x in call.operands)]


def _of_integers_and_bools(calls: Sequence[Call]) -> list[Call]:
    """The first calls, and the first with an empty operand, in i32, u8 and bool."""
    empty = [call for call in calls[2:] if any(x.size == 0 for x in call.operands)][:1]
    first, two = [*calls[:1], *empty], [*calls[:2], *empty]
    return [
        *_cast_all(two, np.float64, lambda x: (3 * x).astype(np.int32)),
        *_cast_all(first, np.float64, lambda x: (abs(x) * 9).astype(np.uint8)),
        *_cast_all(first, np.float64, lambda x: x > 0),
    ]


def _complex(x: np.ndarray) -> np.ndarray:
    if is_identity(x):
        return x.astype(complex)
    return x + 1j * (0.3 * x + 0.1)


def _to(dtype: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: x.astype(numpy_dtype(dtype))


def _of_each_form(calls: Sequence[Call]) -> list[Call]:
    found: dict[Any, Call] = {}
    for call in calls:
        is_empty = any(x.size == 0 for x in call.operands)
        found.setdefault("empty" if is_empty else max(x.ndim for x in call.operands), call)
    return list(found.values())


def _cast(call: Call, of: type, cast: Callable[[np.ndarray], np.ndarray]) -> Call:
    operands = [cast(x) if x.dtype == of else x for x in call.operands]
    others = [[cast(x) if x.dtype == of else x for x in other] for other in call.others]
    return call._replace(operands=operands, others=others, special=())


def _cast_all(
    calls: Sequence[Call], of: type, cast: Callable[[np.ndarray], np.ndarray]
) -> list[Call]:
    return [_cast(call, of, cast) for call in calls]


def _narrow(call: Call) -> set[str]:
    """Narrow dtypes of its operands."""
    return {dtype_name(x.dtype) for x in call.operands} & NARROW.keys()


def _in_one_narrow_dtype(op_class: Any, calls: Sequence[Call]) -> list[Call]:
    """The calls without those in other narrow dtypes than one: ops take turns."""
    dtypes = sorted(set().union(*map(_narrow, calls)))
    left_out = set(dtypes)
    if dtypes:
        left_out.remove(dtypes[zlib.crc32(op_class.OPERATION_NAME.encode()) % len(dtypes)])
    return [call for call in calls if not _narrow(call) & left_out]


def _takes(op_class: Any, call: Call) -> bool:
    types = list(map(type_of, call.operands))
    try:
        op_class.result_type(*types, **without_bodies(op_class, call))
        if op_class.bodies:
            Body.of(lambda *xs: listed(op_class, op_class.build(*xs, **call.params)), types)
    except TypeError:
        return False
    return True
