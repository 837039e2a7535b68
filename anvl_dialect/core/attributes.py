"""Attributes: the names of those that declare transformations, and how to read one safely."""

from anvl.dialect.core.mlir import ir

__all__ = ["JVP", "LINEAR_TRANSPOSE", "VJP", "VMAP", "attribute_of"]

# Here, below the passes, so that a program can be traced before any pass is loaded.

#: A function declared as the reverse mode of another, as its forward mode, as its batch.
VJP, JVP, VMAP = "anvl.vjp", "anvl.jvp", "anvl.vmap"

#: One declared as the transpose of another, which is linear.
LINEAR_TRANSPOSE = "anvl.linear_transpose"


def attribute_of(op: ir.Operation, name: str) -> ir.Attribute | None:
    """An attribute of an op; None where it has none, or one that the bindings have no class for."""
    try:
        return op.attributes[name] if name in op.attributes else None
    except TypeError:  # numbers that are complex
        return None
