"""The names of adjoint values: `%x_adjoint` is the adjoint of `%x`.

Names are name locations, so text shows them where names are printed.  Only functions requested by
name get them: in a compiled program they are never read, and they cost time.
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

    `pairs` are values and their adjoints; an adjoint shared by several values is named after the
    last.  The other ops in `backward`, on the path to an adjoint, are partial derivatives and
    partial sums: they are named after the forward op whose rule made them (`%tanh_partial`).
    """
    names: dict[ir.Operation, str] = {}
    taken = set(forward)  # a rule may return a value of the forward part
    for x, g in pairs:
        owner = g.owner
        if isinstance(owner, ir.Block) or owner.operation in taken:
            continue
        if len(owner.operation.results) == 1:  # others have one name for several adjoints
            names[owner.operation] = _name_of(x) + ADJOINT
    for op in backward:
        given, location = names.get(op), op.location
        name = getattr(location, "name_str", "")
        if given is None and name.endswith(ADJOINT):
            given = name.removesuffix(ADJOINT) + PARTIAL
        if given is None or given == name:
            continue
        if name.endswith((ADJOINT, PARTIAL)):
            location = location.child_loc  # that of the forward op
        op.location = ir.Location.name(given, location)


def _name_of(x: ir.Value) -> str:
    """Name of a value in text; without one, the name of its op, or its argument number."""
    name = getattr(x.location, "name_str", "")
    if name:
        return str(name)
    if isinstance(x, ir.BlockArgument):
        return f"arg{x.arg_number}"
    return str(x.owner.operation.name.rpartition(".")[2])
