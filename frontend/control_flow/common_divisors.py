"""Greatest common divisors and least common multiples: names of `anvl.numpy` that need a loop."""

from __future__ import annotations

from typing import Any

from anvl.call_spellings.translation import spelled
from anvl.control_flow.loops import while_loop
from anvl.core.promote import promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.choice import where
from anvl.numpy.functions.arithmetic import floor_divide
from anvl.numpy.functions.elementwise import abs, equal, mark_weak, multiply, not_equal
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.functions.reductions import any

__all__ = ["gcd", "lcm"]


def _integers(name: str, x: Any, y: Any) -> tuple[Tracer, Tracer, bool]:
    (a, b), weak = promoted(name, (x, y), "int")
    if not is_kind(a, "int", "uint"):
        raise TypeError(f"{name}: takes integers, got {a.aval}; convert with .astype")
    return _strong(a), _strong(b), weak


def _strong(x: Tracer) -> Tracer:
    """An operand whose dtype other numbers do not change, though it was a number of Python's."""
    return Tracer(x.value, x.aval.strong(), x.owner, x.location)


def _divisor(a: Tracer, b: Tracer) -> Any:
    """Euclid's algorithm, for all elements at once."""

    def step(pair: Any) -> Any:
        x, y = pair
        going = not_equal(y, 0)
        return where(going, y, x), where(going, prim("rem", x, where(going, y, 1)), y)

    found = while_loop(lambda pair: any(not_equal(pair[1], 0)), step, (abs(a), abs(b)))[0]
    return abs(found)  # the least integer has no absolute value, and gives remainders below 0


@spelled("x1 x2")
@public()
def gcd(x: Any, y: Any) -> Any:
    """Greatest common divisor, elementwise; not negative, and 0 of two zeros.

    Raises `TypeError` for other than integers.  Source: `numpy.gcd`; Euclid's algorithm.

    Parameters
    ----------
    x : array of integers
    y : array of integers
        Broadcasts with x.

    Returns
    -------
    Array of the shape that x and y broadcast to, in the dtype that theirs promote to.

    References
    ----------
    https://numpy.org/doc/stable/reference/generated/numpy.gcd.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.gcd(np.asarray([12, 7]), 18))
    [6 1]
    """
    a, b, weak = _integers("gcd", x, y)
    return mark_weak(_divisor(a, b), weak)


@spelled("x1 x2")
@public()
def lcm(x: Any, y: Any) -> Any:
    """Least common multiple, elementwise; not negative, and 0 where one of them is.

    Modulo 2^n, as other products, where it has more than the n bits of the dtype.

    Raises `TypeError` for other than integers.  Source: `numpy.lcm`.

    Parameters
    ----------
    x : array of integers
    y : array of integers
        Broadcasts with x.

    Returns
    -------
    Array of the shape that x and y broadcast to, in the dtype that theirs promote to.

    References
    ----------
    https://numpy.org/doc/stable/reference/generated/numpy.lcm.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.lcm(np.asarray([4, 7]), 6))
    [12 42]
    """
    a, b, weak = _integers("lcm", x, y)
    divisor = _divisor(a, b)
    share = floor_divide(abs(b), where(equal(divisor, 0), 1, divisor))
    return mark_weak(multiply(abs(a), share), weak)
