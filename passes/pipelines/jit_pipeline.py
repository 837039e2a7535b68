"""Pipeline from a traced program to StableHLO, run by `jit` and by `anvl-run`."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from anvl.passes.control_flow import ControlFlow
from anvl.passes.donate import Donate
from anvl.passes.forward import Forward
from anvl.passes.framework.pass_base import Pass
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functionalize_effects import FunctionalizeEffects
from anvl.passes.gradient import Gradient
from anvl.passes.hoist_constants import HoistConstants, Stack
from anvl.passes.inline import Inline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo
from anvl.passes.merging.merge_loops import MergeLoops
from anvl.passes.mixed_precision import MixedPrecision
from anvl.passes.pad import Pad
from anvl.passes.remat import Remat
from anvl.passes.roll import Roll
from anvl.passes.simplify_control_flow import SimplifyControlFlow
from anvl.passes.vectorize import Vectorize

__all__ = ["expanding", "pipeline", "transformations"]


_AUTO_ROLL = Roll()


def pipeline(
    arrays: Sequence[Any] = (),
    platform: str = "cpu",
    routines: str = "",
    trigonometric: bool = False,
    donated: tuple[int, ...] = (),
    on_unused: Callable[[list[int]], None] | None = None,
    pad: Pad | None = None,
    is_expanded: bool = False,
    roll: Roll | None = _AUTO_ROLL,
    mixed_precision: MixedPrecision | None = None,
    stack: Stack | None = None,
) -> Pipeline:
    """Passes from the traced program to StableHLO for a platform, by PJRT's name.

    `routines` is the library that the program may call; by default, that of the platform.
    `trigonometric` says whether XLA's library computes sines with sums, as in a `Target` of the
    runtime.  `arrays` are the arrays that the program closes over, by index, and `donated` the
    positions of the arguments of `@main` that give their memory to results; `on_unused` is told of
    those that no result can use.  `pad` pads arguments of `@main`, and with them results; such a
    program is not rolled, as others by `roll` are.  With `is_expanded` the passes of `expanding`
    have run.  `mixed_precision` stands for the pass that casts, to hear what it did.  `stack` gives
    the index of an array whose rows are captured ones, by their indices, or None.

    Parameters
    ----------
    arrays : sequence of arrays
    platform : str
    routines : str
    trigonometric : bool
    donated : tuple of int
    on_unused : callable, optional
    pad : Pad, optional
    is_expanded : bool
    roll : Roll, optional
    mixed_precision : MixedPrecision, optional
    stack : callable, optional

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from anvl.passes import pipeline
    >>> pipeline(platform="cpu")  # doctest: +ELLIPSIS
    Pipeline('builtin.module(...,cse,trivial-dce)')
    """
    donate = [Donate(args=donated, on_report=on_unused)] if donated else []
    rolled = roll if pad is None else None
    first = [] if is_expanded else _first(rolled, mixed_precision, platform)
    # Padding changes the types of arguments and results, by which they are paired.
    first = [*donate, *first] if pad is None else [*first, pad, *donate]
    return Pipeline(
        [*first, *_last(arrays, stack, _to_stablehlo(platform, routines, trigonometric))]
    )


def _last(arrays: Sequence[Any], stack: Stack | None, lower: LowerToStablehlo) -> list[Pass | str]:
    # On StableHLO, cse costs a third of its time on anvl ops, whose effects are queried in Python.
    # Before hoisting, dead code matters only for the captured arrays that it uses.
    drop_unused = ["trivial-dce"] if arrays else []
    hoist = HoistConstants(arrays=arrays, literals=False, stack=stack)  # those of rules are small
    return [*drop_unused, _MERGE, hoist, lower, "cse", "trivial-dce"]


def _first(roll: Roll | None, mixed_precision: MixedPrecision | None, platform: str) -> list[Pass]:
    casts, effects, *others = transformations(blocks=platform == "cpu")
    rolls = [] if roll is None else [roll]
    return [mixed_precision or casts, effects, *rolls, *others, _INLINE]


@cache
def transformations(select: bool = False, blocks: bool = True) -> tuple[Pass, ...]:
    """Passes that expand all transformations declared by a traced program; only calls remain.

    With `select`, choices become selects, and steps may be in `blocks`: see `ControlFlow`.
    """
    return (
        MixedPrecision(),
        FunctionalizeEffects(),
        SimplifyControlFlow(for_derivatives=True),
        Remat(),
        Gradient(),
        Forward(),
        Vectorize(),
        SimplifyControlFlow(),
        ControlFlow(select=select, blocks=blocks),
    )


def expanding() -> Pipeline:
    """The first passes of `pipeline`, up to one function without declarations and calls."""
    return Pipeline([*transformations(), _INLINE])


_INLINE = Inline()
_MERGE = MergeLoops()


@cache
def _to_stablehlo(platform: str, routines: str, trigonometric: bool) -> LowerToStablehlo:
    return LowerToStablehlo(platform, routines, trigonometric)
