"""`anvl.debug`: look into compiled programs while they run.

anvl.debug.print("loss = {loss:.3f}", loss=loss)
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from anvl import prim
from anvl.core.arguments import name_of
from anvl.core.importing import suggest_names as _suggest_names
from anvl.core.promote import as_tracer
from anvl.core.trace_state import current
from anvl.dialect.ops.calls.host_call import print_call
from anvl.effects.callbacks import callback as _effects_callback
from anvl.effects.messages import Message
from anvl.runtime import hiding_frames
from anvl.sharding.pictures import show as _show

__all__ = ["callback", "print", "visualize_array_sharding"]


@hiding_frames
def print(message: str, *unnamed: Any, ordered: bool = True, **values: Any) -> None:
    """Print values each time the compiled program runs, in the order of the program.

    Outside of a trace it prints at once.  Under `vmap` it prints for each member, in a loop in each
    step, and in a branch only if that is taken; a derivative prints once, what the function prints.

    Parameters
    ----------
    message : str
        A format string, with `{name}`, `{name:.3f}`, `{}` or `{0}` where it shows a value.
    *unnamed, **values
        The values that the message shows: those of `{}` and `{0}`, and those with names.  Of
        dicts, lists and tuples the arrays in them are shown.  Other values than arrays and numbers,
        such as text, are written into the message when it is traced.

    ordered : bool
        Of JAX's programs: the messages are in the order of the program either way.

    Raises
    ------
    ValueError
        The message does not fit the values.
    RuntimeFailure
        From the call: the program is compiled for a plugin, which cannot call Python.

    Examples
    --------
    >>> import anvl
    >>> @anvl.jit
    ... def f(x):
    ...     anvl.debug.print("x is {x} and twice {y}", x=x, y=2 * x)
    ...     return x + 1
    >>> y = f(1.5)
    x is 1.5 and twice 3.0
    >>> anvl.debug.print("{:.2f} of {}", 0.5, "all")
    0.50 of all
    """
    shown = Message.of("debug.print", message, values, unnamed)
    if current.trace is None:
        arrays = {k: np.asarray(x) for k, x in shown.arrays.items()}
        shown.check_types("debug.print", {k: (x.dtype, x.shape) for k, x in arrays.items()})
        builtins.print(shown.text.format(**{k: x[()] for k, x in arrays.items()}), flush=True)
        return
    tracers = {k: as_tracer(x, f"debug.print: {k}") for k, x in shown.arrays.items()}
    shown.check_types("debug.print", {k: (x.aval.dtype, x.aval.shape) for k, x in tracers.items()})
    prim.custom_call(*tracers.values(), **print_call(shown.text, tuple(tracers)))


@dataclasses.dataclass(frozen=True)
class _Discarding:
    """A function whose result is of no interest."""

    f: Callable[..., Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "__name__", name_of(self.f))

    def __call__(self, args: Any, kwargs: Any) -> None:
        self.f(*args, **kwargs)


@hiding_frames
def callback(callback: Callable[..., Any], *args: Any, ordered: bool = True, **kwargs: Any) -> None:
    """Call a Python function each time the compiled program runs; `anvl.callback` says more.

    Parameters
    ----------
    callback : callable
        Its result is of no interest.
    *args, **kwargs
        What it gets: arrays and numbers as read-only NumPy arrays, in their structure.
    ordered : bool
        Of JAX's programs: calls are in the order of the program either way.

    Raises
    ------
    TypeError
        `callback` is no function.
    CallbackError
        From the call of a compiled program: the function raised an exception.

    Examples
    --------
    >>> import anvl
    >>> seen = []
    >>> @anvl.jit
    ... def f(x):
    ...     anvl.debug.callback(lambda x, step: seen.append(float(x * step)), x, step=2)
    ...     return x + 1
    >>> y = f(3.0)
    >>> seen
    [6.0]
    """
    if not callable(callback):
        raise TypeError(
            f"debug.callback: takes a function, got {callback!r} of type {type(callback).__name__}"
        )
    _effects_callback(_Discarding(callback), None, args, kwargs)


def visualize_array_sharding(arr: Any, **kwargs: Any) -> None:
    """Print how an array lies over devices, as `anvl.sharding.show`.

    Parameters
    ----------
    arr : Array
    **kwargs
        Without effect: colours and widths of JAX's picture.

    Raises
    ------
    TypeError
        It is no array.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl.sharding import P, Sharding
    >>> rows = Sharding(anvl.Mesh({"x": 1}), P("x"))
    >>> anvl.debug.visualize_array_sharding(anvl.device_put(np.ones(4), rows))
    f32[4] over Mesh(x=1), P('x')
    +-------+
    | cpu:0 |
    +-------+
    each the whole [4]
    """
    _show(arr)


_suggest_names(globals(), {
    "breakpoint": "call the function within anvl.disable_jit(), with Python's breakpoint()",
    "inspect_array_sharding": "an array has x.sharding; anvl.with_sharding decides it in a program",
    "log": "use anvl.debug.callback with a function of logging",
    "visualize_sharding": "use anvl.sharding.show(sharding, shape)",
})  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
