"""Names of the attributes that declare transformations, and safe access to attributes."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from anvl.dialect.core.mlir import ir

__all__ = [
    "AGAIN", "IGNORES_NAN", "IMPLICIT", "JET", "JVP", "LINEAR_TRANSPOSE", "MIXED_PRECISION",
    "SHARDING", "SMALL_DIVISOR", "VJP", "VMAP",
    "attribute_keys", "attribute_of", "entries_of", "extra_attributes", "extra_names", "extras",
    "promised", "replaced_entries", "shifted", "signature_of", "symbols_in", "with_symbols",
]  # fmt: skip

# Here, below the passes, so that a program can be traced before any pass is loaded.

#: Attributes naming a function's custom reverse mode, forward mode and batched form.
VJP, JVP, VMAP = "anvl.vjp", "anvl.jvp", "anvl.vmap"

#: Entry of a batched form that a transformation asked for: no message speaks of its members.
IMPLICIT = "implicit"

#: Attribute of a call that computes again what the program has computed, such as a pullback's.
AGAIN = "anvl.again"

#: Attribute naming the Taylor coefficients of a function.
JET = "anvl.jet"

#: Attribute naming the transpose of a linear function.
LINEAR_TRANSPOSE = "anvl.linear_transpose"

#: Attribute naming the dtype in which a function, and what it calls, computes contractions.
MIXED_PRECISION = "anvl.mixed_precision"

#: Attribute of arguments and results of functions, and of captured arrays: mesh and spec in one
#: text, `x=4,y=2;x,-` (`shardings.py`).
SHARDING = "anvl.sharding"

# Note [Promises to the guards]
#
# Where XLA computes an op wrongly for some numbers, a guard of the lowering rewrites it.  An op of
# anvl that knows more about the numbers than its StableHLO says so by an attribute, which XLA and
# the interpreter pass over, and the guard leaves the op as it is.

#: Attribute of a maximum or minimum whose reader is NaN anyway where an element is.
IGNORES_NAN = "anvl.ignores_nan"

#: Attribute of a quotient whose divisor is at most a count of elements, or NaN.
SMALL_DIVISOR = "anvl.small_divisor"


def promised(x: ir.Value, name: str) -> ir.Value:
    """Give the op that makes x a promise: see Note [Promises to the guards]."""
    x.owner.attributes[name] = ir.BoolAttr.get(True)
    return x


def attribute_of(op: ir.Operation, name: str) -> ir.Attribute | None:
    """Return an attribute of an op; None if absent or if the bindings have no class for it."""
    try:
        return op.attributes[name] if name in op.attributes else None
    except TypeError:  # complex elements
        return None


def attribute_keys(op: ir.Operation) -> tuple[object, ...]:
    """Keys of the attributes of an op, to hash and to compare: equal attributes have equal keys."""
    attributes = op.attributes
    try:
        return tuple([(name, attributes[name]) for name in attributes])
    except TypeError:  # complex elements: the text has them, after the names of results
        text: str = op.get_asm(use_local_scope=True, assume_verified=True)
        return (text.partition(" = ")[2] if len(op.results) else text,)


_OWN = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


def extra_attributes(function: ir.Operation) -> list[ir.Attribute]:
    """Attributes of a function other than its name, type and visibility."""
    return [x for x in extras(function).values() if x is not None]


def extras(function: ir.Operation) -> dict[str, ir.Attribute | None]:
    """As `extra_attributes`, by name; None for those for which the bindings have no class."""
    if _has_no_other(function):
        return {}
    try:
        return {name: x for name, x in function.attributes.items() if name not in _OWN}
    except TypeError:  # complex elements
        return {name: attribute_of(function, name) for name in extra_names(function)}


def extra_names(function: ir.Operation) -> list[str]:
    """Names of the attributes of a function other than its name, type and visibility."""
    if _has_no_other(function):
        return []
    return [name for name in function.attributes.keys() if name not in _OWN]


def _has_no_other(function: ir.Operation) -> bool:
    attributes = function.attributes
    count = len(attributes)  # of most functions: listing the names takes 5 us
    return count == 2 or (count == 3 and "sym_visibility" in attributes)


# Note [Attributes are decoded once]
#
# MLIR keeps one copy of each attribute and type, which never changes, so what Python reads off one
# holds for ever.  Reading is slow: a function type of three arguments takes 12 us, a dictionary
# that declares a loop 30 us, and each pass asks again.  So readers of these are cached by the
# attribute, whose hash is its address and takes 0.2 us.  A cache keeps its keys, and with them
# their context, alive: so an address is not used again while it is there.

_MOST_DECODED = 4096


def signature_of(function: ir.Operation) -> tuple[list[ir.Type], list[ir.Type]]:
    """Argument and result types of a function."""
    inputs, outputs = _decoded_signature(function.attributes["function_type"])
    return list(inputs), list(outputs)


@lru_cache(_MOST_DECODED)
def _decoded_signature(attribute: Any) -> tuple[tuple[ir.Type, ...], tuple[ir.Type, ...]]:
    """See Note [Attributes are decoded once]."""
    type_ = attribute.value
    return tuple(type_.inputs), tuple(type_.results)


@lru_cache(_MOST_DECODED)
def symbols_in(attribute: Any) -> tuple[str, ...]:
    """Names of the functions that an attribute refers to.

    See Note [Attributes are decoded once].
    """
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return (attribute.value,)
    if isinstance(attribute, ir.DictAttr):
        keys: Sequence[Any] = [entry.name for entry in attribute]
    elif isinstance(attribute, ir.ArrayAttr):
        keys = range(len(attribute))
    else:
        return ()
    return tuple(name for key in keys for name in symbols_in(_entry(attribute, key)))


def _entry(attribute: Any, key: Any) -> ir.Attribute | None:
    """Return an entry, or None if the bindings have no class for it (it then names no function),
    or if its name has a zero character, where they end it (it is then none of ours).

    Reading `attr` of a named entry without a class would end the process.
    """
    try:
        return attribute[key]
    except (TypeError, KeyError):
        return None


def entries_of(attribute: Any) -> dict[str, ir.Attribute]:
    """Entries of a dictionary by name, without those that Python cannot read: see `_entry`."""
    found = {entry.name: _entry(attribute, entry.name) for entry in attribute}
    return {name: value for name, value in found.items() if value is not None}


def with_symbols(attribute: ir.Attribute, names: Mapping[str, str]) -> ir.Attribute:
    """The attribute with other names for some of the functions that it refers to.

    By its text: an entry may be of a kind that the bindings cannot read.  What stands in a string
    is no reference.
    """

    def renamed(found: re.Match[str]) -> str:
        name = found["name"] if found["quoted"] is None else found["quoted"]
        return f'@"{names[name]}"' if name in names else found[0]

    text = _REFERENCE_OR_STRING.sub(renamed, str(attribute))
    return ir.Attribute.parse(text, attribute.context)


_IN_QUOTES = r'"(?P<{}>(?:[^"\\]|\\.)*)"'
_REFERENCE_OR_STRING = re.compile(
    rf"@(?:{_IN_QUOTES.format('quoted')}|(?P<name>[\w.$-]+))|{_IN_QUOTES.format('string')}"
)


def replaced_entries(attribute: Any, **entries: ir.Attribute) -> ir.Attribute:
    """A dictionary with other values for some of its names, without what Python cannot read."""
    return ir.DictAttr.get(entries_of(attribute) | entries, attribute.context)


def shifted(positions: Any, count: int) -> ir.Attribute:
    """Positions, `array<i64: ...>`, counted from `count` places further in front."""
    return ir.DenseI64ArrayAttr.get([i + count for i in positions], positions.context)
