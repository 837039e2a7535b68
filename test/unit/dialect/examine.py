"""Everything that numbers can say about an op, for one op at a time.

`examine(op_class, calls)` lists what is wrong; nothing, for a right op:

    read       the parameters of the built op are those that were given
    types      the result type is what StableHLO's verifier accepts and, where it can, infers
    value      agrees with NumPy or SciPy
    tangent    agrees with finite differences
    adjoint    agrees with the tangent: <g, J t> = <J^T g, t>
    order 2    the same two for the program that the adjoint rule emits
    narrow     value, tangent and adjoint in f32, f16, bf16 and c64 agree with 64 bits
    batch      agrees with a loop, for every choice of batched operands
    closure    every op that a rule emits, up to order 3, has all rules itself

Complex values pair as the real part of the sum of products, without conjugation.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from draw import Call
from forward import push_forward
from program import Program, type_of
from references import REFERENCES

from anvl.dialect.errors import PassError
from anvl.dialect.families import Elementwise, differentiable
from anvl.dialect.mlir import ir
from anvl.dialect.op import OPS, RULES, AnvlOp, emit
from anvl.dialect.types import dtype_name, numpy_dtype
from anvl.passes.sweep import sweep

__all__ = ["Findings", "examine", "missing_rules"]

#: Relative errors allowed, by what is compared; measured errors are a tenth of these or less.
TOLERANCES = {
    "value": 1e-10,
    "tangent": 1e-6,
    "adjoint": 1e-6,
    "order 2 tangent": 1e-6,
    "order 2 adjoint": 1e-6,
    "batch": 1e-12,
}
NARROW = {"f32": 2e-3, "c64": 2e-3, "f16": 1e-2, "bf16": 5e-2, "f8E5M2": 0.3, "f8E4M3FN": 0.2}

_SMALLEST_SCALE = 1e-3  # below it, errors are absolute
_STEP = 1e-3
_WEIGHTS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}  # of f(x + i * step) / step
_BATCH = 3
_WIDE = {name: "c128" if name == "c64" else "f64" for name in NARROW}


@dataclass
class Findings:
    """What is wrong, and the largest error of each kind."""

    problems: list[str] = field(default_factory=list)
    errors: dict[str, float] = field(default_factory=dict)

    def compare(self, kind: str, call: str, found: Any, wanted: Any, limit: float) -> None:
        found, wanted = np.asarray(found), np.asarray(wanted)
        if found.shape != wanted.shape:
            self.problems.append(f"{kind}: {call}: shape {found.shape}, not {wanted.shape}")
            return
        error = _error(found, wanted)
        self.errors[kind] = max(self.errors.get(kind, 0.0), error)
        if not error <= limit:
            self.problems.append(f"{kind}: {call}: error {error:.1e}: {found} is not {wanted}")


def _error(found: np.ndarray, wanted: np.ndarray) -> float:
    if found.size == 0:
        return 0.0
    if found.dtype == bool or found.dtype.kind in "iu":
        return 0.0 if np.array_equal(found, wanted) else np.inf
    found, wanted = _widened(found), _widened(wanted)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0, np.abs(found - wanted))
    scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=_SMALLEST_SCALE)
    return float(np.max(difference) / scale)


def _widened(x: np.ndarray) -> np.ndarray:
    return x.astype(complex if x.dtype.kind == "c" else float)


def examine(op_class: Any, calls: Sequence[Call]) -> Findings:
    """All checks, in one compiled program.

    An op that nothing lowers, as another pass removes it first, is only built and verified.
    """
    findings, program = Findings(), Program()
    checks: list[_Check] = [
        make(op_class, call, program)
        for call in [*calls, *_twins(op_class, calls)]
        for make in (_Value, _Derivative, _Narrow, _Batched)
        if make.applies(op_class, call)
    ]
    try:
        program.finish()
        _check_closure(findings, program.names)
        if _goes_before_lowering(op_class):
            return findings
        program.compile()
    except (PassError, ir.MLIRError) as error:
        findings.problems.append(f"types: {error}")
        return findings
    results = program.run()
    around = {i: program.run(_moved(program, checks, i * _STEP)) for i in _WEIGHTS}
    for check in checks:
        points = {i: results_at[check.index] for i, results_at in around.items()}
        check.judge(findings, results[check.index], points)
    return findings


def _moved(program: Program, checks: "Sequence[_Check]", step: float) -> Callable[..., Any]:
    """The inputs of each function, `step` along the directions of its check."""
    directions = {check.index: check.directions for check in checks}

    def change(i: int, xs: list[np.ndarray]) -> list[np.ndarray]:
        return [x if d is None else x + step * d for x, d in zip(xs, directions[i], strict=True)]

    return change


def _twins(op_class: Any, calls: Sequence[Call]) -> list[Call]:
    """For an op with a class of its own: its f64 calls in other dtypes that it takes."""
    if issubclass(op_class, Elementwise) or op_class.undefined:
        return []
    wide = [c for c in calls if any(x.dtype == np.float64 for x in c.operands)]
    made = [_cast(call, lambda x: x + 1j * (0.3 * x + 0.1)) for call in wide]
    made += [_cast(call, lambda x: x.astype(np.float32)) for call in wide[:2]]
    made += [_cast(call, lambda x: (3 * x).astype(np.int32)) for call in wide[:2]]
    made += [_cast(call, lambda x: (abs(x) * 9).astype(np.uint8)) for call in wide[:1]]
    made += [_cast(call, lambda x: x > 0) for call in wide[:1]]
    return [call for call in made if _takes(op_class, call)]


def _cast(call: Call, cast: Callable[[np.ndarray], np.ndarray]) -> Call:
    return Call([cast(x) if x.dtype == np.float64 else x for x in call.operands], call.params)


def _takes(op_class: Any, call: Call) -> bool:
    try:
        op_class.result_type(*map(type_of, call.operands), **call.params)
    except TypeError:
        return False
    return True


def _described(op_class: Any, call: Call) -> str:
    types = ", ".join(str(type_of(x)) for x in call.operands)
    return f"{op_class.short_name}({types}{', ' if call.params else ''}{call.params or ''})"


class _Check:
    """One function of the program, and how its results are judged."""

    def __init__(self, op_class: Any, call: Call, program: Program) -> None:
        self.op_class, self.call = op_class, call
        self.name = _described(op_class, call)
        self.random = np.random.default_rng(7)
        inputs = self.inputs()
        self.directions: list[np.ndarray | None] = [None] * len(inputs)
        self.index = program.add(inputs, self.emit)

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return True

    def inputs(self) -> list[np.ndarray]:
        return self.call.operands

    def emit(self, *xs: ir.Value) -> list[ir.Value]:
        raise NotImplementedError

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        raise NotImplementedError

    def build(self, *xs: ir.Value) -> ir.Value:
        return self.op_class.build(*xs, **self.call.params)

    def like(self, x: Any) -> np.ndarray:
        """Random numbers of the type of an array or of an MLIR type."""
        shape = tuple(x.shape)
        made = numpy_dtype(dtype_name(x.element_type if isinstance(x, ir.Type) else x.dtype))
        value = self.random.uniform(-1, 1, shape)
        if made.kind == "c":
            value = value + 1j * self.random.uniform(-1, 1, shape)
        return np.asarray(value).astype(made)


class _Value(_Check):
    """The value against the reference; the type against StableHLO's inference."""

    def emit(self, *xs: ir.Value) -> list[ir.Value]:
        y = self.build(*xs)
        self.inferred = _inferred(self.op_class, self.call, xs)
        self.type = y.type
        self.read = self.op_class.read(y.owner)
        return [y]

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        if self.inferred is not None and self.inferred != self.type:
            findings.problems.append(f"types: {self.name}: {self.type}, not {self.inferred}")
        read = {name: self.read[name] for name in self.call.params}
        if read != self.call.params:
            findings.problems.append(f"read: {self.name}: the parameters read back are {read}")
        reference = REFERENCES[self.op_class.short_name]
        narrow = _narrow(self.op_class, self.call)
        operands = [x.astype(_wide(x.dtype)) for x in self.call.operands]
        with np.errstate(all="ignore"):
            wanted = np.asarray(reference(*operands, **self.call.params))
        limit = NARROW[narrow] if narrow else TOLERANCES["value"]
        kind = f"value {narrow}" if narrow else "value"
        findings.compare(kind, self.name, found[0], wanted, limit)


def _result_type(op_class: Any, call: Call) -> Any:
    return op_class.result_type(*map(type_of, call.operands), **call.params)


def _narrow(op_class: Any, call: Call) -> str | None:
    """The narrowest dtype of a call, of the result or an operand; None if none is narrow."""
    dtypes = [dtype_name(x.dtype) for x in call.operands]
    dtypes.append(dtype_name(_result_type(op_class, call).element_type))
    return max((d for d in dtypes if d in NARROW), key=NARROW.__getitem__, default=None)


def _wide(dtype: Any) -> np.dtype:
    name = dtype_name(dtype)
    return numpy_dtype(_WIDE.get(name, name))


def _inferred(op_class: Any, call: Call, xs: Sequence[ir.Value]) -> Any:
    """The type that StableHLO infers; None where it cannot."""
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
    inferred = op.results[0].type
    op.erase()
    return inferred


def _wrt(op_class: Any, call: Call) -> list[int]:
    """The operands that have a derivative."""
    return [
        i
        for i, x in enumerate(call.operands)
        if differentiable(type_of(x)) and i not in op_class.undefined
    ]


def _is_differentiable(op_class: Any, call: Call) -> bool:
    return differentiable(_result_type(op_class, call)) and bool(_wrt(op_class, call))


class _Derivative(_Check):
    """Tangent, adjoint, and both once more of the adjoint's program.

    Inputs: the operands, their tangents `ts`, a cotangent `g` of the result and its tangent, and
    cotangents `us` of the cotangents that the adjoint gives.
    """

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return _narrow(op_class, call) is None and _is_differentiable(op_class, call)

    def inputs(self) -> list[np.ndarray]:
        xs = self.call.operands
        self.wrt = _wrt(self.op_class, self.call)
        y = _result_type(self.op_class, self.call)
        self.ts = [self.like(xs[i]) for i in self.wrt]
        self.g, self.tg = self.like(y), self.like(y)
        self.us = [self.like(xs[i]) for i in self.wrt]
        return [*xs, *self.ts, self.g, self.tg, *self.us]

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        n, m = len(self.call.operands), len(self.wrt)
        xs, ts = inputs[:n], inputs[n : n + m]
        (g, tg), us = inputs[n + m : n + m + 2], inputs[n + m + 2 :]
        moving = [xs[i] for i in self.wrt]
        block = ir.InsertionPoint.current.block
        y = self.build(*xs)
        first = list(block.operations)
        adjoints = sweep(block, [(y, g)], moving)
        second = list(block.operations)
        along = dict(zip([*moving, g], [*ts, tg], strict=True))
        (ty,) = push_forward(first, along, [y])
        t_adjoints = push_forward(second, along, adjoints)
        twice = sweep(block, list(zip(adjoints, us, strict=True)), [*moving, g])
        self.third(block, twice, [*moving, g, *us])
        return [y, ty, *adjoints, *t_adjoints, *twice]

    def third(self, block: ir.Block, twice: Sequence[ir.Value], wrt: Sequence[ir.Value]) -> None:
        """Differentiate once more, for the closure of the rules alone."""
        sweep(block, [(g, emit.neg(g)) for g in dict.fromkeys(twice)], wrt)

    @property
    def directions(self) -> list[np.ndarray | None]:
        of_xs: list[np.ndarray | None] = [None] * len(self.call.operands)
        for i, t in zip(self.wrt, self.ts, strict=True):
            of_xs[i] = t
        unmoved = [None] * len(self.wrt)
        return [*of_xs, *unmoved, self.tg, None, *unmoved]

    @directions.setter
    def directions(self, value: Any) -> None:
        pass

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        m = len(self.wrt)
        _, ty, *rest = found
        adjoints, t_adjoints, twice = rest[:m], rest[m : 2 * m], rest[2 * m :]
        steps = [np.asarray(s) for s in _differences(around)]

        def judge(kind: str, found: Any, wanted: Any) -> None:
            findings.compare(kind, self.name, found, wanted, TOLERANCES[kind])

        judge("tangent", ty, steps[0])
        judge("adjoint", _paired(adjoints, self.ts), _paired([self.g], [ty]))
        for t_adjoint, step in zip(t_adjoints, steps[2 : 2 + m], strict=True):
            judge("order 2 tangent", t_adjoint, step)
        judge("order 2 adjoint", _paired(twice, [*self.ts, self.tg]), _paired(self.us, t_adjoints))


def _differences(around: dict[int, Any]) -> list[np.ndarray]:
    """The derivative of each result along the directions, from four points around."""
    columns = zip(*(around[i] for i in _WEIGHTS), strict=True)
    return [_difference(*values) for values in columns]


def _difference(*values: np.ndarray) -> np.ndarray:
    """0 where all values are the same, infinite ones too."""
    flat = np.all([v == values[0] for v in values], axis=0)
    with np.errstate(invalid="ignore"):
        steps = [w / _STEP * v for w, v in zip(_WEIGHTS.values(), values, strict=True)]
        return np.where(flat, 0, np.sum(steps, axis=0))


def _paired(gs: Sequence[np.ndarray], ts: Sequence[np.ndarray]) -> float:
    return float(sum(np.real(np.sum(g * t)) for g, t in zip(gs, ts, strict=True)))


class _Narrow(_Derivative):
    """The first derivatives in a narrow dtype, against the same in 64 bits."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return _narrow(op_class, call) is not None and _is_differentiable(op_class, call)

    def inputs(self) -> list[np.ndarray]:
        super().inputs()
        xs, call = self.call.operands, self.call
        wide = [x.astype(_wide(x.dtype)) for x in xs]
        y = _result_type(self.op_class, Call(wide, call.params)).element_type
        wide += [t.astype(_wide(t.dtype)) for t in self.ts]
        self.count = len(wide) + 1
        return [*xs, *self.ts, self.g, *wide, self.g.astype(numpy_dtype(dtype_name(y)))]

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        return [*self.first(inputs[: self.count]), *self.first(inputs[self.count :])]

    def first(self, inputs: Sequence[ir.Value]) -> list[ir.Value]:
        n, m = len(self.call.operands), len(self.wrt)
        xs, ts, g = inputs[:n], inputs[n : n + m], inputs[n + m]
        moving = [xs[i] for i in self.wrt]
        block = ir.InsertionPoint.current.block
        y = self.build(*xs)
        ops = list(block.operations)
        adjoints = sweep(block, [(y, g)], moving)
        return [*push_forward(ops, dict(zip(moving, ts, strict=True)), [y]), *adjoints]

    @property
    def directions(self) -> list[np.ndarray | None]:
        return [None] * (2 * self.count)

    @directions.setter
    def directions(self, value: Any) -> None:
        pass

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        half = len(found) // 2
        narrow = _narrow(self.op_class, self.call)
        for y, wanted in zip(found[:half], found[half:], strict=True):
            findings.compare(f"derivative {narrow}", self.name, y, wanted, NARROW[narrow])


class _Batched(_Check):
    """The batch rule against a loop."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return bool(call.operands) and _narrow(op_class, call) is None

    def inputs(self) -> list[np.ndarray]:
        xs = self.call.operands
        return [*xs, *(_batch_of(x) for x in xs)]

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        n = len(self.call.operands)
        xs, many = inputs[:n], inputs[n:]
        self.choices = [c for c in itertools.product((False, True), repeat=n) if any(c)]
        results = []
        for batched in self.choices:
            chosen = [m if b else x for x, m, b in zip(xs, many, batched, strict=True)]
            results.append(self.op_class.batch(chosen, batched, **self.call.params))
            for k in range(_BATCH):
                one = [_member(x, k) if b else x for x, b in zip(chosen, batched, strict=True)]
                results.append(self.build(*one))
        return results

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        for c, batched in enumerate(self.choices):
            y, *members = found[c * (_BATCH + 1) : (c + 1) * (_BATCH + 1)]
            name = f"{self.name} batched {batched}"
            findings.compare("batch", name, y, np.stack(members), TOLERANCES["batch"])


def _batch_of(x: np.ndarray) -> np.ndarray:
    """Several arrays that are x, rolled, and a little different if they are floats."""
    rolled = [np.roll(x, k) for k in range(_BATCH)]
    if x.dtype == bool:
        rolled = [r ^ (k % 2 == 1) for k, r in enumerate(rolled)]
    if x.dtype.kind in "fc" and len(np.unique(x)) == x.size:
        rolled = [r * (1 + 0.01 * k) for k, r in enumerate(rolled)]
    return np.stack(rolled)


def _member(x: ir.Value, k: int) -> ir.Value:
    shape = tuple(x.type.shape)
    zeros = (0,) * (len(shape) - 1)
    part = emit.slice(
        x,
        start_indices=(k, *zeros),
        limit_indices=(k + 1, *shape[1:]),
        strides=(1,) * len(shape),
    )
    return emit.reshape(part, shape=shape[1:])


def _check_closure(findings: Findings, names: set[str]) -> None:
    for name in sorted(names):
        if name.split(".")[0] in ("func", "builtin"):
            continue
        if name not in OPS:
            findings.problems.append(f"closure: a rule emits {name}, which has no rules")
            continue
        absent = missing_rules(OPS[name])
        if absent:
            findings.problems.append(f"closure: {name} is emitted but has no {absent}")


def missing_rules(op_class: Any) -> list[str]:
    """The rules that a class does not have."""
    absent = [r for r in RULES if r != "lower" and not op_class.has_rule(r)]
    is_stablehlo = op_class.OPERATION_NAME.startswith("stablehlo.")
    lowers = op_class.hlo is not None or op_class.has_rule("lower") or is_stablehlo
    return absent if lowers or _goes_before_lowering(op_class) else [*absent, "lower"]


def _goes_before_lowering(op_class: Any) -> bool:
    """Whether another pass removes this op first; it then says which."""
    return op_class.why_not_lowered != AnvlOp.why_not_lowered
