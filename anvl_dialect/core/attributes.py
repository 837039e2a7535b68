"""Attributes: the names of those that declare transformations, and how to read one safely."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.mlir import ir

__all__ = [
    "JVP", "LINEAR_TRANSPOSE", "VJP", "VMAP", "attribute_of", "extra_attributes", "symbols_in",
]  # fmt: skip

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


_OWN = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


def extra_attributes(function: ir.Operation) -> list[ir.Attribute]:
    """Those that say more of a function than its name, type and visibility."""
    names = [name for name in function.attributes.keys() if name not in _OWN]
    return [x for name in names if (x := attribute_of(function, name)) is not None]


def symbols_in(attribute: Any) -> list[str]:
    """The functions that an attribute names."""
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return [attribute.value]
    if isinstance(attribute, ir.DictAttr):
        keys: Sequence[Any] = [entry.name for entry in attribute]
    elif isinstance(attribute, ir.ArrayAttr):
        keys = range(len(attribute))
    else:
        return []
    return [name for key in keys for name in symbols_in(_entry(attribute, key))]


def _entry(attribute: Any, key: Any) -> ir.Attribute | None:
    """An entry; None for one that the bindings have no class for, which names no function.

    The `attr` of a named entry would end the process there.
    """
    try:
        return attribute[key]
    except TypeError:
        return None
