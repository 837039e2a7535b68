"""The warning of many programs advises what works for the values of the argument that differs."""

import enum
import re
from typing import Any

import numpy as np
import pytest

import anvl

COUNT = 17  # programs from one place that are one too many
AS_AN_ARRAY = "pass n as an array, without static, if no shape depends on it"
FEW = "give n few values, as each has a program of its own: no array holds a "
ONCE = "make n once, outside of the loop: a {} equals nothing but itself"


class Named:
    """A value with an equality of its own."""

    def __init__(self, name: int) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@pytest.mark.parametrize(
    "values, said",
    [
        (range(COUNT), AS_AN_ARRAY),
        (np.arange(COUNT), AS_AN_ARRAY),
        ([(i, (0.5, True)) for i in range(COUNT)], AS_AN_ARRAY),
        (list(map(str, range(COUNT))), f"{FEW}str"),
        ([("sum", i) for i in range(COUNT)], f"{FEW}tuple"),
        ([Named(i) for i in range(COUNT)], f"{FEW}Named"),
        ([lambda: 1 for _ in range(COUNT)], ONCE.format("function")),
        ([type(f"Class{i}", (), {}) for i in range(COUNT)], ONCE.format("type")),
        (list(enum.Enum("Color", list(map(str, range(COUNT))))), f"{FEW}Color"),
    ],
)
def test_advice_fits_the_kind_of_the_value(values: Any, said: str) -> None:
    f = anvl.jit(lambda x, n: x + 1, static="n")
    with pytest.warns(anvl.RecompilationWarning, match=f"n differed .*; {re.escape(said)}$"):
        for value in values:
            f(1.0, value)


def test_a_default_that_no_call_gives_has_the_common_advice() -> None:
    f = anvl.jit(lambda x, n="none": x + 1, static="n")
    with pytest.warns(anvl.RecompilationWarning, match=re.escape(AS_AN_ARRAY)):
        for i in range(COUNT):
            f(1.0, *[i][: COUNT - 1 - i])  # the last call gives none
