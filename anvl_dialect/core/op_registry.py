"""The registry of ops: every op class by name, the closed set of their rules, and `emit`."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from anvl.dialect.core.definition.op_checks import check_free, check_rules
from anvl.dialect.core.dialect import Anvl, declare, own_dialects, withdraw
from anvl.dialect.core.errors import MissingRule

if TYPE_CHECKING:
    from anvl.dialect.core.op import AnvlOp
    from anvl.dialect.core.op_rules import OpRules

__all__ = [
    "DEFINED", "MAYBE_RULES", "OPS", "RULES", "emit", "missing", "names_where", "ops_with_rule",
    "register",
]  # fmt: skip

#: The closed set of rules, with the user of each.
RULES = {
    "result_type": "building it",
    "lower": "anvl-lower-to-stablehlo",
    "adjoint": "anvl-gradient",
    "tangent": "anvl-forward",
    "batch": "anvl-vectorize",
    "sample": "the numeric tests",
}

#: Optional rules, with the user of each.
MAYBE_RULES = {
    "taylor": "anvl-forward",
    "simplify": "anvl-simplify",
    "fold": "anvl-simplify-control-flow",
    "pad_axes": "anvl-pad",
    "powered": "anvl.numpy, of what it raises to a power",
    "stacked": "anvl-roll",
    "dependence": "anvl-sparsity",
    "narrowed": "anvl-mixed-precision",
}

#: Every op class by its name in the IR (`"anvl.sin"`).
OPS: dict[str, type["AnvlOp"]] = {}

#: Names of all ops in order of definition; a redefined op appears twice.
#: Its length is the version of the op set, by which caches over all ops are invalidated.
DEFINED: list[str] = []


def missing(cls: type["OpRules"], rule: str) -> Any:
    """Refuse: `cls` does not define `rule`."""
    raise MissingRule(
        f"{cls.OPERATION_NAME}: has no `{rule}` rule, which {RULES[rule]} needs; "
        f"define it on {cls.__name__} in {cls.__module__}"
    )


def register(cls: type["AnvlOp"]) -> None:
    """Enter an op into `OPS` and, unless it is borrowed, register it with MLIR."""
    try:
        check_free(cls, OPS)
        if cls._dialect_obj is not Anvl:
            check_rules(cls, [*RULES, *MAYBE_RULES])
        if not cls.borrowed:
            declare(cls)
    except BaseException:
        withdraw(cls)
        raise
    OPS[cls.OPERATION_NAME] = cls
    DEFINED.append(cls.OPERATION_NAME)


def ops_with_rule(rule: str) -> list[type["AnvlOp"]]:
    """Op classes that define `rule`, in order of definition."""
    return [op_class for op_class in OPS.values() if op_class.has_rule(rule)]


def names_where(is_wanted: Callable[[type["AnvlOp"]], bool]) -> tuple[str, ...]:
    """The names of the ops whose class meets a condition, a function of its module.

    Looked for once until there are new ops: a look at all of them takes 20 us.
    """
    return _names_where(is_wanted, len(DEFINED))


@lru_cache(64)
def _names_where(is_wanted: Callable[[type["AnvlOp"]], bool], known: int) -> tuple[str, ...]:
    return tuple([name for name, op_class in OPS.items() if is_wanted(op_class)])


class Emit:
    """Emits ops by name: `emit.sum(x, axes=(0,))`, or user-defined `emit.my.softplus(x)`.

    Rules reach the ops of other families through it, so that no family imports another.
    """

    def __getattr__(self, name: str) -> Any:
        op_class = OPS.get(f"anvl.{name}") or OPS.get(f"stablehlo.{name}")
        if op_class is None:
            if name in own_dialects():
                return _EmitOwn(name)
            raise AttributeError(f"emit: there is no op anvl.{name}")
        setattr(self, name, op_class.build)
        return op_class.build

    def __reduce__(self) -> str:  # it caches functions that cannot be pickled
        return "emit"


class _EmitOwn:
    """Namespace `emit.my`.  It caches nothing, since these ops may be redefined."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect

    def __getattr__(self, name: str) -> Callable[..., Any]:
        op_class = OPS.get(f"{self._dialect}.{name}")
        if op_class is None:
            raise AttributeError(f"emit: there is no op {self._dialect}.{name}")
        return op_class.build


emit: Emit = Emit()
