"""The keyword `device=` of functions that make arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from anvl.core.config import config
from anvl.core.trace_state import current
from anvl.dialect.core.errors import TraceError
from anvl.runtime import Array, Device, Placement, as_device, default_placement, hide_frames, put

__all__ = ["check_not_traced", "moved", "placed", "placement_of"]

_F = TypeVar("_F", bound=Callable[..., Any])


def placed(f: _F) -> _F:
    """Add the keyword `device` to a function that makes one array, and make it there.

    None leaves the array where the function makes it.  A trace has no device: the program runs
    where its arguments are, so there only None is accepted.
    """
    name = f.__name__

    @functools.wraps(f)
    def on_device(*args: Any, device: Device | str | None = None, **kwargs: Any) -> Any:
        if device is None:
            return f(*args, **kwargs)
        try:
            check_not_traced(name, device)
            with config(default_device=as_device(device, name)):
                return put(f(*args, **kwargs), default_placement())
        except Exception as error:
            hide_frames(error)
            raise

    given = inspect.signature(f)
    own = inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default=None)
    on_device.__signature__ = given.replace(  # type: ignore[attr-defined]
        parameters=[*given.parameters.values(), own]
    )
    return on_device  # type: ignore[return-value]


def check_not_traced(name: str, device: object) -> None:
    """Refuse a device inside of a trace: `TraceError`."""
    if current.trace is not None:
        raise TraceError(
            f"{name}: device {device} is given inside of a trace, but a program runs on one "
            "device; leave it out, and pin the function: jit(f, device=...)"
        )


def moved(x: Array, device: Device | str | None, name: str) -> Array:
    """An array on a device: x itself if it is there already, or if the device is None."""
    return x if device is None else put(x, placement_of(device, name))


def placement_of(device: Device | str, name: str) -> Placement:
    """Placement on one device, or on the one that a text names."""
    return as_device(device, name).placement
