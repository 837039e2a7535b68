"""Shardings of functions in the form of XLA's partitioner, as the attribute `anvl.sharding`."""

from anvl.dialect.core.attributes import SHARDING, entries_of
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import joined
from anvl.dialect.ops.sharding.with_sharding import FRONTEND, frontend_sharding
from anvl.passes.functions.placements import ARGUMENTS, RESULTS
from anvl.passes.functions.symbol_utils import functions_of

__all__ = ["lift_shardings"]

_BOTH = (ARGUMENTS, RESULTS)
#: The same for the partitioner before Shardy, which JAX writes beside it.
_OLD_FORM = "mhlo.sharding"


def lift_shardings(module: ir.Operation) -> None:
    """Turn Shardy's strings of arguments and results into `anvl.sharding`, which derivatives carry.

    Constraints are ops, which lift by themselves; results of exported programs pass through them.
    What a spec cannot say stays.
    """
    for function in functions_of(module).values():
        old = {w: list(function.attributes[w]) for w in _BOTH if w in function.attributes}
        new = {w: [_lifted(function, attributes) for attributes in all_] for w, all_ in old.items()}
        if new == old:
            continue
        for which, all_ in new.items():
            plain = [_without_old(attributes) for attributes in all_]
            function.attributes[which] = ir.ArrayAttr.get(plain, module.context)


def _lifted(function: ir.Operation, attributes: ir.DictAttr) -> ir.DictAttr:
    if FRONTEND not in attributes:
        return attributes
    try:
        sharding = frontend_sharding(function, attributes[FRONTEND])
    except (KeyError, ShardingError):
        return attributes
    entries = entries_of(attributes)
    others = entries_of(entries.pop(FRONTEND))
    del others["xla.sdy.sharding"]
    if others:
        entries[FRONTEND] = ir.DictAttr.get(others, attributes.context)
    entries[SHARDING] = ir.StringAttr.get(joined(*sharding), attributes.context)
    return ir.DictAttr.get(entries, attributes.context)


def _without_old(attributes: ir.DictAttr) -> ir.DictAttr:
    entries = {name: x for name, x in entries_of(attributes).items() if name != _OLD_FORM}
    return ir.DictAttr.get(entries, attributes.context)
