"""`cond` and `switch`: one of several functions, chosen when the program runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from anvl import tree
from anvl.control_flow.function_regions import (
    common_result,
    emit_choice,
    known_scalar,
    traced_with,
)
from anvl.core.arguments import name_of, plain_aside
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
    """`true_fun(*operands)` if `pred`, else `false_fun(*operands)`; only that one is computed.

    Arguments: `pred` is a scalar array of bools, or a bool, by which Python chooses at once, as it
    does by an array that is known when the function is traced; the functions return the same
    structure, dtypes and shapes, and may close over traced values.
    Differentiable in every mode.
    Under `vmap` with a `pred` that differs over the batch, `batch="select"` computes both for all,
    and each member takes its own: a NaN on the other side reaches neither it nor its gradient.
    `batch="loop"` goes through the members one after the other, and computes for each its own side
    alone.  Without, it is the first, unless a side has an effect or a loop of unknown length, which
    need not end for members that did not choose it.
    Raises `TypeError` where `pred` is no scalar bool, or the functions return different things
    (paths are named); `ValueError` for another `batch`.
    Source: StableHLO specification, `case`.

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
        return (true_fun if of else false_fun)(*operands)
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
    """`branches[index](*operands)`; only that one is computed.

    Arguments: `index` is an integer, or a scalar array of integers; one that is out of range means
    the first or the last branch.  As `cond` otherwise, `batch` too.

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
        return branches[min(max(int(index), 0), len(branches) - 1)](*operands)
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
    """Emit an op that runs one of the branches, as `choice` says."""
    leaves, treedef = tree.flatten(plain_aside(operands))
    avals = [abstract(x, f"{role}: an operand") for x in leaves]
    args = tree.unflatten(treedef, avals)
    functions = [traced_with(branch, args) for branch in branches]
    named = [(name_of(f), traced) for f, traced in zip(branches, functions, strict=True)]
    results, out_tree = common_result(role, named, "return the same from each, cast if need be")
    attributes = {} if batch is None else {"anvl.batch": ir.StringAttr.get(batch, context())}
    tracers = [as_tracer(x) for x in leaves]
    found = emit_choice(op_name, choice, functions, tracers, results, attributes)
    return tree.unflatten(out_tree, found)
