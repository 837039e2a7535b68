"""Choices whose branch is known: the branch runs, and its result is held against the others'.

Note [Branches of a known choice]

A traced choice compares the results of its branches.  Where the choice is known outside of a trace
one branch runs, op by op, and the others are traced to know what they return.  That takes 50 us for
one op, where `cond` itself takes 7: so it is done once for functions of the same code and operands
of the same types.  Of a branch that cannot be traced nothing is known, and it does not run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from anvl import tree
from anvl.control_flow.function_regions import common_result, traced_with
from anvl.core.arguments import Arguments, StaticArguments, name_of, wrap_plain_leaves
from anvl.core.avals import Aval
from anvl.core.promote import abstract
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.runtime import Array

__all__ = ["common_results", "run_known", "traced_branches"]

_MOST_COMPARED = 1024

#: Kinds of calls whose branches were compared.
_compared: set[Any] = set()


def run_known(
    role: str, branches: Sequence[Callable[..., Any]], at: int, operands: tuple[Any, ...]
) -> Any:
    """Run one of the branches; raise outside of a trace what a traced choice would raise."""
    result = branches[at](*operands)
    if current.trace is None and len(branches) > 1:
        kind = _kind_of(branches, operands)
        if kind is not None and kind not in _compared:
            _compare(role, branches, at, operands, result)
            if len(_compared) >= _MOST_COMPARED:
                _compared.clear()
            _compared.add(kind)
    return result


def traced_branches(
    role: str, branches: Sequence[Callable[..., Any]], operands: tuple[Any, ...]
) -> list[tuple[str, Traced]]:
    """Branches traced in the current program, with their names."""
    avals = tree.map(lambda x: abstract(x, f"{role}: an operand"), wrap_plain_leaves(operands))
    return [(name_of(f), traced_with(f, avals)) for f in branches]


def common_results(role: str, branches: Sequence[tuple[str, Traced]]) -> tuple[list[Aval], Any]:
    """Avals and structure of the results of branches; `TypeError` where they differ."""
    hint = "make all branches return the same structure, dtypes and shapes"
    return common_result(role, branches, hint)


def _kind_of(branches: Sequence[Callable[..., Any]], operands: tuple[Any, ...]) -> Any:
    """The code of functions and the types of operands, hashable; None if they are not.

    Functions of one code may close over arrays of other types: these are not compared again.
    """
    leaves, treedef = tree.flatten(operands)
    codes = [(getattr(f, "__code__", type(f)), getattr(f, "__qualname__", "")) for f in branches]
    kind = (*codes, treedef, *map(_type_of, leaves))
    try:
        hash(kind)
    except TypeError:
        return None
    return kind


def _type_of(x: Any) -> Any:
    if isinstance(x, Array):
        return x.aval
    return (x.shape, x.dtype) if isinstance(x, np.ndarray | np.generic) else type(x)


def _compare(
    role: str,
    branches: Sequence[Callable[..., Any]],
    at: int,
    operands: tuple[Any, ...],
    result: Any,
) -> None:
    """Raise the error of a traced choice if results differ.  The branch that ran is traced too only
    where its result differs from another's."""
    with suppress(Exception):
        leaves, treedef = tree.flatten(result)
        mine = treedef, [_kind_of_array(abstract(x)) for x in leaves]
        others = [_traced(f, operands) for i, f in enumerate(branches) if i != at]
        if all((f.out_tree, [*map(_kind_of_array, f.out_avals)]) == mine for f in others):
            return
    problem: TypeError | None = None

    def compare(*operands: Any) -> tuple[()]:
        nonlocal problem
        traced = traced_branches(role, branches, operands)
        try:
            common_results(role, traced)
        except TypeError as error:
            problem = error
        return ()

    with suppress(Exception):
        _traced(compare, operands)
    if problem is not None:
        raise problem


def _kind_of_array(of: Aval) -> tuple[Any, ...]:
    return of.shape, of.dtype


def _traced(f: Callable[..., Any], operands: tuple[Any, ...]) -> Traced:
    """A branch as a program of its own."""
    leaves, treedef = tree.flatten((wrap_plain_leaves(operands), {}))
    return trace_call(f, StaticArguments(f, None), Arguments(leaves, treedef, ()))
