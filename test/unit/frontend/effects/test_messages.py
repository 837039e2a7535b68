"""Messages of `anvl.debug.print`, with what they show."""

from typing import Any, NamedTuple

import numpy

import anvl


class Pair(NamedTuple):
    a: Any
    b: Any


def test_print_shows_the_arrays_in_containers(capsys: Any) -> None:
    def f(x: Any) -> None:
        anvl.debug.print("{d} {} {d}", [x, "{s}", 2], d={"k": (x + 1,), "p": Pair(x, None)})
        anvl.debug.print("{d:.1f} {}", [1, "s"], d=(x, {}))

    expected = (
        "{'k': (2.0,), 'p': Pair(a=1.0, b=None)} [1.0, '{s}', 2] "
        "{'k': (2.0,), 'p': Pair(a=1.0, b=None)}\n(1.0, {}) [1, 's']\n"
    )
    anvl.jit(f)(1.0)
    f(numpy.float32(1.0))
    assert capsys.readouterr().out == 2 * expected
