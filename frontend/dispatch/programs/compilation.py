"""Traced programs to StableHLO: the passes of `jit`, and what is asked of their result."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from anvl.core.avals import Aval
from anvl.core.trace_state import passes_lock
from anvl.core.tracing import Program as TracedProgram
from anvl.dialect.core.mlir import ir
from anvl.dispatch.host_calls import host_calls
from anvl.dispatch.interpreted_executable import INTERPRETER, check_interpretable
from anvl.dispatch.jit_options import ProgramOptions, roll_pass
from anvl.dispatch.lowering import captured_order, encoded, lower, serialize
from anvl.dispatch.padding.padded_program import padded_call
from anvl.dispatch.partitioning.over_mesh import OverMesh
from anvl.dispatch.program_state import state_of
from anvl.dispatch.programs.lowered_program import (
    PASSES,
    SMALL_LOOPS,
    WRAPPER,
    LoweredProgram,
)
from anvl.dispatch.programs.traced_form import TracedForm
from anvl.passes.lower.reductions.short_reductions import IN_ONE_LOOP
from anvl.passes.lower.reductions.tall_reductions import write_tall_reductions
from anvl.passes.lower.xla_cpu.elementwise_kernels import (
    BYTES_OF_A_KERNEL,
    ELEMENTWISE_KERNELS,
    write_elementwise_kernels,
)
from anvl.passes.lower.xla_cpu.invariant_conditions import INVARIANT_CONDITIONS
from anvl.passes.lower.xla_cpu.lone_kernels import compiles_sooner_unwrapped
from anvl.passes.lower.xla_cpu.shared_products import write_shared_products
from anvl.passes.lower.xla_cpu.small_loops import BYTES_OF_A_STEP, loops_fit_one_kernel
from anvl.passes.lower.xla_cpu.small_products import write_small_products
from anvl.passes.lower.xla_cpu.thin_products import write_thin_products
from anvl.passes.lower.xla_cpu.vectorized_functions import write_vectorized_functions
from anvl.runtime import EMBEDDED, Client, Placement, stablehlo_version

__all__ = ["lowered", "serialized"]

#: Passes of XLA:CPU that are left out for programs whose bytes hold a name.
_LEFT_OUT = {
    b"optimization_barrier": "cse_barrier_expander",
    IN_ONE_LOOP.encode(): "tree_reduction_rewriter",
}

#: Versions of StableHLO of the jaxlibs that compile ops which this pass of XLA has not wrapped.
_UNWRAPPING = frozenset({"1.17.0"})

#: Versions of StableHLO of the jaxlibs whose kernels of whole loops are tested.
_OF_WHOLE_LOOPS = frozenset({"1.17.0", "1.22.0"})

#: LLVM's optimization level, for programs whose bytes do not say that they need XLA's own, 3.
_LEVEL = 2


def lowered(
    program: TracedProgram,
    place: Placement,
    options: ProgramOptions,
    out_avals: Sequence[Aval],
    form: TracedForm | None,
    results: OverMesh | None,
) -> LoweredProgram:
    """Lower a program at a place, consuming its module, which says over a mesh where all is.

    By its `form`, if it has one, it will be found on disk.
    """
    unused: list[int] = []
    stack = program.stacked if form is None else functools.partial(form.stacked, program)
    with passes_lock:
        target = INTERPRETER if options.interpreted else place.client.target
        lower(
            program.module,
            program.captured,
            target,
            options.donated,
            unused.extend,
            options.pad(),
            roll_pass(options.roll),
            stack,
        )
        made = serialized(program.module, program, place, options, out_avals, results)
    made = made._replace(unused=unused)
    return made if form is None else made._replace(alias=form.alias(made))


def serialized(
    module: ir.Module,
    program: TracedProgram,
    place: Placement,
    options: ProgramOptions,
    out_avals: Sequence[Aval],
    results: OverMesh | None,
) -> LoweredProgram:
    """The lowered module of a program, for a place, with what is asked of it.  It is consumed."""
    if results is not None:
        results = results.lowered(module)
    order, state = captured_order(module), state_of(module)
    padding = padded_call(module, options, out_avals, state)
    calls = host_calls(module, program.callbacks)
    if options.interpreted:
        check_interpretable(module, options.function)
    is_plain = not (calls or len(place.devices) > 1)
    if options.interpreted:
        known = False, False
    else:
        known = _written(module, place.client, is_plain)
    if options.interpreted or not is_plain:
        artifact = serialize(module, client=None if options.interpreted else place.client)
    else:
        artifact = encoded(module, place.client)
    digest = hashlib.sha256(artifact).digest() if padding is None else padding.digest
    return LoweredProgram(
        artifact,
        digest,
        order,
        _xla_options(artifact, place.client.platform, *known),
        calls=calls,
        state=state,
        padding=padding,
        results=results,
    )


def _written(module: ir.Module, client: Client, is_plain: bool) -> tuple[bool, bool]:
    """Write ops in forms that XLA:CPU compiles better.  What is `_known` between."""
    is_embedded = is_plain and client.name == EMBEDDED
    if is_embedded:
        write_shared_products(module.operation)
        write_small_products(module.operation)
        write_thin_products(module.operation)
    if is_embedded and stablehlo_version() in _OF_WHOLE_LOOPS:
        write_elementwise_kernels(module.operation)
    known = _known(module, client)
    if is_embedded:
        write_tall_reductions(module.operation)
        write_vectorized_functions(module.operation)
    return known


def _known(module: ir.Module, client: Client) -> tuple[bool, bool]:
    """Whether XLA need not wrap ops of a module, and may make a kernel of each of its loops.

    No pass of the pipeline marks it so, since only what is compiled has to know.
    """
    version = stablehlo_version() if client.name == EMBEDDED else ""
    is_unwrapped = version in _UNWRAPPING and compiles_sooner_unwrapped(module.operation)
    return is_unwrapped, version in _OF_WHOLE_LOOPS and loops_fit_one_kernel(module.operation)


def _xla_options(
    artifact: bytes, platform: str, is_unwrapped: bool, has_small_loops: bool
) -> dict[str, object]:
    """XLA's options for a program lowered by `lowering.py`.

    Passes of XLA are left out: see Note [Barriers on the CPU] in `anvl.passes.lower.barriers` (a
    network of 24 layers, with a checkpoint each, keeps 2 MiB in place of 31), Note [Reductions in
    one loop] in `anvl.passes.lower.reductions.short_reductions` and, in
    `anvl.passes.lower.xla_cpu`, Note [Kernels of one op].  There are Note [XLA's optimization
    level] and Note [Loops of one kernel], too.
    """
    if platform != "cpu":
        return {}
    left_out = [name for sign, name in _LEFT_OUT.items() if sign in artifact]
    left_out += [WRAPPER] * is_unwrapped
    options: dict[str, object] = {}
    if left_out:
        options[PASSES] = ",".join(left_out)
    if INVARIANT_CONDITIONS.encode() not in artifact:
        options["xla_backend_optimization_level"] = _LEVEL
    if ELEMENTWISE_KERNELS.encode() in artifact:
        options[SMALL_LOOPS] = BYTES_OF_A_KERNEL
    elif has_small_loops:
        options[SMALL_LOOPS] = BYTES_OF_A_STEP
    return options
