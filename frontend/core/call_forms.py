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

__all__ = ["CallForm", "OwnSignature", "own_signature"]

_Call = tuple[tuple[Any, ...], dict[str, Any]]


class OwnSignature(NamedTuple):
    """Signature of a function itself, ignoring what it wraps: names by position, and defaults.

    With `is_open` it takes any number of arguments, or Python does not know.
    """

    names: tuple[str, ...]
    n_positional_only: int
    defaults: Mapping[str, Any]
    keyword_only: tuple[str, ...] = ()
    is_open: bool = False


class CallForm:
    """Canonicalize the calls of a function with these static arguments."""

    def __init__(self, f: Callable[..., Any], static: frozenset[str], ours: bool) -> None:
        self.signature = own = own_signature(f)
        self._names, self._n_positional_only, defaults, *_ = own
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
            if name in given and self._equals(name, given[name], default):
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

    def is_default(self, name: str, value: Any) -> bool:
        """Whether an argument is left out, as it equals its default."""
        return name in self._defaults and self._equals(name, value, self._defaults[name])

    def _equals(self, name: str, value: Any, default: Any) -> bool:
        if type(value) is not type(default):
            return False
        if name not in self._static and type(value) not in _NUMBERS:
            return False
        try:
            return hash(value) == hash(default) and StaticValue(value) == StaticValue(default)
        except (TypeError, ValueError):  # incomparable values are refused elsewhere
            return False


_NUMBERS = (bool, int, float, complex, type(None))


def own_signature(f: Callable[..., Any]) -> OwnSignature:
    """The signature of f itself; open and empty if Python cannot determine it."""
    if isinstance(f, MethodType):
        own = own_signature(f.__func__)
        n_positional_only = max(own.n_positional_only - 1, 0)
        return own._replace(names=own.names[1:], n_positional_only=n_positional_only)
    if isinstance(f, FunctionType):
        return _of_function(f)
    try:
        signature = inspect.signature(f, follow_wrapped=False)
    except (TypeError, ValueError):
        return OwnSignature((), 0, {}, is_open=True)
    return _of_callable(signature)


def _of_function(f: FunctionType) -> OwnSignature:
    code, values, n = f.__code__, f.__defaults__ or (), f.__code__.co_argcount
    names = code.co_varnames[:n]
    defaults = dict(zip(names[n - len(values) :], values, strict=True))
    return OwnSignature(
        names,
        code.co_posonlyargcount,
        {**defaults, **(f.__kwdefaults__ or {})},
        code.co_varnames[n : n + code.co_kwonlyargcount],
        bool(code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)),
    )


def _of_callable(signature: inspect.Signature) -> OwnSignature:
    parameters = list(signature.parameters.values())
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return OwnSignature(
        tuple(p.name for p in parameters if p.kind in positional),
        sum(p.kind is p.POSITIONAL_ONLY for p in parameters),
        {p.name: p.default for p in parameters if p.default is not p.empty},
        tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY),
        any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters),
    )
