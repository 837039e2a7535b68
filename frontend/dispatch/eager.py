"""`public`: make a function over tracers callable on arrays outside of a trace."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from anvl.core.arguments import Parameters
from anvl.core.trace_state import current
from anvl.dispatch.jit import Jit
from anvl.runtime import explain_error

__all__ = ["anew", "may_change", "public"]

_F = TypeVar("_F", bound=Callable[..., Any])

#: A function of arrays that a table makes.
Function: TypeAlias = Callable[..., Any]


def public(*static: str, n_apart: int = 0) -> Callable[[_F], _F]:
    """Decorate a function to record ops inside of a trace, and to run compiled outside of one.

    `static` names the parameters that are not arrays.  The first `n_apart` parameters do not
    decide the dtypes of numbers beside them.
    """

    def decorate(f: _F) -> _F:
        eager = Jit(f, Parameters(f, static, n_apart))
        # Generated code costs time to make, which the import should not take for all of them.
        function = eager.function(f) if not static else eager
        if function is eager:  # a call of it in a trace would have operands for its numbers
            function = _recording(f, eager, takes_body="body" in static)
        function.eager = eager  # type: ignore[attr-defined]
        function.traced = f  # type: ignore[attr-defined]
        return function  # type: ignore[return-value]

    return decorate


def _recording(f: Callable[..., Any], eager: Jit, *, takes_body: bool) -> Callable[..., Any]:
    @functools.wraps(f)
    def recording(*args: Any, **kwargs: Any) -> Any:
        try:
            if current.trace is not None:
                return f(*args, **kwargs)
            if takes_body and any(map(may_change, (*args, *kwargs.values()))):
                return anew(f, eager, args, kwargs)
            return eager(*args, **kwargs)
        except Exception as error:
            explain_error(error, f, kwargs)
            raise

    return recording


def may_change(x: Any) -> bool:
    """Whether x is a function that is not anvl's: what it reads may have changed since a call."""
    if not callable(x) or isinstance(x, type):
        return False
    return not str(getattr(x, "__module__", "")).startswith("anvl.")


def anew(f: Callable[..., Any], eager: Jit, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Trace f anew, as `eager` does at a first call; programs are found by their content."""
    return Jit(f, eager._static, is_once=True)._slow(args, kwargs)
