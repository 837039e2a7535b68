"""`scan`, `fori_loop` and `while_loop`: loops that compile to one program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.control_flow.function_regions import (
    emit_while,
    known_scalar,
    result_avals,
    traced_with,
)
from anvl.control_flow.loop_carry import Carry, Counted
from anvl.control_flow.segments import checked_unroll, segmented
from anvl.core.arguments import name_of
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract, as_tracer
from anvl.core.traced import Traced
from anvl.core.tracer import Tracer
from anvl.dialect.control_flow.while_loop import is_slots
from anvl.dialect.core.params.base import Bool, Int
from anvl.dialect.core.types import element_type, kind
from anvl.runtime import hiding_frames
from anvl.transforms.declare import check_callable, run

__all__ = ["fori_loop", "scan", "while_loop"]

_INDEX = aval(np.dtype(np.int32), ())


@hiding_frames
def while_loop(
    cond_fun: Callable[..., Any],
    body_fun: Callable[..., Any],
    init: Any,
    *,
    slots: int | None = None,
    max_iterations: int | None = None,
) -> Any:
    """Apply `body_fun` to the carry while `cond_fun(carry)` holds, starting from `init`.

    Differentiable in every mode, whatever the number of steps.  Under `vmap` the loop runs until
    every member is done; finished members keep their values.

    Parameters
    ----------
    cond_fun : callable
        Maps a carry to a scalar bool; may close over traced values.
    body_fun : callable
        Maps a carry to the next one, of the structure, dtypes and shapes of `init`.
    init : pytree
        The first carry.
    slots : int, optional
        Carries that reverse mode keeps in each of up to 7 levels: a power of 2 from 2 on, 32 by
        default.  Each step is recomputed once per level in use (2 for 10,000 steps, 6 for
        2,000,000,000); see Note [Online checkpointing].
    max_iterations : int, optional
        Upper bound on the steps.  Reverse mode then keeps every carry: faster for few steps.

    Returns
    -------
    The last carry.

    Raises
    ------
    TypeError
        The carry changes its structure, a dtype or a shape (the message names the paths), or the
        condition is not a scalar bool.
    ValueError
        `slots` is not a power of 2.

    Notes
    -----
    Source: StableHLO specification, `while`.

    Examples
    --------
    >>> import anvl
    >>> print(anvl.while_loop(lambda x: x < 100, lambda x: x * 2, 1))
    128
    """
    check_callable("while_loop", cond_fun)
    check_callable("while_loop", body_fun)
    options = {} if slots is None else {"slots": _checked_slots(slots)}
    if max_iterations is not None:
        return _at_most(max_iterations, cond_fun, body_fun, init)
    return _while("while_loop", cond_fun, body_fun, init, options)


def _checked_slots(slots: Any) -> int:
    is_whole = isinstance(slots, int | np.integer) and not isinstance(slots, bool)
    if not is_whole or not is_slots(slots):
        raise ValueError(
            f"while_loop: slots is {slots!r}; it must be a power of 2 of at least 2, such as 32"
        )
    return int(slots)


def _at_most(
    count: Any, cond_fun: Callable[..., Any], body_fun: Callable[..., Any], init: Any
) -> Any:
    """The loop with at most `count` steps."""
    is_whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not is_whole or count < 0:
        raise ValueError(
            f"while_loop: max_iterations is {count!r}; it must be an integer of at least 0"
        )
    if count >= 2**31:
        raise ValueError(f"while_loop: max_iterations is {count}, which exceeds the range of i32")

    def goes_on(carry: Any) -> Any:
        found = cond_fun(carry.value)
        if not isinstance(found, Tracer) or found.shape or found.dtype != np.dtype(bool):
            return found  # refused by the caller
        return found & (carry.i < int(count))

    def step(carry: Any) -> Any:
        return Counted(carry.i + 1, body_fun(carry.value))

    goes_on.__name__, step.__name__ = name_of(cond_fun), name_of(body_fun)
    # The dialect takes 0 for unbounded.
    options: dict[str, int] = {"max_iterations": int(count)} if count else {"ends": True}
    counted = Counted(np.int32(0), init)
    return _while("while_loop", goes_on, step, counted, options).value


def _while(
    role: str,
    cond_fun: Callable[..., Any],
    body_fun: Callable[..., Any],
    init: Any,
    options: Mapping[str, int],
) -> Any:
    def in_trace(init: Any) -> Any:
        carry = Carry(role, init)
        while True:
            body = carry.trace_to_fixed_point(
                lambda args: traced_with(body_fun, args, ("carry",)), body_fun
            )
            cond = traced_with(cond_fun, (carry.avals_tree(),), ("carry",))
            _check_condition(cond_fun, cond)
            if not carry.strengthen(cond):
                break
            for discarded in (body, cond):
                discarded.trace.program.discard(discarded.trace)
        attributes = {
            f"anvl.{name}": (Bool if n is True else Int).encode(n) for name, n in options.items()
        }
        operands = [as_tracer(x) for x in carry.operands()]
        results = result_avals(carry.avals)
        found = emit_while(operands, cond, body, carry.avals, results, attributes)
        return tree.unflatten(carry.treedef, found)

    in_trace.__name__ = name_of(body_fun)
    return run(in_trace, (init,), {})


def _check_condition(f: Callable[..., Any], cond: Traced) -> None:
    avals = cond.out_avals
    if len(avals) != 1 or avals[0].shape != () or avals[0].dtype != np.dtype(bool):
        raise TypeError(_not_a_flag(f, avals))


def _not_a_flag(f: Callable[..., Any], avals: Sequence[Aval]) -> str:
    return (
        f"while_loop: the condition {name_of(f)} returns "
        f"{', '.join(map(repr, avals)) or 'nothing'}, not a scalar bool; compare it, or reduce it "
        "with anvl.numpy.any or all"
    )


@hiding_frames
def fori_loop(
    lower: Any,
    upper: Any,
    body_fun: Callable[..., Any],
    init: Any,
    *,
    unroll: int | bool | None = None,
    checkpoint: int | str | None = None,
) -> Any:
    """Apply `body_fun(i, carry)` for i in `range(lower, upper)`, starting from `init`.

    Parameters
    ----------
    lower, upper : int or scalar array of integers
        With Python integers, or arrays that are concrete while tracing, the length is static; with
        traced bounds the loop is a `while_loop`.
    body_fun : callable
        Maps i (an i32, or an i64 for a wider traced bound) and a carry to the next carry.
    init : pytree
        The first carry.
    unroll : int or bool, optional
    checkpoint : int or "sqrt", optional
        As in `scan`, for a loop of static length.

    Returns
    -------
    The last carry; `init` if `upper <= lower`.

    Raises
    ------
    TypeError
        As `while_loop`, or a bound is not an integer.
    ValueError
        `unroll` is given where the length is not static.

    Examples
    --------
    >>> import anvl
    >>> power = lambda x: anvl.fori_loop(0, 3, lambda i, y: y * x, 1.0)
    >>> print(power(2.0), anvl.grad(power)(2.0))
    8.0 12.0
    """
    check_callable("fori_loop", body_fun)
    steps = checked_unroll("fori_loop", 1 if unroll is None else unroll)
    lower, upper = _maybe_known(lower), _maybe_known(upper)
    first, last = _as_bound("lower", lower), _as_bound("upper", upper)
    if first is None or last is None:
        start = as_index("lower", lower) if first is None else first
        end = as_index("upper", upper) if last is None else last
        if steps > 1:
            raise _bound_unknown(unroll, "lower" if first is None else "upper")
        return _between_traced(start, end, body_fun, init)
    return _between_known(first, last, body_fun, init, checkpoint, steps)


def _between_known(
    lower: int,
    upper: int,
    body_fun: Callable[..., Any],
    init: Any,
    checkpoint: int | str | None,
    steps: int,
) -> Any:
    def counted(carry: Any, _: Any) -> Any:
        i, value = carry
        return Counted(i + 1, body_fun(i, value)), None

    counted.__name__ = name_of(body_fun)
    count = max(0, upper - lower)
    if count >= 2**31:
        raise ValueError(f"fori_loop: {count} steps exceed the range of i32")
    start = np.int32(lower)
    carry = Counted(start, init)
    found, _ = segmented("fori_loop", counted, carry, None, count, False, checkpoint, steps)
    return found.value


def _bound_unknown(unroll: Any, bound: str) -> ValueError:
    return ValueError(
        f"fori_loop: unroll={unroll!r} needs bounds that are known while tracing, but {bound} is "
        "traced; leave out unroll, or make the bound static"
    )


def _between_traced(start: Any, end: Any, body_fun: Callable[..., Any], init: Any) -> Any:
    """A `fori_loop` with a traced bound: a while loop that counts."""
    dtype = _index_dtype(start, end)

    def step(carry: Any) -> Any:
        i, value = carry
        return Counted(i + 1, body_fun(i, value))

    def bounded(start: Any, end: Any, init: Any) -> Any:
        i = anp.astype(start, dtype)  # an index is not weak
        last = anp.astype(end, dtype)
        goes_on = lambda carry: carry.i < last  # noqa: E731
        options = {"ends": True}  # lets vmap run finished members further
        return _while("fori_loop", goes_on, step, Counted(i, init), options).value

    bounded.__name__ = step.__name__ = name_of(body_fun)
    return run(bounded, (start, end, init), {})


def _index_dtype(*bounds: Any) -> np.dtype[Any]:
    """Dtype of the index between these bounds: i32, or i64 if one of them is wider."""
    wide = [abstract(b).dtype for b in bounds if not isinstance(b, int)]
    if any(dtype == np.uint64 for dtype in wide):
        raise TypeError("fori_loop: a bound is ui64, which no index dtype holds; cast it to i64")
    fits = all(np.can_cast(dtype, np.int32) for dtype in wide)
    return np.dtype(np.int32 if fits else np.int64)


def _maybe_known(bound: Any) -> Any:
    """A bound as a number if it is concrete and fits i32; wider ones make a while loop."""
    found = known_scalar(bound)
    is_wide = isinstance(found, np.integer) and not -(2**31) <= found < 2**31
    return bound if is_wide else found


def _as_bound(name: str, x: Any) -> int | None:
    """A bound as an int if it is concrete, else None."""
    if isinstance(x, bool) or not isinstance(x, int | np.integer):
        return None
    if not -(2**31) <= x < 2**31:
        raise ValueError(f"fori_loop: {name} is {x}, which is outside the range of i32")
    return int(x)


def as_index(name: str, x: Any) -> Any:
    """Check that a bound is a scalar integer array."""
    of = abstract(x, f"fori_loop: {name}")
    if of.shape != () or kind(element_type(of.dtype)) not in ("int", "uint"):
        raise TypeError(f"fori_loop: {name} is {of}, not a scalar integer")
    return x


@hiding_frames
def scan(
    f: Callable[..., Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    *,
    checkpoint: int | str | None = None,
) -> tuple[Any, Any]:
    """Thread a carry through `f(carry, x)` for each x along the leading axis of `xs`.

    Differentiable in every mode: reverse mode keeps the residuals of each step, stacked,
    unless the steps are elementwise in one active carry.

    Parameters
    ----------
    f : callable
        Maps a carry and an element to `(carry, y)`: the next carry, of the structure, dtypes and
        shapes of `init`, and any pytree or None.
    init : pytree
        The first carry.
    xs : pytree of arrays, optional
        Arrays with leading axes of one size; None together with `length`.
    length : int, optional
        The number of steps; needed where `xs` holds no arrays.
    reverse : bool
        Whether to go from the last element to the first.
    unroll : int or bool
        How many steps one iteration of the loop writes out; True for all of them.
    checkpoint : int or "sqrt", optional
        Reverse mode keeps the carry of every k-th step and recomputes k steps at a time; "sqrt"
        takes the root of the number of steps, so that memory grows as the root.

    Returns
    -------
    A pair `(carry, ys)`: the last carry, and the ys stacked along a new leading axis, each at the
    index of its x.

    Raises
    ------
    TypeError
        The carry changes (the message names the paths), or f does not return a pair.
    ValueError
        The leading axes differ in size.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> sums = lambda x: anvl.scan(lambda c, x: (c + x, c + x), 0.0, x)[1]
    >>> print(sums(np.asarray([1.0, 2.0, 3.0])))
    [1. 3. 6.]
    """
    check_callable("scan", f)
    steps = checked_unroll("scan", unroll)
    return segmented("scan", f, init, xs, length, reverse, checkpoint, steps)
