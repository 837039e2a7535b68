"""The check in a narrow dtype lets sums whose terms cancel be as far off as their terms round."""

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.types import element_type
from anvl.dialect.ops.windows.select_and_scatter import SelectAndScatterOp
from anvl.testing.checks import NarrowDtypeCheck
from anvl.testing.draw import Call
from anvl.testing.op_check import Examination

#: Of 4,000 draws those where the sum of 20 cotangents is small, and where roundings along one
#: direction cancel too, so that it seemed to be known to more digits than it is.
CANCELLING = (1852, 2018, 3762)


def largest(x: ir.Value, y: ir.Value) -> ir.Value:
    return emit.compare(x, y, comparison_direction="GE")


def scattered(seed: int) -> Call:
    """A call whose initial value has the sum of all cotangents as its adjoint."""
    random, dtype = np.random.default_rng(seed), ml_dtypes.bfloat16
    operands = [random.uniform(-1, 1, shape).astype(dtype) for shape in ((4, 5), (2, 2))]
    windows = {"window_dimensions": (2, 2), "window_strides": (2, 2)}
    params = {"select": largest, "scatter": emit.add, **windows}
    return Call([*operands, np.zeros((), dtype)], params)


def problems(seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of each draw, by one program."""
    monkeypatch.setattr(Examination, "_calls", lambda self, calls: list(calls))
    with context(), ir.Location.unknown():
        made = Examination(
            SelectAndScatterOp, [scattered(0)], amount="every", checks=[NarrowDtypeCheck]
        )
        found = [made.rerun([scattered(seed)]).problems for seed in seeds]
    return [problem for of in found for problem in of]


def test_a_sum_whose_terms_cancel_is_known_to_few_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not problems([*range(40), *CANCELLING], monkeypatch)


def test_an_adjoint_that_is_wrong_in_one_dtype_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rule: Callable[..., Any] = SelectAndScatterOp.adjoint

    def wrong(cls: Any, g: ir.Value, *rest: Any, **params: Any) -> Any:
        if g.type.element_type == element_type("bf16"):
            g = emit.mul(g, full(g.type, 1.25))
        return rule(g, *rest, **params)

    monkeypatch.setattr(SelectAndScatterOp, "adjoint", classmethod(wrong))
    assert len(problems(range(40), monkeypatch)) > 30
