"""Lowering of a traced program to StableHLO: the pipeline of `jit`, and its stages.

The same passes run from the shell: `print(PIPELINE)` gives the argument of `anvl-opt`.
"""

import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from anvl.core.trace_state import passes_lock
from anvl.dialect.core.context import context
from anvl.dialect.core.create import CapturedOp, separate_literals
from anvl.dialect.core.errors import ExportError, PassError, place_in
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dispatch.jit_options import roll_pass
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.passes.framework.walk import find
from anvl.passes.functions.narrowing import Cast
from anvl.passes.functions.symbol_utils import functions_of
from anvl.passes.hoist_constants import CAPTURED, Stack
from anvl.passes.lifting.resources import resource_name
from anvl.passes.mixed_precision import MixedPrecision
from anvl.passes.pad import Pad
from anvl.passes.pipelines.jit_pipeline import pipeline, transformations
from anvl.passes.roll import Roll
from anvl.passes.rolling.findings import Finding
from anvl.runtime import (
    EMBEDDED,
    Client,
    Target,
    check_stablehlo,
    is_watched,
    phase,
    stablehlo_version,
)
from anvl.runtime.instrumentation.phases import Phase

__all__ = [
    "STAGES",
    "Stages",
    "captured_name",
    "captured_order",
    "captured_types",
    "copied",
    "encoded",
    "lower",
    "pipeline",
    "serialize",
    "transformations",
]

#: Description of each stage of `Lowered.mlir(stage)`, in order.
STAGES = {
    "anvl": "as traced: derivatives and nested jits are functions of their own",
    "roll": "after anvl-roll: repeated stretches are loops and batches",
    "gradient": "after anvl-gradient: reverse-mode derivatives are expanded",
    "forward": "after anvl-forward: forward-mode derivatives are expanded",
    "vectorize": "after anvl-vectorize: batched functions are expanded",
    "inline": "after anvl-inline: one function",
    "pad": "after anvl-pad: axes in `bucket` have the size of their bucket",
    "constants": "after anvl-hoist-constants: captured arrays are leading arguments",
    "stablehlo": "after anvl-lower-to-stablehlo, cse and trivial-dce",
}
_STAGE_OF = {
    "anvl-roll": "roll",
    "anvl-gradient": "gradient",
    "anvl-forward": "forward",
    "anvl-vectorize": "vectorize",
    "anvl-inline": "inline",
    "anvl-pad": "pad",
    "anvl-hoist-constants": "constants",
    "trivial-dce": "stablehlo",
}

_PORTABLE = ("builtin", "func", "stablehlo")  # dialects of a portable artifact

#: Versions of jaxlib's StableHLO that read the bytecode of this MLIR, whose version is pinned, as
#: they read an artifact: tested with each op.  See Note [Bytecode for jaxlib].
_READ_BYTECODE = frozenset({"1.17.0", "1.22.0"})


def lower(
    module: ir.Module,
    arrays: Sequence[Any],
    target: Target,
    donated: tuple[int, ...] = (),
    on_unused: Callable[[list[int]], None] | None = None,
    pad: Pad | None = None,
    roll: Roll | None = None,
    stack: Stack | None = None,
) -> None:
    """Lower a traced module to StableHLO for a target, in place.

    `on_unused` gets the positions of the donated arguments that no result can use.  `pad` pads
    arguments of a module that is expanded; `roll` rolls one that is not.  `stack` puts captured
    arrays together.
    """
    with passes_lock, _line_noted():
        is_expanded = pad is not None
        made = pipeline(arrays, *target, donated, on_unused, pad, is_expanded, roll, stack=stack)
        made.run(module, instruments=_watching())


class Stages(Mapping[str, ir.Module]):
    """A traced module, lowered to StableHLO for a target in place, and its copies at all stages.

    The passes run once, without copies and reports, which together take as long as two passes.
    Where another stage than the first or the last is asked for, or what was cast and rolled, they
    run once more on a copy of the traced module, and all is kept.  Padding and `stack` are as for
    `lower`; a module that is padded has not been expanded.

    Parameters
    ----------
    module : ir.Module
    arrays : sequence of arrays
    target : Target
    donated : tuple of int
    pad : Pad, optional
    roll : bool or "auto"
    stack : callable, optional
    """

    def __init__(
        self,
        module: ir.Module,
        arrays: Sequence[Any],
        target: Target,
        donated: tuple[int, ...] = (),
        pad: Pad | None = None,
        roll: Any = "auto",
        stack: Stack | None = None,
    ) -> None:
        self._arrays, self._target, self._donated = arrays, target, donated
        self._pad, self._roll, self._stack = pad, roll, stack
        self._known = {"anvl": copied(module), "stablehlo": module}
        self._findings: list[Finding] = []
        self._casts: list[Cast] = []
        self._is_complete = False
        self._run(module, roll_pass(roll))

    def __getitem__(self, stage: str) -> ir.Module:
        if stage not in self._known:
            self._complete()
        return self._known[stage]

    def __iter__(self) -> Iterator[str]:
        self._complete()
        return iter(self._known)

    def __len__(self) -> int:
        self._complete()
        return len(self._known)

    def report(self) -> list[Cast | Finding]:
        """List what was cast, then what was rolled or not, each in the order of the program."""
        self._complete()
        return [*self._casts, *self._findings]

    def _complete(self) -> None:
        if self._is_complete:
            return
        first, last = self._known["anvl"], self._known["stablehlo"]
        module, found = copied(first), {"anvl": first}

        def keep(argument: str, _: ir.Operation) -> None:
            if argument in _STAGE_OF:
                found[_STAGE_OF[argument]] = copied(module)

        findings: list[Finding] = []
        casts: list[Cast] = []
        rolls = roll_pass(self._roll, findings.extend)
        self._run(module, rolls, MixedPrecision(on_report=casts.extend), keep)
        self._known = found | {"stablehlo": last}
        self._findings, self._casts, self._is_complete = findings, casts, True

    def _run(
        self,
        module: ir.Module,
        roll: Roll | None,
        casts: MixedPrecision | None = None,
        after_each: Callable[[str, ir.Operation], None] | None = None,
    ) -> None:
        made = pipeline(
            self._arrays, *self._target, self._donated, None, self._pad,
            roll=roll, mixed_precision=casts, stack=self._stack,
        )  # fmt: skip
        separate = nullcontext() if self._pad is None else separate_literals()
        with passes_lock, _line_noted(), separate:
            made.run(module, after_each=after_each, instruments=_watching())


@contextmanager
def _line_noted() -> Iterator[None]:
    """Say the line of the op below the message of a `PassError`: its op is in no traceback."""
    try:
        yield
    except PassError as error:
        place = place_in(error.location)
        if place != error.location and place not in error.message:
            error.add_note(f"at {place}")
        raise


class _PassPhases(Instrument):
    """Each pass as a phase, for logs and profiles."""

    def __init__(self) -> None:
        self._running: list[Phase] = []

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        self._running.append(phase("passes", str(pass_)).__enter__())

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        self._running.pop().__exit__(None, None, None)

    def failed(self, pass_: PassText, op: ir.Operation) -> None:
        self._running.pop().__exit__(*sys.exc_info())


def _watching() -> Sequence[Instrument]:
    return [_PassPhases()] if is_watched("passes") else ()


def copied(module: ir.Module) -> ir.Module:
    """Copy a module."""
    with context(), ir.Location.unknown():
        made = ir.Module.create()
        point = ir.InsertionPoint(made.body)
        for op in module.body.operations:
            op.operation.clone(ip=point)
        for name in module.operation.attributes.keys():
            made.operation.attributes[name] = module.operation.attributes[name]
    return made


def serialize(module: ir.Module, version: str | None = None, client: Client | None = None) -> bytes:
    """Serialize a StableHLO module as a portable artifact, of `version` or for a client.

    For a client, by default jaxlib's own, it has the newest version that all sides support: this
    MLIR, jaxlib, and the client's plugin.  The module is consumed: MLIR converts it in place.
    Raises `ExportError` for an op that artifacts of `version` do not have, `PassError` for one that
    the client does not take.
    """
    said: list[tuple[str, str]] = []
    target = _version_for(client) if version is None else version
    with passes_lock, phase("serialize", "the program") as now:

        def hear(diagnostic: Any) -> bool:
            said.append((diagnostic.message, str(diagnostic.location)))  # in MLIR's inner types
            return True

        handler = module.context.attach_diagnostic_handler(hear)
        try:
            artifact: bytes = stablehlo.serialize_portable_artifact(module, target)
            now.add(f"{len(artifact)} bytes")
            return artifact
        except ValueError:  # says only that it failed
            if version is not None:
                _check_version(said, version)
            _verify(module)
            _check_client(said, target, client)
            _check_ops(module)
            raise
        finally:
            handler.detach()


# Note [Bytecode for jaxlib]
#
# A portable artifact is made by a conversion to another dialect and read by one back: together 1 to
# 2 ms of the 40 to 200 that XLA takes to compile.  Bytecode of StableHLO itself takes 0.1 to 0.3,
# but its form may change with each version: a reader of another version refuses it, or reads other
# values.  So jaxlib gets it where both versions are known to agree, which a test asks for each op
# (`test_program_modules.py`); plugins, files and other versions get artifacts.


def encoded(module: ir.Module, client: Client) -> bytes:
    """Bytes of a StableHLO module for a client, which reads what this process has written.

    Raises the errors of `serialize`.  The module is consumed.
    """
    if client.name != EMBEDDED or stablehlo_version() not in _READ_BYTECODE:
        return serialize(module, client=client)
    with passes_lock, phase("serialize", "the program") as now:
        _verify(module)
        _check_ops(module)
        buffer = io.BytesIO()
        module.operation.write_bytecode(buffer)
        now.add(f"{buffer.tell()} bytes")
        return buffer.getvalue()


def _version_for(client: Client | None) -> str:
    """The newest version that this MLIR writes and a client takes."""
    version = stablehlo.get_smaller_version(
        stablehlo.get_current_version(), stablehlo_version(client)
    )
    if client is not None:
        check_stablehlo(version, client)
    return version


def _too_new(said: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The ops that a version does not have, by what MLIR said, with their locations."""
    for message, location in said:
        found = re.search(r"failed to legalize operation 'vhlo\.(\w+?)(_v\d+)?'", message)
        if found:
            yield found[1], location


def _check_version(said: Sequence[tuple[str, str]], version: str) -> None:
    """Raise an error that names the first op that is newer than a version."""
    for name, location in _too_new(said):
        raise ExportError(
            f"export: stablehlo.{name} at {place_in(location)} is not in StableHLO "
            f"{version} in this form; export for a newer version, up to "
            f"stablehlo_version={stablehlo.get_current_version()!r}"
        ) from None


def _check_client(said: Sequence[tuple[str, str]], version: str, client: Client | None) -> None:
    """Raise an error that names the first op that is newer than what a client takes."""
    is_plugin = client is not None and stablehlo_version(client) != stablehlo_version()
    taker = f"the plugin {client.name}" if client is not None and is_plugin else "jaxlib"
    for name, location in _too_new(said):
        what = (
            f"stablehlo.{name} at {place_in(location)} is not in StableHLO {version} in this form, "
            f"the newest that {taker} takes; anvl has {stablehlo.get_current_version()}; "
            f"install a newer version of {taker}"
        )
        raise PassError("anvl-lower-to-stablehlo", what, location) from None


def _verify(module: ir.Module) -> None:
    """Raise the first diagnostic of a module: a user's `lower` rule may emit invalid StableHLO."""
    try:
        module.operation.verify()
    except ir.MLIRError as error:
        first = error.error_diagnostics[0]
        what = f"the lowered module is not valid StableHLO: {first.message}"
        raise PassError("anvl-lower-to-stablehlo", what, str(first.location)) from None


def _check_ops(module: ir.Module) -> None:
    """Raise an error that names the first op that no portable artifact holds."""
    found: list[tuple[str, str]] = []  # an error raised in the walk would become another

    def visit(op: ir.Operation) -> ir.WalkResult:
        resource = resource_name(op)
        if resource:
            problem = (
                f"dense_resource<{resource}> has no data: the program was printed without them"
            )
            found.append((problem, str(op.location)))
        elif op.name.partition(".")[0] not in _PORTABLE:
            found.append((f"{op.name} is left, which is not StableHLO", str(op.location)))
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if found:
        raise PassError("anvl-lower-to-stablehlo", *found[0]) from None


def captured_name(index: int) -> str:
    """Name of the array that `anvl.captured {index = 3}` stands for: `captured3`."""
    return f"captured{index}"


def captured_types(op: ir.Operation) -> dict[int, ir.Type]:
    """Types of the arrays that are captured in a module or a function, by their indices."""
    found = find(op, "anvl.captured")
    return {CapturedOp.read(op)["index"]: op.results[0].type for op in found}


def captured_order(module: ir.Module) -> list[int]:
    """For each leading argument of `@main`, the index of its captured array."""
    main: Any = functions_of(module.operation)["main"]
    if "arg_attrs" not in main.attributes:
        return []
    return [a[CAPTURED].value for a in main.attributes["arg_attrs"] if CAPTURED in a]
