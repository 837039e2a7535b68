"""`scan`, `fori_loop` and `while_loop`: the same again and again, in one compiled program."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

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
from anvl.core.arguments import name_of, plain_aside
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract, as_tracer, fitted
from anvl.core.ranges import meets_narrower
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
    """What `body_fun` makes of `init`, again and again while `cond_fun` says so.

    Arguments: `cond_fun(carry)` returns a scalar bool, `body_fun(carry)` the next carry, which has
    the structure, dtypes and shapes of `init`; both may close over traced values.
    Returns the last carry.
    Differentiable in every mode, whatever the number of steps.  Reverse mode keeps `slots` carries
    (32 where not given), a power of 2 from 2 on, for each of up to 7 levels, and does a step again
    once for each level in use (2 for 10,000 steps, 6 for 2,000,000,000); the Note [Online
    checkpointing] says how.  With `max_iterations` the loop ends after so many steps at the latest,
    and reverse mode keeps the carry of each: quicker, where they are few.
    Under `vmap` it runs until every member is done; those that are done keep their values.
    Raises `TypeError` where the carry changes its structure, a dtype or a shape (paths are named),
    or the condition is no scalar bool; `ValueError` for `slots` that are no power of 2.
    Source: StableHLO specification, `while`.

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
    """The loop, ended after so many steps."""
    is_whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not is_whole or count < 0:
        raise ValueError(
            f"while_loop: max_iterations is {count!r}; it must be an integer of at least 0"
        )
    if count >= 2**31:
        raise ValueError(f"while_loop: max_iterations is {count}, more than an i32 counts")

    def goes_on(carry: Any) -> Any:
        found = cond_fun(carry.value)
        if not isinstance(found, Tracer) or found.shape or found.dtype != np.dtype(bool):
            return found  # which is refused
        return found & (carry.i < int(count))

    def step(carry: Any) -> Any:
        return _Counted(carry.i + 1, body_fun(carry.value))

    goes_on.__name__, step.__name__ = name_of(cond_fun), name_of(body_fun)
    # To the dialect, 0 is no bound.
    options: dict[str, int] = {"max_iterations": int(count)} if count else {"ends": True}
    counted = _Counted(np.int32(0), init)
    return _while("while_loop", goes_on, step, counted, options).value


def _while(
    role: str,
    cond_fun: Callable[..., Any],
    body_fun: Callable[..., Any],
    init: Any,
    options: Mapping[str, int],
) -> Any:
    def in_trace(init: Any) -> Any:
        carry = _Carry(role, init)
        while True:
            body = carry.settled(lambda args: traced_with(body_fun, args, ("carry",)), body_fun)
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
        results = _returned(carry.avals)
        found = emit_while(operands, cond, body, carry.avals, results, attributes)
        return tree.unflatten(carry.treedef, found)

    in_trace.__name__ = name_of(body_fun)
    return run(in_trace, (init,), {})


def _returned(avals: Sequence[Aval]) -> list[Aval]:
    """The avals of what a loop returns: its integers are as any others.

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
    """What `body_fun(i, carry)` makes of `init`, for i from `lower` up to, but without, `upper`.

    Arguments: the bounds are integers, or traced scalars of integers; with Python's, or arrays that
    are known when the loop is traced, it has a known length, and `checkpoint` means what it means
    for `scan`; with traced ones, it is a `while_loop`.  The carry is as there; i is an i32, or an
    i64 where a traced bound is wider.
    Returns the last carry; `init` where `upper` is not above `lower`.
    Raises `TypeError` as `while_loop` does, and for bounds that are no integers.

    >>> import anvl
    >>> power = lambda x: anvl.fori_loop(0, 3, lambda i, y: y * x, 1.0)
    >>> print(power(2.0), anvl.grad(power)(2.0))
    8.0 12.0
    """
    check_callable("fori_loop", body_fun)
    lower, upper = _maybe_known(lower), _maybe_known(upper)
    known = [_as_bound(name, x) for name, x in (("lower", lower), ("upper", upper))]
    if None in known:
        first = known[0]
        start = as_index("lower", lower) if first is None else first
        end = as_index("upper", upper) if known[1] is None else known[1]

        dtype = _index_dtype(start, end)

        def step(carry: Any) -> Any:
            i, value = carry
            return _Counted(i + 1, body_fun(i, value))

        def bounded(start: Any, end: Any, init: Any) -> Any:
            i = anp.astype(start, dtype)  # an index is as any other integer
            last = anp.astype(end, dtype)
            goes_on = lambda carry: carry.i < last  # noqa: E731
            options = {"ends": True}  # so a batch may go on with members that are done
            return _while("fori_loop", goes_on, step, _Counted(i, init), options).value

        bounded.__name__ = step.__name__ = name_of(body_fun)
        return run(bounded, (start, end, init), {})

    def counted(carry: Any, _: Any) -> Any:
        i, value = carry
        return _Counted(i + 1, body_fun(i, value)), None

    counted.__name__ = name_of(body_fun)
    count = max(0, known[1] - known[0])  # type: ignore[operator]
    if count >= 2**31:
        raise ValueError(f"fori_loop: {count} steps are more than an i32 counts")
    start = np.int32(known[0])  # type: ignore[arg-type]
    carry = _Counted(start, init)
    found, _ = _segmented("fori_loop", counted, carry, None, count, False, checkpoint)
    return found.value


def _index_dtype(*bounds: Any) -> np.dtype[Any]:
    """What the steps between bounds are counted in: i32, or i64 where one is wider."""
    wide = [abstract(b).dtype for b in bounds if not isinstance(b, int)]
    if any(dtype == np.uint64 for dtype in wide):
        raise TypeError("fori_loop: a bound is ui64, which no index holds; cast it to i64")
    fits = all(np.can_cast(dtype, np.int32) for dtype in wide)
    return np.dtype(np.int32 if fits else np.int64)


def _maybe_known(bound: Any) -> Any:
    """A bound that is known as a number, if an i32 holds it; a wide one is counted by a while."""
    found = known_scalar(bound)
    is_wide = isinstance(found, np.integer) and not -(2**31) <= found < 2**31
    return bound if is_wide else found


def _as_bound(name: str, x: Any) -> int | None:
    """A bound that is known when the loop is traced; None for others."""
    if isinstance(x, bool) or not isinstance(x, int | np.integer):
        return None
    if not -(2**31) <= x < 2**31:
        raise ValueError(f"fori_loop: {name} is {x}, which an i32 does not hold")
    return int(x)


def as_index(name: str, x: Any) -> Any:
    """A bound that is an array."""
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
    """`f(carry, x)` for each x along the first axis of `xs`, from a carry to the next.

    Arguments: f returns `(carry, y)`; the carry keeps the structure, dtypes and shapes of `init`,
    y may be any tree, or None.  `xs` is a tree of arrays with first axes of one size, or None with
    a `length`.  With `reverse` it goes from the last to the first.  With `checkpoint=k` reverse
    mode keeps the carry of every k-th step, and does k steps again at a time; with `"sqrt"`, k is
    the root of their number: what is kept grows as that.
    Returns `(carry, ys)`: the last carry, and the ys stacked along a first axis, each at the index
    of its x.
    Differentiable in every mode: reverse mode keeps of each step what it needs, stacked.
    Raises `TypeError` where the carry changes (paths are named) or f returns no pair; `ValueError`
    for arrays of different lengths.

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
    """A scan, or one of checkpoints of so many steps each, and of what is left over."""
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
    """How many steps a checkpoint has."""
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
        carry = _Carry(role, init)
        leaves, xs_tree = tree.flatten(plain_aside(xs))
        avals = [abstract(x) for x in leaves]
        members = [aval(a.dtype, a.shape[1:], a.weak_type) for a in avals]
        x = tree.unflatten(xs_tree, members)
        step = carry.settled(lambda args: traced_with(f, (*args, x), ("carry", "x")), f, pairs=True)
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
            [*carry.avals, *avals, *(x.aval for x in outer)], _returned([*carry.avals, *ys]),
            [*carry.operands(), *leaves, *outer],
        )  # fmt: skip
        return tree.unflatten(step.out_tree, found)

    in_trace.__name__ = name_of(f)
    return run(in_trace, (init, xs), {})


# -- carries ---------------------------------------------------------------------------------------


class _Counted(NamedTuple):
    """A carry of a person, with the number of steps, which messages say nothing of."""

    i: Any
    value: Any


class _Carry:
    """What goes from step to step: its structure, and the avals that it has in every step."""

    def __init__(self, role: str, init: Any) -> None:
        self.role = role
        self.is_counted = isinstance(init, _Counted)
        # A step makes another bool of a bool: it is no plain value here.
        plain = tree.map(lambda x: x if isinstance(x, bool) else plain_aside(x), init)
        self.leaves, self.treedef = tree.flatten(plain)
        of = self.treedef.children()[1] if self.is_counted else self.treedef
        self.paths = [*(["the index"] if self.is_counted else []), *tree.leaf_paths(of, "carry")]
        pairs = zip(self.leaves, self.paths, strict=True)
        self.avals: list[Aval] = [abstract(x, f"{role}: {path}") for x, path in pairs]

    def avals_tree(self) -> Any:
        return tree.unflatten(self.treedef, self.avals)

    def operands(self) -> list[Any]:
        """The first carry, in the avals that it has in every step."""
        pairs = zip(self.leaves, self.avals, strict=True)
        return [fitted(x, of.dtype) for x, of in pairs]

    def settled(
        self,
        traced: Callable[[tuple[Any, ...]], Traced],
        f: Callable[..., Any],
        pairs: bool = False,
    ) -> Traced:
        """The step, traced for avals that it keeps: a number takes the dtype that it becomes."""
        while True:
            step = traced((self.avals_tree(),))
            self._check_structure(f, step, pairs)
            found = step.out_avals[: len(self.avals)]
            met = [self._met(f, *row) for row in zip(self.paths, self.avals, found, strict=True)]
            if met != self.avals:
                self.avals = met
            elif not self.strengthen(step):
                return step
            step.trace.program.discard(step.trace)

    def strengthen(self, f: Traced) -> bool:
        """Have integers not give way that f narrows: what they become in later steps is not known.

        Whether there are any: then what is traced for the carry is to be traced again.
        """
        narrowed = [i for i, of in enumerate(self.avals) if meets_narrower(f.trace, i)]
        self.avals = [of.strong() if i in narrowed else of for i, of in enumerate(self.avals)]
        return bool(narrowed)

    def _check_structure(self, f: Callable[..., Any], step: Traced, pairs: bool) -> None:
        found = step.out_tree
        if pairs:
            children = found.children()
            if found.node_data() != tree.structure((0, 0)).node_data() or len(children) != 2:
                raise TypeError(
                    f"{self.role}: {name_of(f)} returned {found!r}; return a pair, the next carry "
                    "and what is stacked, which may be None"
                )
            found = children[0]
        wanted = tree.structure(self.avals_tree())
        if self.is_counted:
            wanted, found = wanted.children()[1], found.children()[1]
        difference = tree.structure_difference(wanted, found)
        if difference is not None:
            raise TypeError(
                f"{self.role}: {name_of(f)} returns a carry of another structure than it takes: "
                f"{difference}"
            )

    def _met(self, f: Callable[..., Any], path: str, old: Aval, new: Aval) -> Aval:
        """The aval of a carry, for that which it has and that which it becomes."""
        if old.type == new.type:
            return old if not old.weak_type or new.weak_type else new
        if old.shape == new.shape:
            if old.weak_type and old.level <= new.level:
                return new
            if new.weak_type and new.level <= old.level:
                return old
        raise TypeError(
            f"{self.role}: {path} is {old}, but {name_of(f)} makes {new} of it; cast it before the "
            "loop, or in the step"
        )


def _symbol(name: str) -> ir.Attribute:
    return ir.FlatSymbolRefAttr.get(name, context())
