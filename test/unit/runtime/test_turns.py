"""Programs with LAPACK's routines on stacks begin when the one before them is done."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.numpy import linalg
from anvl.runtime import turns
from anvl.runtime.lazy import compat

STACK = np.stack([np.eye(3) * (i + 1) for i in range(4)])


class Program:
    """In place of a compiled one: what it does is written down."""

    def __init__(self, name, done, fails=False):
        self.name, self.done, self.fails = name, done, fails

    def run(self, buffers, with_tokens):
        assert with_tokens
        self.done.append(f"{self.name} begins")
        return self

    def consume_token(self):
        return self

    def block_until_ready(self):
        self.done.append(f"{self.name} ends")
        if self.fails:
            raise compat.Failure("INTERNAL: of a program")


@pytest.fixture(autouse=True)
def _no_program_before():
    turns._forget()
    yield
    turns._forget()


@pytest.mark.parametrize("fails", [False, True])
def test_a_program_begins_when_the_one_before_is_done(fails):
    done = []
    first, second = Program("first", done, fails), Program("second", done)
    assert turns.in_turn(first.run)([]) is first
    assert turns.in_turn(second.run)([]) is second
    assert done == ["first begins", "first ends", "second begins"]


def test_a_program_that_cannot_begin_leaves_nothing_to_wait_for():
    def run(buffers, with_tokens):
        raise compat.Failure("INVALID_ARGUMENT: a buffer was deleted")

    done = []
    turns.in_turn(Program("first", done).run)([])
    with pytest.raises(compat.Failure, match="deleted"):
        turns.in_turn(run)([])
    turns.in_turn(Program("next", done).run)([])
    assert done == ["first begins", "first ends", "next begins"]


@pytest.mark.parametrize(
    ("f", "x", "waits"),
    [
        (linalg.inv, STACK, True),
        (linalg.eigvals, STACK, True),  # eigenvalues come first, of two axes
        (linalg.inv, STACK[0], False),
        (linalg.inv, STACK[:1], False),
        (lambda x: anp.sin(x), STACK, False),
    ],
)
def test_only_programs_with_stacks_wait(f, x, waits):
    found = anvl.jit(f)(x)
    assert found.shape[0] == len(x)
    assert (turns._last is not None) is waits
