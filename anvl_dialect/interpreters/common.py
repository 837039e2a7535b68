"""What the reverse, forward and batching walks share: steps, locations, and asking a rule."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

from anvl.dialect.core import families
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import RULES

__all__ = ["Places", "PlainStep", "Step", "ask", "check_type", "listed", "named_after", "refuse"]


class Step(NamedTuple):
    """One op on a path from the values that move to the values that are asked for.

    Read from MLIR once.  Values on such a path have ids, so that the rest of the work is on ints;
    None stands for the others.  Of the handles that it takes to read an op few are kept: Note
    [Handles].
    """

    rules: Any  # the class of the op
    op: ir.Operation
    operands: tuple[ir.Value, ...]
    active_ids: tuple[Any, ...]  # of the operands: int or None
    results: tuple[ir.Value, ...]
    result_ids: tuple[Any, ...]


#: A step as the walks keep it, always unpacked by these names: one is made for every op, and to
#: make a `Step` takes six times as long as to make a tuple.
PlainStep: TypeAlias = tuple[
    Any, ir.Operation, tuple[ir.Value, ...], tuple[Any, ...], tuple[ir.Value, ...], tuple[Any, ...]
]


class Places:
    """The locations of derivative ops: named for the ops that they belong to, or all at one."""

    __slots__ = ("at", "known", "what")

    def __init__(self, what: str, at: ir.Location | None) -> None:
        self.what = what
        self.at = at
        # Of the last op of each class: most often the next one of it is at the same place.
        self.known: dict[Any, tuple[ir.Location, ir.Location]] = {}

    def of(self, rules: Any, op: ir.Operation) -> ir.Location:
        if self.at is not None:
            return self.at
        location = op.location
        known = self.known.get(rules)
        if known is not None and known[0] == location:
            return known[1]
        made = named_after(location, rules.short_name, self.what)
        self.known[rules] = location, made
        return made


def named_after(location: ir.Location, short_name: str, what: str) -> ir.Location:
    """Names the forward op that derivative ops belong to: its Python name where known."""
    name = getattr(location, "name_str", None) or short_name
    return ir.Location.name(f"{name}_{what}", location)


def ask(op: ir.Operation, rule: Callable[..., Any], *args: Any, **params: Any) -> Any:
    """Ask a rule of an op; an error of the rule's author stays as it is, and says where the op is.

    The location that it is given, `error.location`, is MLIR's text of it.
    """
    try:
        return rule(*args, **params)
    except Exception as error:
        if not getattr(error, "location", ""):
            error.location = str(op.location)  # type: ignore[attr-defined]
        raise


def listed(step: Any, rule: str, found: Any, count: int, noun: str, of: str) -> Sequence[Any]:
    """The answers of a rule, as many as there must be; raises `PassError` otherwise."""
    if isinstance(found, str) or not isinstance(found, Sequence):
        gave = f"gave {_shown(found)}, not a sequence of {noun}s, one for each {of}"
        refuse(step.op, step.rules, rule, gave)
    if len(found) != count:
        refuse(step.op, step.rules, rule, f"gave {len(found)} {noun}s for {count} {of}s")
    return found


def check_type(step: Any, rule: str, x: Any, wanted: ir.Value, noun: str, of: str) -> None:
    """Refuse a derivative that is no MLIR value, or not of the type of what it belongs to."""
    found = getattr(x, "type", None)
    if found == wanted.type:
        return
    given = f"a {noun} {found}" if isinstance(found, ir.Type) else _shown(x)
    refuse(step.op, step.rules, rule, f"gave {given} for {of} {wanted.type}")


def refuse(op: ir.Operation, rules: Any, rule: str, what: str) -> NoReturn:
    """Raise `PassError` for a wrong answer of a rule, with the place where the rule is written."""
    where = _written_at(rules, rule)
    problem = f"{op.name}: its {rule} rule {what}{where and f'; the rule is at {where}'}"
    raise PassError(RULES[rule], problem, str(op.location))


def _shown(x: Any) -> str:
    text = repr(x)
    return f"{text if len(text) <= 60 else text[:57] + '...'} of type {type(x).__name__}"


def _written_at(rules: Any, rule: str) -> str:
    """File and line of a rule; of one that follows from derivatives in a table, those of these."""
    found = getattr(rules, rule, None)
    function = getattr(found, "__func__", found)
    if getattr(function, "__module__", "") == families.__name__:
        function = next((p for p in getattr(rules, "passes", ()) if callable(p)), function)
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""
