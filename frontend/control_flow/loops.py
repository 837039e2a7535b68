"""`scan`, `fori_loop` and `while_loop`: loops that compile to one program."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.control_flow.function_regions import (
    aligned,
    declare_control,
    emit_while,
    known_scalar,
    length_of,
    outer_values,
    traced_with,
)
from anvl.control_flow.loop_carry import Carry, Counted
from anvl.core.arguments import name_of, wrap_plain_leaves
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract, as_tracer
from anvl.core.trace_state import current
from anvl.core.traced import Traced
from anvl.core.tracer import Tracer
from anvl.dialect.control_flow.scan import Scan
from anvl.dialect.control_flow.while_loop import is_slots
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Bool, Int
from anvl.dialect.core.types import element_type, kind
from anvl.runtime import hiding_frames
from anvl.transforms.checkpoints import checkpoint as checkpointed
from anvl.transforms.declare import check_callable, has_derivative, run

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
        results = _result_avals(carry.avals)
        found = emit_while(operands, cond, body, carry.avals, results, attributes)
        return tree.unflatten(carry.treedef, found)

    in_trace.__name__ = name_of(body_fun)
    return run(in_trace, (init,), {})


def _result_avals(avals: Sequence[Aval]) -> list[Aval]:
    """Avals of the results of a loop: its integers are no longer weak.

    See Note [Ranges of weak arguments] in `frontend/core/ranges.py`.
    """
    return [of if has_derivative(of) else of.strong() for of in avals]


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
    checkpoint : int or "sqrt", optional
        As in `scan`, for a loop of static length.

    Returns
    -------
    The last carry; `init` if `upper <= lower`.

    Raises
    ------
    TypeError
        As `while_loop`, or a bound is not an integer.

    Examples
    --------
    >>> import anvl
    >>> power = lambda x: anvl.fori_loop(0, 3, lambda i, y: y * x, 1.0)
    >>> print(power(2.0), anvl.grad(power)(2.0))
    8.0 12.0
    """
    check_callable("fori_loop", body_fun)
    lower, upper = _maybe_known(lower), _maybe_known(upper)
    known = [_as_bound(name, x) for name, x in (("lower", lower), ("upper", upper))]
    if None in known:
        first, last = known
        start = as_index("lower", lower) if first is None else first
        end = as_index("upper", upper) if last is None else last
        return _between_traced(start, end, body_fun, init)

    def counted(carry: Any, _: Any) -> Any:
        i, value = carry
        return Counted(i + 1, body_fun(i, value)), None

    counted.__name__ = name_of(body_fun)
    count = max(0, known[1] - known[0])  # type: ignore[operator]
    if count >= 2**31:
        raise ValueError(f"fori_loop: {count} steps exceed the range of i32")
    start = np.int32(known[0])  # type: ignore[arg-type]
    carry = Counted(start, init)
    found, _ = _segmented("fori_loop", counted, carry, None, count, False, checkpoint)
    return found.value


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
    *,
    checkpoint: int | str | None = None,
) -> tuple[Any, Any]:
    """Thread a carry through `f(carry, x)` for each x along the leading axis of `xs`.

    Differentiable in every mode: reverse mode keeps the residuals of each step, stacked.

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
    return _segmented("scan", f, init, xs, length, reverse, checkpoint)


def _segmented(
    role: str,
    f: Callable[..., Any],
    init: Any,
    xs: Any,
    length: int | None,
    reverse: bool,
    every: int | str | None,
) -> tuple[Any, Any]:
    """A scan, or a scan over checkpointed segments of `every` steps and a remainder."""
    if every is None:
        return _scanned(role, f, init, xs, length, reverse)
    count = length_of(role, xs, length)
    size = _segment(role, every, count)
    whole = count - count % size

    def steps(carry: Any, part: Any, n: int) -> tuple[Any, Any]:
        return _scanned(role, f, carry, part, n, reverse)

    def segments(carry: Any, xs: Any) -> tuple[Any, Any]:
        parts = tree.map(lambda x: _cut(as_tracer(x), whole // size, size), xs)
        one = checkpointed(functools.partial(steps, n=size))
        carry, ys = _scanned(role, one, carry, parts, whole // size, reverse)
        return carry, tree.map(lambda y: y.reshape((whole, *y.shape[2:])), ys)

    def rest(carry: Any, xs: Any) -> tuple[Any, Any]:
        left = tree.map(lambda x: as_tracer(x)[whole:], xs)
        return checkpointed(functools.partial(steps, n=count - whole))(carry, left)

    def in_trace(init: Any, xs: Any) -> tuple[Any, Any]:
        first, second = (rest, segments) if reverse else (segments, rest)
        carry, early = first(init, xs)
        carry, late = second(carry, xs)
        ordered = (late, early) if reverse else (early, late)
        return carry, tree.map(lambda *ys: anp.concatenate(ys), *ordered)

    in_trace.__name__ = name_of(f)
    return run(in_trace, (init, xs), {})


def _segment(role: str, every: int | str, count: int) -> int:
    """Number of steps per checkpoint."""
    if every == "sqrt":
        return max(1, math.isqrt(max(count, 1)))
    is_whole = isinstance(every, int | np.integer) and not isinstance(every, bool)
    if not is_whole or every < 1:  # type: ignore[operator]
        raise ValueError(
            f"{role}: checkpoint is {every!r}; give a number of steps of at least 1, or 'sqrt'"
        )
    return int(every)


def _cut(x: Any, count: int, size: int) -> Any:
    return x[: count * size].reshape((count, size, *x.shape[1:]))


def _scanned(
    role: str, f: Callable[..., Any], init: Any, xs: Any, length: int | None, reverse: bool
) -> tuple[Any, Any]:
    count = length_of(role, xs, length)

    def in_trace(init: Any, xs: Any) -> Any:
        trace = current.trace
        assert trace is not None
        carry = Carry(role, init)
        leaves, xs_tree = tree.flatten(wrap_plain_leaves(xs))
        avals = [abstract(x) for x in leaves]
        members = [aval(a.dtype, a.shape[1:], a.weak_type) for a in avals]
        x = tree.unflatten(xs_tree, members)
        step = carry.trace_to_fixed_point(
            lambda args: traced_with(f, (*args, x), ("carry", "x")), f, pairs=True
        )
        outer = outer_values([step])
        stacked = step.out_avals[len(carry.avals) :]
        request = {
            "body": _symbol(aligned(step, outer, [*carry.avals, *stacked])),
            "carry": Int.encode(len(carry.avals)),
            "xs": Int.encode(len(leaves)),
            "length": Int.encode(count),
            "reverse": Bool.encode(bool(reverse)),
        }
        ys = [aval(a.dtype, (count, *a.shape), a.weak_type) for a in stacked]
        found = declare_control(
            trace, "scan", Scan.attribute, request,
            [*carry.avals, *avals, *(x.aval for x in outer)], _result_avals([*carry.avals, *ys]),
            [*carry.operands(), *leaves, *outer],
        )  # fmt: skip
        return tree.unflatten(step.out_tree, found)

    in_trace.__name__ = name_of(f)
    return run(in_trace, (init, xs), {})


def _symbol(name: str) -> ir.Attribute:
    return ir.FlatSymbolRefAttr.get(name, context())
