"""Random programs of control flow, nested up to three deep, for the tests.

A program runs in two ways: as `cond`, `scan` and `while_loop` of traced values, and as Python's own
`if`, `for` and `while` of NumPy's numbers.  The latter know no derivatives but those of a complex
step: f(x + i h) / h has the slope of f as its imaginary part, to all digits.
Source: J. Lyness and C. Moler, Numerical differentiation of analytic functions (SIAM J. Numer.
Anal. 4, 1967).
"""

import numpy as np
from hypothesis import note
from hypothesis import strategies as st

import anvl
import anvl.numpy as anp

__all__ = ["N", "gradient", "programs", "slope", "value"]

N = 3  # of a vector

# Of the state and a parameter, with NumPy or ours; all have a complex step.
OPS = (
    lambda lib, x, p: lib.sin(x) * p,
    lambda lib, x, p: lib.tanh(x) + 0.3 * p,
    lambda lib, x, p: 0.8 * x - 0.2 * x * x * p,
    lambda lib, x, p: x[::-1] * p + 0.1,
    lambda lib, x, p: 0.5 * x + 0.2 * lib.sum(lib.cos(x)),
    lambda lib, x, p: lib.cumsum(x) / N + p[0],
    lambda lib, x, p: 0.9 * p,  # lets go of the state
    lambda lib, x, p: 1.1 * x,
)


def _nodes(bodies):
    counts = st.integers(0, 4)
    return st.one_of(
        st.tuples(st.just("op"), st.integers(0, len(OPS) - 1)),
        st.tuples(st.just("cond"), st.floats(-1, 1), bodies, bodies),
        st.tuples(st.just("scan"), counts, st.booleans(), st.sampled_from([None, 2]), bodies),
        st.tuples(st.just("while"), counts, st.sampled_from([2, 4, 32]), bodies),
        st.tuples(st.just("until"), counts, st.floats(0.1, 3), bodies),
    )


def _lists(nodes):
    return st.lists(nodes, min_size=1, max_size=2)


@st.composite
def programs(draw, depth=2):
    """The steps of a program, whose first is no plain op."""
    bodies = _lists(st.tuples(st.just("op"), st.integers(0, len(OPS) - 1)))
    for _ in range(depth - 1):
        bodies = _lists(_nodes(bodies))
    steps = [draw(_nodes(bodies).filter(lambda node: node[0] != "op")), *draw(bodies)]
    note(f"steps = {steps}")
    return steps


def run(flow, steps, x, p):
    """What the steps make of x."""
    for node in steps:
        x = getattr(flow, node[0])(x, p, *node[1:])
    return x


class Traced:
    """Control flow that is part of the program."""

    def op(self, x, p, which):
        return OPS[which](anp, x, p)

    def cond(self, x, p, at, first, second):
        both = [lambda x, steps=steps: run(self, steps, x, p) for steps in (first, second)]
        return anvl.cond(anp.sum(x) > at, *both, x)

    def scan(self, x, p, count, reverse, checkpoint, steps):
        def step(c, row):
            c = run(self, steps, c + row, p)
            return c, c * row

        rows = p * np.linspace(0.1, 0.3, count)[:, None]
        c, ys = anvl.scan(step, x, rows, reverse=reverse, checkpoint=checkpoint)
        return c + anp.sum(ys, axis=0)

    def _while(self, x, p, count, most, steps, **options):
        """With an integer and a bool, which go along."""

        def goes_on(c):
            i, is_small, _ = c
            return (i < count) & is_small

        def step(c):
            i, _, x = c
            x = run(self, steps, x, p)
            return i + 1, anp.sum(x * x) < most, x

        init = (np.int32(0), anp.sum(x * x) < most, x)
        return anvl.while_loop(goes_on, step, init, **options)[2]

    def until(self, x, p, count, most, steps):
        return self._while(x, p, count, most, steps, max_iterations=3)

    def __getattr__(self, name):
        assert name == "while", name
        return lambda x, p, count, slots, steps: self._while(
            x, p, count, np.inf, steps, slots=slots
        )


class Plain:
    """Python's own control flow; with `decisions`, those are made again."""

    def __init__(self, decisions=None):
        self.decisions = []
        self._again = None if decisions is None else iter(decisions)

    def _decide(self, flag):
        flag = bool(flag) if self._again is None else next(self._again)
        self.decisions.append(flag)
        return flag

    def op(self, x, p, which):
        return OPS[which](np, x, p)

    def cond(self, x, p, at, first, second):
        return run(self, first if self._decide(np.sum(x).real > at) else second, x, p)

    def scan(self, x, p, count, reverse, checkpoint, steps):
        rows = p * np.linspace(0.1, 0.3, count)[:, None]
        total = 0.0
        for row in rows[::-1] if reverse else rows:
            x = run(self, steps, x + row, p)
            total = total + x * row
        return x + total

    def until(self, x, p, count, most, steps):
        for _ in range(min(count, 3)):
            if not self._decide(np.sum(x * x).real < most):
                break
            x = run(self, steps, x, p)
        return x

    def __getattr__(self, name):
        assert name == "while", name
        return self._while

    def _while(self, x, p, count, slots, steps):
        for _ in range(count):
            x = run(self, steps, x, p)
        return x


def traced(steps):
    """A program as a function of the state and the parameter, to a scalar."""

    def f(x, p):
        return anp.sum(anp.sin(run(Traced(), steps, x, p)))

    return f


def value(steps, x, p, decisions=None):
    """What NumPy computes, and what it was decided by."""
    flow = Plain(decisions)
    return np.sum(np.sin(run(flow, steps, x, p))), flow.decisions


def slope(steps, at, along, decisions=None):
    """The derivative of a program along a direction of its two arguments."""
    step = 1e-100
    moved = [x + 1j * step * t for x, t in zip(at, along, strict=True)]
    return value(steps, *moved, decisions)[0].imag / step


def gradient(steps, x, p, decisions=None):
    """The derivatives with respect to both arguments."""
    zero = np.zeros(N)
    rows = np.eye(N)
    return (
        np.asarray([slope(steps, (x, p), (t, zero), decisions) for t in rows]),
        np.asarray([slope(steps, (x, p), (zero, t), decisions) for t in rows]),
    )
