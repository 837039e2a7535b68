"""The mesh over which a loaded program runs: that of its text, on given devices or the first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from anvl.core.tracing import Program
from anvl.dialect.control_flow.shard_map import meshes_of_computations
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import MeshShape, Spec
from anvl.dispatch.partitioning.constraints import run_over
from anvl.sharding.meshes import Mesh, mesh_settings
from anvl.sharding.specs import Sharding

__all__ = ["ProgramMesh"]


class ProgramMesh:
    """Where a program runs that has manual computations (`shard_map`), or is given a mesh."""

    def __init__(self, caller: str, module: ir.Module, given: Mesh | None) -> None:
        if given is not None and not isinstance(given, Mesh):
            raise TypeError(
                f"{caller}: mesh must be a Mesh, got {given!r} of type {type(given).__name__}"
            )
        self._caller, self._given = caller, given
        self._shape = self._only(meshes_of_computations(module.operation))
        if given is not None and self._shape not in (None, given.grid_shape):
            raise ShardingError(
                f"{caller}: the program is written for mesh {str(self._shape)!r}, and mesh is "
                f"{given!r}; give one with its axes and sizes"
            )

    def _only(self, found: list[MeshShape]) -> MeshShape | None:
        sizes = {mesh.size for mesh in found}
        if len(sizes) > 1:
            listed = ", ".join(repr(str(mesh)) for mesh in found)
            raise ShardingError(
                f"{self._caller}: the program is written for meshes of different sizes, {listed}"
            )
        return found[0] if found else None

    def shardings(self, stored: Sequence[tuple[MeshShape, Spec] | None]) -> list[Sharding | None]:
        """The stored shardings, over the mesh that is given, or over the first devices.

        None where the program was not over a mesh, or there are fewer devices here: it is right on
        any.  Raises `ShardingError` for a mesh with other axes or sizes than they are for.
        """
        self._given = self._given or _mesh_here(stored)
        found: list[Sharding | None] = []
        for each in stored:
            if each is None or self._given is None:
                found.append(None)
                continue
            if each[0] != self._given.grid_shape:
                raise ShardingError(
                    f"{self._caller}: the program is written for mesh {str(each[0])!r}, and mesh "
                    f"is {self._given!r}; give one with its axes and sizes"
                )
            found.append(Sharding(self._given, str(each[1])))
        return found

    def enter(self, program: Program) -> None:
        """Let a traced program that calls it run over the mesh.

        Raises `ShardingError` where it runs over another one, or devices are missing.
        """
        mesh = self._given
        if mesh is None and self._shape is not None and self._shape.size > 1:
            if program.mesh is None:
                mesh = Mesh(dict(zip(self._shape.names, self._shape.sizes, strict=True)))
            elif program.mesh.size != self._shape.size:
                raise ShardingError(
                    f"{self._caller}: the program is written for mesh {str(self._shape)!r}, and "
                    f"its arguments are over {program.mesh!r}; put them on as many devices"
                )
        if mesh is not None:
            run_over(self._caller, program, mesh, mesh)


def _mesh_here(stored: Sequence[tuple[MeshShape, Spec] | None]) -> Mesh | None:
    """The mesh of stored shardings, that of `with mesh:` or over the first devices, if it fits."""
    shapes = {each[0] for each in stored if each is not None}
    if len(shapes) != 1:
        return None
    (shape,), entered = shapes, mesh_settings.default_mesh
    if entered is not None and entered.grid_shape == shape:
        return entered
    with suppress(ShardingError):  # too few devices
        return Mesh(dict(zip(shape.names, shape.sizes, strict=True)))
    return None
