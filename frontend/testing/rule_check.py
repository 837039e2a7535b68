"""The check of an op against numbers, whole: every rule, and that no rule is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.prim import primitive
from anvl.runtime import hiding_frames
from anvl.testing.closure import missing_rules
from anvl.testing.draw import Call, Draw
from anvl.testing.op_check import examine

__all__ = ["check_op"]


@hiding_frames
def check_op(
    op: Any,
    *samples: tuple[Sequence[Any], dict[str, Any]],
    reference: Callable[..., Any] | None = None,
) -> dict[str, float]:
    """Hold every rule of an op against numbers.

    Its types against StableHLO's, its value against a reference, its tangent against differences of
    its values, its adjoint against its tangent, both once more for the second order, in 64 bits and
    against these in narrower dtypes, its batch against a loop; and that each op that its rules
    emit, to the third order, has all rules.

    Parameters
    ----------
    op
        An op: its class, its name (`"my.softplus"`), or a line of a table.
    samples
        Pairs of operands, NumPy arrays in its domain, and parameters.  Floats should be f64; where
        the op is not elementwise, the other dtypes that it takes are tried too.  What its `sample`
        rule draws, where none are given.
    reference
        A function of NumPy arrays and the parameters that gives the same values (of an op of
        several results, a sequence).

    Returns
    -------
    The largest relative error of each kind.

    Raises
    ------
    AssertionError
        Something is wrong; the message lists it.
    TypeError
        `op` is no op.
    ValueError
        There are no samples: none are given, and the op has no `sample` rule.

    Examples
    --------
    >>> import numpy
    >>> errors = check_op("anvl.sin", ([numpy.array([0.3, 1.2])], {}), reference=numpy.sin)
    >>> errors["adjoint"] < 1e-6
    True
    """
    op_class = primitive(op).op_class
    name = op_class.short_name
    _check_rules(name, op_class, bool(samples))
    given = [Call([np.asarray(x) for x in xs], params) for xs, params in samples]
    try:
        with context(), ir.Location.unknown():
            calls = given or op_class.sample(Draw(name))
            findings = examine(op_class, calls, {} if reference is None else {name: reference})
    except Exception as error:
        raise AssertionError(
            f"{name}: {type(error).__name__}: {error}; its other rules must take all operands "
            "that its type rule takes"
        ) from error
    if findings.problems:
        raise AssertionError("\n".join([f"{name}: problems found", *findings.problems]))
    return findings.errors


def _check_rules(name: str, op_class: Any, has_samples: bool) -> None:
    """Refuse an op of which something is not there to check."""
    if not has_samples and not op_class.has_rule("sample"):
        raise ValueError(
            f"check_op: {name} has no `sample` rule; give samples, such as "
            "([numpy.array([0.5, 1.5])], {})"
        )
    absent = [rule for rule in missing_rules(op_class) if rule != "sample"]
    if absent:
        raise AssertionError(f"{name}: has no rule {', '.join(f'`{rule}`' for rule in absent)}")
