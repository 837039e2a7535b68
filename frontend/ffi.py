"""`anvl.ffi`: call native code from a compiled program.

    anvl.ffi.register("scale", ctypes.CDLL("./scale.so").scale)
    y = anvl.ffi.call("scale", x, x, factor=2.0)

A handler is a function against XLA's FFI (headers: `anvl.ffi.include_dir()`), for one platform.
A handler has no derivative of its own: emit the call in the `lower` rule of a user-defined op,
and write its `adjoint`.  docs/ffi.md shows both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anvl import prim
from anvl.core.avals import Aval, aval
from anvl.dialect.ops.calls.ffi_call import foreign_params
from anvl.runtime import hiding_frames, include_dir
from anvl.runtime import register_handler as register
from anvl.runtime import registered_handlers as registered

__all__ = ["call", "include_dir", "register", "registered"]


@hiding_frames
def call(
    target: str,
    results: Any,
    *operands: Any,
    batch: str = "loop",
    has_side_effect: bool = False,
    **attributes: Any,
) -> Any:
    """Call the handler registered as `target` on the operands.

    Inside of a trace it is recorded, outside of one it runs.  The handler must exist when the
    program is compiled, on the platform that it is compiled for.

    Parameters
    ----------
    target
        The name that the handler is registered under.
    results
        What comes out: an aval (`anvl.aval("f32", (3,))`) or anything with a `dtype` and a `shape`,
        such as an operand; a list or tuple of these for a handler of several results.  XLA
        allocates them, the handler writes them.
    operands
        Arrays, of any dtypes and shapes; the handler gets them as they are.
    batch
        What batching makes of the call: `"loop"`, a call for each member; or `"broadcast"`, one
        call whose operands and results all have the batch as their first axis, for a handler that
        can take it.
    has_side_effect
        Whether the call must happen even if nobody uses its results.
    attributes
        Numbers (an `int` is an i64 and a `float` an f64; NumPy's have their own dtypes), texts,
        tuples or one-dimensional arrays of numbers, and dictionaries of these.

    Returns
    -------
    An array, or a tuple of arrays where `results` is a list or tuple.

    Raises
    ------
    TypeError
        An operand is no array, a result has no dtype and shape, or an attribute has no form.
    ValueError
        An empty target, an integer that is too large, or a `batch` that there is not.
    RuntimeFailure
        No handler of this name is registered for the platform, or the handler gives an error.

    Examples
    --------
    >>> import anvl, numpy
    >>> anvl.ffi.call("nobody", anvl.aval("f32"), numpy.float32(1))
    Traceback (most recent call last):
    ...
    anvl...RuntimeFailure: compile: no handler is registered under 'nobody'; register it with ...
    """
    several = isinstance(results, list | tuple)
    types = [_aval(r).type for r in (results if several else (results,))]
    _check_operands(target, operands)
    params = foreign_params(target, types, batch, has_side_effect, attributes)
    found = prim.custom_call(*operands, **params)
    return found if several else found[0]


def _check_operands(target: str, operands: Sequence[Any]) -> None:
    for i, x in enumerate(operands):
        if not (hasattr(x, "dtype") and hasattr(x, "shape")):
            raise TypeError(
                f"ffi.call: {target}: operand {i} is {x!r} of type {type(x).__name__}; a handler "
                "takes arrays of dtypes that it knows, so give one, such as numpy.float32(2)"
            )


def _aval(result: Any) -> Aval:
    if isinstance(result, Aval):
        return result
    try:
        return aval(result.dtype, _shape(result.shape))
    except AttributeError:
        raise TypeError(
            f"ffi.call: a result is {result!r} of type {type(result).__name__}; give avals, such "
            'as anvl.aval("f32", (3,)), or arrays that it is like'
        ) from None


def _shape(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(shape)


def __dir__() -> list[str]:
    return sorted(__all__)
