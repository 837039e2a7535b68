"""Programs with LAPACK's routines on stacks: fewer run at a time than there are threads."""

import re

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl.numpy import linalg
from anvl.runtime import client, turns
from anvl.runtime.lazy import compat

STACK = np.stack([np.eye(20) * (i + 1) for i in range(8)])


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
def _of_two_cores(monkeypatch):
    monkeypatch.setattr(turns, "most_at_once", lambda: 1)
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


def test_on_four_cores_three_run_at_once(monkeypatch):
    monkeypatch.setattr(turns, "most_at_once", lambda: 3)
    done = []
    for name in "abcde":
        turns.in_turn(Program(name, done).run)([])
    begun = ["a begins", "b begins", "c begins"]
    assert done == [*begun, "a ends", "d begins", "b ends", "e begins"]


@pytest.mark.parametrize(
    ("cores", "named", "most"), [(4, "", 3), (1, "", 1), (8, "2", 1), (2, "8", 1)]
)
def test_fewer_run_than_there_are_threads(monkeypatch, cores, named, most):
    monkeypatch.undo()
    monkeypatch.setattr(turns.os, "sched_getaffinity", lambda _: range(cores), raising=False)
    monkeypatch.setenv("NPROC", named)
    monkeypatch.delenv("PJRT_NPROC", raising=False)
    monkeypatch.setattr(turns, "_default_threads", turns._default_threads.__wrapped__)
    monkeypatch.setattr(turns, "fewest_threads", lambda: None)
    assert turns.most_at_once() == most
    monkeypatch.setattr(turns, "fewest_threads", lambda: 2)
    assert turns.most_at_once() == 1


def test_the_client_with_the_fewest_threads_counts(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(client, "_fewest_threads", None)
    monkeypatch.setattr(turns, "_default_threads", lambda: 8)
    assert turns.most_at_once() == 7
    rt.cpu_client(num_threads=3)
    assert turns.most_at_once() == 2
    rt.cpu_client(num_threads=5)
    rt.cpu_client()
    assert turns.most_at_once() == 2
    with anvl.config(num_cpu_threads=1):
        rt.cpu_client()
    assert turns.most_at_once() == 1


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize(
    ("f", "x", "waits"),
    [
        (linalg.inv, STACK, True),
        (linalg.eigvals, STACK, True),  # eigenvalues come first, of two axes
        (linalg.svdvals if hasattr(linalg, "svdvals") else linalg.svd, STACK, True),
        (linalg.inv, np.eye(80), False),
        (linalg.inv, STACK[:, :9, :9], False),  # too small to be split
        (linalg.inv, np.eye(80)[None], False),
        (lambda x: anp.sin(x), STACK, False),
    ],
)
def test_only_programs_with_stacks_wait(f, x, waits):
    assert anvl.jit(f)(x).shape[0] == len(x)
    assert bool(turns._running) is waits


def functions(x):
    return linalg.eigvalsh(x), linalg.inv(x), anvl.cond(x[0, 0, 0] > 0, linalg.inv, anp.abs, x)


@pytest.mark.sweep(keep=0)
def test_text_that_is_not_in_order_is_refused():
    """Calls that our lowering has put in order are not refused."""
    text = anvl.jit(functions).lower(STACK).mlir("stablehlo")
    rt.compile(text)
    alone = re.sub(r"select %\S+ %\S+ (%\w+) : tensor<i1>, (\S+)", r"convert \1 : \2", text)
    assert alone != text
    with pytest.raises(rt.RuntimeFailure, match="wait for each other for ever; put them in order"):
        rt.compile(alone)


CALL = (
    "  %{} = f64[8,20,20]{{1,2,0}} custom-call(%{}, %{}), "
    'custom_call_target="lapack_dtrsm_ffi", api_version=API_VERSION_TYPED_FFI\n'
)
OTHER = "  %{} = f64[8,20,20]{{1,2,0}} {}(%{}), body=%{}\n"


@pytest.mark.parametrize(
    ("lines", "waits"),
    [
        ([CALL.format("b", "a", "a"), CALL.format("c", "b", "a")], False),
        ([CALL.format("b", "a", "a"), CALL.format("c", "a", "a")], True),
        (
            [CALL.format("b", "a", "a"), OTHER.format("d", "sine", "b", "x"),
             CALL.format("c", "a", "d")],
            False,
        ),
        ([CALL.format("b", "a", "a"), OTHER.format("c", "while", "b", "loop")], False),
        ([CALL.format("b", "a", "a"), OTHER.format("c", "while", "a", "loop")], True),
        ([CALL.format("b", "a", "a"), OTHER.format("c", "while", "a", "other")], False),
        ([CALL.format("b", "a", "a").replace("8,20", "1,20"), CALL.format("c", "a", "a")], False),
    ],
)  # fmt: skip
def test_calls_that_depend_on_none_of_each_other(lines, waits):
    class Handle:
        def get_hlo_text(self):
            loop = "%loop (p: f64[]) -> f64[] {\n" + CALL.format("q", "p", "p") + "}\n"
            other = "%other (p: f64[]) -> f64[] {\n  %q = f64[] sine(%p)\n}\n"
            start = "ENTRY %main (a: f64[]) -> f64[] {\n  %a = f64[8,20,20] parameter(0)\n"
            return loop + other + start + "".join(lines) + "}\n"

    assert turns._may_wait_for_ever(Handle()) == waits
