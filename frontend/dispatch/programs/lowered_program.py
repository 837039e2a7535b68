"""A program as StableHLO, with what is known of it besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from anvl.dispatch.host_calls import HostCall
    from anvl.dispatch.padding.padded_program import PaddedCall
    from anvl.dispatch.partitioning.over_mesh import OverMesh
    from anvl.dispatch.program_state import State
    from anvl.runtime.disk_cache import Alias

__all__ = ["PASSES", "SMALL_LOOPS", "WRAPPER", "LoweredProgram"]

#: XLA's option of the passes that it leaves out, and the one that makes ops fusions of their own.
PASSES, WRAPPER = "xla_disable_hlo_passes", "fusion-wrapper"

#: XLA's option of the bytes that a step of a loop reads and writes, if the loop is one kernel.
SMALL_LOOPS = "xla_cpu_small_while_loop_byte_threshold"


class LoweredProgram(NamedTuple):
    """A lowered program.

    Attributes
    ----------
    artifact : bytes
        What the client gets: a portable artifact, or bytecode; empty for a program that was found
        on disk.
    digest : bytes
        That of the artifact, or of a padded program, which all sizes of a bucket share.
    order : sequence of int
        For each leading argument of `@main`, the index of its captured array.
    xla_options : mapping
        XLA's options for programs of anvl's lowering.
    unused : sequence of int
        The positions of donated arguments that no result can use.
    calls : tuple of HostCall
        The calls of Python.
    state : State or None
        What it returns besides its results.
    padding : PaddedCall or None
        How its arguments are padded.
    results : OverMesh or None
        Where the results of a program over a mesh are.
    alias : Alias or None
        By which it will be found on disk, or was, if there is no artifact.
    """

    artifact: bytes
    digest: bytes
    order: Sequence[int]
    xla_options: Mapping[str, Any]
    unused: Sequence[int] = ()
    calls: tuple[HostCall, ...] = ()
    state: State | None = None
    padding: PaddedCall | None = None
    results: OverMesh | None = None
    alias: Alias | None = None

    @property
    def cautious_options(self) -> Mapping[str, Any]:
        """Options in place of those among `xla_options` for which XLA may refuse some ops."""
        found: dict[str, Any] = {}
        left_out = str(self.xla_options.get(PASSES, "")).split(",")
        if WRAPPER in left_out:
            found[PASSES] = ",".join(name for name in left_out if name != WRAPPER)
        if SMALL_LOOPS in self.xla_options:
            found[SMALL_LOOPS] = 0
        return found

    @property
    def is_plain(self) -> bool:
        """Whether its arguments are those of the traced program, and it is of any process."""
        return not self.calls and self.padding is None
