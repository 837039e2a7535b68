"""Run many modules: most compiled by XLA as one, some by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

import anvl.runtime as rt
from anvl.dialect.text.interpreter import Interpreter, ProcessEnded, unknown_ops
from anvl.testing.random_programs.modules import Batch, Lowered, Refused

__all__ = ["Compiled"]


class Compiled:
    """Executable modules: most compiled together, some interpreted.

    `refused` is called with those that XLA does not compile.
    """

    def __init__(
        self, parts: Mapping[int, Lowered], refused: Callable[[int, Exception], None],
        interpreter: Interpreter | None = None,
    ) -> None:  # fmt: skip
        self.batches: list[tuple[list[int], Batch]] = []
        self.interpreter, self._refused = interpreter, refused
        self.interpreted = {
            k: part for k, part in parts.items()
            if interpreter is not None and not unknown_ops(part.names())
        }  # fmt: skip
        rest = {k: part for k, part in parts.items() if k not in self.interpreted}
        self._compile({k: part for k, part in rest.items() if not part.needs_new()})
        self._compile({k: part for k, part in rest.items() if part.needs_new()})

    def _compile(self, parts: dict[int, Lowered]) -> None:
        if not parts:
            return
        keys = list(parts)
        try:
            self.batches.append((keys, Batch([parts[k] for k in keys])))
        except Refused as error:
            if len(keys) > 1:
                half = len(keys) // 2
                for some in (keys[:half], keys[half:]):
                    self._compile({k: parts[k] for k in some})
            elif not parts[keys[0]].needs_new():
                parts[keys[0]].refused_by_old = True
                self._compile(parts)
            else:
                self._refused(keys[0], error)

    def run(
        self, points: Sequence[Mapping[int, Sequence[np.ndarray]]]
    ) -> list[dict[int, list[np.ndarray]]]:
        """Results by key, at each of several inputs by key; those of ended programs are missing."""
        found = self._run_interpreted(points)
        for keys, batch in self.batches:
            for inputs, results_of in zip(points, found, strict=True):
                if any(k in inputs for k in keys):
                    results_of.update(self._run(keys, batch, inputs))
        return found

    def _run_interpreted(
        self, points: Sequence[Mapping[int, Sequence[np.ndarray]]]
    ) -> list[dict[int, list[np.ndarray]]]:
        """`run` of the modules that the interpreter runs."""
        found: list[dict[int, list[np.ndarray]]] = [{} for _ in points]
        at = {k: [j for j, xs in enumerate(points) if k in xs] for k in self.interpreted}
        jobs = [
            (part.code(), [part.arguments(points[j][k]) for j in at[k]])
            for k, part in self.interpreted.items()
        ]
        answers = self.interpreter.run_each(jobs) if jobs else []  # type: ignore[union-attr]
        for k, answer in zip(self.interpreted, answers, strict=True):
            if not isinstance(answer, ProcessEnded):
                for j, ys in zip(at[k], answer, strict=True):
                    found[j][k] = ys
        return found

    def _run(
        self, keys: list[int], batch: Batch, inputs: Mapping[int, Sequence[np.ndarray]]
    ) -> dict[int, list[np.ndarray]]:
        given = [inputs.get(k, part.inputs) for k, part in zip(keys, batch.parts, strict=True)]
        try:
            results = batch.run(given)
        except rt.RuntimeFailure as error:
            if len(keys) == 1:
                self._refused(keys[0], error)
                return {}
            found: dict[int, list[np.ndarray]] = {}
            for k, part in zip(keys, batch.parts, strict=True):
                found |= self._run([k], Batch([part]), inputs) if k in inputs else {}
            return found
        return {k: ys for k, ys in zip(keys, results, strict=True) if k in inputs}
