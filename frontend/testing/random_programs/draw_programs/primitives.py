"""Steps that call a primitive as its `sample` rule does, on its own operands or on others.

Only these reach forms that `anvl.numpy` never emits: interior padding, batch norms, layouts.
"""

from __future__ import annotations

import random
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.testing.draw import Call, Draw
from anvl.testing.random_programs.compare.array_values import array
from anvl.testing.random_programs.draw_programs.pool import NoFit, Pool, Value
from anvl.testing.random_programs.programs import NAMES

__all__ = ["LEFT_OUT", "PrimitiveCall", "calls"]

#: Primitives that no program calls, each with the reason.
LEFT_OUT = {
    **dict.fromkeys(
        "all_gather all_reduce all_to_all axis_index collective_permute reduce_scatter".split(),
        "needs an axis with a name; their tests run them in batches and on meshes",
    ),
    "with_sharding": "needs a mesh",
    "captured": "made by closing over an array",
    "check": "has no result, and fails by design",
    "constant": "made by literals",
    "custom_call": "its own author knows what it does; the library calls go through np.linalg",
    "get_dimension_size": "shapes are static here",
    "set_dimension_size": "shapes are static here",
    "rng_bit_generator": "the bits are the library's own",
    "optimization_barrier": "takes any number of arrays and has no sample of its own",
    "map": "takes a body",
    "and": "no name of Python; np.bitwise_and is in the table",
    "or": "no name of Python; np.bitwise_or is in the table",
    "not": "no name of Python; np.bitwise_not is in the table",
    "reduce": "takes a body; anvl.reduce is in the table",
    "reduce_window": "takes a body; the pools are in the table",
    "select_and_scatter": "takes bodies",
    "scatter": "takes a body; x.at is in the table",
    "sort": "takes a body; np.sort is in the table",
    "eig": "vectors have free phases; np.linalg.eig is in the table",
    "eigh": "vectors have free signs; np.linalg.eigh is in the table",
    "svd": "vectors have free signs; np.linalg.svd is in the table",
    "qr": "columns have free signs; np.linalg.qr is in the table",
    "lu": "NumPy has none to compare with; solve and det are in the table",
    "eigvals": "their order is free; np.linalg.eigvals is in the table",
}


class PrimitiveCall(NamedTuple):
    """A call of a primitive for use in a program: operands, and parameters as text."""

    name: str
    operands: list[np.ndarray]
    params: str

    def text(self, names: list[str]) -> str:
        parts = [*names, self.params] if self.params else names
        return f"prim.{self.name}({', '.join(parts)})"

    def drawn(self, draw: random.Random, wild: bool) -> list[np.ndarray]:
        """Operands of these types: those of the sample, or any."""
        if draw.random() < 0.7:
            return self.operands
        return [
            array(draw, str(x.dtype), x.shape, wild) if x.dtype.kind not in "iu" else x
            for x in self.operands
        ]

    def step(self, pool: Pool, own: list[str]) -> str:
        """A step with this call, on its own operands or on other values of the same types."""
        names = []
        for name, x in zip(own, self.operands, strict=True):
            try:
                other = pool.value(fits=partial(_is_alike, x))
            except NoFit:
                other = None
            is_index = x.dtype.kind in "iu"  # ranges of indices matter
            names.append(name if other is None or is_index or pool.flag() else str(other))
        return self.text(names)


def _is_alike(x: np.ndarray, value: Value) -> bool:
    return value.dtype == x.dtype and value.shape == x.shape


@cache
def calls() -> dict[str, list[PrimitiveCall]]:
    """Calls of each primitive's sample whose parameters can be written as text."""
    found: dict[str, list[PrimitiveCall]] = {}
    for op_class in OPS.values():
        name = op_class.short_name
        if name in LEFT_OUT or not op_class.has_rule("sample") or op_class.bodies:
            continue
        with context(), ir.Location.unknown():
            sampled = op_class.sample(Draw(name))
        usable = [call for c in sampled if (call := _as_text(name, c)) is not None]
        if usable:
            found[name] = usable
    return found


def _as_text(name: str, call: Call) -> PrimitiveCall | None:
    if any(x.size > 64 for x in call.operands):
        return None
    params = ", ".join(f"{key}={value!r}" for key, value in call.params.items())
    try:
        given = eval(f"dict({params})", dict(NAMES))
    except (SyntaxError, NameError, AttributeError):
        return None
    return PrimitiveCall(name, call.operands, params) if _same(given, call.params) else None


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return repr(one) == repr(other)
