"""`callback` and `pure_callback`: Python functions that a compiled program calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl import prim, tree
from anvl.core.arguments import name_of
from anvl.core.avals import Aval, aval
from anvl.core.promote import as_tracer
from anvl.core.trace_state import current
from anvl.dialect.core.types import numpy_dtype
from anvl.dialect.ops.calls.host_call import python_call
from anvl.dispatch.host_calls import HostFunction, checked_results
from anvl.effects.messages import is_array
from anvl.runtime import hiding_frames, put

__all__ = ["callback", "effects_barrier", "pure_callback"]

_METHODS = ("sequential", "broadcast")


@hiding_frames
def callback(f: Callable[..., Any], result: Any, *args: Any, ordered: bool = True) -> Any:
    """Call a Python function each time the program runs, in the order of the program.

    Inside of a trace the call is recorded, outside of one it is made at once.  The call of the
    compiled program waits until all its callbacks have returned.  Under `vmap` f is called for each
    member, one after the other; in a loop in each step, and in a branch only if it is taken.  A
    derivative calls it once, for the values of the function; results have no derivative.

    Parameters
    ----------
    f : callable
        Gets the arguments as read-only NumPy arrays, in their structure.
    result
        What f returns: None for nothing, or a pytree of avals (`anvl.aval("f32", (3,))`), or of
        anything with a dtype and a shape.
    *args
        Arrays, numbers, and pytrees of these; other values are passed on unchanged.
    ordered : bool
        Without effect, for code that is written for JAX: calls are in order either way.

    Returns
    -------
    What `result` declares.

    Raises
    ------
    CallbackError
        From the call of a compiled program: f raised an exception, which is its `__cause__`, or it
        returned something else than `result` declares.
    RuntimeFailure
        The program is compiled for a plugin that cannot call Python.

    Examples
    --------
    >>> import anvl
    >>> seen = []
    >>> @anvl.jit
    ... def f(x):
    ...     anvl.callback(lambda x: seen.append(float(x)), None, x * 2)
    ...     return x + 1
    >>> print(f(1.0), f(5.0), seen)
    2.0 6.0 [2.0, 10.0]
    """
    return _Call("callback", f, result).of(args, {"has_side_effect": True})


@hiding_frames
def pure_callback(
    f: Callable[..., Any], result: Any, *args: Any, vmap_method: str = "sequential"
) -> Any:
    """Compute with a Python function that has no effect, such as one of another library.

    Unlike with `callback`, the compiler may leave out a call whose results are not used, make equal
    calls once, repeat one, and make one in a branch that is not taken.  It has no derivative: give
    one with `custom_jvp` or `custom_vjp`.

    Parameters
    ----------
    f : callable
        Gets the arguments as read-only NumPy arrays, in their structure.
    result
        What f returns: a pytree of avals, or of anything with a dtype and a shape.
    *args
        Arrays, numbers, and pytrees of these; other values are passed on unchanged.
    vmap_method : str
        Under `vmap`, "sequential" calls f for each member; "broadcast" calls it once, with the
        members along the first axis of all its arguments and results.

    Returns
    -------
    What `result` declares.

    Raises
    ------
    CallbackError
        As `callback`.
    ValueError
        Another `vmap_method`.

    Examples
    --------
    >>> import anvl, numpy
    >>> f = anvl.jit(lambda x: anvl.pure_callback(numpy.sort, x, -x))
    >>> print(f(numpy.array([1.0, 3.0, 2.0])))
    [-3. -2. -1.]
    """
    if vmap_method not in _METHODS:
        listed = " or ".join(map(repr, _METHODS))
        raise ValueError(f"pure_callback: vmap_method is {vmap_method!r}; it must be {listed}")
    return _Call("pure_callback", f, result).of(
        args, {"batching": vmap_method} if vmap_method == "broadcast" else {}
    )


def effects_barrier() -> None:
    """Wait for the callbacks of programs: none is left, as each call waits for its own.

    Examples
    --------
    >>> import anvl
    >>> anvl.effects_barrier()
    """


class _Call:
    """A call of a Python function with declared results."""

    def __init__(self, function: str, f: Any, result: Any) -> None:
        if not callable(f):
            raise TypeError(f"{function}: takes a function, got {f!r} of type {type(f).__name__}")
        self._function, self._f = function, f
        self._name = name_of(f)
        leaves: Sequence[Any] = ()
        self._out_tree: Any = None
        if result is not None:
            leaves, self._out_tree = tree.flatten(result)
        self._avals = [self._aval(x) for x in leaves]

    def _aval(self, x: Any) -> Aval:
        try:
            return x if isinstance(x, Aval) else aval(numpy_dtype(x.dtype), tuple(x.shape))
        except AttributeError:
            raise TypeError(
                f"{self._function}: result of {self._name} has {x!r} of type {type(x).__name__}; "
                'give avals, such as anvl.aval("f32", (3,)), or arrays that it is like'
            ) from None

    def of(self, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Record the call in the current trace, or make it now."""
        leaves, in_tree = tree.flatten(args)
        arrays = [x for x in leaves if is_array(x)]
        others = tuple(None if is_array(x) else (x,) for x in leaves)
        if current.trace is None:
            found: Sequence[Any] = [
                put(y)
                for y in self._checked(self._flat(in_tree, others)([np.asarray(x) for x in arrays]))
            ]
        else:
            index = self._register(in_tree, others)
            found = prim.custom_call(
                *(as_tracer(x, f"{self._function}: {self._name}") for x in arrays),
                result_types=tuple(of.type for of in self._avals),
                **python_call(self._name, index),
                **params,
            )
        return None if self._out_tree is None else tree.unflatten(self._out_tree, found)

    def _flat(self, in_tree: Any, others: Sequence[Any]) -> Callable[..., Sequence[Any]]:
        """The function from arrays to arrays, flat."""
        f, out_tree, name = self._f, self._out_tree, self._name

        def call(arrays: Sequence[np.ndarray[Any, Any]]) -> Sequence[Any]:
            given = iter(arrays)
            leaves = [next(given) if other is None else other[0] for other in others]
            found = f(*tree.unflatten(in_tree, leaves))
            if out_tree is None:
                return []
            difference = tree.structure_difference(out_tree, tree.structure(found))
            if difference is not None:
                raise TypeError(f"{name}: the result has another structure: {difference}")
            return tree.leaves(found)

        return call

    def _checked(self, found: Sequence[Any]) -> Sequence[Any]:
        wanted = [(of.dtype, of.shape) for of in self._avals]
        return checked_results(self._name, found, wanted)

    def _register(self, in_tree: Any, others: tuple[Any, ...]) -> int:
        """The number of the function among those of the program."""
        key: Any = (self._f, in_tree, others, self._out_tree, tuple(self._avals))
        try:
            hash(key)
        except TypeError:
            key = object()
        trace = current.trace
        assert trace is not None
        made = HostFunction(self._name, key, self._flat(in_tree, others))
        functions = trace.program.callbacks
        if made not in functions:
            functions.append(made)
        return functions.index(made)
