"""Shrink a program that shows a mismatch, so that its cause can be seen.

Steps become arrays of their values, later steps are removed, then parameters, parts of bodies,
elements and digits; every change that keeps the same mismatch is kept.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator

import numpy as np

from anvl.testing.random_programs.compare.array_values import kind_of
from anvl.testing.random_programs.programs import Program, Step, names_in

__all__ = ["shrunk"]

Shows = Callable[[Program], bool]
Values = Callable[[Program], dict[str, np.ndarray]]


def shrunk(
    program: Program, shows: Shows, values: Values, seconds: float = 60.0, roughly: bool = False
) -> Program:
    """The smallest program found that shows the same as this one.

    `values` gives the results of a program by name; it may fail.  `roughly` removes only steps.
    """
    until = time.monotonic() + seconds
    if not shows(program):
        return program
    while time.monotonic() < until:
        for smaller in _smaller(program, values, roughly):
            if time.monotonic() > until:
                break
            if shows(smaller):
                program = smaller
                break
        else:
            break
    return program.renumbered()


def _smaller(program: Program, values: Values, roughly: bool) -> Iterator[Program]:
    yield from _last_alone(program, values)
    yield from _without_steps(program, values)
    if roughly:
        return
    yield from _with_simpler_texts(program)
    yield from _with_simpler_arrays(program)


def _last_alone(program: Program, values: Values) -> Iterator[Program]:
    """One of the steps alone, on its values."""
    if len(program.steps) < 2:
        return
    known = _known(program, values)
    for step in reversed(program.steps):
        given = {x: known[x] for x in step.operands if x in known}
        if len(given) == len(step.operands):
            yield Program(given, (step,))


def _without_steps(program: Program, values: Values) -> Iterator[Program]:
    if len(program.steps) < 2:
        return
    yield program._replace(steps=program.steps[:-1])
    known = _known(program, values)
    for i, step in enumerate(program.steps[:-1]):
        rest = (*program.steps[:i], *program.steps[i + 1 :])
        used = {x for other in rest for x in other.operands}
        given = {y: known[y] for y in step.results if y in used and y in known}
        if used & set(step.results) <= set(given):
            yield Program({**program.inputs, **given}, rest)


def _known(program: Program, values: Values) -> dict[str, np.ndarray]:
    try:
        return {**program.inputs, **values(program)}
    except Exception:  # a program that does not run has no values
        return dict(program.inputs)


# -- expressions -----------------------------------------------------------------------------------


def _with_simpler_texts(program: Program) -> Iterator[Program]:
    for i, step in enumerate(program.steps):
        for text in _simpler(step.text):
            steps = (*program.steps[:i], Step(step.results, text), *program.steps[i + 1 :])
            yield Program(program.inputs, steps)


def _simpler(text: str) -> Iterator[str]:
    """Variants without one keyword, or with a part of a body in place of the whole."""
    n = sum(1 for _ in ast.walk(ast.parse(text, mode="eval")))
    for k in range(n):
        tree = ast.parse(text, mode="eval")
        node = list(ast.walk(tree))[k]
        if isinstance(node, ast.Call):
            for j in range(len(node.keywords)):
                removed = node.keywords.pop(j)
                yield ast.unparse(tree)
                node.keywords.insert(j, removed)
        if isinstance(node, ast.Lambda):
            for part in list(ast.walk(node.body))[1:]:
                if isinstance(part, ast.Name | ast.Call | ast.BinOp) and _is_value(part):
                    whole, node.body = node.body, part
                    yield ast.unparse(tree)
                    node.body = whole


def _is_value(node: ast.AST) -> bool:
    return not isinstance(node, ast.Name) or node.id not in ("np", "anvl", "own", "prim")


# -- arrays ----------------------------------------------------------------------------------------


def _with_simpler_arrays(program: Program) -> Iterator[Program]:
    used = {x for step in program.steps for x in names_in(step.text)}
    for name, x in program.inputs.items():
        if name in used:
            for smaller in _simpler_arrays(x):
                yield Program({**program.inputs, name: smaller}, program.steps)
    for size in {n for x in program.inputs.values() for n in x.shape if n > 1}:
        yield Program({name: _cut(x, size) for name, x in program.inputs.items()}, program.steps)


def _cut(x: np.ndarray, size: int) -> np.ndarray:
    """All axes of one size shortened by one."""
    return x[tuple(slice(n - 1) if n == size else slice(None) for n in x.shape)]


def _simpler_arrays(x: np.ndarray) -> Iterator[np.ndarray]:
    for axis, n in enumerate(x.shape):
        if n > 1:
            yield np.take(x, [0], axis=axis)
            yield np.take(x, range(n - 1), axis=axis)
            yield np.take(x, range(1, n), axis=axis)
        yield np.take(x, 0, axis=axis) if n else x[(0,) * 0]
    if kind_of(x.dtype) not in "fc" or not x.size:
        return
    for simpler in (np.ones_like(x), np.round(x.astype(x.dtype), 0), np.round(x, 1)):
        if simpler.tobytes() != x.tobytes() and _digits(simpler) < _digits(x):
            yield simpler.astype(x.dtype)


def _digits(x: np.ndarray) -> int:
    return len(repr(x.tolist()))
