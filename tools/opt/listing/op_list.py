"""`--list-ops` and `--irdl`: the listing of known ops."""

from collections.abc import Iterator

from anvl.dialect.core.dialect import irdl_text, own_dialects
from anvl.dialect.core.mlir import ext
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import OPS, RULES

__all__ = ["irdl", "listed", "signature"]


def listed() -> str:
    """All ops by dialect: operands, parameters and results, and the summary."""
    groups = {
        "anvl": [op for op in OPS.values() if "." not in op.short_name],
        **{name: _of(name) for name in own_dialects()},
    }
    return "\n".join(
        f"{name}:\n{''.join(map(_described, sorted(ops, key=_name)))}"
        for name, ops in groups.items()
        if ops
    )


def _of(dialect: str) -> list[type[AnvlOp]]:
    return [op for op in OPS.values() if op.short_name.startswith(f"{dialect}.")]


def _name(op_class: type[AnvlOp]) -> str:
    return op_class.OPERATION_NAME


def _described(op_class: type[AnvlOp]) -> str:
    summary = (op_class.__doc__ or "").strip().partition("\n")[0]
    lines = [f"  {signature(op_class)}", f"      {summary}"]
    absent = list(_absent(op_class))
    if absent:
        lines.append(f"      without {', '.join(f'`{rule}`' for rule in absent)}")
    return "\n".join(line for line in lines if line.strip()) + "\n"


def signature(op_class: type[AnvlOp]) -> str:
    """`anvl.sum(x) {axes} -> y`."""
    operands = ", ".join(_fields(op_class, ext.OperandDef))
    results = ", ".join(_fields(op_class, ext.ResultDef))
    params = f" {{{', '.join(op_class.params)}}}" if op_class.params else ""
    return f"{op_class.OPERATION_NAME}({operands}){params} -> {results}"


def _fields(
    op_class: type[AnvlOp], of: type[ext.OperandDef] | type[ext.ResultDef]
) -> Iterator[str]:
    for field in op_class._fields:
        if isinstance(field, of):
            several = field.variadicity != ext.Variadicity.single
            yield f"{field.name}..." if several else field.name


def _absent(op_class: type[AnvlOp]) -> Iterator[str]:
    """Missing rules that a pass would need."""
    for rule in RULES:
        lowers = rule == "lower" and (op_class.hlo or op_class.borrowed)
        if rule != "sample" and not lowers and not op_class.has_rule(rule):
            yield rule


def irdl() -> str:
    """All dialects that Python classes declare, as IRDL."""
    return "\n".join(irdl_text(name) for name in ("anvl", *own_dialects()))
