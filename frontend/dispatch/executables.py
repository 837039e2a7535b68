"""Compiled programs, cached by content: equal programs compile once."""

from __future__ import annotations

import functools
import gc
import itertools
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from anvl import tree
from anvl.core.avals import Aval
from anvl.core.importing import load_module
from anvl.core.key_uses import Use, note_values
from anvl.core.locations import user_stack_level
from anvl.core.ranges import Ranges, check_ranges, ranges_of
from anvl.core.trace_state import passes_lock
from anvl.core.traced import Traced
from anvl.core.tracing import Program as TracedProgram
from anvl.dispatch.jit_options import DEFAULT, ProgramOptions
from anvl.dispatch.programs.lowered_program import LoweredProgram
from anvl.dispatch.programs.traced_form import traced_form
from anvl.runtime import (
    INFO,
    Array,
    ArrayType,
    Donation,
    DonationWarning,
    Executable,
    OutOfMemory,
    Placement,
    Rebuild,
    RuntimeFailure,
    ShardedPlacement,
    array_type,
    compile_lowered,
    default_placement,
    load_lowered,
    named_constant,
    phase,
    put,
)
from anvl.tree.reading import building_of

if TYPE_CHECKING:
    from anvl.dispatch.padding.padded_program import PaddedCall
    from anvl.dispatch.program_state import State

__all__ = ["Program", "clear_executables", "compiled", "compiled_program", "executable_of"]

# Passes and lowering are imported with the first program that is not found on disk: a fifth of the
# time to the first step of a second start.
_loaded: Callable[[str], Any] = functools.cache(load_module)

_MAX_EXECUTABLES = 1024

# A program for the CPU takes 30 to 300 of the memory maps that Linux gives a process, 65,530 by
# default; when they run out, XLA ends the process.
_MAPS = Path("/proc/self/maps")
_MAX_MAPS = 32_768
_COUNTED_EVERY = 32  # programs; counting 30,000 maps takes 30 ms

_numbers = itertools.count()

# By a digest of the StableHLO artifact, and by the types, since the artifact lacks weakness and
# placement.  Transformed functions called outside of `jit` are traced anew each time and find their
# programs here.
_executables: OrderedDict[Any, Executable] = OrderedDict()

_LEAF = tree.structure(0)


class Program(NamedTuple):
    """A compiled signature of a function: `constants` come before the arguments.

    `ranges` are the checks of weak arguments, whose paths are `names`.  With `moves`, it runs
    elsewhere than where its arguments were put.  `state` is what it returns besides its results.
    With `padding` it is the program of a bucket, and `is_shared` if another size had it before: see
    Note [Buckets].  It `joins` arrays on one device of its mesh to those over it.
    """

    executable: Executable
    constants: list[Array]
    out_tree: Any
    names: Sequence[str]
    ranges: Ranges
    moves: bool = False
    state: State | None = None
    padding: PaddedCall | None = None
    is_shared: bool = False
    key_uses: tuple[tuple[int, Use], ...] = ()
    joins: bool = False

    @property
    def is_generated(self) -> bool:
        """Whether generated code may run it for arrays that have its key."""
        return not self.moves and self.padding is None

    def run(self, arrays: Sequence[Array]) -> Any:
        return self.rebuild(self.execute(arrays))

    def execute(self, arrays: Sequence[Array]) -> list[Array]:
        """Run on these arguments; returns the flat results."""
        if self.moves:
            arrays = [put(x, self.executable.placement) for x in arrays]
        places, look = self._checks()
        if places:
            look([arrays[i].numpy() for i in places])
        if self.padding is None:
            return self.settled(self.executable.execute([*self.constants, *arrays]))
        padded = self.padding.padded(arrays)
        results = self.settled(self.executable.execute([*self.constants, *padded]))
        return self.padding.finished(arrays, padded, results)

    def _checks(self) -> tuple[tuple[int, ...], Callable[[Sequence[Any]], None]]:
        """The arguments that are looked at before the program runs, and the function that does."""
        look = functools.partial(check_ranges, self.ranges, self.names)
        if not self.key_uses:
            return self.ranges.places, look

        def look_at_all(values: Sequence[Any]) -> None:
            count = len(self.ranges.places)
            look(values[:count])
            uses = zip(values[count:], self.key_uses, strict=True)
            note_values((int(key), use) for key, (_, use) in uses if not key.shape)

        return (*self.ranges.places, *(place for place, _ in self.key_uses)), look_at_all

    def settled(self, results: Sequence[Array]) -> list[Array]:
        """The results without the state, which says whether a check failed."""
        return list(results) if self.state is None else self.state.taken_from(results)

    def entry(self) -> Any:
        """The callable for a dispatcher; it bypasses unflattening for one array or a flat tuple."""
        n = self.out_tree.num_leaves
        is_plain = self.state is None and self.out_tree in (
            _LEAF,
            tree.structure((0,) * n) if n > 1 else _LEAF,
        )
        places, look = self._checks()
        return self.executable.entry(
            self.constants,
            None if is_plain else self._rebuild_settled if self.state else self._building(),
            (places, look) if places else None,
        )

    def _building(self) -> Rebuild:
        """The source of the return value, or the function that makes it."""
        return building_of(self.out_tree) or self.out_tree.unflatten

    def rebuild(self, results: Sequence[Array]) -> Any:
        return tree.unflatten(self.out_tree, results)

    def _rebuild_settled(self, results: Sequence[Array]) -> Any:
        return self.rebuild(self.settled(results))


def compiled(
    traced: Traced,
    key: Sequence[ArrayType],
    options: ProgramOptions = DEFAULT,
    is_open: bool = False,
    is_known: Callable[[bytes, Placement], bool] | None = None,
) -> Program:
    """Lower and compile a traced program for arguments of these types, consuming its module.

    With `is_open` its arguments do not decide where it runs, if arrays that it closes over do.
    `is_known` says of the lowered program, and its place, whether another size had it.
    """
    outputs = traced.out_avals, traced.names, traced.out_tree
    return compiled_program(traced.program, key, *outputs, options, is_open, is_known)


def compiled_program(
    program: TracedProgram,
    key: Sequence[ArrayType],
    out_avals: Sequence[Aval],
    names: Sequence[str],
    out_tree: Any,
    options: ProgramOptions = DEFAULT,
    is_open: bool = False,
    is_known: Callable[[bytes, Placement], bool] | None = None,
) -> Program:
    """Lower and compile a program for the types `key`, with outputs of `out_avals`.

    Neither is done where the cache on disk has it: Note [Found before lowering].
    """
    place = options.place or _place_of(program, key, is_open)
    given = key
    key, joins = _types_at(place, key, options, names, is_open)
    ranges, key_uses = ranges_of(program), program.key_uses.of_arguments()
    signature = program, key, out_avals, names, place, options
    results = None
    if isinstance(place, ShardedPlacement):  # the form tells where everything is
        with passes_lock:
            results = _over_mesh().mark_shardings(program, key, place, options, out_avals, out_tree)
    form = traced_form(program, place, options)
    lowered = None if form is None else form.found(program, results)
    made = None if lowered is None else executable_of(lowered, *signature)
    if lowered is None or made is None:
        lowering = _loaded("anvl.dispatch.programs.compilation")
        lowered = lowering.lowered(program, place, options, out_avals, form, results)
        made = executable_of(lowered, *signature)
    assert lowered is not None and made is not None
    _warn_of_unused(lowered.unused, key, names, options.function)
    padding = lowered.padding
    is_shared = bool(padding and is_known and is_known(padding.digest, place))
    moves = key is not given and (is_open or joins)
    return Program(
        *made, out_tree, names, ranges, moves, lowered.state, padding, is_shared, key_uses, joins
    )


def executable_of(
    lowered: LoweredProgram,
    program: TracedProgram,
    key: Sequence[ArrayType],
    out_avals: Sequence[Aval],
    names: Sequence[str],
    place: Placement,
    options: ProgramOptions,
) -> tuple[Executable, list[Array]] | None:
    """The executable of a lowered program, compiled or loaded if it is new, and its constants.

    `key`, `out_avals` and `names` are those of the traced program.  None if it was found on disk,
    and is there no more.
    """
    if lowered.padding is not None:
        key, out_avals, names = lowered.padding.signature(key, names)
    if lowered.state is not None:
        out_avals = lowered.state.added_to(out_avals)
    constants = _constants(program, lowered.order, place, options)
    arg_types = [*(c.aval for c in constants), *key]
    out_types = [array_type(a.shape, a.dtype, place, a.weak_type) for a in out_avals]
    results = lowered.results
    out_types, over_mesh = (out_types, {}) if results is None else results.of(out_types)
    captured = (getattr(program.captured[i], "buffer", None) for i in lowered.order)
    arguments = (*map(named_constant, captured, lowered.order), *names)
    _check_places(arg_types, arguments, options.function)
    if options.interpreted:
        interpret = _loaded("anvl.dispatch.interpreted_executable").InterpretedExecutable
        types = arg_types, out_types, arguments
        return interpret(lowered.artifact, place, *types, options.function), constants
    donated = tuple(len(constants) + i for i in options.donated)
    donation = Donation(options.function, donated) if donated else None
    identity = (
        lowered.digest,
        place,
        tuple(arg_types),
        tuple(out_types),
        arguments,
        donation,
        options.compiler_options,
        lowered.calls,
        tuple(over_mesh.get("open_results", ())),
    )
    make = _maker(
        lowered,
        place,
        over_mesh,
        options=dict(lowered.xla_options) | dict(options.compiler_options),
        arg_types=arg_types,
        out_types=out_types,
        argument_names=arguments,
        donation=donation,
        title=program.title,
    )
    executable = _kept_or_made(identity, make, program.title)
    return None if executable is None else (executable, constants)


def _maker(
    lowered: LoweredProgram, place: Placement, over_mesh: Mapping[str, Any], **known: Any
) -> Callable[[], Executable | None]:
    """Compiles a program, or loads one that has no artifact."""
    if not lowered.artifact:
        assert lowered.alias is not None
        return functools.partial(load_lowered, lowered.alias, place, **known, **over_mesh)
    if lowered.calls:
        _loaded("anvl.dispatch.host_calls").check_place(lowered.calls, place)
    more = dict(over_mesh) if lowered.alias is None else {"alias": lowered.alias, **over_mesh}
    return functools.partial(
        _compiled_or_cautious, lowered, place, callbacks=lowered.calls, **known, **more
    )


def _compiled_or_cautious(
    lowered: LoweredProgram, place: Placement, *, options: Mapping[str, Any], **known: Any
) -> Executable:
    """Compile a program, and once more as XLA compiles all others if it refuses an op.

    See Note [Kernels of one op] in `anvl.passes.lower.xla_cpu.lone_kernels` and Note [Loops of one
    kernel] in `anvl.passes.lower.xla_cpu.small_loops`.
    """
    try:
        return compile_lowered(lowered.artifact, place, options=options, **known)
    except RuntimeFailure as error:
        asked, cautious = lowered.xla_options, lowered.cautious_options
        other = {k: x for k, x in cautious.items() if options[k] == asked[k]}  # not the person's
        if not other or isinstance(error, OutOfMemory):
            raise
    return compile_lowered(lowered.artifact, place, options={**options, **other}, **known)


def _kept_or_made(
    identity: Any, make: Callable[[], Executable | None], title: str
) -> Executable | None:
    executable = _executables.get(identity)
    if executable is None:
        if next(_numbers) % _COUNTED_EVERY == 0:
            _spare_maps()
        executable = make()
        if executable is None:
            return None
        _executables[identity] = executable
        if len(_executables) > _MAX_EXECUTABLES:
            _executables.popitem(last=False)
    else:
        with phase("compile", title, INFO) as now:
            now.add("found among the programs of this process")
        _executables.move_to_end(identity)
    return executable


def _over_mesh() -> Any:
    return _loaded("anvl.dispatch.partitioning.over_mesh")


def _types_at(
    place: Placement,
    key: Sequence[ArrayType],
    options: ProgramOptions,
    names: Sequence[str],
    is_open: bool,
) -> tuple[Sequence[ArrayType], bool]:
    """The types of arguments where a program runs, and whether some join others over a mesh."""
    if isinstance(place, ShardedPlacement):
        return _over_mesh().joined_types(key, place, options, names, is_open)
    if not key or key[0].placement is place:
        return key, False
    return [array_type(k.shape, k.dtype, place, k.weak_type) for k in key], False


def _constants(
    program: TracedProgram, order: Sequence[int], place: Placement, options: ProgramOptions
) -> list[Array]:
    """The arrays that a program closes over, where it runs."""
    if isinstance(place, ShardedPlacement):
        return [_over_mesh().joined_constant(program.captured[i], place) for i in order]
    moved = set(order) if options.place is not None else program.unplaced
    return [put(program.captured[i], place) if i in moved else program.captured[i] for i in order]


def _place_of(program: TracedProgram, key: Sequence[ArrayType], is_open: bool) -> Placement:
    """Where a program runs that is not pinned: where its arguments are, or what it closes over."""
    if program.mesh is not None or not key or is_open:
        return program.placement or (key[0].placement if key else default_placement())
    return key[0].placement


def _check_places(types: Sequence[ArrayType], names: Sequence[str], function: str) -> None:
    """Refuse arrays of several placements: PJRT's own message speaks of replicas."""
    first = types[0] if types else None
    if any(isinstance(of.placement, ShardedPlacement) for of in types):
        _over_mesh().check_devices(types, names, function)
        return
    for of, name in zip(types, names, strict=True):
        if first is not None and of.placement is not first.placement:
            same = of.placement.client is first.placement.client
            where = f"{of.placement}{'' if same else ' of another client'}"
            raise ValueError(
                f"{function}: {names[0]} {first} is on {first.placement}, {name} {of} on {where}; "
                "a program runs on one device: move the others with anvl.device_put(x, device), or "
                "pin the function, jit(f, device=...), which copies them"
            )


def _warn_of_unused(
    unused: Sequence[int], key: Sequence[ArrayType], names: Sequence[str], function: str
) -> None:
    if not unused:
        return
    listed = ", ".join(f"{names[i]} {key[i]}" for i in unused)
    warnings.warn(
        f"{function}: no result can use the memory of the donated {listed}: none of the same shape "
        "and dtype is left; the call deletes it all the same",
        DonationWarning,
        stacklevel=user_stack_level(),
    )


def _spare_maps() -> None:
    """Drop the least recently used half of the programs when memory maps run low."""
    try:
        taken = _MAPS.read_bytes().count(b"\n")
    except OSError:  # not on Linux
        return
    if taken < _MAX_MAPS:
        return
    for _ in range(len(_executables) // 2):
        _executables.popitem(last=False)
    gc.collect()  # functions are in reference cycles


def clear_executables() -> None:
    """Drop the compiled programs that no jitted function holds."""
    _executables.clear()
