"""`anvl.debug`: look into compiled programs while they run.

anvl.debug.print("loss = {loss:.3f}", loss=loss)
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from anvl import prim
from anvl.core.promote import as_tracer
from anvl.core.trace_state import current
from anvl.dialect.ops.calls.host_call import print_call
from anvl.effects.messages import Message
from anvl.runtime import hiding_frames

__all__ = ["print"]


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
        The values that the message shows: those of `{}` and `{0}`, and those with names.  Other
        values than arrays and numbers, such as text, are written into the message when it is
        traced.

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


def __dir__() -> list[str]:
    return sorted(__all__)
