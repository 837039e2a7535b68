"""Compiled programs, cached by content: equal programs compile once."""

from __future__ import annotations

import functools
import gc
import hashlib
import itertools
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from anvl import tree
from anvl.core.avals import Aval
from anvl.core.key_uses import Use, note_values
from anvl.core.locations import user_stack_level
from anvl.core.ranges import Ranges, check_ranges, ranges_of
from anvl.core.trace_state import passes_lock
from anvl.core.traced import Traced
from anvl.core.tracing import Program as TracedProgram
from anvl.dispatch.host_calls import HostCall, check_place, host_calls
from anvl.dispatch.interpreted_executable import (
    INTERPRETER,
    InterpretedExecutable,
    check_interpretable,
)
from anvl.dispatch.jit_options import DEFAULT, ProgramOptions, roll_pass
from anvl.dispatch.lowering import captured_order, lower, serialize
from anvl.dispatch.padding.padded_program import PaddedCall, padded_call
from anvl.dispatch.partitioning.over_mesh import (
    OverMesh,
    check_devices,
    joined_constant,
    joined_types,
    mark_shardings,
)
from anvl.dispatch.program_state import State, state_of
from anvl.passes.lower.invariant_conditions import INVARIANT_CONDITIONS
from anvl.passes.lower.short_reductions import IN_ONE_LOOP
from anvl.runtime import (
    INFO,
    Array,
    ArrayType,
    Donation,
    DonationWarning,
    Executable,
    Placement,
    Rebuild,
    ShardedPlacement,
    array_type,
    compile_lowered,
    default_placement,
    named_constant,
    phase,
    put,
)
from anvl.tree.reading import building_of

__all__ = ["Program", "clear_executables", "compiled", "compiled_program", "executable_of"]

_MAX_EXECUTABLES = 1024

# A program for the CPU takes 30 to 300 of the memory maps that Linux gives a process, 65,530 by
# default; when they run out, XLA ends the process.
_MAPS = Path("/proc/self/maps")
_MAX_MAPS = 32_768
_COUNTED_EVERY = 32  # programs; counting 30,000 maps takes 30 ms

#: Passes of XLA:CPU that are left out for programs whose bytes hold a name.
_LEFT_OUT = {
    b"optimization_barrier": "cse_barrier_expander",
    IN_ONE_LOOP.encode(): "tree_reduction_rewriter",
}

#: LLVM's optimization level, for programs whose bytes do not say that they need XLA's own, 3.
_LEVEL = 2

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
    """Lower and compile a program for the types `key`, with outputs of `out_avals`."""
    place = options.place or _place_of(program, key, is_open)
    given = key
    key, joins = _types_at(place, key, options, names, is_open)
    unused: list[int] = []
    with passes_lock:
        results = mark_shardings(program, key, place, options, out_avals, out_tree)
        ranges, key_uses = ranges_of(program), program.key_uses.of_arguments()
        target = INTERPRETER if options.interpreted else place.client.target
        lower(
            program.module,
            program.captured,
            target,
            options.donated,
            unused.extend,
            options.pad(),
            roll_pass(options.roll),
            program.stacked,
        )
        if results is not None:
            results = results.lowered(program.module)
        order = captured_order(program.module)
        state = state_of(program.module)
        padding = padded_call(program.module, options, out_avals, state)
        calls = host_calls(program.module, program.callbacks)
        if options.interpreted:
            check_interpretable(program.module, options.function)
        client = None if options.interpreted else place.client
        artifact = serialize(program.module, client=client)
    _warn_of_unused(unused, key, names, options.function)
    is_shared = bool(padding and is_known and is_known(padding.digest, place))
    moves = key is not given and (is_open or joins)
    signature = key, out_avals, names
    if padding is not None:
        signature = padding.signature(key, names)
    executable, constants = executable_of(
        artifact, order, program, *signature, place, options, calls, state, padding, results
    )
    return Program(
        executable, constants, out_tree, names, ranges, moves, state, padding, is_shared, key_uses,
        joins,
    )  # fmt: skip


def executable_of(
    artifact: bytes,
    order: Sequence[int],
    program: TracedProgram,
    key: Sequence[ArrayType],
    out_avals: Sequence[Aval],
    names: Sequence[str],
    place: Placement,
    options: ProgramOptions,
    calls: tuple[HostCall, ...] = (),
    state: State | None = None,
    padding: PaddedCall | None = None,
    results: OverMesh | None = None,
) -> tuple[Executable, list[Array]]:
    """The executable of an artifact, compiled if it is new, and its constants.

    `out_avals` lack those of its `state`.  Padded programs are the same with equal digests.
    `results` say where those of a program over a mesh are.
    """
    out_avals = out_avals if state is None else state.added_to(out_avals)
    constants = _constants(program, order, place, options)
    arg_types = [*(c.aval for c in constants), *key]
    out_types = [array_type(a.shape, a.dtype, place, a.weak_type) for a in out_avals]
    out_types, over_mesh = (out_types, {}) if results is None else results.of(out_types)
    captured = (getattr(program.captured[i], "buffer", None) for i in order)
    arguments = (*map(named_constant, captured, order), *names)
    _check_places(arg_types, arguments, options.function)
    if options.interpreted:
        run_by_interpreter = InterpretedExecutable(
            artifact, place, arg_types, out_types, arguments, options.function
        )
        return run_by_interpreter, constants
    donated = tuple(len(constants) + i for i in options.donated)
    given = _compiler_options(artifact, place.client.platform) | dict(options.compiler_options)
    identity = (
        hashlib.sha256(artifact).digest() if padding is None else padding.digest,
        place,
        tuple(arg_types),
        tuple(out_types),
        arguments,
        (options.function, donated) if donated else None,
        options.compiler_options,
        calls,
        tuple(over_mesh.get("open_results", ())),
    )
    check_place(calls, place)
    compile_it = functools.partial(
        compile_lowered,
        artifact,
        place,
        options=given,
        arg_types=arg_types,
        out_types=out_types,
        argument_names=arguments,
        donation=Donation(options.function, donated) if donated else None,
        callbacks=calls,
        title=program.title,
        **over_mesh,
    )
    return _kept_or_compiled(identity, compile_it, program.title), constants


def _kept_or_compiled(
    identity: Any, compile_it: Callable[[], Executable], title: str
) -> Executable:
    executable = _executables.get(identity)
    if executable is None:
        if next(_numbers) % _COUNTED_EVERY == 0:
            _spare_maps()
        executable = _executables[identity] = compile_it()
        if len(_executables) > _MAX_EXECUTABLES:
            _executables.popitem(last=False)
    else:
        with phase("compile", title, INFO) as now:
            now.add("found among the programs of this process")
        _executables.move_to_end(identity)
    return executable


def _types_at(
    place: Placement,
    key: Sequence[ArrayType],
    options: ProgramOptions,
    names: Sequence[str],
    is_open: bool,
) -> tuple[Sequence[ArrayType], bool]:
    """The types of arguments where a program runs, and whether some join others over a mesh."""
    if isinstance(place, ShardedPlacement):
        return joined_types(key, place, options, names, is_open)
    if not key or key[0].placement is place:
        return key, False
    return [array_type(k.shape, k.dtype, place, k.weak_type) for k in key], False


def _constants(
    program: TracedProgram, order: Sequence[int], place: Placement, options: ProgramOptions
) -> list[Array]:
    """The arrays that a program closes over, where it runs."""
    if isinstance(place, ShardedPlacement):
        return [joined_constant(program.captured[i], place) for i in order]
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
        check_devices(types, names, function)
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


def _compiler_options(artifact: bytes, platform: str) -> dict[str, object]:
    """XLA's options for a program lowered by `lowering.py`.

    Passes of XLA are left out: see Note [Barriers on the CPU] in `anvl.passes.lower.barriers` (a
    network of 24 layers, with a checkpoint each, keeps 2 MiB in place of 31) and Note [Reductions
    in one loop] in `anvl.passes.lower.short_reductions`.  For LLVM's level see Note [XLA's
    optimization level] in `anvl.passes.lower.invariant_conditions`.
    """
    if platform != "cpu":
        return {}
    left_out = [name for sign, name in _LEFT_OUT.items() if sign in artifact]
    options: dict[str, object] = {}
    if left_out:
        options["xla_disable_hlo_passes"] = ",".join(left_out)
    if INVARIANT_CONDITIONS.encode() not in artifact:
        options["xla_backend_optimization_level"] = _LEVEL
    return options


def clear_executables() -> None:
    """Drop the compiled programs that no jitted function holds."""
    _executables.clear()
