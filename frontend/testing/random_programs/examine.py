"""Runs programs in every way there is, and lists what does not agree.

xla           compiled by XLA, a hundred programs in one module, against NumPy
interpreter   by the reference interpreter of StableHLO, against NumPy and XLA
jit, eager    by `anvl.jit` alone, and op by op, against XLA and NumPy
other         the values of `xla` against another library, such as `jax.numpy`
slopes        `jvp` and `vjp` against each other, and against differences
batch         under `vmap`, against a loop
curvature     second derivatives in all nestings, against each other and against differences
slopes of batch, batch of slopes, batch of curvature
"""

from __future__ import annotations

import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import anvl
import anvl.numpy as anp
from anvl.dialect.core.errors import AnvlError
from anvl.dialect.text.interpreter import Interpreter, ProcessEnded, unknown_ops
from anvl.testing.random_programs.compare.array_values import kind_of
from anvl.testing.random_programs.compare.derivatives import (
    STEP,
    disagreement,
    keeps_rank,
    mode_error,
    wrong_slope,
)
from anvl.testing.random_programs.compare.transformed import (
    Axes,
    Directions,
    batched,
    curvature,
    members,
    slopes,
    slopes_of_batch,
)
from anvl.testing.random_programs.compare.verify import Finding, Verifier
from anvl.testing.random_programs.draw_programs.generate import ANVL
from anvl.testing.random_programs.executors import Compiled
from anvl.testing.random_programs.library import Library
from anvl.testing.random_programs.modules import Lowered
from anvl.testing.random_programs.programs import Program

__all__ = ["KINDS", "Case", "Examiner"]

KINDS = (
    "xla", "interpreter", "jit", "eager", "other", "slopes", "batch", "curvature",
    "slopes of batch", "batch of slopes", "batch of curvature",
)  # fmt: skip

_FAR = 1e5  # inputs beyond which differences lose their digits
_HALF_STEPS = (-2, -1, 0, 1, 2)


class Case(NamedTuple):
    """A program with the modes in which it is to be run; `seed` draws directions and batches."""

    program: Program
    kinds: frozenset[str]
    seed: int
    lowered: Lowered | None = None

    @property
    def inputs(self) -> list[np.ndarray]:
        return list(self.program.inputs.values())


class _TransformedProgram(NamedTuple):
    """A transformed program: its module, its points, and the roles of its arrays."""

    case: int
    lowered: Lowered
    directions: Directions
    axes: Axes | None = None
    rows: Sequence[Sequence[np.ndarray]] = ()


class Examiner:
    """Examine cases; `counts` tells how often each comparison was made, and its outcome.

    XLA compiles without its optimizer, which is quick, or as for users if `is_optimized`.
    """

    def __init__(self, other: Library | None = None, is_optimized: bool = False) -> None:
        self.is_optimized = is_optimized
        self.verifier = Verifier()
        self.counts = self.verifier.counts
        self.other = None if other is None else Verifier(other)
        self.interpreter = Interpreter()
        self._turns: Counter[str] = Counter()

    def interprets(self, kind: str) -> bool:
        """Whether the next group of transformed programs is interpreted: four of five are."""
        self._turns[kind] += 1
        return self._turns[kind] % 5 != 0 and not self.is_optimized

    def close(self) -> None:
        """End the interpreter's process."""
        self.interpreter.close()

    def examine(self, cases: Sequence[Case]) -> list[Finding]:
        """Findings, at most one for each case and kind."""
        findings: list[Finding] = []
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's warnings about values that are compared here
            _Run(self, cases, findings).all()
        return findings


class _Run:
    """One round over some cases."""

    def __init__(self, examiner: Examiner, cases: Sequence[Case], findings: list[Finding]) -> None:
        self.examiner, self.cases, self.findings = examiner, cases, findings
        self.counts = examiner.counts
        self.base: dict[int, Lowered] = {}
        self.results: dict[int, list[np.ndarray]] = {}

    def all(self) -> None:
        self._values()
        self._slopes()
        self._batches()
        self._curvature()

    # -- values ------------------------------------------------------------------------------------

    def _values(self) -> None:
        for i, case in enumerate(self.cases):
            lowered = case.lowered or self._lowered(
                "xla", i, case.program.function(ANVL), case.inputs
            )
            if lowered is not None:
                self.base[i] = lowered
        # If XLA runs no program, the interpreter gives the values, without compilation.
        by_xla = any("xla" in case.kinds for case in self.cases)
        interpreter = None if by_xla else self.examiner.interpreter
        self.compiled = Compiled(self.base, self._refused("xla"), interpreter)
        (self.results,) = self.compiled.run([{i: self.cases[i].inputs for i in self.base}])
        for i in self.results:
            self._one(i)
        self._interpret([i for i in self.results if self._is_interpreted_too(i)])

    def _one(self, i: int) -> None:
        case, results = self.cases[i], self.results[i]
        kind = "interpreter" if i in self.compiled.interpreted else "xla"
        self.counts[f"run: {kind}"] += 1
        self._check(kind, i, results, None)
        f = case.program.function(ANVL)
        if "jit" in case.kinds:
            self._python("jit", i, anvl.jit(f))
        if "eager" in case.kinds:
            self._python("eager", i, lambda *xs: f(*map(anp.asarray, xs)))
        if "other" in case.kinds and self.examiner.other is not None:
            self.counts["run: other library"] += 1
            self._note(self.examiner.other.check("other", case.program, results))

    def _check(self, kind: str, i: int, results: Any, other_run: Any) -> None:
        program = self.cases[i].program
        self._note(self.examiner.verifier.check(kind, program, results, other_run))

    def _note(self, finding: Finding | None) -> None:
        if finding is not None:
            self.findings.append(finding)

    def _is_interpreted_too(self, i: int) -> bool:
        """Whether the interpreter is to run a program that XLA has run, and can."""
        if "interpreter" not in self.cases[i].kinds or i in self.compiled.interpreted:
            return False
        lacking = unknown_ops(self.base[i].names())
        if lacking:
            self.counts[f"not interpreted: has no {min(lacking)}"] += 1
        return not lacking

    def _interpret(self, indices: Sequence[int]) -> None:
        parts = [self.base[i] for i in indices]
        jobs = [
            (part.code(), [part.arguments(self.cases[i].inputs)])
            for i, part in zip(indices, parts, strict=True)
        ]
        answers = self.examiner.interpreter.run_each(jobs) if jobs else []
        for i, answer in zip(indices, answers, strict=True):
            if isinstance(answer, ProcessEnded):
                self.counts[f"not interpreted: {str(answer)[:80]}"] += 1
                continue
            self.counts["run: interpreter"] += 1
            self._check("interpreter", i, answer[0], self.results[i])

    def _python(self, kind: str, i: int, f: Callable[..., Any]) -> None:
        try:
            found = [np.asarray(y) for y in f(*self.cases[i].inputs)]
        except Exception as error:  # whatever the error, the program ran when it was lowered
            self._broken(kind, i, error)
            return
        self.counts[f"run: {kind}"] += 1
        self._check(kind, i, found, self.results[i])

    # -- lowering ----------------------------------------------------------------------------------

    def _lowered(
        self, kind: str, i: int, f: Callable[..., Any], inputs: Sequence[np.ndarray]
    ) -> Lowered | None:
        try:
            lowered = Lowered(f, inputs)
            lowered.is_optimized = self.examiner.is_optimized
            return lowered
        except AnvlError as error:
            self.counts[f"refused: {kind}: {_first_line(error)}"] += 1
        except Exception as error:  # any error of anvl's
            self._broken(kind, i, error)
        return None

    def _broken(self, kind: str, i: int, error: Exception) -> None:
        program = self.cases[i].program
        last = len(program.steps) - 1
        message = f"{type(error).__name__}: {_first_line(error)}"
        self.findings.append(Finding(f"error in {kind}", program, last, message))

    def _refused(self, kind: str) -> Callable[[int, Exception], None]:
        return lambda i, error: self._broken(kind, i, error)

    # -- slopes ------------------------------------------------------------------------------------

    def _wanted(self, kind: str) -> Iterable[tuple[int, Directions]]:
        for i, lowered in self.base.items():
            if kind in self.cases[i].kinds and i in self.results:
                case = self.cases[i]
                of = Directions.of(case.program, lowered.out_avals, case.seed)
                if "slopes" not in kind and "curvature" not in kind:
                    yield i, of
                elif of.moving and of.weighed:
                    yield i, of

    def _differentiated(
        self, kind: str, transform: Callable[[Program, Directions], Callable[..., Any]]
    ) -> dict[int, _TransformedProgram]:
        """The transform of each program that is wanted in this kind, along its directions."""
        parts = {}
        for i, of in self._wanted(kind):
            case = self.cases[i]
            arrays = [*case.inputs, *of.tangents, *of.cotangents]
            lowered = self._lowered(kind, i, transform(case.program, of), arrays)
            if lowered is not None:
                parts[i] = _TransformedProgram(i, lowered, of)
        return parts

    def _slopes(self) -> None:
        parts = self._differentiated("slopes", slopes)
        at = self._at_steps("slopes", parts)
        for i, results in at.items():
            self.counts["run: slopes"] += 1
            self._judge_slopes(i, parts[i].directions, results)

    def _at_steps(
        self, kind: str, parts: Mapping[int, _TransformedProgram]
    ) -> Mapping[int, Mapping[int, list[np.ndarray]]]:
        """Results of each part at its inputs and around them, by half steps."""
        compiled = self._compiled(kind, {i: p.lowered for i, p in parts.items()})
        points = [
            {i: self._moved(i, p.directions, k) for i, p in parts.items()} for k in _HALF_STEPS
        ]
        at: dict[int, dict[int, list[np.ndarray]]] = defaultdict(dict)
        for k, found in zip(_HALF_STEPS, compiled.run(points), strict=True):
            for i, results in found.items():
                at[i][k] = results
        return at

    def _compiled(self, kind: str, parts: Mapping[int, Lowered]) -> Compiled:
        """Some transformed programs; four of five groups are interpreted if possible."""
        by = self.examiner.interpreter if self.examiner.interprets(kind) else None
        self.counts[f"run by {'interpreter' if by else 'xla'}: {kind}"] += len(parts)
        return Compiled(parts, self._refused(kind), by)

    def _moved(self, i: int, of: Directions, k: int) -> list[np.ndarray]:
        arrays = self.cases[i].inputs
        for j, t in zip(of.moving, of.tangents, strict=True):
            arrays[j] = (arrays[j] + arrays[j].dtype.type(k * STEP / 2) * t).astype(arrays[j].dtype)
        return [*arrays, *of.tangents, *of.cotangents]

    def _moving(self, i: int, of: Directions) -> list[np.ndarray]:
        inputs = [self.cases[i].inputs[j] for j in of.moving]
        return [x[np.isfinite(x)].astype(np.complex128) for x in inputs]

    def _judge_slopes(self, i: int, of: Directions, at: Mapping[int, list[np.ndarray]]) -> None:
        program = self.cases[i].program
        n, m = len(program.names), len(of.weighed)
        tangents, cotangents = at[0][n : n + m], at[0][n + m :]
        dtypes = [x.dtype for x in (*program.inputs.values(), *at[0][:n])]
        error = mode_error(tangents, of.cotangents, cotangents, of.tangents, dtypes)
        if error is None:
            self.counts["slopes: modes not compared, not finite"] += 1
        elif error > 1 and not self._is_unsteady(i, of, at):
            last = len(program.steps) - 1
            message = f"forward and reverse mode differ by {error:.2g} times what is allowed"
            self.findings.append(Finding("slopes", program, last, message))
            return
        if any(np.abs(x).max(initial=0) > _FAR for x in self._moving(i, of)):
            return  # a step is less than a unit of rounding there
        named = {program.names[j]: t for j, t in zip(of.weighed, tangents, strict=True)}
        values = {k: results[:n] for k, results in at.items()}
        wrong = wrong_slope(program, values, named, self.counts)
        if wrong is not None:
            self.findings.append(Finding("slopes", program, *wrong))

    def _is_unsteady(self, i: int, of: Directions, at: Mapping[int, list[np.ndarray]]) -> bool:
        """Whether cotangents change much for almost equal inputs."""
        n = len(self.cases[i].program.names) + len(of.weighed)
        for near in (at[-1][n:], at[1][n:]):
            for a, b in zip(at[0][n:], near, strict=True):
                x, y = np.asarray(a, complex), np.asarray(b, complex)
                if not np.isfinite(y).all() or (np.abs(x - y) > 1e3 * (np.abs(x) + 1)).any():
                    return True
        return False

    # -- batches -----------------------------------------------------------------------------------

    def _batches(self) -> None:
        self._batch("batch", lambda case, of: (case.program.function(ANVL), case.inputs))
        self._batch(
            "batch of slopes",
            lambda case, of: (
                slopes(case.program, of),
                [*case.inputs, *of.tangents, *of.cotangents],
            ),
        )
        self._batch(
            "slopes of batch",
            lambda case, of: (None, [*case.inputs, *of.tangents, *of.cotangents]),
        )
        self._batch(
            "batch of curvature",
            lambda case, of: (
                curvature(case.program, of), [*case.inputs, *of.tangents, *of.cotangents]
            ),
        )  # fmt: skip

    def _batch(self, kind: str, made: Callable[[Case, Directions], Any]) -> None:
        """Compare a function under `vmap` with the same function on each member."""
        made_of = {i: self._batch_of(kind, i, of, made) for i, of in self._wanted(kind)}
        pairs = {i: pair for i, pair in made_of.items() if pair is not None}
        parts = {i: part for i, (part, _) in pairs.items()}
        whole_ones = self._compiled(kind, {i: p.lowered for i, p in parts.items()})
        single_ones = self.compiled if kind == "batch" else self._compiled(
            kind, {i: single for i, (_, single) in pairs.items()}
        )  # fmt: skip
        (found,) = whole_ones.run([{i: p.axes.stacked(p.rows) for i, p in parts.items()}])  # type: ignore[union-attr]
        points = _members_of({i: parts[i].rows for i in found})
        for k, results in enumerate(single_ones.run(points)):
            for i, expected in results.items():
                mine = self._member(kind, parts[i], k, found[i])
                self._judge_batch(kind, i, parts[i], k, mine, expected)
        for _ in found:
            self.counts[f"run: {kind}"] += 1

    def _batch_of(
        self, kind: str, i: int, of: Directions, made: Callable[[Case, Directions], Any]
    ) -> tuple[_TransformedProgram, Lowered] | None:
        """A function under `vmap`, and the same for one member; None if one is refused."""
        case, draw = self.cases[i], random.Random(self.cases[i].seed)
        f, arrays = made(case, of)
        if not arrays:
            return None
        axes = self._axes(kind, draw, case, of, arrays)
        rows = members(draw, axes, arrays)
        whole = slopes_of_batch(case.program, of, axes) if f is None else batched(f, axes)
        lowered = self._lowered(kind, i, whole, axes.stacked(rows))
        single = self.base[i] if kind == "batch" else self._lowered(
            kind, i, slopes(case.program, of) if f is None else f, arrays
        )  # fmt: skip
        if lowered is None or single is None:
            return None
        return _TransformedProgram(i, lowered, of, axes, rows), single

    def _axes(
        self, kind: str, draw: random.Random, case: Case, of: Directions,
        arrays: Sequence[np.ndarray],
    ) -> Axes:  # fmt: skip
        axes = Axes.drawn(draw, arrays)
        if kind != "slopes of batch":
            return axes
        n = len(case.inputs)  # a tangent has the axis of its input, a weight the first one
        own = axes.axes[:n]
        if all(own[i] is None for i in range(n)):
            own = (0, *own[1:])
        own = tuple(0 if i in of.moving and a is None else a for i, a in enumerate(own))
        rest = [own[i] for i in of.moving] + [0] * len(of.weighed)
        return Axes(axes.size, (*own, *rest))

    def _member(
        self, kind: str, part: _TransformedProgram, k: int, found: Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        """Results of one member: cotangents have the axis where the inputs have it."""
        axes: list[int | None] = [0] * len(found)
        if kind == "slopes of batch" and part.axes is not None:
            of = part.directions
            axes[len(found) - len(of.moving) :] = [part.axes.axes[j] for j in of.moving]
        return [np.take(y, k, axis=a) for y, a in zip(found, axes, strict=True)]

    def _judge_batch(
        self, kind: str, i: int, part: _TransformedProgram, k: int, mine: list[np.ndarray],
        expected: list[np.ndarray],
    ) -> None:  # fmt: skip
        case = self.cases[i]
        if kind == "batch":
            program = case.program.with_inputs(part.rows[k])
            finding = self.examiner.verifier.check("batch", program, mine, expected)
            if finding is not None:
                self.findings.append(finding._replace(program=case.program))
            return
        dtypes = [x.dtype for x in (*case.inputs, *self.results[i])]
        message = disagreement(mine, expected, dtypes)
        if message is not None:
            last = len(case.program.steps) - 1
            self.findings.append(Finding(kind, case.program, last, f"member {k}: {message}"))

    # -- second derivatives ------------------------------------------------------------------------

    def _curvature(self) -> None:
        parts = self._differentiated("curvature", curvature)
        at = self._at_steps("curvature", parts)
        for i, results in at.items():
            self.counts["run: curvature"] += 1
            message = self._judged_curvature(i, parts[i].directions, results)
            if message:
                last = len(self.cases[i].program.steps) - 1
                self.findings.append(Finding("curvature", self.cases[i].program, last, message))

    def _judged_curvature(
        self, i: int, of: Directions, at: Mapping[int, list[np.ndarray]]
    ) -> str | None:
        program, m, found = self.cases[i].program, len(of.moving), at[0]
        values = dict(zip(program.names, self.results[i], strict=True))
        if keeps_rank(program, {**program.inputs, **values}):
            self.counts["curvature: of a constant rank"] += 1
            return None
        dtypes = [x.dtype for x in (*self.cases[i].inputs, *self.results[i])]
        gradient, *nested = [found[j * m : (j + 1) * m] for j in range(4)]
        if not all(np.isfinite(x.astype(complex)).all() for x in found):
            self.counts["curvature: not finite"] += 1
            return None
        for name, other in zip(
            ("reverse over forward", "reverse over reverse"), nested[1:], strict=True
        ):
            message = disagreement(other, nested[0], dtypes)
            if message:
                return f"{name} for forward over reverse: {message}"
        along = sum(np.sum(np.real(a * t)) for a, t in zip(nested[0], of.tangents, strict=True))
        size = sum(np.sum(np.abs(a * t)) for a, t in zip(nested[0], of.tangents, strict=True))
        if abs(along - found[-1]) > 1e-6 * size + 1e-12 and set(map(str, dtypes)) <= {"float64"}:
            return f"forward over forward gives {found[-1]!r} for {along!r}"
        return self._against_differences(i, gradient, nested[0], at)

    def _against_differences(
        self, i: int, gradient: list[np.ndarray], found: list[np.ndarray],
        at: Mapping[int, list[np.ndarray]],
    ) -> str | None:  # fmt: skip
        names = [f"g{j}" for j in range(len(found))]
        case = self.cases[i]
        if any(s.function.startswith("prim.") for s in case.program.steps if "stop" in s.function):
            return None
        kinds = {str(x.dtype) for x in (*case.inputs, *self.results[i]) if kind_of(x.dtype) in "fc"}
        if kinds != {"float64"}:
            return None
        values = {k: results[: len(found)] for k, results in at.items()}
        step = Program.parse(f"{', '.join(names)} = np.gradient()")
        counts: Counter[str] = Counter()
        wrong = wrong_slope(step, values, dict(zip(names, found, strict=True)), counts)
        for key, n in counts.items():
            self.counts[key.replace("slopes", "curvature")] += n
        return None if wrong is None else wrong[1]


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:200] if text else ""


def _members_of(rows: Mapping[int, Sequence[Any]]) -> list[dict[int, Any]]:
    """The first, second and third row of each case that has one."""
    return [{i: of[k] for i, of in rows.items() if k < len(of)} for k in range(3)]
