"""A traced program over a mesh: what it says of its arguments, constants and results, and where it
runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.core.avals import Aval
from anvl.core.tracing import Program as TracedProgram
from anvl.dialect.core.attributes import SHARDING
from anvl.dialect.core.create import CapturedOp
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dispatch.jit_options import ProgramOptions
from anvl.dispatch.partitioning.jit_shardings import result_shardings
from anvl.passes.donate import ALIASED
from anvl.passes.framework.walk import find
from anvl.passes.functions.placements import ARGUMENTS, RESULTS, set_shardings
from anvl.passes.functions.structural_digest import digest_of
from anvl.runtime import Array, ArrayType, Placement, ShardedPlacement, array_type, put
from anvl.sharding.meshes import Mesh
from anvl.sharding.specs import Sharding, label_of, placing_on

__all__ = [
    "OverMesh", "check_devices", "joined_constant", "joined_types", "mark_shardings",
]  # fmt: skip

#: Of an argument whose memory XLA may give to any result (XLA's import of StableHLO).
_DONOR = "jax.buffer_donor"


class OverMesh(NamedTuple):
    """Where the results of a program over a mesh are.

    Attributes
    ----------
    mesh : Mesh
    wanted : tuple of Sharding or None
        For each result; the partitioner decides where the others are.
    digest : bytes or None
        Of a program over several processes, in which it must be equal: see Note [Processes that
        disagree] in `runtime/distributed/call_order.py`.
    """

    mesh: Mesh
    wanted: tuple[Sharding | None, ...]
    digest: bytes | None = None

    def of(self, types: Sequence[ArrayType]) -> tuple[list[ArrayType], dict[str, Any]]:
        """The types of the results, with those of its state, and how to compile for them."""
        wanted = [*self.wanted, *[None] * (len(types) - len(self.wanted))]
        placed = [
            of if s is None else array_type(of.shape, of.dtype, s.placement, of.weak_type)
            for of, s in zip(types, wanted, strict=True)
        ]
        is_open = tuple(s is None for s in wanted)
        how = {"placing": placing_on(self.mesh), "open_results": is_open, "digest": self.digest}
        return placed, how

    def lowered(self, module: ir.Module) -> OverMesh:
        """Finish a module that is lowered to StableHLO, just before it is serialized."""
        _let_donate(module)
        if all(device.is_addressable for device in self.mesh.devices):
            return self
        return self._replace(digest=digest_of(module.operation))


def joined_types(
    key: Sequence[ArrayType],
    place: ShardedPlacement,
    options: ProgramOptions,
    names: Sequence[str],
    is_open: bool,
) -> tuple[Sequence[ArrayType], bool]:
    """The types of arguments over a mesh, and whether some are moved: those on a device of it.

    With `is_open` all are, as the arguments do not decide where the program runs.
    """
    if options.padding is not None:
        raise ValueError(
            f"{options.function}: bucket= is for programs on one device, and its arrays are over "
            f"{place}; leave it out, or put them on one device"
        )
    joined = [
        of
        if isinstance(of.placement, ShardedPlacement)
        or not (is_open or of.placement.devices[0] in place.devices)
        else array_type(of.shape, of.dtype, place, of.weak_type)
        for of in key
    ]
    for of, name in zip(joined, names, strict=True):
        if not isinstance(of.placement, ShardedPlacement):
            raise ShardingError(
                f"{options.function}: {name} {of} is on\n    {of.placement}\nand the program runs "
                f"over\n    {place}\nmove it there with anvl.device_put(x, sharding)"
            )
    check_devices([*joined], names, options.function)
    return (joined, True) if joined != list(key) else (key, False)


def mark_shardings(
    program: TracedProgram,
    key: Sequence[ArrayType],
    place: Placement,
    options: ProgramOptions,
    out_avals: Sequence[Aval],
    out_tree: Any,
) -> OverMesh | None:
    """Write the attribute `anvl.sharding` of arguments, results and captured arrays.

    Returns where the results are; None on one device.
    """
    if not isinstance(place, ShardedPlacement):
        return None
    shapes = [of.shape for of in out_avals]
    wanted = result_shardings(options.function, options.out_shardings, out_tree, shapes)
    main: Any = ir.SymbolTable(program.module.operation)["main"]
    # All arguments have one: the partitioner would cut those without as it likes.
    of_arguments = {i: _text(of.placement, of.shape) for i, of in enumerate(key)}
    of_results = {
        i: s.text(len(shape))
        for i, (s, shape) in enumerate(zip(wanted, shapes, strict=True))
        if s is not None
    }
    set_shardings(main.operation, ARGUMENTS, of_arguments)
    set_shardings(main.operation, RESULTS, of_results)
    for op in find(program.module.operation, CapturedOp.OPERATION_NAME):
        captured = program.captured[CapturedOp.read(op)["index"]]
        of = captured.aval.placement if isinstance(captured, Array) else place
        text = _text(of if isinstance(of, ShardedPlacement) else place, captured.shape)
        op.attributes[SHARDING] = ir.StringAttr.get(text, op.context)
    return OverMesh(label_of(place).mesh, tuple(wanted))


def _text(place: Placement, shape: Sequence[int]) -> str:
    """Mesh and spec of an array over a mesh, as text."""
    assert isinstance(place, ShardedPlacement)
    return label_of(place).text(len(shape))


def _let_donate(module: ir.Module) -> None:
    """Let XLA pair donated arguments with results: whether parts are alike is known only to it."""
    main: Any = ir.SymbolTable(module.operation)["main"]
    if ARGUMENTS not in main.attributes:
        return
    marked = []
    for attributes in main.attributes[ARGUMENTS]:
        entries = {entry.name: entry.attr for entry in attributes}
        if entries.pop(ALIASED, None) is not None:
            entries[_DONOR] = ir.BoolAttr.get(True, main.context)
        marked.append(ir.DictAttr.get(entries, main.context))
    main.attributes[ARGUMENTS] = ir.ArrayAttr.get(marked, main.context)


def joined_constant(x: Any, place: ShardedPlacement) -> Array:
    """An array that a program over a mesh closes over: as it is, or copied to each device."""
    if isinstance(x, Array):
        of = x.aval.placement
        if isinstance(of, ShardedPlacement) or of.devices[0] not in place.devices:
            return x
    return put(x, place)


def check_devices(types: Sequence[ArrayType], names: Sequence[str], function: str) -> None:
    """Refuse arrays over different meshes, and over a mesh and on a device: `ShardingError`."""
    first = next((i for i, of in enumerate(types) if isinstance(of.placement, ShardedPlacement)), 0)
    for of, name in zip(types, names, strict=True):
        if of.placement.devices != types[first].placement.devices:
            raise ShardingError(
                f"{function}: {names[first]} {types[first]} is over\n    "
                f"{types[first].placement}\nand {name} {of} on\n    {of.placement}\na program runs "
                "over the devices of one mesh, in one order: move the others with "
                "anvl.device_put(x, sharding), or give jit(f, in_shardings=...), which copies them"
            )
