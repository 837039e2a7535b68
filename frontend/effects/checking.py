"""`check`: conditions that a compiled program checks while it runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl import tree
from anvl.core.avals import Aval
from anvl.core.locations import here
from anvl.core.promote import abstract, as_tracer
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full
from anvl.dialect.core.errors import CheckError, place_in
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import dtype_name, element_type, shape_text, tensor
from anvl.dialect.ops.calls.check import WORD, words_of
from anvl.effects.messages import Message
from anvl.runtime import hiding_frames

__all__ = ["check", "check_finite"]

_MOST_ELEMENTS = 64


@hiding_frames
def check(condition: Any, message: str, *unnamed: Any, **values: Any) -> None:
    """Raise `CheckError` if a condition is false: at once, or from the call of a compiled program.

    In a compiled program the check is one more result, so that it works on every plugin; the call
    waits for it.  The program goes on after a check that fails, and the first one that failed is
    reported.  Under `vmap` each member is checked, in a loop each step, and in a branch only if it
    is taken; a derivative keeps the checks of its function.

    Parameters
    ----------
    condition
        A bool, or an array of bools, which must all be true.
    message
        What the error says, with `{name}`, `{name:.3f}`, `{}` or `{0}` where it shows a value.
    *unnamed, **values
        The values that the message shows: those of `{}` and `{0}`, and those with names.  Of an
        array of the shape of the condition the message shows the first element that fails; of
        others all, up to 64 elements.  Other values than arrays and numbers, such as text, are
        written into the message when it is traced.

    Raises
    ------
    CheckError
        The condition is false.
    TypeError
        The condition has another dtype than bool, or a value more elements than a message shows.
    ValueError
        The message does not fit the values.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> @anvl.jit
    ... def pick(table, i):
    ...     anvl.check((0 <= i) & (i < 3), "index {i} of {n} rows", i=i, n=3)
    ...     return table[i]
    >>> print(pick(np.asarray([1.0, 2.0, 3.0]), 2))
    3.0
    >>> pick(np.asarray([1.0, 2.0, 3.0]), 7)
    Traceback (most recent call last):
    ...
    anvl...CheckError: check: index 7 of 3 rows; it failed at ...
    """
    shown = Message.of("check", message, values, unnamed)
    of = abstract(condition, "check: the condition")
    if dtype_name(of.dtype) != "bool":
        raise TypeError(f"check: the condition is {of}; it must be bools, as from x > 0")
    if not math.prod(of.shape):
        return
    if current.trace is not None and isinstance(condition, Tracer):
        _emit(condition, shown)
        return
    if isinstance(condition, Tracer):
        condition.check_alive()
    _check_now(np.asarray(condition), shown)


def _emit(condition: Tracer, message: Message) -> None:
    """Record a check in the current trace."""
    shape = condition.aval.shape
    parts: list[Tracer] = []
    shown: dict[str, Aval] = {}
    if shape:
        condition = anp.reshape(condition, (-1,))
        first = anp.argmin(condition, axis=0)
        parts.append(anp.astype(first, np.uint32))
    for name, x in message.arrays.items():
        value = as_tracer(x, f"check: {name}")
        if shape and value.aval.shape == shape:
            value = anp.reshape(value, (-1,))[first]
        _check_size(name, value)
        parts.append(value)
        shown[name] = value.aval
    message.check_types("check", {name: (of.dtype, of.shape) for name, of in shown.items()})
    ok = anp.all(condition) if shape else condition
    trace, location = current.trace, here()
    assert trace is not None
    with location:
        words = [words_of(trace.tracer_of(x).value) for x in parts]
        emit.check(
            trace.tracer_of(ok).value,
            _joined(words),
            message=message.text,
            names=tuple(shown),
            types=tuple(f"{dtype_name(a.dtype)}{shape_text(a.shape)}" for a in shown.values()),
            shape=tuple(shape),
        )


def _joined(words: Sequence[Value]) -> Value:
    if not words:
        return full(tensor([0], element_type(WORD)), 0)
    return emit.concatenate(*words, dimension=0) if len(words) > 1 else words[0]


def _check_size(name: str, value: Tracer) -> None:
    if math.prod(value.aval.shape) > _MOST_ELEMENTS:
        raise TypeError(
            f"check: {name} is {value.aval}, and a message shows at most {_MOST_ELEMENTS} "
            f"elements; give those that tell what is wrong, such as {name}.max()"
        )


def _check_now(condition: np.ndarray[Any, Any], message: Message) -> None:
    """Check an array that is known."""
    known = {name: np.asarray(x) for name, x in message.arrays.items()}
    shape = condition.shape
    types = {name: (x.dtype, () if x.shape == shape else x.shape) for name, x in known.items()}
    message.check_types("check", types)
    if condition.all():
        return
    index = tuple(int(i) for i in np.argwhere(~condition)[0])
    values = {k: x[index] if index and x.shape == shape else x[()] for k, x in known.items()}
    with context():
        place = place_in(str(here()))
    raise CheckError(message.text.format(**values), place=place, values=values, index=index)


@hiding_frames
def check_finite(x: Any, name: str = "x") -> None:
    """Check that no element of an array, or of a pytree of arrays, is infinite or NaN.

    Parameters
    ----------
    x : array or pytree of arrays
        Leaves that are not floats are finite.
    name : str
        What the message calls it.

    Raises
    ------
    CheckError
        An element is not finite: see `check`.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.check_finite({"w": np.asarray([1.0, np.nan])}, "params")
    Traceback (most recent call last):
    ...
    anvl...CheckError: check: params['w'] is nan; it failed at ..., for element [1]
    """
    leaves, treedef = tree.flatten(x)
    for path, leaf in zip(tree.leaf_paths(treedef, name), leaves, strict=True):
        check(anp.isfinite(leaf), "{path} is {value}", path=path, value=leaf)
