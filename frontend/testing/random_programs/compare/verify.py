"""Compare the values of a program, step by step, with NumPy and with another run.

Each step is checked on its own operands: NumPy gets the values of the program, so that errors do
not accumulate, and the first wrong step is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.testing.random_programs.compare.array_values import kind_of
from anvl.testing.random_programs.compare.comparison import is_near, perturbed, within
from anvl.testing.random_programs.compare.differences import known_difference
from anvl.testing.random_programs.compare.reference import (
    NUMPY,
    NoReference,
    as_reference,
    reference_text,
)
from anvl.testing.random_programs.compare.rounding import size_of, slack_of
from anvl.testing.random_programs.library import Library
from anvl.testing.random_programs.programs import Program, Step, evaluated

__all__ = ["Finding", "Verifier"]

_REFUSED = (
    NoReference, ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError,
    AttributeError, np.linalg.LinAlgError, np.exceptions.AxisError,
)  # fmt: skip
_AROUND = 7

#: Functions that give bools for bools; NumPy makes i8 of them.
CONJUGATES = ("np.conj", "np.conjugate", "np.vdot", "np.vecdot")

#: Functions that give integers for integers; NumPy does for some of them.
ROUNDING = {f"np.{name}" for name in "floor ceil trunc rint fix round around".split()}


class Finding(NamedTuple):
    """A mismatch: the comparison, the program, the step, and the numbers."""

    kind: str
    program: Program
    step: int
    message: str

    def __str__(self) -> str:
        return f"{self.kind}\n{self.program}\n# {self.message}"


class Verifier:
    """Check runs of programs, by NumPy or a library; `counts` tells how each step was checked."""

    def __init__(self, library: Library | None = None) -> None:
        self.library = library
        self.namespace = NUMPY if library is None else library.namespace
        self.counts: Counter[str] = Counter()

    def check(
        self, kind: str, program: Program, results: Sequence[np.ndarray],
        other_run: Sequence[np.ndarray] | None = None,
    ) -> Finding | None:  # fmt: skip
        """The first wrong step of a run; `other_run` are the results of another run."""
        values = _named(program, results)
        others = None if other_run is None else _named(program, other_run)
        for i, step in enumerate(program.steps):
            message = self._step(step, values, others)
            if message:
                return Finding(kind, program, i, f"{step.function}: {message}")
        return None

    def _step(
        self, step: Step, values: Mapping[str, Any], others: Mapping[str, Any] | None
    ) -> str | None:
        found = [values[y] for y in step.results]
        operands = {x: values[x] for x in step.operands}
        if others is not None and _identical(
            [*operands.values(), *found], [others[x] for x in (*operands, *step.results)]
        ):
            self.counts["same as the other run"] += 1
            return None
        try:
            expected = self._reference(step, operands)
        except _REFUSED as error:
            reason = str(error) if isinstance(error, NoReference) else "NumPy refuses"
            return self._against_other_run(step, operands, found, others, reason)
        return self._judged(step, operands, found, expected)

    def _reference(self, step: Step, operands: Mapping[str, Any]) -> list[Any]:
        given = {x: as_reference(value) for x, value in operands.items()}
        return self._evaluated(step, given)

    def _evaluated(self, step: Step, given: Mapping[str, Any]) -> list[Any]:
        text = reference_text(step.text)
        if self.library is not None:
            return self.library.evaluated(text, given)
        with np.errstate(all="ignore"):
            return evaluated(text, self.namespace, given)

    def _judged(
        self, step: Step, operands: Mapping[str, Any], found: list[Any], expected: list[Any]
    ) -> str | None:
        wrong = _wrong_types(step.function, found, expected)
        if wrong and "b" in {kind_of(x.dtype) for x in operands.values()}:
            expected = self._of_numbers(step, operands, found, expected)
            wrong = _wrong_types(step.function, found, expected)
        if wrong:
            return wrong
        near = [
            is_near(y, e, slack_of(step), magnitude=size_of(step, operands, e))
            for y, e in zip(found, expected, strict=True)
        ]
        if all(n.all() for n in near):
            self.counts["near to NumPy"] += 1
            return None
        near = self._is_near_perturbed(step, operands, found, near)
        if all(n.all() for n in near):
            self.counts["as near as rounding lets it be"] += 1
            return None
        reason = known_difference(step, operands, found, expected, near)
        if reason:
            self.counts[f"differs: {reason}"] += 1
            return None
        return _shown(found, expected, near, operands)

    def _of_numbers(
        self, step: Step, operands: Mapping[str, Any], found: list[Any], expected: list[Any]
    ) -> list[Any]:
        """The reference with bools as numbers, which NumPy makes narrow floats; or nothing."""
        if kind_of(found[0].dtype) not in "fc":
            return expected
        given = {x: _as_in(v, found[0].dtype) for x, v in operands.items()}
        try:
            return self._evaluated(step, given)
        except _REFUSED:
            return expected

    def _is_near_perturbed(
        self, step: Step, operands: Mapping[str, Any], found: list[Any], near: list[np.ndarray]
    ) -> list[np.ndarray]:
        """Whether values are near the references around the operands."""
        names, arrays = list(operands), list(operands.values())
        around: list[list[Any]] = []
        for kinds in (None, found[0].dtype):  # integers become floats of the result's dtype
            given = [_as_in(x, kinds) for x in arrays]
            narrow = [a.dtype if kind_of(a.dtype) in "fc" else kinds or a.dtype for a in arrays]
            for xs in perturbed(given, narrow, _AROUND):
                try:
                    around.append(self._evaluated(step, dict(zip(names, xs, strict=True))))
                except _REFUSED:
                    continue
        many = [[np.asarray(e[i]) for e in around] for i in range(len(found))]
        return [
            n | within(y, [e for e in es if e.shape == y.shape])
            for y, n, es in zip(found, near, many, strict=True)
        ]

    def _against_other_run(
        self, step: Step, operands: Mapping[str, Any], found: list[Any],
        others: Mapping[str, Any] | None, reason: str,
    ) -> str | None:  # fmt: skip
        """Compare with the other run, where NumPy has no answer."""
        if others is None:
            self.counts[f"not compared: {reason}"] += 1
            return None
        if not _identical(operands.values(), [others[x] for x in operands]):
            self.counts["not compared: the operands differ by rounding"] += 1
            return None
        expected = [others[y] for y in step.results]
        near = [
            is_near(y, e, 1024, magnitude=size_of(step, operands, e))
            for y, e in zip(found, expected, strict=True)
        ]
        if all(n.all() for n in near):
            self.counts["near to the other run"] += 1
            return None
        why = known_difference(step, operands, found, expected, near)
        if why:
            self.counts[f"differs: {why}"] += 1
            return None
        return "the other run differs; " + _shown(found, expected, near, operands)


def _named(program: Program, results: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    return {**program.inputs, **dict(zip(program.names, results, strict=True))}


def _identical(ones: Any, others: Any) -> bool:
    return all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        for a, b in zip(ones, others, strict=True)
    )


def _as_in(x: np.ndarray, dtype: np.dtype | None) -> np.ndarray:
    """An operand for the reference; integers rounded to a dtype of floats."""
    if dtype is None or kind_of(dtype) not in "fc" or kind_of(x.dtype) not in "biu":
        return as_reference(x)
    return as_reference(x.astype(dtype))


def _wrong_types(function: str, found: Sequence[Any], expected: Sequence[Any]) -> str | None:
    """Description of how results differ from the reference in number, shape or kind."""
    if len(expected) != len(found):
        return f"{len(found)} results for {len(expected)}"
    for y, e in zip(found, expected, strict=True):
        if y.shape != np.shape(e):
            return f"a result of shape {y.shape} for {np.shape(e)}"
        wrong = _wrong_kind(function, y, e)
        if wrong:
            return wrong
    return None


def _wrong_kind(function: str, y: np.ndarray, e: Any) -> str | None:
    """Mismatch of kinds: bool, integer, float and complex are distinct, integers stay integers."""
    kinds = [kind_of(y.dtype), kind_of(np.asarray(e).dtype)]
    kinds = ["i" if k in "iu" else k for k in kinds]
    if function == "np.reciprocal" and kinds == ["f", "i"]:
        return None  # NumPy's of an integer is 0, except for 1 and -1
    if function in CONJUGATES and kinds[0] == "b":
        return None
    if function in ROUNDING and kinds[0] in "bi":
        return None  # they leave integers and bools unchanged; NumPy makes floats of them
    return (
        None if kinds[0] == kinds[1] else f"a result of dtype {y.dtype} for {np.asarray(e).dtype}"
    )


def _shown(
    found: list[Any], expected: list[Any], near: list[np.ndarray], operands: Mapping[str, Any]
) -> str:
    """The first element that is wrong."""
    for i, (y, e, n) in enumerate(zip(found, expected, near, strict=True)):
        if not n.all():
            at = tuple(int(k) for k in np.argwhere(~n)[0])
            types = ", ".join(f"{x}: {v.dtype}{list(v.shape)}" for x, v in operands.items())
            return (
                f"result {i} at {at}: {y[at]!r} for {np.asarray(e)[at]!r}, "
                f"{int((~n).sum())} of {y.size}; of {types}"
            )
    return ""
