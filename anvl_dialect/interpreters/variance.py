"""Variance: the axes along which values may differ from device to device, or member to member.

Note [Variance]
    A function that runs once for each device of a mesh, or for each member of a batch with a name,
    has values that are equal along some axes: constants, arguments that are whole there, and what
    collectives have combined.  Whoever needs equal values can find out: `shard_map`, whose results
    are whole along axes that their specs do not name; a choice or a loop with a collective in it,
    which all must reach; `vmap`, whose result may have no batch axis.

    A value may vary along each axis along which a value that its op reads does; the rule
    `varying_axes` of an op says where it is otherwise.  So the answer errs on one side: a value
    that is found equal is, one that may vary may be equal for a reason that no rule knows, such as
    a sum by a ring of permutations.
    JAX tracks the same while it traces (its `check_vma`).
"""

from collections.abc import Sequence

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["Variance"]


class Variance:
    """Finds the axes along which values may vary.

    Attributes
    ----------
    everywhere : frozenset of str, or None
        The axes of a value of which nothing is known, such as a result of a declaration; with None
        it counts as equal along all.
    split : list of pairs
        Choices and loops in which devices may part, though a collective in them needs all: the op,
        and the axes along which both is so.
    """

    def __init__(self, symbols: SymbolTable | None, everywhere: frozenset[str] | None) -> None:
        self.symbols = symbols
        self.everywhere = everywhere
        self.split: list[tuple[ir.Operation, frozenset[str]]] = []

    def results(self, program: Program, given: Sequence[frozenset[str]]) -> list[frozenset[str]]:
        """The axes of the results of a program, from those of its arguments."""
        known: dict[Value, frozenset[str]] = dict(zip(program.arguments, given, strict=True))
        same: frozenset[str] = frozenset()
        for op in program.block.operations:
            if not len(op.results):
                continue
            read = [known.get(x, same) for x in operands_of(op)]
            if isinstance(op, AnvlOp):
                found = type(op).varying_axes(op.operation, read, self)
            else:
                found = self.unknown(op.operation, read)
            known.update(zip(op.results, found, strict=True))
        return [known.get(y, same) for y in program.results]

    def unknown(
        self, op: ir.Operation, given: Sequence[frozenset[str]]
    ) -> Sequence[frozenset[str]]:
        """The axes of the results of an op without a rule."""
        if self.everywhere is None:
            return [frozenset()] * len(op.results)
        return [self.everywhere.union(*given)] * len(op.results)

    def parts(self, op: ir.Operation, decides: frozenset[str], needs: frozenset[str]) -> None:
        """Note a choice or a loop: its condition varies along some axes, its ops need others."""
        if decides & needs:
            self.split.append((op, decides & needs))
