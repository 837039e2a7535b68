"""How the arguments and results of functions lie on a mesh: the attribute `anvl.sharding`."""

from collections.abc import Mapping, Sequence
from typing import Any

from anvl.dialect.core.attributes import SHARDING, entries_of
from anvl.dialect.core.errors import PassError, ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import (
    MeshShape,
    Spec,
    check_sharding,
    joined,
    split_sharding,
)

__all__ = ["ARGUMENTS", "RESULTS", "add_axis", "copy_shardings", "set_shardings", "shardings_of"]

#: The attributes of a function that hold those of its arguments and of its results.
ARGUMENTS, RESULTS = "arg_attrs", "res_attrs"


def shardings_of(
    argument: str, function: ir.Operation, which: str
) -> dict[int, tuple[MeshShape, Spec]]:
    """The meshes and specs of the arguments or results that have them, by position.

    Raises `PassError` of the pass `argument` for one that is malformed, or that does not fit the
    type.
    """
    found = {}
    for i, text in _texts(function, which).items():
        what = f"{'argument' if which == ARGUMENTS else 'result'} {i} of @{_name(function)}"
        type_ = _types(function, which)[i]
        try:
            found[i] = split_sharding(text)
            check_sharding(f"{what}, {type_}", *found[i], type_.shape, even=True)
        except ShardingError as error:
            raise PassError(argument, str(error), str(function.location)) from None
    return found


def set_shardings(function: ir.Operation, which: str, texts: Mapping[int, str | None]) -> None:
    """Write the attribute of arguments or results, by position; None removes it."""
    if not texts:
        return
    context = function.context
    all_ = _attributes(function, which)
    for i, text in texts.items():
        entries = {name: value for name, value in entries_of(all_[i]).items() if name != SHARDING}
        if text is not None:
            entries[SHARDING] = ir.StringAttr.get(text, context)
        all_[i] = ir.DictAttr.get(entries, context)
    function.attributes[which] = ir.ArrayAttr.get(all_, context)


def copy_shardings(
    function: ir.Operation, of: str, positions: Sequence[int], to: str, first: int
) -> None:
    """Give the arguments or results from `first` on the shardings of those at `positions`.

    So a cotangent lies as its argument does.
    """
    texts = _texts(function, of)
    pairs = enumerate(positions, first)
    set_shardings(function, to, {i: texts[source] for i, source in pairs if source in texts})


def add_axis(function: ir.Operation, which: str, positions: Sequence[int]) -> None:
    """Add a leading dimension, whole on each device, to the shardings at these positions."""
    texts = _texts(function, which)
    new = {}
    for i in positions:
        if i in texts:
            mesh, spec = split_sharding(texts[i])
            new[i] = joined(mesh, spec.with_axis(0, ()))
    set_shardings(function, which, new)


def _texts(function: ir.Operation, which: str) -> dict[int, str]:
    if which not in function.attributes:
        return {}
    entries = enumerate(function.attributes[which])
    return {i: _text(a[SHARDING]) for i, a in entries if SHARDING in a}


def _text(attribute: ir.Attribute) -> str:
    """The text of the attribute; one of another kind is shown, and is no sharding."""
    return attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)


def _attributes(function: ir.Operation, which: str) -> list[Any]:
    if which in function.attributes:
        return list(function.attributes[which])
    return [ir.DictAttr.get({}, function.context)] * len(_types(function, which))


def _types(function: ir.Operation, which: str) -> list[Any]:
    type_ = function.attributes["function_type"].value
    return list(type_.inputs if which == ARGUMENTS else type_.results)


def _name(function: ir.Operation) -> str:
    name: str = function.attributes["sym_name"].value
    return name
