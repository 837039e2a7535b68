"""`cond` and `switch`: run one of several functions, chosen at run time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from anvl import tree
from anvl.control_flow.function_regions import emit_choice, known_scalar
from anvl.control_flow.known_choices import common_results, run_known, traced_branches
from anvl.core.arguments import name_of, wrap_plain_leaves
from anvl.core.promote import abstract, as_tracer, convert
from anvl.core.tracer import Tracer
from anvl.dialect.control_flow.case import STRATEGIES
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, kind
from anvl.runtime import hiding_frames
from anvl.transforms.declare import check_callable, run

__all__ = ["cond", "switch"]


@hiding_frames
def cond(
    pred: Any,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: Any,
    batch: str | None = None,
) -> Any:
    """Return `true_fun(*operands)` if `pred`, else `false_fun(*operands)`; only one side runs.

    Differentiable in every mode; both may capture traced values.  Source: StableHLO, `case`.

    Parameters
    ----------
    pred : bool or scalar array of bools
        Concrete values, Python's and those of arrays, select a side while tracing.  A bool outside
        of a trace does, too; the other side is traced once for a kind of operands, to be compared.
    true_fun, false_fun : callable
        Functions of `operands` with results of the same structure, dtypes and shapes.
    *operands : arrays, numbers and pytrees of them
    batch : {"select", "loop"}, optional
        Strategy of `vmap` for a batched `pred`.  "select" runs both sides for all members: a NaN of
        the other side reaches neither a member nor its gradient.  "loop" runs the members one by
        one.  By default "select", unless a side has an effect or a loop of unknown length, which
        may not terminate for members that did not choose it.

    Returns
    -------
    The result of the chosen side.

    Raises
    ------
    TypeError, ValueError
        `pred` is not a scalar bool, the two results differ (the message says where); another batch.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> f = lambda x: anvl.cond(x > 0, np.sqrt, lambda x: x * x, x)
    >>> print(f(9.0), f(-3.0), anvl.grad(f)(-3.0))
    3.0 9.0 -6.0
    """
    check_callable("cond", true_fun)
    check_callable("cond", false_fun)
    _check_batch("cond", batch)
    pred = known_scalar(pred)
    of = pred if isinstance(pred, bool | np.bool) else abstract(pred, "cond: the predicate")
    if isinstance(of, bool | np.bool):
        return run_known("cond", (true_fun, false_fun), int(not of), operands)
    if of.shape != () or of.dtype != np.dtype(bool):
        raise TypeError(
            f"cond: the predicate is {of}, not a scalar bool; compare it, or reduce it with "
            "anvl.numpy.any or all"
        )

    def in_trace(pred: Any, *operands: Any) -> Any:
        choice = as_tracer(pred)
        return _chosen("cond", "stablehlo.if", choice, (true_fun, false_fun), operands, batch)

    in_trace.__name__ = name_of(true_fun)
    return run(in_trace, (pred, *operands), {})


@hiding_frames
def switch(
    index: Any,
    branches: Sequence[Callable[..., Any]],
    *operands: Any,
    batch: str | None = None,
) -> Any:
    """Return `branches[index](*operands)`; only that branch runs.

    Parameters
    ----------
    index : int or scalar array of integers
        Out-of-range values are clamped: they select the first or the last branch.
    branches : sequence of callable
        Functions of `operands`, as the two of `cond`.
    *operands : arrays, numbers and pytrees of them
    batch : {"select", "loop"}, optional, as in `cond`

    Returns
    -------
    The result of the chosen branch.

    Raises
    ------
    TypeError
        `index` is not a scalar integer, `branches` is not a list of functions, or results differ.
    ValueError
        No branches, or another `batch`.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.switch(1, [np.sin, np.exp, np.cos], 0.0))
    1.0
    """
    if not isinstance(branches, Iterable):
        raise TypeError(
            f"switch: takes a list of functions, got {branches!r} of type {type(branches).__name__}"
        )
    branches = tuple(branches)
    for branch in branches:
        check_callable("switch", branch)
    _check_batch("switch", batch)
    if not branches:
        raise ValueError("switch: there are no branches to choose from")
    index = known_scalar(index)
    if isinstance(index, int | np.integer) and not isinstance(index, bool):
        return run_known("switch", branches, min(max(int(index), 0), len(branches) - 1), operands)
    of = abstract(index, "switch: the index")
    if of.shape != () or kind(element_type(of.dtype)) not in ("int", "uint"):
        raise TypeError(f"switch: the index is {of}, not a scalar integer")

    def in_trace(index: Any, *operands: Any) -> Any:
        import anvl.numpy as anp

        clamped = anp.clip(as_tracer(index), 0, len(branches) - 1)
        choice = convert(clamped, np.dtype(np.int32))
        return _chosen("switch", "stablehlo.case", choice, branches, operands, batch)

    in_trace.__name__ = name_of(branches[0])
    return run(in_trace, (index, *operands), {})


def _check_batch(role: str, batch: Any) -> None:
    if batch is not None and batch not in STRATEGIES:
        listed = ", ".join(map(repr, STRATEGIES))
        raise ValueError(f"{role}: batch is {batch!r}; it must be one of {listed}, or None")


def _chosen(
    role: str,
    op_name: str,
    choice: Tracer,
    branches: Sequence[Callable[..., Any]],
    operands: tuple[Any, ...],
    batch: str | None,
) -> Any:
    """Emit `op_name`, which runs the branch that `choice` selects."""
    named = traced_branches(role, branches, operands)
    results, out_tree = common_results(role, named)
    attributes: dict[str, ir.Attribute] = {}
    if batch is not None:
        attributes["anvl.batch"] = ir.StringAttr.get(batch, context())
    tracers = [as_tracer(x) for x in tree.leaves(wrap_plain_leaves(operands))]
    functions = [traced for _, traced in named]
    found = emit_choice(op_name, choice, functions, tracers, results, attributes)
    return tree.unflatten(out_tree, found)
