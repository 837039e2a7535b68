"""`mixed_precision`: contractions of bf16 or f16, everything else in f32."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core.arguments import StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.promote import abstract
from anvl.core.trace_state import current
from anvl.core.traced import known_numbers, trace_call
from anvl.dialect.core.attributes import MIXED_PRECISION
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dispatch.jit import jit
from anvl.dispatch.nested_calls import call_function
from anvl.runtime import hiding_frames
from anvl.transforms.declare import check_callable, closed_over, runnable

__all__ = ["PrecisionError", "mixed_precision"]

_DTYPES = ("bf16", "f16")


class PrecisionError(NamedTuple):
    """How far a result in mixed precision is from the same in f32.

    Attributes
    ----------
    largest : float
        The largest difference of two elements.
    relative : float
        The same as a part of the largest element in f32; 0 where both are zeros.
    """

    largest: float
    relative: float


@hiding_frames
def mixed_precision(f: Callable[..., Any] | None = None, dtype: str = "bf16") -> Any:
    """Make f multiply in bf16 or f16 where it contracts f32, and do everything else in f32.

    Operands of matrix products and convolutions are cast; sums of products are accumulated in f32,
    and results are f32, as are all other values: sums, exponentials, arguments and results.  The
    functions that f calls, loops and branches are in it.  Derivatives and batches of the new
    function follow, so give it to `grad` and `vmap`; the gradient's contractions are bf16 too, and
    with f16 f32, as f16 cannot hold small cotangents.  `jit(f).lower(*args).report()` lists what
    was cast.  Source: P. Micikevicius et al., Mixed Precision Training (ICLR 2018).

    Parameters
    ----------
    f : callable
    dtype : {"bf16", "f16"}
        The dtype of the operands.  f16 has three more bits and holds numbers up to 65,504 alone:
        see `anvl.optim.dynamic_loss_scale`.

    Returns
    -------
    A function of the same arguments, which has a method `error`: of arguments, it runs f and the
    new function, and gives a `PrecisionError` for each result.

    Raises
    ------
    ValueError
        Another dtype.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> layer = anvl.mixed_precision(lambda w, x: np.tanh(x @ w))
    >>> w, x = np.full((8, 8), 0.1, "f32"), np.full((2, 8), 0.3, "f32")
    >>> print(layer(w, x).dtype, 0 < layer.error(w, x).relative < 0.01)
    float32 True
    """
    if f is None:
        return functools.partial(mixed_precision, dtype=dtype)
    check_callable("mixed_precision", f)
    if dtype not in _DTYPES:
        listed = " or ".join(map(repr, _DTYPES))
        raise ValueError(f"mixed_precision: dtype is {dtype!r}; it must be {listed}")
    function, static = f, StaticArguments(f, None)

    def in_trace(*args: Any, **kwargs: Any) -> Any:
        return _called(function, static, dtype, *wrap_plain_leaves((args, kwargs)))

    made: Any = runnable(f, in_trace, f"{name_of(f)}, with contractions of {dtype}.")
    made.error = functools.partial(_error, f, made)
    return made


def _called(f: Callable[..., Any], static: StaticArguments, dtype: str, *given: Any) -> Any:
    """Trace f into a function of its own, which asks for a dtype, and call it."""
    trace = current.trace
    assert trace is not None
    arguments = static.split(*given)
    paths = input_names(f, arguments)
    leaves = zip(arguments.leaves, paths, strict=True)
    abstracted = arguments._replace(
        leaves=[abstract(x, f"mixed_precision: {path}") for x, path in leaves]
    )
    known = known_numbers(arguments.leaves)
    nested = trace_call(f, static, abstracted, trace.program, paths, known)
    nested.trace.function.attributes[MIXED_PRECISION] = ir.StringAttr.get(dtype, context())
    operands = [*arguments.leaves, *closed_over(nested)]
    results = call_function(trace, nested.trace.name, operands, nested.out_avals)
    return tree.unflatten(nested.out_tree, results)


def _error(f: Callable[..., Any], mixed: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """How far the results of `mixed` are from those of f, which it runs both, for each result."""
    if current.trace is not None:
        raise TypeError(
            "mixed_precision: error runs both functions and compares numbers, which are not known "
            "in a trace; call it outside of jit, grad and the others"
        )
    return tree.map(_distance, jit(f)(*args, **kwargs), jit(mixed)(*args, **kwargs))


def _distance(exact: Any, found: Any) -> PrecisionError:
    a, b = (np.asarray(x, "complex128") for x in (exact, found))
    if not a.size:
        return PrecisionError(0.0, 0.0)
    largest = float(np.max(np.where(a == b, 0.0, abs(a - b))))  # equal infinities differ by 0
    size = float(np.max(abs(a)))
    return PrecisionError(largest, largest / size if size else largest)
