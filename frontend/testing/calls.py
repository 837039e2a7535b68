"""What a call of an op is, of an op of one result or of several, with bodies or without."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.dialect.families import Elementwise
from anvl.dialect.scratch import Program as Body
from anvl.testing.draw import Call
from anvl.testing.program import type_of

__all__ = ["described", "listed", "twins", "without_bodies"]


def twins(op_class: Any, calls: Sequence[Call]) -> list[Call]:
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
    operands = [cast(x) if x.dtype == np.float64 else x for x in call.operands]
    return call._replace(operands=operands)


def _takes(op_class: Any, call: Call) -> bool:
    types = list(map(type_of, call.operands))
    try:
        op_class.result_type(*types, **without_bodies(op_class, call))
        if op_class.bodies:
            Body.of(lambda *xs: listed(op_class, op_class.build(*xs, **call.params)), types)
    except TypeError:
        return False
    return True


def without_bodies(op_class: Any, call: Call) -> dict[str, Any]:
    return {k: v for k, v in call.params.items() if k not in op_class.bodies}


def listed(op_class: Any, y: Any) -> list[Any]:
    """The results, or what a rule gives for them, of an op of one or of several."""
    return list(y) if op_class.multiple_results else [y]


def described(op_class: Any, call: Call) -> str:
    types = ", ".join(str(type_of(x)) for x in call.operands)
    return f"{op_class.short_name}({types}{', ' if call.params else ''}{call.params or ''})"
