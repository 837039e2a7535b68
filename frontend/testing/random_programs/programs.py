"""A program as data: initial arrays, and one line of Python for each step.

    v0 = numpy.array([1.0, nan], "float64")
    v1 = np.cumsum(v0, axis=0)
    v2, v3 = np.divmod(v1, 2.0)

The same lines run on anvl, on NumPy and on JAX, by the bindings of `np`, `anvl`, `prim` and `own`.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.params.base import DotDims
from anvl.dialect.core.params.index_params import GatherDims
from anvl.dialect.core.params.ragged_params import RaggedDims
from anvl.dialect.core.params.window_params import ConvDims

__all__ = ["NAMES", "Program", "Step", "array_text", "evaluated", "names_in"]

_NAME = re.compile(r"\bv\d+\b")

#: Names in expressions besides functions: numbers without a literal, and records.
NAMES = {
    "nan": np.nan, "inf": np.inf,
    "ConvDims": ConvDims, "DotDims": DotDims, "GatherDims": GatherDims, "RaggedDims": RaggedDims,
}  # fmt: skip


def names_in(text: str) -> list[str]:
    """Values that an expression uses, each once, in order."""
    return list(dict.fromkeys(_NAME.findall(text)))


class Step(NamedTuple):
    """One line: the names of its results, and an expression."""

    results: tuple[str, ...]
    text: str

    @property
    def operands(self) -> list[str]:
        return names_in(self.text)

    @property
    def function(self) -> str:
        """Name of the function that is called: `np.sum`, or `v[]` for reading with indices."""
        match = re.match(r"[a-z_]+(\.[A-Za-z_0-9]+)+", self.text)
        if match and not _NAME.match(self.text):
            return match[0]
        at = re.search(r"\.at\[.*\]\.(\w+)\(", self.text)
        return f"v.at.{at[1]}" if at else "v[]"

    def __str__(self) -> str:
        comma = "," if len(self.results) == 1 and self.text.startswith("*") else ""
        return f"{', '.join(self.results)}{comma} = {self.text}"


class Program(NamedTuple):
    """Arrays by name, and steps; a result of any step is a result of the program."""

    inputs: dict[str, np.ndarray]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        arrays = [f"{name} = {array_text(x)}" for name, x in self.inputs.items()]
        return "\n".join([*arrays, *map(str, self.steps)])

    @staticmethod
    def parse(text: str) -> Program:
        """Parse the text of a program."""
        inputs, steps = {}, []
        for line in filter(None, map(str.strip, text.splitlines())):
            left, _, right = line.partition(" = ")
            if right.startswith(("numpy.array(", "numpy.zeros(")):
                inputs[left] = eval(right, {"numpy": np, **NAMES})
            else:
                steps.append(Step(tuple(_NAME.findall(left)), right))
        return Program(inputs, tuple(steps))

    @property
    def names(self) -> list[str]:
        """The names of its results."""
        return [name for step in self.steps for name in step.results]

    def function(self, namespace: Mapping[str, Any]) -> Callable[..., list[Any]]:
        """The program as a function of its inputs, which returns the results of all steps."""

        def program(*inputs: Any) -> list[Any]:
            values = dict(zip(self.inputs, inputs, strict=True))
            for step in self.steps:
                found = evaluated(step.text, namespace, values)
                values.update(zip(step.results, found, strict=True))
            return [values[name] for name in self.names]

        return program

    def with_inputs(self, arrays: Iterable[np.ndarray]) -> Program:
        """The same steps on other arrays."""
        return self._replace(inputs=dict(zip(self.inputs, arrays, strict=True)))

    def renumbered(self) -> Program:
        """The same program with names in order, without unused inputs."""
        used = {name for step in self.steps for name in step.operands}
        kept = {name: x for name, x in self.inputs.items() if name in used}
        count = itertools.count()
        new = {name: f"v{next(count)}" for name in [*kept, *self.names]}
        steps = (
            Step(tuple(new[y] for y in step.results), _NAME.sub(lambda m: new[m[0]], step.text))
            for step in self.steps
        )
        return Program({new[name]: x for name, x in kept.items()}, tuple(steps))


def evaluated(text: str, namespace: Mapping[str, Any], values: Mapping[str, Any]) -> list[Any]:
    """Results of an expression, as a list."""
    found = eval(_compiled(text), {**namespace, **NAMES, **values})
    return list(found) if isinstance(found, list | tuple) else [found]


_codes: dict[str, Any] = {}


def _compiled(text: str) -> Any:
    code = _codes.get(text)
    if code is None:
        if len(_codes) > 10_000:
            _codes.clear()
        code = _codes[text] = compile(ast.parse(text, mode="eval"), f"<{text}>", "eval")
    return code


def array_text(x: np.ndarray) -> str:
    """An array as an expression of NumPy."""
    if x.size == 0:
        return f'numpy.zeros({x.shape}, "{x.dtype}")'
    return f'numpy.array({_elements(x.tolist())}, "{x.dtype}")'


def _elements(x: Any) -> str:
    if isinstance(x, Sequence):
        return f"[{', '.join(map(_elements, x))}]"
    if isinstance(x, complex):
        return f"complex({x.real!r}, {x.imag!r})"
    return repr(x)
