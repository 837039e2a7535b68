"""Results, figures and comparisons as text.

print_results(program.results, arrays)       f32[2] 0.0 0.841471
"""

import math
import statistics
from collections.abc import Iterator
from typing import Any

import numpy as np

from anvl.dialect.core.types import dtype_name
from anvl.tools.run.entry import Result
from anvl.tools.run.executors import Measured

__all__ = ["figures", "result_line"]

_DIGITS = 6  # digits on which different CPUs agree in f32
_MEMORY = ("argument", "output", "temp", "generated_code")
_COSTS = ("flops", "transcendentals", "bytes accessed")
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def result_line(of: Result, value: np.ndarray, limit: int | None = None) -> str:
    """The type of a result, and its elements in row-major order, of which `limit` are shown."""
    flat = value.ravel()
    shown = flat if limit is None else flat[:limit]
    left = ["..."] if len(shown) < len(flat) else []
    return " ".join([_type(of), *map(_number, shown), *left])


def _type(of: Result) -> str:
    return f"{dtype_name(of.dtype)}[{','.join(map(str, of.shape))}]"


def _number(x: Any) -> str:
    """A number with six digits, the same text for the same number."""
    if x.dtype == bool:
        return "true" if x else "false"
    if x.dtype.kind in "iu" or "int" in x.dtype.name:
        return str(int(x))
    if x.dtype.kind == "c":
        imaginary = _float(float(x.imag))
        return f"{_float(float(x.real))}{'' if imaginary[0] in '-n' else '+'}{imaginary}j"
    return _float(float(x))


def _float(x: float) -> str:
    text = f"{x:.{_DIGITS}g}"
    is_integer_text = math.isfinite(x) and "." not in text and "e" not in text
    return f"{text}.0" if is_integer_text else text


def figures(measured: Measured) -> Iterator[str]:
    """A line of times, one of memory, and one of XLA's estimate of the cost."""
    times = measured.seconds
    named = {"median": statistics.median(times), "least": min(times), "most": max(times)}
    runs = f"{len(times)} run{'s' if len(times) > 1 else ''}"
    yield f"time: {runs}, " + ", ".join(f"{k} {_duration(v)}" for k, v in named.items())
    sizes = {k: measured.memory.get(f"{k}_size_in_bytes", 0) for k in _MEMORY}
    yield "memory: " + ", ".join(f"{k.replace('_', ' ')} {v} bytes" for k, v in sizes.items())
    yield "cost: " + ", ".join(f"{k} {measured.cost.get(k, 0.0):g}" for k in _COSTS)


def _duration(seconds: float) -> str:
    scale, unit = next(((s, u) for s, u in _SECONDS if seconds >= s), _SECONDS[-1])
    return f"{seconds / scale:.3g} {unit}"
