"""Time and memory of a compiled program on a machine, from its text.

Note [Time of instructions]

An instruction takes as long as its arithmetic or its memory traffic, whichever is longer (the
roofline: Williams, Waterman, Patterson, CACM 52(4), 2009): products and convolutions at the
machine's peak for their dtype, and the bytes of operands and results at its bandwidth.  A fusion
reads and writes once, however many ops it has.  Loops count as often as XLA knows that they run,
of branches the costliest.  So it is a lower bound: no kernel reaches the peak.  The program is
XLA's for the CPU; another backend fuses in another way.

Note [Time of messages]

n devices exchange B bytes in steps of a ring (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005):

    all-reduce               2 (n - 1) (B / n / bandwidth + latency)
    all-gather, all-to-all     (n - 1) (B / n / bandwidth + latency)
    reduce-scatter             (n - 1) (B / n / bandwidth + latency)
    permute, broadcast               B / bandwidth + latency

Devices number the nodes one after another: a group within a node has its links, another one the
network.  Messages do not overlap with arithmetic: the step is a sum, and so an upper bound of that.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from anvl.tools.plan.collectives import Collective, collective_of
from anvl.tools.plan.hlo_text import Computation, Instruction, Program
from anvl.tools.plan.machines import Machine

__all__ = ["Prediction", "predict", "seconds_of"]

_FREE = frozenset(
    "parameter constant tuple get-tuple-element bitcast after-all partition-id replica-id iota "
    "opt-barrier add-dependency".split()
)


@dataclass
class Prediction:
    """What a run of a program takes on each device.

    Attributes
    ----------
    flops
        Operations of products and convolutions, and one for each element of other arithmetic.
    bytes
        Bytes read and written.
    compute, traffic
        Seconds of these alone, at the machine's peak.
    local
        Seconds of all instructions: the longer of both for each.
    communication
        Seconds of the collectives.
    collectives
        The collectives.
    unknown_loops
        How many loops have a length that XLA does not know; they count once.
    """

    flops: float = 0.0
    bytes: float = 0.0
    compute: float = 0.0
    traffic: float = 0.0
    local: float = 0.0
    communication: float = 0.0
    collectives: tuple[Collective, ...] = ()
    unknown_loops: int = 0

    @property
    def step(self) -> float:
        """Seconds of a run."""
        return self.local + self.communication

    def add(self, other: "Prediction", times: int = 1) -> None:
        """Add what another part of the program takes."""
        for name in ("flops", "bytes", "compute", "traffic", "local", "communication"):
            setattr(self, name, getattr(self, name) + times * getattr(other, name))
        self.collectives += other.collectives
        self.unknown_loops += other.unknown_loops


def predict(program: Program, machine: Machine) -> Prediction:
    """What a run of the program takes on each device of a machine.

    Raises
    ------
    ValueError
        The groups of a collective are written in a form that is not known.
    """
    return _Walk(program, machine).of(program.computations[program.entry], 1)


class _Walk:
    def __init__(self, program: Program, machine: Machine) -> None:
        self._program, self._machine = program, machine

    def of(self, here: Computation, times: int) -> Prediction:
        """One run of a computation, which the program makes `times` times."""
        found = Prediction()
        for op in here.instructions:
            found.add(self._of(op, here, times))
        return found

    def _of(self, op: Instruction, here: Computation, times: int) -> Prediction:
        if op.opcode in _FREE or op.opcode.endswith("-done"):
            return Prediction()
        message = collective_of(op, here, self._program.partitions, times)
        if message is not None:
            taken = seconds_of(message, self._machine)
            return Prediction(communication=taken, collectives=(message,))
        if op.opcode == "while":
            return self._loop(op, times)
        if op.opcode == "conditional":
            branches = [self.of(each, times) for each in self._called(op)]
            return max(branches, key=lambda branch: branch.step, default=Prediction())
        if op.opcode == "call":
            found = Prediction()
            for each in self._called(op):
                found.add(self.of(each, times))
            return found
        return self._instruction(op, here)

    def _loop(self, op: Instruction, times: int) -> Prediction:
        count = op.trip_count
        found = Prediction(unknown_loops=int(count is None))
        for each in self._called(op):
            found.add(self.of(each, times * (count or 1)), count or 1)
        return found

    def _instruction(self, op: Instruction, here: Computation) -> Prediction:
        products, others = self._arithmetic(op, here)
        read = sum(operand.bytes for operand in here.operands(op))
        bytes_ = read + op.bytes
        compute = sum(n / self._machine.flops_in(dtype) for dtype, n in products.items())
        compute += others / self._machine.flops
        traffic = bytes_ / self._machine.memory_bandwidth
        return Prediction(
            flops=sum(products.values()) + others,
            bytes=bytes_,
            compute=compute,
            traffic=traffic,
            local=max(compute, traffic),
        )

    def _arithmetic(self, op: Instruction, here: Computation) -> tuple[dict[str, float], float]:
        """Operations of products, by the dtype of their operands, and of all else."""
        if op.opcode == "fusion":
            return self._fused(op)
        operands = here.operands(op)
        if op.opcode in ("dot", "convolution") and len(operands) == 2:
            x = operands[0].shapes[0]
            return {x.dtype: 2.0 * op.count * _contracted(op, *operands)}, 0.0
        if op.opcode in _MOVES:
            return {}, 0.0
        if op.opcode in ("reduce", "reduce-window"):
            return {}, float(sum(x.count for x in operands[: len(operands) // 2]))
        return {}, float(op.count)

    def _fused(self, op: Instruction) -> tuple[dict[str, float], float]:
        products: Counter[str] = Counter()
        others = 0.0
        for each in self._called(op):
            for inner in each.instructions:
                if inner.opcode not in _FREE:
                    more, rest = self._arithmetic(inner, each)
                    products.update(more)
                    others += rest
        return dict(products), others

    def _called(self, op: Instruction) -> Iterable[Computation]:
        known = self._program.computations
        for key in ("condition", "body", "calls", "branch_computations", "to_apply"):
            yield from (known[name] for name in op.names(key) if name in known)


_MOVES = frozenset(
    "copy broadcast reshape transpose slice dynamic-slice dynamic-update-slice concatenate pad "
    "gather reverse custom-call".split()
)


def _contracted(op: Instruction, x: Instruction, y: Instruction) -> float:
    """How many products each element of a dot or a convolution is the sum of."""
    if op.opcode == "dot":
        sizes = x.shapes[0].sizes
        return math.prod(sizes[axis] for axis in op.numbers("lhs_contracting_dims"))
    labels = op.attributes.partition("dim_labels=")[2].partition("->")[0].partition("_")[2]
    sizes = y.shapes[0].sizes
    return math.prod(n for label, n in zip(labels, sizes, strict=False) if label != "o")


def seconds_of(message: Collective, machine: Machine) -> float:
    """How long one run of a collective takes: Note [Time of messages]."""
    nodes = [{device // machine.devices_per_node for device in group} for group in message.groups]
    if any(len(each) > 1 for each in nodes):
        bandwidth, latency = machine.network_bandwidth, machine.network_latency
    else:
        bandwidth, latency = machine.link_bandwidth, machine.link_latency
    n = message.size
    if n == 1:
        return 0.0
    if message.kind in ("collective-permute", "collective-broadcast"):
        return message.bytes / bandwidth + latency
    rounds = 2 * (n - 1) if message.kind == "all-reduce" else n - 1
    return rounds * (message.bytes / n / bandwidth + latency)
