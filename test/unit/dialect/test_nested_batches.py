"""Every op in a batch of batches, and its adjoint in a batch: equal to the loop.

`test_ops` holds one batch of the op itself against a loop, for every choice of operands.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from sweep import SWEEP
from tolerances import ITERATION, rounding

from anvl.dialect.core.context import context
from anvl.dialect.core.families import Elementwise, differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.interpreters.batch import repeated
from anvl.dialect.interpreters.subprogram import Program as Body
from anvl.testing.checks import DerivativeCheck, listed
from anvl.testing.closure import goes_before_lowering
from anvl.testing.draw import Call, Draw
from anvl.testing.findings import NARROW, Findings
from anvl.testing.program import Program, type_of

N = 2  # members of an outer batch; inner ones have one more
CALLS = 99 if SWEEP else 1  # of each op
ROUNDING = rounding(ITERATION)

ELEMENTWISE = sorted(name for name, op in OPS.items() if issubclass(op, Elementwise))
SOME = ELEMENTWISE if SWEEP else ELEMENTWISE[::8]  # one rule serves all
GROUPS = [SOME[i::4] for i in range(4)] + [[n] for n in sorted({*OPS} - {*ELEMENTWISE})]


def wide(name: str) -> list[Call]:
    """The first calls of an op in 64 bits; of each number and rank of operands one."""
    found: dict[Any, Call] = {}
    with context(), ir.Location.unknown():
        for call in OPS[name].sample(Draw(name)):
            dtypes = {type_of(x).element_type for x in call.operands}
            if call.operands and not any(
                str(d) in NARROW or str(d) == "complex<f32>" for d in dtypes
            ):
                few = issubclass(OPS[name], Elementwise)
                found.setdefault(len(call.operands) if few else len(found), call)
    return list(found.values())[:CALLS]


def stacked(x: np.ndarray, count: int) -> np.ndarray:
    """Arrays that are x, rolled, so that all stay in the domain of the op."""
    return np.stack([np.roll(x, k) for k in range(count)])


def choices(n: int) -> Iterator[tuple[tuple[bool, ...], tuple[bool, ...]]]:
    """Which operands the inner batch has, and which the outer one."""
    every = (True,) * n
    yield every, every
    for i in range(n if n > 1 else 0):
        one = tuple(j == i for j in range(n))
        rest = tuple(j != i for j in range(n))
        yield (one, rest) if i % 2 else (rest, one)


def member(x: ir.Value, k: int) -> ir.Value:
    shape = tuple(x.type.shape)
    starts, limits = (k, *[0] * (len(shape) - 1)), (k + 1, *shape[1:])
    cut = emit.slice(x, start_indices=starts, limit_indices=limits, strides=(1,) * len(shape))
    return emit.reshape(cut, shape=shape[1:])


def in_batch(
    f: Callable[..., Sequence[ir.Value]], xs: Sequence[ir.Value], batched: Sequence[bool]
) -> list[ir.Value]:
    """f with one more axis, by the rules."""
    types = [member(x, 0).type if b else x.type for x, b in zip(xs, batched, strict=True)]
    found = Body.of(f, types).batched(list(xs), batched)
    size = next(x.type.shape[0] for x, b in zip(xs, batched, strict=True) if b)
    return [y if has_axis else repeated(y, size) for y, has_axis in found]


def in_loop(
    f: Callable[..., Sequence[ir.Value]], xs: Sequence[ir.Value], batched: Sequence[bool], n: int
) -> list[ir.Value]:
    """The results of f for each member, one after the other."""
    return [
        y
        for k in range(n)
        for y in f(*[member(x, k) if b else x for x, b in zip(xs, batched, strict=True)])
    ]


def judge(findings: Findings, what: str, found: list[np.ndarray], n: int) -> None:
    """Of the results of a batch, then those of its members in turn."""
    count = len(found) // (n + 1)
    ys, rest = found[:count], found[count:]
    for i, y in enumerate(ys):
        findings.compare("batch", what, y, np.stack(rest[i::count]), ROUNDING)


class Nested:
    """A batch of batches, against a loop over batches."""

    def __init__(self, name: str, call: Call, program: Program) -> None:
        self.op_class, self.call, self.name = OPS[name], call, name
        self.cases = list(choices(len(call.operands)))
        self.indices = [self.add(program, *flags) for flags in self.cases]

    def build(self, *xs: ir.Value) -> list[ir.Value]:
        return listed(self.op_class, self.op_class.build(*xs, **self.call.params))

    def add(self, program: Program, inner: Sequence[bool], outer: Sequence[bool]) -> int:
        xs = [stacked(x, N + 1) if b else x for x, b in zip(self.call.operands, inner, strict=True)]
        xs = [stacked(x, N) if b else x for x, b in zip(xs, outer, strict=True)]
        once = lambda *xs: in_batch(self.build, xs, inner)  # noqa: E731
        return program.add(
            xs, lambda *xs: [*in_batch(once, xs, outer), *in_loop(once, xs, outer, N)]
        )

    def judge(self, findings: Findings, results: list[list[np.ndarray]]) -> None:
        for flags, i in zip(self.cases, self.indices, strict=True):
            judge(findings, f"{self.name} nested {flags}", results[i], N)


class Adjoints(Nested):
    """The adjoint of a batch and a batch of adjoints, against a loop of adjoints."""

    @classmethod
    def applies(cls, name: str, call: Call) -> bool:
        op_class = OPS[name]
        undefined = op_class.undefined_of(len(call.operands))
        return call.through is None and not undefined and DerivativeCheck.applies(op_class, call)

    def __init__(self, name: str, call: Call, program: Program) -> None:
        self.op_class, self.call, self.name = OPS[name], call, name
        random = np.random.default_rng(3)
        xs = [stacked(x, N) for x in call.operands]
        self.n = len(xs)
        plain = Body.of(self.build, [type_of(x) for x in call.operands])
        floats = [y.type for y in plain.results if differentiable(y.type)]
        shapes = [(N, *t.shape) for t in floats]
        gs = [random.uniform(-1, 1, s) for s in shapes]
        gs = [g + 0j if "complex" in str(t) else g for g, t in zip(gs, floats, strict=True)]
        self.index = program.add([*xs, *gs], self.emit)

    def adjoint(self, f: Callable[..., Any], values: Sequence[ir.Value]) -> list[ir.Value]:
        return Body.of(f, [x.type for x in values[: self.n]]).adjoint()(*values)

    def emit(self, *values: ir.Value) -> list[ir.Value]:
        every = [True] * len(values)
        once = lambda *values: self.adjoint(self.build, values)  # noqa: E731
        whole = lambda *xs: in_batch(self.build, xs, every[: self.n])  # noqa: E731
        return [
            *self.adjoint(whole, values),
            *in_batch(once, values, every),
            *in_loop(once, values, every, N),
        ]

    def judge(self, findings: Findings, results: list[list[np.ndarray]]) -> None:
        found = results[self.index]
        count = len(found) // (N + 2)
        judge(findings, f"{self.name}: batch of adjoints", found[count:], N)
        judge(findings, f"{self.name}: adjoint of a batch", found[:count] + found[2 * count :], N)


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_batches_of_batches_and_of_adjoints_are_loops(names: list[str]) -> None:
    program, findings = Program(), Findings()
    calls = [(n, c) for n in names if not goes_before_lowering(OPS[n]) for c in wide(n)]
    if not calls:
        pytest.skip("no call in 64 bits that runs")
    with context(), ir.Location.unknown():
        made = [Nested(name, call, program) for name, call in calls]
        made += [Adjoints(n, c, program) for n, c in calls if Adjoints.applies(n, c)]
        program.finish()
        program.compile()
    results = program.run()
    for one in made:
        one.judge(findings, results)
    assert not findings.problems, "\n".join(findings.problems)
