"""`check_grads`: compare the derivatives of a function with differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anvl import tree
from anvl.core.arguments import (
    StaticArguments,
    input_names,
    name_of,
    positions_of,
    wrap_plain_leaves,
)
from anvl.core.promote import abstract
from anvl.dispatch.jit import jit
from anvl.passes.expand.gradient_check import BAD, OK, Limits, Slope, direction, measured, paired
from anvl.runtime import hiding_frames
from anvl.transforms.declare import argument_name, check_callable, has_derivative, numbered
from anvl.transforms.jvp import jvp
from anvl.transforms.vjp import vjp

__all__ = ["check_grads"]

_MODES = ("fwd", "rev")


@hiding_frames
def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] = _MODES,
    *,
    wrt: Any = None,
    eps: float | None = None,
    rtol: float | None = None,
    atol: float = 0.0,
    seed: int = 0,
) -> dict[str, float]:
    """Hold the derivatives of a function against differences of its values, and each other.

    For each array of floats among the arguments, the derivative along a random direction is
    compared as forward mode (`jvp`), reverse mode (`vjp`) and central differences have it; then
    those of these derivatives, in all nestings: "fwd of rev" is forward over reverse mode.

    Parameters
    ----------
    f, args
        A function and its positional arguments; both take any pytrees.  Python's floats are f64.
    order, modes, wrt
        Up to which order; "fwd", "rev" or both; the arguments to look at, by name or position.
    eps, rtol, atol, seed
        The step of the differences; the error allowed, relative to the sum of the absolute values
        that a derivative adds up (1e-5 and 1e-6 in f64, 2**-8 and 1e-2 in f32, where not given),
        and an absolute one besides; the seed of the directions.

    Returns
    -------
    The largest relative error of each nesting of the modes, by names such as "fwd of rev".

    Raises
    ------
    AssertionError
        A derivative is wrong, or differences cannot tell, near a kink for instance; with order,
        modes, path and numbers of each.
    TypeError, ValueError
        An argument makes no sense, or there are no floats.

    Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), section 3.2.

    Examples
    --------
    >>> import numpy, anvl.numpy as np
    >>> errors = check_grads(lambda x, w: np.sum(np.sin(x * w)), (numpy.array([0.3, 1.2]), 2.0))
    >>> list(errors)
    ['rev', 'fwd', 'rev of fwd', 'fwd of fwd', 'rev of rev', 'fwd of rev']
    >>> max(errors.values()) < 1e-6
    True
    """
    check_callable("check_grads", f)
    _check_options(args, order, modes, {"eps": eps, "rtol": rtol, "atol": atol})
    function = _Function(f, tuple(args), wrt)
    limits = Limits.of(function.dtypes(), eps or 0.0, rtol or 0.0, atol)
    check = _Check(function, [m for m in _MODES if m in modes], limits, seed)
    check.examine(function.floats, order, ())
    check.report(f"check_grads: {name_of(f)}: problems found")
    return check.errors


def _check_options(
    args: Any, order: Any, modes: Sequence[str], numbers: dict[str, float | None]
) -> None:
    if not isinstance(args, list | tuple):
        raise TypeError(
            f"check_grads: args is {args!r} of type {type(args).__name__}; give a tuple, with one "
            "entry for each argument"
        )
    if not isinstance(order, int) or isinstance(order, bool) or order < 1:
        raise ValueError(f"check_grads: order is {order!r}; give an integer from 1 on")
    if isinstance(modes, str) or not modes or not set(modes) <= set(_MODES):
        raise ValueError(f'check_grads: modes is {modes!r}; give a tuple of "fwd", "rev" or both')
    for name, value in numbers.items():
        least = 0 if name == "atol" else np.nextafter(0, 1)
        if value is not None and not least <= value < np.inf:
            raise ValueError(f"check_grads: {name} is {value!r}; give a positive number")


class _Function:
    """A function of the list of arrays that vary: the float leaves of its arguments."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], wrt: Any) -> None:
        self.f = f
        self._static = StaticArguments(f, None)
        arguments = self._static.split(*wrap_plain_leaves((args, {})))
        self._arguments = arguments._replace(leaves=list(map(_as_array, arguments.leaves)))
        self._paths = input_names(f, arguments)
        self._moving = list(self._chosen(wrt))
        if not self._moving:
            raise ValueError(
                f"check_grads: no argument of {name_of(f)} holds floats; there is nothing to check"
            )
        self.xs = [np.asarray(self._arguments.leaves[i]) for i in self._moving]
        self.names = [
            f"{self._paths[i]}: {abstract(self._arguments.leaves[i])}" for i in self._moving
        ]
        self.ys = [np.asarray(y) for y in jit(self.floats)(self.xs)]
        if not self.ys:
            raise ValueError(
                f"check_grads: no result of {name_of(f)} is a float; there is nothing to check"
            )

    def floats(self, xs: Sequence[Any]) -> list[Any]:
        """The results of f that have a derivative."""
        leaves = list(self._arguments.leaves)
        for i, x in zip(self._moving, xs, strict=True):
            leaves[i] = x
        args, _ = self._static.join(self._arguments._replace(leaves=leaves))
        results = tree.leaves(wrap_plain_leaves(self.f(*args)))
        return [y for y in results if has_derivative(abstract(y))]

    def dtypes(self) -> list[np.dtype]:
        return [x.dtype for x in (*self.xs, *self.ys)]

    def _chosen(self, wrt: Any) -> Iterator[int]:
        """The leaves that vary: all of these arguments, which must be floats; or all floats."""
        args, _ = numbered(self._arguments)
        which = range(len(args)) if wrt is None else positions_of(self.f, wrt, "wrt")
        for i in which:
            name = argument_name(self.f, i)
            if not isinstance(i, int) or i >= len(args):
                raise ValueError(
                    f"check_grads: argument {name} of {name_of(self.f)} is in wrt but was not "
                    f"passed; args has {len(args)}"
                )
            for leaf in map(int, tree.leaves(args[i])):
                of = abstract(self._arguments.leaves[leaf])
                if has_derivative(of):
                    yield leaf
                elif wrt is not None:
                    raise TypeError(
                        f"check_grads: {self._paths[leaf]} of {name_of(self.f)} is {of}; only "
                        "floats have a derivative: leave it out of wrt"
                    )


def _as_array(x: Any) -> Any:
    """Python's floats in 64 bits: in 32, differences would have three digits."""
    return np.asarray(x) if isinstance(x, float | complex) else x


class _Check:
    """Compare derivatives order by order; collect problems and the largest error of each kind."""

    def __init__(
        self, function: _Function, modes: Sequence[str], limits: Limits, seed: int
    ) -> None:
        self.function, self.modes, self.limits = function, modes, limits
        self.random = np.random.default_rng(seed)
        self.problems: list[str] = []
        self.verdicts: set[str] = set()
        self.errors: dict[str, float] = {}

    def examine(self, f: Callable[..., list[Any]], order: int, above: tuple[str, ...]) -> None:
        """Check the derivatives of a function of lists of arrays, then theirs, recursively."""
        xs = self.function.xs
        value = jit(f)
        ts = [direction(self.random, x.shape, x.dtype) for x in xs]
        gs = [direction(self.random, y.shape, y.dtype) for y in value(xs)]

        def forward(xs: Any, ts: Any = ts) -> list[Any]:
            return jvp(f, (xs,), (ts,))[1]

        def reverse(xs: Any) -> list[Any]:
            return vjp(f, xs)[1](gs)[0]

        n_problems = len(self.problems)
        self._compare(value, jit(forward), jit(reverse), (ts, gs), above)
        if order > 1 and len(self.problems) == n_problems:  # else they report it, order by order
            for mode in self.modes:
                g = forward if mode == "fwd" else reverse
                self.examine(g, order - 1, (mode, *above))

    def report(self, title: str) -> None:
        """Raise an error if there are problems."""
        if self.problems and BAD not in self.verdicts:
            title += "; differences cannot tell: give other args, or another eps or seed"
        if self.problems:
            raise AssertionError("\n".join([title, *self.problems]))

    def _compare(
        self, value: Any, forward: Any, reverse: Any, along: Any, above: tuple[str, ...]
    ) -> None:
        (ts, gs), xs = along, self.function.xs
        adjoints = reverse(xs) if "rev" in self.modes else [None] * len(xs)
        for i, (t, adjoint) in enumerate(zip(ts, adjoints, strict=True)):
            only = [t if j == i else None for j in range(len(xs))]
            slope = measured(value, xs, only, gs, self.limits)
            tangents = None
            if "fwd" in self.modes:
                zeros = [s if j == i else np.zeros_like(s) for j, s in enumerate(ts)]
                tangents = paired(gs, forward(xs, zeros))
            pulled = None if adjoint is None else paired([adjoint], [t])
            self._note(self.function.names[i], slope.with_modes(pulled, tangents), above)

    def _note(self, name: str, slope: Slope, above: tuple[str, ...]) -> None:
        for mode, found in (("rev", slope.adjoint), ("fwd", slope.tangent)):
            if found is None:
                continue
            kind = " of ".join([mode, *above])
            error = slope.error_of(found)
            self.errors[kind] = max(self.errors.get(kind, 0.0), error)
        if slope.verdict != OK:
            self.verdicts.add(slope.verdict)
            modes = " of ".join([" and ".join(self.modes), *above])
            self.problems.append(f"  order {len(above) + 1}, {modes}, {name}, {slope}")
