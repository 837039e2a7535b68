"""Canonical form of a call: `f(x, 2)`, `f(x, n=2)`, or `f(x)` with a default of 2.

Arguments are passed by position as far as possible.  A static argument that equals its default is
left out, and so is a default that is a Python number: it is part of the function, not an argument
of the program.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from anvl.core.arguments import StaticValue

__all__ = ["CallForm"]

_Call = tuple[tuple[Any, ...], dict[str, Any]]


class _Signature(NamedTuple):
    """Signature of a function itself, ignoring what it wraps: names by position, and defaults."""

    names: tuple[str, ...]
    n_positional_only: int
    defaults: Mapping[str, Any]


class CallForm:
    """Canonicalize the calls of a function with these static arguments."""

    def __init__(self, f: Callable[..., Any], static: frozenset[str], ours: bool) -> None:
        own = _signature(f)
        self._names, self._n_positional_only, defaults = own
        self._static = static
        # In anvl's own functions numbers take their dtypes from arrays beside them: they stay
        # arguments.
        self._defaults = {k: v for k, v in defaults.items() if k in static or not ours}
        self._n_required = sum(name not in defaults for name in self._names)

    def of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        """The call in canonical form; unchanged if Python will refuse it."""
        if not kwargs and len(args) <= self._n_required:
            return args, kwargs
        names = self._names
        if len(args) > len(names) or not self._fits(len(args), kwargs):
            return args, kwargs
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        for name, default in self._defaults.items():
            if name in given and self._is_default(name, given[name], default):
                del given[name]
        front = []
        for name in names:
            if name not in given:
                break
            front.append(given.pop(name))
        if any(name in given for name in names[: self._n_positional_only]):
            return args, kwargs
        return tuple(front), given

    def _fits(self, n_args: int, kwargs: dict[str, Any]) -> bool:
        taken = self._names[: max(n_args, self._n_positional_only)]
        return not any(name in kwargs for name in taken)

    def _is_default(self, name: str, value: Any, default: Any) -> bool:
        if type(value) is not type(default):
            return False
        if name not in self._static and type(value) not in _NUMBERS:
            return False
        try:
            return hash(value) == hash(default) and StaticValue(value) == StaticValue(default)
        except (TypeError, ValueError):  # incomparable values are refused elsewhere
            return False


_NUMBERS = (bool, int, float, complex, type(None))


def _signature(f: Callable[..., Any]) -> _Signature:
    """The signature of f itself; empty if Python cannot determine it."""
    if isinstance(f, MethodType):
        names, n_positional_only, defaults = _signature(f.__func__)
        return _Signature(names[1:], max(n_positional_only - 1, 0), defaults)
    if isinstance(f, FunctionType):
        code, values = f.__code__, f.__defaults__ or ()
        names = code.co_varnames[: code.co_argcount]
        defaults = dict(zip(names[len(names) - len(values) :], values, strict=True))
        return _Signature(names, code.co_posonlyargcount, {**defaults, **(f.__kwdefaults__ or {})})
    try:
        parameters = list(inspect.signature(f, follow_wrapped=False).parameters.values())
    except (TypeError, ValueError):
        return _Signature((), 0, {})
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return _Signature(
        tuple(p.name for p in parameters if p.kind in positional),
        sum(p.kind is p.POSITIONAL_ONLY for p in parameters),
        {p.name: p.default for p in parameters if p.default is not p.empty},
    )
