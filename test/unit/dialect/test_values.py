"""The values of elementwise ops, at any numbers of their domains, agree with NumPy or SciPy.

Numbers are hypothesis's: bounds, tiny ones, those next to integers.  (`test_ops` keeps away from
corners, as derivatives must.)
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import valued
from references import REFERENCES

import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import numpy_dtype
from anvl.testing.checks import ValueCheck
from anvl.testing.draw import Call, Draw
from anvl.testing.findings import Findings
from anvl.testing.program import Program

COUNT = 6
FLOATS = ("f64", "f32", "f16", "bf16")
PARTS = {"c128": "f64", "c64": "f32"}


class Domains(Draw):
    """Notes the domains of an elementwise op, and draws ones."""

    domains: Any = ()

    def elementwise(
        self, kinds: Any, domains: Any, params: Any = None, dtypes: Any = None, **points: Any
    ) -> Any:
        self.domains, found = domains, []
        for dtype in (*FLOATS, *PARTS):
            kind = "complex" if dtype in PARTS else "float"
            if kind in kinds.split() and (dtypes is None or dtype in dtypes):
                ones = [np.ones(COUNT, numpy_dtype(dtype)) for _ in domains]
                found.append(Call(ones, dict(params or {})))
        return found


def within(dtype: Any, low: float, high: float) -> Any:
    """Arrays of a dtype, between bounds; complex ones with an imaginary part of their own."""
    numbers = st.lists(st.floats(low, high), min_size=COUNT, max_size=COUNT)
    if dtype.kind == "c":
        parts = st.lists(st.floats(0.1, 0.9), min_size=COUNT, max_size=COUNT)
        return st.builds(
            lambda x, y: (np.array(x) + 1j * np.array(y)).astype(dtype), numbers, parts
        )
    return numbers.map(
        lambda x: _normal(np.clip(np.array(x).astype(dtype), low, high).astype(dtype))
    )


def _normal(x: np.ndarray) -> np.ndarray:
    """XLA takes numbers below the smallest normal one for 0, which NumPy does not."""
    return np.where(np.abs(x) < anp.finfo(x.dtype).tiny, x.dtype.type(0), x)


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("name", sorted(n for n, op in OPS.items() if issubclass(op, Elementwise)))
def test_values_agree_at_any_numbers(name: str) -> None:
    op_class, draw = OPS[name], Domains(name)
    calls = op_class.sample(draw)
    calls = [c for c in calls if c.operands[0].dtype.kind not in "biu"]
    calls = [c for c in calls if c.operands[0].shape == (COUNT,)]  # others are drawn in test_ops
    if not calls or not draw.domains:
        return
    program = Program(REFERENCES)
    with context(), ir.Location.unknown():
        checks = [ValueCheck(op_class, call, program) for call in calls]
        program.finish()
        program.compile()

    @valued
    @given(st.data())
    def agree(data: Any) -> None:
        findings = Findings()
        for check in checks:
            dtype = check.call.operands[0].dtype
            check.redraw([data.draw(within(dtype, *d)) for d in draw.domains], program)
        for check, results in zip(checks, program.run(), strict=True):
            check.judge(findings, results, {})
        assert not findings.problems, "\n".join(findings.problems)

    agree()


def test_what_is_clamped_is_drawn_off_its_bounds() -> None:
    """Nearer to them, differences would go over the corner."""
    seeds = iter(range(100_000))
    for _ in range(200):
        for call in OPS["anvl.clamp"].sample(Draw("clamp", lambda: next(seeds))):
            low, x, high = call.operands
            assert np.all(abs(x - low) > 0.019) and np.all(abs(x - high) > 0.019)
