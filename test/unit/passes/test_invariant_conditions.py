"""The level at which XLA optimizes the kernels of a program."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

LEVEL = "xla_backend_optimization_level"
X = np.zeros((64, 128), np.float32)


def deep(x):
    """Elementwise ops, forty in a row."""
    for i in range(20):
        x = x * (0.5 + i) + 1
    return x


INNER = {
    "elementwise": lambda x: anp.sin(x) * x,
    "differences along rows": anvl.grad(lambda x: anp.sum(anp.diff(x, axis=1) ** 2)),
    "a roll along rows": lambda x: anp.roll(x, 1, 1) * 2,
    "a pad of few": lambda x: anp.pad(x[:8], ((1, 1), (0, 0))),
    "rows of what is cheap": lambda x: anp.where(x[:, :1] > 0, x * 2, 0),
    "elements of what is costly": lambda x: anp.where(x > 0, anp.sin(x), 0),
    "a pad beside many others": lambda x: (deep(x), anp.pad(x[:32], ((1, 0), (0, 0)))),
    "columns of what is costly": lambda x: anp.where(x[0] > 0, anp.sin(x), 0),
}


def steps(x):
    """A loop of steps with a pad of few numbers."""

    def step(c, _):
        return anp.pad(c[1:] - c[:-1], ((1, 0), (0, 0))), None

    return anvl.scan(step, x[:8, :8], None, length=20)[0]


OUTER = {
    "a loop of pads of few": steps,
    "differences along columns": anvl.grad(lambda x: anp.sum(anp.diff(x, axis=0) ** 2)),
    "a roll of what takes many ops": lambda x: (deep(deep(x)), anp.roll(deep(x[:40]), 1, 0)),
    "a roll": lambda x: anp.roll(x, 1, 0) * 2,
    "rows of what is costly": lambda x: anp.where(x[:, :1] > 0, anp.sin(x) * 2, 0),
    "all or nothing": lambda x: anp.where(x[0, 0] > 0, anp.sin(x), 0),
}


@pytest.mark.parametrize("name", INNER)
def test_programs_without_conditions_on_an_outer_axis_are_compiled_at_level_2(
    name, compiled_options
):
    anvl.jit(INNER[name]).lower(X).compile()
    assert [given.get(LEVEL) for given in compiled_options] == [2]


@pytest.mark.parametrize("name", OUTER)
def test_programs_with_such_conditions_are_compiled_at_the_level_of_xla(name, compiled_options):
    anvl.jit(OUTER[name]).lower(X).compile()
    assert [given.get(LEVEL) for given in compiled_options] == [None]


def test_a_level_that_is_given_is_taken(compiled_options):
    anvl.jit(INNER["elementwise"], compiler_options={LEVEL: 3}).lower(X).compile()
    assert [given[LEVEL] for given in compiled_options] == [3]
