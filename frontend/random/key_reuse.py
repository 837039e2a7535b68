"""`draws`: functions note the keys that they draw with; see Note [Reuse of keys]."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from anvl.core.config import config
from anvl.core.key_uses import Use, are_noted, forget_value, note_use, note_values, quiet
from anvl.core.locations import user_place
from anvl.core.promote import as_tracer
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.runtime import Array, explain_error

__all__ = ["begun_anew", "draws"]

_F = TypeVar("_F", bound=Callable[..., Any])


def draws(f: _F) -> _F:
    """Decorate a function that draws with its first argument, a key, or splits it."""

    @functools.wraps(f)
    def drawing(*args: Any, **kwargs: Any) -> Any:
        try:
            if not config.check_key_reuse or not are_noted():
                return f(*args, **kwargs)
            _note(f.__name__, args[0] if args else kwargs.get("key"))
            with quiet():
                return f(*args, **kwargs)
        except Exception as error:
            explain_error(error, f)
            raise

    return drawing  # type: ignore[return-value]


def _note(function: str, key: Any) -> None:
    """Note a key; what is none is refused by the function."""
    if not isinstance(key, Tracer | Array | np.ndarray | np.generic):
        return
    if key.dtype != np.uint64 or key.shape:
        return
    use = Use(function, user_place())
    if current.trace is not None:
        note_use(as_tracer(key, function), current.trace, use)
    elif not isinstance(key, Tracer):
        note_values([(int(np.asarray(key)), use)])


def begun_anew(keys: Any) -> Any:
    """The keys, whose earlier uses do not count from now on."""
    if config.check_key_reuse and isinstance(keys, Array):
        for value in np.asarray(keys).ravel().tolist():
            forget_value(value)
    return keys
