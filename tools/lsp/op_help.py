"""What an editor shows of an op: its signature, its documentation and its rules, as Markdown.

op_help("anvl.sum")     None for an op that no class defines
"""

import inspect
from collections.abc import Iterator

from anvl.dialect import OPS
from anvl.dialect.core.errors import nearest
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import MAYBE_RULES
from anvl.dialect.core.params.base import Param
from anvl.tools.opt.listing.op_facts import facts
from anvl.tools.opt.listing.op_list import signature

__all__ = ["op_help", "param_help", "short_name"]

_LABELS = {"StableHLO": "lowering"}
_NOT_RULES = ("op", "elements", "sampled in")
#: Names of builtin ops and of `func` that are written without their dialect.
_SHORT = {"module": "builtin.module", "return": "func.return", "call": "func.call"}
_PAGES = {
    "stablehlo": "https://openxla.org/stablehlo/spec#{op}",
    "func": "https://mlir.llvm.org/docs/Dialects/Func/",
}


def short_name(word: str) -> str:
    """The full name of an op that may be written without its dialect."""
    return _SHORT.get(word, word)


def op_help(name: str) -> str | None:
    """Markdown about an op, or None if the name is not that of an op."""
    op_class = OPS.get(name)
    if op_class is not None:
        return "\n\n".join(_parts(op_class))
    dialect, dot, op = name.partition(".")
    if not dot or not op:
        return None
    if dialect in _dialects():
        return f"`{name}`: there is no such op{nearest(name, OPS)}"
    page = _PAGES.get(dialect, "").format(op=op)
    return f"`{name}`: an op of the dialect `{dialect}`" + (f", {page}" if page else "")


def _dialects() -> set[str]:
    """The dialects that are defined here, all ops of which are known."""
    return {name.partition(".")[0] for name, of in OPS.items() if not of.borrowed}


def _parts(op_class: type[AnvlOp]) -> Iterator[str]:
    yield f"```text\n{signature(op_class)}\n```"
    text = inspect.cleandoc(op_class.__doc__ or "")
    if text:
        yield text
    attributes = [f"- `{name}`: {param_help(of)}" for name, of in op_class.attribute_params.items()]
    if attributes:
        yield "\n".join(["**Attributes**", "", *attributes])
    yield "\n".join(_rules(op_class))
    yield f"Defined in `{op_class.__module__}`."


def _rules(op_class: type[AnvlOp]) -> Iterator[str]:
    for name, value in facts(op_class).items():
        if value and name not in _NOT_RULES:
            yield f"- **{_LABELS.get(name, name)}**: {value}"
    kinds = getattr(op_class, "kinds", None)
    if kinds:
        yield f"- **elements**: {kinds.replace(' ', ', ')}"
    optional = [rule for rule in MAYBE_RULES if op_class.has_rule(rule)]
    if optional:
        yield f"- **also has**: {', '.join(optional)}"


def param_help(of: type[Param]) -> str:
    """One line about an attribute."""
    summary = inspect.cleandoc(of.__doc__ or of.__name__).partition("\n")[0].rstrip(".")
    return f"{summary}; may be left out, then {of.default!r}" if of.optional else summary
