"""The collectives of a compiled program: what devices send to each other, with bytes and groups."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anvl.tools.plan.hlo_text import Computation, Instruction, Program
from anvl.tools.plan.replica_groups import groups_of, pairs_of

__all__ = ["KINDS", "Collective", "collective_of", "collectives", "counted", "listed"]

#: Collectives of XLA, with the factor of the bytes that each device sends: Note [Time of messages].
KINDS = (
    "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute",
    "collective-broadcast", "ragged-all-to-all",
)  # fmt: skip


@dataclass(frozen=True)
class Collective:
    """One collective of a compiled program.

    Attributes
    ----------
    kind
        XLA's name, such as `all-reduce`.
    text
        The arrays that it gives, such as `f32[1024,1024]`.
    bytes
        Bytes of the whole on a device: of the result of a gather, of the operands of the others.
    groups
        The devices that exchange with each other; of a permutation, pairs.
    times
        How often it runs in one run of the program; a loop of unknown length counts once.
    source
        The line that it comes from, where XLA tells.
    """

    kind: str
    text: str
    bytes: float
    groups: tuple[tuple[int, ...], ...]
    times: int
    source: str

    @property
    def size(self) -> int:
        """How many devices exchange with each other."""
        return max(map(len, self.groups), default=1)

    def __str__(self) -> str:
        times = f" {self.times} times" if self.times != 1 else ""
        among = counted(len(self.groups), "pair" if "permute" in self.kind else "group")
        of = "" if "permute" in self.kind else f" of {self.size}"
        where = f", {self.source}" if self.source else ""
        return f"{self.kind} {self.text}: {self.bytes:,.0f} bytes{times}, {among}{of}{where}"


def collective_of(
    op: Instruction, within: Computation, partitions: int, times: int
) -> Collective | None:
    """The collective that an instruction is, or starts; None for another instruction.

    Raises
    ------
    ValueError
        Its groups are written in a form that is not known.
    """
    kind = op.opcode.removesuffix("-start")
    if kind not in KINDS:
        return None
    given = [shape for operand in within.operands(op) for shape in operand.shapes]
    result = op.shapes[len(given) :] if op.opcode.endswith("-start") else op.shapes
    shapes = (result or op.shapes) if kind == "all-gather" else given
    permutes = kind == "collective-permute"
    groups = pairs_of(op.attributes) if permutes else groups_of(op.attributes, partitions)
    return Collective(
        kind,
        ", ".join(f"{s.dtype}[{','.join(map(str, s.sizes))}]" for s in shapes),
        sum(shape.bytes for shape in shapes),
        tuple(map(tuple, groups)),
        times,
        op.source,
    )


def listed(messages: Sequence[Collective]) -> list[str]:
    """A line for each collective, those that are equal in one, and the sum."""
    counts = Counter(messages)
    lines = [f"{n} x {each}" if n > 1 else str(each) for each, n in counts.items()]
    times = sum(each.times for each in messages)
    total = sum(each.bytes * each.times for each in messages)
    return [*lines, f"{counted(times, 'collective')}, {total:,.0f} bytes on a device"]


def counted(n: int, what: str) -> str:
    """`1 device`, `2 devices`."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def collectives(program: Program) -> list[Collective]:
    """All collectives that a run of the program makes, in the order of its text."""
    return [*_collectives(program, program.computations[program.entry], 1)]


def _collectives(program: Program, here: Computation, times: int) -> Iterator[Collective]:
    for op in here.instructions:
        found = collective_of(op, here, program.partitions, times)
        if found is not None:
            yield found
            continue
        repeated = times * (op.trip_count or 1) if op.opcode == "while" else times
        for key in ("condition", "body", "calls", "branch_computations", "to_apply"):
            for name in op.names(key):
                if name in program.computations:
                    yield from _collectives(program, program.computations[name], repeated)
