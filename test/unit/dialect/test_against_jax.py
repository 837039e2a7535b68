"""The values of ops agree with JAX's, where that is installed: `make jax`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from in_jax import WITHOUT, NoCounterpart, body_in_jax, counterparts

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.testing.checks import ValueCheck
from anvl.testing.closure import goes_before_lowering
from anvl.testing.draw import Draw
from anvl.testing.findings import Findings
from anvl.testing.op_check import in_other_dtypes
from anvl.testing.program import Program

jax = pytest.importorskip("jax", reason="an optional extra: `make jax` installs and runs it")


#: What jax.lax says of dtypes and of empty arrays that it does not take, and ours do.
REFUSALS = ("does not accept dtype", "slice dims with bound 1, but bound is 0")


class AgainstJax(ValueCheck):
    """The value against that of JAX, in 64 bits."""

    def reference(self) -> Callable[..., Any]:
        f = counterparts()[self.op_class.short_name]

        def of_dtypes_that_jax_takes(*xs: Any, **params: Any) -> Any:
            try:
                return f(*xs, **params)
            except TypeError as error:
                if any(refusal in str(error) for refusal in REFUSALS):
                    raise NoCounterpart(str(error)) from None
                raise

        return of_dtypes_that_jax_takes

    def body(self, f: Callable[..., Any], types: Sequence[Any]) -> Callable[..., Any]:
        with context(), ir.Location.unknown():
            run = body_in_jax(f, types)
        run.ours = f  # type: ignore[attr-defined]
        return run


def test_every_op_has_a_counterpart_or_a_reason():
    names = {op.short_name for op in OPS.values()}
    assert names == counterparts().keys() | WITHOUT.keys()
    assert counterparts().keys().isdisjoint(WITHOUT)


@pytest.mark.parametrize("name", sorted(n for n, op in OPS.items() if op.short_name not in WITHOUT))
def test_values_agree_with_jax(name: str) -> None:
    op_class, program, checks = OPS[name], Program(), []
    assert not goes_before_lowering(op_class)
    with jax.enable_x64(True), context(), ir.Location.unknown():
        calls = op_class.sample(Draw(name))
        for call in [*calls, *in_other_dtypes(op_class, calls)]:
            try:
                checks.append(AgainstJax(op_class, call, program))
            except NoCounterpart:
                continue
        assert checks, f"nothing of {name} was compared: say why in WITHOUT"
        program.finish()
        program.compile()
    findings = Findings()
    for check, results in zip(checks, program.run(), strict=True):
        check.wanted = [np.asarray(y) for y in check.wanted]
        check.judge(findings, results, {})
    assert not findings.problems, "\n".join(findings.problems)
