"""Numeric checks of one call of an op: functions of one program, and their verdicts.

See `examine`, which combines them.  Complex values pair as the real part of the sum of
products, without conjugation.
"""

import zlib
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.types import dtype_name, numpy_dtype
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.dialect.interpreters.subprogram import Program as Body
from anvl.testing.closure import goes_before_lowering
from anvl.testing.draw import Call
from anvl.testing.findings import (
    NARROW,
    ORDER_2,
    STEP,
    TOLERANCES,
    Findings,
    differences,
    in_order_of,
    paired,
    uncertainties,
)
from anvl.testing.forward_mode import push_forward
from anvl.testing.interpret import interpreted
from anvl.testing.program import Program, type_of

__all__ = [
    "CLAIMS",
    "Check",
    "DerivativeCheck",
    "EachResultCheck",
    "NarrowDtypeCheck",
    "ValueCheck",
    "is_identity",
    "is_wide",
    "listed",
    "result_types",
    "split",
    "without_bodies",
]  # fmt: skip

#: Attributes by which an op claims properties of its indices.
CLAIMS = ("indices_are_sorted", "unique_indices")

_OF_BITS = {"bitcast_convert", "ldexp"}  # they compute other values for another dtype
# Tolerance factor for derivatives in a narrow dtype, where terms cancel.
_SLACK = {"batch_norm_grad": 5, "cumprod": 3}
_PART = {"c64": "f32"}
_WIDE = {name: "c128" if name == "c64" else "f64" for name in NARROW}
#: Of a number at a special point, where each is compared relative to itself.
_SPECIAL_TOLERANCE = 2e-12


def without_bodies(op_class: Any, call: Call) -> dict[str, Any]:
    return {k: v for k, v in call.params.items() if k not in op_class.bodies}


def listed(op_class: Any, y: Any) -> list[Any]:
    """The results, or the values of a rule for them, as a list."""
    return list(y) if op_class.multiple_results else [y]


def _described(op_class: Any, call: Call) -> str:
    types = ", ".join(str(type_of(x)) for x in call.operands)
    return f"{op_class.short_name}({types}{', ' if call.params else ''}{call.params or ''})"


class Check:
    """One function of the program, and the verdict on its results."""

    #: Whether it queries rules that leave no trace in the program.
    calls_rule_in_python = False
    #: Whether StableHLO's interpreter may run it, in place of XLA.
    interpreted = True

    def __init__(self, op_class: Any, call: Call, program: Program) -> None:
        self.op_class, self.call, self.references = op_class, call, program.references
        self.name = _described(op_class, call)
        self.random = np.random.default_rng(7)
        inputs = self.inputs()
        self.directions: list[np.ndarray | None] = [None] * len(inputs)
        self.index = program.add(inputs, self.emit, self.interpreted)

    @property
    def narrow(self) -> str | None:
        """The narrowest dtype below 64 bits, or None."""
        return _narrow(self.op_class, self.call)

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return True

    def inputs(self) -> list[np.ndarray]:
        return self.call.operands

    def redraw(self, operands: Sequence[np.ndarray], program: Program) -> None:
        """Draw other numbers of the same types, for the compiled program.

        The directions follow from the numbers: so a draw that fails can be tried again.
        """
        self.random = np.random.default_rng([zlib.crc32(x.tobytes()) for x in operands])
        self.call = self.call._replace(operands=list(operands))
        program.inputs[self.index] = list(self.inputs())

    def stepped(self, inputs: Sequence[np.ndarray], step: int) -> list[np.ndarray]:
        """The inputs, moved by a number of steps along the directions."""
        return _moved(inputs, self.directions, step)

    def emit(self, *xs: ir.Value) -> list[ir.Value]:
        raise NotImplementedError

    def check_emitted(self, findings: Findings) -> None:
        """Record problems that are visible before the program runs."""

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        raise NotImplementedError

    def build(self, *xs: ir.Value) -> list[ir.Value]:
        return listed(self.op_class, self.op_class.build(*xs, **self.call.params))

    def determined(self, *xs: ir.Value) -> list[ir.Value]:
        """Build the op; its differentiable results that are uniquely determined."""
        return [y for y in _through(self.call, self.build(*xs)) if differentiable(y.type)]

    def like(self, x: Any) -> np.ndarray:
        """Random numbers of the type of an array or of an MLIR type."""
        shape = tuple(x.shape)
        made = numpy_dtype(dtype_name(x.element_type if isinstance(x, ir.Type) else x.dtype))
        value = self.random.uniform(-1, 1, shape)
        if made.kind == "c":
            value = value + 1j * self.random.uniform(-1, 1, shape)
        return np.asarray(value).astype(made)


class ValueCheck(Check):
    """The value against the reference; the type against StableHLO's inference."""

    interpreted = False
    #: Whether each number is compared relative to itself, and complex parts separately.
    by_element, by_parts = False, False

    def inputs(self) -> list[np.ndarray]:
        """The operands, and the values of the reference."""
        self.wanted: list[np.ndarray] = []
        reference, operands = self.reference(), list(self.call.operands)
        # An op that is eliminated before lowering does not run.  Without a reference, its
        # derivatives are still compared with differences of the values.
        if reference is None or goes_before_lowering(self.op_class):
            return operands
        if self.op_class.short_name not in _OF_BITS:
            operands = [x.astype(_wide(x.dtype)) for x in operands]
        with np.errstate(all="ignore"):
            ys = listed(self.op_class, reference(*operands, **self.numpy_params(operands)))
        self.wanted = [np.asarray(y) for y in ys]
        return [*self.call.operands, *(self.wanted if self.call.through else [])]

    def reference(self) -> Callable[..., Any] | None:
        """The reference function of NumPy arrays and of parameters."""
        return self.references.get(self.op_class.short_name)

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        xs, wanted = split(inputs, [len(self.call.operands)])
        ys = self.build(*xs)
        self.inferred = _inferred(self.op_class, self.call, xs)
        self.types = [y.type for y in ys]
        self.read = self.op_class.read(ys[0].owner)
        return [*_through(self.call, ys), *(_through(self.call, wanted) if wanted else [])]

    def check_emitted(self, findings: Findings) -> None:
        if self.inferred is not None and self.inferred != self.types:
            findings.problems.append(f"types: {self.name}: {self.types}, not {self.inferred}")
        given = without_bodies(self.op_class, self.call)
        read = {name: self.read[name] for name in given}
        if read != given:
            findings.problems.append(f"read: {self.name}: the parameters read back are {read}")

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        narrow = _narrow(self.op_class, self.call)
        limit = _SPECIAL_TOLERANCE if self.by_element else TOLERANCES["value"]
        limit = NARROW[narrow] if narrow else limit
        kind = f"value {narrow}" if narrow else "value"
        if not self.wanted:  # no reference
            return
        compare = findings.compare_each if self.by_element else findings.compare
        ys, wanted = found, self.wanted
        if self.call.through is not None:
            ys, wanted = found[: len(found) // 2], found[len(found) // 2 :]
        if not self.call.in_order:
            ys = in_order_of(ys, wanted)
        for y, y_wanted in zip(ys, wanted, strict=True):
            compare(kind, self.name, y, y_wanted, limit)
            if self.by_parts:
                findings.compare_parts(self.name, self.call.operands[0], y, y_wanted, limit)

    def numpy_params(self, operands: Sequence[np.ndarray]) -> dict[str, Any]:
        """The parameters, with bodies as functions of NumPy scalars."""
        given, bodies = without_bodies(self.op_class, self.call), self.op_class.bodies
        if not bodies:
            return given
        with context(), ir.Location.unknown():
            signatures = self.op_class.body_types(*map(type_of, operands), **given)
        types = {name: inputs for name, (inputs, _) in zip(bodies, signatures, strict=True)}
        return given | {k: self.body(self.call.params[k], types[k]) for k in bodies}

    def body(self, f: Callable[..., Any], types: Sequence[Any]) -> Callable[..., Any]:
        """A body as a function of scalars, for the reference."""
        return interpreted(f, types, self.references)


def _moved(
    inputs: Sequence[np.ndarray], directions: Sequence[np.ndarray | None], step: int
) -> list[np.ndarray]:
    along = zip(inputs, directions, strict=True)
    return [x if d is None else x + step * STEP * d for x, d in along]


def result_types(op_class: Any, call: Call) -> list[Any]:
    types = map(type_of, call.operands)
    return listed(op_class, op_class.result_type(*types, **without_bodies(op_class, call)))


def _through(call: Call, ys: Sequence[ir.Value]) -> list[ir.Value]:
    """The results that are uniquely determined."""
    return list(ys) if call.through is None else list(call.through(*ys))


def _float_types(op_class: Any, call: Call) -> list[Any]:
    """Types of the differentiable results that are uniquely determined."""
    types = result_types(op_class, call)
    if call.through is not None:
        with context(), ir.Location.unknown():
            program = Body.of(lambda *ys: _through(call, ys), types)  # outlives its values
            types = [y.type for y in program.results]
    return [y for y in types if differentiable(y)]


def _narrow(op_class: Any, call: Call) -> str | None:
    """The narrowest dtype of a call, of the result or an operand; None if all have 64 bits."""
    dtypes = [dtype_name(x.dtype) for x in call.operands]
    dtypes += [dtype_name(y.element_type) for y in result_types(op_class, call)]
    return max((d for d in dtypes if d in NARROW), key=NARROW.__getitem__, default=None)


def is_wide(op_class: Any, call: Call) -> bool:
    """Whether a call has a derivative, and is in 64 bits; its checks cover the narrow dtypes."""
    return DerivativeCheck.applies(op_class, call)


def _wide(dtype: Any) -> np.dtype:
    name = dtype_name(dtype)
    return numpy_dtype(_WIDE.get(name, name))


def _inferred(op_class: Any, call: Call, xs: Sequence[ir.Value]) -> Any:
    """Types inferred by StableHLO; None if it cannot infer them."""
    if op_class.hlo is None:
        return None
    name = op_class.hlo if "." in op_class.hlo else f"stablehlo.{op_class.hlo}"
    try:
        op = ir.Operation.create(
            name, None, list(xs), attributes=op_class.encode(call.params), infer_type=True
        )
    except (ir.MLIRError, ValueError) as error:
        if "type inference" in str(error) or "InferTypeOpInterface" in str(error):
            return None
        raise
    inferred = [y.type for y in op.results]
    op.erase()
    return inferred


def _wrt(op_class: Any, call: Call) -> list[int]:
    """Positions of the operands that have a derivative."""
    undefined = op_class.undefined_of(len(call.operands))
    return [
        i for i, x in enumerate(call.operands) if differentiable(type_of(x)) and i not in undefined
    ]


def _is_differentiable(op_class: Any, call: Call) -> bool:
    return bool(call.is_smooth and _float_types(op_class, call) and _wrt(op_class, call))


class DerivativeCheck(Check):
    """Tangent, adjoint, and both again for the program of the adjoint.

    Inputs: the operands, their tangents `ts`, a cotangent of each float result, `gs`, and their
    tangents, and cotangents `us` of the cotangents that the adjoint returns.
    """

    #: Whether there are also tangents in one operand at a time, and order 3, for its ops.
    is_whole = True
    #: Whether some operands are NaN; then first derivatives must not be NaN.
    is_at_nans = False

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return _narrow(op_class, call) is None and _is_differentiable(op_class, call)

    def inputs(self) -> list[np.ndarray]:
        xs = self.call.operands
        self.wrt = _wrt(self.op_class, self.call)
        ys = _float_types(self.op_class, self.call)
        self.ts = [self.like(xs[i]) for i in self.wrt]
        self.gs, self.tgs = [self.like(y) for y in ys], [self.like(y) for y in ys]
        self.us = [self.like(xs[i]) for i in self.wrt]
        return [*xs, *self.ts, *self.gs, *self.tgs, *self.us]

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        counts = [len(self.call.operands), len(self.wrt), len(self.gs), len(self.gs)]
        xs, ts, gs, tgs, us = split(inputs, counts)
        moving = [xs[i] for i in self.wrt]
        block = ir.InsertionPoint.current.block
        ys = self.determined(*xs)
        first = list(block.operations)
        adjoints = reverse_sweep(block, list(zip(ys, gs, strict=True)), moving)
        second = list(block.operations)
        along = dict(zip([*moving, *gs], [*ts, *tgs], strict=True))
        tys = push_forward(first, along, ys)
        t_adjoints = push_forward(second, along, adjoints)
        twice = reverse_sweep(block, list(zip(adjoints, us, strict=True)), [*moving, *gs])
        if self.is_whole:  # for the closure of the rules
            thrice = [(g, emit.neg(g)) for g in dict.fromkeys(twice)]
            reverse_sweep(block, thrice, [*moving, *gs, *us])
        alone = zip(moving, ts, strict=True) if self.is_whole and len(moving) > 1 else ()
        apart = [push_forward(first, {x: t}, ys) for x, t in alone]
        sums = [reduce(emit.add, parts) for parts in zip(*apart, strict=True)]
        return [*ys, *tys, *adjoints, *t_adjoints, *twice, *sums]

    @property
    def directions(self) -> list[np.ndarray | None]:
        of_xs: list[np.ndarray | None] = [None] * len(self.call.operands)
        for i, t in zip(self.wrt, self.ts, strict=True):
            of_xs[i] = t
        unmoved = [None] * len(self.wrt)
        return [*of_xs, *unmoved, *self.tgs, *([None] * len(self.tgs)), *unmoved]

    @directions.setter
    def directions(self, value: Any) -> None:
        pass

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        n, m = len(self.gs), len(self.wrt)
        ys, tys, adjoints, t_adjoints, twice, sums = split(found, [n, n, m, m, m + n])
        if self.is_at_nans:
            for kind, derivatives in (("tangent", tys), ("adjoint", adjoints)):
                if any(np.isnan(x).any() for x in derivatives):
                    findings.problems.append(f"{kind}: {self.name}: NaN spreads: {derivatives}")
            return
        steps = list(zip(differences(around), uncertainties(around), strict=True))

        def judge(kind: str, found: Any, wanted: Any, uncertainty: float = 0.0) -> None:
            findings.compare(
                kind, self.name, found, wanted, TOLERANCES[kind], uncertainty=uncertainty
            )

        for ty, step in zip(tys, steps[: len(ys)], strict=True):
            judge("tangent", ty, *step)
        for part, ty in zip(sums, tys, strict=False):  # none if not requested
            judge("tangent", part, ty)
        judge("adjoint", paired(adjoints, self.ts), paired(self.gs, tys))
        for t_adjoint, step in zip(t_adjoints, steps[2 * n : 2 * n + m], strict=True):
            judge("order 2 tangent", t_adjoint, *step)
        along = [*self.ts, *self.tgs]
        judge("order 2 adjoint", paired(twice, along), paired(self.us, t_adjoints))


def split(values: Sequence[Any], counts: Sequence[int]) -> list[Sequence[Any]]:
    """Split values into parts of the given counts, and the rest."""
    parts, at = [], 0
    for count in counts:
        parts.append(values[at : at + count])
        at += count
    return [*parts, values[at:]]


class EachResultCheck(Check):
    """The adjoint of one result at a time, with zero cotangents of the others: they add up."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        several = op_class.multiple_results and len(_float_types(op_class, call)) > 1
        return several and DerivativeCheck.applies(op_class, call)

    def inputs(self) -> list[np.ndarray]:
        self.wrt = _wrt(self.op_class, self.call)
        gs = [self.like(y) for y in _float_types(self.op_class, self.call)]
        return [*self.call.operands, *gs]

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        xs, gs = split(inputs, [len(self.call.operands)])
        block, moving = ir.InsertionPoint.current.block, [xs[i] for i in self.wrt]
        pairs = list(zip(self.determined(*xs), gs, strict=True))
        together = reverse_sweep(block, pairs, moving)
        apart = [reverse_sweep(block, [pair], moving) for pair in pairs]
        sums = [reduce(emit.add, parts) for parts in zip(*apart, strict=True)]
        return [*together, *sums]

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        together, apart = split(found, [len(self.wrt)])
        for g, wanted in zip(apart, together, strict=True):
            findings.compare("adjoint", self.name, g, wanted, TOLERANCES["adjoint"])


class NarrowDtypeCheck(DerivativeCheck):
    """All derivatives in a narrow dtype, against 64 bits at the same numbers.

    Where they disagree, and terms cancel, the expected numbers are those of operands that are
    rounded to the narrow dtype: `is_rounded` moves these, to see how far the results move.  Each
    step has roundings of its own: in a sum of few terms, those of one direction may cancel.
    """

    is_whole = False  # the rules emit the same ops as in 64 bits
    is_rounded = False

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return _narrow(op_class, call) is not None and _is_differentiable(op_class, call)

    def inputs(self) -> list[np.ndarray]:
        narrow = super().inputs()
        self.count, n = len(narrow), len(self.call.operands)
        call = self.call._replace(operands=[x.astype(_wide(x.dtype)) for x in self.call.operands])
        of_ys = [numpy_dtype(dtype_name(y.element_type)) for y in _float_types(self.op_class, call)]
        of_wrt = [_wide(t.dtype) for t in self.ts]
        rest = [*of_wrt, *of_ys, *of_ys, *of_wrt]
        wide = [x.astype(d) for x, d in zip(narrow[n:], rest, strict=True)]
        self.wide, self.seed = [*call.operands, *wide], int(self.random.integers(2**32))
        return [*narrow, *self.wide]

    def _rounding(self, x: np.ndarray, random: np.random.Generator) -> np.ndarray | None:
        """A direction along which a step changes numbers by as much as rounding does."""
        if x.dtype.kind not in "fc":
            return None
        eps = float(ml_dtypes.finfo(numpy_dtype(_PART.get(str(self.narrow), self.narrow))).eps)
        return x * random.choice([-eps / STEP, eps / STEP], x.shape)

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        return [*super().emit(*inputs[: self.count]), *super().emit(*inputs[self.count :])]

    def stepped(self, inputs: Sequence[np.ndarray], step: int) -> list[np.ndarray]:
        return _moved(inputs, self._roundings_at(step), step)

    def _roundings_at(self, step: int) -> list[np.ndarray | None]:
        """The directions of a step, which move the operands in 64 bits."""
        still: list[np.ndarray | None] = [None] * self.count
        if not (self.is_rounded and step):
            return [*still, *still]
        random = np.random.default_rng([self.seed, abs(step), step > 0])
        return [*still, *(self._rounding(x, random) for x in self.wide)]

    @property
    def directions(self) -> list[np.ndarray | None]:
        return self._roundings_at(1)

    @directions.setter
    def directions(self, value: Any) -> None:
        pass

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        narrow = _narrow(self.op_class, self.call)
        first = 2 * len(self.gs) + len(self.wrt)  # values, tangents, adjoints; then order 2
        half = len(found) // 2
        limit = NARROW[str(narrow)] * _SLACK.get(self.op_class.short_name, 1)
        most = 0.9 * float(ml_dtypes.finfo(numpy_dtype(_PART.get(str(narrow), narrow))).max)
        for i, (y, wanted) in enumerate(zip(found[:half], found[half:], strict=True)):
            kind, slack, least = ("derivative", 1, 0.1) if i < first else ("order 2", ORDER_2, 0.5)
            with np.errstate(invalid="ignore"):
                steps = np.abs([ys[half + i] - wanted for ys in around.values()])
            moved = np.max(np.nan_to_num(steps, nan=0.0), axis=0)
            if wanted.dtype.kind == "f":  # what is so large may overflow
                y, wanted = (np.clip(z.astype(float), -most, most) for z in (y, wanted))
            findings.compare(
                f"{kind} {narrow}", self.name, y, wanted, slack * limit, least, 2 * moved
            )


def is_identity(x: np.ndarray) -> bool:
    """Whether this is the identity of a sum or a product, unlike other initial values."""
    return x.size == 1 and x.item() in (0, 1)
