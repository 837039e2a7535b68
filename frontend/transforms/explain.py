"""`why_not_differentiable`: list obstacles to a derivative, without raising."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from anvl.core.arguments import StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.avals import Aval
from anvl.core.promote import abstract
from anvl.core.trace_state import passes_lock
from anvl.core.traced import trace_call
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.ad_diagnostics import Finding
from anvl.passes.check_differentiable import Report, check_function
from anvl.runtime import hiding_frames
from anvl.transforms.declare import Position, check_callable, has_derivative, numbered
from anvl.transforms.wrt import Wrt

__all__ = ["Obstacles", "why_not_differentiable"]


class Obstacles(Sequence[Finding]):
    """The findings of `why_not_differentiable`: a sequence, empty if f is differentiable.

    A finding has `op`, `place` (`model.py:12`), `reason`, and `path`: the names of the ops from the
    argument to it.

    Attributes
    ----------
    function, wrt : str
        Their names.
    zero : dict
        For the path of each argument with a zero derivative, the findings that explain it.
    """

    def __init__(
        self,
        function: str,
        wrt: str,
        findings: Sequence[Finding],
        zero: dict[str, list[Finding]],
    ) -> None:
        self.function = function
        self.wrt = wrt
        self.zero = zero
        self._findings = tuple(findings)

    def __getitem__(self, i: Any) -> Any:
        return self._findings[i]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._findings)

    def __len__(self) -> int:
        return len(self._findings)

    def __repr__(self) -> str:
        can = f"cannot be differentiated with respect to {self.wrt}:"
        if not self:
            can = f"is differentiable with respect to {self.wrt}"
        lines = [f"{self.function} {can}", *(f"  {_line(x)}" for x in self)]
        for path, ends in self.zero.items():
            lines.append(f"note: the derivative with respect to {path} is zero:")
            lines += [f"  {_line(end)}" for end in ends]
        return "\n".join(lines)


def _line(finding: Finding) -> str:
    if not finding.path:
        return finding.reason
    way = " -> ".join(finding.path)
    return f"{finding.op} at {finding.place}: {finding.reason}\n    reached by {way}"


@hiding_frames
def why_not_differentiable(
    f: Callable[..., Any], *args: Any, wrt: Any = 0, **kwargs: Any
) -> Obstacles:
    """List every obstacle to the derivative of f at these arguments; nothing is computed.

    Parameters
    ----------
    f, *args, **kwargs
        A function and its arguments: arrays, numbers or abstract values.
    wrt : int, str or tuple of these
        Positions, names, or paths to parts, as in `grad`; a `ValueError` if f has no such one.

    Returns
    -------
    Obstacles
        One finding for each op without a derivative between `wrt` and a float result, also in jits
        and bodies; for each non-float leaf of `wrt`; for an f without float results.  Empty if f is
        differentiable; its `zero` explains derivatives that are zero.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.why_not_differentiable(lambda x: np.sin(x) * 2, 1.0)
    <lambda> is differentiable with respect to x
    >>> found = anvl.why_not_differentiable(lambda x: np.sum(np.floor(x["a"])), {"a": 1.0, "n": 3})
    >>> print(len(found), found[0].reason)
    1 x['n'] is i32?[]; only floats have a derivative
    >>> print(found.zero["x['a']"][0].op)
    anvl.floor
    """
    check_callable("why_not_differentiable", f)
    entries = Wrt(
        f, wrt, "why_not_differentiable", accepts=has_derivative, why=_WHY, has_tags=False
    )
    static = StaticArguments(f, None)
    arguments = static.split(*wrap_plain_leaves((args, kwargs)))
    paths = input_names(f, arguments)
    leaves = zip(arguments.leaves, paths, strict=True)
    avals = [x if isinstance(x, Aval) else abstract(x, path) for x, path in leaves]
    chosen: dict[int, str] = {}
    found: list[Finding] = []
    named = entries.of_call(*numbered(arguments))
    for path, i in named.by_path().items():
        if isinstance(i, Position) and has_derivative(avals[i]):
            chosen[int(i)] = path
        else:
            what = avals[i] if isinstance(i, Position) else repr(i)
            found.append(_remark(f"{path} is {what}; {_WHY}"))
    traced = trace_call(f, static, arguments._replace(leaves=list(avals)))
    targets = [i for i, y in enumerate(traced.out_avals) if has_derivative(y)]
    report = Report([], {})
    if not targets:
        returned = ", ".join(map(repr, traced.out_avals)) or "nothing"
        found.append(_remark(f"{name_of(f)} returns {returned}; {_WHY}"))
    elif chosen:
        with passes_lock, context(), ir.Location.unknown():
            module = traced.program.module.operation
            report = check_function(module, traced.trace.name, tuple(chosen), targets)
    zero = {chosen[i]: ends for i, ends in report.zero.items()}
    return Obstacles(name_of(f), ", ".join(named.paths()), [*found, *report.missing], zero)


_WHY = "only floats have a derivative"


def _remark(reason: str) -> Finding:
    """A finding about the function as a whole."""
    return Finding("", "", reason, ())
