"""Tagged values, named by ops such as `anvl.tag` for derivatives with respect to them."""

from collections.abc import Mapping, Sequence

from anvl.dialect.control_flow.call import rule_of
from anvl.dialect.core.errors import PassError, nearest
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import body_of, callee_of, calls_of

__all__ = ["tagged_values", "tags_of"]


def tags_of(
    function: ir.Operation, functions: Mapping[str, ir.Operation]
) -> dict[str, list[ir.Value]]:
    """Tagged values in a function and its callees among `functions`, by tag.

    Each is listed as often as it is computed.  Values in the bodies of other ops are left out, as
    they exist once per step; so are values in functions with rules, whose derivatives are not taken
    op by op: Note [Functions with rules].
    """
    found: dict[str, list[ir.Value]] = {}
    for op in find(function, *[name for name, cls in OPS.items() if cls.naming_param]):
        if op.parent.operation == function:
            rules = OPS[op.name]
            found.setdefault(rules.read(op)[rules.naming_param], []).append(op.results[0])
    for call in calls_of(function) if functions else ():
        called = functions.get(callee_of(call))
        if called is not None and body_of(called) is not None and rule_of(called) is None:
            for tag, values in tags_of(called, functions).items():
                found.setdefault(tag, []).extend(values)
    return found


def tagged_values(
    argument: str,
    name: str,
    wanted: Sequence[str],
    found: Mapping[str, Sequence[ir.Value]],
    place: str,
) -> list[ir.Value]:
    """The values in @name with these tags, each of which must be there once.

    Raises `PassError`, in the name of the pass `argument`, where one is not.
    """
    if len(set(wanted)) != len(wanted):
        raise PassError(argument, f"@{name}: tags {', '.join(wanted)} repeat a tag", place)
    values = []
    for tag in wanted:
        these = found.get(tag, ())
        if not these:
            known = ", ".join(found) or "none"
            problem = f"there is no tag {tag!r}{nearest(tag, found)}; the tags are {known}"
            raise PassError(argument, f"@{name}: {problem}", place)
        if len(these) > 1:
            lines = " and ".join(place_of(y.owner) for y in these)
            problem = f"tag {tag!r} is on {len(these)} values, at {lines}; give each its own"
            raise PassError(argument, f"@{name}: {problem}", place)
        values.append(these[0])
    return values
