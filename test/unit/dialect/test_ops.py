"""Walks every op of the dialect, and holds each of its rules against numbers: `anvl.testing`."""

import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import redrawn
from proof import examination as examination_of
from references import REFERENCES
from sweep import MODE, SWEEP

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.testing.checks import ValueCheck
from anvl.testing.draw import Draw
from anvl.testing.op_check import Amount, Examination
from anvl.testing.program import Program

SEEDS = st.integers(0, 2**32 - 1)

#: Ops that XLA compiles for seconds: `make test` tries them in 64 bits alone.
LONG = set(
    """anvl.batch_norm_grad anvl.batch_norm_inference anvl.batch_norm_training anvl.bessel_i0e
    anvl.bessel_i1e anvl.betainc anvl.cholesky anvl.convolution anvl.det anvl.digamma anvl.eig
    anvl.eigh anvl.eigvals anvl.eigvalsh anvl.igamma anvl.igammac anvl.lu anvl.norm
    anvl.nuclear_norm anvl.pinv anvl.pinv_move anvl.polygamma anvl.qr anvl.ragged_dot
    anvl.slogdet anvl.solve anvl.svd anvl.svdvals anvl.triangular_solve anvl.zeta
    stablehlo.reduce stablehlo.reduce_window stablehlo.scatter
    stablehlo.select_and_scatter""".split()
)


#: Of these, those that take more than a second even so: they are left to `make sweep-part`.
LONGEST = set(
    """anvl.batch_norm_grad anvl.batch_norm_inference anvl.bessel_i1e anvl.betainc anvl.det
    anvl.eig anvl.eigh anvl.eigvals anvl.igamma anvl.igammac anvl.lu anvl.nuclear_norm anvl.pinv
    anvl.pinv_move anvl.polygamma anvl.qr anvl.ragged_dot anvl.solve anvl.svd anvl.svdvals
    anvl.triangular_solve anvl.zeta""".split()
)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter runs the rules of an op in `make sweep-part` too.

    XLA takes three times as long to compile them; its values have a test of their own.
    """
    if MODE == "part":
        monkeypatch.setattr(Program, "interprets_all", True)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    "name",
    [
        # Of the longest, `make sweep-part` has every second, and `make sweep` all.
        pytest.param(
            name,
            marks=[pytest.mark.sweep(keep=0, part=zlib.crc32(name.encode()) % 2)]
            if name in LONGEST
            else [],
        )
        for name in sorted(OPS)
    ],
)
def test_rules_agree_with_numbers(name: str) -> None:
    # Ops take turns: a third of them in one narrow dtype, another op in another.
    amount: Amount = "none" if name in LONG or zlib.crc32(name.encode()) % 3 else "one"
    check(name, "every" if SWEEP else amount)


@pytest.mark.sweep(keep=0)
@pytest.mark.parametrize("name", sorted(OPS))
def test_values_are_those_of_xla(name: str) -> None:
    op_class = OPS[name]
    with context(), ir.Location.unknown():
        calls = op_class.sample(Draw(name))
        examination = Examination(op_class, calls, REFERENCES, "none", checks=[ValueCheck])
    assert not examination.findings.problems, "\n".join(examination.findings.problems)


def some_of(name: str) -> int:
    """How many ops of its length `make sweep-part` tries in every dtype."""
    return 0 if name in LONGEST else 1 if name in LONG else 6


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.sweep(keep=0, part=some_of(name)))
        for name in sorted(OPS)
    ],
)
def test_rules_agree_in_every_dtype(name: str) -> None:
    check(name, "some")


def check(name: str, amount: Amount) -> None:
    op_class = OPS[name]
    with context(), ir.Location.unknown():
        calls = op_class.sample(Draw(name))
        examination = examination_of(op_class, calls, amount)
    findings = examination.findings
    print(*(f"{kind}: {error:.1e}" for kind, error in findings.errors.items()), sep="\n")
    assert not findings.problems, "\n".join(findings.problems)
    if not SWEEP:
        return

    @redrawn
    @given(st.data())
    def agree_with_other_numbers(data: Any) -> None:
        with context(), ir.Location.unknown():
            calls = op_class.sample(Draw(name, lambda: data.draw(SEEDS)))
            problems = examination.rerun(calls).problems
        assert not problems, "\n".join(problems)

    agree_with_other_numbers()
