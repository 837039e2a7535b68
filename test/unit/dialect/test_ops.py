"""Walks every op of the dialect, and holds each of its rules against numbers: `anvl.testing`."""

import pytest
from proof import examine

from anvl.dialect.context import context
from anvl.dialect.mlir import ir
from anvl.dialect.op import OPS
from anvl.testing.draw import Draw


@pytest.mark.parametrize("name", sorted(OPS))
def test_rules_agree_with_numbers(name: str) -> None:
    op_class = OPS[name]
    with context(), ir.Location.unknown():
        findings = examine(op_class, op_class.sample(Draw(name)))
    print(*(f"{kind}: {error:.1e}" for kind, error in findings.errors.items()), sep="\n")
    assert not findings.problems, "\n".join(findings.problems)
