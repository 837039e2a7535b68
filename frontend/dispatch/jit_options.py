"""Options of `jit` that concern its programs: donated arguments, device, XLA's options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from anvl.core.argument_roots import roots_of_leaves
from anvl.core.arguments import Arguments, StaticArguments, name_of, positions_of
from anvl.core.config import STALE_POLICIES
from anvl.dispatch.partitioning.jit_shardings import JitShardings, jit_shardings
from anvl.runtime import Array, Device, Placement, ShardedPlacement, as_device, placement_of

if TYPE_CHECKING:
    from anvl.dispatch.padding.buckets import Bucket, PaddingPlan
    from anvl.passes.pad import Pad, Record
    from anvl.passes.roll import Roll
    from anvl.passes.rolling.findings import Finding

__all__ = [
    "DEFAULT",
    "MAX_PROGRAMS",
    "PLAIN",
    "JitOptions",
    "ProgramOptions",
    "checked_policy",
    "jit_options",
    "roll_pass",
]

MAX_PROGRAMS = 1024  # for each function; beyond it the least recently used is dropped


class ProgramOptions(NamedTuple):
    """Options of one program.

    Attributes
    ----------
    function : str
        How messages call the function.
    place : Placement or None
        Where it runs; if None, where its arguments are.
    donated : tuple of int
        The positions of donated arguments, among all that are no constants.
    compiler_options : tuple of (str, object)
        Options by XLA's names.
    interpreted : bool
        Whether the reference interpreter of StableHLO runs it.
    padding : PaddingPlan or None
        The axes that are padded.
    reference : Record or None
        The ops of the program at other sizes, by which sizes are found in it.
    roll : bool or "auto"
        Whether repeated stretches become loops.
    out_shardings : pytree of Sharding or None
        A prefix of the results; None leaves them to the partitioner.
    """

    function: str = "jit"
    place: Placement | None = None
    donated: tuple[int, ...] = ()
    compiler_options: tuple[tuple[str, Any], ...] = ()
    interpreted: bool = False
    padding: PaddingPlan | None = None
    reference: Record | None = None
    roll: Any = "auto"
    out_shardings: Any = None

    def pad(self) -> Pad | None:
        """The pass that pads the program."""
        if self.padding is None:
            return None
        from anvl.passes.pad import Pad  # by `bucket` alone

        axes = self.padding.axes
        return Pad(
            args=tuple(a.position for a in axes),
            axes=tuple(a.axis for a in axes),
            sizes=tuple(a.padded for a in axes),
            lengths=tuple(a.length for a in axes),
            reference=self.reference,
        )


DEFAULT = ProgramOptions()


def _buckets_of(f: Callable[..., Any], static: StaticArguments, given: Any) -> tuple[Bucket, ...]:
    from anvl.dispatch.padding.buckets import buckets_of  # by `bucket` alone, as the next

    return buckets_of(f, static, given)


def _plan_of(
    f: Callable[..., Any], buckets: tuple[Bucket, ...], given: Arguments
) -> PaddingPlan | None:
    from anvl.dispatch.padding.buckets import plan_of

    return plan_of(f, buckets, given)


def roll_pass(roll: Any, on_report: Callable[[list[Finding]], None] | None = None) -> Roll | None:
    """The pass for the option `roll`, which tells what it found; None if it is to do nothing."""
    if not roll:
        return None
    from anvl.passes.roll import Roll  # 10 ms of an import that needs no passes yet

    return Roll(always=roll is True, on_report=on_report)


class JitOptions(NamedTuple):
    """Options of a jitted function, as checked by `jit_options`.

    Attributes
    ----------
    donated : frozenset of int and str
        Positions of donated arguments, names of those that only have a name.
    device : Device, str or None
        The device that it is pinned to.
    inline : bool
        Whether a call inside a trace is traced into the surrounding function.
    cache_size : int
        The number of programs that are kept.
    compiler_options : tuple of (str, object)
        Options by XLA's names, in alphabetical order.
    interpreted : bool
        Whether the reference interpreter of StableHLO runs its programs.
    buckets : tuple of Bucket
        The axes that are padded.
    roll : bool or "auto"
        Whether repeated stretches become loops.
    shardings : JitShardings or None
        How arguments and results lie on a mesh.
    """

    donated: frozenset[int | str] = frozenset()
    device: Device | str | None = None
    inline: bool = False
    cache_size: int = MAX_PROGRAMS
    compiler_options: tuple[tuple[str, Any], ...] = ()
    interpreted: bool = False
    buckets: tuple[Bucket, ...] = ()
    roll: Any = "auto"
    shardings: JitShardings | None = None

    def place(self) -> Placement | None:
        """The placement that the function is pinned to, if any."""
        if self.shardings is not None:
            return self.shardings.place
        return None if self.device is None else as_device(self.device, "jit").placement

    def places(
        self, f: Callable[..., Any], arguments: Arguments, leaves: Sequence[Any]
    ) -> Sequence[Placement | None] | None:
        """Where the leaves of a call go; None if they decide it."""
        if self.shardings is not None:
            return self.shardings.places(f, arguments, leaves)
        place = self.place()
        return None if place is None else [place] * len(leaves)

    def places_to_lower(
        self, f: Callable[..., Any], arguments: Arguments
    ) -> list[Placement | None]:
        """Where the leaves of a call go over a mesh; None for others."""
        leaves = arguments.leaves
        known = [x.aval.placement if isinstance(x, Array) else None for x in leaves]
        if self.shardings is not None:
            places = self.shardings.places(f, arguments, leaves)
            return [there or here for here, there in zip(known, places, strict=True)]
        place = placement_of(leaves)
        if not isinstance(place, ShardedPlacement):
            return [None] * len(leaves)
        return [here if isinstance(here, ShardedPlacement) else place for here in known]

    def of_program(self, f: Callable[..., Any], arguments: Arguments) -> ProgramOptions:
        """The options of the program for these arguments."""
        if self is PLAIN:
            return ProgramOptions(name_of(f))
        donated = self.donated_leaves(f, arguments)
        padding = _plan_of(f, self.buckets, arguments) if self.buckets else None
        options = self.compiler_options
        return ProgramOptions(
            name_of(f), self.place(), donated, options, self.interpreted, padding, roll=self.roll,
            out_shardings=self.shardings and self.shardings.results,
        )  # fmt: skip

    def donated_leaves(self, f: Callable[..., Any], arguments: Arguments) -> tuple[int, ...]:
        """The positions of the leaves of donated arguments."""
        if not self.donated:
            return ()
        roots = roots_of_leaves(f, arguments)
        return tuple(i for i, root in enumerate(roots) if root in self.donated)


#: The options of a function that was given none.
PLAIN = JitOptions()


def jit_options(
    f: Callable[..., Any],
    static: StaticArguments,
    donate: Any = None,
    device: Any = None,
    inline: bool = False,
    cache_size: int = MAX_PROGRAMS,
    compiler_options: Mapping[str, Any] | None = None,
    backend: str | None = None,
    debug_nans: bool = False,
    bucket: Any = None,
    roll: Any = "auto",
    in_shardings: Any = None,
    out_shardings: Any = None,
) -> JitOptions:
    """Check the options of `jit`; its errors are those of `jit`."""
    shardings = jit_shardings(f, static, in_shardings, out_shardings)
    if shardings is not None:
        _check_alone(device=device, backend=backend, bucket=bucket, debug_nans=debug_nans or None)
    if device is not None and not isinstance(device, Device | str):
        raise TypeError(
            f"jit: device must be a device or its name, got {device!r} of type "
            f"{type(device).__name__}; anvl.devices() lists them"
        )
    if type(cache_size) is not int or cache_size < 1:
        raise ValueError(
            f"jit: cache_size must be a positive number of programs, got {cache_size!r}"
        )
    made = JitOptions(
        _donated(f, static, donate),
        device,
        bool(inline),
        cache_size,
        _checked_options(compiler_options or {}),
        _is_interpreted(
            backend,
            donate=donate,
            device=device,
            compiler_options=compiler_options,
            debug_nans=debug_nans or None,
        ),
        () if bucket is None else _buckets_of(f, static, bucket),
        _checked_roll(roll, bucket),
        shardings,
    )
    return PLAIN if made == PLAIN else made


def _check_alone(**others: Any) -> None:
    for name, value in others.items():
        if value is not None:
            raise ValueError(
                f"jit: in_shardings and out_shardings are for programs over a mesh, and "
                f"{name}={value!r} for others: leave out one of them"
            )


def _checked_roll(roll: Any, bucket: Any) -> Any:
    if roll != "auto" and type(roll) is not bool:
        raise ValueError(f"jit: roll must be True, False or 'auto', got {roll!r}")
    if roll is True and bucket is not None:
        raise ValueError(
            "jit: roll=True and bucket= exclude each other, as a padded program is not rolled; "
            "leave out one of them"
        )
    return roll


def checked_policy(policy: Any) -> str | None:
    """Check a policy for stale closures; None stands for that of `anvl.config`."""
    try:
        return None if policy is None else STALE_POLICIES.check(policy)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"jit: on_stale_closure must be {STALE_POLICIES.allowed}, got {policy!r}"
        ) from None


def _donated(f: Callable[..., Any], static: StaticArguments, donate: Any) -> frozenset[int | str]:
    if donate is None:
        return frozenset()
    donated = frozenset(positions_of(f, donate, "jit: donate"))
    both = donated & (static.positions | static.names)
    if both:
        raise ValueError(
            f"jit: {name_of(f)}: argument {min(map(str, both))} is both static and donated; a "
            "static argument is no array and has no memory to give: name it in one of them"
        )
    return donated


def _is_interpreted(backend: Any, **others: Any) -> bool:
    if backend is None:
        return False
    if backend != "interpreter":
        raise ValueError(
            f"jit: backend must be 'interpreter' or None, got {backend!r}; device= says where a "
            "compiled program runs"
        )
    for name, value in others.items():
        if value is not None:
            raise ValueError(
                f"jit: {name}={value!r} is for compiled programs, and backend='interpreter' "
                "compiles none: leave out one of them"
            )
    return True


def _checked_options(options: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    for name, value in options.items():
        if not isinstance(name, str) or not isinstance(value, str | bool | int | float):
            raise TypeError(
                f"jit: compiler_options: {name!r} is {value!r}; options are names of XLA's flags, "
                "and numbers, bools or text"
            )
    return tuple(sorted(options.items()))
