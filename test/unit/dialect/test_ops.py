"""Walks every op of the dialect, and holds each of its rules against numbers: `anvl.testing`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import SWEEP, redrawn
from proof import examination as examination_of

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.testing.draw import Draw

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", sorted(OPS))
def test_rules_agree_with_numbers(name: str) -> None:
    op_class = OPS[name]
    with context(), ir.Location.unknown():
        examination = examination_of(op_class, op_class.sample(Draw(name)), every=SWEEP)
    findings = examination.findings
    print(*(f"{kind}: {error:.1e}" for kind, error in findings.errors.items()), sep="\n")
    assert not findings.problems, "\n".join(findings.problems)

    @redrawn
    @given(st.data())
    def agree_with_other_numbers(data: Any) -> None:
        with context(), ir.Location.unknown():
            calls = op_class.sample(Draw(name, lambda: data.draw(SEEDS)))
            problems = examination.again(calls).problems
        assert not problems, "\n".join(problems)

    agree_with_other_numbers()
