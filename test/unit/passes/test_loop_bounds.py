"""The bound that is asked before repetitions are linked: what would be rolled still is.

With a report all that repeats is linked and weighed, and without one only what may pay.
"""

import random

import pytest

import anvl
import anvl.numpy as np
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.roll import Roll
from anvl.passes.rolling import samples
from anvl.passes.rolling.loop_bounds import may_pay
from anvl.passes.rolling.orders import Asked

SIZES = (1, 4, 300)


def _drawn(seed):
    """A function with 4 to 69 repetitions: carried, independent, or each with a term of a total."""
    draw = random.Random(seed)
    count = draw.randrange(4, 20) if draw.random() < 0.5 else draw.randrange(20, 70)
    width, size = draw.randrange(1, 9), draw.choice(SIZES)
    reads, adds, rows = draw.random() < 0.6, draw.random() < 0.6, draw.random() < 0.2
    turn = draw.choice((1, 1, 2, 3))
    furthest = draw.choice((1, 3))  # 1: each op reads the one before
    plan = [(draw.randrange(6), draw.randrange(furthest), draw.random()) for _ in range(width)]

    def f(x, table):
        carry, total, terms = x, x, []
        in_turn = [x, table[0], table[1]]
        for k in range(count):
            first = carry if reads else x
            values = [first, table[k] if rows else in_turn[k % turn], x]
            for kind, back, number in plan:
                a, b = values[-1], values[-1 - back]
                values.append(
                    (np.sin(a), np.exp(b), a * b, a + number, np.maximum(a, b), a - b)[kind]
                )
            carry = values[-1]
            if adds:
                total = total + carry
            else:
                terms.append(carry)
        return total if adds else np.sum(np.stack(terms), 0)

    return f, [anvl.aval("f32", (size,)), anvl.aval("f32", (count, size))]


def _module(f, avals):
    return anvl.jit(f).trace(*avals).program.module


def _rolled(f, avals, **options):
    module = _module(f, avals)
    Pipeline([Roll(**options)]).run(module)
    return str(module)


@pytest.mark.sweep(keep=24, part=24)
@pytest.mark.parametrize("seed", range(300))
def test_what_is_rolled_with_a_report_is_rolled_without(seed, monkeypatch):
    monkeypatch.setattr(samples, "_SHORTEST", 0)
    f, avals = _drawn(seed)
    g = anvl.grad(lambda *xs: np.sum(f(*xs))) if seed % 2 else f
    assert _rolled(g, avals) == _rolled(g, avals, on_report=lambda found: None)


def _steps(x):
    total = x
    for _ in range(10):
        x = np.sin(np.exp(np.sin(x)) * x)
        total = total + x
    return total


def _short_steps(x):
    for _ in range(7):
        x = np.sin(x) * x
    return x


def _terms(x):
    return sum(np.exp(np.sin(np.cos(np.sin(x + k)))) for k in range(9))


def _sines(x):
    for _ in range(40):
        x = np.sin(x)
    return x


@pytest.mark.parametrize(
    ("f", "size", "order", "may"),
    [
        (_steps, 4, 0, True),
        (_steps, 1, 0, True),
        (_short_steps, 4, 0, False),  # too short for any form
        (_short_steps, 1, 0, False),
        (_short_steps, 4, 3, True),  # four times as long
        (_terms, 4, 0, True),
        (_sines, 4, 0, True),  # one op each, which might be a total
    ],
)
def test_a_loop_may_pay(f, size, order, may):
    module = _module(f, [anvl.aval("f32", (size,))])
    (function,) = module.body.operations
    ops = [*function.regions[0].blocks[0].operations]
    assert may_pay(ops, 4, Asked(order=order, members=1)) is may
