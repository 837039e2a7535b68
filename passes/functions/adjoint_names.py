"""The names of adjoint values: `%x_adjoint` is the adjoint of `%x`.

Names are those of locations, so text shows them where names are printed.  Only what a person asks
for by name gets these: in a program that is compiled nobody reads them, and they cost time.
"""

from collections.abc import Iterable, Sequence

from anvl.dialect.core.mlir import ir

__all__ = ["ADJOINT", "PARTIAL", "name_adjoints"]

ADJOINT, PARTIAL = "_adjoint", "_partial"


def name_adjoints(
    forward: Sequence[ir.Operation],
    backward: Iterable[ir.Operation],
    pairs: Iterable[tuple[ir.Value, ir.Value]],
) -> None:
    """Name the ops of a reverse sweep.

    `pairs` are values and their adjoints; of those with one adjoint in common the last gives it its
    name.  The other ops in `backward`, on the way to an adjoint, are partial derivatives and
    partial sums: they are named for the forward op whose rule made them (`%tanh_partial`).
    """
    for op in backward:
        name = getattr(op.location, "name_str", "")
        if name.endswith(ADJOINT):
            _rename(op, name.removesuffix(ADJOINT) + PARTIAL)
    taken = set(forward)  # a rule may give a value of the forward part
    for x, g in pairs:
        owner = g.owner
        if isinstance(owner, ir.Block) or owner.operation in taken:
            continue
        if len(owner.operation.results) == 1:  # others have one name for several adjoints
            _rename(owner.operation, _name_of(x) + ADJOINT)


def _rename(op: ir.Operation, name: str) -> None:
    """Name an op; below the name stays where it comes from, which is the forward op."""
    location = op.location
    if getattr(location, "name_str", "").endswith((ADJOINT, PARTIAL)):
        location = location.child_loc
    op.location = ir.Location.name(name, location)


def _name_of(x: ir.Value) -> str:
    """What text calls a value; one without a name is called after its op, or by its number."""
    name = getattr(x.location, "name_str", "")
    if name:
        return str(name)
    if isinstance(x, ir.BlockArgument):
        return f"arg{x.arg_number}"
    return str(x.owner.operation.name.rpartition(".")[2])
