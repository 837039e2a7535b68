"""The keyword `device=` of functions that make arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from anvl.core.arguments import no_keyword, parameters_of
from anvl.core.config import config
from anvl.core.trace_state import current
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.jit import jit
from anvl.runtime import (
    Array,
    Device,
    ShardedPlacement,
    as_device,
    default_placement,
    explain_error,
    put,
)
from anvl.sharding.specs import Sharding, label_of, placement_for

__all__ = ["check_not_traced", "moved", "placed", "placed_like", "placed_values"]

_F = TypeVar("_F", bound=Callable[..., Any])


def placed(f: _F) -> _F:
    """Add the keyword `device` to a function that makes one array, and make it there.

    None leaves the array where the function makes it.  A trace has no device: the program runs
    where its arguments are, so there only None is accepted.
    """
    name, known = f.__name__, parameters_of(f).known.keys()

    @functools.wraps(f)
    def on_device(*args: Any, device: Device | Sharding | str | None = None, **kwargs: Any) -> Any:
        try:
            for keyword in kwargs:
                if keyword not in known:
                    raise TypeError(no_keyword(name, keyword, [*known, "device"]))
            if device is None:
                return f(*args, **kwargs)
            check_not_traced(name, device)
            if isinstance(device, Sharding | tuple):
                return moved(f(*args, **kwargs), device, name)
            with config(default_device=as_device(device, name)):
                return put(f(*args, **kwargs), default_placement())
        except Exception as error:
            explain_error(error, f)
            raise

    given = inspect.signature(f)
    own = inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default=None)
    on_device.__signature__ = given.replace(  # type: ignore[attr-defined]
        parameters=[*given.parameters.values(), own]
    )
    return on_device  # type: ignore[return-value]


def placed_like(f: _F) -> _F:
    """As `placed`, for a function of an array that makes one of its shape: it lies as that does."""
    made = placed(f)

    @functools.wraps(made)
    def on_its_devices(x: Any, *args: Any, **kwargs: Any) -> Any:
        is_given = kwargs.get("device") is not None
        if is_given or type(x) is not Array or current.trace is not None:
            return made(x, *args, **kwargs)
        place = x.aval.placement
        if not isinstance(place, ShardedPlacement):
            return made(x, *args, **kwargs)
        kwargs.pop("device", None)
        return _over_mesh(f, label_of(place))(x, *args, **kwargs)

    return on_its_devices  # type: ignore[return-value]


@functools.lru_cache(256)
def _over_mesh(f: Any, sharding: Sharding) -> Callable[..., Any]:
    """A function of `public` whose result has this sharding: no device ever has all of it."""
    jitted: Callable[..., Any] = jit(f.traced, static="dtype", out_shardings=sharding)
    return jitted


def check_not_traced(name: str, device: object) -> None:
    """Refuse a device inside of a trace: `TraceError`."""
    if current.trace is not None:
        raise TraceError(
            f"{name}: device {device} is given inside of a trace, but a program runs on one "
            "device; leave it out, and pin the function: jit(f, device=...)"
        )


def moved(x: Array, device: Device | Sharding | str | None, name: str) -> Array:
    """An array on a device: x itself if it is there already, or if the device is None."""
    return x if device is None else put(x, placement_for(device, x.shape, name))


def placed_values(x: Any, device: Device | Sharding | str | None, name: str) -> Array:
    """A NumPy array as an array on a device; on the default one if that is None."""
    return put(x, None if device is None else placement_for(device, x.shape, name))
