"""Generator of programs: `generated(seed)` is the same in every run.

Steps are drawn while the program is traced, so that the dtypes and shapes of earlier results are
known.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect.core.errors import AnvlError
from anvl.testing.random_programs.compare.array_values import DTYPES, array
from anvl.testing.random_programs.draw_programs.combinators import COMBINATORS
from anvl.testing.random_programs.draw_programs.contractions import PRODUCTS
from anvl.testing.random_programs.draw_programs.own_ops import Own
from anvl.testing.random_programs.draw_programs.pointwise import POINTWISE
from anvl.testing.random_programs.draw_programs.pool import NoFit, Pool, Value
from anvl.testing.random_programs.draw_programs.primitives import calls
from anvl.testing.random_programs.draw_programs.reshapes import STRUCTURAL
from anvl.testing.random_programs.draw_programs.staples import STAPLES
from anvl.testing.random_programs.modules import Lowered
from anvl.testing.random_programs.programs import Program, Step, evaluated

__all__ = ["ANVL", "TABLE", "Broken", "Generated", "generated"]

#: The namespaces `np`, `anvl`, `prim` and `own` for running a program on anvl.
ANVL: Mapping[str, Any] = {"np": anp, "anvl": anvl, "prim": prim, "own": Own(anp, anvl)}

#: Every kind of step, by name: a function that writes it.
TABLE: dict[str, Callable[[Pool], str]] = {
    **POINTWISE, **STRUCTURAL, **STAPLES, **PRODUCTS, **COMBINATORS,
}  # fmt: skip

# Frequencies of the tables of steps.
_FAMILIES = ((POINTWISE, 5), (STRUCTURAL, 5), (STAPLES, 2), (PRODUCTS, 2), (COMBINATORS, 3))
_MOST_STEPS = 8
_MOST_ELEMENTS = 200  # maximal elements of one value
_TRIES = 40  # attempts to draw a step that fits

_REFUSALS = (TypeError, ValueError, IndexError, OverflowError, AnvlError)


class Generated(NamedTuple):
    """A program, its module, the steps that anvl refused, and whether its inputs are wild."""

    program: Program
    lowered: Lowered
    refused: list[tuple[str, Exception]]
    wild: bool


class Broken(Exception):
    """An error other than a refusal, with the program that led to it."""

    def __init__(self, program: Program, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {str(error)[:300]}")
        self.program = program


def generated(seed: Sequence[int]) -> Generated:
    """The program of a seed; raises `Broken`."""
    draw = random.Random(repr(tuple(seed)))
    wild = draw.random() < 0.4
    pool = Pool(draw)
    inputs = dict(zip(map("v{}".format, range(9)), _inputs(draw, wild), strict=False))
    own = _primitive_calls(draw, wild, inputs)
    writer = _Writer(pool, own)

    def traced(*xs: Any) -> list[Any]:
        return writer.write(dict(zip(inputs, xs, strict=True)))

    try:
        lowered = Lowered(traced, [*inputs.values()])
    except Exception as error:
        raise Broken(Program(inputs, tuple(writer.steps)), error) from error
    program = Program(inputs, tuple(writer.steps))
    return Generated(program, lowered, writer.refused, wild)


def _inputs(draw: random.Random, wild: bool) -> list[np.ndarray]:
    """Arrays with sizes that often agree."""
    sizes = draw.choice(((2, 3), (3, 3), (2, 2), (3, 2), (4, 2), (3, 1), (2, 0), (1, 3), (3, 4)))
    kinds = draw.choice(("f", "f", "f", "fi", "fc", "iu", "ib", "c", "biufc"))
    main = {kind: draw.choice(DTYPES[kind]) for kind in "biufc"}
    found = []
    for _ in range(draw.randint(1, 3)):
        kind = draw.choice(kinds)
        dtype = main[kind] if draw.random() < 0.8 else draw.choice(DTYPES[kind])
        rank = draw.choice((0, 1, 1, 2, 2, 2, 3, 4))
        shape = tuple(draw.choice(sizes) for _ in range(rank))
        if draw.random() < 0.3:
            shape = (*shape[:-2], *[sizes[0]] * min(2, rank))
        while np.prod(shape) > 36:
            shape = shape[1:]
        found.append(array(draw, dtype, shape, wild))
    return found


def _primitive_calls(
    draw: random.Random, wild: bool, inputs: dict[str, np.ndarray]
) -> list[Callable[[Pool], str]]:
    """Up to two calls of primitives; their operands join the inputs."""
    table = calls()
    found: list[Callable[[Pool], str]] = []
    for _ in range(draw.choice((0, 0, 1, 1, 2))):
        call = draw.choice(table[draw.choice(list(table))])
        if len(inputs) + len(call.operands) > 9:
            continue
        names = [f"v{len(inputs) + i}" for i in range(len(call.operands))]
        inputs.update(zip(names, call.drawn(draw, wild), strict=True))
        found.append(partial(call.step, own=names))
    return found


class _Writer:
    """Draw steps and trace them."""

    def __init__(self, pool: Pool, planned: list[Callable[[Pool], str]]) -> None:
        self.pool, self.planned = pool, planned
        self.steps: list[Step] = []
        self.refused: list[tuple[str, Exception]] = []
        self.values: dict[str, Any] = {}

    def write(self, inputs: dict[str, Any]) -> list[Any]:
        """Draw steps over traced inputs; returns the results of all."""
        for name, x in inputs.items():
            self._add(name, x)
        draw = self.pool.draw
        wanted = draw.randint(1, _MOST_STEPS)
        tables = [table for table, share in _FAMILIES for _ in range(share)]
        for _ in range(_TRIES):
            if len(self.steps) >= wanted:
                break
            if self.planned and draw.random() < 0.4:
                self._step(self.planned.pop())
                continue
            table = draw.choice(tables)
            self._step(table[draw.choice(_keys(table))])
        if not self.steps:
            self._step(lambda pool: f"np.sin({pool.value()})")
        return [self.values[y] for step in self.steps for y in step.results]

    def _step(self, write: Callable[[Pool], str]) -> None:
        try:
            text = write(self.pool)
        except NoFit:
            return
        try:
            found = evaluated(text, ANVL, self.values)
        except _REFUSALS as error:
            self.refused.append((text, error))
            return
        except Exception:
            self.steps.append(Step((f"v{len(self.values)}",), text))
            raise
        if any(np.prod(y.shape) > _MOST_ELEMENTS for y in found):
            return
        names = [f"v{len(self.values) + i}" for i in range(len(found))]
        self.steps.append(Step(tuple(names), text))
        for name, y in zip(names, found, strict=True):
            self._add(name, y)

    def _add(self, name: str, x: Any) -> None:
        self.values[name] = x
        self.pool.values.append(Value(name, tuple(x.shape), np.dtype(x.dtype), x))


_tables: dict[int, list[str]] = {}


def _keys(table: Mapping[str, Any]) -> list[str]:
    return _tables.setdefault(id(table), list(table))
