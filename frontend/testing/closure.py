"""Rule closure: ops that a rule emits have all rules, or higher derivatives would fail there."""

from typing import Any

from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import OPS, RULES
from anvl.testing.findings import Findings

__all__ = ["check_closure", "goes_before_lowering", "missing_rules"]


def check_closure(findings: Findings, names: set[str]) -> None:
    """Record the ops of these names that lack rules a pass may need."""
    for name in sorted(names):
        if name.split(".")[0] in ("func", "builtin") or name == "stablehlo.return":
            continue
        if name not in OPS:
            findings.problems.append(f"closure: a rule emits {name}, which has no rules")
            continue
        absent = [rule for rule in missing_rules(OPS[name]) if rule != "sample"]
        if absent:
            findings.problems.append(f"closure: {name} is emitted but has no {absent}")


def missing_rules(op_class: Any) -> list[str]:
    """The rules that a class lacks."""
    absent = [r for r in RULES if r != "lower" and not op_class.has_rule(r)]
    is_stablehlo = op_class.OPERATION_NAME.startswith("stablehlo.")
    lowers = op_class.hlo is not None or op_class.has_rule("lower") or is_stablehlo
    return absent if lowers or goes_before_lowering(op_class) else [*absent, "lower"]


def goes_before_lowering(op_class: Any) -> bool:
    """Whether another pass eliminates this op before lowering."""
    return op_class.why_not_lowered != AnvlOp.why_not_lowered
