"""Shared parts of the reverse, forward and batching walks: steps, locations, calls of rules."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar

from anvl.dialect.core import families
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import MAYBE_RULES, RULES
from anvl.dialect.core.symbol_table import SymbolTable

__all__ = [
    "Places", "PlainStep", "Step", "ask", "check_type", "listed", "named_after", "once", "refuse",
    "written_at",
]  # fmt: skip

T = TypeVar("T")


class Step(NamedTuple):
    """One op on a path from active inputs to targets.

    Read from MLIR once.  Values on such a path have ids, so that the rest of the work is on ints;
    None stands for the others.  Few of the handles needed to read an op are kept: Note [Handles].
    """

    rules: Any  # the class of the op
    op: ir.Operation
    operands: tuple[ir.Value, ...]
    active_ids: tuple[Any, ...]  # of the operands: int or None
    results: tuple[ir.Value, ...]
    result_ids: tuple[Any, ...]
    #: The functions that its rules may need; none for a step outside of a walk.
    symbols: SymbolTable | None = None

    def params(self) -> dict[str, Any]:
        """Parameters of the op, for its rules."""
        return ask(self.op, self.rules.read, self.op, self.symbols)


#: A step as a plain tuple, always unpacked by these names: one is made for every op, and making a
#: `Step` takes six times as long as making a tuple.
PlainStep: TypeAlias = tuple[
    Any, ir.Operation, tuple[ir.Value, ...], tuple[Any, ...], tuple[ir.Value, ...], tuple[Any, ...]
]


class Places:
    """Locations of derivative ops: named after their forward ops, or one location for all."""

    __slots__ = ("at", "known", "what")

    def __init__(self, what: str, at: ir.Location | None) -> None:
        self.what = what
        self.at = at
        # For the last op of each class: the next one is most often at the same place.
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
    """Location named after the forward op of a derivative op: its Python name where known."""
    name = getattr(location, "name_str", None) or short_name
    return ir.Location.name(f"{name}_{what}", location)


def ask(op: ir.Operation, rule: Callable[..., Any], *args: Any, **params: Any) -> Any:
    """Call a rule for an op; an exception of the rule passes through, with the op's location.

    The location is attached as `error.location`, in MLIR's text.
    """
    try:
        return rule(*args, **params)
    except Exception as error:
        if not getattr(error, "location", ""):
            error.location = str(op.location)  # type: ignore[attr-defined]
        raise


def listed(step: Any, rule: str, found: Any, count: int, noun: str, of: str) -> Sequence[Any]:
    """Return the answers of a rule; raise `PassError` unless they are a sequence of `count`."""
    if isinstance(found, str) or not isinstance(found, Sequence):
        gave = f"gave {_describe(found)}, not a sequence of {noun}s, one for each {of}"
        refuse(step.op, step.rules, rule, gave)
    if len(found) != count:
        refuse(step.op, step.rules, rule, f"gave {len(found)} {noun}s for {count} {of}s")
    return found


def check_type(step: Any, rule: str, x: Any, wanted: ir.Value, noun: str, of: str) -> None:
    """Refuse a derivative that is not an MLIR value, or not of the type of its primal value."""
    found = getattr(x, "type", None)
    if found == wanted.type:
        return
    given = f"a {noun} {found}" if isinstance(found, ir.Type) else _describe(x)
    refuse(step.op, step.rules, rule, f"gave {given} for {of} {wanted.type}")


def refuse(op: ir.Operation, rules: Any, rule: str, what: str) -> NoReturn:
    """Raise `PassError` for a wrong answer of a rule, with the place where the rule is written."""
    where = written_at(rules, rule)
    problem = f"{op.name}: its {rule} rule {what}{where and f'; the rule is at {where}'}"
    raise PassError(RULES.get(rule) or MAYBE_RULES[rule], problem, str(op.location))


def _describe(x: Any) -> str:
    text = repr(x)
    return f"{text if len(text) <= 60 else text[:57] + '...'} of type {type(x).__name__}"


def written_at(rules: Any, rule: str) -> str:
    """File and line of a rule; of one that the table derives, those of what it is derived from."""
    found = getattr(rules, rule, None)
    function = getattr(found, "__func__", found)
    if getattr(function, "__module__", "") == families.__name__:
        function = next((p for p in getattr(rules, "passes", ()) if callable(p)), function)
    code = getattr(getattr(function, "formula", function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def once(f: Callable[[], T]) -> Callable[[], T]:
    """`f`, called at most once: as `functools.cache`, but made in a fiftieth of the time.

    A reverse sweep makes a few for each op behind a mask, most of which are never called.
    """
    made: list[T] = []

    def get() -> T:
        if not made:
            made.append(f())
        return made[0]

    return get
