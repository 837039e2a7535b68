"""The values of all ops, and the derivatives of linear algebra, on a real plugin.

It has no routines of LAPACK, so linear algebra is written out; `eig` and `eigvals` are refused.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from plugin_files import NAME
from references import REFERENCES

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.testing.batch_check import BatchCheck
from anvl.testing.checks import Check, DerivativeCheck, ValueCheck
from anvl.testing.closure import goes_before_lowering
from anvl.testing.draw import Draw
from anvl.testing.findings import Findings
from anvl.testing.op_check import judge
from anvl.testing.program import Program

pytestmark = pytest.mark.sweep(keep=0, part=200)  # the plugin takes 5 s to start

# Only LAPACK has them; and what stands for an array of its process.
_ELSEWHERE = {"anvl.eig", "anvl.eigvals", "anvl.captured"}
_OPS = [
    name
    for name, op_class in OPS.items()
    if op_class.__module__.startswith("anvl.dialect.")
    and not goes_before_lowering(op_class)
    and name not in _ELSEWHERE
]
_ALGEBRA = [name for name in _OPS if OPS[name].__module__.startswith("anvl.dialect.ops.linalg.")]


class Checked:
    """Checks of the first call of the sample of some ops, compiled together for the plugin."""

    def __init__(self, names: Sequence[str], *kinds: type[Check]) -> None:
        self._program = Program(REFERENCES, interprets=False)
        self._checks: dict[str, list[Check]] = {name: [] for name in names}
        with anvl.default_device(NAME), context(), ir.Location.unknown():
            for name in names:
                op_class: Any = OPS[name]
                call = op_class.sample(Draw(op_class.OPERATION_NAME))[0]
                self._checks[name] = [
                    kind(op_class, call, self._program)
                    for kind in kinds
                    if kind.applies(op_class, call)
                ]
            self._program.finish()
            self._program.compile()

    def of(self, name: str) -> Findings:
        """What the checks of an op find."""
        findings = Findings()
        assert self._checks[name]
        with anvl.default_device(NAME):
            judge(findings, self._program, self._checks[name])
        return findings


@pytest.fixture(scope="module")
def values() -> Checked:
    return Checked(_OPS, ValueCheck)


def test_these_are_nearly_all_ops() -> None:
    assert len(_OPS) > 140 and len(_ALGEBRA) > 13
    assert sum(OPS[name].short_name in REFERENCES for name in _OPS) > 100


@pytest.mark.parametrize("name", _OPS)
def test_the_value_of_an_op(name: str, values: Checked) -> None:
    found = values.of(name)
    assert not found.problems, "\n".join(found.problems)


# All but `dot_general`, which is linear in each operand, and so has no check of its own.
_CURVED = [name for name in _ALGEBRA if name != "anvl.dot_general"]


@pytest.fixture(scope="module")
def derivatives() -> Checked:
    return Checked(_CURVED, DerivativeCheck)


@pytest.mark.sweep(keep=0, part=3)
@pytest.mark.parametrize("name", _CURVED)
def test_derivatives_of_linear_algebra(name: str, derivatives: Checked) -> None:
    found = derivatives.of(name)
    assert not found.problems, "\n".join(found.problems)
    assert found.errors["tangent"] < 1e-6 and found.errors["order 2 tangent"] < 1e-6


@pytest.mark.sweep(keep=0, part=4)
@pytest.mark.parametrize("name", _ALGEBRA)
def test_batches_of_linear_algebra(name: str) -> None:
    found = Checked([name], BatchCheck).of(name)
    assert not found.problems, "\n".join(found.problems)


@pytest.mark.parametrize("function", [anp.linalg.eig, anp.linalg.eigvals])
def test_what_only_lapack_has_names_itself(function: Any) -> None:
    message = r"eig.*: there is no form of it in StableHLO alone, .* lapack.*; run it on jaxlib's"
    with anvl.default_device(NAME):
        with pytest.raises((PassError, MissingRule), match=message):
            function(np.eye(3))
        assert np.asarray(anp.linalg.eigvalsh(np.eye(3))).tolist() == [1, 1, 1]
