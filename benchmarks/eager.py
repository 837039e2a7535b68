"""(c) Arithmetic on arrays outside of any jit."""

from operator import add
from typing import Any

import numpy as np

from rows import Result
from sides import Side
from warm_call import ROUNDS, measured

INCLUDED = "operators on 8x8 f32 arrays on the device, used before; calls in a row, as in (b)"


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(c) eager op", INCLUDED)
    cases = {
        "array + array": lambda side: (add, (_array(side), _array(side))),
        "array + Python float": lambda side: (add, (_array(side), 1.5)),
        "numpy.sin(array)": lambda side: (side.numpy.sin, (_array(side),)),
    }
    for what, make in cases.items():
        result.rows.append(measured(what, make, sides, ROUNDS[scale]))
    return result


def _array(side: Side) -> Any:
    return side.array(np.ones((8, 8), np.float32))
